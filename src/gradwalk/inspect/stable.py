"""Expressions that overflow, underflow or cancel on the way, and the forms that do not.

``log(sigmoid(z))`` is -inf where the sigmoid has rounded to 0, and ``log_sigmoid(z)`` is z there. A
small number inside the logarithm makes it finite, but gives it the gradient 0. So the expression
around an operation is looked up in a table, through the variables of its function.
"""

from __future__ import annotations

import ast
import linecache
from collections import Counter
from collections.abc import Iterator, Sequence
from copy import deepcopy
from dataclasses import dataclass, field
from typing import Any

from ..causes.source import last_line, scope_at, syntax_of

__all__ = ["Stable", "operands_of", "stable_form"]

MODULES = ("gw", "gradwalk", "np", "numpy", "jnp", "jax", "torch", "F", "functional", "math", "nn")
"""Names that programs give to modules: what belongs to them is no method."""

CALLS: dict[str, tuple[str, ...]] = {
    "sigmoid": ("sigmoid", "expit"),
    "square": ("square",),
    "sum": ("sum", "nansum"),
    "pow": ("pow", "power", "float_power"),
    "div": ("div", "divide", "true_divide"),
}
"""How programs call an operation, if not by its own name."""

INFIX: dict[type[ast.operator], str] = {
    ast.Add: "add",
    ast.Sub: "sub",
    ast.Mult: "mul",
    ast.Div: "div",
    ast.Pow: "pow",
}

_HERE = "the_operand"
SELECT = ("gather", "take_along_axis", "take_along_dim", "take", "index_select", "squeeze")
"""Calls that choose elements: a logarithm may be computed before them as well as after."""

PURE = frozenset({
    "abs", "astype", "clamp", "clip", "concatenate", "cos", "dot", "double", "exp", "flatten",
    "float", "log", "matmul", "max", "mean", "min", "mm", "norm", "permute", "relu", "reshape",
    "sigmoid", "sin", "sqrt", "square", "squeeze", "stack", "sum", "tanh", "transpose",
    "unsqueeze", "view", "where",
})  # fmt: skip
"""Calls that give the same numbers each time."""

Pattern = Any
"""An operation with the patterns of its operands; ``Z`` and ``O`` stand for any operand and for the
options of a reduction, and a number for itself."""

EXP, SIGMOID = ("exp", "Z"), ("sigmoid", "Z")
SOFTMAX = ("softmax", "Z", "O")
ONE_PLUS = ("add", 1, EXP)
LOGISTIC = ("div", 1, ("add", 1, ("exp", ("neg", "Z"))))
VARIANCE = ("sub", ("mean", ("square", "Z"), "O"), ("square", ("mean", "Z", "O")))

RULES: tuple[tuple[Pattern, str], ...] = (
    (("log", SIGMOID), "log_sigmoid(Z)"),
    (("log", LOGISTIC), "log_sigmoid(Z)"),
    (("log", ("sub", 1, SIGMOID)), "log_sigmoid(-Z)"),
    (("log", ("sub", 1, LOGISTIC)), "log_sigmoid(-Z)"),
    (("log", SOFTMAX), "log_softmax(Z, O)"),
    (("log", ("select", SOFTMAX)), "select log_softmax(Z, O)"),
    (("log", ("div", EXP, ("sum", EXP, "O"))), "log_softmax(Z, O)"),
    (("log", ONE_PLUS), "softplus(Z)"),
    (("log1p", EXP), "softplus(Z)"),
    (("log", ("sum", EXP, "O")), "logsumexp(Z, O)"),
    (LOGISTIC, "sigmoid(Z)"),
    (("div", EXP, ONE_PLUS), "sigmoid(Z)"),
    (("div", 1, ONE_PLUS), "sigmoid(-Z)"),
    (("div", EXP, ("sum", EXP, "O")), "softmax(Z, O)"),
    (("div", ("sin", "Z"), "Z"), "sinc(Z)"),
    (VARIANCE, "var(Z, O)"),
    (("sqrt", ("sum", ("square", "Z"), "O")), "norm(Z, O)"),
    (("pow", ("sum", ("square", "Z"), "O"), 0.5), "norm(Z, O)"),
)
"""What loses numbers on the way, and the function that does not."""

