"""A layered layout from left to right, without Graphviz.

The method is by Sugiyama, Tagawa and Toda (Methods for Visual Understanding of Hierarchical System
Structures, 1981): layers by longest path, bends where an edge crosses a layer, orders by
barycenters, then heights. The heights of a layer solve a weighted least-squares problem: each spot
near its neighbours, in the given order and without overlap. Pooling adjacent violators solves it.
"""

from __future__ import annotations

from bisect import bisect_right, insort
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from .graph import distances

__all__ = ["Layout", "Point", "arrange"]

Point = tuple[float, float]

ROW_GAP, BEND_GAP = 16.0, 9.0  # between two boxes of a layer; beside the bend of an edge
COLUMN_GAP, STEEP = 54.0, 0.16  # between two layers, plus a share of the steepest climb of an edge
WIDEST_GAP = 190.0
ORDER_SWEEPS, HEIGHT_SWEEPS = 24, 60
STRAIGHT = 4.0  # weight of a bend relative to a box, so that long edges stay straight


@dataclass
class Spot:
    """A box in its layer, or a point where an edge crosses the layer."""

    layer: int
    width: float = 0.0
    height: float = 0.0
    left: list[int] = field(default_factory=list)
    right: list[int] = field(default_factory=list)
    source: int = -1  # of a bend: the box where its edge begins
    x: float = 0.0
    y: float = 0.0


@dataclass
class Layout:
    """The middle of the left side of each box, and the points of each edge."""

    places: list[Point]
    paths: list[list[Point]]
    width: float
    height: float


def arrange(sizes: Sequence[tuple[float, float]], edges: Sequence[tuple[int, int]]) -> Layout:
    """Place boxes of the given sizes. ``edges`` are pairs (operand, user), operands numbered first.

    The points of a path alternate between the right and the left sides of layers. Drawn as a curve
    to the second point, a level line to the third, and so on, a path crosses no box. If several
    paths leave one box, the later ones begin where they part from the earlier ones.
    """
    spots = [
        Spot(layer, *size) for layer, size in zip(_layers(len(sizes), edges), sizes, strict=True)
    ]
    chains = _bend(spots, edges)
    columns = _ordered(spots, len(sizes))
    _set_heights(spots, columns)
    sides = _set_columns(spots, columns)
    top = min(spot.y - spot.height / 2 for spot in spots)
    for spot in spots:
        spot.y -= top
    return Layout(
        places=[(spot.x, spot.y) for spot in spots[: len(sizes)]],
        paths=[_path([spots[k] for k in chain], sides) for chain in _parted(chains)],
        width=sides[-1][1],
        height=max(spot.y + spot.height / 2 for spot in spots),
    )


def _layers(count: int, edges: Sequence[tuple[int, int]]) -> list[int]:
    """Put each box as close to the root as its users allow, so leaves stand next to their users."""
    inputs: list[list[int]] = [[] for _ in range(count)]
    for source, target in edges:
        inputs[target].append(source)
    steps = distances(inputs)
    return [max(steps) - s for s in steps]


def _bend(spots: list[Spot], edges: Sequence[tuple[int, int]]) -> list[list[int]]:
    """List the spots along each edge. Edges from one box share their bends until they part."""
    bends: dict[tuple[int, int], int] = {}
    chains = []
    for source, target in edges:
        chain = [source]
        for layer in range(spots[source].layer + 1, spots[target].layer):
            if (source, layer) not in bends:
                bends[source, layer] = len(spots)
                spots.append(Spot(layer, source=source))
                _join(spots, chain[-1], len(spots) - 1)
            chain.append(bends[source, layer])
        _join(spots, chain[-1], target)
        chains.append([*chain, target])
    return chains


def _join(spots: list[Spot], a: int, b: int) -> None:
    spots[a].right.append(b)
    spots[b].left.append(a)


# --- the order inside each layer ----------------------------------------------------------------


def _ordered(spots: list[Spot], boxes: int) -> list[list[int]]:
    """Order each layer from top to bottom with few crossings."""
    columns = _first_order(spots, boxes)
    best, fewest = [list(c) for c in columns], _crossings(spots, columns)
    for sweep in range(ORDER_SWEEPS):
        if not fewest:
            break
        rightward = sweep % 2 == 0
        for column, beside in _pairs(columns, rightward):
            rank = {k: float(r) for r, k in enumerate(beside)}
            own = {k: float(r) for r, k in enumerate(column)}
            column.sort(key=lambda k: _mean(_beside(spots[k], rightward), rank, own[k]))
        found = _crossings(spots, columns)
        if found < fewest:
            best, fewest = [list(c) for c in columns], found
    return best


def _first_order(spots: list[Spot], boxes: int) -> list[list[int]]:
    """Order spots by depth-first search from the root, which draws trees without crossings."""
    columns: list[list[int]] = [[] for _ in range(max(spot.layer for spot in spots) + 1)]
    seen: set[int] = set()
    stack = [k for k in range(boxes) if not spots[k].right]
    while stack:
        k = stack.pop()
        if k not in seen:
            seen.add(k)
            columns[spots[k].layer].append(k)
            stack += reversed(spots[k].left)
    return columns


