"""From a sequence of statements to loops: what repeats itself is written once.

A loop is a stretch of the sequence in which the same keys come again and again. The order of the
statements stays as it is, so every such loop computes what the sequence computes. Stretches inside
of one period are loops inside of the loop.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import groupby
from operator import eq
from typing import NamedTuple

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


class Links:
    """Which later statement is the last that reads a statement: ``last[i]``."""

    last: Sequence[int]

    def __init__(self, last: Sequence[int]) -> None:
        self.last = last

    def best_start(self, at: int, period: int) -> int:
        """Return how far to shift a loop so that few numbers pass from period to period."""
        crossing = [0] * (2 * period + 2)
        for d in range(at, at + 2 * period):
            reach = self.last[d] - at
            if d < self.last[d] < d + period:
                crossing[d - at + 1] += 1
                crossing[min(reach, 2 * period) + 1] -= 1
        open_now, best = 0, (1 << 60, 0)
        for cut in range(2 * period):
            open_now += crossing[cut]
            if cut >= period:
                best = min(best, (open_now, cut - period))
        return best[1]


def nest(keys: Sequence[int], last: Sequence[int]) -> list[Node]:
    """Return the statements and loops of a sequence.

    >>> nest([7, 1, 2, 1, 2, 1, 2, 9], [0, 2, 2, 4, 4, 6, 6, 7])
    [0, Loop(start=1, period=2, count=3, body=[0, 1]), 7]
    """
    return _nest(list(keys), Links(last), 0)


def _nest(keys: list[int], links: Links, at: int) -> list[Node]:
    if len(keys) < 2 * LEAST - 1:
        return list(range(len(keys)))
    nodes: list[Node] = []
    here = 0
    for start, period, count in _chosen(keys, links, at):
        nodes += _shifted(_nest(keys[here:start], links, at + here), here)
        inside: list[Node] = [0]
        if period > 1:
            inside = _nest(keys[start : start + period], links, at + start)
        nodes.append(Loop(start, period, count, inside))
        here = start + period * count
    if not nodes:
        return list(range(len(keys)))
    return nodes + _shifted(_nest(keys[here:], links, at + here), here)


def _shifted(nodes: list[Node], by: int) -> list[Node]:
    return [n + by if isinstance(n, int) else n._replace(start=n.start + by) for n in nodes]


def _chosen(keys: list[int], links: Links, at: int) -> list[tuple[int, int, int]]:
    """Return (start, period, count) of loops that do not overlap, those that save most first."""
    found = []
    for period in _periods(keys):
        for start, count in _runs(keys, period):
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
        if count < LEAST:
            continue
        free.remove(inside)
        free += [(inside[0], start), (start + period * count, inside[1])]
        taken.append((start, period, count))
    return sorted(taken)


def _limit(keys: list[int], start: int, period: int, end: int) -> int:
    """Return where the repetition from ``start`` ends."""
    here = start + period
    while here < end and keys[here] == keys[here - period]:
        here += 1
    return here


def _periods(keys: list[int]) -> list[int]:
    """Return the likely periods: usual distances between equal windows."""
    distances: Counter[int] = Counter()
    for width in WINDOWS:
        seen: dict[tuple[int, ...], int] = {}
        for i in range(len(keys) - width + 1):
            window = tuple(keys[i : i + width])
            if window in seen:
                distances[i - seen[window]] += 1
            seen[window] = i
    usual = sorted(distances.items(), key=lambda x: (-x[0] * x[1], x[0]))
    return [period for period, _ in usual[:CANDIDATES] if period * LEAST <= len(keys)]


def _runs(keys: list[int], period: int) -> Iterator[tuple[int, int]]:
    """Yield where the sequence repeats with this period: (start, count)."""
    at = 0
    for same, members in groupby(map(eq, keys, keys[period:])):
        length = sum(1 for _ in members)
        count = (length + period) // period
        if same and count >= LEAST:
            yield at, count
        at += length
