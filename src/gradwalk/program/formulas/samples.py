"""Ordinary arguments of a primitive, and the values of all instructions of a program there.

Rules guard against overflow and cancellation. A readable formula describes ordinary arguments, so
an instruction with one value at all of them is left out.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from math import isfinite

from ...core.primitive import Primitive
from ..printing.var import Program

__all__ = ["Values", "agree", "computed", "ordinary"]

Values = list[float]

PLAIN = (-4.0, -2.5, -1.0, -0.5, 0.0, 0.5, 1.0, 1.5, 2.5, 4.0)
GENERIC = (-3.7, -2.3, -1.1, -0.83, -0.37, 0.41, 0.77, 1.3, 1.9, 2.9, 5.3)
CLOSE = 1e-9


def ordinary(primitive: Primitive, kinks: bool) -> list[Values]:
    """Return result and arguments at many points, with or without zeros and ties."""
    grids = []
    for index, (low, high) in enumerate(primitive.domain):
        grid = PLAIN if kinks else [x * (1.0 + index / 64.0) for x in GENERIC]
        grids.append([x for x in grid if low < x < high])
    points = ((float(primitive(*args)), *args) for args in product(*grids))
    return [list(point) for point in points if isfinite(point[0])]


def computed(program: Program, points: list[Values]) -> list[Values]:
    """For every instruction its values at all points; parameters are result and arguments."""
    columns = [list(column) for column in zip(*points, strict=True)]
    for instruction in program.instructions[len(columns) :]:
        primitive = instruction.primitive
        assert primitive is not None
        operands = [
            columns[a] if isinstance(a, int) else [a] * len(points) for a in instruction.args
        ]
        columns.append([_value(primitive, args) for args in zip(*operands, strict=True)])
    return columns


def _value(primitive: Primitive, args: tuple[float, ...]) -> float:
    if primitive.name in (
        "pass_if",
        "mask_if",
    ):  # the contribution itself; whether it passes is asked elsewhere
        return args[1]
    return float(primitive.evaluate(*args))


def agree(a: Values, b: Values, scale: Values | None = None) -> bool:
    """Return whether values agree up to rounding at three or more points."""
    known = list(_finite(a, b, scale or b))
    return len(known) >= 3 and all(abs(x - y) <= CLOSE * abs(s) for x, y, s in known)


def _finite(a: Values, b: Values, scale: Values) -> Iterator[tuple[float, float, float]]:
    for x, y, s in zip(a, b, scale, strict=True):
        if isfinite(y) and isfinite(s):
            yield x if isfinite(x) else float("inf"), y, s
