"""Arithmetic on duals of arrays in one pass over memory, by kernels printed from the table.

A product of two arrays of 100,000 elements with tangents takes four passes of NumPy, 140 µs, or one
of native/dual.h, 90 µs. Where the kernels do not fit, the primitive and its rules run one after the
other, with the same results.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ... import native
from ...core.carrier import Carrier
from ...core.primitive import Primitive
from ..graph.tensor import Tensor

__all__ = ["fused_jvp"]

ARITHMETIC = {"neg", "square", "reciprocal", "add", "sub", "mul", "div"}
PRIMITIVES: set[str] = ARITHMETIC if native.engine else set()
FLOAT64 = np.dtype(np.float64)


def fused_jvp(primitive: Primitive, raws: Sequence[Any], tangents: Sequence[Any]) -> Any:
    """Return result and tangent of an arithmetic primitive on arrays of doubles, else ``None``."""
    if primitive.name not in PRIMITIVES:
        return None
    arrays = [_plain(x) for x in raws]
    ts = [x if x is None else _plain(x) for x in tangents]
    shape = _shape(arrays, ts)
    if shape is None:
        return None
    y, t = np.empty(shape), np.empty(shape)
    operands = tuple(map(_read, arrays)), tuple(map(_read, ts))
    if not native.engine.map_dual(primitive, y, t, *operands):  # no loop for these operands
        return None
    # a user's function that computes with Tensors goes on with Tensors
    if any(isinstance(x, Carrier) for x in (*raws, *tangents)):
        return Tensor._of(y), Tensor._of(t)
    return y, t


def _plain(x: Any) -> Any:
    """Return an array that the kernels can read, if ``x`` is or holds one; otherwise ``False``."""
    if type(x) is Tensor:
        if x._node is not None:  # its operation has to be recorded as well
            return False
        x = x._data
    elif type(x) is float:
        return np.array(x)
    if type(x) is not np.ndarray or x.dtype is not FLOAT64:
        return False
    return x if x.flags.c_contiguous or (x.size and not any(x.strides)) else False


def _shape(arrays: Sequence[Any], ts: Sequence[Any]) -> Any:
    """Return the common shape of all arrays that are not single numbers; ``None`` if there is
    none.
    """
    if any(x is False for x in (*arrays, *ts)):
        return None
    shapes = {x.shape for x in (*arrays, *ts) if x is not None and x.shape}
    result = {x.shape for x in arrays if x.shape}  # a tangent may not be larger than that
    return shapes.pop() if shapes == result and len(shapes) == 1 else None


def _read(x: Any) -> Any:
    """Return an array that repeats one number as this number."""
    return x if x is None or x.flags.c_contiguous else x[(0,) * x.ndim]
