"""Student's t distribution: its tail, the logarithm of it, quantiles, all derivatives.

Written as beta functions, what the parts contribute to a slope in df cancels where df is large. So
the tail and its derivatives are integrals of the density and of its derivatives, with x = √df
sinh w: the density is a power of cosh w there. Sources: NIST Digital Library of Mathematical
Functions 5.11, 5.15 (gamma functions); the rest is calculus.
"""

from __future__ import annotations

from functools import cache
from math import factorial, log, pi
from typing import Any, Final

import numpy as np

from ...core.numeric import Array, Numeric
from ...core.primitive import Primitive, pointwise
from ..arithmetic import abs, equal, sign, where
from ..gamma import polygamma
from . import jets
from .densities import (
    BIG,
    STIRLING,
    derivatives_of_rate,
    digamma_gap,
    expm1_less,
    gamma_of,
    less_rest,
    log1p_less,
    quiet,
)
from .error import erfcx, log_ndtr, ndtr, ndtri
from .incomplete import betaincinv, tails
from .quadrature import end_of_tail, points

__all__ = ["log_t_sf", "t_density", "t_log_density", "t_ppf", "t_sf"]

REALS, POSITIVE, UNIT = (-np.inf, np.inf), (0.0, np.inf), (0.0, 1.0)
LOG_SQRT_2_PI = 0.5 * log(2.0 * pi)
FAR, MANY = 40.0, 200.0
"""From here on e^-2v is 0 beside 1; so many degrees of freedom are nearly a normal distribution."""


def _log_constant(df: Array) -> Array:
    """ln Γ((df + 1) / 2) - ln Γ(df / 2) - ln(df / 2) / 2"""
    large = np.maximum(0.5 * df, BIG)
    rest = large * log1p_less(0.5 / large)
    for k, c in enumerate(STIRLING):
        m = -2.0 * k - 1.0
        rest = rest + c * large**m * np.expm1(m * np.log1p(0.5 / large))
    return np.where(df < 2.0 * BIG, np.log(_few(df)), rest)


def _constant(df: Array) -> Array:
    return np.where(df < 2.0 * BIG, _few(df), np.exp(_log_constant(df)))


def _few(df: Array) -> Array:
    """Γ((df + 1) / 2) / Γ(df / 2) √(2 / df), for df < 2 BIG"""
    h = np.minimum(0.5 * df, BIG)
    found: Array = np.sqrt(h) * (gamma_of(h + 0.5) / gamma_of(h + 1.0))
    return found


def _density(x: Array, df: Array) -> Array:
    infinite, known = np.isinf(df), df > 0.0
    d = np.where(known & ~infinite, df, 1.0)
    half = np.exp(-0.25 * d * _log_secant(x, d))
    y = _constant(d) * half / np.sqrt(2.0 * pi) / np.hypot(1.0, x / np.sqrt(d)) * half
    normal = np.exp(-0.5 * x * x) / np.sqrt(2.0 * pi)
    return np.where(known, np.where(infinite, normal, y), np.nan)


def _log_secant(x: Array, df: Array) -> Array:
    """ln(1 + x² / df)"""
    w = np.abs(x) / np.sqrt(df)
    far = np.maximum(w, 1.0)
    return np.where(w < 1.0, np.log1p(w * w), 2.0 * np.log(far) + np.log1p(1.0 / far / far))


def _log_density(x: Array, df: Array) -> Array:
    infinite, known = np.isinf(df), df > 0.0
    d = np.where(known & ~infinite, df, 1.0)
    y = _log_constant(d) - LOG_SQRT_2_PI - 0.5 * (d + 1.0) * _log_secant(x, d)
    return np.where(known, np.where(infinite, -0.5 * x * x - LOG_SQRT_2_PI, y), np.nan)


def _slope(i: int, log_secant: Array, df: Array) -> Array:
    """Return the i-th derivative in df of the log-density at x, from ln(1 + x² / df)."""
    if i == 1:
        h = 0.5 * df
        large = np.maximum(h, BIG)
        rest = log1p_less(0.5 / large) + less_rest(large, np.full_like(h, 0.5))
        half = np.full_like(h, 0.5)
        gap = np.where(h < BIG, np.asarray(digamma_gap(np.minimum(h, BIG), half)) - 0.5 / h, rest)
        return 0.5 * (gap - expm1_less(-log_secant) - np.expm1(-log_secant) / df)
    m, up = i - 1, df * np.exp(log_secant)  # df + x²
    gap = np.asarray(polygamma(float(m), 0.5 * df + 0.5)) - np.asarray(
        polygamma(float(m), 0.5 * df)
    )
    less = factorial(m - 1) * (-np.expm1(-m * log_secant)) / df**m
    ratio = (-np.expm1(-log_secant) - 1.0 / up) / up**m  # (x² - 1) / (df + x²)^(m + 1)
    bend: Array = 0.5 * (gap / 2.0**m - (-1.0) ** m * less + (-1.0) ** m * factorial(m) * ratio)
    return bend


