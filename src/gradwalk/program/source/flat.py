"""A recorded function as a list of operations on numbers, for printing."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable, Sequence
from typing import Any, NamedTuple

from ...core.primitive import Primitive
from ...errors import OptionError
from ...levels.level import or_zero
from ...ops.masks import MASKS, OR_ZERO, PLUS
from ..conditions import Reading
from ..entries import IDENTITIES, Entry
from ..recorder import Recorder

__all__ = ["Atom", "Check", "Flat", "Operation", "needed", "record", "write"]

Atom = int | float
"""An operand: the index of an input or an earlier operation, or a constant."""

AWARE = frozenset((*MASKS, PLUS, OR_ZERO))


class Operation(NamedTuple):
    """A primitive on operands; ``masked`` if a mask may have let nothing through."""

    primitive: Primitive
    operands: tuple[Atom, ...]
    masked: bool


class Check(NamedTuple):
    """A condition that must have this answer, and the line of the user's program that asks."""

    atom: int
    answer: bool
    line: str


class Flat:
    """Inputs are the atoms from 0, and the operations follow them."""

    inputs: int
    operations: list[Operation]
    checks: list[Check]
    outputs: list[Atom]
    masks: bool

    def __init__(
        self,
        inputs: int,
        operations: list[Operation],
        checks: list[Check],
        outputs: list[Atom],
    ) -> None:
        self.inputs, self.operations = inputs, operations
        self.checks, self.outputs = checks, outputs
        self.masks = any(o.masked for o in operations)

    def is_masked(self, atom: Atom) -> bool:
        """Return whether an operand may be absent."""
        if isinstance(atom, float) or atom < self.inputs:
            return False
        return self.operations[atom - self.inputs].masked


def record(f: Callable[[list[Any]], Iterable[Any]], numbers: Sequence[float], where: str) -> Flat:
    """Return what ``f`` does with these numbers; its results come in order."""
    recorder = Recorder()
    inputs = [recorder.input(x) for x in numbers]
    drawn = random.getstate()
    with recorder:
        outputs = [_output(x, recorder) for x in f(inputs)]
    recorder.expect_unchanged()
    if random.getstate() != drawn:
        raise _random(where)
    return needed(_flatten(recorder, [x._payload for x in inputs], outputs))


def _output(x: Any, recorder: Recorder) -> Entry | float:
    if isinstance(x, Reading):
        x.fix()
        x = x.tracer
    return recorder.operand(or_zero(x) if recorder.owns(x) else x, "the result")


def _random(where: str) -> OptionError:
    return OptionError(
        where=where,
        expected="a function that computes the same from the same arguments",
        got="one that draws random numbers",
        fix="Draw them outside and pass them as arguments.",
    )


def _flatten(recorder: Recorder, inputs: list[Entry], outputs: list[Entry | float]) -> Flat:
    """Give the entries numbers. What is the same in every run becomes a constant."""
    atoms: dict[Entry, Atom] = {entry: i for i, entry in enumerate(inputs)}
    for entry in recorder.captured.values():
        if entry.source is not None:
            atoms[entry] = entry.source.data
    flat = Flat(len(inputs), [], [], [])
    for entry in recorder.entries:
        operands = tuple([o if isinstance(o, float) else atoms[o] for o in entry.operands])
        assert entry.primitive is not None
        atoms[entry] = write(flat, entry.primitive, operands)
    flat.outputs = [x if isinstance(x, float) else atoms[x] for x in outputs]
    for guard in recorder.guards:
        atom = atoms[guard.entry]
        if isinstance(atom, int):
            flat.checks.append(Check(atom, guard.answer, guard.line))
    return flat


def write(flat: Flat, primitive: Primitive, operands: tuple[Atom, ...]) -> Atom:
    """Append an operation, unless its result is a constant or one of its operands."""
    aware = primitive in AWARE
    if aware or float in map(type, operands):
        if not aware and all(type(o) is float for o in operands):
            return float(primitive.evaluate(*operands))
        same = _operand(flat, primitive, operands)
        if same is not None:
            return same
    masked = primitive in MASKS
    if flat.masks and not masked and primitive is not OR_ZERO:
        masked = (all if primitive is PLUS else any)(map(flat.is_masked, operands))
    flat.masks |= masked
    flat.operations.append(Operation(primitive, operands, masked))
    return flat.inputs + len(flat.operations) - 1


def _operand(flat: Flat, primitive: Primitive, operands: tuple[Atom, ...]) -> Atom | None:
    """Return the operand, or the constant, that an operation always gives."""
    for place, constant in IDENTITIES.get(primitive.name, ()):
        o = operands[place]
        if type(o) is float and o.hex() == constant.hex():
            return operands[1 - place]
    if primitive in MASKS and type(operands[0]) is float:
        opens = (operands[0] != 0.0) is (primitive is MASKS[0])
        return operands[1] if opens else None
    if primitive is OR_ZERO and not flat.is_masked(operands[0]):
        return operands[0]
    decides = {"logical_or": True, "logical_and": False}.get(primitive.name)
    for o in operands:
        if decides is not None and type(o) is float and (o != 0.0) is decides:
            return float(decides)
    return None


def needed(flat: Flat) -> Flat:
    """Return the program without what neither results nor checks need."""
    wanted = {a for a in flat.outputs if isinstance(a, int)} | {c.atom for c in flat.checks}
    for i in range(len(flat.operations) - 1, -1, -1):
        if flat.inputs + i in wanted:
            wanted.update(o for o in flat.operations[i].operands if isinstance(o, int))
    places: dict[Atom, int] = {i: i for i in range(flat.inputs)}
    kept: list[Operation] = []
    for i, operation in enumerate(flat.operations):
        if flat.inputs + i in wanted:
            places[flat.inputs + i] = flat.inputs + len(kept)
            operands = tuple([o if type(o) is float else places[o] for o in operation.operands])
            kept.append(operation._replace(operands=operands))
    checks = [c._replace(atom=places[c.atom]) for c in flat.checks]
    outputs = [o if isinstance(o, float) else places[o] for o in flat.outputs]
    return Flat(flat.inputs, kept, checks, outputs)
