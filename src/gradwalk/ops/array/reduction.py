"""THE TABLE of arrays, part 2: reductions.

``axis`` is a tuple of non-negative axes, or ``None`` for all. Reduced integers and bools have the
dtype that NumPy gives them. Gradients flow through floats only.
"""

from __future__ import annotations

import builtins
from collections.abc import Callable
from math import inf
from math import prod as product
from typing import Any, Final

import numpy as np
from numpy.lib.array_utils import normalize_axis_tuple

from ...core.array_primitive import ArrayPrimitive, general, linear
from ...core.expect import describe
from ...core.numeric import Array, NumericArray
from ...core.primitive import pass_if
from ...errors import SizeError
from ..arithmetic import equal, not_equal, where
from ..exponential import exp
from .scan import others
from .structure import broadcast_to, reshape

Axes = tuple[int, ...] | None

SHORT = 32  # numbers in a row below which NumPy's reductions spend their time between the rows


def along(
    primitive: ArrayPrimitive, x: NumericArray, axis: int | tuple[int, ...] | None, **options: Any
) -> NumericArray:
    """Apply ``primitive`` along one axis, several, or by default all axes of an array."""
    try:
        axes = None if axis is None else normalize_axis_tuple(axis, x.ndim)
    except (ValueError, TypeError) as error:  # one that does not exist, one twice, no number
        raise SizeError(
            where=f"{primitive.name}(axis)",
            expected=f"axes of the {x.ndim} there are, each once",
            got=describe(axis),
            fix="Count from 0 at the front, or from -1 at the back.",
        ) from error
    return primitive(x, axis=axes, **options)


def kept_shape(shape: tuple[int, ...], axis: Axes) -> tuple[int, ...]:
    """Return the shape of a reduction that keeps its axes, with length 1."""
    return tuple(1 if axis is None or i in axis else n for i, n in enumerate(shape))


def raised(t: NumericArray, shape: tuple[int, ...], axis: Axes, keepdims: bool) -> NumericArray:
    """``t``, the result of a reduction of ``shape``, with the axes that went."""
    return t if keepdims or not t.ndim else reshape(t, shape=kept_shape(shape, axis))


def spread(t: NumericArray, shape: tuple[int, ...], axis: Axes, keepdims: bool) -> NumericArray:
    """``t``, the result of a reduction of ``shape``, at every place that was reduced."""
    if not t.ndim and isinstance(t, (np.ndarray, np.generic)):
        # a tenth of the time of np.broadcast_to
        y: Array = np.ndarray(shape, t.dtype, np.asarray(t), 0, (0,) * len(shape))
        y.flags.writeable = False
        return y
    return broadcast_to(raised(t, shape, axis, keepdims), shape=shape)


def _count(shape: tuple[int, ...], axis: Axes) -> int:
    return product(shape if axis is None else [shape[i] for i in axis])


def wide(x: Array) -> Array:
    """x in a precision that sums and exponentials are taken in: float32 at least."""
    if x.dtype.kind != "f":
        return x.astype(np.float64)
    return x.astype(np.float32) if x.dtype == np.float16 else x


def narrowed(y: Array, x: Array) -> Array:
    """Return a result in the dtype of x."""
    return y.astype(np.float16) if x.dtype == np.float16 else y


# --- sums -----------------------------------------------------------------------------------------


def _mean(x: Array, axis: Axes, keepdims: Any) -> Array:
    total = np.add.reduce(wide(x), axis=axis, keepdims=keepdims)
    return narrowed(total / _count(x.shape, axis), x)


def _spare(shape: tuple[int, ...], axis: Axes, correction: float) -> float:
    """Return the divisor of a sum of squares."""
    return builtins.max(_count(shape, axis) - correction, 0.0)


def _var(x: Array, axis: Axes, keepdims: Any, correction: float) -> Array:
    d = wide(x)
    d = d - _mean(d, axis, keepdims=True)
    total = np.add.reduce(d * d, axis=axis, keepdims=keepdims)
    return narrowed(total / _spare(x.shape, axis, correction), x)


def _std(x: Array, axis: Axes, keepdims: Any, correction: float) -> Array:
    return narrowed(np.sqrt(_var(wide(x), axis, keepdims, correction)), x)


