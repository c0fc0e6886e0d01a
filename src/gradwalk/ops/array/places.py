"""THE TABLE of arrays: selection by indices that are results of a computation themselves.

The indices ``places`` are an argument here, not an option as in `indexing`, because under vmap they
differ from example to example. They lie along the last axis and are non-negative. All axes before
it are a stack, broadcast.
"""

from __future__ import annotations

from math import prod
from typing import Any, Final

import numpy as np

from ...core.array_primitive import linear, multilinear
from ...core.numeric import Array, NumericArray
from ...errors import KeyRangeError
from ..arithmetic import equal, where
from .structural_zero import StructuralZero
from .structure import broadcast_to, reshape

Shape = tuple[int, ...]

# --- forward --------------------------------------------------------------------------------------


def _flat(x: NumericArray, places: Any) -> tuple[Any, Shape]:
    """Return the indices into the flattened stack of arrays, and the shape of the stack."""
    lead = np.broadcast_shapes(x.shape[:-1], places.shape[:-1])
    if not lead:
        return places, lead
    starts = np.arange(prod(lead)).reshape(*lead, 1) * x.shape[-1]
    return places + starts, lead


def checked_places(places: Any, size: int) -> None:
    """Raise `KeyRangeError` for a place that a row of ``size`` numbers has not."""
    if places.size and (places.min() < 0 or places.max() >= size):
        raise KeyRangeError(
            where="t[key], with a key of each example",
            expected="indices inside the array",
            got="an index out of bounds",
            fix="Count from 0 at the front, or from -1 at the back.",
        )


def _pick(x: Array, places: Any) -> Any:
    checked_places(places, x.shape[-1])
    if places.ndim == 1:
        return x.take(places, axis=-1)
    flat, lead = _flat(x, places)
    return np.broadcast_to(x, (*lead, x.shape[-1])).reshape(-1).take(flat)


def _drop(t: Array, places: Any, size: int) -> Array:
    checked_places(places, size)
    lead = np.broadcast_shapes(t.shape[:-1], places.shape[:-1])
    y = np.zeros((*lead, size), t.dtype)
    if places.ndim == 1 and t.ndim > 1:  # row by row: a third of the time
        rows = np.ascontiguousarray(np.moveaxis(t, -1, 0))
        turned = np.zeros((size, *lead), t.dtype)
        np.add.at(turned, places, rows)
        return np.ascontiguousarray(np.moveaxis(turned, 0, -1))
    flat, _ = _flat(y, places)
    shape = (*lead, places.shape[-1])
    np.add.at(
        y.reshape(-1),
        np.broadcast_to(flat, shape).reshape(-1),
        np.broadcast_to(t, shape).reshape(-1),
    )
    return y


def _overwrite(x: Array, v: Array, places: Any) -> Array:
    checked_places(places, x.shape[-1])
    lead = np.broadcast_shapes(x.shape[:-1], v.shape[:-1], places.shape[:-1])
    y = np.array(np.broadcast_to(x, (*lead, x.shape[-1])), order="C")
    flat, _ = _flat(y, places)
    y.reshape(-1)[flat] = v
    return y


# --- rules ----------------------------------------------------------------------------------------


def _mask(t: NumericArray, places: Any, size: int) -> Any:
    """Return where nothing was added: a plain array, or a tracer of masks under vmap."""
    reached = drop(np.ones(t.shape), places, size=size)
    found = equal(reached, 0.0)
    return found._data if getattr(found, "_rank", 0) == 1 else found  # a Tensor of constants


def _back(t: NumericArray, shape: Shape, places: Any) -> StructuralZero:
    """Return the contribution to x. Elements that were not picked get structural zeros."""
    size = shape[-1]
    if len(shape) == 1 and t.ndim > 1:  # in one row, for the sum over the stack may be large
        places = reshape(broadcast_to(places, shape=t.shape), shape=(t.size,))
        t = reshape(t, shape=(t.size,))
    contribution = drop(t, places, size=size)
    return StructuralZero(contribution, lambda: _mask(t, places, size))


def _kept(t: NumericArray, places: Any) -> StructuralZero:
    zeros = np.zeros(places.shape[-1:], t.dtype)

    def hit() -> Any:
        rest = broadcast_to(_mask(places, places, t.shape[-1]), shape=t.shape)
        return equal(rest, 0.0)

    return StructuralZero(overwrite(t, zeros, places), hit)


def _put(t: NumericArray, places: Any) -> Any:
    """Return the contribution to v. Of several numbers for one element only the last one counts."""
    order = np.arange(places.shape[-1])
    last = overwrite(np.zeros(t.shape[-1:], order.dtype), order, places)
    return where(equal(pick(last, places), order), pick(t, places), 0.0)


# fmt: off
pick: Final = multilinear("pick", lambda t, y, x, places: _back(t, x.shape, places), None,
    forward=_pick, params="x places", tex=r"x_{p_i}",
    summary="Numbers of x by their places, which are numbers too")
drop: Final = multilinear("drop", lambda t, y, x, places, size: pick(t, places), None,
    forward=_drop, params="x places", tex=r"\sum_i x_i e_{p_i}",
    summary="Zeros with x added at its places, which are numbers too")
overwrite: Final = linear("overwrite", lambda t, y, x, v, places: _kept(t, places),
    lambda t, y, x, v, places: _put(t, places), None,
    forward=_overwrite, params="x v places", tex=r"x \leftarrow_p v",
    summary="x with v at its places, which are numbers too",
    kinks="of several numbers for one position, the last one counts")