FORMS: dict[str, tuple[str, str, str]] = {
    "log_sigmoid": (
        "{z}.log_sigmoid()",
        "torch.nn.functional.logsigmoid({x})",
        "jax.nn.log_sigmoid({x})",
    ),
    "sigmoid": ("{z}.sigmoid()", "{z}.sigmoid()", "jax.nn.sigmoid({x})"),
    "softplus": ("{z}.softplus()", "torch.nn.functional.softplus({x})", "jax.nn.softplus({x})"),
    "softmax": ("{z}.softmax({o})", "{z}.softmax({o})", "jax.nn.softmax({x}, {o})"),
    "log_softmax": ("{z}.log_softmax({o})", "{z}.log_softmax({o})", "jax.nn.log_softmax({x}, {o})"),
    "logsumexp": ("{z}.logsumexp({o})", "{z}.logsumexp({o})", "jax.nn.logsumexp({x}, {o})"),
    "sinc": (
        "({z} / 3.141592653589793).sinc()",
        "torch.sinc({z} / torch.pi)",
        "jax.numpy.sinc({z} / jax.numpy.pi)",
    ),
    "var": ("{z}.var({o}, correction=0)", "{z}.var({o}, correction=0)", "{z}.var({o})"),
    "norm": ("{z}.norm({o})", "{z}.norm({o})", ""),
}
"""The functions in gradwalk, PyTorch and JAX, for an operand ``x``, or ``z`` in parentheses."""


@dataclass(frozen=True, slots=True)
class Stable:
    """An expression of a program, its lines, and the form that loses nothing on the way."""

    line: int
    last: int
    old: str
    new: str


def stable_form(file: str, line: int, op: str, text: str = "") -> Stable | None:
    """Return the stable form of the expression in a file to which an operation belongs.

    Parameters
    ----------
    file
        The file of the program.
    line
        The line of the operation.
    op
        The operation, as the table of primitives calls it.
    text
        The expression that is the operation, ``""`` if only the line is known.

    Returns
    -------
    the expression and its form
        ``None`` if no rule knows it.
    """
    tree = syntax_of(file)
    if tree is None:
        return None
    scope = scope_at(tree, line)
    others = {n for f in ast.walk(scope) if _is_other(f, scope) for n in ast.walk(f)}
    nodes = [n for n in ast.walk(scope) if n not in others]
    variables = _Variables(scope, nodes)
    for node in nodes:
        if not isinstance(node, (ast.Call, ast.BinOp)) or last_line(node) < line:
            continue
        for pattern, form in RULES:
            found = _Match(variables)
            if not found.matches(node, pattern) or not _can_move(node, found.holes["Z"][1]):
                continue
            if any(_is_at(n, line, op, text) for n in found.used):
                return _written(file, node, found, form)
    return None


def _can_move(node: ast.AST, operand: ast.AST) -> bool:
    """Return whether an operand may be computed once more where a form is written.

    A module must not: its dropout would differ, and its statistics be updated twice.
    """
    if any(n is operand for n in ast.walk(node)):
        return True
    calls = [n for n in ast.walk(operand) if isinstance(n, ast.Call)]
    return all(_called(n) in PURE for n in calls)


