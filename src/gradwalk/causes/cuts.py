"""Where a program has cut a graph: found in its source, because a cut leaves nothing behind.

A result of ``argmax`` or of ``.data`` does not refer to what it was computed from, and recording
that would cost every program. So the error looks at the statements that the result comes from. A
line is only named if it reads what requires a gradient, and as what has probably cut the graph.
"""

from __future__ import annotations

import ast
import builtins
import linecache
import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from types import FrameType
from typing import Any, NamedTuple

from ..core.carrier import Carrier
from ..core.places import HOME, short_file, user_frames
from .source import (
    Function,
    assigned_here,
    first_line,
    functions_of,
    last_backward,
    last_line,
    reads,
    results_of,
    scope_at,
    syntax_of,
    syntax_of_frame,
)

__all__ = ["Cut", "cut_of", "cut_of_backward", "find_cut", "find_cut_in", "frozen", "is_live"]


NO_DERIVATIVE = "which has no derivative"
CUTS = {
    "argmax": (
        NO_DERIVATIVE,
        "Use softmax(scores) as the weights of the choices, or cross_entropy(scores, target)",
    ),
    "argmin": (NO_DERIVATIVE, "Use the numbers themselves: min, or a softmax of -x"),
    "argsort": (NO_DERIVATIVE, "Sort the numbers themselves: sort(x)"),
    "round": (
        NO_DERIVATIVE,
        "Write x + stop_gradient(round(x) - x), which passes the gradient on, or leave it out",
    ),
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
    "Tensor": ("whose result is a new leaf", "Use what is inside Tensor(...) itself"),
    "tensor": ("whose result is a new leaf", "Use what is inside tensor(...) itself"),
    "float": ("which is a plain number", "Use the number itself, without float()"),
    "no_grad": ("inside which nothing is recorded", "Compute it outside no_grad()"),
}
"""By what cuts a graph: why it does, and what to write instead."""


ORDER = (ast.Lt, ast.Gt, ast.LtE, ast.GtE, ast.Eq, ast.NotEq)
WRAPS = ("Tensor", "tensor")


def cuts_in(
    expression: ast.AST, known: Collection[str], aliases: Mapping[str, str] = {}
) -> Iterator[tuple[str, ast.AST]]:
    """Yield what cuts a graph in an expression, and the part of it that does.

    ``Tensor(x)`` counts if x has one of the names that are ``known`` to be Tensors: it makes
    Tensors of data everywhere. ``aliases`` are names that a program has given to what it imports.
    """
    for node in ast.walk(expression):
        what = _cut_of(node)
        what = aliases.get(what, what)
        if (
            what in CUTS
            and (what not in WRAPS or reads(node, known))
            and not _is_condition(expression, node)
        ):
            yield what, node


def _is_condition(expression: ast.AST, node: ast.AST) -> bool:
    """Return whether a part of an expression only chooses a branch: of ``if``, or in ``where``."""
    for parent in ast.walk(expression):
        if isinstance(parent, (ast.If, ast.IfExp, ast.While)) and node in ast.walk(parent.test):
            return True
        if not isinstance(node, ast.Compare):
            continue
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


class Cut(NamedTuple):
    """What cut a graph, why, what to write instead, and the line of the program."""

    what: str
    why: str
    fix: str
    line: str

    @property
    def told(self) -> str:
        """The cut in words."""
        return f"{self.what}, {self.why}, in {self.line}"


def is_live(thing: Any) -> bool:
    """Return whether gradients can flow to an object: a Value, a Tensor that requires them, ...

    ... or a module with such parameters.
    """
    if isinstance(thing, type):
        return False
    if isinstance(thing, Carrier):
        return bool(getattr(thing, "requires_grad", True))
    parameters = _parameters(thing)
    return any(getattr(p, "requires_grad", True) for p in parameters)


def _parameters(thing: Any) -> list[Any]:
    """Return the parameters of a module, or of a list or dictionary of live objects."""
    if isinstance(thing, dict):
        thing = [*thing.values()]
    if isinstance(thing, (list, tuple)):
        return [x for x in thing[:LONG] if isinstance(x, Carrier) or _is_module(x)]
    return [p for _, p in thing.named_parameters()] if _is_module(thing) else []


def _is_module(thing: Any) -> bool:
    return callable(getattr(type(thing), "named_parameters", None))


LONG = 1000  # members of a list that are looked at


def frozen(frames: Iterable[FrameType]) -> tuple[str, int]:
    """Return a module all of whose parameters are frozen, and how many they are.

    The name is "" if there is none, or if anything in the variables of the program is live.
    """
    found = ("", 0)
    for frame in frames:
        for name, thing in [*frame.f_locals.items(), *frame.f_globals.items()]:
            if name[:1] == "_":
                continue
            if is_live(thing):
                return "", 0
            if not found[0] and _is_module(thing) and (count := len(_parameters(thing))):
                found = name, count
    return found


