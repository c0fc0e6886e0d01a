"""THE TABLE of arrays: sorting and selection. Only the selected numbers have a derivative.

``places`` is an array of indices as long as the result, without duplicates along ``axis``. It is an
option of the primitive, so it must not change after the call.
"""

from __future__ import annotations

from functools import partial
from typing import Any, Final

import numpy as np

from ...core.array_primitive import general, linear
from ...core.numeric import Array, NumericArray
from .structural_zero import StructuralZero, of_library

Shape = tuple[int, ...]


def _put(x: Array, places: Array, axis: int, shape: Shape) -> Array:
    y = np.zeros(shape, x.dtype)
    np.put_along_axis(y, places, x, axis)
    return y


def _left_out(places: Array, axis: int, shape: Shape) -> Array:
    if of_library(places):
        ones: Any = np.equal(places, places).astype(np.float64)
        there: Any = put(ones, places=places, axis=axis, shape=shape)
        return there == 0.0  # type: ignore[no-any-return]
    mask = np.ones(shape, bool)
    np.put_along_axis(mask, places, False, axis)
    return mask


def _returned(t: NumericArray, places: Array, axis: int, shape: Shape) -> Any:
    """Return the contribution to x. Elements that were not selected get structural zeros."""
    contribution = put(t, places=places, axis=axis, shape=shape)
    if t.shape == shape:
        return contribution
    return StructuralZero(contribution, partial(_left_out, places, axis, shape))


# --- which numbers --------------------------------------------------------------------------------


def ranked(x: Array, axis: int, descending: bool) -> Array:
    """Return the indices that sort the numbers stably; NaN counts as the largest."""
    if not descending:
        return np.argsort(x, axis, stable=True)
    backwards = np.flip(np.argsort(np.flip(x, axis), axis, stable=True), axis)
    last: Array = np.asarray(x.shape[axis] - 1)
    return last - backwards


# fmt: off
choose: Final = linear("choose", lambda t, y, x, places, axis: _returned(t, places, axis, x.shape),
    forward=lambda x, places, axis: np.take_along_axis(x, places, axis),
    tex=r"x_{\sigma(i)}", summary="Numbers of x by their places along an axis",
    kinks="a tie gives all to the number that was chosen")
put: Final = linear("put", lambda t, y, x, places, axis, shape: choose(t, places=places, axis=axis),
    forward=_put, tex=r"\sum_i x_i e_{\sigma(i)}",
    summary="Zeros with x at its places along an axis")
argmax: Final = general("argmax", None,
    forward=lambda x, axis, keepdims: np.argmax(x, axis, keepdims=keepdims),
    tex=r"\arg\max_i x_i", summary="Place of the first largest number")
argmin: Final = general("argmin", None,
    forward=lambda x, axis, keepdims: np.argmin(x, axis, keepdims=keepdims),
    tex=r"\arg\min_i x_i", summary="Place of the first smallest number")
argsort: Final = general("argsort", None, forward=ranked, tex=r"\sigma",
    summary="Places of the numbers in order")
searchsorted: Final = general("searchsorted", None, None,
    forward=lambda a, v, side, sorter: np.searchsorted(a, v, side, sorter),
    params="a v", tex=r"\min \{i : v \le a_i\}",
    summary="Places where numbers would keep a sorted array sorted")
all: Final = general("all", None, tex=r"\bigwedge_i x_i", summary="Whether no number is 0",
    forward=lambda x, axis, keepdims: np.logical_and.reduce(x, axis=axis, keepdims=keepdims))
any: Final = general("any", None, tex=r"\bigvee_i x_i", summary="Whether some number is not 0",
    forward=lambda x, axis, keepdims: np.logical_or.reduce(x, axis=axis, keepdims=keepdims))
count: Final = general("count_nonzero", None,
    forward=lambda x, axis, keepdims: np.count_nonzero(x, axis=axis, keepdims=keepdims),
    tex=r"\#\{i : x_i \ne 0\}", summary="How many numbers are not 0")
# fmt: on
