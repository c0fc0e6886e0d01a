"""The upper incomplete gamma function where its parameter is small."""

from __future__ import annotations

from functools import cache
from math import factorial

import numpy as np

from ...core.numeric import Array
from ..gamma import polygamma

__all__ = ["upper_of_small"]


@cache
def _gamma_coefficients() -> list[float]:
    """Return those of the powers of a in log Γ(2 + a)."""
    return [float(polygamma(k - 1.0, 2.0)) / factorial(k) for k in range(1, 31)]


def upper_of_small(a: Array, x: Array) -> Array:
    """Return Q(a, x) for a < 1/2 and x < 1, where 1 - P would lose what P is below 1.

    From DLMF 8.7.1: P = xᵃ / Γ(1 + a) · (1 + a Σ (-x)ᵏ / ((a + k) k!)).
    """
    size = np.zeros(a.shape)
    for c in reversed(_gamma_coefficients()):
        size = (size + c) * a
    power = a * np.log(x) - (size - np.log1p(a))  # of xᵃ / Γ(1 + a), without rounding 1 + a
    total, term = np.zeros(a.shape), np.ones(a.shape)
    for k in range(1, 21):
        term = term * -x / k
        total = total + term / (a + k)
    upper: Array = -np.expm1(power) - np.exp(power) * a * total
    return upper
