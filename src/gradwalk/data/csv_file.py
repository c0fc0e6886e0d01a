"""Tables in CSV files: columns of numbers, texts and dates; the last column is the target."""

from __future__ import annotations

import csv
import math
import os
import sys
from codecs import BOM_UTF16_BE, BOM_UTF16_LE
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from io import StringIO
from itertools import islice
from pathlib import Path

from ..core.expect import describe, nearest, one_of
from ..core.files import path_of
from ..errors import DataError, OptionError
from .cells import MISSING, delimiter_of, is_date, is_missing, is_number, mean_of, pointed
from .columns import MOST_TEXTS, Column, fail
from .dataset import Dataset

__all__ = ["read_csv", "read_inputs"]

Row = tuple[int, list[str]]
"""A line number (>= 1) and the cells of that line."""


def read_csv(
    path: str | os.PathLike[str],
    delimiter: str | None = None,
    missing: str = "error",
    *,
    encoding: str | None = None,
    target: str | None = None,
    ignore: str | Iterable[str] = (),
) -> Dataset:
    """Return the data in a CSV file: the last column is the target, the others are inputs.

    A first line without numbers and dates is the header and gives ``names``; empty lines are
    skipped. Targets are ints if all of them are whole (so that they can be classes), else floats.
    Targets that are all text are classes, whose names are ``labels``.

    A column of ISO dates becomes three inputs: days since 1970-01-01 (a time is a fraction of a
    day), the month from 1 to 12, and the weekday from 0 for Monday to 6. A column of texts becomes
    one input for each text: 1 in the rows that have the text, and 0 in the others.

    Parameters
    ----------
    path
        The file; "-" is the standard input.
    delimiter
        What separates the cells; found if ``None``. Between others than commas a number may have a
        decimal comma.
    missing
        What to do with rows that have missing cells (empty, NA, NaN, ?): "error" raises, "drop"
        leaves them out, and "mean" puts the mean of the column there; of texts and dates, the means
        of their inputs. With both, a row without target is left out.
    encoding
        The encoding of the text, such as "latin-1"; with ``None`` UTF-8, with or without a byte
        order mark.
    target
        The name of the target's column, or its number from "1" if there is no header; the last
        column if ``None``.
    ignore
        Names or numbers of columns to leave out.

    Returns
    -------
    a Dataset
        Its rows are those of the file.

    Raises
    ------
    DataError
        With the file, the line and the column, for a cell that is not a finite number, a line with
        too many or too few cells, an input of more than 30 different texts, and a file that is
        missing or has no rows.
    OptionError
        If ``missing`` is another word, or there is no such encoding or column.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> file = pathlib.Path(tempfile.mkdtemp()) / "points.csv"
    >>> _ = file.write_text("x,colour,label\\n0.5,red,0\\n-2,blue,1\\n")
    >>> dataset = read_csv(file)
    >>> dataset.names
    ('x', 'colour=blue', 'colour=red', 'label')
    >>> dataset.inputs, dataset.targets
    ([[0.5, 0.0, 1.0], [-2.0, 1.0, 0.0]], [0, 1])
    """
    where = path_of(path, "read_csv(path)")
    one_of("read_csv(missing)", missing, MISSING)
    rows = _rows(where, delimiter, encoding)
    _expect_two_columns(where, rows)
    names: tuple[str, ...] = ()
    if rows and _is_header(rows[0]):
        names = tuple(cell.strip() for cell in rows.pop(0)[1])
    if not rows:
        fail(where, "at least one row of numbers", "none", "Write one line per example.")
    _expect_width(where, rows, len(names or rows[0][1]))
    order = _order(names or [str(i + 1) for i in range(len(rows[0][1]))], target, ignore)
    rest = () if missing == "error" else (math.nan,)
    *columns, goal = [_column(where, rows, i, names, i == order[-1], rest) for i in order]
    table = [_numbers(where, row, order, [*columns, goal], names) for row in rows]
    if missing != "error":
        table, means = _completed(where, table, missing)
        columns = [
            replace(column, means=tuple(islice(means, len(column.inputs)))) for column in columns
        ]
    targets = [row.pop() for row in table]
    whole = all(t.is_integer() for t in targets)
    heads = (*(name for column in columns for name in column.inputs), goal.name) if names else ()
    return Dataset(
        table, [*map(int, targets)] if whole else targets, heads, goal.texts, tuple(columns)
    )


