"""From text to steps: Python's syntax tree, and a list of what may stand in it."""

from __future__ import annotations

import ast
import re
import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from ..errors import ExpressionError
from ..ops import TABLE
from ..ops.composite import logsumexp
from .advice import FIXES, function, of_syntax, prefix
from .habits import LINE, NESTED, OPERATOR, SAMPLE, habit
from .pieces import cut
from .pointing import point_at, shortened
from .program import CONSTANTS, FUNCTIONS, Apply, Expression, Load, Push, Step, Store

__all__ = ["MAX_DEPTH", "MAX_LENGTH", "parse"]

MAX_LENGTH = 10_000
"""Most characters that a formula may have."""

MAX_DEPTH = 1_000
"""Most levels of operations that a formula may have; a sum of n terms has n of them."""

BINARY: dict[type[ast.operator], str] = {
    ast.Add: "add", ast.Sub: "sub", ast.Mult: "mul", ast.Div: "div",
    ast.FloorDiv: "floordiv", ast.Mod: "mod", ast.Pow: "pow",
}  # fmt: skip
COMPARISONS: dict[type[ast.cmpop], str] = {
    ast.Lt: "less", ast.LtE: "less_equal", ast.Gt: "greater", ast.GtE: "greater_equal",
    ast.Eq: "equal", ast.NotEq: "not_equal",
}  # fmt: skip

# Python's parser recurses in C from sign to sign, and can overflow the stack of a small thread.
SIGNS = re.compile(rf"(?:[-+~]\s*){{{MAX_DEPTH}}}")
NO_TEXT = re.compile("[\0\ud800-\udfff]")

GRAMMAR = "numbers, names, + - * / // ** %, brackets and functions of gradwalk"
ONE_NAME = "One name stands on the left: d = a * b."
FOREIGN: dict[type[ast.operator] | type[ast.cmpop], str] = {
    ast.BitAnd: "&", ast.LShift: "<<", ast.RShift: ">>", ast.MatMult: "@",
    ast.Lt: "<", ast.LtE: "<=", ast.Gt: ">", ast.GtE: ">=", ast.Eq: "==", ast.NotEq: "!=",
    ast.In: "in", ast.NotIn: "not in", ast.Is: "is", ast.IsNot: "is not",
}  # fmt: skip


def parse(text: str) -> Expression:
    """Read a formula; several lines, or parts between ``;``, name intermediate results.

    The last line is the result, and every earlier one has the form ``name = formula``. Anything
    but arithmetic, functions of gradwalk, and a comparison as the first argument of ``where`` is
    an `ExpressionError` that points at the character.

    >>> formula = parse("tanh(w * x + b)")
    >>> formula.names
    ('w', 'x', 'b')
    >>> formula.evaluate({"w": 0.5, "x": 2.0, "b": -1.0}).data
    0.0
    """
    return _Reader(text).read()


@dataclass(frozen=True, slots=True)
class _Condition:
    """A comparison at the one place where it may stand."""

    comparison: ast.Compare


