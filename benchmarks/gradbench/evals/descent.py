"""Gradient descent with a step that adapts, as the evals `particle` and `saddle` prescribe it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from gradwalk import jvp, sqrt, value_and_grad

Vector = list[Any]
Objective = Callable[[Vector], Any]
Both = Callable[[Vector], tuple[Any, Vector]]

ENOUGH = 1e-5
LOWERED = 10


def forward(f: Objective) -> Both:
    """Return the function that computes f and its gradient, one run for each coordinate."""

    def both(x: Vector) -> tuple[Any, Vector]:
        units = [[float(i == k) for i in range(len(x))] for k in range(len(x))]
        runs = [jvp(f, (x,), (unit,)) for unit in units]
        return runs[0][0], [tangent for _, tangent in runs]

    return both


MODES: dict[str, Callable[[Objective], Both]] = {"f": forward, "r": value_and_grad}


def length(v: Vector) -> Any:
    return sqrt(sum(x * x for x in v))


def minus(a: Vector, b: Vector) -> Vector:
    return [x - y for x, y in zip(a, b, strict=True)]


def descend(both: Both, x: Vector) -> Vector:
    """Return where the descent from x ends; its step doubles after ten in a row that lower f."""
    (value, slope), step, lowered = both(x), 1e-5, 0
    while length(slope) > ENOUGH:
        if lowered == LOWERED:
            step, lowered = 2.0 * step, 0
        new = [a - step * b for a, b in zip(x, slope, strict=True)]
        if length(minus(x, new)) <= ENOUGH:
            break
        lower, steeper = both(new)
        if lower < value:
            x, value, slope, lowered = new, lower, steeper, lowered + 1
        else:
            step, lowered = step / 2.0, 0
    return x
