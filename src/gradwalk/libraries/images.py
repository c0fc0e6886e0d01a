"""Convolutions, poolings and fused losses on arrays of every library, tap by tap.

NumPy's forms write blocks of columns into memory. Here each number of the kernel is one product of
whole arrays, added up. Layouts are those of `ops.array.windows`: the channels come last.
"""

from __future__ import annotations

from math import inf
from typing import Any

import numpy as np

from ..ops.array import convolution, losses, normalization, pooling
from ..ops.array.windows import Shape, Windows, first, inner, last, padded_size
from .array import FORWARDS, LibraryArray
from .constants import is_traced
from .functions import concatenate, like, on_place
from .held import Operand

__all__ = ["padded"]


def padded(x: Operand, how: Windows, fill: float = 0.0) -> Operand:
    """Return x, with its channels last, with the padding around it."""
    return _edged(x, [(0, 0), *how.padding, (0, 0)], fill)


def _edged(x: Operand, widths: list[tuple[int, int]], fill: float = 0.0) -> Operand:
    for axis, pair in enumerate(widths):
        before, after = (_edge(x, axis, n, fill) for n in pair)
        x = concatenate([*before, x, *after], axis) if before or after else x
    return x


def _edge(x: Operand, axis: int, n: int, fill: float) -> list[Any]:
    shape = (*x.shape[:axis], n, *x.shape[axis + 1 :])
    return [like(x, x.place.full(shape, fill, x.dtype))] if n else []


def _kernels(w: Operand) -> list[Any]:
    """Return, for each number of the kernel, a matrix of in × out channels."""
    flat = w.reshape(*w.shape[:2], -1)
    return [flat[:, :, k].T for k in range(flat.shape[2])]


def _groups(x: Operand, n: int, axis: int = -1) -> list[Any]:
    return [x] if n == 1 else np.split(x, n, axis)


def _joined(parts: list[Any], axis: int) -> Operand:
    return parts[0] if len(parts) == 1 else concatenate(parts, axis)


def _added(parts: Any) -> Operand:
    total: Any = None
    for part in parts:
        total = part if total is None else total + part
    return total


def _convolve(x: Operand, w: Operand, how: Windows) -> Operand:
    taps, x = how.taps(x.shape[2:]), padded(last(x), how)
    pairs = zip(_groups(x, how.groups), _groups(w, how.groups, 0), strict=True)
    parts = [
        _added(part[tap] @ kernel for tap, kernel in zip(taps, _kernels(each), strict=True))
        for part, each in pairs
    ]
    return first(_joined(parts, -1))


def _convolve_plus(x: Operand, w: Operand, b: Operand, how: Windows) -> Operand:
    return _convolve(x, w, how) + b.reshape(-1, *(1,) * len(how.kernel))


def _weight(x: Operand, t: Operand, how: Windows) -> Operand:
    taps, x = how.taps(x.shape[2:]), padded(last(x), how)
    pairs = zip(_groups(x, how.groups), _groups(last(t), how.groups), strict=True)
    return _joined([_weight_of_group(part, seeds, how, taps) for part, seeds in pairs], 0)


def _weight_of_group(x: Operand, t: Operand, how: Windows, taps: Any) -> Operand:
    columns = t.reshape(-1, t.shape[-1])
    parts = [columns.T @ x[tap].reshape(len(columns), x.shape[-1]) for tap in taps]
    return np.stack(parts, -1).reshape(t.shape[-1], x.shape[-1], *how.kernel)


def _input(t: Operand, w: Operand, how: Windows, size: Shape) -> Operand:
    """Return the convolution with mirrored kernels of t, with zeros between its numbers."""
    spread = _dilated(t, how.stride)
    ends = [n - 1 for n in how.spans]
    full = Windows(how.kernel, (1,) * len(ends), tuple(zip(ends, ends, strict=True)),
                   how.dilation, how.groups)  # fmt: skip
    y = last(_convolve(spread, convolution._turned(w, how), full))
    room = padded_size(size, how)
    rest = [(0, n - m) for n, m in zip(room, y.shape[1:-1], strict=True)]
    return first(inner(_edged(y, [(0, 0), *rest, (0, 0)]), size, how))


def _dilated(t: Operand, stride: Shape) -> Operand:
    """Return t with ``stride - 1`` zeros between its numbers along each axis of space."""
    for axis, step in enumerate(stride, 2):
        if step > 1:
            n = t.shape[axis]
            apart = np.expand_dims(t, axis + 1)
            widths = [(0, 0)] * apart.ndim
            widths[axis + 1] = (0, step - 1)
            t = _edged(apart, widths).reshape(*t.shape[:axis], n * step, *t.shape[axis + 1 :])
            t = t[(*[slice(None)] * axis, slice(0, (n - 1) * step + 1))]
    return t


def _channel_sum(x: Operand) -> Operand:
    return x.sum(axis=(0, *range(2, x.ndim)))


# --- poolings -------------------------------------------------------------------------------------


def _max_pool(x: Operand, how: Windows) -> tuple[Any, Any]:
    places, x = how.taps(x.shape[2:]), padded(last(x), how, -inf)
    best, kind = x[places[0]], np.dtype(np.uint8 if len(places) <= 256 else np.int32)
    index: Any = like(best, best.place.full(best.shape, 0, kind))
    lost = np.isnan(best)
    for number, place in enumerate(places[1:], 1):
        here = x[place]
        # the first NaN takes over, and nothing after it
        takes = ((here > best) | np.isnan(here)) & ~lost
        index, best = np.where(takes, kind.type(number), index), np.where(takes, here, best)
        lost = np.isnan(best)
    return first(best), first(index)


