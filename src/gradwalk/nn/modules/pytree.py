"""A Module as a pytree of its parameters, for the transforms."""

from __future__ import annotations

from functools import partial
from typing import Any, NamedTuple

from ...core.carrier import is_tensor
from ...core.pytree import Parts, register, whole
from ...engine.scalar import Scalar
from ...engine.value import Value
from ...levels.level import Tracer, running
from ...levels.programs import lifted
from .module import Module

__all__ = ["flatten_module"]


def flatten_module(module: Any) -> Parts:
    """Return the numbers of all free parameters, and a function that builds a module with others.

    Frozen parameters (``requires_grad=False``) are shared with the new module.
    """
    if whole.get():
        return (), (), partial(_itself, ModuleParts(module, []))
    named = [(name, p) for name, p in module.named_parameters() if _is_trained(p)]
    names, parameters = [name for name, _ in named], [_numbers(p) for _, p in named]
    return names, parameters, partial(_rebuilt, ModuleParts(module, [p for _, p in named]))


def _itself(parts: ModuleParts, new: list[Any]) -> Module:
    return parts.module  # type: ignore[no-any-return]


class ModuleParts(NamedTuple):
    """A module and its free parameters."""

    module: Any
    parameters: list[Any]


def _rebuilt(parts: ModuleParts, new: list[Any]) -> Module:
    """Return a copy of a module with other free parameters."""
    twins = {}
    for old, part in zip(parts.parameters, new, strict=True):
        number = isinstance(old, Scalar) and type(part) is float
        twins[id(old)] = Value(part) if number else _trained(part)
    return _copied(parts.module, twins)  # type: ignore[no-any-return]


def _is_trained(parameter: Any) -> bool:
    return isinstance(parameter, Scalar) or parameter.requires_grad


def _trained(part: Any) -> Any:
    """Return a Tensor of constants as a parameter."""
    if is_tensor(part) and not part.requires_grad:
        part = type(part)._of(part._data)
        part.requires_grad = True
    return part


def _numbers(parameter: Any) -> Any:
    """Return the numbers of a parameter as constants, without the graphs in which it is a leaf.

    Inside a transform that differentiates by the module, a parameter is a result of that
    transform's graph, or one of its Values. It stays as it is, or its derivative would be lost.
    """
    parameter = lifted(parameter)
    if isinstance(parameter, Tracer):
        return parameter
    if isinstance(parameter, Value):
        return parameter if running.depth else parameter.data
    return type(parameter)._of(parameter._data) if parameter._node._primitive is None else parameter


def _copied(part: Any, new: dict[int, Any]) -> Any:
    """Return a copy of ``part`` with the objects in ``new`` replaced."""
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


register(Module, ".{}", flatten_module)
