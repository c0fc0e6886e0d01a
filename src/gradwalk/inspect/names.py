"""Names for unlabelled nodes, taken from the variables of a program.

All views share one search. A node is named after its variable (``w``), else its path in a model
(``layers.0.weight``), else the expression that leads to it (``net.layers[0].w[1]``).
"""

from __future__ import annotations

import sys
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import chain
from types import FrameType, FunctionType, ModuleType
from typing import Any

from ..core.carrier import is_tensor
from ..core.expect import describe
from ..engine.value import Value
from ..errors import OptionError
from ..levels.level import Tracer

__all__ = ["Names", "attributes", "names_of", "parameters", "scopes", "variables"]

Names = bool | Mapping[str, Any]
"""True: the variables of the caller; False: labels only; a mapping: these names and no others."""

Scope = Iterable[tuple[str, Any]]
Wanted = Callable[[Any], bool]

DEEPEST = 3  # w[0][1]["bias"]
DEEP = 8  # net.layers[0].neurons[1].w[2]
BUDGET = 200_000  # objects searched in one scope, because data sets live in scopes too
HISTORY = ("In", "Out")  # the history of a notebook


def names_of(names: Names, frame: FrameType) -> dict[Any, str]:
    """Return one name for each Value, and for the node of each Tensor, that ``names`` reaches.

    A Tensor without a node has ``("constant", id(array))`` for one.

    Local variables win over global ones, then shorter names over longer ones, then earlier ones.
    Members of lists, tuples and dictionaries are named too: ``w[0]``, ``layer["bias"]``.
    """
    found: dict[Any, str] = {}
    for scope in reversed(scopes(names, frame)):
        found |= _shortest(variables(scope, _is_node))
    rest = chain(parameters(names, frame), attributes(names, frame, _is_node))
    for thing, name in rest:
        found.setdefault(_node(thing), name)
    return found


def scopes(names: Names, frame: FrameType) -> list[Scope]:
    """Return the scopes to search, the nearest first. Raise `OptionError` for invalid ``names``."""
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
    """Return the variables that the user wrote, without those that tools add to a scope."""
    recognised = [k for k in list(scope) if k.isidentifier() and k[0] != "_" and k not in HISTORY]
    return [(k, scope[k]) for k in recognised]


def _is_node(thing: object) -> bool:
    """Return whether a graph can have a node, or a constant, for an object."""
    return isinstance(thing, Value) or (is_tensor(thing) and not isinstance(thing, Tracer))


def _node(thing: Any) -> Any:
    """Return the node of an object; without one, what stands for its array."""
    if not is_tensor(thing):
        return thing
    return ("constant", id(thing._data)) if thing._node is None else thing._node


def _shortest(found: Iterable[tuple[Any, str]]) -> dict[Any, str]:
    names: dict[Any, str] = {}
    for thing, name in found:
        node = _node(thing)
        if node not in names or len(name) < len(names[node]):
            names[node] = name
    return names


# --- what a variable holds ------------------------------------------------------------------------


def variables(scope: Scope, wanted: Wanted) -> Iterator[tuple[Any, str]]:
    """Find the wanted objects among the variables of a scope and in their lists and dictionaries.

    The search is breadth first, so plain variables use the budget before long lists do.
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


def _members(thing: object) -> Iterable[tuple[Any, Any]]:
    if type(thing) is dict:
        return list(thing.items())
    if type(thing) is list or type(thing) is tuple:
        return enumerate(thing)
    return ()


def parameters(names: Names, frame: FrameType) -> Iterator[tuple[Any, str]]:
    """Yield the parameters of all models among the variables, with the model's name if several."""
    module = sys.modules.get("gradwalk.nn.modules.module")
    if module is None:  # without the module there can be no models
        return
    known = {n: v for scope in reversed(scopes(names, frame)) for n, v in scope}
    models = {n: v for n, v in known.items() if isinstance(v, module.Module)}
    for name, model in models.items():
        for path, part in model.named_parameters():
            # the model's name tells equal paths apart, and completes those that begin with a digit
            yield part, path if path[0].isalpha() and len(models) == 1 else f"{name}.{path}"


def attributes(names: Names, frame: FrameType, wanted: Wanted) -> Iterator[tuple[Any, str]]:
    """Find the wanted objects in attributes of any class, named by expression: ``net.w[0]``."""
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


def _held(thing: object) -> Iterable[tuple[str, Any]]:
    """Return the members of a container or an object, each with its suffix: ``.w``, ``[0]``."""
    if isinstance(thing, type | ModuleType | FunctionType):
        return ()
    if isinstance(thing, dict):  # dict.items, so that no method of a user's subclass runs
        return [(f"[{key!r}]", member) for key, member in list(dict.items(thing))]
    if isinstance(thing, list | tuple):
        return [(f"[{index}]", member) for index, member in enumerate(thing)]
    try:
        fields = object.__getattribute__(thing, "__dict__")
    except AttributeError:
        return ()
    return [(f".{key}", member) for key, member in _visible(fields)]