def _pick(x: Operand, index: Operand, how: Windows) -> Operand:
    index = _tap_of(on_place(index, x.place), how, x.shape[2:])
    places, x = how.taps(x.shape[2:]), padded(last(x), how)
    index = last(index)
    return first(_added(np.where(index == k, x[tap], 0.0) for k, tap in enumerate(places)))


def _tap_of(index: Operand, how: Windows, size: Shape) -> Operand:
    """Return which number of its window each is, also of places in the flat plane, of int64."""
    if index.dtype != np.int64:
        return index
    (top, _), (left, _) = how.padding
    rows, columns = (index.counted(n) for n in index.shape[2:])
    down = index // size[1] + top - rows.reshape(-1, 1) * how.stride[0]
    right = index % size[1] + left - columns * how.stride[1]
    return down // how.dilation[0] * how.kernel[1] + right // how.dilation[1]


def _put(t: Operand, index: Operand, how: Windows, size: Shape) -> Operand:
    index = _tap_of(on_place(index, t.place), how, size)
    t, index = last(t), last(index)
    return _spread([np.where(index == k, t, 0.0) for k in range(len(how.taps(size)))], how, size)


def _spread(parts: list[Any], how: Windows, size: Shape) -> Operand:
    """Return the sum of arrays, each at the place of its tap."""
    room = padded_size(size, how)
    ends = []
    for part, tap in zip(parts, how.taps(size), strict=True):
        spaced = last(_dilated(first(part), how.stride))
        starts = [key.start for key in tap[1:]]
        sizes = zip(starts, room, spaced.shape[1:-1], strict=True)
        ends.append(_edged(spaced, [(0, 0), *[(s, n - s - m) for s, n, m in sizes], (0, 0)]))
    return first(inner(_added(ends), size, how))


def _window_sum(x: Operand, how: Windows) -> Operand:
    places, x = how.taps(x.shape[2:]), padded(last(x), how)
    return first(_added(x[place] for place in places))


def _window_spread(t: Operand, how: Windows, size: Shape) -> Operand:
    return _spread([last(t)] * len(how.taps(size)), how, size)


# --- losses of classes ----------------------------------------------------------------------------


def _one_hot(x: Operand, target: Operand) -> Operand:
    """Return where the class of each row is."""
    if type(target) is LibraryArray:
        return target.reshape(-1, 1) == x.counted(x.shape[1]).reshape(1, -1)
    return np.asarray(target)[:, None] == np.arange(x.shape[1])


def _exponentials(x: Operand, target: Operand) -> tuple[Any, Any, Any, Any, Any]:
    """Return e^(x - peak) and a 0 at the class, its sum, what stood at the class, and where."""
    own = on_place(_one_hot(x, target), x.place)
    below = x - x.max(axis=1, keepdims=True)
    own_log = np.where(own, below, 0.0).sum(axis=1)
    e = np.where(own, 0.0, np.exp(below))
    return e, e.sum(axis=1), np.exp(own_log), own_log, own


def _surprise(x: Operand, target: Operand, ignored: Operand, memo: Any) -> Operand:
    _, rest, at_class, own_log, _ = _exponentials(x, target)
    y = np.log1p(rest + (at_class - 1.0)) - own_log
    return y if ignored is None else np.where(ignored, 0.0, y)


def _surprise_slope(
    x: Operand, t: Operand, target: Operand, ignored: Operand, memo: Any
) -> Operand:
    e, rest, at_class, _, own = _exponentials(x, target)
    t = t if ignored is None else np.where(ignored, 0.0, t)
    scale = (t / (at_class + rest)).reshape(-1, 1)
    return np.where(own, -rest.reshape(-1, 1) * scale, e * scale)


def _class_surprise(x: Operand, target: Operand, ignore: int | None, memo: Any) -> Operand:
    target = on_place(target, x.place)
    ignored = None if ignore is None else target == ignore
    y = _surprise(x, target, ignored, memo)
    if not is_traced(x.raw):
        return y
    wrong = (target < 0) | (target >= x.shape[1])
    wrong = wrong if ignored is None else wrong & ~ignored
    return np.where(wrong, np.nan, y)  # nothing can be asked of numbers


def _class_slope(x: Operand, t: Operand, target: Operand, ignore: int | None, memo: Any) -> Operand:
    target = on_place(target, x.place)
    ignored = None if ignore is None else target == ignore
    return _surprise_slope(x, t, target, ignored, memo)


def _back(
    t: Operand,
    shift: Operand,
    slope: Operand,
    y: Operand,
    variance: Operand,
    axis: Any,
    eps: float,
    centred: bool,
) -> Operand:
    """Return the gradient before `standardize`, without memory to write into."""
    z = y * (slope - (t * y).sum(axis=axis, keepdims=True) / _count(t, axis)) + t
    z = z + (shift - t.sum(axis=axis, keepdims=True) / _count(t, axis)) if centred else z
    return z / np.sqrt(variance + eps)


def _count(t: Operand, axis: Any) -> int:
    return int(np.prod([t.shape[i] for i in axis], dtype=np.int64))


FORWARDS.update(
    {
        convolution.conv: _convolve,
        convolution.conv_bias: _convolve_plus,
        convolution.conv_weight: _weight,
        convolution.conv_input: _input,
        convolution.channel_sum: _channel_sum,
        pooling.max_pool: _max_pool,
        pooling.window_pick: _pick,
        pooling.window_put: _put,
        pooling.window_sum: _window_sum,
        pooling.window_spread: _window_spread,
        losses.surprise: _surprise,
        losses.surprise_slope: _surprise_slope,
        losses.class_surprise: _class_surprise,
        losses.class_slope: _class_slope,
        normalization.back: _back,
    }
)
