"""Tables in CSV files: numbers in columns, the last column is the target."""

from __future__ import annotations

import csv
import math
import os
from collections.abc import Iterable
from typing import NoReturn

from ..core.expect import describe
from ..errors import DataError, OptionError
from .dataset import Dataset

__all__ = ["is_number", "read_csv"]

Row = tuple[int, list[str]]
"""A line number (>= 1) and the cells of that line."""


def read_csv(path: str | os.PathLike[str], delimiter: str = ",") -> Dataset:
    """Return the data in a CSV file: the last column is the target, the others are inputs.

    A first line without any number is the header and gives ``names``; empty lines are skipped.
    Targets are ints if all of them are whole (so that they can be classes), else floats. The file
    is UTF-8, with or without a byte order mark. Raise `DataError`, with the file, the line and the
    column, for a cell that is not a finite number, a line with too many or too few cells, and a
    file that is missing or has no rows.

    >>> import tempfile, pathlib
    >>> file = pathlib.Path(tempfile.mkdtemp()) / "points.csv"
    >>> _ = file.write_text("x,y,label\\n0.5,1,0\\n-2,1e-3,1\\n")
    >>> dataset = read_csv(file)
    >>> dataset.names, dataset.inputs, dataset.targets
    (('x', 'y', 'label'), [[0.5, 1.0], [-2.0, 0.001]], [0, 1])
    """
    where = os.fspath(path)
    rows = _rows(where, delimiter)
    width = len(rows[0][1]) if rows else 0
    if width == 1:
        fix = f"Separate the columns with {delimiter!r}, or name another delimiter."
        _fail(where, "an input column and a target column", "1 column", fix)
    names: tuple[str, ...] = ()
    if rows and not any(is_number(cell) for cell in rows[0][1]):
        names = tuple(cell.strip() for cell in rows.pop(0)[1])
    if not rows:
        _fail(where, "at least one row of numbers", "none", "Write one line per example.")
    table = [_numbers(where, row, width, names) for row in rows]
    targets = [numbers.pop() for numbers in table]
    whole = all(target.is_integer() for target in targets)
    return Dataset(table, [int(target) for target in targets] if whole else targets, names)


def _rows(where: str, delimiter: str) -> list[Row]:
    """Return the lines of the file that are not blank, with their numbers."""
    try:
        with open(where, encoding="utf-8-sig", newline="") as file:
            return _parsed(where, file, delimiter)
    except OSError as error:
        reason = error.strerror or type(error).__name__
        fix = "Check the path: it is relative to the folder where the program was started."
        raise _error(where, "a file that can be read", reason, fix) from error
    except UnicodeDecodeError as error:
        fix = "Save the table as CSV in UTF-8."
        raise _error(
            where, "text in UTF-8", f"byte {error.object[error.start]:#04x}", fix
        ) from error


def _parsed(where: str, lines: Iterable[str], delimiter: str) -> list[Row]:
    try:
        reader = csv.reader(lines, delimiter=delimiter, strict=True, skipinitialspace=True)
    except (TypeError, ValueError):
        raise OptionError(
            where="read_csv(delimiter=...)",
            expected="one character that may stand between cells",
            got=describe(delimiter),
            fix='Pass ";" for semicolons, or a tab.',
        ) from None
    try:
        return [(reader.line_num, cells) for cells in reader if "".join(cells).strip()]
    except csv.Error as error:
        place = f"{where}, line {reader.line_num}"
        raise _error(place, "a CSV line", str(error), "Look at its quotation marks.") from error


def _numbers(where: str, row: Row, width: int, names: tuple[str, ...]) -> list[float]:
    line, cells = row
    if len(cells) != width:
        fix = "Add the missing cells or remove the extra ones."
        _fail(f"{where}, line {line}", f"{width} cells", str(len(cells)), fix)
    for column, cell in enumerate(cells):
        if not is_number(cell) or not math.isfinite(float(cell)):
            name = f" ({names[column]})" if names else ""
            place = f"{where}, line {line}, column {column + 1}{name}"
            got = repr(cell) if cell.strip() else "an empty cell"
            _fail(place, "a finite number", got, "Write it like 0.5 or 1e-3, or remove the line.")
    return [float(cell) for cell in cells]


def is_number(cell: str) -> bool:
    """Return whether a cell is a number. 1_000 is not, although Python accepts it."""
    try:
        float(cell)
    except ValueError:
        return False
    return "_" not in cell


def _error(where: str, expected: str, got: str, fix: str) -> DataError:
    return DataError(where=where, expected=expected, got=got, fix=fix)


def _fail(where: str, expected: str, got: str, fix: str) -> NoReturn:
    raise _error(where, expected, got, fix)
