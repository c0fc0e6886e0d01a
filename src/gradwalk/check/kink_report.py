"""The kinks of a run, as data, a table and a picture."""

from __future__ import annotations

from collections.abc import Sequence
from math import nan
from typing import Any

from ..inspect.report import Report, html_table, text_table
from .sides import replaced

__all__ = ["Kink", "Kinks"]

HEAD = ("operation", "operand", "element", "distance", "left", "right", "convention", "line")


class Kink:
    """One place where a derivative jumps.

    ``op``, ``args``, ``element``  the operation, its operands, and the element of an array
    ``operand``     the number that is near the kink
    ``distance``    how far from the kink
    ``left``, ``right``  the slopes on either side, NaN where there is none
    ``convention``  what gradwalk takes for the slope at the kink itself
    ``line``        where in the program
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
    """The kinks of a run, as a sequence and as a table. It is false if there are none."""

    found: list[Kink]

    def __init__(self, found: Sequence[Kink], within: float) -> None:
        self.found = list(found)
        count = f"{len(found)} kink{'s' * (len(found) > 1)}" if found else "no kink"
        super().__init__(f"{count} within {within:g}")

    def __len__(self) -> int:
        return len(self.found)

    def __getitem__(self, index: int) -> Kink:
        return self.found[index]

    def __str__(self) -> str:
        table = text_table([HEAD, *(kink.row for kink in self.found)]) if self.found else []
        return "\n".join([self.title, *table])

    __repr__ = __str__

    def _repr_html_(self) -> str:
        return f"<p><b>{self.title}</b></p>" + html_table([k.row for k in self.found], HEAD)

    def plot(self, path: Any = None) -> Any:
        """Draw each operation around its kink as a figure of matplotlib; save it to ``path``."""
        from ..inspect.panels import plot_curves

        curves = [_curve(kink) for kink in self.found if kink.primitive is not None]
        return plot_curves(curves, path)


def _curve(kink: Kink) -> tuple[str, list[float], list[float], float]:
    width = max(10.0 * kink.distance, 1e-3)
    xs = [kink.operand + width * (i / 50.0 - 1.0) for i in range(101)]
    ys = [float(kink.primitive.evaluate(*replaced(kink.args, kink.position, x))) for x in xs]
    return f"{kink.op} at {kink.operand:.4g}", xs, ys, kink.operand
