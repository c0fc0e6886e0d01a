"""Which cells of the common array the numbers of a printed function have."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from .layout import CELL, Plan, Statement

__all__ = ["allocate"]


def allocate(made: Plan) -> None:
    """Give cells to statements, and give them again when their numbers are dead."""
    living: list[_Row] = []
    for row in sorted(_rows(made), key=lambda row: row.begin):
        living = [other for other in living if other.end >= row.begin]
        row.base = next(_gaps(living, row.size))
        living.append(row)
        living.sort(key=lambda other: other.base)
        made.cells = max(made.cells, row.base + row.size)
        here = row.base
        for s in row.members:
            s.base = here
            here += len(s.at)
            made.masked_cells |= bool(made.steps.masked[s.at[0]])


class _Row:
    """Statements whose cells lie side by side, and when their numbers live."""

    def __init__(self, members: list[Statement]) -> None:
        self.members = members
        self.size = sum(len(s.at) for s in members)
        self.begin = min(s.item for s in members)
        self.end = max([reader.item for s in members for reader, _ in s.readers] + [self.begin])
        self.base = 0


def _rows(made: Plan) -> Iterator[_Row]:
    """Yield the statements that have cells, loops with what is one turn away from them.

    A first turn often has no 0.0 to add to, and stands in front of its loop.
    """
    chosen = [s for s in made.statements if s.storage == CELL]
    alone = {int(s.at[0]): s for s in chosen if not s.path}
    for s in chosen:
        if len(s.path) == 1:
            first, second, last = map(int, s.at[[0, 1, -1]])
            period = second - first
            beside = [alone.pop(first - period, None), s, alone.pop(last + period, None)]
            yield _Row([member for member in beside if member])
        elif s.path:
            yield _Row([s])
    for s in alone.values():
        yield _Row([s])


def _gaps(living: Sequence[_Row], size: int) -> Iterator[int]:
    here = 0
    for other in living:
        if other.base - here >= size:
            yield here
        here = max(here, other.base + other.size)
    yield here
