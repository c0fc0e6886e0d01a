"""The operations of a chain, in the code of the machine for arrays."""

from __future__ import annotations

from math import lcm, prod
from typing import Any

from .array_executor import Step
from .chains import (
    COLUMNS,
    FAR,
    FULL,
    ROWS,
    SUM,
    SUM_COLUMNS,
    SUM_ROWS,
    Chain,
    access,
    read_by,
    shape_of,
)
from .forms import KERNELS, TYPES, Kernel, Sum
from .places import BLOCK, Place, Places, operation

__all__ = ["Writer"]


class Writer:
    """Writes the operations of one chain."""

    before: list[int]
    inside: list[int]
    chain: Chain
    local: set[int]
    counts: list[int]
    blocks: int

    def __init__(self, places: Places, chain: Chain, local: set[int]) -> None:
        self._places, self.chain, self.local = places, chain, local
        self.before: list[int] = []
        self.inside: list[int] = []
        self.counts = [0, 0]
        self._free: list[int] = []
        self.blocks = 0
        self._block_of: dict[Any, int] = {}
        self._last = {o: k for k, (_, step, form) in enumerate(chain.steps)
                      for o in map(self._root, read_by(step, form))}  # fmt: skip
        self._ending: dict[int, list[int]] = {}  # of a step: whose last reader it is
        for root in local:
            self._ending.setdefault(self._last.get(root, -1), []).append(root)
        self._length = self._best_length()

    def words(self) -> list[int]:
        """Return the code."""
        for k, (_, step, form) in enumerate(self.chain.steps):
            passing = list[int]()
            if isinstance(form, Sum):
                self._sum(step, form, passing)
            else:
                assert isinstance(form, Kernel)
                self._kernel(step, form, passing)
            for root in self._ending.get(k, ()):
                self._release(self._block_of.pop(root, None))
            for block in passing:
                self._release(block)
        size = len(self.before) + len(self.inside)
        head = [self.chain.numbers, self._length, *self.counts, size]
        return [*head, *self.before, *self.inside]

    def _root(self, cell: int) -> int:
        return self._places.spots[cell].root

    def _best_length(self) -> int:
        """Return a length of blocks at which short rows begin anew."""
        common = 1
        for _, step, form in self.chain.steps:
            shape = shape_of(step, form)
            for o in read_by(step, form):
                how = access(self._places.spots[o], shape) if self._is_given(o) else None
                if how and how.kind == ROWS and lcm(common, how.word) <= BLOCK:
                    common = lcm(common, how.word)
        return BLOCK // common * common

    def _is_given(self, cell: int) -> bool:
        return self._root(cell) not in self.local

    def _sum(self, step: Step, form: Sum, passing: list[int]) -> None:
        x = self._operand(step.operands[0], shape_of(step, form), passing)
        total = self._places.total(step)
        if prod(step.aval.shape) == 1:
            self._inside(operation(SUM, 0, total, x))
        elif form.period:
            self._inside(operation(SUM_ROWS, form.period, total, x))
        else:
            self._inside(operation(SUM_COLUMNS, form.times, total, x))

    def _kernel(self, step: Step, form: Kernel, passing: list[int]) -> None:
        shape, places = shape_of(step, form), []
        for o in form.operands:
            if type(o) is int:
                places.append(self._operand(step.operands[o], shape, passing))
            else:
                places.append(self._places.number(o))
        if step.out in self.local:
            block = self._block_of[step.out] = self._take()
            dtype: Any = step.aval.dtype
            out = (-1 - block, 0, TYPES[dtype])
        else:
            out = self._places.place(step.out, 0)
        self._inside(operation(KERNELS[form.name], 0, out, *places))

    def _operand(self, cell: int, shape: tuple[int, ...], passing: list[int]) -> Place:
        root = self._root(cell)
        if root in self._block_of:
            return (-1 - self._block_of[root], 0, 0)
        how = access(self._places.spots[cell], shape)
        place = self._places.place(cell, how.offset)
        if how.kind == FULL:
            return place
        early = how.kind == COLUMNS and how.word == FAR
        early = early or (how.kind == ROWS and self._length % how.word == 0)
        key = ("before", place, how)
        if early and key in self._block_of:
            return (-1 - self._block_of[key], 0, 0)
        block = self._new() if early else self._take()
        word = how.word or self._places.axes_at(how.axes)
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
        self.blocks += 1
        return self.blocks - 1

    def _release(self, block: int | None) -> None:
        if block is not None:
            self._free.append(block)
