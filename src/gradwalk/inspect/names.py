"""Names for unlabelled nodes: the variables through which a program holds them.

One search serves every view: a node is called by its variable, else by its path in a model, else by
what holds it, as Python would write it: ``w``, ``layers.0.weight``, ``net.layers[0].w[1]``.
"""

from __future__ import annotations

import sys
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import chain
from types import FrameType, FunctionType, ModuleType
from typing import Any

from ..core.expect import describe
from ..engine.value import Value
from ..errors import OptionError

__all__ = ["Names", "attributes", "names_of", "parameters", "scopes", "variables"]

Names = bool | Mapping[str, Any]
"""True: the variables of the caller; False: labels only; a mapping: these names and no others."""

Scope = Iterable[tuple[str, Any]]
Wanted = Callable[[Any], bool]

DEEPEST = 3  # w[0][1]["bias"]
DEEP = 8  # net.layers[0].neurons[1].w[2]
BUDGET = 200_000  # objects looked at in one scope; data sets live in scopes too
HISTORY = ("In", "Out")  # where a notebook keeps what has been typed and shown


def names_of(names: Names, frame: FrameType) -> dict[Value, str]:
    """One name for each Value that ``names`` knows.

    Of two variables the shorter counts, then the earlier; a local one goes before a global one.
    Members of lists, tuples and dictionaries are named too: ``w[0]``, ``layer["bias"]``.
    """
    found: dict[Value, str] = {}
    for scope in reversed(scopes(names, frame)):
        found |= _shortest(variables(scope, _is_value))
    rest = chain(parameters(names, frame), attributes(names, frame, _is_value))
    for thing, name in rest:
        if isinstance(thing, Value):
            found.setdefault(thing, name)
    return found


def scopes(names: Names, frame: FrameType) -> list[Scope]:
    """Where names come from, the nearest first; what is no `Names` is an `OptionError`."""
    if names is False:
        return []
    if names is True:
        near, far = frame.f_locals, frame.f_globals
        return [_visible(near)] if near is far else [_visible(near), _visible(far)]
    if isinstance(names, Mapping):
        return [list(names.items())]
    raise OptionError(
        where="names",
        expected="True, False or a dictionary from names to Values",
        got=describe(names),
        fix='Write names={"x": x} to give the names yourself.',
    )


def _visible(scope: Mapping[str, Any]) -> list[tuple[str, Any]]:
    """The variables that a reader would recognise; tools keep some with names of their own."""
    recognised = [k for k in list(scope) if k.isidentifier() and k[0] != "_" and k not in HISTORY]
    return [(k, scope[k]) for k in recognised]


def _is_value(thing: Any) -> bool:
    return isinstance(thing, Value)


def _shortest(found: Iterable[tuple[Any, str]]) -> dict[Value, str]:
    names: dict[Value, str] = {}
    for thing, name in found:
        if thing not in names or len(name) < len(names[thing]):
            names[thing] = name
    return names


# --- what a variable holds ------------------------------------------------------------------------


def variables(scope: Scope, wanted: Wanted) -> Iterator[tuple[Any, str]]:
    """What is wanted among the variables of a scope and in their lists and dictionaries.

    Breadth first, so that the budget is spent on the plain variables before the lists.
    """
    queue = deque((name, thing, 0) for name, thing in scope)
    for _ in range(BUDGET):
        if not queue:
            return
        name, thing, depth = queue.popleft()
        if wanted(thing):
            yield thing, name
        elif depth < DEEPEST and len(queue) < BUDGET:
            queue.extend((f"{name}[{key!r}]", member, depth + 1) for key, member in _members(thing))


def _members(thing: Any) -> Iterable[tuple[Any, Any]]:
    if type(thing) is dict:
        return list(thing.items())
    if type(thing) is list or type(thing) is tuple:
        return enumerate(thing)
    return ()


def parameters(names: Names, frame: FrameType) -> Iterator[tuple[Any, str]]:
    """The parameters of the models among the variables; of several models with their names."""
    room = sys.modules.get("gradwalk.nn.module")
    if room is None:  # nobody can have a model
        return
    known = {n: v for scope in reversed(scopes(names, frame)) for n, v in scope}
    models = {n: v for n, v in known.items() if isinstance(v, room.Module)}
    for name, model in models.items():
        for path, part in model.named_parameters():
            # a path that is no name by itself, or that two models have
            yield part, path if path[0].isalpha() and len(models) == 1 else f"{name}.{path}"


def attributes(names: Names, frame: FrameType, wanted: Wanted) -> Iterator[tuple[Any, str]]:
    """What objects of the user's own classes hold, as Python would write it: ``net.w[0]``."""
    queue = deque((name, thing, 0) for scope in scopes(names, frame) for name, thing in scope)
    seen: set[int] = set()
    for _ in range(BUDGET // 10):  # a program also holds tables and figures
        if not queue:
            return
        name, thing, depth = queue.popleft()
        if wanted(thing):
            yield thing, name
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
