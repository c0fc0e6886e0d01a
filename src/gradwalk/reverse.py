"""The reverse sweep: one pure function, on floats or on nodes.

A node passes its gradient on when all of its consumers inside the graph have reported. The order
depends on the graph alone, so every run adds in the same order and gives the same bits; the
native engine walks in this very order.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import repeat
from typing import Any

from .trace import CONSTANT, inputs_of

__all__ = ["edges", "sweep"]


def edges(root: Any) -> dict[Any, int]:
    """How many edges of the graph of ``root`` lead to each of its nodes (0 for ``root``)."""
    count = {root: 0}
    stack = [root]
    while stack:
        node = stack.pop()
        for operand in inputs_of(node):
            if operand in count:
                count[operand] += 1
            elif not (type(operand) is float or operand._row is CONSTANT):  # is_constant, inline
                count[operand] = 1
                stack.append(operand)
    return count


def sweep(root: Any, seed: Any, waiting: dict[Any, int], raw: Callable[[Any], Any]) -> Any:
    """The gradient of ``seed`` · ``root`` with respect to every node that it reaches.

    ``waiting`` is ``edges(root)`` and is counted down to zero. ``raw(node)`` is what the rules
    compute with: the float in a node for numbers, the node itself for a graph of the gradient.
    A node that no gradient reaches is not in the result; that is not the same as 0.0.
    """
    gradients = {root: seed}
    ready = [root] if root._inputs else []
    while ready:
        node = ready.pop()
        inputs, shares = node._inputs, nothing
        if node in gradients:
            args = [i if type(i) is float else raw(i) for i in inputs]
            shares = node._row.contributions(gradients[node], raw(node), args)
        for operand, share in zip(inputs, shares, strict=False):  # `nothing` has no end
            if operand in waiting:
                if share is not None:
                    so_far = gradients.get(operand)
                    gradients[operand] = share if so_far is None else so_far + share
                left = waiting[operand] = waiting[operand] - 1
                if not left and operand._inputs != ():
                    ready.append(operand)
    return gradients


nothing = repeat(None)
"""The shares of a node that no gradient has reached."""
