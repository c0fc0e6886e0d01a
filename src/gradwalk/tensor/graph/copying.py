"""Copies of Tensors by the modules `copy` and `pickle`."""

from __future__ import annotations

from copy import copy
from typing import Any, Self

import numpy as np

from ...core.backend import arrays
from ...engine.traced import is_traced, running_inputs, unpicklable
from ...engine.value import enable_grad
from ...errors import OptionError
from ...levels.programs import lifted
from ...ops.array.facts import plain
from ...ops.array.structure import astype
from .backward import leaves
from .convert import ValueSource
from .detaching import called, detaching

__all__ = ["Copying", "copies_traced"]


class Copying:
    """The half of a `Tensor` that copies: leaves alone, and what a running transform traces."""

    __slots__ = ()
    _node: Any
    dtype: Any

    def _is_traced(self) -> bool:
        """Return whether this Tensor depends on an input of a running transform."""
        if self._node is None or not running_inputs:
            return False
        found = leaves(self._node)
        values = [v for leaf in found if type(leaf) is ValueSource for v in leaf.values]
        return is_traced(found) or any(v._is_traced() for v in values)

    def __copy__(self) -> Self:
        if self._is_traced():
            with enable_grad():  # a copy inside of no_grad is still that value
                own: Any = self  # in memory of its own, as NumPy copies
                return astype(own, dtype=self.dtype)  # type: ignore[no-any-return]
        rebuild, parts = self.__reduce_ex__(4)
        return rebuild(*parts)  # type: ignore[no-any-return]

    def __deepcopy__(self, memo: object) -> Self:
        return copy(self)

    def __reduce_ex__(self, protocol: Any) -> tuple[Any, ...]:
        if self._is_traced():
            raise unpicklable(self)
        node = self._node
        if node is not None and node._primitive is not None:
            if called()[0]:  # Matplotlib copies what it draws
                raise detaching(self)
            raise OptionError(
                where="copying or pickling a Tensor",
                expected="a leaf",
                got=f"the result of {node.op}",
                fix="Write t.clone() to keep its gradient, t.detach() for the numbers alone.",
            )
        parts: Any = self  # the attributes of a Tensor
        return _restored, (type(self), parts._data, node is not None, parts.label, parts.grad)


def _restored(cls: Any, data: Any, requires_grad: bool, label: str, grad: Any) -> Any:
    """Return a leaf with the data of a copied or pickled one."""
    tensor = cls(data, requires_grad=requires_grad, label=label)
    if grad is not None:
        tensor.grad = grad
    return tensor


def copies_traced(tensor: Any, given: Any, dtype: Any) -> bool:
    """Make a new Tensor into a copy of one that a program traces; return whether it does."""
    data: Any = lifted(given)
    if not getattr(getattr(data, "_level", None), "records_program", False):
        return False
    kind = data.dtype if dtype is None else np.dtype(dtype)
    tensor._alias = None
    arrays().become(tensor, plain(data, dtype=kind))
    return True
