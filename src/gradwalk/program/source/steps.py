"""The statements of a printed function in their order: operations, results, and checks."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from ...core.primitive import Primitive
from ..program import GUARD, Program
from .writer import Atom

__all__ = ["CHECK", "NOTHING", "Array", "Integers", "Steps", "keys_of", "last_reads"]
__all__ += ["questions", "steps_of"]

Integers = np.ndarray[Any, np.dtype[np.int64]]
"""One axis of whole numbers."""

NOTHING = -(1 << 62)
"""In the place of an operand that a step does not have."""
RESULT, CHECK = -1, -2
"""In the place of the primitive of other steps."""


class Array(NamedTuple):
    """A parameter of the printed function: so many numbers, or one that is passed by value."""

    name: str
    size: int
    scalar: bool = False


class Steps:
    """Operations, numbers that are stored in a result, and checks, in columns.

    Atoms are inputs, then steps. ``codes`` are places in ``primitives``, or `RESULT`: ``results``
    and ``places`` tell which number of which result. Of a `CHECK` ``results`` has the place in
    ``checks``: the number to return, and the answer.
    """

    inputs: int
    consts: list[float]
    primitives: list[Primitive]
    codes: Integers
    operands: Any  # steps, 3
    masked: Any
    results: Integers
    places: Integers
    checks: list[tuple[int, bool]]

    def __init__(self, program: Program) -> None:
        self.inputs, self.consts = program.inputs, program.consts
        self.checks = []

    def __len__(self) -> int:
        return len(self.codes)

    def primitive(self, step: int) -> Primitive | None:
        """Return the primitive of an operation, ``None`` for other steps."""
        code = self.codes[step]
        return self.primitives[code] if code >= 0 else None

    def is_masked(self, atom: Atom) -> bool:
        """Return whether an operand may be absent."""
        return atom >= self.inputs and bool(self.masked[atom - self.inputs])


def questions(program: Program) -> list[tuple[Atom, bool, str]]:
    """Return the variables of a program that are asked, with their answers and lines."""
    if GUARD not in program.table:
        return []
    return [(e.operands[0], *e.params.values()) for e in program if e.primitive is GUARD]


def steps_of(program: Program, results: Sequence[Array], lines: Sequence[str]) -> Steps:
    """Return the steps of a program.

    Numbers are stored as soon as they are there, unless a check may still fail.
    """
    steps = Steps(program)
    op = np.array(program.op, np.int64)
    guard = program.table.index(GUARD) if GUARD in program.table else len(program.table)
    numbers = op[op != guard]  # its place has no code
    steps.primitives = [p for p in program.table if p is not GUARD]
    first, count = program.inputs, len(numbers)
    extra = _extra(program, results, lines, steps)
    position = np.array([row[0] for row in extra], np.int64)  # behind which operation
    order = np.argsort(position, kind="stable")
    rows = np.array([row[1:] for row in extra], np.int64).reshape(-1, 4)[order]
    position = position[order]
    here = np.arange(count) + np.searchsorted(position, np.arange(count))
    there = position + 1 + np.arange(len(extra))
    size = count + len(extra)
    moved = np.concatenate([np.arange(first), first + here])
    steps.codes = np.empty(size, np.int64)
    steps.codes[here], steps.codes[there] = numbers - (numbers > guard), rows[:, 0]
    steps.operands = np.full((size, 3), NOTHING, np.int64)
    steps.operands[here] = _matrix(program)[op != guard]
    steps.operands[there, 0] = rows[:, 1]
    atoms = steps.operands >= 0
    steps.operands[atoms] = moved[steps.operands[atoms]]
    steps.masked = np.zeros(size, bool)
    if program.absent is not None:
        steps.masked[here] = np.frombuffer(program.absent, bool)[first:]
    steps.results, steps.places = np.full(size, -1), np.full(size, -1)
    steps.results[there], steps.places[there] = rows[:, 2], rows[:, 3]
    return steps


def _extra(
    program: Program, results: Sequence[Array], lines: Sequence[str], steps: Steps
) -> list[tuple[int, int, int, int, int]]:
    """Return (operation before, code, atom, result or check, place) of checks and results."""
    first, extra = program.inputs, []
    for atom, answer, line in questions(program):
        extra.append((atom - first, CHECK, atom, len(steps.checks), 0))
        steps.checks.append((lines.index(line) + 1, answer))
    last = program.variables - first - 1
    places = ((k, i) for k, result in enumerate(results) for i in range(result.size))
    for atom, (k, i) in zip(program.outputs, places, strict=True):
        late = steps.checks or atom < first
        extra.append((last if late else atom - first, RESULT, atom, k, i))
    return extra


def _matrix(program: Program) -> Any:
    """Return operands in three columns."""
    sizes = np.diff(program.first)
    made = np.full((len(sizes), 3), NOTHING, np.int64)
    made[np.arange(3) < sizes[:, None]] = program.atoms
    return made


def keys_of(steps: Steps, arrays: Sequence[Array]) -> Integers:
    """Return a number for each step, alike for steps that one line of a loop can print."""
    array_of = np.repeat(np.arange(len(arrays)), [array.size for array in arrays])
    kinds = np.full(steps.operands.shape, 0)
    kinds[(steps.operands < 0) & (steps.operands != NOTHING)] = 1
    inputs = (steps.operands >= 0) & (steps.operands < steps.inputs)
    kinds[inputs] = 2 + array_of[steps.operands[inputs]]
    inner = steps.operands >= steps.inputs
    masked = steps.masked[steps.operands[inner] - steps.inputs]
    kinds[inner] = 2 + len(arrays) + masked
    keys = np.zeros(len(steps), np.int64)
    for column in (steps.codes + 2, steps.masked, *kinds.T, steps.results + 1):
        # numbered anew each time: the products of many columns would not fit
        keys = np.unique(keys * (int(column.max(initial=0)) + 1) + column, return_inverse=True)[1]
    return keys


def last_reads(steps: Steps) -> Integers:
    """Return for each step the last one that reads it, or itself."""
    last = np.arange(len(steps))
    for column in steps.operands.T:
        readers = np.flatnonzero(column >= steps.inputs)
        np.maximum.at(last, column[readers] - steps.inputs, readers)
    return last
