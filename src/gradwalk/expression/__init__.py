"""Formulas that a user types: read with Python's own grammar, never run as Python.

A formula is parsed into a short program for a stack: push a number, load a name, apply a row of
the table, store a name. There is nothing else that it could do, and no step recurses.

>>> formula = parse("d = a * b; d + c")
>>> formula.names
('a', 'b', 'c')
>>> formula.evaluate({"a": 2.0, "b": -3.0, "c": 10.0}).data
4.0
"""

from __future__ import annotations

from .program import CONSTANTS, FUNCTIONS, Expression
from .reader import MAX_DEPTH, MAX_LENGTH, parse
from .value import read_value

__all__ = ["CONSTANTS", "FUNCTIONS", "MAX_DEPTH", "MAX_LENGTH", "Expression", "parse", "read_value"]
