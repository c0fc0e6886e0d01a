"""Code for the machine for arrays (``native/array_machine.h``): chains of steps, block by block.

Steps of as many numbers each are a chain, unless one reads what another one of them has not yet
finished. What nothing reads after the chain has no memory but a block.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import lcm, prod
from typing import Any, NamedTuple

import numpy as np

from ..core.numeric import Array
from .array_executor import Step
from .array_forms import KERNELS, MACHINE, TYPES, Form, Kernel, Pieces, Sum

__all__ = ["Chain", "Code", "Spot", "chains_of"]

BLOCK = 512  # as in native/_vectors.c
FIXED = 4
MOVE, ROWS, COLUMNS, GATHER, SCATTER, SUM, SUM_ROWS, SUM_COLUMNS = range(
    len(KERNELS), len(KERNELS) + 8
)
FAR = 2**31 - 1
MOST_AXES = 8


class Spot(NamedTuple):
    """Where the numbers of a cell lie: in the memory of another one, the root, as a view shows.

    Views are of memory that stands for every root; it has no numbers.
    """

    root: int
    view: Any
    start: int
    """The address of the root."""


class Access(NamedTuple):
    """How the numbers of a view lie, in the order in which a chain goes through them."""

    kind: int
    word: int
    offset: int
    axes: tuple[int, ...] = ()


FULL = 0


def access(spot: Spot, shape: tuple[int, ...], write: bool = False) -> Access:
    """Return how to read a view, repeated to a shape, or to write it."""
    view = spot.view if write else np.broadcast_to(spot.view, shape)
    offset = view.__array_interface__["data"][0] - spot.start
    merged: list[tuple[int, int]] = []
    for n, step in zip(view.shape, view.strides, strict=True):
        if n == 1:
            continue
        if merged and merged[-1][1] == step * n:
            merged[-1] = (merged[-1][0] * n, step)
        else:
            merged.append((n, step))
    item, steps = view.itemsize, [step for _, step in merged]
    if not merged or steps == [item]:
        return Access(FULL, 0, offset)
    if not write and steps == [0]:
        return Access(COLUMNS, FAR, offset)
    if not write and steps == [0, item]:
        return Access(ROWS, merged[1][0], offset)
    if not write and steps == [item, 0]:
        return Access(COLUMNS, merged[1][0], offset)
    axes = (len(merged), *[n for n, _ in merged], *steps)
    return Access(SCATTER if write else GATHER, 0, offset, axes)


class Chain(NamedTuple):
    """Steps that a block goes through, of ``count`` numbers each; the last one is ``end``."""

    count: int
    shape: tuple[int, ...]
    steps: list[tuple[int, Step, Form]]

    @property
    def end(self) -> int:
        """The position of the last step in the program."""
        return self.steps[-1][0]


def _shape(step: Step, form: Form) -> tuple[int, ...]:
    """Return the shape that a chain with a step goes through."""
    entry: Any = step.entry
    return tuple(entry.operands[0].shape if isinstance(form, Sum) else entry.shape)


def chains_of(steps: Sequence[tuple[int, Step, Form]], spots: dict[int, Spot]) -> list[Chain]:
    """Return the steps in chains."""
    chains: list[Chain] = []
    made = dict[int, bool]()  # roots of the chain: whether they can be read number by number
    for position, step, form in steps:
        shape = _shape(step, form)
        count = prod(shape)
        alone = isinstance(form, Pieces)
        fits = bool(chains) and not alone and chains[-1].count == count and bool(made)
        if fits:
            for o in _read(step, form):
                root = spots[o].root
                if root in made:
                    fits &= made[root] and access(spots[o], shape)[:3] == (FULL, 0, 0)
        if not fits:
            chains.append(Chain(count, shape, []))
            made = {}
        chains[-1].steps.append((position, step, form))
        if not alone:
            made[step.out] = isinstance(form, Kernel)
    return chains


def _read(step: Step, form: Form) -> list[int]:
    """Return the cells that a step reads."""
    if isinstance(form, Kernel):
        return [step.operands[o] for o in form.operands if type(o) is int]
    return list(step.operands)


class Code:
    """The code of some chains, and the memory that it runs on."""

    def __init__(self, spots: dict[int, Spot], memory: dict[int, Any], contiguous: Any) -> None:
        self.spots, self.memory, self._contiguous = spots, memory, contiguous
        self.words: list[int] = []
        self.axes: list[int] = []
        self.slots: list[tuple[int, int, Any]] = []
        self.blocks = 1
        self.work = 0
        self._slot_of: dict[Any, int] = {}
        self._axes_at: dict[tuple[int, ...], int] = {}

    def machine(self) -> Any:
        """Return the function that runs the code on a list of cells."""
        words, axes = np.array(self.words, np.int32), np.array(self.axes, np.int64)
        return MACHINE(words, axes, self.blocks, self.slots, self._contiguous, self.work)

    def add(self, chain: Chain, local: set[int]) -> None:
        """Add a chain, in which some cells have no memory."""
        self.work += chain.count * len(chain.steps)
        (_, step, form), *rest = chain.steps
        if isinstance(form, Pieces):
            assert not rest
            self._add_pieces(step, form)
            return
        for _, step, form in chain.steps:
            if isinstance(form, Sum):
                self._add_zeros(step)
        Writer(self, chain, local).write()
        for _, step, form in chain.steps:
            if isinstance(form, Sum):
                self._add_total(step, form)

    # --- places -----------------------------------------------------------------------------------

    def slot(self, root: int) -> int:
        """Return the slot of a cell's memory."""
        if root not in self._slot_of:
            spot, array = self.spots[root], self.memory.get(root)
            self._slot_of[root] = len(self.slots)
            self.slots.append((-1 if array is not None else root, spot.view.nbytes, array))
        return self._slot_of[root]

    def number(self, number: float) -> tuple[int, int, int]:
        """Return the place of a block of one number."""
        key = (number, str(number))
        if key not in self._slot_of:
            self._slot_of[key] = len(self.slots)
            self.slots.append((-1, 8 * BLOCK, np.full(BLOCK, number)))
        return (self._slot_of[key], 0, FIXED)

    def own(self, key: Any, size: int) -> int:
        """Return the slot of an array of doubles that only the code uses."""
        if key not in self._slot_of:
            self._slot_of[key] = len(self.slots)
            self.slots.append((-1, 8 * size, np.zeros(size)))
        return self._slot_of[key]

    def place(self, cell: int, offset: int, fixed: int = 0) -> tuple[int, int, int]:
        """Return the place of a cell's numbers in its memory."""
        spot = self.spots[cell]
        return (self.slot(spot.root), offset, TYPES[spot.view.dtype] | fixed)

    def axes_at(self, axes: tuple[int, ...]) -> int:
        """Return where a list of axes stands."""
        if axes not in self._axes_at:
            self._axes_at[axes] = len(self.axes)
            self.axes += axes
        return self._axes_at[axes]

    # --- chains of their own ----------------------------------------------------------------------

    def chain(self, count: int, length: int, before: list[int], inside: list[int], *n: int) -> None:
        """Add the code of a chain, with the numbers of its operations."""
        self.words += [count, length, *n, len(before) + len(inside), *before, *inside]

    def _single(self, count: int, operation: list[int]) -> None:
        self.chain(count, BLOCK, [], operation, 0, 1)

    def _add_pieces(self, step: Step, form: Pieces) -> None:
        spot = self.spots[step.out]
        for source, part in form.pieces:
            target = Spot(spot.root, part(spot.view), spot.start)
            shape = target.view.shape
            if not prod(shape):
                continue
            to = access(target, shape, write=True)
            place = self.place(step.out, to.offset)
            self._copy(step, source, shape, to, place)

    def _copy(self, step: Step, source: Any, shape: Any, to: Access, place: Any) -> None:
        """Copy an operand, or a number, to a place."""
        body, count = list[int](), 1
        if type(source) is float:
            given = self.number(source)
        else:
            cell = step.operands[source]
            how = access(self.spots[cell], shape)
            given = self.place(cell, how.offset)
            if how.kind != FULL:
                word = how.word or self.axes_at(how.axes)
                body, count = operation(how.kind, word, (-1, 0, 0), given), 2
                given = (-1, 0, 0)
        if to.kind == FULL:
            body += operation(MOVE, 0, place, given)
        else:
            body += operation(SCATTER, self.axes_at(to.axes), place, given)
        self.chain(prod(shape), BLOCK, [], body, 0, count)

    def total(self, step: Step) -> tuple[int, int, int]:
        """Return the place where a sum is computed: its own, if it has doubles side by side."""
        entry: Any = step.entry
        if prod(entry.shape) > 1 and entry.dtype == np.float64:
            return self.place(step.out, 0)
        return (self.own(("total", step.out), max(2, prod(entry.shape))), 0, 0)

    def _add_zeros(self, step: Step) -> None:
        size = prod(step.entry.shape)  # type: ignore[attr-defined]
        self._single(
            2 if size == 1 else size, operation(MOVE, 0, self.total(step), self.number(0.0))
        )

    def _add_total(self, step: Step, form: Sum) -> None:
        total, out = self.total(step), self.place(step.out, 0)
        size = prod(step.entry.shape)  # type: ignore[attr-defined]
        if size == 1:
            rest = (total[0], 8, 0)
            self._single(1, operation(KERNELS["add"], 0, total, total, rest))
        if form.divisor > 1:
            divisor = self.number(float(form.divisor))
            self._single(size, operation(KERNELS["div"], 0, out, total, divisor))
        elif out != total:
            self._single(size, operation(MOVE, 0, out, total))


