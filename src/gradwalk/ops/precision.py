"""Exact arithmetic in small pieces: rounding errors that a steep function would magnify.

The rounding error of a sum or a product of two floats is itself a float. Where a function is steep
(``exp`` at -700 turns one rounding of its argument into 350 of its result), plain + - * compute
that error, and it is added back. Its derivative is 0, so the rules can be differentiated any number
of times.

Sources: Knuth, The Art of Computer Programming 2, 4.2.2 (sum); Dekker, A floating-point technique
for extending the available precision (1971; product, `head`).
"""

from __future__ import annotations

from collections.abc import Sequence
from math import inf

from ..core.numeric import Numeric
from .arithmetic import abs, equal, where

__all__ = ["difference_error", "gap", "head", "horner", "product_error"]
__all__ += ["square_error", "sum_error"]

SPLITTER = 134217729.0  # 2**27 + 1


def head(x: Numeric) -> Numeric:
    """Return the upper 26 bits of ``x``; products of two heads are exact. For \\|x\\| < 1e300."""
    c = SPLITTER * x
    return c - (c - x)


def sum_error(s: Numeric, a: Numeric | float, b: Numeric | float) -> Numeric:
    """Return a + b - s, where ``s`` is the rounded a + b."""
    bb = s - a
    return (a - (s - bb)) + (b - bb)


def difference_error(d: Numeric, a: Numeric, b: Numeric) -> Numeric:
    """Return a - b - d, where ``d`` is the rounded a - b."""
    return sum_error(d, a, -b)


def gap(a: Numeric, b: Numeric) -> Numeric:
    """Return a - b, or 0 for two equal infinities."""
    return where(equal(a, b) & equal(abs(a), inf), 0.0, a - b)


def square_error(s: Numeric, x: Numeric) -> Numeric:
    """Return x² - s, where ``s`` is the rounded x²."""
    h = head(x)
    return (h * h - s) + (x - h) * (x + h)


def product_error(p: Numeric, a: Numeric, b: Numeric) -> Numeric:
    """Return a b - p, where ``p`` is the rounded a b."""
    h, k = head(a), head(b)
    return ((h * k - p) + h * (b - k) + (a - h) * k) + (a - h) * (b - k)


def horner(coefficients: Sequence[float], x: Numeric) -> Numeric | float:
    """c₀ + c₁ x + c₂ x² + …"""
    total: Numeric | float = coefficients[-1]
    for coefficient in coefficients[-2::-1]:
        total = total * x + coefficient
    return total
