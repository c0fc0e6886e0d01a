"""Error messages that point at a character of the formula."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Protocol

from ..errors import ExpressionError
from .language import MESSAGES

__all__ = ["error_at", "message", "point_at", "shortened"]

BEFORE, WIDTH = 36, 72
"""How much of a long line an error shows: characters before the caret, and in all."""

FIELD = re.compile(r"\{(\w+)\}")


def message(key: str, **fields: str) -> dict[str, str]:
    """Return the parts of a message of the language: expected, got and fix."""
    expected, got, *fixes = MESSAGES[key]
    return {
        "expected": expected.format(**fields),
        "got": got.format(**fields),
        "fix": first_complete(fixes, fields),
    }


def first_complete(templates: Sequence[str], fields: dict[str, str]) -> str:
    """Fill the first template whose fields all have a text. Return "" if there is none."""
    for template in templates:
        if all(fields.get(name) for name in FIELD.findall(template)):
            return template.format(**fields)
    return ""


class Part(Protocol):
    """A token or a node of the tree: a part of the text."""

    @property
    def start(self) -> int:
        """The offset of its first character."""

    @property
    def end(self) -> int:
        """The offset behind its last character."""


def error_at(text: str, place: int | Part, key: str, **fields: str) -> ExpressionError:
    """Return the error with a message of the language at an offset or a part of ``text``."""
    if isinstance(place, int):
        return point_at(text, place, **message(key, **fields))
    code = {"code": shortened(text[place.start : place.end])}
    return point_at(text, place.start, **message(key, **(code | fields)))


def point_at(text: str, offset: int, *, expected: str, got: str, fix: str) -> ExpressionError:
    """Return the error at a place of ``text``, with the line and a caret below it."""
    start = text.rfind("\n", 0, offset) + 1
    line, column = text.count("\n", 0, offset) + 1, offset - start + 1
    return ExpressionError(
        where=f"formula, line {line}, column {column}",
        expected=expected,
        got=got,
        fix=f"{fix}\n\n{_excerpt(text[start:].partition(chr(10))[0], column)}",
    )


def _excerpt(line: str, column: int) -> str:
    start = max(0, column - 1 - BEFORE)
    before = "..." if start else ""
    after = "..." if len(line) > start + WIDTH else ""
    part = _visible(line[start : start + WIDTH])
    caret = " " * (len(before) + column - 1 - start) + "^"
    return f"    {before}{part}{after}\n    {caret}"


def _visible(text: str) -> str:
    """Replace tabs and control characters, which would shift or repaint the terminal."""
    return "".join(c if c.isprintable() else " " for c in text)


def shortened(code: str, limit: int = 64) -> str:
    """Return a part of a formula on one line, cut if it is long, for use inside a sentence."""
    line = _visible(" ".join(code.split()))
    return line if len(line) <= limit else line[: limit - 3] + "..."
