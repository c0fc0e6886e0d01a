"""Where a program has cut a graph: found in its source, because a cut leaves nothing behind.

A result of ``argmax`` or of ``.data`` does not refer to what it was computed from, and recording
that would cost every program. So the error looks at the statements that the result comes from. A
line is only named if it reads what requires a gradient, and as what has probably cut the graph.
"""

from __future__ import annotations

import ast
import builtins
import linecache
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from threading import Lock
from types import FrameType
from typing import Any, NamedTuple

from ..core.carrier import Carrier
from ..core.places import HOME, short_file, user_frames

__all__ = ["Cut", "cut_of", "cut_of_backward", "find_cut", "find_cut_in", "last_backward"]
__all__ += ["frozen", "is_live", "loop_around", "syntax_of"]


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
            and (what not in WRAPS or _reads(node, known))
            and not _is_condition(expression, node)
        ):
            yield what, node


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


def last_backward(
    frame: FrameType | None, before: int | None = None
) -> tuple[str, int, str] | None:
    """Return the last ``name.backward()`` above the line of ``frame``: name, line, its text.

    ``before`` is another line to search above. The name is "" for a result without one.
    """
    tree = _parsed(frame)
    if frame is None or tree is None:
        return None
    line = frame.f_lineno if before is None else before
    calls = [
        n for n in ast.walk(_scope(tree, frame.f_lineno))
        if isinstance(n, ast.Call) and isinstance(n.func, ast.Attribute)
        and n.func.attr == "backward" and n.lineno <= line
    ]  # fmt: skip
    if not calls:
        return None
    last = max(calls, key=lambda n: (n.lineno, n.col_offset))
    root = last.func.value  # type: ignore[attr-defined]
    name = root.id if isinstance(root, ast.Name) else ""
    return name, last.lineno, linecache.getline(frame.f_code.co_filename, last.lineno).strip()


def loop_around(frame: FrameType) -> int:
    """Return the line of the innermost loop around the line of ``frame``, 0 if there is none."""
    tree = _parsed(frame)
    nodes = () if tree is None else ast.walk(_scope(tree, frame.f_lineno))
    loops = [n for n in nodes if isinstance(n, (ast.For, ast.While))]
    return max((n.lineno for n in loops if n.lineno <= frame.f_lineno <= _end(n)), default=0)


def find_cut(frame: FrameType | None, name: str) -> Cut | None:
    """Return what cut the graph of the variable ``name``, as the statements above show it."""
    tree = _parsed(frame)
    if frame is None or tree is None:
        return None
    file, here = frame.f_code.co_filename, frame.f_lineno
    scope = _scope(tree, here)
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
        tree = _parse(code.co_filename)
        nodes = () if tree is None else ast.walk(tree)
        scope = next((n for n in nodes if _starts(n) == code.co_firstlineno), None)
        if tree is None or scope is None:
            continue
        found = _sliced(tree, scope, [scope], code.co_firstlineno, ())
        if found is not None:
            return _cut_at(code.co_filename, found)
    return None


def _cut_at(file: str, found: tuple[str, int] | None) -> Cut | None:
    if found is None:
        return None
    what, number = found
    text = linecache.getline(file, number).strip()
    return Cut(what, *CUTS[what], f"{text!r} ({short_file(file)}, line {number})")


def _parsed(frame: FrameType | None) -> ast.Module | None:
    return None if frame is None else _parse(frame.f_code.co_filename)


_parsing = Lock()
_known: dict[str, tuple[list[str], ast.Module | None]] = {}
FILES = 4  # whose trees are kept: one of 5,000 lines takes 0.3 s to parse, a training asks often


def _parse(file: str) -> ast.Module | None:
    """Return the syntax tree of a file, ``None`` if there is none to be had."""
    lines = linecache.getlines(file)
    known = _known.pop(file, None)
    if known is None or known[0] != lines:
        known = lines, _tree("".join(lines))
    _known[file] = known  # the last one that was asked for comes last
    while len(_known) > FILES:
        del _known[next(iter(_known))]
    return known[1]


def syntax_of(file: str) -> ast.Module | None:
    """Return the syntax tree of a file of the program, ``None`` if there is none to be had."""
    return _parse(file)


def _tree(text: str) -> ast.Module | None:
    # SystemError: the parser of Python 3.11 at the limit of recursion, and while Python ends; that
    # of two threads at once, too, so one tree at a time is made
    try:
        with _parsing:
            return ast.parse(text)
    except (SyntaxError, ValueError, SystemError, RecursionError, MemoryError):
        return None