def _pairs(columns: list[list[int]], rightward: bool) -> list[tuple[list[int], list[int]]]:
    """Pair each layer with its reference layer, in the order of the sweep."""
    if rightward:
        return list(zip(columns[1:], columns[:-1], strict=True))
    return list(zip(columns[-2::-1], columns[:0:-1], strict=True))


def _beside(spot: Spot, rightward: bool) -> list[int]:
    return spot.left if rightward else spot.right


def _mean(neighbours: list[int], rank: dict[int, float], own: float) -> float:
    return sum([rank[k] for k in neighbours]) / len(neighbours) if neighbours else own


def _crossings(spots: list[Spot], columns: list[list[int]]) -> int:
    total = 0
    for column, beside in _pairs(columns, rightward=True):
        rank = {k: r for r, k in enumerate(beside)}
        above: list[int] = []
        for k in column:
            ends = sorted(rank[j] for j in spots[k].left)
            total += sum(len(above) - bisect_right(above, end) for end in ends)
            for end in ends:
                insort(above, end)
    return total


# --- coordinates --------------------------------------------------------------------------------


def _set_heights(spots: list[Spot], columns: list[list[int]]) -> None:
    for column in columns:
        _settle(spots, column, [0.0] * len(column), [1.0] * len(column))
    for sweep in range(HEIGHT_SWEEPS):
        levels = _levels(spots)
        for column in columns if sweep % 2 else reversed(columns):
            wishes = [_wish(spots, k, levels) for k in column]
            _settle(spots, column, [y for y, _ in wishes], [weight for _, weight in wishes])


def _levels(spots: list[Spot]) -> dict[int, float]:
    """Return the mean height of the bends and ends of the edges of each box with bent edges."""
    sums: dict[int, tuple[float, int]] = {}
    for spot in spots:
        if spot.source >= 0:
            ends = [spots[k].y for k in (*spot.left, *spot.right) if spots[k].source < 0]
            total, count = sums.get(spot.source, (0.0, 0))
            sums[spot.source] = total + spot.y + sum(ends), count + 1 + len(ends)
    return {source: total / count for source, (total, count) in sums.items()}


def _wish(spots: list[Spot], k: int, levels: dict[int, float]) -> tuple[float, float]:
    """Return the best height of a spot and its weight.

    A box aims at the mean of its neighbours, a bend at the mean of the whole edge.
    """
    neighbours = [*spots[k].left, *spots[k].right]
    if spots[k].source >= 0:
        return levels[spots[k].source], STRAIGHT * len(neighbours)
    if not neighbours:
        return spots[k].y, 1.0
    return sum([spots[j].y for j in neighbours]) / len(neighbours), float(len(neighbours))


def _settle(
    spots: list[Spot], column: list[int], wishes: list[float], weights: list[float]
) -> None:
    """Solve least squares with fixed order and minimal distances, by pooling adjacent violators."""
    offsets = [0.0]
    for a, b in pairwise(column):
        offsets.append(offsets[-1] + _distance(spots[a], spots[b]))
    pools: list[tuple[float, float, int]] = []  # mean, weight, how many
    for wish, weight, offset in zip(wishes, weights, offsets, strict=True):
        mean, heavy, count = wish - offset, weight, 1
        while pools and pools[-1][0] >= mean:
            other, more, others = pools.pop()
            mean = (mean * heavy + other * more) / (heavy + more)
            heavy, count = heavy + more, count + others
        pools.append((mean, heavy, count))
    levels = [mean for mean, _, count in pools for _ in range(count)]
    for k, level, offset in zip(column, levels, offsets, strict=True):
        spots[k].y = level + offset


def _distance(a: Spot, b: Spot) -> float:
    gap = ROW_GAP if a.width and b.width else BEND_GAP
    return (a.height + b.height) / 2 + gap


def _set_columns(spots: list[Spot], columns: list[list[int]]) -> list[Point]:
    """Return both sides of every layer. Boxes are aligned right, next to their users."""
    sides: list[Point] = []
    left = 0.0
    for column in columns:
        right = left + max(spots[k].width for k in column)
        climbs = [abs(spots[k].y - spots[j].y) for k in column for j in spots[k].right]
        for k in column:
            spots[k].x = right - spots[k].width
        sides.append((left, right))
        left = right + min(WIDEST_GAP, COLUMN_GAP + STEEP * max(climbs, default=0.0))
    return sides


def _parted(chains: list[list[int]]) -> list[list[int]]:
    """Cut each chain where it parts from earlier ones, so that shared parts are drawn once."""
    drawn: dict[int, int] = {}
    parted = []
    for chain in chains:
        shared = min(drawn.get(chain[0], 0), len(chain) - 2)
        drawn[chain[0]] = max(drawn.get(chain[0], 0), len(chain) - 2)
        parted.append(chain[shared:])
    return parted


def _path(chain: list[Spot], sides: list[Point]) -> list[Point]:
    first, *bends, last = chain
    points = [(sides[first.layer][1], first.y)]
    for bend in bends:
        points += [(sides[bend.layer][0], bend.y), (sides[bend.layer][1], bend.y)]
    return [*points, (sides[last.layer][0], last.y), (last.x, last.y)]
