"""Errors about a node that two paths share: a small tree with both, in names of the program."""

from __future__ import annotations

import re
from typing import Any

from ..core.carrier import is_tensor
from ..core.leaked import Leaked
from ..core.places import (
    caller,
    here,
    located,
    name_in_program,
    place,
    short_file,
    source_of,
    text_tree,
)
from ..errors import FreedGraphError
from .source import last_backward, loop_around

__all__ = ["freed_graph", "told", "two_paths"]

WIDEST = 6  # operations of a path that are shown


def two_paths(shared: str, first: list[str], second: list[str]) -> str:
    """Return the tree of two paths that meet in ``shared``, for the middle of a message."""
    return f"\n{text_tree(shared, [first, second])}\n"


def _node_of(x: Any) -> Any:
    return x._node if is_tensor(x) and not isinstance(x, Leaked) and hasattr(x, "_node") else x


def told(node: Any) -> str:
    """Return what a node is: its line in the program, or its name and operation."""
    line = place(getattr(node, "line", None))
    if line:
        return line
    name = node.label or name_in_program(lambda x: _node_of(x) is node)
    number = f" = {node.data:.6g}" if hasattr(node, "data") else ""
    return f"{name or 'a result'} = {node.op}(…){number}" if node.op else name or "a leaf"


def freed_graph(root: Any) -> FreedGraphError:
    """Return the error for a pass from ``root`` through a graph that was freed before."""
    path = [root]
    onward: dict[Any, Any] = {root: None}
    pending = [root]
    for node in pending:  # grows during the loop
        if node._inputs is None:
            path = [node]
            while onward[path[-1]] is not None:
                path.append(onward[path[-1]])
            break
        for operand in node._inputs:
            if type(operand) is not float and operand not in onward:
                onward[operand] = node
                pending.append(operand)
    shared, *consumers = path
    needed = list(dict.fromkeys(map(told, consumers)))
    needed = [line for line in needed if line != told(shared)]
    if len(needed) > WIDEST:
        half = WIDEST // 2
        needed = [*needed[:half], f"… {len(needed) - WIDEST} more lines …", *needed[-half:]]
    tree = two_paths(
        f"{told(shared)}: freed", _first_pass(shared), [*needed, f"{here()}: needs it again"]
    )
    return FreedGraphError(
        where="backward()",
        expected="a graph that has not been freed",
        got=f"one that an earlier backward pass has freed:{tree}",
        fix=_update(source_of(getattr(shared, "line", None))[1]) or FREED,
    )


FREED = (
    "Write backward(retain_graph=True) in all passes but the last, or add the results and call "
    "backward() once, or compute the result again. A state that is carried from one step to the "
    "next needs detach()."
)


def _update(text: str) -> str:
    """Return what to write instead of ``w = w - lr * w.grad``, ``""`` for any other line."""
    found = re.match(r"([\w.\[\]]+)\s*=\s*\1\s*([-+])\s*(.*\b\1\.grad\b.*)$", text)
    if found is None:
        return ""
    name, sign, step = found.groups()
    return (
        f"Write `with no_grad(): {name} {sign}= {step}`: the line above makes {name} a result of "
        f"all steps before, and no leaf. An optimizer does the same."
    )


def _first_pass(shared: Any) -> list[str]:
    """Return the call of ``backward()`` that has freed the graph, as far as the source tells."""
    frame = caller()
    if frame is None:
        return ["an earlier backward(): freed it"]
    loop = loop_around(frame)
    inside = located(getattr(shared, "line", None))[1] > loop > 0  # it was made in the loop
    found = last_backward(frame, frame.f_lineno - 1)
    found = None if found and inside and found[1] < loop else found
    if found is None:
        again = last_backward(frame)
        text = again[2] if again else "backward()"
        when = "in an earlier round of the loop" if loop else "in an earlier call"
        return [f"{text}: freed it, {when}"]
    root = frame.f_locals.get(found[0], frame.f_globals.get(found[0]))
    node = _node_of(root)
    line = told(node) if getattr(node, "op", "") and node is not shared else ""
    file = short_file(frame.f_code.co_filename)
    return [*([line] if line else []), f"{found[2]}   ({file}, line {found[1]}): freed it"]
