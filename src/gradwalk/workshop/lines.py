"""The line to look at: what was observed to run or to write, and what the source says."""

from __future__ import annotations

import re
from typing import Final

from .cases import Case
from .source import Source
from .switches import Switch

__all__ = ["METHODS", "forward_line", "line_of", "rule_line"]

METHODS: Final = {
    "add": "__add__",
    "sub": "__sub__",
    "mul": "__mul__",
    "div": "__truediv__",
    "pow": "__pow__",
    "neg": "__neg__",
}


def line_of(switch: Switch, case: Case, cases: list[Case], source: Source) -> int | None:
    """Return the line to look at: where the write was observed, or what the source says."""
    writes = [(line, node, new) for line, node, _, new in case.writes if line]
    if switch.where == "write":
        return writes[-1][0] if writes else source.loop()
    if switch.words.id.endswith("_operand_not_stored"):
        engine = source.engine or ""
        made = forward_line(switch.op, METHODS.get(switch.op, switch.op), cases, source, engine)
        return made or rule_line(switch.op, switch.k, cases, source)
    if switch.where == "reseed":
        root = case.seen.root if case.seen else -1
        again = [line for line, node, new in writes if new == 1.0 and node != root]
        return again[0] if again else source.collecting()
    if switch.where == "cleared":
        zero = [line for line, _, new in writes if not new]
        return zero[-1] if zero else source.loop()
    if switch.where == "merged":
        return source.made_of_set() or (writes[-1][0] if writes else source.loop())
    if switch.where == "begin":
        return source.begins("grad")
    if switch.words.id.endswith("_of_number"):
        calls = case.record.get("calls") or [{}]
        return source.returns(calls[0].get("method", ""), source.engine)
    if switch.where != "rule":
        place: int | None = getattr(source, _PLACES[switch.where])()
        return place
    return rule_line(switch.op, switch.k, cases, source)


_PLACES = {
    "seed": "before_loop",
    "loop": "loop",
    "turning": "turning",
    "collecting": "collecting",
    "compared": "compared",
    "queueing": "queueing",
}
"""Which question about the source finds the line of a mistake of the pass."""


def rule_line(op: str, k: int, cases: list[Case], source: Source) -> int | None:
    """Return the line of one rule: only its programs run it, or it writes the gradient."""
    ran: dict[str, list[set[int]]] = {}
    written: dict[tuple[str, int], set[int]] = {}
    for case in cases:
        graph = case.seen
        if graph is None or not case.once:
            continue
        inner = [node for node in graph.nodes if node.op]
        if len(inner) != 1:
            continue
        node = inner[0]
        lines = {x for key in ("ran", "forward") for part in case.record.get(key, ()) for x in part}
        ran.setdefault(node.op, []).append(lines)
        for line, index, _, _ in case.writes:
            for j, ref in enumerate(node.args):
                if isinstance(ref, int) and ref == index:
                    written.setdefault((node.op, j), set()).add(line)
    others = {x for key, parts in ran.items() if key != op for part in parts for x in part}
    own = written.get((op, k), set()) - others
    if own:
        return min(own)
    mine = ran.get(op, [])
    unique = sorted(set.intersection(*mine) - others) if mine else []
    marked = [x for x in unique if "grad" in source.line(x)]
    if marked:
        return marked[min(k, len(marked) - 1)]
    backward = [x for x in unique if x in _ran_backward(op, cases)]
    found = backward or unique
    engine = source.engine or ""
    return found[-1] if found else forward_line(op, METHODS.get(op, op), cases, source, engine)


def _ran_backward(op: str, cases: list[Case]) -> set[int]:
    return {
        x for c in cases if c.formula.single == op for part in c.record.get("ran", ()) for x in part
    }


def forward_line(
    op: str, method: str, cases: list[Case], source: Source, engine: str
) -> int | None:
    """Return the line that makes the result of an operation, of those that only it has run."""
    ran: dict[bool, list[set[int]]] = {True: [], False: []}
    for c in cases:
        if c.formula.single and c.formula.forward != 10:
            lines = {x for part in c.record.get("forward", ()) for x in part}
            if c.formula.single == op or op not in c.nested:
                ran[c.formula.single == op].append(lines)
    mine = set.intersection(*ran[True]) if ran[True] else set()
    own = sorted(mine.difference(*ran[False]))
    own = [x for x in own if not source.within(x, method, engine)] or own
    for pattern in (rf"\b{engine}\(|\blambda\b", r"\bmath\.|\bdata\b|\bvalue\b", "return"):
        if named := [x for x in own if re.search(pattern, source.line(x))]:
            return named[-1]
    return own[-1] if own else None