def _moments(n: int, log_secant: Array, g: Array, df: Array) -> list[Array]:
    """Return cosh^-df times the derivatives in df of the density over it, where g is ln cosh."""
    slopes = [_slope(i, log_secant, df) for i in range(1, n + 1)]
    height = np.exp(-df * g)
    return [
        height * derivatives_of_rate(1.0, lambda i, _: slopes[i - 1], k, 0) / factorial(k)
        for k in range(n + 1)
    ]


def _tail(n: int, x: Array, df: Array) -> tuple[Array, Array]:
    """Return ln of the front of the tail above x >= 0, and the jet of its factor in df."""
    log_secant, tau = _log_secant(x, df), _tanh(x, df)

    def grown(v: Array) -> Array:
        """ln(cosh v + τ sinh v)"""
        near = np.minimum(v, FAR)
        half = np.sinh(0.5 * near)
        far = v + np.log(0.5 * (1.0 + tau))
        return np.where(v < FAR, np.log1p(2.0 * half * half + tau * np.sinh(near)), far)

    scale = np.minimum(1.0 / (df * tau), 1.0 / np.sqrt(df))
    end = end_of_tail(lambda v: df * grown(v), scale)
    near = np.minimum(end, FAR)
    ends = [0.0 * near, *[near * 0.5**k for k in range(6, -1, -1)], near + 0.25 * (end - near), end]
    if (df >= MANY).all():
        ends = [0.0 * near, 0.5 * end, end]
    jet = jets.constant(np.zeros_like(x), (n, 0))
    for v, width in points(ends):
        g = grown(v)
        for k, moment in enumerate(_moments(n, log_secant + 2.0 * g, g, df)):
            jet[k, 0] += width * moment
    return _log_constant(df) + 0.5 * np.log(df / (2.0 * pi)) - 0.5 * df * log_secant, jet


def _middle(n: int, x: Array, df: Array) -> Array:
    """Return the jet of the probability between 0 and x >= 0 in df, where it is less than 1/4."""
    end = np.arcsinh(x / np.sqrt(df))
    jet = jets.constant(np.zeros_like(x), (n, 0))
    for w, width in points([0.0 * end, *[end * 0.5**k for k in range(6, -1, -1)]]):
        half = np.sinh(0.5 * w)
        g = np.log1p(2.0 * half * half)
        for k, moment in enumerate(_moments(n, 2.0 * g, g, df)):
            jet[k, 0] += width * moment
    found: Array = jet * (_constant(df) * np.sqrt(df / (2.0 * pi)))
    return found


def _tanh(x: Array, df: Array) -> Array:
    """x / √(df + x²)"""
    w = x / np.sqrt(df)
    far = np.maximum(w, 1.0)
    return np.where(w < 1.0, w / np.sqrt(1.0 + w * w), 1.0 / np.sqrt(1.0 + 1.0 / far / far))


def _is_central(x: Array, df: Array) -> Array:
    return df * _log_secant(x, df) < 0.5


def _student(n: int, x: Array, df: Array, log: bool) -> Array:
    """Return the n-th derivative in df of the probability above x, or of its logarithm."""
    known = (df > 0.0) & (x == x)
    inside = known & np.isfinite(x) & (df < np.inf)
    d, z = np.where(inside, df, 1.0), np.where(inside, x, 1.0)
    y, central = np.zeros_like(d), _is_central(z, d)
    for middle in (True, False):
        part = central == middle
        if part.any():
            y[part] = (_near_0 if middle else _far)(n, z[part], d[part], log)
    ends: Any = np.where(x > 0.0, -np.inf if log else 0.0, 0.0 if log else 1.0) if not n else 0.0
    normal = known & np.isinf(df) & np.isfinite(x)
    if normal.any() and not n:
        ends = np.where(normal, np.asarray((log_ndtr if log else ndtr)(-x)), ends)
    return np.where(inside, y, np.where(known, ends, np.nan))


