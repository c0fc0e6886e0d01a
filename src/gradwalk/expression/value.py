"""Values as users type them: numbers, and formulas of numbers such as 1/3 or pi/2."""

from __future__ import annotations

from ..core.expect import expect_text
from ..errors import ExpressionError
from .messages import message
from .reader import parse

__all__ = ["read_value"]

MINUS = str.maketrans(dict.fromkeys("\u2212\u2013\u2010\u2011", "-"))
"""Minus signs and hyphens of pasted numbers."""


def read_value(typed: str) -> float:
    """Return the number that a text stands for: a literal, nan, inf, or a formula of numbers.

    Raise `ExpressionError` for anything else, and for names other than pi, e and inf.

    >>> read_value("-1e-3"), read_value("1/3"), read_value("\u22122")
    (-0.001, 0.3333333333333333, -2.0)
    """
    expect_text(typed, "read_value(typed)")
    text = typed.translate(MINUS)
    try:
        return float(text)
    except ValueError:
        pass  # not a literal, perhaps a formula such as pi/2
    formula = parse(text)
    if formula.names:
        raise ExpressionError(where="a value", **message("value", name=formula.names[0]))
    return float(formula.evaluate({}).data)
