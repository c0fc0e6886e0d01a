"""Columns of a table as inputs of a network: numbers, dates, and texts of few different values."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import NoReturn

from ..core.expect import nearest
from ..errors import DataError
from .cells import date_of, is_date, is_missing, is_number, is_numeric

__all__ = ["KINDS", "Column", "fail"]

KINDS = ("number", "date", "text")

MOST_TEXTS = 30
"""A column of more different texts is refused: each text would be an input of its own."""

EPOCH = datetime(1970, 1, 1)
PARTS = ("days", "month", "weekday")
"""The numbers of a date: days since 1970-01-01, the month 1 to 12, and 0 for Monday to 6."""


@dataclass(frozen=True, slots=True)
class Column:
    """How the cells of a column become inputs.

    A number is one input. A date is three: days since 1970-01-01 with the time as a fraction, month
    (1 to 12) and weekday (0 is Monday). A text is one input for each text of the column, 1 for the
    text of the cell and 0 for the others.

    Parameters
    ----------
    name
        The name in the header; empty if there is none.
    kind
        "number", "date" or "text"; "class" for a target of texts, which is the place of its text.
    texts
        The texts of the column, in order.
    means
        The inputs that replace those of a missing cell. If empty, a missing cell is an error.
    """

    name: str = ""
    kind: str = "number"
    texts: tuple[str, ...] = ()
    means: tuple[float, ...] = ()

    @classmethod
    def of(cls, name: str, cells: Iterable[str], place: str) -> Column:
        """Return the column with these cells. Raise `DataError` for too many different texts."""
        known = [cell for cell in cells if not is_missing(cell, text=True)]
        if any(map(is_numeric, known)) or all(map(is_missing, known)):
            return cls(name)
        if any(map(is_date, known)):
            return cls(name, "date")
        texts = tuple(sorted({cell.strip() for cell in known}))
        if len(texts) > MOST_TEXTS:
            column = place.rpartition("column ")[2].partition(" (")[0]
            fix = f"Pass ignore={name or column!r} to leave the column out, or merge rare texts."
            fail(place, f"at most {MOST_TEXTS} different texts", str(len(texts)), fix)
        return cls(name, "text", texts)

    @property
    def inputs(self) -> list[str]:
        """The names of the inputs."""
        if self.kind == "text":
            return [f"{self.name}={text}" for text in self.texts]
        if self.kind == "date":
            return [f"{self.name} {part}".strip() for part in PARTS]
        return [self.name]

    def numbers(self, cell: str) -> list[float]:
        """Return the inputs for a cell. Raise `DataError` if it does not fit the column."""
        if self.kind == "number" and is_number(cell) and math.isfinite(float(cell)):
            return [float(cell)]
        if self.means and is_missing(cell, bool(self.texts)):
            return [*self.means]
        if self.kind == "number":
            fail("a cell", "a finite number", _described(cell), _mended(cell))
        return self._of_date(cell) if self.kind == "date" else self._of_text(cell.strip())

    def _of_text(self, text: str) -> list[float]:
        if text not in self.texts:
            fix = nearest(text, self.texts) or "Correct the cell, or train with rows that have it."
            fix = FILL if is_missing(text, text=True) else fix
            fail("a cell", f"one of {', '.join(self.texts)}", _described(text), fix)
        if self.kind == "class":
            return [float(self.texts.index(text))]
        return [float(text == known) for known in self.texts]

    def _of_date(self, cell: str) -> list[float]:
        date = date_of(cell)
        if date is None:
            fix = FILL if is_missing(cell) else "Write it as 2024-12-31, or 2024-12-31T18:30."
            fail("a cell", "an ISO date", _described(cell), fix)
        days = (date - EPOCH) / timedelta(days=1)
        return [days, float(date.month), float(date.weekday())]


def _described(cell: str) -> str:
    return repr(cell) if cell.strip() else "an empty cell"


FILL = "Fill the cell, or pass missing='drop' or missing='mean'."


def _mended(cell: str) -> str:
    """Return how to mend a cell."""
    point = cell.strip().replace(",", ".")
    if is_number(point) and point != cell.strip():
        return f"Write it with a point: {point}."
    if not is_missing(cell) and not is_number(cell):
        return "Replace the text by a number, or remove the column or the line."
    return "Write a number such as 0.5 or 1e-3, or pass missing='drop' or missing='mean'."


def fail(where: str, expected: str, got: str, fix: str) -> NoReturn:
    """Raise `DataError`."""
    raise DataError(where=where, expected=expected, got=got, fix=fix)
