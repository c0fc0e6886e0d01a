"""Scaled dot-product attention, and its masks."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from ...core.expect import as_float
from ...engine.functions import where
from ...errors import OptionError, SizeError
from ...levels.level import Tracer
from ...levels.vmap import batch_of, varies
from ...libraries import LibraryArray
from ...libraries.attention import fits
from ...libraries.constants import seen
from ...ops.array.attention import attention
from ...ops.array.structure import permute_dims
from ...tensor import softmax
from ...tensor.functions.arguments import operand
from ...tensor.functions.products import matmul
from ...tensor.graph.fast import quick
from ...tensor.graph.placed import PlacedTensor, beside
from ...tensor.graph.tensor import Tensor
from ..dropout import dropout
from ..initial import ArraySeed

if TYPE_CHECKING:
    from numpy.typing import DTypeLike

    from ...tensor.functions.types import ArrayLike

__all__ = ["attend", "causal_mask", "combine", "fused", "mask_of", "scaled_dot_product_attention"]

_attention = quick(attention, Tensor)

Mask: TypeAlias = Tensor | None
"""Numbers that are added to the scores: -inf where a query must not look."""


def scaled_dot_product_attention(
    query: Tensor | ArrayLike,
    key: Tensor | ArrayLike,
    value: Tensor | ArrayLike,
    attn_mask: Tensor | ArrayLike | None = None,
    dropout_p: float = 0.0,
    is_causal: bool = False,
    scale: float | None = None,
    *,
    seed: ArraySeed = None,
) -> Tensor:
    """Return, for each query, the mean of the values, weighted by how well their keys match.

        y = softmax(s Q Kᵀ + M) V,  s = 1 / √E

    A query that may look nowhere gives 0.

    Parameters
    ----------
    query : (..., queries, features)
        The Q of the formula.
    key : (..., keys, features)
        The K of the formula.
    value : (..., keys, value_features)
        The V of the formula, a row for each key.
    attn_mask : broadcast to (..., queries, keys), optional
        The M of the formula, or bools that are true where a query may look.
    dropout_p
        The probability of each weight to be set to 0, from 0 to 1; in training and in
        prediction alike, as in PyTorch.
    is_causal
        Whether query i looks at the keys 0 to i only, in addition to ``attn_mask``.
    scale
        The s of the formula; ``None`` is 1 / √features.
    seed
        Draws the dropped numbers: an int, a generator to draw from, or ``None`` for fresh
        entropy.

    Returns
    -------
    (..., queries, value_features)
        A mean of values for each query.

    Raises
    ------
    SizeError
        If the shapes of query, key, value and mask do not fit each other.
    OptionError
        If the mask holds integers, ``dropout_p`` is no probability, or ``seed`` neither a seed
        nor a generator.
    NotANumberError
        If ``scale`` is no number.

    See Also
    --------
    gradwalk.nn.MultiheadAttention, gradwalk.softmax

    References
    ----------
    Vaswani and others, Attention is all you need (2017), equation 1.

    Examples
    --------
    >>> x = [[1.0, 0.0], [0.0, 1.0]]
    >>> scaled_dot_product_attention(x, x, x, is_causal=True)[0].tolist()
    [1.0, 0.0]
    """
    where_ = "scaled_dot_product_attention"
    q, k, v = (operand(x, where_) for x in (query, key, value))
    _expect_matching(where_, q, k, v)
    if attn_mask is None and is_causal and not dropout_p:
        found = fused(q, k, v, None, scale, causal=True)
        if found is not None:
            return found
    mask = None
    if attn_mask is not None:
        mask = mask_of(attn_mask, where_, q.dtype, true_looks=True)
        _expect_broadcasting(f"{where_}(attn_mask)", mask, q, k)
    if is_causal:
        mask = combine(mask, causal_mask(q.shape[-2], k.shape[-2], q.dtype.name))
    return attend(q, k, v, mask, scale, dropout_p, seed, need_weights=False)[0]


def _expect_matching(where_: str, q: Tensor, k: Tensor, v: Tensor) -> None:
    if min(q.ndim, k.ndim, v.ndim) < 2 or q.shape[-1] != k.shape[-1] or k.shape[-2] != v.shape[-2]:
        raise SizeError(
            where=where_,
            expected="a query (..., L, E), a key (..., S, E) and a value (..., S, V)",
            got=f"shapes {q.shape}, {k.shape}, {v.shape}",
            fix="Reshape them: the last axis holds features, the axis before it positions.",
        )


def _expect_broadcasting(where_: str, mask: Tensor, q: Tensor, k: Tensor) -> None:
    """Raise `SizeError` unless the mask can be added to the scores."""
    rows, columns = (*q.shape[:-1], 1), (*k.shape[:-2], 1, k.shape[-2])
    try:
        scores = np.broadcast_shapes(rows, columns)
    except ValueError:
        return  # matmul will report the mismatch
    try:
        np.broadcast_shapes(mask.shape, scores)
    except ValueError:
        raise SizeError(
            where=where_,
            expected=f"a shape that is broadcast with {scores}",
            got=f"shape {mask.shape}",
            fix="Pass a mask with a row for each query and a column for each key.",
        ) from None


def attend(
    q: Tensor,
    k: Tensor,
    v: Tensor,
    mask: Mask,
    scale: float | None,
    drop: float,
    seed: ArraySeed,
    need_weights: bool = True,
) -> tuple[Tensor, Tensor | None]:
    """Return the weighted means of the values, and the weights if they are needed."""
    if not need_weights and not drop:
        found = fused(q, k, v, mask, scale)
        if found is not None:
            return found, None
    scale = float(q.shape[-1]) ** -0.5 if scale is None else as_float(scale, "scale")
    axes = (*range(k.ndim - 2), k.ndim - 1, k.ndim - 2)
    scores = matmul(q * scale, permute_dims(k, axes=axes))
    blind: Any = None
    if mask is not None:
        mask, blind = _open_blind_rows(mask)
        scores = scores + beside(mask, scores)
    weights = softmax(scores, axis=-1)
    if blind is not None:
        weights = where(blind, 0.0, weights)
    if drop:
        weights = dropout(weights, drop, seed=seed)
    return matmul(weights, v), weights


def fused(
    q: Tensor, k: Tensor, v: Tensor, mask: Mask, scale: float | None, causal: bool = False
) -> Tensor | None:
    """Return attention by a kernel of the library of arrays; ``None`` if it has none."""
    held = [_held(x) for x in (q, k, v)]
    if not all(type(x) is LibraryArray for x in held) or isinstance(mask, Tracer):
        return None
    if getattr(mask, "_node", None) is not None:
        return None  # of its gradient the kernels are not
    added: Any = 0.0
    blind: Any = None
    if mask is not None:
        mask, blind = _open_blind_rows(mask)
        added = beside(mask, q)
    bias = added._data if isinstance(added, Tensor) else added
    if not fits(held[0], held[1], held[2], bias):
        return None
    scale = float(q.shape[-1]) ** -0.5 if scale is None else as_float(scale, "scale")
    y: Tensor = _attention(q, k, v, added, causal=causal, scale=scale, memo=[])
    return y if blind is None else where(beside(blind, y), 0.0, y)


def _held(x: Any) -> Any:
    """Return the array of a Tensor, or of the one that a tracer stands for."""
    if batch_of(x) is not None:
        return None
    while isinstance(x, Tracer):
        x = x._primal
    return x._data if type(x) is PlacedTensor else x


def _open_blind_rows(mask: Tensor) -> tuple[Tensor, Any]:
    """Let queries that may look nowhere look everywhere. Return the mask and where these are.

    The softmax of a row of -inf would be NaN, and so would its gradient.
    """
    given: Any = mask._data if isinstance(mask, Tensor) and not varies(mask) else mask
    blind = (given == -np.inf).all(axis=-1, keepdims=True)
    known = seen(blind) if type(blind) is LibraryArray else blind
    if not varies(blind) and known is not None and not known.any():
        return mask, None
    return where(blind, 0.0, mask), blind


def causal_mask(queries: int, keys: int, dtype: str) -> Tensor:
    """Return a mask with -inf where a key comes after its query.

    >>> causal_mask(2, 2, "float64").tolist()
    [[0.0, -inf], [0.0, 0.0]]
    """
    return Tensor._of(_later(queries, keys, dtype))


@lru_cache(32)
def _later(queries: int, keys: int, dtype: str) -> Any:
    later = np.triu(np.ones((queries, keys), bool), 1)
    mask = np.where(later, -np.inf, 0.0).astype(dtype)
    mask.flags.writeable = False  # a device may keep its copy
    return mask


def mask_of(mask: Tensor | ArrayLike, where_: str, dtype: DTypeLike, true_looks: bool) -> Tensor:
    """Return ``mask`` as numbers to add to the scores.

    A true bool lets a query look if ``true_looks``, and else keeps it from looking.
    """
    given: Any = operand(mask, where_)
    if given.dtype.kind == "f":
        numbers: Tensor = given if given.dtype == dtype else given.astype(dtype)
        return numbers
    if given.dtype.kind != "b":
        raise OptionError(
            where=f"{where_}(mask)",
            expected="a mask of bools or floats",
            got=f"dtype {given.dtype}",
            fix="Pass bools that choose positions, or floats that are added to the scores.",
        )
    if varies(given):
        looks: Any = given == true_looks
        varying: Tensor = where(looks, 0.0, -np.inf).astype(dtype)
        return varying
    raw = given._data if isinstance(given, Tensor) else given
    masked = ~raw if true_looks else raw
    return Tensor._of(np.where(masked, -np.inf, 0.0).astype(dtype))


def combine(one: Mask, other: Mask) -> Mask:
    """Return the sum of both masks; ``None`` masks nothing."""
    if one is None or other is None:
        return other if one is None else one
    total: Tensor = one + other
    return total