def _deviation(
    t: NumericArray, x: NumericArray, axis: Axes, keepdims: bool, correction: float
) -> NumericArray:
    """t (x - mean) / count"""
    spare = _spare(x.shape, axis, correction)
    t = raised(t, x.shape, axis, keepdims) * (1.0 / spare if spare else inf)
    return t * (x - mean(x, axis=axis, keepdims=True))


def _std_share(
    t: NumericArray, y: NumericArray, x: NumericArray, axis: Axes, keepdims: bool, correction: float
) -> Any:
    """Return the deviations divided by y, and 0 where y is 0."""
    y = raised(y, x.shape, axis, keepdims)
    t = raised(t, x.shape, axis, keepdims) / where(equal(y, 0.0), inf, y)
    return pass_if(not_equal(y, 0.0), _deviation(t, x, axis, True, correction))


# fmt: off
sum: Final = linear("sum", lambda t, y, x, axis, keepdims: spread(t, x.shape, axis, keepdims),
    forward=np.add.reduce,
    tex=r"\sum_i x_i", summary="Sum over some axes")
mean: Final = linear("mean", lambda t, y, x, axis, keepdims:
        spread(t / builtins.max(_count(x.shape, axis), 1), x.shape, axis, keepdims),
    forward=_mean, tex=r"\bar{x}", summary="Arithmetic mean over some axes")
var: Final = general("var", lambda t, y, x, axis, keepdims, correction:
        _deviation(t + t, x, axis, keepdims, correction),
    forward=_var, tex=r"\frac{\sum_i (x_i - \bar{x})^2}{n - c}",
    summary="Mean square distance from the mean")
std: Final = general("std", lambda t, y, x, axis, keepdims, correction:
        _std_share(t, y, x, axis, keepdims, correction),
    forward=_std, tex=r"\sqrt{\frac{\sum_i (x_i - \bar{x})^2}{n - c}}",
    summary="Standard deviation", kinks="slope 0 where all numbers are equal")
prod: Final = general("prod", lambda t, y, x, axis, keepdims:
        raised(t, x.shape, axis, keepdims) * others(x, axis),
    forward=lambda x, axis, keepdims: np.multiply.reduce(x, axis=axis, keepdims=keepdims),
    tex=r"\prod_i x_i", summary="Product over an axis")
# fmt: on


# --- the largest and the smallest -----------------------------------------------------------------


def _peaks(x: Array, y: Array, axis: Axes) -> tuple[Any, Any]:
    """Return where x equals its extreme y, and how many such elements there are."""
    there = np.equal(x, y)
    if np.isnan(y).any():
        there |= np.isnan(x)
    if np.count_nonzero(there) == y.size:  # quickly counted, and the usual case
        return there, np.ones((), x.dtype)
    return there, np.add.reduce(there, axis=axis, keepdims=True, dtype=x.dtype)


def _extreme_share(
    t: NumericArray, y: NumericArray, x: NumericArray, axis: Axes, keepdims: bool
) -> Any:
    t, y = (raised(a, x.shape, axis, keepdims) for a in (t, y))
    there, count = peaks(x, y, axis=axis)
    return pass_if(there, t / count)


def _extreme(name: str, reduce: Callable[..., Any], tex: str, summary: str) -> ArrayPrimitive:
    def forward(x: NumericArray, axis: Axes, keepdims: bool) -> Any:
        return reduce(x, axis=axis, keepdims=keepdims)

    return general(
        name,
        lambda t, y, x, axis, keepdims: _extreme_share(t, y, x, axis, keepdims),
        forward=forward,
        tex=tex,
        summary=summary,
        kinks="a tie gives equal parts to all",
    )


peaks: Final = general("peaks", None, None, forward=_peaks, outputs=2, params="x y", tex=r"x = y",
    summary="Where x is its extreme y, and in how many places")  # fmt: skip
max: Final = _extreme("max", np.maximum.reduce, r"\max_i x_i", "Largest number over some axes")
min: Final = _extreme("min", np.minimum.reduce, r"\min_i x_i", "Smallest number over some axes")


# --- sums of exponentials -------------------------------------------------------------------------


