"""Names for types: what Tensors are made of, and what their methods take."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random
from typing import Any, Generic, NamedTuple, Protocol, TypeAlias, TypeVar

import numpy as np
from numpy.typing import DTypeLike as DTypeLike

__all__ = ["Array", "Axes", "Axis", "Data", "DType", "DTypeLike", "Nested", "Number", "Seed"]
__all__ += ["Shape", "SupportsArray", "TopK"]

Array: TypeAlias = np.ndarray[Any, np.dtype[Any]]
"""A NumPy array of any shape and dtype."""

DType: TypeAlias = np.dtype[Any]
"""A dtype of NumPy; `DTypeLike` also has names of dtypes and types of Python."""

# bool, int and np.float64 are floats for type checkers, so they are not listed again.
Number: TypeAlias = float | np.number[Any] | np.bool_
"""One number of Python or of NumPy; ``float`` includes int and bool."""

Nested: TypeAlias = Sequence["Number | Array | Nested"]
"""Nested lists of numbers."""

Axis: TypeAlias = int | None
"""One axis, or ``None`` for the default of the function."""

Axes: TypeAlias = int | Sequence[int] | None
"""One axis, several, or ``None`` for the default of the function."""

Shape: TypeAlias = int | Sequence[int]
"""A shape, or the length of its only axis."""

Seed: TypeAlias = int | np.integer[Any] | np.random.Generator | Random | None
"""The start of draws: equal integers give equal draws, a generator continues its own."""


class SupportsArray(Protocol):
    """An object that converts itself into a NumPy array, such as a table of pandas."""

    def __array__(self) -> Array:
        """Return the numbers as an array."""


Data: TypeAlias = SupportsArray | Number | Nested
"""What becomes the array of a Tensor: numbers, nested lists, arrays, and other Tensors."""

T = TypeVar("T")


class TopK(NamedTuple, Generic[T]):
    """The largest elements along an axis, and their indices there."""

    values: T
    indices: T
