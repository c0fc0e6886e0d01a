"""Arrays of sets of inputs: made, united, and read."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .sources import NOWHERE, Sources

__all__ = ["Array", "Sets", "as_sets", "indices_of", "nowhere", "own_sources", "unite"]

Array = NDArray[Any]
Sets = NDArray[np.object_]
"""An array of `Sources`."""


def own_sources(shape: tuple[int, ...], start: int) -> Sets:
    """Return sets where each element depends on itself: the indices from ``start``."""
    sets = np.empty(int(np.prod(shape)), object)
    sets[:] = [Sources(frozenset((start + i,))) for i in range(sets.size)]
    return sets.reshape(shape)


def indices_of(of: Any) -> list[int]:
    """Return the members of a set, in order."""
    if type(of) is frozenset:
        return sorted(of)  # as in the rows of a CSR matrix
    # byte by byte, because shifting a long int copies it for each bit
    digits = np.frombuffer(of.to_bytes(of.bit_length() // 8 + 1, "little"), np.uint8)
    return np.flatnonzero(np.unpackbits(digits, bitorder="little")).tolist()


def as_sets(s: object) -> Sets:
    """Return a set as an array without axes; an array of sets stays what it is."""
    if type(s) is np.ndarray:
        return s
    one = np.empty((), object)
    one[()] = s
    return one


def nowhere(shape: tuple[int, ...]) -> Sets:
    """Return an array of empty sets."""
    return np.full(shape, NOWHERE, object)


def unite(sets: Sequence[Any], shape: tuple[int, ...]) -> Sets:
    """Return the sets of a pointwise primitive: everything that an argument depends on."""
    total: Any = None
    for s in sets:
        if s is not None and s is not total:  # x * x: nothing to unite
            total = s if total is None else np.asarray(total + s, object)
    if total is None:
        return nowhere(shape)
    return total if total.shape == shape else np.broadcast_to(total, shape)
