"""Rows on NumPy arrays: how an operation is evaluated, what a rule may give.

A row that C and NumPy know by a name is NumPy's function of it. Every other row is written in rows,
which mean the same for arrays as for numbers; those that need more digits than float32 has are
computed in float64 and rounded once.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache, partial
from math import inf
from typing import Any, Self

import numpy as np

from .ieee import NAMES
from .kernels import chosen_rule, emptied, has_choice, has_kernel, mapped, mapped_rule
from .ops.arithmetic import maximum, where
from .primitive import GATE, UNLESS, Carrier, Primitive

__all__ = ["Gated", "evaluate", "function_of", "gate", "rules_of", "unless", "untouched"]

Array = np.ndarray[Any, Any]


# --- no contribution at all, number by number -----------------------------------------------------


class Gated:
    """A gradient some of whose numbers are *no contribution*: structural zeros.

    ``data`` is 0 wherever ``shut`` is true. What such a zero is multiplied by further on does not
    matter, be it infinite: the sweep opens the gate again only where another path adds to it.
    ``shut`` may be given as a function that makes it: most gates are never looked at.

    What `at` makes is a ``part`` at a ``key`` and nothing else. Added to an array it goes to its
    place there, and what lies elsewhere stays as it is, down to the sign of a zero. Zeros are made
    for it only if somebody asks for all of its ``data``.
    """

    __slots__ = ("_data", "_keys", "_shut", "dtype", "key", "part", "shape")
    __array_ufunc__ = None
    key: Any
    shape: Any
    dtype: Any

    def __init__(self, data: Any, shut: Array | Callable[[], Array]) -> None:
        self._data, self._shut = data, shut
        self.part: Any = None
        self._keys: Any = None

    @classmethod
    def at(cls, key: Any, part: Array, shape: tuple[int, ...]) -> Self:
        """``part`` where a ``key`` that names no place twice leads in an array of ``shape``."""
        made = cls(None, partial(_opened, partial(np.full, shape, True), [key]))
        made.key, made.part, made.shape, made.dtype = key, part, shape, part.dtype
        return made

    @property
    def data(self) -> Any:
        """The numbers, zeros where there is no contribution."""
        if self._data is None:
            self._data = self._scattered()
        return self._data

    def _scattered(self) -> Array:
        data = np.zeros(self.shape, self.dtype)
        data[self.key] = self.part
        return data

    @property
    def shut(self) -> Array:
        """Where there is no contribution."""
        if callable(self._shut):
            self._shut = self._shut()
        return self._shut

    @classmethod
    def of(cls, shut: Array, share: Any) -> Self:
        """``share`` where it is not shut; what it was there before does not matter."""
        if isinstance(share, Carrier) or isinstance(shut, Carrier):
            data = where(shut, 0.0, share)
            fits = shut.shape == data.shape
            return cls(data, shut if fits else np.broadcast_to(shut, data.shape))
        return cls(_emptied(shut, share), shut)

    def __add__(self, other: Any) -> Any:
        if not isinstance(other, Gated):
            return self.data + other if self.part is None else self.__radd__(other)
        if other.part is None and self.part is not None:
            return other + self
        if other.part is None or not (self.part is not None or other._fits(self.data)):
            return Gated(self.data + other.data, self.shut & other.shut)
        shut = self._shut if self._keys is None else self.shut
        keys: list[Any] = []
        data = self._scattered() if self._data is None else self._data.copy()
        total = Gated(data, partial(_opened, shut, keys))
        total._keys = keys
        return total.__iadd__(other)

    def __radd__(self, other: Any) -> Any:
        if self.part is not None and self._fits(other):
            return self.put_on(other.copy())
        return other + self.data

    def __iadd__(self, other: Any) -> Any:
        """For whoever alone knows ``self`` and has not looked: a sum takes a part in its place."""
        if self._keys is None or not isinstance(other, Gated) or other.part is None:
            return self + other
        other.put_on(self._data)
        self._keys.append(other.key)
        return self

    def put_on(self, array: Array) -> Array:
        """The part added to an array that it fits, in its place."""
        array[self.key] += self.part
        return array

    def _fits(self, x: Any) -> bool:
        return type(x) is np.ndarray and (x.shape, x.dtype) == (self.shape, self.dtype)


def _opened(shut: Any, keys: list[Any]) -> Array:
    """A mask of its own, opened where the keys lead."""
    mask = np.array(shut() if callable(shut) else shut)
    for key in keys:
        mask[key] = False
    return mask


def untouched(reached: Any) -> Any:
    """Where there is still a number and no NaN: a mask, as an array if there is one of it."""
    mask = np.logical_not(np.isnan(reached))
    return mask._data if getattr(mask, "_rank", 0) == 1 else mask  # a Tensor of constants


def gate(condition: Any, t: Any) -> Gated:
    """`primitive.gate` for each number of an array."""
    return unless(np.logical_not(condition), t)


def unless(condition: Any, t: Any) -> Gated:
    """`primitive.unless` for each number of an array."""
    if isinstance(t, Carrier):
        return Gated.of(condition, t)
    if condition.shape != np.shape(t):
        shape = np.broadcast_shapes(condition.shape, np.shape(t))
        condition = np.broadcast_to(condition, shape)
    return Gated(_emptied(condition, t), condition)


def _emptied(shut: Any, t: Any) -> Any:
    """``t`` with zeros where it is shut, whatever it is there.

    For many numbers by their bits, which takes no branches: 55 µs for 100,000 of them, not 390.
    """
    done = emptied(shut, t)
    if done is not None:
        return done
    usual = t.__class__ is np.ndarray and t.itemsize <= 8 and shut.dtype == np.bool_
    if usual and t.size > 4096 and t.shape == shut.shape:
        integer = f"i{t.itemsize}"
        mask = np.subtract(shut.view(np.int8), np.int8(1)).astype(integer)  # 0 if shut, else ones
        return np.bitwise_and(mask, t.view(integer), out=mask).view(t.dtype)
    return np.where(shut, 0.0, t)


# --- forward ------------------------------------------------------------------------------------


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
    GATE.name: gate,
    UNLESS.name: unless,
}
"""Rows that NumPy evaluates in one call; the rest are compositions of these."""

FLOAT64_RULES = {"hypot", "atan2", "pow", "atan", "asinh"}
"""Rows that NumPy evaluates in any precision; the squares in their slopes need float64's range."""

