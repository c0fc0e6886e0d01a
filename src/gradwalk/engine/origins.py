"""The first operation that made a NaN or an infinity of finite numbers, forward or backward.

The search runs after the fact, on a graph that was recorded as usual. It starts at a number that is
not finite and follows the operands that made it so, element by element, until an operation has
finite operands. In the other direction it applies the rules again and follows the contributions
that are not finite back to the rule whose incoming gradient was finite.

Values and Tensors differ in how their numbers are found: see `Numbers`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from math import nan
from typing import Any, Protocol

__all__ = ["Element", "Numbers", "Origin", "Spot", "constant_origin", "forward_origin"]
__all__ += ["path_of", "sources_of"]

Element = tuple[int, ...]
"""The index of an element of an array; ``()`` for a scalar."""

DEEPEST = 4  # operations that are shown of where an operand comes from
MOVES = ("reshape", "getitem", "transpose", "broadcast_to", "index", "squeeze", "expand_dims")


@dataclass(frozen=True, slots=True)
class Spot:
    """One element of a node as it was when it was examined, which survives its graph.

    ``args`` are the operands of this element, or () if the operation is not pointwise. ``leaf`` is
    the node itself, if it is a leaf.
    """

    op: str
    element: Element
    number: float
    args: tuple[float, ...] = ()
    line: Any = None
    label: str = ""
    leaf: Any = None
    shape: tuple[int, ...] = ()
    primitive: Any = None


@dataclass(frozen=True, slots=True)
class Origin:
    """Where a number that is not finite comes from.

    ``kind``      "forward": the operation of ``spot`` made it of finite operands; "backward": the
                  rule for argument ``position`` made it of the finite gradient ``incoming``;
                  "tangent": the same of the finite tangent ``incoming``; "sum":
                  contributions to the gradient of ``spot`` overflow or cancel; "leaf", "constant":
                  it was in the data; "unknown": numbers that the search needs are gone
    ``result``    the number that is not finite
    ``sources``   for each operand where its number comes from, the operation nearest to it first
    ``path``      from the operation to the number that was asked about
    ``others``    how many more operations made such a number of finite ones
    ``inside``    computes an operation that is a program of its own again, as `checkpoint` is
    """

    kind: str
    spot: Spot
    result: float
    position: int = 0
    incoming: float = nan
    sources: tuple[tuple[Spot, ...], ...] = ()
    path: tuple[Spot, ...] = ()
    others: int = 0
    inside: Callable[[], object] | None = None


class Numbers(Protocol):
    """The numbers of one graph, as the search reads them. ``None`` stands for one that is gone."""

    @property
    def order(self) -> Sequence[Any]:
        """The nodes, operands first."""

    def line_of(self, node: Any) -> Any:
        """Return where a node was recorded, ``None`` if that is unknown."""

    def operands(self, node: Any) -> Sequence[Any]:
        """Return the nodes of the operands, ``None`` for constants."""

    def number(self, node: Any, element: Element) -> float | None:
        """Return an element of a node."""

    def culprits(self, node: Any, element: Element) -> list[tuple[int, Element]]:
        """Return the elements of operands that made an element of ``node`` non-finite."""

    def read(self, node: Any, element: Element) -> list[tuple[int, Element]]:
        """Return elements of operands that a rule reads and that are not finite."""

    def constant(self, node: Any, position: int, element: Element) -> float:
        """Return an element of a constant operand."""

    def spot(self, node: Any, element: Element) -> Spot:
        """Return what is known about an element."""

    def source(self, node: Any, position: int, element: Element) -> tuple[Any, Element] | None:
        """Return the operand that an element was computed from, and which of its elements."""

    def pull(self, node: Any, t: Any) -> Sequence[Any]:
        """Return the contributions of the gradient of a node to its operands."""

    def pull_again(self, node: Any, t: Any) -> Sequence[Any]:
        """Return the contributions, computed anew."""

    def inside(self, node: Any) -> Callable[[], object] | None:
        """Return what runs the program of a node again, ``None`` if its operation has none."""

    def is_bad(self, t: Any) -> bool:
        """Return whether a gradient has an element that is not finite."""

    def is_bad_at(self, t: Any, element: Element) -> bool:
        """Return whether an element of a gradient is not finite."""

    def at(self, t: Any, element: Element) -> float:
        """Return an element of a gradient."""

    def passed(self, node: Any, position: int, t: Any, element: Element) -> Element | None:
        """Return which element of ``t`` made a contribution non-finite; ``None`` for the rule."""

    def made_at(self, node: Any, position: int, t: Any, element: Element) -> Element:
        """Return at which element of ``node`` its rule has made a contribution non-finite."""


def forward_origin(numbers: Numbers, node: Any, element: Element) -> Origin:
    """Return which operation made an element of ``node`` non-finite."""
    place = {n: i for i, n in enumerate(numbers.order)}
    came_from: dict[Any, Any] = {node: None}
    elements, ends, stack = {node: element}, [], [node]
    while stack:
        n = stack.pop()
        culprits = numbers.culprits(n, elements[n])
        operands = numbers.operands(n)
        if not culprits or any(operands[i] is None for i, _ in culprits):
            ends.append(n)
            continue
        for i, e in culprits:
            if operands[i] not in came_from:
                came_from[operands[i]], elements[operands[i]] = n, e
                stack.append(operands[i])
    first = _first(numbers, ends, place)
    return replace(
        _end(numbers, first, elements[first]),
        path=tuple(path_of(numbers, first, came_from, elements)),
        others=len(ends) - 1,
    )


def _first(numbers: Numbers, ends: Sequence[Any], place: dict[Any, int]) -> Any:
    """Return the first of several operations that do not depend on each other."""
    lines = [numbers.line_of(n) for n in ends]
    if all(lines) and len({line[0] for line in lines}) == 1:  # in one function: by the line
        return min(zip(ends, lines, strict=True), key=lambda p: (p[1][1:], place[p[0]]))[0]
    return min(ends, key=lambda n: (bool(n.op), place[n]))


def _end(numbers: Numbers, node: Any, element: Element) -> Origin:
    spot = numbers.spot(node, element)
    operands = numbers.operands(node)
    for i, e in numbers.culprits(node, element):
        if operands[i] is None:
            return constant_origin(numbers, node, spot, i, e)
    kind, sources = "forward" if spot.op else "leaf", sources_of(numbers, node, element)
    return Origin(kind, spot, spot.number, sources=sources, inside=numbers.inside(node))


def constant_origin(
    numbers: Numbers, node: Any, spot: Spot, position: int, element: Element
) -> Origin:
    """Return the origin in an element of a constant operand."""
    number = numbers.constant(node, position, element)
    return Origin("constant", spot if spot.args else replace(spot, element=element), number)


def path_of(numbers: Numbers, node: Any, onward: dict[Any, Any], elements: Any) -> Iterator[Spot]:
    """Yield the steps from an operation to the number that was asked about."""
    while node is not None:
        yield numbers.spot(node, elements[node])
        node = onward[node]


def sources_of(numbers: Numbers, node: Any, element: Element) -> tuple[tuple[Spot, ...], ...]:
    """Return for each operand where its number comes from."""
    return tuple(
        tuple(_chain(numbers, node, i, element)) for i in range(len(numbers.operands(node)))
    )


def _chain(numbers: Numbers, node: Any, position: int, element: Element) -> Iterator[Spot]:
    """Yield where the number of an operand comes from: moved elements, then what computed them."""
    for _ in range(DEEPEST):
        found = numbers.source(node, position, element)
        if found is None:
            return
        node, element = found
        spot = numbers.spot(node, element)
        yield spot
        if not spot.op or (spot.op not in MOVES and not _copies(spot)):
            return
        position = next((i for i, x in enumerate(spot.args) if x == spot.number), 0)


def _copies(spot: Spot) -> bool:
    """Return whether the operation has passed one of its operands on unchanged."""
    return spot.number in spot.args
