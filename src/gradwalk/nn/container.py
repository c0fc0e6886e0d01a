"""A Module as a container of its parameters, for the transforms."""

from __future__ import annotations

from typing import Any

from ..levels import Tracer
from ..scalar import Scalar
from ..tree import Parts, Rebuild, register
from ..value import Value
from .module import Module

__all__ = ["apart"]


def apart(module: Any) -> tuple[Parts, Rebuild]:
    """The numbers of all parameters, and how to make a module of the same build with others."""
    named = module.named_parameters()
    scalar = [isinstance(parameter, Scalar) for _, parameter in named]

    def rebuild(parts: list[Any]) -> Any:
        new = {}
        for (_, old), part, number in zip(named, parts, scalar, strict=True):
            new[id(old)] = Value(part) if number and type(part) is float else part
        return _copied(module, new)

    return [(f".{name}", _numbers(parameter)) for name, parameter in named], rebuild


def _numbers(parameter: Any) -> Any:
    """What a parameter is to a transform: constants, whatever else it is a leaf of."""
    if isinstance(parameter, Tracer):
        return parameter
    return parameter.data if isinstance(parameter, Value) else type(parameter)._of(parameter._data)


def _copied(part: Any, new: dict[int, Any]) -> Any:
    """``part`` with some objects in it replaced; what holds none of them is shared."""
    if id(part) in new:
        return new[id(part)]
    kind = type(part)
    if isinstance(part, Module):
        twin = new[id(part)] = object.__new__(kind)
        vars(twin).update({name: _copied(member, new) for name, member in vars(part).items()})
        return twin
    if kind is list or kind is tuple:
        return kind(_copied(member, new) for member in part)
    if kind is dict:
        return {key: _copied(member, new) for key, member in part.items()}
    return part


register(Module, apart)
