"""What the cells of a CSV file mean: delimiters, numbers, decimal commas, dates, missing cells."""

from __future__ import annotations

import csv
import math
import re
from collections.abc import Sequence
from contextlib import suppress
from datetime import UTC, datetime

__all__ = ["MISSING", "date_of", "delimiter_of", "is_date", "is_missing", "is_number", "is_numeric"]
__all__ += ["mean_of", "pointed"]

MISSING = ("error", "drop", "mean")
"""What `read_csv` does with a missing number."""

_NAMES = {"", "?", "-", "na", "n/a", "nan", "null", "none", "nil", "missing", "#n/a"}
_WORDS = {"-", "none", "nil", "missing"}
"""Of these, the ones that are a value in a column of texts: a garage may be "none"."""
_NUMERIC = re.compile(r"[-+.,]*\d[\d.,_' ]*([eE][-+]?\d+)?\s*[%€$£]?")
_DATE = re.compile(r"\d{4}-\d\d-\d\d([T ]\d\d:.*)?")
_COMMA = re.compile(r"\s*[-+]?(\d+,\d+|,\d+)([eE][-+]?\d+)?\s*")


def is_missing(cell: str, text: bool = False) -> bool:
    """Return whether a cell says that there is no number, or no ``text``."""
    name = cell.strip().lower()
    return name in _NAMES and not (text and name in _WORDS)


def is_number(cell: str) -> bool:
    """Return whether a cell is a number. 1_000 is not, although Python accepts it."""
    try:
        float(cell)
    except ValueError:
        return False
    return "_" not in cell


def is_numeric(cell: str) -> bool:
    """Return whether a cell is a number, or is meant as one: 1_000, 1.000,5 or 12 %."""
    return is_number(cell) or _NUMERIC.fullmatch(cell.strip()) is not None


def is_date(cell: str) -> bool:
    """Return whether a cell has the form of an ISO date."""
    return _DATE.fullmatch(cell.strip()) is not None


def date_of(cell: str) -> datetime | None:
    """Return the time of an ISO date, in UTC if it has a time zone; ``None`` for anything else.

    >>> date_of("1970-01-02").isoformat(), date_of("1970-02-30")
    ('1970-01-02T00:00:00', None)
    """
    if is_date(cell):
        with suppress(ValueError, OverflowError):
            date = datetime.fromisoformat(cell.strip())
            return date if date.tzinfo is None else date.astimezone(UTC).replace(tzinfo=None)
    return None


def delimiter_of(lines: Sequence[str]) -> str:
    """Return what separates the cells: the sign that cuts most lines into equally many.

    >>> delimiter_of(["a;b", "0,5;1"]), delimiter_of(["a,b", "0.5,1"]), delimiter_of(["1 2", "3 4"])
    (';', ',', ' ')
    """
    some = [line for line in lines[:100] if line.strip()]
    best, most = ",", 0.0
    for sign in ";\t|, ":  # of equally good ones the first: decimal commas cut lines, too
        try:
            widths = [len(row) for row in csv.reader(some, delimiter=sign, skipinitialspace=True)]
        except csv.Error:
            continue
        usual = max(set(widths), key=widths.count, default=1)
        share = widths.count(usual) / len(widths) if widths else 0.0
        if usual > 1 and share > most + (0.0 if sign != " " else 0.5):
            best, most = sign, share
    return best


def pointed(cell: str) -> str:
    """Return a number with a decimal comma as one with a point; other cells as they are."""
    return cell.replace(",", ".") if _COMMA.fullmatch(cell) else cell


def mean_of(column: Sequence[float]) -> float:
    """Return the mean of the numbers of a column that are not missing."""
    known = [x for x in column if not math.isnan(x)]
    return math.fsum(x / len(known) for x in known) if known else math.nan
