"""Run a recorded program on arrays quickly: into memory that is planned once.

A step whose function can write into a given array gets one of a plan's own, which is used again as
soon as its numbers are dead. Views of such arrays are made once. A call takes a plan, or makes one
if other threads have taken all. Results are in memory of their own.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ... import native
from ..program import Program, answers
from .array_executor import PythonArrayExecutor, own
from .lives import Lives
from .planner import Call, Plan, Planner

__all__ = ["PlannedExecutor", "array_executor_of"]


def array_executor_of(program: Program) -> PythonArrayExecutor:
    """Return what runs a program on arrays: with memory that was planned, or the specification."""
    return PythonArrayExecutor(program) if native.engine is None else PlannedExecutor(program)


class PlannedExecutor(PythonArrayExecutor):
    """The program with memory that was planned."""

    def __init__(self, program: Program) -> None:
        super().__init__(program)
        self._lives = Lives(self.steps, self.outputs)
        self._idle: list[Plan] = [self._planned()]

    def _planned(self) -> Plan:
        return Planner(self.program, self.steps, self.outputs, self._lives).plan

    def call(self, numbers: list[Any]) -> list[Any] | int:
        """Return the outputs for these inputs, or the index of the first guard that fails."""
        try:
            plan = self._idle.pop()
        except IndexError:  # other threads run them all
            plan = self._planned()
        cells = plan.cells.copy()  # what is computed here alone is freed at the end of the call
        cells[: len(numbers)] = numbers
        for cell, shape, dtype in plan.made:
            cells[cell] = np.empty(shape, dtype)
        with np.errstate(all="ignore"):
            failed = self._run(cells, plan.calls)
        if failed is None:
            pairs = zip(self.outputs, self._lives.fresh, strict=True)
            found = [np.asarray(cells[o]) if new else own(cells[o]) for o, new in pairs]
        self._idle.append(plan)  # not after an error, which may have left it anyhow
        return found if failed is None else failed

    def _run(self, cells: list[Any], calls: list[Call]) -> int | None:
        """Run all steps; return the index of a guard that fails."""
        for f, operands, to, out in calls:
            if operands is None:
                f(cells)
            elif out is not None:
                if len(operands) == 2:
                    a, b = operands
                    f(cells[a], cells[b], out)
                else:
                    f(*[cells[o] for o in operands], out)
            elif f is not None:
                cells[to] = f(*[cells[o] for o in operands])
            elif not answers(cells[operands[0]], self.guards[to]):
                return to  # type: ignore[no-any-return]
        return None
