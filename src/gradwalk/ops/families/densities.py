"""The densities of the gamma and the beta distribution, and the logarithm of the beta function.

Powers and factorials of large numbers cancel in them. From `BIG` on they are written by Stirling's
series and ln(1 + u) - u, none of which is large where the density is not small. Sources: NIST
Digital Library of Mathematical Functions 5.11.1 (Stirling); Didonato and Morris, Algorithm 708
(1992), for the form of the densities.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from math import comb, gamma, pi
from typing import Any, Final

import numpy as np

from ...core.numeric import Array, Numeric
from ...core.primitive import Primitive, pointwise
from ..exponential import exp, log, log1p
from ..gamma import digamma, lgamma, polygamma

__all__ = ["beta", "beta_density", "betaln", "derivatives_of_beta", "derivatives_of_gamma"]
__all__ += ["gamma_density", "log_beta", "quiet"]

BIG = 10.0
STIRLING = (1 / 12, -1 / 360, 1 / 1260, -1 / 1680, 1 / 1188, -691 / 360360, 1 / 156, -3617 / 122400)
_gamma = np.vectorize(lambda x: gamma(x) if 0.0 < x < 171.0 else np.nan, otypes=[np.float64])


def quiet(f: Callable[..., Any]) -> Callable[..., Any]:
    """Return ``f`` on arrays of float64 of one shape, without warnings; numbers give a float."""

    def run(*args: Any) -> Any:
        arrays = np.broadcast_arrays(*[np.asarray(a, np.float64) for a in args])
        with np.errstate(all="ignore"):
            y = f(*[np.ravel(a) for a in arrays])
        return y.reshape(arrays[0].shape) if arrays[0].ndim else float(y[0])

    return run


def stirling(x: Array) -> Array:
    """ln Γ(x) - ((x - 1/2) ln x - x + ln(2 π) / 2), for x >= BIG."""
    r = 1.0 / (x * x)
    total = np.zeros_like(x)
    for c in reversed(STIRLING):
        total = total * r + c
    return total / x


def log1p_less(u: Array) -> Array:
    """ln(1 + u) - u"""
    near = (u > -0.5) & (u < 1.0)  # |r| < 1/3, and 18 terms are enough
    v = np.where(near, u, 0.0)
    r = v / (2.0 + v)
    series = sum(r ** (2 * k) / (2 * k + 1) for k in range(18, 0, -1))
    return np.where(near, r * (2.0 * series - v), np.log1p(u) - u)


def _gamma_density(a: Array, x: Array) -> Array:
    """x^(a-1) e^-x / Γ(a)"""
    size = np.where(a < BIG, BIG, a)
    large = np.exp(size * log1p_less((x - size) / size) - stirling(size)) / np.sqrt(2 * pi / size)
    small = np.where(x > 900.0, 0.0, np.power(np.minimum(x, 900.0), a) * np.exp(-x)) / _gamma(a)
    y = np.where(a < BIG, small, large) / x
    tiny = np.power(x, a - 1.0) * np.exp(-x) / _gamma(np.minimum(a, BIG))  # its quotient underflows
    y = np.where((x < 1e-290) & (a < BIG), tiny, np.where(x == 0.0, 0.0, y))
    return np.where((a > 0.0) & (x >= 0.0), np.where(np.isinf(x), 0.0, y), np.nan)


def log_beta(a: Array, b: Array) -> Array:
    """ln Γ(a) + ln Γ(b) - ln Γ(a + b), for positive a and b."""
    a, b = np.minimum(a, b), np.maximum(a, b)
    if (b < BIG).any():  # B(a, b) = B(a, b + 1) (1 + a / b), so that nothing large cancels
        lower, raised = b < BIG, b
        grown = np.zeros_like(b)
        for _ in range(int(BIG)):
            low = raised < BIG
            grown = grown + np.where(low, np.log1p(a / raised), 0.0)
            raised = np.where(low, raised + 1.0, raised)
        higher = log_beta(a, np.where(lower, raised, BIG))
        return np.where(lower, higher + grown, log_beta(a, np.where(lower, BIG, b)))
    s, t = np.where(a < BIG, BIG, a), b
    mixed = (
        _lgamma(a)
        + ((0.5 - t) * np.log1p(a / t) - a * np.log(a + t) + a)
        + stirling(t)
        - stirling(a + t)
    )
    both = -0.5 * np.log(t / (2 * pi)) - (s - 0.5) * np.log1p(t / s) - t * np.log1p(s / t)
    both = both + stirling(s) + stirling(t) - stirling(s + t)
    return np.where(a > 0.0, np.where(a < BIG, mixed, both), np.nan)


def _lgamma(x: Array) -> Array:
    return np.asarray(lgamma(x))


def _beta_density(a: Array, b: Array, x: Array) -> Array:
    """x^(a-1) (1-x)^(b-1) / B(a, b)"""
    c, s, t, y = a + b, np.where(a < BIG, BIG, a), np.where(b < BIG, BIG, b), 1.0 - x
    u, v = x * (s + t) / s - 1.0, y * (s + t) / t - 1.0
    rest = stirling(s + t) - stirling(s) - stirling(t)
    both = np.exp(s * log1p_less(u) + t * log1p_less(v) + rest) * np.sqrt(
        s * t / (2 * pi * (s + t))
    )
    # ln y from x: y = 1 - x is rounded, and b times that error is large where b is
    log_y = np.where(x < 0.5, np.log1p(-x), np.log(y))
    few = np.exp(a * np.where(x > 0.5, np.log1p(-y), np.log(x)) + b * log_y - log_beta(a, b))
    inner = np.where((a < BIG) | (b < BIG), few, both) / (x * y)
    ends = _power(x, a - 1.0) * _power(y, b - 1.0) * np.exp(-log_beta(a, b))
    inside = (x > 1e-290) & (y > 0.0)
    known = (a > 0.0) & (b > 0.0) & (x >= 0.0) & (y >= 0.0) & (c < np.inf)
    return np.where(known, np.where(inside, inner, ends), np.nan)


def _power(x: Array, a: Array) -> Array:
    return np.where(a == 0.0, 1.0, np.power(x, a))


# fmt: off
gamma_density: Primitive = pointwise("gamma_density",
    lambda t, y, a, x: t * y * (log(x) - digamma(a)),
    lambda t, y, a, x: t * ((a - 1.0) * _over(y, x) - y),
    params="a x", domain=((0.0, np.inf), (0.0, np.inf)), forward=quiet(_gamma_density),
    tex=r"\frac{x^{a - 1} e^{-x}}{\Gamma(a)}", summary="Density of the gamma distribution")
beta_density: Primitive = pointwise("beta_density",
    lambda t, y, a, b, x: t * y * (log(x) - digamma(a) + digamma(a + b)),
    lambda t, y, a, b, x: t * y * (log1p(-x) - digamma(b) + digamma(a + b)),
    lambda t, y, a, b, x: t * ((a - 1.0) * _over(y, x) - (b - 1.0) * _over(y, 1.0 - x)),
    params="a b x", domain=((0.0, np.inf), (0.0, np.inf), (0.0, 1.0)), forward=quiet(_beta_density),
    tex=r"\frac{x^{a - 1} (1 - x)^{b - 1}}{B(a, b)}", summary="Density of the beta distribution")
betaln: Final = pointwise("betaln",
    lambda t, y, a, b: t * (digamma(a) - digamma(a + b)),
    lambda t, y, a, b: t * (digamma(b) - digamma(a + b)),
    domain=((0.0, np.inf), (0.0, np.inf)), forward=quiet(log_beta), tex=r"\ln B(a, b)",
    summary="Logarithm of the beta function", points=((0.5, 0.5), (1e-5, 1e5), (20.0, 30.0)))
beta: Final = pointwise("beta",
    lambda t, y, a, b: t * y * (digamma(a) - digamma(a + b)),
    lambda t, y, a, b: t * y * (digamma(b) - digamma(a + b)),
    domain=((0.0, np.inf), (0.0, np.inf)), forward=lambda a, b: exp(betaln(a, b)),
    tex=r"B(a, b) = \frac{\Gamma(a) \Gamma(b)}{\Gamma(a + b)}", summary="Beta function",
    points=((0.5, 0.5), (1e-5, 1e5), (20.0, 30.0)))
# fmt: on


def _over(y: Numeric, x: Numeric) -> Any:
    return y / x


# --- derivatives of densities in their parameters -------------------------------------------------


def _derivative(y: Any, slope: Callable[[int, int], Any], m: int, n: int) -> Any:
    """Return ∂ᵐ/∂aᵐ ∂ⁿ/∂bⁿ of y, from the derivatives of its logarithm, by the rule of Leibniz."""

    @cache
    def of(m: int, n: int) -> Any:
        if not m and not n:
            return y
        i, j = (m - 1, n) if m else (m, n - 1)
        terms = [
            comb(i, k) * comb(j, r) * of(i - k, j - r) * slope(k + (m > 0), r + (not m))
            for k in range(i + 1)
            for r in range(j + 1)
        ]
        return sum(terms[1:], terms[0])

    return of(m, n)


def derivatives_of_gamma(m: int, a: Any, x: Any) -> Any:
    """Return the m-th derivative of the density of the gamma distribution in a."""

    def slope(i: int, _: int) -> Any:
        return log(x) - digamma(a) if i == 1 else -polygamma(float(i - 1), a)

    return _derivative(gamma_density(a, x), slope, m, 0)


def derivatives_of_beta(m: int, n: int, a: Any, b: Any, x: Any) -> Any:
    """Return the m-th derivative in a of the n-th in b of the density of the beta distribution."""

    def slope(i: int, j: int) -> Any:
        whole = polygamma(float(i + j - 1), a + b)
        if i and j:
            return whole
        own = polygamma(float(i + j - 1), a if i else b)
        return whole - own + (0.0 if i + j > 1 else log(x) if i else log1p(-x))

    return _derivative(beta_density(a, b, x), slope, m, n)
