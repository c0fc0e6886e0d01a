"""The graph as a self-contained SVG picture."""

from __future__ import annotations

import re
from collections.abc import Iterator
from html import escape
from pathlib import Path
from typing import Any
from unicodedata import east_asian_width

from ..core.calls import caller
from ..core.expect import describe
from ..core.files import PathLike, write_file
from ..errors import OptionError
from .layout import Layout, Point, arrange
from .names import Names
from .picture import Box, Edge, Picture, picture
from .style import STYLE

__all__ = ["Drawing", "draw"]

MARGIN = 24.0
GLYPH, SMALL_GLYPH = 7.9, 6.1  # width of a character at 13 and 10 pixels, monospace
PAD = 9.0  # padding of a cell
HEIGHT, PILL = 40.0, 26.0
GROUP_TOP, GROUP_ROW = 27.0, 12.5  # of a group: its title, and each line below
STACK = 8.0  # offset of the boxes behind a group
RADIUS, SHAFT = 17.0, 16.0  # of the circle of an operation; length of the arrow to its box
LONGEST = 28  # characters of a name that are shown
SYMBOLS = {"add": "+", "sub": "−", "mul": "×", "div": "÷", "neg": "−", "pow": "^"}


class Drawing:
    """A finished picture, which notebooks display.

    Parameters
    ----------
    svg
        Its text.
    nodes
        The number of nodes of the graph that it shows; 0 for a chart.
    """

    svg: str
    nodes: int

    def __init__(self, svg: str, nodes: int) -> None:
        self.svg, self.nodes = svg, nodes

    def _repr_svg_(self) -> str:
        return self.svg

    def __repr__(self) -> str:
        what = f" of {self.nodes:,} nodes" if self.nodes else ""  # a chart has none
        return f"<drawing{what}; .save('graph.svg') writes it>"

    def save(self, path: PathLike) -> Path:
        """Write the picture to a file, and return its path.

        Parameters
        ----------
        path
            The file, whose name ends in ``.svg``.

        Raises
        ------
        OptionError
            If the name ends in something else.
        FileError
            If the file cannot be written.
        """
        file = Path(path)
        if file.suffix.lower() != ".svg":
            raise OptionError(
                where="Drawing.save(path)",
                expected="a file name that ends in .svg",
                got=describe(str(path)),
                fix="Write .save('graph.svg'), and convert that file to other formats.",
            )
        write_file(file, self.svg.encode())
        return file


def draw(v: Any, *, max_nodes: int | None = 300, names: Names = True) -> Drawing:
    """Draw the graph of a Value or a Tensor from left to right.

    Each node is a box with its name, data and grad, which of an array are the shape and the range.
    The circle before it shows the operation that computed it. Hovering over an edge shows its local
    derivative. Leaves are blue, constants are dashed, and ``v`` is orange. No gradient flows along
    a dotted edge.

    Parameters
    ----------
    v
        The result whose graph is drawn.
    max_nodes
        The most nodes that are drawn one by one. A larger graph is folded: nodes that do the same
        work become one box with their number. ``None`` folds nothing.
    names
        Names for unlabelled nodes: True takes them from the variables of the caller, False gives
        none, and a dictionary gives its own.

    Returns
    -------
    a Drawing
        Notebooks display it, and ``.save("graph.svg")`` writes it.

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
    to_dot, tree, gradwalk.explore

    Examples
    --------
    >>> from gradwalk import Value
    >>> a, b = Value(2.0), Value(3.0)
    >>> draw(a * b + 1)
    <drawing of 5 nodes; .save('graph.svg') writes it>
    """
    shown = picture(v, max_nodes, names, caller())
    return Drawing(render(shown), shown.nodes)


