"""Index expressions: a sum of multiples of the loops' counters where that is enough."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import product
from math import prod
from typing import TypeVar

__all__ = ["drop_axes", "linear"]

T = TypeVar("T")


def linear(numbers: Sequence[int], counts: Sequence[int]) -> str | None:
    """Return the expression in i0, i1, ... that gives these numbers in turn, if there is one.

    >>> linear([3, 5, 7], [3]), linear([0, 1, 10, 11], [2, 2]), linear([0, 1, 5], [3])
    ('3 + 2 * i0', '10 * i0 + i1', None)
    """
    strides = [prod(counts[d + 1 :]) for d in range(len(counts))]
    factors = [numbers[stride] - numbers[0] for stride in strides]
    expected = [numbers[0]]
    for count, factor in zip(counts, factors, strict=True):
        expected = [e + factor * i for e in expected for i in range(count)]
    if expected != list(numbers):
        return None
    terms = [(f, f"i{d}") for d, f in enumerate(factors) if f]
    return _sum(numbers[0], terms)


def _sum(start: int, terms: list[tuple[int, str]]) -> str:
    text = str(start) if start or not terms else ""
    for factor, name in terms:
        size = name if abs(factor) == 1 else f"{abs(factor)} * {name}"
        sign = "-" if factor < 0 else "+"
        text = f"{text} {sign} {size}" if text else size if sign == "+" else f"-{size}"
    return text


def drop_axes(
    numbers: Sequence[T], counts: Sequence[int], key: Callable[[T], object]
) -> tuple[list[T], str]:
    """Return the numbers without axes along which they are alike, and the index of a number.

    >>> drop_axes([4, 9, 4, 9, 4, 9], [3, 2], lambda x: x)
    ([4, 9], 'i1')
    """
    same = [key(x) for x in numbers]
    kept = [d for d in range(len(counts)) if not _alike(same, counts, d)]
    turns = product(*[range(c) if d in kept else (0,) for d, c in enumerate(counts)])
    strides = [prod(counts[d + 1 :]) for d in range(len(counts))]
    chosen = [numbers[sum(i * s for i, s in zip(turn, strides, strict=True))] for turn in turns]
    terms = [(prod(counts[e] for e in kept if e > d), f"i{d}") for d in kept]
    return chosen, _sum(0, terms)


def _alike(keys: Sequence[object], counts: Sequence[int], axis: int) -> bool:
    stride = prod(counts[axis + 1 :])
    block = stride * counts[axis]
    return all(
        keys[start : start + stride] == keys[start + k * stride : start + (k + 1) * stride]
        for start in range(0, len(keys), block)
        for k in range(1, counts[axis])
    )
