"""THE TABLE, part 3: circular and hyperbolic functions and their inverses."""

from __future__ import annotations

from math import inf
from typing import Final

from ..core.numeric import Numeric
from ..core.primitive import REALS, Primitive, pass_if, pointwise
from .arithmetic import abs, maximum, not_equal, where
from .exponential import exp, scale, sqrt
from .slope import slope

UNIT = (-1.0, 1.0)
HUGE = 1e150  # its square does not overflow; beyond it 1 + x² is x²


def _over_one_plus_square(t: Numeric, x: Numeric) -> Numeric:
    """t / (1 + x²)"""
    huge = maximum(abs(x), HUGE)
    return where(abs(x) < HUGE, t / (1.0 + x * x), t / huge / huge)


def _over_root(t: Numeric, x: Numeric) -> Numeric:
    """t / √(1 + x²)"""
    return t / where(abs(x) < HUGE, sqrt(1.0 + x * x), abs(x))


def _over_square(t: Numeric, a: Numeric, b: Numeric) -> Numeric:
    """t a / (a² + b²), safe at every size."""
    s = scale(a, b)
    u, v = a * s, b * s
    return t * u / (u * u + v * v) * s


def _over_square_bends(t: Numeric, a: Numeric, b: Numeric) -> tuple[Numeric, Numeric]:
    """Return the slopes of t a / (a² + b²): t (b² - a²) / (a² + b²)² and -2 t a b / (a² + b²)²."""
    s = scale(a, b)
    u, v = a * s, b * s
    d = u * u + v * v
    return t * ((v - u) * (v + u) / d) / d * s * s, -2.0 * t * (u * (v / d)) / d * s * s


def _not_origin(y: Numeric, x: Numeric) -> Numeric:
    return not_equal(x, 0.0) | not_equal(y, 0.0)


def _sech2(t: Numeric, x: Numeric) -> Numeric:
    """t / cosh²x. The textbook 1 - y² loses every digit once y is close to 1."""
    e = exp(2.0 * where(x < 0.0, x, -x))
    return t * (4.0 * e) / (1.0 + e * (2.0 + e))  # of (1 + e)², with fewer roundings


# fmt: off
# --- slopes whose derivative would cancel or overflow, had it to be found from the formula --------
asin_slope: Final = slope("asin_slope", lambda t, x: t / sqrt((1.0 - x) * (1.0 + x)),
    lambda s, z, t, x: s * z * x / ((1.0 - x) * (1.0 + x)),
    domain=(REALS, UNIT), tex=r"\frac{t}{\sqrt{1 - x^2}}",
    summary="Derivative of asin at x, times t",
    points=((1.0, 0.0), (2.0, -0.9999999999)))
atanh_slope: Final = slope("atanh_slope", lambda t, x: t / ((1.0 - x) * (1.0 + x)),
    lambda s, z, t, x: 2.0 * s * z * x / ((1.0 - x) * (1.0 + x)),
    domain=(REALS, UNIT), tex=r"\frac{t}{1 - x^2}",
    summary="Derivative of atanh at x, times t",
    points=((1.0, 0.0), (2.0, -0.9999999999)))
atan_slope: Final = slope("atan_slope", _over_one_plus_square,
    lambda s, z, t, x: _over_one_plus_square(
        -2.0 * s * z * where(abs(x) < HUGE, x, 0.0), x),
    tex=r"\frac{t}{1 + x^2}", summary="Derivative of atan at x, times t",
    points=((1.0, 0.0), (1.0, 1e-300), (1.0, 1e78), (-2.0, 1e155)))
asinh_slope: Final = slope("asinh_slope", _over_root, lambda s, z, t, x: -s * z * where(
        abs(x) < HUGE, x / (1.0 + x * x), 1.0 / x),
    tex=r"\frac{t}{\sqrt{1 + x^2}}", summary="Derivative of asinh at x, times t",
    points=((1.0, 0.0), (1.0, 1e-300), (1.0, -1e110), (-2.0, 1e155)))
tanh_slope: Final = slope("tanh_slope", _sech2, lambda s, z, t, x: -2.0 * s * z * tanh(x),
    tex=r"\frac{t}{\cosh^2 x}", summary="Derivative of tanh at x, times t",
    points=((1.0, 0.0), (1.0, 1e-12), (1.0, 360.0), (-2.0, 1000.0)))
