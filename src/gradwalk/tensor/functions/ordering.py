"""Functions that sort, search and select."""

from __future__ import annotations

import operator
from typing import Any, Literal

import numpy as np

from ...core.expect import describe
from ...errors import OptionError, SizeError
from ...levels.vmap import varies
from ...ops.arithmetic import not_equal, where
from ...ops.array import order as rows
from ...ops.array import reduction
from ...ops.array.indexing import take
from ...ops.array.structure import reshape, stack
from ..graph.convert import to_array
from ..graph.tensor import Tensor
from ..graph.types import Axes, Axis, TopK
from .arguments import axis_of, operand
from .indexing import take_along_axis
from .reducing import demand_numbers, floating
from .types import ArrayLike, Operand, binary_function, unary_function
from .uniques import like, unique, unique_all, unique_counts, unique_inverse, unique_values

__all__ = ["argmax", "argmin", "argsort", "median", "quantile", "searchsorted", "sort", "topk"]
__all__ += ["unique", "unique_all", "unique_counts", "unique_inverse", "unique_values"]
METHODS = ("argmax", "argmin", "argsort", "searchsorted", "topk")
"""Not ``sort``: NumPy's method sorts in place, and a Tensor that is only returned would be lost."""


def _numbers(x: object) -> Any:
    """Return the plain array of a Tensor."""
    return x._data if isinstance(x, Tensor) else x


# --- indices --------------------------------------------------------------------------------------


@unary_function
def argmax(x: ArrayLike, axis: Axis = None, *, keepdims: bool = False) -> Tensor:
    """Return the index of the first largest element along an axis, or of the flat array.

    A NaN counts as the largest. Raise `SizeError` for no elements. It has no derivative.

    >>> argmax([[1.0, 3.0, 3.0], [5.0, 4.0, 0.0]], axis=1)
    Tensor([1, 0])
    """
    return _place(rows.argmax, x, axis, keepdims, "argmax")


@unary_function
def argmin(x: ArrayLike, axis: Axis = None, *, keepdims: bool = False) -> Tensor:
    """Return the index of the first smallest element along an axis, or of the flat array.

    >>> argmin([[1.0, 3.0, 3.0], [5.0, 4.0, 0.0]], axis=1)
    Tensor([0, 2])
    """
    return _place(rows.argmin, x, axis, keepdims, "argmin")


def _place(primitive: Any, x: Any, axis: Any, keepdims: bool, where: str) -> Any:
    x = operand(x, where)
    place = None if axis is None else axis_of(axis, x.ndim, where)
    demand_numbers(x, None if place is None else (place,), where)
    return primitive(x, axis=place, keepdims=bool(keepdims))


@unary_function
def argsort(
    x: ArrayLike, axis: int = -1, *, descending: bool = False, stable: bool = True
) -> Tensor:
    """Return the indices that sort x along an axis; it has no derivative.

    Equal elements keep their order for any ``stable``; NaN counts as the largest.

    >>> argsort([3.0, 1.0, 3.0]), argsort([3.0, 1.0, 3.0], descending=True)
    (Tensor([1, 0, 2]), Tensor([0, 2, 1]))
    """
    x = operand(x, "argsort")
    return rows.argsort(x, axis=axis_of(axis, x.ndim, "argsort"), descending=bool(descending))


@binary_function
def searchsorted(
    x1: ArrayLike,
    x2: ArrayLike,
    *,
    side: Literal["left", "right"] = "left",
    sorter: ArrayLike | None = None,
) -> Tensor:
    """Return where to insert x2 into the sorted x1 so that it stays sorted; it has no derivative.

        yₖ = number of xᵢ < vₖ  (side="left"),  or of xᵢ <= vₖ  (side="right")

    ``sorter`` has the indices that sort x1, if x1 is not sorted.

    >>> searchsorted([1.0, 2.0, 3.0], [2.0, 2.5]), searchsorted([1.0, 2.0], 2.0, side="right")
    (Tensor([1, 2]), Tensor(2))
    """
    if side not in ("left", "right"):
        raise OptionError(
            where="searchsorted(side=...)",
            expected='"left" or "right"',
            got=describe(side),
            fix='Use "left" for the index before equal numbers, "right" for the index after them.',
        )
    x1, x2 = operand(x1, "searchsorted"), operand(x2, "searchsorted")
    if x1.ndim != 1:
        raise SizeError(
            where="searchsorted(x1)",
            expected="numbers in a row",
            got=f"shape {x1.shape}",
            fix="Search one row at a time.",
        )
    # options are equal for all examples, so a sorter that varies becomes an index
    if sorter is not None and varies(sorter):
        return rows.searchsorted(take_along_axis(x1, sorter), x2, side=side, sorter=None)
    order = None if sorter is None else _numbers(operand(sorter, "searchsorted"))
    return rows.searchsorted(x1, x2, side=side, sorter=order)


# --- numbers in order -----------------------------------------------------------------------------


