"""Names for unlabelled nodes: the variables through which a program holds them."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Mapping
from types import FrameType
from typing import Any

from ..errors import OptionError
from ..expect import describe
from ..value import Value

__all__ = ["Names", "names_of"]

Names = bool | Mapping[str, Any]
"""True: the variables of the caller; False: labels only; a mapping: these names and no others."""

DEEPEST = 3  # w[0][1]["bias"]
BUDGET = 200_000  # objects looked at in one scope; data sets live in scopes too
HISTORY = ("In", "Out")  # where a notebook keeps what has been typed and shown


def names_of(names: Names, frame: FrameType) -> dict[Value, str]:
    """One name for each node that ``names`` knows: of two names the shorter, then the earlier.

    A local variable goes before a global one. Members of lists, tuples and dictionaries are
    named too: ``w[0]``, ``layer["bias"]``.
    """
    if names is False:
        return {}
    if names is True:
        found = _search(_visible(frame.f_locals))
        if frame.f_locals is not frame.f_globals:
            found = _search(_visible(frame.f_globals)) | found
        return found
    if isinstance(names, Mapping):
        return _search(names.items())
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


def _search(variables: Iterable[tuple[str, Any]]) -> dict[Value, str]:
    """Breadth first, so that the budget is spent on the plain variables before the lists."""
    found: dict[Value, str] = {}
    queue = deque((name, thing, 0) for name, thing in variables)
    for _ in range(BUDGET):
        if not queue:
            break
        name, thing, depth = queue.popleft()
        if isinstance(thing, Value):
            if thing not in found or len(name) < len(found[thing]):
                found[thing] = name
        elif depth < DEEPEST and len(queue) < BUDGET:
            queue.extend((f"{name}[{key!r}]", member, depth + 1) for key, member in _members(thing))
    return found


def _members(thing: Any) -> Iterable[tuple[Any, Any]]:
    if type(thing) is dict:
        return list(thing.items())
    if type(thing) is list or type(thing) is tuple:
        return enumerate(thing)
    return ()
