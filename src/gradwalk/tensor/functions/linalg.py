"""Linear algebra: ``gradwalk.linalg``, on matrices and on stacks of them.

Every function takes shapes (..., n, m) and treats each matrix of the stack alone. float32 stays
float32, float16 is computed in float32, integers count as float64. What a matrix must be
(invertible, positive definite) and is not, is a `DataError` that says so.
"""

from __future__ import annotations

import operator
from typing import Any, NamedTuple

import numpy as np

from ...core.expect import describe, index_of
from ...core.rooms import as_room
from ...errors import OptionError, SizeError
from ...ops.array import linalg as primitives
from ...ops.array.product import column, row
from ...ops.array.product import matmul as product
from ...ops.array.structure import reshape
from ..graph.tensor import Tensor
from ..graph.types import DTypeLike
from . import diagonals, products
from .arguments import operand
from .creation import plain
from .decompositions import (
    cholesky,
    eigh,
    eigvalsh,
    like,
    matrix_of,
    numbers_of,
    qr,
    svd,
    svdvals,
)
from .norms import matrix_norm, norm, vector_norm
from .products import cross, matmul, tensordot, vecdot
from .shapes import matrix_transpose
from .triangles import cholesky_solve, cond, expm, lu, solve_triangular
from .types import ArrayLike, Operand, binary_function, unary_function

__all__ = ["cholesky", "cholesky_solve", "cond", "cross", "det", "diagonal", "eigh"]
__all__ += ["eigvalsh", "expm", "inv", "lu", "solve_triangular"]
__all__ += ["lstsq", "matmul", "matrix_norm", "matrix_power", "matrix_rank", "matrix_transpose"]
__all__ += ["norm"]
__all__ += ["outer", "pinv", "qr", "slogdet", "solve", "svd", "svdvals"]
__all__ += ["tensordot", "trace", "vecdot", "vector_norm"]
METHODS: tuple[str, ...] = ()


# --- equations ------------------------------------------------------------------------------------


@binary_function
def solve(a: ArrayLike, b: ArrayLike) -> Tensor:
    """Return the solution x of a x = b.

        b̄ = a⁻ᵀ x̄,  ā = -b̄ xᵀ

    Parameters
    ----------
    a : (..., n, n)
        The matrices.
    b : (n,) or (..., n, k)
        The right-hand side: a vector if it has one axis, else k columns.

    Returns
    -------
    (..., n) for a vector, else (..., n, k)
        The solutions.

    Raises
    ------
    SizeError
        If the matrices are not square, or ``b`` has another number of rows.
    DataError
        If a matrix is singular.

    See Also
    --------
    inv, lstsq, solve_triangular

    References
    ----------
    Giles, An extended collection of matrix derivative results for forward and reverse mode
    algorithmic differentiation (2008).

    Examples
    --------
    >>> from gradwalk import Tensor
    >>> a, b = Tensor([[2.0, 0.0], [0.0, 4.0]]), Tensor([2.0, 8.0], requires_grad=True)
    >>> x = solve(a, b)
    >>> x.sum().backward()
    >>> x.tolist(), b.grad.tolist()
    ([1.0, 2.0], [0.5, 0.25])
    """
    a, b = matrix_of(a, "solve", square=True), operand(b, "linalg.solve")
    if b.ndim == 0 or b.shape[-2:][0] != a.shape[-1]:
        raise _sides("solve", a, b)
    if b.ndim > 1:  # NumPy 2's rule: only b of one axis is a vector
        return primitives.solve(a, b)
    x = primitives.solve(a, column(b))
    return reshape(x, shape=x.shape[:-1])


def _sides(name: str, a: Any, b: Operand) -> SizeError:
    return SizeError(
        where=f"linalg.{name}(a, b)",
        expected="as many rows in b as in a",
        got=f"shapes {a.shape} and {b.shape}",
        fix="Pass b[..., None] for a stack of vectors; its solutions are x[..., 0].",
    )


