"""Arguments of a batch one level down, where the examples lie along the first axis."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ...core.carrier import is_tensor
from ...levels.vmap import VmapLevel
from ...ops.array.structure import broadcast_to, permute_dims, reshape
from ..functions.types import Operand
from ..graph.tensor import Tensor

__all__ = ["align", "full", "move_axis", "rank_of", "repeat_for_batch", "unshare"]


def repeat_for_batch(batch: VmapLevel, y: Operand, ndim: int | None = None) -> Operand:
    """Repeat a result that all examples share, as a view."""
    y = np.asarray(y) if isinstance(y, (list, tuple)) else y
    shape = getattr(y, "shape", ())
    if ndim is not None and ndim > len(shape):
        # ranks first: broadcasting from the right would pair the examples with a data axis
        shape = (1,) * (ndim - len(shape)) + shape
        y = reshape(y, shape=shape) if hasattr(y, "shape") else y
    return broadcast_to(y, shape=(batch.size, *shape))


def move_axis(x: Operand, source: int, target: int) -> Operand:
    """Move an axis to another position, as a view."""
    order = list(range(x.ndim))
    order.insert(target % x.ndim, order.pop(source))
    # the identity would only be one more node
    return x if order == sorted(order) else permute_dims(x, axes=tuple(order))


def unshare(y: Any, inputs: Sequence[Any]) -> Operand:
    """Return a copy if the result is an argument, or shows an element twice."""
    if is_tensor(y) and any(y is x for x in inputs):  # two Tensors never share an array
        return y.clone()
    raw = y._data if type(y) is Tensor and y._node is None else y
    # writing into one element of a repeated array would change the others
    if type(raw) is np.ndarray and 0 in raw.strides:
        return Tensor._of(raw.copy())
    return y


def rank_of(*args: Any) -> int:
    """Return the largest number of axes of an argument, as the function sees them."""
    return max(
        [np.ndim(a) if isinstance(a, (list, tuple)) else getattr(a, "ndim", 0) for a in args]
    )


def align(batch: VmapLevel, a: Any, ndim: int) -> Operand:
    """Return an argument one level down, with new axes so that it broadcasts from the right."""
    if not batch.owns(a):
        return a
    missing = ndim - a.ndim
    if missing <= 0:
        return a._primal
    # (n, 3) against (4, 3): from the right, n examples would meet 4 rows
    return reshape(a._primal, shape=(batch.size, *(1,) * missing, *a.shape))


def full(batch: VmapLevel, a: Any, ndim: int | None = None) -> Any:
    """Return an argument one level down, always with the axis of the examples."""
    if batch.owns(a):
        return align(batch, a, a.ndim if ndim is None else ndim)
    return repeat_for_batch(batch, a, ndim)
