"""Brackets: parts of an array of another library by every key that NumPy takes."""

from __future__ import annotations

from math import prod
from typing import Any

import numpy as np

from .array import FUNCTIONS, LibraryArray
from .functions import like

__all__ = ["places_of"]


def getitem(x: LibraryArray, key: Any) -> LibraryArray:
    """Return ``x[key]`` for slices, integers, ``None``, ``...``, masks and arrays of integers."""
    parts = key if isinstance(key, tuple) else (key,)
    if any(isinstance(part, (np.ndarray, list, LibraryArray)) for part in parts):
        places = places_of(x, parts)
        flat = x.place.xp.reshape(x.raw, (-1,))
        ids = x.place.put(places.reshape(-1), np.int64)
        return like(x, x.place.xp.take(flat, ids, axis=0)).reshape(places.shape)
    used = sum(part is not None and part is not Ellipsis for part in parts)
    if Ellipsis not in [part if part is Ellipsis else None for part in parts]:
        parts = (*parts, Ellipsis) if used < x.ndim else parts
    return _by_slices(x, parts)


def _by_slices(x: LibraryArray, parts: tuple[Any, ...]) -> LibraryArray:
    """Return a part by slices; a step backwards is a flip first, which PyTorch needs."""
    axis, flips, forward = 0, [], []
    used = sum(part is not None and part is not Ellipsis for part in parts)
    for part in parts:
        if part is Ellipsis:
            axis += x.ndim - used
        elif isinstance(part, slice):
            start, stop, step = part.indices(x.shape[axis])
            if step < 0:
                flips.append(axis)
                n = x.shape[axis]
                part = slice(n - 1 - start, n - 1 - stop, -step)
            else:
                part = slice(start, max(start, stop), step)
            axis += 1
        elif part is not None:
            part = int(part)
            axis += 1
        forward.append(part)
    raw = x.place.xp.flip(x.raw, axis=tuple(flips)) if flips else x.raw
    return like(x, raw[tuple(forward)])


def places_of(x: LibraryArray, key: Any) -> np.ndarray[Any, Any]:
    """Return which elements of the flat x a key names."""
    parts = key if isinstance(key, tuple) else (key,)
    known = tuple([part.numpy() if type(part) is LibraryArray else part for part in parts])
    return np.asarray(np.arange(prod(x.shape)).reshape(x.shape)[known])


FUNCTIONS["getitem"] = getitem
