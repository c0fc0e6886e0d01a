"""What other notations write and formulas do not: 2a, x², |x|, √x, loops. Each has its advice.

Python's parser would say "invalid syntax" to most of it. The page's reader has the same list
(web/src/expression/habits.ts), and one table of cases holds for both.
"""

from __future__ import annotations

from typing import NamedTuple
from unicodedata import category, normalize

from .pieces import CLOSING, OPENING, cut
from .place import Place
from .pointing import OTHER_NAMES, shortened
from .program import FUNCTIONS

__all__ = ["CHOICE", "LINE", "NESTED", "OPERATOR", "SAMPLE", "Habit", "habit"]

SAMPLE = "a formula such as (a + b) * c"
LINE = "name = formula, and a formula at the end"
OPERATOR = "one of + - * / // ** %"

NESTED = "Nest it: where(a < b, where(b < c, x, y), y)."
OWN_LINE = "A name is given on a line of its own: d = a * b."
UNQUOTED = "Names stand without quotation marks."
CHOICE = "Write where(condition, a, b)."
LOOP = "There are no loops: give every step a line of its own."
BUILT_IN = "Leave the line out: the functions are there without it."
WRITTEN_OUT = "There are no functions of your own: write the formula itself."
STATEMENTS = {
    "if": CHOICE, "elif": CHOICE, "else": CHOICE, "for": LOOP, "while": LOOP,
    "import": BUILT_IN, "from": BUILT_IN, "def": WRITTEN_OUT, "class": WRITTEN_OUT,
    "return": "Leave 'return' out: the last line is the result.",
}  # fmt: skip
NO_NAMES = {
    *("as", "assert", "async", "break", "class", "continue", "def", "del", "elif", "except"),
    *("finally", "from", "global", "import", "nonlocal", "pass", "raise", "return", "try"),
    *("while", "with", "lambda", "yield", "await"),
}
"""Words of Python's grammar that mean nothing inside of a formula."""

SIGNS = {
    **dict.fromkeys("×⋅∙∗•✕⨯", "*"), **dict.fromkeys("÷∕⁄", "/"), **dict.fromkeys("−–—‐‑", "-"),
    "≤": "<=", "≥": ">=", "≠": "!=", "∞": "inf", "←": "=", "≔": "=", "<>": "!=",
}  # fmt: skip
SUPERSCRIPTS, SUBSCRIPTS = "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻", "₀₁₂₃₄₅₆₇₈₉"
ROOTS = {"√": "sqrt", "∛": "cbrt"}
QUOTES, PRIMES = "\"'“”‘’„‚«»‹›", "'’′″"
DOTS, RAISED = "·\u0387", "ⁿⁱ"  # which may stand in a name of Python


class Habit(NamedTuple):
    """Where it stands, what a formula has instead, and how to write what was meant."""

    offset: int
    got: str
    fix: str
    expected: str = SAMPLE


def habit(source: str) -> Habit | None:
    """The first one of a text; None if it has none, which does not make it a formula."""
    pieces = cut(source)
    for at in range(len(pieces)):
        found = _Look(source, pieces, at).habit()
        if found:
            return found
    return None


