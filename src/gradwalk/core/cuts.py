"""Where a program has cut a graph: found in its source, because a cut leaves nothing behind.

A result of ``argmax`` or of ``.data`` does not refer to what it was computed from, and recording
that would cost every program. So the error looks at the statements that the result comes from.
"""

from __future__ import annotations

import ast
import linecache
from collections.abc import Iterator
from types import FrameType
from typing import NamedTuple

__all__ = ["Cut", "find_cut"]

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
    ".data": ("which is the plain array", "Use the Tensor itself, without .data"),
    "item": ("which is a plain number", "Use the Tensor itself, without .item()"),
    "numpy": ("which is a plain array", "Use the Tensor itself, without .numpy()"),
    "tolist": ("which are plain numbers", "Use the Tensor itself, without .tolist()"),
    "float": ("which is a plain number", "Use the Tensor itself, without float()"),
    "no_grad": ("inside of which nothing is recorded", "Compute it outside of no_grad()"),
}
"""By what cuts a graph: why it does, and what to write instead."""


ORDER = (ast.Lt, ast.Gt, ast.LtE, ast.GtE, ast.Eq, ast.NotEq)


class Cut(NamedTuple):
    """What cut a graph, why, what to write instead, and the line of the program."""

    what: str
    why: str
    fix: str
    line: str


def find_cut(frame: FrameType | None, name: str) -> Cut | None:
    """Return what cut the graph of the variable ``name``, as the statements above show it."""
    if frame is None:
        return None
    file, here = frame.f_code.co_filename, frame.f_lineno
    try:
        tree = ast.parse("".join(linecache.getlines(file)))
    except (SyntaxError, ValueError):
        return None
    scope = _scope(tree, here)
    found = _sliced(tree, scope, _first_names(scope, name, here), here)
    if found is None:
        return None
    what, number = found
    text = linecache.getline(file, number).strip()
    short = file.replace("\\", "/").rpartition("/")[2]
    return Cut(what, *CUTS[what], f"{text!r} ({short}, line {number})")


def _scope(tree: ast.Module, line: int) -> ast.AST:
    """Return the innermost function around a line, or the module."""
    found: ast.AST = tree
    for node in ast.walk(tree):
        is_function = isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef))
        if is_function and node.lineno <= line <= _end(node):  # type: ignore[attr-defined,arg-type]
            found = node
    return found


def _first_names(scope: ast.AST, name: str, line: int) -> list[ast.AST]:
    """Return the expressions to begin with: the variable, or all that the line itself has."""
    if name.isidentifier():
        return [ast.Name(name, ast.Load())]
    return [n for n in ast.walk(scope) if isinstance(n, ast.stmt) and n.lineno == line]


def _sliced(
    tree: ast.Module, scope: ast.AST, start: list[ast.AST], line: int
) -> tuple[str, int] | None:
    """Follow variables back to the expressions that they were assigned."""
    functions = _called(tree)
    paused = [n for n in ast.walk(scope) if isinstance(n, ast.With) and _pauses(n)]
    pending, seen = list(start), set[str]()
    while pending:
        expression = pending.pop(0)
        cut = next(_cuts(expression), None)
        if cut is not None:
            return cut
        for name in _names(expression):
            if name in seen:
                continue
            seen.add(name)
            for statement, value in _assigned(scope, name, line):
                around = next((w for w in paused if w.lineno < statement.lineno <= _end(w)), None)
                if around is not None:
                    return "no_grad", around.lineno
                pending.append(value)
            pending += [functions[name]] if name in functions else []
    return None


def _called(tree: ast.Module) -> dict[str, ast.AST]:
    """Return the functions of a program by name, and for a class of modules its ``forward``."""
    found: dict[str, ast.AST] = {n.name: n for n in tree.body if isinstance(n, ast.FunctionDef)}
    for node in ast.walk(tree):
        if isinstance(node, ast.ClassDef):
            methods = {m.name: m for m in node.body if isinstance(m, ast.FunctionDef)}
            forward = methods.get("forward", methods.get("__call__"))
            found |= {} if forward is None else {node.name: forward}
    return found


def _end(node: ast.stmt) -> int:
    return node.end_lineno or node.lineno


def _pauses(node: ast.With) -> bool:
    return any("no_grad" in ast.unparse(item.context_expr) for item in node.items)


def _names(expression: ast.AST) -> Iterator[str]:
    for node in ast.walk(expression):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load):
            yield node.id


def _assigned(scope: ast.AST, name: str, line: int) -> Iterator[tuple[ast.stmt, ast.AST]]:
    for node in ast.walk(scope):
        if not isinstance(node, (ast.Assign, ast.AugAssign, ast.AnnAssign)) or node.lineno > line:
            continue
        targets = node.targets if isinstance(node, ast.Assign) else [node.target]
        names = {n.id for t in targets for n in ast.walk(t) if isinstance(n, ast.Name)}
        if name in names and node.value is not None:
            yield node, node.value


def _cuts(expression: ast.AST) -> Iterator[tuple[str, int]]:
    """Yield what cuts a graph in an expression or a function, with the line."""
    for node in ast.walk(expression):
        what = _cut_of(node)
        if what in CUTS and not _is_condition(expression, node):
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
        if isinstance(node.func, ast.Attribute):
            return node.func.attr
        return node.func.id if isinstance(node.func, ast.Name) else ""
    return ""
