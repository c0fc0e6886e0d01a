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
from .exponential import exp, expm1, log1p
from .precision import difference_error, gap
from .slope import slope
from .trigonometric import tanh

# Klambauer et al., Self-Normalizing Neural Networks (2017), equation 14: lambda, alpha.
SELU_SCALE, SELU_ALPHA, SELU_BOTH = 1.0507009873554805, 1.6732632423543772, 1.7580993408473768
# Where the slope of silu is 0, and the low part of that number.
SILU_ZERO, SILU_ZERO_LOW = -1.2784645427610737, -1.0946994183093437e-16
SILU_ZERO_EXP = 0.2784645427610738  # e^zero


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
def exp_in_two(m: Numeric, error: Numeric | None = None) -> tuple[Numeric, Numeric]:
    """Return e^(m + error) as two factors, because it becomes denormal long before x e^m does."""
    deep = m < -707.0
    e = exp(where(deep, 0.5 * m, m))
    if error is not None:
        e = e + e * where(deep, 0.5 * error, error)
    return e, where(deep, e, 1.0)


def towards_zero(x: Numeric, floor: float) -> Numeric:
    """Return -|x|, bounded below by a number whose exponential is 0."""
    m = where(x < 0.0, x, -x)
    return where(m < floor, floor, m)


def gated(x: Numeric, m: Numeric, e: Numeric, f: Numeric) -> Numeric:
    """x σ(u), where e f = e^-|u|."""
    return where(x < 0.0, m * e * f, x) / (1.0 + e * f)


def gated_slope(
    t: Numeric, x: Numeric, e: Numeric, f: Numeric, growth: Numeric, left: Numeric
) -> Numeric:
    """t dy/dx, where growth = -|x du/dx|, and left is 1 + e^u + growth."""
    ef = e * f
    slope = where(x < 0.0, e * left * f, 1.0 + ef * (1.0 - growth))
    return t * slope / (1.0 + ef * (2.0 + ef))


def _silu(x: Numeric) -> Numeric:
    m = towards_zero(x, -1600.0)
    return gated(x, m, *exp_in_two(m))


def _silu_slope(t: Numeric, x: Numeric) -> Numeric:
    m = towards_zero(x, -1600.0)
    e, f = exp_in_two(m)
    d = m - SILU_ZERO - SILU_ZERO_LOW  # 1 + m + e^m is 0 at d = 0: expand it there
    left = where(abs(d) < 0.75, d + SILU_ZERO_EXP * expm1(d), 1.0 + m + e * f)
    return gated_slope(t, x, e, f, m, left)


def _silu_bend(t: Numeric, x: Numeric) -> Numeric:
    """t σ'(x) (2 - x tanh(x / 2))"""
    m = towards_zero(x, -1600.0)
    e, f = exp_in_two(m)
    ef = e * f
    return t * e * (2.0 - m * tanh(0.5 * m)) / (1.0 + ef * (2.0 + ef)) * f


# --- elu ------------------------------------------------------------------------------------
def _elu_slope(t: Numeric, x: Numeric, alpha: Numeric) -> Numeric:
    """t α e^x, in two halves: a large α would magnify the rounding of a denormal e^x."""
    e = exp(0.5 * x)
    return t * alpha * e * e


# fmt: off
# --- slopes whose derivative would cancel or underflow if it were that of the formula ---------
sigmoid_slope: Final = slope("sigmoid_slope", _sigmoid_slope,
    lambda s, z, t, x: -s * z * tanh(0.5 * x),
    tex=r"t \, \sigma(x) \sigma(-x)", summary="Derivative of sigmoid at x, times t",
    points=((1.0, 0.0), (1.0, 1e-12), (1.0, -740.0), (-2.0, 1000.0)))
silu_slope: Final = slope("silu_slope", _silu_slope, lambda s, z, t, x: _silu_bend(s * t, x),
    tex=r"t \, \sigma(x) (1 + x \, \sigma(-x))", summary="Derivative of silu at x, times t",
    points=((1.0, 0.0), (1.0, -740.0), (-2.0, 2.4), (1.0, SILU_ZERO)))

# --- logistic -------------------------------------------------------------------------------
sigmoid: Final = pointwise("sigmoid", lambda t, y, x: sigmoid_slope.inline(t, x), forward=_sigmoid,
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
silu: Final = pointwise("silu", lambda t, y, x: silu_slope.inline(t, x), forward=_silu,
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
