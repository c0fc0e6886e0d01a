"""Names that the code of a function reads, found in its bytecode."""

from __future__ import annotations

import dis
import re
from collections.abc import Iterator
from functools import lru_cache
from types import CodeType
from typing import Any, Final, NamedTuple

__all__ = ["Names", "names_of"]

WRITERS: Final = frozenset(
    [
        "append",
        "appendleft",
        "add",
        "extend",
        "extendleft",
        "insert",
        "update",
        "write",
        "writelines",
    ]
)
"""Methods that put something into a container, and read nothing out of it."""

ANYTHING: Final = frozenset(
    [
        "getattr",
        "vars",
        "__dict__",
        "attrgetter",
        "dir",
        "eval",
        "exec",
        "asdict",
        "astuple",
        "replace",
        "copy",
        "deepcopy",
        "dumps",
    ]
)
"""What reads attributes whose names the code does not have."""

TEXTS: Final = frozenset(
    ("globals", "eval", "exec", "locals", "attrgetter", "methodcaller", "hasattr", "getattr")
)
"""What takes names from texts."""

IMPORTS: Final = frozenset(("__import__", "import_module"))

STORES: Final = ("STORE_ATTR", "STORE_SUBSCR", "STORE_GLOBAL", "STORE_DEREF", "STORE_NAME")
GLOBALS: Final = ("LOAD_GLOBAL", "LOAD_NAME", "LOAD_FROM_DICT_OR_GLOBALS")
CELLS: Final = ("LOAD_DEREF", "LOAD_CLASSDEREF", "LOAD_FROM_DICT_OR_DEREF")
ATTRIBUTES: Final = ("LOAD_ATTR", "LOAD_METHOD", "LOAD_SUPER_ATTR", "IMPORT_FROM")
SILENT: Final = ("PUSH_NULL", "CACHE", "PRECALL", "EXTENDED_ARG", "COPY", "NOP")


class Names(NamedTuple):
    """What code reads: names of globals, of cells, of attributes and of modules that it imports.

    ``attributes``  but for those in chains: a global with the attributes that are read of it
    ``counted``  attributes that are read only to be put back: ``self.calls += 1``
    ``anything``  whether attributes are read whose names are not there
    ``assigns``  whether an attribute is assigned or deleted
    ``asks_identity``  whether something is compared with ``True`` or ``False`` by ``is``
    """

    globals: frozenset[str]
    cells: frozenset[str]
    attributes: frozenset[str]
    modules: frozenset[str]
    chains: frozenset[tuple[str, ...]]
    counted: frozenset[str]
    anything: bool
    asks_identity: bool
    assigns: bool


@lru_cache(maxsize=4096)
def names_of(code: CodeType) -> Names:
    """Return what a function reads, with the functions that are defined in it.

    A container that is only written into (``seen.append(x)``, ``count[0] += 1``) is not read.

    >>> def f(x):
    ...     seen.append(x)
    ...     return x * scale + config.offset
    >>> names = names_of(f.__code__)
    >>> sorted(names.globals), sorted(names.chains)
    (['config', 'scale'], [('config', 'offset'), ('scale',)])
    """
    found: dict[str, set[Any]] = {kind: set() for kind in Names._fields}
    for part in _with_parts(code):
        _collect(part, found)
    reads = found["attributes"] | {word for chain in found["chains"] for word in chain}
    if reads & TEXTS:
        words = {w for text in _texts(code) for w in re.findall(r"[^\W\d]\w*", text)}
        found["globals"] |= words
        found["attributes"] |= words
    if reads & IMPORTS:
        found["modules"].update(_texts(code))
    sets = [frozenset(found[kind]) for kind in Names._fields[:6]]
    flags = bool(reads & ANYTHING), bool(found["asks_identity"]), bool(found["assigns"])
    return Names._make((*sets, *flags))


def _with_parts(code: CodeType) -> Iterator[CodeType]:
    pending = [code]
    while pending:
        part = pending.pop()
        yield part
        pending += [x for x in part.co_consts if isinstance(x, CodeType)]


def _texts(code: CodeType) -> Iterator[str]:
    for part in _with_parts(code):
        yield from (x for x in part.co_consts if isinstance(x, str))


def _collect(code: CodeType, found: dict[str, set[Any]]) -> None:
    steps = [s for s in dis.get_instructions(code) if s.opname not in SILENT]
    written = {_start(s) for s in steps if s.opname in STORES} - {None}
    assigned = {s.argval for s in steps if s.opname == "STORE_ATTR"}
    idle = {i for i, step in enumerate(steps) if _start(step) in written or _is_idle(steps, i)}
    chained = 0  # where the chain ends that was found last
    for i, step in enumerate(steps):
        name, kind = step.argval, step.opname
        if kind == "IMPORT_NAME":
            found["modules"].add(name)
        elif kind == "IS_OP" and isinstance(steps[i - 1].argval, bool):
            found["asks_identity"].add(True)
        elif kind in ("STORE_ATTR", "DELETE_ATTR"):
            found["assigns"].add(True)
        elif i in idle:
            if kind in ATTRIBUTES and name in assigned:
                found["counted"].add(name)
        elif kind in GLOBALS:
            rest = _attributes(steps, idle, i + 1)
            chained = i + len(rest)
            found["globals"].add(name)
            found["chains"].add((name, *rest))
        elif kind in CELLS:
            found["cells"].add(name)
        elif kind in ATTRIBUTES and i > chained:
            found["attributes"].add(name)


def _is_idle(steps: list[dis.Instruction], i: int) -> bool:
    """Return whether what is read here is only written to, or counted."""
    following = steps[i + 1] if i + 1 < len(steps) else steps[i]
    if following.opname in ATTRIBUTES and following.argval in WRITERS:
        return True
    return _only_counts(steps[i : i + 5])


def _only_counts(steps: list[dis.Instruction]) -> bool:
    """Return whether a number is read, changed by a constant, and put back: ``n = n + 1``."""
    if len(steps) < 4 or steps[1].opname[:10] not in ("LOAD_CONST", "LOAD_SMALL"):
        return False
    if steps[2].opname != "BINARY_OP":
        return False
    back = steps[3] if steps[3].opname in STORES else steps[-1]
    return back.opname in STORES and back.argval == steps[0].argval is not None


def _attributes(steps: list[dis.Instruction], idle: set[int], i: int) -> list[str]:
    """Return the names of the attributes that are read one after the other from here on."""
    names = []
    while i < len(steps) and i not in idle and steps[i].opname in ("LOAD_ATTR", "LOAD_METHOD"):
        names.append(steps[i].argval)
        i += 1
    return names


def _start(step: dis.Instruction) -> tuple[int, int] | None:
    place = step.positions
    if place is None or place.lineno is None or place.col_offset is None:
        return None
    return place.lineno, place.col_offset
