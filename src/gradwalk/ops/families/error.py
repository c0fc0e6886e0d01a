"""Families of the error function: erfcx, its derivatives, and the inverses.

Sources: NIST Digital Library of Mathematical Functions 7.18 (repeated integrals of erfc; 7.18.7 is
the recurrence), Gautschi, Recursive computation of the repeated integrals of the error function
(1961), for the continued fraction of their ratios; Wichura, Algorithm AS 241 (1988), for the idea
to start an inverse from two variables, p - 1/2 and the root of -ln p.
"""

from __future__ import annotations

from functools import cache
from math import inf, nan, pi, sqrt
from typing import Final

from ...core.numeric import Numeric
from ...core.primitive import Primitive, pointwise
from ..arithmetic import abs, equal, where
from ..exponential import exp, log, log1p
from ..exponential import sqrt as root
from ..precision import head, square_error
from ..special import erf, erfc

__all__ = ["erfcinv", "erfcx", "erfcx_of_order", "erfinv", "log_ndtr", "ndtr", "ndtri"]

SQRT_HALF, SQRT_2, TWO_OVER_SQRT_PI = sqrt(0.5), sqrt(2.0), 2.0 / sqrt(pi)
HALF_SQRT_PI, SQRT_2_OVER_PI, INV_SQRT_2_PI = sqrt(pi) / 2.0, sqrt(2.0 / pi), 1.0 / sqrt(2.0 * pi)
SQRT_HALF_HEAD, SQRT_HALF_TAIL = 0.7071067839860916, -2.799544089368687e-09  # 26 bits, the rest
FAR = 3.0
"""From here on a continued fraction of few terms, before it the definition."""


# --- e^(x²) times the repeated integrals of erfc --------------------------------------------------


def _squared(x: Numeric) -> Numeric:
    """e^(x²), with the rounding of x² put back; infinite from 26.7 on."""
    x = where(abs(x) > 27.0, 27.0, x)
    s = x * x
    e = exp(s)
    return where(e < inf, e + e * square_error(s, x), e)


def _ratio(x: Numeric, order: int, terms: int) -> Numeric:
    """Return the integral of this order over the one before, for positive x."""
    r: Numeric = 1.0 / (x + root(x * x + 2.0 * (order + terms)))
    for n in range(order + terms, order - 1, -1):
        r = 0.5 / (x + (n + 1.0) * r)
    return r


def _erfcx(x: Numeric) -> Numeric:
    near = x < FAR
    a = where(near, x, 0.0)
    far = TWO_OVER_SQRT_PI * _ratio(where(near, FAR, x), 0, 40)
    return where(near, _squared(a) * erfc(a), where(equal(x, inf), 0.0, far))


def _integral(order: int, x: Numeric) -> Numeric:
    """Return e^(x²) times the integral, by the recurrence, for x > 1 by the ratios, which are
    stable.
    """
    near = x < 1.0
    a = where(near, x, 0.0)
    before, this = where(near, TWO_OVER_SQRT_PI, 0.0), _erfcx(a)
    b = where(near, 1.0, x)
    far = _erfcx(b)
    for n in range(1, order + 1):
        before, this = this, (0.5 * before - a * this) / n
        far = far * _ratio(b, n, 160)
    return where(near, this, where(equal(x, inf), 0.0, far))


@cache
def erfcx_of_order(n: int) -> Primitive:
    """Return the primitive e^(x²) times the n-th integral of erfc: each is the slope of another.

        y' = -2 (n + 1) yₙ₊₁

    >>> round(erfcx_of_order(1)(0.0), 6)
    0.56419
    """
    return pointwise(
        f"erfcx_{n}" if n else "erfcx",
        lambda t, y, x: t * (-2.0 * (n + 1)) * erfcx_of_order(n + 1)(x),
        forward=(lambda x: _integral(n, x)) if n else _erfcx,
        tex=rf"e^{{x^2}} {f'i^{n} ' if n else ''}\operatorname{{erfc}} x",
        summary="e^(x²) erfc(x), the scaled complementary error function",
        points=(0.0, 1e-300, FAR, 30.0, 1e300, -26.0),
    )  # fmt: skip