class _Look(Place):
    """A piece that may be a habit."""

    def habit(self) -> Habit | None:
        kind, text = self.piece.kind, self.piece.text
        if kind == "quotation":
            return self.prime() or self.found(shortened(text), UNQUOTED)
        if kind == "keyword":
            return self.keyword()
        if kind == "name" and (found := self.name()):
            return found
        if kind == "sign" and text not in OPENING:
            return self.sign()
        return self.side_by_side()

    def found(self, got: str, fix: str, expected: str = SAMPLE) -> Habit:
        return Habit(self.piece.start, got, fix, expected)

    # --- words ----------------------------------------------------------------------------------
    def keyword(self) -> Habit | None:
        word, before, behind = self.piece.text, self.near(-1), self.near(1)
        begins = before.text == ";" or before.kind == "line"
        named = behind.text in ("=", "+", "*", "/", "//", "**", "%", ")")
        if begins and word in STATEMENTS and not named:
            return self.found(f"'{word}'", STATEMENTS[word], LINE)
        rest = self.pieces[self.at :]
        line = next((k for k, piece in enumerate(rest) if piece.kind == "line"), len(rest))
        if word == "lambda" and any(piece.text == ":" for piece in rest[:line]):
            return self.found(f"'{word}'", WRITTEN_OUT)
        fix = "No formula has it; name a variable otherwise."
        return self.found(f"'{word}', a word of Python", fix) if word in NO_NAMES else None

    def name(self) -> Habit | None:
        """Dots and raised letters, which Python takes for a part of the name."""
        text, start = self.piece.text, self.piece.start
        for k, letter in enumerate(text):
            a, b = text[:k], text[k + 1 :]
            if letter in DOTS:
                fix = f"Write {a} * {b}." if b else "Write * instead."
                return Habit(start + k, letter, fix)
            if letter in RAISED:
                power = normalize("NFKC", text[k:])
                return Habit(start + k, letter, f"A power is written **: {a} ** {power}.")
        return None

    # --- two operands with nothing between them -------------------------------------------------
    def side_by_side(self) -> Habit | None:
        before, piece = self.near(-1), self.piece
        if before.kind not in ("number", "name") and before.text not in CLOSING:
            return None
        if piece.kind not in ("number", "name") and not (
            piece.text == "{" or (piece.text == "(" and before.kind == "number")
        ):
            return None
        if self.open_at_a_line():
            return None
        if before.kind == "number" and before.end == piece.start and self.one_number():
            return None
        return self.found(f"{piece.text} right behind {before.text}", self.between())

    def open_at_a_line(self) -> bool:
        """Whether a new line begins here inside a bracket that is never closed."""
        bracket = self.piece.opening
        broken = "\n" in self.source[self.near(-1).end : self.piece.start]
        return broken and bracket >= 0 and self.closing(bracket) == bracket

    def between(self) -> str:
        """What to write between two operands: brackets behind a function, a * otherwise."""
        before, piece = self.near(-1), self.piece
        function = OTHER_NAMES.get(before.text, before.text)
        if before.kind == "name" and (function in FUNCTIONS or function == "logsumexp"):
            return f"Write {function}({self.operand(0)})."
        product = f"{self.before()} * {self.operand(0)}"
        if before.kind == "number" and piece.text in ("e", "E"):
            return f"Write {product}. An exponent has digits: 1e5."
        bracket = piece.opening
        called = bracket > 0 and self.pieces[bracket - 1].kind == "name"
        return f"Write {product}, or a comma between them." if called else f"Write {product}."

    def one_number(self) -> bool:
        """Whether this looks like more digits of what stands before: 1.5.2, 1_, 0xg."""
        piece, before = self.piece, self.near(-1)
        return (
            piece.kind == "number"
            or piece.text.startswith("_")
            or (before.text == "0" and piece.text[0] in "xXoObB" and len(piece.text) < 3)
        )

    # --- signs ------------------------------------------------------------------------------------
    def sign(self) -> Habit | None:
        text = self.piece.text
        if text == "=":
            return self.equals()
        if text in PRIMES + QUOTES:
            return self.prime() or (
                self.found(text, UNQUOTED) if text in QUOTES else self.unknown()
            )
        if text == ":=":
            return self.found(text, OWN_LINE, LINE)
        if text == "^":
            return self.found(text, self.power(self.operand(1)), OPERATOR)
        advice = self.advice(text)
        return self.found(text, advice) if advice else self.unknown()

    def prime(self) -> Habit | None:
        """A prime right behind a name."""
        sign, before = self.piece.text[0], self.near(-1)
        if sign not in PRIMES or before.kind != "name" or before.end != self.piece.start:
            return None
        return self.found(sign, f"A name has letters, digits and _: {before.text}_1.")

    def advice(self, text: str) -> str:
        """How to write what a sign of mathematics or of another language means."""
        if text in SUPERSCRIPTS:
            return self.power(self.row(SUPERSCRIPTS))
        if text in SUBSCRIPTS and self.before():
            return f"Write {self.before()}{self.row(SUBSCRIPTS)}."
        if text in SIGNS:
            return self.instead(SIGNS[text])
        if text in ROOTS:
            return f"Write {ROOTS[text]}({_inner(self.operand(1)) or 'x'})."
        if text in ("&&", "||"):
            return NESTED
        if text == "!" and (n := self.before()):
            return f"A factorial is exp(lgamma({n} + 1))."
        if text == "\\" and self.near(1).kind in ("name", "keyword"):
            return "A formula is no TeX: write a / b, sqrt(x), x ** 2."
        return self.absolute() if text == "|" else "Remove it." if text in "\\!$?`" else ""

    def equals(self) -> Habit | None:
        """A sign of equality in brackets, where it is not the name of an argument."""
        bracket = self.piece.opening
        if bracket < 0 or self.pieces[bracket].text != "(":
            return None
        called = bracket > 0 and self.pieces[bracket - 1].kind == "name"
        if called and self.near(-1).kind == "name" and self.near(-2).text in ("(", ","):
            return None
        fix = "Name an argument, as in clip(x, min=0)." if called else OWN_LINE
        return self.found("=", fix)

    def power(self, exponent: str) -> str:
        base = self.before()
        if base in FUNCTIONS and exponent:
            return f"A power stands behind the brackets: {base}(x) ** {exponent}."
        if base and exponent:
            return f"A power is written **: {base} ** {exponent}."
        return "A power is written **, as in a ** 2."

    def row(self, digits: str) -> str:
        """All raised or lowered digits from here on, as a number."""
        rest = self.source[self.piece.start : self.piece.start + 8]
        return normalize("NFKC", rest[: len(rest) - len(rest.lstrip(digits))]).replace("−", "-")

    def absolute(self) -> str:
        rest = self.source[self.piece.end :]
        inside = shortened(rest.partition("\n")[0].partition("|")[0])
        closed = "|" in rest.partition("\n")[0] and 0 < len(inside) <= 24
        return f"An absolute value is written abs({inside if closed else 'x'})."

    def instead(self, sign: str) -> str:
        a, b = self.before(), self.operand(1)
        if sign in "*/-" and a and b:
            return f"Write {a} {sign} {b}."
        return f"Write -{b}." if sign == "-" and b else f"Write {sign} instead."

    def unknown(self) -> Habit | None:
        """A character that no formula has."""
        text = self.piece.text
        if text.isascii() and text.isprintable():
            return None
        code = f"U+{ord(text):04X}"
        plain = normalize("NFKC", text).replace("⁄", "/")
        if category(text) == "Zs":
            return self.found(f"a blank of another kind, {code}", "Type a plain one.")
        if category(text)[0] not in "LNPS":
            return self.found(f"an invisible character, {code}", "Remove it.")
        typed = plain.isascii() and plain.isprintable() and set(plain) != {"."}
        return self.found(text, f"Write {plain} instead." if typed else "Remove it.")


def _inner(code: str) -> str:
    """What stands in the brackets, if it is all in one pair of them."""
    return code[1:-1] if code.startswith("(") and ")" not in code[:-1] else code
