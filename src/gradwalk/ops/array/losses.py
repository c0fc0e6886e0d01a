"""THE TABLE of arrays: losses that would lose accuracy or memory if they were composed."""

from __future__ import annotations

from typing import Any, Final, NamedTuple

import numpy as np

from ...core.array_primitive import ArrayPrimitive, general
from ...core.expect import describe
from ...core.numeric import Array, NumericArray
from ...errors import DataError
from ..activation import sigmoid, softplus
from ..arithmetic import equal, not_equal, where
from .places import drop
from .reduction import narrowed, sum, tamed, wide
from .structure import reshape

# --- the surprise of a row of logits at a class ---------------------------------------------------
#
# With e = exp(x - max x), the class c and the sum r of e over all *other* classes, the surprise is
# ln((e_c + r) / e_c), and its slope there -r / (e_c + r): neither cancels where e_c outweighs r.


class Parts(NamedTuple):
    """Return the terms that loss and derivative share. ``e`` is 0 at the correct classes."""

    x: Any
    e: Any
    own: Any
    rest: Any
    own_log: Any


SHORT = 128  # numbers in a row up to which NumPy is quicker along the columns


def _places(x: Array, target: Any) -> Any:
    """Return the indices of the classes in the flat e, by rows or columns of x."""
    rows = np.arange(len(target))
    return target * len(target) + rows if _turned(x) else rows * x.shape[1] + target


def _turned(x: NumericArray) -> bool:
    return bool(x.shape[1] <= SHORT)


def _parts(x: Array, target: Any) -> Parts:
    axis = 0 if _turned(x) else 1
    e = wide(x)
    e = np.array(e.T if _turned(x) else e, order="C")
    e, peak = tamed(e, e.max(axis=axis, keepdims=True, initial=-np.inf))
    e -= peak
    flat, place = e.reshape(-1), _places(x, target)
    own_log = flat[place]
    np.exp(e, out=e)
    own = flat[place]
    flat[place] = 0.0
    return Parts(x, e, own, np.add.reduce(e, axis=axis), own_log)


def _surprise(x: Array, target: Any, ignored: Any, memo: Any) -> Array:
    parts = _parts(x, target)
    y = np.log1p(parts.rest + (parts.own - 1.0)) - parts.own_log  # own or rest is at least 1
    if ignored is not None:
        y[ignored] = 0.0
    memo[:] = [parts]
    return narrowed(y, x)


def _surprise_slope(x: Array, t: Array, target: Any, ignored: Any, memo: Any) -> Array:
    try:  # once, for the numbers of the parts are overwritten here
        parts = memo.pop()
    except IndexError:
        parts = None
    if parts is None or parts.x is not x:
        parts = _parts(x, target)
    scale, e = t / (parts.own + parts.rest), parts.e
    e *= scale if _turned(x) else scale[:, None]
    e.reshape(-1)[_places(x, target)] = -parts.rest * scale
    e = e.T if _turned(x) else e
    if ignored is not None:
        e[ignored] = 0.0
    return narrowed(e, x)


def _curvature(
    u: NumericArray, x: NumericArray, t: NumericArray, target: Any, ignored: Any
) -> NumericArray:
    """Return the adjoint of the derivative: t (p u - p (p · u)) with the softmax p."""
    one_hot = np.zeros(x.shape, x.dtype)
    one_hot[np.arange(len(target)), target] = 1.0
    if ignored is not None:
        one_hot[ignored] = 0.0
    p = _unit_slope(x, t, target, ignored) + one_hot
    contributions = p * u
    bend = contributions - p * sum(contributions, axis=(1,), keepdims=True)
    return reshape(t, shape=(-1, 1)) * bend


def _along(
    u: NumericArray, x: NumericArray, t: NumericArray, target: Any, ignored: Any
) -> NumericArray:
    return sum(u * _unit_slope(x, t, target, ignored), axis=(1,), keepdims=False)


def _unit_slope(x: NumericArray, t: NumericArray, target: Any, ignored: Any) -> NumericArray:
    ones = np.ones(t.shape, t.dtype)
    return surprise_slope(x, ones, target=target, ignored=ignored, memo=[])


# fmt: off
surprise: Final = general("surprise", lambda t, y, x, target, ignored, memo:
        surprise_slope(x, t, target=target, ignored=ignored, memo=memo),
    forward=_surprise, tex=r"\ln \sum_j e^{x_j} - x_c",
    summary="Surprise at a class in each row of logits")
surprise_slope: ArrayPrimitive = general("surprise_slope",
    lambda u, y, x, t, target, ignored, memo: _curvature(u, x, t, target, ignored),
    lambda u, y, x, t, target, ignored, memo: _along(u, x, t, target, ignored),
    forward=_surprise_slope, params="x t", tex=r"t \, (\operatorname{softmax}(x) - e_c)",
    summary="Gradient of the surprise, weighted")
# fmt: on
"""``memo`` passes the exponentials of the forward pass to the first reverse pass, which overwrites
them with the gradient. Later reverse passes compute them again."""


# --- the same, of classes that another run of a program may change --------------------------------


def _classes(x: Array, target: Array, ignore: int | None) -> tuple[Any, Any]:
    """Return the classes, with 0 for those to ignore, and a mask of these; ``None`` is for none."""
    if ignore is None:
        return target, None
    # as unsigned integers negative ones are large, so that one comparison finds both errors
    wide = target.astype(np.int64, copy=False).view(np.uint64)
    if not 0 <= ignore < x.shape[1] and wide.max(initial=0) < x.shape[1]:
        return target, None
    ignored = target == ignore
    wrong = ((target < 0) | (target >= x.shape[1])) & ~ignored
    if wrong.any():
        raise DataError(
            where="cross_entropy(targets)",
            expected=f"numbers of classes, 0 to {x.shape[1] - 1}",
            got=describe(target[wrong][0]),
            fix="Count classes from 0, as integers, and write ignore_index to skip an entry.",
        )
    return (np.where(ignored, 0, target), ignored) if ignored.any() else (target, None)


