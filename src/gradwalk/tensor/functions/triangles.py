"""Linear algebra with triangles, factors, and the exponential of a matrix."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ...core.expect import describe
from ...errors import OptionError, SizeError
from ...ops.array import linalg as equations
from ...ops.array import matrix_functions as primitives
from ...ops.array.product import column, mT
from ...ops.array.structure import reshape
from ..graph.tensor import Tensor
from .arguments import operand
from .decompositions import matrix_of, svdvals
from .diagonals import tril, triu
from .norms import norm
from .types import ArrayLike, binary_function, unary_function

__all__ = ["cholesky_solve", "cond", "expm", "lu", "solve_triangular"]


@binary_function
def solve_triangular(
    a: ArrayLike,
    b: ArrayLike,
    trans: int | str = 0,
    lower: bool = False,
    unit_diagonal: bool = False,
) -> Tensor:
    """Return the solution x of a x = b for triangular matrices.

        b̄ = a⁻ᵀ x̄,  ā = -b̄ xᵀ in that triangle

    Parameters
    ----------
    a : (..., n, n)
        The matrices, of which one triangle is read.
    b : (n,) or (..., n, k)
        The right-hand side: a vector if it has one axis, else k columns.
    trans
        0 or "N" solves a x = b; 1 or "T" solves aᵀ x = b.
    lower
        Whether the lower triangle is read, else the upper one.
    unit_diagonal
        Whether the diagonal counts as ones.

    Returns
    -------
    (..., n) for a vector, else (..., n, k)
        The solutions.

    Raises
    ------
    SizeError
        If the matrices are not square, or ``b`` has another number of rows.
    OptionError
        If ``trans`` is none of these.
    DataError
        If a number on the diagonal is 0.

    Examples
    --------
    >>> solve_triangular([[2.0, 1.0], [9.0, 4.0]], [4.0, 8.0]).tolist()
    [1.0, 2.0]
    """
    if trans not in (0, 1, 2, "N", "T", "C"):
        raise OptionError(
            where="linalg.solve_triangular(trans=...)",
            expected='0 or "N", 1 or "T"',
            got=describe(trans),
            fix="Leave it out to solve a x = b.",
        )
    m: Any = matrix_of(a, "solve_triangular", square=True)
    m = tril(m, -1 if unit_diagonal else 0) if lower else triu(m, 1 if unit_diagonal else 0)
    m = m + np.eye(m.shape[-1], dtype=m.dtype) if unit_diagonal else m
    return _solved("solve_triangular", mT(m) if trans not in (0, "N") else m, b)


def _solved(name: str, a: Tensor, b: object) -> Tensor:
    """Return the x with a x = b, for a vector or columns b."""
    b = operand(b, f"linalg.{name}")
    if b.ndim == 0 or b.shape[-2:][0] != a.shape[-1]:
        raise SizeError(
            where=f"linalg.{name}(a, b)",
            expected="as many rows in b as in a",
            got=f"shapes {a.shape} and {b.shape}",
            fix="Pass b[..., None] for a stack of vectors; its solutions are x[..., 0].",
        )
    if b.ndim > 1:
        return equations.solve(a, b)
    x = equations.solve(a, column(b))
    return reshape(x, shape=x.shape[:-1])


@binary_function
def cholesky_solve(b: ArrayLike, l: ArrayLike, upper: bool = False) -> Tensor:  # noqa: E741
    """Return the solution x of (l lᵀ) x = b, given the factor of `cholesky`.

    Parameters
    ----------
    b : (n,) or (..., n, k)
        The right-hand side: a vector if it has one axis, else k columns.
    l : (..., n, n)
        The triangular factor.
    upper
        Whether ``l`` is the upper factor: (lᵀ l) x = b.

    Returns
    -------
    (..., n) for a vector, else (..., n, k)
        The solutions.

    Raises
    ------
    SizeError
        If the matrices are not square, or ``b`` has another number of rows.
    DataError
        If a number on the diagonal is 0.

    Examples
    --------
    >>> cholesky_solve([4.0, 8.0], [[2.0, 0.0], [0.0, 2.0]]).tolist()
    [1.0, 2.0]
    """
    first = solve_triangular(l, b, trans=int(bool(upper)), lower=not upper)
    y: Any = solve_triangular(l, first, trans=int(not upper), lower=not upper)
    return y


class LUResult(NamedTuple):
    """The result of `lu`."""

    P: Tensor
    L: Tensor
    U: Tensor


def lu(x: ArrayLike) -> LUResult:
    """Return a permutation P, a unit lower triangle L and an upper triangle U with P L U = x.

    For a gradient the leading k by k part of Pᵀ x must be invertible.

    Parameters
    ----------
    x : (..., n, m)
        The matrices.

    Returns
    -------
    (..., n, n), (..., n, k) and (..., k, m)
        A named tuple of ``P`` (without a derivative), ``L`` and ``U``; k = min(n, m).

    Raises
    ------
    SizeError
        If ``x`` has fewer than two axes.

    Examples
    --------
    >>> p, l, u = lu([[1.0, 2.0], [4.0, 6.0]])
    >>> l.tolist(), u.tolist()
    ([[1.0, 0.0], [0.25, 1.0]], [[4.0, 6.0], [0.0, 0.5]])
    """
    return LUResult(*primitives.lu(matrix_of(x, "lu")))


@unary_function
def expm(x: ArrayLike) -> Tensor:
    """Return the exponential of square matrices.

        y = Σₖ xᵏ / k!

    Parameters
    ----------
    x : (..., n, n)
        The matrices.

    Returns
    -------
    (..., n, n)
        The exponentials.

    Raises
    ------
    SizeError
        If the matrices are not square.

    Examples
    --------
    >>> expm([[0.0, 1.0], [0.0, 0.0]]).data.round(12).tolist()
    [[1.0, 1.0], [0.0, 1.0]]
    """
    return primitives.expm(matrix_of(x, "expm", square=True))


@unary_function
def cond(x: ArrayLike, p: float | str | None = None) -> Tensor:
    """Return the condition number: by how much a matrix may magnify relative errors.

        y = |x| |x⁻¹|

    Parameters
    ----------
    x : (..., n, m)
        The matrices; square ones unless ``p`` is ``None``, 2 or -2.
    p
        The norm, as ``ord`` in `norm`. ``None`` and 2 give the largest singular value over the
        smallest, -2 the inverse of that.

    Returns
    -------
    (...,)
        The condition numbers.

    Raises
    ------
    SizeError
        If ``x`` has fewer than two axes, or is not square with another norm.
    OptionError
        If there is no such norm.
    DataError
        If an element is not finite, or a matrix is singular and ``p`` is another norm.

    Examples
    --------
    >>> cond([[4.0, 0.0], [0.0, 2.0]]).item()
    2.0
    """
    x = matrix_of(x, "cond", square=p not in (None, 2, -2))
    if p in (None, 2, -2):
        s: Any = svdvals(x)
        return s[..., -1] / s[..., 0] if p == -2 else s[..., 0] / s[..., -1]
    sizes: Any = [norm(m, ord=p, axis=(-2, -1)) for m in (x, equations.inv(x))]
    return sizes[0] * sizes[1]
