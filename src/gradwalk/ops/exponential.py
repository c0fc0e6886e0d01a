"""THE TABLE, part 2: powers, exponentials, logarithms and lengths."""

from __future__ import annotations

from math import inf, nan
from typing import Any, Final

from ..core.carrier import is_tensor, records
from ..core.numeric import Numeric
from ..core.primitive import REALS, Primitive, Rule, mask_if, pass_if, pointwise
from .arithmetic import abs, equal, floor, maximum, not_equal, where
from .slope import slope

POSITIVE = (0.0, inf)
EXACT = 2.0**53  # from here on b - 1 is not b - 1
MINUS_TWO_THIRDS = -0.6666666666666666
LN2, INV_LN2, INV_LN10 = 0.6931471805599453, 1.4426950408889634, 0.4342944819032518


# --- powers ---------------------------------------------------------------------------------
def _pow_slope(t: Numeric, y: Numeric, a: Numeric, b: Any) -> Any:
    """t b a**(b - 1), where b - 1 is exact from b = 1/2 to 2**53; beyond, y / a has no such error.

    Where y is denormal the power is taken of half the exponent and squared: else b, which may be
    large, would magnify the few bits that are left.
    """
    denormal = (abs(y) < 1e-290) & not_equal(a, 0.0)  # then a**(b - 1) is normal up to b = 2
    rough = ((b < 0.5) | (b > EXACT)) & (abs(a) < inf) & not_equal(a, 0.0)
    tiny, low = denormal & (b > 2.0) & (b <= EXACT), denormal & ((b < -1.0) | (b > EXACT))
    even = equal(2.0 * floor(0.5 * b), b)
    e = b - 1.0
    exponent = where(low, 0.5 * b, where(tiny, 0.5 * e, e))
    power = pow(where(tiny | low, abs(a), a), exponent)
    t = t * where(equal(y, 0.0) & equal(abs(b), inf), 0.0, b)  # a power of 0 wins over infinite b
    negative = (a < 0.0) & even  # a**(b - 1), for whole b
    slope = t * power * where(tiny, where(negative, -power, power), 1.0)
    below = where(equal(a, 0.0), 1.0, a)
    squared = t * (power / where(negative, below, abs(below))) * power
    quotient = where(low, squared, t * y / below)
    return where(rough, quotient, slope)


def _pow_rule(t: Numeric, y: Numeric, a: Numeric, b: Any) -> Any:
    """t b a**(b - 1), for a small whole b as products: a square is the usual loss."""
    if type(b) in (float, int) and (b == 2 or (b in (3, 4) and is_tensor(a))):
        return t * b * (a if b == 2 else a * a if b == 3 else pow(a, b - 1))
    return pow_slope(t, a, b) if records(t, a, b) else _pow_slope(t, y, a, b)


def _pow_bend(t: Numeric, a: Numeric, b: Numeric) -> Numeric:
    """t b (b - 1) a**(b - 2), by the power itself where b - 2 is exact and the power is normal.

    Elsewhere it is the product of two roots, neither of which over- or underflows.
    """
    size, flat = abs(a), b * (b - 1.0)
    direct = (equal((b - 2.0) + 2.0, b) & (abs(b) <= EXACT)) | equal(a, 0.0) | equal(size, inf)
    root = pow(size, where(direct, 0.5 * (b - 2.0), 0.5 * b))
    root = where(direct, root, root / where(direct, 1.0, size))
    odd = (a < 0.0) & not_equal(2.0 * floor(0.5 * b), b)
    real = (a >= 0.0) | equal(floor(b), b)
    square = where(real, t * flat * root * where(odd, -root, root), nan)
    usual = direct & (((root > 1e-145) & (root < 1e150)) | equal(a, 0.0))
    bend = where(usual, t * flat * pow(a, where(direct, b - 2.0, 1.0)), square)
    lost = (equal(flat, 0.0) & equal(root, inf)) | (equal(root, 0.0) & equal(abs(flat), inf))
    return where(lost, t * 0.0, bend)


def _pow_mixed(t: Numeric, a: Numeric, b: Numeric) -> Numeric:
    """t a**(b - 1) (1 + b ln a), the power as a product of two roots."""
    rough = ((b < 1.0) | (b > EXACT)) & not_equal(a, 0.0) & (abs(a) < inf)
    root = pow(a, where(rough, 0.5 * b, 0.5 * (b - 1.0)))
    other = where(rough, root / where(rough, a, 1.0), root)
    # a power of 0 wins over an infinite b or logarithm
    factor = where(equal(root, 0.0) | equal(other, 0.0), 0.0, 1.0 + b * log(a))
    return t * factor * root * other


