"""Poisoning of Tensors that leaked from a transform, and of everything that depends on them."""

from __future__ import annotations

import gc
from collections.abc import Iterable, Iterator
from typing import Any

from ...core.leaked import Leaked
from .convert import ValueSource
from .node import CONSTANT_NODE, Node
from .tensor import Tensor

__all__ = ["LeakedTensor", "poison"]


class LeakedTensor(Leaked, Tensor):  # type: ignore[override]  # Leaked has a rank of its own
    """A Tensor that leaked from a transform, or depends on one: every use is an error."""

    __slots__ = ()


def poison(leaves: Iterable[Any]) -> None:
    """Make every later use of these Tensors, and of everything computed from them, an error.

    ``leaves`` are Tensors or their nodes. Tensors that depend on a leaked Value are poisoned,
    too. The graph of all these is freed. Tensors are found among the objects that the garbage
    collector tracks; `gc.freeze` hides objects from it.
    """
    pending = [node for node in map(_node_of, leaves) if node is not None]
    consumers: dict[Node, list[Node]] = {}
    handles = []
    for thing in gc.get_objects():
        if type(thing) is Tensor:
            handles.append(thing)
        elif issubclass(type(thing), Node):
            for operand in _inputs_of(thing):
                consumers.setdefault(operand, []).append(thing)
            if type(thing) is ValueSource and any(isinstance(v, Leaked) for v in thing.values):
                pending.append(thing)
    dependent = set(_dependents(pending, consumers))
    for node in dependent:  # its residuals would keep the write guard from allowing writes
        node.release()
    for tensor in handles:
        if getattr(tensor, "_node", None) in dependent:
            tensor.__class__ = LeakedTensor


def _node_of(leaf: object) -> Any:
    return leaf if isinstance(leaf, Node) else _slot.__get__(leaf)


_slot: Any = vars(Tensor)["_node"]  # also readable on a LeakedTensor, unlike the attribute


def _inputs_of(node: Node) -> Iterator[Node]:
    inputs = getattr(node, "_inputs", None) or ()  # None once freed, absent at first
    return (operand for operand in inputs if operand is not CONSTANT_NODE)


def _dependents(pending: list[Node], consumers: dict[Node, list[Node]]) -> Iterator[Node]:
    while pending:
        node = pending.pop()
        yield node
        pending += consumers.pop(node, ())  # popped, so that no edge is followed twice
