"""THE TABLE of arrays: running sums and products along an axis.

``reverse`` runs from the end to the front. No rule divides, so products that contain zeros have
correct derivatives of every order.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from ...core.array_primitive import ArrayPrimitive, general, linear
from ...core.numeric import Array, NumericArray
from .structure import span


def _backwards(x: Array, axis: int, reverse: bool) -> Array:
    return np.flip(x, axis) if reverse else x


def _cumulative_sum(x: Array, axis: int, reverse: bool) -> Array:
    return _backwards(np.cumsum(_backwards(x, axis, reverse), axis), axis, reverse)


def _cumulative_prod(x: Array, axis: int, reverse: bool) -> Array:
    return _backwards(np.cumprod(_backwards(x, axis, reverse), axis), axis, reverse)


def _shift(x: NumericArray, axis: int, by: int) -> Array:
    """x moved by one place, with a 0 coming in."""
    y = np.zeros(x.shape, x.dtype)
    there, here = span(axis, 1, x.shape[axis]), span(axis, 0, x.shape[axis] - 1)
    if by > 0:
        y[there] = x[here]
    else:
        y[here] = x[there]
    return y


def _recurrence(a: Array, b: Array, axis: int, reverse: bool) -> Array:
    """s with sₖ = bₖ + aₖ sₖ₋₁, step by step: nothing overflows that the result does not need."""
    y = np.array(np.broadcast_to(b, np.broadcast_shapes(a.shape, b.shape)))
    steps = np.moveaxis(_backwards(y, axis, reverse), axis, 0)
    factors = np.moveaxis(_backwards(np.broadcast_to(a, y.shape), axis, reverse), axis, 0)
    for k in range(1, len(steps)):
        steps[k] += factors[k] * steps[k - 1]
    return y


# --- what rules are made of -----------------------------------------------------------------------


def _before(y: NumericArray, axis: int, reverse: bool) -> NumericArray:
    """Return the product of all earlier elements from the running products y; 1 at the start."""
    start = np.zeros((y.shape[axis], *(1,) * (y.ndim - axis - 1)), y.dtype)
    start[slice(-1, None) if reverse else slice(1)] = 1.0
    return shift(y, axis=axis, by=-1 if reverse else 1) + start


def _after(t: NumericArray, x: NumericArray, axis: int, reverse: bool) -> NumericArray:
    """Return the sum over all later elements of t times the factors in between."""
    factors = shift(x, axis=axis, by=1 if reverse else -1)
    return recurrence(factors, t, axis=axis, reverse=not reverse)


def others(x: NumericArray, axis: Any) -> NumericArray:
    """For each number the product of all others along the one axis there is."""
    (axis,) = range(x.ndim) if axis is None else axis
    up = cumulative_prod(x, axis=axis, reverse=False)
    down = cumulative_prod(x, axis=axis, reverse=True)
    return _before(up, axis, reverse=False) * _before(down, axis, reverse=True)


# fmt: off
shift: ArrayPrimitive = linear("shift", lambda t, y, x, axis, by: shift(t, axis=axis, by=-by),
    forward=_shift, tex=r"x_{i \pm 1}", summary="x moved by one place, with a 0 coming in")
recurrence: Final = general("recurrence", lambda t, y, a, b, axis, reverse:
        _after(t, a, axis, reverse) * shift(y, axis=axis, by=-1 if reverse else 1),
    lambda t, y, a, b, axis, reverse: _after(t, a, axis, reverse),
    forward=_recurrence, tex=r"s_k = b_k + a_k s_{k-1}",
    summary="Running sum that is multiplied on the way")
cumulative_sum: ArrayPrimitive = linear("cumulative_sum", lambda t, y, x, axis, reverse:
        cumulative_sum(t, axis=axis, reverse=not reverse),
    forward=_cumulative_sum, tex=r"\sum_{j \le i} x_j", summary="Running sum along an axis")
cumulative_prod: Final = general("cumulative_prod", lambda t, y, x, axis, reverse:
        _before(y, axis, reverse) * _after(t, x, axis, reverse),
    forward=_cumulative_prod, tex=r"\prod_{j \le i} x_j", summary="Running product along an axis")
# fmt: on
