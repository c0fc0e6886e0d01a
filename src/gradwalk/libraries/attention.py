"""Attention by PyTorch's fused kernels, which never write the scores into memory.

Who asks `fits` before does not pay for the composition, which computes the weights for each rule.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any, TypeAlias

import numpy as np

from ..ops.array import attention as table
from .array import OWN, LibraryArray
from .functions import like
from .held import Operand, Raw
from .own import _aten

__all__ = ["fits"]

Shape: TypeAlias = tuple[int, ...]

KINDS = {"cpu": ("float32", "float64"), "cuda": ("float32", "float16")}
"""The dtypes of the kernels on a kind of device."""

ALIGNED = 8
"""Features of a head are multiples of this on CUDA, and steps in memory."""
MASKED = 16
"""So are the keys that a mask is of."""


def fits(q: Operand, k: Operand, v: Operand, mask: Operand) -> bool:
    """Return whether a library has a kernel of attention for such operands."""
    if not type(q) is type(k) is type(v) is LibraryArray or q.place.library != "torch":
        return False
    if not q.dtype == k.dtype == v.dtype:
        return False
    if type(mask) is float:
        covered: Shape = ()
        if mask != 0.0:
            return False
    elif isinstance(mask, (LibraryArray, np.ndarray)) and mask.ndim and mask.dtype == q.dtype:
        covered = mask.shape
    else:
        return False
    device = getattr(q.raw, "device", None)
    kind = "cpu" if device is None or device.type == "meta" else device.type
    return _shapes_fit(q.shape, k.shape, v.shape, covered, q.dtype.name, kind)


@lru_cache(256)
def _shapes_fit(q: Shape, k: Shape, v: Shape, mask: Shape, dtype: str, kind: str) -> bool:
    if dtype not in KINDS.get(kind, ()) or not len(q) == len(k) == len(v) or not 2 <= len(q) <= 4:
        return False
    if not (all(q) and all(k) and q[:-2] == k[:-2] == v[:-2] and k[-2] == v[-2]):
        return False
    if not q[-1] == k[-1] == v[-1] or (kind == "cuda" and q[-1] % ALIGNED):
        return False
    if not mask:
        return True
    scores = (*q[:-1], k[-2])
    if len(mask) > len(q) or mask[-1] != scores[-1]:
        return False
    if any(n not in (1, whole) for n, whole in zip(mask[::-1], scores[::-1], strict=False)):
        return False
    return kind == "cpu" or not scores[-1] % MASKED


def _with_heads(x: LibraryArray) -> Raw:
    """Return an array as (N, heads, L, E), as the kernels read it."""
    raw = x.raw
    if len(raw.shape) < 4:
        raw = raw[(None,) * (4 - len(raw.shape))]
    elif raw.device.type == "cpu" and raw.stride(-1) == 1:
        return raw
    *steps, last = raw.stride()
    even = last == 1 and not any(step % ALIGNED for step in (*steps, raw.storage_offset()))
    return raw if even or (last == 1 and raw.device.type == "cpu") else raw.contiguous()


def _bias(mask: Operand, q: Raw, k: Raw) -> Raw | None:
    if type(mask) is float:
        return None
    raw = mask.raw if mask.raw.stride()[-1] == 1 else mask.raw.contiguous()
    return raw.expand(*q.shape[:3], k.shape[2])


def _run(q: Raw, k: Raw, v: Raw, bias: Raw | None, causal: bool, scale: float) -> tuple[Raw, ...]:
    """Return the result, and what else its gradient needs."""
    aten = _aten()
    if q.device.type == "cuda":
        run = aten._scaled_dot_product_efficient_attention
        return tuple(run(q, k, v, bias, True, 0.0, causal, scale=scale))
    run = aten._scaled_dot_product_flash_attention_for_cpu
    return tuple(run(q, k, v, 0.0, causal, attn_mask=bias, scale=scale))


def _attention(
    q: Operand, k: Operand, v: Operand, mask: Operand, causal: bool, scale: float, memo: list[Any]
) -> LibraryArray | None:
    if type(mask) is np.ndarray or not fits(q, k, v, mask):
        return None
    raws = _with_heads(q), _with_heads(k), _with_heads(v)
    found = _run(*raws, _bias(mask, raws[0], raws[1]), causal, scale)
    memo[:] = [[q.raw, k.raw, v.raw, found]]
    return like(q, found[0] if q.ndim == 4 else found[0].reshape(q.shape))


def _attention_back(
    t: Operand,
    q: Operand,
    k: Operand,
    v: Operand,
    mask: Operand,
    causal: bool,
    scale: float,
    memo: list[Any],
) -> tuple[LibraryArray, ...] | None:
    if type(mask) is np.ndarray or not fits(q, k, v, mask):
        return None
    if type(t) is not LibraryArray or t.dtype != q.dtype or t.shape != q.shape:
        return None
    raws = _with_heads(q), _with_heads(k), _with_heads(v)
    bias, found = _bias(mask, raws[0], raws[1]), None
    if memo and type(memo[0]) is list:  # of one run of the operation, and its first reverse pass
        *args, found = memo.pop(0)
        known = all(a is b.raw for a, b in zip(args, (q, k, v), strict=True))
        found = found if known else None
    if found is None:
        found = _run(*raws, bias, causal, scale)
    given = (_with_heads(t), *raws)
    aten = _aten()
    if t.raw.device.type == "cuda":
        run, wanted = aten._scaled_dot_product_efficient_attention_backward, [True] * 3 + [False]
        shares = run(*given, bias, *found, 0.0, wanted, causal, scale=scale)
    else:
        run = aten._scaled_dot_product_flash_attention_for_cpu_backward
        shares = run(*given, *found, 0.0, causal, attn_mask=bias, scale=scale)
    pairs = zip((q, k, v), shares, strict=False)
    return tuple([like(x, share if x.ndim == 4 else share.reshape(x.shape)) for x, share in pairs])


OWN.update({
    ("torch", table.attention): _attention,
    ("torch", table.attention_back): _attention_back,
})  # fmt: skip
