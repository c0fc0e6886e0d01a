"""The conversion of a table of x, y and label into points."""

from __future__ import annotations

import csv
import math
from collections.abc import Sequence

from ...data.cells import is_number
from ...training.problem import Scaling
from .reading import Point, refuse

__all__ = ["points_from_csv"]

Row = tuple[int, list[str]]
"""A line number, which starts at 1, and the cells."""


LONG = 10_000  # enough of a line to find its delimiter; csv refuses cells of 131,072 characters

COMMAS = " A comma inside a number is read as a decimal point."

NAMES = ({"x"}, {"y"}, {"label", "class", "target", "kind"})
"""Header names for the three columns, which allow any order."""

AS_WRITTEN = (0, 1, 2)


def points_from_csv(text: str, most: int) -> tuple[tuple[Point, ...], str]:
    """Return the points in a table with columns x, y and label, and a note on the conversion.

    The delimiter is a comma, a semicolon or a tab. Numbers may have a decimal comma. A first line
    without numbers is a header. If it names x, y and label (or class, target, kind), the columns
    are found by name, otherwise they are in this order. The labels have two different values,
    numbers or words. The first in sorted order becomes 0, the other 1. x and y are scaled to mean 0
    and standard deviation 1, as in ``gradwalk train``. Raise `DataError` with line and column for
    cells that cannot be read.

    >>> points_from_csv("width,height,kind\\n10,2,pear\\n30,4,apple\\n", 100)[0]
    ((-1.0, -1.0, 1), (1.0, 1.0, 0))
    >>> points_from_csv("label;y;x\\npear;2,5;10\\napple;4,5;30\\n", 100)[0]
    ((-1.0, -1.0, 1), (1.0, 1.0, 0))
    """
    rows, (x_at, y_at, label_at) = _without_header(_rows(text))
    if not rows:
        refuse("the table", "lines of x, y and label", "none", "Write one line per point.")
    if len(rows) > most:
        refuse("the table", f"at most {most:,} points", f"{len(rows):,}", "Leave some lines out.")
    xs, ys = [_number(row, x_at, "x") for row in rows], [_number(row, y_at, "y") for row in rows]
    labels = [_label(row, label_at) for row in rows]
    kinds = _kinds(labels, label_at)
    x, y = Scaling.of(xs), Scaling.of(ys)
    points = tuple(
        (x.apply(a), y.apply(b), kinds.index(label))
        for a, b, label in zip(xs, ys, labels, strict=True)
    )
    commas = any("," in cells[at] for _, cells in rows for at in (x_at, y_at))
    return points, _words(len(points), x, y, kinds) + (COMMAS if commas else "")


def _rows(text: str) -> list[Row]:
    """Return the lines that are not blank, each with three cells."""
    lines = text.removeprefix("\ufeff").splitlines(keepends=True)
    reader = csv.reader(lines, delimiter=_delimiter(lines), strict=True, skipinitialspace=True)
    try:
        rows = [(reader.line_num, cells) for cells in reader if "".join(cells).strip()]
    except csv.Error as error:
        where = f"line {reader.line_num}"
        refuse(where, "cells of a table", str(error), "Check the quotation marks.")
    for line, cells in rows:
        if len(cells) != 3:
            fix = "Keep the columns x, y and label, with commas, semicolons or tabs between them."
            refuse(f"line {line}", "3 cells", str(len(cells)), fix)
    return rows


def _delimiter(lines: Sequence[str]) -> str:
    """Find the delimiter that splits the first line that is not blank into three cells.

    The comma is tried last, because numbers and labels may contain commas. If there are never three
    cells, the most frequent delimiter is returned.
    """
    first = next((line for line in lines if line.strip()), "")[:LONG]
    fitting = (one for one in "\t;," if len(_split(first, one)) == len(AS_WRITTEN))
    return next(fitting, max(",;\t", key=first.count))


def _split(line: str, delimiter: str) -> list[str]:
    return next(csv.reader([line], delimiter=delimiter, skipinitialspace=True), [])


def _without_header(rows: list[Row]) -> tuple[list[Row], tuple[int, ...]]:
    """Return the rows of points, and the columns of x, y and label."""
    if not rows or any(is_number(_with_point(cell)) for cell in rows[0][1]):
        return rows, AS_WRITTEN
    header = [cell.strip().casefold() for cell in rows[0][1]]
    places = [[i for i, name in enumerate(header) if name in names] for names in NAMES]
    is_clear = all(len(found) == 1 for found in places)
    return rows[1:], tuple(found[0] for found in places) if is_clear else AS_WRITTEN


def _with_point(cell: str) -> str:
    """Replace a decimal comma by a point. With both, one of them separates thousands."""
    return cell.replace(",", ".") if cell.count(",") == 1 and "." not in cell else cell


def _number(row: Row, column: int, name: str) -> float:
    line, cells = row
    cell, number = cells[column], _with_point(cells[column])
    if not is_number(number) or not math.isfinite(float(number)):
        got = repr(cell[:40]) if cell.strip() else "an empty cell"
        fix = "Write it like 0.5 or 1e-3, or remove the line."
        refuse(f"line {line}, column {column + 1} ({name})", "a finite number", got, fix)
    return float(number)


def _label(row: Row, column: int) -> str:
    line, cells = row
    label = cells[column].strip()
    if not label:
        fix = "Name the kind of this point, or remove the line."
        refuse(f"line {line}, column {column + 1} (label)", "a label", "an empty cell", fix)
    return f"{float(label):g}" if is_number(label) else label  # 1 and 1.0 are one label


def _kinds(labels: Sequence[str], column: int) -> list[str]:
    """Return the two different labels: numbers sorted by size, words alphabetically."""
    kinds = sorted(set(labels), key=lambda k: (0, float(k), k) if is_number(k) else (1, 0.0, k))
    if len(kinds) != 2:
        some = ", ".join(repr(kind[:40]) for kind in kinds[:5])
        got = f"{len(kinds)}: {some}{', …' if len(kinds) > 5 else ''}"
        fix = "Use two labels here, or gradwalk train for more."
        refuse(f"column {column + 1} (label)", "two different labels", got, fix)
    return kinds


def _words(count: int, x: Scaling, y: Scaling, kinds: Sequence[str]) -> str:
    return (
        f"{count} points. {kinds[0]} is label 0, {kinds[1]} is label 1. "
        f"x and y are scaled to mean 0 and standard deviation 1; in the table they were "
        f"{x.mean:.4g} ± {x.std:.4g} and {y.mean:.4g} ± {y.std:.4g}."
    )
