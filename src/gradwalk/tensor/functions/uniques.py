"""Distinct elements of an array, without derivatives."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple, cast

import numpy as np

from ..graph.tensor import Tensor
from ..graph.types import Array, Axis
from .arguments import axis_of, operand
from .types import ArrayLike, unary_function

__all__ = ["unique", "unique_all", "unique_counts", "unique_inverse", "unique_values"]


def _of_unique(x: object, where: str, function: Callable[[Any], Any]) -> Any:
    """Return the result of NumPy's function, without a derivative."""
    x = operand(x, where)
    found = function(x._data if isinstance(x, Tensor) else x)
    if isinstance(found, tuple):
        parts = [like(x, part) for part in found]
        # a named tuple takes its members one by one
        return type(found)(*parts) if hasattr(found, "_fields") else tuple(parts)
    return like(x, found)


def like(x: object, result: Array) -> Tensor:
    """Return a result without derivative: a Tensor if the argument was one."""
    return Tensor._of(result) if isinstance(x, Tensor) else cast(Tensor, result)


def unique(
    x: ArrayLike,
    return_index: bool = False,
    return_inverse: bool = False,
    return_counts: bool = False,
    axis: Axis = None,
    *,
    equal_nan: bool = True,
) -> Tensor | tuple[Tensor, ...]:
    """Return the distinct elements in order, like NumPy's function.

    On request they are followed by the first index of each, the indices that restore x, and the
    counts. With ``equal_nan=False`` every NaN is an element of its own. It has no derivative.

    >>> unique([3, 1, 3], return_counts=True)
    (Tensor([1, 3]), Tensor([1, 2]))
    """
    x = operand(x, "unique")
    place = None if axis is None else axis_of(axis, x.ndim, "unique")
    wanted: Any = (return_index, return_inverse, return_counts, place)
    return _of_unique(x, "unique", lambda a: np.unique(a, *wanted, equal_nan=equal_nan))


class Unique(NamedTuple):
    """The result of `unique_all`."""

    values: Tensor
    indices: Tensor
    inverse_indices: Tensor
    counts: Tensor


class UniqueCounts(NamedTuple):
    """The result of `unique_counts`."""

    values: Tensor
    counts: Tensor


class UniqueInverse(NamedTuple):
    """The result of `unique_inverse`."""

    values: Tensor
    inverse_indices: Tensor


def unique_all(x: ArrayLike) -> Unique:
    """Return the distinct elements in order, their first indices, the inverse indices and counts.

    As in the array API, every NaN counts as distinct. It has no derivative.

    >>> unique_all([3, 1, 3])._asdict()["inverse_indices"]
    Tensor([1, 0, 1])
    """
    return _of_unique(x, "unique_all", lambda a: Unique(*_all_of(a)))


def unique_counts(x: ArrayLike) -> UniqueCounts:
    """Return the distinct elements in order, and how often each occurs; see `unique_all`.

    >>> unique_counts([3, 1, 3])
    UniqueCounts(values=Tensor([1, 3]), counts=Tensor([1, 2]))
    """
    return _of_unique(x, "unique_counts", lambda a: UniqueCounts(*_all_of(a)[::3]))


def unique_inverse(x: ArrayLike) -> UniqueInverse:
    """Return the distinct elements in order, and the indices that restore x; see `unique_all`.

    >>> unique_inverse([3, 1, 3])
    UniqueInverse(values=Tensor([1, 3]), inverse_indices=Tensor([1, 0, 1]))
    """
    return _of_unique(x, "unique_inverse", lambda a: UniqueInverse(*_all_of(a)[::2]))


@unary_function
def unique_values(x: ArrayLike) -> Tensor:
    """Return the distinct elements in order; see `unique_all`.

    >>> unique_values([3, 1, 3])
    Tensor([1, 3])
    """
    return _of_unique(x, "unique_values", lambda a: np.unique(a, equal_nan=False))


def _all_of(a: Any) -> Any:
    # the array API counts every NaN as distinct, unlike NumPy by default
    options: Any = {"return_index": True, "return_inverse": True, "return_counts": True}
    return np.unique(a, equal_nan=False, **options)
