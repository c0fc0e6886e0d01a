"""Where an explanation points: lines of the user's program, and names of leaves."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from itertools import islice
from types import FrameType
from typing import Any, ClassVar

from ..core.carrier import is_tensor
from ..core.expect import is_array
from ..core.places import user_frames
from ..engine.node import ancestors
from ..engine.observing import Observer, line_of, remember_line
from ..engine.reverse import OutputSum
from ..engine.value import Value
from ..errors import FreedGraphError
from ..levels.level import Tracer
from .names import attributes, parameters, scopes, variables

__all__ = ["Namer", "depending", "line_of", "lines", "numbers_of", "remember_line"]

MANY = 2_000_000  # nodes that are walked to find the largest graph
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


def _size(array: Any) -> float:
    """Return the largest finite number of an array, in absolute value."""
    import numpy as np

    if array.dtype.kind != "f":
        return 0.0
    return float(np.abs(array[np.isfinite(array)]).max(initial=0.0))


def _has_numbers(thing: object) -> bool:
    return is_array(thing) or _is_carrier(thing) or hasattr(type(thing), "data_ptr")


def numbers_of(thing: Any) -> Any:
    """Return the array of a Tensor, also of PyTorch's."""
    if hasattr(type(thing), "data_ptr"):
        return _of_torch(thing)
    return getattr(thing, "_data", thing)


def _of_torch(thing: Any) -> Any:
    """Return a tensor of PyTorch as an array of NumPy, ``None`` if NumPy has no such numbers."""
    try:
        return thing.detach().cpu().numpy()
    except (TypeError, RuntimeError):  # bfloat16, sparse, a tensor of a transform
        return None


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
                for thing, name in variables(scope, _has_numbers):
                    data = numbers_of(thing)
                    if data is array or getattr(data, "base", None) is array:
                        return name
                    if _is_copy(array, data):
                        return name
        return ""

    def number(self, x: float) -> str:
        """Return the name of the only variable that is a number, ``""`` if none or several are."""
        wanted = repr(float(x))  # a NaN equals no other
        for frame in self.frames:
            found = dict[str, None]()
            for scope in scopes(True, frame):
                numbers = variables(scope, lambda thing: isinstance(thing, float))
                found |= {name: None for y, name in numbers if repr(float(y)) == wanted}
            if found:
                return next(iter(found)) if len(found) == 1 else ""
        return ""

    def largest(self) -> tuple[str, float]:
        """Return the leaf with the largest number of all, in absolute value, and this number."""
        found = ("", 0.0)
        for thing, name in self._names():
            if getattr(thing, "op", "") or not getattr(thing, "requires_grad", True):
                continue
            data = thing.data
            size = abs(data) if isinstance(data, float) else _size(data)
            found = max(found, (name, size), key=lambda pair: pair[1])
        return found

    def values(self) -> Iterator[Value]:
        """Yield the Values in the variables of the program."""
        for frame in self.frames:
            for scope in scopes(True, frame):
                found = variables(scope, lambda thing: type(thing) is Value)
                yield from (thing for thing, _ in found)


def depending(x: Value, values: Iterable[Value]) -> Iterator[Value]:
    """Yield those of ``values`` that depend on ``x``, the results of the largest graphs first.

    All graphs are walked together: a program that keeps its inner results in a list has thousands.
    """
    given = [v for v in dict.fromkeys(values) if v.op]
    if len(given) == 1:  # as almost always, and in a third of the time
        with suppress(FreedGraphError):
            yield from given if given[0] is not x and x in {*ancestors(given[0])} else ()
        return
    root: Any = OutputSum(tuple(given))
    order: list[Any] = [n for n in ancestors(root, whole=False) if n is not root] if given else []
    reached = {x: True}  # and for each node that depends on x whether its graph is whole
    whole = dict[Any, bool]()
    for node in order:
        below = [i for i in node._inputs or () if type(i) is not float and i in whole]
        whole[node] = node._inputs is not None and all(map(whole.__getitem__, below))
        if not reached.keys().isdisjoint(below):
            reached[node] = True
    wanted = {v: i for i, v in enumerate(given) if v in reached and whole[v] and v is not x}
    last = _not_below(wanted, order)
    if 1 < len(last) <= MANY / len(order):
        last.sort(key=lambda v: (-len(ancestors(v)), wanted[v]))
    yield from last
    rest = wanted.keys() - {*last}
    yield from [v for v in reversed(order) if v in rest]


def _not_below(wanted: Iterable[Any], order: Sequence[Any]) -> list[Any]:
    """Return the nodes that no other of them was computed from, the last ones first."""
    chosen, below, found = {*wanted}, set[Any](), list[Any]()
    for node in reversed(order):
        if node in chosen and node not in below:
            found.append(node)
        if node in chosen or node in below:
            below.update([i for i in node._inputs or () if type(i) is not float])
    return found
