"""Print a formula as plain text and as TeX."""

from __future__ import annotations

from collections.abc import Callable

from .algebra import LN2, LN10, NONE, Node, Term

__all__ = ["readable", "tex", "text"]

SIGNS = {
    "less": ("<", "<"),
    "less_equal": ("≤", r"\le"),
    "greater": (">", ">"),
    "greater_equal": ("≥", r"\ge"),
    "equal": ("=", "="),
    "not_equal": ("≠", r"\ne"),
    "logical_and": ("and", r"\land"),
    "logical_or": ("or", r"\lor"),
    "add": ("+", "+"),
    "sub": ("-", "-"),
}
"""Operators between blanks: in text and in TeX."""

RANKS = {"logical_or": 0, "logical_and": 1, "add": 3, "sub": 3}
COMPARISON, ATOM = 2, 9

SYMBOLS = {
    "condition": "c", "negative_slope": "s", "shift": "s", "rest": "r", "alpha": r"\alpha",
    "min": r"\ell", "max": "h", "min_val": r"\ell", "max_val": "h", NONE: r"\text{none}",
}  # fmt: skip
"""Arguments whose names are words, as the formulas of the primitives write them."""

NUMBERS = {
    0.5: ("1/2", r"\tfrac{1}{2}"),
    0.7071067811865476: ("1/√2", r"\tfrac{1}{\sqrt 2}"),
    0.3989422804014327: ("1/√(2π)", r"\tfrac{1}{\sqrt{2 \pi}}"),
    1.4142135623730951: ("√2", r"\sqrt 2"),
    LN2: ("ln 2", r"\ln 2"),
    LN10: ("ln 10", r"\ln 10"),
    1.1283791670955126: ("2/√π", r"\tfrac{2}{\sqrt \pi}"),
    3.141592653589793: ("π", r"\pi"),
}
"""Numbers that have a name."""

NAMED = {"log": r"\ln", "log2": r"\log_2", "log10": r"\log_{10}", "digamma": r"\psi"}
NAMED |= {f: rf"\{f}" for f in ("sin", "cos", "tan", "sinh", "cosh", "tanh")}
NAMED |= {"sigmoid": r"\sigma", "maximum": r"\max", "minimum": r"\min"}


FORMS = {
    "abs": ("|{}|", ATOM),
    "sqrt": (r"\sqrt{{{}}}", ATOM),
    "exp": ("e^{{{}}}", 7),
    "expm1": ("e^{{{}}} - 1", 3),
    "floordiv": (r"\lfloor {} / {} \rfloor", ATOM),
    "polygamma": (r"\psi^{{({})}}({})", ATOM),
}
"""Functions that TeX does not write as calls."""


def readable(term: Term, inner: bool = False) -> bool:
    """Return whether a formula has no cases except at its top."""
    if not isinstance(term, Node):
        return True
    cases = term.op == "cases"
    nested = term.op in ("where", "pass_if", "mask_if") or (cases and inner)
    return not nested and all(readable(arg, inner=True) for arg in term.args)


def text(term: Term) -> str:
    """Print a formula as plain text.

    >>> text(Node("sub", (1.0, Node("pow", ("y", 2.0)))))
    '1 - y²'
    """
    return _text(term)[0]


def tex(term: Term) -> str:
    """Print a formula as TeX.

    >>> tex(Node("div", ("a", "y")))
    '\\\\frac{a}{y}'
    """
    return _tex(term)[0]


Printed = tuple[str, int]
"""The printed text, and the precedence of its operator."""


def _within(printed: Printed, rank: int) -> str:
    return printed[0] if printed[1] >= rank else f"({printed[0]})"


def _number(x: float, column: int) -> Printed:
    if x in NUMBERS:
        name = NUMBERS[x][column]
        return name, 5 if "/" in name else ATOM
    digits = f"{x:.6g}"
    if column and "e" in digits:
        mantissa, _, exponent = digits.partition("e")
        digits = rf"{mantissa} \cdot 10^{{{int(exponent)}}}"
    return digits, 4 if x < 0.0 else ATOM


def _between(term: Node, column: int, show: Callable[[Term], Printed]) -> Printed:
    """Print an operator between its operands, with brackets where a difference needs them."""
    rank = RANKS.get(term.op, COMPARISON)
    left, right = map(show, term.args)
    tighter = rank + (term.op == "sub" or rank == COMPARISON)
    return f"{_within(left, rank)} {SIGNS[term.op][column]} {_within(right, tighter)}", rank


def _logarithm_last(args: tuple[Term, ...]) -> tuple[Term, ...]:
    """Order the factors as people write them: y ln 2, because ln 2 y means something else."""
    return args[::-1] if args[0] in (LN2, LN10) else args


def _text(term: Term) -> Printed:
    if isinstance(term, float):
        return _number(term, 0)
    if isinstance(term, str):
        return term, ATOM
    op, args = term[0], _logarithm_last(term.args)
    if op in SIGNS:
        return _between(term, 0, _text)
    match op, list(map(_text, args)):
        case "cases", [*pairs, rest]:
            some = [f"{a[0]} if {c[0]}; " for a, c in zip(pairs[::2], pairs[1::2], strict=True)]
            return "".join(some) + f"else {rest[0]}", 0
        case "neg", [x]:
            return f"-{_within(x, 5)}", 4
        case "mul", [a, b]:
            return f"{_within(a, 5)}·{_within(b, 6)}", 5
        case "div", [a, b]:
            return f"{_within(a, 5)}/{_within(b, 6)}", 5
        case "pow", [a, b]:
            exponent = "²" if args[1] == 2.0 else f"^{_within(b, ATOM)}"
            return f"{_within(a, 8)}{exponent}", 7
        case "abs", [x]:
            return f"|{x[0]}|", ATOM
        case _, operands:
            return f"{op}({', '.join(operand for operand, _ in operands)})", ATOM


def _tex(term: Term) -> Printed:
    if isinstance(term, float):
        return _number(term, 1)
    if isinstance(term, str):
        return SYMBOLS.get(term, term), ATOM
    op, args = term[0], _logarithm_last(term.args)
    if op in SIGNS:
        return _between(term, 1, _tex)
    match op, list(map(_tex, args)):
        case "cases", [*pairs, rest]:
            some = [rf"{a[0]} & {c[0]} \\ " for a, c in zip(pairs[::2], pairs[1::2], strict=True)]
            return rf"\begin{{cases}} {''.join(some)}{rest[0]} & \text{{else}} \end{{cases}}", 0
        case "neg", [x]:
            return f"-{_within(x, 5)}", 4
        case "mul", [a, b]:
            return rf"{_within(a, 5)} \, {_within(b, 5)}", 5
        case "div", [a, b]:
            return rf"\frac{{{a[0]}}}{{{b[0]}}}", 8
        case "pow", [a, b]:
            return f"{_within(a, ATOM)}^{{{b[0]}}}", 7
        case _, operands if op in FORMS:
            form, rank = FORMS[op]
            return form.format(*(operand for operand, _ in operands)), rank
        case _, operands:
            name = NAMED.get(op, rf"\operatorname{{{op}}}".replace("_", r"\_"))
            return f"{name}({', '.join(operand for operand, _ in operands)})", ATOM