@unary_function
def inv(x: ArrayLike) -> Tensor:
    """Invert square matrices.

        x̄ = -yᵀ ȳ yᵀ

    To solve a x = b use `solve`.

    Parameters
    ----------
    x : (..., n, n)
        The matrices.

    Returns
    -------
    (..., n, n)
        Their inverses.

    Raises
    ------
    SizeError
        If the matrices are not square.
    DataError
        If a matrix is singular.

    See Also
    --------
    solve, pinv

    References
    ----------
    Giles, An extended collection of matrix derivative results for forward and reverse mode
    algorithmic differentiation (2008).

    Examples
    --------
    >>> inv([[2.0, 0.0], [0.0, 4.0]]).tolist()
    [[0.5, 0.0], [0.0, 0.25]]
    """
    return primitives.inv(matrix_of(x, "inv", square=True))


class LstsqResult(NamedTuple):
    """The result of `lstsq`."""

    solution: Tensor
    residuals: Tensor
    rank: Tensor
    singular_values: Tensor


def lstsq(a: ArrayLike, b: ArrayLike, rtol: float | ArrayLike | None = None) -> LstsqResult:
    """Return the shortest x that minimises the sum of squares of a x - b.

        x = a⁺ b

    Parameters
    ----------
    a : (..., n, m)
        The matrices.
    b : (n,) or (..., n, k)
        The right-hand side: a vector if it has one axis, else k columns.
    rtol : () or (...,)
        Singular values below ``rtol`` times the largest count as 0; ``None`` is max(n, m) times the
        rounding unit of the dtype.

    Returns
    -------
    (..., m, k), (..., k), (...,), (..., min(n, m))
        A named tuple of the ``solution``, the ``residuals`` (sums of squares for each column), the
        ``rank`` (without a derivative) and the ``singular_values``. For a vector ``b`` the axis k
        is missing.

    Raises
    ------
    SizeError
        If ``a`` has fewer than two axes, or ``b`` has another number of rows.
    DataError
        If an element of ``a`` is not finite.

    See Also
    --------
    solve, pinv

    Examples
    --------
    >>> (lstsq([[1.0, 0.0], [1.0, 1.0], [1.0, 2.0]], [1.0, 3.0, 5.0]).solution * 8).round().tolist()
    [8.0, 16.0]
    """
    a, b = matrix_of(a, "lstsq"), operand(b, "linalg.lstsq")
    if b.ndim == 0 or b.shape[-2:][0] != a.shape[-2]:
        raise _sides("lstsq", a, b)
    sides = b if b.ndim > 1 else column(b)
    # by the pseudoinverse, whose derivative exists for any rank that stays constant
    x = product(pinv(a, rtol), sides)
    left = product(a, x) - sides
    residuals = (left * left).sum(axis=-2)
    if b.ndim == 1:
        x, residuals = (reshape(y, shape=y.shape[:-1]) for y in (x, residuals))
    s = primitives.svdvals(a)
    return LstsqResult(x, residuals, like(_rank(numbers_of(s), _tolerance(a, rtol)), a), s)


@unary_function
def pinv(x: ArrayLike, rtol: float | ArrayLike | None = None) -> Tensor:
    """Return the Moore-Penrose inverse, with the derivative at constant rank.

        y = V Σ⁺ Uᵀ

    Parameters
    ----------
    x : (..., n, m)
        The matrices.
    rtol : () or (...,)
        Singular values below ``rtol`` times the largest count as 0; ``None`` is max(n, m) times the
        rounding unit of the dtype. An array has a number for each matrix.

    Returns
    -------
    (..., m, n)
        The inverses.

    Raises
    ------
    SizeError
        If ``x`` has fewer than two axes.
    DataError
        If an element is not finite.

    References
    ----------
    Golub and Pereyra, The differentiation of pseudo-inverses and nonlinear least squares problems
    whose variables separate (1973).

    Examples
    --------
    >>> pinv([[2.0], [0.0]]).tolist()
    [[0.5, 0.0]]
    """
    x = matrix_of(x, "pinv")
    return primitives.pinv(x, rtol=_tolerance(x, rtol))


