"""The graph of a Value for the page: its nodes and numbers, and recorded gradients if needed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import FrameType
from typing import Any

from ..core.primitive import Primitive
from ..engine.node import pass_lock
from ..engine.value import Value
from ..inspect.graph import Item, Snapshot, snapshot
from ..inspect.names import Names
from .custom_operations import CustomOperations
from .folders import folders
from .json_numbers import json_contribution, json_number
from .size import check_size

__all__ = ["contributions_of", "recorded", "records"]


def records(
    root: Value, names: Names, frame: FrameType
) -> tuple[list[dict[str, Any]], Snapshot, Mapping[str, Any]]:
    """Return a record for every node, the nodes, and the programs of custom operations."""
    check_size(root)
    items = snapshot(root, names, frame)
    rows = CustomOperations()
    ops = [_op(item, rows) for item in items]
    places = folders(
        [item.name for item in items],
        [item.inputs for item in items],
        [item.constant for item in items],
    )
    nodes = [
        _record(item, op or item.op, place)
        for item, op, place in zip(items, ops, places, strict=True)
    ]
    if None in ops:
        given = contributions_of(items, 1.0)
        for record, item, op in zip(nodes, items, ops, strict=True):
            if op is None:
                t, contributions = given.get(item.atom, (None, [None] * len(item.inputs)))
                record["recorded"] = recorded(t, contributions)
    return nodes, items, rows.programs


def _op(item: Item, rows: CustomOperations) -> str | None:
    """Return the name of a node's primitive on the page, ``None`` if the page cannot compute it."""
    return (
        rows.name(item.primitive) if isinstance(item.primitive, Primitive) and item.inputs else ""
    )


def _record(item: Item, op: str, place: str) -> dict[str, Any]:
    record: dict[str, Any] = {"op": op, "inputs": list(item.inputs), "label": item.name}
    if item.constant:
        record["constant"] = True
    record["data"] = json_number(item.data)
    if place:
        record["group"] = place
    return record


def contributions_of(items: Snapshot, seed: Any) -> dict[int, tuple[Any, Sequence[Any]]]:
    """Return the cotangent of each variable that one reaches, and its contributions to operands."""
    run, found = items.run, dict[int, Any]()
    program, given = run.program, dict[int, tuple[Any, Sequence[Any]]]()
    with pass_lock, run.quiet():
        for y, t, contributions in run.reverse(seed, found):
            k = program.maker(y)
            if t is None:
                continue
            if not isinstance(t, dict):
                given[y] = t, contributions
                continue
            for (
                i,
                part,
            ) in t.items():  # a joint rule is linear: each result has its own contribution
                given[y + i] = part, run.pull(k, {i: part})
    return given


def recorded(t: Any, contributions: Sequence[Any]) -> dict[str, Any]:
    """Return a gradient and contributions in the format of a document."""
    return {"grad": json_contribution(t), "shares": list(map(json_contribution, contributions))}
