"""Tensors of PyTorch as operands and results of recorded operations, and their numbers.

A value is known by the part of memory in which its numbers are: two views with equal keys are one
value. Numbers are copied only if the program writes into them, or when they are asked for.
"""

from __future__ import annotations

from typing import Any, TypeAlias
from weakref import ReferenceType, ref

import numpy as np

from . import library as torch

__all__ = ["HALVES", "Array", "Key", "Numbers", "Slot", "array_of", "key_of", "tensor_of"]

Array = np.ndarray[Any, Any]
Key = tuple[Any, ...]
Reference: TypeAlias = "ReferenceType[torch.Tensor]"
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

    They are the tensor itself until the program writes into its storage. What an operation has made
    is not kept alive: PyTorch keeps what its backward pass reads, and the recorder runs the
    operation again for the rest, when it is asked for.
    """

    __slots__ = ("_gone", "_kept", "array")

    def __init__(self, t: torch.Tensor, again: bool = False) -> None:
        self._kept: torch.Tensor | None = None if again else t
        self._gone: Reference | None = ref(t) if again else None
        self.array: Array | None = None

    @property
    def source(self) -> torch.Tensor | None:
        """The tensor; ``None`` if it is gone."""
        return _alive(self._gone) if self._kept is None else self._kept

    @property
    def is_gone(self) -> bool:
        """Whether the operation has to run again."""
        return self.array is None and self.source is None

    def hold(self, t: torch.Tensor) -> None:
        """Keep a tensor that has these numbers."""
        self._kept = t

    def keep(self) -> None:
        """Copy the numbers, because the program is about to write into them."""
        self._gone = None  # the operation can run again
        if self._kept is not None:
            self._kept = self._kept.detach().clone()

    def get(self) -> Array:
        """Return the numbers."""
        if self.array is None:
            source = self.source
            assert source is not None
            self.array, self._kept = array_of(source), None
        return self.array


class Slot:
    """A tensor as an operand or a result of one recorded operation.

    ``live``     whether a gradient flows through it, as PyTorch says
    ``leaf``     whether it is a parameter or an input that requires a gradient
    ``turn``     how often the program has written into its storage before
    ``numbers``  its numbers at that time
    ``read``     whether an operation has read it, through which a gradient flows
    """

    __slots__ = (
        "_gone", "_kept", "_node", "dtype", "key", "leaf", "live", "numbers", "output", "read",
        "turn",
    )  # fmt: skip

    key: Key
    live: bool
    leaf: bool
    turn: int
    numbers: Numbers
    dtype: torch.dtype

    def __init__(self, t: torch.Tensor, again: bool = False) -> None:
        self._kept: torch.Tensor | None = None if again else t
        self._gone: Reference | None = ref(t) if again else None
        self._node: Any = None
        self.output: int = 0
        self.read: bool = False

    @property
    def tensor(self) -> Any:
        """The tensor; ``None`` if it is gone, as results are that the program does not keep."""
        return _alive(self._gone) if self._kept is None else self._kept

    def hold(self, t: torch.Tensor) -> None:
        """Keep the tensor alive, with what belongs to it."""
        self._kept = t
        if self.numbers.source is t:
            self.numbers.hold(t)

    @property
    def node(self) -> Any:
        """Its node in PyTorch's graph."""
        t = self.tensor
        return self._node if t is None else t.grad_fn

    def note_reading(self, t: torch.Tensor) -> None:
        """Remember what is known of a tensor only while it is alive."""
        if not self.read:
            self.read, self._node, self.output = True, t.grad_fn, t.output_nr


def _alive(reference: Reference | None) -> Any:
    t = None if reference is None else reference()
    if t is not None:
        t._fix_weakref()  # PyTorch itself may have kept it, without an object of Python
    return t
