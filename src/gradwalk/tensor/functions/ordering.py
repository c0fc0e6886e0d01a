"""Functions that sort, search and select."""

from __future__ import annotations

import builtins
import operator
from typing import Any, Literal

import numpy as np

from ...core.carrier import Carrier
from ...core.expect import describe, index_of
from ...errors import OptionError, SizeError
from ...levels.level import Tracer
from ...levels.vmap import varies
from ...ops.arithmetic import equal, minimum, not_equal, where
from ...ops.array import order as primitives
from ...ops.array import reduction
from ...ops.array.facts import isinf, plain
from ...ops.array.indexing import take
from ...ops.array.structure import astype, permute_dims, reshape
from ..graph.convert import to_array
from ..graph.tensor import Tensor
from ..graph.types import Axis, TopK
from .arguments import axis_of, operand
from .indexing import take as take_at
from .indexing import take_along_axis
from .reducing import demand_numbers, floating
from .types import ArrayLike, binary_function, unary_function
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
    """Return the index of the first largest element.

    It has no derivative.

    Parameters
    ----------
    x : any shape
        The numbers to choose from. A NaN counts as the largest.
    axis
        The axis along which the element is searched; ``None`` searches the flat array.
    keepdims
        Whether the axis stays, with length 1; all axes if ``axis`` is ``None``.

    Returns
    -------
    the shape of x without axis, or ()
        The indices, as integers.

    Raises
    ------
    SizeError
        If ``x`` has no such axis, or no elements along it.

    See Also
    --------
    max, argsort

    Examples
    --------
    >>> argmax([[1.0, 3.0, 3.0], [5.0, 4.0, 0.0]], axis=1)
    Tensor([1, 0])
    """
    return _place(primitives.argmax, x, axis, keepdims, "argmax")


@unary_function
def argmin(x: ArrayLike, axis: Axis = None, *, keepdims: bool = False) -> Tensor:
    """Return the index of the first smallest element.

    It has no derivative.

    Parameters
    ----------
    x : any shape
        The numbers to choose from. A NaN counts as the smallest.
    axis
        The axis along which the element is searched; ``None`` searches the flat array.
    keepdims
        Whether the axis stays, with length 1; all axes if ``axis`` is ``None``.

    Returns
    -------
    the shape of x without axis, or ()
        The indices, as integers.

    Raises
    ------
    SizeError
        If ``x`` has no such axis, or no elements along it.

    See Also
    --------
    min, argsort

    Examples
    --------
    >>> argmin([[1.0, 3.0, 3.0], [5.0, 4.0, 0.0]], axis=1)
    Tensor([0, 2])
    """
    return _place(primitives.argmin, x, axis, keepdims, "argmin")


def _place(primitive: Any, x: ArrayLike, axis: Any, keepdims: bool, where: str) -> Tensor:
    x = operand(x, where)
    place = None if axis is None else axis_of(axis, x.ndim, where)
    demand_numbers(x, None if place is None else (place,), where)
    return primitive(x, axis=place, keepdims=bool(keepdims))


@unary_function
def argsort(
    x: ArrayLike, axis: int = -1, *, descending: bool = False, stable: bool = True
) -> Tensor:
    """Return the indices that sort x along an axis.

    It has no derivative.

    Parameters
    ----------
    x : any shape
        The elements to sort. A NaN counts as the largest.
    axis
        The axis along which the elements are sorted.
    descending
        Whether the largest element comes first.
    stable
        Accepted for NumPy's sake: equal elements always keep their order.

    Returns
    -------
    the shape of x
        The indices, for `take_along_axis`.

    Raises
    ------
    SizeError
        If ``x`` has no such axis.

    See Also
    --------
    sort, topk

    Examples
    --------
    >>> argsort([3.0, 1.0, 3.0]), argsort([3.0, 1.0, 3.0], descending=True)
    (Tensor([1, 0, 2]), Tensor([0, 2, 1]))
    """
    x = operand(x, "argsort")
    return primitives.argsort(x, axis=axis_of(axis, x.ndim, "argsort"), descending=bool(descending))