def cut_of(wanted: Callable[[Any], bool]) -> Cut | None:
    """Return what cut the graph of an object that is in a variable of the program.

    The callers are searched as well: a function that calls ``backward()`` may have got the loss
    as an argument.
    """
    for depth, frame in enumerate(user_frames()):
        names = [name for name, thing in list(frame.f_locals.items()) if wanted(thing)]
        for name in names or [""] * (depth == 0):
            found = find_cut(frame, name)
            if found is not None:
                return found
    return None


def cut_of_backward(frame: FrameType | None) -> Cut | None:
    """Return what cut the graph of the last result on which ``frame`` called ``backward()``."""
    found = last_backward(frame)
    return find_cut(frame, found[0]) if found else None


def find_cut(frame: FrameType | None, name: str) -> Cut | None:
    """Return what cut the graph of the variable ``name``, as the statements above show it."""
    tree = syntax_of_frame(frame)
    if frame is None or tree is None:
        return None
    file, here = frame.f_code.co_filename, frame.f_lineno
    scope = scope_at(tree, here)
    start = _first_names(scope, name, here)
    variables = {**frame.f_globals, **frame.f_locals}
    known = [name for name, x in list(frame.f_locals.items()) if isinstance(x, Carrier)]
    found = (_sliced(tree, scope, start, here, names, variables) for names in ((), known))
    return _cut_at(file, next(filter(None, found), None))


def find_cut_in(functions: Iterable[Any]) -> Cut | None:
    """Return what cuts the graph in the results of functions of the program."""
    for function in functions:
        code = getattr(getattr(function, "__func__", function), "__code__", None)
        if code is None or code.co_filename.startswith(HOME):
            continue
        tree = syntax_of(code.co_filename)
        nodes = () if tree is None else ast.walk(tree)
        scope = next((n for n in nodes if first_line(n) == code.co_firstlineno), None)
        if tree is None or scope is None:
            continue
        found = _sliced(tree, scope, [scope], code.co_firstlineno, ())
        if found is not None:
            return _cut_at(code.co_filename, found)
    return None


def _cut_at(file: str, found: tuple[str, ast.AST | int] | None) -> Cut | None:
    if found is None:
        return None
    what, part = found
    number = part if isinstance(part, int) else getattr(part, "lineno", 0)
    text = linecache.getline(file, number).strip()
    why, fix = CUTS[what]
    wrapped = None if isinstance(part, int) else _wrapped(syntax_of(file), part)
    if wrapped is not None and what not in WRAPS:
        fix = f"{fix}, and without {wrapped}(...) around it, which makes a new leaf"
        if re.search(r"\b(np|numpy|math)\.", text):
            fix = f"{fix}. Use gradwalk's functions instead of those of numpy"
    if ".append(" in text:
        fix = f"{fix}. Join what is in the list by gradwalk.stack"
    return Cut(what, why, fix, f"{text!r} ({short_file(file)}, line {number})")


def _wrapped(tree: ast.Module | None, part: ast.AST) -> str | None:
    """Return the name of the call around a part of an expression that makes a leaf of it."""
    for node in ast.walk(tree) if tree is not None else ():
        name = _cut_of(node) if isinstance(node, ast.Call) else ""
        name = name or str(getattr(getattr(node, "func", None), "id", ""))
        if name in (*WRAPS, "Value") and part is not node and part in ast.walk(node):
            return name
    return None


def _first_names(scope: ast.AST, name: str, line: int) -> list[ast.AST]:
    """Return the expressions to begin with: the variable, or all that the line itself has."""
    if name.isidentifier():
        return [ast.Name(name, ast.Load())]
    if isinstance(scope, ast.Lambda):
        return [scope.body]
    return [n for n in ast.walk(scope) if isinstance(n, ast.stmt) and n.lineno == line]


def _sliced(
    tree: ast.Module,
    scope: ast.AST,
    start: list[ast.AST],
    line: int,
    known: Collection[str],
    variables: Mapping[str, Any] | None = None,
) -> tuple[str, ast.AST | int] | None:
    """Follow variables back to the expressions that they were assigned, and into functions.

    Only what reads something live counts, as far as ``variables``, those of ``scope``, tell.
    """
    functions, frame, aliases = functions_of(tree), scope, _aliases(tree)
    pending: list[tuple[ast.AST, ast.AST, int]] = [
        (scope, expression, line) for expression in start
    ]
    seen = set[Any]()
    while pending:
        scope, expression, line = pending.pop(0)
        if isinstance(expression, Function):
            if expression in seen:
                continue
            seen.add(expression)
            paused = _paused(expression, getattr(expression, "decorator_list", ()))
            if paused:
                return "no_grad", paused
            pending += [(expression, value, end) for value, end in results_of(expression)]
            continue
        for what, part in cuts_in(expression, known, aliases):
            parts = [part, *_sources(expression, part)]
            if variables is None or _is_on_path(tree, frame, scope, parts, line, variables):
                return what, part
        for name in _names(expression):
            if (scope, name) in seen:
                continue
            seen.add((scope, name))
            assigned = assigned_here(tree, scope, name, line)
            for statement, value in assigned:
                paused = _paused_around(scope, statement)
                if paused:
                    return "no_grad", paused
                pending.append((scope, value, line))
            pending += [(functions[name], functions[name], line)] if name in functions else []
    return None


