"""What stands for the values of a foreign program: Tensors, and arrays without a gradient."""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np

from ..core.carrier import is_tensor
from ..ops.array.multi_output import PART
from ..tensor import Tensor

__all__ = ["Operand", "array_of", "is_live", "numbers", "put_numbers", "tensor"]

Operand: TypeAlias = Any
"""A Tensor, or an array without a gradient: of NumPy, or of the framework."""

NARROW = ("bfloat16", "float8_e4m3fn", "float8_e5m2")
"""Floating types that NumPy has no arithmetic for: their numbers are stored in float32."""


def is_live(x: Operand) -> bool:
    """Return whether gradients flow through ``x``."""
    return is_tensor(x) and bool(x.requires_grad)


def numbers(x: Operand) -> Operand:
    """Return the array of a Tensor, and anything else as it is."""
    return x._data if is_tensor(x) else x


def array_of(x: Operand) -> Operand:
    """Return an array of NumPy. Numbers of types that NumPy does not have become float32."""
    array = np.asarray(x)
    return array.astype(np.float32) if array.dtype.name in NARROW else array


def tensor(x: Operand, dtype: Any = None) -> Operand:
    """Return a Tensor; an array becomes one without a gradient."""
    return x if is_tensor(x) else Tensor(np.asarray(array_of(x), dtype))


def put_numbers(y: Operand, found: Operand) -> None:
    """Replace the numbers of a result by those that the framework has computed.

    Its node keeps them, whether the rules of the table read the result or not.
    """
    node = y._node
    y._data = found
    if node is None or not node.saved:
        return
    if node._primitive is PART:  # one of several results: the rules read all of them
        joint, i = node._inputs[0], node.options["index"]
        results = joint.saved[0]
        joint.saved = ((*results[:i], found, *results[i + 1 :]), *joint.saved[1:])
    else:
        node.saved = (found, *node.saved[1:])
