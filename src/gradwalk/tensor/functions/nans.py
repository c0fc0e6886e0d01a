"""Reductions that leave NaN out: it counts as missing, and gets no gradient."""

from __future__ import annotations

from math import inf, nan
from typing import Any

import numpy as np

from ...ops.arithmetic import ceil, equal, floor, where
from ...ops.exponential import sqrt
from ..graph.tensor import Tensor
from ..graph.types import Axes, Axis, DTypeLike
from . import ordering, reductions, scans
from .arguments import axis_of, operand
from .elementwise import isnan
from .indexing import take_along_axis
from .reducing import demand_numbers, floating
from .shapes import moveaxis, ravel
from .types import ArrayLike, unary_function

__all__ = ["nanargmax", "nanargmin", "nancumprod", "nancumsum", "nanmax", "nanmean", "nanmedian"]
__all__ += ["nanmin", "nanpercentile", "nanprod", "nanquantile", "nanstd", "nansum", "nanvar"]
METHODS: tuple[str, ...] = ()


def _filled(x: object, name: str, fill: float) -> tuple[Any, Any]:
    """Return x with ``fill`` in the place of each NaN, and where they are; ``None``: nowhere."""
    x = operand(x, name)
    if x.dtype.kind != "f":
        return x, None
    missing = isnan(x)
    return where(missing, fill, x), missing


def _without(name: str, fill: float, x: object, **options: Any) -> Tensor:
    """Return a reduction or a scan of what is not NaN."""
    home = scans if hasattr(scans, name) else reductions
    return getattr(home, name)(_filled(x, f"nan{name}", fill)[0], **options)


@unary_function
def nansum(
    x: ArrayLike, axis: Axes = None, *, dtype: DTypeLike | None = None, keepdims: bool = False
) -> Tensor:
    """Sum the elements that are not NaN.

    Parameters
    ----------
    x : any shape
        The terms. A NaN counts as missing, and gets no gradient.
    axis
        The axis, or the axes, along which the elements are added; all axes if ``None``.
    dtype
        The dtype of the terms and of the result, as in `sum`.
    keepdims
        Whether the reduced axes stay, with length 1.

    Returns
    -------
    the shape of x without the reduced axes
        The sums; 0 where all elements are NaN.

    Raises
    ------
    SizeError
        If ``x`` has no such axis, or an axis is named twice.
    OptionError
        If ``dtype`` is not the name of a dtype that Tensors have.

    Examples
    --------
    >>> nansum([1.0, float("nan"), 3.0]).item()
    4.0
    """
    return _without("sum", 0.0, x, axis=axis, dtype=dtype, keepdims=keepdims)


@unary_function
def nanprod(
    x: ArrayLike, axis: Axes = None, *, dtype: DTypeLike | None = None, keepdims: bool = False
) -> Tensor:
    """Multiply the elements that are not NaN.

    Parameters
    ----------
    x : any shape
        The factors. A NaN counts as missing, and gets no gradient.
    axis
        The axis, or the axes, along which the elements are multiplied; all axes if ``None``.
    dtype
        The dtype of the factors and of the result, as in `prod`.
    keepdims
        Whether the reduced axes stay, with length 1.

    Returns
    -------
    the shape of x without the reduced axes
        The products; 1 where all elements are NaN.

    Raises
    ------
    SizeError
        If ``x`` has no such axis, or an axis is named twice.
    OptionError
        If ``dtype`` is not the name of a dtype that Tensors have.

    Examples
    --------
    >>> nanprod([2.0, float("nan"), 3.0]).item()
    6.0
    """
    return _without("prod", 1.0, x, axis=axis, dtype=dtype, keepdims=keepdims)


@unary_function
def nancumsum(x: ArrayLike, axis: Axis = None, *, dtype: DTypeLike | None = None) -> Tensor:
    """Return running sums of the elements that are not NaN.

    Parameters
    ----------
    x : any shape
        The terms. A NaN adds nothing, and gets no gradient.
    axis
        The axis along which sums run; ``None`` takes the flat array.
    dtype
        The dtype of the terms and of the result, as in `cumsum`.

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

    Examples
    --------
    >>> nancumsum([1.0, float("nan"), 3.0])
    Tensor([1., 1., 4.])
    """
    return _without("cumsum", 0.0, x, axis=axis, dtype=dtype)