def _aliases(tree: ast.Module) -> dict[str, str]:
    """Return the names under which a program imports functions that have others."""
    found = [a for n in ast.walk(tree) if isinstance(n, ast.ImportFrom) for a in n.names]
    return {a.asname: a.name for a in found if a.asname}


def _is_on_path(
    tree: ast.Module,
    frame: ast.AST,
    scope: ast.AST,
    parts: list[ast.AST],
    line: int,
    variables: Mapping[str, Any],
) -> bool:
    """Return whether what cuts a graph reads something live, in ``frame`` or in a function of it.

    Of a function the arguments count with which ``frame`` calls it; those of a method are unknown.
    """
    if scope is frame:
        return _reads_live(tree, scope, parts, line, variables)
    name, arguments = getattr(scope, "name", ""), _arguments(scope)
    if arguments[:1] == ["self"] or not name:
        return any(is_live(x) for x in variables.values())
    calls = [
        n for n in ast.walk(frame)
        if isinstance(n, ast.Call) and getattr(n.func, "id", "") == name
    ]  # fmt: skip
    given = [a for n in calls for a in [*n.args, *(k.value for k in n.keywords)]]
    own = [n.id for p in parts for n in ast.walk(p) if isinstance(n, ast.Name)]
    for local in own:  # grows during the loop: what its own variables were computed from
        if local not in variables and local not in arguments:
            made = [value for _, value in assigned_here(tree, scope, local, last_line(scope))]
            read = [n.id for v in made for n in ast.walk(v) if isinstance(n, ast.Name)]
            own += [n for n in dict.fromkeys(read) if n not in own]
    live = any(is_live(variables.get(n)) for n in own if n not in arguments)
    return live or _reads_live(tree, frame, given, line, variables)


def _arguments(function: ast.AST) -> list[str]:
    """Return the names of the arguments of a function, and of the targets of comprehensions."""
    if isinstance(function, Function):
        return [a.arg for a in ast.walk(function.args) if isinstance(a, ast.arg)]
    return []


def _sources(expression: ast.AST, part: ast.AST) -> list[ast.AST]:
    """Return the comprehensions around a part of an expression whose targets it reads."""
    read = {n.id for n in ast.walk(part) if isinstance(n, ast.Name)}
    found = [n for n in ast.walk(expression) if isinstance(n, ast.comprehension)]
    return [
        n for n in found if read & {t.id for t in ast.walk(n.target) if isinstance(t, ast.Name)}
    ]


def _bound(part: ast.AST) -> set[str]:
    """Return the names that comprehensions and lambdas bind inside of an expression."""
    inner = [n.target for n in ast.walk(part) if isinstance(n, ast.comprehension)]
    names = {n.id for t in inner for n in ast.walk(t) if isinstance(n, ast.Name)}
    return names | {a for n in ast.walk(part) for a in _arguments(n)}


def _reads_live(
    tree: ast.Module,
    scope: ast.AST,
    expressions: Sequence[ast.AST],
    line: int,
    variables: Mapping[str, Any],
) -> bool:
    """Return whether expressions read something live, directly or by what it was assigned."""
    pending, seen, functions = [*expressions], set[str](), functions_of(tree)
    inner = {name for part in expressions for name in _bound(part)}
    for part in pending:  # grows during the loop
        bound = _bound(part) | inner
        names = [n.id for n in ast.walk(part) if isinstance(n, ast.Name) and n.id not in bound]
        if any(isinstance(n, ast.keyword) and n.arg == "requires_grad" for n in ast.walk(part)):
            return True
        for name in names:
            if name in seen:
                continue
            seen.add(name)
            if name not in variables:  # deleted since, or of a function
                if name not in vars(builtins):
                    return True
                continue
            if is_live(variables[name]):
                return True
            if name in functions:
                pending += [value for value, _ in results_of(functions[name])]
            assigned = assigned_here(tree, scope, name, line)
            pending += [value for _, value in assigned]
    return False


def _paused_around(scope: ast.AST, statement: ast.AST) -> int:
    """Return the line of the ``with no_grad()`` around a statement, 0 if there is none."""
    blocks = [n for n in ast.walk(scope) if isinstance(n, ast.With)]
    around = [b for b in blocks if b.lineno < statement.lineno <= last_line(b)]  # type: ignore[attr-defined]
    return next((b.lineno for b in around if _paused(b, [i.context_expr for i in b.items])), 0)


def _paused(node: Any, expressions: Iterable[ast.AST]) -> int:
    return node.lineno if any("no_grad" in ast.unparse(e) for e in expressions) else 0


def _names(expression: ast.AST) -> Iterator[str]:
    for node in ast.walk(expression):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load):
            yield node.id
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            yield node.func.attr
