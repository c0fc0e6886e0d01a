"""Convolutions and pooling of JAX: arrays under a moving window."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from ...ops.array.order import choose
from ...tensor import functions as gw
from ..moves import gathered
from ..values import Operand, numbers, tensor

__all__ = ["convolution", "pooled", "spread"]

Pads = Sequence[tuple[int, int]]


def spread(x: Operand, pads: Pads, dilation: Sequence[int]) -> Operand:
    """Return positions with -1 between the elements of each axis and around them.

    Negative padding leaves elements out.
    """
    for axis, ((low, high), step) in enumerate(zip(pads, dilation, strict=True)):
        size = x.shape[axis]
        wide = list(x.shape)
        wide[axis] = (size - 1) * step + 1 if size else 0
        y = np.full(wide, -1, np.int64)
        y[(slice(None),) * axis + (slice(None, None, step),)] = x
        around = [(0, 0)] * x.ndim
        around[axis] = (max(low, 0), max(high, 0))
        y = np.pad(y, around, constant_values=-1)
        stop = y.shape[axis] - max(-high, 0)
        x = y[(slice(None),) * axis + (slice(max(-low, 0), stop),)]
    return x


def convolution(p: Mapping[str, Any], x: Operand, w: Operand) -> Operand:
    """Return a convolution, with the padding and the dilation of its input made beforehand."""
    d, n = p["dimension_numbers"], x.ndim - 2
    if p["batch_group_count"] != 1 or n not in (1, 2, 3):
        return NotImplemented
    x, w = gw.permute_dims(x, d.lhs_spec), gw.permute_dims(w, d.rhs_spec)
    pads, within = list(p["padding"]), p["lhs_dilation"]
    even = all(low == high >= 0 for low, high in pads) and set(within) == {1}
    if not even:
        around = [(0, 0), (0, 0), *pads]
        x = gathered(lambda q: spread(q, around, (1, 1, *within)), [x], 0.0)
        pads = [(0, 0)] * n
    run: Any = (gw.conv1d, gw.conv2d, gw.conv3d)[n - 1]
    strides, steps = tuple(p["window_strides"]), tuple(p["rhs_dilation"])
    y = run(x, w, None, strides, tuple([low for low, _ in pads]), steps, p["feature_group_count"])
    return gw.permute_dims(y, tuple(np.argsort(d.out_spec).tolist()))


def _windows(p: Mapping[str, Any], x: Operand, fill: float) -> Operand:
    """Return the numbers under each window, which become the last axis."""
    sizes, steps = p["window_dimensions"], p["window_dilation"]

    def run(q: Operand) -> Operand:
        q = spread(q, p["padding"], p["base_dilation"])
        lengths = [(size - 1) * step + 1 for size, step in zip(sizes, steps, strict=True)]
        found = np.lib.stride_tricks.sliding_window_view(q, lengths)
        starts = tuple([slice(None, None, s) for s in p["window_strides"]])
        found = found[(*starts, *[slice(None, None, s) for s in steps])]
        return found.reshape((*found.shape[: q.ndim], -1))

    return gathered(run, [x], fill)


def pooled(kind: str, p: Mapping[str, Any], x: Operand) -> Operand:
    """Return the sum or an extreme of each window; of equal numbers the first is taken."""
    if kind == "sum":
        return gw.sum(_windows(p, x, 0.0), axis=-1)
    fill = -np.inf if kind == "max" else np.inf
    parts = tensor(_windows(p, x, fill))
    found = np.argmax(numbers(parts), -1) if kind == "max" else np.argmin(numbers(parts), -1)
    return choose(parts, places=found[..., None], axis=parts.ndim - 1)[..., 0]
