"""THE TABLE of arrays: normalisation to mean 0 and variance 1.

Each primitive returns its statistics besides its result. With them the gradient needs the result
and one number per group, not the argument. All results can be differentiated.
"""

from __future__ import annotations

from math import prod
from typing import Any, Final

import numpy as np

from ...core.array_primitive import ArrayPrimitive, general
from ...core.numeric import Array, NumericArray
from ..exponential import sqrt
from .reduction import sum as total

Axes = tuple[int, ...]


def _mean(x: Array, axis: Axes, by: Array | None = None) -> Array:
    """Return the mean of x, or of x times ``by``, from short sums along one axis at a time."""
    count = prod(x.shape[i] for i in axis)
    if count and axis[-1] == x.ndim - 1 and len(axis) == axis[-1] - axis[0] + 1:
        rows = x.reshape(-1, count)  # BLAS adds along rows, in several sums at once
        ones = np.ones(count, x.dtype)
        sums = rows @ ones if by is None else np.vecdot(rows, by.reshape(-1, count))
        x = sums.reshape(*x.shape[: axis[0]], *(1,) * len(axis))
    else:
        x = x if by is None else x * by
        for i in axis:  # from the front, where whole arrays are added at a time
            x = np.add.reduce(x, axis=i, keepdims=True)
    x /= max(count, 1)
    return x


def _wide(x: Array) -> Array:
    return x.astype(np.float32) if x.dtype == np.float16 else x


def _standardize(x: Array, axis: Axes, eps: float) -> tuple[Array, Array, Array]:
    wide = _wide(x)
    mean = _mean(wide, axis)
    y = wide - mean
    variance = _mean(y, axis, y)
    y /= np.sqrt(variance + wide.dtype.type(eps))
    return y.astype(x.dtype, copy=False), mean, variance


def _rescale(x: Array, axis: Axes, eps: float) -> tuple[Array, Array]:
    wide = _wide(x)
    square = _mean(wide, axis, wide)
    y = wide / np.sqrt(square + wide.dtype.type(eps))
    return y.astype(x.dtype, copy=False), square


def _back(
    t: Array,
    shift: Any,
    slope: NumericArray,
    y: Array,
    variance: Array,
    axis: Axes,
    eps: float,
    centred: bool,
) -> Array:
    """In one array of its own; as a composition it would take five."""
    t, y = _wide(t), _wide(y)
    z = y * (slope - _mean(t, axis, y))
    z += t
    if centred:
        z += shift - _mean(t, axis)
    z /= np.sqrt(variance + variance.dtype.type(eps))
    return np.asarray(z)


def _scale_shift(x: Array, w: Array, b: Array) -> Array:
    y = x * w
    if np.result_type(y, b) != y.dtype or np.broadcast_shapes(y.shape, np.shape(b)) != y.shape:
        return y + b
    y += b  # in place: the memory of a second array of this size is spared
    return y


# --- over the last axes, scaled and shifted -------------------------------------------------------
#
# Numbers are seen as rows of n. With d = x - mean, r = 1/σ and p = t d, all sums over rows and over
# columns are products with a vector, which BLAS does in a third of the time of a reduction.


def _rows(x: Array, w: Array) -> Array:
    return _wide(x).reshape(-1, w.size)


def _layer(x: Array, w: Array, b: Array, axis: Axes, eps: float, memo: list[Any]) -> Array:
    z, mean, variance = _standardize(_wide(x), axis, eps)
    memo[:] = mean.reshape(-1, 1), 1.0 / np.sqrt(variance.reshape(-1, 1) + z.dtype.type(eps))
    z *= w
    z += b
    return z.astype(x.dtype, copy=False)


def _layer_share(t: Array, x: Array, w: Array, memo: list[Any]) -> Array:
    """(t w - mean(t w) - z mean(t w z)) / σ"""
    t, d, (mean, r) = _rows(t, w), _rows(x, w), memo
    weight, n = _wide(w).reshape(-1, 1), t.dtype.type(w.size)
    d = d - mean
    bend = ((t * d) @ weight) * (r * r / n)
    contribution = t * weight.reshape(-1)
    contribution -= (t @ weight) / n
    d *= bend
    contribution -= d
    contribution *= r
    return contribution.reshape(x.shape)


def _weight_share(t: Array, x: Array, w: Array, memo: list[Any]) -> Array:
    d, (mean, r) = _rows(x, w), memo
    d = d - mean
    d *= _rows(t, w)
    return np.asarray(r.reshape(-1) @ d).reshape(w.shape)


def _bias_share(t: Array, shape: tuple[int, ...]) -> Array:
    t = _wide(t).reshape(-1, prod(shape))
    return np.asarray(np.ones(len(t), t.dtype) @ t).reshape(shape)


