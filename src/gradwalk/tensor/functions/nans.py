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
from .reducing import floating
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
    """Sum what is not NaN; the sum of nothing is 0.

    >>> nansum([1.0, float("nan"), 3.0]).item()
    4.0
    """
    return _without("sum", 0.0, x, axis=axis, dtype=dtype, keepdims=keepdims)


@unary_function
def nanprod(
    x: ArrayLike, axis: Axes = None, *, dtype: DTypeLike | None = None, keepdims: bool = False
) -> Tensor:
    """Multiply what is not NaN; the product of nothing is 1.

    >>> nanprod([2.0, float("nan"), 3.0]).item()
    6.0
    """
    return _without("prod", 1.0, x, axis=axis, dtype=dtype, keepdims=keepdims)


@unary_function
def nancumsum(x: ArrayLike, axis: Axis = None, *, dtype: DTypeLike | None = None) -> Tensor:
    """Return running sums of what is not NaN; without an axis of the flat array.

    >>> nancumsum([1.0, float("nan"), 3.0])
    Tensor([1., 1., 4.])
    """
    return _without("cumsum", 0.0, x, axis=axis, dtype=dtype)


@unary_function
def nancumprod(x: ArrayLike, axis: Axis = None, *, dtype: DTypeLike | None = None) -> Tensor:
    """Return running products of what is not NaN; without an axis of the flat array.

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
    """Return the largest number that is not NaN; NaN where there is none.

    >>> nanmax([1.0, float("nan"), 3.0]).item()
    3.0
    """
    return _extreme("max", x, axis, keepdims)


@unary_function
def nanmin(x: ArrayLike, axis: Axes = None, *, keepdims: bool = False) -> Tensor:
    """Return the smallest number that is not NaN; NaN where there is none.

    >>> nanmin([1.0, float("nan"), 3.0]).item()
    1.0
    """
    return _extreme("min", x, axis, keepdims)


@unary_function
def nanargmax(x: ArrayLike, axis: Axis = None, *, keepdims: bool = False) -> Tensor:
    """Return the index of the first largest number that is not NaN; it has no derivative.

    >>> nanargmax([1.0, float("nan"), 3.0]).item()
    2
    """
    return ordering.argmax(_filled(x, "nanargmax", -inf)[0], axis, keepdims=keepdims)


@unary_function
def nanargmin(x: ArrayLike, axis: Axis = None, *, keepdims: bool = False) -> Tensor:
    """Return the index of the first smallest number that is not NaN; it has no derivative.

    >>> nanargmin([1.0, float("nan"), 3.0]).item()
    0
    """
    return ordering.argmin(_filled(x, "nanargmin", inf)[0], axis, keepdims=keepdims)


# --- moments --------------------------------------------------------------------------------------


@unary_function
def nanmean(x: ArrayLike, axis: Axes = None, *, keepdims: bool = False) -> Tensor:
    """Return the mean of what is not NaN; NaN where there is nothing.

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
    """Return the variance of what is not NaN: Σ (x - mean)² / (n - correction).

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
    """Return the square root of `nanvar`; derivative 0 where all elements are equal, as in `std`.

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
    """Return quantiles of what is not NaN, by linear interpolation; NaN where there is nothing.

    >>> nanquantile([1.0, float("nan"), 3.0, 2.0], 0.25).item()
    1.5
    """
    x, q = floating(operand(x, "nanquantile")), operand(q, "nanquantile(q)")
    kept = (1,) * x.ndim if axis is None else None
    line: Any = ravel(x) if axis is None else moveaxis(x, axis_of(axis, x.ndim, "nanquantile"), -1)
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
    """Return `nanquantile` at q / 100.

    >>> nanpercentile([1.0, float("nan"), 3.0, 2.0], 25.0).item()
    1.5
    """
    fractions: Any = operand(q, "nanpercentile(q)")
    y: Any = nanquantile(x, fractions / 100.0, axis, keepdims=keepdims)
    return y


@unary_function
def nanmedian(x: ArrayLike, axis: Axis = None, *, keepdims: bool = False) -> Tensor:
    """Return the middle of what is not NaN, or the mean of the two in the middle.

    >>> nanmedian([1.0, float("nan"), 3.0]).item()
    2.0
    """
    y: Any = nanquantile(x, 0.5, axis, keepdims=keepdims)
    return y
