"""Containers of numbers: taken apart into leaves, and put together again.

Lists, tuples, named tuples, dictionaries, dataclasses and Modules may hold numbers and arrays, and
each other. ``None``, texts and functions among them belong to the structure; everything else is a
leaf. The leaves of a Module are its parameters. `register` teaches a class of your own to be a
container.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from copy import copy
from dataclasses import fields, is_dataclass
from functools import cache
from typing import Any, NamedTuple

from ..errors import SizeError

__all__ = ["Leaf", "Tree", "flatten", "matching", "register", "take_apart"]

Parts = list[tuple[str, Any]]
Rebuild = Callable[[list[Any]], Any]


class Leaf(NamedTuple):
    """A leaf, and the way to it: ``[0].weight``."""

    path: str
    value: Any


class Tree(NamedTuple):
    """The structure of a container: how to build one like it, and what is inside.

    ``rebuild`` is ``None`` for a leaf; ``kind`` is the word for it in messages.
    """

    kind: str
    rebuild: Rebuild | None = None
    parts: tuple[tuple[str, Tree], ...] = ()

    def build(self, leaves: Iterable[Any]) -> Any:
        """A container like this one with other leaves."""
        return self._build(iter(leaves))

    def _build(self, leaves: Iterator[Any]) -> Any:
        if self.rebuild is None:
            return next(leaves)
        return self.rebuild([part._build(leaves) for _, part in self.parts])

    def __str__(self) -> str:
        if self.rebuild is None:
            return "*"
        inside = ", ".join(f"{name.strip('.')}={part}" for name, part in self.parts)
        return f"{self.kind}({inside})"

    def paths(self, path: str = "") -> list[str]:
        """The way to each leaf."""
        if self.rebuild is None:
            return [path]
        return [way for name, part in self.parts for way in part.paths(path + name)]

    def is_like(self, other: Tree) -> bool:
        """Whether another container has the same structure."""
        if self.kind != other.kind or len(self.parts) != len(other.parts):
            return False
        pairs = zip(self.parts, other.parts, strict=True)
        return all(name == twin and a.is_like(b) for (name, a), (twin, b) in pairs)


_LEAF = Tree("*")
_REGISTERED: dict[type, Callable[[Any], tuple[Parts, Rebuild]]] = {}
_leaf_kinds: dict[type, bool] = {float: True}
"""Types that were met before, and whether they are always leaves: one look instead of ten."""


def register(cls: type, apart: Callable[[Any], tuple[Parts, Rebuild]]) -> None:
    """Make ``cls`` and its subclasses containers.

    ``apart(x)`` gives the parts of x, pairs of a path (``".weight"``) and a value, and a function
    that builds another such container from a list of as many values.
    """
    _REGISTERED[cls] = apart
    _leaf_kinds.clear()


def flatten(x: Any) -> tuple[list[Leaf], Tree]:
    """The leaves of ``x`` in order, with the ways to them, and its structure.

    >>> leaves, tree = flatten({"w": [1.0, 2.0], "b": 3.0})
    >>> [leaf.path for leaf in leaves]
    ["['w'][0]", "['w'][1]", "['b']"]
    >>> tree.build([10.0, 20.0, 30.0])
    {'w': [10.0, 20.0], 'b': 30.0}
    """
    values, tree = take_apart(x)
    return list(map(Leaf, tree.paths(), values)), tree


def take_apart(x: Any) -> tuple[list[Any], Tree]:
    """The leaves of ``x`` themselves, and its structure: `flatten` in half the time."""
    values: list[Any] = []
    return values, _taken(x, values)


def _taken(x: Any, values: list[Any]) -> Tree:
    kind = type(x)
    leaf = _leaf_kinds.get(kind)
    if leaf is None:
        leaf = _leaf_kinds[kind] = _is_never_apart(kind)
    if leaf:
        values.append(x)
        return _LEAF
    apart = _apart(x)
    if apart is None:
        values.append(x)
        return _LEAF
    parts, rebuild = apart
    return Tree(
        kind.__name__, rebuild, tuple([(name, _taken(part, values)) for name, part in parts])
    )


def _is_never_apart(kind: type) -> bool:
    """Whether no object of a type is a container, or a part of the structure."""
    containers: Any = (list, tuple, dict, str, bytes, type(None), *_REGISTERED)
    is_callable = any("__call__" in vars(base) for base in kind.__mro__)
    return not (issubclass(kind, containers) or is_dataclass(kind) or is_callable)


def _apart(x: Any) -> tuple[Parts, Rebuild] | None:
    """The parts of a container and how to build another one; ``None`` for a leaf."""
    kind = type(x)
    if x is None or isinstance(x, (str, bytes)) or (callable(x) and not _known(x)):
        return [], lambda parts: x
    if isinstance(x, (list, tuple)):
        return list(zip(_indices(len(x)), x, strict=True)), _sequence(kind)
    if isinstance(x, dict):
        return [(f"[{key!r}]", part) for key, part in x.items()], lambda parts: _mapping(x, parts)
    for cls, apart in _REGISTERED.items():
        if isinstance(x, cls):
            return apart(x)
    if is_dataclass(x) and not isinstance(x, type):
        return _dataclass(x)
    return None


@cache
def _indices(count: int) -> list[str]:
    return [f"[{i}]" for i in range(count)]


def _sequence(kind: Any) -> Rebuild:
    return (lambda parts: kind(*parts)) if hasattr(kind, "_fields") else kind


def _mapping(like: dict[Any, Any], parts: list[Any]) -> Any:
    new = copy(like)  # of whatever kind it is
    new.update(zip(like, parts, strict=True))
    return new


def _known(x: Any) -> bool:
    return isinstance(x, tuple(_REGISTERED)) or is_dataclass(x)


def _dataclass(x: Any) -> tuple[Parts, Rebuild]:
    names = [field.name for field in fields(x)]

    def rebuild(parts: list[Any]) -> Any:
        new = object.__new__(type(x))
        for name, part in zip(names, parts, strict=True):
            object.__setattr__(new, name, part)  # a frozen one has no other way
        return new

    return [(f".{name}", getattr(x, name)) for name in names], rebuild


def matching(x: Any, tree: Tree, where: str, like: str) -> list[Any]:
    """The leaves of ``x``, which has to have the structure ``tree`` of ``like``."""
    values, found = take_apart(x)
    if found.is_like(tree):
        return values
    raise SizeError(
        where=where,
        expected=f"the structure of {like}, {tree}",
        got=str(found),
        fix="Each * stands for one number or array; put them into the same containers.",
    )
