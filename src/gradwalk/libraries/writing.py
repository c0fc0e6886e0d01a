"""Arrays with a part added or replaced, by a library's own functions: nothing goes to the host.

PyTorch and CuPy write into an array that was made here. JAX returns a new one.
"""

from __future__ import annotations

from math import prod
from typing import Any

import numpy as np

from ..ops.array import places as by_places
from .array import FORWARDS, LibraryArray
from .constants import seen
from .functions import like, on_place
from .held import Operand
from .keys import WITH_ARRAYS, _aten, arrays_in, checked, native_key, spelled, split, without_axes

__all__ = ["add_at", "is_native", "scatter", "update"]


def is_native(x: LibraryArray, parts: tuple[Any, ...]) -> bool:
    """Return whether the library of ``x`` writes at a key by itself."""
    return x.place.library in WITH_ARRAYS and not without_axes(parts)


def _repeats(parts: tuple[Any, ...]) -> bool:
    return any(part.dtype.kind != "b" for part in arrays_in(parts))


def scatter(t: LibraryArray, parts: tuple[Any, ...], shape: tuple[int, ...]) -> LibraryArray:
    """Return zeros of ``shape`` with ``t`` added at a key."""
    rows: LibraryArray | None = _added_rows(t, parts, shape)
    if rows is not None:
        return rows
    if t.place.library == "jax" and not arrays_in(parts):
        return _padded(t, parts, shape)
    zeros = like(t, t.place.xp.zeros(shape, dtype=t.raw.dtype, device=t.place.device))
    return _written(zeros, t, parts, add=_repeats(parts))


def _padded(t: LibraryArray, parts: tuple[Any, ...], shape: tuple[int, ...]) -> LibraryArray:
    """Return t with zeros around and between its numbers: XLA makes no loop of a padding."""
    import jax

    edges, lengths, flips = list[tuple[int, int, int]](), list[int](), list[int]()
    for part, n in zip(spelled(parts, shape), shape, strict=True):
        taken = range(n)[part if isinstance(part, slice) else slice(part % n, part % n + 1)]
        if taken.step < 0:
            flips.append(len(lengths))
            taken = taken[::-1]
        end = taken[-1] + 1 if taken else 0
        edges.append((taken.start if taken else 0, n - end, taken.step - 1 if taken else 0))
        lengths.append(len(taken))
    raw = t.place.xp.reshape(t.raw, tuple(lengths))
    raw = t.place.xp.flip(raw, axis=tuple(flips)) if flips else raw
    return like(t, jax.lax.pad(raw, raw.dtype.type(0), edges))


def add_at(x: LibraryArray, part: LibraryArray, parts: tuple[Any, ...]) -> LibraryArray:
    """Return x, which nothing else refers to, with a part of it added at a key."""
    return _written(x, part, parts, add=True)


def _written(x: LibraryArray, v: LibraryArray, parts: tuple[Any, ...], add: bool) -> LibraryArray:
    """Return x with ``v`` put or added at a key; x is new, and may be written into."""
    if x.place.library == "jax":
        at = x.raw.at[native_key(x, parts)]
        return like(x, at.add(v.raw) if add else at.set(v.raw))
    if x.place.library == "cupy":
        if add and arrays_in(parts):
            x.place.xp.add.at(x.raw, native_key(x, parts), v.raw)
        elif add:
            x.raw[native_key(x, parts)] += v.raw
        else:
            x.raw[native_key(x, parts)] = v.raw
        return x
    cut = split(x, parts)
    base = x.place.xp.flip(x.raw, axis=cut.flips) if cut.flips else x.raw
    view = base[cut.basic] if cut.basic else base
    if cut.arrays:
        _aten().index_put_(view, cut.arrays, v.raw, add)
    elif add:
        view.add_(v.raw)
    else:
        view.copy_(v.raw)
    return like(x, x.place.xp.flip(base, axis=cut.flips)) if cut.flips else x


def _added_rows(t: LibraryArray, parts: tuple[Any, ...], shape: tuple[int, ...]) -> Any:
    """Return the sums of rows by PyTorch's function for tables, or ``None`` for other keys."""
    if t.place.library != "torch" or len(parts) != 1 or len(shape) != 2:
        return None
    ids = parts[0]
    if type(ids) is not LibraryArray or ids.dtype.kind not in "iu":
        return None
    if t.dtype.kind != "f" or not shape[0]:
        return None
    raw = ids.raw.remainder(shape[0])  # negative places count from the end
    return like(t, _aten().embedding_dense_backward(t.raw, raw.long(), shape[0], -1, False))


