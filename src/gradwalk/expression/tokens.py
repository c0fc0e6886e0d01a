"""The tokens of a formula: numbers, names, keywords, quotations, signs and ends of lines."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from .language import CLOSING, KEYWORDS, NO_LETTERS, PATTERNS

__all__ = ["NOTHING", "Token", "tokenize"]

MATCHERS = {kind: re.compile(pattern) for kind, pattern in PATTERNS.items()}
CLOSED = tuple(CLOSING.values())


@dataclass(slots=True)
class Token:
    """A token; ``kind`` is number, name, keyword, quotation, sign or line.

    ``inside``   the index of the bracket around it, or -1
    ``partner``  of a bracket: the index of the other one of its pair, or -1
    """

    kind: str
    text: str
    start: int
    inside: int = -1
    partner: int = -1

    @property
    def end(self) -> int:
        """The offset behind its last character."""
        return self.start + len(self.text)

    @property
    def ends(self) -> bool:
        """Whether a statement ends here."""
        return self.inside < 0 and (self.kind == "line" or self.text == ";")


NOTHING = Token("line", "", 0)


def tokenize(text: str) -> list[Token]:
    """Return all tokens; the last one is the end of the last line.

    Blanks, comments, and ends of lines inside brackets are not tokens.
    """
    tokens: list[Token] = []
    brackets: list[int] = []
    for token in _scan(text + "\n"):
        if token.kind == "line" and brackets and token.end <= len(text):
            continue
        if token.text in CLOSED and brackets:
            token.partner = brackets.pop()
            tokens[token.partner].partner = len(tokens)
        token.inside = brackets[-1] if brackets and token.kind != "line" else -1
        if token.text in CLOSING:
            brackets.append(len(tokens))
        tokens.append(token)
    return tokens


def _scan(source: str) -> Iterator[Token]:
    at = 0
    while at < len(source):
        kind, text = _match(source, at)
        if kind != "blank":
            yield Token(kind, text, at)
        at += len(text)


def _match(source: str, at: int) -> tuple[str, str]:
    """Return the kind and the text of what begins at an offset."""
    for kind, pattern in MATCHERS.items():
        word = _word(source, at) if kind == "sign" else ""
        if word:
            return "keyword" if word in KEYWORDS else "name", word
        if found := pattern.match(source, at):
            return kind, found.group()
    raise AssertionError  # a sign is any character


def _word(source: str, at: int) -> str:
    """Return the name that begins at an offset, in letters of any script; or ""."""
    end = at
    # the first letter doubled is a name if a name may begin with it
    while (source[at : at + 1] + source[end]).isidentifier() and source[end] not in NO_LETTERS:
        end += 1
    return source[at:end]