def _short(x: NumericArray, axis: Axes) -> bool:
    """Return whether the reduced rows are short and contiguous in memory."""
    return axis == (x.ndim - 1,) and 1 < x.shape[-1] <= SHORT and x.size > 8 * SHORT


def _peak(x: Array, axis: Axes) -> Any:
    """Return the largest number with axes kept, or -inf if there are none."""
    if _short(x, axis):  # turned around, the loop is along the rows and not within each: 3 times
        columns = np.ascontiguousarray(x.reshape(-1, x.shape[-1]).T)
        return np.maximum.reduce(columns, axis=0).reshape(*x.shape[:-1], 1)
    return np.maximum.reduce(x, axis=axis, keepdims=True, initial=-inf)


def tamed(x: Array, peak: Array) -> tuple[Array, Array]:
    """Return x and its largest numbers; where these are inf, 0 in their place and -inf elsewhere.

    So infinite numbers share the whole softmax, which is the limit of large ones.
    """
    if not (peak == inf).any():
        return x, peak
    dtype = x.dtype.type
    only = np.where(x == inf, dtype(0.0), np.where((peak == inf) & (x < inf), dtype(-inf), x))
    return only, np.where(peak == inf, dtype(0.0), peak)


def _below(x: Array, axis: Axes) -> Array:
    """Return x - peak in a new array."""
    x, peak = tamed(x, _peak(x, axis))
    return np.asarray(x - peak)


def _total(x: Array, axis: Axes) -> Any:
    """Return the sum, axes kept."""
    if _short(x, axis):
        return np.einsum("...i->...", x)[..., None]
    return np.add.reduce(x, axis=axis, keepdims=True)


def _softmax(x: Array, axis: Axes) -> Array:
    e = _below(wide(x), axis)
    np.exp(e, out=e)
    e /= _total(e, axis)
    return narrowed(e, x)


def _log_softmax(x: Array, axis: Axes) -> Array:
    y = _below(wide(x), axis)
    if y.size:  # the sum of nothing has no logarithm
        y -= np.log(_total(np.exp(y), axis))
    return narrowed(y, x)


def _logsumexp(x: Array, axis: Axes, keepdims: bool) -> Array:
    x_wide = wide(x)
    peak = _peak(x_wide, axis)
    finite = np.isfinite(peak)
    if not finite.all():  # of nothing but -inf the answer is -inf, not inf - inf
        peak = np.where(finite, peak, peak.dtype.type(0.0))
    with np.errstate(divide="ignore"):
        y = np.log(_total(np.exp(x_wide - peak), axis)) + peak
    return narrowed(y if keepdims else y.squeeze(axis), x)


def _weighted(t: Any, y: Any, axis: Axes) -> Any:
    """Σ t y, axes kept."""
    if type(t) is np.ndarray and _short(t, axis):  # no array of products in between
        return np.einsum("...i,...i->...", t, y)[..., None]
    return sum(t * y, axis=axis, keepdims=True)


def _logsumexp_share(
    t: NumericArray, y: NumericArray, x: NumericArray, axis: Axes, keepdims: bool
) -> Any:
    """Shares of the softmax; where there is nothing but -inf, none."""
    t, y = (raised(a, x.shape, axis, keepdims) for a in (t, y))
    return pass_if(not_equal(y, -inf), t * softmax(x, axis=axis))


# fmt: off
softmax: Final = general("softmax", lambda t, y, x, axis: y * (t - _weighted(t, y, axis)),
    forward=_softmax, tex=r"\frac{e^{x_i}}{\sum_j e^{x_j}}",
    summary="Shares that are proportional to e^x")
log_softmax: Final = general("log_softmax",
    lambda t, y, x, axis: t - exp(y) * sum(t, axis=axis, keepdims=True),
    forward=_log_softmax, tex=r"x_i - \ln \sum_j e^{x_j}", summary="Logarithms of the softmax")
logsumexp: Final = general("logsumexp", lambda t, y, x, axis, keepdims:
        _logsumexp_share(t, y, x, axis, keepdims), forward=_logsumexp, tex=r"\ln \sum_i e^{x_i}",
    summary="Logarithm of the sum of e^x", kinks="slope 0 where all numbers are -inf")
