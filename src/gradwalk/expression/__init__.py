"""Formulas that users type, parsed by a grammar of their own and never run as Python.

A formula becomes a `Program`, whose inputs are its names. It has no other equations than primitives
of numbers, and neither the parser nor the evaluation recurses.

>>> formula = parse("d = a * b; d + c")
>>> formula.names
('a', 'b', 'c')
>>> formula.evaluate({"a": 2.0, "b": -3.0, "c": 10.0}).data
4.0
"""

from __future__ import annotations

from .functions import CONSTANTS, FUNCTIONS
from .language import MAX_DEPTH, MAX_LENGTH
from .reader import Expression, parse
from .value import read_value

__all__ = ["CONSTANTS", "FUNCTIONS", "MAX_DEPTH", "MAX_LENGTH", "Expression", "parse", "read_value"]
