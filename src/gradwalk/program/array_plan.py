"""Run a recorded program on arrays quickly: into memory that is planned once.

A step whose function can write into a given array gets one of a plan's own, which is used again as
soon as its numbers are dead. Views of such arrays are made once. A call takes a plan, or makes one
if other threads have taken all. Results are in memory of their own.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from ..core.numeric import Array
from ..ops.array import indexing, structure
from ..ops.array.evaluation import function_of
from .array_executor import ArrayProgram, PythonArrayExecutor, Step, answers, own, run_step
from .array_recorder import ArrayEntry
from .array_writers import is_fresh, writer_of

__all__ = ["PlannedExecutor"]

VIEWS = {structure.reshape, structure.permute_dims, structure.broadcast_to, indexing.take}
"""Primitives whose result may be a view of their operand."""


class Call(NamedTuple):
    """What a step does: ``f(*operands, out)`` into the cell ``to``; a guard has no ``f``."""

    f: Any
    operands: tuple[int, ...]
    to: int
    out: Any


class Plan(NamedTuple):
    """The memory of one call, and what is called on it."""

    cells: list[Any]
    calls: list[Call]


class PlannedExecutor(PythonArrayExecutor):
    """The program with memory that was planned."""

    def __init__(self, program: ArrayProgram) -> None:
        super().__init__(program)
        self._lives = Lives(program)
        self._idle: list[Plan] = []

    def call(self, numbers: list[Any]) -> list[Any] | int:
        """Return the outputs for these inputs, or the index of the first guard that fails."""
        try:
            plan = self._idle.pop()
        except IndexError:  # none yet, or other threads run them all
            plan = Planner(self.program, self._lives).plan
        cells = plan.cells.copy()  # what is computed here alone is freed at the end of the call
        cells[: len(numbers)] = numbers
        with np.errstate(all="ignore"):
            failed = self._run(cells, plan.calls)
        if failed is None:
            pairs = zip(self.program.outputs, self._lives.fresh, strict=True)
            found = [np.asarray(cells[o]) if new else own(cells[o]) for o, new in pairs]
        self._idle.append(plan)  # not after an error, which may have left it anyhow
        return found if failed is None else failed

    def _run(self, cells: list[Any], calls: list[Call]) -> int | None:
        """Run all steps; return the index of a guard that fails."""
        for f, operands, to, out in calls:
            if out is not None:
                if len(operands) == 2:
                    a, b = operands
                    f(cells[a], cells[b], out)
                else:
                    f(*[cells[o] for o in operands], out)
            elif f is not None:
                cells[to] = f(*[cells[o] for o in operands])
            elif not answers(cells[operands[0]], self.program.guards[to].answer):
                return to
        return None


class Lives:
    """Which cells may lie in which memory, and the last step that reads each memory.

    ``roots``  of a cell: the cells whose memory it may show
    ``ends``   of such a cell: the last step that reads it, or a view of it
    ``fresh``  of an output: whether nothing else shows its memory
    """

    kept: set[int]
    fresh: list[bool]

    def __init__(self, program: ArrayProgram) -> None:
        self.roots: dict[int, frozenset[int]] = {}
        self.ends: dict[int, int] = {}
        for k, step in enumerate(program.steps):
            read = frozenset[int]().union(*map(self._roots_of, step.operands))
            self.ends.update(dict.fromkeys(read, k))
            if step.primitive is not None:
                self.roots[step.out] = frozenset({step.out}) if is_fresh(step) else read
                self.ends.setdefault(step.out, k)
        shown = [root for o in program.outputs for root in self._roots_of(o)]
        self.kept = set(shown)
        made = {s.out for s in program.steps if s.primitive is not None and is_fresh(s)}
        self.fresh = [o in made and shown.count(o) == 1 for o in program.outputs]

    def _roots_of(self, cell: int) -> frozenset[int]:
        return self.roots.get(cell, frozenset({cell}))


class Planner:
    """Makes a plan: which array each step writes into."""

    program: ArrayProgram
    lives: Lives
    known: set[int]
    plan: Plan

    def __init__(self, program: ArrayProgram, lives: Lives) -> None:
        self.program, self.lives = program, lives
        size = program.inputs + len(program.constants) + len(program.steps)
        self.cells: list[Any] = [None] * program.inputs + program.constants
        self.cells += [None] * (size - len(self.cells))
        self.known = set(range(program.inputs, program.inputs + len(program.constants)))
        self.rooms: dict[int, Array] = {}
        self.idle: dict[Any, list[Array]] = {}
        self.calls: list[Call] = []
        for k, step in enumerate(program.steps):
            self._add(step)
            for cell in [c for c in self.rooms if lives.ends[c] <= k]:
                room = self.rooms.pop(cell)
                self.idle.setdefault((room.shape, room.dtype), []).append(room)
        self.plan = Plan(self.cells, self.calls)

    def _add(self, step: Step) -> None:
        if step.primitive is None:
            self.calls.append(Call(None, step.operands, step.out, None))
            return
        if step.primitive in VIEWS and set(step.operands) <= self.known and self._shows(step):
            return
        writer = writer_of(step)
        if writer is None or step.out in self.lives.kept:
            self.calls.append(Call(_maker(step), step.operands, step.out, None))
            return
        room = self.cells[step.out] = self.rooms[step.out] = self._room(step.entry)
        self.known.add(step.out)
        f, operands = writer(room)
        cells = tuple([o if type(o) is int else self._constant(o) for o in operands])
        self.calls.append(Call(f, cells, step.out, room))

    def _room(self, entry: Any) -> Array:
        idle = self.idle.get((entry.shape, entry.dtype))
        return idle.pop() if idle else np.empty(entry.shape, entry.dtype)

    def _constant(self, array: Array) -> int:
        self.cells.append(array)
        return len(self.cells) - 1

    def _shows(self, step: Step) -> bool:
        """Make a view of known memory, if it is one; it needs no call then."""
        source = self.cells[step.operands[0]]
        if not isinstance(source, np.ndarray):
            return False
        y = run_step(step, [source])
        if not np.may_share_memory(y, source):
            return False
        self.cells[step.out] = y
        self.known.add(step.out)
        return True


def _maker(step: Step) -> Callable[..., Any]:
    """Return the function of a step that makes its result."""
    if not isinstance(step.entry, ArrayEntry):
        return lambda *args: run_step(step, list(args))
    assert step.primitive is not None
    f = function_of(step.primitive)
    return partial(f, **step.options) if step.options else f
