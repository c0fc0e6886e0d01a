"""THE TABLE, part 2: powers, exponentials, logarithms and lengths."""

from __future__ import annotations

from math import inf
from math import log as _log
from typing import Any

from ..primitive import REALS, gate, pointwise, unless
from .arithmetic import abs, equal, maximum, not_equal, where

POSITIVE = (0.0, inf)
SOME = (1.0, -1.0, 1e-150, 1e150)
LN2, LN10 = _log(2.0), _log(10.0)
# fmt: off

# --- powers ---------------------------------------------------------------------------------
# y / a where the power itself neither over- nor underflows; b - 1 is exact from b = 1/2 on.
pow   = pointwise("pow",
                  lambda t, y, a, b: gate(
                      not_equal(b, 0.0),
                      t * b * where((b < 0.5) & not_equal(a, 0.0), y / a, pow(a, b - 1.0))),
                  lambda t, y, a, b: unless(
                      equal(a, 0.0) & (b >= 0.0), t * y * log(a)),
                  tex=r"a^{b}", summary="a to the power b", domain=(POSITIVE, REALS),
                  kinks="0 to any power >= 0 does not depend on the exponent",
                  points=((2.0, 0.0), (1.0, 5.0), (1e-200, 0.25)))
square     = pointwise("square", lambda t, y, x: t * 2.0 * x, forward=lambda x: x * x,
                       tex=r"x^2", summary="Square of x", points=(0.0,))
reciprocal = pointwise("reciprocal", lambda t, y, x: -t * y * y, forward=lambda x: 1.0 / x,
                       tex=r"\frac{1}{x}", summary="One divided by x", points=SOME)
sqrt  = pointwise("sqrt", lambda t, y, x: t / (2.0 * y),
                  tex=r"\sqrt{x}", summary="Square root of x", domain=POSITIVE)
cbrt  = pointwise("cbrt", lambda t, y, x: t / (3.0 * y * y),
                  tex=r"\sqrt[3]{x}", summary="Cube root of x", points=SOME)

# --- exponentials ---------------------------------------------------------------------------
exp   = pointwise("exp",   lambda t, y, x: t * y,
                  tex=r"e^{x}", summary="e to the power x", points=(0.0, 1000.0, -1000.0))
expm1 = pointwise("expm1", lambda t, y, x: t * exp(x),
                  tex=r"e^{x} - 1", summary="e to the power x minus 1, exact near 0",
                  points=(0.0, 1e-18))
exp2  = pointwise("exp2",  lambda t, y, x: t * y * LN2,
                  tex=r"2^{x}", summary="2 to the power x", points=(0.0,))

# --- logarithms -----------------------------------------------------------------------------
log   = pointwise("log",   lambda t, y, x: t / x, domain=POSITIVE,
                  tex=r"\ln x", summary="Natural logarithm of x", points=(1.0,))
log1p = pointwise("log1p", lambda t, y, x: t / (1.0 + x), domain=(-1.0, inf),
                  tex=r"\ln(1 + x)", summary="Natural logarithm of 1 + x, exact near 0",
                  points=(0.0, 1e-18))
log2  = pointwise("log2",  lambda t, y, x: t / (x * LN2), domain=POSITIVE,
                  tex=r"\log_2 x", summary="Logarithm of x to base 2", points=(1.0,))
log10 = pointwise("log10", lambda t, y, x: t / (x * LN10), domain=POSITIVE,
                  tex=r"\log_{10} x", summary="Logarithm of x to base 10", points=(1.0,))


# --- lengths --------------------------------------------------------------------------------
def _scale(a: Any, b: Any) -> Any:
    """A power of two that keeps a² + b² away from overflow and underflow."""
    size = maximum(abs(a), abs(b))
    return where(size > 2.0**500, 2.0**-600, where(size < 2.0**-400, 2.0**600, 1.0))


def _hypot(a: Any, b: Any) -> Any:
    s = _scale(a, b)
    infinite = equal(abs(a), inf) | equal(abs(b), inf)
    return where(infinite, inf, sqrt(a * s * (a * s) + b * s * (b * s)) / s)


hypot = pointwise("hypot",
                  lambda t, y, a, b: unless(equal(y, 0.0), t * (a / y)),
                  lambda t, y, a, b: unless(equal(y, 0.0), t * (b / y)), forward=_hypot,
                  tex=r"\sqrt{a^2 + b^2}", summary="Length of the vector (a, b)",
                  kinks="slope 0 at the origin", points=((0.0, 0.0), (3.0, 4.0), (1e200, 1e200)))
