"""The result of a gradient check, as data and as a table."""

from __future__ import annotations

from dataclasses import dataclass
from math import isfinite, log10
from typing import ClassVar

from ..inspect.charts import Bar, bars
from ..inspect.draw import Drawing
from ..inspect.report import Report
from .differences import Difference, wrong
from .suspects import Suspect

__all__ = ["GradientReport", "InputReport", "judge"]

ALL_DIGITS = 16.0  # what a double can agree in
PASSING = ("agrees", "kink")


@dataclass(frozen=True, slots=True)
class InputReport:
    """One input: its gradient by the reverse pass and by differences, and what that means.

    Parameters
    ----------
    index
        The place among all inputs, from 0.
    name
        The name: that of a parameter, with an index for a member of a list.
    value
        The number at which it was checked.
    analytic
        The gradient by the reverse pass.
    numeric
        The gradient by differences; NaN at a kink.
    error
        The estimated error of ``numeric``.
    digits
        The significant digits in which the two agree, 16 at most.
    verdict
        "agrees"; "kink", the slope jumps right here and the gradient is one of its one-sided slopes
        or between them; "WRONG"; "unclear", the differences are too inaccurate to tell; or "not
        finite".
    kink
        The operation whose kink was seen; empty for none.
    reach
        The distance within which the kink was seen.
    left, right
        The slopes on the two sides of a kink right here, NaN where there is none.
    """

    index: int
    name: str
    value: float
    analytic: float
    numeric: float
    error: float
    digits: float
    verdict: str
    kink: str = ""
    reach: float = 0.0
    left: float = 0.0
    right: float = 0.0

    def __bool__(self) -> bool:
        return self.verdict in PASSING

    @property
    def note(self) -> str:
        """A sentence about a kink nearby, or ``""``."""
        if self.verdict == "kink":
            return f"{self.kink}: slope {self.left:.6g} on the left, {self.right:.6g} on the right"
        return f"{self.kink} within ± {self.reach:.1g}" if self.kink else ""


class GradientReport(Report):
    """The result of `check_gradients`: true if every gradient is right; as text, a table.

    Parameters
    ----------
    inputs
        What was found for each input.
    suspects
        The operations whose rules disagree with their differences.
    remarks
        Further explanations, a line each.
    """

    inputs: tuple[InputReport, ...]
    suspects: tuple[Suspect, ...]
    remarks: tuple[str, ...]
    head: ClassVar[tuple[str, ...]] = (
        "",
        "input",
        "value",
        "analytic",
        "numeric",
        "± error",
        "digits",
        "verdict",
        "",
    )
    numbers: ClassVar[tuple[int, ...]] = (0, 2, 3, 4, 5, 6)

    def __init__(
        self,
        inputs: tuple[InputReport, ...],
        suspects: tuple[Suspect, ...] = (),
        remarks: tuple[str, ...] = (),
    ) -> None:
        self.inputs, self.suspects, self.remarks = inputs, suspects, remarks
        good = sum(map(bool, inputs))
        told = "\n".join([*remarks, *map(str, suspects)])
        super().__init__(f"{good} of {len(inputs)} gradients agree", [("", told)] if told else [])

    def __bool__(self) -> bool:
        return all(self.inputs)

    def table(self) -> list[tuple[str, ...]]:
        """Return a line for each input."""
        return [_cells(i) for i in self.inputs]

    def draw(self) -> Drawing:
        """Draw the digits in which each gradient agrees."""
        return bars(f"{self.title}: digits", [
            Bar(i.name, i.digits, f"{i.digits:.1f}", i.note or i.verdict, "good" if i else "bad")
            if i.verdict != "kink" else Bar(i.name, 0.0, "kink", i.note)
            for i in self.inputs
        ], top=ALL_DIGITS)  # fmt: skip


def judge(
    index: int, name: str, value: float, analytic: float, found: Difference, digits: float
) -> InputReport:
    """Return the entry of one input."""
    return InputReport(
        index, name, value, analytic, found.value, found.error,
        _agreement(analytic, found.value), _verdict(analytic, found, digits),
        found.kink, found.reach, found.left, found.right,
    )  # fmt: skip


def _verdict(analytic: float, found: Difference, digits: float) -> str:
    if found.at_kink:
        return _verdict_at_kink(analytic, found, digits)
    if not isfinite(analytic) or not isfinite(found.error):
        return "not finite"
    if not found.clear:
        return "unclear"
    return "WRONG" if wrong(analytic, found, digits) else "agrees"


def _verdict_at_kink(analytic: float, found: Difference, digits: float) -> str:
    """Any slope between the two sides is a convention; where a side has none, there is no test."""
    sides = sorted(side for side in (found.left, found.right) if isfinite(side))
    slack = 10.0**-digits * max(map(abs, [analytic, *sides]))
    between = len(sides) < 2 or sides[0] - slack <= analytic <= sides[1] + slack
    return "kink" if between and isfinite(analytic) else "WRONG"


def _agreement(a: float, b: float) -> float:
    """How many significant digits two numbers have in common."""
    if a == b:
        return ALL_DIGITS
    if not (isfinite(a) and isfinite(b)):
        return 0.0
    gap = abs(a - b) / max(abs(a), abs(b))
    return min(ALL_DIGITS, -log10(gap)) if gap < 1.0 else 0.0


def _cells(i: InputReport) -> tuple[str, ...]:
    """At a kink there is no one slope to show; the note shows two."""
    numeric = ("", "", "") if i.verdict == "kink" else (
        f"{i.numeric:.10g}", f"{i.error:.0e}", f"{i.digits:.1f}"
    )  # fmt: skip
    value, analytic = f"{i.value:.6g}", f"{i.analytic:.10g}"
    return (str(i.index), i.name, value, analytic, *numeric, i.verdict, i.note)
