"""NumPy's ufuncs by the functions of the array API: their names, dtypes and what is lacking."""

from __future__ import annotations

import operator
from collections.abc import Callable
from functools import cache
from importlib import import_module
from typing import Any

import numpy as np

from .held import Raw
from .places import Place

__all__ = ["INFIX", "REDUCTIONS", "function_for", "loop_of"]

INFIX: dict[str, Callable[[Any, Any], Any]] = {
    "add": operator.add,
    "subtract": operator.sub,
    "multiply": operator.mul,
    "divide": operator.truediv,
    "power": operator.pow,
    "less": operator.lt,
    "less_equal": operator.le,
    "greater": operator.gt,
    "greater_equal": operator.ge,
    "equal": operator.eq,
    "not_equal": operator.ne,
}
"""Ufuncs that are operators, which take numbers of Python beside arrays in every library."""

STANDARD = {
    "absolute": "abs",
    "fabs": "abs",
    "rint": "round",
    "power": "pow",
    "arctan2": "atan2",
    "invert": "bitwise_invert",
    "left_shift": "bitwise_left_shift",
    "right_shift": "bitwise_right_shift",
    **{f"arc{name}": f"a{name}" for name in ("sin", "cos", "tan", "sinh", "cosh", "tanh")},
}
"""Names of the array API, where they are not those of NumPy's ufuncs."""

REDUCTIONS = {
    "add": "sum",
    "multiply": "prod",
    "maximum": "max",
    "minimum": "min",
    "logical_and": "all",
    "logical_or": "any",
}
"""Functions of the array API for ``ufunc.reduce``."""


def _cbrt(xp: Any, x: Raw) -> Raw:
    """Return a root by powers, and one step of Newton's method for its last digits."""
    y = xp.sign(x) * xp.abs(x) ** (1.0 / 3.0)
    better = y - (y - x / (y * y)) / 3.0
    return xp.where(xp.isfinite(better), better, y)


def _sign(xp: Any, x: Raw) -> Raw:
    """Return the signs of PyTorch, whose function gives 0 for a NaN."""
    return xp.where(x == x, import_module("torch").sign(x), x)


def _truth(xp: Any, x: Raw) -> Raw:
    return x if x.dtype == xp.bool else x != 0


def _reciprocal(xp: Any, x: Raw) -> Raw:
    """Return 1 / x; of integers it is an integer, 0 beyond 1 and -1."""
    if xp.isdtype(x.dtype, "real floating"):
        return 1.0 / x
    return xp.where(xp.abs(x) == 1, x, xp.zeros_like(x))


def _of_bools(f: Callable[..., Any]) -> Callable[..., Any]:
    """Return a function of PyTorch that takes bools, as NumPy's does."""

    def run(*xs: Raw) -> Raw:
        try:
            return f(*xs)
        except RuntimeError:
            torch = import_module("torch")
            if any(x.dtype != torch.bool for x in xs):
                raise
            return f(*[x.to(torch.int32) for x in xs]) != 0

    return run


COMPOSED: dict[str, Callable[..., Any]] = {
    "exp2": lambda xp, x: 2.0**x,
    "cbrt": _cbrt,
    "square": lambda xp, x: x * x,
    "reciprocal": _reciprocal,
    "logical_and": lambda xp, a, b: _truth(xp, a) & _truth(xp, b),
    "logical_or": lambda xp, a, b: _truth(xp, a) | _truth(xp, b),
    "logical_xor": lambda xp, a, b: _truth(xp, a) ^ _truth(xp, b),
    "logical_not": lambda xp, x: ~_truth(xp, x),
    "vecdot": lambda xp, a, b: xp.sum(a * b, axis=-1),
}
"""Ufuncs that are compositions wherever a library lacks them, or restricts their dtypes."""

ALWAYS = {"logical_and", "logical_or", "logical_xor", "logical_not", "reciprocal", "square"}

WITHOUT_BOOLS = {"absolute", "floor", "ceil", "trunc", "matmul"}
"""Ufuncs that PyTorch does not compute of bools."""

ELSEWHERE = {
    ("torch", "erf"): "torch.special",
    ("torch", "erfc"): "torch.special",
    ("jax", "erf"): "jax.scipy.special",
    ("jax", "erfc"): "jax.scipy.special",
    ("cupy", "erf"): "cupyx.scipy.special",
    ("cupy", "erfc"): "cupyx.scipy.special",
}
"""Functions that the array API has not, in other modules of a library."""


def function_for(place: Place, name: str) -> Callable[..., Any] | None:
    """Return the function of arrays of ``place`` for a ufunc of NumPy, or ``None``."""
    key = (place.library, name)
    if key not in _known:
        _known[key] = _found(place, name)
    return _known[key]


_known: dict[tuple[str, str], Callable[..., Any] | None] = {}


def _found(place: Place, name: str) -> Callable[..., Any] | None:
    if name in INFIX:
        return INFIX[name]
    module = ELSEWHERE.get((place.library, name))
    if (place.library, name) == ("torch", "sign"):  # its package looks where the NaN are
        return lambda x: _sign(place.xp, x)
    if module is not None:
        return getattr(import_module(module), name)  # type: ignore[no-any-return]
    own: Callable[..., Any] | None = getattr(place.xp, STANDARD.get(name, name), None)
    if own is not None and place.library == "torch" and name in WITHOUT_BOOLS:
        return _of_bools(own)
    composed = COMPOSED.get(name)
    if composed is None or (own is not None and name not in ALWAYS):
        return own
    xp = place.xp
    return lambda *args: composed(xp, *args)


@cache
def loop_of(ufunc: np.ufunc, kinds: tuple[Any, ...]) -> tuple[Any, ...]:
    """Return the dtypes in which NumPy computes: of each operand and of the result.

    ``kinds`` are dtypes, or types of Python's numbers, which are weak.

    >>> loop_of(np.true_divide, (np.dtype("int32"), float))
    (dtype('float64'), dtype('float64'), dtype('float64'))
    """
    known = [np.dtype(bool) if kind is bool else kind for kind in kinds]
    return ufunc.resolve_dtypes((*known, *[None] * ufunc.nout))
