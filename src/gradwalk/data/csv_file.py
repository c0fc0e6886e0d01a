"""Tables in CSV files: numbers in columns, the last column is the target."""

from __future__ import annotations

import csv
import math
import os
import sys
from collections.abc import Iterable
from typing import NoReturn

from ..core.expect import describe, one_of
from ..core.files import path_of
from ..errors import DataError, OptionError
from .cells import MISSING, delimiter_of, is_missing, mean_of, pointed
from .dataset import Dataset

__all__ = ["is_number", "read_csv"]

Row = tuple[int, list[str]]
"""A line number (>= 1) and the cells of that line."""


def read_csv(
    path: str | os.PathLike[str], delimiter: str | None = None, missing: str = "error"
) -> Dataset:
    """Return the data in a CSV file: the last column is the target, the others are inputs.

    A first line without any number is the header and gives ``names``; empty lines are skipped.
    Targets are ints if all of them are whole (so that they can be classes), else floats. Targets
    that are all text are classes, whose names are ``labels``. The file is UTF-8, with or without a
    byte order mark.

    Parameters
    ----------
    path
        The file; "-" is the standard input.
    delimiter
        What separates the cells; found if ``None``. Between others than commas a number may have a
        decimal comma.
    missing
        What to do with rows that have missing cells (empty, NA, NaN, ?): "error" raises, "drop"
        leaves them out, and "mean" puts the mean of the column there. With both, a row without
        target is left out.

    Returns
    -------
    a Dataset
        Its rows are those of the file.

    Raises
    ------
    DataError
        With the file, the line and the column, for a cell that is not a finite number, a line with
        too many or too few cells, and a file that is missing or has no rows.
    OptionError
        If ``missing`` is another word.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> file = pathlib.Path(tempfile.mkdtemp()) / "points.csv"
    >>> _ = file.write_text("x,y,label\\n0.5,1,0\\n-2,1e-3,1\\n")
    >>> dataset = read_csv(file)
    >>> dataset.names, dataset.inputs, dataset.targets
    (('x', 'y', 'label'), [[0.5, 1.0], [-2.0, 0.001]], [0, 1])
    """
    where = path_of(path, "read_csv(path)")
    one_of("read_csv(missing)", missing, MISSING)
    lines = _lines(where)
    delimiter = delimiter_of(lines) if delimiter is None else delimiter
    rows = _parsed(where, lines, delimiter)
    if delimiter != ",":
        rows = [(line, list(map(pointed, cells))) for line, cells in rows]
    width = len(rows[0][1]) if rows else 0
    _expect_no_comments(where, rows)
    if width == 1:
        other = next((sign for sign in ";\t|" if sign in rows[0][1][0]), "")
        got = f"1 column, with {other!r} in it" if other else "1 column"
        fix = f"Separate the columns with {delimiter!r}."
        if other:
            fix = f"Replace {other!r} by {delimiter!r}, or call read_csv(path, {other!r})."
        _fail(where, "an input column and a target column", got, fix)
    names: tuple[str, ...] = ()
    if rows and not any(is_number(cell) for cell in rows[0][1]):
        names = tuple(cell.strip() for cell in rows.pop(0)[1])
    if not rows:
        _fail(where, "at least one row of numbers", "none", "Write one line per example.")
    rows, labels = _numbered(rows, width)
    table = [_numbers(where, row, width, names, missing != "error") for row in rows]
    if missing != "error":
        table = _completed(where, table, missing)
    targets = [numbers.pop() for numbers in table]
    whole = all(target.is_integer() for target in targets)
    return Dataset(table, [int(target) for target in targets] if whole else targets, names, labels)


def _completed(where: str, table: list[list[float]], missing: str) -> list[list[float]]:
    """Return the rows without those that lack a number, or with means in their places."""
    kept = [row for row in table if not math.isnan(row[-1])]
    if missing == "drop":
        kept = [row for row in kept if not any(map(math.isnan, row))]
    if not kept:
        _fail(where, "a row without missing cells", "none", "Pass missing='mean'.")
    means = [mean_of(column) for column in zip(*kept, strict=True)]
    if any(map(math.isnan, means)):
        _fail(where, "a number in every column", "a column without one", "Remove the column.")
    return [
        [mean if math.isnan(x) else x for x, mean in zip(row, means, strict=True)] for row in kept
    ]


def _numbered(rows: list[Row], width: int) -> tuple[list[Row], tuple[str, ...]]:
    """Return the rows with numbers for targets that are all text, and these texts."""
    texts = [cells[-1].strip() for _, cells in rows if len(cells) == width]
    known = sorted({text for text in texts if not is_missing(text)})
    if not known or any(map(is_number, known)) or len(texts) != len(rows):
        return rows, ()
    ids = {text: str(i) for i, text in enumerate(known)}
    named = [(line, [*cells[:-1], ids.get(cells[-1].strip(), cells[-1])]) for line, cells in rows]
    return named, tuple(known)


def _lines(where: str) -> list[str]:
    """Return the lines of the file."""
    try:
        if where == "-":
            return sys.stdin.read().removeprefix("\ufeff").splitlines(keepends=True)
        with open(where, encoding="utf-8-sig", newline="") as file:
            return file.readlines()
    except OSError as error:
        reason = f"the error {error.strerror or str(error)!r}"
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


def _expect_no_comments(where: str, rows: list[Row]) -> None:
    """Raise `DataError` for a comment. A first line of as many cells as the next is a header."""
    for i, (line, cells) in enumerate(rows):
        is_header = i == 0 and len(rows) > 1 and len(cells) == len(rows[1][1])
        if cells[0].lstrip().startswith("#") and not is_header:
            got = f"the comment {','.join(cells)!r}"
            _fail(f"{where}, line {line}", "numbers", got, "Remove the lines that begin with #.")


def _numbers(
    where: str, row: Row, width: int, names: tuple[str, ...], lenient: bool
) -> list[float]:
    line, cells = row
    if len(cells) != width:
        fix = "Add the missing cells or remove the extra ones."
        _fail(f"{where}, line {line}", f"{width} cells", str(len(cells)), fix)
    if lenient:
        cells = ["nan" if is_missing(cell) else cell for cell in cells]
    for column, cell in enumerate(cells):
        if lenient and cell == "nan":
            continue
        if not is_number(cell) or not math.isfinite(float(cell)):
            name = f" ({names[column]})" if names else ""
            place = f"{where}, line {line}, column {column + 1}{name}"
            got = repr(cell) if cell.strip() else "an empty cell"
            _fail(place, "a finite number", got, _mended(cell))
    return [float(cell) for cell in cells]


def _mended(cell: str) -> str:
    """Return how to mend a cell."""
    point = cell.strip().replace(",", ".")
    if is_number(point) and point != cell.strip():
        return f"Write it with a point: {point}."
    if cell.strip() and not is_number(cell):
        return "Replace the text by a number, or remove the column or the line."
    return "Write a number such as 0.5 or 1e-3, or pass missing='drop' or 'mean'."


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
