"""Which cells of a program may lie in which memory, and the last step that reads each memory."""

from __future__ import annotations

from collections.abc import Sequence

from .array_executor import Step
from .writers import is_fresh

__all__ = ["Lives"]


class Lives:
    """Which cells may lie in which memory, and the last step that reads each memory.

    ``roots``  of a cell: the cells whose memory it may show
    ``ends``   of such a cell: the last step that reads it, or a view of it
    ``ending`` of a step: those cells whose last step it is
    ``fresh``  of an output: whether nothing else shows its memory
    """

    kept: set[int]
    fresh: list[bool]

    def __init__(self, steps: Sequence[Step], outputs: Sequence[int]) -> None:
        self.roots: dict[int, frozenset[int]] = {}
        self.ends: dict[int, int] = {}
        for k, step in enumerate(steps):
            read = frozenset[int]().union(*map(self._roots_of, step.operands))
            for root in read:
                self.ends[root] = k
            if step.primitive is not None:
                for out in step.outs:
                    self.roots[out] = frozenset({out}) if is_fresh(step) else read
                    self.ends.setdefault(out, k)
        self.ending: dict[int, list[int]] = {}
        for cell, k in self.ends.items():
            self.ending.setdefault(k, []).append(cell)
        shown = [root for o in outputs for root in self._roots_of(o)]
        self.kept = set(shown)
        made = {s.out for s in steps if s.primitive is not None and is_fresh(s)}
        self.fresh = [o in made and shown.count(o) == 1 for o in outputs]

    def _roots_of(self, cell: int) -> frozenset[int]:
        return self.roots.get(cell) or frozenset({cell})
