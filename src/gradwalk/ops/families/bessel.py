"""The modified Bessel functions of whole order, and e^-|x| times them.

Sources: NIST Digital Library of Mathematical Functions 10.25.2 (the series, whose terms are all
positive), 10.40.1 (the asymptotic series), 10.29.1 (slopes).
"""

from __future__ import annotations

from functools import cache
from math import pi
from typing import Any, Final

import numpy as np

from ...core.numeric import Array, Numeric
from ...core.primitive import Primitive, pointwise
from ..arithmetic import sign

__all__ = ["i0", "i0e", "i1", "i1e", "modified_bessel"]

FAR, TERMS, STEPS = 30.0, 75, 64
"""From here on the asymptotic series; before it so many terms of the power series, or steps."""


def _series(n: int, x: Array) -> Array:
    """Σₖ (x/2)^(2k + n) / (k! (k + n)!), from the last term on."""
    q, total = 0.25 * x * x, np.ones_like(x)
    for k in range(TERMS, 0, -1):
        total = 1.0 + total * q / (k * (k + n))
    for k in range(1, n + 1):
        total = total * (0.5 * x / k)
    return total


def _asymptotic(n: int, x: Array) -> Array:
    """√(2 π x) e^-x Iₙ(x) = Σₖ (-1)ᵏ aₖ(n) / xᵏ"""
    total = np.ones_like(x)
    for k in range(28, 0, -1):
        total = 1.0 - total * (4.0 * n * n - (2.0 * k - 1.0) ** 2) / (8.0 * k * x)
    return total


def _bessel(n: int, scaled: bool, x: Any) -> Any:
    x = np.asarray(x, np.float64)
    size = np.abs(x)
    small = size < FAR + n * n
    with np.errstate(all="ignore"):
        near = _series(n, np.where(small, size, 0.0))
        far = _asymptotic(n, np.where(small, FAR, size)) / np.sqrt(2.0 * pi * size)
        grown = np.exp(np.where(small | scaled, 0.0, 0.5 * size))  # in two halves: e^x overflows
        y = np.where(small, near * np.exp(-size) if scaled else near, far * grown * grown)
        y = np.where(x < 0.0, -y, y) if n % 2 else y
        y = np.where(np.isinf(size), 0.0 if scaled else x if n % 2 else size, y)
    return y if y.ndim else float(y)


def _slope(n: int, x: Any) -> Any:
    """Return the slope of e^-|x| Iₙ(x); a difference of two functions would cancel for large x.

    For x < FAR the trapezium rule for -∫ e^(x (cos θ - 1)) (1 - cos θ) cos(n θ) dθ / π on a whole
    period, which converges as a geometric series; beyond, the difference of two asymptotic series.
    """
    x = np.asarray(x, np.float64)
    size = np.abs(x)
    small = size < FAR + n * n
    with np.errstate(all="ignore"):
        z, near = np.where(small, size, 0.0), np.zeros_like(size)
        for k in range(STEPS):
            half = np.sin(pi * (k + 0.5) / (2 * STEPS)) ** 2  # (1 - cos θ) / 2
            wave = np.cos(pi * n * (k + 0.5) / STEPS)
            near = near - 2.0 * half * wave * np.exp(-2.0 * half * z) / STEPS
        z = np.where(small, FAR, size)
        series, a = np.zeros_like(size), 1.0
        terms = []
        for k in range(28):  # the slope of x^(-1/2 - k)
            terms.append(-(k + 0.5) * a)
            a = -a * (4.0 * n * n - (2.0 * k + 1.0) ** 2) / (8.0 * (k + 1.0))
        for term in reversed(terms):
            series = series / z + term
        far = series / z / np.sqrt(2.0 * pi * z)
        y = np.where(small, near, np.where(np.isinf(size), 0.0, far))
        y = np.where((x < 0.0) & (n % 2 == 0), -y, y)
        y = np.where((x == 0.0) & (n % 2 == 0), 0.0, y)
    return y if y.ndim else float(y)


@cache
def scaled_slope(n: int) -> Primitive:
    """Return the slope of e^-|x| Iₙ(x) as a primitive.

    >>> round(scaled_slope(0)(1.0), 6)
    -0.257849
    """

    def bend(t: Numeric, y: Numeric, x: Numeric) -> Numeric:
        below, above = scaled_slope(abs(n - 1))(x), scaled_slope(n + 1)(x)
        return t * (0.5 * (below + above) - sign(x) * y)

    return pointwise(f"i{n}e_slope", bend, forward=lambda x: _slope(n, x),
        tex=rf"(e^{{-|x|}} I_{n}(x))'", summary=f"Derivative of i{n}e")  # fmt: skip


@cache
def modified_bessel(n: int, scaled: bool = False) -> Primitive:
    """Return Iₙ, or e^-|x| Iₙ, as a primitive.

        Iₙ' = (Iₙ₋₁ + Iₙ₊₁) / 2

    >>> round(modified_bessel(0)(1.0), 6)
    1.266066
    """
    mark = "e" if scaled else ""

    def slope(t: Numeric, y: Numeric, x: Numeric) -> Numeric:
        if scaled:
            return t * scaled_slope(n)(x)
        return t * (0.5 * (modified_bessel(abs(n - 1))(x) + modified_bessel(n + 1)(x)))

    return pointwise(
        f"i{n}{mark}",
        slope,
        forward=lambda x: _bessel(n, scaled, x),
        tex=rf"e^{{-|x|}} I_{n}(x)" if scaled else f"I_{n}(x)",
        summary=f"Modified Bessel function of order {n}" + ", times e^-|x|" * scaled,
        kinks="slope 0 at 0" if scaled and not n else "",
        points=(0.0, 1e-300, 0.5, FAR, -1.0, 700.0, -700.0),
    )


i0: Final = modified_bessel(0)
i1: Final = modified_bessel(1)
i0e: Final = modified_bessel(0, True)
i1e: Final = modified_bessel(1, True)