def operation(kind: int, word: int, *places: tuple[int, int, int]) -> list[int]:
    """Return the code of an operation: its result, then its operands."""
    return [kind, len(places) - 1, word, *[part for place in places for part in place]]


class Writer:
    """Writes the operations of one chain."""

    def __init__(self, code: Code, chain: Chain, local: set[int]) -> None:
        self.code, self.chain, self.local = code, chain, local
        self.before: list[int] = []
        self.inside: list[int] = []
        self.counts = [0, 0]
        self._free: list[int] = []
        self._used = 0
        self._block_of: dict[Any, int] = {}
        self._last = {o: k for k, (_, step, form) in enumerate(chain.steps)
                      for o in map(self._root, _read(step, form))}  # fmt: skip
        self._length = self._best_length()

    def write(self) -> None:
        """Write all of them."""
        for k, (_, step, form) in enumerate(self.chain.steps):
            passing = list[int]()
            if isinstance(form, Sum):
                self._sum(step, form, passing)
            else:
                assert isinstance(form, Kernel)
                self._kernel(step, form, passing)
            ended = [root for root in self.local if self._last.get(root, -1) == k]
            for root in ended:
                self._release(self._block_of.pop(root, None))
            for block in passing:
                self._release(block)
        code = self.code
        code.blocks = max(code.blocks, self._used)
        count = self.chain.count
        code.chain(count, self._length, self.before, self.inside, *self.counts)

    def _root(self, cell: int) -> int:
        return self.code.spots[cell].root

    def _best_length(self) -> int:
        """Return a length of blocks at which short rows begin anew."""
        common = 1
        for _, step, form in self.chain.steps:
            for o in _read(step, form):
                how = access(self.code.spots[o], self.chain.shape) if self._is_given(o) else None
                if how and how.kind == ROWS and lcm(common, how.word) <= BLOCK:
                    common = lcm(common, how.word)
        return BLOCK // common * common

    def _is_given(self, cell: int) -> bool:
        return self._root(cell) not in self.local

    def _sum(self, step: Step, form: Sum, passing: list[int]) -> None:
        x = self._operand(step.operands[0], passing)
        total = self.code.total(step)
        if prod(step.entry.shape) == 1:  # type: ignore[attr-defined]
            self._inside(operation(SUM, 0, total, x))
        elif form.period:
            self._inside(operation(SUM_ROWS, form.period, total, x))
        else:
            self._inside(operation(SUM_COLUMNS, form.times, total, x))

    def _kernel(self, step: Step, form: Kernel, passing: list[int]) -> None:
        places = [
            self.code.number(o) if type(o) is float else self._operand(step.operands[o], passing)  # type: ignore[index]
            for o in form.operands
        ]
        if step.out in self.local:
            block = self._block_of[step.out] = self._take()
            dtype: Any = step.entry.dtype  # type: ignore[attr-defined]
            out = (-1 - block, 0, TYPES[dtype])
        else:
            out = self.code.place(step.out, 0)
        self._inside(operation(KERNELS[form.name], 0, out, *places))

    def _operand(self, cell: int, passing: list[int]) -> tuple[int, int, int]:
        root = self._root(cell)
        if root in self._block_of:
            return (-1 - self._block_of[root], 0, 0)
        how = access(self.code.spots[cell], self.chain.shape)
        place = self.code.place(cell, how.offset)
        if how.kind == FULL:
            return place
        early = how.kind == COLUMNS and how.word == FAR
        early = early or (how.kind == ROWS and self._length % how.word == 0)
        key = ("before", place, how)
        if early and key in self._block_of:
            return (-1 - self._block_of[key], 0, 0)
        block = self._new() if early else self._take()
        word = how.word or self.code.axes_at(how.axes)
        spread = operation(how.kind, word, (-1 - block, 0, 0), place)
        if early:
            self._block_of[key] = block
            self.before += spread
            self.counts[0] += 1
        else:
            passing.append(block)
            self._inside(spread)
        return (-1 - block, 0, 0)

    def _inside(self, words: list[int]) -> None:
        self.inside += words
        self.counts[1] += 1

    def _take(self) -> int:
        return self._free.pop() if self._free else self._new()

    def _new(self) -> int:
        """Return a block that no operation of the chain has written to."""
        self._used += 1
        return self._used - 1

    def _release(self, block: int | None) -> None:
        if block is not None:
            self._free.append(block)
