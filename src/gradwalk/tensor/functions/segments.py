"""Sums and extremes of groups of rows, and additions at repeated places."""

from __future__ import annotations

from collections.abc import Callable
from math import inf
from typing import Any

import numpy as np

from ...core.expect import at_least
from ...errors import KeyRangeError, SizeError
from ...levels.vmap import varies
from ...ops.arithmetic import equal, where
from ...ops.array.structure import reshape
from ..graph.tensor import Tensor
from . import reductions, varying
from .arguments import operand
from .creation import plain
from .indexing import index, spread, take
from .joining import concat
from .keys import key_of, whole_numbers
from .reducing import floating
from .types import ArrayLike

__all__ = ["add_at", "segment_max", "segment_mean", "segment_min", "segment_prod", "segment_sum"]
METHODS: tuple[str, ...] = ()


def add_at(x: ArrayLike, indices: ArrayLike | tuple[object, ...], values: ArrayLike) -> Tensor:
    """Return x with ``values`` added at a key, as often as the key names a place.

        y = x + Σₖ vₖ eₖ

    ``x[indices] += values`` adds only once to a place that is named twice. `add_at` is NumPy's
    ``np.add.at`` as a function: ``np.add.at(t, indices, values)`` of a Tensor writes into it.

    Parameters
    ----------
    x : any shape
        The numbers to add to; they stay unchanged.
    indices : any shape
        A key as in ``x[indices]``: integers, slices, and arrays of integers or bools.
    values : any shape that broadcasts to that of x[indices]
        The numbers to add.

    Returns
    -------
    the shape of x
        The new array.

    Raises
    ------
    KeyRangeError
        If the key is out of bounds, or is not one.
    SizeError
        If ``values`` does not broadcast to the places of the key.

    See Also
    --------
    scatter_add, segment_sum

    Examples
    --------
    >>> add_at([0.0, 0.0], [1, 1], [2.0, 3.0]).tolist()
    [0.0, 5.0]
    """
    x = operand(x, "add_at")
    key = key_of(indices, "add_at(indices)", x)
    there: Any = index(x, key)  # for its shape, and for its error
    return x + varying.add(spread(values, there.shape, "add_at"), key, x.shape)


# --- groups of rows -------------------------------------------------------------------------------


def segment_sum(data: ArrayLike, segment_ids: ArrayLike, num_segments: int | None = None) -> Tensor:
    """Return the sum of the rows of each segment.

        yₛ = Σ xᵢ over all i with idᵢ = s

    Parameters
    ----------
    data : (n, ...)
        The rows.
    segment_ids : (n,)
        The number of the segment of each row, >= 0, in any order.
    num_segments
        How many segments the result has; ``None`` takes the largest id plus 1. It must be given
        under `vmap` and `compile`.

    Returns
    -------
    (num_segments, ...)
        The sums; 0 for segments without rows.

    Raises
    ------
    SizeError
        If ``segment_ids`` does not have an id for each row.
    OptionError
        If ``num_segments`` is not an integer >= 0.
    KeyRangeError
        If an id is negative, too large or not an integer.

    Examples
    --------
    >>> segment_sum([1.0, 2.0, 4.0], [0, 2, 0]).tolist()
    [5.0, 0.0, 2.0]
    """
    x, ids, n = _segments("segment_sum", data, segment_ids, num_segments)
    y: Tensor = varying.add(x, (ids,), (n, *x.shape[1:]))
    return y


def segment_mean(
    data: ArrayLike, segment_ids: ArrayLike, num_segments: int | None = None
) -> Tensor:
    """Return the mean of the rows of each segment.

    Parameters
    ----------
    data : (n, ...)
        The rows; integers become floats.
    segment_ids : (n,)
        The number of the segment of each row, >= 0, in any order.
    num_segments
        How many segments the result has; ``None`` takes the largest id plus 1. It must be given
        under `vmap` and `compile`.

    Returns
    -------
    (num_segments, ...)
        The means; NaN for segments without rows.

    Raises
    ------
    SizeError
        If ``segment_ids`` does not have an id for each row.
    OptionError
        If ``num_segments`` is not an integer >= 0.
    KeyRangeError
        If an id is negative, too large or not an integer.

    Examples
    --------
    >>> segment_mean([1.0, 2.0, 4.0], [0, 1, 0]).tolist()
    [2.5, 2.0]
    """
    x, ids, n = _segments("segment_mean", floating(operand(data, "segment_mean")), segment_ids,
                          num_segments)  # fmt: skip
    counts: Any = varying.add(np.ones(x.shape[:1], x.dtype), (ids,), (n,))
    total: Any = varying.add(x, (ids,), (n, *x.shape[1:]))
    y: Tensor = total / reshape(counts, shape=(n, *(1,) * (x.ndim - 1)))
    return y


