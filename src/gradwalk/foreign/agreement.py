"""`Agreement`: how far an adopted program differs from the framework that ran it."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from .places import Place
from .values import Operand

__all__ = ["TINY", "Agreement", "gap"]

ROUNDING = 4096.0
"""How many units in the last place sums and functions of two libraries may differ by."""
MOST = 0.1
"""The largest relative difference that is called rounding, in the narrowest types."""
TINY = {kind: float(np.finfo(kind).tiny) for kind in "efd"}


class Agreement:
    """The largest difference of each operation and of each gradient from the framework.

    ``values``       operation: the largest relative difference of its results
    ``gradients``    leaf: the relative difference of its gradient
    ``differences``  what differs by more than rounding, in words; empty if all agrees
    """

    values: dict[str, float]
    gradients: dict[str, float]
    differences: list[str]

    def __init__(self, framework: str) -> None:
        self.framework = framework
        self.values, self.gradients, self.differences = {}, {}, []

    def __bool__(self) -> bool:
        return not self.differences

    def is_more(self, found: float, eps: float) -> bool:
        """Return whether a relative difference is more than rounding."""
        return found > min(MOST, ROUNDING * eps)

    def note(self, op: str, found: float) -> None:
        """Remember a difference of an operation."""
        self.values[op] = max(found, self.values.get(op, 0.0))

    def value(
        self,
        op: str,
        ours: Operand,
        theirs: Operand,
        place: Place | None = None,
        eps: float | None = None,
    ) -> float:
        """Compare the result of an operation. ``eps`` is the precision if arrays hide it."""
        found = gap(ours, theirs)
        self.note(op, found)
        if found > _rounding(theirs, eps):
            where = f" ({place[0].rpartition('/')[2]}, line {place[1]})" if place else ""
            self._differs(f"{op}{where}: its result differs by {found:.2g}")
        return found

    def gradient(
        self, leaf: str, ours: Operand, theirs: Operand, eps: float | None = None
    ) -> float:
        """Compare the gradient of a leaf. ``eps`` is the precision if arrays hide it."""
        found = gap(ours, theirs)
        self.gradients[leaf] = found
        if found > _rounding(theirs, eps):
            self._differs(f"the gradient of {leaf} differs by {found:.2g}")
        return found

    def forgive(self, leaf: str) -> None:
        """Call the difference of a gradient rounding: all contributions to it agree."""
        start = f"the gradient of {leaf} differs"
        self.differences = [x for x in self.differences if not x.startswith(start)]

    def _differs(self, text: str) -> None:
        if text not in self.differences:
            self.differences.append(text)

    @property
    def title(self) -> str:
        """One sentence that says whether all agrees."""
        if self.differences:
            return f"{len(self.differences)} results differ from {self.framework}"
        worst = max([*self.values.values(), *self.gradients.values()], default=0.0)
        most = f", up to {worst:.1g} of their size" if worst else ""
        return f"All results and gradients are those of {self.framework}{most}"

    @property
    def rows(self) -> list[tuple[str, str]]:
        """The differences, then the largest gaps of operations and of gradients."""
        return [
            *[("differs", text) for text in self.differences],
            *_largest("operation", self.values),
            *_largest("gradient", self.gradients),
        ]

    def __str__(self) -> str:
        width = max((len(caption) for caption, _ in self.rows), default=0)
        return "\n".join([self.title, *(f"  {a:<{width}}  {b}" for a, b in self.rows)])

    __repr__ = __str__


def _largest(caption: str, found: dict[str, float], most: int = 5) -> Sequence[tuple[str, str]]:
    order = sorted(found.items(), key=lambda pair: -pair[1])[:most]
    return [(caption, f"{name}: {x:.1g}") for name, x in order]


def _rounding(theirs: Operand, eps: float | None) -> float:
    kind = getattr(theirs, "dtype", None)
    if eps is None:
        eps = np.finfo(kind).eps if kind is not None and kind.kind == "f" else 2.0**-52
    return min(MOST, ROUNDING * float(eps))


def gap(ours: Operand, theirs: Operand) -> float:
    """Return the largest difference of two arrays, as a part of the largest number.

    It is infinite if the shapes differ, or if one is not finite where the other is.
    """
    a, b = np.asarray(ours), np.asarray(theirs)
    kind = b.dtype.char
    if a.shape != b.shape:
        return float("inf")
    if not a.size:
        return 0.0
    a, b = a.astype(np.float64), b.astype(np.float64)
    finite = np.isfinite(b)
    same = np.array_equal(a[~finite], b[~finite], equal_nan=True)
    if not same or not np.array_equal(finite, np.isfinite(a)):
        return float("inf")
    if not finite.any():
        return 0.0
    difference = float(np.abs(a[finite] - b[finite]).max())
    if not difference:
        return 0.0
    # the smallest normal number: below it some libraries compute with 0
    return difference / max(float(np.abs(b[finite]).max()), TINY.get(kind, TINY["d"]))
