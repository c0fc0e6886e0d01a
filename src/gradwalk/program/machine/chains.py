"""Chains of steps, and how the numbers of their operands lie in memory.

Steps of as many numbers each are a chain, unless one reads what another one of them has not yet
finished. What nothing reads after the chain has no memory but a block.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import Any, NamedTuple

import numpy as np

from .array_executor import Step
from .forms import KERNELS, Form, Kernel, Pieces, Sum

__all__ = ["Access", "Chain", "Spot", "access", "chains_of", "read_by", "shape_of"]

MOVE, ROWS, COLUMNS, GATHER, SCATTER, SUM, SUM_ROWS, SUM_COLUMNS = range(
    len(KERNELS), len(KERNELS) + 8
)
"""What the machine does beside its kernels, in the order of ``native/program/array_machine.h``."""

FAR = 2**31 - 1
"""The length of a column that never ends: one number for all."""


class Spot(NamedTuple):
    """Where the numbers of a cell lie: in the memory of another one, the root, as a view shows.

    Views are of memory that stands for every root; it has no numbers.
    """

    root: int
    view: Any
    start: int
    """The address of the root."""
    whole: bool = False
    """Whether the view is the root itself."""


class Access(NamedTuple):
    """How the numbers of a view lie, in the order in which a chain goes through them."""

    kind: int
    word: int
    offset: int
    axes: tuple[int, ...] = ()


FULL = 0
WHOLE = Access(FULL, 0, 0)


def access(spot: Spot, shape: tuple[int, ...], write: bool = False) -> Access:
    """Return how to read a view, repeated to a shape, or to write it."""
    if spot.whole and spot.view.shape == shape:
        return WHOLE  # the usual case, in a tenth of the time
    whole = write or spot.view.shape == shape
    view = spot.view if whole else np.broadcast_to(spot.view, shape)
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
    """Steps that a block goes through, of so many numbers each; the last one is ``end``."""

    numbers: int
    steps: list[tuple[int, Step, Form]]

    @property
    def end(self) -> int:
        """The position of the last step in the program."""
        return self.steps[-1][0]


def shape_of(step: Step, form: Form) -> tuple[int, ...]:
    """Return the shape that a chain with a step goes through."""
    given: Any = step.given[0] if isinstance(form, Sum) else step.aval
    return tuple(given.shape)


def chains_of(steps: Sequence[tuple[int, Step, Form]], spots: dict[int, Spot]) -> list[Chain]:
    """Return the steps in chains."""
    chains: list[Chain] = []
    made = dict[int, bool]()  # roots of the chain: whether they can be read number by number
    for position, step, form in steps:
        shape = shape_of(step, form)
        count = prod(shape)
        alone = isinstance(form, Pieces)
        fits = bool(chains) and not alone and chains[-1].numbers == count and bool(made)
        if fits:
            for o in read_by(step, form):
                root = spots[o].root
                if root in made:
                    fits &= made[root] and access(spots[o], shape)[:3] == (FULL, 0, 0)
        if not fits:
            chains.append(Chain(count, []))
            made = {}
        chains[-1].steps.append((position, step, form))
        if not alone:
            made[step.out] = isinstance(form, Kernel)
    return chains


def read_by(step: Step, form: Form) -> list[int]:
    """Return the cells that a step reads."""
    if isinstance(form, Kernel):
        return [step.operands[o] for o in form.operands if type(o) is int]
    return list(step.operands)
