"""THE TABLE, part 5: error functions and sinc."""

from __future__ import annotations

from math import pi
from typing import Final

from ..core.numeric import Numeric
from ..core.primitive import pointwise
from .arithmetic import abs, equal, floor, round, where
from .exponential import exp
from .precision import head, horner, square_error, sum_error
from .slope import slope
from .trigonometric import cos, sin
from .zeros import SINC_SLOPE_ZEROS

TWO_OVER_SQRT_PI, MINUS_FOUR_OVER_SQRT_PI = 1.1283791670955126, -2.256758334191025
PI_HEAD, PI_TAIL = 3.1415926218032837, 3.178650954705639e-08  # pi, of which 26 bits are the head

# sinc'(x) = x · polynomial in x², Chebyshev interpolation on [0, 1/4], error below 2**-57.
SINC_SLOPE = (
    -3.289868133696453, 3.2469697011334144, -1.1445109447324986, 0.2091827825409616,
    -0.023460810348859946, 0.001781145450463536, -9.766178324264132e-05, 4.0481712559195145e-06,
    -1.2767677625971266e-07,
)  # fmt: skip


# --- error functions ------------------------------------------------------------------------
def _gaussian(x: Numeric) -> Numeric:
    """e^(-x²). The rounding of x² would cost up to 400 ulp, so it is put back."""
    x = where(abs(x) > 28.0, 28.0, x)  # e^(-28²) is 0 already, and 28² cannot overflow
    s = x * x
    e = exp(-s)
    return e - e * square_error(s, x)


def _gaussian_bend(t: Numeric, x: Numeric) -> Numeric:
    """-2 t x 2 / √pi e^(-x²), as a product of two: it is not as small as e^(-x²)."""
    x = where(abs(x) > 28.0, 28.0, x)
    s = x * x
    e = exp(-0.5 * s)
    e = e - e * (0.5 * square_error(s, x))
    return t * (MINUS_FOUR_OVER_SQRT_PI * x * e) * e


# --- sin(pi x) and cos(pi x) ----------------------------------------------------------------
def turn(x: Numeric) -> tuple[Numeric, Numeric]:
    """x = n + r with integer n and \\|r\\| <= 1/2: the exact r, and (-1)ⁿ."""
    n = round(x)
    return x - n, 1.0 - 2.0 * (n - 2.0 * floor(0.5 * n))


def turn_error(p: Numeric, r: Numeric) -> Numeric:
    """pi r - p, where ``p`` is the rounded pi r."""
    h = head(r)
    return (h * PI_HEAD - p) + (h * PI_TAIL + (r - h) * pi)


def cos_turn(r: Numeric) -> Numeric:
    """cos(pi r) for \\|r\\| <= 1/2, to full precision near its zeros."""
    near = where(r < 0.0, 0.5 + r, 0.5 - r)
    return where(abs(r) < 0.25, cos(pi * r), sin(pi * near))


def _sinc(x: Numeric) -> Numeric:
    r, parity = turn(x)
    wave = where(equal(x, 0.0), 1.0, parity * sin(pi * r) / (pi * where(equal(x, 0.0), 1.0, x)))
    return where(abs(x) >= 2.0**52, 0.0, wave)


def _sinc_slope(t: Numeric, y: Numeric, x: Numeric) -> Numeric:
    r, parity = turn(x)
    near = abs(x) < 0.5
    wave = where(abs(x) >= 2.0**53, 1.0, parity * cos_turn(r))  # all those are even integers
    far = _sinc_slope_near_zero(x, wave - y) / where(near, 1.0, x)
    return t * where(near, x * horner(SINC_SLOPE, where(near, x * x, 0.0)), far)


def _sinc_slope_near_zero(x: Numeric, far: Numeric) -> Numeric:
    """cos(pi x) - sinc(x) near its zeros, both expanded around the zero; elsewhere ``far``."""
    a = where(x < 0.0, -x, x)
    d: Numeric = 0.0  # type: ignore[assignment]  # until a zero is found
    cosine, sine = d, d
    for zero, low, c, s in SINC_SLOPE_ZEROS:
        here = abs(a - zero) < 0.3
        d = where(here, (a - zero) - low, d)
        cosine, sine = where(here, c, cosine), where(here, s, sine)
    ratio, p = cosine / where(equal(cosine, 0.0), 1.0, a), pi * d
    part = ratio / pi
    both, wave = sine + part, sin(p)
    rest = (ratio * d - both * turn_error(p, d)) * cos(p) - wave * sum_error(both, sine, part)
    close = rest - wave * both
    return where(equal(cosine, 0.0), far, close)


# fmt: off
erf_slope: Final = slope("erf_slope", lambda t, x: t * (TWO_OVER_SQRT_PI * _gaussian(x)),
    lambda s, z, t, x: _gaussian_bend(s * t, x),
    tex=r"t \, \tfrac{2}{\sqrt \pi} e^{-x^2}", summary="Derivative of erf at x, times t",
    points=((1.0, 0.0), (1.0, 27.2), (-2.0, -26.9), (1.0, 1e300)))
erf: Final = pointwise("erf", lambda t, y, x: erf_slope.inline(t, x),
    tex=r"\operatorname{erf} x", summary="Error function of x",
    points=(0.0, -0.0, 1e-300, 6.0, -26.0, 1e300))
erfc: Final = pointwise("erfc", lambda t, y, x: -erf_slope.inline(t, x),
    tex=r"\operatorname{erfc} x", summary="1 - erf(x), exact for large x",
    points=(0.0, 20.0, 26.5, 27.2, -30.0, 1e300))
sinc: Final = pointwise("sinc", _sinc_slope, forward=_sinc,
    tex=r"\frac{\sin \pi x}{\pi x}", summary="Sine of pi x over pi x, 1 at 0",
    points=(0.0, 0.5, 1.0, 1.5, -2.0, 1e-300, 1e17))
