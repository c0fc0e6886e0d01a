"""Which rule made a gradient non-finite: the backward pass again, with an eye on contributions."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import partial
from math import isfinite, nan
from typing import Any

from .origins import Element, Numbers, Origin, constant_origin, forward_origin, path_of, sources_of
from .reverse import consumer_counts, reverse_steps

__all__ = ["Pass", "backward_origin", "run_backward"]


@dataclass(slots=True)
class Pass:
    """What a backward pass found: when nodes were processed, and contributions with NaN or inf.

    ``edges``  for each node: the consumer, the position of the node among its operands, the
               contribution, and the gradient of the consumer
    """

    turns: dict[Any, int]
    edges: dict[Any, list[tuple[Any, int, Any, Any]]]


def run_backward(numbers: Numbers, root: Any, seed: Any) -> Pass:
    """Run a backward pass again, without any change, and return what was not finite in it."""
    found = Pass({}, {})

    def watched(node: Any, t: Any) -> Any:
        contributions = list(numbers.pull(node, t))
        for i, (operand, c) in enumerate(zip(node._inputs, contributions, strict=True)):
            if c is not None and type(operand) is not float and numbers.is_bad(c):
                found.edges.setdefault(operand, []).append((node, i, c, t))
        return contributions

    for turn, (node, _) in enumerate(reverse_steps(root, seed, consumer_counts(root), watched)):
        found.turns[node] = turn
    return found


def backward_origin(numbers: Numbers, found: Pass, node: Any, element: Element) -> Origin:
    """Return which rule made an element of the gradient of ``node`` non-finite."""
    came_from: dict[Any, Any] = {node: None}
    elements, sums, stack = {node: element}, [], [node]
    ends: list[tuple[Any, int, Any]] = []
    while stack:
        n = stack.pop()
        reached = [e for e in found.edges.get(n, ()) if numbers.is_bad_at(e[2], elements[n])]
        if not reached:
            sums.append(n)
        for consumer, position, _, t in reached:
            passed = numbers.passed(consumer, position, t, elements[n])
            if passed is None:
                ends.append((consumer, position, t))
                came_from.setdefault(consumer, n)
                elements.setdefault(consumer, numbers.made_at(consumer, position, t, elements[n]))
            elif consumer not in came_from:
                came_from[consumer], elements[consumer] = n, passed
                stack.append(consumer)
    if not ends:
        first = min(sums, key=lambda n: found.turns[n])
        spot = numbers.spot(first, elements[first])
        path = tuple(path_of(numbers, first, came_from, elements))
        return Origin("sum", spot, nan, path=path, others=len(sums) - 1)
    first, position, t = min(ends, key=lambda end: found.turns[end[0]])
    origin = _rule(numbers, first, position, t, elements[first], elements[came_from[first]])
    return replace(
        origin,
        path=(*origin.path, *path_of(numbers, first, came_from, elements)),
        others=len({end[0] for end in ends}) - 1,
    )


def _rule(
    numbers: Numbers, node: Any, position: int, t: Any, element: Element, onward: Element
) -> Origin:
    """Return the origin in a rule, or in the forward pass if the rule read what is not finite."""
    incoming, operands = numbers.at(t, element), numbers.operands(node)
    for n, e in _read(numbers, node, element):
        if n is None:
            i = next(i for i, at in numbers.read(node, element) if operands[i] is None and at == e)
            found = constant_origin(numbers, node, numbers.spot(node, element), i, e)
            return replace(found, position=position, incoming=incoming)
        return replace(forward_origin(numbers, n, e), position=position, incoming=incoming)
    spot, sources = numbers.spot(node, element), sources_of(numbers, node, element)
    result = numbers.at(numbers.pull(node, t)[position], onward)
    inside = None if numbers.inside(node) is None else partial(numbers.pull_again, node, t)
    return Origin("backward", spot, result, position, incoming, sources, inside=inside)


def _read(numbers: Numbers, node: Any, element: Element) -> Iterator[tuple[Any, Element]]:
    """Yield the numbers that a rule reads and that are not finite, operands first."""
    operands = numbers.operands(node)
    for i, e in numbers.read(node, element):
        yield operands[i], e
    number = numbers.number(node, element)
    if number is not None and not isfinite(number):
        yield node, element
