"""The limit on the size of graphs on the page."""

from __future__ import annotations

from typing import Any

from ..engine.node import inputs_of, is_constant
from ..errors import SizeError

__all__ = ["LIMIT", "check_size"]

LIMIT = 200_000
"""The most nodes that a document may have: some 20 MB, which a browser still opens."""


def check_size(root: Any) -> None:
    """Raise `SizeError` beyond the limit, before anything is built from millions of nodes."""
    seen, stack, count = {root}, [root], 1
    while stack and count <= LIMIT:
        operands = inputs_of(stack.pop())
        count += sum(map(is_constant, operands))
        fresh = {operand for operand in operands if not is_constant(operand)} - seen
        count += len(fresh)
        seen |= fresh
        stack.extend(fresh)
    if count > LIMIT:
        raise SizeError(
            where="explore(node)",
            expected=f"a graph of at most {LIMIT:,} nodes",
            got="a larger one",
            fix="Explore the loss of fewer examples, or a part of the graph, such as one output.",
        )
