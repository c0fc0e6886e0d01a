"""The search for a wrong rule: every node of a graph is checked separately."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from ..core.primitive import Primitive
from ..engine.node import ancestors, constant_data, is_constant
from .differences import Difference, examine, wrong

__all__ = ["Suspect", "arguments", "kink_of", "suspects"]

MOST = 200  # nodes of one primitive that are checked
JUMP = 1e-2  # a slope that changes by more than this part of itself, in a tiny step, jumps


@dataclass(frozen=True, slots=True)
class Suspect:
    """A primitive whose rule disagrees with finite differences of its operation, and where."""

    primitive: str
    argument: str
    label: str
    inputs: tuple[float, ...]
    result: float
    rule: float
    numeric: float
    error: float
    nodes: int = 0

    def __str__(self) -> str:
        call = f"{self.primitive}({', '.join(f'{x:.6g}' for x in self.inputs)}) = {self.result:.6g}"
        label = f" (label {self.label!r})" if self.label else ""
        more = f"; the same at {self.nodes:,} nodes in all" if self.nodes > 1 else ""
        return (
            f"Row {self.primitive!r} looks wrong: at the node {call}{label} its rule for argument "
            f"{self.argument} gives {self.rule:.10g}, differences give {self.numeric:.10g} "
            f"± {self.error:.1g}{more}."
        )


def kink_of(primitive: Primitive, low: list[float], high: list[float]) -> bool:
    """Return whether ``primitive`` has a kink or a jump between two lists of arguments."""
    if not primitive.differentiable:
        return bool(primitive.evaluate(*low) != primitive.evaluate(*high))
    if not primitive.kinks:
        return False
    return any(
        abs(a - b) > JUMP * max(abs(a), abs(b))
        for a, b in zip(_slopes(primitive, low), _slopes(primitive, high), strict=True)
    )


def arguments(node: Any) -> list[float]:
    """Return the numbers in the operands of a node."""
    return [constant_data(i) if is_constant(i) else i.data for i in node._inputs]


def _slopes(primitive: Primitive, args: list[float]) -> tuple[float, ...]:
    return primitive.slopes(primitive.evaluate(*args), args)


def suspects(y: Any, digits: float) -> tuple[Suspect, ...]:
    """Return one entry per primitive and argument that disagrees, with its first node."""
    looked: dict[str, int] = {}
    found: dict[tuple[str, str], Suspect] = {}
    for node in ancestors(y):
        if not node._inputs or looked.setdefault(node._primitive.name, 0) >= MOST:
            continue
        looked[node._primitive.name] += 1
        for suspect in _check_node(node, digits):
            key = suspect.primitive, suspect.argument
            first = found.setdefault(key, suspect)
            found[key] = replace(first, nodes=first.nodes + 1)
    return tuple(found.values())


def _check_node(node: Any, digits: float) -> list[Suspect]:
    primitive, args = node._primitive, arguments(node)
    result = primitive.evaluate(*args)
    found = []
    for place, rule in enumerate(primitive.slopes(result, args)):
        if is_constant(node._inputs[place]):
            continue
        numeric = _difference(primitive, args, place, rule, digits)
        if numeric.clear and not numeric.at_kink and wrong(rule, numeric, digits):
            call = primitive.name, primitive.params[place], node.label, tuple(args), result
            found.append(Suspect(*call, rule, numeric.value, numeric.error))
    return found


def _difference(
    primitive: Primitive, args: list[float], place: int, rule: float, digits: float
) -> Difference:
    def at(x: float) -> list[float]:
        return [*args[:place], x, *args[place + 1 :]]

    def kink_between(low: float, high: float) -> str:
        return primitive.name if kink_of(primitive, at(low), at(high)) else ""

    return examine(lambda x: primitive.evaluate(*at(x)), args[place], kink_between, rule, digits)