@binary_function
def searchsorted(
    x1: ArrayLike,
    x2: ArrayLike,
    *,
    side: Literal["left", "right"] = "left",
    sorter: ArrayLike | None = None,
) -> Tensor:
    """Return where to insert numbers into a sorted row so that it stays sorted.

        yₖ = number of xᵢ < vₖ  (side="left"),  or of xᵢ <= vₖ  (side="right")

    It has no derivative.

    Parameters
    ----------
    x1 : (n,)
        The row x, in ascending order.
    x2 : any shape
        The numbers v to insert.
    side
        Whether the index is that before equal elements ("left") or after them ("right").
    sorter : (n,)
        The indices that sort ``x1``; ``None`` if it is sorted.

    Returns
    -------
    the shape of x2
        The indices, from 0 to n.

    Raises
    ------
    SizeError
        If ``x1`` does not have one axis.
    OptionError
        If ``side`` is neither "left" nor "right".

    Examples
    --------
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
        return primitives.searchsorted(take_along_axis(x1, sorter), x2, side=side, sorter=None)
    order = None if sorter is None else _numbers(operand(sorter, "searchsorted"))
    return primitives.searchsorted(x1, x2, side=side, sorter=order)


# --- numbers in order -----------------------------------------------------------------------------


@unary_function
def sort(x: ArrayLike, axis: int = -1, *, descending: bool = False, stable: bool = True) -> Tensor:
    """Sort the elements along an axis; each gradient goes back to the element it belongs to.

        yᵢ = x[σ(i)],   x̄[σ(i)] = ȳᵢ

    Parameters
    ----------
    x : any shape
        The elements to sort. A NaN counts as the largest.
    axis
        The axis along which the elements are sorted.
    descending
        Whether the largest element comes first.
    stable
        Accepted for NumPy's sake: equal elements always keep their order.

    Returns
    -------
    the shape of x
        The sorted elements.

    Raises
    ------
    SizeError
        If ``x`` has no such axis.

    See Also
    --------
    argsort, topk

    Examples
    --------
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
        order = primitives.argsort(x, axis=place, descending=bool(descending))
        return take_along_axis(x, order, place)
    return primitives.choose(
        x, places=primitives.ranked(_numbers(x), place, bool(descending)), axis=place
    )


def topk(x: ArrayLike, k: int, axis: int = -1, *, largest: bool = True) -> TopK[Tensor]:
    """Return the k largest (or smallest) elements along an axis, and their indices.

    Gradients propagate to the elements in the result.

    Parameters
    ----------
    x : any shape
        The elements. A NaN counts as the largest.
    k
        How many elements to return, between 0 and the length of the axis.
    axis
        The axis along which the elements are compared.
    largest
        Whether the largest elements are returned, else the smallest.

    Returns
    -------
    the shape of x, with length k along axis
        The pair (values, indices), in order. Of equal elements the first comes first.

    Raises
    ------
    SizeError
        If ``x`` has no such axis, or ``k`` is not an integer in its range.

    Examples
    --------
    >>> values, indices = topk([5.0, 9.0, 7.0], 2)
    >>> values, indices
    (Tensor([9., 7.]), Tensor([1, 2]))
    """
    x = operand(x, "topk")
    place = axis_of(axis, x.ndim, "topk")
    count = operator.index(k) if index_of(k) is not None else -1
    if not 0 <= count <= x.shape[place]:
        raise SizeError(
            where="topk(k)",
            expected=f"an integer between 0 and {x.shape[place]}",
            got=describe(k),
            fix=f"Pass at most {x.shape[place]}, the length of the axis.",
        )
    key = (*[slice(None)] * place, slice(count))
    if varies(x):
        order = primitives.argsort(x, axis=place, descending=bool(largest))
        found = take(order, key=key)
        return TopK(take_along_axis(x, found, place), found)
    # the first copy frees the full ranking, the second protects the graph from writes
    places = primitives.ranked(_numbers(x), place, bool(largest))[key].copy()
    return TopK(primitives.choose(x, places=places, axis=place), like(x, places.copy()))


# --- quantiles ------------------------------------------------------------------------------------


@unary_function
def quantile(x: ArrayLike, q: ArrayLike, axis: Axis = None, *, keepdims: bool = False) -> Tensor:
    """Return numbers below which a fraction q of all lies, interpolated between neighbours.

        y = (1 - w) s[k] + w s[k + 1],  s sorted, k + w = q (n - 1)
        q̄ = ȳ (n - 1) (s[k + 1] - s[k])

    Where y is an element, its slope in q is that to the right of it, and at the last one that to
    the left.

    Parameters
    ----------
    x : any shape
        The numbers; integers become floats.
    q : () or (m,)
        The fractions, between 0 and 1; 0.5 is the median.
    axis
        The axis along which the elements are sorted; ``None`` takes the flat array.
    keepdims
        Whether the axis stays, with length 1; all axes if ``axis`` is ``None``.

    Returns
    -------
    the shape of x without axis, with m in front if q has an axis
        The quantiles; NaN where there is a NaN.

    Raises
    ------
    OptionError
        If ``q`` has more than one axis, or a fraction is outside of [0, 1].
    SizeError
        If ``x`` has no such axis, or no elements along it.

    References
    ----------
    Hyndman and Fan, Sample quantiles in statistical packages (1996), definition 7.

    Examples
    --------
    >>> quantile([1.0, 2.0, 4.0], 0.25).item(), quantile([1.0, 2.0, 4.0], [0.0, 1.0]).tolist()
    (1.5, [1.0, 4.0])
    """
    array = isinstance(q, (Carrier, np.ndarray))
    fractions = floating(operand(q, "quantile")) if array else to_array(q, float, "quantile(q)")
    expect_fractions(fractions, fractions.ndim < 2, q, "quantile")
    return _quantile(x, fractions, axis, keepdims, "quantile")


