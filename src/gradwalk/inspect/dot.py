"""The graph in DOT, the language of Graphviz, as plain text."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from ..core.calls import caller
from .names import Names
from .picture import Box, Edge, picture

__all__ = ["to_dot"]

HEAD = """digraph gradwalk {
  rankdir=LR;
  node [fontname="monospace", fontsize=11, color="#94a3b8"];
  edge [color="#94a3b8", arrowsize=0.7];"""

LOOKS = {
    "leaf": 'style="rounded,filled", color="#3b82f6", fillcolor="#eff6ff"',
    "constant": 'style="rounded,dashed"',
    "inner": 'style="rounded"',
    "root": 'style="rounded,filled,bold", color="#ea7a0c", fillcolor="#fff7ed"',
    "group": 'style="rounded,filled", color="#8b5cf6", fillcolor="#f5f3ff", peripheries=2',
}
LINES = {"flow": "", "bundle": "", "blocked": ", style=dotted", "constant": ", style=dashed"}


def to_dot(v: Any, *, max_nodes: int | None = 300, names: Names = True) -> str:
    """Return the graph of a Value or a Tensor as DOT text, for ``dot -Tsvg`` and other readers.

    It has a record for each node, a circle for each operation, and the local derivatives as
    tooltips of the edges.

    Parameters
    ----------
    v
        The result whose graph is written.
    max_nodes
        The most nodes that are written one by one, as in `draw`; ``None`` folds nothing.
    names
        Names for unlabelled nodes: True takes them from the variables of the caller, False gives
        none, and a dictionary gives its own.

    Raises
    ------
    NotANumberError
        If ``v`` has no graph.
    OptionError
        If ``max_nodes`` is out of range.
    FreedGraphError
        If the graph was freed.

    See Also
    --------
    draw

    Examples
    --------
    >>> from gradwalk import Value
    >>> a, b = Value(2.0), Value(3.0)
    >>> dot = to_dot(a * b)
    >>> print(dot[dot.index("  n0 -> ") :])
      n0 -> o2 [tooltip="∂mul/∂a = 3\\nargument a of a * b"];
      n1 -> o2 [tooltip="∂mul/∂b = 2\\nargument b of a * b"];
    }
    <BLANKLINE>
    """
    shown = picture(v, max_nodes, names, caller())
    lines = [line for k, box in enumerate(shown.boxes) for line in _box(k, box)]
    lines += [_edge(shown.boxes, edge) for edge in shown.edges]
    return "\n".join([HEAD, *lines, "}"]) + "\n"


def _box(k: int, box: Box) -> Iterator[str]:
    cells = [box.name, box.note, *(f"{caption} {shown}" for caption, shown in box.cells)]
    label = " | ".join(_record(cell) for cell in cells if cell)
    if box.kind != "group":  # braces turn the fields of a record, and only nodes have them in a row
        label = f"{{{label}}}"
    look = f'{LOOKS[box.kind]}, tooltip="{_quoted(box.hover)}"'
    yield f'  n{k} [shape=record, label="{label}", {look}];'
    if box.op:
        yield f'  o{k} [shape=circle, margin=0.03, label="{_quoted(box.op)}"];'
        yield f"  o{k} -> n{k};"


def _edge(boxes: list[Box], edge: Edge) -> str:
    to = "o" if boxes[edge.target].op else "n"
    hover = f'tooltip="{_quoted(edge.hover)}"'
    return f"  n{edge.source} -> {to}{edge.target} [{hover}{LINES[edge.kind]}];"


def _quoted(raw: str) -> str:
    """Escape ``raw`` for the quotes of DOT, where & starts an entity and \\ an escape."""
    printable = re.sub(r"[^\n\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]", "\ufffd", raw)
    escaped = printable.replace("&", "&amp;").replace("\\", "\\\\").replace('"', '\\"')
    return escaped.replace("\n", "\\n")


def _record(raw: str) -> str:
    """Escape ``raw`` for a field of a record, where | { } < > have a meaning too."""
    return re.sub(r"([|{}<>])", r"\\\1", _quoted(" ".join(raw.split())))
