"""THE TABLE, part 3: circular and hyperbolic functions and their inverses."""

from __future__ import annotations

from math import inf
from typing import Final

from ..core.numeric import Numeric
from ..core.primitive import Primitive, pass_if, pointwise
from .arithmetic import abs, maximum, not_equal, where
from .exponential import exp, scale, sqrt

UNIT = (-1.0, 1.0)
HUGE = 1e150  # its square does not overflow; beyond it 1 + x² is x²


def _over_one_plus_square(t: Numeric, x: Numeric) -> Numeric:
    """t / (1 + x²)"""
    huge = maximum(abs(x), HUGE)
    return where(abs(x) < HUGE, t / (1.0 + x * x), t / huge / huge)


def _over_square(t: Numeric, a: Numeric, y: Numeric, x: Numeric) -> Numeric:
    """t a / (x² + y²), safe at every size."""
    s = scale(x, y)
    u, v = x * s, y * s
    return t * (a * s) / (u * u + v * v) * s


def _not_origin(y: Numeric, x: Numeric) -> Numeric:
    return not_equal(x, 0.0) | not_equal(y, 0.0)


def _sech2(t: Numeric, x: Numeric) -> Numeric:
    """t / cosh²x. The textbook 1 - y² loses every digit once y is close to 1."""
    e = exp(2.0 * where(x < 0.0, x, -x))
    return t * (4.0 * e) / (1.0 + e * (2.0 + e))  # of (1 + e)², with fewer roundings


# fmt: off
# --- circular -------------------------------------------------------------------------------
sin: Final = pointwise("sin", lambda t, y, x: t * cos(x),
    tex=r"\sin x", summary="Sine of x (radians)", points=(0.0, 1.5707963267948966))
cos: Primitive = pointwise("cos", lambda t, y, x: -t * sin(x),
    tex=r"\cos x", summary="Cosine of x (radians)", points=(0.0, 3.141592653589793))
tan: Final = pointwise("tan", lambda t, y, x: t * (1.0 + y * y),
    tex=r"\tan x", summary="Tangent of x (radians)", points=(0.0, 1.5707963267948966))
asin: Final = pointwise("asin", lambda t, y, x: t / sqrt((1.0 - x) * (1.0 + x)), domain=UNIT,
    tex=r"\arcsin x", summary="Inverse sine of x, in radians",
    points=(0.0, 0.9999999999, -0.9999999999))
acos: Final = pointwise("acos", lambda t, y, x: -t / sqrt((1.0 - x) * (1.0 + x)), domain=UNIT,
    tex=r"\arccos x", summary="Inverse cosine of x, in radians",
    points=(0.0, 0.9999999999, -0.9999999999))
atan: Final = pointwise("atan", lambda t, y, x: _over_one_plus_square(t, x),
    tex=r"\arctan x", summary="Inverse tangent of x, in radians", points=(0.0, 1e155, -1e155))
atan2: Final = pointwise("atan2",
    lambda t, z, y, x: pass_if(_not_origin(y, x), _over_square(t, x, y, x)),
    lambda t, z, y, x: pass_if(_not_origin(y, x), -_over_square(t, y, y, x)),
    params="y x", tex=r"\operatorname{atan2}(y, x)", kinks="slope 0 at the origin",
    summary="Angle of the point (x, y), in radians, from -pi to pi",
    points=((0.0, 1.0), (1.0, 0.0), (-1.0, -1.0), (1e-200, 1e-200), (1e160, 3.0)))

# --- hyperbolic -----------------------------------------------------------------------------
sinh: Final = pointwise("sinh", lambda t, y, x: t * cosh(x),
    tex=r"\sinh x", summary="Hyperbolic sine of x", points=(0.0, 1e-300, 1000.0))
cosh: Primitive = pointwise("cosh", lambda t, y, x: t * sinh(x),
    tex=r"\cosh x", summary="Hyperbolic cosine of x", points=(0.0, 1e-300, 1000.0))
tanh: Final = pointwise("tanh", lambda t, y, x: _sech2(t, x),
    tex=r"\tanh x", summary="Hyperbolic tangent of x", points=(0.0, 1e-300, 360.0, 1000.0, -1000.0))
asinh: Final = pointwise(
    "asinh", lambda t, y, x: t / where(abs(x) < HUGE, sqrt(1.0 + x * x), abs(x)),
    tex=r"\operatorname{arsinh} x", summary="Inverse hyperbolic sine of x",
    points=(0.0, 1e155, -1e300))
acosh: Final = pointwise(
    "acosh", lambda t, y, x: t / (sqrt(x - 1.0) * sqrt(x + 1.0)), domain=(1.0, inf),
    tex=r"\operatorname{arcosh} x", summary="Inverse hyperbolic cosine of x",
    points=(1.0000000001, 2.0, 1e300))
atanh: Final = pointwise("atanh", lambda t, y, x: t / ((1.0 - x) * (1.0 + x)), domain=UNIT,
    tex=r"\operatorname{artanh} x", summary="Inverse hyperbolic tangent of x",
    points=(0.0, 1e-300, 0.9999999999))