# --- the normal distribution ----------------------------------------------------------------------


def _normal(x: Numeric) -> Numeric:
    """e^(-x²/2) / √(2 π), with the rounding of x² put back."""
    x = where(abs(x) > 39.0, 39.0, x)
    s = x * x
    e = exp(-0.5 * s)
    return (e - e * (0.5 * square_error(s, x))) * INV_SQRT_2_PI


def _ndtr(x: Numeric) -> Numeric:
    x = where(abs(x) > 39.0, where(x < 0.0, -39.0, 39.0), x)
    a = -x * SQRT_HALF
    h, k = head(x), head(a)
    # x / √2 + a, which a steep erfc would magnify
    lost = (h * SQRT_HALF_HEAD + k) + (a - k) + h * SQRT_HALF_TAIL + (x - h) * SQRT_HALF
    return 0.5 * erfc(a) + lost * _normal(x) * SQRT_2


def _log_ndtr(x: Numeric) -> Numeric:
    left = x < -1.0
    a = where(left, x, -1.0)
    low = log(0.5 * _erfcx(-a * SQRT_HALF)) - 0.5 * a * a
    return where(left, low, log1p(-_ndtr(where(left, 0.0, -x))))


def _mills(x: Numeric) -> Numeric:
    """Return the slope of ln Φ: the density over the distribution function."""
    right = x > 0.0
    far = _normal(where(right, x, 0.0)) / ndtr(where(right, x, 0.0))
    return where(right, far, SQRT_2_OVER_PI / erfcx(where(right, 0.0, -x) * SQRT_HALF))


# --- inverses -------------------------------------------------------------------------------------


def _start(q: Numeric) -> Numeric:
    """Return a rough y with erfc(y) = q, for 0 < q <= 1/2, from its logarithm."""
    r = root(-log(where(q > 0.0, q, 0.5)))
    far = r - (0.5 * log(3.0 * r) + 0.03) / r
    return where(r < 1.2, 1.12 * r - 0.46, far)


def _tail(q: Numeric) -> Numeric:
    """Return the y with erfc(y) = q, for 0 < q <= 1/2: Halley's steps on erfcx(y) e^(-y²) = q."""
    y, lq = _start(q), log(q)
    for _ in range(4):
        scaled = _erfcx(y)
        # ln erfc(y) - ln q, whose slope is -2 / (√π erfcx(y))
        f, slope = log(scaled) - y * y - square_error(y * y, y) - lq, -TWO_OVER_SQRT_PI / scaled
        bend = slope * (-2.0 * y) - slope * slope
        step = f / slope
        y = y - step / (1.0 - 0.5 * step * bend / slope)
    return y


def _center(x: Numeric) -> Numeric:
    """Return the y with erf(y) = x, for \\|x\\| < 0.6: Newton's and Halley's steps."""
    y = HALF_SQRT_PI * x * (1.0 + x * x * (pi / 12.0 + 0.13 * x * x))
    for _ in range(3):
        step = (erf(y) - x) * HALF_SQRT_PI * exp(y * y)
        y = y - step / (1.0 + y * step)
    return y


def _inverse(x: Numeric, q: Numeric) -> Numeric:
    """Return the y with erf(y) = x, where q = 1 - \\|x\\| is given exactly."""
    size = abs(x)
    near = size < 0.6
    tail = _tail(where(near, 0.25, where(q > 0.0, q, 0.25)))
    found = where(near, _center(where(near, x, 0.0)), where(x < 0.0, -tail, tail))
    found = where(equal(q, 0.0), where(x < 0.0, -inf, inf), found)
    return where(q < 0.0, nan, where(equal(x, x), found, nan))


def _rest(x: Numeric) -> Numeric:
    """1 - |x|"""
    return -(abs(x) - 1.0)


def _smaller(x: Numeric, whole: float) -> Numeric:
    """Return x or whole - x, whichever is less: both are exact."""
    return where(x > 0.5 * whole, whole - x, x)