@unary_function
def nancumprod(x: ArrayLike, axis: Axis = None, *, dtype: DTypeLike | None = None) -> Tensor:
    """Return running products of the elements that are not NaN.

    Parameters
    ----------
    x : any shape
        The factors. A NaN counts as 1, and gets no gradient.
    axis
        The axis along which products run; ``None`` takes the flat array.
    dtype
        The dtype of the factors and of the result, as in `cumprod`.

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

    Examples
    --------
    >>> nancumprod([2.0, float("nan"), 3.0])
    Tensor([2., 2., 6.])
    """
    return _without("cumprod", 1.0, x, axis=axis, dtype=dtype)


# --- extremes -------------------------------------------------------------------------------------


def _extreme(name: str, x: object, axis: Axes, keepdims: bool) -> Tensor:
    x, missing = _filled(x, f"nan{name}", -inf if name == "max" else inf)
    y = getattr(reductions, name)(x, axis, keepdims=keepdims)
    if missing is None:
        return y
    return where(reductions.all(missing, axis, keepdims=keepdims), nan, y)


@unary_function
def nanmax(x: ArrayLike, axis: Axes = None, *, keepdims: bool = False) -> Tensor:
    """Return the largest element that is not NaN.

    Parameters
    ----------
    x : any shape
        The numbers to choose from. A NaN counts as missing.
    axis
        The axis, or the axes, along which the largest element is chosen; all axes if ``None``.
    keepdims
        Whether the reduced axes stay, with length 1.

    Returns
    -------
    the shape of x without the reduced axes
        The largest elements; NaN where all elements are NaN.

    Raises
    ------
    SizeError
        If ``x`` has no such axis, an axis is named twice, or there are no elements along them.

    Examples
    --------
    >>> nanmax([1.0, float("nan"), 3.0]).item()
    3.0
    """
    return _extreme("max", x, axis, keepdims)


@unary_function
def nanmin(x: ArrayLike, axis: Axes = None, *, keepdims: bool = False) -> Tensor:
    """Return the smallest element that is not NaN.

    Parameters
    ----------
    x : any shape
        The numbers to choose from. A NaN counts as missing.
    axis
        The axis, or the axes, along which the smallest element is chosen; all axes if ``None``.
    keepdims
        Whether the reduced axes stay, with length 1.

    Returns
    -------
    the shape of x without the reduced axes
        The smallest elements; NaN where all elements are NaN.

    Raises
    ------
    SizeError
        If ``x`` has no such axis, an axis is named twice, or there are no elements along them.

    Examples
    --------
    >>> nanmin([1.0, float("nan"), 3.0]).item()
    1.0
    """
    return _extreme("min", x, axis, keepdims)


@unary_function
def nanargmax(x: ArrayLike, axis: Axis = None, *, keepdims: bool = False) -> Tensor:
    """Return the index of the first largest element that is not NaN.

    It has no derivative.

    Parameters
    ----------
    x : any shape
        The numbers to choose from. A NaN counts as -inf.
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

    Examples
    --------
    >>> nanargmax([1.0, float("nan"), 3.0]).item()
    2
    """
    return ordering.argmax(_filled(x, "nanargmax", -inf)[0], axis, keepdims=keepdims)


@unary_function
def nanargmin(x: ArrayLike, axis: Axis = None, *, keepdims: bool = False) -> Tensor:
    """Return the index of the first smallest element that is not NaN.

    It has no derivative.

    Parameters
    ----------
    x : any shape
        The numbers to choose from. A NaN counts as inf.
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

    Examples
    --------
    >>> nanargmin([1.0, float("nan"), 3.0]).item()
    0
    """
    return ordering.argmin(_filled(x, "nanargmin", inf)[0], axis, keepdims=keepdims)


# --- moments --------------------------------------------------------------------------------------