def _tolerance(x: Tensor, rtol: Any) -> Any:
    if rtol is not None:
        return plain(rtol, "linalg: rtol").astype(np.float64)
    dtype = x.dtype if x.dtype.kind == "f" else np.dtype(np.float64)
    return np.asarray(max(x.shape[-2:]) * np.finfo(dtype).eps)  # as numpy.linalg.matrix_rank


@unary_function
def matrix_rank(x: ArrayLike, rtol: float | ArrayLike | None = None) -> Tensor:
    """Return the rank of matrices: the number of singular values that do not count as 0.

    It has no derivative.

    Parameters
    ----------
    x : (..., n, m)
        The matrices.
    rtol : () or (...,)
        Singular values below ``rtol`` times the largest count as 0; ``None`` is max(n, m) times the
        rounding unit of the dtype.

    Returns
    -------
    (...,)
        The ranks.

    Raises
    ------
    SizeError
        If ``x`` has fewer than two axes.
    DataError
        If an element is not finite.

    Examples
    --------
    >>> matrix_rank([[1.0, 2.0], [2.0, 4.0]]).item()
    1
    """
    x = matrix_of(x, "matrix_rank")
    return like(_rank(primitives.svdvals(numbers_of(x)), _tolerance(x, rtol)), x)


def _rank(s: Tensor, rtol: Any) -> Tensor:
    return np.sum(s > rtol[..., None] * s[..., :1], axis=-1)  # singular values are descending


# --- determinants and powers ----------------------------------------------------------------------


@unary_function
def det(x: ArrayLike) -> Tensor:
    """Return the determinant of square matrices.

        x̄ = ȳ cof(x)

    The matrix of cofactors is computed from singular values. The gradient is therefore correct for
    singular matrices, too, in every order.

    Parameters
    ----------
    x : (..., n, n)
        The matrices.

    Returns
    -------
    (...,)
        The determinants.

    Raises
    ------
    SizeError
        If the matrices are not square.

    See Also
    --------
    slogdet

    References
    ----------
    Giles, An extended collection of matrix derivative results for forward and reverse mode
    algorithmic differentiation (2008).

    Examples
    --------
    >>> from gradwalk import Tensor
    >>> x = Tensor([[1.0, 2.0], [2.0, 4.0]], requires_grad=True)
    >>> y = det(x)
    >>> y.backward()
    >>> x.grad.round(12).tolist()
    [[4.0, -2.0], [-2.0, 1.0]]
    """
    return primitives.det(matrix_of(x, "det", square=True))


class SlogdetResult(NamedTuple):
    """The result of `slogdet`."""

    sign: Tensor
    logabsdet: Tensor


def slogdet(x: ArrayLike) -> SlogdetResult:
    """Return the sign of the determinant, and the logarithm of its absolute value.

        x̄ = ȳ x⁻ᵀ

    Parameters
    ----------
    x : (..., n, n)
        The matrices.

    Returns
    -------
    (...,) and (...,)
        A named tuple of ``sign`` (-1, 0 or 1, without a derivative) and ``logabsdet`` (-inf for a
        singular matrix).

    Raises
    ------
    SizeError
        If the matrices are not square.
    DataError
        If a gradient is computed and a matrix is singular.

    See Also
    --------
    det

    Examples
    --------
    >>> slogdet([[2.0, 0.0], [0.0, -0.5]]).sign.item()
    -1.0
    """
    return SlogdetResult(*primitives.slogdet(matrix_of(x, "slogdet", square=True)))


