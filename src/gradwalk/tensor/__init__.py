"""Tensors: arrays that record how they were computed, and the functions of the array API.

>>> from gradwalk import Tensor
>>> x = Tensor([1.0, 2.0, 3.0], requires_grad=True)
>>> (x * x).sum().backward()
>>> x.grad
array([2., 4., 6.])
"""

from __future__ import annotations

from . import assignment, functions, methods, operators
from .functions import *  # noqa: F403
from .functions import exchange, indexing
from .graph.heap import keep_freed_memory
from .graph.tensor import Tensor
from .numpy import protocol

__all__ = ["Tensor", *functions.__all__]

_METHODS = {name: getattr(part, name) for part in functions.PARTS for name in part.METHODS}
_HOOKS = [part.HOOKS for part in (methods, indexing, assignment, exchange, protocol)]

# Rows of the table, functions that NumPy has as methods too, and what Python and NumPy ask for.
for _attributes in (operators.HOOKS, _METHODS, *_HOOKS):
    for _name, _attribute in _attributes.items():
        setattr(Tensor, _name, _attribute)

keep_freed_memory()