def _far(n: int, x: Array, df: Array, log: bool) -> Array:
    front, factor = _tail(n, np.abs(x), df)
    own, log_own = factor * np.exp(front), jets.logarithm(factor)
    log_own[0, 0] += front
    return jets.derivative(tails(own, log_own, x < 0.0, True, log))


def _near_0(n: int, x: Array, df: Array, log: bool) -> Array:
    """1/2 less what lies between 0 and x, whose slope in df vanishes with x."""
    jet = np.where(x < 0.0, 1.0, -1.0) * _middle(n, np.abs(x), df)
    jet[0, 0] += 0.5
    return jets.derivative(jets.logarithm(jet) if log else jet)


def _rate(x: Array, df: Array) -> Array:
    """Return the density over the probability above x."""
    known = (df > 0.0) & (df < np.inf)
    inside = known & np.isfinite(x)
    d, z = np.where(inside, df, 1.0), np.where(inside, x, 1.0)
    _, factor = _tail(0, np.abs(z), d)
    y = np.exp(-0.5 * _log_secant(z, d)) / np.sqrt(d) / factor[0, 0]
    other = _density(z, d) / _student(0, z, d, False)
    ends = np.where(known & np.isinf(x), 0.0, np.nan)
    y = np.where((z < 0.0) | _is_central(z, d), other, y)
    ends = np.where(np.isinf(df), np.sqrt(2.0 / pi) / np.asarray(erfcx(x * np.sqrt(0.5))), ends)
    return np.where(inside, y, ends)


def _quantile(q: Array, df: Array) -> Array:
    known = (q > 0.0) & (q < 1.0) & (df > 0.0) & (df < np.inf)
    d, p = np.where(known, df, 1.0), np.where(known, np.minimum(q, 1.0 - q), 0.25)
    x, middle = np.zeros_like(d), p > 0.25
    if middle.any():  # x² / (df + x²) from what lies between -x and x
        r, half = d[middle], np.full_like(d[middle], 0.5)
        part = np.asarray(betaincinv(half, 0.5 * r, 1.0 - 2.0 * p[middle]))
        x[middle] = np.sqrt(r * (part / (1.0 - part)))
        middle[middle] = part < 0.5  # else 1 - part has lost digits
    if not middle.all():
        x[~middle] = _far_quantile(p[~middle], d[~middle])
    x = np.where(q < 0.5, -x, x)
    ends = np.where(q == 0.0, -np.inf, np.where(q == 1.0, np.inf, np.nan))
    ends = np.where(np.isinf(df), np.asarray(ndtri(q)), np.where(df > 0.0, ends, np.nan))
    return np.where(known, x, ends)


def _far_quantile(p: Array, df: Array) -> Array:
    """Return the x with P(X > x) = p, by Newton's steps on its logarithm as a function of w.

    That is concave, so they converge from everywhere; the slope is -1 / factor.
    """
    z = -np.asarray(ndtri(p))
    normal = np.arcsinh((z + z * (z * z + 1.0) / (4.0 * df)) / np.sqrt(df))
    power = (_log_constant(df) - 0.5 * np.log(2.0 * pi * df) - np.log(p)) / df + np.log(2.0)
    w = np.where(df < MANY, np.maximum(power, 0.0), normal)
    left = np.arange(len(w))
    for _ in range(100):
        d, now = df[left], w[left]
        front, factor = _tail(0, np.sqrt(d) * np.sinh(now), d)
        step = (front + np.log(factor[0, 0]) - np.log(p[left])) * factor[0, 0]
        w[left] = np.maximum(now + step, 0.0)
        left = left[np.abs(step) > 1e-9 * now]  # the next step would be its square
        if not left.size:
            break
    found: Array = np.sqrt(df) * np.sinh(w)
    return found


