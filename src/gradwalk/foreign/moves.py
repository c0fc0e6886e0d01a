"""Operations that only move elements: they are run on positions, and a Tensor takes those."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import nan
from typing import Any

import numpy as np

from ..tensor.functions import concatenate, reshape, take
from .values import Operand, is_live, numbers, tensor

__all__ = ["gathered", "positions"]


def positions(xs: Sequence[Any]) -> list[Any]:
    """Return for each of ``xs`` an array of its shape: where its elements stand in one long row."""
    sizes = [int(np.size(numbers(x))) for x in xs]
    starts = np.cumsum([0, *sizes])
    return [
        np.arange(start, start + n, dtype=np.int64).reshape(np.shape(numbers(x)))
        for x, n, start in zip(xs, sizes, starts, strict=False)
    ]


def gathered(run: Callable[..., Any], xs: Sequence[Any], fill: float = nan) -> Operand:
    """Return the result of an operation that only moves elements of ``xs``, or leaves some out.

    Parameters
    ----------
    run
        The operation of the framework. It gets integer arrays in the shapes of ``xs``, the
        positions of the elements, and returns where each element of the result comes from. A
        negative position stands for an element that comes from nowhere.
    xs
        Tensors, and arrays without a gradient.
    fill
        The number of an element that comes from nowhere.

    Returns
    -------
    a Tensor
        The elements at these positions, through which gradients flow.
    """
    index = np.asarray(run(*positions(xs))).astype(np.int64)
    live = next((x for x in xs if is_live(x)), None)
    dtype = np.asarray(numbers(xs[0])).dtype if live is None else live.dtype
    flats = [reshape(tensor(x, dtype), (-1,)) for x in xs]
    size = sum(int(flat.shape[0]) for flat in flats)
    if (index < 0).any():
        flats.append(tensor(np.full(1, fill, dtype)))
        index = np.where(index < 0, size, index)
    row = flats[0] if len(flats) == 1 else concatenate(flats)
    return take(row, index)
