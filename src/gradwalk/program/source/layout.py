"""Where the numbers of a printed function are kept: in names, or in the cells of one array.

A number that is read in its own turn of a loop has a constant name. A number that is read before
it is computed again has a variable. All others have cells, which are used again when their numbers
are dead.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from math import prod

from .flat import Atom
from .repeats import Loop, Node
from .steps import Step

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
    atoms: list[Atom]
    counts: tuple[int, ...]

    def __init__(self, atoms: list[Atom], counts: tuple[int, ...]) -> None:
        self.atoms, self.counts = atoms, counts
        self.carried = None


class Statement:
    """A line of the printed function, which stands for the steps ``at``."""

    at: list[int]
    counts: tuple[int, ...]
    path: tuple[LoopBlock, ...]
    order: int
    storage: str
    base: int

    def __init__(
        self, at: list[int], counts: tuple[int, ...], path: tuple[LoopBlock, ...], order: int
    ) -> None:
        self.at, self.counts, self.path, self.order = at, counts, path, order
        self.item = -1
        self.storage, self.base = NONE, 0
        self.slots: list[Slot] = []
        self.readers: list[tuple[Statement, Slot]] = []


Block = list[Statement | LoopBlock]


class Plan:
    """The blocks of a function, its statements, and how many cells it needs."""

    steps: Sequence[Step]
    inputs: int

    def __init__(self, steps: Sequence[Step], inputs: int) -> None:
        self.steps, self.inputs = steps, inputs
        self.block: Block = []
        self.statements: list[Statement] = []
        self.where: list[tuple[Statement, int]] = []
        self.cells = 0
        self.masked_cells = False

    def source(self, atom: Atom) -> Statement | None:
        """Return the statement that computes an atom."""
        if isinstance(atom, float) or atom < self.inputs:
            return None
        return self.where[atom - self.inputs][0]

    def steps_before(self, atom: Atom) -> int:
        """Return how many steps run until an atom is there."""
        return 0 if isinstance(atom, float) else max(atom - self.inputs + 1, 0)

    def cell(self, atom: int) -> int:
        """Return the cell of an atom."""
        statement, turn = self.where[atom - self.inputs]
        return statement.base + turn


def plan(steps: Sequence[Step], inputs: int, nodes: Sequence[Node]) -> Plan:
    """Return where everything is kept."""
    made = Plan(steps, inputs)
    _fill(made, made.block, nodes, [0], (), ())
    _find_readers(made)
    for statement in reversed(made.statements):  # a variable gives its first numbers readers
        if steps[statement.at[0]].primitive is not None:
            _store(made, statement)
    _limit_names(made)
    return made


# --- the tree of loops ----------------------------------------------------------------------------


def _fill(
    made: Plan,
    block: Block,
    nodes: Sequence[Node],
    bases: list[int],
    counts: tuple[int, ...],
    path: tuple[LoopBlock, ...],
) -> None:
    for node in nodes:
        first = len(made.statements)
        if isinstance(node, Loop):
            loop = LoopBlock(node.count, len(path))
            turns = range(node.start, node.start + node.count * node.period, node.period)
            _fill(
                made,
                loop.body,
                node.body,
                [b + t for b in bases for t in turns],
                (*counts, node.count),
                (*path, loop),
            )
            block.append(loop)
        else:
            statement = Statement([b + node for b in bases], counts, path, first)
            made.statements.append(statement)
            block.append(statement)
        if not path:
            for statement in made.statements[first:]:
                statement.item = len(block) - 1


def _find_readers(made: Plan) -> None:
    found: list[tuple[Statement, int] | None] = [None] * len(made.steps)
    for statement in made.statements:
        for turn, position in enumerate(statement.at):
            found[position] = (statement, turn)
    made.where = [f for f in found if f]
    for statement in made.statements:
        for k in range(len(made.steps[statement.at[0]].operands)):
            atoms = [made.steps[position].operands[k] for position in statement.at]
            slot = Slot(atoms, statement.counts)
            statement.slots.append(slot)
            for source in _sources(made, slot):
                source.readers.append((statement, slot))


def _sources(made: Plan, slot: Slot) -> list[Statement]:
    found = {made.source(atom): None for atom in slot.atoms}
    return [source for source in found if source is not None]


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
    return all(atom == made.inputs + d.at[turn // inner] for turn, atom in enumerate(slot.atoms))


def _make_variable(made: Plan, d: Statement) -> bool:
    """Return whether every reader wants the number that ``d`` has computed last."""
    start: tuple[int, list[Atom]] | None = None
    carried = []
    for s, slot in d.readers:
        found = _first_turns(made, d, s, slot)
        if found is None:
            return False
        depth, atoms = found
        if depth < 0:
            continue
        carried.append(slot)
        if start is not None and start != found:
            return False
        start = found
    if start is None:
        return True
    depth, atoms = start
    if depth and not all(slot in carried or _after(d, s, depth) for s, slot in d.readers):
        return False
    before = _in_front(d, depth, len(atoms))
    if any(made.steps_before(atom) > at for atom, at in zip(atoms, before.at, strict=True)):
        return False  # the first turn computes it
    for slot in carried:
        slot.carried = d
    _set_before(made, d, depth, Slot(atoms, d.counts[:depth]), before)
    return True


def _first_turns(
    made: Plan, d: Statement, s: Statement, slot: Slot
) -> tuple[int, list[Atom]] | None:
    """Return which atoms a reader wants before ``d`` is computed, and in front of which loop.

    The depth is -1 if there are none. ``None``: the reader wants other numbers as well.
    """
    others = []
    for turn, atom in enumerate(slot.atoms):
        if made.source(atom) is not d:
            others.append(turn)
        else:
            latest = bisect_left(d.at, s.at[turn]) - 1
            if latest < 0 or made.inputs + d.at[latest] != atom:
                return None
    if not others:
        return -1, []
    if s.path != d.path:
        return None
    for depth in range(len(d.path)):
        every = prod(d.counts[depth:])
        if others == list(range(0, len(slot.atoms), every)):
            return depth, [slot.atoms[turn] for turn in others]
    return None


def _after(d: Statement, s: Statement, depth: int) -> bool:
    return s.order > d.order and s.path[:depth] == d.path[:depth]


def _in_front(d: Statement, depth: int, turns: int) -> Statement:
    """Return a statement in front of a loop around ``d``, to set its variable."""
    first = _first_statement(d.path[depth])
    at = [first.at[turn * prod(first.counts[depth:])] for turn in range(turns)]
    before = Statement(at, d.counts[:depth], d.path[:depth], first.order)
    before.item = first.item
    return before


def _set_before(made: Plan, d: Statement, depth: int, slot: Slot, before: Statement) -> None:
    """Set the variable of ``d`` before the loop begins; those atoms have a reader there."""
    d.path[depth].first.append((d, slot))
    for source in _sources(made, slot):
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
