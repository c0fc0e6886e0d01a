"""Search small formulas for one that gives the numbers that a learner's engine gave.

The formulas are built from the operands, the result and small constants, the shortest first, and
compared at all points at once. About 20,000 different ones are tried.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from math import cos, exp, inf, isfinite, log, sin, sqrt, tanh
from typing import Final

__all__ = ["Found", "fitting", "formulas"]

Vector = tuple[float, ...]
SIGNIFICANT: Final = 9
MOST: Final = 30_000


@dataclass(frozen=True)
class Found:
    """A formula: its text, how to compute it from the names, and how many parts it has."""

    text: str
    size: int
    strength: int  # of the outermost operator, for parentheses

    def inside(self, strength: int) -> str:
        """Return the text as an operand of an operator that binds as strongly as ``strength``."""
        return self.text if self.strength >= strength else f"({self.text})"

    def evaluate(self, names: dict[str, float]) -> float:
        """Compute the formula; the text is the search's own, never a user's."""
        try:
            return float(eval(self.text, {**_FUNCTIONS, **names}))
        except (ArithmeticError, ValueError, TypeError):
            return inf


def _sigmoid(x: float) -> float:
    return 1 / (1 + exp(-x)) if x > -700 else 0.0


_FUNCTIONS: Final[dict[str, Callable[..., float]]] = {
    "exp": exp,
    "log": log,
    "tanh": tanh,
    "sqrt": sqrt,
    "sin": sin,
    "cos": cos,
    "abs": abs,
    "sigmoid": _sigmoid,
    "max": max,
}
_STEPS: Final = ("{} > 0", "{} < 0", "{} >= 0")


def _key(vector: Iterable[float]) -> tuple[str, ...]:
    return tuple(f"{x:.{SIGNIFICANT}g}" if x else "0" for x in vector)


def _applied(function: Callable[..., float], *columns: Vector) -> Vector | None:
    found = []
    for row in zip(*columns, strict=True):
        try:
            y = function(*row)
        except (ArithmeticError, ValueError, TypeError):
            return None
        if isinstance(y, complex) or not isfinite(y) or abs(y) > 1e12:
            return None
        found.append(float(y))
    return tuple(found)


_BINARY: Final = (
    ("+", 1, lambda a, b: a + b),
    ("-", 1, lambda a, b: a - b),
    ("*", 2, lambda a, b: a * b),
    ("/", 2, lambda a, b: a / b),
    ("**", 4, lambda a, b: a**b),
)
_COMMUTES: Final = {"+", "*"}


def _unary(found: Found, vector: Vector) -> Iterator[tuple[Found, Vector]]:
    size = found.size + 1
    for name in ("exp", "log", "tanh", "sigmoid", "sqrt", "abs", "sin", "cos"):
        if (y := _applied(_FUNCTIONS[name], vector)) is not None:
            yield Found(f"{name}({found.text})", size, 5), y
    yield Found(f"-{found.inside(3)}", size, 2), tuple(-x for x in vector)
    for text in _STEPS:
        y = tuple(float(eval(text.format("x"), {"x": x})) for x in vector)
        yield Found(f"({text.format(found.text)})", size + 1, 5), y


def _binary(
    left: tuple[Found, Vector], right: tuple[Found, Vector]
) -> Iterator[tuple[Found, Vector]]:
    (a, u), (b, v) = left, right
    for sign, strength, function in _BINARY:
        if sign in _COMMUTES and (b.size, b.text) < (a.size, a.text):
            continue
        if sign == "**" and b.size > 3:
            continue
        y = _applied(function, u, v)
        if y is None:
            continue
        tight = strength + (sign in "-/**")
        text = f"{a.inside(strength + (sign == '**'))} {sign} {b.inside(tight)}"
        yield Found(text, a.size + b.size + 1, strength), y


def formulas(names: dict[str, Vector]) -> Iterator[tuple[Found, Vector]]:
    """Yield formulas of ``names`` with their numbers at all points, the shortest first."""
    count = len(next(iter(names.values())))
    seen: set[tuple[str, ...]] = set()
    levels: list[list[tuple[Found, Vector]]] = [[]]

    def new(rows: Iterable[tuple[Found, Vector]]) -> Iterator[tuple[Found, Vector]]:
        for found, vector in rows:
            key = _key(vector)
            if key not in seen and len(seen) < MOST:
                seen.add(key)
                yield found, vector

    atoms = [(Found(name, 1, 6), vector) for name, vector in names.items()]
    atoms += [(Found(text, 1, 6), (float(text),) * count) for text in ("1", "0", "2")]
    first = list(new(atoms))
    yield from first
    other = [(Found(text, 2, 6), (float(text),) * count) for text in ("0.5", "3")]
    second = list(new([*(y for x in first for y in _unary(*x)), *other]))
    yield from second
    pairs = list(new(y for a in first for b in first for y in _binary(a, b)))
    yield from pairs
    levels = [first + second, pairs]
    third = list(
        new(
            y
            for a in levels[0]
            for b in levels[0]
            if a[0].size + b[0].size > 2
            for y in _binary(a, b)
        )
    )
    third += list(new(y for x in pairs for y in _unary(*x)))
    yield from third
    fourth = list(
        new(y for a in pairs for b in first for x, z in ((a, b), (b, a)) for y in _binary(x, z))
    )
    yield from fourth
    small = [x for x in third if x[0].size <= 4]
    yield from new(
        y for a in small for b in first for x, z in ((a, b), (b, a)) for y in _binary(x, z)
    )
    yield from new(y for a in pairs for b in pairs for y in _binary(a, b))
    yield from new(
        y for a in fourth for b in first for x, z in ((a, b), (b, a)) for y in _binary(x, z)
    )


class _Search:
    """Formulas at some points, by their numbers; it goes on from where the last question ended."""

    def __init__(self, points: tuple[tuple[str, Vector], ...]) -> None:
        self.found: dict[tuple[str, ...], Found] = {}
        self.more = formulas(dict(points))

    def find(self, key: tuple[str, ...]) -> Found | None:
        if key in self.found:
            return self.found[key]
        for found, vector in self.more:
            its = _key(vector)
            self.found[its] = found
            if its == key:
                return found
        return None


@lru_cache(maxsize=64)
def _search(points: tuple[tuple[str, Vector], ...]) -> _Search:
    return _Search(points)


def fitting(names: Mapping[str, Sequence[float]], wanted: Sequence[float]) -> Found | None:
    """Return the shortest formula of ``names`` that gives ``wanted``, or ``None``.

    >>> t = tuple(map(tanh, (1.6, -0.7, 0.3)))
    >>> fitting({"a": (1.6, -0.7, 0.3), "y": t}, (-1.56, 0.51, 0.91)).text
    '1 - a ** 2'
    """
    if not wanted or any(not isfinite(x) for x in wanted):
        return None
    points = tuple((name, tuple(map(float, column))) for name, column in names.items())
    found = _search(points).find(_key(x if abs(x) > 1e-14 else 0.0 for x in wanted))
    if found is None:
        return None
    squared = re.sub(r"(^|[-+(] ?)(\w+) \* \2(?!\w| \*\*)", r"\1\2 ** 2", found.text)
    return Found(squared, found.size, found.strength)
