"""Tensors: arrays that record how they were computed, and the functions of the array API.

>>> from gradwalk import Tensor
>>> x = Tensor([1.0, 2.0, 3.0], requires_grad=True)
>>> (x * x).sum().backward()
>>> x.grad
array([2., 4., 6.])
"""

from __future__ import annotations

from types import ModuleType

from . import (
    convolution,
    creation,
    indexing,
    linalg,
    ordering,
    products,
    random,
    reductions,
    shapes,
)
from .convolution import *  # noqa: F403
from .creation import *  # noqa: F403
from .indexing import *  # noqa: F403
from .ordering import *  # noqa: F403
from .products import *  # noqa: F403
from .reductions import *  # noqa: F403
from .shapes import *  # noqa: F403
from .tensor import Tensor

_PARTS: tuple[ModuleType, ...] = (
    *(creation, shapes, indexing, reductions, ordering, products, convolution),
)

__all__ = ["Tensor", "linalg", "random", *(name for part in _PARTS for name in part.__all__)]

for _part in _PARTS:  # what NumPy has as a method is one here too
    for _name in _part.METHODS:
        setattr(Tensor, _name, getattr(_part, _name))
