"""Code that ``native/program/array_machine.h``, the machine for arrays, runs block by block."""

from __future__ import annotations

from math import prod
from typing import Any

from .array_executor import Step
from .chains import FULL, MOVE, SCATTER, Access, Chain, Spot, access
from .forms import KERNELS, Pieces, Sum
from .operations import Writer
from .places import BLOCK, Places, operation

__all__ = ["Code"]


class Code:
    """The code of some chains."""

    def __init__(self, spots: dict[int, Spot], memory: dict[int, Any]) -> None:
        self._places = Places(spots, memory)
        self._words: list[int] = []
        self._blocks, self._work = 1, 0

    def machine(self) -> Any:
        """Return the function that runs the code on a list of cells."""
        return self._places.machine(self._words, self._blocks, self._work)

    def add(self, chain: Chain, local: set[int]) -> None:
        """Add a chain, in which some cells have no memory."""
        self._work += chain.numbers * len(chain.steps)
        (_, step, form), *rest = chain.steps
        if isinstance(form, Pieces):
            assert not rest
            self._add_pieces(step, form)
            return
        for _, step, form in chain.steps:
            if isinstance(form, Sum):
                self._add_zeros(step)
        writer = Writer(self._places, chain, local)
        self._words += writer.words()
        self._blocks = max(self._blocks, writer.blocks)
        for _, step, form in chain.steps:
            if isinstance(form, Sum):
                self._add_total(step, form)

    # --- chains of their own ----------------------------------------------------------------------

    def _chain(self, count: int, words: list[int], operations: int = 1) -> None:
        """Add the code of a chain that has nothing to do before."""
        self._words += [count, BLOCK, 0, operations, len(words), *words]

    def _add_pieces(self, step: Step, form: Pieces) -> None:
        spot = self._places.spots[step.out]
        for source, part in form.pieces:
            target = Spot(spot.root, part(spot.view), spot.start)
            shape = target.view.shape
            if not prod(shape):
                continue
            to = access(target, shape, write=True)
            place = self._places.place(step.out, to.offset)
            self._copy(step, source, shape, to, place)

    def _copy(self, step: Step, source: Any, shape: Any, to: Access, place: Any) -> None:
        """Copy an operand, or a number, to a place."""
        body, count = list[int](), 1
        if type(source) is float:
            given = self._places.number(source)
        else:
            cell = step.operands[source]
            how = access(self._places.spots[cell], shape)
            given = self._places.place(cell, how.offset)
            if how.kind != FULL:
                word = how.word or self._places.axes_at(how.axes)
                body, count = operation(how.kind, word, (-1, 0, 0), given), 2
                given = (-1, 0, 0)
        if to.kind == FULL:
            body += operation(MOVE, 0, place, given)
        else:
            body += operation(SCATTER, self._places.axes_at(to.axes), place, given)
        self._chain(prod(shape), body, count)

    def _add_zeros(self, step: Step) -> None:
        size = prod(step.aval.shape)
        self._chain(
            2 if size == 1 else size,
            operation(MOVE, 0, self._places.total(step), self._places.number(0.0)),
        )

    def _add_total(self, step: Step, form: Sum) -> None:
        total, out = self._places.total(step), self._places.place(step.out, 0)
        size = prod(step.aval.shape)
        if size == 1:
            rest = (total[0], 8, 0)
            self._chain(1, operation(KERNELS["add"], 0, total, total, rest))
        if form.divisor > 1:
            divisor = self._places.number(float(form.divisor))
            self._chain(size, operation(KERNELS["div"], 0, out, total, divisor))
        elif out != total:
            self._chain(size, operation(MOVE, 0, out, total))
