"""Primitives on NumPy arrays: how an operation is evaluated, and its rules.

Exponentials, logarithms, circular functions and what is made of them have vector kernels. Another
primitive with a name in C and NumPy is NumPy's function. Every other one is a composition, which
means the same for arrays as for numbers. Compositions that need more digits than float32 has are
computed in float64 and rounded once.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from math import inf
from typing import Any

import numpy as np

from ...core.array_primitive import per_primitive
from ...core.ieee import NAMES
from ...core.numeric import Array
from ...core.primitive import MASK_IF, PASS_IF, Primitive
from ..arithmetic import maximum
from .kernels import chosen_rule, has_choice, has_kernel, mapped, mapped_rule
from .masking import select
from .structural_zero import StructuralZero, mask_if, pass_if
from .vectors import vector_function, vector_rule
from .warning_lines import at_user_line, reset_state, set_state, state_of

__all__ = ["evaluate", "function_of", "rules_of"]


def _each(name: str) -> Callable[..., Any]:
    """Return a function on arrays that calls the function on numbers for each element."""
    return np.vectorize(NAMES[name], otypes=[np.float64])


def _clip(x: Array, low: Any, high: Any) -> Array:
    """Clip with weak bounds. An infinite bound is skipped, so integers stay integers."""
    x = x if type(low) is float and low == -inf else maximum(x, low)
    return x if type(high) is float and high == inf else np.minimum(x, high)


def _differs(a: Any, b: Any) -> Any:
    """Compare, but take bools as they are: rules ask whether a condition is not 0."""
    bools = a.__class__ is np.ndarray and a.dtype == np.bool_
    return a.copy() if bools and type(b) is float and b == 0.0 else np.not_equal(a, b)


SAME_NAME = """add hypot floor ceil sign maximum minimum square reciprocal exp exp2 expm1
log log1p log2 log10 sqrt cbrt sin cos tan sinh cosh tanh less less_equal greater greater_equal
equal logical_and logical_or"""

UFUNCS: dict[str, Callable[..., Any]] = {
    **{name: getattr(np, name) for name in SAME_NAME.split()},
    **{f"a{name}": getattr(np, f"arc{name}") for name in ("sin", "cos", "tan")},
    **{f"a{name}": getattr(np, f"arc{name}") for name in ("sinh", "cosh", "tanh")},
    "not_equal": _differs,
    "where": select,
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
"""Primitives that NumPy evaluates in one call; the others are compositions of these."""

FLOAT64_RULES = {"hypot", "atan2", "pow", "atan", "asinh"}
"""Primitives that NumPy evaluates in any precision; squares in their rules need float64."""

OWN_SLOPES = {f"{name}_slope" for name in ("asin", "atanh", "cbrt")}
OWN_PRECISION = (
    {"leaky_relu", "hardtanh"}
    | OWN_SLOPES
    | (UFUNCS.keys() - FLOAT64_RULES - {"erf", "erfc", "fma"})
)
"""Primitives whose formulas are accurate in float32 and float16; others run in float64."""


@per_primitive
def function_of(primitive: Primitive) -> Callable[..., Any]:
    """Return the operation of a primitive on arrays."""
    if primitive.kind != "pointwise":
        return primitive.forward
    kernel = vector_function(primitive)
    if kernel is not None:
        return kernel
    found = UFUNCS.get(primitive.name)
    if found is not None and primitive.name in OWN_PRECISION | FLOAT64_RULES:
        return found
    if primitive.name not in OWN_PRECISION and has_kernel(primitive):
        return mapped(primitive)
    forward = found or primitive.forward
    return _quietly(forward if primitive.name in OWN_PRECISION else _in_float64(forward))


def evaluate(primitive: Primitive, args: Sequence[Any], options: Mapping[str, Any] = {}) -> Any:
    """Evaluate a primitive on arrays and numbers, with NumPy's warnings at the user's line."""
    state = at_user_line[state_of()]
    token = None if state is None else set_state(state)
    try:
        return function_of(primitive)(*args, **options)
    finally:
        if token is not None:
            reset_state(token)


def _quietly(f: Callable[..., Any]) -> Callable[..., Any]:
    """Return ``f`` without NumPy's warnings: a branch that is not taken may overflow.

    Arrays without axes get one during the call. Otherwise NumPy turns them into scalars inside a
    formula, and a division of Python numbers by zero raises.
    """

    def quiet(*args: Any) -> Any:
        with np.errstate(all="ignore"):
            if any(getattr(arg, "shape", ()) for arg in args):
                return f(*args)
            return f(*[np.reshape(a, 1) if hasattr(a, "shape") else a for a in args])[0]

    return quiet


def _in_float64(f: Callable[..., Any]) -> Callable[..., Any]:
    """Return ``f`` computed in float64 and rounded once to the precision of its arguments."""

    def run(*args: Any) -> Any:
        if all(a.dtype == np.float64 for a in args if isinstance(a, (np.ndarray, np.generic))):
            return f(*args)
        return _rounded(f(*map(_widened, args)), _precision(args))

    return run


def _widened(arg: Any) -> Any:
    """Return arrays and numbers in float64, and anything else unchanged."""
    known = isinstance(arg, (np.ndarray, np.generic, float, int))
    return np.asarray(arg, np.float64) if known else arg


def _precision(args: tuple[Any, ...]) -> Any:
    """Return the common floating dtype of arrays and weak Python numbers."""
    arrays = [a for a in args if isinstance(a, (np.ndarray, np.generic))]
    dtype = np.result_type(*arrays) if arrays else np.dtype(np.float64)
    return dtype if dtype.kind == "f" else np.dtype(np.float64)


def _rounded(result: Any, dtype: Any) -> Any:
    if isinstance(result, StructuralZero):
        return StructuralZero(_rounded(result.data, dtype), result.mask)
    return None if result is None else np.asarray(result).astype(dtype, copy=False)


@per_primitive
def rules_of(primitive: Primitive) -> tuple[Callable[..., Any] | None, ...]:
    """Return the rules of a primitive on arrays, one per argument; none if it is variadic."""
    if getattr(primitive, "variadic", False):  # its only rule gets the index of the argument
        return ()
    if primitive.kind != "pointwise":
        return primitive.rules
    return tuple(rule and _rule(primitive, i) for i, rule in enumerate(primitive.rules))


def _rule(primitive: Primitive, index: int) -> Callable[..., Any]:
    rule: Any = primitive.rules[index]
    kernel = vector_rule(primitive, index)
    if kernel is not None:
        return kernel
    if primitive.name in OWN_PRECISION:
        return chosen_rule(primitive, index) if has_choice(primitive, index) else rule
    return mapped_rule(primitive, index) if has_kernel(primitive) else _in_float64(rule)