@unary_function
def nanmean(x: ArrayLike, axis: Axes = None, *, keepdims: bool = False) -> Tensor:
    """Return the mean of the elements that are not NaN.

    Parameters
    ----------
    x : any shape
        The numbers to average. A NaN counts as missing, and gets no gradient.
    axis
        The axis, or the axes, along which the elements are averaged; all axes if ``None``.
    keepdims
        Whether the reduced axes stay, with length 1.

    Returns
    -------
    the shape of x without the reduced axes
        The means; NaN where all elements are NaN.

    Raises
    ------
    SizeError
        If ``x`` has no such axis, or an axis is named twice.

    Examples
    --------
    >>> nanmean([1.0, float("nan"), 3.0]).item()
    2.0
    """
    x, missing = _filled(x, "nanmean", 0.0)
    if missing is None:
        return reductions.mean(x, axis, keepdims=keepdims)
    total: Any = reductions.sum(x, axis, keepdims=keepdims)
    return total / _count(missing, axis, keepdims, total.dtype)


def _count(missing: Tensor, axis: Axes, keepdims: bool, dtype: Any) -> Tensor:
    """Return how many numbers are not NaN, as floats."""
    return reductions.sum(where(missing, 0.0, 1.0), axis, keepdims=keepdims).astype(dtype)


@unary_function
def nanvar(
    x: ArrayLike, axis: Axes = None, *, correction: float = 0.0, keepdims: bool = False
) -> Tensor:
    """Return the variance of the elements that are not NaN.

        y = Σᵢ (xᵢ - x̄)² / (n - c)

    Parameters
    ----------
    x : any shape
        The numbers. A NaN counts as missing, and gets no gradient.
    axis
        The axis, or the axes, along which the deviations are taken; all axes if ``None``.
    correction
        The number c that is subtracted from the count n of elements that are not NaN: 1 for the
        estimate from a sample.
    keepdims
        Whether the reduced axes stay, with length 1.

    Returns
    -------
    the shape of x without the reduced axes
        The variances; NaN where NaNs leave n <= c.

    Raises
    ------
    SizeError
        If ``x`` has no such axis, or an axis is named twice.

    Examples
    --------
    >>> nanvar([1.0, float("nan"), 3.0]).item()
    1.0
    """
    x, missing = _filled(x, "nanvar", 0.0)
    if missing is None:
        return reductions.var(x, axis, correction=correction, keepdims=keepdims)
    center: Any = reductions.sum(x, axis, keepdims=True)
    center = center / _count(missing, axis, True, x.dtype)
    d = where(missing, 0.0, x - center)
    left = _count(missing, axis, keepdims, x.dtype) - correction
    left = where(left > 0.0, left, nan)
    spread: Any = reductions.sum(d * d, axis, keepdims=keepdims)
    return spread / left


@unary_function
def nanstd(
    x: ArrayLike, axis: Axes = None, *, correction: float = 0.0, keepdims: bool = False
) -> Tensor:
    """Return the standard deviation of the elements that are not NaN, the square root of `nanvar`.

    The derivative is 0 where all elements are equal.

    Parameters
    ----------
    x : any shape
        The numbers. A NaN counts as missing, and gets no gradient.
    axis
        The axis, or the axes, along which the deviations are taken; all axes if ``None``.
    correction
        The number c that is subtracted from the count n of elements that are not NaN: 1 for the
        estimate from a sample.
    keepdims
        Whether the reduced axes stay, with length 1.

    Returns
    -------
    the shape of x without the reduced axes
        The standard deviations; NaN where NaNs leave n <= c.

    Raises
    ------
    SizeError
        If ``x`` has no such axis, or an axis is named twice.

    Examples
    --------
    >>> nanstd([1.0, float("nan"), 3.0]).item()
    1.0
    """
    y: Any = nanvar(x, axis, correction=correction, keepdims=keepdims)
    none = equal(y, 0.0)
    root: Any = where(none, y, sqrt(where(none, 1.0, y)))
    return root


# --- quantiles ------------------------------------------------------------------------------------


