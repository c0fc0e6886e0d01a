"""Tensors: arrays that record how they were computed, and the functions of the array API.

>>> from gradwalk import Tensor
>>> x = Tensor([1.0, 2.0, 3.0], requires_grad=True)
>>> (x * x).sum().backward()
>>> x.grad
array([2., 4., 6.])
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

from ..core.calls import public
from ..core.rooms import Room
from . import assignment, functions, methods, operators
from .functions import *  # noqa: F403
from .functions import exchange, indexing, shapes
from .functions.dims import with_dim
from .graph.heap import keep_freed_memory
from .graph.stale import expire_views, watch_dunders
from .graph.tensor import Tensor as Tensor
from .numpy import protocol
from .pytorch import attached

if not TYPE_CHECKING:  # checkers take the names from the starred import, which mypy cannot add up
    __all__ = ["Tensor", *functions.__all__]

_ATTACHED: dict[str, Any] = {
    **operators.HOOKS,
    **{name: with_dim(getattr(p, name)) for p in functions.PARTS for name in p.METHODS},
    **methods.HOOKS,
    **indexing.HOOKS,
    **shapes.HOOKS,
    "_expire_views": expire_views,
    **assignment.HOOKS,
    **exchange.HOOKS,
    **protocol.HOOKS,
    **attached.HOOKS,
}
"""Operators of the table, functions that are methods too, and the hooks of Python and NumPy."""

# Functions need the class, so the class gets its methods last. `printed` declares them.
for _name, _attribute in _ATTACHED.items():
    setattr(Tensor, _name, _attribute)
public(Tensor)
watch_dunders()


class _Tensors(Room):
    """The room of Tensors. Called, as PyTorch's users call ``torch.tensor``, it makes one."""

    __call__ = staticmethod(Tensor)  # type: ignore[assignment]


sys.modules[__name__].__class__ = _Tensors

keep_freed_memory()
