"""THE TABLE, part 8: gelu, and its tanh form.

Both are exact to the last bits where the normal distribution and the logistic function underflow:
their exponentials are products of two, with the rounding of the exponent put back.
"""

from __future__ import annotations

from typing import Final

from ..core.numeric import Numeric
from ..core.primitive import pointwise
from .activation import exp_in_two, gated, gated_slope, towards_zero
from .arithmetic import abs, where
from .exponential import sqrt
from .precision import head, horner, square_error
from .slope import slope
from .special import erfc
from .trigonometric import tanh

SQRT_HALF, INV_SQRT_2PI = 0.7071067811865476, 0.3989422804014327
SQRT2, SQRT2_LOW = 1.4142135623730951, -9.667293313452913e-17
SQRT_HALF_HEAD, SQRT_HALF_TAIL = 0.7071067839860916, -2.799544089368687e-09

# Hendrycks and Gimpel, Gaussian Error Linear Units (2016): half of gelu's tanh form is a logistic
# function of CUBIC (x³ + LINEAR x), with LINEAR = 1 / 0.044715 and CUBIC = 0.044715 sqrt(8 / pi).
CUBIC, CUBIC_HEAD, CUBIC_TAIL = 0.07135481627260025, 0.071354815736413, 5.361872467621785e-10
LINEAR, LINEAR_HEAD, LINEAR_TAIL = 22.363860002236386, 22.36386001110077, -8.864383042745111e-09

# Where a slope is 0, the low part of that number, and the slope divided by the distance d from it,
# by Chebyshev interpolation in 60 digits: gelu's times e^(x²/2), in powers of x + 1.8, for
# |x + 1.8| < 1.5; that of its tanh form in powers of d, for |x + 0.8| < 0.5.
GELU_ZERO, GELU_ZERO_LOW = -0.7517915246935645, 1.4956759177009883e-17
GELU_SLOPE = (
    0.5118609224993639, 0.038907171905484775, 0.012449652624817618, 0.0037385552944741887,
    0.0010619170415108467, 0.0002870647768890275, 7.421675133300412e-05, 1.842466341760886e-05,
    4.406818118667948e-06, 1.0183744228210672e-06, 2.279289425981766e-07, 4.9512516480097883e-08,
    1.0458441445929571e-08, 2.1514606020589304e-09, 4.31384309479897e-10, 8.452349263676571e-11,
    1.6345826449155355e-11, 3.0663192991153673e-12, 5.127172431531721e-13, 9.213854719994635e-14,
    2.5758938646658454e-14, 4.488156174516342e-15,
)  # fmt: skip
GELU_TANH_ZERO, GELU_TANH_ZERO_LOW = -0.7524614220710163, 3.635560509207687e-17
GELU_TANH_SLOPE = (
    0.4304000910248585, 0.38751844613578895, -0.015782853521848, -0.11394448308095886,
    -0.016619328343056378, 0.019682309459821735, 0.005261059255099234, -0.00242273184539271,
    -0.0009274420271084303, 0.0002639276294594607, 0.00012425232994098468,
    -3.4956023253750524e-05, -1.595126792763306e-05, 5.917415032664086e-06,
    2.4349304421938387e-06, -9.841530446921254e-07, -4.326420203076585e-07,
    1.2663034156166568e-07, 7.072391138722287e-08,
)  # fmt: skip


# --- gelu -----------------------------------------------------------------------------------
def _gaussian(x: Numeric) -> tuple[Numeric, Numeric]:
    """e^(-x²/2) as a product of two, with the rounding of the square put back."""
    s = x * x
    return exp_in_two(-0.5 * s, -0.5 * square_error(s, x))


def _twice_normal(x: Numeric) -> Numeric:
    """2 Φ(x) = erfc(-x / √2), for x >= -40.

    For negative x the rounding of x / √2 is put back. Relative to erfc it counts by
    -erfc'(z) / erfc(z), close to z + √(z² + 2) (NIST Digital Library 7.8.2).
    """
    m = where(x < 0.0, x, 0.0)
    z, h = m * SQRT_HALF, head(m)
    error = (h * SQRT_HALF_HEAD - z) + (h * SQRT_HALF_TAIL + (m - h) * SQRT_HALF)
    tail = erfc(-x * SQRT_HALF)
    return tail + tail * (error * (sqrt(z * z + 2.0) - z))


def _gelu(x: Numeric) -> Numeric:
    m = where(x < -40.0, -40.0, x)
    center = 0.5 * m * _twice_normal(m)
    # Below -37.5 Φ is denormal, and x Φ = -φ (1 - 1/x² + 3/x⁴ - ...).
    far = where(m < -37.5, m, -37.5)
    e, f = _gaussian(far)
    series = horner((-1.0, 1.0, -3.0, 15.0, -105.0, 945.0, -10395.0), 1.0 / (far * far))
    return where(m < -37.5, INV_SQRT_2PI * series * e * f, center)


