"""The reverse sweep: one pure function, on floats or on nodes.

A node passes its gradient on when all of its consumers inside the graph have reported. The order
depends on the graph alone, so every run adds in the same order and gives the same bits; the
native engine walks in this very order.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from .trace import constant_data, freed, is_constant

__all__ = ["edges", "sweep"]


def edges(root: Any) -> dict[Any, int]:
    """How many edges of the graph of ``root`` lead to each of its nodes (0 for ``root``)."""
    count = {root: 0}
    stack = [root]
    while stack:
        node = stack.pop()
        inputs = node._inputs
        if inputs is None:
            raise freed(node)
        for operand in inputs:
            if not is_constant(operand):
                if operand in count:
                    count[operand] += 1
                else:
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
    ready = [root]
    while ready:
        node = ready.pop()
        inputs = node._inputs
        wanted = [operand in waiting for operand in inputs]
        if node in gradients:
            args = [
                raw(i) if want else constant_data(i) for i, want in zip(inputs, wanted, strict=True)
            ]
            shares = node._row.contributions(gradients[node], raw(node), args, wanted)
        else:
            shares = [None] * len(inputs)
        for operand, want, share in zip(inputs, wanted, shares, strict=True):
            if want:
                if share is not None:
                    known = operand in gradients
                    gradients[operand] = gradients[operand] + share if known else share
                waiting[operand] -= 1
                if not waiting[operand] and operand._inputs != ():
                    ready.append(operand)
    return gradients