class _Reader:
    """Walks the syntax tree of one formula, and knows where in the text each node stands."""

    def __init__(self, text: str) -> None:
        self.text = text.replace("\r\n", "\n").replace("\r", "\n")
        self.lines = self.text.split("\n")
        self.source = "\n".join(line.strip() for line in self.lines)  # an indent means nothing

    def read(self) -> Expression:
        body = self._tree().body
        if not body:
            raise self._error(1, 1, SAMPLE, "nothing", "Type one.")
        steps = [step for part in body for step in self._statement(part, last=part is body[-1])]
        free = _free_names(steps)
        names = tuple(name for name in free if name not in CONSTANTS)
        constants = tuple(name for name in free if name in CONSTANTS)
        return Expression(self.text, names, constants, tuple(steps))

    def _tree(self) -> ast.Module:
        if len(self.text) > MAX_LENGTH:
            got, fix = f"{len(self.text):,}", "Split the formula."
            raise self._error(1, 1, f"at most {MAX_LENGTH:,} characters", got, fix)
        if SIGNS.search(self.source):
            raise self._too_deep()
        if NO_TEXT.search(self.source):
            fix = "Remove the invisible character."
            raise self._error(1, 1, SAMPLE, "a character that is no text", fix)
        if found := habit(self.source):
            raise self._error(*self._at(found.offset), found.expected, found.got, found.fix)
        try:
            with warnings.catch_warnings():  # remarks on odd code, which is refused anyway
                warnings.simplefilter("ignore")
                return ast.parse(self.source)
        except (RecursionError, MemoryError):
            raise self._too_deep() from None
        except SyntaxError as error:
            raise self._syntax(error) from None

    # --- statements and the steps of a formula --------------------------------------------------
    def _statement(self, statement: ast.stmt, last: bool) -> Iterator[Step]:
        match statement:
            case ast.Assign(targets=[ast.Name(id=name)], value=value):
                yield from self._postfix(value)
                yield Store(name)
            case ast.Expr(value=value) if last:
                yield from self._postfix(value)
            case ast.Expr(value=ast.Compare(left=left, ops=[ast.Eq(), *_])):
                raise self._operator(left, "==", FIXES["=="], LINE)
            case _:
                fix = FIXES.get(type(statement).__name__, ONE_NAME)
                raise self._refused(statement, LINE, fix)

    def _postfix(self, root: ast.expr) -> Iterator[Step]:
        """The steps of one formula, every operand before what uses it, left to right."""
        todo: list[tuple[int, Any]] = [(1, root)]
        while todo:
            depth, item = todo.pop()
            if isinstance(item, Step):
                yield item
            elif depth > MAX_DEPTH:
                raise self._too_deep()
            else:
                todo += [(depth + 1, operand) for operand in reversed(self._operands(item))]

    def _operands(self, node: Any) -> tuple[Any, ...]:
        """The operands of a node of the tree, and after them the step that it stands for."""
        match node:
            case float():  # the default of an argument
                return (Push(node),)
            case ast.Constant(value=int() | float() as number) if type(number) is not bool:
                return (Push(self._number(node, number)),)
            case ast.Name(id=name):
                return (Load(name, *self._place(node)),)
            case ast.UnaryOp(op=ast.UAdd(), operand=x):
                return (x,)
            case ast.UnaryOp(op=ast.USub(), operand=x):
                return x, Apply(TABLE["neg"], 1)
            case ast.BinOp(left=a, op=op, right=b) if type(op) in BINARY:
                return a, b, Apply(TABLE[BINARY[type(op)]], 2)
            case ast.Call(func=ast.Name(id=name)):
                return self._call(node, name)
            case _Condition(ast.Compare(left=a, ops=[op], comparators=[b])) if (
                type(op) in COMPARISONS
            ):
                return a, b, Apply(TABLE[COMPARISONS[type(op)]], 2)
            case _:
                raise self._foreign(node)

    def _number(self, node: ast.Constant, number: float) -> float:
        try:
            return float(number)
        except OverflowError:
            fix = "Write inf for infinity."
            raise self._refused(node, "a number below 1.8e308", fix) from None

    def _call(self, node: ast.Call, name: str) -> tuple[Any, ...]:
        if name == "logsumexp":
            return self._call_of_list(node)
        row = FUNCTIONS.get(name)
        if row is None:
            known = sorted([*FUNCTIONS, "logsumexp"])
            expected, fix = "a function of gradwalk", function(name, known)
            raise self._error(*self._place(node), expected, repr(name), fix)
        named = {str(k.arg): k.value for k in node.keywords}
        try:
            if len(named) < len(node.keywords):  # which Python's parser lets pass
                raise TypeError
            args = row.bind(*node.args, **named)
        except TypeError:
            fix = "Give every argument once."
            raise self._refused(node, f"{name}({row.signature})", fix) from None
        if name == "where" and isinstance(args[0], ast.Compare):
            args = _Condition(args[0]), *args[1:]
        return *args, Apply(row, row.arity)

    def _call_of_list(self, node: ast.Call) -> tuple[Any, ...]:
        match node:
            case ast.Call(args=[ast.List(elts=members)], keywords=[]) if members:
                return *members, Apply(_logsumexp, len(members))
            case _:
                raise self._refused(node, "logsumexp([a, b, ...])", "Give it one list.")

    # --- errors, each at its character ----------------------------------------------------------
    def _indent(self, line: int) -> int:
        text = self.lines[line - 1]
        return len(text) - len(text.lstrip())

    def _place(self, node: Any, end: bool = False) -> tuple[int, int]:
        """Line and column, from 1; the tree counts bytes of UTF-8, people count characters."""
        line = node.end_lineno if end else node.lineno
        offset = node.end_col_offset if end else node.col_offset
        before = self.source.split("\n")[line - 1].encode()[:offset].decode()
        return line, self._indent(line) + len(before) + 1

    def _foreign(self, node: Any) -> ExpressionError:
        """The error for what Python knows and a formula does not."""
        match node:
            case _Condition(comparison=comparison):
                return self._refused(comparison, "one comparison: < <= > >= == !=", NESTED)
            case ast.BinOp(left=left, op=op) if type(op) in FOREIGN:
                return self._operator(left, FOREIGN[type(op)], "Leave it out.")
            case ast.Compare(left=left, ops=[op, *_]):
                sign = FOREIGN[type(op)]
                return self._operator(left, sign, FIXES.get(sign, FIXES["Compare"]))
            case ast.Call(func=ast.Attribute() as function):
                return self._foreign(function)
            case ast.Call(func=function):
                return self._operator(function, "(", self._product(node))
            case ast.Attribute():
                return self._refused(node, GRAMMAR, prefix(self._code(node)))
            case _:
                code = self._code(node)
                fix = FIXES.get(type(node).__name__) or FIXES.get(code, "Leave it out.")
                return self._refused(node, GRAMMAR, fix)

    def _operator(
        self, left: ast.expr, sign: str, fix: str, expected: str = OPERATOR
    ) -> ExpressionError:
        """The error for what stands behind an operand; blanks and brackets may be between them."""
        line, column = self._place(left, end=True)
        column += _gap(self.lines[line - 1][column - 1 :])
        return self._error(line, column, expected, sign, fix)

    def _product(self, call: ast.Call) -> str:
        """Advice for ``(a + b)(c)``."""
        factors = self._code(call.func), ", ".join(self._code(x) for x in call.args)
        a, b = (f"({shortened(code)})" if len(code) <= 24 else "(...)" for code in factors)
        return f"A product needs its *: {a} * {b}."

    def _code(self, node: ast.expr) -> str:
        return ast.get_source_segment(self.source, node) or ""

    def _at(self, offset: int) -> tuple[int, int]:
        """Line and column of a character of the source."""
        *above, before = self.source[:offset].split("\n")
        line = len(above) + 1
        return line, self._indent(line) + len(before) + 1

    def _refused(self, node: Any, expected: str, fix: str) -> ExpressionError:
        code = ast.get_source_segment(self.source, node) or ""
        return self._error(*self._place(node), expected, shortened(code), fix)

    def _syntax(self, error: SyntaxError) -> ExpressionError:
        line = min(error.lineno or 1, len(self.lines))
        text = self.lines[line - 1]
        column = min(self._indent(line) + max(error.offset or 1, 1), len(text) + 1)
        got, fix = of_syntax(error.msg, _first(text[column - 1 :]))
        return self._error(line, column, SAMPLE, got, fix)

    def _too_deep(self) -> ExpressionError:
        expected = f"at most {MAX_DEPTH:,} levels of operations"
        return self._error(1, 1, expected, "more", "Name parts of the formula: d = a * b.")

    def _error(self, line: int, column: int, expected: str, got: str, fix: str) -> ExpressionError:
        return point_at(self.text, line, column, expected=expected, got=got, fix=fix)


def _logsumexp(*members: Any) -> Any:
    return logsumexp(members)


def _free_names(steps: list[Step]) -> list[str]:
    """Names that are used before the formula itself gives them a value."""
    defined: set[str] = set()
    free: dict[str, None] = {}
    for step in steps:
        if isinstance(step, Store):
            defined.add(step.name)
        elif isinstance(step, Load) and step.name not in defined:
            free[step.name] = None
    return list(free)


def _gap(text: str) -> int:
    """How many blanks and closing brackets stand before the operator."""
    return len(text) - len(text.lstrip(" \t)"))


def _first(text: str) -> str:
    """The first piece of a text, or "" if there is none on its line."""
    pieces = cut(text)
    return shortened(pieces[0].text) if pieces else ""
