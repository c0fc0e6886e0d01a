"""The statements of a printed function in their order: operations, results, and checks."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from ...core.primitive import Primitive
from .flat import Atom, Flat

__all__ = ["Array", "Step", "keys_of", "last_reads", "steps_of"]


class Array(NamedTuple):
    """A parameter of the printed function: so many numbers, or one that is passed by value."""

    name: str
    size: int
    scalar: bool = False


class Step(NamedTuple):
    """A statement: an operation, or a number that is stored in a result, or a check.

    Atoms are inputs, then steps. ``target`` is (number of the result, index in it).
    """

    primitive: Primitive | None
    operands: tuple[Atom, ...]
    masked: bool = False
    target: tuple[int, int] | None = None
    check: tuple[int, bool] | None = None


def steps_of(flat: Flat, results: Sequence[Array], lines: Sequence[str]) -> list[Step]:
    """Return the steps of a program.

    Numbers are stored as soon as they are there, unless a check may still fail.
    """
    targets: dict[Atom, list[tuple[int, int]]] = {}
    late: list[tuple[Atom, tuple[int, int]]] = []
    places = ((k, i) for k, result in enumerate(results) for i in range(result.size))
    for atom, place in zip(flat.outputs, places, strict=True):
        if flat.checks or isinstance(atom, float) or atom < flat.inputs:
            late.append((atom, place))
        else:
            targets.setdefault(atom, []).append(place)
    checks = {c.atom: (lines.index(c.line) + 1, c.answer) for c in flat.checks}
    steps: list[Step] = []
    moved: dict[Atom, int] = {i: i for i in range(flat.inputs)}
    for i, (primitive, operands, masked) in enumerate(flat.operations):
        atom = flat.inputs + i
        here = moved[atom] = flat.inputs + len(steps)
        read = tuple([o if type(o) is float else moved[o] for o in operands])
        steps.append(Step(primitive, read, masked))
        if atom in checks:
            steps.append(Step(None, (here,), check=checks[atom]))
        steps += [Step(None, (here,), target=target) for target in targets.get(atom, ())]
    return steps + [
        Step(None, (a if isinstance(a, float) else moved[a],), target=target) for a, target in late
    ]


def keys_of(steps: Sequence[Step], inputs: int, arrays: Sequence[Array]) -> list[int]:
    """Return a number for each step, alike for steps that one line of a loop can print."""
    array_of = [k for k, array in enumerate(arrays) for _ in range(array.size)]
    numbers: dict[object, int] = {}

    def kind(atom: Atom) -> object:
        if isinstance(atom, float):
            return "constant"
        return ("input", array_of[atom]) if atom < inputs else steps[atom - inputs].masked

    keys = []
    for s in steps:
        kinds = tuple(map(kind, s.operands))
        key = (s.primitive and s.primitive.name, s.masked, kinds, s.target and s.target[0], s.check)
        keys.append(numbers.setdefault(key, len(numbers)))
    return keys


def last_reads(steps: Sequence[Step], inputs: int) -> list[int]:
    """Return for each step the last one that reads it, or itself."""
    last = list(range(len(steps)))
    for i, step in enumerate(steps):
        for atom in step.operands:
            if isinstance(atom, int) and atom >= inputs:
                last[atom - inputs] = i
    return last