def segment_prod(
    data: ArrayLike, segment_ids: ArrayLike, num_segments: int | None = None
) -> Tensor:
    """Return the product of the rows of each segment.

    Parameters
    ----------
    data : (n, ...)
        The rows.
    segment_ids : (n,)
        The number of the segment of each row, >= 0, in any order.
    num_segments
        How many segments the result has; ``None`` takes the largest id plus 1. It must be given
        under `vmap` and `compile`.

    Returns
    -------
    (num_segments, ...)
        The products; 1 for segments without rows.

    Raises
    ------
    SizeError
        If ``segment_ids`` does not have an id for each row.
    OptionError
        If ``num_segments`` is not an integer >= 0.
    KeyRangeError
        If an id is negative, too large or not an integer.

    Examples
    --------
    >>> segment_prod([3.0, 2.0, 4.0], [0, 1, 0]).tolist()
    [12.0, 2.0]
    """
    return _grouped("segment_prod", reductions.prod, 1, data, segment_ids, num_segments)


def segment_max(data: ArrayLike, segment_ids: ArrayLike, num_segments: int | None = None) -> Tensor:
    """Return the elementwise maximum of the rows of each segment.

    Parameters
    ----------
    data : (n, ...)
        The rows; integers become floats.
    segment_ids : (n,)
        The number of the segment of each row, >= 0, in any order.
    num_segments
        How many segments the result has; ``None`` takes the largest id plus 1. It must be given
        under `vmap` and `compile`.

    Returns
    -------
    (num_segments, ...)
        The maxima; -inf for segments without rows.

    Raises
    ------
    SizeError
        If ``segment_ids`` does not have an id for each row.
    OptionError
        If ``num_segments`` is not an integer >= 0.
    KeyRangeError
        If an id is negative, too large or not an integer.

    Examples
    --------
    >>> segment_max([3.0, 2.0, 4.0], [0, 1, 0]).tolist()
    [4.0, 2.0]
    """
    return _grouped("segment_max", reductions.max, -inf, data, segment_ids, num_segments)


def segment_min(data: ArrayLike, segment_ids: ArrayLike, num_segments: int | None = None) -> Tensor:
    """Return the elementwise minimum of the rows of each segment.

    Parameters
    ----------
    data : (n, ...)
        The rows; integers become floats.
    segment_ids : (n,)
        The number of the segment of each row, >= 0, in any order.
    num_segments
        How many segments the result has; ``None`` takes the largest id plus 1. It must be given
        under `vmap` and `compile`.

    Returns
    -------
    (num_segments, ...)
        The minima; inf for segments without rows.

    Raises
    ------
    SizeError
        If ``segment_ids`` does not have an id for each row.
    OptionError
        If ``num_segments`` is not an integer >= 0.
    KeyRangeError
        If an id is negative, too large or not an integer.

    Examples
    --------
    >>> segment_min([3.0, 2.0, 4.0], [0, 1, 0]).tolist()
    [3.0, 2.0]
    """
    return _grouped("segment_min", reductions.min, inf, data, segment_ids, num_segments)


def _grouped(
    name: str, reduce: Callable[..., Any], fill: float, data: object, ids: object, count: int | None
) -> Any:
    """Return a reduction over a table with a row for each segment, filled up where it is short."""
    x, ids, n = _segments(name, data, ids, count)
    if x.dtype.kind != "f" and fill != 1:
        x = floating(x)
    if varies(ids):  # each example has its own table: all rows, of which most are filled
        mine = equal(reshape(ids, shape=(1, -1)), np.arange(n)[:, None])
        mine = reshape(mine, shape=(*mine.shape, *(1,) * (x.ndim - 1)))
        return reduce(where(mine, x, fill), axis=1)
    filler = np.full((1, *x.shape[1:]), fill, x.dtype)
    return reduce(take(concat([x, filler]), _table(ids, n), axis=0), axis=1)


def _table(ids: Any, n: int) -> Any:
    """Return the rows of each segment, and the number behind the last row in the places left."""
    counts = np.bincount(ids, minlength=n)
    order = np.append(np.argsort(ids, kind="stable"), [0] * counts.max(initial=0))
    place = np.arange(max(1, counts.max(initial=0)))
    found = order[np.minimum((np.cumsum(counts) - counts)[:, None] + place, len(order) - 1)]
    return np.where(place < counts[:, None], found, len(ids))


def _segments(name: str, data: object, segment_ids: object, count: Any) -> tuple[Any, Any, int]:
    """Return the rows, the segment of each, and how many segments there are."""
    x, ids = operand(data, name), whole_numbers(segment_ids, f"{name}(segment_ids)")
    if not x.ndim or ids.shape != x.shape[:1]:
        raise SizeError(
            where=f"{name}(segment_ids)",
            expected="an id for each row of data",
            got=f"shape {ids.shape} for data of shape {x.shape}",
            fix="Pass one integer for each member of the first axis.",
        )
    if count is None and not varies(ids):
        count = int(plain(ids, name).max(initial=-1)) + 1
    fix = "Pass num_segments=n; it must be given under vmap and compile."
    at_least(f"{name}(num_segments)", count, 0, fix)
    if not varies(ids) and ids.size and not 0 <= ids.min() <= ids.max() < count:
        raise KeyRangeError(
            where=f"{name}(segment_ids)",
            expected=f"integers from 0 to {count - 1}",
            got=f"{ids.min()} to {ids.max()}",
            fix="Count segments from 0; num_segments is one more than the largest.",
        )
    return x, ids, count
