"""The graph as text."""

from __future__ import annotations

import operator
import re
from collections import Counter, deque
from collections.abc import Iterator
from typing import Any

from ..core.calls import caller
from ..core.expect import describe, index_of
from ..errors import OptionError
from .graph import Item, number, snapshot, tally
from .names import Names

__all__ = ["tree"]


def tree(v: Any, *, max_lines: int = 100, max_depth: int = 20, names: Names = True) -> str:
    """Return the graph of a Value or a Tensor as text, operands under what was made of them.

        name = op    data    grad

    Of an array the shape and the range are shown. A node that is used more than once is written
    once, and ``↑`` refers to it afterwards. If it has no name, it gets a number: ``#1``. Constants
    have no grad. The nodes nearest to ``v`` are shown, and a line says how much was left out.

    Parameters
    ----------
    v
        The result whose graph is shown.
    max_lines
        The most lines, >= 1.
    max_depth
        The most levels below ``v``, >= 1.
    names
        Names for unlabelled nodes: True takes them from the variables of the caller, False gives
        none, and a dictionary gives its own.

    Raises
    ------
    OptionError
        If ``max_lines`` or ``max_depth`` is not an integer >= 1.
    NotANumberError
        If ``v`` has no graph.
    FreedGraphError
        If the graph was freed.

    See Also
    --------
    draw

    Examples
    --------
    >>> from gradwalk import Value
    >>> x, y, z = Value(2.0), Value(-3.0), Value(10.0)
    >>> f = x * y + z
    >>> f.backward()
    >>> print(tree(f))
    f = add    data   4   grad   1
    ├─ mul     data  -6   grad   1
    │  ├─ x    data   2   grad  -3
    │  └─ y    data  -3   grad   2
    └─ z       data  10   grad   1
    """
    for option, limit in (("max_lines", max_lines), ("max_depth", max_depth)):
        if index_of(limit) is None or operator.index(limit) < 1:
            raise OptionError(
                where=f"tree({option}=...)",
                expected="an integer >= 1",
                got=describe(limit),
                fix=f"Write {option}=20.",
            )
    items = snapshot(v, names, caller())
    lines = _aligned(_lines(items, _expanded(items, max_lines, max_depth)))
    return "\n".join(map(_printable, lines))


def _printable(line: str) -> str:
    """Replace control characters and lone surrogates, which terminals would act on."""
    return re.sub(r"[^\x20-\x7e\xa0-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]", "\ufffd", line)


def _expanded(items: list[Item], max_lines: int, max_depth: int) -> dict[int, None]:
    """Choose the nodes whose operands are shown: those nearest to the root, within the lines."""
    root = len(items) - 1
    expanded: dict[int, None] = {}
    lines, queue, seen = 1, deque([(root, 0)]), {root}
    while queue:
        i, depth = queue.popleft()
        lines += len(items[i].inputs)
        if lines > max_lines:
            break
        expanded[i] = None
        if depth + 1 < max_depth:
            fresh = [j for j in dict.fromkeys(items[i].inputs) if j not in seen]
            seen.update(fresh)
            queue.extend((j, depth + 1) for j in fresh)
    return expanded


def _lines(items: list[Item], expanded: dict[int, None]) -> Iterator[tuple[str, str, str, str]]:
    """Yield head, data, grad and a remark for every line."""
    numbers = _numbers(items, expanded)
    remarks = _left_out(items, expanded)
    shown: set[int] = set()
    stack = [(len(items) - 1, "", "")]
    while stack:
        i, first, rest = stack.pop()
        item, tag = items[i], numbers.get(i, "")
        if i in shown:
            yield f"{first}↑ {_name(item) or _made_by(item)}{tag}", "", "", ""
            continue
        shown.add(i)
        grad = "" if item.constant else number(item.grad)
        yield f"{first}{_head(item)}{tag}", number(item.data), grad, remarks.get(i, "")
        if i in expanded:
            branches = [(j, "├─ ", "│  ") for j in item.inputs[:-1]]
            branches += [(j, "└─ ", "   ") for j in item.inputs[-1:]]
            stack.extend((j, rest + a, rest + b) for j, a, b in reversed(branches))


def _head(item: Item) -> str:
    name, op = _name(item), _made_by(item)
    return f"{name} = {op}" if name and op != "leaf" else name or op


def _name(item: Item) -> str:
    return " ".join(item.name.split())


def _made_by(item: Item) -> str:
    return "constant" if item.constant else item.op or "leaf"


def _numbers(items: list[Item], expanded: dict[int, None]) -> dict[int, str]:
    """Give numbers to the nodes that later lines refer to and that have no unique name."""
    uses = Counter(j for i in expanded for j in items[i].inputs)
    called = Counter(item.name for item in items)
    shared = [i for i in reversed(range(len(items))) if uses[i] > 1]
    nameless = [i for i in shared if not items[i].name or called[items[i].name] > 1]
    return {i: f" #{k}" for k, i in enumerate(nameless, start=1)}


def _left_out(items: list[Item], expanded: dict[int, None]) -> dict[int, str]:
    """Describe what is hidden behind each shown node, and was not counted before."""
    seen = {len(items) - 1, *(j for i in expanded for j in items[i].inputs)}
    remarks = {}
    for i in sorted(seen, reverse=True):
        if i in expanded or not items[i].inputs:
            continue
        hidden, stack = [], [i]
        while stack:
            fresh = [j for j in dict.fromkeys(items[stack.pop()].inputs) if j not in seen]
            seen.update(fresh)
            hidden += fresh
            stack += fresh
        remarks[i] = f"… {tally(items[j] for j in hidden)}" if hidden else "… shown above"
    return remarks


def _aligned(lines: Iterator[tuple[str, str, str, str]]) -> Iterator[str]:
    rows = list(lines)
    head, data, grad = (max(len(primitive[k]) for primitive in rows) for k in range(3))
    for text, x, g, remark in rows:
        columns = [f"{text:<{head + 4}}", f"data {x:>{data + 1}}   " if x else ""]
        columns += [f"grad {g:>{grad + 1}}   " if g else "", remark]
        yield "".join(columns).rstrip()