def _pow_exponent_slope(t: Numeric, a: Numeric, b: Numeric) -> Numeric:
    """t a**b ln a; the power in two halves, for ln a can bring it back from 0 or infinity."""
    half = pow(a, 0.5 * b)
    return t * where(equal(half, 0.0), 0.0, log(a)) * half * half


def _pow_exponent_bend(t: Numeric, a: Numeric, b: Numeric) -> Numeric:
    """t a**b (ln a)²"""
    power = pow(a, 0.5 * b)
    half = power * where(equal(power, 0.0), 0.0, log(a))
    return t * half * half


def _cbrt_slope(t: Numeric, y: Numeric, x: Numeric) -> Numeric:
    """t / (3 y²), from two forms of y² whose sum does not feel the last bits of y."""
    normal = (abs(x) > 0.0) & (abs(x) < inf)
    y2 = y * y
    return where(normal, t * (1.0 / y2 + 2.0 * (y / where(normal, x, 1.0))) / 9.0, t / (3.0 * y2))


# --- lengths --------------------------------------------------------------------------------
def scale(a: Numeric, b: Numeric) -> Numeric:
    """Return a power of two that keeps a² + b² away from overflow and underflow."""
    size = maximum(abs(a), abs(b))
    return where(size > 2.0**500, 2.0**-600, where(size < 2.0**-400, 2.0**600, 1.0))


def _hypot(a: Numeric, b: Numeric) -> Numeric:
    s = scale(a, b)
    u, v = a * s, b * s
    infinite = equal(abs(a), inf) | equal(abs(b), inf)
    return where(infinite, inf, sqrt(u * u + v * v) / s)


def _cosine(t: Numeric, y: Numeric, a: Numeric, b: Numeric) -> Numeric:
    """t a / y, where y, the length of (a, b), must be neither infinite nor denormal."""
    s = where(y > 2.0**1000, 0.25, where(y < 2.0**-960, 2.0**60, 1.0))
    return hypot_slope.inline(t, a * s, b * s)


def _hypot_bends(t: Numeric, a: Numeric, b: Numeric) -> tuple[Numeric, Numeric]:
    """Return the slopes of t a / h: t b² / h³ and -t a b / h³, with the length h of (a, b)."""
    h = hypot(a, b)
    u, v = a / h, b / h
    return t * v * (v / h), -t * u * (v / h)


# fmt: off
# --- slopes whose derivative would cancel or overflow, had it to be found from the formula --------
pow_slope: Final = slope("pow_slope", lambda t, a, b:
        _pow_slope(t, pow(a, b), a, b),  # type: ignore[arg-type]
    lambda s, z, t, a, b: _pow_bend(s * t, a, b),
    lambda s, z, t, a, b: mask_if(equal(a, 0.0), _pow_mixed(s * t, a, b)),
    tex=r"t \, b \, a^{b - 1}", summary="Derivative of a**b with respect to a, times t",
    domain=(REALS, POSITIVE, REALS),
    points=((1.0, 2.0, 2.0), (1.0, 0.0, 2.0), (1.0, 0.0, 3.0), (1.0, 2.0, 0.0),
            (1.0, 1e-200, 0.25), (1.0, 1.0 + 1e-15, 1e16), (1.0, 1e300, 2.5),
            (-2.0, -3.0, 4.0), (1.0, -3.0, -3.0)))
pow_exponent_slope: Final = slope("pow_exponent_slope", _pow_exponent_slope,
    lambda s, z, t, a, b: _pow_mixed(s * t, a, b),
    lambda s, z, t, a, b: _pow_exponent_bend(s * t, a, b),
    tex=r"t \, a^{b} \ln a", summary="Derivative of a**b with respect to b, times t",
    domain=(REALS, POSITIVE, REALS),
    points=((1.0, 2.0, 0.0), (1.0, 1e-200, 0.25), (-2.0, 1e-300, 0.01)))
cbrt_slope: Final = slope("cbrt_slope", lambda t, x:
        _cbrt_slope(t, cbrt(x), x),  # type: ignore[arg-type]
    lambda s, z, t, x: MINUS_TWO_THIRDS * s * z / x,
    tex=r"\frac{t}{3 \sqrt[3]{x^2}}", summary="Derivative of cbrt at x, times t",
    points=((1.0, 8.0), (1.0, -8.0), (-2.0, 1e-300), (1.0, 1e300)))
hypot_slope: Final = slope("hypot_slope", lambda t, a, b: t * (a / hypot(a, b)),
    lambda s, z, t, a, b: _hypot_bends(s * t, a, b)[0],
    lambda s, z, t, a, b: _hypot_bends(s * t, a, b)[1],
    tex=r"\frac{t \, a}{\sqrt{a^2 + b^2}}",
    summary="Derivative of hypot(a, b) with respect to a, times t",
    points=((1.0, 3.0, 4.0), (1.0, 3.0, 1e-8), (1.0, 1e-8, 3.0),
            (-2.0, 1e150, 1e-150)))

