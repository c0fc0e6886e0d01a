"""The statements of a printed function in their order: operations, results, and checks."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain
from typing import Any, NamedTuple

import numpy as np

from ...core.primitive import Primitive
from .flat import Atom, Constants, Flat

__all__ = ["CHECK", "NOTHING", "Array", "Integers", "Steps", "keys_of", "last_reads", "steps_of"]

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
    constants: Constants
    primitives: list[Primitive]
    codes: Integers
    operands: Any  # steps, 3
    masked: Any
    results: Integers
    places: Integers
    checks: list[tuple[int, bool]]

    def __init__(self, flat: Flat) -> None:
        self.inputs, self.constants = flat.inputs, flat.constants
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


def steps_of(flat: Flat, results: Sequence[Array], lines: Sequence[str]) -> Steps:
    """Return the steps of a program.

    Numbers are stored as soon as they are there, unless a check may still fail.
    """
    steps = Steps(flat)
    codes: dict[Primitive, int] = {}
    numbers = [codes.setdefault(p, len(codes)) for p in flat.primitives]
    steps.primitives = list(codes)
    first, count = flat.inputs, len(numbers)
    extra = _extra(flat, results, lines, steps)
    position = np.array([row[0] for row in extra], np.int64)  # behind which operation
    order = np.argsort(position, kind="stable")
    rows = np.array([row[1:] for row in extra], np.int64).reshape(-1, 4)[order]
    position = position[order]
    here = np.arange(count) + np.searchsorted(position, np.arange(count))
    there = position + 1 + np.arange(len(extra))
    size = count + len(extra)
    moved = np.concatenate([np.arange(first), first + here])
    steps.codes = np.empty(size, np.int64)
    steps.codes[here], steps.codes[there] = numbers, rows[:, 0]
    steps.operands = np.full((size, 3), NOTHING, np.int64)
    steps.operands[here] = _matrix(flat.operands)
    steps.operands[there, 0] = rows[:, 1]
    atoms = steps.operands >= 0
    steps.operands[atoms] = moved[steps.operands[atoms]]
    steps.masked = np.zeros(size, bool)
    steps.masked[here] = flat.masked
    steps.results, steps.places = np.full(size, -1), np.full(size, -1)
    steps.results[there], steps.places[there] = rows[:, 2], rows[:, 3]
    return steps


def _extra(
    flat: Flat, results: Sequence[Array], lines: Sequence[str], steps: Steps
) -> list[tuple[int, int, int, int, int]]:
    """Return (operation before, code, atom, result or check, place) of checks and results."""
    last = len(flat.primitives) - 1
    extra = []
    for check in flat.checks:
        extra.append((check.atom - flat.inputs, CHECK, check.atom, len(steps.checks), 0))
        steps.checks.append((lines.index(check.line) + 1, check.answer))
    places = ((k, i) for k, result in enumerate(results) for i in range(result.size))
    for atom, (k, i) in zip(flat.outputs, places, strict=True):
        late = flat.checks or atom < flat.inputs
        extra.append((last if late else atom - flat.inputs, RESULT, atom, k, i))
    return extra


def _matrix(operands: Sequence[tuple[Atom, ...]]) -> Any:
    """Return operands in three columns."""
    count = np.fromiter(map(len, operands), np.int64, len(operands))
    made = np.full((len(operands), 3), NOTHING, np.int64)
    flat = np.fromiter(chain.from_iterable(operands), np.int64, int(count.sum()))
    made[np.arange(3) < count[:, None]] = flat
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
