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
    """Return the lower triangular y with y yᵀ = x, for a positive definite x (or the upper one).

        x̄ = (s + sᵀ) / 2,  s = y⁻ᵀ Φ(yᵀ ȳ) y⁻¹,  Φ: lower triangle, half of the diagonal
        (Murray 2016)

    Only the triangle on the side of the result is read; the gradient is symmetric, as if x stood
    for (x + xᵀ) / 2. `DataError` if x is not positive definite.

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
    """Return orthonormal columns Q and an upper triangular R with Q R = x (Walter and Lehmann
    2018).

    Shape (..., n, m) gives (..., n, k) and (..., k, m), k = min(n, m). The first k columns of x
    must be independent for a gradient. ``mode="complete"`` gives all n columns of Q: for n > m
    the additional ones are not determined, and gradients through them are an `OptionError`.

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
    """Return singular values S, descending, with U diag(S) Vh = x (Townsend 2016).

    Shape (..., n, m) gives (..., n, k), (..., k), (..., k, m) with k = min(n, m) for
    ``full_matrices=False``. Otherwise U and Vh are square: unless x is square too, their
    additional vectors are not determined, and gradients are an `OptionError`. The signs of
    pairs of vectors are arbitrary; where singular values are equal, gradients of vectors and
    second derivatives are inf or NaN, and first gradients of the values alone are right.

    >>> svd([[3.0, 0.0], [0.0, 4.0]]).S.tolist()
    [4.0, 3.0]
    """
    x = matrix_of(x, "svd")
    if full_matrices and x.shape[-1] != x.shape[-2]:
        return SVDResult(*_undetermined(x, "svd", "full_matrices=False", np.linalg.svd))
    return SVDResult(*primitives.svd(x))


@unary_function
def svdvals(x: ArrayLike) -> Tensor:
    """Return the singular values, descending.

        x̄ = U diag(ȳ) Vᵀ

    >>> svdvals([[3.0, 0.0], [0.0, 4.0]]).tolist()
    [4.0, 3.0]
    """
    return primitives.svdvals(matrix_of(x, "svdvals"))


class EighResult(NamedTuple):
    """The result of `eigh`."""

    eigenvalues: Tensor
    eigenvectors: Tensor


def eigh(x: ArrayLike, UPLO: str = "L") -> EighResult:  # noqa: N803  (NumPy's name)
    """Return eigenvalues of a symmetric matrix, ascending, and its eigenvectors as columns.

        x̄ = V (diag(w̄) + F ∘ (Vᵀ V̄)) Vᵀ made symmetric,  Fᵢⱼ = 1 / (wⱼ - wᵢ)  (Giles 2008)

    Only the lower triangle ("L") or the upper one ("U") is read; the gradient is symmetric, as if
    x stood for (x + xᵀ) / 2. The sign of a vector is arbitrary; where eigenvalues are equal,
    gradients of vectors and second derivatives are inf or NaN, and first gradients of the values
    alone are right.

    >>> eigh([[2.0, 0.0], [0.0, 1.0]]).eigenvalues.tolist()
    [1.0, 2.0]
    """
    return EighResult(*primitives.eigh(_one_triangle(x, "eigh", UPLO)))


@unary_function
def eigvalsh(x: ArrayLike, UPLO: str = "L") -> Tensor:  # noqa: N803  (NumPy's name)
    """Return eigenvalues of a symmetric matrix, ascending, by the conventions of `eigh`.

        x̄ = V diag(ȳ) Vᵀ

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
