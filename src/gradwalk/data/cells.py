"""What the cells of a CSV file mean: what separates them, decimal commas, missing numbers."""

from __future__ import annotations

import csv
import math
import re
from collections.abc import Sequence

__all__ = ["MISSING", "delimiter_of", "is_missing", "mean_of", "pointed"]

MISSING = ("error", "drop", "mean")
"""What `read_csv` does with a missing number."""

_NAMES = {"", "?", "-", "na", "n/a", "nan", "null", "none", "nil", "missing", "#n/a"}
_COMMA = re.compile(r"\s*[-+]?(\d+,\d+|,\d+)([eE][-+]?\d+)?\s*")


def is_missing(cell: str) -> bool:
    """Return whether a cell says that there is no number."""
    return cell.strip().lower() in _NAMES


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
