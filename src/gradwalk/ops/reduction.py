"""THE TABLE, part 8: operations over a list of numbers.

The rule of such a row returns the contributions to all members at once. ``softmax`` and
``log_softmax`` give one member of the result, that of the *first* argument: only so can 1 - p,
which is the sum over the others, be had without cancellation.

Every exponential is of x - max with the rounding of that difference put back, and the sums carry
their rounding errors along (Neumaier 1974), so that a long list is as exact as a short one.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import inf
from typing import Any

from ..primitive import reduction
from .arithmetic import not_equal
from .exponential import exp, log1p
from .precision import difference_error, gap, sum_error


def _peak(xs: Sequence[Any]) -> int:
    """Where the largest member is; a NaN wins."""
    peak = 0
    for index, x in enumerate(xs):
        if x > xs[peak] or not_equal(x, x):
            peak = index
    return peak


def _weight(x: Any, peak: Any) -> Any:
    """e^(x - peak)"""
    d = gap(x, peak)
    e = exp(d)
    return e + e * difference_error(d, x, peak) if -1000.0 < d < 0.0 else e


def _weights(xs: Sequence[Any]) -> list[Any]:
    peak = xs[_peak(xs)]
    return [_weight(x, peak) for x in xs]


def _sum(terms: Sequence[Any]) -> Any:
    total, error = 0.0, 0.0
    for term in terms:
        s = total + term
        error = error + sum_error(s, total, term)
        total = s
    return total + error


def _beside_peak(xs: Sequence[Any]) -> tuple[Any, Any]:
    """The largest member, and ln of the sum of all e^(x - largest), exact if that is near 0."""
    peak = _peak(xs)
    rest = [_weight(x, xs[peak]) for index, x in enumerate(xs) if index != peak]
    return xs[peak], log1p(_sum(rest))


def _logsumexp(*xs: Any) -> Any:
    peak, rest = _beside_peak(xs)
    return peak + rest


def _logsumexp_rule(t: Any, y: Any, *xs: Any) -> list[Any]:
    weights = _weights(xs)
    total = _sum(weights)
    return [t * (w / total) for w in weights]


def _softmax(*xs: Any) -> Any:
    weights = _weights(xs)
    return weights[0] / _sum(weights)


def _softmax_rule(t: Any, y: Any, *xs: Any) -> list[Any]:
    first, *others = _weights(xs)
    total = _sum([first, *others])
    return [t * y * (_sum(others) / total), *(-t * y * (w / total) for w in others)]


def _log_softmax(*xs: Any) -> Any:
    peak, rest = _beside_peak(xs)
    d = gap(peak, xs[0])
    return -(d + (rest + difference_error(d, peak, xs[0]) if d < inf else rest))


def _log_softmax_rule(t: Any, y: Any, *xs: Any) -> list[Any]:
    first, *others = _weights(xs)
    total = _sum([first, *others])
    return [t * (_sum(others) / total), *(-t * (w / total) for w in others)]


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
