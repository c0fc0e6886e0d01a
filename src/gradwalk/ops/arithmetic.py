"""THE TABLE, part 1: arithmetic, comparison, choice and rounding."""

from __future__ import annotations

from math import inf
from typing import Final

from ..core.primitive import Primitive, mask_if, pass_if, pointwise

TIE = ((1.0, 1.0), (0.0, 1.0), (1.0, 0.0))
# fmt: off

# --- the four operations --------------------------------------------------------------------
neg: Final = pointwise("neg", lambda t, y, x: -t,
    tex=r"-x", summary="Negative of x", points=(0.0, 1.5))
add: Final = pointwise("add", lambda t, y, a, b: t, lambda t, y, a, b: t, infix="+",
    tex=r"a + b", summary="Sum of a and b", points=((1.0, 2.0), (1e308, 1e308)))
sub: Final = pointwise("sub", lambda t, y, a, b: t, lambda t, y, a, b: -t, infix="-",
    tex=r"a - b", summary="Difference of a and b", points=((1.0, 1.0), (1.0, 1e-20)))
mul: Final = pointwise("mul", lambda t, y, a, b: t * b, lambda t, y, a, b: t * a, infix="*",
    tex=r"a \, b", summary="Product of a and b", points=((0.0, 0.0), (3.0, -2.0)))
# One quotient t / b serves both operands: with a second one, -t * y / b, eight iterations of Newton
# compiled by XLA took 4 times as long.
div: Final = pointwise("div", lambda t, y, a, b: t / b, lambda t, y, a, b: -(t / b) * y,
    infix="/", tex=r"\frac{a}{b}", summary="Quotient of a and b",
    points=((0.0, 1.0), (1.0, 1e-300)))
fma: Final = pointwise("fma", lambda t, y, a, b, c: t * b, lambda t, y, a, b, c: t * a,
    lambda t, y, a, b, c: t, params="a b c",
    tex=r"a \, b + c", summary="a times b plus c, rounded once",
    points=((2.0, 3.0, 4.0), (1.0 + 2.0**-30, 1.0 - 2.0**-30, -1.0)))

# --- division with remainder, as Python defines it ------------------------------------------
floordiv: Final = pointwise("floordiv", None, None, tex=r"\lfloor a / b \rfloor",
    summary="Floor of a / b; declared to have no derivative",
    points=((7.0, 2.0), (-7.0, 2.0), (6.0, 3.0)))
mod: Final = pointwise("mod", lambda t, y, a, b: t, lambda t, y, a, b: -t * floordiv(a, b),
    tex=r"a \bmod b", summary="Remainder of a / b, with the sign of b",
    kinks="the slope of the piece to the right of a jump",
    points=((7.0, 2.0), (-7.0, 2.0), (7.0, -2.0), (6.0, 3.0)))

# --- comparisons: facts, without a derivative -----------------------------------------------
less: Final = pointwise("less", None, None, infix="<", tex=r"a < b",
    forward=lambda a, b: a < b, points=TIE, summary="Whether a is smaller than b")
less_equal: Final = pointwise("less_equal", None, None, infix="<=", tex=r"a \le b",
    forward=lambda a, b: a <= b, points=TIE, summary="Whether a is at most b")
greater: Final = pointwise("greater", None, None, infix=">", tex=r"a > b",
    forward=lambda a, b: a > b, points=TIE, summary="Whether a is larger than b")
greater_equal: Final = pointwise("greater_equal", None, None, infix=">=", tex=r"a \ge b",
    forward=lambda a, b: a >= b, points=TIE, summary="Whether a is at least b")
equal: Final = pointwise("equal", None, None, infix="==", tex=r"a = b",
    forward=lambda a, b: a == b, points=TIE, summary="Whether a and b are the same number")
not_equal: Final = pointwise("not_equal", None, None, infix="!=", tex=r"a \ne b",
    forward=lambda a, b: a != b, points=TIE, summary="Whether a and b are different numbers")
