"""Words for nodes without a label: the variables of a program, and the parameters of its models."""

from __future__ import annotations

import sys
from collections import deque
from collections.abc import Iterable, Iterator, Mapping
from itertools import chain
from types import FrameType, FunctionType, ModuleType
from typing import Any

from ..carrier import is_tensor
from ..inspect.names import BUDGET, DEEPEST, Names, _members, _visible, names_of
from ..value import Value

__all__ = ["names_of_tensors", "names_of_values"]


def names_of_values(root: Value, names: Names, frame: FrameType) -> dict[Value, str]:
    """What the caller calls its Values; parameters by their path in the model."""
    found = names_of(names, frame)
    for name, thing in chain(_parameters(names, frame), _attributes(names, frame)):
        if isinstance(thing, Value):
            found.setdefault(thing, name)
    return found


def names_of_tensors(names: Names, frame: FrameType) -> Iterator[tuple[Any, str]]:
    """Every Tensor that the caller has a word for, the best word first."""
    names_of(names, frame)  # which refuses what is no mapping, nor True or False
    found = _parameters(names, frame)
    yield from ((tensor, name) for name, tensor in found if is_tensor(tensor))
    for variables in _scopes(names, frame):
        yield from _tensors(variables)
    yield from ((thing, name) for name, thing in _attributes(names, frame) if is_tensor(thing))


def _scopes(names: Names, frame: FrameType) -> list[Iterable[tuple[str, Any]]]:
    if names is True:
        return [_visible(frame.f_locals), _visible(frame.f_globals)]
    return [names.items()] if isinstance(names, Mapping) else []


def _parameters(names: Names, frame: FrameType) -> Iterator[tuple[str, Any]]:
    """The parameters of the models among the variables; of several models with their names."""
    room = sys.modules.get("gradwalk.nn.module")
    if room is None:  # nobody can have a model
        return
    variables = {n: v for scope in reversed(_scopes(names, frame)) for n, v in scope}
    models = {n: v for n, v in variables.items() if isinstance(v, room.Module)}
    for name, model in models.items():
        for path, part in model.named_parameters():
            # a path that is no name by itself, or that two models have
            yield path if path[0].isalpha() and len(models) == 1 else f"{name}.{path}", part


def _tensors(variables: Iterable[tuple[str, Any]]) -> Iterator[tuple[Any, str]]:
    """Breadth first, so that the budget is spent on the plain variables before the lists."""
    queue = deque((name, thing, 0) for name, thing in variables)
    for _ in range(BUDGET):
        if not queue:
            return
        name, thing, depth = queue.popleft()
        if is_tensor(thing):
            yield thing, name
        elif depth < DEEPEST and len(queue) < BUDGET:
            queue.extend((f"{name}[{key!r}]", member, depth + 1) for key, member in _members(thing))


# --- what the objects of a program hold -----------------------------------------------------------

DEEP = 8  # net.layers[0].neurons[1].w[2]


def _attributes(names: Names, frame: FrameType) -> Iterator[tuple[str, Any]]:
    """What objects of the user's own classes hold, as Python would write it: ``net.w[0]``."""
    scopes = _scopes(names, frame)
    queue = deque((name, thing, 0) for scope in scopes for name, thing in scope)
    seen: set[int] = set()
    for _ in range(BUDGET // 10):  # a program also holds tables and figures
        if not queue:
            return
        name, thing, depth = queue.popleft()
        if isinstance(thing, Value) or is_tensor(thing):
            yield name, thing
        elif depth < DEEP and id(thing) not in seen and len(queue) < BUDGET:
            seen.add(id(thing))
            queue.extend((name + end, member, depth + 1) for end, member in _held(thing))


def _held(thing: Any) -> Iterable[tuple[str, Any]]:
    """The members of a container or an object, each with what is written behind its name."""
    if isinstance(thing, type | ModuleType | FunctionType):
        return ()
    if isinstance(thing, dict):  # of the user's own classes too; no method of theirs is run
        return [(f"[{key!r}]", member) for key, member in list(dict.items(thing))]
    if isinstance(thing, list | tuple):
        return [(f"[{index}]", member) for index, member in enumerate(thing)]
    try:
        fields = object.__getattribute__(thing, "__dict__")
    except AttributeError:
        return ()
    return [(f".{key}", member) for key, member in _visible(fields)]