def update(x: LibraryArray, v: Operand, parts: tuple[Any, ...]) -> LibraryArray:
    """Return x with ``v`` at a key; of several numbers for one place the last one stays."""
    checked(x.shape, parts)
    v = on_place(v, x.place, x.dtype)
    if not v.ndim and len(parts) == 1 and parts[0] is not None and _is_mask(parts[0]):
        mask = on_place(parts[0], x.place)
        mask = mask.reshape(*mask.shape, *(1,) * (x.ndim - mask.ndim))
        return like(x, x.place.xp.where(mask.raw, v.raw, x.raw))
    if not _repeats(parts):
        return _written(_copy(x), v, parts, add=False)
    size = prod(x.shape)
    places = x.counted(size).reshape(x.shape)[parts]
    given: Any = np.broadcast_to(v, places.shape).reshape(-1)
    flat = places.reshape(-1)
    order = x.counted(flat.size)
    last = _largest_at(x.counted(size), order, flat)  # each element is named by one place at most
    y = _written(_copy(x.reshape(-1)), given[last[flat]], (flat,), add=False)
    return y.reshape(x.shape)


def _is_mask(part: Operand) -> bool:
    return isinstance(part, (np.ndarray, LibraryArray)) and part.dtype.kind == "b"


def _copy(x: LibraryArray) -> LibraryArray:
    return x if x.place.library == "jax" else like(x, x.place.xp.asarray(x.raw, copy=True))


def _largest_at(x: LibraryArray, order: LibraryArray, places: LibraryArray) -> LibraryArray:
    """Return, for each place that is named, the last of the numbers in ``order`` that name it."""
    xp, raw = x.place.xp, places.raw
    zeros = xp.zeros(x.shape, dtype=order.raw.dtype, device=x.place.device)
    if x.place.library == "jax":
        return like(x, zeros.at[raw].max(order.raw))
    if x.place.library == "torch":
        return like(x, zeros.scatter_reduce(0, raw, order.raw, "amax", include_self=True))
    xp.maximum.at(zeros, raw, order.raw)
    return like(x, zeros)


# --- places that are arguments --------------------------------------------------------------------


def _flat(x: LibraryArray, places: Operand, *others: Any) -> tuple[LibraryArray, tuple[int, ...]]:
    """Return places in a flat stack of rows of ``x``, and the shape of the stack."""
    n = x.shape[-1]
    places = on_place(places, x.place, np.int64)
    numbers = seen(places)
    if numbers is not None:
        by_places.checked_places(numbers, n)
    lead = np.broadcast_shapes(places.shape[:-1], *[y.shape[:-1] for y in (x, *others)])
    starts = places.counted(prod(lead)).reshape(*lead, 1) * n
    return places + starts if lead else places, lead


def _spread(x: LibraryArray, shape: tuple[int, ...]) -> LibraryArray:
    return x if x.shape == shape else np.broadcast_to(x, shape)  # type: ignore[return-value]


def pick(x: Operand, places: Operand) -> LibraryArray:
    """Return numbers of each row by their places."""
    x = on_place(x, places.place if type(places) is LibraryArray else x.place)
    flat, lead = _flat(x, places)
    if places.ndim == 1 and x.ndim > 1:  # whole rows
        places = on_place(places, x.place, np.int64)
        return _turned(_turned(x, -1, 0)[places], 0, -1)
    return _spread(x, (*lead, x.shape[-1])).reshape(-1)[flat]


def _turned(x: Operand, source: int, to: int) -> LibraryArray:
    found: LibraryArray = np.moveaxis(x, source, to)
    return found


def drop(t: Operand, places: Operand, size: int) -> LibraryArray:
    """Return rows of zeros with t added at its places."""
    t = on_place(t, places.place if type(places) is LibraryArray else t.place)
    if places.ndim == 1 and t.ndim > 1:  # whole rows
        _flat(np.broadcast_to(np.zeros_like(t, shape=(1,)), (size,)), places)  # type: ignore[arg-type]
        rows = _turned(t, -1, 0)
        places = on_place(places, t.place, np.int64)
        return _turned(rows.scattered((places,), (size, *rows.shape[1:])), 0, -1)
    shape = (*np.broadcast_shapes(t.shape[:-1], places.shape[:-1]), size)
    row: Any = np.broadcast_to(np.zeros_like(t, shape=(1,)), shape)  # for its shape
    flat, lead = _flat(row, places, t)
    there = (*lead, places.shape[-1])
    ids, numbers = _spread(flat, there).reshape(-1), _spread(t, there).reshape(-1)
    return numbers.scattered((ids,), (prod(shape),)).reshape(shape)


def overwrite(x: Operand, v: Operand, places: Operand) -> LibraryArray:
    """Return rows with v at its places; of several numbers for one place the last one stays."""
    place = next(y.place for y in (x, v, places) if type(y) is LibraryArray)
    x, v = on_place(x, place), on_place(v, place)
    flat, lead = _flat(x, places, v)
    there = (*lead, places.shape[-1])
    rows = _spread(x, (*lead, x.shape[-1]))
    ids, numbers = _spread(flat, there).reshape(-1), _spread(v, there).reshape(-1)
    found: LibraryArray = rows.reshape(-1).written((ids,), numbers).reshape(rows.shape)
    return found


FORWARDS.update({by_places.pick: pick, by_places.drop: drop, by_places.overwrite: overwrite})
