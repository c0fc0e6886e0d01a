"""The source of a program: its syntax trees, scopes and assignments, and its backward passes."""

from __future__ import annotations

import ast
import linecache
import re
from collections.abc import Collection, Iterator
from threading import Lock
from types import FrameType
from typing import Any, NamedTuple

from ..core.places import short_file

__all__ = ["FUNCTIONS", "Assignment", "Function", "assigned_here", "assignments"]
__all__ += ["erased_since_backward", "first_line", "functions_of", "last_backward", "last_line"]
__all__ += ["loop_around", "place_in", "reads", "results_of", "scope_at", "syntax_of"]
__all__ += ["syntax_of_frame"]

_parsing = Lock()
_known: dict[str, tuple[list[str], ast.Module | None]] = {}
FILES = 4  # whose trees are kept: one of 5,000 lines takes 0.3 s to parse, a training asks often


def syntax_of(file: str) -> ast.Module | None:
    """Return the syntax tree of a file, ``None`` if there is none to be had."""
    lines = linecache.getlines(file)
    known = _known.pop(file, None)
    if known is None or known[0] != lines:
        known = lines, _tree("".join(lines))
    _known[file] = known  # the last one that was asked for comes last
    while len(_known) > FILES:
        del _known[next(iter(_known))]
    return known[1]


def _tree(text: str) -> ast.Module | None:
    # SystemError: the parser of Python 3.11 at the limit of recursion, and while Python ends; that
    # of two threads at once, too, so one tree at a time is made
    try:
        with _parsing:
            return ast.parse(text)
    except (SyntaxError, ValueError, SystemError, RecursionError, MemoryError):
        return None


def syntax_of_frame(frame: FrameType | None) -> ast.Module | None:
    """Return the syntax tree of the file that a frame runs."""
    return None if frame is None else syntax_of(frame.f_code.co_filename)


Function = ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda
FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)


def scope_at(tree: ast.Module, line: int) -> ast.AST:
    """Return the innermost function around a line, or the module."""
    found: ast.AST = tree
    for node in ast.walk(tree):
        if isinstance(node, Function) and node.lineno <= line <= last_line(node):
            found = node
    return found


def last_line(node: Any) -> int:
    """Return the last line of a node."""
    return int(node.end_lineno or node.lineno)


def functions_of(tree: ast.Module) -> dict[str, ast.AST]:
    """Return functions and methods of a program by name, and for a class of modules `forward`."""
    found: dict[str, ast.AST] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.ClassDef):
            methods = {m.name: m for m in node.body if isinstance(m, ast.FunctionDef)}
            forward = methods.get("forward", methods.get("__call__"))
            found |= {n: m for n, m in methods.items() if n[0] != "_" and n not in found}
            found |= {} if forward is None else {node.name: forward}
    return found | {n.name: n for n in ast.walk(tree) if _is_plain(n)}  # type: ignore[attr-defined]


def _is_plain(node: ast.AST) -> bool:
    arguments = node.args.args if isinstance(node, ast.FunctionDef) else None
    return arguments is not None and not (arguments and arguments[0].arg == "self")


def results_of(function: Any) -> list[tuple[ast.AST, int]]:
    """Return what a function returns, with the lines."""
    if isinstance(function, ast.Lambda):
        return [(function.body, last_line(function))]
    returns = [n for n in ast.walk(function) if isinstance(n, ast.Return) and n.value is not None]
    return [(n.value, n.lineno) for n in returns]  # type: ignore[misc]


def first_line(node: ast.AST) -> int:
    """Return the first line of a function, its decorators included; 0 for anything else."""
    if not isinstance(node, Function):
        return 0
    first: list[int] = [d.lineno for d in getattr(node, "decorator_list", ())]
    return min([node.lineno, *first])


def reads(node: ast.AST, known: Collection[str]) -> bool:
    """Return whether a node has one of the names."""
    return any(isinstance(n, ast.Name) and n.id in known for n in ast.walk(node))


class Assignment(NamedTuple):
    """A statement that gives a variable its value: where it stands, and the expression."""

    scope: ast.AST
    statement: ast.stmt
    value: ast.AST


def assignments(tree: ast.Module, scope: ast.AST, name: str, line: int) -> Iterator[Assignment]:
    """Yield what was assigned to a variable above a line of a scope, in loops and classes too.

    Of a variable of the module that a function reads, all assignments count, and of ``self.name``
    those of all methods.
    """
    if name.startswith("self."):
        for function in (n for n in ast.walk(tree) if isinstance(n, Function)):
            for node in ast.walk(function):
                if isinstance(node, ast.Assign) and name in map(ast.unparse, node.targets):
                    yield Assignment(function, node, node.value)
        return
    around = [n for n in ast.walk(tree) if isinstance(n, Function) and _contains(n, scope)]
    for outer in [scope, *reversed(around), tree]:
        above = line if outer is scope else _END
        found = [*_assigned(outer, name, above), *_looped(outer, name, above)]
        if outer is tree:  # but not what functions call by the same name
            found = [pair for pair in found if scope_at(tree, pair[0].lineno) is tree]
        yield from (Assignment(outer, *pair) for pair in found)
        if found:
            return


