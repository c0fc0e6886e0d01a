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
    """Return running sums along an axis.

        yᵢ = Σⱼ≤ᵢ xⱼ

    Parameters
    ----------
    x : any shape
        The terms.
    axis
        The axis along which sums run; ``None`` if ``x`` has one axis only.
    dtype
        The dtype of the terms and of the result; by default that of ``x``, and 64-bit integers for
        integers and bools.
    include_initial
        Whether the sum of no terms, 0, is put in front.

    Returns
    -------
    the shape of x, one longer along axis with include_initial
        The running sums.

    Raises
    ------
    SizeError
        If ``x`` has no such axis, or ``axis`` is ``None`` and ``x`` does not have exactly one.
    OptionError
        If ``dtype`` is not the name of a dtype that Tensors have.

    See Also
    --------
    cumsum

    Examples
    --------
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
    """Return running products along an axis.

        yᵢ = Πⱼ≤ᵢ xⱼ

    Derivatives are correct at zeros, too.

    Parameters
    ----------
    x : any shape
        The factors.
    axis
        The axis along which products run; ``None`` if ``x`` has one axis only.
    dtype
        The dtype of the factors and of the result; by default that of ``x``, and 64-bit integers
        for integers and bools.
    include_initial
        Whether the product of no factors, 1, is put in front.

    Returns
    -------
    the shape of x, one longer along axis with include_initial
        The running products.

    Raises
    ------
    SizeError
        If ``x`` has no such axis, or ``axis`` is ``None`` and ``x`` does not have exactly one.
    OptionError
        If ``dtype`` is not the name of a dtype that Tensors have.

    See Also
    --------
    cumprod

    Examples
    --------
    >>> cumulative_prod([1.0, 2.0, 3.0], include_initial=True)
    Tensor([1., 1., 2., 6.])
    """
    return _cumulate("cumulative_prod", 1, x, axis, dtype, include_initial)


@unary_function
def cumsum(x: ArrayLike, axis: Axis = None, *, dtype: DTypeLike | None = None) -> Tensor:
    """Return running sums along an axis, by NumPy's rule for the axis.

        yᵢ = Σⱼ≤ᵢ xⱼ

    Parameters
    ----------
    x : any shape
        The terms.
    axis
        The axis along which sums run; ``None`` takes the flat array.
    dtype
        The dtype of the terms and of the result; by default that of ``x``, and 64-bit integers for
        integers and bools.

    Returns
    -------
    the shape of x, or (n,) without an axis
        The running sums.

    Raises
    ------
    SizeError
        If ``x`` has no such axis.
    OptionError
        If ``dtype`` is not the name of a dtype that Tensors have.

    See Also
    --------
    cumulative_sum

    Examples
    --------
    >>> cumsum([[1.0, 2.0], [3.0, 4.0]])
    Tensor([ 1.,  3.,  6., 10.])
    """
    return cumulative_sum(_in_a_row(x, axis, "cumsum"), axis, dtype=dtype)


@unary_function
def cumprod(x: ArrayLike, axis: Axis = None, *, dtype: DTypeLike | None = None) -> Tensor:
    """Return running products along an axis, by NumPy's rule for the axis.

        yᵢ = Πⱼ≤ᵢ xⱼ

    Derivatives are correct at zeros, too.

    Parameters
    ----------
    x : any shape
        The factors.
    axis
        The axis along which products run; ``None`` takes the flat array.
    dtype
        The dtype of the factors and of the result; by default that of ``x``, and 64-bit integers
        for integers and bools.

    Returns
    -------
    the shape of x, or (n,) without an axis
        The running products.

    Raises
    ------
    SizeError
        If ``x`` has no such axis.
    OptionError
        If ``dtype`` is not the name of a dtype that Tensors have.

    See Also
    --------
    cumulative_prod

    Examples
    --------
    >>> cumprod([[1.0, 2.0], [3.0, 4.0]])
    Tensor([ 1.,  2.,  6., 24.])
    """
    return cumulative_prod(_in_a_row(x, axis, "cumprod"), axis, dtype=dtype)


# --- running extremes and logarithms --------------------------------------------------------------


@unary_function
def cummax(x: ArrayLike, axis: Axis = None) -> Tensor:
    """Return running maxima along an axis.

        yᵢ = maxⱼ≤ᵢ xⱼ

    Of equal elements the last gets the gradient, as in PyTorch. After a NaN all results are NaN.

    Parameters
    ----------
    x : any shape
        The numbers.
    axis
        The axis along which maxima run; ``None`` takes the flat array.

    Returns
    -------
    the shape of x, or (n,) without an axis
        The running maxima.

    Raises
    ------
    SizeError
        If ``x`` has no such axis.

    Examples
    --------
    >>> cummax([1.0, 3.0, 2.0])
    Tensor([1., 3., 3.])
    """
    return _doubling("cummax", lambda a, b: where((a > b) | not_equal(a, a), a, b), x, axis)


@unary_function
def cummin(x: ArrayLike, axis: Axis = None) -> Tensor:
    """Return running minima along an axis.

        yᵢ = minⱼ≤ᵢ xⱼ

    Of equal elements the last gets the gradient, as in PyTorch. After a NaN all results are NaN.

    Parameters
    ----------
    x : any shape
        The numbers.
    axis
        The axis along which minima run; ``None`` takes the flat array.

    Returns
    -------
    the shape of x, or (n,) without an axis
        The running minima.

    Raises
    ------
    SizeError
        If ``x`` has no such axis.

    Examples
    --------
    >>> cummin([2.0, 3.0, 1.0])
    Tensor([2., 2., 1.])
    """
    return _doubling("cummin", lambda a, b: where((a < b) | not_equal(a, a), a, b), x, axis)


@unary_function
def logcumsumexp(x: ArrayLike, axis: Axis = None) -> Tensor:
    """Return the logarithms of running sums of exponentials, without overflow.

        yᵢ = ln Σⱼ≤ᵢ exp(xⱼ)

    Parameters
    ----------
    x : any shape
        The exponents; integers become floats.
    axis
        The axis along which sums run; ``None`` takes the flat array.

    Returns
    -------
    the shape of x, or (n,) without an axis
        The logarithms of the running sums.

    Raises
    ------
    SizeError
        If ``x`` has no such axis.

    Examples
    --------
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
