"""Programs of numbers that grow: what is known is not written, and equal equations are one."""

from __future__ import annotations

from array import array
from collections import defaultdict
from collections.abc import Sequence
from copy import copy
from typing import Any, Final

import numpy as np

from ...core.primitive import Primitive
from ...engine.operators import Operators
from ...ops import TABLE
from ...ops.masks import MASKS, OR_ZERO, PLUS
from ..program import GUARD, Builder, Program
from ..recording.entries import IDENTITIES

__all__ = ["Atom", "Element", "Writer"]

Atom = int
"""A variable of a program, or ``~i`` for its constant ``i``."""

ADD, MUL, WHERE = TABLE["add"], TABLE["mul"], TABLE["where"]
AWARE = frozenset((*MASKS, PLUS, OR_ZERO))
DECIDES = {"logical_or": 1.0, "logical_and": 0.0}
"""The operand that makes an answer whatever the other one is."""


class Writer(Builder):
    """A builder of a program of numbers, which may be read while it grows: ``made``.

    ``absent`` has 1 for variables that a mask may let nothing through of.
    """

    made: Program
    absent: bytearray

    def __init__(self, inputs: int = 0, like: Writer | None = None) -> None:
        super().__init__()
        self.made = self._program
        self.absent = bytearray()
        self._masks = False
        if like is not None:  # so that atoms of constants are the same in both
            self.made.consts, self._constants = like.made.consts, like._constants
        # by primitive first: Python's garbage collector never looks at tuples of numbers again
        self._known: dict[Primitive, dict[tuple[Atom, ...], Atom]] = defaultdict(dict)
        for _ in range(inputs):
            self.input()

    def input(self, source: Any = None, name: str = "") -> Atom:
        """Return the variable of one more input."""
        self.absent.append(0)
        return super().input(source, name)

    def number(self, atom: Atom) -> float | None:
        """Return the number of a constant; ``None`` for a variable."""
        return self.made.consts[~atom] if atom < 0 else None

    def may_be_absent(self, atom: Atom) -> bool:
        """Return whether a mask may let nothing through of an operand."""
        return atom >= 0 and self.absent[atom] == 1

    def apply(self, primitive: Primitive, operands: tuple[Atom, ...]) -> Atom:
        """Return the result of a primitive: a new variable, or one that there is, or a constant."""
        known = self._known[primitive]
        found = known.get(operands)
        if found is None:
            found = known[operands] = self._write(primitive, operands)
        return found

    def _write(self, primitive: Primitive, operands: tuple[Atom, ...]) -> Atom:
        aware = primitive in AWARE
        if aware or min(operands) < 0:
            if not aware and max(operands) < 0:
                numbers = [self.made.consts[~o] for o in operands]
                return self.constant(float(primitive.evaluate(*numbers)))
            same = self._simpler(primitive, operands)
            if same is not None:
                return same
        found = self.add(primitive, operands)
        masked = (self._masks or aware) and self._is_masked(primitive, operands)
        self.absent.append(masked)
        self._masks = self._masks or masked
        return found

    def _is_masked(self, primitive: Primitive, operands: tuple[Atom, ...]) -> bool:
        if primitive is OR_ZERO:
            return False
        some = (all if primitive is PLUS else any)(map(self.may_be_absent, operands))
        return primitive in MASKS or some

    def _simpler(self, primitive: Primitive, operands: tuple[Atom, ...]) -> Atom | None:
        """Return the operand, or the constant, that an operation always gives."""
        name, numbers = primitive.name, [*map(self.number, operands)]
        for place, constant in IDENTITIES.get(name, ()):
            x = numbers[place]
            if x == constant and str(x) == str(constant):  # not -0.0 for 0.0
                return operands[1 - place]
        if primitive in MASKS and numbers[0] is not None:
            return operands[1] if (numbers[0] != 0.0) is (primitive is MASKS[0]) else None
        if primitive is OR_ZERO and not self.may_be_absent(operands[0]):
            return operands[0]
        if primitive is WHERE and numbers[0] is not None:
            return operands[1 if numbers[0] else 2]
        decides = DECIDES.get(name)
        if decides is not None and any(x is not None and (x != 0.0) == decides for x in numbers):
            return self.constant(decides)
        return None

    def guard(self, atom: Atom, answer: bool, line: str) -> None:
        """Write down that a variable has this answer; that of a constant is known."""
        if atom >= 0:
            self.add(GUARD, [atom], {"answer": answer, "line": line}, 0)

    def program(self, outputs: Sequence[Atom]) -> Program:
        """Return the program, without what neither its results nor its guards need."""
        self.made.absent = self.absent if self._masks else None
        return _pruned(super().program(outputs))


