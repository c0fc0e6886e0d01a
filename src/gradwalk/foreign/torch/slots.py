"""Tensors of PyTorch as operands and results of recorded operations, and their numbers.

A value is known by the part of memory in which its numbers are: two views with equal keys are one
value. Numbers are copied only if the program writes into them, or when they are asked for.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from . import library as torch

__all__ = ["HALVES", "Array", "Key", "Numbers", "Slot", "array_of", "key_of", "tensor_of"]

Array = np.ndarray[Any, Any]
Key = tuple[Any, ...]
HALVES = ("torch.bfloat16", "torch.float16")
"""Precisions that NumPy lacks or computes slowly: their numbers are held as float32."""


def key_of(t: torch.Tensor) -> Key:
    """Return which part of which storage a tensor is, and how it reads it."""
    try:
        storage = t.untyped_storage()._cdata
    except (NotImplementedError, RuntimeError):  # a sparse tensor: it is known as an object
        return id(t), None, t.shape, None, t.dtype, False
    flipped = t.is_neg() or t.is_conj()
    return storage, t.storage_offset(), t.shape, t.stride(), t.dtype, flipped


def array_of(t: torch.Tensor) -> Array:
    """Return a copy of the numbers of a tensor as an array; complex ones as pairs."""
    t = t.detach()
    if t.is_complex():
        t = torch.view_as_real(t.resolve_conj().contiguous())
    if t.layout != torch.strided:
        t = t.to_dense()
    t = t.resolve_neg()
    if t._is_zerotensor():
        t = t.clone()
    if str(t.dtype) in HALVES:
        t = t.float()
    return np.array(t.cpu().numpy())


def tensor_of(x: Any, like: torch.dtype) -> torch.Tensor:
    """Return a tensor with the numbers of an array, in the precision that the program uses."""
    t = torch.from_numpy(np.array(x, order="C"))
    if like.is_complex:
        return torch.view_as_complex(t.contiguous()).to(like)
    return t.to(like)


class Numbers:
    """The numbers of a tensor at one time of the program.

    ``source``  is the tensor itself until the program writes into its storage
    """

    __slots__ = ("array", "source")

    def __init__(self, t: torch.Tensor) -> None:
        self.source: torch.Tensor | None = t
        self.array: Array | None = None

    def keep(self) -> None:
        """Copy the numbers, because the program is about to write into them."""
        if self.source is not None:
            self.source = self.source.detach().clone()

    def get(self) -> Array:
        """Return the numbers."""
        if self.array is None:
            assert self.source is not None
            self.array, self.source = array_of(self.source), None
        return self.array


class Slot:
    """A tensor as an operand or a result of one recorded operation.

    ``live``     whether a gradient flows through it, as PyTorch says
    ``leaf``     whether it is a parameter or an input that requires a gradient
    ``turn``     how often the program has written into its storage before
    ``numbers``  its numbers at that time
    """

    __slots__ = ("dtype", "key", "leaf", "live", "numbers", "tensor", "turn")

    key: Key
    live: bool
    leaf: bool
    turn: int
    tensor: torch.Tensor
    numbers: Numbers
    dtype: torch.dtype
