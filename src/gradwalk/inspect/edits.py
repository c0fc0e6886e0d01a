"""Remedies as edits: the expression of the user's program that computed a number, written safely.

A recorded line is a code object and an offset, so the source of the one expression is known. The
edit keeps the user's names and the form of the call: ``d.sqrt()`` becomes ``(d + 1e-12).sqrt()``.
"""

from __future__ import annotations

import ast
import linecache
from collections.abc import Callable
from dataclasses import dataclass
from itertools import islice
from math import inf, isfinite, isinf
from typing import Any

from ..causes.cuts import syntax_of
from ..core.places import HOME, Line, located
from ..foreign.places import is_line
from .origins import MOVES, Origin

__all__ = ["Edit", "edit_of"]

ALIASES: dict[str, tuple[str, ...]] = {
    "add": ("+", "add"),
    "mul": ("*", "mul", "multiply"),
    "matmul": ("@", "matmul", "mm", "dot"),
    "square": ("square", "**", "pow"),
    "div": ("/", "div", "divide", "true_divide", "reciprocal", "rsqrt"),
    "pow": ("**", "pow", "power", "float_power"),
    "asin": ("asin", "arcsin"),
    "acos": ("acos", "arccos"),
    "atanh": ("atanh", "arctanh"),
    "acosh": ("acosh", "arccosh"),
}
"""How programs write an operation, if not by its own name."""

INFIX: dict[type[ast.operator], str] = {
    ast.Add: "+",
    ast.Div: "/",
    ast.MatMult: "@",
    ast.Mult: "*",
    ast.Pow: "**",
}

MODULES = ("gw", "gradwalk", "np", "numpy", "jnp", "jax", "torch", "F", "functional", "math", "nn")
"""Names that programs give to modules: what belongs to them is no method."""
TWO = ("add", "div", "matmul", "mul", "pow")

Numbers = tuple[str, str, str]
"""What is added to a number near 0, the distance from another bound, and the bound of exponents."""

WIDE: Numbers = ("1e-12", "1e-7", "50")
NARROW: dict[str, Numbers] = {"float16": ("1e-3", "1e-3", "10"), "bfloat16": ("1e-6", "1e-2", "50")}


@dataclass(frozen=True, slots=True)
class Edit:
    """An expression of a program, and what to write instead.

    Parameters
    ----------
    file
        The file.
    line, last
        The first and the last line of the expression.
    old, new
        The expression, and what to write instead.
    """

    file: str
    line: int
    last: int
    old: str
    new: str

    def __str__(self) -> str:
        return f"Write `{_on_one_line(self.new)}` instead of `{_on_one_line(self.old)}`."

    def apply(self, text: str) -> str:
        """Return the text of the file with the new expression in the place of the old one."""
        lines = text.splitlines(keepends=True)
        found = "".join(lines[self.line - 1 : self.last])
        changed = found.replace(self.old, self.new)
        return "".join([*lines[: self.line - 1], changed, *lines[self.last :]])


def _on_one_line(text: str) -> str:
    return " ".join(text.split())


def edit_of(origin: Origin) -> Edit | None:
    """Return how to write the operation of an origin safely; ``None`` if its line does not show it.

    It does not if a function of a library has called the operation, or the file is gone.
    """
    infinity = _mask_edit(origin)
    if infinity is not None:
        return infinity
    root = _root_of_divisor(origin)
    if root is not None:
        origin = root
    safe, op = _safe(origin), origin.spot.op
    if not safe:
        return None
    position, form = safe
    found = _expression(origin.spot.line, lambda text: _operand(text, op, position) is not None)
    if not found:
        return None
    file, line, last, text = found
    parts = _operand(text, op, position)
    if parts is None:
        return None
    before, operand, after = parts
    if form.startswith("{x}.") and not _is_single(operand):
        operand = f"({operand})"
    elif form.startswith("{x} +"):
        operand = _without_parentheses(operand)
    eps, edge, most = NARROW.get(origin.spot.dtype, WIDE)
    wide = "float()" if _is_of_torch(file) else 'astype("float32")'
    new = form.format(x=operand, eps=eps, edge=edge, most=most, wide=wide)
    whole = _is_single(new) or _encloses(before, after)
    joined = f"{before}{new}{after}" if whole else f"{before}({new}){after}"
    logarithm = _of_softmax(text, op)
    return Edit(file, line, last, text, logarithm or joined)


def _root_of_divisor(origin: Origin) -> Origin | None:
    """Return the root that a divisor of 0 is, whose own derivative is infinite there."""
    spot = origin.spot
    if origin.kind != "forward" or spot.op != "div" or spot.args[-1:] != (0.0,):
        return None
    chain = origin.sources[-1] if origin.sources else ()
    found = next((s for s in chain if s.op == "sqrt" and s.args == (0.0,)), None)
    if found is None or any(s.op not in ("sqrt", *MOVES) for s in chain[: chain.index(found)]):
        return None
    return Origin("backward", found, inf, incoming=1.0)


