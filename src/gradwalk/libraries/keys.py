"""Brackets: parts of an array of another library by every key that NumPy takes.

PyTorch, JAX and CuPy take arrays of integers and masks in brackets; the key stays on its device.
Of other libraries the array API asks for slices only: there NumPy says which elements are meant.
"""

from __future__ import annotations

from math import prod
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from .array import FUNCTIONS, LibraryArray
from .constants import constant, seen
from .functions import like
from .held import Operand

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = [
    "Split",
    "arrays_in",
    "checked",
    "native_key",
    "parts_of",
    "places_of",
    "spelled",
    "split",
]

WITH_ARRAYS = ("torch", "jax", "cupy")
"""Libraries that take arrays in brackets."""


def getitem(x: LibraryArray, key: Any) -> LibraryArray:
    """Return ``x[key]`` for slices, integers, ``None``, ``...``, masks and arrays of integers."""
    if x.place.library == "torch":
        basic = _plain(key, x.raw.shape)
        if basic is not None:
            return like(x, x.raw[basic])
    parts = parts_of(x, key)
    if arrays_in(parts):
        if x.place.library not in WITH_ARRAYS or without_axes(parts):
            return _by_places(x, parts)
        checked(x.shape, parts)
        if x.place.library == "jax" and any(type(part) is LibraryArray for part in parts):
            # what is out of bounds is a NaN: JAX would take the nearest place
            return like(x, x.raw.at[native_key(x, parts)].get(mode="fill"))
        if x.place.library != "torch":
            return like(x, x.raw[native_key(x, parts)])
    cut = split(x, parts)
    raw = x.place.xp.flip(x.raw, axis=cut.flips) if cut.flips else x.raw
    raw = raw[cut.basic] if cut.basic else raw
    if cut.arrays:
        raw = _aten().index.Tensor(raw, cut.arrays)
    return like(x, raw)


def _plain(key: Any, shape: Sequence[int]) -> tuple[Any, ...] | None:
    """Return a key of slices without steps and integers in bounds: PyTorch takes it as it is."""
    parts: tuple[Any, ...] = key if type(key) is tuple else (key,)
    if len(parts) > len(shape):
        return None
    for part, n in zip(parts, shape, strict=False):
        if type(part) is int:
            if not -n <= part < n:
                return None
        elif type(part) is not slice or part.step is not None:
            return None
    return parts


def _aten() -> Any:
    import torch

    return torch.ops.aten


def parts_of(x: LibraryArray, key: Any) -> tuple[Any, ...]:
    """Return the parts of a key; lists are arrays, and one mask or array may stand alone."""
    parts = key if isinstance(key, tuple) else (key,)
    found = [np.asarray(part) if isinstance(part, list) else part for part in parts]
    if not any(map(_is_mask, found)):  # asked first: to know whether a compiler traces takes 3 µs
        return tuple(found)
    if not x.known or any(type(part) is LibraryArray and not part.known for part in found):
        found = [each for part in found for each in _of_known_size(part)]
    return tuple(found)


def _is_mask(part: Operand) -> bool:
    return isinstance(part, (np.ndarray, LibraryArray)) and part.dtype.kind == "b" and part.ndim > 0


def _of_known_size(part: Operand) -> tuple[Any, ...]:
    """Return a mask as arrays of integers: while a compiler traces, a mask must be known."""
    if _is_mask(part):
        return np.nonzero(part.numpy() if type(part) is LibraryArray else part)
    return (part,)


def arrays_in(parts: tuple[Any, ...]) -> list[Any]:
    """Return the arrays of integers or bools among the parts of a key."""
    return [part for part in parts if isinstance(part, (np.ndarray, LibraryArray))]


def without_axes(parts: tuple[Any, ...]) -> bool:
    """Return whether a mask is a single bool, which adds an axis as no library does."""
    return any(part.dtype.kind == "b" and not part.ndim for part in arrays_in(parts))


def _by_places(x: LibraryArray, parts: tuple[Any, ...]) -> LibraryArray:
    places = places_of(x, parts)
    flat = x.place.xp.reshape(x.raw, (-1,))
    ids = x.place.put(places.reshape(-1), np.int64)
    return like(x, x.place.xp.take(flat, ids, axis=0)).reshape(places.shape)


def places_of(x: LibraryArray, key: Any) -> np.ndarray[Any, Any]:
    """Return which elements of the flat x a key names."""
    parts = key if isinstance(key, tuple) else (key,)
    known = tuple([part.numpy() if type(part) is LibraryArray else part for part in parts])
    return np.asarray(np.arange(prod(x.shape)).reshape(x.shape)[known])


class Split(NamedTuple):
    """A key as PyTorch takes it: flips of axes, then slices, then arrays of integers and masks."""

    flips: tuple[int, ...]
    basic: tuple[Any, ...]
    arrays: list[Any]


