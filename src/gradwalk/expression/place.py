"""A piece of a text, and the operands that stand beside it."""

from __future__ import annotations

from dataclasses import dataclass

from .pieces import CLOSING, OPENING, Piece
from .pointing import shortened

__all__ = ["Place"]


@dataclass(frozen=True, slots=True)
class Place:
    """The piece ``pieces[at]`` of a source."""

    source: str
    pieces: list[Piece]
    at: int

    @property
    def piece(self) -> Piece:
        """The piece itself."""
        return self.pieces[self.at]

    def near(self, steps: int) -> Piece:
        """The piece so many steps on; beyond the ends there is an empty line."""
        at = self.at + steps
        return self.pieces[at] if 0 <= at < len(self.pieces) else Piece("line", "", 0, -1)

    def before(self) -> str:
        """The operand that ends here: a name, a number, brackets, a call; or ""."""
        last = self.near(-1)
        first = last
        if last.text in CLOSING and last.opening >= 0:
            caller = self.pieces[last.opening - 1] if last.opening else last
            first = caller if caller.kind == "name" else self.pieces[last.opening]
        elif last.kind not in ("number", "name"):
            return ""
        return _brief(self.source[first.start : last.end])

    def operand(self, steps: int) -> str:
        """The operand that begins so many pieces on, with its sign; or ""."""
        first = at = self.at + steps
        while at < len(self.pieces) and self.pieces[at].text in ("+", "-", "−"):
            at += 1
        start, last = Place(self.source, self.pieces, at), at
        if start.near(0).kind == "name" and start.near(1).text == "(":
            last = start.closing(at + 1)
        elif start.near(0).text in OPENING:
            last = start.closing(at)
        elif start.near(0).kind not in ("number", "name"):
            return ""
        text = self.source[self.pieces[first].start : self.pieces[last].end].replace("−", "-")
        return _brief(f"({text[1:-1]})" if text[0] in "[{" else text)

    def closing(self, bracket: int) -> int:
        """The piece that closes a bracket; the bracket itself if nothing does."""
        for k, piece in enumerate(self.pieces):
            if piece.opening == bracket and piece.text in CLOSING:
                return k
        return bracket


def _brief(code: str) -> str:
    text = shortened(code)
    return text if len(text) <= 24 else "(...)"
