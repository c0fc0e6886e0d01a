"""The line of the user's program for each node of a document."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..core.places import Line, source_of
from ..inspect.graph import Snapshot

__all__ = ["add_lines"]


def add_lines(records: Sequence[dict[str, Any]], items: Snapshot) -> list[tuple[str, str]]:
    """Write the index of its line into each record, and return the lines: place and text.

    Tensors record their lines. Values record them inside `gradwalk.inspect.lines`.
    """
    places: dict[Line, int] = {}
    found: dict[tuple[str, str], int] = {}
    for record, item in zip(records, items, strict=True):
        k = items.run.program.maker(item.atom) if item.inputs else None
        line = None if k is None else items.run.program.line(k)
        if line is None:
            continue
        if line not in places:
            source = source_of(line)
            places[line] = found.setdefault(source, len(found)) if source[0] else -1
        if places[line] >= 0:
            record["line"] = places[line]
    return list(found)