_END = 1 << 30  # below every line


def assigned_here(
    tree: ast.Module, scope: ast.AST, name: str, line: int
) -> list[tuple[ast.stmt, ast.AST]]:
    """Return what was assigned to a variable in a scope, in one around it, or in the module."""
    around = [n for n in ast.walk(tree) if isinstance(n, Function) and _contains(n, scope)]
    for function in [scope, *reversed(around)]:  # the walk meets outer ones first
        found = list(_assigned(function, name, line))
        if found or function is tree:
            return found
    outside = [n for n in tree.body if not isinstance(n, (*FUNCTIONS, ast.ClassDef))]
    return [pair for statement in outside for pair in _assigned(statement, name, line)]


def _looped(scope: ast.AST, name: str, line: int) -> Iterator[tuple[ast.stmt, ast.AST]]:
    """Yield the loops above a line over which a variable runs."""
    for node in ast.walk(scope):
        if isinstance(node, ast.For) and node.lineno <= line and reads(node.target, (name,)):
            yield node, node.iter


def _contains(function: Any, scope: Any) -> bool:
    """Return whether a function contains a scope, by their lines."""
    first = getattr(scope, "lineno", 0)
    return function is not scope and function.lineno <= first <= last_line(function)


def _assigned(scope: ast.AST, name: str, line: int) -> Iterator[tuple[ast.stmt, ast.AST]]:
    for node in ast.walk(scope):
        if isinstance(node, ast.Expr) and node.lineno <= line and (put := _put_into(node, name)):
            yield node, put
        if not isinstance(node, (ast.Assign, ast.AugAssign, ast.AnnAssign)) or node.lineno > line:
            continue
        targets = node.targets if isinstance(node, ast.Assign) else [node.target]
        names = {n.id for t in targets for n in ast.walk(t) if isinstance(n, ast.Name)}
        if name in names and node.value is not None:
            yield node, _part(targets[0], node.value, name)


def _put_into(statement: ast.Expr, name: str) -> ast.AST | None:
    """Return what ``name.append(x)`` puts into a list."""
    call = statement.value
    if not isinstance(call, ast.Call) or not isinstance(call.func, ast.Attribute) or not call.args:
        return None
    owner = getattr(call.func.value, "id", "")
    return call.args[-1] if owner == name and call.func.attr in ("append", "extend") else None


def _part(target: ast.AST, value: ast.AST, name: str) -> ast.AST:
    """Return the member of ``a, b = x, y`` that goes to a name."""
    if isinstance(target, ast.Tuple) and isinstance(value, ast.Tuple):
        for t, v in zip(target.elts, value.elts, strict=False):
            if isinstance(t, ast.Name) and t.id == name:
                return v
    return value


def place_in(file: str, line: int) -> str:
    """Return the text of a line, and where it stands."""
    text = linecache.getline(file, line).strip()
    return f"{text!r} ({short_file(file)}, line {line})"


def last_backward(
    frame: FrameType | None, before: int | None = None
) -> tuple[str, int, str] | None:
    """Return the last ``name.backward()`` above the line of ``frame``: name, line, its text.

    ``before`` is another line to search above. The name is "" for a result without one.
    """
    tree = syntax_of_frame(frame)
    if frame is None or tree is None:
        return None
    line = frame.f_lineno if before is None else before
    calls = [
        n for n in ast.walk(scope_at(tree, frame.f_lineno))
        if isinstance(n, ast.Call) and isinstance(n.func, ast.Attribute)
        and n.func.attr == "backward" and n.lineno <= line
    ]  # fmt: skip
    if not calls:
        return None
    last = max(calls, key=lambda n: (n.lineno, n.col_offset))
    root = last.func.value  # type: ignore[attr-defined]
    name = root.id if isinstance(root, ast.Name) else ""
    return name, last.lineno, linecache.getline(frame.f_code.co_filename, last.lineno).strip()


def erased_since_backward(frame: FrameType | None) -> str:
    """Return the ``zero_grad()`` between the last ``backward()`` and the line of ``frame``."""
    found = last_backward(frame)
    if frame is None or found is None:
        return ""
    file = frame.f_code.co_filename
    lines = ((n, linecache.getline(file, n).strip()) for n in range(found[1], frame.f_lineno))
    erased = ((n, text) for n, text in lines if re.search(r"zero_grad\(|\.grad = None", text))
    return next((f"{text!r} ({short_file(file)}, line {n})" for n, text in erased), "")


def loop_around(frame: FrameType) -> int:
    """Return the line of the innermost loop around the line of ``frame``, 0 if there is none."""
    tree = syntax_of_frame(frame)
    nodes = () if tree is None else ast.walk(scope_at(tree, frame.f_lineno))
    loops = [n for n in nodes if isinstance(n, (ast.For, ast.While))]
    return max((n.lineno for n in loops if n.lineno <= frame.f_lineno <= last_line(n)), default=0)
