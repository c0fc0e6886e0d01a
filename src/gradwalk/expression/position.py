"""A token in its text, and the operands beside it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from .functions import CALLABLE
from .language import CLOSING, OTHER_NAMES
from .messages import shortened
from .tokens import NOTHING, Token

__all__ = ["SHORT", "Position", "unbracketed"]

SHORT = 24
"""Most characters of an operand that a hint repeats."""

CLOSED = tuple(CLOSING.values())
SIGNS = ("+", "-", "−")


@dataclass(frozen=True, slots=True)
class Position:
    """The token ``tokens[at]`` of a text."""

    text: str
    tokens: Sequence[Token]
    at: int

    @property
    def token(self) -> Token:
        """The token itself."""
        return self.tokens[self.at]

    def near(self, steps: int) -> Token:
        """Return the token so many steps on; beyond the ends there is an empty line."""
        at = self.at + steps
        return self.tokens[at] if 0 <= at < len(self.tokens) else NOTHING

    def before(self) -> str:
        """Return the operand that ends here: a name, a number, brackets, a call; or ""."""
        last = first = self.near(-1)
        if last.text in CLOSED and last.partner >= 0:
            caller = self.tokens[last.partner - 1] if last.partner else last
            first = caller if caller.kind == "name" else self.tokens[last.partner]
        elif last.kind not in ("number", "name"):
            return ""
        return _brief(self.text[first.start : last.end])

    def operand(self, steps: int) -> str:
        """Return the operand that begins so many tokens on, with its sign; or ""."""
        first = steps
        while self.near(steps).text in SIGNS:
            steps += 1
        start, following = self.near(steps), self.near(steps + 1)
        opening = following if start.kind == "name" and following.text == "(" else start
        if opening.text not in CLOSING and start.kind not in ("number", "name"):
            return ""
        last = self.tokens[opening.partner] if opening.partner >= 0 else opening
        text = self.text[self.near(first).start : last.end].replace("−", "-")
        return _brief(f"({text[1:-1]})" if text[0] in "[{" else text)

    def function(self) -> str:
        """Return the function whose name ends here, as a formula spells it; or ""."""
        before = self.near(-1)
        name = OTHER_NAMES.get(before.text, before.text)
        return name if before.kind == "name" and name in CALLABLE else ""

    def called(self) -> bool:
        """Return whether the bracket around the token is that of a call."""
        bracket = self.token.inside
        return bracket > 0 and self.tokens[bracket - 1].kind == "name"


def unbracketed(code: str) -> str:
    """Return what is inside the brackets, if all of it is inside one pair."""
    return code[1:-1] if code.startswith("(") and ")" not in code[:-1] else code


def _brief(code: str) -> str:
    text = shortened(code)
    return text if len(text) <= SHORT else "(...)"
