"""Steps for a stack, and the formula that consists of them."""

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
from .language import SPELLED
from .messages import error_at, message
from .spelling import nearest

__all__ = [
    "CALLABLE", "CONSTANTS", "FUNCTIONS", "Apply", "Expression", "Load", "Push", "Step", "Store",
]  # fmt: skip

CONSTANTS = {"pi": math.pi, "e": math.e, "inf": math.inf}
"""Names that have a value, unless the formula or the caller gives them another one."""

_LISTS = ("logsumexp", "softmax", "log_softmax")  # their primitives take other arguments
FUNCTIONS = {name: TABLE[name] for name in _public if name in TABLE and name not in _LISTS}
"""The functions of gradwalk whose arguments and result are numbers."""

CALLABLE = sorted([*FUNCTIONS, "logsumexp"])
"""Everything that a formula may call."""


@dataclass(frozen=True, slots=True)
class Push:
    """The step that puts a number on the stack."""

    number: float


@dataclass(frozen=True, slots=True)
class Load:
    """The step that puts the value of a name on the stack; ``start`` is its offset in the text."""

    name: str
    start: int


@dataclass(frozen=True, slots=True)
class Apply:
    """The step that replaces the last ``count`` numbers on the stack by the result of ``f``."""

    f: Callable[..., Any]
    count: int


@dataclass(frozen=True, slots=True)
class Store:
    """The step that gives a name to the top of the stack."""

    name: str


Step = Push | Load | Apply | Store


def _labelled(number: Any, name: str) -> Value:
    """Return ``number`` as a Value with the label ``name``, unless it has a label already."""
    value = number if isinstance(number, Value) else Value(as_float(number, f"value of {name!r}"))
    value.label = value.label or name
    return value


@dataclass(frozen=True)
class Expression:
    """A formula: its text, the names that it needs, and its steps.

    ``names``      variables that need a value, in the order in which they appear
    ``constants``  pi, e and inf, if it uses them; a value for one of them replaces the constant
    """

    text: str
    names: tuple[str, ...]
    constants: tuple[str, ...]
    _steps: tuple[Step, ...] = field(repr=False)

    def evaluate(self, values: Mapping[str, Value | float]) -> Value:
        """Return the result for these values, as a Value whose graph has the names as labels.

        A number becomes a new leaf, and a Value without a label gets its name. Raise
        `ExpressionError` for a name without a value, or a value without a name. Division by zero
        gives an infinity or NaN, as everywhere in gradwalk.

        >>> from gradwalk import Value
        >>> from gradwalk.expression import parse
        >>> a = Value(2.0)
        >>> y = parse("d = a * b; d + c").evaluate({"a": a, "b": -3.0, "c": 10.0})
        >>> y.backward()
        >>> y.data, a.grad, y.operands[0].label
        (4.0, -3.0, 'd')
        """
        # the parser reads names in this form, so that two ways to type μ are one variable
        given = {normalize("NFKC", name): value for name, value in values.items()}
        self._check(given)
        scope: dict[str, Any] = CONSTANTS | {n: _labelled(v, n) for n, v in given.items()}
        stack: list[Any] = []
        for step in self._steps:
            match step:
                case Push(number=number):
                    stack.append(number)
                case Load(name=name):
                    stack.append(scope[name])
                case Apply(f=f, count=count):
                    stack[-count:] = [f(*stack[-count:])]
                case Store(name=name):
                    stack[-1] = scope[name] = _labelled(stack[-1], name)
        result = stack.pop()
        return result if isinstance(result, Value) else Value(result)

    def _check(self, values: Mapping[str, Any]) -> None:
        names = ", ".join(self.names)
        for name in values:
            if name not in self.names + self.constants:
                like = nearest(name, self.names)
                parts = message("unused", names=names or "none", name=name, nearest=like)
                raise ExpressionError(where="formula", **parts)
        for step in self._steps:
            if isinstance(step, Load) and step.name in self.names and step.name not in values:
                fields = {"names": names, "name": step.name, "constant": SPELLED.get(step.name, "")}
                fields["function"] = step.name if step.name in FUNCTIONS else ""
                raise error_at(self.text, step.start, "missing", **fields)
