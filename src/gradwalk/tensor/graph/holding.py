"""New arrays beside those that a graph holds, of NumPy or of another library."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...libraries import LibraryArray
from ...libraries.held import Operand
from .fast import compiled

__all__ = ["all_finite", "as_array", "copied", "ones_of", "zeros_of"]


def as_array(x: Any) -> Operand:
    """Return a number of NumPy as an array, and arrays of any library unchanged."""
    return x if type(x) is LibraryArray else np.asarray(x)


def copied(x: Any) -> Operand:
    """Return a new array; those of other libraries are never written to."""
    return x if type(x) is LibraryArray else np.array(x)


def ones_of(tensor: Any) -> Operand:
    """Return ones in the shape of a Tensor, and where its array lies."""
    if type(tensor._data) is LibraryArray:
        return np.ones_like(tensor._data)
    return np.ones(tensor.shape, tensor.dtype)


def zeros_of(leaf: Any) -> Operand:
    """Return zeros in the shape of a leaf of a graph, and where its array lies."""
    if leaf.place is not None:
        return LibraryArray(leaf.place.full(leaf.shape, 0.0, leaf.dtype), leaf.place)
    return np.zeros(leaf.shape, leaf.dtype)


def all_finite(arrays: list[Any]) -> bool:
    """Return whether all elements are finite, which takes a microsecond for a small network.

    Arrays of other libraries count as finite: to look would wait for the device.
    """
    if LibraryArray in map(type, arrays):
        return True
    found = None if compiled is None else compiled.finite(arrays)
    return all(map(_is_finite, arrays)) if found is None else found


def _is_finite(x: Any) -> bool:
    array = np.asarray(x)
    return array.dtype.kind not in "fc" or bool(np.isfinite(array).all())
