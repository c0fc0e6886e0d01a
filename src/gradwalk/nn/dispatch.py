"""Functions that take Values or Tensors: the arrays' half is loaded when a Tensor comes along."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache, wraps
from importlib import import_module
from typing import Any

from ..core.carrier import is_tensor

__all__ = ["of_tensors_too"]

_arrays = cache(import_module)


def of_tensors_too(module: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Pass calls with a Tensor on to the namesake in ``module``, a neighbour of this one."""

    def decorate(function: Callable[..., Any]) -> Callable[..., Any]:
        @wraps(function)
        def either(*args: Any, **options: Any) -> Any:
            if any(map(is_tensor, (*args, *options.values()))):
                namesake = getattr(_arrays(module, __package__), function.__name__)
                return namesake(*args, **options)
            return function(*args, **options)

        return either

    return decorate
