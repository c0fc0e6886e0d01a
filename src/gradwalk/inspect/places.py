"""Where an explanation points: lines of the user's program, and names of leaves."""

from __future__ import annotations

import linecache
from collections.abc import Iterator
from itertools import islice
from types import CodeType, FrameType
from typing import Any
from weakref import WeakKeyDictionary

from ..core.carrier import is_tensor
from ..engine.observing import HOME, Observer, line_of_caller
from ..engine.value import Value
from .names import attributes, parameters, scopes, variables

__all__ = ["Line", "Namer", "line_of", "lines", "place", "short_place", "source_of"]

Line = tuple[CodeType, int]
"""A code object and an offset in it, from which the line is computed when it is shown."""

_recorded: WeakKeyDictionary[Any, tuple[CodeType, int]] = WeakKeyDictionary()
FRAMES = 20  # how far up the calls the user's frames are searched
CALLERS = 3  # of these, how many give names


class lines(Observer):  # noqa: N801  (a context, as `no_grad`)
    """A context inside which Values record the line of the program that computed them.

    Tensors always do. `why` and `trap` show the lines.

    >>> from gradwalk import Value, log
    >>> from gradwalk.inspect import lines, why
    >>> with lines():
    ...     y = log(Value(0.0)) * 2.0
    >>> "log" in str(why(y))
    True
    """

    def operation(self, primitive: Any, args: Any, result: Any) -> None:
        """Store the line of an operation on Values."""
        if type(result) is Value and primitive is not None:
            line = line_of_caller()
            if line is not None:
                _recorded[result] = line


def line_of(node: Any) -> Line | None:
    """Return where a Value was computed, if that was recorded."""
    return _recorded.get(node)


def _located(line: Line | None) -> tuple[str, int]:
    """Return file and line; no file for a line of gradwalk itself, or for none."""
    if line is None or line[0].co_filename.startswith(HOME):
        return "", 0
    code, offset = line
    number = next((n for a, b, n in code.co_lines() if a <= offset < b and n), code.co_firstlineno)
    return code.co_filename, number


def short_place(line: Line | None) -> str:
    """Return ``train.py, line 12``, or ``""`` if the line is unknown."""
    file, number = _located(line)
    name = file.replace("\\", "/").rpartition("/")[2]
    return f"{name}, line {number}" if file else ""


def source_of(line: Line | None) -> tuple[str, str]:
    """Return ``train.py:12`` and the text of the line, empty if the line is unknown."""
    file, number = _located(line)
    name = file.replace("\\", "/").rpartition("/")[2]
    return (f"{name}:{number}", linecache.getline(file, number).strip()) if file else ("", "")


def place(line: Line | None) -> str:
    """Return a line of the program and where it stands: ``y = x.log()  (train.py, line 12)``."""
    file, number = _located(line)
    text = linecache.getline(file, number).strip() if file else ""
    return f"{text}   ({short_place(line)})" if text else short_place(line)


def _is_carrier(thing: object) -> bool:
    return type(thing) is Value or is_tensor(thing)


class Namer:
    """Names for leaves, from the variables of the callers of ``frame``."""

    def __init__(self, frame: FrameType | None) -> None:
        self.frame = frame
        self.known: dict[int, str] = {}
        self.found: dict[int, str] | None = None  # by the ids of Values and nodes, on demand

    def frames(self) -> Iterator[FrameType]:
        """Yield the frames of the user's program, the nearest first."""
        frame = self.frame
        for _ in range(FRAMES):
            if frame is None:
                return
            if not frame.f_code.co_filename.startswith(HOME):
                yield frame
            frame = frame.f_back

    def name(self, leaf: Any) -> str:
        """Return the name of a leaf or a node, ``""`` if it has none."""
        if getattr(leaf, "label", ""):
            return str(leaf.label)
        if self.found is None:
            self.found = {}
            for thing, name in self._names():
                node = getattr(thing, "_node", None) if is_tensor(thing) else thing
                self.found.setdefault(id(thing if node is None else node), name)
        return self.known.get(id(leaf)) or self.found.get(id(leaf), "")

    def _names(self) -> Iterator[tuple[Any, str]]:
        for frame in islice(self.frames(), CALLERS):
            for scope in scopes(True, frame):
                yield from variables(scope, _is_carrier)
            yield from parameters(True, frame)
            yield from attributes(True, frame, _is_carrier)

    def values(self) -> Iterator[Value]:
        """Yield the Values in the variables of the program."""
        for frame in islice(self.frames(), CALLERS):
            for scope in scopes(True, frame):
                found = variables(scope, lambda thing: type(thing) is Value)
                yield from (thing for thing, _ in found)