class _Variables:
    """The variables of a scope that have one value: what they stand for does not change."""

    def __init__(self, scope: ast.AST, nodes: Sequence[ast.AST]) -> None:
        stored = [n.id for n in nodes if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)]
        arguments = getattr(scope, "args", None)
        given = [n.arg for n in ast.walk(arguments) if isinstance(n, ast.arg)] if arguments else []
        self.counts = Counter([*stored, *given])
        self.values: dict[str, ast.expr] = {}
        for n in nodes:
            if isinstance(n, ast.Assign) and len(n.targets) == 1:
                target = n.targets[0]
                if isinstance(target, ast.Name) and self.counts[target.id] == 1:
                    self.values[target.id] = n.value

    def resolved(self, node: ast.expr) -> ast.expr:
        """Return the expression that a variable was computed by, anything else as it is."""
        seen = set[str]()
        while isinstance(node, ast.Name) and node.id in self.values and node.id not in seen:
            seen.add(node.id)
            value = self.values[node.id]
            if any(isinstance(n, ast.Name) and self.counts[n.id] > 1 for n in ast.walk(value)):
                return node
            node = value
        return node


def _is_other(node: ast.AST, scope: ast.AST) -> bool:
    return node is not scope and isinstance(node, (ast.FunctionDef, ast.Lambda))


def _is_at(node: Any, line: int, op: str, text: str) -> bool:
    """Return whether an expression is the operation of a line."""
    if not node.lineno <= line <= node.end_lineno or _op(node)[0] != op:
        return False
    return not text or ast.dump(node) == ast.dump(ast.parse(f"({text})", mode="eval").body)


@dataclass
class _Match:
    """What the holes of a pattern stand for, and the operations of the program that were met."""

    variables: _Variables
    holes: dict[str, Any] = field(default_factory=dict)
    used: list[ast.AST] = field(default_factory=list)
    selected: ast.expr | None = None  # what chooses elements

    def matches(self, node: ast.expr, pattern: Pattern) -> bool:
        """Return whether an expression has the form of a pattern, through variables."""
        if pattern == "Z":
            return self._is_same("Z", ast.dump(node), node)
        if isinstance(pattern, (int, float)):
            return isinstance(node, ast.Constant) and node.value == pattern
        node = self.variables.resolved(node)
        if pattern[0] == "select":
            return self._matches_selection(node, pattern[1])
        op, operands, options = _op(node)
        if op != pattern[0]:
            return False
        self.used.append(node)
        wanted = [p for p in pattern[1:] if p != "O"]
        if len(operands) != len(wanted):
            return False
        if "O" in pattern and not self._is_same("O", _axis(options), options):
            return False
        if "O" not in pattern and options:
            return False
        return self._in_order(operands, wanted) or (
            op == "add" and self._in_order(operands[::-1], wanted)
        )

    def _in_order(self, operands: Sequence[ast.expr], wanted: Sequence[Pattern]) -> bool:
        return all(self.matches(n, p) for n, p in zip(operands, wanted, strict=True))

    def _matches_selection(self, node: ast.expr, pattern: Pattern) -> bool:
        inner = node.value if isinstance(node, ast.Subscript) else None
        if isinstance(node, ast.Call) and _called(node) in SELECT:
            inner = operands_of(node)[0]
        if inner is None:
            return False
        copied = deepcopy(node)
        self.selected = copied
        _replace_first(copied, ast.Name(_HERE, ast.Load()))
        return self.matches(inner, pattern)

    def _is_same(self, hole: str, text: str, thing: Any) -> bool:
        """Bind a hole, or return whether it already stands for the same."""
        known = self.holes.setdefault(hole, (text, thing))
        return bool(known[0] == text)


def _op(node: Any) -> tuple[str, list[ast.expr], list[ast.expr | ast.keyword]]:
    """Return an operation, its operands, and its options."""
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        return "neg", [node.operand], []
    if isinstance(node, ast.BinOp):
        op, operands = INFIX.get(type(node.op), ""), [node.left, node.right]
    elif isinstance(node, ast.Call):
        given = operands_of(node)
        called = _called(node)
        op = next((op for op, names in CALLS.items() if called in names), called)
        if op not in ("pow", "div"):
            return op, given[:1], [*given[1:], *node.keywords]
        operands = given
    else:
        return "", [], []
    if op == "pow" and isinstance(operands[-1], ast.Constant) and operands[-1].value == 2:
        return "square", operands[:1], []
    if op == "mul" and ast.dump(operands[0]) == ast.dump(operands[1]):
        return "square", operands[:1], []
    return op, operands, []


