"""The reverse sweep: one pure function, on floats, arrays or nodes.

A node passes its gradient on when all of its consumers inside the graph have reported. The order
depends on the graph alone, so every run adds in the same order and gives the same bits; the
native engine walks in this very order.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import repeat
from typing import Any

from .node import CONSTANT, inputs_of

__all__ = ["Sum", "edges", "on_nodes", "on_numbers", "pulled", "sweep", "walk"]


def edges(root: Any) -> dict[Any, int]:
    """How many edges of the graph of ``root`` lead to each of its nodes (0 for ``root``)."""
    count = {root: 0}
    stack = [root]
    while stack:
        node = stack.pop()
        for operand in inputs_of(node):
            if operand in count:
                count[operand] += 1
            elif not (
                type(operand) is float or operand._primitive is CONSTANT
            ):  # is_constant, inline
                count[operand] = 1
                stack.append(operand)
    return count


def sweep(
    root: Any, seed: Any, pending: dict[Any, int], pull: Callable[[Any, Any], Iterable[Any]]
) -> dict[Any, Any]:
    """The gradient of ``seed`` · ``root`` with respect to every node that it reaches.

    A node that no gradient reaches is not in the result; that is not the same as 0.0.
    """
    return {node: g for node, g in walk(root, seed, pending, pull) if g is not None}


def walk(
    root: Any, seed: Any, pending: dict[Any, int], pull: Callable[[Any, Any], Iterable[Any]]
) -> Iterator[tuple[Any, Any]]:
    """The steps of `sweep`: each node with its gradient, after it has passed its shares on.

    The gradient of a node that none has reached is ``None``.

    ``waiting`` is ``edges(root)`` and is emptied on the way, so that whoever takes the steps one at
    a time may release what is behind. ``pull(node, gradient)`` gives the share of each operand by
    the rules of the node's row, or ``None`` for no contribution: on floats or arrays for numbers,
    on nodes for a graph of the gradient.
    """
    gradients = {root: seed}
    ready = [root]
    while ready:
        node = ready.pop()
        pending.pop(node)
        gradient = gradients.pop(node, None)
        inputs = node._inputs
        contributions = nothing if gradient is None or not inputs else pull(node, gradient)
        for operand, contribution in zip(
            inputs, contributions, strict=False
        ):  # `nothing` has no end
            if operand in pending:
                if contribution is not None:
                    so_far = gradients.get(operand)
                    gradients[operand] = contribution if so_far is None else so_far + contribution
                left = pending[operand] = pending[operand] - 1
                if not left:
                    ready.append(operand)
        yield node, gradient


def pulled(
    outputs: Sequence[Any],
    cotangents: Sequence[Any],
    pull: Callable[[Any, Any], Iterable[Any]],
    release: Callable[[Any], Any] | None = None,
) -> dict[Any, Any]:
    """The gradient of Σ cotangent · output with respect to every leaf that it reaches.

    An output that is ``None`` depends on nothing. ``release`` is called with every node whose
    shares have been passed on: it may forget what it has saved, for nobody will ask again.
    """
    pairs = [(y, t) for y, t in zip(outputs, cotangents, strict=True) if y is not None]
    root = Sum(tuple([y for y, _ in pairs]))
    seeds = [t for _, t in pairs]
    steps = walk(root, root, edges(root), lambda node, t: seeds if node is root else pull(node, t))
    found = {}
    for node, gradient in steps:
        if node is root:
            continue
        if not node._inputs:
            found[node] = gradient
        elif release:
            release(node)
    return {leaf: gradient for leaf, gradient in found.items() if gradient is not None}


class Sum:
    """The node from which all outputs are swept together."""

    _primitive = None

    def __init__(self, inputs: tuple[Any, ...]) -> None:
        self._inputs = inputs


def on_numbers(node: Any, t: float) -> Any:
    """The shares of a Value's gradient ``t`` as floats."""
    args = [i if type(i) is float else i.data for i in node._inputs]
    return node._primitive.contributions(t, node.data, args)


def on_nodes(node: Any, t: Any) -> Any:
    """The shares by the same rules, recorded as nodes that can be differentiated themselves."""
    return node._primitive.contributions(t, node, node._inputs)


nothing = repeat(None)
"""The shares of a node that no gradient has reached."""
