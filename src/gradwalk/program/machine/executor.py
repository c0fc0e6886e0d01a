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
from ..recording.programs import masked_operands

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
    first, names = program.first, [primitive.name for primitive in program.table]
    consts, inputs, start = program.consts, program.inputs, program.inputs + len(program.consts)
    # cells of the machine: inputs, constants, results
    cells = [
        inputs + ~a if a < 0 else a if a < inputs else a - inputs + start
        for a in (*program.atoms, *program.outputs)
    ]
    named, guards = [], list[int]()
    guard = program.table.index(GUARD) if GUARD in program.table else -1
    for k, op in enumerate(program.op):
        operands = cells[first[k] : first[k + 1]]
        if op == guard:
            guards += operands
        else:
            named.append((names[op], masked_operands(program, k), tuple(operands)))
    found = tuple([params["answer"] for params in program.params.values()])
    outputs = tuple(cells[len(program.atoms) :])
    return native.engine.compiled(inputs, tuple(consts), named, outputs, tuple(guards), found)


def _has_kernel(primitive: Primitive) -> bool:
    known = (TABLE.get(primitive.name), MACHINE.get(primitive.name), GUARD)
    return any(primitive is one for one in known)


class Failed(Exception):  # noqa: N818  (no error: it ends a run)
    """A guard has another answer than in the recorded run."""


class PythonExecutor:
    """The program in Python. An absent contribution is ``None``."""

    def __init__(self, program: Program) -> None:
        self.program = program

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
