"""THE TABLE, part 6: operations over a list of numbers.

The rule of such a row returns the contributions to all members at once. ``softmax`` and
``log_softmax`` give one member of the result, that of the *first* argument: only so can 1 - p,
which is the sum over the others, be had without cancellation.
"""

from __future__ import annotations

from typing import Any

from ..primitive import reduction
from .arithmetic import not_equal
from .exponential import exp, log, log1p


def _peak(xs: tuple[Any, ...]) -> Any:
    """The largest member; a NaN wins."""
    return next((x for x in xs if not_equal(x, x)), max(xs))


def _weights(xs: tuple[Any, ...]) -> list[Any]:
    """e^(x - max) for every member."""
    peak = _peak(xs)
    return [exp(x - peak) for x in xs]


def _sum(terms: list[Any]) -> Any:
    total = terms[0]
    for term in terms[1:]:
        total = total + term
    return total


def _logsumexp(*xs: Any) -> Any:
    return _peak(xs) + log(_sum(_weights(xs)))


def _softmax(*xs: Any) -> Any:
    weights = _weights(xs)
    return weights[0] / _sum(weights)


def _softmax_rule(t: Any, y: Any, *xs: Any) -> list[Any]:
    weights = _weights(xs)
    total = _sum(weights)
    others = _sum(weights[1:]) / total if len(weights) > 1 else 0.0
    return [t * y * others, *(-t * y * (w / total) for w in weights[1:])]


def _log_softmax(*xs: Any) -> Any:
    first, *others = xs
    return -log1p(_sum([exp(x - first) for x in others])) if others else 0.0 * first


def _log_softmax_rule(t: Any, y: Any, *xs: Any) -> list[Any]:
    weights = _weights(xs)
    total = _sum(weights)
    others = _sum(weights[1:]) / total if len(weights) > 1 else 0.0
    return [t * others, *(-t * (w / total) for w in weights[1:])]


# fmt: off
logsumexp   = reduction("logsumexp",
                        lambda t, y, *xs: [t * _softmax(x, *xs[:i], *xs[i + 1:])
                                           for i, x in enumerate(xs)],
                        forward=_logsumexp, tex=r"\ln \sum_i e^{x_i}",
                        summary="Logarithm of the sum of the exponentials")
softmax     = reduction("softmax", _softmax_rule, forward=_softmax,
                        tex=r"\frac{e^{x_0}}{\sum_i e^{x_i}}",
                        summary="Share of the first member in the sum of the exponentials")
log_softmax = reduction("log_softmax", _log_softmax_rule, forward=_log_softmax,
                        tex=r"x_0 - \ln \sum_i e^{x_i}",
                        summary="Logarithm of the softmax of the first member")
