"""Why a gradient is 0: the graph was cut on the way, or masks block every path."""

from __future__ import annotations

from types import FrameType
from typing import Any

from ..core.carrier import is_tensor
from ..core.cuts import cut_of_backward, last_backward
from ..core.places import short_place
from ..engine.cut_graphs import reachable
from ..engine.node import ancestors, is_constant
from ..engine.reverse import consumer_counts, reverse_pass
from ..engine.value import Value
from ..engine.value_numbers import ValueNumbers
from ..errors import FreedGraphError
from .places import Namer, line_of

__all__ = ["blocked", "told_cut", "unreached"]

Rows = list[tuple[str, str]]
MOST = 3  # operations that are named


def told_cut(frame: FrameType | None) -> Rows:
    """Return rows about what cut the graph of the last ``backward()`` in ``frame``."""
    cut = cut_of_backward(frame)
    if cut is None:
        return []
    return [("cause", f"the graph was cut by {cut.what}, {cut.why}"), ("line", cut.line),
            ("fix", f"{cut.fix}.")]  # fmt: skip


def unreached(x: Any, namer: Namer) -> Rows:
    """Return why no gradient has reached a leaf; [] if nothing stands in the way."""
    frame = namer.frames[0] if namer.frames else None
    if is_tensor(x):
        return told_cut(frame) if x._node is not None and x._node.grad is None else []
    graphs = [graph for graph in map(_graph, _roots(frame, namer)) if x in graph]
    if not graphs:
        return told_cut(frame)
    root = max(graphs, key=len)[-1]
    leaves, _ = reachable(root)
    return ([] if x in leaves else told_cut(frame)) or blocked(root, x)


def _roots(frame: FrameType | None, namer: Namer) -> list[Value]:
    """Return the result of the last ``backward()``, or else all that the variables hold."""
    found = last_backward(frame)
    if frame is not None and found is not None:
        root = frame.f_locals.get(found[0], frame.f_globals.get(found[0]))
        if isinstance(root, Value):
            return [root]
    return [value for value in namer.values() if value.op]


def _graph(root: Value) -> list[Any]:
    try:
        return ancestors(root)
    except FreedGraphError:
        return []


def blocked(root: Value, leaf: Value) -> Rows:
    """Return which operations let no gradient pass from ``root`` to ``leaf``; [] if one arrives."""
    leaves, cuts = reachable(root)
    if leaf not in leaves:
        names = ", ".join(dict.fromkeys(node.op for node in cuts))
        rows = [("cause", f"the graph is cut by {names}, which has no derivative")]
        rows += [("line", place) for place in map(_place, cuts[:MOST]) if place]
        return [*rows, ("fix", "Use a smooth operation instead.")]
    numbers = ValueNumbers(root)
    given: dict[Any, list[Any]] = {}

    def watched(node: Any, t: Any) -> Any:
        given[node] = list(numbers.pull(node, t))
        return given[node]

    found = reverse_pass(root, 1.0, consumer_counts(root), watched)
    if leaf in found:
        return []
    below = {leaf}
    for node in numbers.order:
        if any(i in below for i in node._inputs or () if not is_constant(i)):
            below.add(node)
    shut = [
        node for node in numbers.order if node in found and node in given
        and any(c is None and i in below for i, c in zip(node._inputs, given[node], strict=True))
    ]  # fmt: skip
    calls = [f"{n.op}({', '.join(f'{a:.6g}' for a in numbers.args(n))}){_at(n)}" for n in shut]
    more = f" and {len(calls) - MOST} more" if len(calls) > MOST else ""
    return [
        ("cause", f"{', '.join(calls[:MOST])}{more}: no gradient passes there"),
        ("fix", "Start from other numbers, or use an operation without a flat part: leaky_relu for "
                "relu, softplus for maximum."),
    ]  # fmt: skip


def _place(node: Any) -> str:
    return short_place(line_of(node))


def _at(node: Any) -> str:
    place = _place(node)
    return f" ({place})" if place else ""
