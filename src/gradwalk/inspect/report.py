"""Explanations as rows of text, for terminals and for notebooks."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

__all__ = ["Report", "html_table", "text_table"]

Rows = Sequence[Sequence[str]]


class Report:
    """A text that a notebook shows as a table. ``rows`` are captions with what they say."""

    title: str
    rows: list[tuple[str, str]]

    def __init__(self, title: str, rows: Sequence[tuple[str, str]] = ()) -> None:
        self.title, self.rows = title, list(rows)

    def __str__(self) -> str:
        width = max((len(caption) for caption, _ in self.rows), default=0)
        lines = [f"  {caption:<{width}}  {text}" for caption, text in self.rows]
        return "\n".join([self.title, *lines])

    __repr__ = __str__

    def _repr_html_(self) -> str:
        return f"<p><b>{escape(self.title)}</b></p>" + html_table(self.rows)


def html_table(rows: Rows, head: Sequence[str] = ()) -> str:
    """Return rows of cells as a table of HTML."""
    if not rows:
        return ""
    style = ' style="text-align: left; vertical-align: top"'
    top = "".join(f"<th{style}>{escape(cell)}</th>" for cell in head)
    body = [
        "<tr>" + "".join(f"<td{style}>{escape(cell)}</td>" for cell in row) + "</tr>"
        for row in rows
    ]
    return f"<table>{f'<tr>{top}</tr>' if top else ''}{''.join(body)}</table>"


def text_table(rows: Rows, numbers: Sequence[int] = ()) -> list[str]:
    """Return rows as lines of equal columns. ``numbers`` are the columns to align right."""
    widths = [max(len(row[k]) for row in rows) for k in range(len(rows[0]))] if rows else []
    return [
        "  ".join(
            cell.rjust(width) if k in numbers else cell.ljust(width)
            for k, (cell, width) in enumerate(zip(row, widths, strict=True))
        ).rstrip()
        for row in rows
    ]
