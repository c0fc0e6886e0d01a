"""Where an explanation points: lines of the user's program, and names of leaves."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from types import FrameType
from typing import Any, ClassVar

from ..core.carrier import is_tensor
from ..core.expect import is_array
from ..core.places import user_frames
from ..engine.observing import Observer, line_of, remember_line
from ..engine.value import Value
from ..levels.level import Tracer
from .names import attributes, parameters, scopes, variables

__all__ = ["Namer", "line_of", "lines", "remember_line"]

SMALL = 64  # elements of an array that nodes copy
CALLERS = 3  # frames of the program whose variables give names


class lines(Observer):  # noqa: N801  (a context, as `no_grad`)
    """A context inside which Values record the line of the program that computed them.

    Tensors always do. `why` and `trap` show the lines. An operation takes 1.6 times as long.

    Examples
    --------
    >>> from gradwalk import Value, log
    >>> from gradwalk.inspect import lines, why
    >>> with lines():
    ...     y = log(Value(0.0)) * 2.0
    >>> "log" in str(why(y))
    True
    """

    all: ClassVar[bool] = False
    lines: ClassVar[bool] = True


def _is_carrier(thing: object) -> bool:
    return type(thing) is Value or (is_tensor(thing) and not isinstance(thing, Tracer))


def _is_copy(a: Any, b: Any) -> bool:
    """Return whether two small arrays are equal: nodes keep copies of small constants."""
    if getattr(a, "size", 0) > SMALL or getattr(a, "shape", ()) != getattr(b, "shape", None):
        return False
    return bool(((a == b) | ((a != a) & (b != b))).all())


class Namer:
    """Names for leaves, from the variables of the callers of ``frame``."""

    def __init__(self, frame: FrameType | None) -> None:
        found = user_frames(frame) if frame is not None else iter(())
        self.frames: list[FrameType] = list(islice(found, CALLERS))
        self.known: dict[int, str] = {}
        self.found: dict[int, str] | None = None  # by the ids of Values and nodes, on demand

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
        for frame in self.frames:
            for scope in scopes(True, frame):
                yield from variables(scope, _is_carrier)
            yield from parameters(True, frame)
            yield from attributes(True, frame, _is_carrier)

    def array(self, array: Any) -> str:
        """Return the name of an array, or of a Tensor that holds it, ``""`` if it has none."""
        if array is None:
            return ""
        for frame in self.frames:
            for scope in scopes(True, frame):
                for thing, name in variables(scope, lambda x: is_array(x) or _is_carrier(x)):
                    data = getattr(thing, "_data", thing)
                    if data is array or getattr(data, "base", None) is array:
                        return name
                    if _is_copy(array, data):
                        return name
        return ""

    def values(self) -> Iterator[Value]:
        """Yield the Values in the variables of the program."""
        for frame in self.frames:
            for scope in scopes(True, frame):
                found = variables(scope, lambda thing: type(thing) is Value)
                yield from (thing for thing, _ in found)
