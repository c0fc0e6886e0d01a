"""Where the numbers of a printed function are kept: in names, or in the cells of one array.

A number that is read in its own turn of a loop has a constant name. A number that is read before
it is computed again has a variable. All others have cells, which are used again when their numbers
are dead.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import Any

import numpy as np

from .repeats import Loop, Node
from .steps import NOTHING, Integers, Steps

__all__ = ["Block", "LoopBlock", "Plan", "Slot", "Statement", "plan"]

LOCAL, VARIABLE, CELL, NONE = "local", "variable", "cell", "none"
MANY = 400
"""Constant names outside of loops, from which on numbers that live long get cells."""
SHORT = 32


class LoopBlock:
    """A loop: its number of turns, its statements, and variables to set before it begins."""

    count: int
    depth: int

    def __init__(self, count: int, depth: int) -> None:
        self.count, self.depth = count, depth
        self.body: Block = []
        self.first: list[tuple[Statement, Slot]] = []


class Slot:
    """What one operand of a statement is in each turn of the loops around it.

    ``carried`` is the statement whose variable it is.
    """

    carried: Statement | None
    atoms: Integers
    counts: tuple[int, ...]

    def __init__(self, atoms: Integers, counts: tuple[int, ...]) -> None:
        self.atoms, self.counts = atoms, counts
        self.carried = None


class Statement:
    """A line of the printed function, which stands for the steps ``at``."""

    at: Integers
    counts: tuple[int, ...]
    path: tuple[LoopBlock, ...]
    order: int
    storage: str
    base: int

    def __init__(
        self, at: Integers, counts: tuple[int, ...], path: tuple[LoopBlock, ...], order: int
    ) -> None:
        self.at, self.counts, self.path, self.order = at, counts, path, order
        self.item = -1
        self.storage, self.base = NONE, 0
        self.slots: list[Slot] = []
        self.readers: list[tuple[Statement, Slot]] = []


Block = list[Statement | LoopBlock]


class Plan:
    """The blocks of a function, its statements, and how many cells it needs."""

    steps: Steps
    statements: list[Statement]
    statement_of: Integers  # for each step the place of its statement,
    turn_of: Integers  # and which of its turns it is

    def __init__(self, steps: Steps) -> None:
        self.steps = steps
        self.inputs: int = steps.inputs
        self.block: Block = []
        self.statements = []
        self.statement_of = self.turn_of = np.zeros(len(steps), np.int64)
        self.cells = 0
        self.masked_cells = False

    def source(self, atom: int) -> Statement | None:
        """Return the statement that computes an atom."""
        if atom < self.inputs:
            return None
        return self.statements[int(self.statement_of[atom - self.inputs])]

    def sources(self, atoms: Integers) -> list[Statement]:
        """Return the statements that compute these atoms, in the order of the atoms."""
        inner = atoms[atoms >= self.inputs] - self.inputs
        if len(inner) == 1:
            return [self.statements[self.statement_of[inner[0]]]]
        places, first = np.unique(self.statement_of[inner], return_index=True)
        return [self.statements[k] for k in places[np.argsort(first)]]

    def computes(self, d: Statement, atoms: Integers) -> Any:
        """Return for each atom whether a statement computes it."""
        found = atoms >= self.inputs
        found[found] = self.statement_of[atoms[found] - self.inputs] == d.order
        return found

    def cells_of(self, atoms: Integers) -> Integers:
        """Return the cells of atoms."""
        bases = np.array([s.base for s in self.statements])
        steps = atoms - self.inputs
        return bases[self.statement_of[steps]] + self.turn_of[steps]


def plan(steps: Steps, nodes: Sequence[Node]) -> Plan:
    """Return where everything is kept."""
    made = Plan(steps)
    _fill(made, made.block, nodes, np.zeros(1, np.int64), (), ())
    _find_readers(made)
    for statement in reversed(made.statements):  # a variable gives its first numbers readers
        if steps.codes[statement.at[0]] >= 0:
            _store(made, statement)
    _limit_names(made)
    return made


# --- the tree of loops ----------------------------------------------------------------------------


def _fill(
    made: Plan,
    block: Block,
    nodes: Sequence[Node],
    bases: Integers,
    counts: tuple[int, ...],
    path: tuple[LoopBlock, ...],
) -> None:
    for node in nodes:
        first = len(made.statements)
        if isinstance(node, Loop):
            loop = LoopBlock(node.count, len(path))
            turns = node.start + node.period * np.arange(node.count)
            _fill(
                made,
                loop.body,
                node.body,
                (bases[:, None] + turns).reshape(-1),
                (*counts, node.count),
                (*path, loop),
            )
            block.append(loop)
        else:
            statement = Statement(bases + node, counts, path, first)
            made.statements.append(statement)
            block.append(statement)
        if not path:
            for statement in made.statements[first:]:
                statement.item = len(block) - 1


def _find_readers(made: Plan) -> None:
    made.turn_of = np.zeros(len(made.steps), np.int64)
    for place, statement in enumerate(made.statements):
        made.statement_of[statement.at] = place
        made.turn_of[statement.at] = np.arange(len(statement.at))
    operands = made.steps.operands
    for statement in made.statements:
        for column in operands[statement.at].T:
            if column[0] == NOTHING:
                break
            slot = Slot(column, statement.counts)
            statement.slots.append(slot)
            for source in made.sources(column):
                source.readers.append((statement, slot))


# --- names and variables --------------------------------------------------------------------------


def _store(made: Plan, d: Statement) -> None:
    if all(_is_local(made, d, s, slot) for s, slot in d.readers):
        d.storage = LOCAL
    elif _make_variable(made, d):
        d.storage = VARIABLE
    else:
        d.storage = CELL


def _is_local(made: Plan, d: Statement, s: Statement, slot: Slot) -> bool:
    """Return whether a reader is in the same turn of the loops around ``d``."""
    depth = len(d.path)
    if s.order <= d.order or s.path[:depth] != d.path:
        return False
    inner = prod(s.counts[depth:])
    return bool((slot.atoms == made.inputs + np.repeat(d.at, inner)).all())


def _make_variable(made: Plan, d: Statement) -> bool:
    """Return whether every reader wants the number that ``d`` has computed last."""
    start: tuple[int, Integers] | None = None
    carried = []
    for s, slot in d.readers:
        found = _first_turns(made, d, s, slot)
        if found is None:
            return False
        if found[0] < 0:
            continue
        carried.append(slot)
        if start is not None and not (start[0] == found[0] and np.array_equal(start[1], found[1])):
            return False
        start = found
    if start is None:
        return True
    depth, atoms = start
    if depth and not all(slot in carried or _after(d, s, depth) for s, slot in d.readers):
        return False
    before = _in_front(d, depth, len(atoms))
    if (atoms - made.inputs + 1 > before.at).any():
        return False  # the first turn computes it
    for slot in carried:
        slot.carried = d
    _set_before(made, d, depth, Slot(atoms, d.counts[:depth]), before)
    return True


def _first_turns(made: Plan, d: Statement, s: Statement, slot: Slot) -> tuple[int, Integers] | None:
    """Return which atoms a reader wants before ``d`` is computed, and in front of which loop.

    The depth is -1 if there are none. ``None``: the reader wants other numbers as well.
    """
    own = made.computes(d, slot.atoms)
    latest = np.searchsorted(d.at, s.at[own]) - 1
    if (latest < 0).any() or (made.inputs + d.at[latest] != slot.atoms[own]).any():
        return None
    others = np.flatnonzero(~own)
    if not len(others):
        return -1, others
    if s.path != d.path:
        return None
    for depth in range(len(d.path)):
        every = prod(d.counts[depth:])
        if np.array_equal(others, np.arange(0, len(slot.atoms), every)):
            return depth, slot.atoms[others]
    return None


def _after(d: Statement, s: Statement, depth: int) -> bool:
    return s.order > d.order and s.path[:depth] == d.path[:depth]


def _in_front(d: Statement, depth: int, turns: int) -> Statement:
    """Return a statement in front of a loop around ``d``, to set its variable."""
    first = _first_statement(d.path[depth])
    at = first.at[np.arange(turns) * prod(first.counts[depth:])]
    before = Statement(at, d.counts[:depth], d.path[:depth], first.order)
    before.item = first.item
    return before


def _set_before(made: Plan, d: Statement, depth: int, slot: Slot, before: Statement) -> None:
    """Set the variable of ``d`` before the loop begins; those atoms have a reader there."""
    d.path[depth].first.append((d, slot))
    for source in made.sources(slot.atoms):
        if source is not d:
            source.readers = [r for r in source.readers if r[1].carried is not d]
            source.readers.append((before, slot))


def _first_statement(loop: LoopBlock) -> Statement:
    first = loop.body[0]
    return first if isinstance(first, Statement) else _first_statement(first)


def _limit_names(made: Plan) -> None:
    outside = [s for s in made.statements if s.storage == LOCAL and not s.path]
    if len(outside) > MANY:
        for s in outside:
            if any(reader.order - s.order > SHORT for reader, _ in s.readers):
                s.storage = CELL
