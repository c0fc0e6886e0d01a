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
    """Return the distinct elements in ascending order, like NumPy's function.

    It has no derivative.

    Parameters
    ----------
    x : any shape
        The elements.
    return_index
        Whether the first index of each distinct element is returned, too.
    return_inverse
        Whether the indices that restore ``x`` are returned, too.
    return_counts
        Whether the number of times that each element occurs is returned, too.
    axis
        The axis whose parts are compared as a whole; ``None`` compares elements.
    equal_nan
        Whether all NaNs count as one element, else each as its own.

    Returns
    -------
    (count,), or the shape of x with length count along axis
        The distinct elements; a tuple if any of the three others is wanted.

    Raises
    ------
    SizeError
        If ``x`` has no such axis.

    See Also
    --------
    unique_values, unique_counts, unique_inverse, unique_all

    Examples
    --------
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
    """Return the distinct elements in order, their first indices, the inverse, and counts.

    Every NaN counts as distinct, as the array API asks. It has no derivative.

    Parameters
    ----------
    x : any shape
        The elements.

    Returns
    -------
    (count,), and the shape of x for the inverse
        A named tuple of ``values``, ``indices``, ``inverse_indices`` (those that restore ``x``) and
        ``counts``.

    Examples
    --------
    >>> unique_all([3, 1, 3])._asdict()["inverse_indices"]
    Tensor([1, 0, 1])
    """
    return _of_unique(x, "unique_all", lambda a: Unique(*_all_of(a)))


def unique_counts(x: ArrayLike) -> UniqueCounts:
    """Return the distinct elements in ascending order, and how often each occurs.

    Every NaN counts as distinct, as the array API asks. It has no derivative.

    Parameters
    ----------
    x : any shape
        The elements.

    Returns
    -------
    (count,)
        A named tuple of ``values`` and ``counts``.

    Examples
    --------
    >>> unique_counts([3, 1, 3])
    UniqueCounts(values=Tensor([1, 3]), counts=Tensor([1, 2]))
    """
    return _of_unique(x, "unique_counts", lambda a: UniqueCounts(*_all_of(a)[::3]))


def unique_inverse(x: ArrayLike) -> UniqueInverse:
    """Return the distinct elements in ascending order, and the indices that restore x.

    Every NaN counts as distinct, as the array API asks. It has no derivative.

    Parameters
    ----------
    x : any shape
        The elements.

    Returns
    -------
    (count,), and the shape of x for the inverse
        A named tuple of ``values`` and ``inverse_indices``.

    Examples
    --------
    >>> unique_inverse([3, 1, 3])
    UniqueInverse(values=Tensor([1, 3]), inverse_indices=Tensor([1, 0, 1]))
    """
    return _of_unique(x, "unique_inverse", lambda a: UniqueInverse(*_all_of(a)[::2]))


@unary_function
def unique_values(x: ArrayLike) -> Tensor:
    """Return the distinct elements in ascending order.

    Every NaN counts as distinct, as the array API asks. It has no derivative.

    Parameters
    ----------
    x : any shape
        The elements.

    Returns
    -------
    (count,)
        The distinct elements.

    Examples
    --------
    >>> unique_values([3, 1, 3])
    Tensor([1, 3])
    """
    return _of_unique(x, "unique_values", lambda a: np.unique(a, equal_nan=False))


def _all_of(a: Any) -> Any:
    # the array API counts every NaN as distinct, unlike NumPy by default
    options: Any = {"return_index": True, "return_inverse": True, "return_counts": True}
    return np.unique(a, equal_nan=False, **options)
