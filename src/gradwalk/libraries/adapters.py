"""Operations that are written for NumPy in place, as compositions for arrays of every library.

The rules are those of the table. Only the forward functions of these primitives write into arrays,
which JAX's do not allow, or read their layout in memory.
"""

from __future__ import annotations

import operator
from math import inf, prod
from typing import Any

import numpy as np

from ..ops import TABLE
from ..ops.array import indexing, reduction, scan, structure
from .array import FORWARDS, FUNCTIONS, LibraryArray
from .functions import concatenate, like, on_place
from .held import Operand, lacking
from .keys import parts_of, places_of
from .ufuncs import function_for
from .writing import add_at, is_native, scatter, update

__all__ = ["scattered"]


def _special(name: str) -> Operand:
    def call(x: LibraryArray) -> LibraryArray:
        function = function_for(x.place, name)
        if function is None:
            raise lacking(name, x.place)
        x = x if x.dtype.kind == "f" else x.astype(np.float64)
        return like(x, function(x.raw))

    return call


def scattered(t: LibraryArray, key: Any, shape: tuple[int, ...]) -> LibraryArray:
    """Return zeros of ``shape`` with ``t`` added at ``key``, by a sum over sorted places.

    Without repeated places it is a gather: each element of the result takes one of t, or a 0.
    """
    parts = parts_of(t, key)
    if is_native(t, parts):
        return scatter(t, parts, shape)
    size = int(np.prod(shape, dtype=np.int64))
    places = _named(shape, parts).reshape(-1)
    xp, flat = t.place.xp, t.reshape(-1)
    from_t = np.full(size, places.size)
    counts = np.bincount(places, minlength=size)
    if not places.size:
        return like(t, t.place.full(shape, 0, t.dtype))
    if counts.max() > 1:
        return _added(flat, places, size).reshape(shape)
    from_t[places] = np.arange(places.size)
    padded = concatenate([flat, like(t, t.place.full((1,), 0, t.dtype))])
    return like(t, xp.take(padded.raw, t.place.put(from_t), axis=0)).reshape(shape)


def _named(shape: tuple[int, ...], parts: tuple[Any, ...]) -> Any:
    """Return which elements of a flat array of ``shape`` a key names."""
    known = tuple([part.numpy() if type(part) is LibraryArray else part for part in parts])
    return np.arange(prod(shape)).reshape(shape)[known]


def _added(flat: LibraryArray, places: Operand, size: int) -> LibraryArray:
    """Return sums of the elements that share a place, the first of each place first.

    Round k adds the k-th element of every place, so the order of adding is NumPy's.
    """
    order = np.argsort(places, kind="stable")
    named = places[order]
    starts = np.r_[0, np.flatnonzero(np.diff(named)) + 1]
    rank = np.arange(named.size) - np.repeat(starts, np.diff(np.r_[starts, named.size]))
    padded = concatenate([flat, like(flat, flat.place.full((1,), 0, flat.dtype))])
    total: Any = None
    for k in range(int(rank.max()) + 1):
        source = np.full(size, flat.size)
        source[named[rank == k]] = order[rank == k]
        part = like(flat, flat.place.xp.take(padded.raw, flat.place.put(source), axis=0))
        total = part if total is None else total + part
    return total  # type: ignore[no-any-return]


def _updated(x: LibraryArray, v: Operand, key: Any) -> LibraryArray:
    """Return x with v in the place of a part of it; of several numbers the last one stays."""
    parts = parts_of(x, key)
    if is_native(x, parts):
        return update(x, v, parts)
    places = places_of(x, key)
    v = on_place(v, x.place, x.dtype)
    given = v if v.shape == places.shape else np.broadcast_to(v, places.shape)
    source = np.arange(x.size)
    source[places.reshape(-1)] = x.size + np.arange(places.size)
    both = concatenate([x.reshape(-1), given.reshape(-1)])
    return like(x, x.place.xp.take(both.raw, x.place.put(source), axis=0)).reshape(x.shape)


def _added_at(x: Operand, key: Any, part: LibraryArray) -> Operand:
    """Return x, which nothing else refers to, with a part of it added at a key."""
    parts = parts_of(x, key)
    if is_native(x, parts):
        return add_at(x, part, parts)
    return x + scattered(part, key, x.shape)


def _stacked(*args: Any, axis: int) -> Operand:
    return np.stack(args, axis)


def _shift(x: LibraryArray, axis: int, by: int) -> LibraryArray:
    n = x.shape[axis]
    edge: Any = np.zeros_like(x[structure.span(axis, 0, 1)])
    if by > 0:
        return concatenate([edge, x[structure.span(axis, 0, n - 1)]], axis)
    return concatenate([x[structure.span(axis, 1, n)], edge], axis)


def _recurrence(a: Operand, b: LibraryArray, axis: int, reverse: bool) -> Operand:
    a = np.broadcast_to(a, b.shape)
    n, lead = b.shape[axis], (slice(None),) * axis
    order = range(n)[::-1] if reverse else range(n)
    found: list[Any] = []
    for k in order:
        now = b[(*lead, k)]
        found.append(now + a[(*lead, k)] * found[-1] if found else now)
    return np.stack(found[::-1] if reverse else found, axis)


def _softmax(x: LibraryArray, axis: Any) -> Operand:
    e: Any = np.exp(_below(reduction.wide(x), axis))  # type: ignore[arg-type]
    return reduction.narrowed(e / e.sum(axis=axis, keepdims=True), x)  # type: ignore[arg-type]


def _log_softmax(x: LibraryArray, axis: Any) -> Operand:
    y = _below(reduction.wide(x), axis)  # type: ignore[arg-type]
    total: Any = np.exp(y).sum(axis=axis, keepdims=True)
    return reduction.narrowed(y - np.log(total), x)  # type: ignore[arg-type]


def _below(x: Operand, axis: Any) -> Operand:
    peak = x.max(axis=axis, keepdims=True, initial=-inf)
    infinite = peak == inf
    only = np.where(x == inf, 0.0, np.where(infinite & (x < inf), -inf, x))
    return np.where(infinite, only, x) - np.where(infinite, 0.0, peak)


FUNCTIONS.update({"scatter": scattered, "update": _updated, "added_at": _added_at})
FORWARDS.update(
    {
        TABLE["add"]: operator.add,
        TABLE["sub"]: operator.sub,
        TABLE["mul"]: operator.mul,
        TABLE["div"]: operator.truediv,
        reduction.sum: lambda x, axis, keepdims: x.sum(axis, keepdims),
        TABLE["erf"]: _special("erf"),
        TABLE["erfc"]: _special("erfc"),
        indexing.take: lambda x, key: x[key],
        indexing.scatter: scattered,
        indexing.update: _updated,
        structure.stack: _stacked,
        scan.shift: _shift,
        scan.recurrence: _recurrence,
        reduction.softmax: _softmax,
        reduction.log_softmax: _log_softmax,
    }
)
