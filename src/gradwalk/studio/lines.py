"""The line of the user's program for each node of a document."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..core.carrier import is_tensor
from ..core.places import Line, source_of
from ..engine.node import ancestors
from ..inspect.places import line_of

__all__ = ["add_lines", "nodes_in_order"]


def nodes_in_order(root: Any, records: Sequence[dict[str, Any]]) -> list[Any]:
    """Return the node of each record of a document, ``None`` for constants."""
    start = root._node if is_tensor(root) else root
    order = iter(() if start is None else ancestors(start))
    return [None if "constant" in record else next(order, None) for record in records]


def add_lines(records: Sequence[dict[str, Any]], nodes: Sequence[Any]) -> list[tuple[str, str]]:
    """Write the index of its line into each record, and return the lines: place and text.

    Tensors record their lines. Values record them inside `gradwalk.inspect.lines`.
    """
    places: dict[Line, int] = {}
    found: dict[tuple[str, str], int] = {}
    for record, node in zip(records, nodes, strict=True):
        line = (getattr(node, "line", None) or line_of(node)) if record["inputs"] else None
        if line is None:
            continue
        if line not in places:
            source = source_of(line)
            places[line] = found.setdefault(source, len(found)) if source[0] else -1
        if places[line] >= 0:
            record["line"] = places[line]
    return list(found)
