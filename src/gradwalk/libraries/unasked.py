"""Operations whose forms for NumPy look at the numbers, to be quick: here they ask nothing.

A question makes a program wait for the device, and while a compiler traces there is no answer.
"""

from __future__ import annotations

from importlib import import_module
from math import inf
from typing import Any

import numpy as np

from ..ops.array import length, matrix_functions, order, reduction
from .array import FORWARDS, LibraryArray
from .functions import like, on_place
from .held import Operand

__all__ = ["lu_in_steps"]


def _peaks(x: LibraryArray, y: LibraryArray, axis: Any) -> tuple[Any, Any]:
    there: Any = np.equal(x, y) | (np.isnan(x) & np.isnan(y))
    return there, there.sum(axis=axis, keepdims=True, dtype=x.dtype)


def _norm(x: LibraryArray, axis: Any, keepdims: bool, ord: float) -> Operand:
    size: Any = np.abs(reduction.wide(x))  # type: ignore[arg-type]
    peak = size.min(axis, True, initial=inf) if ord < 0.0 else size.max(axis, True, initial=0.0)
    scale = np.where((peak > 0.0) & (peak < inf), peak, 1.0)
    powers = size / scale
    powers = powers * powers if ord == 2.0 else powers**ord
    total = powers.sum(axis=axis, keepdims=True)
    root = np.sqrt(total) if ord == 2.0 else total ** (1.0 / ord)
    found = root * scale
    return reduction.narrowed(found if keepdims else found.squeeze(axis), x)  # type: ignore[arg-type]


def _logsumexp(x: LibraryArray, axis: Any, keepdims: bool) -> Operand:
    x_wide: Any = reduction.wide(x)  # type: ignore[arg-type]
    peak = x_wide.max(axis, True, initial=-inf)
    peak = np.where(np.isfinite(peak), peak, 0.0)  # of nothing but -inf the answer is -inf
    found = np.log(np.exp(x_wide - peak).sum(axis=axis, keepdims=True)) + peak
    return reduction.narrowed(found if keepdims else found.squeeze(axis), x)  # type: ignore[arg-type]


# --- sorting --------------------------------------------------------------------------------------


def _put(x: Operand, places: Operand, axis: int, shape: tuple[int, ...]) -> Operand:
    """Return zeros with x at its places; of a whole permutation by the inverse one."""
    ids: Any = on_place(places, x.place, np.int64)
    if x.shape == shape:
        return np.take_along_axis(x, np.argsort(ids, axis), axis)
    n, after = shape[axis], (1,) * (len(shape) - axis - 1)
    own: Any = np.expand_dims(ids, axis) == np.arange(n).reshape(n, 1, *after)
    return np.where(own, np.expand_dims(x, axis), 0.0).sum(axis=axis + 1)


# --- L and U --------------------------------------------------------------------------------------

LU = {"torch": "torch.linalg", "jax": "jax.scipy.linalg"}
"""Where libraries have this decomposition, of a stack of matrices."""


def _lu(x: LibraryArray) -> tuple[Any, ...]:
    module = LU.get(x.place.library)
    if module is None:
        return lu_in_steps(x)
    x = x.astype(np.result_type(x.dtype, np.float32), copy=False)
    lu: Any = import_module(module).lu
    if x.place.library == "jax":  # whose function takes one matrix
        lu = x.place.xp.vectorize(lu, signature="(n,m)->(n,n),(n,k),(k,m)")
    return tuple([like(x, raw) for raw in lu(x.raw)])


def lu_in_steps(x: LibraryArray) -> tuple[Any, ...]:
    """Return P, L and U with P L U = x, by columns with the largest pivot."""
    n, m = x.shape[-2:]
    lead, k = x.shape[:-2], min(n, m)
    a: Any = x.astype(np.result_type(x.dtype, np.float32), copy=False).reshape(-1, n, m)
    count, rows, columns = len(a), np.arange(n), np.arange(m)
    places: Any = on_place(np.tile(rows, (count, 1)), x.place)
    for j in range(k):
        pivot = np.argmax(np.where(rows < j, -1.0, np.abs(a[:, :, j])), 1).reshape(-1, 1)
        order = np.where(rows == j, pivot, np.where(pivot == rows, j, rows))
        places = np.take_along_axis(places, order, 1)
        a = np.take_along_axis(a, np.broadcast_to(order.reshape(count, n, 1), a.shape), 1)
        divisor = np.where(a[:, j, j] == 0.0, 1.0, a[:, j, j]).reshape(-1, 1)
        factor = np.where(rows > j, a[:, :, j] / divisor, 0.0).reshape(count, n, 1)
        below = (rows > j)[:, None] & (columns == j)
        a = np.where(below, factor, a - factor * np.where(columns > j, a[:, j], 0.0)[:, None, :])
    p = (places.reshape(count, 1, n) == rows.reshape(n, 1)).astype(a.dtype)
    parts = p, np.tril(a[:, :, :k], -1) + np.eye(n, k, dtype=a.dtype), np.triu(a[:, :k])
    return tuple(y.reshape(*lead, *y.shape[1:]) for y in parts)


FORWARDS.update(
    {
        reduction.peaks: _peaks,
        reduction.logsumexp: _logsumexp,
        length.norm: _norm,
        order.put: _put,
        matrix_functions.lu: _lu,
    }
)