def _of_classes(x: Array, target: Array, ignore: int | None, memo: Any) -> Array:
    classes, parts = _classes(x, target, ignore), list[Any]()
    y = _surprise(x, *classes, parts)
    memo[:] = [(*parts, target, classes)]
    return y


def _slope_of_classes(x: Array, t: Array, target: Array, ignore: int | None, memo: Any) -> Array:
    try:  # other threads may run the same program
        parts, of, classes = memo.pop()
    except IndexError:
        of = None
    if of is not target:
        return _surprise_slope(x, t, *_classes(x, target, ignore), [])
    chosen, ignored = classes
    return _surprise_slope(x, t, chosen, ignored, [parts])


def _softmax_of_classes(x: NumericArray, target: NumericArray, ignore: int | None) -> Any:
    """Return the softmax of each row, and 0 in rows to ignore."""
    one, none = np.ones((), x.dtype), np.zeros((), x.dtype)
    ignored = _ignored(target, ignore)
    places = reshape(where(ignored, 0, target), shape=(-1, 1))
    own = drop(reshape(where(ignored, none, one), shape=(-1, 1)), places, size=x.shape[1])
    ones = where(ignored, one, one)
    return class_slope(x, ones, target, ignore=ignore, memo=[]) + own


def _bend_of_classes(
    u: NumericArray, x: NumericArray, t: NumericArray, target: NumericArray, ignore: int | None
) -> NumericArray:
    p = _softmax_of_classes(x, target, ignore)
    bend: NumericArray = p * u - p * sum(p * u, axis=(1,), keepdims=True)
    return reshape(t, shape=(-1, 1)) * bend


def _ignored(target: NumericArray, ignore: int | None) -> Any:
    return not_equal(target, target) if ignore is None else equal(target, ignore)


def _along_classes(
    u: NumericArray, x: NumericArray, target: NumericArray, ignore: int | None
) -> Any:
    one = np.ones((), x.dtype)
    ones = where(_ignored(target, ignore), one, one)
    slope = class_slope(x, ones, target, ignore=ignore, memo=[])
    return sum(u * slope, axis=(1,), keepdims=False)


# fmt: off
class_surprise: Final = general("class_surprise",
    lambda t, y, x, target, ignore, memo:
        class_slope(x, t, target, ignore=ignore, memo=memo), None,
    forward=_of_classes, params="x target", tex=r"\ln \sum_j e^{x_j} - x_c",
    summary="Surprise at classes that are an operand")
class_slope: ArrayPrimitive = general("class_slope",
    lambda u, y, x, t, target, ignore, memo: _bend_of_classes(u, x, t, target, ignore),
    lambda u, y, x, t, target, ignore, memo: _along_classes(u, x, target, ignore), None,
    forward=_slope_of_classes, params="x t target",
    tex=r"t \, (\operatorname{softmax}(x) - e_c)", summary="Gradient of that, weighted")
# fmt: on


# --- the surprise at a label of two ---------------------------------------------------------------


def _logistic(x: Array) -> tuple[Any, Any]:
    """σ(x) and σ(-x)"""
    e = np.exp(-np.abs(x))
    large = 1.0 / (1.0 + e)
    small = e * large
    return np.where(x >= 0.0, large, small), np.where(x >= 0.0, small, large)


def _with_logits(x: Array, label: Array, weight: Array) -> Any:
    """Terms that are all positive for labels from 0 to 1: nothing cancels."""
    tail = np.log1p(np.exp(-np.abs(x)))
    of_one, of_zero = tail + np.maximum(-x, 0.0), tail + np.maximum(x, 0.0)
    return weight * label * of_one + (1.0 - label) * of_zero


def _logit_slope(x: Array, label: Array, weight: Array, t: Array) -> Any:
    up, down = _logistic(x)
    return t * ((1.0 - label) * up - weight * label * down)


def _logit_bend(
    u: NumericArray, x: NumericArray, label: NumericArray, weight: NumericArray, t: NumericArray
) -> NumericArray:
    return u * t * ((1.0 - label) + weight * label) * sigmoid(x) * sigmoid(-x)


logit_surprise: Final = general(
    "logit_surprise",
    lambda t, y, x, label, weight: logit_slope(x, label, weight, t),
    lambda t, y, x, label, weight: t * (weight * softplus(-x) - softplus(x)),
    lambda t, y, x, label, weight: t * (label * softplus(-x)),
    forward=_with_logits,
    params="x label weight",
    tex=r"w t \ln (1 + e^{-x}) + (1 - t) \ln (1 + e^{x})",
    summary="Surprise at a label, given the logit of a 1",
)
logit_slope: ArrayPrimitive = general(
    "logit_slope",
    lambda u, y, x, label, weight, t: _logit_bend(u, x, label, weight, t),
    lambda u, y, x, label, weight, t: -u * t * (sigmoid(x) + weight * sigmoid(-x)),
    lambda u, y, x, label, weight, t: -u * t * (label * sigmoid(-x)),
    lambda u, y, x, label, weight, t: logit_slope(x, label, weight, u),
    forward=_logit_slope,
    params="x label weight t",
    tex=r"s \, ((1 - t) \sigma(x) - w t \sigma(-x))",
    summary="Gradient of the surprise at a label, weighted",
)