def _steepness(y: Numeric, q: Numeric) -> Numeric:
    """e^(y²), from q = erfc(y), which an error of y changes less."""
    size = abs(y)
    near = size < 0.6
    square = where(near, size * size, 0.0)
    return where(near, exp(square), erfcx(where(near, 1.0, size)) / where(near, 1.0, q))


# fmt: off
erfcx: Final = erfcx_of_order(0)
_erfinv_slope: Primitive = pointwise("erfinv_slope",
    lambda s, z, t, x: _erfinv_slope(s, x),
    lambda s, z, t, x: s * 2.0 * erfinv(x) * z * _erfinv_slope(1.0, x),
    params="t x", domain=((-inf, inf), (-1.0, 1.0)), tex=r"t \tfrac{\sqrt \pi}{2} e^{y^2}",
    forward=lambda t, x: t * HALF_SQRT_PI * _steepness(_inverse(x, _rest(x)), _rest(x)),
    summary="Derivative of erfinv at x, times t")
erfinv: Primitive = pointwise("erfinv", lambda t, y, x: _erfinv_slope(t, x),
    domain=(-1.0, 1.0), forward=lambda x: _inverse(x, _rest(x)), tex=r"\operatorname{erf}^{-1} x",
    summary="The y with erf(y) = x", points=(0.0, 1e-300, -0.6, 0.999999, 1.0, -1.0))
_erfcinv_slope: Primitive = pointwise("erfcinv_slope",
    lambda s, z, t, x: _erfcinv_slope(s, x),
    lambda s, z, t, x: s * 2.0 * erfcinv(x) * z * _erfcinv_slope(1.0, x),
    params="t x", domain=((-inf, inf), (0.0, 2.0)), tex=r"-t \tfrac{\sqrt \pi}{2} e^{y^2}",
    forward=lambda t, x: -t * HALF_SQRT_PI * _steepness(_inverse(1.0 - x, _smaller(x, 2.0)),
                                                        _smaller(x, 2.0)),
    summary="Derivative of erfcinv at x, times t")
erfcinv: Primitive = pointwise("erfcinv", lambda t, y, x: _erfcinv_slope(t, x), domain=(0.0, 2.0),
    forward=lambda x: _inverse(1.0 - x, _smaller(x, 2.0)), tex=r"\operatorname{erfc}^{-1} x",
    summary="The y with erfc(y) = x", points=(1.0, 1e-300, 0.4, 1.999999, 0.0, 2.0))
_ndtri_slope: Primitive = pointwise("ndtri_slope",
    lambda s, z, t, p: _ndtri_slope(s, p),
    lambda s, z, t, p: s * ndtri(p) * z * _ndtri_slope(1.0, p),
    params="t x", domain=((-inf, inf), (0.0, 1.0)), tex=r"t \sqrt{2 \pi} e^{y^2 / 2}",
    forward=lambda t, p: t * (SQRT_2 * 2.0 * HALF_SQRT_PI) * _steepness(
        _inverse(2.0 * p - 1.0, 2.0 * _smaller(p, 1.0)), 2.0 * _smaller(p, 1.0)),
    summary="Derivative of ndtri at p, times t")
ndtri: Primitive = pointwise("ndtri", lambda t, y, x: _ndtri_slope(t, x), domain=(0.0, 1.0),
    forward=lambda p: SQRT_2 * _inverse(2.0 * p - 1.0, 2.0 * _smaller(p, 1.0)),
    tex=r"\Phi^{-1}(x)", summary="Inverse of the normal distribution function",
    points=(0.5, 1e-300, 0.2, 0.999999, 0.0, 1.0))
ndtr: Final = pointwise("ndtr", lambda t, y, x: t * _normal(x),
    forward=_ndtr, tex=r"\Phi(x)",
    summary="Normal distribution function", points=(0.0, 5.0, -37.0, 40.0))
log_ndtr: Final = pointwise("log_ndtr", lambda t, y, x: t * _mills(x), forward=_log_ndtr,
    tex=r"\ln \Phi(x)", summary="Logarithm of the normal distribution function",
    points=(0.0, 5.0, -37.0, -1e100, 40.0))
# fmt: on
