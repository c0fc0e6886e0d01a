"""Leaves as vectors, and linear functions of them as matrices: what needs NumPy."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import Any

from ...tensor import concat, reshape, stack
from ...tensor.functions import linalg

__all__ = ["as_vector", "matrix_of", "split_vector", "solve"]


def as_vector(leaves: Sequence[Any]) -> Any:
    """Return all elements of all leaves as one vector."""
    return concat([reshape(x, (-1,)) for x in leaves])


def matrix_of(rows: Sequence[Sequence[Any]]) -> Any:
    """Return the matrix whose rows are lists of leaves."""
    return stack([as_vector(row) for row in rows])


def split_vector(vector: Any, likes: Sequence[Any]) -> list[Any]:
    """Split a vector into pieces that have the shapes of the given leaves."""
    found, start = [], 0
    for x in likes:
        shape = tuple(getattr(x, "shape", ()))
        stop = start + prod(shape)
        found.append(reshape(vector[start:stop], shape))
        start = stop
    return found


def solve(matrix: Any, leaves: Sequence[Any], transpose: bool) -> Any:
    """Return the vector x with A x = b, or Aᵀ x = b, where b is given as leaves."""
    # gradwalk's own, so that solutions of implicit functions have derivatives of any order
    return linalg.solve(matrix.mT if transpose else matrix, as_vector(leaves))
