"""THE TABLE of arrays: predicates, bit operations and rounding, all without a derivative."""

from __future__ import annotations

from typing import Final

import numpy as np

from ...core.array_primitive import general

# fmt: off

# --- questions with the answer yes or no ----------------------------------------------------
isnan: Final = general("isnan", None, forward=np.isnan, tex=r"x \ne x",
    summary="Whether x is not a number")
isinf: Final = general("isinf", None, forward=np.isinf, tex=r"|x| = \infty",
    summary="Whether x is infinite")
isfinite: Final = general("isfinite", None, forward=np.isfinite, tex=r"|x| < \infty",
    summary="Whether x is neither infinite nor NaN")
signbit: Final = general("signbit", None, forward=np.signbit, tex=r"x \le -0",
    summary="Whether the sign bit of x is set, as it is in -0.0")
unit: Final = general("unit", None, forward=lambda x: np.copysign(1.0, x), tex=r"\pm 1",
    summary="1 with the sign of x, be it that of a zero")
isclose: Final = general("isclose", None, None, forward=np.isclose, tex=r"a \approx b",
    summary="Whether a is b up to a tolerance")

# --- logic and bits -------------------------------------------------------------------------
logical_not: Final = general("logical_not", None, forward=np.logical_not, tex=r"\lnot x",
    summary="Whether x is 0")
logical_xor: Final = general("logical_xor", None, None, forward=np.logical_xor, tex=r"a \oplus b",
    summary="Whether one of a and b is 0 and the other is not")
bitwise_and: Final = general(
    "bitwise_and", None, None, forward=np.bitwise_and, tex=r"a \mathbin{\&} b",
    summary="Bits that are set in a and in b")
bitwise_or: Final = general("bitwise_or", None, None, forward=np.bitwise_or, tex=r"a \mathbin{|} b",
    summary="Bits that are set in a or in b")
bitwise_xor: Final = general("bitwise_xor", None, None, forward=np.bitwise_xor, tex=r"a \oplus b",
    summary="Bits that are set in one of a and b")
invert: Final = general("bitwise_invert", None, forward=np.invert, tex=r"\lnot x",
    summary="Bits that are not set in x")
left_shift: Final = general("bitwise_left_shift", None, None, forward=np.left_shift, tex=r"a \ll b",
    summary="a times two to the power b")
right_shift: Final = general(
    "bitwise_right_shift", None, None, forward=np.right_shift, tex=r"a \gg b",
    summary="Floor of a divided by two to the power b")

# --- the numbers alone ----------------------------------------------------------------------
plain: Final = general("plain", None, forward=lambda x, dtype: x.astype(dtype), tex=r"x",
    summary="x in a type of its own, through which no derivative passes")

# --- rounding -------------------------------------------------------------------------------
trunc: Final = general("trunc", None, forward=np.trunc, tex=r"\operatorname{trunc} x",
    summary="Nearest integer towards 0")
decimals: Final = general("decimals", None, forward=lambda x, decimals: np.round(x, decimals),
    tex=r"\operatorname{round} x",
    summary="Nearest number with so many decimals, ties to the even one")
nextafter: Final = general("nextafter", None, None, forward=np.nextafter, tex=r"x \pm \epsilon",
    summary="The number next to a in the direction of b")
