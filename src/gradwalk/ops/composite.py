"""Compositions: functions without rules of their own, made of rows."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from ..errors import OptionError
from ..primitive import describe
from .activation import gelu as _gelu
from .activation import gelu_tanh
from .reduction import log_softmax as _log_softmax_of_first
from .reduction import logsumexp as _logsumexp
from .reduction import softmax as _softmax_of_first

__all__ = ["gelu", "log_softmax", "logsumexp", "softmax"]


def gelu(x: Any, approximate: str = "none") -> Any:
    """x times the normal distribution function, exactly or by its tanh approximation.

        y = x Φ(x),  or  y = x/2 (1 + tanh(√(2/π) (x + 0.044715 x³)))  for approximate="tanh"

    Hendrycks and Gimpel, Gaussian Error Linear Units (2016).

    >>> gelu(0.0)
    0.0
    """
    if approximate not in ("none", "tanh"):
        raise OptionError(
            where="gelu(approximate=...)",
            expected='"none" or "tanh"',
            got=describe(approximate),
            fix='Leave it out for the exact form, or write approximate="tanh".',
        )
    return gelu_tanh(x) if approximate == "tanh" else _gelu(x)


def _members(xs: Iterable[Any], where: str) -> list[Any]:
    members = list(xs)
    if not members:
        raise OptionError(
            where=where,
            expected="at least one number",
            got="an empty list",
            fix="An empty list has no sum of exponentials; skip it.",
        )
    return members


def logsumexp(xs: Iterable[Any]) -> Any:
    """Logarithm of the sum of the exponentials of a list, without overflow.

        y = ln Σᵢ exp(xᵢ)

    >>> round(logsumexp([1000.0, 1000.0]), 6)
    1000.693147
    """
    return _logsumexp(*_members(xs, "logsumexp"))


def softmax(xs: Iterable[Any]) -> list[Any]:
    """Shares that are proportional to the exponentials of a list; they add up to 1.

        yᵢ = exp(xᵢ) / Σⱼ exp(xⱼ)

    >>> softmax([0.0, 0.0])
    [0.5, 0.5]
    """
    members = _members(xs, "softmax")
    return [_softmax_of_first(x, *members[:i], *members[i + 1 :]) for i, x in enumerate(members)]


def log_softmax(xs: Iterable[Any]) -> list[Any]:
    """Logarithms of the softmax of a list, exact even where a share is close to 1.

        yᵢ = xᵢ - ln Σⱼ exp(xⱼ)

    >>> round(log_softmax([0.0, 0.0])[0], 6)
    -0.693147
    """
    members = _members(xs, "log_softmax")
    return [
        _log_softmax_of_first(x, *members[:i], *members[i + 1 :]) for i, x in enumerate(members)
    ]
