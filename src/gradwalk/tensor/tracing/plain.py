"""Tracers of what is no Tensor in a plain call: gradients, and numbers of Python.

A compiled function computes with them as with Tensors. What it returns of them is again an array
of the library, or a number.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import wraps
from typing import Any

import numpy as np

from ...core.carrier import Carrier, is_tensor
from ..graph.tensor import Tensor
from .tracers import ArrayTracer

__all__ = ["PlainArray", "PlainNumber", "class_of_result"]


class PlainArray(ArrayTracer):
    """A tracer of an array of NumPy or another library, as ``t.grad`` is one."""

    __slots__ = ()

    @property  # type: ignore[misc]
    def data(self) -> Any:
        """The array itself, as in PyTorch."""
        return self


class PlainNumber(ArrayTracer):
    """A tracer of a number of Python, as ``t.item()`` is one."""

    __slots__ = ()


def class_of_result(args: Sequence[Any], pointwise: bool) -> type[ArrayTracer]:
    """Return the class of the tracer of what an operation of a program returns.

    Numbers give numbers. With arrays they give arrays, and with Tensors everything gives Tensors.
    """
    kinds = set(map(type, args))
    if kinds.isdisjoint(_PLAIN) or any(map(_is_of_tensors, args)):
        return ArrayTracer
    arrays = not pointwise or any(issubclass(k, (np.ndarray, PlainArray)) for k in kinds)
    return PlainArray if arrays else PlainNumber


_PLAIN = frozenset((PlainArray, PlainNumber))


def _is_of_tensors(x: object) -> bool:
    if type(x) in _PLAIN:
        return False
    return is_tensor(x) or (isinstance(x, Carrier) and x._is_number)


def _of_tensors(name: str, method: Callable[..., Any]) -> Callable[..., Any]:
    """Return a method that arrays have not: `Gradient` has it of a Tensor, too."""

    @wraps(method)
    def call(self: Any, *args: Any, **options: Any) -> Any:
        as_tensor = ArrayTracer(self._level, self._primal, self._payload)
        found = method(as_tensor, *args, **options)
        if not name.endswith("_"):
            return found
        self._primal, self._payload = as_tensor._primal, as_tensor._payload
        return self

    return call


for _name in dir(Tensor):
    _method = getattr(Tensor, _name)
    if _name[0] != "_" and callable(_method) and not hasattr(np.ndarray, _name):
        setattr(PlainArray, _name, _of_tensors(_name, _method))
