"""Nodes of a recorded graph: the part that all engines share, and their order.

A node has its number, its primitive, the ordered tuple of its operands, and a label. There are no
closures and no cycles, so graphs are freed by reference counting alone. Nothing here recurses: a
chain may have ten million nodes.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator
from typing import Any, Final, NoReturn, Protocol, Self, SupportsIndex, TypeVar

from ..causes.cut_graphs import warn_of_a_cut
from ..causes.shared_graphs import freed_graph
from ..core.expect import describe
from ..core.primitive import Primitive
from ..errors import FreedGraphError, OptionError, UsageError
from .observing import notify_backward, observers
from .passes import assign, pass_lock
from .recording import recording
from .scalar import Scalar
from .traced import is_traced, running_inputs, unpicklable

__all__ = ["CONSTANT", "Node", "ancestors", "constant_data", "freed", "inputs_of", "is_constant"]
__all__ += ["assign", "pass_lock", "recording"]

CONSTANT = Primitive("", (), forward=float)
"""The primitive of a leaf that stands for a constant: it gets no gradient."""


class _Pickling(threading.local):
    """The nodes that this thread is pickling after their operands."""

    def __init__(self) -> None:
        self.nodes: set[int] = set()


_pickling = _Pickling()


N = TypeVar("N")
Inputs = tuple[N | float, ...]
"""The operands of a node of type N, with constants as floats."""


class GraphNode(Protocol):
    """A node of any recorded graph: of Values, of Tensors, or on a tape."""

    @property
    def _primitive(self) -> Primitive | None: ...

    @property
    def _inputs(self) -> tuple[Any, ...] | None: ...


G = TypeVar("G", bound=GraphNode)


class Node(Scalar):
    """The half of a `Value` that does not depend on the engine.

    The engine adds ``data``, ``grad``, ``label``; ``_primitive`` (``None`` for a leaf, `CONSTANT`
    for a constant); ``_inputs``, the operands with constants as floats; ``operands``, the operands
    with constants as leaves; and the constructor ``_make``.
    """

    __slots__ = ()

    data: float
    grad: float
    label: str
    _primitive: Primitive | None
    _inputs: Inputs[Self] | None

    @classmethod
    def _make(cls, primitive: Primitive | None, data: float, inputs: Inputs[Self]) -> Self:
        raise NotImplementedError

    @property
    def operands(self) -> tuple[Self, ...]:
        """The inputs of this node, in order, with a leaf for each constant."""
        raise NotImplementedError

    def _run_backward(self, seed: float, retain_graph: bool) -> bool:
        """Run the pass; return whether another node, a leaf, has got a contribution."""
        raise NotImplementedError

    def _backward(self, *given: object) -> NoReturn:
        """Raise an error: in micrograd this is the rule of a node."""
        raise UsageError(
            where="Value._backward",
            expected="no call, because the rules belong to operations, not to nodes",
            got="a call",
            fix="Write v.backward() for the gradients of all leaves.",
        )

    def _leaves(self) -> list[Self]:
        raise NotImplementedError

    def backward(self, retain_graph: bool = True) -> None:
        """Add ∂self/∂leaf to ``grad`` of every leaf that this node was computed from.

        Leaves accumulate from call to call (reset them with ``leaf.grad = 0.0``). Inner nodes hold
        the gradient of the last backward pass, so calling this twice is correct.

        Parameters
        ----------
        retain_graph
            Whether the graph is kept for another pass. False frees it.

        Raises
        ------
        FreedGraphError
            If an earlier pass has freed the graph.
        OptionError
            If ``retain_graph`` is no bool.

        See Also
        --------
        gradwalk.gradients

        Examples
        --------
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
                fix="Write (2.0 * y).backward() to weight a result: the pass always starts from 1.",
            )
        with pass_lock:
            if observers:
                notify_backward("values_backward", self)
            try:
                reached = self._run_backward(1.0, retain_graph)
            except FreedGraphError:
                raise freed_graph(self) from None
        if not reached:
            warn_of_a_cut(self, recording.paused)

    @property
    def op(self) -> str:
        """Name of the operation that computed this node. Empty for a leaf."""
        return "" if self._primitive is None else self._primitive.name

    @property
    def local_gradients(self) -> tuple[float, ...]:
        """∂self/∂operand for each operand, computed on access. 0.0 where no gradient flows."""
        if self._primitive is None or not self.operands:
            return ()
        return self._primitive.slopes(self.data, [operand.data for operand in self.operands])

    @property
    def _prev(self) -> tuple[Self, ...]:  # as in micrograd
        return self.operands

    @property
    def _op(self) -> str:  # as in micrograd
        return self.op

    def detach(self) -> Self:
        """Return a new leaf with the same number, through which no gradient flows."""
        return self._make(None, self.data, ())

    def __repr__(self) -> str:
        label = f", label={self.label!r}" if self.label else ""
        return f"Value({self.data!r}, grad={self.grad!r}{label})"

    # --- copies of whole graphs ----------------------------------------------------------------

    def _is_traced(self) -> bool:
        """Return whether this node depends on an input of a running transform."""
        if not running_inputs:
            return False
        with pass_lock:
            return is_traced(self._leaves())

    def __copy__(self) -> Self:
        return self if self._is_traced() else self._twin(self._inputs_alone())

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        """Copy all ancestors first, operands before consumers, so that copying never recurses."""
        if self._is_traced():
            return self
        for node in ancestors(self):
            if id(node) not in memo:
                inputs = node._inputs_alone()
                copies = [i if isinstance(i, float) else memo[id(i)] for i in inputs]
                memo[id(node)] = node._twin(tuple(copies))
        return memo[id(self)]  # type: ignore[no-any-return]

    def _twin(self, inputs: Inputs[Self]) -> Self:
        """Return a copy of this node over other operands."""
        return _restore(None, type(self), self._primitive, self.data, self.grad, self.label, inputs)

    def _inputs_alone(self) -> Inputs[Self]:
        """Return the operands, with constants as floats even after `operands` has been read."""
        return tuple([constant_data(i) if is_constant(i) else i for i in inputs_of(self)])

    def __reduce_ex__(self, protocol: SupportsIndex) -> tuple[Any, ...]:
        """Write all ancestors first, operands before consumers, so that pickling never recurses."""
        if self._is_traced():
            raise unpicklable(self)
        inputs = self._inputs_alone()
        parts = (type(self), self._primitive, self.data, self.grad, self.label, inputs)
        if not inputs or id(self) in _pickling.nodes:
            return _restore, (None, *parts)
        return _restore, (_Ancestors(self), *parts)