def read_inputs(
    path: str | os.PathLike[str],
    columns: Sequence[Column],
    delimiter: str | None = None,
    encoding: str | None = None,
) -> list[list[float]]:
    """Return the inputs in a CSV file whose columns were those of another file.

    If both have a header, the columns are found by name, in any order and beside others. Otherwise
    the file has the columns in order, and may have one more, the target.
    """
    where = path_of(path, "read_inputs(path)")
    rows = _rows(where, delimiter, encoding, blank=True)
    names = [column.name for column in columns]
    first = [cell.strip() for cell in rows[0][1]] if rows else []
    named = len(set(names)) == len(names) and all(names)
    header = bool(rows) and (_is_header(rows[0]) or (named and set(names) <= set(first)))
    order = _found(where, first, names) if named and header else [*range(len(columns))]
    rows = rows[header:]
    if not rows:
        fail(where, "at least one row", "none", "Write one line for each prediction.")
    if not (named and header) and len(first) - len(columns) not in (0, 1):
        expected = f"{len(columns)} columns as in the training, or one more, the target"
        fix = f"Write the columns {', '.join(names)}." if named else "Remove the other columns."
        fail(where, expected, str(len(first)), fix)
    _expect_width(where, rows, len(first))
    heads = tuple(first) if header else ()
    return [_numbers(where, row, order, columns, heads, _known) for row in rows]


def _known(column: Column, cell: str) -> list[float]:
    """Return the inputs for a cell, with another message for one that is missing."""
    if not column.means and is_missing(cell, bool(column.texts)):
        got = repr(cell) if cell.strip() else "an empty cell"
        fail("a cell", "a cell with a value", got, "Fill the cell, or train with missing='mean'.")
    return column.numbers(cell)


def _numbers(
    where: str,
    row: Row,
    order: Sequence[int],
    columns: Sequence[Column],
    names: tuple[str, ...],
    read: Callable[[Column, str], list[float]] = Column.numbers,
) -> list[float]:
    """Return the numbers of the cells of a row. An error names the place of the cell."""
    line, cells = row
    numbers: list[float] = []
    for i, column in zip(order, columns, strict=True):
        try:
            numbers += read(column, cells[i])
        except DataError as error:
            place = _place(where, line, i, names)
            raise _error(place, error.expected, error.got, error.fix) from None
    return numbers


def _found(where: str, header: list[str], names: list[str]) -> list[int]:
    """Return where the columns are."""
    for name in names:
        if header.count(name) != 1:
            near = nearest(name, header)
            got = f"{header.count(name)} columns {name!r}" if name in header else f"no {name!r}"
            fix = f"Rename {near[6:-1]}." if near and name not in header else "Correct the header."
            fail(where, f"the columns {', '.join(names)}", got, fix)
    return [header.index(name) for name in names]


def _rows(
    where: str, delimiter: str | None, encoding: str | None, blank: bool = False
) -> list[Row]:
    """Return the lines as cells, with points for decimal commas.

    Empty lines are left out, and lines of empty cells unless ``blank``.
    """
    lines = _lines(where, encoding)
    delimiter = delimiter_of(lines) if delimiter is None else delimiter
    rows = _parsed(where, lines, delimiter)
    if not blank:
        rows = [(line, cells) for line, cells in rows if "".join(cells).strip()]
    if delimiter != ",":
        rows = [(line, [*map(pointed, cells)]) for line, cells in rows]
    _expect_no_comments(where, rows)
    return rows


def _is_header(row: Row) -> bool:
    return not any(is_number(cell) or is_date(cell) for cell in row[1])


def _expect_two_columns(where: str, rows: list[Row]) -> None:
    if rows and len(rows[0][1]) == 1:
        other = next((sign for sign in ";\t|," if sign in rows[0][1][0]), "")
        got = f"1 column, with {other!r} in it" if other else "1 column"
        fix = f"Pass delimiter={other!r}." if other else "Write a comma between the columns."
        fail(where, "an input column and a target column", got, fix)


def _expect_width(where: str, rows: list[Row], width: int) -> None:
    for line, cells in rows:
        if len(cells) != width:
            fix = "Add the missing cells or remove the extra ones."
            fail(f"{where}, line {line}", f"{width} cells", str(len(cells)), fix)


def _place(where: str, line: int, column: int, names: Sequence[str]) -> str:
    name = f" ({names[column]})" if names else ""
    return f"{where}, line {line}, column {column + 1}{name}"


def _order(names: Sequence[str], target: str | None, ignore: Iterable[str]) -> list[int]:
    """Return which columns are used, the target last."""

    def place(option: str, name: str) -> int:
        if name in names:
            return names.index(name)
        form = f"{option}={{!r}}"
        raise OptionError(
            where=f"read_csv({option}=...)",
            expected=f"one of the columns {', '.join(names)}",
            got=describe(name),
            fix=nearest(name, names, form) or f"Write {form.format(names[0])}.",
        )

    ignored = {place("ignore", name) for name in ([ignore] if isinstance(ignore, str) else ignore)}
    used = [i for i in range(len(names)) if i not in ignored]
    goal = used[-1] if target is None and used else place("target", target or names[-1])
    inputs = [i for i in used if i != goal]
    if not inputs:
        raise OptionError(
            where="read_csv(ignore=...)",
            expected="an input column and a target column that are not ignored",
            got=f"{len(used)} of {len(names)} columns",
            fix="Remove names from ignore=....",
        )
    return [*inputs, goal]


