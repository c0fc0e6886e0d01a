"""The functions of ``math``, extended to every argument as IEEE 754 defines.

Python's ``math`` raises where IEEE 754 defines a result (``math.exp(1000)``, ``1.0 / 0.0``). The
engines need that result: an infinity where the function overflows or has a pole, NaN where it has
no real value. All other results come from the C library. The native engine calls it too, so both
engines compute the same bits.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable
from math import copysign, inf, isfinite, nan

__all__ = ["NAMES"]


def _extend(
    f: Callable[[float], float], poles: dict[float, float], odd: bool = False
) -> Callable[[float], float]:
    """Return ``f`` with its IEEE 754 values at poles, outside its domain and past overflow."""

    def extended(x: float) -> float:
        try:
            return f(x)
        except ValueError:
            return poles.get(x, nan)
        except OverflowError:
            return copysign(inf, x) if odd else inf

    return extended


def div(a: float, b: float) -> float:
    """Return a / b. Division by zero gives an infinity with the right sign, 0 / 0 gives NaN."""
    try:
        return a / b
    except ZeroDivisionError:
        return nan if a == 0.0 or a != a else copysign(inf, a) * copysign(1.0, b)


def pow(a: float, b: float) -> float:
    """Return a to the power b: NaN if there is no real value, an infinity at a pole.

    A square is a product, as NumPy computes it: rounded once, where libm may be a rounding off.
    """
    if b == 2.0:
        return a * a
    try:
        return math.pow(a, b)
    except ValueError:  # a negative base, or a pole at zero
        if a != 0.0:
            return nan
    except OverflowError:
        pass
    return -inf if copysign(1.0, a) < 0.0 and math.fmod(b, 2.0) in (1.0, -1.0) else inf


def floordiv(a: float, b: float) -> float:
    """Return the floor of a / b, as Python defines it."""
    return a // b if b != 0.0 else nan if a == 0.0 else div(a, b)


def mod(a: float, b: float) -> float:
    """Return the remainder of a / b with the sign of b, as Python defines it; NaN for b = 0."""
    return a % b if b != 0.0 else nan


def floor(x: float) -> float:
    """Return the largest integer not above ``x``, as a float."""
    return x // 1.0 if isfinite(x) else x


def ceil(x: float) -> float:
    """Return the smallest integer not below ``x``, as a float."""
    return -(-x // 1.0) if isfinite(x) else x


def round(x: float) -> float:
    """Round to the nearest integer, ties to even, as NumPy and C's ``rint`` do."""
    return copysign(float(x.__round__()), x) if isfinite(x) else x


def _exact_fma(x: float, y: float, z: float) -> float:
    """Return x·y + z rounded once, by exact integers: ``math.fma`` is new in Python 3.13."""
    if not isfinite(z):
        return z if isfinite(x) and isfinite(y) else x * y + z
    if not (isfinite(x) and isfinite(y)) or x == 0.0 or y == 0.0:
        return x * y + z
    (a, b), (c, d), (e, f) = x.as_integer_ratio(), y.as_integer_ratio(), z.as_integer_ratio()
    numerator, denominator = a * c * f + e * b * d, b * d * f
    if numerator == 0:
        return 0.0
    try:
        return numerator / denominator
    except OverflowError:
        return inf if numerator > 0 else -inf


def _native_fma(x: float, y: float, z: float) -> float:
    try:
        return float(math.fma(x, y, z))  # type: ignore[attr-defined, unused-ignore]
    except ValueError:
        return nan
    except OverflowError:
        return copysign(inf, x) * copysign(1.0, y)


fma: Callable[[float, float, float], float] = _native_fma if hasattr(math, "fma") else _exact_fma


def _functions(names: str, poles: dict[float, float]) -> dict[str, Callable[..., float]]:
    return {name: _extend(getattr(math, name), poles) for name in names.split()}


NAMES: dict[str, Callable[..., float]] = {
    **_functions("exp exp2 expm1 cosh sin cos tan asin acos sqrt acosh", {}),
    **_functions("log log2 log10", {0.0: -inf}),
    **_functions("log1p", {-1.0: -inf}),
    **_functions("atanh", {1.0: inf, -1.0: -inf}),
    "sinh": _extend(math.sinh, {}, odd=True),
    **{name: getattr(math, name) for name in ("atan", "asinh", "tanh", "erf", "erfc", "cbrt")},
    **{name: getattr(math, name) for name in ("atan2", "fabs")},
    **{name: getattr(operator, name) for name in ("neg", "add", "sub", "mul")},
    **{f.__name__: f for f in (div, pow, floordiv, mod, floor, ceil, round)},
    "fma": fma,
}
"""Maps the name of a C function to the function on Python floats."""
