"""What a program leaves out of its loss: what only chooses a branch, or what nothing reads."""

from __future__ import annotations

import ast
from types import FrameType
from typing import NamedTuple

from ..core.places import short_file
from .source import assignments, functions_of, place_in, reads, scope_at, syntax_of, syntax_of_frame

__all__ = ["Unused", "remade", "unused"]

ROUNDS = 4  # statements in a row through which a variable is followed


def remade(frame: FrameType | None, name: str) -> str:
    """Return the line that makes a variable anew of its own numbers, ``""`` if there is none.

    After ``w = Tensor(w.data - lr * w.grad)`` the name stands for another leaf, or for none.
    """
    tree = syntax_of_frame(frame)
    if frame is None or tree is None or not name.isidentifier():
        return ""
    scope = scope_at(tree, frame.f_lineno)
    for made in assignments(tree, scope, name, frame.f_lineno):
        reads = [n for n in ast.walk(made.value) if isinstance(n, ast.Attribute)]
        own = [n for n in reads if isinstance(n.value, ast.Name) and n.value.id == name]
        if any(n.attr in ("grad", "data") for n in own) and isinstance(made.statement, ast.Assign):
            return place_in(frame.f_code.co_filename, made.statement.lineno)
    return ""


class Unused(NamedTuple):
    """What a program does with a leaf, or with the module that has it, and what to do instead."""

    told: str
    fix: str
    line: str


def unused(file: str, name: str) -> Unused | None:
    """Return where a program only compares a leaf, or computes something with it that it drops.

    ``name`` is that of a variable, or the path of a parameter: ``blocks.0.gate.weight``.
    """
    tree = syntax_of(file)
    parts = [part for part in name.split(".") if part.isidentifier()]
    if tree is None or not parts:
        return None
    if len(parts) == 1:
        return _only_compared(tree, file, name)
    return _dropped(tree, file, parts[-2]) or _only_compared(tree, file, parts[0], steps=True)


def _only_compared(tree: ast.Module, file: str, name: str, steps: bool = False) -> Unused | None:
    """Return the condition that reads a variable, or what it was computed to.

    With ``steps``, only one that chooses between plain numbers, as a step function does: the
    outputs of a model are compared elsewhere, too.
    """
    names = _computed_from(tree, name)
    for node in ast.walk(tree):
        if not isinstance(node, (ast.If, ast.IfExp, ast.While)) or (steps and not _is_step(node)):
            continue
        if reads(node.test, names):
            told = f"{name} probably only chooses a branch, and a comparison has no derivative"
            fix = f"Mix both branches: s * x + (1 - s) * y with s = sigmoid(k * (a - {name}))."
            return Unused(told, fix, place_in(file, node.test.lineno))
    return None


def _is_step(node: ast.If | ast.IfExp | ast.While) -> bool:
    """Return whether a condition chooses a plain number."""
    if isinstance(node, ast.IfExp):
        return isinstance(node.body, ast.Constant) and isinstance(node.orelse, ast.Constant)
    return isinstance(getattr(node.body[-1], "value", None), ast.Constant)


def _computed_from(tree: ast.Module, name: str) -> set[str]:
    """Return the variables that a program computes from one, and arguments that get such a one."""
    names, functions = {name}, functions_of(tree)
    for _ in range(ROUNDS):
        before = len(names)
        for node in ast.walk(tree):
            if isinstance(node, ast.Assign) and reads(node.value, names):
                names |= {t.id for t in node.targets if isinstance(t, ast.Name)}
            called = functions.get(getattr(getattr(node, "func", None), "id", ""))
            arguments = called.args.args if isinstance(called, ast.FunctionDef) else []
            given = node.args if isinstance(node, ast.Call) else []
            pairs = zip(arguments, given, strict=False)  # a default may stand for the rest
            names |= {a.arg for a, value in pairs if reads(value, names)}
        if len(names) == before:
            break
    return names


def _dropped(tree: ast.Module, file: str, module: str) -> Unused | None:
    """Return the variable that a module computes and that nothing reads; or that none calls it."""
    made = [
        n for n in ast.walk(tree)
        if isinstance(n, ast.Attribute) and n.attr == module and reads(n.value, ("self",))
    ]  # fmt: skip
    if not any(isinstance(n.ctx, ast.Store) for n in made):
        return None  # made elsewhere
    if all(isinstance(n.ctx, ast.Store) for n in made):
        told = f"no line of {short_file(file)} reads {module}"
        fix = f"Call {module} in forward, or leave it out."
        return Unused(told, fix, place_in(file, made[0].lineno))
    for node in ast.walk(tree):
        if not isinstance(node, ast.Assign) or not isinstance(node.targets[0], ast.Name):
            continue
        if any(n in made for n in ast.walk(node.value)):
            scope, name = scope_at(tree, node.lineno), node.targets[0].id
            read = [n for n in ast.walk(scope) if isinstance(n, ast.Name) and n.id == name]
            if all(isinstance(n.ctx, ast.Store) for n in read):
                told = f"{name} is computed by {module}, and no line reads it"
                fix = f"Use {name}, or leave {module} out."
                return Unused(told, fix, place_in(file, node.lineno))
    return None