def split(x: LibraryArray, parts: tuple[Any, ...]) -> Split:
    """Return a key in the steps of PyTorch, which has no steps backwards.

    Beside arrays an integer is an array, too: which axes stand in front depends on both.
    """
    plain = _plain(parts, x.raw.shape) if x.place.library == "torch" else None
    if plain is not None:
        whole = all(type(part) is slice and part == slice(None) for part in plain)
        return Split((), () if whole else plain, [])
    arrays = arrays_in(parts)
    ndim = max([1 if a.dtype.kind == "b" else a.ndim for a in arrays], default=0)
    flips, basic, chosen, axis = list[int](), list[Any](), list[Any](), 0
    for part in spelled(parts, x.shape, keeps_new=True):
        if part is None:
            basic.append(None)
            chosen.append(None)
            continue
        if isinstance(part, slice):
            part = _forward(part, x.shape[axis], axis, flips)
        elif isinstance(part, (np.ndarray, LibraryArray)):
            count = part.ndim if part.dtype.kind == "b" else 1
            basic += [slice(None)] * count
            chosen.append(_on_device(x, part))
            axis += count
            continue
        elif not -x.shape[axis] <= part < x.shape[axis]:  # JAX would take the nearest place
            raise IndexError(f"{part} along an axis of {x.shape[axis]}")
        elif arrays:
            number = x.place.full((1,) * ndim, int(part), np.int64)
            basic.append(slice(None))
            chosen.append(number)
            axis += 1
            continue
        basic.append(part)
        chosen.append(None)
        axis += 1
    whole = all(type(part) is slice and part == slice(None) for part in basic)
    return Split(tuple(flips), () if whole else tuple(basic), chosen if arrays else [])


def spelled(parts: tuple[Any, ...], shape: tuple[int, ...], keeps_new: bool = False) -> list[Any]:
    """Return the parts of a key with a slice for each axis that ``...`` stands for.

    New axes are left out, unless ``keeps_new``.
    """
    used = sum(_axes(part) for part in parts)
    parts = parts if any(part is Ellipsis for part in parts) else (*parts, Ellipsis)
    found: list[Any] = []
    for part in parts:
        found += [slice(None)] * (len(shape) - used) if part is Ellipsis else [part]
    return [part for part in found if keeps_new or part is not None]


def _axes(part: Operand) -> int:
    if part is None or part is Ellipsis:
        return 0
    mask = isinstance(part, (np.ndarray, LibraryArray)) and part.dtype.kind == "b"
    return part.ndim if mask else 1


def _forward(part: slice, n: int, axis: int, flips: list[int]) -> slice:
    """Return a slice with a positive step, of an axis that is turned first if it had none."""
    if part == slice(None):
        return part
    start, stop, step = part.indices(n)
    if step > 0:
        return slice(start, max(start, stop), step)
    flips.append(axis)
    return slice(n - 1 - start, max(n - 1 - start, n - 1 - stop), -step)


def _on_device(x: LibraryArray, part: Operand) -> Any:
    """Return an array of a key as the library takes it: PyTorch sees a mask in small integers."""
    if x.place.library == "torch" and part.dtype.kind != "b":
        part = part.astype(np.int64, copy=False)
    return part.raw if type(part) is LibraryArray else constant(part, x.place, x.raw)


def native_key(x: LibraryArray, parts: tuple[Any, ...]) -> tuple[Any, ...]:
    """Return a key of a library that takes all that NumPy takes."""
    arrays = (np.ndarray, LibraryArray)
    return tuple([_on_device(x, p) if isinstance(p, arrays) else p for p in parts])


# --- keys that fail -------------------------------------------------------------------------------


def checked(shape: tuple[int, ...], parts: tuple[Any, ...]) -> None:
    """Raise `IndexError` for a key that does not fit, as far as its numbers can be seen here."""
    used = sum(_axes(part) for part in parts)
    if used > len(shape):
        raise IndexError("too many indices")
    axis = 0
    for part in parts:
        if part is Ellipsis:
            axis += len(shape) - used
            continue
        taken = _axes(part)
        _check(part, shape[axis : axis + taken])
        axis += taken
    try:
        np.broadcast_shapes(*[p.shape for p in arrays_in(parts) if p.dtype.kind != "b"])
    except ValueError as error:
        raise IndexError(str(error)) from error


def _check(part: Operand, lengths: tuple[int, ...]) -> None:
    if isinstance(part, (int, np.integer)):
        part = np.asarray(part)
    if not isinstance(part, (np.ndarray, LibraryArray)):
        return
    if part.dtype.kind == "b":
        if part.shape != lengths:
            raise IndexError("a mask of another shape")
        return
    numbers: Any = seen(part) if type(part) is LibraryArray else part
    if numbers is not None and numbers.size:
        (n,) = lengths
        if numbers.min() < -n or numbers.max() >= n:
            raise IndexError("an index out of bounds")


FUNCTIONS["getitem"] = getitem
