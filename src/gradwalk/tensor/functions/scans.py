"""Running sums and products along an axis."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ...errors import SizeError
from ...ops.activation import logaddexp
from ...ops.arithmetic import not_equal, where
from ...ops.array import scan
from ...ops.array.structure import concat, reshape
from ..graph.tensor import Tensor
from ..graph.types import Axis, DTypeLike
from .arguments import axis_of
from .reducing import array_of, floating, in_dtype
from .types import ArrayLike, unary_function

__all__ = ["cummax", "cummin", "cumprod", "cumsum", "cumulative_prod", "cumulative_sum"]
__all__ += ["logcumsumexp"]


@unary_function
def cumulative_sum(
    x: ArrayLike,
    axis: Axis = None,
    *,
    dtype: DTypeLike | None = None,
    include_initial: bool = False,
) -> Tensor:
    """Return running sums along an axis, which may be omitted if there is only one.

        yᵢ = Σⱼ≤ᵢ xⱼ

    ``include_initial`` puts the sum of none, 0, in front.

    >>> cumulative_sum([1.0, 2.0, 3.0], include_initial=True)
    Tensor([0., 1., 3., 6.])
    """
    return _cumulate("cumulative_sum", 0, x, axis, dtype, include_initial)


@unary_function
def cumulative_prod(
    x: ArrayLike,
    axis: Axis = None,
    *,
    dtype: DTypeLike | None = None,
    include_initial: bool = False,
) -> Tensor:
    """Return running products along an axis; derivatives are correct at zeros, too.

        yᵢ = Πⱼ≤ᵢ xⱼ

    >>> cumulative_prod([1.0, 2.0, 3.0], include_initial=True)
    Tensor([1., 1., 2., 6.])
    """
    return _cumulate("cumulative_prod", 1, x, axis, dtype, include_initial)


@unary_function
def cumsum(x: ArrayLike, axis: Axis = None, *, dtype: DTypeLike | None = None) -> Tensor:
    """Return `cumulative_sum` by NumPy's rule: without an axis, of the flat array.

    >>> cumsum([[1.0, 2.0], [3.0, 4.0]])
    Tensor([ 1.,  3.,  6., 10.])
    """
    return cumulative_sum(_in_a_row(x, axis, "cumsum"), axis, dtype=dtype)


@unary_function
def cumprod(x: ArrayLike, axis: Axis = None, *, dtype: DTypeLike | None = None) -> Tensor:
    """Return `cumulative_prod` by NumPy's rule: without an axis, of the flat array.

    >>> cumprod([[1.0, 2.0], [3.0, 4.0]])
    Tensor([ 1.,  2.,  6., 24.])
    """
    return cumulative_prod(_in_a_row(x, axis, "cumprod"), axis, dtype=dtype)


# --- running extremes and logarithms --------------------------------------------------------------


@unary_function
def cummax(x: ArrayLike, axis: Axis = None) -> Tensor:
    """Return running maxima along an axis; without one, of the flat array.

        yᵢ = maxⱼ≤ᵢ xⱼ

    Of equal numbers the last gets the gradient, as in PyTorch; after a NaN all is NaN.

    >>> cummax([1.0, 3.0, 2.0])
    Tensor([1., 3., 3.])
    """
    return _doubling("cummax", lambda a, b: where((a > b) | not_equal(a, a), a, b), x, axis)


@unary_function
def cummin(x: ArrayLike, axis: Axis = None) -> Tensor:
    """Return running minima along an axis; without one, of the flat array. See `cummax`.

    >>> cummin([2.0, 3.0, 1.0])
    Tensor([2., 2., 1.])
    """
    return _doubling("cummin", lambda a, b: where((a < b) | not_equal(a, a), a, b), x, axis)


@unary_function
def logcumsumexp(x: ArrayLike, axis: Axis = None) -> Tensor:
    """Return the logarithms of running sums of exponentials, without overflow.

        yᵢ = ln Σⱼ≤ᵢ exp(xⱼ)

    >>> logcumsumexp([1000.0, 1000.0]).data.round(6).tolist()
    [1000.0, 1000.693147]
    """
    return _doubling("logcumsumexp", logaddexp, floating(array_of(x, "logcumsumexp")), axis)


def _doubling(name: str, combine: Callable[..., Any], x: object, axis: Axis) -> Tensor:
    """Return a running ``combine(earlier, later)``: log₂ n passes, each over twice the distance."""
    x = _in_a_row(x, axis, name)
    place = axis_of(0 if axis is None else axis, x.ndim, name)
    n, before, step = x.shape[place], (slice(None),) * place, 1
    while step < n:
        head, early = x[(*before, slice(step))], x[(*before, slice(n - step))]
        late = combine(early, x[(*before, slice(step, n))])
        x = concat(head, late, axis=place, bounds=(0, step, n))
        step *= 2
    return x


def _in_a_row(x: object, axis: int | tuple[int, ...] | None, where: str) -> Tensor:
    x = array_of(x, where)
    return reshape(x, shape=(x.size,)) if axis is None else x


def _cumulate(
    where: str, start: int, x: object, axis: int | tuple[int, ...] | None, dtype: Any, initial: bool
) -> Any:
    x = array_of(x, where, dtype)
    if axis is None and x.ndim != 1:
        raise SizeError(
            where=f"{where}(axis)",
            expected="an axis, since there is not exactly one",
            got=f"None for an array of shape {x.shape}",
            fix="Write axis=-1 for the last one.",
        )
    place = axis_of(0 if axis is None else axis, x.ndim, where)
    y = getattr(scan, where)(x, axis=place, reverse=False)  # the rule scans from the end
    y = in_dtype(y, dtype)
    if not initial:
        return y
    # joined in front, because the scan itself has no initial element
    first = np.full((*x.shape[:place], 1, *x.shape[place + 1 :]), start, y.dtype)
    return concat(first, y, axis=place, bounds=(0, 1, 1 + x.shape[place]))