def render(shown: Picture) -> str:
    """Return the SVG text of a picture."""
    plan = arrange(
        [_size(box) for box in shown.boxes], [(edge.source, edge.target) for edge in shown.edges]
    )
    width, height = plan.width + 2 * MARGIN, plan.height + 2 * MARGIN
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" class="gradwalk" role="img" '
        f'width="{width:.0f}" height="{height:.0f}" viewBox="0 0 {width:.0f} {height:.0f}">',
        f"<title>A graph of {shown.nodes:,} nodes</title>",
        f"<style>{STYLE}</style>",
        f'<rect class="paper" width="{width:.0f}" height="{height:.0f}" rx="8"/>',
        f'<g transform="translate({MARGIN:.0f} {MARGIN:.0f})">',
        *_all_edges(shown, plan),
        *(_node(box, place) for box, place in zip(shown.boxes, plan.places, strict=True)),
        "</g>",
        "</svg>",
    ]
    return "\n".join(parts) + "\n"


# --- texts --------------------------------------------------------------------------------------


def text(raw: str) -> str:
    """Escape ``raw`` for XML. Characters that XML forbids become the replacement character."""
    allowed = re.sub(r"[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]", "\ufffd", raw)
    return escape(allowed)


def shorten(name: str) -> str:
    line = " ".join(name.split())
    return line if len(line) <= LONGEST else line[: LONGEST - 1] + "…"


def _columns(line: str) -> int:
    """Return the width of a text, in characters of a monospace font."""
    return sum(2 if east_asian_width(c) in "WF" else 1 for c in line)


# --- boxes --------------------------------------------------------------------------------------


def _cells(box: Box) -> list[tuple[str, str, float]]:
    """Return caption, text and width of each cell. The name is a cell without a caption."""
    name = shorten(box.name)
    cells = [("", name, _columns(name) * GLYPH + 2 * PAD)] if name else []
    for caption, shown in box.cells:
        cells.append((caption, shown, max(len(shown) * GLYPH, 4 * SMALL_GLYPH) + 2 * PAD))
    return cells


def _size(box: Box) -> tuple[float, float]:
    if box.kind == "group":
        return _group_width(box), GROUP_TOP + GROUP_ROW * len(_rows(box))
    width = sum(width for _, _, width in _cells(box))
    lead = _op_width(box.op) + SHAFT if box.op else 0.0
    return lead + width, PILL if box.kind == "constant" else HEIGHT


def _op_width(op: str) -> float:
    return max(2 * RADIUS, len(SYMBOLS.get(op, op)) * GLYPH + RADIUS)


def _group_width(box: Box) -> float:
    name = _columns(shorten(box.name)) * GLYPH
    return (
        max(name, *(len(primitive) * SMALL_GLYPH for _, primitive in _rows(box))) + 2 * PAD + STACK
    )


def _rows(box: Box) -> list[tuple[str, str]]:
    """Return the role and the text of each line below the title of a group."""
    notes = [("note", box.note)] if box.note else []
    return notes + [(caption, f"{caption} {shown}") for caption, shown in box.cells]


def _node(box: Box, place: Point) -> str:
    x, y = place
    shape = _group(box) if box.kind == "group" else _record(box)
    return (
        f'<g class="{box.kind}" transform="translate({x:.1f} {y:.1f})">'
        f"<title>{text(box.hover)}</title>{''.join(shape)}</g>"
    )


def _record(box: Box) -> Iterator[str]:
    """Draw the operation, if there is one, and the cells side by side."""
    width, height = _size(box)
    left = 0.0
    if box.op:
        left = _op_width(box.op) + SHAFT
        yield _operation(box.op)
        yield _edge_path([(left - SHAFT, 0.0), (left, 0.0)], "edge")
    round_off = height / 2 if box.kind == "constant" else 7
    yield _rectangle("box", left, width - left, height, round_off)
    for k, (caption, shown, wide) in enumerate(_cells(box)):
        if k:
            yield f'<path class="rule" d="M{left:.1f} {-height / 2 + 1:.1f}v{height - 2:.1f}"/>'
        middle = left + wide / 2
        pill = box.kind == "constant"
        if caption and not pill:
            yield _text("caption", middle, -7.5, caption, "middle")
        yield _text(caption or "name", middle, 4.5 if pill or not caption else 10, shown, "middle")
        left += wide


