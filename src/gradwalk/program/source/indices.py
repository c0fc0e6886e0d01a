"""Index expressions: a sum of multiples of the loops' counters where that is enough."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

import numpy as np

from .steps import Integers

__all__ = ["drop_axes", "linear"]


def linear(numbers: Integers, counts: Sequence[int]) -> str | None:
    """Return the expression in i0, i1, ... that gives these numbers in turn, if there is one.

    >>> linear(np.array([3, 5, 7]), [3]), linear(np.array([0, 1, 10, 11]), [2, 2])
    ('3 + 2 * i0', '10 * i0 + i1')
    >>> linear(np.array([0, 1, 5]), [3]) is None
    True
    """
    first = int(numbers[0])
    factors = [int(numbers[prod(counts[d + 1 :])]) - first for d in range(len(counts))]
    expected = np.array([first])
    for count, factor in zip(counts, factors, strict=True):
        expected = (expected[:, None] + factor * np.arange(count)).reshape(-1)
    if not np.array_equal(expected, numbers):
        return None
    return _sum(first, [(f, f"i{d}") for d, f in enumerate(factors) if f])


def _sum(start: int, terms: list[tuple[int, str]]) -> str:
    text = str(start) if start or not terms else ""
    for factor, name in terms:
        size = name if abs(factor) == 1 else f"{abs(factor)} * {name}"
        sign = "-" if factor < 0 else "+"
        text = f"{text} {sign} {size}" if text else size if sign == "+" else f"-{size}"
    return text


def drop_axes(numbers: Integers, counts: Sequence[int]) -> tuple[Integers, str]:
    """Return the numbers without axes along which they are alike, and the index of a number.

    >>> drop_axes(np.array([4, 9, 4, 9, 4, 9]), [3, 2])
    (array([4, 9]), 'i1')
    """
    table = numbers.reshape(tuple(counts))
    kept = []
    for d in range(len(counts)):
        first = table.take([0], axis=d)
        if (table == first).all():
            table = first
        else:
            kept.append(d)
    terms = [(prod(counts[e] for e in kept if e > d), f"i{d}") for d in kept]
    return table.reshape(-1), _sum(0, terms)