def _safe(origin: Origin) -> tuple[int, str] | None:
    """Return which operand to change, and how; ``None`` if no change of one operand helps."""
    op, args = origin.spot.op, origin.spot.args
    if origin.kind in ("backward", "tangent"):
        if op in ("sqrt", "cbrt", "pow", "log", "log2", "log10", "reciprocal"):
            return 0, "{x} + {eps}"
        if op in ("asin", "acos", "atanh"):
            return 0, "{x}.clip(-1 + {edge}, 1 - {edge})"
        return (1, "{x} + {eps}") if op == "div" else None
    if origin.kind != "forward":
        return None
    found = _safe_forward(op, args) if args else None
    overflow = isinf(origin.result) and all(map(isfinite, args))
    if found is None and overflow and origin.spot.dtype == "float16":
        return 0, "{x}.{wide}"
    return found


def _safe_forward(op: str, args: tuple[float, ...]) -> tuple[int, str] | None:
    x = args[0]
    if op in ("log", "log2", "log10", "sqrt", "pow"):
        overflows = op == "pow" and x != 0.0 and not (x < 0.0 and args[1] % 1.0)
        if overflows:
            return None
        return 0, "{x} + {eps}" if x == 0.0 else "{x}.clip({eps})"
    if op == "log1p":
        return 0, "{x}.clip(-1 + {edge})"
    if op in ("div", "reciprocal") and args[-1] == 0.0:
        return len(args) - 1, "{x} + {eps}"
    if op in ("exp", "exp2", "expm1", "sinh", "cosh"):
        return 0, "{x}.clip(-{most}, {most})"
    if op in ("asin", "acos", "atanh"):
        return 0, "{x}.clip(-1 + {edge}, 1 - {edge})"
    return (0, "{x}.clip(1 + {edge})") if op == "acosh" else None


# --- expressions of the program -------------------------------------------------------------------


Found = tuple[str, int, int, str]
"""A file, the first and the last line of an expression, and its text."""


