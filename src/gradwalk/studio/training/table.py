"""The user's own table: text of x, y and label, made into points."""

from __future__ import annotations

import csv
import math
from collections.abc import Sequence

from ...data.csv_file import is_number
from ...training.problem import Scaling
from .reading import Point, refuse

__all__ = ["points_from_csv"]

Row = tuple[int, list[str]]
"""A line number, from 1 on, and its cells."""


def points_from_csv(text: str, most: int) -> tuple[tuple[Point, ...], str]:
    """The points in a table of the columns x, y and label, and words on what was done to them.

    The delimiter is a comma, a semicolon or a tab; a first line without numbers is a header. The
    label is anything that has two different values, numbers or words: the first in order becomes 0,
    the other 1. x and y are scaled to mean 0 and standard deviation 1, as ``gradwalk train`` does
    with a table. What cannot be read is a `DataError` that names the line and the column.

    >>> points_from_csv("width,height,kind\\n10,2,pear\\n30,4,apple\\n", 100)[0]
    ((-1.0, -1.0, 1), (1.0, 1.0, 0))
    """
    rows = _without_header(_rows(text))
    if not rows:
        refuse("the table", "lines of x, y and label", "none", "Write one line per point.")
    if len(rows) > most:
        refuse("the table", f"at most {most:,} points", f"{len(rows):,}", "Leave some lines out.")
    columns = [[_number(row, column) for row in rows] for column in (0, 1)]
    labels = [_label(row) for row in rows]
    kinds = _kinds(labels)
    x, y = (Scaling.of(column) for column in columns)
    points = tuple(
        (x.apply(a), y.apply(b), kinds.index(label))
        for a, b, label in zip(*columns, labels, strict=True)
    )
    return points, _words(len(points), x, y, kinds)


def _rows(text: str) -> list[Row]:
    """The lines that are not blank, each of three cells."""
    lines = text.removeprefix("\ufeff").splitlines(keepends=True)
    reader = csv.reader(lines, delimiter=_delimiter(lines), strict=True, skipinitialspace=True)
    try:
        rows = [(reader.line_num, cells) for cells in reader if "".join(cells).strip()]
    except csv.Error as error:
        where = f"line {reader.line_num}"
        refuse(where, "cells of a table", str(error), "Look at its quotation marks.")
    for line, cells in rows:
        if len(cells) != 3:
            fix = "Keep the columns x, y and label, with commas between them."
            refuse(f"line {line}", "3 cells", str(len(cells)), fix)
    return rows


def _delimiter(lines: Sequence[str]) -> str:
    """What stands most often in the first line that is not blank."""
    first = next((line for line in lines if line.strip()), "")
    return max(",;\t", key=first.count)


def _without_header(rows: list[Row]) -> list[Row]:
    is_header = rows and not any(is_number(cell) for cell in rows[0][1])
    return rows[1:] if is_header else rows


def _number(row: Row, column: int) -> float:
    line, cells = row
    cell = cells[column]
    if not is_number(cell) or not math.isfinite(float(cell)):
        got = repr(cell[:40]) if cell.strip() else "an empty cell"
        fix = "Write it like 0.5 or 1e-3, or remove the line."
        refuse(f"line {line}, column {column + 1} ({'xy'[column]})", "a finite number", got, fix)
    return float(cell)


def _label(row: Row) -> str:
    line, cells = row
    label = cells[2].strip()
    if not label:
        fix = "Name the kind of this point, or remove the line."
        refuse(f"line {line}, column 3 (label)", "a label", "an empty cell", fix)
    return f"{float(label):g}" if is_number(label) else label  # 1 and 1.0 are one label


def _kinds(labels: Sequence[str]) -> list[str]:
    """The two different labels, in order: numbers by size, words by the alphabet."""
    kinds = sorted(set(labels), key=lambda k: (0, float(k), k) if is_number(k) else (1, 0.0, k))
    if len(kinds) != 2:
        some = ", ".join(repr(kind[:40]) for kind in kinds[:5])
        got = f"{len(kinds)}: {some}{', …' if len(kinds) > 5 else ''}"
        fix = "Points of two kinds are told apart here; gradwalk train takes more."
        refuse("column 3 (label)", "two different labels", got, fix)
    return kinds


def _words(count: int, x: Scaling, y: Scaling, kinds: Sequence[str]) -> str:
    return (
        f"{count} points. {kinds[0]} is label 0, {kinds[1]} is label 1. "
        f"x and y are scaled to mean 0 and standard deviation 1; in the table they were "
        f"{x.mean:.4g} ± {x.std:.4g} and {y.mean:.4g} ± {y.std:.4g}."
    )
