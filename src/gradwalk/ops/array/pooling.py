"""THE TABLE of arrays: pooling over windows."""

from __future__ import annotations

from typing import Final

import numpy as np

from ...core.array_primitive import ArrayPrimitive, general, linear, multilinear
from ...core.numeric import Array
from .windows import Shape, Windows, first, inner, last, padded, padded_size


def _max_pool(x: Array, how: Windows) -> tuple[Array, Array]:
    """Return the largest number of every window, and its position in the window."""
    size, floating = x.shape[2:], x.dtype.kind == "f"
    x = padded(last(x), how, -np.inf if floating else np.iinfo(x.dtype).min)
    places = how.taps(size)
    best = x[places[0]].copy()
    index = np.zeros(best.shape, np.uint8 if len(places) <= 256 else np.int32)
    for number, place in enumerate(places[1:], 1):
        here = x[place]
        better = here > best  # the numbers grow: a later one takes over from all before
        np.maximum(index, np.multiply(better, number, dtype=index.dtype), out=index)
        np.maximum(best, here, out=best)
    if floating and np.isnan(best).any():
        for number, place in reversed([*enumerate(places)]):
            index[np.isnan(x[place])] = number
    return first(best), first(index)


def _pick(x: Array, index: Array, how: Windows) -> Array:
    places = how.taps(x.shape[2:])
    x, index = padded(last(x), how), last(index)
    y = np.empty(index.shape, x.dtype)
    for number, place in enumerate(places):
        np.copyto(y, x[place], where=index == number)
    return first(y)


def _put(t: Array, index: Array, how: Windows, size: Shape) -> Array:
    t, index = np.ascontiguousarray(last(t)), last(index)
    y = np.zeros((len(t), *padded_size(size, how), t.shape[-1]), t.dtype)
    for number, place in enumerate(how.taps(size)):
        here = _only(index == number, t)
        if how.overlap:
            y[place] += here
        else:
            y[place] = here
    return first(inner(y, size, how))


def _only(chosen: Array, t: Array) -> Array:
    """t where it is chosen and else 0, by its bits: five times as fast as a choice by chance."""
    bits = np.dtype(f"i{t.itemsize}")
    mask = np.negative(chosen, dtype=bits, casting="unsafe")
    mask &= t.view(bits)
    return mask.view(t.dtype)


def _window_sum(x: Array, how: Windows) -> Array:
    places = how.taps(x.shape[2:])
    x = padded(last(x), how)
    y = x[places[0]].copy()
    for place in places[1:]:
        y += x[place]
    return first(y)


def _window_spread(t: Array, how: Windows, size: Shape) -> Array:
    t = np.ascontiguousarray(last(t))
    y = np.zeros((len(t), *padded_size(size, how), t.shape[-1]), t.dtype)
    for place in how.taps(size):
        y[place] += t
    return first(inner(y, size, how))


# --- primitives -----------------------------------------------------------------------------------


# fmt: off
max_pool: Final = general("max_pool",
    lambda t, y, x, how: window_put(t[0], y[1], how=how, size=x.shape[2:]),
    forward=_max_pool, outputs=2, tex=r"\max_{k \in W} x_k",
    kinks="all of the slope to the first of the largest numbers of a window",
    summary="Largest number of each window, and which of the window it is")
window_pick: Final = multilinear("window_pick",
    lambda t, y, x, i, how: window_put(t, i, how=how, size=x.shape[2:]),
    None, forward=_pick, params="x index", tex=r"x_{W, i}",
    summary="One number of each window, by its place in the window")
window_put: ArrayPrimitive = multilinear("window_put",
    lambda t, y, x, i, how, size: window_pick(t, i, how=how), None,
    forward=_put, params="x index", tex=r"\sum_W x_W e_{W, i}",
    summary="Zeros with x added at one place of each window")

window_sum: Final = linear("window_sum",
    lambda t, y, x, how: window_spread(t, how=how, size=x.shape[2:]),
    forward=_window_sum, tex=r"\sum_{k \in W} x_k", summary="Sum over each window")
window_spread: ArrayPrimitive = linear("window_spread",
    lambda t, y, x, how, size: window_sum(t, how=how),
    forward=_window_spread, tex=r"\sum_{W \ni k} x_W",
    summary="Zeros with x added at all places of each window")
