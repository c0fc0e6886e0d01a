"""Formulas that users type, parsed by a grammar of their own and never run as Python.

A formula becomes a short program for a stack: push a number, load a name, apply a primitive, store
a name. A program has no other steps, and neither the parser nor a step recurses.

>>> formula = parse("d = a * b; d + c")
>>> formula.names
('a', 'b', 'c')
>>> formula.evaluate({"a": 2.0, "b": -3.0, "c": 10.0}).data
4.0
"""

from __future__ import annotations

from .language import MAX_DEPTH, MAX_LENGTH
from .program import CONSTANTS, FUNCTIONS, Expression
from .reader import parse
from .value import read_value

__all__ = ["CONSTANTS", "FUNCTIONS", "MAX_DEPTH", "MAX_LENGTH", "Expression", "parse", "read_value"]
