"""THE TABLE of arrays, part 1: the same numbers in another arrangement. All of it is linear."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...arrayrow import ArrayRow, linear

Shape = tuple[int, ...]


def _sum_to(x: Any, shape: Shape) -> Any:
    """x summed over the axes along which ``shape`` was broadcast to it."""
    lead = x.ndim - len(shape)
    if x.shape[lead:] == shape:
        return np.add.reduce(x, axis=tuple(range(lead)))
    axes = tuple(i for i, n in enumerate(x.shape) if i < lead or shape[i - lead] != n)
    return np.add.reduce(x, axis=axes, keepdims=True).reshape(shape)


broadcast_to: ArrayRow  # adjoint to sum_to, as the others are to themselves
astype: ArrayRow
reshape: ArrayRow
permute_dims: ArrayRow

# fmt: off
sum_to       = linear("sum_to", lambda t, y, x, shape: broadcast_to(t, shape=x.shape),
                      forward=_sum_to, tex=r"\sum x",
                      summary="Sum over the axes along which a shape was broadcast")
broadcast_to = linear("broadcast_to", lambda t, y, x, shape: sum_to(t, shape=x.shape),
                      forward=np.broadcast_to, tex=r"x",
                      summary="x repeated along new axes and axes of length 1")
astype       = linear("astype", lambda t, y, x, dtype: astype(t, dtype=x.dtype),
                      forward=lambda x, dtype: x.astype(dtype), tex=r"x",
                      summary="x in another floating type")
reshape      = linear("reshape", lambda t, y, x, shape: reshape(t, shape=x.shape),
                      forward=lambda x, shape: x.reshape(shape), tex=r"x",
                      summary="x in another shape, in the same order")
permute_dims = linear("permute_dims",
                      lambda t, y, x, axes: permute_dims(t, axes=_inverse(axes)),
                      forward=lambda x, axes: x.transpose(axes), tex=r"x^{T}",
                      summary="x with its axes in another order")


def _inverse(axes: Shape) -> Shape:
    return tuple(axes.index(i) for i in range(len(axes)))
