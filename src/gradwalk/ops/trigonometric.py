"""THE TABLE, part 3: circular and hyperbolic functions and their inverses."""

from __future__ import annotations

from math import inf
from typing import Any

from ..primitive import gate, pointwise
from .arithmetic import abs, not_equal, where
from .exponential import _scale, exp, hypot, sqrt

UNIT = (-1.0, 1.0)
# fmt: off

# --- circular -------------------------------------------------------------------------------
sin   = pointwise("sin",   lambda t, y, x: t * cos(x),
                  tex=r"\sin x", summary="Sine of x (radians)", points=(0.0,))
cos   = pointwise("cos",   lambda t, y, x: -t * sin(x),
                  tex=r"\cos x", summary="Cosine of x (radians)", points=(0.0,))
tan   = pointwise("tan",   lambda t, y, x: t * (1.0 + y * y),
                  tex=r"\tan x", summary="Tangent of x (radians)", points=(0.0,))
asin  = pointwise("asin",  lambda t, y, x: t / sqrt((1.0 - x) * (1.0 + x)), domain=UNIT,
                  tex=r"\arcsin x", summary="Inverse sine of x, in radians", points=(0.0,))
acos  = pointwise("acos",  lambda t, y, x: -t / sqrt((1.0 - x) * (1.0 + x)), domain=UNIT,
                  tex=r"\arccos x", summary="Inverse cosine of x, in radians", points=(0.0,))
atan  = pointwise("atan",  lambda t, y, x: where(abs(x) < 1e150, t / (1.0 + x * x), t / x / x),
                  tex=r"\arctan x", summary="Inverse tangent of x, in radians", points=(0.0,))


def _over_square(t: Any, a: Any, y: Any, x: Any) -> Any:
    """t a / (x² + y²), safe at every size."""
    s = _scale(x, y)
    return t * (a * s) / (x * s * (x * s) + y * s * (y * s)) * s


atan2 = pointwise("atan2",
                  lambda t, z, y, x: gate(not_equal(x, 0.0) | not_equal(y, 0.0), _over_square(t, x, y, x)),
                  lambda t, z, y, x: gate(not_equal(x, 0.0) | not_equal(y, 0.0), -_over_square(t, y, y, x)),
                  params="y x", tex=r"\operatorname{atan2}(y, x)", kinks="slope 0 at the origin",
                  summary="Angle of the point (x, y), in radians, from -pi to pi",
                  points=((0.0, 1.0), (1.0, 0.0), (1e-200, 1e-200)))

# --- hyperbolic -----------------------------------------------------------------------------
sinh  = pointwise("sinh",  lambda t, y, x: t * cosh(x),
                  tex=r"\sinh x", summary="Hyperbolic sine of x", points=(0.0,))
cosh  = pointwise("cosh",  lambda t, y, x: t * sinh(x),
                  tex=r"\cosh x", summary="Hyperbolic cosine of x", points=(0.0,))


def _sech2(t: Any, x: Any) -> Any:
    """t / cosh²x. The textbook 1 - y² loses every digit once y is close to 1."""
    e = exp(-2.0 * abs(x))
    return t * (4.0 * e) / ((1.0 + e) * (1.0 + e))


tanh  = pointwise("tanh",  lambda t, y, x: _sech2(t, x),
                  tex=r"\tanh x", summary="Hyperbolic tangent of x", points=(0.0, 1000.0, -1000.0))
asinh = pointwise("asinh", lambda t, y, x: t / hypot(1.0, x),
                  tex=r"\operatorname{arsinh} x", summary="Inverse hyperbolic sine of x",
                  points=(0.0,))
acosh = pointwise("acosh", lambda t, y, x: t / (sqrt(x - 1.0) * sqrt(x + 1.0)), domain=(1.0, inf),
                  tex=r"\operatorname{arcosh} x", summary="Inverse hyperbolic cosine of x")
atanh = pointwise("atanh", lambda t, y, x: t / ((1.0 - x) * (1.0 + x)), domain=UNIT,
                  tex=r"\operatorname{artanh} x", summary="Inverse hyperbolic tangent of x",
                  points=(0.0,))
