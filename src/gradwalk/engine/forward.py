"""The forward pass along tangents: one pure function, on floats, arrays or nodes.

It processes a recorded graph from its leaves to one result, by the same rules as the reverse pass:
for a tangent instead of a cotangent, a rule gives the tangent of the result.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from ..core.primitive import Primitive
from .node import G, Node, ancestors, inputs_of
from .reverse import T, V, consumer_counts

__all__ = ["forward_pass", "jvp_on_nodes", "jvp_on_numbers", "tangent_of"]


def forward_pass(
    root: G, tangents: Mapping[G, T], jvp: Callable[[G, Sequence[T | None]], T | None]
) -> T | None:
    """Return the tangent of ``root`` for the given tangents of other nodes.

    ``None`` means that no tangent reaches it. ``jvp(node, tangents of its operands)`` returns the
    tangent of a node. A given tangent of an inner node is added to the one from its operands, so
    that this pass is the transpose of the reverse pass.
    """
    known = dict(tangents)  # a copy, because tangents are freed on the way
    pending = consumer_counts(root)
    for node in ancestors(root):
        operands = inputs_of(node)
        arriving = [None if type(i) is float else known.get(i) for i in operands]
        tangent = None
        if any(t is not None for t in arriving):
            tangent = jvp(node, arriving)
        if tangent is not None:
            given = known.get(node)
            known[node] = tangent if given is None else given + tangent
        for operand in operands:
            if type(operand) is not float and operand in pending:
                pending[operand] -= 1
                if not pending[operand]:  # the last consumer is done: free the tangent
                    known.pop(operand, None)
    return known.get(root)


def jvp_on_numbers(node: Node, tangents: Sequence[float | None]) -> float | None:
    """Return the tangent of a Value as a float, for the tangents of its operands."""
    args = [i if type(i) is float else i.data for i in node._inputs]  # type: ignore
    return tangent_of(node._primitive, node.data, args, tangents)  # type: ignore


def jvp_on_nodes(node: V, tangents: Sequence[V | None]) -> V | None:
    """Return the same tangent as a node, which can be differentiated again."""
    return tangent_of(node._primitive, node, node._inputs, tangents)  # type: ignore


def tangent_of(
    primitive: Primitive, y: Any, args: Sequence[Any], tangents: Sequence[T | None]
) -> T | None:
    """Return the tangent of ``y = primitive(*args)`` for a pointwise primitive.

    ``None`` means that no tangent reaches ``y``.
    """
    total = None
    for rule, t in zip(primitive.rules, tangents, strict=True):
        contribution = (
            None if t is None or rule is None else primitive.contribution(rule, t, y, args)
        )
        if contribution is not None:
            total = contribution if total is None else total + contribution
    return total
