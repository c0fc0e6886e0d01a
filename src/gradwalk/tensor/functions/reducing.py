"""Arguments of reductions: an array, its axes, and the check that it has elements."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ...core.array_primitive import ArrayPrimitive
from ...errors import SizeError
from ..graph.fast import quick
from ..graph.tensor import Tensor
from ..graph.types import DTypeLike
from .arguments import axes_of, operand
from .dtypes import astype
from .types import Operand

__all__ = ["array_of", "axes_or_all", "demand_numbers", "floating", "in_dtype", "short"]


def short(primitive: ArrayPrimitive) -> Callable[..., Any]:
    """Return a fast function that applies a primitive of one argument and its options."""
    quickly = quick(primitive, Tensor)

    def apply(x: Operand, **options: Any) -> Operand:
        # arrays stay arrays; tracers are evaluated by their level
        return quickly(x, **options) if type(x) is Tensor else primitive(x, **options)

    return apply


def array_of(x: object, where: str, dtype: DTypeLike | None = None) -> Tensor:
    """Return ``x`` as primitives take it, converted to ``dtype`` if one is given."""
    if type(x) is not Tensor:
        x = operand(x, where)
    return x if dtype is None else astype(x, dtype, copy=False)


def in_dtype(y: Tensor, dtype: DTypeLike | None) -> Tensor:
    """Return a result in the dtype that was asked for: NumPy adds small integers as int64."""
    return y if dtype is None else y.astype(np.dtype(dtype), copy=False)


def axes_or_all(axis: Any, ndim: int, where: str) -> Any:
    """Return `axes_of`, with the usual cases first; ``None`` stays, for all axes."""
    if axis is None:
        return None
    if type(axis) is int and -ndim <= axis < ndim:
        return (axis % ndim,)
    return axes_of(axis, ndim, where)


def floating(x: Any) -> Operand:
    """Return x as floats, for functions that have no meaning for integers."""
    return x if x.dtype.kind == "f" else astype(x, np.float64)  # as NumPy's mean does


def demand_numbers(x: Operand, axes: Any, where: str) -> None:
    """Raise `SizeError` if there are no elements along ``axes`` to choose from."""
    if x.size:
        return
    lengths = x.shape if axes is None else [x.shape[i] for i in axes]
    if 0 in lengths:
        raise SizeError(
            where=where,
            expected="at least one element",
            got=f"an array of shape {x.shape}",
            fix="Skip empty arrays: they have no maximum or minimum.",
        )