@cache
def t_slope(n: int) -> Primitive:
    """Return the n-th derivative in df of the log-density, as a primitive.

    >>> round(t_slope(1)(0.0, 1.0), 6)
    0.193147
    """

    def forward(x: Array, df: Array) -> Array:
        inside = (df > 0.0) & (df < np.inf)
        d = np.where(inside, df, 1.0)
        y = _slope(n, _log_secant(x, d), d)
        return np.where(inside, y, np.where(df == np.inf, 0.0, np.nan))

    def slope(t: Numeric, y: Numeric, x: Numeric, df: Numeric) -> Any:
        up: Any = df + x * x
        return (
            t * (-1.0) ** (n + 1) * factorial(n) * (x / up) * ((1.0 - x * x) / up) / up ** (n - 1.0)
        )

    return pointwise(f"t_slope_{n}", slope, lambda t, y, x, df: t * t_slope(n + 1)(x, df),
        params="x df", domain=(REALS, POSITIVE), forward=quiet(forward),
        tex=rf"\partial_n^{n} \ln p(x)",
        summary="Derivative of the logarithm of the t density with respect to df")  # fmt: skip


@cache
def t_sf_of_order(n: int) -> Primitive:
    """Return the n-th derivative in df of the probability above x, as a primitive.

    >>> t_sf_of_order(0)(0.0, 3.0)
    0.5
    """

    def slope(t: Numeric, y: Numeric, x: Numeric, df: Numeric) -> Any:
        density = t_density(x, df)
        return -t * derivatives_of_rate(density, lambda i, _: t_slope(i)(x, df), n, 0)

    return pointwise("t_sf" + f"_{n}" * bool(n), slope,
        lambda t, y, x, df: t * t_sf_of_order(n + 1)(x, df), params="x df",
        domain=(REALS, POSITIVE), forward=quiet(lambda x, df: _student(n, x, df, False)),
        tex=r"P(X > x)", summary="Survival function of Student's t")  # fmt: skip


@cache
def log_t_sf_of_order(n: int) -> Primitive:
    """Return the n-th derivative in df of ln of the probability above x, as a primitive.

    >>> round(log_t_sf_of_order(0)(0.0, 3.0), 6)
    -0.693147
    """

    def slope(t: Numeric, y: Numeric, x: Numeric, df: Numeric) -> Any:
        def of(i: int, _: int) -> Any:
            return t_slope(i)(x, df) - log_t_sf_of_order(i)(x, df)

        return -t * derivatives_of_rate(t_rate(x, df), of, n, 0)

    return pointwise("log_t_sf" + f"_{n}" * bool(n), slope,
        lambda t, y, x, df: t * log_t_sf_of_order(n + 1)(x, df), params="x df",
        domain=(REALS, POSITIVE), forward=quiet(lambda x, df: _student(n, x, df, True)),
        tex=r"\ln P(X > x)", summary="Logarithm of t_sf")  # fmt: skip


# fmt: off
def _density_slope(x: Numeric, df: Numeric) -> Numeric:
    """-(df + 1) x / (df + x²)"""
    size = abs(x)
    far = size > 1e100
    z = where(far, 1.0, x)
    near = -(df + 1.0) * z / (df + z * z)
    infinite = equal(df, np.inf)
    return where(infinite, -x, where(far, -(df + 1.0) / x, near))


t_density: Final = pointwise("t_density",
    lambda t, y, x, df: t * y * _density_slope(x, df),
    lambda t, y, x, df: t * y * t_slope(1)(x, df),
    params="x df", domain=(REALS, POSITIVE), forward=quiet(_density), tex=r"p(x)",
    summary="Density of Student's t")
t_log_density: Primitive = pointwise("t_log_density",
    lambda t, y, x, df: t * _density_slope(x, df), lambda t, y, x, df: t * t_slope(1)(x, df),
    params="x df", domain=(REALS, POSITIVE), forward=quiet(_log_density), tex=r"\ln p(x)",
    summary="Logarithm of the density of Student's t")
t_rate: Primitive = pointwise("t_rate",
    lambda t, y, x, df: t * y * (_density_slope(x, df) + y),
    lambda t, y, x, df: t * y * (t_slope(1)(x, df) - log_t_sf_of_order(1)(x, df)),
    params="x df", domain=(REALS, POSITIVE), forward=quiet(_rate), tex=r"p(x) / P(X > x)",
    summary="Density of Student's t over the survival function")
t_sf: Final = t_sf_of_order(0)
log_t_sf: Final = log_t_sf_of_order(0)
t_ppf: Final = pointwise("t_ppf", lambda t, y, q, df: t / t_density(y, df),
    lambda t, y, q, df: t * sign(y) * (log_t_sf_of_order(1)(abs(y), df) / t_rate(abs(y), df)),
    params="q df", domain=(UNIT, POSITIVE), forward=quiet(_quantile), tex=r"x : P(X \le x) = q",
    summary="Quantile of Student's t")
# fmt: on