Function = ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda
FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)


def _scope(tree: ast.Module, line: int) -> ast.AST:
    """Return the innermost function around a line, or the module."""
    found: ast.AST = tree
    for node in ast.walk(tree):
        if isinstance(node, Function) and node.lineno <= line <= _end(node):
            found = node
    return found


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
) -> tuple[str, int] | None:
    """Follow variables back to the expressions that they were assigned, and into functions.

    Only what reads something live counts, as far as ``variables``, those of ``scope``, tell.
    """
    functions, frame, aliases = _called(tree), scope, _aliases(tree)
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
            pending += [(expression, value, end) for value, end in _results(expression)]
            continue
        for what, part in cuts_in(expression, known, aliases):
            parts = [part, *_sources(expression, part)]
            if variables is None or _is_on_path(tree, frame, scope, parts, line, variables):
                return what, getattr(part, "lineno", 0)
        for name in _names(expression):
            if (scope, name) in seen:
                continue
            seen.add((scope, name))
            assigned = _assigned_here(tree, scope, name, line)
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
    own = {n.id for p in parts for n in ast.walk(p) if isinstance(n, ast.Name)} - {*arguments}
    read = any(is_live(variables.get(n)) for n in own)
    return read or _reads_live(tree, frame, given, line, variables)


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
    pending, seen, functions = [*expressions], set[str](), _called(tree)
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
                pending += [value for value, _ in _results(functions[name])]
            assigned = _assigned_here(tree, scope, name, line)
            pending += [value for _, value in assigned]
    return False


def _results(function: Any) -> list[tuple[ast.AST, int]]:
    """Return what a function returns, with the lines."""
    if isinstance(function, ast.Lambda):
        return [(function.body, _end(function))]
    returns = [n for n in ast.walk(function) if isinstance(n, ast.Return) and n.value is not None]
    return [(n.value, n.lineno) for n in returns]  # type: ignore[misc]


def _starts(node: ast.AST) -> int:
    """Return the first line of a function, its decorators included; 0 for anything else."""
    if not isinstance(node, Function):
        return 0
    first: list[int] = [d.lineno for d in getattr(node, "decorator_list", ())]
    return min([node.lineno, *first])


def _paused_around(scope: ast.AST, statement: ast.AST) -> int:
    """Return the line of the ``with no_grad()`` around a statement, 0 if there is none."""
    blocks = [n for n in ast.walk(scope) if isinstance(n, ast.With)]
    around = [b for b in blocks if b.lineno < statement.lineno <= _end(b)]  # type: ignore[attr-defined]
    return next((b.lineno for b in around if _paused(b, [i.context_expr for i in b.items])), 0)


def _paused(node: Any, expressions: Iterable[ast.AST]) -> int:
    return node.lineno if any("no_grad" in ast.unparse(e) for e in expressions) else 0


def _called(tree: ast.Module) -> dict[str, ast.AST]:
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


def _end(node: Any) -> int:
    return int(node.end_lineno or node.lineno)


def _names(expression: ast.AST) -> Iterator[str]:
    for node in ast.walk(expression):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load):
            yield node.id
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            yield node.func.attr


def _assigned_here(
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


def _contains(function: Any, scope: Any) -> bool:
    """Return whether a function contains a scope, by their lines."""
    first = getattr(scope, "lineno", 0)
    return function is not scope and function.lineno <= first <= _end(function)


def _assigned(scope: ast.AST, name: str, line: int) -> Iterator[tuple[ast.stmt, ast.AST]]:
    for node in ast.walk(scope):
        if not isinstance(node, (ast.Assign, ast.AugAssign, ast.AnnAssign)) or node.lineno > line:
            continue
        targets = node.targets if isinstance(node, ast.Assign) else [node.target]
        names = {n.id for t in targets for n in ast.walk(t) if isinstance(n, ast.Name)}
        if name in names and node.value is not None:
            yield node, _part(targets[0], node.value, name)


def _part(target: ast.AST, value: ast.AST, name: str) -> ast.AST:
    """Return the member of ``a, b = x, y`` that goes to a name."""
    if isinstance(target, ast.Tuple) and isinstance(value, ast.Tuple):
        for t, v in zip(target.elts, value.elts, strict=False):
            if isinstance(t, ast.Name) and t.id == name:
                return v
    return value