def is_constant(operand: GraphNode | float) -> bool:
    """Return whether an operand is a constant, which gets no gradient."""
    return isinstance(operand, float) or operand._primitive is CONSTANT


def constant_data(operand: Node | float) -> float:
    """Return the number in an operand that is a constant."""
    return operand if isinstance(operand, float) else operand.data


V = TypeVar("V", bound=Node)


class _Ancestors:
    """The ancestors of a node, in the order in which they are pickled: after their operands."""

    def __init__(self, node: Node) -> None:
        self.node = node

    def __reduce__(self) -> tuple[Any, ...]:
        return list, (), None, self._nodes()

    def _nodes(self) -> Iterator[Node]:
        nodes = ancestors(self.node)[:-1]
        active = _pickling.nodes
        mine = {id(node) for node in nodes} - active
        active |= mine
        try:
            yield from nodes
        finally:
            active -= mine


def _restore(
    ancestors: list[V] | None,
    cls: type[V],
    primitive: Primitive | None,
    data: float,
    grad: float,
    label: str,
    inputs: Inputs[V],
) -> V:
    """Return a node from its copy. ``ancestors`` is an argument so that they are restored first."""
    node = cls._make(primitive, data, inputs)
    node.grad, node.label = grad, label
    return node


def ancestors(root: G, constants: bool = False, whole: bool = True) -> list[G]:
    """Return every node that ``root`` was computed from, and ``root`` itself, operands first.

    With ``constants``, the leaves that stand for constants are included. Unless the graph has to be
    ``whole``, the walk ends at nodes that an earlier pass has freed.
    """
    skipped = _NOTHING if constants else CONSTANT
    order, seen = list[G](), {root}
    nodes, path = [root], [iter(_parents(root, constants, whole))]
    while path:
        for operand in path[-1]:  # constants are met here: a list without them takes as long
            if isinstance(operand, float) or operand in seen or operand._primitive is skipped:
                continue
            seen.add(operand)
            nodes.append(operand)
            path.append(iter(_parents(operand, constants, whole)))
            break
        else:
            order.append(nodes.pop())
            path.pop()
    return order


_NOTHING: Final = object()


def _parents(node: Any, constants: bool, whole: bool) -> tuple[Any, ...]:
    inputs: tuple[Any, ...] | None = node._inputs
    if inputs is None and whole:
        raise freed(node)
    return tuple(node.operands) if constants else inputs or ()


def inputs_of(node: GraphNode) -> tuple[Any, ...]:
    """Return the operands of a node, with constants as floats.

    Raise `FreedGraphError` if the graph was freed.
    """
    inputs = node._inputs
    if inputs is None:
        raise freed(node)
    return inputs


def freed(node: Any) -> FreedGraphError:
    """Return the error for a node of a graph that an earlier backward pass has freed."""
    name = f"{node.label!r} " if node.label else ""
    scalar = hasattr(node, "data")  # the node of a Tensor does not hold its elements
    what = f"{node.op} = {node.data:.6g}" if scalar else f"{node.op} of shape {node.shape}"
    rest = "for every backward pass except the last, or compute the result again."
    return FreedGraphError(
        where="using a graph",
        expected="a graph that has not been freed",
        got=f"node {name}({what}), freed by backward(retain_graph=False)",
        fix=f"Leave retain_graph at True {rest}"
        if scalar
        else f"Write backward(retain_graph=True) {rest}",
    )
