"""THE TABLE of arrays, part 4: parts of an array, by index.

A key is a tuple of what NumPy accepts in brackets: integers, slices, ``None``, ``...``, and arrays
of integers or bools. It is an option of the primitive, so it must not change after the call.
"""

from __future__ import annotations

import math
from functools import partial
from typing import Any, Final

import numpy as np

from ...core.array_primitive import A, linear
from ...core.numeric import Array, NumericArray
from ...core.primitive import Carrier
from ..arithmetic import where
from .structural_zero import StructuralZero, of_library

Shape = tuple[int, ...]


def _parts(key: object) -> tuple[Any, ...]:
    return key if type(key) is tuple else (key,)


def repeats(key: Any) -> bool:
    """Return whether a key can name an element twice, as an array of integers can."""
    for part in key:
        given: Any = np.asarray(part) if isinstance(part, list) else part
        if (isinstance(given, np.ndarray) or of_library(given)) and given.dtype != bool:
            return True
    return False


# --- gradients of what was taken ------------------------------------------------------------------


def _scatter(t: Array, key: Any, shape: Shape) -> Array:
    """Zeros of ``shape`` with ``t`` added at ``key``, repeated places as often as they occur."""
    y = np.zeros(shape, t.dtype)
    key = _parts(key)
    if not repeats(key):
        y[key] = t
    elif len(key) == 1:
        _add_rows(y, np.asarray(key[0], np.intp).reshape(-1), t)
    else:
        places = np.arange(y.size).reshape(shape)[key]
        np.add.at(y.reshape(-1), places.reshape(-1), np.reshape(t, -1))
    return y


BLOCK = 8192
"""Numbers that are added at a time: what they need beside is small enough to stay in the cache."""


def _add_rows(y: Array, ids: Any, t: Array) -> None:
    """``numpy.add.at(y, ids, t)`` on the flat y: the same sums in the same order, 4 times as fast.

    Negative places count from the end there too.
    """
    width = math.prod(y.shape[1:])
    flat, columns, t = y.reshape(-1), np.arange(width), t.reshape(ids.size, width)
    step = max(1, BLOCK // max(1, width))
    for i in range(0, ids.size, step):
        places = np.add.outer(ids[i : i + step] * width, columns)
        np.add.at(flat, places.reshape(-1), t[i : i + step].reshape(-1))


def _take(x: Array, key: Any) -> Any:
    if type(key) is tuple and len(key) == 1 and x.ndim:
        ids = key[0]
        if isinstance(ids, np.ndarray) and ids.dtype.kind != "b":
            return x.take(ids, axis=0)  # rows of a table: four times as fast
    return x[key]


def _elsewhere(key: Any, shape: Shape, like: Any, there: bool = False) -> Any:
    """Return a mask that is true except at ``key``, or with ``there`` only at ``key``."""
    if of_library(like):
        return update(np.full_like(like, not there, dtype=bool, shape=shape), there, key=key)
    mask = np.full(shape, not there)
    mask[key] = there
    return mask


def _contribution(t: Any, key: object, shape: Shape) -> StructuralZero:
    """Return the contribution to x. Elements that were not taken get structural zeros."""
    if (not isinstance(t, Carrier) or of_library(t)) and not repeats(_parts(key)):
        return StructuralZero.at(key, t, shape)
    return StructuralZero(scatter(t, key=key, shape=shape), partial(_elsewhere, key, shape, t))


# --- gradients of what was put --------------------------------------------------------------------


def _updated(x: NumericArray, v: NumericArray, key: Any) -> Array:
    raw: Any = x
    y = np.array(raw, order="C" if 0 in raw.strides else "K")  # an array that was broadcast
    y[key] = v
    return y


def _kept(t: NumericArray, key: object) -> StructuralZero:
    zero = np.zeros((), t.dtype)
    mask = partial(_elsewhere, key, t.shape, t, there=True)
    return StructuralZero(update(t, zero, key=key), mask)


def _of_library(t: Any, key: Any) -> Any:
    """Return an array of another library, if t or a part of the key is one."""
    return next((x for x in (t, *_parts(key)) if of_library(x)), None)


def _put(t: NumericArray, key: Any) -> Any:
    """Return the contribution to v. Of several numbers for one element only the last one counts."""
    contribution = take(t, key=key)
    if not repeats(_parts(key)):
        return contribution
    if (like := _of_library(t, key)) is not None:
        order = np.cumsum(np.ones_like(like, dtype=int, shape=(contribution.size,)), 0) - 1
        order = order.reshape(contribution.shape)
        last = update(np.zeros_like(like, dtype=int, shape=t.shape), order, key=key)
        return where(take(last, key=key) == order, contribution, 0.0)
    order = np.arange(contribution.size).reshape(contribution.shape)
    last = np.empty(t.shape, np.intp)
    last[key] = order
    stays = last[key] == order
    return contribution if stays.all() else where(stays, contribution, 0.0)


# fmt: off
take: Final = linear("index", lambda t, y, x, key: _contribution(t, key, x.shape),
    forward=_take, tex=r"x_{k}", summary="Part of x by an index")
scatter: Final = linear("scatter", lambda t, y, x, key, shape: take(t, key=key), forward=_scatter,
    tex=r"\sum_{k} x_{k} e_{k}", summary="Zeros with x added at an index")
update: Final = linear("update", lambda t, y, x, v, key: _kept(t, key),
    lambda t, y, x, v, key: _put(t, key), forward=_updated, params="x v",
    tex=r"x \leftarrow_{k} v", summary="x with a part of it replaced by v",
    kinks="of several numbers for one position, the last one counts")
# fmt: on


def index(x: A, key: object) -> A:
    """x[key]"""
    return take(x, key=key)
