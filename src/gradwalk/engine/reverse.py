"""The reverse pass: one pure function, on floats, arrays or nodes.

A node is processed after all of its consumers inside the graph. The order depends on the graph
alone, so every run adds in the same order and gives the same bits. The native engine uses this very
order.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import repeat
from typing import Any, Protocol, TypeVar

from ..errors import OptionError
from .node import CONSTANT, G, GraphNode, Node, freed, inputs_of

__all__ = ["OutputSum", "consumer_counts", "cotangents_of", "reverse_pass", "reverse_steps"]
__all__ += ["backward_in_rule", "gradients", "leaves", "vjp_on_nodes", "vjp_on_numbers"]


class Addable(Protocol):
    """A cotangent or a tangent: a float, an array, a carrier or a structural zero."""

    def __add__(self, other: Any, /) -> Any: ...


T = TypeVar("T", bound=Addable)
V = TypeVar("V", bound=Node)
VJP = Callable[[G, T], Iterable[T | None]]
"""A function from a node and its cotangent to the contributions to its operands."""


def consumer_counts(root: G) -> dict[G, int]:
    """Return how many edges of the graph of ``root`` lead to each of its nodes (0 for ``root``)."""
    counts = {root: 0}
    stack = [root]
    while stack:
        node = stack.pop()
        for operand in inputs_of(node):
            if type(operand) is float:  # first, as it may equal a node and have its hash
                continue
            if operand in counts:
                counts[operand] += 1
            elif operand._primitive is not CONSTANT:
                counts[operand] = 1
                stack.append(operand)
    return counts


def reverse_pass(root: G, seed: T, pending: dict[G, int], vjp: VJP[G, T]) -> dict[G, T]:
    """Return the gradient of ``seed`` · ``root`` with respect to every node that it reaches.

    A node that no gradient reaches is not in the result, which is not the same as 0.0.
    """
    return {node: g for node, g in reverse_steps(root, seed, pending, vjp) if g is not None}


def reverse_steps(
    root: G, seed: T, pending: dict[G, int], vjp: VJP[G, T]
) -> Iterator[tuple[G, T | None]]:
    """Yield each node with its gradient, after its contributions have been added.

    The gradient is ``None`` for a node that no gradient reaches.

    ``pending`` is ``consumer_counts(root)``. Processed nodes are removed from it, so that a caller
    who takes the steps one at a time may release them. ``vjp(node, gradient)`` returns the
    contribution to each operand by the rules of the node's primitive, or ``None`` for no
    contribution. It computes on floats or arrays, or on nodes for a graph of the gradient.
    """
    gradients, sums = {root: seed}, set[G]()
    ready = [root]
    while ready:
        # last in, first out: the order of every addition, in both engines
        node = ready.pop()
        pending.pop(node)
        gradient = gradients.pop(node, None)
        inputs: Sequence[Any] | None = node._inputs
        if inputs is None:  # a rule has freed the graph
            raise freed(node)
        contributions = _NONE if gradient is None or not inputs else vjp(node, gradient)
        for operand, contribution in zip(inputs, contributions, strict=False):  # _NONE has no end
            if type(operand) is not float and operand in pending:  # constants are not
                if contribution is not None:
                    so_far = gradients.get(operand)
                    if so_far is None:
                        gradients[operand] = contribution
                    elif operand in sums and getattr(so_far, "accumulates", False):
                        gradients[operand] = so_far.__iadd__(contribution)  # type: ignore[attr-defined]
                    else:
                        gradients[operand] = so_far + contribution
                        sums.add(operand)
                left = pending[operand] = pending[operand] - 1
                if not left:
                    ready.append(operand)
        yield node, gradient


def cotangents_of(
    outputs: Sequence[G | None],
    cotangents: Sequence[Any],
    vjp: Callable[[G, Any], Iterable[Any]],
    release: Callable[[G], object] | None = None,
) -> dict[G, Any]:
    """Return the gradient of Σ cotangent · output with respect to every leaf that it reaches.

    An output that is ``None`` depends on no leaf. ``release`` is called with every inner node after
    its contributions have been added. It may free the residuals, which are not read again.
    """
    pairs = [(y, t) for y, t in zip(outputs, cotangents, strict=True) if y is not None]
    root: Any = OutputSum(tuple([y for y, _ in pairs]))
    seeds = [t for _, t in pairs]

    def vjp_of_sum(node: G, t: Any) -> Iterable[Any]:
        return seeds if node is root else vjp(node, t)

    found: dict[G, Any] = {}
    for node, gradient in reverse_steps(root, root, consumer_counts(root), vjp_of_sum):
        if node is root:
            continue
        if not node._inputs:
            found[node] = gradient
        elif release:
            release(node)
    return {leaf: gradient for leaf, gradient in found.items() if gradient is not None}


class OutputSum:
    """The sum of several outputs: the node from which one reverse pass starts for all of them."""

    _primitive = None

    def __init__(self, inputs: tuple[GraphNode, ...]) -> None:
        self._inputs = inputs


def vjp_on_numbers(node: Node, t: float) -> list[float | None]:
    """Return the contributions of a Value's gradient ``t`` to its operands, as floats."""
    args = [i if type(i) is float else i.data for i in node._inputs]  # type: ignore
    return node._primitive.contributions(t, node.data, args)  # type: ignore


def vjp_on_nodes(node: V, t: V) -> list[V | None]:
    """Return the same contributions as nodes, which can be differentiated again."""
    return node._primitive.contributions(t, node, node._inputs)  # type: ignore


def gradients(root: V, seed: float, wrt: Sequence[V]) -> list[float | None]:
    """Return the gradient with respect to each of ``wrt``. No node is changed."""
    found = reverse_pass(root, seed, consumer_counts(root), vjp_on_numbers)
    return [found.get(node) for node in wrt]


def leaves(root: V) -> list[V]:
    """Return the leaves of the graph of ``root``, in the order of `consumer_counts`."""
    return [node for node in consumer_counts(root) if node._primitive is None]


def backward_in_rule() -> OptionError:
    """Return the error for a pass that changes gradients while another pass is running."""
    return OptionError(
        where="backward() inside a rule",
        expected="a rule that computes with its arguments and changes nothing",
        got="a pass that adds to gradients in the middle of another one",
        fix="Use gradwalk.grad or gradwalk.gradients, which return derivatives.",
    )


_NONE = repeat(None)
"""The contributions of a node that no gradient reaches."""
