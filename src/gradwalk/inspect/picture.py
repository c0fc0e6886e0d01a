"""The contents of a picture of a graph in any format: boxes with their texts, and edges."""

from __future__ import annotations

from dataclasses import dataclass
from types import FrameType
from typing import Any

from ..core.expect import describe
from ..errors import OptionError
from .fold import Group, fold
from .graph import Item, local_gradients, number, snapshot, span, tally
from .names import Names

__all__ = ["Box", "Edge", "Picture", "picture"]


@dataclass(slots=True)
class Box:
    """A node or a group of nodes. ``op`` is drawn in a circle before the box."""

    kind: str  # "leaf", "constant", "inner", "root", "group"
    op: str
    name: str
    cells: list[tuple[str, str]]  # caption and number
    hover: str
    note: str = ""  # the contents of a group


@dataclass(slots=True)
class Edge:
    """An edge from an operand to its consumer. A bundle stands for ``count`` edges."""

    source: int
    target: int
    hover: str
    kind: str  # "flow", "blocked" (no gradient passes), "constant", "bundle"
    count: int = 1


@dataclass(slots=True)
class Picture:
    """Boxes (operands first) and edges of a graph."""

    boxes: list[Box]
    edges: list[Edge]
    nodes: int


def picture(v: Any, max_nodes: int | None, names: Names, frame: FrameType) -> Picture:
    """Return the picture of the graph of ``v``, folded if it exceeds ``max_nodes`` nodes."""
    if max_nodes is not None and (not isinstance(max_nodes, int) or max_nodes < 3):
        raise OptionError(
            where="max_nodes",
            expected="an integer >= 3, or None to fold nothing",
            got=describe(max_nodes),
            fix="Write max_nodes=300, which is the default.",
        )
    items = snapshot(v, names, frame)
    if max_nodes is None or len(items) <= max_nodes:
        groups = [Group("", [i]) for i in range(len(items))]
    else:
        groups = fold(items, max_nodes)
    boxes = [_box(items, group) for group in groups]
    at = [0] * len(items)
    for k, group in enumerate(groups):
        for i in group.members:
            at[i] = k
    edges = [edge for k in range(len(groups)) for edge in _edges(items, groups, at, k)]
    edges.sort(key=lambda edge: edge.kind == "blocked")  # later edges are drawn on top
    return Picture(boxes, edges, len(items))


# --- boxes --------------------------------------------------------------------------------------


def _box(items: list[Item], group: Group) -> Box:
    members = [items[i] for i in group.members]
    if len(members) > 1:
        return _group_box(group.title, members)
    item = members[0]
    cells = [("data", number(item.data))]
    if not item.constant and item.grad is not None:
        cells.append(("grad", number(item.grad)))
    op = "" if item.constant else item.op
    return Box(_kind(item, item is items[-1]), op, item.name, cells, _about(item))


def _kind(item: Item, root: bool) -> str:
    if item.constant:
        return "constant"
    return "root" if root else "inner" if item.inputs else "leaf"


def _about(item: Item) -> str:
    name = f"{item.name}: " if item.name else ""
    if item.constant:
        return f"{name}{_whole(item.data)}, a constant: it gets no gradient"
    made = f"computed by {item.op}" if item.op else "a leaf"
    grad = "" if item.grad is None else f"\ngrad {_whole(item.grad)}"
    return f"{name}{made}\ndata {_whole(item.data)}{grad}"


def _whole(x: Any) -> str:
    """Return all digits of a number; of an array what is shown, and its precision."""
    return repr(x) if isinstance(x, (float, int)) or x is None else f"{number(x)}, {x.dtype}"


def _group_box(title: str, members: list[Item]) -> Box:
    cells = [("data", span(item.data for item in members))]
    if not all(item.constant or item.grad is None for item in members):
        cells.append(("grad", span(item.grad for item in members if not item.constant)))
    held = tally(members)
    note = held if held != title else ""
    return Box("group", "", title, cells, f"{len(members):,} nodes\n{held}", note)


# --- edges --------------------------------------------------------------------------------------


def _edges(items: list[Item], groups: list[Group], at: list[int], k: int) -> list[Edge]:
    """Return the edges to box ``k``: one per operand of a single node, one bundle per group."""
    members = groups[k].members
    alone = len(members) == 1
    edges = _operand_edges(items, groups, at, items[members[0]], k) if alone else []
    bundles = [(j, n) for j, n in groups[k].inputs.items() if not alone or _many(groups[j])]
    return edges + [Edge(j, k, f"{n:,} edges", "bundle", n) for j, n in bundles]


def _many(group: Group) -> bool:
    return len(group.members) > 1


def _operand_edges(
    items: list[Item], groups: list[Group], at: list[int], item: Item, k: int
) -> list[Edge]:
    edges = []
    for place, (j, slope) in enumerate(zip(item.inputs, local_gradients(items, item), strict=True)):
        if not _many(groups[at[j]]):
            hover, kind = _along(item, items[j], place, slope)
            edges.append(Edge(at[j], k, hover, kind))
    return edges


def _along(item: Item, operand: Item, place: int, slope: float | None) -> tuple[str, str]:
    """Return the text of an edge, and its kind."""
    if operand.constant:
        return "a constant: no gradient", "constant"
    rule = f"argument {_argument(item, place)} of {_formula(item)}"
    if slope is None:
        return f"no gradient flows here\n{rule}", "blocked"
    if slope != slope and not isinstance(item.data, float):
        return rule, "flow"
    derivative = f"∂{_short(item)}/∂{_short(operand)} = {slope:.6g}"
    passed = f"\ngrad {item.grad:.6g} × {slope:.6g} = {item.grad * slope:.6g} arrives"
    return f"{derivative}\n{rule}{passed if item.grad else ''}", "flow"


def _short(item: Item) -> str:
    return item.name or item.op or "leaf"


def _argument(item: Item, place: int) -> str:
    assert item.primitive is not None
    params = item.primitive.params
    return params[place] if place < len(params) else f"{params[0]}[{place}]"


def _formula(item: Item) -> str:
    assert item.primitive is not None
    if item.primitive.infix:
        return f" {item.primitive.infix} ".join(item.primitive.params)
    return f"{item.op}({', '.join(item.primitive.params)})"
