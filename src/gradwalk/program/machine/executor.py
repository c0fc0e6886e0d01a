"""Run a program: in Python, the specification, or by the native machine."""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from typing import Any, Protocol

from ... import native
from ...core.primitive import Primitive
from ...ops import TABLE
from ...ops.masks import MASKS, OR_ZERO, PLUS
from ..program import GUARD, Program, answers, apply_plainly, evaluate
from ..recording.listing import Instruction

__all__ = ["Executor", "Failed", "PythonExecutor", "executor_of"]

MACHINE = {primitive.name: primitive for primitive in (PLUS, *MASKS, OR_ZERO)}
"""What the machine computes beside the operations of the table."""


class Executor(Protocol):
    """What runs a program of numbers."""

    def call(self, numbers: list[float]) -> list[float] | int:
        """Return the outputs for these inputs, or the index of the first guard that fails."""

    def instructions(self) -> list[Instruction]:
        """Return the instructions, for the listing."""


def executor_of(program: Program) -> Any:
    """Return what runs a program."""
    if program.avals is not None:
        return import_module(".plan", __package__).array_executor_of(program)
    if native.engine is None or not all(map(_has_kernel, program.table)):
        return PythonExecutor(program)
    names = tuple([None if p is GUARD else p.name for p in program.table])
    answers = tuple([params["answer"] for params in program.guards()])
    columns = program.op, program.first, program.atoms, program.absent
    consts = tuple(program.consts)
    return native.engine.compiled(program.inputs, consts, names, *columns, program.outputs, answers)


def _has_kernel(primitive: Primitive) -> bool:
    known = (TABLE.get(primitive.name), MACHINE.get(primitive.name), GUARD)
    return any(primitive is one for one in known)


class Failed(Exception):  # noqa: N818  (no error: it ends a run)
    """A guard has another answer than in the recorded run."""


class PythonExecutor:
    """The program in Python. An absent contribution is ``None``."""

    def __init__(self, program: Program) -> None:
        self.program: Program = program

    def call(self, numbers: list[Any]) -> list[Any] | int:
        """Return the outputs for these inputs, or the index of the first guard that fails."""
        program, asked = self.program, 0

        def apply(primitive: Primitive, args: list[Any], params: Mapping[str, Any]) -> object:
            nonlocal asked
            if primitive is GUARD:
                if not answers(args[0], params["answer"]):
                    raise Failed
                asked += 1
                return ()
            return apply_plainly(primitive, args, params)

        try:
            env = evaluate(program, numbers, apply)
        except Failed:
            return asked
        return [env[a] if a >= 0 else program.consts[~a] for a in program.outputs]

    def instructions(self) -> list[Instruction]:
        """Return the instructions, for the listing."""
        consts = self.program.consts
        return [
            Instruction(
                e.primitive.name,
                1,
                e.results[0],
                [consts[~a] if a < 0 else (a, 0) for a in e.operands],
            )
            for e in self.program
            if e.primitive is not GUARD
        ]
