"""THE TABLE, part 7: activation functions.

The formulas use e^-|x|, which is at most 1. The sign of x only chooses between them. -|x| is
written as a choice between x and -x, which is smooth on either side, so the formulas can be
differentiated any number of times, at 0 too.
"""

from __future__ import annotations

from typing import Final

from ..core.numeric import Numeric
from ..core.primitive import mask_if, pass_if, pointwise
from .arithmetic import abs, clip, maximum, minimum, not_equal, where
from .exponential import exp, expm1, log1p, sqrt
from .precision import difference_error, gap, head, horner, square_error
from .special import erfc

# Klambauer et al., Self-Normalizing Neural Networks (2017), equation 14: lambda, alpha.
SELU_SCALE, SELU_ALPHA, SELU_BOTH = 1.0507009873554805, 1.6732632423543772, 1.7580993408473768
SQRT_HALF, INV_SQRT_2PI = 0.7071067811865476, 0.3989422804014327
SQRT_HALF_HEAD, SQRT_HALF_TAIL = 0.7071067839860916, -2.799544089368687e-09

# Hendrycks and Gimpel, Gaussian Error Linear Units (2016): half of gelu's tanh form is a logistic
# function of CUBIC (x³ + LINEAR x), with LINEAR = 1 / 0.044715 and CUBIC = 0.044715 sqrt(8 / pi).
CUBIC, CUBIC_HEAD, CUBIC_TAIL = 0.07135481627260025, 0.071354815736413, 5.361872467621785e-10
LINEAR, LINEAR_HEAD, LINEAR_TAIL = 22.363860002236386, 22.36386001110077, -8.864383042745111e-09

# Where a slope is 0, the low part of that number, and the slope divided by the distance d from it,
# by Chebyshev interpolation in 60 digits: gelu's times e^(x²/2), in powers of x + 1.8, for
# |x + 1.8| < 1.5; that of its tanh form in powers of d, for |x + 0.8| < 0.5.
SILU_ZERO, SILU_ZERO_LOW = -1.2784645427610737, -1.0946994183093437e-16
SILU_ZERO_EXP = 0.2784645427610738  # e^zero
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


# --- logistic -------------------------------------------------------------------------------
def _sigmoid(x: Numeric) -> Numeric:
    e = exp(where(x < 0.0, x, -x))
    return where(x < 0.0, e, 1.0) / (1.0 + e)


def _sigmoid_slope(t: Numeric, x: Numeric) -> Numeric:
    """t σ(x) σ(-x), without the cancellation in y (1 - y)."""
    e = exp(where(x < 0.0, x, -x))
    return t * e / (1.0 + e * (2.0 + e))  # of (1 + e)², with fewer roundings


def gap_error(d: Numeric, a: Numeric, b: Numeric) -> Numeric:
    """Return the rounding error of the gap d, or 0 where it is negligible or not finite."""
    return where((abs(d) < 1000.0) & not_equal(d, 0.0), difference_error(d, a, b), 0.0)


def _logaddexp(a: Numeric, b: Numeric) -> Numeric:
    high, low = maximum(a, b), minimum(a, b)
    d = gap(low, high)
    e = exp(d)
    return high + log1p(e + e * gap_error(d, low, high))


def _logaddexp_slope(t: Numeric, a: Numeric, b: Numeric) -> Numeric:
    """t σ(a - b), with the rounding of a - b put back."""
    d = gap(a, b)
    contribution = sigmoid(d)
    return t * (contribution + contribution * (gap_error(d, a, b) * sigmoid(-d)))


# --- x times a logistic function: y = x / (1 + e^-u) ------------------------------------------
def _exp(m: Numeric, error: Numeric | None = None) -> tuple[Numeric, Numeric]:
    """Return e^(m + error) as two factors, because it becomes denormal long before x e^m does."""
    deep = m < -707.0
    e = exp(where(deep, 0.5 * m, m))
    if error is not None:
        e = e + e * where(deep, 0.5 * error, error)
    return e, where(deep, e, 1.0)


