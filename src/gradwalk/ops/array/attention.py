"""THE TABLE of arrays: attention as one operation, for libraries that have a kernel for it.

With the scores S = s Q Kᵀ + M and the weights P = softmax(S) the result is P V. Of a cotangent t
let D = t Vᵀ; then that of the scores is P (D - Σ P D), with sums of rows. Every row has to look
somewhere. For NumPy's arrays the functions of users write the parts.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from ...core.array_primitive import ArrayPrimitive, general
from ...core.numeric import NumericArray
from .product import matmul, mT
from .reduction import softmax, sum

Memo = list[Any]
"""What a run of the operation leaves for its gradient, and this for the next rule."""


def _weights(
    q: NumericArray, k: NumericArray, mask: Any, causal: bool, scale: float
) -> NumericArray:
    scores = matmul(q, mT(k)) * scale + mask
    if causal:
        later = np.triu(np.ones((q.shape[-2], k.shape[-2]), bool), 1)
        scores = scores + np.where(later, -np.inf, 0.0).astype(q.dtype)
    found: NumericArray = softmax(scores, axis=(scores.ndim - 1,))
    return found


def _centred(p: NumericArray, x: NumericArray) -> NumericArray:
    """Return the derivative of the softmax p along x, which is its adjoint, too."""
    x = p * x
    return x - p * _rows(x)


def _rows(x: NumericArray) -> NumericArray:
    return sum(x, axis=(x.ndim - 1,), keepdims=True)


def _attend(
    q: NumericArray,
    k: NumericArray,
    v: NumericArray,
    mask: Any,
    causal: bool,
    scale: float,
    memo: Memo,
) -> NumericArray:
    return matmul(_weights(q, k, mask, causal, scale), v)


def _back(
    t: NumericArray,
    q: NumericArray,
    k: NumericArray,
    v: NumericArray,
    mask: Any,
    causal: bool,
    scale: float,
    memo: Memo,
) -> tuple[NumericArray, NumericArray, NumericArray]:
    p = _weights(q, k, mask, causal, scale)
    slope = _centred(p, matmul(t, mT(v)))
    return matmul(slope, k) * scale, matmul(mT(slope), q) * scale, matmul(mT(p), t)


def share(index: int, t: Any, *args: Any, memo: Memo, **how: Any) -> Any:
    """Return the contribution to an operand; all three are computed together, once."""
    if memo and type(memo[-1]) is tuple and memo[-1][0] is t:
        _, found = memo.pop() if index == 2 else memo[-1]
    else:
        found = attention_back(t, *args, **how, memo=memo)
        memo[:] = [] if index == 2 else [(t, found)]
    return found[index]


def mask_share(
    t: NumericArray,
    q: NumericArray,
    k: NumericArray,
    v: NumericArray,
    mask: NumericArray,
    causal: bool,
    scale: float,
) -> NumericArray:
    """Return the contribution to the mask, which the reverse pass sums down to its shape."""
    return _centred(_weights(q, k, mask, causal, scale), matmul(t, mT(v)))


def second(
    index: int,
    u: Any,
    t: NumericArray,
    q: NumericArray,
    k: NumericArray,
    v: NumericArray,
    mask: Any,
    causal: bool,
    scale: float,
) -> NumericArray:
    """Return the contribution of cotangents of the gradient to its operand of an index.

    With the scores' tangent W = s (a Kᵀ + Q bᵀ) the cotangents a, b, c give t · (E V + P c).
    """
    a, b, c = u
    p = _weights(q, k, mask, causal, scale)
    w = (matmul(a, mT(k)) + matmul(q, mT(b))) * scale
    found: NumericArray
    if index == 0:
        found = matmul(_centred(p, w), v) + matmul(p, c)
        return found
    if index == 3:
        return matmul(mT(_centred(p, w)), t)
    d = matmul(t, mT(v))
    bent = w * (d - _rows(p * d)) - d * _rows(p * w) + matmul(t, mT(c))
    bent, slope = _centred(p, bent), _centred(p, d)
    if index == 4:
        return bent
    if index == 1:
        found = (matmul(slope, b) + matmul(bent, k)) * scale
    else:
        found = (matmul(mT(slope), a) + matmul(mT(bent), q)) * scale
    return found


# fmt: off
attention: Final = general("attention",
    lambda t, y, q, k, v, mask, causal, scale, memo:
        share(0, t, q, k, v, mask, causal=causal, scale=scale, memo=memo),
    lambda t, y, q, k, v, mask, causal, scale, memo:
        share(1, t, q, k, v, mask, causal=causal, scale=scale, memo=memo),
    lambda t, y, q, k, v, mask, causal, scale, memo:
        share(2, t, q, k, v, mask, causal=causal, scale=scale, memo=memo),
    lambda t, y, q, k, v, mask, causal, scale, memo: mask_share(t, q, k, v, mask, causal, scale),
    forward=_attend, params="query key value mask",
    tex=r"\operatorname{softmax}(s \, Q K^{T} + M) \, V",
    summary="Mean of values, weighted by the softmax of products of queries and keys")
attention_back: ArrayPrimitive = general("attention_back",
    lambda u, y, t, q, k, v, mask, causal, scale, memo:
        second(0, u, t, q, k, v, mask, causal, scale),
    lambda u, y, t, q, k, v, mask, causal, scale, memo:
        second(1, u, t, q, k, v, mask, causal, scale),
    lambda u, y, t, q, k, v, mask, causal, scale, memo:
        second(2, u, t, q, k, v, mask, causal, scale),
    lambda u, y, t, q, k, v, mask, causal, scale, memo:
        second(3, u, t, q, k, v, mask, causal, scale),
    lambda u, y, t, q, k, v, mask, causal, scale, memo:
        second(4, u, t, q, k, v, mask, causal, scale),
    forward=_back, outputs=3, params="t query key value mask",
    tex=r"\nabla \operatorname{softmax}(s \, Q K^{T} + M) \, V",
    summary="Gradients of queries, keys and values from that of attention")
# fmt: on
