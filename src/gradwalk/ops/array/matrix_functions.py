"""THE TABLE of arrays: the exponential of a matrix, and its factors L and U.

Sources: N. Higham, The scaling and squaring method for the matrix exponential revisited (2005);
R. Mathias, A chain rule for matrix functions and applications (1996), for its derivative as a block
of the exponential of a larger matrix; F. de Hoog, R. Anderssen and M. Lukas, Differentiation of
matrix functionals using triangular factorization (2011), for L and U.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from ...core.array_primitive import ArrayPrimitive, general
from ...core.numeric import Array, NumericArray
from .linalg import lapack, solve
from .product import matmul, mT
from .structure import concat

PADE = (
    64764752532480000.0, 32382376266240000.0, 7771770303897600.0, 1187353796428800.0,
    129060195264000.0, 10559470521600.0, 670442572800.0, 33522128640.0, 1323241920.0, 40840800.0,
    960960.0, 16380.0, 182.0, 1.0,
)  # fmt: skip
THETA = 5.371920351148152
"""Up to this norm the approximant of order 13 has the accuracy of float64."""


SQUARINGS = 16
"""As many has a program that is traced, where norms are unknown: beyond 352,000 it gives NaN."""


# --- the exponential ------------------------------------------------------------------------------


def _expm(x: Array) -> Array:
    norm = np.abs(x).sum(axis=-2).max(axis=-1, initial=0.0)
    halvings = np.ceil(np.log2(np.maximum(np.where(np.isfinite(norm), norm, 0.0), THETA) / THETA))
    a = x.astype(np.float64) / 2.0 ** halvings[..., None, None]
    y = _pade(a)
    known = getattr(x, "known", True)
    for k in range(int(halvings.max(initial=0.0).item()) if known else SQUARINGS):
        y = np.where((k < halvings)[..., None, None], y @ y, y)
    y = y if known else np.where((halvings > SQUARINGS)[..., None, None], np.nan, y)
    return y.astype(x.dtype if x.dtype.kind == "f" else np.float64)


def _pade(a: Array) -> Array:
    """Return p(a) / p(-a), which is e^a for a norm up to `THETA`."""
    b, eye, a2 = PADE, np.eye(a.shape[-1]), a @ a
    a4 = a2 @ a2
    a6 = a2 @ a4
    u = a6 @ (b[13] * a6 + b[11] * a4 + b[9] * a2) + b[7] * a6 + b[5] * a4 + b[3] * a2 + b[1] * eye
    v = a6 @ (b[12] * a6 + b[10] * a4 + b[8] * a2) + b[6] * a6 + b[4] * a4 + b[2] * a2 + b[0] * eye
    u = a @ u
    return np.linalg.solve(v - u, v + u)


def _expm_share(t: NumericArray, x: NumericArray) -> NumericArray:
    """Return the block above the diagonal of the exponential of (xᵀ, t; 0, xᵀ)."""
    n = x.shape[-1]
    turned, zeros = mT(x), np.zeros(x.shape, x.dtype)
    rows = [_beside(turned, t), _beside(zeros, turned)]
    block = concat(*rows, axis=x.ndim - 2, bounds=(0, n, 2 * n))
    found: NumericArray = expm(block)[..., :n, n:]
    return found


def _beside(a: Any, b: Any) -> Any:
    n = a.shape[-1]
    return concat(a, b, axis=a.ndim - 1, bounds=(0, n, 2 * n))


# --- L and U --------------------------------------------------------------------------------------


def _lu(x: Array) -> tuple[Array, Array, Array]:
    """Return P, L and U with P L U = x, by columns with the largest pivot, for a stack at once."""
    n, m = x.shape[-2:]
    lead, k = x.shape[:-2], min(n, m)
    a = np.array(x, np.result_type(x.dtype, np.float32)).reshape(-1, n, m)
    places, stack = np.broadcast_to(np.arange(n), (len(a), n)).copy(), np.arange(len(a))
    for j in range(k):
        pivot = j + np.abs(a[:, j:, j]).argmax(axis=1)
        for swapped in (a, places):
            swapped[stack, pivot], swapped[:, j] = swapped[:, j].copy(), swapped[stack, pivot]
        divisor = np.where(a[:, j, j] == 0.0, 1.0, a[:, j, j])
        a[:, j + 1 :, j] /= divisor[:, None]
        a[:, j + 1 :, j + 1 :] -= a[:, j + 1 :, j, None] * a[:, j, None, j + 1 :]
    p = (places[:, None, :] == np.arange(n)[:, None]).astype(a.dtype)
    parts = p, np.tril(a[:, :, :k], -1) + np.eye(n, k, dtype=a.dtype), np.triu(a[:, :k])
    return tuple(y.reshape(*lead, *y.shape[1:]) for y in parts)  # type: ignore[return-value]


def _lu_share(t: Any, y: Any) -> NumericArray:
    """Return P L⁻ᵀ (Φ(Lᵀ L̄) + Φ(U Ūᵀ)ᵀ) U⁻ᵀ for the square part, and its rest beside or below."""
    p, low, up = y
    n, k, m = low.shape[-2], low.shape[-1], up.shape[-1]
    t_low, t_up = t[1], t[2]
    below = right = None
    square_low, square_up = low[..., :k, :], up[..., :, :k]
    if n > k:  # x₂ = L₂ U
        below = mT(solve(square_up, mT(t_low[..., k:, :])))
        t_up = t_up - matmul(mT(low[..., k:, :]), below)
    if m > k:  # x₂ = L U₂
        right = solve(mT(square_low), t_up[..., :, k:])
        t_low = t_low[..., :k, :] - matmul(right, mT(up[..., :, k:]))
    strict = np.tri(k, k=-1, dtype=low.dtype)
    inner = matmul(mT(square_low), t_low[..., :k, :]) * strict
    inner = inner + matmul(t_up[..., :, :k], mT(square_up)) * (1.0 - strict)
    found = mT(solve(square_up, mT(solve(mT(square_low), inner))))
    if below is not None:
        found = concat(found, below, axis=low.ndim - 2, bounds=(0, k, n))
    if right is not None:
        found = concat(found, right, axis=low.ndim - 1, bounds=(0, k, m))
    share: NumericArray = matmul(p, found)
    return share


# fmt: off
expm: ArrayPrimitive = general("expm", lambda t, y, x: _expm_share(t, x),
    forward=lapack(_expm, "expm"), tex=r"e^{x}", summary="Exponential of a matrix")
lu: Final = general("lu", lambda t, y, x: _lu_share(t, y), outputs=3,
    forward=lapack(_lu, "lu"), tex=r"x = P L U",
    summary="A permutation, a lower triangle with ones on the diagonal, and an upper one",
    kinks="the permutation has no derivative")
# fmt: on
