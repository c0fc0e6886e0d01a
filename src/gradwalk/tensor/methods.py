"""Operators that arrays have and scalars have not, and powers that are faster than ``pow``."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ..errors import NotANumberError
from ..ops import TABLE
from .functions.arguments import operand
from .functions.elementwise import (
    bitwise_and,
    bitwise_invert,
    bitwise_left_shift,
    bitwise_or,
    bitwise_right_shift,
    bitwise_xor,
    positive,
    round,
    trunc,
)
from .functions.types import ArrayLike
from .graph.fast import method
from .graph.tensor import Tensor

__all__ = ["HOOKS"]

Function = Callable[..., Any]

_SHORTCUTS: dict[Any, Function] = {
    1: positive,  # a copy: no two Tensors share memory
    2: method(TABLE["square"], Tensor),
    0.5: method(TABLE["sqrt"], Tensor),
    -1: method(TABLE["reciprocal"], Tensor),
}
_exp2 = method(TABLE["exp2"], Tensor)
"""Powers with functions of their own, which are faster and have the same slopes."""


def _power(self: Tensor, exponent: ArrayLike) -> Any:
    # floats only: NumPy's reciprocal of integers is truncated to 0
    if type(exponent) in (int, float) and self.dtype.kind == "f":
        shortcut = _SHORTCUTS.get(exponent)
        if shortcut is not None:
            return shortcut(self)
    return _attempt(TABLE["pow"], self, exponent)


def _power_of(self: Tensor, base: ArrayLike) -> Any:
    if type(base) in (int, float) and base == 2 and self.dtype.kind == "f":
        return _exp2(self)
    return _attempt(TABLE["pow"], base, self)


def _attempt(f: Function, *args: object) -> Any:
    """Return ``f(*args)``, or ``NotImplemented`` if an argument is not a number."""
    try:
        for arg in args:
            operand(arg, "")
    except NotANumberError:
        # Python then asks the other operand; one of NumPy would ask here again
        if not any(isinstance(arg, (np.generic, np.ndarray)) for arg in args):
            return NotImplemented
    return f(*args)


def _round(self: Tensor, decimals: int | None = None) -> Any:
    return round(self, decimals or 0)


def _operators(name: str, f: Function) -> dict[str, Function]:
    return {
        f"__{name}__": lambda self, other: _attempt(f, self, other),
        f"__r{name}__": lambda self, other: _attempt(f, other, self),
    }


HOOKS: dict[str, Any] = {
    **_operators("and", bitwise_and),
    **_operators("or", bitwise_or),
    **_operators("xor", bitwise_xor),
    **_operators("lshift", bitwise_left_shift),
    **_operators("rshift", bitwise_right_shift),
    "__invert__": lambda self: bitwise_invert(self),
    "__pos__": positive,
    "__pow__": _power,
    "__rpow__": _power_of,
    "__round__": _round,
    "__trunc__": trunc,
    "copy": positive,
}
"""What is attached to `Tensor`, besides `METHODS`."""
