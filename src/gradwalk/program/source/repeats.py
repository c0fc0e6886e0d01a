"""From a sequence of statements to loops: what repeats itself is written once.

A loop is a stretch of the sequence in which the same keys come again and again. The order of the
statements stays as it is, so every such loop computes what the sequence computes. Stretches inside
of one period are loops inside of the loop.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from .steps import Integers

__all__ = ["Loop", "Node", "nest"]


class Loop(NamedTuple):
    """``count`` periods of ``period`` statements, from ``start`` of what is around the loop."""

    start: int
    period: int
    count: int  # type: ignore[assignment]  # periods; nothing counts the members of a loop
    body: list[Node]


Node = int | Loop
"""A statement, by its offset in the period around it, or a loop."""

WINDOWS = (1, 4, 16)
CANDIDATES = 12
LEAST = 3
"""Periods of a loop, at least."""
SAVED = 12
"""Statements that a loop saves, at least: a table of indices costs more than a few lines."""
PRIME = 1_000_003


class Links:
    """Which later statement is the last that reads a statement: ``last[i]``."""

    last: Integers

    def __init__(self, last: Integers) -> None:
        self.last = last

    def best_start(self, at: int, period: int) -> int:
        """Return how far to shift a loop so that few numbers pass from period to period."""
        here = np.arange(at, at + 2 * period)
        last = self.last[here]
        passed = (here < last) & (last < here + period)
        crossing = np.zeros(2 * period + 2, np.int64)
        np.add.at(crossing, here[passed] - at + 1, 1)
        np.add.at(crossing, np.minimum(last[passed] - at, 2 * period) + 1, -1)
        return int(np.argmin(np.cumsum(crossing)[period : 2 * period]))


def nest(keys: Integers, last: Integers) -> list[Node]:
    """Return the statements and loops of a sequence.

    >>> keys = np.array([7, *[1, 2] * 9, 9])
    >>> nest(keys, np.minimum(np.arange(20) + 1, 19))
    [0, Loop(start=1, period=2, count=9, body=[0, 1]), 19]
    """
    return _nest(keys, Links(last), 0)


def _nest(keys: Integers, links: Links, at: int) -> list[Node]:
    chosen = _chosen(keys, links, at) if len(keys) > SAVED else []
    nodes: list[Node] = []
    here = 0
    for start, period, count in chosen:
        nodes += _shifted(_nest(keys[here:start], links, at + here), here)
        inside = _nest(keys[start : start + period], links, at + start)
        nodes.append(Loop(start, period, count, inside))
        here = start + period * count
    if not nodes:
        return list(range(len(keys)))
    return nodes + _shifted(_nest(keys[here:], links, at + here), here)


def _shifted(nodes: list[Node], by: int) -> list[Node]:
    return [n + by if isinstance(n, int) else n._replace(start=n.start + by) for n in nodes]


def _chosen(keys: Integers, links: Links, at: int) -> list[tuple[int, int, int]]:
    """Return (start, period, count) of loops that do not overlap, those that save most first."""
    found = []
    for candidate in _periods(keys):
        for start, period, count in _runs(keys, candidate):
            found.append(((count - 1) * period, -period, start, count))
    taken: list[tuple[int, int, int]] = []
    free = [(0, len(keys))]
    for _, minus, start, count in sorted(found, key=lambda x: (-x[0], -x[1], x[2])):
        period, end = -minus, start - minus * count
        inside = next((f for f in free if f[0] <= start and end <= f[1]), None)
        if inside is None:
            continue
        limit = _limit(keys, start, period, inside[1])
        middle = at + start + period * max((count // 2) - 1, 0)
        shift = links.best_start(middle, period) if period > 1 and count > LEAST else 0
        start, count = start + shift, (limit - start - shift) // period
        if not _is_worth_it(period, count):
            continue
        free.remove(inside)
        free += [(inside[0], start), (start + period * count, inside[1])]
        taken.append((start, period, count))
    return sorted(taken)


def _is_worth_it(period: int, count: int) -> bool:
    return count >= LEAST and (count - 1) * period >= SAVED


def _limit(keys: Integers, start: int, period: int, end: int) -> int:
    """Return where the repetition from ``start`` ends."""
    other = np.flatnonzero(keys[start + period : end] != keys[start : end - period])
    return start + period + int(other[0]) if len(other) else end


def _periods(keys: Integers) -> list[int]:
    """Return the likely periods: usual distances between equal windows."""
    distances: Counter[int] = Counter()
    for width in WINDOWS:
        if len(keys) <= width:
            continue
        windows = np.zeros(len(keys) - width + 1, np.int64)
        for i in range(width):
            windows = windows * PRIME + keys[i : len(keys) - width + 1 + i]
        order = np.argsort(windows, kind="stable")
        same = windows[order[1:]] == windows[order[:-1]]
        found, counts = np.unique(np.diff(order)[same], return_counts=True)
        distances.update(dict(zip(found.tolist(), counts.tolist(), strict=True)))
    usual = sorted(distances.items(), key=lambda x: (-x[0] * x[1], x[0]))
    return [period for period, _ in usual[:CANDIDATES] if period * LEAST <= len(keys)]


def _runs(keys: Integers, period: int) -> Iterator[tuple[int, int, int]]:
    """Yield (start, period, count) where this period, or a part of it, repeats."""
    same = np.zeros(len(keys) - period + 2, bool)
    same[1:-1] = keys[:-period] == keys[period:]
    edges = np.flatnonzero(same[1:] != same[:-1])
    for start, end in zip(edges[::2].tolist(), edges[1::2].tolist(), strict=True):
        count = (end - start + period) // period
        if _is_worth_it(period, count):
            part = _smallest(keys[start : start + 2 * period], period)
            yield start, part, (end - start + period) // part


def _smallest(keys: Integers, period: int) -> int:
    """Return the smallest period of two periods."""
    for part in range(1, period // 2 + 1):
        if period % part == 0 and (keys[part:] == keys[:-part]).all():
            return part
    return period