class Element(Operators):
    """A number of a program that is written: what is applied to it becomes an equation."""

    __slots__ = ("atom", "writer")

    def __init__(self, writer: Writer, atom: Atom) -> None:
        self.writer, self.atom = writer, atom

    def _apply(self, primitive: Primitive, args: Sequence[Any]) -> Any:  # type: ignore[override]
        writer = self.writer
        atoms = [a.atom if type(a) is Element else writer.constant(float(a)) for a in args]
        found = writer.apply(primitive, tuple(atoms))
        return Element(writer, found) if found >= 0 else writer.made.consts[~found]

    def __add__(self, other: Any) -> Any:
        return _joined(ADD, self, other)

    def __mul__(self, other: Any) -> Any:
        return _joined(MUL, self, other)

    @property
    def data(self) -> Element:
        """The number, through which no derivative passes: none is taken any more."""
        return self

    def __and__(self, other: Any) -> Any:
        return TABLE["logical_and"](self, other)

    def __or__(self, other: Any) -> Any:
        return TABLE["logical_or"](self, other)

    __rand__: Final = __and__
    __ror__: Final = __or__


def _joined(primitive: Primitive, a: Element, b: Any) -> Any:
    """Return ``a + b`` or ``a * b``, of which there are most, in half of the time."""
    if type(b) is not Element:
        return a._apply(primitive, (a, b))
    found = a.writer.apply(primitive, (a.atom, b.atom))
    return Element(a.writer, found) if found >= 0 else a.writer.made.consts[~found]


def _pruned(program: Program) -> Program:
    """Return a program of numbers without what neither its results nor its guards need."""
    first, atoms, count = program.first, program.atoms, len(program)
    outs = program.outs or range(program.inputs, program.inputs + count + 1)
    wanted = bytearray(program.variables)
    for a in program.outputs:
        if a >= 0:
            wanted[a] = 1
    kept = bytearray(count)
    for k in range(count - 1, -1, -1):
        if outs[k] == outs[k + 1] or wanted[outs[k]]:  # a guard, or what is needed
            kept[k] = 1
            for a in atoms[first[k] : first[k + 1]]:
                if a >= 0:
                    wanted[a] = 1
    return program if all(kept) else _part(program, np.frombuffer(kept, bool))


def _part(program: Program, kept: Any) -> Program:
    """Return a program of numbers with some of its equations."""
    inputs, sizes = program.inputs, np.diff(program.first)
    results = np.ones(len(program), int) if program.outs is None else np.diff(program.outs)
    there = np.append(np.ones(inputs, bool), np.repeat(kept, results))
    place = np.cumsum(there) - 1
    atoms = np.array([*program.atoms, *program.outputs], np.int64)
    atoms = np.where(atoms < 0, atoms, place[atoms])
    outputs = atoms[len(program.atoms) :]
    atoms = atoms[: len(program.atoms)][np.repeat(kept, sizes)]
    at = np.cumsum(kept) - 1
    made = copy(program)
    made.op = array("H", np.array(program.op)[kept].tobytes())
    made.first = _column(np.append(0, np.cumsum(sizes[kept])))
    made.atoms, made.outputs = _column(atoms), tuple(outputs.tolist())
    made.params = {int(at[k]): options for k, options in program.params.items() if kept[k]}
    if program.outs is not None:
        made.outs = _column(inputs + np.append(0, np.cumsum(results[kept])))
    if program.absent is not None:
        made.absent = bytearray(np.frombuffer(program.absent, np.uint8)[there].tobytes())
    return made


def _column(numbers: Any) -> array[int]:
    return array("i", numbers.astype(np.intc).tobytes())
