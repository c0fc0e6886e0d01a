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
    assignment,
    convolution,
    creation,
    diagonals,
    differences,
    dtypes,
    elementwise,
    exchange,
    indexing,
    joining,
    linalg,
    methods,
    normalization,
    operators,
    ordering,
    pooling,
    products,
    protocol,
    random,
    reductions,
    repeating,
    shapes,
)
from .convolution import *  # noqa: F403
from .creation import *  # noqa: F403
from .diagonals import *  # noqa: F403
from .differences import *  # noqa: F403
from .dtypes import *  # noqa: F403
from .elementwise import *  # noqa: F403
from .exchange import *  # noqa: F403
from .heap import keep_freed_memory
from .indexing import *  # noqa: F403
from .joining import *  # noqa: F403
from .normalization import *  # noqa: F403
from .ordering import *  # noqa: F403
from .pooling import *  # noqa: F403
from .products import *  # noqa: F403
from .reductions import *  # noqa: F403
from .repeating import *  # noqa: F403
from .shapes import *  # noqa: F403
from .tensor import Tensor

_PARTS: tuple[ModuleType, ...] = (
    *(creation, elementwise, dtypes, exchange, differences),
    *(shapes, joining, repeating, diagonals),
    *(indexing, reductions, ordering, products, convolution),
    *(pooling, normalization),
)

__all__ = ["Tensor", "linalg", "random", *(name for part in _PARTS for name in part.__all__)]

_METHODS = {name: getattr(part, name) for part in _PARTS for name in part.METHODS}
_HOOKS = [part.HOOKS for part in (methods, indexing, assignment, exchange, protocol)]

# Rows of the table, functions that NumPy has as methods too, and what Python and NumPy ask for.
for _attributes in (operators.HOOKS, _METHODS, *_HOOKS):
    for _name, _attribute in _attributes.items():
        setattr(Tensor, _name, _attribute)

keep_freed_memory()