# --- powers ---------------------------------------------------------------------------------
pow: Primitive = pointwise("pow", lambda t, y, a, b: pass_if(not_equal(b, 0.0)
        | (not_equal(a, 0.0) & (abs(a) < inf)), _pow_rule(t, y, a, b)),  # type: ignore[operator]
    lambda t, y, a, b: mask_if(equal(a, 0.0) & (b >= 0.0), pow_exponent_slope.inline(t, a, b)),
    tex=r"a^{b}", summary="a to the power b", domain=(POSITIVE, REALS),
    kinks="0 to any power >= 0 does not depend on the exponent",
    points=((2.0, 0.0), (0.0, 0.0), (0.0, 2.0), (0.0, 1.0), (-2.0, 3.0),
            (-2.0, 2.0), (-2.0, -3.0), (1e-200, 0.25), (1e-100, 3.2), (-1e-100, 3.0), (-1e-80, 4.0),
            (1.38, -2280.3), (-1.5, -1755.0), (-1.5, -1756.0)))
square: Final = pointwise("square", lambda t, y, x: t * 2.0 * x, forward=lambda x: x * x,
    tex=r"x^2", summary="Square of x", points=(0.0, 1e200, -1e-200))
reciprocal: Final = pointwise("reciprocal", lambda t, y, x: -t * y * y, forward=lambda x: 1.0 / x,
    tex=r"\frac{1}{x}", summary="One divided by x", points=(1.0, -1.0, 1e-150, 1e150))
sqrt: Final = pointwise("sqrt", lambda t, y, x: t / (2.0 * y),
    tex=r"\sqrt{x}", summary="Square root of x", domain=POSITIVE, points=(1.0, 1e-300, 1e300))
cbrt: Primitive = pointwise(
    "cbrt", lambda t, y, x: cbrt_slope(t, x) if records(t, x) else _cbrt_slope(t, y, x),
    tex=r"\sqrt[3]{x}", summary="Cube root of x", points=(8.0, -8.0, 1e-300, 1e300))

# --- exponentials ---------------------------------------------------------------------------
exp: Final = pointwise("exp", lambda t, y, x: t * y,
    tex=r"e^{x}", summary="e to the power x", points=(0.0, 1000.0, -1000.0))
expm1: Final = pointwise("expm1", lambda t, y, x: t * exp(x),
    tex=r"e^{x} - 1", summary="e to the power x minus 1, exact near 0",
    points=(0.0, 1e-18, 1000.0, -1000.0))
# 2**x ln 2 is finite a little longer than 2**x itself.
exp2: Primitive = pointwise("exp2", lambda t, y, x: where(x < 1023.0, t * y * LN2,
        t * exp2(x - 1.0) * (2.0 * LN2)),
    tex=r"2^{x}", summary="2 to the power x", points=(0.0, 1024.4, -1080.0))

# --- logarithms -----------------------------------------------------------------------------
log: Final = pointwise("log", lambda t, y, x: t / x, domain=POSITIVE,
    tex=r"\ln x", summary="Natural logarithm of x", points=(1.0, 1e-300, 1e300))
log1p: Final = pointwise("log1p", lambda t, y, x: t / (1.0 + x), domain=(-1.0, inf),
    tex=r"\ln(1 + x)", summary="Natural logarithm of 1 + x, exact near 0",
    points=(0.0, 1e-18, -0.75, 1e300))
log2: Final = pointwise("log2", lambda t, y, x: t * INV_LN2 / x, domain=POSITIVE,
    tex=r"\log_2 x", summary="Logarithm of x to base 2", points=(1.0, 8.0, 1e-300))
log10: Final = pointwise("log10", lambda t, y, x: t * INV_LN10 / x, domain=POSITIVE,
    tex=r"\log_{10} x", summary="Logarithm of x to base 10", points=(1.0, 1000.0, 1e-300))

# --- lengths --------------------------------------------------------------------------------
hypot: Primitive = pointwise(
    "hypot", lambda t, y, a, b: mask_if(equal(y, 0.0), _cosine(t, y, a, b)),
    lambda t, y, a, b: mask_if(equal(y, 0.0), _cosine(t, y, b, a)), forward=_hypot,
    tex=r"\sqrt{a^2 + b^2}", summary="Length of the vector (a, b)", kinks="slope 0 at the origin",
    points=((0.0, 0.0), (3.0, 4.0), (1e200, 1e200), (1e-200, 0.0), (1.5e308, -1.5e308)))

# --- Taylor series --------------------------------------------------------------------------------
# The rules of these slopes make new powers; in a series every order would double their number.
SERIES: Final[dict[Primitive, Rule]] = {
    pow_slope: pow_slope.forward,
    pow_exponent_slope: lambda t, a, b: t * log(a) * pow(a, b),
}
