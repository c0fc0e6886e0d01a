"""Hints about other notations: how to write 2a, x², |x|, √x or a loop as a formula.

Only a text that is not a formula is searched for them.
"""

from __future__ import annotations

import re
from unicodedata import category, normalize

from ..errors import ExpressionError
from .grammar import COMPLETE
from .language import (
    CLOSING,
    EXPECTED,
    FORMULA,
    MALFORMED,
    NOTATION,
    PRIMES,
    QUOTES,
    RESERVED,
    STATEMENTS,
    SUBSCRIPTS,
    SUPERSCRIPTS,
)
from .messages import error_at, first_complete, point_at, shortened
from .position import SHORT, Position, unbracketed
from .tokens import Token

__all__ = ["hint"]

Hint = ExpressionError | None
FIXES: dict[str, list[str]] = {sign: fixes for signs, *fixes in NOTATION for sign in signs.split()}


def hint(text: str, tokens: list[Token], first: int) -> Hint:
    """Return the error with the first hint about a statement, or ``None``."""
    for at in range(first, len(tokens)):
        found = _Hints(text, tokens, at).hint()
        if found or tokens[at].ends:
            return found
    return None


class _Hints(Position):
    """The hints about one token."""

    def hint(self) -> Hint:
        kind, text = self.token.kind, self.token.text
        if kind == "quotation":
            return self.prime() or self.found("quotation")
        if kind == "keyword":
            return self.keyword()
        if kind == "sign" and text not in CLOSING:
            return self.sign()
        return (self.number() if kind == "number" else None) or self.adjacent()

    def found(self, key: str, **fields: str) -> ExpressionError:
        """Return the error with a message at the token."""
        return error_at(self.text, self.token, key, **fields)

    # --- words and numbers ------------------------------------------------------------------------
    def keyword(self) -> Hint:
        word, before = self.token.text, self.near(-1)
        named = self.near(1).text in ("=", "+", "*", "/", "//", "**", "%", ")")
        function = word == "lambda" and (self.near(1).kind == "name" or self.near(1).text == ":")
        fix = "" if named else STATEMENTS.get("def" if function else word, "")
        if fix and (function or before.kind == "line" or before.text == ";"):
            return self.found("statement", code=f"'{word}'", fix=fix)
        return self.found("reserved", fix=fix) if word in RESERVED else None

    def number(self) -> Hint:
        text = self.token.text
        if COMPLETE.fullmatch(text):
            return None
        matches = ((key, re.match(pattern, text)) for key, pattern in MALFORMED)
        key, end = next((key, found.end()) for key, found in matches if found)
        return error_at(self.text, self.token.start + end, key)

    # --- two operands with nothing between them ---------------------------------------------------
    def adjacent(self) -> Hint:
        before, token = self.near(-1), self.token
        begins = token.kind in ("number", "name") or token.text == "{"
        begins = begins or (token.text == "(" and before.kind == "number")
        if not begins or not self.before() or self.new_line():
            return None
        if before.kind == token.kind == "number" and before.end == token.start:
            return None  # 1.5.2
        a = self.before()
        exponent = before.kind == "number" and token.text in ("e", "E")
        fields = {"before": before.text, "function": self.function(), "a": a, "b": self.operand(0)}
        fields |= {"mantissa": a if exponent else "", "factor": a if self.called() else ""}
        return self.found("adjacent", **fields)

    def new_line(self) -> bool:
        """Return whether a new line begins here inside a bracket that is never closed."""
        bracket = self.token.inside
        broken = "\n" in self.text[self.near(-1).end : self.token.start]
        return broken and bracket >= 0 and self.tokens[bracket].partner < 0

    # --- signs ------------------------------------------------------------------------------------
    def sign(self) -> Hint:
        text = self.token.text
        if text == "=":
            return self.equals()
        if text in QUOTES:
            return self.prime() or self.found("quotation")
        if text in FIXES:
            return self.notation()
        return (self.prime() if text in PRIMES else None) or self.unknown()

    def notation(self) -> ExpressionError:
        """Return the error about a sign of the table."""
        sign, start = self.token.text, self.token.start
        fix = first_complete(FIXES[sign], self.fields())
        return point_at(self.text, start, expected=EXPECTED.get(sign, FORMULA), got=sign, fix=fix)

    def fields(self) -> dict[str, str]:
        """Return the texts that a fix may contain."""
        line, following = self.text[self.token.end :].partition("\n")[0], self.near(1)
        inside = shortened(line.partition("|")[0]) if "|" in line else ""
        operand = self.operand(1)
        return {
            "a": self.before(),
            "b": operand,
            "function": self.function(),
            "argument": unbracketed(operand),
            "digits": self.digits(),
            "inside": inside if len(inside) <= SHORT else "",
            "command": following.text if following.kind in ("name", "keyword") else "",
            "plain": self.plain(),
        }

    def prime(self) -> Hint:
        """Find a prime directly after a name."""
        sign, before = self.token.text[0], self.near(-1)
        if sign not in PRIMES or before.kind != "name" or before.end != self.token.start:
            return None
        return self.found("prime", code=sign, name=before.text)

    def equals(self) -> Hint:
        """Find a sign of equality in brackets, unless it is that of a named argument."""
        bracket = self.token.inside
        if bracket < 0 or self.tokens[bracket].text != "(":
            return None
        called = self.called()
        if called and self.near(-1).kind == "name" and self.near(-2).text in ("(", ","):
            return None
        return self.found("equals", example="clip(x, min=0)" if called else "")

    def digits(self) -> str:
        """Return all raised or lowered digits from here on, as a number."""
        digits = SUPERSCRIPTS if self.token.text in SUPERSCRIPTS else SUBSCRIPTS
        rest = self.text[self.token.start : self.token.start + 8]
        run = rest[: len(rest) - len(rest.lstrip(digits))]
        return normalize("NFKC", run).replace("−", "-")

    def plain(self) -> str:
        """Return how a keyboard types the sign; or ""."""
        plain = normalize("NFKC", self.token.text).replace("⁄", "/")
        typed = plain.isascii() and plain.isprintable() and set(plain) != {"."}
        return plain if typed else ""

    def unknown(self) -> Hint:
        """Find a character that no formula has."""
        text = self.token.text
        if text.isascii() and text.isprintable():
            return None
        kind = category(text)
        if kind == "Zs" or kind[0] not in "LNPS":
            key = "blank" if kind == "Zs" else "invisible"
            return self.found(key, code=f"U+{ord(text):04X}")
        return self.found("unknown", plain=self.plain())
