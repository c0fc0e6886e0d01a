"""The kinks of a run, as data, a table and a picture."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import nan
from typing import Any, ClassVar

from ..inspect.charts import Curve, curves
from ..inspect.draw import Drawing
from ..inspect.report import Report
from .sides import replaced

__all__ = ["Kink", "Kinks"]


class Kink:
    """One place where a derivative jumps.

    Its further attributes are ``args``, the operands, ``element``, the index in an array, ``left``
    and ``right``, the slopes on either side (NaN where there is none), and ``line``, where in the
    program.

    Parameters
    ----------
    op
        The name of the operation.
    operand
        The number that is near the kink.
    distance
        How far it is from the kink.
    convention
        What gradwalk takes for the slope at the kink itself.
    **rest
        The further attributes, and ``position``, which of the operands it is, and ``primitive``.
    """

    op: str
    operand: float
    distance: float
    convention: str

    def __init__(self, op: str, operand: float, distance: float, convention: str, **rest: Any):
        self.op, self.operand, self.distance, self.convention = op, operand, distance, convention
        self.left: float = rest.get("left", nan)
        self.right: float = rest.get("right", nan)
        self.args: tuple[float, ...] = rest.get("args", ())
        self.element: tuple[int, ...] = rest.get("element", ())
        self.line: str = rest.get("line", "")
        self.position: int = rest.get("position", 0)
        self.primitive: Any = rest.get("primitive")

    @property
    def row(self) -> tuple[str, ...]:
        """The texts of one line of the table."""
        numbers = [f"{x:.6g}" for x in (self.operand,)]
        sides = ["none" if x != x else f"{x:.6g}" for x in (self.left, self.right)]
        at = f"[{', '.join(map(str, self.element))}]" if self.element else ""
        return (
            self.op, *numbers, at, f"{self.distance:.1e}", *sides, self.convention, self.line
        )  # fmt: skip

    def __repr__(self) -> str:
        return f"<kink of {self.op} at {self.operand:.6g}, {self.distance:.1e} away>"


class Kinks(Report):
    """The kinks of a run, as a sequence and as a table. It is false if there are none.

    Parameters
    ----------
    found
        The kinks, in the order of the run.
    within
        The distance up to which an operand counts as near a kink.
    """

    found: list[Kink]
    head: ClassVar[tuple[str, ...]] = (
        "operation", "operand", "element", "distance", "left", "right", "convention", "line"
    )  # fmt: skip

    def __init__(self, found: Sequence[Kink], within: float) -> None:
        self.found = list(found)
        count = f"{len(found)} kink{'s' * (len(found) > 1)}" if found else "no kink"
        super().__init__(f"{count} within {within:g}")

    def __len__(self) -> int:
        return len(self.found)

    def __iter__(self) -> Iterator[Kink]:
        return iter(self.found)

    def __getitem__(self, index: int) -> Kink:
        return self.found[index]

    def table(self) -> list[tuple[str, ...]]:
        """Return a line for each kink."""
        return [kink.row for kink in self.found]

    def draw(self) -> Drawing | None:
        """Draw each operation around its kink, with a mark at the operand of the run."""
        found = [_curve(kink) for kink in self.found if kink.primitive is not None]
        return curves(self.title, found) if found else None


def _curve(kink: Kink) -> Curve:
    width = max(10.0 * kink.distance, 1e-3)
    xs = [kink.operand + width * (i / 50.0 - 1.0) for i in range(101)]
    ys = [float(kink.primitive.evaluate(*replaced(kink.args, kink.position, x))) for x in xs]
    slopes = f": slope {kink.left:.4g} on the left, {kink.right:.4g} on the right"
    told = slopes if kink.left == kink.left and kink.right == kink.right else ""
    return Curve(f"{kink.op} at {kink.operand:.4g}{told}", xs, ys, kink.operand)
