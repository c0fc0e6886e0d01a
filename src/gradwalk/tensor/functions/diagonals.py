"""Triangles and diagonals of matrices."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...core.expect import describe, index_of
from ...errors import OptionError, SizeError
from ...ops.arithmetic import where
from ...ops.array import indexing as index_rows
from ...ops.array import structure as primitives
from ..graph.tensor import Tensor
from ..graph.views import link
from .arguments import axis_of, operand
from .shapes import moveaxis
from .types import ArrayLike, unary_function

__all__ = ["diag", "diagonal", "tril", "triu"]
METHODS = ("diagonal",)


@unary_function
def tril(x: ArrayLike, k: int = 0) -> Tensor:
    """Return the lower triangle of matrices, with zeros above it.

    Parameters
    ----------
    x : (..., n, m)
        The matrices.
    k
        The last diagonal that is kept: 0 is the main one, positive ones lie above it.

    Returns
    -------
    (..., n, m)
        The lower triangles.

    Raises
    ------
    SizeError
        If ``x`` has fewer than two axes.
    OptionError
        If ``k`` is not an integer.

    Examples
    --------
    >>> tril(np.ones((2, 2))).tolist()
    [[1.0, 0.0], [1.0, 1.0]]
    """
    return _triangle(x, k, "tril", lower=True)


@unary_function
def triu(x: ArrayLike, k: int = 0) -> Tensor:
    """Return the upper triangle of matrices, with zeros below it.

    Parameters
    ----------
    x : (..., n, m)
        The matrices.
    k
        The first diagonal that is kept: 0 is the main one, positive ones lie above it.

    Returns
    -------
    (..., n, m)
        The upper triangles.

    Raises
    ------
    SizeError
        If ``x`` has fewer than two axes.
    OptionError
        If ``k`` is not an integer.

    Examples
    --------
    >>> triu([[1.0, 2.0], [3.0, 4.0]]).tolist()
    [[1.0, 2.0], [0.0, 4.0]]
    """
    return _triangle(x, k, "triu", lower=False)


def _triangle(x: object, k: int, name: str, lower: bool) -> Any:
    x, offset = operand(x, name), diagonal_index(k, name)
    mask = np.tri(*_matrix(x, name), k=offset if lower else offset - 1, dtype=bool)
    return where(mask if lower else ~mask, x, False)  # False is 0 in the dtype of x


def _matrix(x: Any, name: str) -> tuple[int, int]:
    """Return the numbers of rows and columns."""
    if x.ndim > 1:
        return x.shape[-2:]
    raise SizeError(
        where=name,
        expected="a matrix, or a stack of them",
        got=f"shape {x.shape}",
        fix="Write x[None] for a matrix of one row.",
    )


def diagonal_index(number: Any, name: str) -> int:
    """Return the index of a diagonal. Raise `OptionError` unless it is an integer."""
    index = index_of(number)
    if index is not None:
        return index
    raise OptionError(
        where=f"{name}(offset)",
        expected="an integer, the index of a diagonal",
        got=describe(number),
        fix="Pass 0 for the main diagonal, 1 for the diagonal above it.",
    )


def _span(shape: tuple[int, int], offset: int) -> slice:
    """Return the indices of a diagonal among the elements of a matrix, row by row."""
    n, m = shape
    start = offset if offset >= 0 else -offset * m
    # m elements further is the next row, one more the next column
    length = max(0, min(n, m - offset) if offset >= 0 else min(n + offset, m))
    return slice(start, start + length * (m + 1), m + 1) if length else slice(0, 0)


@unary_function
def diagonal(x: ArrayLike, offset: int = 0, axis1: int = 0, axis2: int = 1) -> Tensor:
    """Return a diagonal of the matrices that two axes span.

        y[…, i] = x[…, i, i + offset]

    Parameters
    ----------
    x : (..., n, m)
        The matrices.
    offset
        The index of the diagonal: 0 is the main one, positive ones lie above it.
    axis1, axis2
        The axes of the rows and of the columns.

    Returns
    -------
    the shape of x without both axes, with the diagonal as the last axis
        A view of ``x``.

    Raises
    ------
    SizeError
        If ``x`` has fewer than two axes, or lacks one of these.
    OptionError
        If ``offset`` is not an integer.

    See Also
    --------
    gradwalk.linalg.diagonal

    Examples
    --------
    >>> diagonal(np.array([[1.0, 2.0], [3.0, 4.0]])).tolist()
    [1.0, 4.0]
    """
    x, k = operand(x, "diagonal"), diagonal_index(offset, "diagonal")
    _matrix(x, "diagonal")
    options = {"k": k, "axis1": axis1, "axis2": axis2}
    return link(_diagonal(x, **options), x, _diagonal, options)


def _diagonal(x: Tensor, k: int, axis1: int, axis2: int) -> Tensor:
    pair = [axis_of(axis, x.ndim, "diagonal") for axis in (axis1, axis2)]
    x = moveaxis(x, pair, (-2, -1))
    n, m = x.shape[-2:]
    # in the flat matrix a diagonal is a slice, and the gradient of a slice is added in place
    flat = primitives.reshape(x, shape=(*x.shape[:-2], n * m))
    return index_rows.take(flat, key=(..., _span((n, m), k)))


_diagonal.__name__ = "diagonal"  # in messages


@unary_function
def diag(x: ArrayLike, k: int = 0) -> Tensor:
    """Return the matrix with a vector on a diagonal, or a diagonal of a matrix.

    Parameters
    ----------
    x : (n,) or (n, m, ...)
        The vector, or the matrix.
    k
        The index of the diagonal: 0 is the main one, positive ones lie above it.

    Returns
    -------
    (n + |k|, n + |k|) for a vector, (..., length of the diagonal) for a matrix
        The matrix, or the diagonal.

    Raises
    ------
    SizeError
        If ``x`` has no axis.
    OptionError
        If ``k`` is not an integer.

    Examples
    --------
    >>> diag(np.array([1.0, 2.0])).tolist()
    [[1.0, 0.0], [0.0, 2.0]]
    """
    x, offset = operand(x, "diag"), diagonal_index(k, "diag")
    if x.ndim != 1:
        return diagonal(x, offset)
    n = x.size + abs(offset)  # the smallest square with such a diagonal
    flat = index_rows.scatter(x, key=(_span((n, n), offset),), shape=(n * n,))
    return primitives.reshape(flat, shape=(n, n))