def _towards_zero(x: Numeric, floor: float) -> Numeric:
    """Return -|x|, bounded below by a number whose exponential is 0."""
    m = where(x < 0.0, x, -x)
    return where(m < floor, floor, m)


def _gated(x: Numeric, m: Numeric, e: Numeric, f: Numeric) -> Numeric:
    """x σ(u), where e f = e^-|u|."""
    return where(x < 0.0, m * e * f, x) / (1.0 + e * f)


def _gated_slope(
    t: Numeric, x: Numeric, e: Numeric, f: Numeric, growth: Numeric, left: Numeric
) -> Numeric:
    """t dy/dx, where growth = -|x du/dx|, and left is 1 + e^u + growth."""
    ef = e * f
    slope = where(x < 0.0, e * left * f, 1.0 + ef * (1.0 - growth))
    return t * slope / (1.0 + ef * (2.0 + ef))


def _silu(x: Numeric) -> Numeric:
    m = _towards_zero(x, -1600.0)
    return _gated(x, m, *_exp(m))


def _silu_slope(t: Numeric, x: Numeric) -> Numeric:
    m = _towards_zero(x, -1600.0)
    e, f = _exp(m)
    d = m - SILU_ZERO - SILU_ZERO_LOW  # 1 + m + e^m is 0 at d = 0: expand it there
    left = where(abs(d) < 0.75, d + SILU_ZERO_EXP * expm1(d), 1.0 + m + e * f)
    return _gated_slope(t, x, e, f, m, left)


# --- elu ------------------------------------------------------------------------------------
def _elu_slope(t: Numeric, x: Numeric, alpha: Numeric) -> Numeric:
    """t α e^x, in two halves: a large α would magnify the rounding of a denormal e^x."""
    e = exp(0.5 * x)
    return t * alpha * e * e


# --- gelu -----------------------------------------------------------------------------------
def _gaussian(x: Numeric) -> tuple[Numeric, Numeric]:
    """e^(-x²/2) as a product of two, with the rounding of the square put back."""
    s = x * x
    return _exp(-0.5 * s, -0.5 * square_error(s, x))


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
    m = _towards_zero(x, -25.0)
    u, error, _ = _cubic(m)
    return _gated(x, m, *_exp(u, error))


def _gelu_tanh_slope(t: Numeric, x: Numeric) -> Numeric:
    m = _towards_zero(x, -25.0)
    u, error, growth = _cubic(m)
    e, f = _exp(u, error)
    near = abs(x + 0.8) < 0.5
    d = where(near, x, 0.0) - GELU_TANH_ZERO - GELU_TANH_ZERO_LOW
    zero = t * (d * horner(GELU_TANH_SLOPE, d))
    return where(near, zero, _gated_slope(t, x, e, f, growth, (growth + 1.0) + e * f))


# fmt: off
sigmoid: Final = pointwise("sigmoid", lambda t, y, x: _sigmoid_slope(t, x), forward=_sigmoid,
    tex=r"\sigma(x) = \frac{1}{1 + e^{-x}}", summary="Logistic function of x",
    points=(0.0, 1000.0, -1000.0, -740.0))
softplus: Final = pointwise("softplus", lambda t, y, x: t * sigmoid(x),
    forward=lambda x: maximum(x, 0.0) + log1p(exp(-abs(x))),
    tex=r"\ln(1 + e^{x})", summary="A smooth maximum of x and 0", points=(0.0, 1000.0, -1000.0))
log_sigmoid: Final = pointwise("log_sigmoid", lambda t, y, x: t * sigmoid(-x),
    forward=lambda x: -softplus(-x),
    tex=r"\ln \sigma(x)", summary="Logarithm of the logistic function of x",
    points=(0.0, 1000.0, -1000.0))
logaddexp: Final = pointwise("logaddexp", lambda t, y, a, b: _logaddexp_slope(t, a, b),
    lambda t, y, a, b: _logaddexp_slope(t, b, a), forward=_logaddexp,
    tex=r"\ln(e^{a} + e^{b})", summary="Logarithm of e^a + e^b",
    points=((0.0, 0.0), (1000.0, -1000.0), (-1000.0, -1000.0), (-30.0, 0.0)))
