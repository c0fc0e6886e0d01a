"""Numbers of 50 digits, and their derivatives."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from mpmath import mp, mpf

mp.dps = 50
H = mpf(10) ** -16
Given = dict[str, Any]
Vector = list[Any]


def numbers(nested: Any) -> Any:
    """Return nested lists with exact numbers."""
    return [numbers(x) for x in nested] if isinstance(nested, list) else mpf(nested)


def slopes(f: Callable[[Vector], Any], x: Vector) -> Vector:
    """Return the gradient of f by central differences."""
    return [column[0] for column in columns(lambda x: [f(x)], x)]


def columns(f: Callable[[Vector], Vector], x: Vector) -> list[Vector]:
    """Return the derivatives of all results of f by each number of x."""
    found = []
    for i in range(len(x)):
        low, high = [*x], [*x]
        low[i], high[i] = x[i] - H, x[i] + H
        found.append([(b - a) / (2 * H) for a, b in zip(f(low), f(high), strict=True)])
    return found


def cut(flat: Sequence[Any], *shapes: tuple[int, int]) -> list[list[Vector]]:
    """Return matrices of these shapes, filled by rows from one list."""
    turn = iter(flat)
    return [[[next(turn) for _ in range(wide)] for _ in range(high)] for high, wide in shapes]


def ravel(nested: Any) -> Vector:
    return [x for part in nested for x in ravel(part)] if isinstance(nested, list) else [nested]
