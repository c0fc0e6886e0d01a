"""Slopes of a function along a line, from its values alone."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import hypot, inf, isfinite, nan, sqrt
from random import Random
from typing import Any, NamedTuple

from ..core.backend import arrays
from ..engine.value import Value, no_grad
from ..levels.level import unwrap

__all__ = ["Function", "Line", "Numbers", "Slope", "direction", "dot", "draw", "evaluate"]
__all__ += ["weights_of"]

Numbers = list[Any]  # floats and arrays
Function = Callable[[Sequence[Any]], list[Any]]

WIDEST, NARROWER, HALVINGS = 2.0**-5, 2.0**-4, 5  # steps; each of them is halved so often
CERTAIN = 1e-2  # an error that is this part of what is allowed needs no other step
EPSILON = {8: 2.0**-52, 4: 2.0**-23, 2: 2.0**-10}  # by the bytes of a number


class Slope(NamedTuple):
    """A difference quotient, its possible error, the part by rounding, and the size of the sum."""

    value: float = nan
    error: float = inf
    noise: float = 0.0
    size: float = 0.0


class Line(NamedTuple):
    """A function along a line through its arguments, and what its results are multiplied by."""

    f: Function
    xs: Numbers
    vs: Numbers
    us: Numbers

    @property
    def width(self) -> int:
        """The bytes of the coarsest number."""
        return min(getattr(x, "itemsize", 8) for x in [*self.xs, *self.us])

    @property
    def epsilon(self) -> float:
        """The rounding of the coarsest number."""
        return EPSILON[self.width]

    def at(self, h: float) -> Numbers:
        """Return the results after a step."""
        moved = [_step(x, v, h) for x, v in zip(self.xs, self.vs, strict=True)]
        return evaluate(self.f, moved)

    def slope(self, allowed: Callable[[float], float], eps: float | None) -> Slope:
        """Return the derivative with the smallest error, of those that several steps give."""
        best = Slope()
        for h in [eps] if eps else _steps(self.epsilon):
            found = self.extrapolate(h, allowed)
            if found.error < best.error:
                best = found
            if best.error <= CERTAIN * allowed(best.size):  # f may be slow: no more steps
                break
        return best

    def extrapolate(self, h: float, allowed: Callable[[float], float]) -> Slope:
        """Return the limit of the quotient at step 0, whose error is a series in powers of h²."""
        best = Slope()
        above: list[float] = []
        for k in range(HALVINGS):
            first = self.central(h * 2.0**-k)
            row = [first.value]
            for j, coarser in enumerate(above, start=1):
                row.append((4.0**j * row[-1] - coarser) / (4.0**j - 1.0))
                # neighbours in the table bound the error of the limit, but not that of rounding
                error = max(abs(row[j] - row[j - 1]), abs(row[j] - coarser), first.noise)
                if error < best.error:
                    best = Slope(row[j], error, first.noise, first.size)
            if best.error <= CERTAIN * allowed(best.size):
                break
            above = row  # of the table of limits only the last row is needed
        return best

    def central(self, h: float) -> Slope:
        """Return the difference quotient of a step ahead and a step behind."""
        ahead, behind = self.at(h), self.at(-h)
        value, size, rounding = 0.0, 0.0, 0.0
        for u, a, b in zip(self.us, ahead, behind, strict=True):
            parts = u * (a - b) / (2.0 * h)
            value, size = value + _sum(parts), hypot(size, _norm(parts))
            rounding = hypot(rounding, _norm(u * a))  # as independent errors add up
        return Slope(value, inf, self.epsilon * rounding / h, size)

    def sides(self) -> tuple[float, float]:
        """Return the difference quotients on the left and on the right."""
        # one-sided quotients have an error of order h, and one of rounding, ε / h
        h, here = self.epsilon**0.5, self.at(0.0)
        return tuple(dot(self.us, _minus(self.at(s), here)) / s for s in (-h, h))


def _steps(epsilon: float) -> list[float]:
    """Return the widest steps to try. Smaller ones are less likely to reach a kink nearby."""
    steps = [WIDEST * NARROWER**k for k in range(5)]
    return [h for h in steps if h >= min(epsilon**0.42, WIDEST)]


# --- numbers and arrays -------------------------------------------------------------------------


def evaluate(f: Function, xs: Numbers) -> Numbers:
    """Return plain results, from carriers that record nothing: f may use their methods."""
    with no_grad():
        return [unwrap(y) for y in f([_carrier(x) for x in xs])]


def _carrier(x: Any) -> Any:
    return arrays().Tensor(x) if hasattr(x, "dtype") else Value(x)


def draw(random: Random, like: Any) -> Any:
    """Return random numbers in the shape and precision of ``like``."""
    if not hasattr(like, "dtype"):
        return random.gauss(0.0, 1.0)
    import numpy as np

    numbers = [random.gauss(0.0, 1.0) for _ in range(like.size)]
    return np.array(numbers, like.dtype).reshape(like.shape)


def weights_of(random: Random, f: Function, xs: Numbers, vs: Numbers) -> Numbers:
    """Return weights of the results, smaller where they change much, so that they hide no others.

    What hardly changes may be nothing but rounding, which is not made larger without limit.
    """
    line = Line(f, xs, vs, [])
    changes = _minus(line.at(WIDEST), line.at(0.0))
    least = WIDEST * Line(f, xs, vs, changes).epsilon ** 0.375
    return [_weight(random, change, least) for change in changes]


def _weight(random: Random, change: Any, least: float) -> Any:
    largest = float(abs(change).max(initial=0.0)) if hasattr(change, "dtype") else abs(change)
    scale = WIDEST / max(least, largest if isfinite(largest) else WIDEST)
    scaled = draw(random, change) * scale
    return scaled.astype(change.dtype) if hasattr(change, "dtype") else scaled


def direction(random: Random, x: Any) -> Any:
    """Return a direction in which no number changes its sign."""
    return draw(random, x) * (abs(x) + (x == 0.0))


def _step(x: object, v: Any, h: float) -> Any:
    moved = x + h * v
    return moved.astype(x.dtype) if hasattr(x, "dtype") else moved  # f sees its own precision


def _minus(a: Numbers, b: Numbers) -> Numbers:
    return [x - y for x, y in zip(a, b, strict=True)]


def dot(a: Sequence[Any], b: Sequence[Any]) -> float:
    """Return the sum of all products."""
    return sum(_sum(unwrap(x) * unwrap(y)) for x, y in zip(a, b, strict=True))


def _sum(x: Any) -> float:
    return float(x.sum(dtype="f8") if hasattr(x, "dtype") else x)


def _norm(x: Any) -> float:
    """Return the root of the sum of squares."""
    return sqrt((x.astype("f8") ** 2).sum()) if hasattr(x, "dtype") else abs(x)