def _gelu_slope(t: Numeric, x: Numeric) -> Numeric:
    """t (Φ(x) + x φ(x))"""
    m = where(x < -40.0, -40.0, where(x > 40.0, 40.0, x))
    e, f = _gaussian(m)
    near = abs(x + 1.8) < 1.5
    p = where(near, x, 0.0)
    zero = (p - GELU_ZERO - GELU_ZERO_LOW) * (e * horner(GELU_SLOPE, p + 1.8))
    return t * where(near, zero, 0.5 * _twice_normal(m) + INV_SQRT_2PI * m * e * f)


def _gelu_bend(t: Numeric, x: Numeric) -> Numeric:
    """t φ(x) (2 - x²), with √2 in two parts."""
    m = where(x < -40.0, -40.0, where(x > 40.0, 40.0, x))
    e, f = _gaussian(m)
    zeros = ((SQRT2 - m) + SQRT2_LOW) * ((SQRT2 + m) + SQRT2_LOW)
    return t * (INV_SQRT_2PI * zeros * e) * f


def _cubic(m: Numeric) -> tuple[Numeric, Numeric, Numeric]:
    """u = CUBIC (m³ + LINEAR m) and its error, and m du/dm, for -25 <= m <= 0.

    The upper part of m has 17 bits, so that its cube fits; that of LINEAR is chosen to match.
    """
    upper = (m + 1.5 * 2.0**40) - 1.5 * 2.0**40  # a multiple of 2**-12
    lower, square = m - upper, upper * upper
    cube, growth = upper * (square + LINEAR_HEAD), upper * (3.0 * square + LINEAR_HEAD)
    slope, bend, tail = 3.0 * square + LINEAR, 3.0 * upper + lower, upper * LINEAR_TAIL
    rest = lower * (slope + lower * bend) + tail
    growth = growth + (lower * (slope + 6.0 * square + 3.0 * (lower * (bend))) + tail)
    first = head(cube)
    high, low = CUBIC_HEAD * first, CUBIC * (cube - first + rest) + CUBIC_TAIL * first
    u = high + low
    return u, (high - u) + low, CUBIC * growth


def _gelu_tanh(x: Numeric) -> Numeric:
    m = towards_zero(x, -25.0)
    u, error, _ = _cubic(m)
    return gated(x, m, *exp_in_two(u, error))


def _gelu_tanh_slope(t: Numeric, x: Numeric) -> Numeric:
    m = towards_zero(x, -25.0)
    u, error, growth = _cubic(m)
    e, f = exp_in_two(u, error)
    near = abs(x + 0.8) < 0.5
    d = where(near, x, 0.0) - GELU_TANH_ZERO - GELU_TANH_ZERO_LOW
    zero = t * (d * horner(GELU_TANH_SLOPE, d))
    return where(near, zero, gated_slope(t, x, e, f, growth, (growth + 1.0) + e * f))


def _gelu_tanh_bend(t: Numeric, x: Numeric) -> Numeric:
    """t σ'(u) (2 u' + x u'' - x u'² tanh(u / 2))"""
    m = towards_zero(x, -25.0)
    u, error, growth = _cubic(m)
    e, f = exp_in_two(u, error)
    ef, rise = e * f, CUBIC * (3.0 * (m * m) + LINEAR)
    bracket = 2.0 * (rise + 3.0 * CUBIC * (m * m)) - growth * rise * tanh(0.5 * u)
    return t * e * bracket / (1.0 + ef * (2.0 + ef)) * f


# fmt: off
# --- slopes whose derivative would cancel or underflow if it were that of the formula ---------
gelu_slope: Final = slope("gelu_slope", _gelu_slope, lambda s, z, t, x: _gelu_bend(s * t, x),
    tex=r"t \, (\Phi(x) + x \, \varphi(x))", summary="Derivative of gelu at x, times t",
    points=((1.0, 0.0), (1.0, -37.8), (-2.0, SQRT2), (1.0, GELU_ZERO)))
gelu_tanh_slope: Final = slope("gelu_tanh_slope", _gelu_tanh_slope,
    lambda s, z, t, x: _gelu_tanh_bend(s * t, x),
    tex=r"t \, (\sigma(u) + x \, \sigma'(u) u')", summary="Derivative of gelu_tanh at x, times t",
    points=((1.0, 0.0), (1.0, -21.5), (-2.0, 1.4), (1.0, GELU_TANH_ZERO)))

# --- values ---------------------------------------------------------------------------------
gelu: Final = pointwise("gelu", lambda t, y, x: gelu_slope.inline(t, x), forward=_gelu,
    tex=r"x \, \Phi(x)", summary="x times the normal distribution function",
    points=(0.0, 100.0, -100.0, -37.7, -38.4, GELU_ZERO))
gelu_tanh: Final = pointwise(
    "gelu_tanh", lambda t, y, x: gelu_tanh_slope.inline(t, x), forward=_gelu_tanh,
    tex=r"\frac{x}{2}\left(1 + \tanh \sqrt{2/\pi}(x + 0.044715 x^3)\right)",
    summary="The tanh form of gelu", points=(0.0, 100.0, -100.0, -21.5, GELU_TANH_ZERO, 1e200))
