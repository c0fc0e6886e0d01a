"""THE TABLE of power series: sums, products, quotients and choices, as of polynomials.

    x(h) = x₀ + x₁ h + x₂ h² + …

For every other primitive the coefficients follow from its rules: see `gradwalk.levels.taylor`.
Source: Griewank and Walther, Evaluating Derivatives (2008), 13.2.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol

from ..core.carrier import Carrier
from .arithmetic import add, div, mul, neg, sub, where

__all__ = ["POLYNOMIAL", "Coefficients", "Following", "plus"]

Following = Callable[[int], Any]
"""A function from k >= 1 to the coefficient of h^k; ``None`` stands for no contribution."""


class Coefficients(Protocol):
    """The coefficients of a series, by their index."""

    def __getitem__(self, k: int, /) -> Any: ...


def convolve(a: Coefficients, b: Coefficients, k: int, first: int = 0) -> Any:
    """Return Σ aᵢ bₖ₋ᵢ for i from 0 to k - first."""
    total = None
    for i in range(k + 1 - first):
        u, v = a[i], b[k - i]
        if u is not None and v is not None:
            total = u * v if total is None else total + u * v
    return total


def plus(a: Any, b: Any) -> Any:
    """Return a + b, either of which may be ``None``."""
    return b if a is None else a if b is None else a + b


def negative(a: Any) -> Any:
    """Return -a, or ``None``."""
    return None if a is None else -a


def _quotient(y: Coefficients, a: Coefficients, b: Coefficients) -> Following:
    """Return the coefficients of a / b, from y b = a: yₖ b₀ = aₖ - Σ yᵢ bₖ₋ᵢ, where i < k."""

    def following(k: int) -> Any:
        rest = plus(a[k], negative(convolve(y, b, k, first=1)))
        return None if rest is None else div(rest, b[0])

    return following


def _choice(y: Coefficients, c: Coefficients, a: Coefficients, b: Coefficients) -> Following:
    """Return the coefficients of one branch; of both, where a program chooses in each run."""
    condition = c[0]
    if not isinstance(condition, Carrier) or condition._is_number:
        return (a if condition else b).__getitem__

    def following(k: int) -> Any:
        u, v = a[k], b[k]
        if u is None and v is None:
            return None
        return where(condition, 0.0 if u is None else u, 0.0 if v is None else v)

    return following


POLYNOMIAL: dict[Any, Callable[..., Following]] = {
    neg: lambda y, a: lambda k: negative(a[k]),
    add: lambda y, a, b: lambda k: plus(a[k], b[k]),
    sub: lambda y, a, b: lambda k: plus(a[k], negative(b[k])),
    mul: lambda y, a, b: lambda k: convolve(a, b, k),
    div: _quotient,
    where: _choice,  # arrays need both branches, see `array_series`
}
"""For each primitive: the coefficients of its result ``y`` after the first."""
