"""`kinks`: the kinks, ties and jumps that a run of a function stood on, or near."""

from __future__ import annotations

from collections.abc import Sequence
from math import inf, isfinite
from typing import Any

from ..core.calls import expect_function
from ..core.carrier import Carrier, is_tensor
from ..core.expect import describe, is_array
from ..core.functions import Function
from ..core.places import line_of_caller, short_place
from ..engine.observing import Observer
from ..engine.value import Value
from ..errors import NotANumberError, OptionError
from ..levels.level import unwrap
from .array_kinks import elements_near, kinks_of_array
from .kink_report import Kink, Kinks
from .sides import nearest_kink

__all__ = ["Kink", "Kinks", "kinks"]

COMPARISONS = ("less", "less_equal", "greater", "greater_equal", "equal", "not_equal")


def kinks(f: Function, *args: Any, within: float = 1e-9) -> Kinks:
    """Return every kink, tie and jump that ``f(*args)`` stands on, or is near.

    Each operation is examined at the operands that this run has: whether its derivative, or a
    comparison, differs on the two sides of an operand. The convention says which slope gradwalk
    takes at the kink itself. Comparisons of Values, on which a branch may depend, count as jumps.

    Parameters
    ----------
    f
        The function to run.
    *args
        Its arguments: numbers, Values, arrays, Tensors, and lists of them.
    within
        The distance up to which an operand counts as near a kink, above 0.

    Returns
    -------
    a Kinks
        A sequence of `Kink`, false if there is none.

    Raises
    ------
    OptionError
        If ``within`` is not a positive number, or ``f`` is no function.
    NotANumberError
        If an argument is something else.

    Examples
    --------
    >>> from gradwalk import relu
    >>> found = kinks(lambda x: relu(x - 1.0), 1.0)
    >>> [(k.op, k.operand, k.distance, k.left, k.right, k.convention) for k in found]
    [('relu', 0.0, 0.0, 0.0, 1.0, 'slope 0 at 0')]
    >>> len(kinks(lambda x: relu(x - 1.0), 1.5))
    0
    """
    expect_function(f, "kinks")
    if not (isinstance(within, (int, float)) and 0.0 < within < inf):
        raise OptionError(
            where="kinks(within=...)",
            expected="a positive number",
            got=describe(within),
            fix="Use within=1e-9.",
        )
    with _Watch(float(within)) as watch:
        f(*map(_recorded, args))
    return Kinks(watch.found, within)


def _recorded(x: Any) -> Any:
    if isinstance(x, Value) or is_tensor(x):
        return x
    if is_array(x):
        from ..core.backend import arrays

        return arrays().Tensor(x, requires_grad=x.dtype.kind == "f")
    if isinstance(x, (list, tuple)):
        return type(x)(map(_recorded, x))
    if isinstance(x, (int, float)) and not isinstance(x, bool):
        return Value(x)
    raise NotANumberError(
        where="kinks(f, *args)",
        expected="numbers, Values, arrays or Tensors",
        got=describe(x),
        fix="Pass it by a lambda: kinks(lambda x: f(x, option), 1.0).",
    )


class _Watch(Observer):
    """An observer that looks for kinks at the operands of each operation."""

    def __init__(self, within: float) -> None:
        self.within = within
        self.found: list[Kink] = []

    def operation(self, primitive: Any, args: Sequence[Any], result: Any) -> None:
        """Examine one operation."""
        line = short_place(line_of_caller())
        # constants do not move
        order = [i for i, a in enumerate(args) if isinstance(a, Carrier)]
        if primitive is None:
            numbers = [*map(unwrap, args)]
            if not any(map(is_array, numbers)):  # with which a comparison of arrays follows
                self._comparison("comparison", [*map(float, numbers)], (), line)
        elif primitive.kind != "pointwise":
            self.found += kinks_of_array(primitive, args, result, self.within, line)
        elif primitive.kinks or not primitive.differentiable or _has_edge(primitive):
            for element, numbers in elements_near(primitive, args, result, self.within):
                self._element(primitive, numbers, element, line, order)

    tracing = operation

    def _element(
        self, primitive: Any, args: list[float], element: Any, line: str, order: Sequence[int]
    ) -> None:
        if primitive.name in COMPARISONS:
            self._comparison(primitive.name, args, element, line)
            return
        seen: list[float] = []
        for position in order:
            x, kink = args[position], nearest_kink(primitive, args, position, self.within)
            if kink is None or any(abs(kink[0] - d) <= 1e-6 * self.within for d in seen):
                continue
            seen.append(kink[0])  # a tie of a and b is one kink, not two
            distance, left, right = kink
            self.found.append(
                Kink(
                    primitive.name, x, distance, _convention(primitive), left=left, right=right,
                    args=tuple(args), element=element, line=line, position=position,
                    primitive=primitive,
                )
            )  # fmt: skip

    def _comparison(self, op: str, args: Sequence[float], element: Any, line: str) -> None:
        distance = abs(args[0] - args[1])
        if distance <= self.within:
            text = "no derivative: a branch that depends on it jumps"
            self.found.append(
                Kink(op, args[0], distance, text, args=tuple(args), element=element, line=line)
            )


def _convention(primitive: Any) -> str:
    if primitive.kinks:
        return str(primitive.kinks)
    return "no derivative" if not primitive.differentiable else "the edge of the domain"


def _has_edge(primitive: Any) -> bool:
    return any(isfinite(low) or isfinite(high) for low, high in primitive.domain)
