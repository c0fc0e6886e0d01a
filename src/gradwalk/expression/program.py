"""A formula that was read: steps for a stack, and what they compute for given values."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any
from unicodedata import normalize

from ..core.expect import as_float
from ..engine.functions import __all__ as _public
from ..engine.value import Value
from ..errors import ExpressionError
from ..ops import TABLE
from .pointing import nearest, point_at

__all__ = ["CONSTANTS", "FUNCTIONS", "Apply", "Expression", "Load", "Push", "Step", "Store"]

CONSTANTS = {"pi": math.pi, "e": math.e, "inf": math.inf}
"""Names that have a value of their own, unless the formula or its user gives them another."""

SPELLED = {"π": "pi", "Pi": "pi", "PI": "pi", "infinity": "inf", "Inf": "inf"}
"""How a formula spells what others call so."""

_LISTS = ("logsumexp", "softmax", "log_softmax")  # rows, but not what users call by these names
FUNCTIONS = {name: TABLE[name] for name in _public if name in TABLE and name not in _LISTS}
"""What a formula may call: the functions of gradwalk whose arguments and result are numbers."""


@dataclass(frozen=True, slots=True)
class Push:
    """Put a number on the stack."""

    number: float

    def run(self, stack: list[Any], scope: dict[str, Any]) -> None:
        """Do it."""
        stack.append(self.number)


@dataclass(frozen=True, slots=True)
class Load:
    """Put what a name stands for on the stack; line and column are for error messages."""

    name: str
    line: int
    column: int

    def run(self, stack: list[Any], scope: dict[str, Any]) -> None:
        """Do it."""
        stack.append(scope[self.name])


@dataclass(frozen=True, slots=True)
class Apply:
    """Replace the last ``count`` numbers on the stack by what ``f`` makes of them."""

    f: Callable[..., Any]
    count: int

    def run(self, stack: list[Any], scope: dict[str, Any]) -> None:
        """Do it."""
        args = stack[-self.count :]
        stack[-self.count :] = [self.f(*args)]


@dataclass(frozen=True, slots=True)
class Store:
    """Give a name to what lies on top of the stack."""

    name: str

    def run(self, stack: list[Any], scope: dict[str, Any]) -> None:
        """Do it."""
        stack[-1] = scope[self.name] = _labelled(stack[-1], self.name)


Step = Push | Load | Apply | Store


def _labelled(number: Any, name: str) -> Value:
    """``number`` as a Value that carries ``name``, unless it has a label already."""
    value = number if isinstance(number, Value) else Value(as_float(number, f"value of {name!r}"))
    value.label = value.label or name
    return value


@dataclass(frozen=True)
class Expression:
    """A formula that was read: its text, the names that it needs, and how to compute it.

    ``names``      variables that need a value, in the order in which they appear
    ``constants``  those of pi, e and inf that it uses; a value given for one of them wins
    """

    text: str
    names: tuple[str, ...]
    constants: tuple[str, ...]
    _steps: tuple[Step, ...] = field(repr=False)

    def evaluate(self, values: Mapping[str, Value | float]) -> Value:
        """The result for these values, as a Value whose graph carries the names of the formula.

        A plain number becomes a new leaf; a Value without a label is given its name. A name
        without a value, or a value without a name, is an `ExpressionError`. Division by zero
        gives an infinity or NaN, as everywhere in gradwalk.

        >>> from gradwalk import Value
        >>> from gradwalk.expression import parse
        >>> a = Value(2.0)
        >>> y = parse("d = a * b; d + c").evaluate({"a": a, "b": -3.0, "c": 10.0})
        >>> y.backward()
        >>> y.data, a.grad, y.operands[0].label
        (4.0, -3.0, 'd')
        """
        # Python's grammar reads names in this form: two ways to type μ are one variable
        given = {normalize("NFKC", name): value for name, value in values.items()}
        self._check(given)
        scope: dict[str, Any] = CONSTANTS | {n: _labelled(v, n) for n, v in given.items()}
        stack: list[Any] = []
        for step in self._steps:
            step.run(stack, scope)
        result = stack.pop()
        return result if isinstance(result, Value) else Value(result)

    def _check(self, values: Mapping[str, Any]) -> None:
        for name in values:
            if name not in self.names + self.constants:
                raise ExpressionError(
                    where="formula",
                    expected=f"values for its variables ({', '.join(self.names) or 'none'})",
                    got=f"one for {name!r}",
                    fix=nearest(name, self.names) or "Leave it out.",
                )
        for step in self._steps:
            if isinstance(step, Load) and step.name in self.names and step.name not in values:
                raise point_at(
                    self.text,
                    step.line,
                    step.column,
                    expected=f"a value for every variable ({', '.join(self.names)})",
                    got=f"none for {step.name!r}",
                    fix=_missing_fix(step.name),
                )


def _missing_fix(name: str) -> str:
    if name in SPELLED:
        return f"Give it one, {name}=1.0, or write {SPELLED[name]}."
    if name in FUNCTIONS:
        return f"Give it one, {name}=1.0, or call the function: {name}(x)."
    return f"Give it one: {name}=1.0."
