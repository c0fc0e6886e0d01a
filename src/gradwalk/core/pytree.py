"""Pytrees: containers of numbers, flattened into a list of leaves and unflattened again.

Lists, tuples, named tuples, dictionaries, dataclasses and Modules may hold numbers, arrays and each
other. ``None``, strings and functions inside them belong to the structure; everything else is a
leaf. The leaves of a Module are its parameters. `register_pytree` adds a class of the user.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from contextvars import ContextVar
from copy import copy
from dataclasses import fields, is_dataclass
from functools import partial
from typing import Any, NamedTuple, TypeVar

from ..errors import OptionError, SizeError
from .expect import describe

__all__ = ["LEAF", "Container", "Leaf", "PyTree", "flatten", "flatten_like", "flatten_with_paths"]
__all__ += ["containers", "no_parts", "register", "register_pytree", "whole"]

T = TypeVar("T")
Metadata = TypeVar("Metadata")
Rebuild = Callable[[list[Any]], Any]
Parts = tuple[Sequence[object], Sequence[Any], Rebuild]
"""The keys of a container, its children, and a function that makes one like it of others."""


whole: ContextVar[bool] = ContextVar("whole", default=False)
"""Whether Modules have no parts: a function that trains one gets the Module itself."""


class Leaf(NamedTuple):
    """A leaf and its path: ``[0].weight``."""

    path: str
    value: Any


class Container(NamedTuple):
    """A class of containers: its name in messages, how a key looks in a path, and its parts."""

    name: str
    style: str
    parts_of: Callable[[Any], Parts]


class PyTree:
    """The structure of a container: its class, its keys, and the structure of each child.

    ``rebuild`` is ``None`` for a leaf.
    """

    __slots__ = ("children", "container", "keys", "rebuild")

    children: Sequence[PyTree]
    container: Container
    keys: Sequence[object]
    rebuild: Rebuild | None

    def __init__(
        self,
        container: Container,
        keys: Sequence[object] = (),
        children: Sequence[PyTree] = (),
        rebuild: Rebuild | None = None,
    ) -> None:
        self.container, self.keys, self.children, self.rebuild = container, keys, children, rebuild

    def unflatten(self, leaves: Iterable[Any]) -> Any:
        """Return a container of this structure with ``leaves`` in it."""
        rest = iter(leaves)  # an iterator is its own iterator: children continue with it
        if self.rebuild is None:
            return next(rest)
        # most children are leaves: testing for them here saves a call for each
        return self.rebuild([next(rest) if c is LEAF else c.unflatten(rest) for c in self.children])

    @property
    def kind(self) -> str:
        """The name of the class in messages."""
        return self.container.name

    @property
    def names(self) -> list[str]:
        """The step from the container to each child: ``[0]`` or ``.weight``."""
        # computed on demand, because only messages and comparisons need text
        return [self.container.style.format(key) for key in self.keys]

    @property
    def size(self) -> int:
        """The number of leaves."""
        return 1 if self.rebuild is None else sum(child.size for child in self.children)

    def paths(self, path: str = "") -> list[str]:
        """Return the path of each leaf."""
        if self.rebuild is None:
            return [path]
        pairs = zip(self.names, self.children, strict=True)
        return [longer for name, child in pairs for longer in child.paths(path + name)]

    def matches(self, other: PyTree) -> bool:
        """Return whether another container has the same structure."""
        if self is other:
            return True
        if self.kind != other.kind or len(self.children) != len(other.children):
            return False
        pairs = zip(self.children, other.children, strict=True)
        return self.names == other.names and all(a.matches(b) for a, b in pairs)

    def __str__(self) -> str:
        if self.rebuild is None:
            return "*"
        pairs = zip(self.names, self.children, strict=True)
        inside = ", ".join(f"{name.strip('.')}={child}" for name, child in pairs)
        return f"{self.kind}({inside})"


def no_parts(x: object) -> Parts:
    """Return the parts of what belongs to a structure: text, None, functions."""
    return (), (), lambda parts: x


LEAF = PyTree(Container("*", "", no_parts))
"""The structure of every leaf. There is one, so that ``is LEAF`` finds leaves."""


def flatten(x: object) -> tuple[list[Any], PyTree]:
    """Return the leaves of ``x`` in order, and its structure.

    >>> leaves, structure = flatten({"w": [1.0, 2.0], "b": 3.0})
    >>> leaves
    [1.0, 2.0, 3.0]
    >>> structure.unflatten([10.0, 20.0, 30.0])
    {'w': [10.0, 20.0], 'b': 30.0}
    """
    container = containers[type(x)]
    if container is None:
        return [x], LEAF
    leaves: list[Any] = []
    try:
        return leaves, _flatten(x, container, leaves)
    except RecursionError:
        got, fix = describe(x), "Remove the reference from the container to itself."
        limit = "a container that is not nested without end"
        raise SizeError(where="flattening", expected=limit, got=got, fix=fix) from None


def _flatten(x: object, container: Container, leaves: list[Any]) -> PyTree:
    """Append the leaves of a container to ``leaves`` and return its structure."""
    keys, values, rebuild = container.parts_of(x)
    children = []
    for value in values:
        inner = containers[type(value)]
        if inner is None:
            leaves.append(value)
            children.append(LEAF)
        else:
            children.append(_flatten(value, inner, leaves))
    return PyTree(container, keys, children, rebuild)


def flatten_with_paths(x: object) -> tuple[list[Leaf], PyTree]:
    """Return the leaves of ``x`` in order, each with its path, and the structure of ``x``.

    >>> leaves, structure = flatten_with_paths({"w": [1.0, 2.0], "b": 3.0})
    >>> [leaf.path for leaf in leaves]
    ["['w'][0]", "['w'][1]", "['b']"]
    """
    values, structure = flatten(x)
    return list(map(Leaf, structure.paths(), values)), structure


def flatten_like(x: object, structure: PyTree, where: str, like: str) -> list[Any]:
    """Return the leaves of ``x``. Raise `SizeError` if it does not have this structure."""
    values, actual = flatten(x)
    if actual.matches(structure):
        return values
    raise SizeError(
        where=where,
        expected=f"the structure of {like}, {structure}",
        got=str(actual),
        fix="Put one number or array for each * into the same containers.",
    )


# --- classes --------------------------------------------------------------------------------------


def register_pytree(
    cls: type[T],
    flatten: Callable[[T], tuple[Iterable[Any], Metadata]],
    unflatten: Callable[[Metadata, list[Any]], T],
) -> None:
    """Make ``cls`` and its subclasses containers, which all transforms look into.

    Both functions are called with traced values inside transforms, so they should only store what
    they are given.

    Parameters
    ----------
    cls
        The class.
    flatten
        ``flatten(x)`` returns the children of ``x``, which may be numbers, arrays or containers,
        and whatever else is needed to make another one: the metadata, which stays constant.
    unflatten
        ``unflatten(metadata, children)`` makes one from a list of as many children.

    Raises
    ------
    OptionError
        If ``cls`` is no class, or one of Python's own containers or numbers, or the others are no
        functions.

    Examples
    --------
    >>> from gradwalk import grad, register_pytree
    >>> class Line:
    ...     def __init__(self, slope, offset, name):
    ...         self.slope, self.offset, self.name = slope, offset, name
    >>> register_pytree(
    ...     Line,
    ...     flatten=lambda line: ((line.slope, line.offset), line.name),
    ...     unflatten=lambda name, children: Line(*children, name),
    ... )
    >>> gradient = grad(lambda line, x: line.slope * x + line.offset)(Line(2.0, 1.0, "a"), 3.0)
    >>> gradient.slope, gradient.offset, gradient.name
    (3.0, 1.0, 'a')
    """
    _expect_registration(cls, flatten, unflatten)

    def parts_of(x: T) -> Parts:
        children, metadata = flatten(x)
        return range(len(members := list(children))), members, partial(unflatten, metadata)

    register(cls, "[{!r}]", parts_of)


def _expect_registration(cls: object, *functions: object) -> None:
    reserved = any(cls is kind for kind in (list, tuple, dict, float, int, str))
    if isinstance(cls, type) and not reserved and all(map(callable, functions)):
        return
    raise OptionError(
        where="register_pytree",
        expected="a class of yours and two functions",
        got=", ".join(map(describe, (cls, *functions))),
        fix="Write register_pytree(Line, lambda line: ((line.a, line.b), None), "
        "lambda metadata, children: Line(*children)).",
    )


def register(cls: type, style: str, parts_of: Callable[[Any], Parts]) -> None:
    """Make ``cls`` and its subclasses containers whose keys look like ``style`` in paths."""
    _registered[cls] = (style, parts_of)
    containers.clear()  # a subclass may have been found to be a leaf before


_registered: dict[type, tuple[str, Callable[[Any], Parts]]] = {}


class _Containers(dict[type, "Container | None"]):
    """How each class is flattened, found once per class; ``None`` for a class of leaves."""

    def __missing__(self, cls: type) -> Container | None:
        return self.setdefault(cls, _container_of(cls))


containers: dict[type, Container | None] = _Containers()


def _container_of(cls: type) -> Container | None:
    """Return how objects of a class are flattened; ``None`` if they are leaves."""
    for base in cls.__mro__:  # the nearest base decides
        if base in _registered:
            return Container(cls.__name__, *_registered[base])
    if cls.__module__[:6] == "pandas" and hasattr(cls, "to_numpy"):  # becomes an array
        return Container(cls.__name__, "", lambda x: ((0,), (x.to_numpy(),), lambda y: y[0]))
    is_callable = any("__call__" in vars(b) for b in cls.__mro__) and not issubclass(cls, int)
    if issubclass(cls, (str, bytes, type(None))) or (is_callable and not is_dataclass(cls)):
        return Container(cls.__name__, "", no_parts)
    if issubclass(cls, (list, tuple)):
        return Container(cls.__name__, "[{!r}]", _members_of(cls))
    if issubclass(cls, dict):
        return Container(cls.__name__, "[{!r}]", _items_of)
    if is_dataclass(cls):
        return Container(cls.__name__, ".{}", _fields_of(cls))
    return None


def _members_of(cls: Any) -> Callable[[Sequence[Any]], Parts]:
    """Return the function that gives the parts of a list, a tuple or a named tuple."""
    rebuild: Rebuild = (lambda parts: cls(*parts)) if hasattr(cls, "_fields") else cls
    return lambda x: (range(len(x)), x, rebuild)


def _items_of(x: dict[Any, Any]) -> Parts:
    def rebuild(parts: list[Any]) -> dict[Any, Any]:
        new = copy(x)  # also a defaultdict or an OrderedDict
        new.update(zip(x, parts, strict=True))
        return new

    return tuple(x), list(x.values()), rebuild


def _fields_of(cls: Any) -> Callable[[Any], Parts]:
    """Return the function that gives the parts of a dataclass."""
    names = [field.name for field in fields(cls)]

    def rebuild(like: type, parts: list[Any]) -> Any:
        # without the constructor, which may check or convert what it gets
        new: Any = object.__new__(like)
        for name, part in zip(names, parts, strict=True):
            object.__setattr__(new, name, part)  # also of a frozen one
        return new

    def parts_of(x: object) -> Parts:
        return names, [getattr(x, name) for name in names], lambda parts: rebuild(type(x), parts)

    return parts_of
