"""A graph as the page reads it: the format of ``web/src/document.ts``, written from Python.

The nodes are looked at and never touched: what is shown of gradients comes from a sweep of its
own, which leaves every ``grad`` as it was.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping
from importlib import import_module
from types import FrameType
from typing import Any

from ..carrier import is_tensor
from ..errors import NotANumberError, OptionError, SizeError
from ..expect import describe
from ..inspect.graph import Item, snapshot
from ..inspect.names import Names
from ..primitive import Primitive
from ..reverse import edges, on_numbers, walk
from ..trace import ancestors, inputs_of, is_constant, sweeping
from ..value import Value
from .folders import folders
from .json_numbers import json_number, json_share
from .naming import names_of_values
from .rows import Rows

__all__ = ["LIMIT", "check_size", "document_of", "records_of_values"]

LIMIT = 200_000
"""The most nodes that a document may have: some 20 MB, which a browser still opens."""


def document_of(
    node: Any,
    names: Names = True,
    title: str = "",
    source: str = "",
    frame: FrameType | None = None,
    elements: bool = False,
) -> dict[str, Any]:
    """The graph of a Value or a Tensor as a dictionary that ``json.dumps`` writes.

    Operands come before what uses them, the root is the last; a number of the program is a node of
    its own at every use. ``names`` finds words for what has no label, as in `inspect.draw`: in the
    variables of ``frame``, by default those of the caller. Rows of the user are written out as
    programs; where that cannot be done, and for arrays, the gradients are recorded instead. Of an
    array of more than 64 numbers the first and the last 32 are kept. With ``elements`` every number
    of an array is a node, and the arrays are groups. ``source`` is the formula that the graph was
    read from, if it was.

    More than 200,000 nodes are a `SizeError`, something without a graph is a `NotANumberError`.

    >>> from gradwalk import Value
    >>> a = Value(2.0, label="a")
    >>> for node in document_of(a * a + 1.0)["nodes"]:
    ...     print(node)
    {'op': '', 'inputs': [], 'label': 'a', 'data': 2.0}
    {'op': 'mul', 'inputs': [0, 0], 'label': '', 'data': 4.0}
    {'op': '', 'inputs': [], 'label': '', 'constant': True, 'data': 1.0}
    {'op': 'add', 'inputs': [1, 2], 'label': '', 'data': 5.0}
    """
    frame = frame or sys._getframe(1)
    _check_title(title)
    _check_elements(elements)
    rows: Mapping[str, Any] = {}
    if is_tensor(node) and elements and node._node is not None:
        nodes, rows = import_module(".elements", __package__).records(node, names, frame)
    elif is_tensor(node):
        nodes = import_module(".arrays", __package__).records(node, names, frame)  # loads NumPy
    elif isinstance(node, Value):
        nodes, rows = records_of_values(node, names, frame)
    else:
        raise NotANumberError(
            where="explore(node)",
            expected="a Value or a Tensor, whose graph can be shown",
            got=describe(node),
            fix="Pass the result of a computation on Values or Tensors, such as a loss.",
        )
    for record in nodes:
        record["label"] = _whole(record["label"])
    document: dict[str, Any] = {"format": "gradwalk-walk", "version": 1, "title": _whole(title)}
    extras = {"source": _whole(source), "nodes": nodes, "rows": rows}
    return document | {key: value for key, value in extras.items() if value}


def check_size(root: Any) -> None:
    """Count the nodes, and stop at the limit: before anything is made of ten million of them."""
    seen, stack, count = {root}, [root], 1
    while stack and count <= LIMIT:
        operands = inputs_of(stack.pop())
        count += sum(map(is_constant, operands))
        fresh = {operand for operand in operands if not is_constant(operand)} - seen
        count += len(fresh)
        seen |= fresh
        stack.extend(fresh)
    if count > LIMIT:
        raise SizeError(
            where="explore(node)",
            expected=f"a graph of at most {LIMIT:,} nodes",
            got="a larger one",
            fix="Explore the loss of fewer examples, or a part of the graph, such as one output.",
        )


def _check_title(title: Any) -> None:
    if not isinstance(title, str):
        fix = 'Write title="a neuron".'
        raise OptionError(where="explore(title=...)", expected="text", got=describe(title), fix=fix)


def _check_elements(elements: Any) -> None:
    if not isinstance(elements, bool):
        fix = "True opens the arrays of a Tensor's graph; leave it out to see them as wholes."
        where, got = "explore(elements=...)", describe(elements)
        raise OptionError(where=where, expected="True or False", got=got, fix=fix)


def _whole(text: str) -> str:
    """Text that can be written as UTF-8: half a character, which Python allows, becomes a ``?``."""
    return text.encode("utf-8", "replace").decode()


# --- graphs of Values -----------------------------------------------------------------------------


def records_of_values(
    root: Value, names: Names, frame: FrameType
) -> tuple[list[dict[str, Any]], Mapping[str, Any]]:
    """Every node, and the rows that are not in the table."""
    check_size(root)
    items = snapshot(root, names_of_values(root, names, frame))
    rows = Rows()
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


def _op(item: Item, rows: Rows) -> str | None:
    """What the page calls the row of a node; ``None``: it cannot compute it."""
    return rows.name(item.row) if isinstance(item.row, Primitive) and item.inputs else ""


def _record(item: Item, op: str, place: str) -> dict[str, Any]:
    record: dict[str, Any] = {"op": op, "inputs": list(item.inputs), "label": item.name}
    if item.constant:
        record["constant"] = True
    record["data"] = json_number(item.data)
    if place:
        record["group"] = place
    return record


def _add_shares(nodes: list[dict[str, Any]], root: Value, unknown: list[bool]) -> None:
    """Record what the rules that only Python knows have given, in a sweep from 1."""
    given: dict[Any, tuple[float, Any]] = {}

    def pull(node: Any, t: float) -> Any:
        shares = on_numbers(node, t)
        given[node] = t, list(shares)
        return given[node][1]

    with sweeping:
        for _ in walk(root, 1.0, edges(root), pull):
            pass
    order = iter(ancestors(root))
    for record, is_unknown in zip(nodes, unknown, strict=True):
        node = None if "constant" in record else next(order)
        if is_unknown:
            record["recorded"] = _recorded(record, *given.get(node, (None, ())))


def _recorded(record: dict[str, Any], t: float | None, shares: Any) -> dict[str, Any]:
    shares = shares or [None] * len(record["inputs"])
    return {"grad": json_share(t), "shares": list(map(json_share, shares))}
