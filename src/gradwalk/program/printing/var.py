"""`Var`, the carrier without a number: operations on it are recorded as a program."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any, ClassVar, Final, NamedTuple

from ...core.primitive import Primitive
from ...engine.operators import Operators
from ...errors import SilentDetachError
from ...ops import TABLE

__all__ = ["Atom", "Instruction", "Program", "Var", "trace"]

Atom = int | float
"""An operand of an instruction: the index of an earlier one, or a number."""


class Instruction(NamedTuple):
    """One application of a primitive; a parameter of the program has only a name."""

    primitive: Primitive | None
    args: tuple[Atom, ...]
    name: str = ""


class Program:
    """A straight-line program: instructions in order, equal ones written once, and its outputs."""

    def __init__(self, parameters: Sequence[str]) -> None:
        self.instructions: list[Instruction] = [Instruction(None, (), name) for name in parameters]
        self.outputs: list[Atom | None] = []
        self._known: dict[tuple[Any, ...], int] = {}

    def record(self, primitive: Primitive, args: Sequence[Any]) -> Var:
        """Return the variable that holds ``primitive(*args)``."""
        atoms = tuple(a.index if isinstance(a, Var) else float(a) for a in args)
        key = (primitive.name, *((type(a), str(a)) for a in atoms))
        if key not in self._known:
            self._known[key] = len(self.instructions)
            self.instructions.append(Instruction(primitive, atoms))
        return Var(self, self._known[key])

    def needed(self, *atoms: Atom | None) -> list[int]:
        """Return indices of the instructions that ``atoms`` depend on, in order."""
        wanted = {atom for atom in atoms if isinstance(atom, int)}
        for index in range(len(self.instructions) - 1, -1, -1):
            if index in wanted:
                wanted.update(a for a in self.instructions[index].args if isinstance(a, int))
        return sorted(wanted)

    def mask(self, atom: Atom | None) -> Instruction | None:
        """Return the instruction of ``atom`` if it is a mask."""
        instruction = self.instructions[atom] if isinstance(atom, int) else None
        is_mask = (
            instruction
            and instruction.primitive
            and instruction.primitive.name in ("pass_if", "mask_if")
        )
        return instruction if is_mask else None

    def pending(self, done: set[int], *atoms: Atom | None) -> Iterator[tuple[int, Instruction]]:
        """Return the instructions that ``atoms`` need and add them to ``done``."""
        for index in self.needed(*atoms):
            if self.instructions[index].primitive is not None and index not in done:
                done.add(index)
                yield index, self.instructions[index]


class Var(Operators):
    """An unknown number: every primitive applied to it becomes an instruction of its program."""

    __slots__ = ("index", "program")
    _records: ClassVar[bool] = False

    index: int
    program: Program

    def __init__(self, program: Program, index: int) -> None:
        self.program, self.index = program, index

    @classmethod
    def _apply(cls, primitive: Primitive, args: tuple[Any, ...]) -> Var:
        program = next(a.program for a in args if isinstance(a, Var))
        return program.record(primitive, args)

    __hash__: Final = Operators.__hash__

    def __eq__(self, other: object) -> Var:  # type: ignore[override]
        return self._apply(TABLE["equal"], (self, other))

    def __ne__(self, other: object) -> Var:  # type: ignore[override]
        return self._apply(TABLE["not_equal"], (self, other))

    def __lt__(self, other: object) -> Var:
        return self._apply(TABLE["less"], (self, other))

    def __le__(self, other: object) -> Var:
        return self._apply(TABLE["less_equal"], (self, other))

    def __gt__(self, other: object) -> Var:
        return self._apply(TABLE["greater"], (self, other))

    def __ge__(self, other: object) -> Var:
        return self._apply(TABLE["greater_equal"], (self, other))

    def __and__(self, other: object) -> Var:
        return self._apply(TABLE["logical_and"], (self, other))

    def __or__(self, other: object) -> Var:
        return self._apply(TABLE["logical_or"], (self, other))

    def __bool__(self) -> bool:
        raise SilentDetachError(
            where="bool(Var)",
            expected="a condition that is known now",
            got="a comparison of unknown numbers",
            fix="Choose with where(condition, a, b) instead of if.",
        )


def trace(f: Callable[..., Any], parameters: Sequence[str]) -> Program:
    """Trace ``f`` once on unknown numbers called ``parameters``, and return the program.

    >>> program = trace(lambda x: x * x + 1.0, ["x"])
    >>> [i.primitive.name for i in program.instructions if i.primitive]
    ['mul', 'add']
    """
    program = Program(parameters)
    result = f(*(Var(program, index) for index in range(len(parameters))))
    results = result if isinstance(result, tuple) else (result,)
    program.outputs = [r.index if isinstance(r, Var) else r for r in results]
    return program
