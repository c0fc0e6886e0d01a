"""Where the machine for arrays finds numbers: slots of memory, and places in them."""

from __future__ import annotations

from math import prod
from typing import Any, TypeAlias

import numpy as np

from .array_executor import Step
from .chains import Spot
from .forms import MACHINE, TYPES

__all__ = ["BLOCK", "Place", "Places", "operation"]

BLOCK = 512  # as in native/_vectors.c
FIXED = 4

Place: TypeAlias = tuple[int, int, int]
"""A slot, or a block below 0; an offset in bytes; a type."""


def operation(kind: int, word: int, *places: Place) -> list[int]:
    """Return the code of an operation: its result, then its operands."""
    return [kind, len(places) - 1, word, *[part for place in places for part in place]]


class Places:
    """The memory of some code: arrays of the plan, cells of the caller, and what is its own."""

    spots: dict[int, Spot]
    memory: dict[int, Any]

    def __init__(self, spots: dict[int, Spot], memory: dict[int, Any]) -> None:
        self.spots, self.memory = spots, memory
        self.axes: list[int] = []
        self.slots: list[tuple[int, int, Any]] = []
        self._slot_of: dict[Any, int] = {}
        self._axes_at: dict[tuple[int, ...], int] = {}

    def machine(self, words: list[int], blocks: int, work: int) -> Any:
        """Return the function that runs code on a list of cells."""
        code, axes = np.array(words, np.int32), np.array(self.axes, np.int64)
        return MACHINE(code, axes, blocks, self.slots, np.ascontiguousarray, work)

    def slot(self, root: int) -> int:
        """Return the slot of a cell's memory."""
        if root not in self._slot_of:
            spot, array = self.spots[root], self.memory.get(root)
            self._slot_of[root] = len(self.slots)
            self.slots.append((-1 if array is not None else root, spot.view.nbytes, array))
        return self._slot_of[root]

    def number(self, number: float) -> Place:
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

    def place(self, cell: int, offset: int, fixed: int = 0) -> Place:
        """Return the place of a cell's numbers in its memory."""
        spot = self.spots[cell]
        return (self.slot(spot.root), offset, TYPES[spot.view.dtype] | fixed)

    def axes_at(self, axes: tuple[int, ...]) -> int:
        """Return where a list of axes stands."""
        if axes not in self._axes_at:
            self._axes_at[axes] = len(self.axes)
            self.axes += axes
        return self._axes_at[axes]

    def total(self, step: Step) -> Place:
        """Return the place where a sum is computed: its own, if it has doubles side by side."""
        entry: Any = step.aval
        size = prod(entry.shape)
        if size > 1 and entry.dtype == np.float64:
            return self.place(step.out, 0)
        return (self.own(("total", step.out), max(2, size)), 0, 0)
