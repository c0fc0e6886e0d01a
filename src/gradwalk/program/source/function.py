"""Print one function: its loops, statements and tables."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from math import prod
from typing import Any

import numpy as np

from ...core.primitive import Primitive
from ...ops.masks import MASKS, OR_ZERO, PLUS
from ..printing.c import CONDITIONS
from ..program import Program
from .dialects import C, JavaScript
from .layout import CELL, VARIABLE, Block, LoopBlock, Plan, Slot, Statement, plan
from .repeats import nest
from .steps import CHECK, Array, Integers, keys_of, last_reads, steps_of

__all__ = ["Dialect", "Function", "Tables"]


def linear(numbers: Integers, counts: Sequence[int]) -> str | None:
    """Return the expression in i0, i1, ... that gives these numbers in turn, if there is one.

    >>> linear(np.array([3, 5, 7]), [3]), linear(np.array([0, 1, 10, 11]), [2, 2])
    ('3 + 2 * i0', '10 * i0 + i1')
    >>> linear(np.array([0, 1, 5]), [3]) is None
    True
    """
    first = int(numbers[0])
    factors = [int(numbers[prod(counts[d + 1 :])]) - first for d in range(len(counts))]
    expected = np.array([first])
    for count, factor in zip(counts, factors, strict=True):
        expected = (expected[:, None] + factor * np.arange(count)).reshape(-1)
    if not np.array_equal(expected, numbers):
        return None
    return _sum(first, [(f, f"i{d}") for d, f in enumerate(factors) if f])


def _sum(start: int, terms: list[tuple[int, str]]) -> str:
    text = str(start) if start or not terms else ""
    for factor, name in terms:
        size = name if abs(factor) == 1 else f"{abs(factor)} * {name}"
        sign = "-" if factor < 0 else "+"
        text = f"{text} {sign} {size}" if text else size if sign == "+" else f"-{size}"
    return text


def drop_axes(numbers: Integers, counts: Sequence[int]) -> tuple[Integers, str]:
    """Return the numbers without axes along which they are alike, and the index of a number.

    >>> drop_axes(np.array([4, 9, 4, 9, 4, 9]), [3, 2])
    (array([4, 9]), 'i1')
    """
    table = numbers.reshape(tuple(counts))
    kept = []
    for d in range(len(counts)):
        first = table.take([0], axis=d)
        if (table == first).all():
            table = first
        else:
            kept.append(d)
    terms = [(prod(counts[e] for e in kept if e > d), f"i{d}") for d in kept]
    return table.reshape(-1), _sum(0, terms)


def allocate(made: Plan) -> None:
    """Give cells to statements, and give them again when their numbers are dead."""
    living: list[_Row] = []
    for row in sorted(_rows(made), key=lambda row: row.begin):
        living = [other for other in living if other.end >= row.begin]
        row.base = next(_gaps(living, row.size))
        living.append(row)
        living.sort(key=lambda other: other.base)
        made.cells = max(made.cells, row.base + row.size)
        here = row.base
        for s in row.members:
            s.base = here
            here += len(s.at)
            made.masked_cells |= bool(made.steps.masked[s.at[0]])


class _Row:
    """Statements whose cells lie side by side, and when their numbers live."""

    def __init__(self, members: list[Statement]) -> None:
        self.members = members
        self.size = sum(len(s.at) for s in members)
        self.begin = min(s.item for s in members)
        self.end = max([reader.item for s in members for reader, _ in s.readers] + [self.begin])
        self.base = 0


def _rows(made: Plan) -> Iterator[_Row]:
    """Yield the statements that have cells, loops with what is one turn away from them.

    A first turn often has no 0.0 to add to, and stands in front of its loop.
    """
    chosen = [s for s in made.statements if s.storage == CELL]
    alone = {int(s.at[0]): s for s in chosen if not s.path}
    for s in chosen:
        if len(s.path) == 1:
            first, second, last = map(int, s.at[[0, 1, -1]])
            period = second - first
            beside = [alone.pop(first - period, None), s, alone.pop(last + period, None)]
            yield _Row([member for member in beside if member])
        elif s.path:
            yield _Row([s])
    for s in alone.values():
        yield _Row([s])


def _gaps(living: Sequence[_Row], size: int) -> Iterator[int]:
    here = 0
    for other in living:
        if other.base - here >= size:
            yield here
        here = max(here, other.base + other.size)
    yield here


Dialect = C | JavaScript


class Tables:
    """The constants and indices of a file, each table once."""

    def __init__(self) -> None:
        self.names: dict[tuple[bool, bytes], str] = {}
        self.numbers: list[tuple[str, bool, Sequence[float] | Sequence[int]]] = []

    def name(self, numbers: Any, whole: bool) -> str:
        """Return the name of a table with these numbers, an array."""
        key = (whole, numbers.tobytes())
        if key not in self.names:
            self.names[key] = f"{'t' if whole else 'k'}{len(self.names)}"
            self.numbers.append((self.names[key], whole, numbers.tolist()))
        return self.names[key]

    @property
    def size(self) -> int:
        """How many bytes the tables have."""
        return sum(len(x) * _width(x) if whole else 8 * len(x) for _, whole, x in self.numbers)


def _width(numbers: Sequence[float]) -> int:
    return 1 if max(numbers) < 1 << 8 else 2 if max(numbers) < 1 << 16 else 4


class Function:
    """A function of a file: its text, and what it needs around it."""

    name: str
    arrays: Sequence[Array]
    results: Sequence[Array]
    tables: Tables
    body: list[str]
    dialect: Dialect

    def __init__(
        self,
        name: str,
        program: Program,
        arrays: Sequence[Array],
        results: Sequence[Array],
        lines: Sequence[str],
        dialect: Dialect,
        tables: Tables,
    ) -> None:
        self.name, self.arrays, self.results = name, arrays, results
        self.dialect, self.tables = dialect, tables
        self.primitives: dict[str, Primitive] = {}
        self.starts: list[tuple[Array, int]] = []
        for array in arrays:
            self.starts += [(array, i) for i in range(array.size)]
        steps = steps_of(program, results, lines)
        self.plan: Plan = plan(steps, nest(keys_of(steps, arrays), last_reads(steps)))
        allocate(self.plan)
        self.body = list(self._lines(self.plan.block, 1))

    @property
    def cells(self) -> int:
        """How many cells of the common array it uses."""
        return self.plan.cells

    @property
    def names(self) -> int:
        """How many numbers have names: on the stack, unless in registers."""
        return sum(s.storage not in (CELL, "none") for s in self.plan.statements)

    @property
    def text(self) -> str:
        """The definition."""
        lines = [*self._unused(), *self._variables(), *self.body, "    return 0;"]
        head = self.dialect.head(self.name, self.arrays, self.results)
        return f"{head}\n{{\n" + "".join(f"{line}\n" for line in lines) + "}\n"

    # --- blocks -----------------------------------------------------------------------------------

    def _unused(self) -> list[str]:
        """Mention parameters that nothing reads, for compilers that warn of them."""
        read = set(re.findall(r"\w+", " ".join(self.body)))
        unused = [a.name for a in (*self.arrays, *self.results) if a.name not in read]
        return [f"    (void){name};" for name in unused if self.dialect.language == "C"]

    def _variables(self) -> Iterator[str]:
        """Declare the variables that no loop sets first."""
        started = {s for s, _ in self._first_of(self.plan.block)}
        for s in self.plan.statements:
            if s.storage == VARIABLE and s not in started:
                yield f"    {self.dialect.number_type}{_number(s)} = 0{self._point};"
                if self._masked(s):
                    yield f"    {self.dialect.flag_type}{_flag(s)} = 0;"

    @property
    def _point(self) -> str:
        return ".0" if self.dialect.language == "C" else ""

    def _first_of(self, block: Block) -> Iterator[tuple[Statement, Slot]]:
        for node in block:
            if isinstance(node, LoopBlock):
                yield from node.first
                yield from self._first_of(node.body)

    def _lines(self, block: Block, depth: int) -> Iterator[str]:
        space = "    " * depth
        for node in block:
            if isinstance(node, Statement):
                yield from (space + line for line in self._statement(node))
                continue
            for s, slot in node.first:
                for line in self._first(s, slot):
                    yield space + line
            i = f"i{node.depth}"
            yield f"{space}for ({self.dialect.counter}{i} = 0; {i} < {node.count}; {i}++) {{"
            yield from self._lines(node.body, depth + 1)
            yield f"{space}}}"

    def _first(self, s: Statement, slot: Slot) -> Iterator[str]:
        yield f"{self.dialect.number_type}{_number(s)} = {self._operand(slot)};"
        if self._masked(s):
            yield f"{self.dialect.flag_type}{_flag(s)} = {self._presence(slot)};"

    # --- statements -------------------------------------------------------------------------------

    def _masked(self, s: Statement) -> bool:
        return bool(self.plan.steps.masked[s.at[0]])

    def _statement(self, s: Statement) -> Iterator[str]:
        steps, first = self.plan.steps, s.at[0]
        primitive = steps.primitive(first)
        if primitive is not None:
            yield from self._assign(s, primitive, self._masked(s))
        elif steps.codes[first] == CHECK:
            number, answer = steps.checks[steps.results[first]]
            truth = self.dialect.truth(self._operand(s.slots[0]))
            yield f"if ({f'!({truth})' if answer else truth}) return {number};"
        else:
            array = self.results[steps.results[first]].name
            index = self._index(steps.places[s.at], s.counts)
            yield f"{array}[{index}] = {self._operand(s.slots[0])};"

    def _assign(self, s: Statement, primitive: Primitive, masked: bool) -> Iterator[str]:
        args = [self._operand(slot) for slot in s.slots]
        flags = [self._presence(slot) for slot in s.slots]
        lines = [f"{self._target(s)} = {self._result(primitive, args, flags)};"]
        if masked:
            truth = self._presence_of_result(primitive, args, flags)
            # a sum that takes the place of its operand reads the flag that this line sets
            first = not (primitive is PLUS and s.storage in (VARIABLE, CELL))
            lines.insert(0 if first else 1, f"{self._target(s, flag=True)} = {truth};")
        yield from lines

    def _target(self, s: Statement, flag: bool = False) -> str:
        name = _flag(s) if flag else _number(s)
        if s.storage == VARIABLE:
            return name
        if s.storage == CELL:
            cells = s.base + np.arange(len(s.at))
            return f"{'some' if flag else 'cell'}[{self._index(cells, s.counts)}]"
        whole = flag or is_condition(self.plan.steps.primitive(s.at[0]))
        return (self.dialect.const_flag if whole else self.dialect.const_number) + name

    def _presence_of_result(self, primitive: Primitive, args: list[str], flags: list[str]) -> str:
        """Return whether a contribution is there, as 0 or 1."""
        if primitive in MASKS:
            truth = f"({self.dialect.truth(args[0])})"
            parts = [truth if primitive is MASKS[0] else f"!{truth}", flags[1]]
        elif primitive is PLUS:
            return f"{flags[0]} || {flags[1]} ? 1 : 0"
        else:
            parts = flags
        found = " && ".join(part for part in dict.fromkeys(parts) if part != "1")
        return f"{found} ? 1 : 0"

    def _result(self, primitive: Primitive, args: list[str], flags: list[str]) -> str:
        if primitive in MASKS:
            return args[1]
        if primitive is OR_ZERO:
            return f"{flags[0]} ? {args[0]} : 0{self._point}" if flags[0] != "1" else args[0]
        if primitive is PLUS:
            both = f"{args[0]} + {args[1]}"
            if flags[1] != "1":
                both = f"{flags[1]} ? {both} : {args[0]}"
            return f"{flags[0]} ? {both} : {args[1]}" if flags[0] != "1" else both
        text = self.dialect.expression(primitive, args)
        self.primitives[primitive.name] = primitive
        return text

    # --- operands ---------------------------------------------------------------------------------

    def _presence(self, slot: Slot) -> str:
        """Return the flag of an operand; "1" for what is always there."""
        if not self.plan.steps.is_masked(slot.atoms[0]):
            return "1"
        s = slot.carried or self._source(slot)
        if s is not None:
            return _flag(s)
        return f"some[{self._cells(slot)}]"

    def _source(self, slot: Slot) -> Statement | None:
        """Return the statement whose name an operand is."""
        s = self.plan.source(slot.atoms[0])
        return None if s is None or s.storage == CELL else s

    def _operand(self, slot: Slot) -> str:
        atom = int(slot.atoms[0])
        s = slot.carried or self._source(slot)
        if s is not None:
            return _number(s)
        if atom < 0:
            return self._constant(slot)
        if atom < self.plan.inputs:
            array, _ = self.starts[atom]
            if array.scalar:
                return array.name
            places = slot.atoms - (atom - self.starts[atom][1])
            return f"{array.name}[{self._index(places, slot.counts)}]"
        return f"cell[{self._cells(slot)}]"

    def _cells(self, slot: Slot) -> str:
        return self._index(self.plan.cells_of(slot.atoms), slot.counts)

    def _constant(self, slot: Slot) -> str:
        kept, index = drop_axes(slot.atoms, slot.counts)
        numbers = np.array(self.plan.steps.consts)[~kept]
        if len(numbers) == 1:
            text = self.dialect.number(float(numbers[0]))
            return f"({text})" if text.startswith("-") else text
        return f"{self.tables.name(numbers, whole=False)}[{index}]"

    def _index(self, numbers: Integers, counts: tuple[int, ...]) -> str:
        text = linear(numbers, counts)
        if text is not None:
            return text
        kept, index = drop_axes(numbers, counts)
        return f"{self.tables.name(kept, whole=True)}[{index}]"


def _number(s: Statement) -> str:
    return f"v{s.order}"


def _flag(s: Statement) -> str:
    return f"h{s.order}"


def cells_of(functions: Sequence[Function]) -> int:
    """Return how many cells all functions of a file share."""
    return max((f.cells for f in functions), default=0)


def is_condition(primitive: Primitive | None) -> bool:
    """Return whether a primitive gives true or false."""
    return primitive is not None and primitive.name in CONDITIONS
