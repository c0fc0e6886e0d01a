"""Plans: which array each step of a program writes into, and what the machine computes."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from math import prod
from typing import Any, NamedTuple

import numpy as np

from ...core.numeric import Array
from ...ops.array import indexing, structure
from ...ops.array.evaluation import function_of
from ..recording.array_recorder import PART, ArrayEntry
from .array_executor import ArrayProgram, Step, run_step
from .chains import Chain, Spot, chains_of
from .code import Code
from .forms import Form, Kernel, Pieces, form_of, is_basic, part_of
from .lives import Lives
from .writers import writer_of

__all__ = ["Call", "Plan", "Planner"]

VIEWS = {structure.reshape, structure.permute_dims, structure.broadcast_to, indexing.take}
VIEWS |= {structure.flip, structure.unstack, structure.split, PART}
"""Primitives whose result may be a view of their operand, or several."""


class Call(NamedTuple):
    """What a step does: ``f(*operands, out)`` into the cell ``to``; a guard has no ``f``.

    The machine has no operands: it takes the list of cells.
    """

    f: Any
    operands: Any
    to: int
    out: Any


class Plan(NamedTuple):
    """The memory of one call, and what is called on it."""

    cells: list[Any]
    calls: list[Call]
    made: list[tuple[int, Any, Any]]
    """Results that the machine writes into new memory: cell, shape and dtype."""


class Planner:
    """Makes a plan: which array each step writes into, and which steps the machine computes.

    Views are made when something in Python reads them: of known memory once, of other memory in
    each call. ``lazy`` are those that are not made.
    """

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
        self.made: list[tuple[int, Any, Any]] = []  # results that the machine writes
        self.lazy: dict[int, Step] = {}
        self.pending: list[tuple[int, Step, Form]] = []
        self.spots: dict[int, Spot] = {}
        self._land = np.empty(_most_bytes(program), np.uint8)
        for cell, entry in self._given():
            self._settle(cell, entry)
        for k, step in enumerate(program.steps):
            self._add(k, step)
        self._flush()
        for cell in program.outputs:
            self._make(cell)
        self.plan = Plan(self.cells, self.calls, self.made)

    def _given(self) -> Iterator[tuple[int, Any]]:
        """Yield inputs and constants that are arrays."""
        for entry, cell in self.program.cells.items():
            if isinstance(entry, ArrayEntry) and entry.primitive is None:
                yield cell, entry

    def _settle(self, cell: int, entry: Any) -> None:
        """Note that a cell has memory of its own."""
        if isinstance(entry, ArrayEntry) and entry.shape is not None:
            view = np.ndarray(entry.shape, entry.dtype, self._land.data)
            self.spots[cell] = Spot(cell, view, self._land.ctypes.data)

    def _add(self, k: int, step: Step) -> None:
        if step.primitive is not None and self._shows(step):
            self.lazy[step.out] = step
        elif (form := form_of(step)) and all(o in self.spots for o in _arrays_of(step)):
            self._settle(step.out, step.entry)
            self.pending.append((k, step, form))
            return  # what ends here ends with the chain
        else:
            self._flush()
            for cell in step.operands:
                self._make(cell)
            self._call(step)
        if not self.pending:
            self._end(k)

    def _call(self, step: Step) -> None:
        """Add a call of a function of Python."""
        if step.primitive is None:
            self.calls.append(Call(None, step.operands, step.out, None))
            return
        self._settle(step.out, step.entry)
        writer = writer_of(step)
        if writer is None or step.out in self.lives.kept:
            self.calls.append(Call(_maker(step), step.operands, step.out, None))
            return
        room = self._take(step)
        f, operands = writer(room)
        cells = tuple([o if type(o) is int else self._constant(o) for o in operands])
        self.calls.append(Call(f, cells, step.out, room))

    def _take(self, step: Step) -> Array:
        """Give a step memory that nothing else uses until it ends."""
        room = self.cells[step.out] = self.rooms[step.out] = self._room(step.entry)
        self.known.add(step.out)
        return room

    def _room(self, entry: Any) -> Array:
        idle = self.idle.get((entry.shape, entry.dtype))
        return idle.pop() if idle else np.empty(entry.shape, entry.dtype)

    def _end(self, k: int) -> None:
        """Let others have the memory that no step after this one reads."""
        for cell in self.lives.ending.get(k, ()):
            if cell in self.rooms:
                room = self.rooms.pop(cell)
                self.idle.setdefault((room.shape, room.dtype), []).append(room)

    def _constant(self, array: Array) -> int:
        self.cells.append(array)
        return len(self.cells) - 1

    # --- the machine ------------------------------------------------------------------------------

    def _flush(self) -> None:
        """Add a call of the machine for the steps that wait for it."""
        if not self.pending:
            return
        steps, self.pending = self.pending, []
        memory = _Memory(self)
        code = Code(self.spots, memory)
        ended, last = steps[0][0], steps[-1][0]
        for chain in chains_of(steps, self.spots):
            local = self._local(chain)
            for _, step, _ in chain.steps:
                if step.out in self.lives.kept:
                    entry: Any = step.entry
                    self.made.append((step.out, entry.shape, entry.dtype))
                elif step.out not in local:
                    memory[step.out] = self._take(step)
            code.add(chain, local)
            for k in range(ended, chain.end + 1):
                self._end(k)
            ended = chain.end + 1
        assert ended == last + 1
        self.calls.append(Call(code.machine(), None, -1, None))

    def _local(self, chain: Chain) -> set[int]:
        """Return the results that nothing reads after the chain."""
        if isinstance(chain.steps[0][2], Pieces):
            return set()
        return {
            step.out
            for _, step, form in chain.steps
            if isinstance(form, Kernel)
            and step.out not in self.lives.kept
            and self.lives.ends[step.out] <= chain.end
        }

    # --- views ------------------------------------------------------------------------------------

    def _shows(self, step: Step) -> bool:
        """Return whether the result of a step is a view of its operand, and note of what."""
        if step.primitive not in VIEWS or step.operands[0] not in self.spots:
            return False
        source = self.spots[step.operands[0]]
        if type(source.view) is tuple and step.primitive is not PART:
            return False
        y = _view(step, source.view)
        first = y[0] if type(y) is tuple and y else y
        if not isinstance(first, np.ndarray) or not np.may_share_memory(first, self._land):
            return False
        self.spots[step.out] = Spot(source.root, y, source.start)
        return True

    def _make(self, cell: int) -> None:
        """Make a view that something in Python reads, and those that it is a view of."""
        chain = []
        while cell in self.lazy:
            chain.append(self.lazy.pop(cell))
            cell = chain[-1].operands[0]
        for step in reversed(chain):
            (source,) = step.operands
            if source in self.known:
                self.cells[step.out] = _view(step, self.cells[source])
                self.known.add(step.out)
            else:
                self.calls.append(Call(_maker(step), step.operands, step.out, None))


def _view(step: Step, source: Any) -> Any:
    """Return the view that a step shows of an array; of one element, too, it is no copy."""
    if step.primitive is not indexing.take:
        return run_step(step, [source])
    return part_of(step.options["key"])(source) if is_basic(step.options["key"]) else None


class _Memory(dict[int, Any]):
    """The arrays of cells that lie in the plan."""

    def __init__(self, planner: Planner) -> None:
        super().__init__()
        self._planner = planner

    def get(self, cell: int, default: Any = None) -> Any:
        """Return an array, which is contiguous; ``None`` for one that each call has anew."""
        if cell in self:
            return self[cell]
        known = cell in self._planner.known
        return np.ascontiguousarray(self._planner.cells[cell]) if known else default


def _arrays_of(step: Step) -> list[int]:
    pairs = zip(step.operands, step.entry.operands, strict=True)
    return [cell for cell, o in pairs if isinstance(o, ArrayEntry)]


def _most_bytes(program: ArrayProgram) -> int:
    """Return the bytes of the largest array of a program."""
    entries = [*program.cells, *(step.entry for step in program.steps)]
    arrays = [e for e in entries if isinstance(e, ArrayEntry) and e.shape is not None]
    return max([prod(e.shape) * e.dtype.itemsize for e in arrays], default=0) + 64


def _maker(step: Step) -> Callable[..., Any]:
    """Return the function of a step that makes its result."""
    if not isinstance(step.entry, ArrayEntry):
        return lambda *args: run_step(step, list(args))
    assert step.primitive is not None
    f = function_of(step.primitive)
    return partial(f, **step.options) if step.options else f
