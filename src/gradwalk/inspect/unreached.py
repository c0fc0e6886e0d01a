"""Why a gradient is 0: the graph was cut on the way, or masks block every path."""

from __future__ import annotations

from types import FrameType
from typing import Any

from ..causes.cut_graphs import reachable
from ..causes.cuts import cut_of_backward, last_backward
from ..core.carrier import is_tensor
from ..core.places import short_place
from ..engine.node import ancestors
from ..engine.value import Value
from ..errors import FreedGraphError
from ..program.run import Run, run_of
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
    run = run_of(root)
    program, end, found = run.program, run.where[leaf], dict[int, Any]()
    below, shut = {end}, list[int]()
    for k in range(len(program)):
        if below.intersection(program.operands(k)):
            below.update(program.results(k))
    for y, t, contributions in run.reverse(1.0, found):
        maker = program.maker(y)
        if maker is None or t is None:
            continue
        pairs = zip(program.operands(maker), contributions, strict=True)
        if any(c is None and a in below for a, c in pairs):
            shut.append(maker)
    if end in found:
        return []
    calls = [
        f"{program.primitive(k).name}({', '.join(f'{a:.6g}' for a in run.args(k))}){_at(run, k)}"
        for k in sorted(shut)
    ]
    more = f" and {len(calls) - MOST} more" if len(calls) > MOST else ""
    return [
        ("cause", f"{', '.join(calls[:MOST])}{more}: no gradient passes there"),
        ("fix", "Start from other numbers, or use an operation without a flat part: leaky_relu for "
                "relu, softplus for maximum."),
    ]  # fmt: skip


def _place(node: Any) -> str:
    return short_place(line_of(node))


def _at(run: Run, k: int) -> str:
    place = short_place(run.program.line(k))
    return f" ({place})" if place else ""
