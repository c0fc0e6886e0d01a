"""`PlacedTensor`: a Tensor whose array belongs to another library, such as PyTorch.

It has a class of its own, so that Tensors of NumPy need no check: compiled code takes only these.
Nodes and passes are the same, and so are the rules.
"""

from __future__ import annotations

from typing import Any, NoReturn, Self, cast

import numpy as np

from ...engine.observing import INTERCEPTORS
from ...errors import OptionError
from ...levels.level import Tracer
from ...levels.programs import program_for, reads, writes
from ...libraries import LibraryArray
from ...libraries.compilers import is_outline
from ...libraries.constants import constant as constant_there
from ...libraries.moving import taken
from ...libraries.places import Place, place_named
from ...ops.array.structure import to_place
from .tensor import Tensor

__all__ = ["PlacedTensor", "at_place", "beside", "move", "place_of"]


class PlacedTensor(Tensor):
    """A Tensor of an array of another library; see `Tensor`."""

    __slots__ = ()

    @property
    def data(self) -> Any:
        """The array of its library itself; what is assigned is copied."""
        program = program_for((self,)) if INTERCEPTORS else None
        return self._data.raw if program is None else program.array_of(self)

    @data.setter
    def data(self, array: Any) -> None:
        if array is not self._data.raw:
            cast("Any", Tensor.data).fset(self, array)

    @property
    def grad(self) -> Any:
        """The gradient as an array of the same library, after `backward`; ``None`` before."""
        gradient = cast("Any", Tensor.grad).fget(self)
        return gradient.raw if type(gradient) is LibraryArray else gradient

    @grad.setter
    def grad(self, array: Any) -> None:
        cast("Any", Tensor.grad).fset(self, array)

    def numpy(self) -> Any:
        """Return a copy of the elements as an array of NumPy, through which no gradient flows."""
        reads(self)
        return self._data.numpy()

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> NoReturn:
        raise OptionError(
            where="a function of NumPy",
            expected="a Tensor of NumPy",
            got=f"one on {self._data.place}",
            fix='Call t.numpy() for its numbers, t.to_device("numpy") to keep the gradient.',
        )

    def __repr__(self) -> str:
        known = self._data.known
        shown = repr(Tensor._of(self.numpy())).removesuffix(")") if known else self._traced()
        flag = ", requires_grad=True" if self.requires_grad else ""
        label = f", label={self.label!r}" if self.label else ""
        return f"{shown}, device='{self._data.place}'{flag}{label})"

    def _traced(self) -> str:
        return f"Tensor(traced, shape={self.shape}, dtype={self.dtype}"

    def clone(self) -> Self:
        """Return a copy through which gradients flow back to this Tensor."""
        return super().clone()

    __pos__ = clone
    __hash__ = object.__hash__


Tensor._placed = PlacedTensor


def beside(constant: Any, x: Any) -> Any:
    """Return a constant array of NumPy where the array of x lies, to compute with it."""
    while isinstance(x, Tracer):
        x = x._primal
    held = x._data if type(x) is PlacedTensor else x
    if type(held) is not LibraryArray or is_outline(held):
        return constant
    raw = constant._data if isinstance(constant, Tensor) else constant
    place = held.place
    if type(raw) is LibraryArray:
        return constant
    return Tensor._of(LibraryArray(constant_there(raw, place, held.raw), place))


def move(x: Any, device: Any, where: str) -> None:
    """Move a leaf in place, with its gradient, as `Module.to` does."""
    node = x._node
    here = x._data.place if type(x._data) is LibraryArray else None
    place = place_named(device, here, where)
    if place is here:
        return
    writes(x)
    x._expire_views()
    x._data = _to(place)(x._data)
    object.__setattr__(x, "__class__", Tensor if place is None else PlacedTensor)
    if node is not None:
        node.place = place
        node.grad = None if node.grad is None else _to(place)(node.grad)


def at_place(x: Any, device: Any, where: str) -> Any:
    """Return a Tensor at the place that ``device`` names; gradients flow back."""
    here = place_of(x)
    place = place_named(device, here, where)
    return x if place is here else to_place(x, place=_to(place), back=_to(here))


STORED = vars(Tensor)["_data"]


def place_of(x: Any) -> Place | None:
    """Return the place of an array; the numbers of a tracer, which may not be read, are not."""
    held = x
    while isinstance(held, Tensor):
        held = STORED.__get__(held)
    return held.place if type(held) is LibraryArray else None


def _to(place: Place | None) -> Any:
    """Return the function that moves an array to a place."""

    def move(raw: Any) -> Any:
        if place is not None and type(raw) is LibraryArray:
            found = taken(raw, place)
            if found is not None:
                return LibraryArray(found, place)
        numbers = raw.numpy() if type(raw) is LibraryArray else np.asarray(raw)
        if place is None:
            return numbers.copy()
        return LibraryArray(place.put(numbers), place)

    return move