OWN_PRECISION = {"sigmoid", "leaky_relu", "softplus", "selu", "hardtanh"} | (
    UFUNCS.keys() - FLOAT64_RULES - {"erf", "erfc", "fma"}
)
"""Rows whose formulas hold in float32 and float16 as they stand; others are run in float64."""


@cache
def function_of(row: Primitive) -> Callable[..., Any]:
    """The operation of ``row`` on arrays."""
    if row.kind != "pointwise":
        return row.forward
    found = UFUNCS.get(row.name)
    if found is not None and row.name in OWN_PRECISION | FLOAT64_RULES:
        return found
    if row.name not in OWN_PRECISION and has_kernel(row):
        return mapped(row)
    forward = found or row.forward
    return _quietly(forward if row.name in OWN_PRECISION else _in_float64(forward))


def evaluate(row: Primitive, args: tuple[Any, ...]) -> Any:
    """``row`` on arrays and numbers."""
    return function_of(row)(*args)


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
    if isinstance(result, Gated):
        return Gated(_rounded(result.data, dtype), result.shut)
    return None if result is None else np.asarray(result).astype(dtype, copy=False)


@cache
def rules_of(row: Primitive) -> tuple[Callable[..., Any] | None, ...]:
    """The rules of ``row`` as they are run on arrays, one per argument; of a variadic row none."""
    if getattr(row, "variadic", False):  # its one rule is told which argument it is for
        return ()
    if row.kind != "pointwise":
        return row.rules
    if row.name in OWN_PRECISION:
        rules = enumerate(row.rules)
        return tuple(chosen_rule(row, i, Gated) if has_choice(row, i) else r for i, r in rules)
    if has_kernel(row):
        return tuple(rule and mapped_rule(row, i, Gated) for i, rule in enumerate(row.rules))
    return tuple(rule and _in_float64(rule) for rule in row.rules)
