"""Nodes of a recorded graph: what they have in common on every engine, and their order.

A node is its payload, its row, the ordered tuple of its operands, and a label. There are no
closures and no cycles, so a graph dies by reference counting alone, and nothing here recurses: a
chain of ten million nodes is as good as one of ten.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator, Sequence
from typing import Any, ClassVar, Self

from ..core.expect import describe
from ..core.primitive import Primitive
from ..errors import FreedGraphError, OptionError
from .scalar import Scalar

__all__ = ["CONSTANT", "Node", "ancestors", "constant_data", "freed", "inputs_of", "is_constant"]
__all__ += ["pause", "pauses", "recording", "pass_lock"]

CONSTANT = Primitive("", (), forward=float)
"""The row of a leaf that stands for a plain number in the program: it gets no gradient."""

pass_lock = threading.RLock()
"""Held by every sweep: two sweeps may share leaves, so the second one waits."""


class _Recording(threading.local):
    paused = 0  # how many no_grad blocks this thread is in


class _Pauses:
    threads = 0  # how many blocks all threads are in


recording, pauses = _Recording(), _Pauses()
"""Whether operations are recorded in this thread, and whether any thread has to ask: a glance at
``pauses.threads`` spares thread-local storage. The engines of Values keep their own account."""


def pause(step: int) -> None:
    """Enter (+1) or leave (-1) a block in which this thread records no Tensors."""
    with _pausing:
        recording.paused += step
        pauses.threads += step


_pausing = threading.Lock()


class Node(Scalar):
    """The half of a `Value` that does not depend on the engine.

    The engine gives ``data``, ``grad``, ``label``; ``_primitive`` (``None`` for a leaf, `CONSTANT`
    for a number of the program); ``_inputs``, the operands with such numbers left as floats;
    ``operands``, the same with leaves in their place; and the constructor ``_make``.
    """

    __slots__ = ()

    data: float
    grad: float
    label: str
    _primitive: Primitive | None
    _inputs: tuple[Any, ...]
    operands: tuple[Any, ...]
    _pickling: ClassVar[set[int]] = set()

    @classmethod
    def _make(cls, primitive: Primitive | None, data: float, inputs: tuple[Any, ...]) -> Self:
        raise NotImplementedError

    def _backward(self, seed: float, retain_graph: bool) -> None:
        raise NotImplementedError

    def backward(self, retain_graph: bool = True) -> None:
        """Add ∂self/∂leaf to ``grad`` of every leaf that this node was computed from.

        Leaves accumulate from call to call (reset them with ``leaf.grad = 0.0``); inner nodes hold
        the gradient of the last sweep, so calling this twice is right. ``retain_graph=False``
        releases the operands of the inner nodes; a later walk over them is a `FreedGraphError`.

        >>> from gradwalk import Value
        >>> x = Value(3.0)
        >>> (x * x + x).backward()
        >>> x.grad
        7.0
        """
        if not isinstance(retain_graph, bool):
            raise OptionError(
                where="backward(retain_graph=...)",
                expected="True or False",
                got=describe(retain_graph),
                fix="The seed is always 1: to weight a result write (2.0 * y).backward().",
            )
        with pass_lock:
            self._backward(1.0, retain_graph)

    @property
    def op(self) -> str:
        """Name of the row that computed this node; ``""`` for a leaf."""
        return "" if self._primitive is None else self._primitive.name

    @property
    def local_gradients(self) -> tuple[float, ...]:
        """∂self/∂operand for each operand, computed now; 0.0 where no gradient flows."""
        if self._primitive is None or not self.operands:
            return ()
        return self._primitive.slopes(self.data, [operand.data for operand in self.operands])

    @property
    def _prev(self) -> tuple[Any, ...]:
        """micrograd's name for `operands`."""
        return self.operands

    @property
    def _op(self) -> str:
        """micrograd's name for `op`."""
        return self.op

    def detach(self) -> Self:
        """A new leaf with the same number, through which no gradient passes."""
        return self._make(None, self.data, ())

    def __repr__(self) -> str:
        label = f", label={self.label!r}" if self.label else ""
        return f"Value({self.data!r}, grad={self.grad!r}{label})"

    # --- copies of whole graphs ----------------------------------------------------------------

    def __reduce_ex__(self, protocol: Any) -> tuple[Any, ...]:
        """All ancestors first, operands before consumers, so that pickling never recurses."""
        inputs = tuple(constant_data(i) if is_constant(i) else i for i in inputs_of(self))
        parts = (type(self), self._primitive, self.data, self.grad, self.label, inputs)
        if not inputs or id(self) in Node._pickling:
            return _restore, (None, *parts)
        return _restore, (_Ancestors(self), *parts)


def is_constant(operand: Any) -> bool:
    """Whether an operand is a number of the program: it takes part, but gets no gradient."""
    return type(operand) is float or operand._primitive is CONSTANT


def constant_data(operand: Any) -> float:
    """The number in an operand that is a constant."""
    return operand if type(operand) is float else operand.data


class _Ancestors:
    """The ancestors of a node as a pickler meets them: one at a time, each after its operands."""

    def __init__(self, node: Node) -> None:
        self.node = node

    def __reduce__(self) -> tuple[Any, ...]:
        return list, (), None, self._walk()

    def _walk(self) -> Iterator[Node]:
        nodes = ancestors(self.node)[:-1]
        mine = {id(node) for node in nodes} - Node._pickling
        Node._pickling |= mine
        try:
            yield from nodes
        finally:
            Node._pickling -= mine


def _restore(
    ancestors: list[Node] | None,
    cls: type[Node],
    primitive: Primitive | None,
    data: float,
    grad: float,
    label: str,
    inputs: tuple[Any, ...],
) -> Node:
    """A node anew; its ``ancestors`` are arguments only so that they exist before it does."""
    node = cls._make(primitive, data, inputs)
    node.grad, node.label = grad, label  # type: ignore[misc]
    return node


def ancestors(root: Any, constants: bool = False) -> list[Any]:
    """Every node that ``root`` was computed from and ``root`` itself, operands first.

    With ``constants`` the numbers of the program are among them, as leaves.
    """
    order: list[Any] = []
    seen = {root}
    path = [(root, iter(_parents(root, constants)))]
    while path:
        node, rest = path[-1]
        for operand in rest:
            if operand not in seen:
                seen.add(operand)
                path.append((operand, iter(_parents(operand, constants))))
                break
        else:
            order.append(node)
            path.pop()
    return order


def _parents(node: Any, constants: bool) -> Sequence[Any]:
    if constants:
        return node.operands  # type: ignore[no-any-return]
    return [operand for operand in inputs_of(node) if not is_constant(operand)]


def inputs_of(node: Any) -> tuple[Any, ...]:
    """The operands of a node, numbers of the program as floats; an error if they were released."""
    if node._inputs is None:
        raise freed(node)
    return node._inputs  # type: ignore[no-any-return]


def freed(node: Any) -> FreedGraphError:
    """The error for a node whose operands an earlier sweep has released."""
    name = f"{node.label!r} " if node.label else ""
    scalar = hasattr(node, "data")  # the node of a Tensor does not hold its numbers
    what = f"{node.op} = {node.data:.6g}" if scalar else f"{node.op} of shape {node.shape}"
    return FreedGraphError(
        where="walking a graph",
        expected="a graph that is still there",
        got=f"node {name}({what}), released by backward(retain_graph=False)",
        fix="Leave retain_graph at True for all sweeps but the last, or compute the result again."
        if scalar
        else "Write backward(retain_graph=True) in all sweeps but the last, or compute it again.",
    )
