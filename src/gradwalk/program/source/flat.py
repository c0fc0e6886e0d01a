"""A recorded function as a list of operations on numbers, for printing."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable, Sequence
from itertools import compress
from typing import Any, NamedTuple

from ...core.primitive import Primitive
from ...errors import OptionError
from ...levels.level import or_zero
from ...ops.masks import MASKS, OR_ZERO, PLUS
from ..builder import IDENTITIES
from ..program import GUARD
from ..recording.recorder import Recorder

__all__ = ["Atom", "Check", "Constants", "Flat", "needed", "record", "write"]

Atom = int
"""An operand: the index of an input or an earlier operation, or -1 - the index of a constant."""

AWARE = frozenset((*MASKS, PLUS, OR_ZERO))


class Constants:
    """The constants of programs that share them, each once."""

    numbers: list[float]

    def __init__(self) -> None:
        self.numbers = []
        self._atoms: dict[float | str, Atom] = {}

    def atom(self, x: float) -> Atom:
        """Return the operand for a number."""
        key = x if x and x == x else x.hex()  # 0.0 and -0.0 are equal, and NaN is not
        found = self._atoms.get(key)
        if found is None:
            self.numbers.append(x)
            found = self._atoms[key] = -len(self.numbers)
        return found

    def __getitem__(self, atom: Atom) -> float:
        return self.numbers[-1 - atom]


class Check(NamedTuple):
    """A condition that must have this answer, and the line of the user's program that asks."""

    atom: int
    answer: bool
    line: str


class Flat:
    """Inputs are the atoms from 0, and the operations follow them.

    An operation is ``masked`` if a mask may have let nothing through.
    """

    inputs: int
    constants: Constants
    primitives: list[Primitive]
    operands: list[tuple[Atom, ...]]
    masked: list[bool]
    checks: list[Check]
    outputs: list[Atom]
    masks: bool

    def __init__(self, inputs: int, constants: Constants) -> None:
        self.inputs, self.constants = inputs, constants
        self.primitives, self.operands, self.masked = [], [], []
        self.checks, self.outputs = [], []
        self.masks = False

    def append(self, primitive: Primitive, operands: tuple[Atom, ...], masked: bool) -> Atom:
        """Return the atom of one more operation."""
        self.primitives.append(primitive)
        self.operands.append(operands)
        self.masked.append(masked)
        self.masks = self.masks or masked
        return self.inputs + len(self.primitives) - 1

    def is_masked(self, atom: Atom) -> bool:
        """Return whether an operand may be absent."""
        return atom >= self.inputs and self.masked[atom - self.inputs]


def record(f: Callable[[list[Any]], Iterable[Any]], numbers: Sequence[float], where: str) -> Flat:
    """Return what ``f`` does with these numbers; its results come in order."""
    recorder = Recorder(has_loops=False, lowers=True)  # loops are found when the file is printed
    inputs = [recorder.input(x) for x in numbers]
    drawn = random.getstate()
    with recorder:
        outputs = [recorder.operand(or_zero(x) if recorder.owns(x) else x, "") for x in f(inputs)]
    recorder.expect_unchanged()
    if random.getstate() != drawn:
        raise _random(where)
    return needed(_flatten(recorder, [x._payload for x in inputs], outputs))


def _random(where: str) -> OptionError:
    return OptionError(
        where=where,
        expected="a function that computes the same from the same arguments",
        got="one that draws random numbers",
        fix="Draw them outside and pass them as arguments.",
    )


def _flatten(recorder: Recorder, inputs: list[int], outputs: list[int]) -> Flat:
    """Give the entries numbers. What is the same in every run becomes a constant."""
    sources = recorder.sources()
    program = recorder.program([*inputs, *(atom for _, atom in sources)], outputs)
    flat = Flat(len(inputs), Constants())
    atom = flat.constants.atom
    constants = [*map(atom, program.consts)]
    atoms = [*range(len(inputs)), *[atom(value.data) for value, _ in sources]]
    apply = write if sources else _append

    def to(a: int) -> Atom:
        return atoms[a] if a >= 0 else constants[~a]

    for equation in program:
        operands = tuple(map(to, equation.operands))
        if equation.primitive is not GUARD:
            atoms.append(apply(flat, equation.primitive, operands))
        elif operands[0] >= 0:
            flat.checks.append(Check(operands[0], **equation.params))
    flat.outputs = [*map(to, program.outputs)]
    return flat


def _append(flat: Flat, primitive: Primitive, operands: tuple[Atom, ...]) -> Atom:
    masked = (flat.masks or primitive in MASKS) and _may_be_absent(flat, primitive, operands)
    return flat.append(primitive, operands, masked)


def write(flat: Flat, primitive: Primitive, operands: tuple[Atom, ...]) -> Atom:
    """Append an operation, unless its result is a constant or one of its operands."""
    aware = primitive in AWARE
    if aware or min(operands) < 0:
        if not aware and max(operands) < 0:
            numbers = [flat.constants[o] for o in operands]
            return flat.constants.atom(float(primitive.evaluate(*numbers)))
        same = _operand(flat, primitive, operands)
        if same is not None:
            return same
    return _append(flat, primitive, operands)


def _may_be_absent(flat: Flat, primitive: Primitive, operands: tuple[Atom, ...]) -> bool:
    if primitive is OR_ZERO:
        return False
    return primitive in MASKS or (all if primitive is PLUS else any)(map(flat.is_masked, operands))


def _operand(flat: Flat, primitive: Primitive, operands: tuple[Atom, ...]) -> Atom | None:
    """Return the operand, or the constant, that an operation always gives."""
    for place, constant in IDENTITIES.get(primitive.name, ()):
        if operands[place] < 0 and operands[place] == flat.constants.atom(constant):
            return operands[1 - place]
    if primitive in MASKS and operands[0] < 0:
        opens = (flat.constants[operands[0]] != 0.0) is (primitive is MASKS[0])
        return operands[1] if opens else None
    if primitive is OR_ZERO and not flat.is_masked(operands[0]):
        return operands[0]
    decides = {"logical_or": True, "logical_and": False}.get(primitive.name)
    for o in operands:
        if decides is not None and o < 0 and (flat.constants[o] != 0.0) is decides:
            return flat.constants.atom(float(decides))
    return None


def needed(flat: Flat) -> Flat:
    """Return the program without what neither results nor checks need."""
    first, operands = flat.inputs, flat.operands
    wanted = bytearray(first + len(operands))
    for atom in (*flat.outputs, *(c.atom for c in flat.checks)):
        if atom >= 0:
            wanted[atom] = 1
    for i in range(len(operands) - 1, -1, -1):
        if wanted[first + i]:
            for o in operands[i]:
                if o >= 0:
                    wanted[o] = 1
    made = Flat(first, flat.constants)
    places = [*range(first), *[0] * len(operands)]
    for i in compress(range(len(operands)), wanted[first:]):
        moved = tuple([places[o] if o >= 0 else o for o in operands[i]])
        places[first + i] = made.append(flat.primitives[i], moved, flat.masked[i])
    made.checks = [c._replace(atom=places[c.atom]) for c in flat.checks]
    made.outputs = [places[o] if o >= 0 else o for o in flat.outputs]
    return made
