"""The graph of a Value for the page: its nodes and numbers, and recorded gradients if needed."""

from __future__ import annotations

from collections.abc import Mapping
from types import FrameType
from typing import Any

from ..core.primitive import Primitive
from ..engine.node import ancestors, pass_lock
from ..engine.reverse import consumer_counts, reverse_steps, vjp_on_numbers
from ..engine.value import Value
from ..inspect.graph import Item, snapshot
from ..inspect.names import Names
from .custom_operations import CustomOperations
from .folders import folders
from .json_numbers import json_contribution, json_number
from .size import check_size

__all__ = ["records"]


def records(
    root: Value, names: Names, frame: FrameType
) -> tuple[list[dict[str, Any]], Mapping[str, Any]]:
    """Return a record for every node, and the programs of custom operations."""
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
        _add_shares(nodes, root, [op is None for op in ops])
    return nodes, rows.programs


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


def _add_shares(nodes: list[dict[str, Any]], root: Value, unknown: list[bool]) -> None:
    """Record the contributions of operations that the page cannot compute."""
    given: dict[Any, tuple[float, Any]] = {}

    def vjp(node: Any, t: float) -> Any:
        contributions = vjp_on_numbers(node, t)
        given[node] = t, list(contributions)
        return given[node][1]

    with pass_lock:
        for _ in reverse_steps(root, 1.0, consumer_counts(root), vjp):
            pass
    order = iter(ancestors(root))
    for record, is_unknown in zip(nodes, unknown, strict=True):
        node = None if "constant" in record else next(order)
        if is_unknown:
            record["recorded"] = _recorded(record, *given.get(node, (None, ())))


def _recorded(record: dict[str, Any], t: float | None, contributions: Any) -> dict[str, Any]:
    contributions = contributions or [None] * len(record["inputs"])
    return {"grad": json_contribution(t), "shares": list(map(json_contribution, contributions))}
