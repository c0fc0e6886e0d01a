"""Values as people type them: numbers, and constant formulas such as 1/3 or pi/2."""

from __future__ import annotations

from ..errors import ExpressionError
from .reader import parse

__all__ = ["read_value"]

MINUS = str.maketrans(dict.fromkeys("\u2212\u2013\u2010\u2011", "-"))
"""The minus signs and hyphens that a pasted number may have."""


def read_value(typed: str) -> float:
    """The number that a text stands for: a literal, nan and inf too, or a formula of numbers alone.

    Anything else is an `ExpressionError`, a name other than pi, e and inf too.

    >>> read_value("-1e-3"), read_value("1/3"), read_value("\u22122")
    (-0.001, 0.3333333333333333, -2.0)
    """
    text = typed.translate(MINUS)
    try:
        return float(text)
    except ValueError:
        pass  # no literal; perhaps pi/2
    formula = parse(text)
    if formula.names:
        raise ExpressionError(
            where="a value",
            expected="a number, or a formula of numbers such as 2/3",
            got=f"the name {formula.names[0]!r}",
            fix="Put its number in its place.",
        )
    return float(formula.evaluate({}).data)