@unary_function
def matrix_power(x: ArrayLike, n: int) -> Tensor:
    """Return integer powers of square matrices.

        y = xⁿ

    Parameters
    ----------
    x : (..., n, n)
        The matrices.
    n
        The exponent, an integer; negative ones are powers of the inverse, and 0 gives the identity.

    Returns
    -------
    (..., n, n)
        The powers.

    Raises
    ------
    SizeError
        If the matrices are not square.
    OptionError
        If ``n`` is not an integer.
    DataError
        If n < 0 and a matrix is singular.

    Examples
    --------
    >>> matrix_power([[1.0, 1.0], [0.0, 1.0]], 5).tolist()
    [[1.0, 5.0], [0.0, 1.0]]
    """
    x = matrix_of(x, "matrix_power", square=True)
    if index_of(n) is None:
        raise OptionError(
            where="linalg.matrix_power(x, n)",
            expected="an integer",
            got=describe(n),
            fix="Use w, v = linalg.eigh(x) for a symmetric x: (v * w[..., None, :] ** n) @ v.mT.",
        )
    left = operator.index(n)
    if left == 0:
        return like(np.broadcast_to(np.eye(x.shape[-1], dtype=x.dtype), x.shape).copy(), x)
    square = primitives.inv(x) if left < 0 else x
    left = abs(left)
    found: Any = None
    while left:  # by squaring: about log₂ n products instead of n
        if left % 2:
            found = square if found is None else product(found, square)
        left //= 2
        square = product(square, square) if left else square
    return found


# --- parts and products ---------------------------------------------------------------------------


@unary_function
def diagonal(x: ArrayLike, offset: int = 0) -> Tensor:
    """Return a diagonal of the matrices in the last two axes.

    Parameters
    ----------
    x : (..., n, m)
        The matrices.
    offset
        The index of the diagonal: 0 is the main one, positive ones lie above it.

    Returns
    -------
    (..., length of the diagonal)
        A view of ``x``.

    Raises
    ------
    SizeError
        If ``x`` has fewer than two axes.
    OptionError
        If ``offset`` is not an integer.

    Examples
    --------
    >>> diagonal([[1.0, 2.0], [3.0, 4.0]]).tolist()
    [1.0, 4.0]
    """
    return diagonals.diagonal(operand(x, "linalg.diagonal"), offset, -2, -1)


@unary_function
def trace(x: ArrayLike, offset: int = 0, dtype: DTypeLike | None = None) -> Tensor:
    """Sum a diagonal of the matrices in the last two axes.

        y = Σᵢ xᵢᵢ

    Parameters
    ----------
    x : (..., n, m)
        The matrices.
    offset
        The index of the diagonal: 0 is the main one, positive ones lie above it.
    dtype
        The dtype of the terms and of the result, as in `gradwalk.sum`.

    Returns
    -------
    (...,)
        The sums.

    Raises
    ------
    SizeError
        If ``x`` has fewer than two axes.
    OptionError
        If ``offset`` is not an integer.

    Examples
    --------
    >>> trace([[1.0, 2.0], [3.0, 4.0]]).item()
    5.0
    """
    return products.trace(operand(x, "linalg.trace"), offset, -2, -1, dtype)


@binary_function
def outer(a: ArrayLike, b: ArrayLike) -> Tensor:
    """Multiply every element of one vector by every element of another.

        yᵢⱼ = aᵢ bⱼ

    Parameters
    ----------
    a : (n,)
        The vector whose elements belong to the rows.
    b : (m,)
        The vector whose elements belong to the columns.

    Returns
    -------
    (n, m)
        The products.

    Raises
    ------
    SizeError
        If an argument does not have one axis.

    See Also
    --------
    gradwalk.outer

    Examples
    --------
    >>> outer([1.0, 2.0], [3.0, 4.0]).tolist()
    [[3.0, 4.0], [6.0, 8.0]]
    """
    a, b = operand(a, "linalg.outer"), operand(b, "linalg.outer")
    if a.ndim != 1 or b.ndim != 1:
        raise SizeError(
            where="linalg.outer(a, b)",
            expected="two vectors, of one axis each",
            got=f"shapes {a.shape} and {b.shape}",
            fix="Use gradwalk.outer for arrays of any shape, which are flattened.",
        )
    return column(a) * row(b)


as_room(__name__)