logical_and: Final = pointwise("logical_and", None, None, infix="&&", tex=r"a \land b",
    forward=lambda a, b: bool(a) and bool(b), points=TIE, summary="Whether neither a nor b is 0")
logical_or: Final = pointwise("logical_or", None, None, infix="||", tex=r"a \lor b",
    forward=lambda a, b: bool(a) or bool(b), points=TIE, summary="Whether a or b is not 0")

# --- choice: the branch not taken contributes nothing ---------------------------------------
where: Final = pointwise("where", None, lambda t, y, c, a, b: pass_if(not_equal(c, 0.0), t),
    lambda t, y, c, a, b: mask_if(not_equal(c, 0.0), t), params="condition a b",
    forward=lambda c, a, b: a if c else b, tex=r"\begin{cases} a & c \\ b & \neg c \end{cases}",
    summary="a where the condition holds, else b", points=((1.0, 2.0, 3.0), (0.0, 2.0, 3.0)))
maximum: Final = pointwise("maximum",
    lambda t, y, a, b: mask_if(a < b, where(equal(a, b), t / 2.0, t)),
    lambda t, y, a, b: mask_if(b < a, where(equal(a, b), t / 2.0, t)),
    forward=lambda a, b: where(a > b, a, where(a <= b, b, a + b)),
    tex=r"\max(a, b)", summary="The larger of a and b; NaN if either is NaN",
    kinks="a tie gives half to each", points=((1.0, 1.0), (0.0, 0.0), (1.0, 2.0)))
minimum: Final = pointwise("minimum",
    lambda t, y, a, b: mask_if(a > b, where(equal(a, b), t / 2.0, t)),
    lambda t, y, a, b: mask_if(b > a, where(equal(a, b), t / 2.0, t)),
    forward=lambda a, b: where(a < b, a, where(a >= b, b, a + b)),
    tex=r"\min(a, b)", summary="The smaller of a and b; NaN if either is NaN",
    kinks="a tie gives half to each", points=((1.0, 1.0), (0.0, 0.0), (1.0, 2.0)))
clip: Final = pointwise("clip", lambda t, y, x, lo, hi: mask_if((x < lo) | (x > hi), t),
    lambda t, y, x, lo, hi: pass_if((x < lo) & (lo <= hi), t),
    lambda t, y, x, lo, hi: pass_if(maximum(x, lo) > hi, t),
    forward=lambda x, lo, hi: minimum(maximum(x, lo), hi), params="x min max", defaults=(-inf, inf),
    tex=r"\min(\max(x, \ell), h)", summary="x, held between min and max",
    kinks="slope 1 on both bounds",
    points=((0.0, 0.0, 1.0), (1.0, 0.0, 1.0), (-1.0, 0.0, 1.0), (2.0, 0.0, 1.0), (0.5, 1.0, 0.0)))
abs: Final = pointwise("abs", lambda t, y, x: mask_if(equal(x, 0.0), t * sign(x)), forward="fabs",
    tex=r"|x|", summary="Absolute value of x", kinks="slope 0 at 0", points=(0.0, -1.0))

# --- rounding: declared to have no derivative -----------------------------------------------
sign: Primitive = pointwise("sign", None, tex=r"\operatorname{sign} x", summary="-1, 0 or 1",
    forward=lambda x: where(x > 0.0, 1.0, where(x < 0.0, -1.0, x)), points=(0.0, -2.0))
floor: Final = pointwise("floor", None, tex=r"\lfloor x \rfloor", points=(1.0, -0.5),
    summary="Largest integer not above x")
ceil: Final = pointwise("ceil", None, tex=r"\lceil x \rceil", points=(1.0, -0.5),
    summary="Smallest integer not below x")
round: Final = pointwise("round", None, tex=r"\operatorname{round} x", points=(0.5, 1.5, -2.5),
    summary="Nearest integer, ties to the even one")
