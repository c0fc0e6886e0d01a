"""THE TABLE of arrays, part 1: rearrangements of elements, all of them linear."""

from __future__ import annotations

from itertools import pairwise
from typing import Any, Final

import numpy as np

from ...core.array_primitive import ArrayPrimitive, linear
from ...core.numeric import NumericArray
from .indexing import take

Shape = tuple[int, ...]


def _sum_to(x: Any, shape: Shape) -> Any:
    """x summed over the axes along which ``shape`` was broadcast to it."""
    lead = x.ndim - len(shape)
    if x.shape[lead:] == shape:
        return np.add.reduce(x, axis=tuple(range(lead)))
    axes = tuple(i for i, n in enumerate(x.shape) if i < lead or shape[i - lead] != n)
    return np.add.reduce(x, axis=axes, keepdims=True).reshape(shape)


def span(axis: int, start: int, stop: int) -> tuple[slice, ...]:
    """Return the key of the elements from ``start`` to ``stop`` along one axis."""
    return (*[slice(None)] * axis, slice(start, stop))


def _at(axis: int, place: int) -> tuple[Any, ...]:
    return (*[slice(None)] * axis, place)


def spans(axis: int, bounds: Shape) -> list[tuple[slice, ...]]:
    """Return the keys of consecutive parts along one axis."""
    front = (slice(None),) * axis
    return [(*front, slice(start, stop)) for start, stop in pairwise(bounds)]


def _split(x: NumericArray, axis: int, bounds: Shape) -> tuple[Any, ...]:
    return tuple([x[key] for key in spans(axis, bounds)])


def _unstack(x: Any, axis: int) -> tuple[Any, ...]:
    return tuple(np.moveaxis(x, axis, 0) if axis else x)


def _stacked(*args: Any, axis: int) -> Any:
    """Return ``np.stack`` of arrays of one shape; its checks cost more than a small stack."""
    if axis or getattr(args[0], "dtype", np.dtype(float)).kind == "O":  # items would be arrays
        return np.concatenate([np.expand_dims(x, axis) for x in args], axis)
    return np.array(args)


def inverse(axes: Shape) -> Shape:
    """Return the permutation that undoes ``axes``."""
    return tuple(axes.index(i) for i in range(len(axes)))


def _back(shift: Shape) -> Shape:
    return tuple(-s for s in shift)


# fmt: off
# sum_to is adjoint to broadcast_to, concat to split, stack to unstack, the others to themselves.
sum_to: Final = linear("sum_to", lambda t, y, x, shape: broadcast_to(t, shape=x.shape),
    forward=_sum_to, tex=r"\sum x", summary="Sum over the axes along which a shape was broadcast")
broadcast_to: ArrayPrimitive = linear("broadcast_to",
    lambda t, y, x, shape: sum_to(t, shape=x.shape),
    forward=np.broadcast_to, tex=r"x", summary="x repeated along new axes and axes of length 1")
astype: ArrayPrimitive = linear("astype", lambda t, y, x, dtype: astype(t, dtype=x.dtype),
    forward=lambda x, dtype: x.astype(dtype), tex=r"x", summary="x in another floating type")
to_place: ArrayPrimitive = linear("to_place",
    lambda t, y, x, place, back: to_place(t, place=back, back=place),
    forward=lambda x, place, back: place(x), tex=r"x",
    summary="x in the memory of another library or device")
reshape: ArrayPrimitive = linear("reshape", lambda t, y, x, shape: reshape(t, shape=x.shape),
    forward=lambda x, shape: x.reshape(shape), tex=r"x",
    summary="x in another shape, in the same order")
permute_dims: ArrayPrimitive = linear("permute_dims",
    lambda t, y, x, axes: permute_dims(t, axes=inverse(axes)),
    forward=lambda x, axes: x.transpose(axes), tex=r"x^{T}",
    summary="x with its axes in another order")
flip: ArrayPrimitive = linear("flip", lambda t, y, x, axis: flip(t, axis=axis),
    forward=lambda x, axis: np.flip(x, axis), tex=r"x_{n-i}", summary="x with some axes reversed")
roll: ArrayPrimitive = linear("roll",
    lambda t, y, x, shift, axis: roll(t, shift=_back(shift), axis=axis),
    forward=lambda x, shift, axis: np.roll(x, shift, axis), tex=r"x_{i-s}",
    summary="x with what is pushed over the end coming in at the front")
concat: Final = linear("concat", lambda t, y, *args, index, axis, bounds:
        take(t, key=span(axis, bounds[index], bounds[index + 1])),
    forward=lambda *args, axis, bounds: np.concatenate(args, axis),
    variadic=True, tex=r"(a, b, \dots)", summary="Arrays end to end")
split: Final = linear("split", lambda t, y, x, axis, bounds: concat(*t, axis=axis, bounds=bounds),
    forward=_split, outputs=2, tex=r"x_{k}", summary="x in consecutive parts")
stack: Final = linear("stack", lambda t, y, *args, index, axis: take(t, key=_at(axis, index)),
    forward=_stacked, variadic=True,
    tex=r"(a, b, \dots)", summary="Arrays side by side, along a new axis")
unstack: Final = linear("unstack", lambda t, y, x, axis: stack(*t, axis=axis),
    forward=_unstack, outputs=2, tex=r"x_{i}", summary="x in its parts along an axis, which goes")
# fmt: on
"""``split`` and ``unstack`` give any number of results: ``outputs`` says that they are a tuple."""
