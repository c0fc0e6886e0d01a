"""Gradient descent with a step that adapts, as the evals `particle` and `saddle` prescribe it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from gradwalk import grad, jacobian, sqrt

Vector = list[Any]
Objective = Callable[[Vector], Any]
Gradient = Callable[[Objective], Callable[[Vector], Vector]]

ENOUGH = 1e-5
LOWERED = 10


def forward(f: Objective) -> Callable[[Vector], Vector]:
    return jacobian(f, mode="forward")


MODES: dict[str, Gradient] = {"f": forward, "r": grad}


def length(v: Vector) -> Any:
    return sqrt(sum(x * x for x in v))


def minus(a: Vector, b: Vector) -> Vector:
    return [x - y for x, y in zip(a, b, strict=True)]


def descend(f: Objective, gradient: Callable[[Vector], Vector], x: Vector) -> Vector:
    """Return where the descent from x ends; its step doubles after ten in a row that lower f."""
    value, slope, step, lowered = f(x), gradient(x), 1e-5, 0
    while length(slope) > ENOUGH:
        if lowered == LOWERED:
            step, lowered = 2.0 * step, 0
        new = [a - step * b for a, b in zip(x, slope, strict=True)]
        if length(minus(x, new)) <= ENOUGH:
            break
        lower = f(new)
        if lower < value:
            x, value, slope, lowered = new, lower, gradient(new), lowered + 1
        else:
            step, lowered = step / 2.0, 0
    return x
