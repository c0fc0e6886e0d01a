"""Two problems of GradBench: optimisations inside of which derivatives are taken, differentiated.

Both are after examples by Siskind and Pearlmutter (2008).
"""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any

import pytest

from gradwalk import grad, jvp, sqrt

Vector = list[Any]
Gradient = Callable[[Callable[[Vector], Any]], Callable[[Vector], Vector]]


def forward(f: Callable[[Vector], Any]) -> Callable[[Vector], Vector]:
    """The gradient by forward mode: one run for each coordinate."""

    def gradient(x: Vector) -> Vector:
        units = [[float(i == k) for i in range(len(x))] for k in range(len(x))]
        return [jvp(f, (x,), (unit,))[1] for unit in units]

    return gradient


pytestmark = pytest.mark.long
MODES: dict[str, Gradient] = {"forward": forward, "reverse": grad}
pairs = pytest.mark.parametrize(("outer", "inner"), [*itertools.product(MODES, repeat=2)])


def length(v: Vector) -> Any:
    return sqrt(sum(x * x for x in v))


def minus(a: Vector, b: Vector) -> Vector:
    return [x - y for x, y in zip(a, b, strict=True)]


def descended(f: Callable[[Vector], Any], x: Vector, gradient: Gradient) -> Vector:
    """Where the descent from ``x`` ends; the step doubles after ten in a row that lower f."""
    value, slope, eta, accepted = f(x), gradient(f)(x), 1e-5, 0
    while length(slope) > 1e-5:
        if accepted == 10:
            eta, accepted = 2.0 * eta, 0
        new = [a - eta * b for a, b in zip(x, slope, strict=True)]
        if length(minus(x, new)) <= 1e-5:
            break
        lower = f(new)
        if lower < value:
            x, value, slope, accepted = new, lower, gradient(f)(new), accepted + 1
        else:
            eta, accepted = eta / 2.0, 0
    return x


@pairs
def test_saddle(outer: str, inner: str) -> None:
    """The least of the greatest of (x₁² + y₁²) - (x₂² + y₂²)."""

    def f(p: Vector, q: Vector) -> Any:
        return (p[0] * p[0] + p[1] * p[1]) - (q[0] * q[0] + q[1] * q[1])

    def best(p: Vector) -> Vector:
        return descended(lambda q: -f(p, q), [1.0, 1.0], MODES[inner])

    p = descended(lambda p: f(p, best(p)), [1.0, 1.0], MODES[outer])
    assert [*p, *best(p)] == pytest.approx([8.246324826140356e-06] * 4, rel=1e-9)


@pairs
def test_particle(outer: str, inner: str) -> None:
    """A particle is steered to the origin by the place of one of two charges that repel it."""

    def landed(w: Vector) -> Any:
        charges = [[10.0, 10.0 - w[0]], [10.0, 0.0]]
        force = MODES[inner](lambda x: sum(1.0 / length(minus(x, c)) for c in charges))
        x, v = [0.0, 8.0], [0.75, 0.0]
        while True:
            new = [a + 0.1 * b for a, b in zip(x, v, strict=True)]
            if new[1] <= 0.0:
                return (x[0] - x[1] / v[1] * v[0]) ** 2
            x, v = new, [a - 0.1 * b for a, b in zip(v, force(x), strict=True)]

    (w,) = descended(landed, [0.0], MODES[outer])
    assert w == pytest.approx(0.2071918746486116, rel=1e-9)
