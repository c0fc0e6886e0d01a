"""What cuts a graph in an expression, and what to write instead."""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterator

__all__ = ["CUTS", "cuts_in"]

NO_DERIVATIVE = "which has no derivative"
CUTS = {
    "argmax": (NO_DERIVATIVE, "Use the scores themselves: cross_entropy(scores, target)"),
    "argmin": (NO_DERIVATIVE, "Use the numbers themselves: min, or a softmax of -x"),
    "argsort": (NO_DERIVATIVE, "Sort the numbers themselves: sort(x)"),
    "round": (NO_DERIVATIVE, "Leave it out of the loss, and round for display only"),
    "sign": (NO_DERIVATIVE, "Use tanh(k * x), which is smooth"),
    "floor": (NO_DERIVATIVE, "Leave it out of the loss"),
    "ceil": (NO_DERIVATIVE, "Leave it out of the loss"),
    "//": (NO_DERIVATIVE, "Divide by / instead"),
    "a comparison": (NO_DERIVATIVE, "Use sigmoid(k * (a - b)), or where(a > b, x, y)"),
    "detach": ("through which no gradient flows", "Leave out .detach()"),
    "stop_gradient": ("through which no gradient flows", "Leave out stop_gradient"),
    ".data": ("which is the plain number or array", "Use the number itself, without .data"),
    "item": ("which is a plain number", "Use the number itself, without .item()"),
    "numpy": ("which is a plain array", "Use the number itself, without .numpy()"),
    "tolist": ("which are plain numbers", "Use the number itself, without .tolist()"),
    "int": ("which is a plain number", "Leave int() out of the loss"),
    "asarray": ("which is a plain array", "Use the number itself"),
    "array": ("which is a plain array", "Join Tensors by gradwalk.stack"),
    "Tensor": ("whose result is a new leaf", "Use what is inside of Tensor(...) itself"),
    "tensor": ("whose result is a new leaf", "Use what is inside of tensor(...) itself"),
    "float": ("which is a plain number", "Use the number itself, without float()"),
    "no_grad": ("inside of which nothing is recorded", "Compute it outside of no_grad()"),
}
"""By what cuts a graph: why it does, and what to write instead."""


ORDER = (ast.Lt, ast.Gt, ast.LtE, ast.GtE, ast.Eq, ast.NotEq)
WRAPS = ("Tensor", "tensor")


def cuts_in(expression: ast.AST, known: Collection[str]) -> Iterator[tuple[str, int]]:
    """Yield what cuts a graph in an expression, with the line.

    ``Tensor(x)`` counts if x has one of the names that are ``known`` to be Tensors: it makes
    Tensors of data everywhere.
    """
    for node in ast.walk(expression):
        what = _cut_of(node)
        if (
            what in CUTS
            and (what not in WRAPS or _reads(node, known))
            and not _is_condition(expression, node)
        ):
            yield what, getattr(node, "lineno", 0)


def _is_condition(expression: ast.AST, node: ast.AST) -> bool:
    """Return whether a comparison only chooses a branch: of ``if``, or in ``where``."""
    if not isinstance(node, ast.Compare):
        return False
    for parent in ast.walk(expression):
        if isinstance(parent, (ast.If, ast.IfExp, ast.While)) and node in ast.walk(parent.test):
            return True
        chooses = isinstance(parent, ast.Call) and ast.unparse(parent.func).endswith("where")
        if chooses and any(node in ast.walk(a) for a in parent.args[:1]):  # type: ignore[attr-defined]
            return True
    return False


def _cut_of(node: ast.AST) -> str:
    if isinstance(node, ast.Attribute) and node.attr == "data":
        return ".data" if isinstance(node.ctx, ast.Load) else ""
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.FloorDiv):
        return "//"
    if isinstance(node, ast.Compare) and isinstance(node.ops[0], ORDER):
        return "a comparison"
    if isinstance(node, ast.Call):
        name = getattr(node.func, "attr", getattr(node.func, "id", ""))
        return "" if name in ("array", "asarray", *WRAPS) and not _converts(node) else name
    return ""


def _converts(node: ast.Call) -> bool:
    """Return whether an array is made of something that was computed, not of literals."""
    return bool(node.args) and isinstance(node.args[0], (ast.Name, ast.Call, ast.BinOp))


def _reads(node: ast.AST, known: Collection[str]) -> bool:
    return any(isinstance(n, ast.Name) and n.id in known for n in ast.walk(node))
