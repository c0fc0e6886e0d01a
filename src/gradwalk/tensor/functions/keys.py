"""Keys in brackets: normalised to be recorded, and the errors of keys that fail."""

from __future__ import annotations

import operator
from typing import Any

import numpy as np

from ...core.expect import describe
from ...errors import KeyRangeError
from ...levels.programs import recorder
from ...levels.vmap import varies
from ...libraries import LibraryArray, array_of, is_foreign
from ..graph.placed import place_of
from ..graph.tensor import Tensor
from .types import Operand

__all__ = ["bad_key", "key_of", "whole_numbers"]


def key_of(key: object, where: str, x: Any = None) -> tuple[Any, ...]:
    """Return a key as it is recorded: a tuple of ints, slices, ``None``, ``...`` and copied arrays.

    Arrays of another library stay where they are if ``x``, which they are a key of, is there too.

    >>> key_of((1, slice(None, 2), np.int64(3)), "here")
    (1, slice(None, 2, None), 3)
    """
    if type(key) is int or type(key) is slice:
        key = (key,)
    parts = key if type(key) is tuple else (key,)
    for part in parts:
        if not _is_plain(part):
            return tuple([_part(p, where, x) for p in parts])
    return parts  # the usual case: nothing to convert or to copy


def _is_plain(part: object) -> bool:
    # not isinstance: True is an int, but as a key it is a mask and adds an axis
    if type(part) is not slice:
        return type(part) is int or part is None or part is Ellipsis
    start, stop, step = part.start, part.stop, part.step
    return (
        (start is None or type(start) is int)
        and (stop is None or type(stop) is int)
        and (step is None or (type(step) is int and step != 0))
    )


def _part(part: object, where: str, x: Any) -> Any:
    if part is None or part is Ellipsis or type(part) is int:
        return part
    if isinstance(part, slice):
        return _slice(part, where)
    if getattr(type(part), "_is_reading", False):  # an int that is an argument of a program
        return _whole(part, where)
    array: Any = _array(part, where, x)
    if type(array) is LibraryArray:
        return array
    # an integer without axes takes the place of an int; a mask without axes adds an axis
    return array if array.ndim or array.dtype == bool or varies(array) else int(array)


def _slice(part: slice, where: str) -> slice:
    ends = (part.start, part.stop, part.step)
    if part.step == 0:
        raise KeyRangeError(
            where=where,
            expected="a slice with a step other than 0",
            got=describe(part),
            fix="Write t[::2] for every second element, t[::-1] for the reverse order.",
        )
    if all(end is None or type(end) is int for end in ends):
        return part
    return slice(*[None if end is None else _whole(end, where) for end in ends])


def _whole(number: Any, where: str) -> int:
    try:
        return operator.index(number)
    except TypeError as error:
        raise _no_key(number, where) from error


def _array(part: Any, where: str, x: Any = None) -> Operand:
    """Return a copy of an index array, so that later writes do not change the gradient."""
    if varies(part):
        return _whole_or_bool(part, part, where)
    if (there := _of_library(part, x)) is not None:
        return _whole_or_bool(there, part, where)
    try:
        array = np.array(_plain(part))
    except (ValueError, RecursionError) as error:  # ragged lists, or one that contains itself
        raise _no_key(part, where) from error
    if not array.size and isinstance(part, (list, tuple)):  # NumPy makes [] an array of floats
        array = array.astype(np.intp)
    return _whole_or_bool(array, part, where)


def _of_library(part: Any, x: Any) -> Any:
    """Return an array of the library that ``x`` is of, or ``None`` for other parts of a key."""
    held = part._data if type(part) is Tensor._placed else part  # Tensors are not written into
    if is_foreign(held):
        held = array_of(held).copy()
    place = None if x is None else place_of(x)
    if place is None or type(held) is not LibraryArray:
        return None
    if held.known and recorder() is not None:  # a constant of its program, as one of NumPy
        return None
    return held if held.place.abstract is place.abstract else None


