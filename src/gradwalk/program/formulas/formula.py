"""Readable formulas of local derivatives, derived from the rules.

The rule is applied to unknown arguments and an incoming gradient of 1. Guards that make no
difference at ordinary arguments (`samples`) are removed. If a short formula in the result and the
arguments has the same values there, it is shown instead: 1 - y² for tanh, whose rule uses a more
accurate form.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain, product
from math import isfinite
from typing import NamedTuple

from ...core.primitive import MASK_IF, Primitive
from ...ops import TABLE
from ..printing.c import MASKS, masking
from ..printing.var import trace
from ..program import Program, evaluate
from .algebra import NONE, Term, choice, made, masked
from .tex import readable, tex, text

__all__ = ["LONGEST", "Formula", "slope"]


Values = list[float]

PLAIN = (-4.0, -2.5, -1.0, -0.5, 0.0, 0.5, 1.0, 1.5, 2.5, 4.0)
GENERIC = (-3.7, -2.3, -1.1, -0.83, -0.37, 0.41, 0.77, 1.3, 1.9, 2.9, 5.3)
CLOSE = 1e-9


def ordinary(primitive: Primitive, kinks: bool) -> list[Values]:
    """Return result and arguments at many points, with or without zeros and ties."""
    grids = []
    for index, (low, high) in enumerate(primitive.domain):
        grid = PLAIN if kinks else [x * (1.0 + index / 64.0) for x in GENERIC]
        grids.append([x for x in grid if low < x < high])
    points = ((float(primitive(*args)), *args) for args in product(*grids))
    return [list(point) for point in points if isfinite(point[0])]


def computed(program: Program, points: list[Values]) -> list[Values]:
    """For every variable its values at all points; the inputs are result and arguments."""
    rows = [evaluate(program, point, _value) for point in points]
    return [list(column) for column in zip(*rows, strict=True)]


def _value(primitive: Primitive, args: list[float], params: object) -> float:
    if primitive in MASKS:  # the contribution itself; whether it passes is asked elsewhere
        return args[1]
    return float(primitive.evaluate(*args))


def agree(a: Values, b: Values, scale: Values | None = None) -> bool:
    """Return whether values agree up to rounding at three or more points."""
    known = list(_finite(a, b, scale or b))
    return len(known) >= 3 and all(abs(x - y) <= CLOSE * abs(s) for x, y, s in known)


def _finite(a: Values, b: Values, scale: Values) -> Iterator[tuple[float, float, float]]:
    for x, y, s in zip(a, b, scale, strict=True):
        if isfinite(y) and isfinite(s):
            yield x if isfinite(x) else float("inf"), y, s


LONGEST = 60
"""Characters of the longest formula that is shown."""

Known = tuple[Term, Values]
"""A formula and its values at the samples."""

SOME = 40  # points at which short formulas are tried
SHORT = 16  # what is not longer stays as the rule has it


class Formula(NamedTuple):
    """A formula as plain text and as TeX."""

    text: str
    tex: str


def slope(primitive: Primitive, index: int) -> Formula | None:
    """∂y/∂argument, or ``None`` if there is no rule or its formula is too long to be read.

    The result is called y (z where an argument is), ``none`` is where no gradient flows.

    >>> from gradwalk.ops import TABLE
    >>> slope(TABLE["div"], 1).text, slope(TABLE["maximum"], 0).text
    ('-y/b', 'none if a < b; 1/2 if a = b; else 1')
    """
    rule = primitive.rules[index]
    if rule is None:
        return None
    names = ["z" if "y" in primitive.params else "y", *primitive.params]
    program = trace(lambda *args: rule(1.0, *args), names)
    for kinks in (True, False):
        term = _Reader(program, ordinary(primitive, kinks)).term(program.outputs[0])
        formula = text(term)
        if readable(term) and len(formula) <= LONGEST:
            return Formula(formula, tex(term))
    return None


class _Reader:
    """Turns the equations of a program into terms, with the numbers that they give in hand."""

    def __init__(self, program: Program, points: list[Values]) -> None:
        self.program, self.enough = program, len(points) >= 3
        self.columns = computed(program, points) if self.enough else []
        self.step = len(points) // SOME + 1

    def term(self, atom: int) -> Term:
        """Return the term of an atom as the value of the formula or of one of its cases."""
        if mask := masking(self.program, atom):
            return self._masked(mask.primitive is MASK_IF, *mask.operands)
        if self._is_choice(atom):
            return self._chosen(atom, top=True)
        equation = self.program.equation(atom)
        for factor in equation.operands if equation else ():
            if self._is_choice(factor) and self._agrees(factor, atom):
                return self.term(factor)
        plain = self.inner(atom)
        long = atom >= 0 and len(text(plain)) > SHORT
        return self._shorter(atom, plain) if long else plain

    def inner(self, atom: int) -> Term:
        """Return the term of an atom as an operand."""
        if atom < 0:
            number: float = self.program.consts[~atom]
            return number
        equation = self.program.equation(atom)
        if equation is None:
            return self.program.name(atom)
        primitive, args = equation.primitive, equation.operands
        if self.enough and len(set(self.columns[atom])) == 1:
            return self.columns[atom][0]
        if primitive.name == "where":
            return self._chosen(atom, top=False)
        if (
            primitive.name in ("add", "sub")
            and (found := self._larger(primitive.name, atom, *args)) is not None
        ):
            return found
        return made(primitive.name, *map(self.inner, args))

    def _masked(self, blocks: bool, condition: int, contribution: int) -> Term:
        term, known = self.term(contribution), self.inner(condition)
        if isinstance(known, float):
            return NONE if (known != 0.0) == blocks else term
        return choice(known, NONE, term) if blocks else masked(known, term)

    def _chosen(self, atom: int, top: bool) -> Term:
        equation = self.program.equation(atom)
        assert equation is not None
        condition, a, b = equation.operands
        known = self.inner(condition)
        if isinstance(known, float):
            return (self.term if top else self.inner)(a if known != 0.0 else b)
        for same in (b, a):  # what is for all others first
            if self._agrees(same, atom):
                return (self.term if top else self.inner)(same)
        if top:
            return choice(known, self.term(a), self.term(b))
        return made("where", known, self.inner(a), self.inner(b))

    def _is_choice(self, atom: int) -> bool:
        equation = self.program.equation(atom)
        return equation is not None and equation.primitive.name == "where"

    def _agrees(self, a: int, b: int) -> bool:
        return self.enough and min(a, b) >= 0 and agree(self.columns[a], self.columns[b])

    def _larger(self, op: str, atom: int, a: int, b: int) -> Term | None:
        """Return the dominant term of a sum whose other term only corrects a rounding."""
        if self._agrees(a, atom):
            return self.inner(a)
        if op == "add" and self._agrees(b, atom):
            return self.inner(b)
        return None

    def _shorter(self, atom: int, plain: Term) -> Term:
        """Return a formula of at most three symbols with the same values, or ``None``."""
        if self.enough:
            wanted = self.columns[atom][:: self.step]
            for candidate, values in self._candidates():
                if agree(values, wanted):
                    return candidate
        return plain

    def _candidates(self) -> Iterator[Known]:
        """Formulas of one, two and three symbols, in this order."""
        symbols: list[Known] = [(1.0, [1.0] * len(self.columns[0][:: self.step]))]
        for i in range(self.program.inputs):
            symbols.append((self.program.name(i), self.columns[i][:: self.step]))
        pairs = [*_combined(symbols, symbols)]
        yield from chain(symbols, pairs, _combined(symbols, pairs))


def _combined(some: list[Known], others: list[Known]) -> Iterator[Known]:
    """Return every sum, difference, product and quotient of two formulas."""
    for (a, u), (b, v) in product(some, others):
        for op in ("add", "sub", "mul", "div"):
            yield made(op, a, b), list(map(TABLE[op].evaluate, u, v))
