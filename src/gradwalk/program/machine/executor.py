"""Run a recorded program of numbers: in Python, the specification, or by the native machine."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple, Protocol

from ... import native
from ...core.primitive import Primitive
from ...ops import TABLE
from ...ops.masks import MASKS, OR_ZERO, PLUS
from ..recording.entries import Entry
from ..recording.listing import Instruction
from ..recording.recorder import Recorder

__all__ = ["Executor", "PythonExecutor", "evaluate", "executor_of", "masked_operands", "needed"]

MACHINE = {primitive.name: primitive for primitive in (PLUS, *MASKS, OR_ZERO)}
"""What the machine computes beside the operations of the table."""


class Executor(Protocol):
    """A program of numbers."""

    def call(self, numbers: list[float]) -> list[float] | int:
        """Return the outputs for these inputs, or the index of the first guard that fails."""

    def instructions(self) -> list[Instruction]:
        """Return the instructions, for the listing."""


class Operation(NamedTuple):
    """An instruction of one lane; ``masked`` has a bit for each operand that may be absent."""

    primitive: Primitive
    masked: int
    operands: tuple[int, ...]


def executor_of(inputs: Sequence[Entry], recorder: Recorder, outputs: Sequence[Entry]) -> Executor:
    """Return what runs the recorded program, without what neither results nor guards need."""
    operations = needed(recorder.entries, [*outputs, *(guard.entry for guard in recorder.guards)])
    constants = {o.hex(): o for e in operations for o in e.operands if isinstance(o, float)}
    places: dict[Any, int] = {}
    for x in (*inputs, *constants, *operations):
        places[x] = len(places)
    program = (
        len(inputs),
        tuple(constants.values()),
        [_operation(entry, places) for entry in operations],
        tuple([places[entry] for entry in outputs]),
        tuple([places[guard.entry] for guard in recorder.guards]),
        tuple([guard.answer for guard in recorder.guards]),
    )
    if native.engine is None or any(not _has_kernel(e.primitive) for e in operations):
        return PythonExecutor(*program)
    inputs_, constants_, operations_, *rest = program
    named = [(o.primitive.name, o.masked, o.operands) for o in operations_]
    compiled: Executor = native.engine.compiled(inputs_, constants_, named, *rest)
    return compiled


def needed(entries: Sequence[Entry], ends: Sequence[Entry]) -> list[Entry]:
    """Return the entries that ``ends`` are computed from, in order."""
    needed = set(ends)
    for entry in reversed(entries):
        if entry in needed:
            needed.update(o for o in entry.operands if isinstance(o, Entry))
    return [entry for entry in entries if entry in needed]


def _operation(entry: Entry, places: dict[Any, int]) -> Operation:
    assert entry.primitive is not None
    operands = [places[o.hex() if isinstance(o, float) else o] for o in entry.operands]
    return Operation(entry.primitive, masked_operands(entry), tuple(operands))


def masked_operands(entry: Entry) -> int:
    """Return a bit for each operand that may be absent."""
    # a sum and the end of a transform look at absent operands themselves
    aware = entry.primitive in (PLUS, OR_ZERO)
    return sum(
        1 << k
        for k, o in enumerate(entry.operands)
        if not aware and isinstance(o, Entry) and o.masked
    )


def _has_kernel(primitive: Primitive | None) -> bool:
    return primitive is not None and primitive in (
        TABLE.get(primitive.name),
        MACHINE.get(primitive.name),
    )


class PythonExecutor:
    """The program in Python. An absent contribution is ``None``."""

    inputs: int
    constants: tuple[float, ...]
    operations: list[Operation]
    outputs: tuple[int, ...]
    guards: tuple[tuple[int, bool], ...]

    def __init__(
        self,
        inputs: int,
        constants: tuple[float, ...],
        operations: list[Operation],
        outputs: tuple[int, ...],
        guards: tuple[int, ...],
        answers: tuple[bool, ...],
    ) -> None:
        self.inputs, self.constants, self.operations = inputs, constants, operations
        self.outputs, self.guards = outputs, tuple(zip(guards, answers, strict=True))

    def call(self, numbers: list[float]) -> list[float] | int:
        """Return the outputs for these inputs, or the index of the first guard that fails."""
        cells: list[Any] = [*numbers, *self.constants]
        for primitive, masked, operands in self.operations:
            args = [cells[o] for o in operands]
            if any(masked >> k & 1 and a is None for k, a in enumerate(args)):
                cells.append(None)
            else:
                cells.append(evaluate(primitive, args))
        for index, (cell, answer) in enumerate(self.guards):
            if bool(cells[cell]) is not answer:
                return index
        return [cells[o] for o in self.outputs]

    def instructions(self) -> list[Instruction]:
        """Return the instructions, for the listing."""
        first = self.inputs + len(self.constants)
        return [
            Instruction(o.primitive.name, 1, first + i, [(operand, 0) for operand in o.operands])
            for i, o in enumerate(self.operations)
        ]


def _plus(a: float | None, b: float | None) -> float | None:
    return b if a is None else a if b is None else a + b


_ON_NUMBERS: dict[Primitive, Callable[..., Any]] = {
    PLUS: _plus,
    MASKS[0]: lambda condition, t: t if condition else None,
    MASKS[1]: lambda condition, t: None if condition else t,
    OR_ZERO: lambda t: 0.0 if t is None else t,
}


def evaluate(primitive: Primitive, args: list[Any]) -> float | None:
    """Return the result of a primitive on numbers, ``None`` for one that is absent."""
    y = _ON_NUMBERS.get(primitive, primitive.evaluate)(*args)
    return y if y is None else float(y)