@unary_function
def sort(x: ArrayLike, axis: int = -1, *, descending: bool = False, stable: bool = True) -> Tensor:
    """Sort the elements along an axis; each gradient goes back to the element it belongs to.

        yᵢ = x[σ(i)],   x̄[σ(i)] = ȳᵢ

    Equal elements keep their order for any ``stable``; NaN counts as the largest.

    >>> from gradwalk import Tensor
    >>> x = Tensor([3.0, 1.0, 2.0], requires_grad=True)
    >>> y = sort(x)
    >>> y.backward([10.0, 20.0, 30.0])
    >>> y.tolist(), x.grad.tolist()
    ([1.0, 2.0, 3.0], [30.0, 10.0, 20.0])
    """
    x = operand(x, "sort")
    place = axis_of(axis, x.ndim, "sort")
    if varies(x):
        # `places` of `choose` is an option, which cannot vary between examples
        order = rows.argsort(x, axis=place, descending=bool(descending))
        return take_along_axis(x, order, place)
    return rows.choose(x, places=rows.ranked(_numbers(x), place, bool(descending)), axis=place)


def topk(x: ArrayLike, k: int, axis: int = -1, *, largest: bool = True) -> TopK[Tensor]:
    """Return the k largest (or smallest) elements along an axis, in order, and their indices.

    Of equal elements the first comes first; NaN counts as the largest. Gradients propagate to the
    elements in the result.

    >>> values, indices = topk([5.0, 9.0, 7.0], 2)
    >>> values, indices
    (Tensor([9., 7.]), Tensor([1, 2]))
    """
    x = operand(x, "topk")
    place = axis_of(axis, x.ndim, "topk")
    count = operator.index(k) if hasattr(k, "__index__") else -1
    if not 0 <= count <= x.shape[place]:
        raise SizeError(
            where="topk(k)",
            expected=f"an integer between 0 and {x.shape[place]}",
            got=describe(k),
            fix=f"Pass at most {x.shape[place]}, the length of the axis.",
        )
    key = (*[slice(None)] * place, slice(count))
    if varies(x):
        order = rows.argsort(x, axis=place, descending=bool(largest))
        found = take(order, key=key)
        return TopK(take_along_axis(x, found, place), found)
    # the first copy frees the full ranking, the second protects the graph from writes
    places = rows.ranked(_numbers(x), place, bool(largest))[key].copy()
    return TopK(rows.choose(x, places=places, axis=place), like(x, places.copy()))


# --- quantiles ------------------------------------------------------------------------------------


@unary_function
def quantile(x: ArrayLike, q: ArrayLike, axis: Axes = None, *, keepdims: bool = False) -> Tensor:
    """Return numbers below which a fraction q of all lies, interpolated between neighbours.

        y = (1 - w) s[k] + w s[k + 1],  s sorted, k + w = q (n - 1)

    ``q`` is a number from 0 to 1, or several, which make the first axis of the result. A NaN among
    the numbers is the result. Hyndman and Fan, Sample quantiles in statistical packages (1996),
    definition 7.

    >>> quantile([1.0, 2.0, 4.0], 0.25).item(), quantile([1.0, 2.0, 4.0], [0.0, 1.0]).tolist()
    (1.5, [1.0, 4.0])
    """
    fractions = to_array(q, np.float64, "quantile(q)")
    if fractions.ndim > 1 or not ((fractions >= 0.0) & (fractions <= 1.0)).all():
        raise OptionError(
            where="quantile(q)",
            expected="numbers between 0 and 1",
            got=describe(q),
            fix="Pass 0.5 for the median, and percentages divided by 100.",
        )
    return _quantile(x, fractions, axis, keepdims, "quantile")


@unary_function
def median(x: ArrayLike, axis: Axes = None, *, keepdims: bool = False) -> Tensor:
    """Return the middle element, or the mean of the two in the middle.

        y = (s[⌊(n-1)/2⌋] + s[⌈(n-1)/2⌉]) / 2,  s sorted

    >>> median([5.0, 1.0, 3.0]).item(), median([4.0, 1.0]).item()
    (3.0, 2.5)
    """
    return _quantile(x, np.asarray(0.5), axis, keepdims, "median")


def _quantile(x: Any, fractions: Any, axis: Any, keepdims: bool, name: str) -> Any:
    """Return quantiles at the fractions ``fractions`` (no axis or one), with one sort."""
    x = floating(operand(x, name))
    kept = reduction.kept_shape(x.shape, None)  # before x is flattened
    if axis is None:
        x, place = reshape(x, shape=(x.size,)), 0
    else:
        place = axis_of(axis, x.ndim, name)
        kept = reduction.kept_shape(x.shape, (place,))
    demand_numbers(x, (place,), name)
    ordered = sort(x, place)
    found = [_between(ordered, place, fraction) for fraction in fractions.reshape(-1).tolist()]
    if keepdims:
        found = [reshape(y, shape=kept) for y in found]
    return stack(*found, axis=0) if fractions.ndim else found[0]


def _between(ordered: Any, axis: int, fraction: float) -> Operand:
    """Return the element at a fraction of the way through ``ordered``. A NaN, sorted last, wins."""
    position = fraction * (ordered.shape[axis] - 1)
    k = int(position)
    w = position - k
    at = (slice(None),) * axis
    last, low = (take(ordered, key=(*at, i)) for i in (-1, k))
    # the last element has no neighbour, and needs none: there w is 0
    y = (1.0 - w) * low + w * take(ordered, key=(*at, k + 1)) if w else low
    return where(not_equal(last, last), last, y)