silu: Final = pointwise("silu", lambda t, y, x: _silu_slope(t, x), forward=_silu,
    tex=r"x \, \sigma(x)", summary="x times its logistic function (swish)",
    points=(0.0, 1000.0, -1000.0, -740.0, SILU_ZERO))

# --- piecewise linear -----------------------------------------------------------------------
relu: Final = pointwise("relu", lambda t, y, x: mask_if(y <= 0.0, t),
    forward=lambda x: where(x <= 0.0, 0.0, x),
    tex=r"\max(x, 0)", summary="x if it is positive, else 0", kinks="slope 0 at 0", points=(0.0,))
leaky_relu: Final = pointwise("leaky_relu", lambda t, y, x, s: where(x > 0.0, t, t * s),
    lambda t, y, x, s: mask_if(x > 0.0, t * x), forward=lambda x, s: where(x > 0.0, x, x * s),
    params="x negative_slope", defaults=(0.01,),
    tex=r"\max(x, 0) + s \min(x, 0)", points=((0.0, 0.01), (-2.0, 0.01)),
    summary="x if it is positive, else a small multiple of x", kinks="the negative slope at 0")
hardtanh: Final = pointwise("hardtanh", lambda t, y, x, lo, hi: mask_if((x <= lo) | (x >= hi), t),
    lambda t, y, x, lo, hi: pass_if((x < lo) & (lo <= hi), t),
    lambda t, y, x, lo, hi: pass_if(maximum(x, lo) > hi, t),
    forward=lambda x, lo, hi: clip(x, lo, hi), params="x min_val max_val", defaults=(-1.0, 1.0),
    tex=r"\min(\max(x, \ell), h)", summary="x, held between two bounds",
    kinks="slope 0 on both bounds", points=((-1.0, -1.0, 1.0), (1.0, -1.0, 1.0), (0.5, -1.0, 1.0)))

# --- exponential on the left ----------------------------------------------------------------
elu: Final = pointwise("elu", lambda t, y, x, a: where(x > 0.0, t, _elu_slope(t, x, a)),
    lambda t, y, x, a: mask_if(x > 0.0, t * expm1(x)),
    forward=lambda x, a: where(x > 0.0, x, a * expm1(x)), params="x alpha", defaults=(1.0,),
    points=((0.0, 1.0), (1000.0, 1.0), (-1000.0, 1.0), (-1e-18, 2.0)),
    tex=r"\begin{cases} x & x > 0 \\ \alpha (e^{x} - 1) & x \le 0 \end{cases}",
    summary="x if it is positive, else alpha (e^x - 1)",
    kinks="the slope from the left, alpha, at 0")
selu: Final = pointwise("selu", lambda t, y, x: t * where(x > 0.0, SELU_SCALE, SELU_BOTH * exp(x)),
    forward=lambda x: where(x > 0.0, SELU_SCALE * x, SELU_BOTH * expm1(x)),
    tex=r"\lambda \operatorname{elu}(x, \alpha)", points=(0.0, 1000.0, -1000.0, -1e-18),
    summary="The self-normalising elu", kinks="the slope from the left at 0")

# --- gaussian -------------------------------------------------------------------------------
gelu: Final = pointwise("gelu", lambda t, y, x: _gelu_slope(t, x), forward=_gelu,
    tex=r"x \, \Phi(x)", summary="x times the normal distribution function",
    points=(0.0, 100.0, -100.0, -37.7, -38.4, GELU_ZERO))
gelu_tanh: Final = pointwise(
    "gelu_tanh", lambda t, y, x: _gelu_tanh_slope(t, x), forward=_gelu_tanh,
    tex=r"\frac{x}{2}\left(1 + \tanh \sqrt{2/\pi}(x + 0.044715 x^3)\right)",
    summary="The tanh form of gelu", points=(0.0, 100.0, -100.0, -21.5, GELU_TANH_ZERO, 1e200))
