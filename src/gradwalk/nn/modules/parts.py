"""The parts of a module: which attributes are parameters, buffers and modules."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, TypeVar

from ...core.carrier import Carrier, is_tensor
from ...engine.scalar import Scalar
from ...engine.value import Value
from ...levels.level import Tracer

__all__ = ["Owner", "Parts", "is_trained", "members", "traverse"]

T = TypeVar("T")


class Parts(list[T]):
    """A list that ``next`` takes, too: PyTorch's methods return generators.

    >>> from gradwalk.nn import Linear
    >>> next(Linear(2, 1).parameters()).shape
    (1, 2)
    """

    _rest: Iterator[T] | None = None
    owner: Owner | None = None
    """The module whose parameters these are."""

    def __next__(self) -> T:
        if self._rest is None:
            self._rest = iter(self)
        return next(self._rest)


class Owner:
    """The base of `Module`: an object whose attributes may be parameters."""

    _parameter_names: frozenset[str] = frozenset()  # of Tensors, frozen ones too
    _buffer_names: frozenset[str] = frozenset()
    _unsaved_names: frozenset[str] = frozenset()


def is_trained(tensor: Any) -> bool:
    """Return whether a Tensor is a leaf that gets gradients."""
    if isinstance(tensor, Tracer):
        return True
    return tensor._node is not None and tensor._node._primitive is None


def traverse(root: Owner, deep: bool = True) -> Iterator[tuple[str, str, Any]]:
    """Yield name, kind and object of every part of ``root``, once each, parents first.

    The stack is a list, so that no depth of modules meets Python's limit of recursion.
    """
    yield "", "module", root
    seen = {id(root)}
    path: list[tuple[str, Any, Iterator[tuple[Any, Any]]]] = [("", root, members(root))]
    while path:
        prefix, owner, rest = path[-1]
        for key, part in rest:
            if type(part) in _PLAIN or not isinstance(part, _PARTS) or id(part) in seen:
                continue
            seen.add(id(part))
            name = f"{prefix}{key}"
            if isinstance(part, Carrier):
                if kind := _kind(owner, key, part):
                    yield name, kind, part
                continue
            if isinstance(part, Owner):
                yield name, "module", part
                if not deep:
                    continue
            path.append((f"{name}.", part, members(part)))
            break
        else:
            path.pop()


_PARTS = (Carrier, Owner, list, tuple, dict)
_PLAIN = {
    bool,
    int,
    float,
    str,
    type(None),
    frozenset,
}  # most attributes: skipped without isinstance


def _kind(owner: object, key: object, part: Any) -> str:
    """Return "parameter", "buffer" or "unsaved" for a part of ``owner``; ``""`` for a result."""
    if isinstance(part, Value):
        return "" if part._primitive is not None else "parameter"
    if isinstance(part, Scalar):  # a tracer, which replaces a Value while a transform runs
        return "parameter"
    if not is_tensor(part):
        return ""
    if isinstance(owner, Owner):
        if key in owner._buffer_names:
            return "unsaved" if key in owner._unsaved_names else "buffer"
        return "parameter" if key in owner._parameter_names else ""
    return "parameter" if is_trained(part) else ""


def members(part: Any) -> Iterator[tuple[Any, Any]]:
    """Return an iterator over the names and parts of a module or a container."""
    if isinstance(part, Owner):
        part = vars(part)
    return iter(part.items()) if isinstance(part, dict) else enumerate(part)
