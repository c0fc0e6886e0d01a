"""Plans: which array each step of a program writes into, and what the machine computes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from math import prod
from typing import Any, NamedTuple

import numpy as np

from ...core.numeric import Array
from ...ops.array import indexing, structure
from ...ops.array.evaluation import function_of
from ..program import Aval, Program
from .array_executor import Step, aval_of, run_step
from .chains import Chain, Spot, chains_of
from .code import Code
from .forms import Form, Kernel, Pieces, form_of, is_basic, part_of
from .lives import Lives
from .writers import writer_of

__all__ = ["Call", "Plan", "Planner"]

VIEWS = {structure.reshape, structure.permute_dims, structure.broadcast_to, indexing.take}
VIEWS |= {structure.flip, structure.unstack, structure.split}
"""Primitives whose result may be a view of their operand, or several."""


class Call(NamedTuple):
    """What a step does: ``f(*operands, out)`` into the cell ``to``; a guard has no ``f``.

    Of several results ``to`` is a slice of cells.

    The machine has no operands: it takes the list of cells.
    """

    f: Any
    operands: Any
    to: Any
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

    lives: Lives
    known: set[int]
    plan: Plan

    def __init__(
        self, program: Program, steps: Sequence[Step], outputs: Sequence[int], lives: Lives
    ) -> None:
        self.lives = lives
        self.cells: list[Any] = [None] * program.variables + program.consts
        self.known = set(range(program.variables, len(self.cells)))
        self.rooms: dict[int, Array] = {}
        self.idle: dict[Any, list[Array]] = {}
        self.calls: list[Call] = []
        self.made: list[tuple[int, Any, Any]] = []  # results that the machine writes
        self.lazy: dict[int, Step] = {}
        self.pending: list[tuple[int, Step, Form]] = []
        self.spots: dict[int, Spot] = {}
        avals: list[Any] = program.avals or []
        arrays = [*avals, *map(aval_of, program.consts)]
        sizes = [prod(a.shape) * a.dtype.itemsize for a in arrays if isinstance(a, Aval)]
        self._land = np.empty(max(sizes, default=0) + 64, np.uint8)
        self._start = self._land.ctypes.data
        self._views = dict[Aval, Array]()
        for cell in (*range(program.inputs), *range(program.variables, len(arrays))):
            self._settle(cell, arrays[cell])
        for k, step in enumerate(steps):
            self._add(k, step)
        self._flush()
        for cell in outputs:
            self._make(cell)
        self.plan = Plan(self.cells, self.calls, self.made)

    def _settle(self, cell: int, aval: Any) -> None:
        """Note that a cell has memory of its own."""
        if isinstance(aval, Aval):
            view = self._views.get(aval)
            if view is None:
                view = self._views[aval] = np.ndarray(aval.shape, aval.dtype, self._land.data)
            self.spots[cell] = Spot(cell, view, self._start, True)

    def _add(self, k: int, step: Step) -> None:
        if step.primitive is not None and self._shows(step):
            self.lazy |= dict.fromkeys(step.outs, step)
        elif (form := form_of(step)) and all(o in self.spots for o in _arrays_of(step)):
            self._settle(step.out, step.aval)
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
        self._settle(step.out, step.aval)
        writer = writer_of(step)
        if writer is None or step.out in self.lives.kept:
            self.calls.append(Call(_maker(step), step.operands, _target(step), None))
            return
        room = self._take(step)
        f, operands = writer(room)
        cells = tuple([o if type(o) is int else self._constant(o) for o in operands])
        self.calls.append(Call(f, cells, step.out, room))

    def _take(self, step: Step) -> Array:
        """Give a step memory that nothing else uses until it ends."""
        room = self.cells[step.out] = self.rooms[step.out] = self._room(step.aval)
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
                    entry: Any = step.aval
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
        y = _view(step, source.view)
        results = y if type(y) is tuple else (y,)
        for x in results:
            if not isinstance(x, np.ndarray) or not np.may_share_memory(x, self._land):
                return False
        for out, x in zip(step.outs, results, strict=True):
            self.spots[out] = Spot(source.root, x, source.start)
        return True

    def _make(self, cell: int) -> None:
        """Make a view that something in Python reads, and those that it is a view of."""
        chain = []
        while cell in self.lazy:
            chain.append(self.lazy[cell])
            for out in chain[-1].outs:
                del self.lazy[out]
            cell = chain[-1].operands[0]
        for step in reversed(chain):
            (source,) = step.operands
            if source in self.known:
                y = _view(step, self.cells[source])
                for out, x in zip(step.outs, y if step.results > 1 else (y,), strict=True):
                    self.cells[out] = x
                self.known.update(step.outs)
            else:
                self.calls.append(Call(_maker(step), step.operands, _target(step), None))


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
    pairs = zip(step.operands, step.given, strict=True)
    return [cell for cell, o in pairs if isinstance(o, Aval)]


def _target(step: Step) -> Any:
    """Return where a call puts its result, or its results."""
    return step.out if step.results == 1 else slice(step.out, step.out + step.results)


def _maker(step: Step) -> Callable[..., Any]:
    """Return the function of a step that makes its result."""
    if step.results == 1 and step.aval is None:
        return lambda *args: run_step(step, list(args))
    assert step.primitive is not None
    f = function_of(step.primitive)
    f = partial(f, **step.options) if step.options else f
    if step.results == 1 and getattr(step.primitive, "outputs", 1) > 1:  # one of several, alone
        return lambda *args: y[0] if type(y := f(*args)) is tuple else y
    return f