def layer_x(t: Any, x: Any, w: Any, axis: Axes, eps: float, memo: list[Any]) -> Any:
    """Return the contribution to x; if it is recorded, composed from `standardize`."""
    if type(t) is np.ndarray:
        return _layer_share(t, x, w, memo)
    z, _, variance = standardize(x, axis=axis, eps=eps)
    return back(t * w, 0.0, 0.0, z, variance, axis=axis, eps=eps, centred=True)


def layer_w(t: Any, x: Any, w: Any, axis: Axes, eps: float, memo: list[Any]) -> Any:
    """Return the contribution to the weight."""
    if type(t) is np.ndarray:
        return _weight_share(t, x, w, memo)
    return t * standardize(x, axis=axis, eps=eps)[0]


# --- rules ----------------------------------------------------------------------------------------


def _count(shape: tuple[int, ...], axis: Axes) -> float:
    """Return how many numbers each mean is of, or 1 if there are none."""
    return float(max(prod(shape[i] for i in axis), 1))


def average(x: NumericArray, axis: Axes) -> NumericArray:
    """Return the mean over some axes, kept with length 1."""
    return total(x, axis=axis, keepdims=True) / _count(x.shape, axis)


def standardized(t: NumericArray, y: NumericArray, axis: Axes, eps: float) -> NumericArray:
    """Return the contribution to x of cotangents of the result, mean and variance."""
    (t, t_mean, t_var), (y, _, variance) = t, y
    count = _count(y.shape, axis)
    shift, slope = t_mean * sqrt(variance + eps) / count, t_var * (variance + eps) * (2.0 / count)
    return back(t, shift, slope, y, variance, axis=axis, eps=eps, centred=True)


def rescaled(t: NumericArray, y: NumericArray, axis: Axes, eps: float) -> NumericArray:
    """Return the contribution to x of cotangents of the result and mean square."""
    (t, t_square), (y, square) = t, y
    slope = t_square * (square + eps) * (2.0 / _count(y.shape, axis))
    return back(t, 0.0, slope, y, square, axis=axis, eps=eps, centred=False)


def back_to_y(
    u: NumericArray,
    t: NumericArray,
    slope: NumericArray,
    y: NumericArray,
    variance: Any,
    axis: Axes,
    eps: float,
) -> Any:
    """Return the contribution to the standardized array of a cotangent of the gradient."""
    along = average(t * y, axis) - slope
    return -(u * along + t * average(u * y, axis)) / sqrt(variance + eps)


# fmt: off
standardize: Final = general("standardize",
    lambda t, y, x, axis, eps: standardized(t, y, axis, eps), forward=_standardize, outputs=3,
    tex=r"\frac{x - \bar{x}}{\sqrt{\sigma^2 + \epsilon}}",
    summary="x with mean 0 and variance 1; the mean and variance it had")
rescale: Final = general("rescale", lambda t, y, x, axis, eps: rescaled(t, y, axis, eps),
    forward=_rescale, outputs=2, tex=r"\frac{x}{\sqrt{\overline{x^2} + \epsilon}}",
    summary="x with mean square 1; the mean square it had")
scale_shift: Final = general("scale_shift",
    lambda t, y, x, w, b: t * w, lambda t, y, x, w, b: t * x,
    lambda t, y, x, w, b: t, forward=_scale_shift, params="x weight bias", tex=r"x \, w + b",
    summary="x times a weight plus a bias, both broadcast to it")
layer: Final = general("layer",
    lambda t, y, x, w, b, axis, eps, memo: layer_x(t, x, w, axis, eps, memo),
    lambda t, y, x, w, b, axis, eps, memo: layer_w(t, x, w, axis, eps, memo),
    lambda t, y, x, w, b, axis, eps, memo: _bias_share(t, b.shape) if type(t) is np.ndarray else t,
    forward=_layer, params="x weight bias",
    tex=r"w \, \frac{x - \bar{x}}{\sqrt{\sigma^2 + \epsilon}} + b",
    summary="x with mean 0 and variance 1 over its last axes, scaled and shifted")
back: ArrayPrimitive = general("standardize_back",
    lambda u, z, t, shift, slope, y, v, **how: back(u, 0.0, 0.0, y, v, **how),
    lambda u, z, t, shift, slope, y, v, axis, eps, centred:
        u / sqrt(v + eps) if centred else None,
    lambda u, z, t, shift, slope, y, v, axis, eps, centred: u * y / sqrt(v + eps),
    lambda u, z, t, shift, slope, y, v, axis, eps, centred: back_to_y(u, t, slope, y, v, axis, eps),
    lambda u, z, t, shift, slope, y, v, axis, eps, centred: -0.5 * u * z / (v + eps),
    forward=_back, params="t shift slope y variance",
    tex=r"\frac{t - \bar{t} - y \, \overline{t y}}{\sigma}",
    summary="Gradient of x from the gradient of x standardized")
