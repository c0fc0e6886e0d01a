"""Keys and masks that differ between the examples of a batch.

They cannot be options of a primitive, which are equal for all examples. They become indices into
the flat array, which primitives take as an argument.
"""

from __future__ import annotations

from itertools import pairwise
from math import prod
from typing import Any

import numpy as np

from ...errors import KeyRangeError
from ...levels.vmap import batch_of, varies
from ...ops.arithmetic import where
from ...ops.array import indexing as parts
from ...ops.array import places as primitives
from ...ops.array.facts import plain as plainly
from ...ops.array.structure import broadcast_to, permute_dims, reshape
from .types import Operand

__all__ = ["holds", "put", "stand_in", "take"]


def holds(key: Any) -> bool:
    """Return whether a part of a key varies."""
    return any(map(varies, key))


def stand_in(x: Operand) -> Operand:
    """Return an array of the shape and dtype of ``x``, for code that only reads these."""
    return np.broadcast_to(np.zeros((), x.dtype), x.shape)


def take(x: Any, key: Any) -> Operand:
    """Return ``x[key]``."""
    key = _with_known_masks(key)
    if not holds(key):
        return parts.take(x, key=key)
    axis = _only_axis(key)
    if axis is not None:
        return _along(x, key[axis], axis)
    found = places_of(key, x.shape)
    # `pick` takes indices as an argument, which may vary; the key of `take` is an option
    y = primitives.pick(_row_of(x), _row_of(found))
    return reshape(y, shape=found.shape)


def _only_axis(key: Any) -> int | None:
    """Return the axis of which a key takes some places, if it takes all of every other axis."""
    chosen = [i for i, part in enumerate(key) if varies(part)]
    rest = [part for i, part in enumerate(key) if i not in chosen]
    whole = all(type(part) is slice and part == slice(None) for part in rest)
    if len(chosen) != 1 or not whole or batch_of(key[chosen[0]]) is not None:
        return None
    return chosen[0]


def _along(x: Any, part: Any, axis: int) -> Operand:
    """Return x with some places of an axis: of rows, without an index for each of their numbers."""
    n = x.shape[axis]
    ids = reshape(plainly(part, dtype=np.intp), shape=(part.size,))
    ids = where((ids < -n) | (ids >= n), n, where(ids < 0, ids + n, ids))
    order = (*(i for i in range(x.ndim) if i != axis), axis)
    y = primitives.pick(permute_dims(x, axes=order), ids)
    back = (*range(axis), x.ndim - 1, *range(axis, x.ndim - 1))
    shape = (*x.shape[:axis], *part.shape, *x.shape[axis + 1 :])
    return reshape(permute_dims(y, axes=back), shape=shape)


def add(t: Any, key: Any, shape: tuple[int, ...]) -> Any:
    """Return zeros of ``shape`` with ``t`` added at ``key``."""
    key = _with_known_masks(key)
    if not holds(key):
        return parts.scatter(t, key=key, shape=shape)
    found = places_of(key, shape)
    return reshape(primitives.drop(_row_of(t), _row_of(found), size=prod(shape)), shape=shape)


def put(x: Operand, v: Operand, key: tuple[Any, ...]) -> Operand:
    """Return x with ``v`` at the indices that ``key`` names."""
    if key and varies(key[0]) and key[0].dtype == bool:
        if _fits_mask(x, v, key):
            return _put_where(x, v, key)
        key = _with_known_masks(key)
        if not holds(key):
            return parts.update(x, v, key=key)
    found = places_of(key, x.shape)
    v = broadcast_to(v, shape=found.shape)
    return reshape(primitives.overwrite(_row_of(x), _row_of(v), _row_of(found)), shape=x.shape)


def _row_of(x: Operand) -> Operand:
    return reshape(x, shape=(prod(x.shape),))


def _fits_mask(x: Operand, v: Operand, key: tuple[Any, ...]) -> bool:
    """Return whether one value goes to all elements that a mask chooses."""
    # values of the elements of a mask would be as many as it has True values, which differ
    left = x.ndim - key[0].ndim
    return len(key) == 1 and v.ndim <= left and key[0].shape == x.shape[: key[0].ndim]


def _with_known_masks(key: Any) -> Any:
    """Return a key in which masks that only a program traces are arrays, which it asks for."""
    if any(varies(p) and p.dtype == bool and batch_of(p) is not None for p in key):
        raise _no_mask()
    return tuple([p._data if varies(p) and p.dtype == bool else p for p in key])


def _put_where(x: Operand, v: Operand, key: tuple[Any, ...]) -> Operand:
    mask = key[0]
    left = x.ndim - mask.ndim
    return where(reshape(mask, shape=(*mask.shape, *(1,) * left)), v, x)


def _no_mask() -> KeyRangeError:
    return KeyRangeError(
        where="t[mask], with a mask of each example",
        expected="results of one size for all examples",
        got="as many elements as the mask has True values, which differ",
        fix="Write gradwalk.where(mask, t, 0.0), which keeps the shape.",
    )


# --- indices --------------------------------------------------------------------------------------


def places_of(key: tuple[Any, ...], shape: tuple[int, ...]) -> Operand:
    """Return the index in the flat array of every element that ``key`` takes.

    Parts of the key that vary count as 0 at first; then their values, times the step of the axis,
    are added. An index out of bounds along any axis becomes one out of bounds of the flat array.
    """
    plain, size = tuple([stand_in(p) if varies(p) else p for p in key]), prod(shape)
    # NumPy resolves the parts that do not vary, on an array of flat indices
    found: Any = np.arange(size).reshape(shape)[plain]
    behind, outside = _axes_behind(plain, len(shape)), None
    for part, axis in _with_axes(key, len(shape)):
        if not varies(part):
            continue
        n, step = shape[axis], prod(shape[axis + 1 :])
        # indices have no derivative; small dtypes would overflow in the sum below
        ids = plainly(part, dtype=np.intp)
        ids = reshape(ids, shape=(*part.shape, *(1,) * behind)) if part.ndim else ids
        wrong = (ids < -n) | (ids >= n)
        outside = wrong if outside is None else outside | wrong
        found = found + where(ids < 0, ids + n, ids) * step
    return where(outside, size, found)  # `size` is out of bounds of the flat array


def _axes_of(part: Any) -> int:
    """Return how many axes of the array a part of a key takes."""
    if part is None or part is Ellipsis:
        return 0
    return part.ndim if getattr(part, "dtype", None) == np.dtype(bool) else 1


def _with_axes(key: tuple[Any, ...], ndim: int) -> list[tuple[Any, int]]:
    """Return each part of a key with the first axis that it takes."""
    hidden, axis, found = ndim - sum(map(_axes_of, key)), 0, []
    for part in key:
        found.append((part, axis))
        axis += hidden if part is Ellipsis else _axes_of(part)
    return found


def _axes_behind(key: tuple[Any, ...], ndim: int) -> int:
    """Return how many axes a result has after those of the index arrays."""
    hidden = ndim - sum(map(_axes_of, key))
    kept = [hidden if p is Ellipsis else int(p is None or isinstance(p, slice)) for p in key]
    kept += [] if any(p is Ellipsis for p in key) else [hidden]
    arrays = [i for i, p in enumerate(key) if isinstance(p, (int, np.ndarray))]
    if any(b - a > 1 for a, b in pairwise(arrays)):
        return sum(kept)  # NumPy puts the axes of separated index arrays first
    return sum(kept[arrays[-1] + 1 :]) if arrays else 0