def _column(
    where: str,
    rows: list[Row],
    i: int,
    names: tuple[str, ...],
    is_target: bool,
    rest: tuple[float, ...],
) -> Column:
    """Return what the cells of a column mean. ``rest`` replaces missing ones."""
    cells = [row[i] for _, row in rows]
    place = _place(where, rows[0][0], i, names).replace(f", line {rows[0][0]}", "")
    name = names[i] if names else ""
    column = _target(name, cells, place) if is_target else Column.of(name, cells, place)
    return replace(column, means=rest * (1 if is_target else len(column.inputs)))


def _target(name: str, cells: list[str], place: str) -> Column:
    """Return the target: numbers, or texts that are classes."""
    known = sorted({cell.strip() for cell in cells if not is_missing(cell, text=True)})
    if any(map(is_date, known)):
        fix = "Pass target='NAME' with the name of the column to predict."
        fail(place, "numbers or texts to predict", f"the date {known[0]}", fix)
    if any(map(is_number, known)) or all(map(is_missing, known)):
        return Column(name)
    if len(known) > max(MOST_TEXTS, len(cells) // 2):
        fix = "Pass target='NAME' with the name of the column to predict."
        got = f"{len(known)} different texts in {len(cells)} rows"
        fail(place, "classes of several rows each", got, fix)
    return Column(name, "class", tuple(known))


def _completed(
    where: str, table: list[list[float]], missing: str
) -> tuple[list[list[float]], Iterator[float]]:
    """Return the rows without those that lack a number, or with means in their places.

    The means are for missing cells of later rows; there are none if rows are left out.
    """
    kept = [row for row in table if not math.isnan(row[-1])]
    if missing == "drop":
        kept = [row for row in kept if not any(map(math.isnan, row))]
    if not kept:
        fail(where, "a row without missing cells", "none", "Pass missing='mean'.")
    if missing == "drop":
        return kept, iter(())
    means = [mean_of(column) for column in zip(*kept, strict=True)]
    if any(map(math.isnan, means)):
        fix = "Pass ignore=... with its name."
        fail(where, "a number in every column", "a column without one", fix)
    filled = [
        [mean if math.isnan(x) else x for x, mean in zip(row, means, strict=True)] for row in kept
    ]
    return filled, iter(means)


def _lines(where: str, encoding: str | None) -> list[str]:
    """Return the lines of the file."""
    data = b""
    try:
        data = _bytes(where)
        text = data.decode(encoding or "utf-8-sig").removeprefix("\ufeff")
    except OSError as error:
        reason = f"the error {error.strerror or str(error)!r}"
        fix = "Check the path: it is relative to the folder where the program was started."
        raise _error(where, "a file that can be read", reason, fix) from error
    except LookupError as error:
        raise OptionError(
            where="read_csv(encoding=...)",
            expected="the name of an encoding of texts",
            got=describe(encoding),
            fix="Pass encoding='latin-1', or leave it out for UTF-8.",
        ) from error
    except UnicodeError as error:
        byte = data[getattr(error, "start", 0)]
        fix = f"Pass encoding={_encoding(data)!r}, or save the table as CSV in UTF-8."
        expected = f"text in {encoding or 'UTF-8'}"
        raise _error(where, expected, f"byte {byte:#04x}", fix) from error
    return StringIO(text, newline="").readlines()


def _bytes(where: str) -> bytes:
    if where != "-":
        return Path(where).read_bytes()
    stream = getattr(sys.stdin, "buffer", None)  # a stand-in for it may have texts only
    return stream.read() if stream is not None else sys.stdin.read().encode()


def _encoding(data: bytes) -> str:
    """Return the likely encoding of a file that is not in UTF-8."""
    if data.startswith((BOM_UTF16_LE, BOM_UTF16_BE)):
        return "utf-16"
    return "cp1252" if any(0x80 <= byte < 0xA0 for byte in data) else "latin-1"


def _parsed(where: str, lines: Iterable[str], delimiter: str) -> list[Row]:
    try:
        reader = csv.reader(lines, delimiter=delimiter, strict=True, skipinitialspace=True)
    except (TypeError, ValueError):
        raise OptionError(
            where="read_csv(delimiter=...)",
            expected="one character that may stand between cells",
            got=describe(delimiter),
            fix="Pass delimiter=';' for semicolons, or delimiter='\\t' for tabs.",
        ) from None
    try:
        return [
            (reader.line_num, cells) for cells in reader if len(cells) > 1 or "".join(cells).strip()
        ]
    except csv.Error as error:
        place = f"{where}, line {reader.line_num}"
        raise _error(place, "a CSV line", str(error), "Look at its quotation marks.") from error


def _expect_no_comments(where: str, rows: list[Row]) -> None:
    """Raise `DataError` for a comment. A first line of as many cells as the next is a header."""
    for i, (line, cells) in enumerate(rows):
        is_header = i == 0 and len(rows) > 1 and len(cells) == len(rows[1][1])
        if cells[0].lstrip().startswith("#") and not is_header:
            got = f"the comment {','.join(cells)!r}"
            fail(f"{where}, line {line}", "numbers", got, "Remove the lines that begin with #.")


def _error(where: str, expected: str, got: str, fix: str) -> DataError:
    return DataError(where=where, expected=expected, got=got, fix=fix)
