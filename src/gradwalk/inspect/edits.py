"""Remedies as edits: the expression of the user's program that computed a number, written safely.

A recorded line is a code object and an offset, so the source of the one expression is known. The
edit keeps the user's names and the form of the call: ``d.sqrt()`` becomes ``(d + 1e-12).sqrt()``.
"""

from __future__ import annotations

import ast
import linecache
import re
from collections.abc import Callable
from dataclasses import dataclass
from itertools import islice
from math import inf, isinf
from typing import Any

from ..causes.source import syntax_of
from ..core.places import HOME, Line, located
from ..foreign.places import is_line
from .origins import MOVES, Origin, Spot
from .remedies import is_half
from .stable import operands_of, stable_form

__all__ = ["ALIASES", "Edit", "edit_of", "operand_at", "text_at"]

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

SYMBOLS: dict[type[ast.operator], str] = {
    ast.Add: "+",
    ast.Div: "/",
    ast.MatMult: "@",
    ast.Mult: "*",
    ast.Pow: "**",
}
TWO = ("add", "div", "matmul", "mul", "pow")

Numbers = tuple[str, str, str]
"""What is added to a number near 0, the distance from another bound, and the bound of exponents."""

WIDE: Numbers = ("1e-12", "1e-7", "50")
NARROW: dict[str, Numbers] = {"float16": ("1e-3", "1e-3", "10"), "bfloat16": ("1e-6", "1e-2", "50")}

CANCELLED = 1e-6  # a variance that is negative by less has lost its digits


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
    is_exact
        Whether the new expression has the same value wherever the old one is finite.
    """

    file: str
    line: int
    last: int
    old: str
    new: str
    is_exact: bool = False

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
    found = _mask_edit(origin) or _stable(origin)
    if found is not None:
        return found
    if origin.rounded is not None:
        return _softplus_for_relu(origin.rounded)
    origin = _root_of_divisor(origin) or origin
    safe = _safe(origin)
    return None if safe is None else _bounded(origin, *safe)


def _bounded(origin: Origin, position: int, form: str) -> Edit | None:
    """Return the edit that keeps an operand within the domain of its operation."""
    op = origin.spot.op
    found = _expression(origin.spot.line, lambda text: _operand(text, op, position) is not None)
    file, line, last, text = found or ("", 0, 0, "")
    parts = _operand(text, op, position)
    if parts is None or not _helps(origin, form, *parts[:2]):
        return None
    before, operand, after = parts
    if form.startswith("{x}.") and not _is_single(operand):
        operand = f"({operand})"
    elif form.startswith("{x} +"):
        operand = _without_parentheses(operand)
    eps, edge, most = NARROW.get(origin.spot.dtype, WIDE)
    if op in ("sqrt", "div") and _is_spread(origin, operand):
        eps = max(eps, "1e-5", key=float)  # as the layers of normalisation have it
    if f"+ {eps}" in operand:
        return None  # it is there already, and rounds to 0 in this precision
    wide = "float()" if _is_of_torch(file) else 'astype("float32")'
    new = form.format(x=operand, eps=eps, edge=edge, most=most, wide=wide)
    whole = _is_single(new) or _encloses(before, after)
    joined = f"{before}{new}{after}" if whole else f"{before}({new}){after}"
    return Edit(file, line, last, text, joined)


def _helps(origin: Origin, form: str, before: str, operand: str) -> bool:
    """Return whether a bound gives the number that is meant."""
    if "{most}" in form:  # other exponents, than that of a variance, have to be scaled
        return re.search(r"(?<![a-z])log(?!it)", operand) is not None
    limit = origin.spot.op == "div" and origin.spot.args == (0.0, 0.0)
    return not (limit and _is_limit(before, operand))


def _stable(origin: Origin) -> Edit | None:
    """Return the edit to a form that loses nothing on the way, if a rule knows the expression.

    It is that of the operation, or of the difference that has cancelled before it.
    """
    differences = (c[0] for c in origin.sources if c and c[0].op == "sub")
    for spot in (origin.spot, *differences):
        file, number = located(spot.line)
        if not file or not spot.op or spot.line is None:
            continue
        text = "" if is_line(spot.line[0]) else text_at(spot.line)
        found = stable_form(file, number, spot.op, text)
        if found is not None:
            return Edit(file, found.line, found.last, found.old, found.new, True)
    return None


def _softplus_for_relu(spot: Spot) -> Edit | None:
    """Return the edit that writes softplus, which is above 0, for a relu; ``None`` for others.

    What has rounded to 0 needs another formula: a small number added gives the gradient 0.
    """
    found = _expression(spot.line, lambda text: _operand(text, "relu", 0) is not None)
    if spot.op != "relu" or found is None or _operand(found[-1], "relu", 0) is None:
        return None
    file, line, last, text = found
    head, _, rest = text.rpartition("relu")
    torch = _is_of_torch(file) and not rest.startswith("()")  # which has no method
    head = "torch.nn.functional." if torch else head
    return Edit(file, line, last, text, f"{head}softplus{rest}")


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
    if found is None and is_half(origin):  # but not exp, whose slope is as large
        return 0, "{x}.{wide}"
    return found


SPREAD = re.compile(r"var|std|sigma|scale|spread", re.IGNORECASE)


def _is_spread(origin: Origin, operand: str) -> bool:
    """Return whether an operand is a variance, or a root of one, by its name or its source."""
    ops = [spot.op for chain in origin.sources for spot in chain[:2]]
    return bool(SPREAD.search(operand)) or "var" in ops or "std" in ops


def _is_limit(numerator: str, divisor: str) -> bool:
    """Return whether numerator and divisor go to 0 together, as in sin(u) / u."""
    name = divisor.strip("() ")
    return name.isidentifier() and re.search(rf"\(.*\b{name}\b.*\)", numerator) is not None


def _safe_forward(op: str, args: tuple[float, ...]) -> tuple[int, str] | None:
    x = args[0]
    if op in ("log", "log2", "log10", "sqrt", "pow"):
        overflows = op == "pow" and x != 0.0 and not (x < 0.0 and args[1] % 1.0)
        if overflows or x < -CANCELLED:
            return None  # below 0 by its formula: a bound would only stop its gradient
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


def operand_at(line: Line | None, op: str, position: int) -> str:
    """Return an operand of an operation as its line has it, ``""`` if it is not known."""
    parts = _operand(text_at(line), op, position)
    return parts[1] if parts else ""


def text_at(line: Line | None) -> str:
    """Return the expression at a recorded line, ``""`` if it is not known."""
    found = _expression(line, lambda text: True)
    return found[-1] if found else ""


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
    if isinstance(tree, ast.BinOp) and SYMBOLS.get(type(tree.op), "") in names:
        node = (tree.left, tree.right)[position]
    elif isinstance(tree, ast.Call):
        called = getattr(tree.func, "attr", getattr(tree.func, "id", ""))
        if called not in names:
            return None
        position = min(position, _needed(op, called) - 1)
        given = operands_of(tree)
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
