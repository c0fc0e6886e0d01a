"""The forward sweep: one pure function, on floats, arrays or nodes.

It walks a recorded graph from its leaves to one result, by the rules that the reverse sweep uses:
fed a tangent instead of a cotangent, a rule gives the tangent of the result.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from .node import ancestors, inputs_of
from .reverse import edges

__all__ = ["on_nodes", "on_numbers", "push", "tangent_of"]


def push(
    root: Any, tangents: Mapping[Any, Any], pass_on: Callable[[Any, Sequence[Any]], Any]
) -> Any:
    """The tangent of ``root`` when the nodes in ``tangents`` move that way; ``None`` if it rests.

    ``pass_on(node, tangents of its operands)`` gives the tangent of a node, where ``None`` stands
    for no movement at all. An inner node in ``tangents`` moves that way on top of what its operands
    make it do, so that this sweep is the transpose of the reverse one.
    """
    moving = dict(tangents)
    pending = edges(root)
    for node in ancestors(root):
        operands = inputs_of(node)
        arriving = [moving.get(operand) for operand in operands]
        tangent = None
        if any(t is not None for t in arriving):
            tangent = pass_on(node, arriving)
        if tangent is not None:
            given = moving.get(node)
            moving[node] = tangent if given is None else given + tangent
        for operand in operands:
            if operand in pending:
                pending[operand] -= 1
                if not pending[operand]:  # nobody asks again: its memory is free
                    moving.pop(operand, None)
    return moving.get(root)


def on_numbers(node: Any, tangents: Sequence[Any]) -> Any:
    """The tangent of a Value as a float, from those of its operands."""
    args = [i if type(i) is float else i.data for i in node._inputs]
    return tangent_of(node._primitive, node.data, args, tangents)


def on_nodes(node: Any, tangents: Sequence[Any]) -> Any:
    """The tangent by the same rules, recorded as nodes that can be differentiated themselves."""
    return tangent_of(node._primitive, node, node._inputs, tangents)


def tangent_of(primitive: Any, y: Any, args: Sequence[Any], tangents: Sequence[Any]) -> Any:
    """The tangent of ``y = row(*args)`` for a pointwise row; ``None`` if it rests."""
    total = None
    for rule, t in zip(primitive.rules, tangents, strict=True):
        contribution = (
            None if t is None or rule is None else primitive.contribution(rule, t, y, args)
        )
        if contribution is not None:
            total = contribution if total is None else total + contribution
    return total
