"""Blocks of a Jacobian that belong to arrays: passes for many elements at once, in order."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from ..errors import NotANumberError
from ..levels.vmap import batched
from ..tensor import Tensor, concat, moveaxis, reshape, stack
from ..tensor.graph.placed import beside

__all__ = ["ROOM", "blocks", "diagonal", "joined", "rows_of"]

Pass = Callable[[Any], Sequence[Any]]

ROOM = 2**18
"""The most numbers in a step of a pass: more cotangents at once would not be faster."""


def blocks(run_pass: Pass, of: Any, others: Sequence[Any], widest: int, last: bool) -> list[Any]:
    """Return a block for each of ``others``, of shape ``of.shape + other.shape`` or the reverse."""
    return joined([rows_of(run_pass, of, others, widest, range(of.size))], of, others, last)


def rows_of(
    run_pass: Pass, of: Any, others: Sequence[Any], widest: int, places: range
) -> list[Any]:
    """Return what passes from the elements of ``of`` at ``places`` give for each of ``others``."""
    chunks = [rows for _, rows in _chunks(run_pass, of, others, widest, places)]
    found = zip(*chunks, strict=True) if chunks else [(_zeros(0, other),) for other in others]
    return [_join(rows) for rows in found]


def joined(parts: Sequence[Sequence[Any]], of: Any, others: Sequence[Any], last: bool) -> list[Any]:
    """Return the blocks that consecutive results of `rows_of` make up."""
    found = zip(zip(*parts, strict=True), others, strict=True)
    return [_block(_join(rows), of, other, last) for rows, other in found]


def diagonal(run_pass: Callable[[Any], Any], of: Any, widest: int) -> Any:
    """Return ∂y[i]/∂x[i] for every element i, from one cotangent or tangent for each element of
    ``of``.
    """
    # of each row one number stays, so memory holds a chunk of rows and never the matrix
    picked = [beside(Tensor._of(np.zeros(0, of.dtype)), of)]
    for places, (rows,) in _chunks(lambda t: [run_pass(t)], of, [of], widest, range(of.size)):
        flat = reshape(rows, (len(places), of.size))
        picked.append(flat[np.arange(len(places)), places])
    return reshape(_join(picked), of.shape)


def _chunks(
    run_pass: Pass, of: Any, others: Sequence[Any], widest: int, every: range
) -> Iterator[tuple[Any, list[Any]]]:
    """Yield indices of ``of``, some of ``every`` at a time, and the results of passes from there,
    the indices along the first axis.
    """
    step = max(1, ROOM // max(1, widest))  # all at once could take too much memory
    for start in range(0, len(every), step):
        places = np.array(every[start : start + step])
        seeds = np.zeros((len(places), of.size), of.dtype)
        seeds[np.arange(len(places)), places] = 1.0  # unit vectors: each gives a row or a column
        units = beside(Tensor._of(seeds.reshape(len(places), *of.shape)), of)
        found = _pass_together(run_pass, units)
        pairs = zip(found, others, strict=True)
        yield places, [_zeros(len(places), y) if x is None else x for x, y in pairs]


def _pass_together(run_pass: Pass, seeds: Any) -> Sequence[Any]:
    """Return the results of passes from all given cotangents, side by side."""
    if len(seeds) > 1:  # one pass gains nothing from vmap
        try:
            return batched(lambda ts: run_pass(ts[0]), [seeds], "a Jacobian")
        except NotANumberError:  # a step needs the numbers of its cotangent, in plain NumPy
            pass
    found = zip(*[run_pass(seed) for seed in seeds], strict=True)
    return [_stack_rows(rows) for rows in found]


def _stack_rows(rows: Sequence[Any]) -> Any:
    """Stack rows, with zeros for each ``None``. Return ``None`` if there are no others."""
    like = next((x for x in rows if x is not None), None)
    return None if like is None else stack([_zeros(1, like)[0] if x is None else x for x in rows])


def _zeros(count: int, other: object) -> Any:
    """Return zero rows for an array that no pass reaches."""
    dtype = getattr(other, "dtype", np.float64)
    return beside(Tensor._of(np.zeros((count, *getattr(other, "shape", ())), dtype)), other)


def _join(rows: Sequence[Any]) -> Any:
    return rows[0] if len(rows) == 1 else concat(rows)


def _block(rows: Any, of: Any, other: object, last: bool) -> Any:
    """Return rows, one for each element, in the shape of a block."""
    shape = tuple(getattr(other, "shape", ()))
    if last:
        return reshape(moveaxis(rows, 0, -1), (*shape, *of.shape))
    return reshape(rows, (*of.shape, *shape))