atan2_slope: Final = slope("atan2_slope", _over_square,
    lambda s, z, t, a, b: _over_square_bends(s * t, a, b)[0],
    lambda s, z, t, a, b: _over_square_bends(s * t, a, b)[1],
    tex=r"\frac{t \, a}{a^2 + b^2}",
    summary="a over the square of the length of (a, b), times t",
    points=((1.0, 1.0, 1.0), (1.0, 3.0, 1e-8), (1.0, 1e-200, 1e-200),
            (-2.0, 1e160, 3.0), (1.0, 1e-300, 1e-100)))

# --- circular -------------------------------------------------------------------------------
sin: Final = pointwise("sin", lambda t, y, x: t * cos(x),
    tex=r"\sin x", summary="Sine of x (radians)", points=(0.0, 1.5707963267948966))
cos: Primitive = pointwise("cos", lambda t, y, x: -t * sin(x),
    tex=r"\cos x", summary="Cosine of x (radians)", points=(0.0, 3.141592653589793))
tan: Final = pointwise("tan", lambda t, y, x: t * (1.0 + y * y),
    tex=r"\tan x", summary="Tangent of x (radians)", points=(0.0, 1.5707963267948966))
asin: Final = pointwise("asin", lambda t, y, x: asin_slope.inline(t, x), domain=UNIT,
    tex=r"\arcsin x", summary="Inverse sine of x, in radians",
    points=(0.0, 0.9999999999, -0.9999999999))
acos: Final = pointwise("acos", lambda t, y, x: -asin_slope.inline(t, x), domain=UNIT,
    tex=r"\arccos x", summary="Inverse cosine of x, in radians",
    points=(0.0, 0.9999999999, -0.9999999999))
atan: Final = pointwise("atan", lambda t, y, x: atan_slope.inline(t, x),
    tex=r"\arctan x", summary="Inverse tangent of x, in radians", points=(0.0, 1e155, -1e155))
atan2: Final = pointwise("atan2",
    lambda t, z, y, x: pass_if(_not_origin(y, x), atan2_slope.inline(t, x, y)),
    lambda t, z, y, x: pass_if(_not_origin(y, x), -atan2_slope.inline(t, y, x)),
    params="y x", tex=r"\operatorname{atan2}(y, x)", kinks="slope 0 at the origin",
    summary="Angle of the point (x, y), in radians, from -pi to pi",
    points=((0.0, 1.0), (1.0, 0.0), (-1.0, -1.0), (1e-200, 1e-200), (1e160, 3.0)))

# --- hyperbolic -----------------------------------------------------------------------------
sinh: Final = pointwise("sinh", lambda t, y, x: t * cosh(x),
    tex=r"\sinh x", summary="Hyperbolic sine of x", points=(0.0, 1e-300, 1000.0))
cosh: Primitive = pointwise("cosh", lambda t, y, x: t * sinh(x),
    tex=r"\cosh x", summary="Hyperbolic cosine of x", points=(0.0, 1e-300, 1000.0))
tanh: Primitive = pointwise("tanh", lambda t, y, x: tanh_slope.inline(t, x),
    tex=r"\tanh x", summary="Hyperbolic tangent of x", points=(0.0, 1e-300, 360.0, 1000.0, -1000.0))
asinh: Final = pointwise("asinh", lambda t, y, x: asinh_slope.inline(t, x),
    tex=r"\operatorname{arsinh} x", summary="Inverse hyperbolic sine of x",
    points=(0.0, 1e155, -1e300))
acosh: Final = pointwise(
    "acosh", lambda t, y, x: t / (sqrt(x - 1.0) * sqrt(x + 1.0)), domain=(1.0, inf),
    tex=r"\operatorname{arcosh} x", summary="Inverse hyperbolic cosine of x",
    points=(1.0000000001, 2.0, 1e300))
atanh: Primitive = pointwise("atanh", lambda t, y, x: atanh_slope.inline(t, x), domain=UNIT,
    tex=r"\operatorname{artanh} x", summary="Inverse hyperbolic tangent of x",
    points=(0.0, 1e-300, 0.9999999999))