def _expression(line: Line | None, wanted: Callable[[str], bool]) -> Found | None:
    """Return the expression at an offset of code; by its line, the only one that is wanted."""
    if line is None or line[0].co_filename.startswith(HOME):
        return None
    code, offset = line
    if is_line(code):
        return _only_one(*located(line), wanted)
    positions = next(islice(code.co_positions(), offset // 2, None), None)
    if positions is None or None in positions:
        return None
    first, last, begin, end = positions
    assert first is not None
    assert last is not None
    lines = [linecache.getline(code.co_filename, n).encode() for n in range(first, last + 1)]
    lines[-1] = lines[-1][:end]
    lines[0] = lines[0][begin:]
    text = b"".join(lines).decode(errors="replace")
    return (code.co_filename, first, last, text) if text.strip() else None


def _only_one(file: str, line: int, wanted: Callable[[str], bool]) -> Found | None:
    """Return the expression of a line that is wanted, if it is the only one."""
    tree, source = syntax_of(file), "".join(linecache.getlines(file))
    nodes = [n for n in ast.walk(tree) if isinstance(n, ast.expr)] if tree is not None else []
    found = set[Found]()
    for node in nodes:
        last = node.end_lineno or node.lineno
        text = ast.get_source_segment(source, node) if node.lineno <= line <= last else None
        if text and wanted(text):
            found.add((file, node.lineno, last, text))
    longest = max(found, key=lambda f: len(f[-1]), default=None)
    signed = longest is not None and {f[-1] for f in found} <= {
        longest[-1],
        longest[-1].strip("-+ "),
    }
    return longest if len(found) == 1 or signed else None


def _is_of_torch(file: str) -> bool:
    return any("torch" in text for text in linecache.getlines(file) if "import" in text)


def _parsed(text: str) -> ast.expr | None:
    try:
        return ast.parse(f"({text})", mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError, SystemError):
        return None


def _operand(text: str, op: str, position: int) -> tuple[str, str, str] | None:
    """Return what stands before an operand of an operation, the operand, and what follows."""
    tree = _parsed(text)
    names = ALIASES.get(op, (op,))
    node: ast.expr | None = None
    if isinstance(tree, ast.BinOp) and INFIX.get(type(tree.op), "") in names:
        node = (tree.left, tree.right)[position]
    elif isinstance(tree, ast.Call):
        called = getattr(tree.func, "attr", getattr(tree.func, "id", ""))
        if called not in names:
            return None
        position = min(position, _needed(op, called) - 1)
        owner = getattr(tree.func, "value", None)
        path = ast.unparse(owner) if owner is not None else ""
        is_method = owner is not None and ("(" in path or path.partition(".")[0] not in MODULES)
        given = [tree.func.value, *tree.args] if is_method else tree.args  # type: ignore[attr-defined]
        node = given[position] if len(given) > position else None
    if node is None or isinstance(node, ast.Starred):
        return None
    begin, end = _span(text, node)
    return text[:begin], text[begin:end], text[end:]


def _needed(op: str, called: str) -> int:
    """Return how many operands a call has."""
    return 2 if op in TWO and called not in ("reciprocal", "rsqrt") else 1


def _span(text: str, node: ast.expr) -> tuple[int, int]:
    """Return where an expression stands in the text that was parsed in parentheses."""
    lines = f"({text})".splitlines(keepends=True)

    def at(line: int, column: int) -> int:
        before = sum(map(len, lines[: line - 1]))
        return before + len(lines[line - 1].encode()[:column].decode()) - 1

    assert node.end_lineno is not None
    assert node.end_col_offset is not None
    begin, end = at(node.lineno, node.col_offset), at(node.end_lineno, node.end_col_offset)
    while begin > 0 and end < len(text) and text[begin - 1] == "(" and text[end] == ")":
        if _parsed(text[begin - 1 : end + 1]) is None or _is_called(text, begin - 1):
            break
        begin, end = begin - 1, end + 1
    return begin, end


def _is_called(text: str, begin: int) -> bool:
    """Return whether a parenthesis belongs to a call: it follows a name, or the end of another."""
    before = text[:begin].rstrip()
    return bool(before) and (before[-1].isalnum() or before[-1] in "_)]")


def _encloses(before: str, after: str) -> bool:
    """Return whether an operand is an argument, which needs no parentheses."""
    return before.rstrip()[-1:] in ("(", ",") and after.lstrip()[:1] in (")", ",")


def _without_parentheses(operand: str) -> str:
    """Return a term to which another can be added, without parentheses around it."""
    tree = _parsed(operand)
    if operand.startswith("(") and operand.endswith(")") and isinstance(tree, ast.BinOp):
        inner = operand[1:-1]
        if _parsed(inner) is not None and isinstance(
            tree.op, (ast.Add, ast.Sub, ast.Mult, ast.Div, ast.Pow, ast.MatMult)
        ):
            return inner
    return operand


def _is_single(operand: str) -> bool:
    """Return whether ``.clip`` after an operand belongs to all of it."""
    tree = _parsed(operand)
    single = (ast.Name, ast.Attribute, ast.Call, ast.Subscript)
    return isinstance(tree, single) or (operand.startswith("(") and operand.endswith(")"))


def _of_softmax(text: str, op: str) -> str:
    """Return log_softmax for the logarithm of a softmax, ``""`` for any other expression."""
    tree = _parsed(text) if op == "log" else None
    parts = _operand(text, op, 0) if isinstance(tree, ast.Call) else None
    inner = _parsed(parts[1]) if parts else None
    if parts is None or not isinstance(inner, ast.Call):
        return ""
    called = getattr(inner.func, "attr", getattr(inner.func, "id", ""))
    if called != "softmax" or not isinstance(inner.func, ast.Attribute):
        return ""  # a name of its own would have to be imported
    return parts[1].replace("softmax", "log_softmax", 1)


# --- masks ----------------------------------------------------------------------------------------


def _mask_edit(origin: Origin) -> Edit | None:
    """Return the edit that replaces an infinite mask by a finite one, if its line shows it."""
    if origin.mask is None or origin.kind != "forward":
        return None
    position = next((i for i, x in enumerate(origin.mask.args) if isinf(x)), 0)
    found = _expression(origin.mask.line, lambda text: _infinity(_parsed(text)) != 0)
    added = lambda text: _operand(text, "add", position) is not None  # noqa: E731
    found = found or _expression(origin.mask.line, added)
    if found is None:
        return None
    file, line, last, text = found
    tree = _parsed(text)
    finite = "6e4" if origin.spot.dtype == "float16" else "1e9"
    for node in ast.walk(tree) if tree is not None else ():
        number = _infinity(node)
        if number:
            begin, end = _span(text, node)  # type: ignore[arg-type]
            sign = "-" if number < 0 else ""
            return Edit(file, line, last, text, f"{text[:begin]}{sign}{finite}{text[end:]}")
    parts = _operand(text, "add", position) if origin.mask.op == "add" else None
    if parts is None:
        return None
    before, operand, after = parts
    operand = operand if _is_single(operand) else f"({operand})"
    return Edit(file, line, last, text, f"{before}{operand}.clip(-{finite}){after}")


def _infinity(node: Any) -> int:
    """Return the sign of an infinity that is written out, 0 for anything else."""
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        return -_infinity(node.operand)
    if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "float" and node.args:
        text = getattr(node.args[0], "value", "")
        named = str(text).strip().lower().lstrip("+-") in ("inf", "infinity")
        return (-1 if str(text).strip().startswith("-") else 1) if named else 0
    name = getattr(node, "attr", getattr(node, "id", ""))
    return 1 if name in ("inf", "Infinity") else 0
