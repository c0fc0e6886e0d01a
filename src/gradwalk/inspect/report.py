"""Reports: a table and captions as text, for terminals, and with a picture, for notebooks."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from typing import ClassVar

from .draw import Drawing

__all__ = ["Report"]

Rows = Sequence[Sequence[str]]


class Report:
    """A text that a notebook shows with a picture and tables.

    ``title``  the first line
    ``rows``   captions with what they say
    """

    title: str
    rows: list[tuple[str, str]]
    head: ClassVar[tuple[str, ...]] = ()
    """The names of the columns of `table`."""
    numbers: ClassVar[tuple[int, ...]] = ()
    """The columns of `table` that are aligned to the right."""

    def __init__(self, title: str, rows: Sequence[tuple[str, str]] = ()) -> None:
        self.title, self.rows = title, list(rows)

    def table(self) -> list[tuple[str, ...]]:
        """Return the lines of the table below the title."""
        return []

    def draw(self) -> Drawing | None:
        """Return a picture of the report, whose ``save(path)`` writes an SVG file."""
        return None

    def __str__(self) -> str:
        table = self.table()
        width = max((len(caption) for caption, _ in self.rows), default=0)
        captions = [f"  {caption:<{width}}  {told}" for caption, told in self.rows]
        lines = _text_table([self.head, *table], self.numbers) if table else []
        return "\n".join([self.title, *lines, *captions])

    __repr__ = __str__

    def _repr_html_(self) -> str:
        drawing, table = self.draw(), self.table()
        # a drawing has the title already
        top = drawing.svg if drawing else f"<p><b>{escape(self.title)}</b></p>"
        return top + _html_table(table, self.head, self.numbers) + _html_table(self.rows)


def _html_table(rows: Rows, head: Sequence[str] = (), numbers: Sequence[int] = ()) -> str:
    """Return rows of cells as a table of HTML, ``numbers`` aligned right, without empty columns."""
    if not rows:
        return ""
    styles = [
        f' style="text-align: {"right" if k in numbers else "left"}; vertical-align: top; '
        'padding: 2px 12px 2px 0"'
        for k in range(len(rows[0]))
    ]
    kept = [k for k in range(len(rows[0])) if any(row[k] for row in rows)]
    top = "".join(f"<th{styles[k]}>{escape(head[k])}</th>" for k in kept if head)
    body = [
        "<tr>" + "".join(f"<td{styles[k]}>{escape(row[k])}</td>" for k in kept) + "</tr>"
        for row in rows
    ]
    return f"<table>{f'<tr>{top}</tr>' if top else ''}{''.join(body)}</table>"


def _text_table(rows: Rows, numbers: Sequence[int]) -> list[str]:
    """Return rows as lines of equal columns. ``numbers`` are the columns to align right."""
    widths = [max(len(row[k]) for row in rows) for k in range(len(rows[0]))]
    return [
        "  ".join(
            cell.rjust(width) if k in numbers else cell.ljust(width)
            for k, (cell, width) in enumerate(zip(row, widths, strict=True))
        ).rstrip()
        for row in rows
    ]
