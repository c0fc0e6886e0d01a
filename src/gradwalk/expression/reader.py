"""From text to steps: every statement is parsed, and its tree becomes steps for a stack."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from math import inf
from typing import Any

from ..core.expect import expect_text
from ..errors import ExpressionError
from ..ops import TABLE
from .calls import attribute, call
from .grammar import Node, parse_statement
from .hints import hint
from .language import ASSIGNMENTS, COMPARISONS, FOREIGN, MAX_DEPTH, MAX_LENGTH, PRIMITIVES
from .messages import error_at
from .program import CONSTANTS, Apply, Expression, Load, Push, Step, Store
from .tokens import Token, tokenize

__all__ = ["parse"]

NO_TEXT = re.compile("[\0\ud800-\udfff]")


def parse(text: str) -> Expression:
    """Read a formula; several lines, or parts between ``;``, name intermediate results.

    The last line is the result, and every earlier one has the form ``name = formula``. Raise an
    `ExpressionError` that points at the character for anything but arithmetic, functions of
    gradwalk, and a comparison as the first argument of ``where``.

    >>> formula = parse("tanh(w * x + b)")
    >>> formula.names
    ('w', 'x', 'b')
    >>> formula.evaluate({"w": 0.5, "x": 2.0, "b": -1.0}).data
    0.0
    """
    expect_text(text, "parse(text)")
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    steps = _read(text)
    free = _free_names(steps)
    names = tuple(name for name in free if name not in CONSTANTS)
    constants = tuple(name for name in free if name in CONSTANTS)
    return Expression(text, names, constants, tuple(steps))


def _free_names(steps: list[Step]) -> list[str]:
    """Return the names that are used before the formula itself gives them a value."""
    defined: set[str] = set()
    free: dict[str, None] = {}
    for step in steps:
        if isinstance(step, Store):
            defined.add(step.name)
        elif isinstance(step, Load) and step.name not in defined:
            free[step.name] = None
    return list(free)


def _read(text: str) -> list[Step]:
    if len(text) > MAX_LENGTH:
        raise error_at(text, 0, "length", count=f"{len(text):,}")
    if NO_TEXT.search(text):
        raise error_at(text, 0, "text")
    tokens = tokenize(text)
    firsts = [k for k, token in enumerate(tokens) if token.kind != "line" and _begins(tokens, k)]
    if not firsts:
        raise error_at(text, 0, "empty")
    trees = []
    for first in firsts:
        with _hinted(text, tokens, first):
            trees.append(parse_statement(text, tokens, first))
    steps: list[Step] = []
    for first, tree in zip(firsts, trees, strict=True):
        with _hinted(text, tokens, first):
            steps += _Statement(text).steps(tree, first == firsts[-1])
    return steps


def _begins(tokens: list[Token], k: int) -> bool:
    """Return whether a statement begins with a token."""
    return k == 0 or tokens[k - 1].ends


@contextmanager
def _hinted(text: str, tokens: list[Token], first: int) -> Iterator[None]:
    """Replace an error about a statement by the hint about another notation in it."""
    try:
        yield
    except ExpressionError as error:
        raise hint(text, tokens, first) or error from None


class _Statement:
    """The steps of one statement, from its tree."""

    def __init__(self, text: str) -> None:
        self.text = text

    def steps(self, node: Node, last: bool) -> Iterator[Step]:
        if node.operator in ASSIGNMENTS:
            yield from self._assignment(node)
        elif last:
            yield from self._formula(node)
        elif node.operator == "==":
            raise error_at(self.text, node.at, "equation")
        else:
            raise error_at(self.text, node, "unnamed")

    def _assignment(self, node: Node) -> Iterator[Step]:
        name, value = node.parts
        if node.text != "=" or name.bare.kind != "name" or value.operator in ASSIGNMENTS:
            key = "statement" if node.text in ("=", ":") else "augmented"
            raise error_at(self.text, node, key)
        yield from self._formula(value)
        yield Store(name.bare.text)

    def _formula(self, root: Node) -> Iterator[Step]:
        """Yield the steps of a formula, every operand before its operator, left to right."""
        todo: list[tuple[int, Any]] = [(1, root)]
        while todo:
            depth, part = todo.pop()
            if not isinstance(part, Node):
                yield Push(part) if isinstance(part, float) else part
            elif depth > MAX_DEPTH:
                raise error_at(self.text, 0, "depth")
            else:
                todo += [(depth + 1, one) for one in reversed(self._parts(part.bare))]

    def _parts(self, node: Node) -> tuple[Any, ...]:
        """Return the operands of a node, and after them its step."""
        if node.kind == "number" and node.text[-1] not in "jJ":
            return (Push(self._number(node)),)
        if node.kind == "name":
            return (Load(node.text, node.start),)
        if node.kind == "call":
            return call(self.text, node)
        if node.operator in PRIMITIVES:
            return *node.parts, Apply(TABLE[PRIMITIVES[node.text]], 2)
        if node.kind == "operator" and len(node.parts) == 1 and node.text in "+-":
            return node.parts if node.text == "+" else (*node.parts, Apply(TABLE["neg"], 1))
        raise self._foreign(node)

    def _number(self, node: Node) -> float:
        try:
            based = node.text[:2].lower() in ("0x", "0o", "0b")
            number = float(int(node.text, 0)) if based else float(node.text)
        except OverflowError:
            number = inf
        if number == inf and not re.search(r"^[^xX]*[.eE]", node.text):
            raise error_at(self.text, node, "finite")
        return number

    # --- errors, each at its character ------------------------------------------------------------
    def _foreign(self, node: Node) -> ExpressionError:
        """Return the error about a part of Python's grammar that a formula does not have."""
        sign = node.operator
        if node.kind == "attribute":
            return attribute(self.text, node)
        if sign in COMPARISONS:
            key = "equality" if sign == "==" else "comparison"
            return error_at(self.text, node.at, key, sign=sign)
        if sign and sign not in FOREIGN:
            return error_at(self.text, node.at, "operator", sign=sign)
        return error_at(self.text, node, "foreign", fix=FOREIGN.get(node.text, ""))
