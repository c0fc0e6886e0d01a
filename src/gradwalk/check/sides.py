"""The two sides of an operand of an operation on numbers: do value or slope jump between them?"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from math import inf, isfinite, nan, nextafter
from typing import Any

__all__ = ["JUMP", "nearest_kink", "replaced"]

JUMP = 1e-6  # slopes that differ by more than this part of themselves are two slopes


def replaced(args: Sequence[float], position: int, x: float) -> list[float]:
    """Return operands, one of which is replaced."""
    return [*args[:position], x, *args[position + 1 :]]


def nearest_kink(
    primitive: Any, args: list[float], position: int, within: float
) -> tuple[float, float, float] | None:
    """Return the distance to the nearest kink in one operand, and the slopes on either side."""
    x = args[position]
    if not isfinite(x) or not _jumps(primitive, args, position, within):
        return None
    low, high = 0.0, within
    for _ in range(60):
        middle = 0.5 * (low + high)
        low, high = (low, middle) if _jumps(primitive, args, position, middle) else (middle, high)
    least = max(2.0 * abs(nextafter(x, inf) - x), 1e-9 * within)
    distance = 0.0 if high <= least else high
    left = _slope(primitive, replaced(args, position, x - 2.0 * within), position)
    right = _slope(primitive, replaced(args, position, x + 2.0 * within), position)
    return distance, left, right


def _jumps(primitive: Any, args: list[float], position: int, h: float) -> bool:
    """Return whether value or slope jump between x - h and x + h."""
    x = args[position]
    sides = [min(x - h, nextafter(x, -inf)), max(x + h, nextafter(x, inf))]
    low, high = ([*replaced(args, position, side)] for side in sides)
    if not primitive.differentiable:
        return bool(primitive.evaluate(*low) != primitive.evaluate(*high))
    a, b = _slope(primitive, low, position), _slope(primitive, high, position)
    if not (isfinite(a) and isfinite(b)):
        return isfinite(a) != isfinite(b)
    step = abs(primitive.evaluate(*high) - primitive.evaluate(*low))
    if step > 10.0 * (abs(a) + abs(b)) * (sides[1] - sides[0]) + 1e-9:
        return True  # the value itself jumps, as that of mod
    return abs(a - b) > JUMP * max(abs(a), abs(b)) and _is_sharp(primitive, args, position, h, a, b)


def _is_sharp(
    primitive: Any, args: list[float], position: int, h: float, a: float, b: float
) -> bool:
    """Return whether the slopes differ as much at a tenth of the distance: no mere curvature."""
    x = args[position]
    step = max(0.1 * h, 2.0 * (nextafter(abs(x), inf) - abs(x)))
    places = [x - h + step * k for k in range(int(2.0 * h / step) + 2)] if step else []
    slopes = [_slope(primitive, replaced(args, position, at), position) for at in places]
    jumps = [abs(p - q) for p, q in pairwise(slopes)]
    return not jumps or max(jumps) > 0.25 * abs(a - b)


def _slope(primitive: Any, args: list[float], position: int) -> float:
    """Return the derivative by one operand, NaN if the operation has none there."""
    y = primitive.evaluate(*args)
    if not primitive.differentiable:
        return 0.0
    if y != y:
        return nan
    return float(primitive.slopes(y, args)[position])
