"""Calls of functions in a formula: their arguments in order, and hints about other functions."""

from __future__ import annotations

from typing import Any
from unicodedata import normalize

from ..errors import ExpressionError
from ..ops import TABLE
from .functions import CALLABLE, CONSTANTS, FUNCTIONS, LOGSUMEXP
from .grammar import Node
from .language import COMPARISONS, INSTEAD, MODULES
from .messages import error_at, shortened
from .position import SHORT, unbracketed
from .spelling import nearest

__all__ = ["attribute", "call"]

Parts = tuple[Any, ...]


def call(text: str, node: Node) -> Parts:
    """Return the arguments of a call in order, and after them the primitive and their number."""
    callee, *args = node.parts
    name = callee.bare.text if callee.bare.kind == "name" else ""
    if callee.bare.kind == "attribute":
        raise attribute(text, callee.bare)
    if not name:
        raise error_at(text, node.at, "product", a=_factor(text, callee), b=_factor(text, *args))
    if name == "logsumexp":
        return _of_list(text, node)
    if name not in FUNCTIONS:
        raise error_at(text, node, "function", name=name, **_instead(name))
    row, bound = FUNCTIONS[name], _bound(text, node, name)
    if name == "where" and isinstance(bound[0], Node) and bound[0].bare.operator in COMPARISONS:
        bound = *_condition(text, bound[0].bare), *bound[1:]
    return *bound, (row, row.arity)


def attribute(text: str, node: Node) -> ExpressionError:
    """Return the error about ``np.exp``, ``x.relu`` or another name with a point in it."""
    code = text[node.start : node.end]
    head, _, name = (part.strip() for part in code.rpartition("."))
    fields: dict[str, str] = {}
    if head.partition(".")[0].strip() in MODULES:
        known = name if name in CALLABLE or name in CONSTANTS else ""
        fields |= {"module": head, "known": known, **_instead(name)}
    elif name in FUNCTIONS and len(head) <= SHORT:
        fields |= {"method": name, "object": unbracketed(head)}
    return error_at(text, node, "attribute", **fields)


def _instead(name: str) -> dict[str, str]:
    functions = ", ".join(CALLABLE)
    instead = INSTEAD.get(name, "")
    return {"instead": instead, "nearest": nearest(name, CALLABLE), "functions": functions}


def _bound(text: str, node: Node, name: str) -> Parts:
    """Return all arguments in order, with numbers for those that have a default."""
    args = node.parts[1:]
    given = [arg for arg in args if arg.kind != "named"]
    if any(arg.kind == "named" for arg in args[: len(given)]):
        raise error_at(text, node.end - 1, "order")
    named = {normalize("NFKC", arg.text): arg.parts[0] for arg in args[len(given) :]}
    try:
        if len(given) + len(named) < len(args):
            raise TypeError
        return FUNCTIONS[name].bind(*given, **named)
    except TypeError:
        signature = f"{name}({FUNCTIONS[name].signature})"
        raise error_at(text, node, "arguments", signature=signature) from None


def _condition(text: str, node: Node) -> Parts:
    """Return the parts of a comparison, as the first argument of where."""
    left, right = node.parts
    primitive = COMPARISONS[node.text]
    if not primitive or right.operator in COMPARISONS:
        raise error_at(text, node, "condition")
    return left, right, (TABLE[primitive], 2)


def _of_list(text: str, node: Node) -> Parts:
    match node.parts[1:]:
        case (Node(kind="[", parts=members),) if members:
            return *members, (LOGSUMEXP, len(members))
    raise error_at(text, node, "list")


def _factor(text: str, *nodes: Node) -> str:
    """Return a factor in brackets, for the fix of ``(a + b)(c)``."""
    code = ", ".join(text[node.bare.start : node.bare.end] for node in nodes)
    return f"({shortened(code)})" if len(code) <= SHORT else "(...)"
