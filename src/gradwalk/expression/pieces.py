"""A text in pieces: numbers, names, quotations and signs, before anybody asks what they mean."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from keyword import iskeyword

__all__ = ["CLOSING", "OPENING", "Piece", "cut"]

OPENING, CLOSING = ("(", "[", "{"), (")", "]", "}")

BLANK = re.compile(r"(?:[ \t\f]|\\\n|#[^\n]*)+")
QUOTATION = re.compile(
    r"""[rRbBuUfF]{0,2}(?:'''.*?'''|\"\"\".*?\"\"\""""
    r"""|'(?:\\.|[^'\\\n])*'|"(?:\\.|[^"\\\n])*")""",
    re.DOTALL,
)
NUMBER = re.compile(
    r"0[xX][0-9a-fA-F_]+|0[oO][0-7_]+|0[bB][01_]+"
    r"|(?:[0-9][0-9_]*\.?(?:[0-9][0-9_]*)?|\.[0-9][0-9_]*)(?:[eE][-+]?[0-9][0-9_]*)?[jJ]?"
)
SIGN = re.compile(r"\*\*=?|//=?|<<=?|>>=?|<>|\.\.\.|->|:=|&&|\|\||[-+*/%@&|^<>=!]=|.", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Piece:
    """``kind``: number, name, keyword, quotation, sign, line; ``opening``: of its bracket, or -1.

    A bracket that closes has the index of the one that it closes there.
    """

    kind: str
    text: str
    start: int
    opening: int

    @property
    def end(self) -> int:
        """Where the next piece may begin."""
        return self.start + len(self.text)


def cut(source: str) -> list[Piece]:
    """All pieces; blanks, comments and the ends of lines inside brackets are none."""
    pieces: list[Piece] = []
    brackets: list[int] = []
    for kind, text, start in _cut(source):
        if kind == "line" and brackets:
            continue
        pieces.append(Piece(kind, text, start, brackets[-1] if brackets else -1))
        if kind == "sign" and text in OPENING:
            brackets.append(len(pieces) - 1)
        elif kind == "sign" and text in CLOSING and brackets:
            brackets.pop()
    return pieces


def _cut(source: str) -> Iterator[tuple[str, str, int]]:
    at = 0
    while at < len(source):
        if blank := BLANK.match(source, at):
            at = blank.end()
            continue
        kind, text = _piece(source, at)
        yield kind, text, at
        at += len(text)


def _piece(source: str, at: int) -> tuple[str, str]:
    if source[at] == "\n":
        return "line", "\n"
    for kind, pattern in (("quotation", QUOTATION), ("number", NUMBER)):
        if found := pattern.match(source, at):
            return kind, found.group()
    if word := _word(source, at):
        return "keyword" if iskeyword(word) else "name", word
    found = SIGN.match(source, at)
    return "sign", found.group() if found else source[at]


def _word(source: str, at: int) -> str:
    """A name as Python's grammar has it, which letters of all scripts may form."""
    if not source[at].isidentifier():
        return ""
    end = at + 1
    while end < len(source) and ("a" + source[end]).isidentifier():
        end += 1
    return source[at:end]