@unary_function
def median(x: ArrayLike, axis: Axis = None, *, keepdims: bool = False) -> Tensor:
    """Return the middle element, or the mean of the two in the middle.

        y = (s[⌊(n-1)/2⌋] + s[⌈(n-1)/2⌉]) / 2,  s sorted

    Parameters
    ----------
    x : any shape
        The numbers; integers become floats.
    axis
        The axis along which the elements are sorted; ``None`` takes the flat array.
    keepdims
        Whether the axis stays, with length 1; all axes if ``axis`` is ``None``.

    Returns
    -------
    the shape of x without axis, or ()
        The medians; NaN where there is a NaN.

    Raises
    ------
    SizeError
        If ``x`` has no such axis, or no elements along it.

    Examples
    --------
    >>> median([5.0, 1.0, 3.0]).item(), median([4.0, 1.0]).item()
    (3.0, 2.5)
    """
    return _quantile(x, np.asarray(0.5), axis, keepdims, "median")


def expect_fractions(x: Any, fits: bool, given: object, where: str, most: int = 1) -> None:
    """Raise `OptionError` unless all fractions are between 0 and ``most``, and their shape fits."""
    numbers = _known(x)
    if not (fits and ((numbers >= 0.0) & (numbers <= most)).all()):
        raise OptionError(
            where=f"{where}(q)",
            expected=f"numbers between 0 and {most}",
            got=describe(given),
            fix="Pass 50 for the median, and fractions times 100."
            if most == 100
            else "Pass 0.5 for the median, and percentages divided by 100.",
        )


def _known(x: Any) -> Any:
    """Return the numbers of an array or of a tracer, those of a batch together."""
    while isinstance(x, Tracer):
        x = x._primal
    return np.asarray(getattr(x, "data", x) if isinstance(x, Carrier) else x)


def _quantile(x: ArrayLike, fractions: Any, axis: Any, keepdims: bool, name: str) -> Tensor:
    """Return quantiles at the fractions ``fractions`` (no axis or one), with one sort."""
    x = floating(operand(x, name))
    kept = reduction.kept_shape(x.shape, None)  # before x is flattened
    if axis is None:
        x, place = reshape(x, shape=(x.size,)), 0
    else:
        place = axis_of(axis, x.ndim, name)
        kept = reduction.kept_shape(x.shape, (place,))
    demand_numbers(x, (place,), name)
    front = (place, *[i for i in range(x.ndim) if i != place])
    row = reshape(fractions, shape=(-1,))
    found = _between(permute_dims(sort(x, place), axes=front), row)
    found = reshape(found, shape=(*row.shape, *kept)) if keepdims else found
    return found if fractions.ndim else found[0]


def _between(ordered: Any, fractions: Any) -> Tensor:
    """Return the elements at fractions of the way through ``ordered``. A NaN, sorted last, wins."""
    last, ones = ordered.shape[0] - 1, (1,) * (ordered.ndim - 1)
    position = fractions * float(last)
    k = _steps_below(position, last)
    w = reshape(astype(position - k, dtype=ordered.dtype), shape=(-1, *ones))
    low, high = take_at(ordered, k, axis=0), take_at(ordered, k + builtins.min(last, 1), axis=0)
    low, high = _weighted(low, high, equal(w, 1.0)), _weighted(high, low, equal(w, 0.0))
    top = ordered[-1]
    return where(not_equal(top, top), top, (1.0 - w) * low + w * high)


def _steps_below(position: Any, last: int) -> Any:
    """Return the whole number below a position, or the last but one at the end."""
    most = builtins.max(last - 1, 0)
    if varies(position):
        return minimum(plain(position, dtype=np.intp), most)
    return np.minimum(_known(position).astype(np.intp), most)


def _weighted(x: Tensor, other: Any, without: Any) -> Tensor:
    """Return x with finite numbers in place of infinities that have no weight."""
    return where(without & isinf(x), where(isinf(other), 0.0, other), x)
