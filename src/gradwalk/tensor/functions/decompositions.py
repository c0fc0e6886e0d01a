"""Decompositions of matrices: cholesky, qr, singular values, eigenvalues of symmetric matrices."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ...core.expect import describe
from ...engine.node import recording
from ...errors import OptionError, SizeError
from ...levels.vmap import varies
from ...ops.array import linalg as primitives
from ...ops.array.product import matmul as product
from ...ops.array.product import mT
from ..graph.tensor import Tensor
from .arguments import operand
from .types import ArrayLike, unary_function

__all__ = ["cholesky", "eigh", "eigvalsh", "qr", "svd", "svdvals"]


def matrix_of(x: object, name: str, square: bool = False) -> Tensor:
    """Return ``x`` as an operand. Raise `SizeError` unless it is a matrix or a stack of them."""
    x = operand(x, f"linalg.{name}")
    if x.ndim >= 2 and not (square and x.shape[-1] != x.shape[-2]):
        return x
    raise SizeError(
        where=f"linalg.{name}(x)",
        expected="square matrices, shape (..., n, n)" if square else "matrices, shape (..., n, m)",
        got=f"shape {x.shape}",
        fix="Use linalg.lstsq or linalg.pinv, which take matrices of any shape."
        if x.ndim > 1
        else "Write x[:, None] for a column.",
    )


def numbers_of(x: object) -> Any:
    """Return the plain array of ``x``. Raise an error for a batch, whose elements are not known."""
    return x if varies(x) else getattr(x, "_data", x)


def like(array: object, x: object) -> Any:
    """Return a Tensor of ``array`` if ``x`` is a Tensor, else ``array``."""
    return x._of(array) if hasattr(x, "_of") and not varies(array) else array


@unary_function
def cholesky(x: ArrayLike, upper: bool = False) -> Tensor:
    """Return the triangular factor of positive definite matrices.

        y yᵀ = x,  x̄ = (s + sᵀ) / 2,  s = y⁻ᵀ Φ(yᵀ ȳ) y⁻¹,  Φ: lower triangle, half of the diagonal

    The gradient is symmetric, as if x stood for (x + xᵀ) / 2.

    Parameters
    ----------
    x : (..., n, n)
        The matrices. Only the triangle on the side of the result is read.
    upper
        Whether the upper factor yᵀ is returned.

    Returns
    -------
    (..., n, n)
        The factors.

    Raises
    ------
    SizeError
        If the matrices are not square.
    DataError
        If a matrix is not positive definite.

    See Also
    --------
    cholesky_solve

    References
    ----------
    Murray, Differentiation of the Cholesky decomposition (2016).

    Examples
    --------
    >>> cholesky([[4.0, 2.0], [2.0, 5.0]]).tolist()
    [[2.0, 0.0], [1.0, 2.0]]
    """
    x = matrix_of(x, "cholesky", square=True)
    # the primitive reads the lower triangle, which is the upper one of xᵀ
    return mT(primitives.cholesky(mT(x))) if upper else primitives.cholesky(x)


class QRResult(NamedTuple):
    """The result of `qr`."""

    Q: Tensor
    R: Tensor


def qr(x: ArrayLike, mode: str = "reduced") -> QRResult:
    """Return orthonormal columns Q and an upper triangular R with Q R = x.

    For a gradient the first k columns of x must be independent.

    Parameters
    ----------
    x : (..., n, m)
        The matrices.
    mode
        "reduced" for k = min(n, m) columns in Q, "complete" for all n. For n > m the additional
        columns are not determined.

    Returns
    -------
    (..., n, k) and (..., k, m)
        A named tuple of ``Q`` and ``R``; with "complete", k = n.

    Raises
    ------
    SizeError
        If ``x`` has fewer than two axes.
    OptionError
        If ``mode`` is neither of the two, or a gradient would flow through columns that are not
        determined.

    References
    ----------
    Walter and Lehmann, Algorithmic differentiation of linear algebra functions (2018).

    Examples
    --------
    >>> q, r = qr([[3.0, 1.0], [4.0, 2.0]])
    >>> (q @ r).data.round(12).tolist()
    [[3.0, 1.0], [4.0, 2.0]]
    """
    x = matrix_of(x, "qr")
    n, m = x.shape[-2:]
    if mode == "complete" and n > m:
        return QRResult(*_undetermined(x, "qr", 'mode="reduced"', np.linalg.qr, mode="complete"))
    if mode not in ("reduced", "complete"):
        raise OptionError(
            where="linalg.qr(mode=...)",
            expected="'reduced' or 'complete'",
            got=describe(mode),
            fix="Write linalg.qr(x).R for the triangle alone.",
        )
    if n >= m:
        return QRResult(*primitives.qr(x))
    q, _ = primitives.qr(x[..., :, :n])  # only the first n columns determine Q
    # below the diagonal the product has rounding errors, and R is exactly 0
    upper = np.tri(m, n, dtype=x.dtype if x.dtype.kind == "f" else float).T
    return QRResult(q, product(mT(q), x) * upper)


def _undetermined(x: Any, name: str, fix: str, f: Any, **options: Any) -> list[Any]:
    """Return a decomposition without gradient: some of its columns are not determined."""
    if getattr(x, "requires_grad", False) and not recording.paused:
        raise OptionError(
            where=f"linalg.{name}",
            expected=f"{fix} where gradients flow",
            got=f"shape {x.shape}, for which further columns are not determined by x",
            fix=f"Write linalg.{name}(x, {fix}).",
        )
    found = primitives.lapack(f, name)(numbers_of(x), **options)
    return [like(y, x) for y in found]


class SVDResult(NamedTuple):
    """The result of `svd`."""

    U: Tensor
    S: Tensor
    Vh: Tensor


def svd(x: ArrayLike, full_matrices: bool = True) -> SVDResult:
    """Return the singular value decomposition U diag(S) Vh = x.

    The signs of pairs of vectors are arbitrary. Where singular values are equal, gradients of
    vectors and second derivatives are inf or NaN; first gradients of the values alone are correct.

    Parameters
    ----------
    x : (..., n, m)
        The matrices.
    full_matrices
        Whether U and Vh are square. Unless x is square, too, their additional vectors are not
        determined.

    Returns
    -------
    (..., n, k), (..., k) and (..., k, m)
        A named tuple of ``U``, the singular values ``S``, descending, and ``Vh``; k = min(n, m),
        except that U and Vh are square with ``full_matrices``.

    Raises
    ------
    SizeError
        If ``x`` has fewer than two axes.
    OptionError
        If a gradient would flow through vectors that are not determined.
    DataError
        If an element is not finite.

    See Also
    --------
    svdvals

    References
    ----------
    Townsend, Differentiating the singular value decomposition (2016).

    Examples
    --------
    >>> svd([[3.0, 0.0], [0.0, 4.0]]).S.tolist()
    [4.0, 3.0]
    """
    x = matrix_of(x, "svd")
    if full_matrices and x.shape[-1] != x.shape[-2]:
        return SVDResult(*_undetermined(x, "svd", "full_matrices=False", np.linalg.svd))
    return SVDResult(*primitives.svd(x))


@unary_function
def svdvals(x: ArrayLike) -> Tensor:
    """Return the singular values of matrices.

        x̄ = U diag(ȳ) Vᵀ

    Parameters
    ----------
    x : (..., n, m)
        The matrices.

    Returns
    -------
    (..., min(n, m))
        The singular values, descending.

    Raises
    ------
    SizeError
        If ``x`` has fewer than two axes.
    DataError
        If an element is not finite.

    See Also
    --------
    svd

    Examples
    --------
    >>> svdvals([[3.0, 0.0], [0.0, 4.0]]).tolist()
    [4.0, 3.0]
    """
    return primitives.svdvals(matrix_of(x, "svdvals"))


class EighResult(NamedTuple):
    """The result of `eigh`."""

    eigenvalues: Tensor
    eigenvectors: Tensor


def eigh(x: ArrayLike, UPLO: str = "L") -> EighResult:  # noqa: N803  (NumPy's name)
    """Return the eigenvalues and eigenvectors of symmetric matrices.

        x̄ = V (diag(w̄) + F ∘ (Vᵀ V̄)) Vᵀ made symmetric,  Fᵢⱼ = 1 / (wⱼ - wᵢ)

    The gradient is symmetric, as if x stood for (x + xᵀ) / 2. The sign of a vector is arbitrary.
    Where eigenvalues are equal, gradients of vectors and second derivatives are inf or NaN; first
    gradients of the values alone are correct.

    Parameters
    ----------
    x : (..., n, n)
        The matrices.
    UPLO
        The triangle that is read: "L" for the lower one, "U" for the upper one.

    Returns
    -------
    (..., n) and (..., n, n)
        A named tuple of ``eigenvalues``, ascending, and ``eigenvectors``, the columns of a matrix.

    Raises
    ------
    SizeError
        If the matrices are not square.
    OptionError
        If ``UPLO`` is neither "L" nor "U".

    See Also
    --------
    eigvalsh

    References
    ----------
    Giles, An extended collection of matrix derivative results for forward and reverse mode
    algorithmic differentiation (2008).

    Examples
    --------
    >>> eigh([[2.0, 0.0], [0.0, 1.0]]).eigenvalues.tolist()
    [1.0, 2.0]
    """
    return EighResult(*primitives.eigh(_one_triangle(x, "eigh", UPLO)))


@unary_function
def eigvalsh(x: ArrayLike, UPLO: str = "L") -> Tensor:  # noqa: N803  (NumPy's name)
    """Return the eigenvalues of symmetric matrices.

        x̄ = V diag(ȳ) Vᵀ

    The gradient is symmetric, as if x stood for (x + xᵀ) / 2.

    Parameters
    ----------
    x : (..., n, n)
        The matrices.
    UPLO
        The triangle that is read: "L" for the lower one, "U" for the upper one.

    Returns
    -------
    (..., n)
        The eigenvalues, ascending.

    Raises
    ------
    SizeError
        If the matrices are not square.
    OptionError
        If ``UPLO`` is neither "L" nor "U".

    See Also
    --------
    eigh

    Examples
    --------
    >>> eigvalsh([[2.0, 0.0], [0.0, 1.0]]).tolist()
    [1.0, 2.0]
    """
    return primitives.eigvalsh(_one_triangle(x, "eigvalsh", UPLO))


def _one_triangle(x: object, name: str, triangle: str) -> Tensor:
    x = matrix_of(x, name, square=True)
    if triangle not in ("L", "U"):
        raise OptionError(
            where=f"linalg.{name}(UPLO=...)",
            expected="'L' or 'U'",
            got=describe(triangle),
            fix="Write UPLO='L' to read the lower triangle, UPLO='U' to read the upper one.",
        )
    return x if triangle == "L" else mT(x)  # the primitive reads the lower one
