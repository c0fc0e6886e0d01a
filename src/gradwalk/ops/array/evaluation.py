"""Rows on NumPy arrays: how an operation is evaluated, and its rules.

A row that C and NumPy know by a name is NumPy's function of it. Every other row is written in rows,
which mean the same for arrays as for numbers; those that need more digits than float32 has are
computed in float64 and rounded once.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from math import inf
from typing import Any

import numpy as np

from ...core.ieee import NAMES
from ...core.primitive import MASK_IF, PASS_IF, Primitive
from ..arithmetic import maximum
from .kernels import chosen_rule, has_choice, has_kernel, mapped, mapped_rule
from .structural_zero import StructuralZero, mask_if, pass_if

__all__ = ["evaluate", "function_of", "rules_of"]


def _each(name: str) -> Callable[..., Any]:
    """A function that NumPy does not have, from the one that the table has for numbers."""
    return np.vectorize(NAMES[name], otypes=[np.float64])


def _clip(x: Any, low: Any, high: Any) -> Any:
    """Both bounds as weak numbers; one that is infinite is none, and leaves integers integers."""
    x = x if type(low) is float and low == -inf else maximum(x, low)
    return x if type(high) is float and high == inf else np.minimum(x, high)


SAME_NAME = """add hypot floor ceil sign maximum minimum square reciprocal where exp exp2 expm1
log log1p log2 log10 sqrt cbrt sin cos tan sinh cosh tanh less less_equal greater greater_equal
equal not_equal logical_and logical_or"""

UFUNCS: dict[str, Callable[..., Any]] = {
    **{name: getattr(np, name) for name in SAME_NAME.split()},
    **{f"a{name}": getattr(np, f"arc{name}") for name in ("sin", "cos", "tan")},
    **{f"a{name}": getattr(np, f"arc{name}") for name in ("sinh", "cosh", "tanh")},
    "atan2": np.arctan2,
    "neg": np.negative,
    "sub": np.subtract,
    "mul": np.multiply,
    "div": np.true_divide,
    "floordiv": np.floor_divide,
    "mod": np.remainder,
    "pow": np.power,
    "clip": _clip,
    "fabs": np.abs,
    "abs": np.abs,
    "round": np.rint,
    "relu": lambda x: np.maximum(x, 0),
    "erf": _each("erf"),
    "erfc": _each("erfc"),
    "fma": _each("fma"),
    PASS_IF.name: pass_if,
    MASK_IF.name: mask_if,
}
"""Rows that NumPy evaluates in one call; the rest are compositions of these."""

FLOAT64_RULES = {"hypot", "atan2", "pow", "atan", "asinh"}
"""Rows that NumPy evaluates in any precision; the squares in their slopes need float64's range."""

OWN_PRECISION = {"sigmoid", "leaky_relu", "softplus", "selu", "hardtanh"} | (
    UFUNCS.keys() - FLOAT64_RULES - {"erf", "erfc", "fma"}
)
"""Rows whose formulas hold in float32 and float16 as they stand; others are run in float64."""


@cache
def function_of(primitive: Primitive) -> Callable[..., Any]:
    """The operation of ``row`` on arrays."""
    if primitive.kind != "pointwise":
        return primitive.forward
    found = UFUNCS.get(primitive.name)
    if found is not None and primitive.name in OWN_PRECISION | FLOAT64_RULES:
        return found
    if primitive.name not in OWN_PRECISION and has_kernel(primitive):
        return mapped(primitive)
    forward = found or primitive.forward
    return _quietly(forward if primitive.name in OWN_PRECISION else _in_float64(forward))


def evaluate(primitive: Primitive, args: tuple[Any, ...]) -> Any:
    """``row`` on arrays and numbers."""
    return function_of(primitive)(*args)


def _quietly(f: Callable[..., Any]) -> Callable[..., Any]:
    """``f`` without NumPy's warnings: branches that are not taken may overflow on the way.

    Arrays without axes get one for the time being, for in a formula they would soon be plain
    numbers, and Python's division by zero is an error.
    """

    def quiet(*args: Any) -> Any:
        with np.errstate(all="ignore"):
            if any(getattr(arg, "shape", ()) for arg in args):
                return f(*args)
            return f(*[np.reshape(a, 1) if hasattr(a, "shape") else a for a in args])[0]

    return quiet


def _in_float64(f: Callable[..., Any]) -> Callable[..., Any]:
    """``f`` computed in float64 and rounded once to the precision of its arguments."""

    def run(*args: Any) -> Any:
        dtype = _precision(args)
        if dtype == np.float64:
            return f(*args)
        return _rounded(f(*map(_widened, args)), dtype)

    return run


def _widened(arg: Any) -> Any:
    """An array or a number in float64; what only stands in for one as it is."""
    known = isinstance(arg, (np.ndarray, np.generic, float, int))
    return np.asarray(arg, np.float64) if known else arg


def _precision(args: tuple[Any, ...]) -> Any:
    """The floating type that arrays and weak Python numbers have together."""
    arrays = [a for a in args if isinstance(a, (np.ndarray, np.generic))]
    dtype = np.result_type(*arrays) if arrays else np.dtype(np.float64)
    return dtype if dtype.kind == "f" else np.dtype(np.float64)


def _rounded(result: Any, dtype: Any) -> Any:
    if isinstance(result, StructuralZero):
        return StructuralZero(_rounded(result.data, dtype), result.shut)
    return None if result is None else np.asarray(result).astype(dtype, copy=False)


@cache
def rules_of(primitive: Primitive) -> tuple[Callable[..., Any] | None, ...]:
    """The rules of ``row`` as they are run on arrays, one per argument; of a variadic row none."""
    if getattr(primitive, "variadic", False):  # its one rule is told which argument it is for
        return ()
    if primitive.kind != "pointwise":
        return primitive.rules
    if primitive.name in OWN_PRECISION:
        rules = enumerate(primitive.rules)
        return tuple(chosen_rule(primitive, i) if has_choice(primitive, i) else r for i, r in rules)
    if has_kernel(primitive):
        return tuple(rule and mapped_rule(primitive, i) for i, rule in enumerate(primitive.rules))
    return tuple(rule and _in_float64(rule) for rule in primitive.rules)
