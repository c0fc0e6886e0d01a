"""The search for a wrong rule: every node of a graph is checked separately."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace
from itertools import pairwise
from math import inf
from typing import Any

from ..core.primitive import Primitive
from ..program.run import Run, opened, run_of
from .differences import Difference, examine, wrong

__all__ = ["Suspect", "kink_of", "suspects"]

MOST = 200  # nodes of one primitive that are checked
JUMP = 1e-2  # a slope that changes by more than this part of itself, in a tiny step, jumps
STEPS = 20  # in which a slope that jumps is told from one that changes by curvature


@dataclass(frozen=True, slots=True)
class Suspect:
    """A primitive whose rule disagrees with finite differences of its operation, and where.

    Parameters
    ----------
    primitive
        The name of the primitive.
    argument
        The name of the argument whose rule is wrong.
    label
        The label of the node; empty for none.
    inputs
        The operands of the node.
    result
        The number that the operation gives for them.
    rule
        The local derivative by the rule.
    numeric
        The local derivative by differences.
    error
        The estimated error of ``numeric``.
    nodes
        At how many nodes the rule is wrong.
    """

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
    ends = zip(_slopes(primitive, low), _slopes(primitive, high), strict=True)
    changes = [abs(b - a) if abs(a - b) > JUMP * max(abs(a), abs(b)) else inf for a, b in ends]
    if all(change == inf for change in changes):
        return False
    # a curve changes its slope in many small steps, a kink in one
    parts = [k / STEPS for k in range(STEPS + 1)]
    way = [[a + (b - a) * part for a, b in zip(low, high, strict=True)] for part in parts]
    slopes = zip(*(_slopes(primitive, args) for args in way), strict=True)
    return any(
        abs(b - a) > 0.25 * change
        for by_argument, change in zip(slopes, changes, strict=True)
        for a, b in pairwise(by_argument)
    )


def _slopes(primitive: Primitive, args: list[float]) -> tuple[float, ...]:
    return primitive.slopes(primitive.evaluate(*args), args)


def suspects(y: Any, digits: float) -> tuple[Suspect, ...]:
    """Return one entry per primitive and argument that disagrees, with its first node."""
    looked: Counter[str] = Counter()
    found: dict[tuple[str, str], Suspect] = {}
    run = run_of(opened(y)[0])
    for k, equation in enumerate(run.program):
        looked[equation.primitive.name] += 1
        if looked[equation.primitive.name] > MOST:
            continue
        for suspect in _check_equation(run, k, digits):
            key = suspect.primitive, suspect.argument
            first = found.setdefault(key, suspect)
            found[key] = replace(first, nodes=first.nodes + 1)
    return tuple(found.values())


def _check_equation(run: Run, k: int, digits: float) -> list[Suspect]:
    primitive, operands, (y, *_), _, _ = run.program[k]
    args = run.args(k)
    result, label = primitive.evaluate(*args), run.program.names.get(y, "")
    found = []
    for place, rule in enumerate(primitive.slopes(result, args)):
        if operands[place] < 0:
            continue
        numeric = _difference(primitive, args, place, rule, digits)
        if numeric.clear and not numeric.at_kink and wrong(rule, numeric, digits):
            call = primitive.name, primitive.params[place], label, tuple(args), result
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