@unary_function
def nanquantile(
    x: ArrayLike, q: float | ArrayLike, axis: Axis = None, *, keepdims: bool = False
) -> Tensor:
    """Return quantiles of the elements that are not NaN, by linear interpolation.

    Parameters
    ----------
    x : any shape
        The numbers; integers become floats. A NaN counts as missing, and gets no gradient.
    q : any shape
        Fractions between 0 and 1; 0.5 is the median.
    axis
        The axis along which the elements are sorted; ``None`` takes the flat array.
    keepdims
        Whether the axis stays, with length 1; all axes if ``axis`` is ``None``.

    Returns
    -------
    the shape of q, followed by that of x without axis
        The quantiles; NaN where all elements are NaN.

    Raises
    ------
    OptionError
        If a fraction is outside of [0, 1].
    SizeError
        If ``x`` has no such axis, or no elements along it.

    See Also
    --------
    quantile

    Examples
    --------
    >>> nanquantile([1.0, float("nan"), 3.0, 2.0], 0.25).item()
    1.5
    """
    x, fractions = floating(operand(x, "nanquantile")), operand(q, "nanquantile(q)")
    ordering.expect_fractions(fractions, True, q, "nanquantile")
    q, kept = fractions, (1,) * x.ndim if axis is None else None
    line: Any = ravel(x) if axis is None else moveaxis(x, axis_of(axis, x.ndim, "nanquantile"), -1)
    demand_numbers(line, (line.ndim - 1,), "nanquantile")
    line = ordering.sort(line, axis=-1)  # NaN is the largest
    last = _count(isnan(line), -1, True, line.dtype) - 1.0
    place = last * ravel(q)
    low = floor(place)
    below, above = (
        take_along_axis(line, where(k < 0.0, 0.0, k).astype(np.intp), -1)
        for k in (low, ceil(place))
    )
    y: Any = moveaxis(below + where(equal(place, low), 0.0, above - below) * (place - low), -1, 0)
    if keepdims:
        y = y.reshape(-1, *(kept or np.insert(y.shape[1:], axis_of(axis, x.ndim, ""), 1).tolist()))
    return y.reshape(*q.shape, *y.shape[1:])


@unary_function
def nanpercentile(
    x: ArrayLike, q: float | ArrayLike, axis: Axis = None, *, keepdims: bool = False
) -> Tensor:
    """Return percentiles of the elements that are not NaN: `nanquantile` at q / 100.

    Parameters
    ----------
    x : any shape
        The numbers; integers become floats. A NaN counts as missing, and gets no gradient.
    q : any shape
        Percentages between 0 and 100.
    axis
        The axis along which the elements are sorted; ``None`` takes the flat array.
    keepdims
        Whether the axis stays, with length 1; all axes if ``axis`` is ``None``.

    Returns
    -------
    the shape of q, followed by that of x without axis
        The percentiles; NaN where all elements are NaN.

    Raises
    ------
    OptionError
        If a percentage is outside of [0, 100].
    SizeError
        If ``x`` has no such axis, or no elements along it.

    Examples
    --------
    >>> nanpercentile([1.0, float("nan"), 3.0, 2.0], 25.0).item()
    1.5
    """
    fractions: Any = operand(q, "nanpercentile(q)")
    ordering.expect_fractions(fractions, True, q, "nanpercentile", 100)
    y: Any = nanquantile(x, fractions / 100.0, axis, keepdims=keepdims)
    return y


@unary_function
def nanmedian(x: ArrayLike, axis: Axis = None, *, keepdims: bool = False) -> Tensor:
    """Return the middle one of the elements that are not NaN, or the mean of the two in the middle.

    Parameters
    ----------
    x : any shape
        The numbers; integers become floats. A NaN counts as missing, and gets no gradient.
    axis
        The axis along which the elements are sorted; ``None`` takes the flat array.
    keepdims
        Whether the axis stays, with length 1; all axes if ``axis`` is ``None``.

    Returns
    -------
    the shape of x without axis, or ()
        The medians; NaN where all elements are NaN.

    Raises
    ------
    SizeError
        If ``x`` has no such axis, or no elements along it.

    Examples
    --------
    >>> nanmedian([1.0, float("nan"), 3.0]).item()
    2.0
    """
    y: Any = nanquantile(x, 0.5, axis, keepdims=keepdims)
    return y
