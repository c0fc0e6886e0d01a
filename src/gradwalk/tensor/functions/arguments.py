"""Arguments of functions of Tensors: arrays, axes and shapes, checked and normalised."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, cast

import numpy as np

from ...core.expect import as_float, describe, index_of
from ...engine.observing import INTERCEPTORS
from ...errors import OptionError, SizeError
from ...levels.level import Tracer
from ...levels.programs import lifted
from ...ops.array.structure import broadcast_to
from ..graph.convert import as_operand
from ..graph.tensor import Tensor

__all__ = ["axes_of", "axis_of", "operand", "shape_of"]


def operand(x: Any, where: str) -> Tensor:
    """Return ``x`` as primitives take it: Tensors and arrays unchanged, the rest as a Tensor.

    Type checkers see a Tensor: the decorators in `types` declare that arrays give arrays.
    """
    if INTERCEPTORS:  # a compiled function may close over it
        x = lifted(x)
    if isinstance(x, Tensor) or (isinstance(x, np.ndarray) and x.dtype.kind in "biuf"):
        return cast(Tensor, x)  # an array is not wrapped: arrays in, arrays out
    if isinstance(x, Tracer):  # a traced number becomes an array without axes
        return cast(Tensor, broadcast_to(x, shape=()))
    raw, node = as_operand(x, where)
    if type(raw) is int and not -(2**63) <= raw < 2**63:  # NumPy would make an array of objects
        raw = as_float(raw, where)
    # a Value has a leaf of its own; a constant has no node
    return Tensor._of(raw, node if node._primitive is None else None)


def axis_of(axis: Any, ndim: int, where: str) -> int:
    """Return an axis counted from the front.

    >>> axis_of(-1, 3, "here")
    2
    """
    index = axis if type(axis) is int else index_of(axis)
    if index is not None and -ndim <= index < ndim:
        return index % ndim
    raise SizeError(
        where=f"{where}(axis)",
        expected=f"an axis from {-ndim} to {ndim - 1} of {ndim}" if ndim else "an array with axes",
        got=describe(axis),
        fix=f"Write {where}([a, b]), with all arrays in one list."
        if hasattr(axis, "shape") and where in ("concat", "concatenate", "stack")
        else "Count from 0 at the front, or from -1 at the back.",
    )


def axes_of(axis: Any, ndim: int, where: str) -> tuple[int, ...]:
    """Return the axes that ``axis`` names, each once: one, several, or ``None`` for all.

    >>> axes_of(None, 2, "here"), axes_of(-1, 2, "here")
    ((0, 1), (1,))
    """
    if axis is None:
        return tuple(range(ndim))
    members: Sequence[Any] = list(axis) if isinstance(axis, Iterable) else [axis]
    axes = tuple(axis_of(member, ndim, where) for member in members)
    if len(set(axes)) != len(axes):
        raise SizeError(
            where=f"{where}(axis)",
            expected="each axis once",
            got=describe(axis),
            fix="Leave the repetition out; -1 is the last axis.",
        )
    return axes


def shape_of(shape: Any, where: str) -> tuple[int, ...]:
    """Return a shape as a tuple of non-negative integers. One integer is a shape of one axis.

    >>> shape_of(3, "here"), shape_of([2, 3], "here")
    ((3,), (2, 3))
    """
    members = list(shape) if isinstance(shape, Iterable) else [shape]
    # by __index__, as Python's indices: np.int64(2) is a length, 2.0 is not
    if all(index_of(n) is not None and n.__index__() >= 0 for n in members):
        return tuple(n.__index__() for n in members)
    raise OptionError(
        where=f"{where}(shape)",
        expected="a non-negative integer, or a tuple of them",
        got=describe(shape),
        fix="Write (2, 3) for two rows of three.",
    )