def _whole_or_bool(array: Any, part: object, where: str) -> Operand:
    if array.dtype.kind not in "biu":
        raise _no_key(part, where)
    return array


def _plain(part: Any) -> Any:
    """Return nested lists of numbers and Tensors as lists of numbers and arrays."""
    if isinstance(part, (list, tuple)):
        return [_plain(p) for p in part]
    if getattr(type(part), "_is_reading", False):
        return _whole(part, "t[key]")
    part = part._data if isinstance(part, Tensor) else part
    if is_foreign(part):
        part = array_of(part)
    # positions are read here, where the shapes are
    return part.numpy() if type(part) is LibraryArray else part


def _no_key(part: object, where: str) -> KeyRangeError:
    return KeyRangeError(
        where=where,
        expected="integers, slices, None, ... and arrays of integers or bools",
        got=describe(part),
        fix="Convert an array of floats first: t[i.astype(int)].",
    )


def whole_numbers(ids: Any, where: str, x: Any = None) -> Operand:
    """Return a copy of an array of integers: indices along an axis of ``x``."""
    array = _array(ids, where, x)
    if array.dtype == bool:
        raise KeyRangeError(
            where=where,
            expected="indices, as integers",
            got=describe(ids),
            fix="Use nonzero(mask) for the indices at which a mask is true.",
        )
    return array


# --- errors ---------------------------------------------------------------------------------------


def bad_key(key: tuple[Any, ...], shape: tuple[int, ...], where: str) -> KeyRangeError:
    """Return the error for a key that does not fit an array of ``shape``."""
    key = tuple([part.numpy() if type(part) is LibraryArray else part for part in key])
    used = sum(map(_axes, key))
    if used > len(shape):
        return KeyRangeError(
            where=where,
            expected=f"at most {len(shape)} indices for shape {shape}",
            got=str(used),
            fix="Remove some: an int, slice or array takes one axis, a mask takes all of its own.",
        )
    if sum(part is Ellipsis for part in key) > 1:
        return KeyRangeError(
            where=where,
            expected="at most one ...",
            got=str(sum(part is Ellipsis for part in key)),
            fix="Write ... once, for all axes that the other indices leave over.",
        )
    axis = 0
    for part in key:
        if part is Ellipsis:
            axis += len(shape) - used  # `...` takes the axes that are left
            continue
        taken = _axes(part)
        problem = _out_of_range(part, shape[axis : axis + taken], axis, where)
        if problem:
            return problem
        axis += taken
    return KeyRangeError(
        where=where,
        expected="index arrays whose shapes can be broadcast together",
        got=", ".join(str(np.shape(part)) for part in key if isinstance(part, np.ndarray)),
        fix="Write numpy.ix_(rows, columns) for all pairs of several rows and columns.",
    )


def _axes(part: object) -> int:
    """Return how many axes a part of a key takes."""
    if part is None or part is Ellipsis:
        return 0
    return part.ndim if isinstance(part, np.ndarray) and part.dtype == bool else 1


def _out_of_range(
    part: object, lengths: tuple[int, ...], axis: int, where: str
) -> KeyRangeError | None:
    if isinstance(part, slice) or part is None:  # slices are cut to the length, as in Python
        return None
    if isinstance(part, np.ndarray) and part.dtype == bool:
        if part.shape == lengths:
            return None
        return KeyRangeError(
            where=where,
            expected=f"a mask of shape {lengths} for the axes from {axis} on",
            got=f"a mask of shape {part.shape}",
            fix="Pass a mask with a bool for each element along its axes.",
        )
    length, places = lengths[0], np.asarray(part)
    outside = places[(places < -length) | (places >= length)]
    if not outside.size:
        return None
    return KeyRangeError(
        where=where,
        expected=f"an index from {-length} to {length - 1} along axis {axis}, of length {length}"
        if length
        else f"no index along axis {axis}, which has length 0",
        got=str(outside.flat[0]),
        fix="Count from 0 at the front, or from -1 at the back.",
    )
