"""The rests of the incomplete gamma and beta functions, where a parameter is small."""

from __future__ import annotations

from functools import cache
from math import factorial

import numpy as np

from ...core.numeric import Array
from ..gamma import polygamma
from .densities import log_gamma_ratio

__all__ = ["log_small_front", "rest_of_small", "small_front", "upper_of_small"]


@cache
def _gamma_coefficients() -> list[float]:
    """Return those of the powers of a in log Γ(2 + a)."""
    return [float(polygamma(k - 1.0, 2.0)) / factorial(k) for k in range(1, 31)]


def _log_gamma_of_1(a: Array) -> Array:
    """ln Γ(1 + a), relative to a, without rounding 1 + a."""
    size = np.zeros(a.shape)
    for c in reversed(_gamma_coefficients()):
        size = (size + c) * a
    return size - np.log1p(a)


def upper_of_small(a: Array, x: Array) -> Array:
    """Return Q(a, x) for a < 1/2 and x < 1, where 1 - P would lose what P is below 1.

    From DLMF 8.7.1: P = xᵃ / Γ(1 + a) · (1 + a Σ (-x)ᵏ / ((a + k) k!)).
    """
    power = a * np.log(x) - _log_gamma_of_1(a)
    total, term = np.zeros(a.shape), np.ones(a.shape)
    for k in range(1, 21):
        term = term * -x / k
        total = total + term / (a + k)
    upper: Array = -np.expm1(power) - np.exp(power) * a * total
    return upper


def log_small_front(a: Array, b: Array, x: Array) -> Array:
    """ln(xᵃ / (a B(a, b)))"""
    front: Array = a * np.log(x) - _log_gamma_of_1(a) + log_gamma_ratio(a, b)
    return front


def small_front(a: Array, b: Array, x: Array) -> Array:
    """xᵃ / (a B(a, b)), where b may be tiny too."""
    raised = log_gamma_ratio(a, b + 1.0) - _log_gamma_of_1(a)
    front: Array = np.power(x, a) * np.exp(raised) * (b / (a + b))
    return front


def rest_of_small(a: Array, b: Array, x: Array) -> Array:
    """Return 1 - I(a, b, x) for a < 1/2, x <= 1/2 and b x <= 1, where I may be close to 1.

    From DLMF 8.17.7: I = xᵃ / (a B(a, b)) · (1 + a Σ (1 - b)ₖ xᵏ / ((a + k) k!)).
    """
    power = log_small_front(a, b, x)
    total, term = np.zeros(a.shape), np.ones(a.shape)
    for k in range(1, 100):
        term = term * (x * (k - b) / k)
        total = total + term / (a + k)
    rest: Array = -np.expm1(power) - np.exp(power) * a * total
    return rest