def _operation(op: str) -> str:
    width = _op_width(op)
    symbol = SYMBOLS.get(op, op)
    return (
        f'<g class="op">{_rectangle("round", 0, width, 2 * RADIUS, RADIUS)}'
        f"{_text('sign' if len(symbol) == 1 else '', width / 2, 5, symbol, 'middle')}</g>"
    )


def _group(box: Box) -> Iterator[str]:
    """Draw a stack of boxes with its contents and the ranges of its numbers."""
    width, height = _size(box)
    width -= STACK
    for shift in (STACK, STACK / 2):
        yield _rectangle("behind", shift, width, height, 8, -shift)
    yield _rectangle("box", 0, width, height, 8)
    yield _text("name", PAD, -height / 2 + 17, shorten(box.name))
    for k, (role, line) in enumerate(_rows(box)):
        yield _text(role, PAD, -height / 2 + GROUP_TOP + 5 + GROUP_ROW * k, line)


def _rectangle(
    role: str, x: float, width: float, height: float, corner: float, lift: float = 0.0
) -> str:
    return (
        f'<rect class="{role}" x="{x:.1f}" y="{lift - height / 2:.1f}" width="{width:.1f}" '
        f'height="{height:.1f}" rx="{corner:.0f}"/>'
    )


def _text(role: str, x: float, y: float, shown: str, anchor: str = "start") -> str:
    return (
        f'<text class="{role}" x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}">{text(shown)}</text>'
    )


# --- edges --------------------------------------------------------------------------------------


def _all_edges(shown: Picture, plan: Layout) -> Iterator[str]:
    """Draw each edge to a height of its own, so that the two edges of a · a stay apart."""
    arriving: dict[int, list[int]] = {}
    for k, edge in enumerate(shown.edges):
        arriving.setdefault(edge.target, []).append(k)
    for target, ends in arriving.items():
        ends.sort(key=lambda k: plan.paths[k][-3][1])
        box = shown.boxes[target]
        reach = 0.6 * RADIUS if box.op else 0.35 * _size(box)[1]
        for rank, k in enumerate(ends):
            drop = reach * (2 * rank / (len(ends) - 1) - 1) if len(ends) > 1 else 0.0
            inward = RADIUS - (RADIUS**2 - drop**2) ** 0.5 if box.op else 0.0
            yield _edge(shown.edges[k], plan.paths[k], drop, inward)


def _edge(edge: Edge, points: list[Point], drop: float, inward: float) -> str:
    *middle, (left, y), (x, _) = points
    path = [*middle, (left, y + drop), (x + inward, y + drop)]
    hover = f"<title>{text(edge.hover)}</title>"
    thick = min(5.0, 1.5 + 0.4 * edge.count.bit_length()) if edge.kind == "bundle" else 0.0
    return _edge_path(path, f"edge {edge.kind}", hover, thick)


def _edge_path(points: list[Point], role: str, hover: str = "", thick: float = 0.0) -> str:
    """Draw curves between layers, level lines through them, and the tip of the arrow."""
    (x, y), *rest = points
    line = [f"M{x:.1f} {y:.1f}"]
    for k, (to_x, to_y) in enumerate(rest):
        if k % 2 == 0 and to_y != y:
            half = (x + to_x) / 2
            line.append(f"C{half:.1f} {y:.1f} {half:.1f} {to_y:.1f} {to_x:.1f} {to_y:.1f}")
        else:
            line.append(f"H{to_x:.1f}")
        x, y = to_x, to_y
    style = f' style="stroke-width:{thick:.1f}"' if thick else ""
    d = " ".join(line)
    hit = f'<path class="hit" d="{d}"/>' if hover else ""
    tip = f'<path class="tip" d="M{x:.1f} {y:.1f}l-8 -4v8z"/>'
    return f'<g class="{role}">{hover}<path class="line" d="{d}"{style}/>{tip}{hit}</g>'
