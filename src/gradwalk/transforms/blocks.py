"""Blocks of a Jacobian that belong to arrays: a sweep for each number, and its results in order."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from ..levels import Tracer
from ..scalar import Scalar
from ..tensor import Tensor, moveaxis, reshape, stack
from .results import dense

__all__ = ["diagonal", "swept"]


def swept(
    sweep: Callable[[Any], list[Any]], of: Any, others: Sequence[Any], last: bool
) -> list[Any]:
    """A block for each of ``others``, of shape ``of.shape + other.shape``, or the reverse."""
    rows = zip(*[dense(sweep(seed), others) for seed in _seeds(of)], strict=True)
    found = [_stacked(list(each)) for each in rows] if of.size else map(_nothing, others)
    return [_block(x, of, other, last) for x, other in zip(found, others, strict=True)]


def diagonal(sweep: Callable[[Any], Any], of: Any) -> Any:
    """Of the seed for each number of ``of`` what comes back to its own place."""
    found = [dense([sweep(seed)], [of])[0] for seed in _seeds(of)]
    if not of.size:
        return Tensor(np.zeros(of.shape, of.dtype))
    picked = [reshape(x, (of.size,))[i] for i, x in enumerate(found)]
    return reshape(_stacked(picked), of.shape)


def _seeds(of: Any) -> Iterator[Any]:
    """1 in one place and 0 in all others, for each place in turn."""
    for i in range(of.size):
        seed = np.zeros(of.size, of.dtype)
        seed[i] = 1.0
        yield Tensor._of(seed.reshape(of.shape))


def _stacked(rows: list[Any]) -> Any:
    """Rows as one array, by plain means if nobody looks on."""
    if any(isinstance(x, (Tracer, Scalar)) or getattr(x, "_node", None) for x in rows):
        return stack(rows)
    return Tensor._of(np.stack([getattr(x, "_data", x) for x in rows]))


def _nothing(other: Any) -> Any:
    return Tensor(np.zeros((0, *getattr(other, "shape", ()))))


def _block(rows: Any, of: Any, other: Any, last: bool) -> Any:
    """Rows, one for each number, in the shape of a block."""
    shape = tuple(getattr(other, "shape", ()))
    if last:
        return reshape(moveaxis(rows, 0, -1), (*shape, *of.shape))
    return reshape(rows, (*of.shape, *shape))
