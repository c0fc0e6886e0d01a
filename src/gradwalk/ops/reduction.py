"""THE TABLE, part 8: operations over a list of numbers.

The rule of such a row returns the contributions to all members at once. ``softmax`` and
``log_softmax`` give one member of the result, that of the *first* argument: only so can 1 - p,
which is the sum over the others, be had without cancellation.

Every exponential is of x - max, and its sums are sums of many: the roundings of the difference and
of the additions (Neumaier 1974) are carried along, as the small e of a number h (1 + e), and come
in at the very end. So a long list is as exact as a short one.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import inf
from typing import Any

from ..primitive import reduction
from .arithmetic import equal, where
from .exponential import exp, log1p
from .precision import difference_error, gap, sum_error

Parts = tuple[Any, Any]  # h and e of the number h (1 + e)
ONE: Parts = (1.0, 0.0)


def _peak(xs: Sequence[Any]) -> int:
    """Where the largest member is. A NaN need not be looked for: it reaches every sum."""
    return max(range(len(xs)), key=xs.__getitem__)


def _weight(x: Any, peak: Any) -> Parts:
    """e^(x - peak)"""
    d = x - peak
    if d > -1000.0:
        return exp(d), difference_error(d, x, peak)
    return where(equal(x, peak), 1.0, exp(d)), 0.0  # far below, infinite, or NaN


def _weights(xs: Sequence[Any]) -> list[Parts]:
    peak = xs[_peak(xs)]
    return [_weight(x, peak) for x in xs]


def _sum(terms: Sequence[Parts]) -> Parts:
    total, error = 0.0, 0.0
    for h, e in terms:
        s = total + h
        error = error + (sum_error(s, total, h) + h * e)
        total = s
    return total, error / total if total > 0.0 else 0.0


def _product(t: Any, a: Parts, b: Parts, total: Parts, divisor: Parts) -> Any:
    """t a b / (total divisor)"""
    h = t * (a[0] * b[0]) / (total[0] * divisor[0])
    return h + h * (a[1] + b[1] - total[1] - divisor[1])


def _beside_peak(xs: Sequence[Any]) -> Parts:
    """The largest member, and ln of the sum of all e^(x - largest), exact if that is near 0."""
    peak = _peak(xs)
    h, e = _sum([_weight(x, xs[peak]) for index, x in enumerate(xs) if index != peak])
    return xs[peak], log1p(h + h * e)


def _logsumexp(*xs: Any) -> Any:
    peak, rest = _beside_peak(xs)
    return peak + rest


def _logsumexp_rule(t: Any, y: Any, *xs: Any) -> list[Any]:
    weights = _weights(xs)
    total = _sum(weights)
    return [_product(t, weight, ONE, total, ONE) for weight in weights]


def _softmax(*xs: Any) -> Any:
    weights = _weights(xs)
    return _product(1.0, weights[0], ONE, _sum(weights), ONE)


def _softmax_rule(t: Any, y: Any, *xs: Any) -> list[Any]:
    first, *others = weights = _weights(xs)
    total = _sum(weights)
    shares = [_product(-t, first, weight, total, total) for weight in others]
    return [_product(t, first, _sum(others), total, total), *shares]


def _log_softmax(*xs: Any) -> Any:
    peak, rest = _beside_peak(xs)
    d = gap(peak, xs[0])
    return -(d + (rest + difference_error(d, peak, xs[0]) if d < inf else rest))


def _log_softmax_rule(t: Any, y: Any, *xs: Any) -> list[Any]:
    weights = _weights(xs)
    total, others = _sum(weights), weights[1:]
    shares = [_product(-t, weight, ONE, total, ONE) for weight in others]
    return [_product(t, _sum(others), ONE, total, ONE), *shares]


# fmt: off
logsumexp   = reduction("logsumexp", _logsumexp_rule, forward=_logsumexp,
                        tex=r"\ln \sum_i e^{x_i}", points=(1000.0, -1000.0),
                        summary="Logarithm of the sum of the exponentials")
softmax     = reduction("softmax", _softmax_rule, forward=_softmax,
                        tex=r"\frac{e^{x_0}}{\sum_i e^{x_i}}", points=(1000.0, -1000.0),
                        summary="Share of the first member in the sum of the exponentials")
log_softmax = reduction("log_softmax", _log_softmax_rule, forward=_log_softmax,
                        tex=r"x_0 - \ln \sum_i e^{x_i}", points=(1000.0, -1000.0),
                        summary="Logarithm of the softmax of the first member")
