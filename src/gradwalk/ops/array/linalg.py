"""THE TABLE of arrays, part 5: linear algebra on the last two axes, in stacks of any shape.

Sources: M. Giles, Collected matrix derivative results for forward and reverse mode (2008), for
inv, solve, det and eigh; I. Murray, Differentiation of the Cholesky decomposition (2016);
J. Townsend, Differentiating the singular value decomposition (2016); S. Walter and L. Lehmann,
Algorithmic differentiation of linear algebra functions (2018), for qr; G. Golub and V. Pereyra,
The differentiation of pseudo-inverses (1973), for pinv.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from typing import Any, Final

import numpy as np
from numpy.linalg import LinAlgError

from ...core.array_primitive import ArrayPrimitive, general
from ...core.carrier import Carrier
from ...core.numeric import Array, NumericArray
from ...errors import DataError, NotANumberError
from ..arithmetic import sign
from .product import column, matmul, mT, row
from .reduction import sum
from .scan import others

# --- forward: LAPACK, through NumPy ---------------------------------------------------------------


def lapack(f: Callable[..., Any], name: str) -> Callable[..., Any]:
    """``f`` of `numpy.linalg`, with float16 computed in float32 and with errors of our own."""

    def run(*args: Any, **options: Any) -> Any:
        dtype = np.result_type(*args)
        if dtype == np.float16:
            args = tuple(np.asarray(a, np.float32) for a in args)
        try:
            found = f(*args, **options)
        except LinAlgError as error:
            raise _explained(name, args[0], error) from error
        many = isinstance(found, tuple)
        results = tuple([_narrow(y, dtype) for y in (found if many else (found,))])
        return results if many else results[0]

    return run


def _narrow(y: Any, dtype: Any) -> Any:
    y = y if isinstance(y, Carrier) else np.asarray(y)  # NumPy returns numbers for one matrix
    return y.astype(dtype) if dtype == np.float16 else y


def _explained(name: str, a: Array, error: LinAlgError) -> DataError:
    """Describe why LAPACK refused a matrix."""
    if not np.isfinite(a).all():
        expected, got, fix = "finite numbers", "NaN or infinite ones", "Look where they come from."
    elif name == "cholesky":
        least = np.linalg.eigvalsh(a).min().item()
        expected, got = "positive definite matrices", f"one with the eigenvalue {least:.3g}"
        fix = "Add a multiple of the identity: a + eps * eye(n)."
    else:
        ranks = np.linalg.matrix_rank(a)
        least, shape = ranks.min().item(), a.shape[-2:]
        expected, got = "invertible matrices", f"one of rank {least}, shape {shape}"
        fix = "linalg.pinv and linalg.lstsq take any matrix."
    return DataError(where=f"linalg.{name}", expected=expected, got=f"{got} ({error})", fix=fix)


# --- parts of matrices ----------------------------------------------------------------------------


def _lower(x: NumericArray, diagonal: float) -> NumericArray:
    """Return the lower triangle, with the diagonal times a number."""
    n = x.shape[-1]
    return x * np.tri(n, k=-1, dtype=x.dtype) + x * (diagonal * np.eye(n, dtype=x.dtype))


def _symmetric(x: NumericArray) -> NumericArray:
    return (x + mT(x)) / 2.0


def _skew(x: NumericArray) -> NumericArray:
    return x - mT(x)


def _vectorless(t: NumericArray) -> bool:
    """Return whether nothing depends on the vectors: then gaps between the values do not matter."""
    return isinstance(t, np.ndarray) and not t.any()


# --- inverse and determinant ----------------------------------------------------------------------


def _inverse_share(t: NumericArray, y: NumericArray) -> NumericArray:
    return -matmul(matmul(mT(y), t), mT(y))


def _log_share(t: NumericArray, x: NumericArray) -> NumericArray:
    return column(column(t)) * mT(inv(x))


def _others(x: NumericArray) -> NumericArray:
    """For each number the product of all others."""
    return others(x, (x.ndim - 1,)) if x.shape[-1] else x


def _pairs(x: NumericArray) -> NumericArray:
    """For each two numbers the product of all others; 0 on the diagonal."""
    eye = np.eye(x.shape[-1], dtype=x.dtype)
    return _others(row(x) * (1.0 - eye) + eye) * (1.0 - eye)


def _cofactor(x: Array) -> Any:
    """By the inverse where that loses no more than a quarter of the digits; else without it."""
    if _by_inverse(_numbers_in(x)):
        return np.linalg.det(x)[..., None, None] * np.linalg.inv(x).mT
    return _cofactor_of_any(x)


def _by_inverse(x: Array | None) -> bool:
    """Return whether plain matrices are so well conditioned that their inverses are accurate."""
    if x is None:
        return False
    with suppress(LinAlgError):
        inverse, scale = np.linalg.inv(x), np.linalg.det(x)
        lengths = np.linalg.matrix_norm(x) * np.linalg.matrix_norm(inverse)
        facts = np.finfo(inverse.dtype)
        return bool((lengths < facts.eps**-0.25).all() and (abs(scale) > facts.tiny).all())
    return False


def _cofactor_of_any(x: Array) -> Any:
    u, s, vh = np.linalg.svd(x)
    turns = np.linalg.det(u) * np.linalg.det(vh)
    return (np.rint(turns)[..., None, None] * u * _others(s)[..., None, :]) @ vh


def _second_of_det(t: NumericArray, x: NumericArray) -> NumericArray:
    """Return the second derivative of det applied to ``t``, by the inverse where that is accurate.

        det x (tr(x⁻¹ t) x⁻ᵀ - x⁻ᵀ tᵀ x⁻ᵀ)

    Equal singular values do not matter to it, be it differentiated again.
    """
    if not _by_inverse(_numbers_in(x)):
        return _second_of_any_det(t, x)
    inverse = inv(x)
    turned = mT(inverse)
    trace = sum(turned * t, axis=(x.ndim - 2, x.ndim - 1), keepdims=True)
    return column(column(det(x))) * (trace * turned - matmul(matmul(turned, mT(t)), turned))


def _numbers_in(x: NumericArray) -> Any:
    """Return the plain array; ``None`` where it may not be asked, as each example has its own."""
    try:
        raw = getattr(x, "_data", x)
        return raw if getattr(raw, "known", True) else None
    except NotANumberError:
        return None


def _second_of_any_det(t: NumericArray, x: NumericArray) -> NumericArray:
    """Return the same for any x; for a diagonal one it has two terms."""
    u, s, vh = svd(x)
    eye = np.eye(x.shape[-1], dtype=x.dtype)
    inner = matmul(matmul(mT(u), t), mT(vh))
    pairs = _pairs(s)
    sums = matmul(pairs, matmul(inner * eye, np.ones((x.shape[-1], 1), x.dtype)))
    turns = column(column(sign(det(u)) * sign(det(vh))))
    return turns * matmul(matmul(u, sums * eye - pairs * mT(inner)), vh)


# --- decompositions -------------------------------------------------------------------------------


def _cholesky_share(t: NumericArray, y: NumericArray) -> NumericArray:
    inner = solve(mT(y), _lower(matmul(mT(y), t), 0.5))
    return _symmetric(solve(mT(y), mT(inner)))


def _qr_share(t: NumericArray, y: NumericArray) -> NumericArray:
    q, r = y
    inner = matmul(r, mT(t[1])) - matmul(mT(t[0]), q)
    copied = _lower(inner, 1.0) + mT(_lower(inner, 0.0))
    return mT(solve(r, mT(t[0] + matmul(q, copied))))


def _from_values(t: NumericArray, left: NumericArray, right: NumericArray) -> NumericArray:
    return matmul(left * row(t), right)


def _eigh_share(t: NumericArray, y: NumericArray) -> NumericArray:
    w, v = y
    values = _from_values(t[0], v, mT(v))
    if _vectorless(t[1]):
        return values
    eye = np.eye(w.shape[-1], dtype=w.dtype)
    turning = _skew(matmul(mT(v), t[1])) / (2.0 * (row(w) - column(w) + eye))
    return values + matmul(matmul(v, turning), mT(v))


def _svd_share(t: NumericArray, y: NumericArray) -> NumericArray:
    u, s, vh = y
    contribution = _from_values(t[1], u, vh)
    if _vectorless(t[0]) and _vectorless(t[2]):
        return contribution
    eye = np.eye(s.shape[-1], dtype=s.dtype)
    gaps = (row(s) - column(s)) * (row(s) + column(s)) + eye
    left = _skew(matmul(mT(u), t[0]))
    right = _skew(matmul(vh, mT(t[2])))
    contribution = contribution + matmul(matmul(u, (left * row(s) + column(s) * right) / gaps), vh)
    if u.shape[-2] > s.shape[-1]:
        contribution = contribution + matmul(_outside(t[0], u) / row(s), vh)
    if vh.shape[-1] > s.shape[-1]:
        contribution = contribution + matmul(u, mT(_outside(mT(t[2]), mT(vh))) / column(s))
    return contribution


def _outside(t: NumericArray, basis: NumericArray) -> NumericArray:
    """Return the component of ``t`` that is orthogonal to the columns of ``basis``."""
    return t - matmul(basis, matmul(mT(basis), t))


def _values_share(t: NumericArray, x: NumericArray) -> NumericArray:
    u, _, vh = svd(x)
    return _from_values(t, u, vh)


def _pinv_share(t: NumericArray, y: NumericArray, x: NumericArray) -> NumericArray:
    turned = mT(t)
    down = matmul(matmul(turned, y), mT(y))
    across = matmul(matmul(mT(y), y), turned)
    contribution = down - matmul(x, matmul(y, down)) + across - matmul(matmul(across, y), x)
    return contribution - matmul(matmul(mT(y), t), mT(y))


# fmt: off
inv: Final = general("inv", lambda t, y, x: _inverse_share(t, y),
    forward=lapack(np.linalg.inv, "inv"), tex=r"x^{-1}", summary="Inverse of a matrix")
solve: ArrayPrimitive = general("solve", lambda t, y, a, b: -matmul(solve(mT(a), t), mT(y)),
    lambda t, y, a, b: solve(mT(a), t), forward=lapack(np.linalg.solve, "solve"), tex=r"a^{-1} b",
    summary="The x with a x = b, for the columns of b")
det: Final = general("det", lambda t, y, x: column(column(t)) * cofactor(x),
    forward=lapack(np.linalg.det, "det"), tex=r"\det x",
    summary="Determinant; its derivative is right for singular matrices too")
cofactor: ArrayPrimitive = general("cofactor", lambda t, y, x: _second_of_det(t, x),
    forward=lapack(_cofactor, "det"), tex=r"\operatorname{cof} x",
    summary="Matrix of cofactors, the derivative of det")
slogdet: Final = general("slogdet", lambda t, y, x: _log_share(t[1], x), outputs=2,
    forward=lapack(np.linalg.slogdet, "slogdet"), tex=r"\ln |\det x|",
    summary="Sign of the determinant, and logarithm of its absolute value")
cholesky: Final = general("cholesky", lambda t, y, x: _cholesky_share(t, y),
    forward=lapack(np.linalg.cholesky, "cholesky"), tex=r"\operatorname{chol} x",
    summary="The lower triangular L with L L^T = x; reads the lower triangle",
    kinks="the gradient is symmetric, as if x were (x + x^T) / 2")
qr: Final = general("qr", lambda t, y, x: _qr_share(t, y), outputs=2,
    forward=lapack(np.linalg.qr, "qr"), tex=r"x = Q R",
    summary="Orthonormal columns times an upper triangle; x is not wide")
eigh: Final = general("eigh", lambda t, y, x: _symmetric(_eigh_share(t, y)), outputs=2,
    forward=lapack(np.linalg.eigh, "eigh"), tex=r"x = V \Lambda V^{T}",
    summary="Eigenvalues, ascending, and eigenvectors; reads the lower triangle",
    kinks="the gradient is symmetric; equal eigenvalues: inf or NaN for vectors")
eigvalsh: Final = general("eigvalsh", lambda t, y, x: _of_eigenvalues(t, x),
    forward=lapack(np.linalg.eigvalsh, "eigvalsh"), tex=r"\lambda(x)",
    summary="Eigenvalues, ascending; reads the lower triangle",
    kinks="the gradient is symmetric; equal eigenvalues: of the vectors found")
svd: Final = general("svd", lambda t, y, x: _svd_share(t, y), outputs=3,
    forward=lapack(lambda x: np.linalg.svd(x, full_matrices=False), "svd"),
    tex=r"x = U \Sigma V^{T}",
    summary="Left singular vectors, singular values (descending), right ones",
    kinks="equal singular values: inf or NaN for vectors")
svdvals: Final = general("svdvals", lambda t, y, x: _values_share(t, x),
    forward=lapack(np.linalg.svdvals, "svdvals"), tex=r"\sigma(x)",
    summary="Singular values, descending",
    kinks="equal values and 0: the slope for the vectors found")
pinv: Final = general("pinv", lambda t, y, x, rtol: _pinv_share(t, y, x),
    forward=lapack(lambda x, rtol: np.linalg.pinv(x, rtol=rtol), "pinv"),
    tex=r"x^{+}", summary="Pseudo-inverse; its derivative is at constant rank")


def _of_eigenvalues(t: NumericArray, x: NumericArray) -> NumericArray:
    _, v = eigh(x)
    return _from_values(t, v, mT(v))