def _called(node: ast.Call) -> str:
    return str(getattr(node.func, "attr", getattr(node.func, "id", "")))


def _is_method(node: ast.Call) -> bool:
    """Return whether a call belongs to its first operand, and not to a module."""
    owner = getattr(node.func, "value", None)
    path = ast.unparse(owner) if owner is not None else ""
    return owner is not None and ("(" in path or path.partition(".")[0] not in MODULES)


def operands_of(node: ast.Call) -> list[ast.expr]:
    """Return the operands of a call, the one that it is a method of first."""
    return [node.func.value, *node.args] if _is_method(node) else [*node.args]  # type: ignore[attr-defined]


def _axis(options: Sequence[ast.expr | ast.keyword]) -> str:
    """Return the axis that a reduction is along, in any spelling."""
    named = [n.value for n in options if isinstance(n, ast.keyword) and n.arg in ("axis", "dim")]
    given = [n for n in options if not isinstance(n, ast.keyword)]
    return " ".join(map(ast.dump, (*given, *named)))


def _replace_first(node: Any, other: ast.expr) -> None:
    """Put another expression in the place of what a selection chooses from."""
    if isinstance(node, ast.Subscript):
        node.value = other
    elif _is_method(node):
        node.func.value = other
    else:
        node.args[0] = other


def _written(file: str, node: ast.expr, found: _Match, form: str) -> Stable | None:
    """Return the edit of an expression to one of the forms."""
    form = form.removeprefix("select ")
    name, _, inside = form.partition("(")
    z, operand = ast.unparse(found.holes["Z"][1]), found.holes["Z"][1]
    is_single = isinstance(operand, (ast.Name, ast.Attribute, ast.Call, ast.Subscript))
    if inside.startswith("-"):
        z, is_single = f"-{z}" if is_single else f"-({z})", False
    library = _library(file)
    options = list(_kept(name, found.holes.get("O", ("", ()))[1], library))
    form = FORMS[name][library]
    sums = any(_op(node)[0] == "sum" for node in found.used)
    over_all = sums and "{o}" in form and not options  # which a softmax is not
    if not form or (over_all and (name in ("softmax", "log_softmax") or library == 1)):
        return None
    owner = z if is_single else f"({z})"
    new = form.format(z=owner, x=z, o=", ".join(options)).replace("(, ", "(").replace(", )", ")")
    if found.selected is not None:
        new = ast.unparse(found.selected).replace(_HERE, new)
    text = "".join(linecache.getlines(file))
    old = ast.get_source_segment(text, node)
    return Stable(node.lineno, node.end_lineno or node.lineno, old, new) if old else None


def _kept(name: str, options: Sequence[ast.expr | ast.keyword], library: int) -> Iterator[str]:
    """Yield the options of a reduction that the form has, too."""
    for option in options:
        keeps = getattr(option, "arg", "") in ("keepdims", "keepdim")
        if name == "norm" and not isinstance(option, ast.keyword):  # it has the order first
            yield f"{('axis', 'dim', 'axis')[library]}={ast.unparse(option)}"
        elif not (keeps and name in ("softmax", "log_softmax")):
            yield ast.unparse(option)


def _library(file: str) -> int:
    """Return which library a program uses: 0 for gradwalk, 1 for PyTorch, 2 for JAX."""
    imports = [text for text in linecache.getlines(file) if "import" in text]
    if any("gradwalk" in text for text in imports):
        return 0
    return 1 if any("torch" in text for text in imports) else 2 * any("jax" in t for t in imports)
