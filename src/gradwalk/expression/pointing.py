"""Errors that point at the character, and guesses at what was meant."""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches

from ..errors import ExpressionError

__all__ = ["OTHER_NAMES", "nearest", "point_at", "shortened"]

BEFORE, WIDTH = 36, 72
"""How much of a long line an error shows: characters before the caret, and in all."""

OTHER_NAMES = {
    "ln": "log", "max": "maximum", "min": "minimum", "sgn": "sign", "σ": "sigmoid",
    "logistic": "sigmoid", "swish": "silu", "fabs": "abs", "power": "pow",
}  # fmt: skip
"""What other systems call a function, where the spelling alone would mislead the guess."""


def point_at(
    text: str, line: int, column: int, *, expected: str, got: str, fix: str
) -> ExpressionError:
    """The error at a place of ``text``, counted from 1, with the line and a caret below it."""
    return ExpressionError(
        where=f"formula, line {line}, column {column}",
        expected=expected,
        got=got,
        fix=f"{fix}\n\n{_excerpt(text.split(chr(10))[line - 1], column)}",
    )


def _excerpt(line: str, column: int) -> str:
    start = max(0, column - 1 - BEFORE)
    before = "..." if start else ""
    after = "..." if len(line) > start + WIDTH else ""
    part = _visible(line[start : start + WIDTH])
    caret = " " * (len(before) + column - 1 - start) + "^"
    return f"    {before}{part}{after}\n    {caret}"


def _visible(text: str) -> str:
    """``text`` without tabs and control characters, which would shift or repaint the terminal."""
    return "".join(c if c.isprintable() else " " for c in text)


def shortened(code: str) -> str:
    """A piece of a formula, short enough to stand inside a sentence."""
    line = _visible(" ".join(code.split()))
    return line if len(line) <= 64 else line[:61] + "..."


def nearest(name: str, known: Iterable[str]) -> str:
    """A question that offers the known name that is most like ``name``; empty if none is."""
    names = list(known)
    if OTHER_NAMES.get(name) in names:
        return f"Did you mean {OTHER_NAMES[name]!r}?"
    similar = get_close_matches(name, names, n=1, cutoff=0.65)
    return f"Did you mean {similar[0]!r}?" if similar else ""
