"""From text to a program: every statement is parsed, and its tree becomes equations."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from copy import copy
from dataclasses import dataclass, field
from math import inf
from typing import Any
from unicodedata import normalize

from ..core.expect import as_float, expect_text
from ..core.primitive import Primitive
from ..engine.value import Value
from ..errors import ExpressionError
from ..ops import TABLE
from ..program.builder import Builder
from ..program.program import Program, evaluate
from .calls import attribute, call
from .functions import CONSTANTS, FUNCTIONS
from .grammar import Node, parse_statement
from .hints import hint
from .language import ASSIGNMENTS, COMPARISONS, FOREIGN, MAX_DEPTH, MAX_LENGTH, PRIMITIVES, SPELLED
from .messages import error_at, message
from .spelling import nearest
from .tokens import Token, tokenize

__all__ = ["Expression", "parse"]

NO_TEXT = re.compile("[\0\ud800-\udfff]")

Part = float | Node | tuple[Primitive, int] | str
"""A part of a formula: a number, the use of a name, a primitive of the last so many results, or the
name that the last result gets. Operands come first.
"""


@dataclass(frozen=True)
class Expression:
    """A formula: its text, the names that it needs, and its program.

    ``names``      variables that need a value, in the order in which they appear
    ``constants``  pi, e and inf, if it uses them; a value for one of them replaces the constant
    ``program``    the `Program` whose inputs are ``names``

    >>> print(parse("d = a * b; tanh(d / pi)").program)
    program of a, b
      d = mul a b
      v3 = div d 3.141592653589793
      v4 = tanh v3
      return v4
    """

    text: str
    names: tuple[str, ...]
    constants: tuple[str, ...]
    program: Program = field(repr=False, compare=False)
    _starts: Mapping[str, int] = field(repr=False, compare=False)

    def evaluate(self, values: Mapping[str, Value | float]) -> Value:
        """Return the result for these values, as a Value whose graph has the names as labels.

        A number becomes a new leaf, and a Value without a label gets its name. Raise
        `ExpressionError` for a name without a value, or a value without a name. Division by zero
        gives an infinity or NaN, as everywhere in gradwalk.

        >>> from gradwalk import Value
        >>> from gradwalk.expression import parse
        >>> a = Value(2.0)
        >>> y = parse("d = a * b; d + c").evaluate({"a": a, "b": -3.0, "c": 10.0})
        >>> y.backward()
        >>> y.data, a.grad, y.operands[0].label
        (4.0, -3.0, 'd')
        """
        # the parser reads names in this form, so that two ways to type μ are one variable
        given = {normalize("NFKC", name): value for name, value in values.items()}
        self._check(given)
        program = self.program
        if not given.keys().isdisjoint(self.constants):
            program = _written(_read(self.text), [n for n in self._starts if n in given])
        names = program.names
        inputs = [_labelled(given[names[i]], names[i]) for i in range(program.inputs)]
        with_leaves = copy(program)  # a constant with a name is a leaf, new in each graph
        with_leaves.consts = [_labelled(x, names.get(~i)) for i, x in enumerate(program.consts)]
        results = map(names.get, range(program.inputs, program.variables))

        def apply(primitive: Primitive, args: list[Any], params: object) -> Any:
            return _labelled(primitive(*args), next(results))

        env = evaluate(with_leaves, inputs, apply)
        [output] = program.outputs
        result = env[output] if output >= 0 else with_leaves.consts[~output]
        return result if isinstance(result, Value) else Value(result)

    def _check(self, values: Mapping[str, Any]) -> None:
        names = ", ".join(self.names)
        for name in values:
            if name not in self.names + self.constants:
                like = nearest(name, self.names)
                parts = message("unused", names=names or "none", name=name, nearest=like)
                raise ExpressionError(where="formula", **parts)
        for name in self.names:
            if name not in values:
                fields = {"names": names, "name": name, "constant": SPELLED.get(name, "")}
                fields["function"] = name if name in FUNCTIONS else ""
                raise error_at(self.text, self._starts[name], "missing", **fields)


def _labelled(number: Any, name: str | None) -> Any:
    """Return ``number`` as a Value with the label ``name``, unless it has a label already."""
    if name is None:
        return number
    value = number if isinstance(number, Value) else Value(as_float(number, f"value of {name!r}"))
    value.label = value.label or name
    return value


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
    parts = _read(text)
    starts = _free_names(parts)
    names = tuple(name for name in starts if name not in CONSTANTS)
    constants = tuple(name for name in starts if name in CONSTANTS)
    return Expression(text, names, constants, _written(parts, names), starts)


def _free_names(parts: Sequence[Part]) -> dict[str, int]:
    """Return where the names are that are used before the formula itself gives them a value."""
    defined: set[str] = set()
    free: dict[str, int] = {}
    for part in parts:
        if isinstance(part, str):
            defined.add(part)
        elif isinstance(part, Node) and part.text not in defined:
            free.setdefault(part.text, part.start)
    return free


def _written(parts: Sequence[Part], names: Sequence[str]) -> Program:
    """Return the program of a formula; ``names`` are its inputs."""
    builder = Builder()
    scope: dict[str, int | float] = {**CONSTANTS, **{n: builder.input(name=n) for n in names}}
    stack: list[int | float] = []  # results, and numbers that may get a name
    for part in parts:
        if isinstance(part, tuple):
            primitive, count = part
            operands = [_atom(builder, x) for x in stack[-count:]]
            stack[-count:] = [builder.add(primitive, operands)]
        elif isinstance(part, str):
            x = stack[-1]
            x = builder.constant(x, True) if isinstance(x, float) else x
            builder.names.setdefault(x, part)
            stack[-1] = scope[part] = x
        else:
            stack.append(part if isinstance(part, float) else scope[part.text])
    return builder.program([_atom(builder, stack[-1])])


def _atom(builder: Builder, x: int | float) -> int:
    return builder.constant(x) if isinstance(x, float) else x


def _read(text: str) -> list[Part]:
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
    parts: list[Part] = []
    for first, tree in zip(firsts, trees, strict=True):
        with _hinted(text, tokens, first):
            parts += _Statement(text).parts(tree, first == firsts[-1])
    return parts


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
    """The parts of one statement, from its tree."""

    def __init__(self, text: str) -> None:
        self.text = text

    def parts(self, node: Node, last: bool) -> Iterator[Part]:
        if node.operator in ASSIGNMENTS:
            yield from self._assignment(node)
        elif last:
            yield from self._formula(node)
        elif node.operator == "==":
            raise error_at(self.text, node.at, "equation")
        else:
            raise error_at(self.text, node, "unnamed")

    def _assignment(self, node: Node) -> Iterator[Part]:
        name, value = node.parts
        if node.text != "=" or name.bare.kind != "name" or value.operator in ASSIGNMENTS:
            key = "statement" if node.text in ("=", ":") else "augmented"
            raise error_at(self.text, node, key)
        yield from self._formula(value)
        yield name.bare.text

    def _formula(self, root: Node) -> Iterator[Part]:
        """Yield the parts of a formula, every operand before its operator, left to right."""
        todo: list[tuple[int, Any]] = [(1, root)]
        while todo:
            depth, part = todo.pop()
            if not isinstance(part, Node):
                yield part
            elif depth > MAX_DEPTH:
                raise error_at(self.text, 0, "depth")
            elif part.bare.kind == "name":
                yield part.bare
            else:
                todo += [(depth + 1, one) for one in reversed(self._parts(part.bare))]

    def _parts(self, node: Node) -> tuple[Any, ...]:
        """Return the operands of a node, and after them its primitive."""
        if node.kind == "number" and node.text[-1] not in "jJ":
            return (self._number(node),)
        if node.kind == "call":
            return call(self.text, node)
        if node.operator in PRIMITIVES:
            return *node.parts, (TABLE[PRIMITIVES[node.text]], 2)
        if node.kind == "operator" and len(node.parts) == 1 and node.text in "+-":
            return node.parts if node.text == "+" else (*node.parts, (TABLE["neg"], 1))
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
