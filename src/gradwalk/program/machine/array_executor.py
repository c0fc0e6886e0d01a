"""Run a recorded program on arrays in Python, one primitive after the other: the specification."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from ...core.primitive import Primitive
from ...ops.array.evaluation import function_of
from ..recording.array_recorder import ArrayEntry, same_bits
from ..recording.entries import Entry, Guard
from ..recording.recorder import Recorder
from .executor import evaluate, masked_operands, needed

__all__ = ["ArrayProgram", "PythonArrayExecutor", "Step", "answers", "own", "run_step"]


class Step(NamedTuple):
    """An operation that fills the cell ``out``, or a question of a guard, which has no primitive.

    ``masked`` has a bit for each number among the operands that may be absent.
    """

    primitive: Primitive | None
    operands: tuple[int, ...]
    out: int
    options: dict[str, Any]
    masked: int
    entry: Entry


class ArrayProgram:
    """The operations and questions that results need, in their order, on numbered cells.

    Cells have the inputs first, then the constants, then the results of the operations.
    """

    inputs: int
    outputs: tuple[int, ...]

    def __init__(
        self, inputs: Sequence[Entry], recorder: Recorder, outputs: Sequence[Entry]
    ) -> None:
        self.guards: list[Guard] = recorder.guards
        ends = [*outputs, *(guard.entry for guard in self.guards)]
        kept = needed(recorder.entries, ends)
        self.inputs = len(inputs)
        self.cells: dict[Any, int] = {entry: i for i, entry in enumerate(inputs)}
        self.constants: list[Any] = []
        for x in (*(o for entry in kept for o in entry.operands), *ends):
            self._add_constant(x)
        self.steps: list[Step] = []
        self._add_steps(recorder.entries, set(kept))
        self.outputs = tuple([self.cells[_name(entry)] for entry in outputs])

    def _add_constant(self, x: Any) -> None:
        if _name(x) in self.cells or not is_constant(x):
            return
        self.cells[_name(x)] = len(self.cells)
        self.constants.append(x.constant if isinstance(x, ArrayEntry) else x)

    def _add_steps(self, entries: Sequence[Entry], kept: set[Entry]) -> None:
        """Add the operations that are kept, and each question after what was computed before it."""
        asked = 0
        for position, entry in enumerate([*entries, None]):
            while asked < len(self.guards) and self.guards[asked].position <= position:
                self._add_question(asked)
                asked += 1
            if entry is not None and entry in kept:
                self._add_operation(entry)

    def _add_question(self, index: int) -> None:
        entry = self.guards[index].entry
        self.steps.append(Step(None, (self.cells[_name(entry)],), index, {}, 0, entry))

    def _add_operation(self, entry: Entry) -> None:
        operands = tuple([self.cells[_name(o)] for o in entry.operands])
        options = entry.options if isinstance(entry, ArrayEntry) else {}
        out = self.cells[entry] = len(self.cells)
        self.steps.append(
            Step(entry.primitive, operands, out, options, masked_operands(entry), entry)
        )


def is_constant(x: Any) -> bool:
    """Return whether an operand is the same in every run."""
    return not isinstance(x, Entry) or (isinstance(x, ArrayEntry) and x.constant is not None)


def _name(x: Any) -> Any:
    """Return what an operand is called among the cells: 1, 1.0 and True are different."""
    return x if isinstance(x, Entry) else (type(x), x.hex() if isinstance(x, float) else x)


def answers(value: Any, answer: Any) -> bool:
    """Return whether a question has the answer that it had in the recorded run."""
    return same_bits(value, answer) if isinstance(answer, np.ndarray) else bool(value) is answer


class PythonArrayExecutor:
    """The program in Python: each step applies its primitive to what is in its cells."""

    def __init__(self, program: ArrayProgram) -> None:
        self.program = program

    def call(self, numbers: list[Any]) -> list[Any] | int:
        """Return the outputs for these inputs, or the index of the first guard that fails."""
        program = self.program
        cells: list[Any] = [*numbers, *program.constants]
        with np.errstate(all="ignore"):
            for step in program.steps:
                if step.primitive is not None:
                    cells.append(run_step(step, [cells[o] for o in step.operands]))
                elif not answers(cells[step.operands[0]], program.guards[step.out].answer):
                    return step.out
        return [own(cells[o]) for o in program.outputs]

    def listing(self) -> str:
        """Return one line per operation."""
        steps = [step for step in self.program.steps if step.primitive is not None]
        return "\n".join([f"{len(steps):,} operations on arrays", *map(_line, steps)])


def _line(step: Step) -> str:
    entry: Any = step.entry
    primitive = step.primitive
    assert primitive is not None
    operands = " ".join(f"c{o}" for o in step.operands)
    size = f"{entry.dtype}{list(entry.shape)}" if getattr(entry, "shape", None) is not None else ""
    return f"c{step.out}  {primitive.name}  {operands}  {size}".rstrip()


def run_step(step: Step, args: list[Any]) -> Any:
    """Return the result of a step on numbers and arrays."""
    primitive = step.primitive
    assert primitive is not None
    if not isinstance(step.entry, ArrayEntry):
        if any(step.masked >> k & 1 and a is None for k, a in enumerate(args)):
            return None
        return evaluate(primitive, [a if a is None else float(a) for a in args])
    y = function_of(primitive)(*args, **step.options)
    return y if type(y) is tuple else np.asarray(y)


def own(y: Any) -> Any:
    """Return a result in memory of its own."""
    return y.copy() if isinstance(y, np.ndarray) else y
