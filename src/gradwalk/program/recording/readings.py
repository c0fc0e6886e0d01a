"""Numbers that were read from a graph and came back as constants, which a replay repeats.

A graph of Values does not say where a constant is from. But a constant with all digits of a node's
number, with either sign, was read from that node by ``x.data``, ``float(x)`` or
``stop_gradient(x)``. A replay may repeat it while the node has that number.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import isfinite
from typing import Any, TypeAlias

from ... import native
from ...engine.node import ancestors, constant_data, inputs_of, is_constant
from ...engine.value import Value
from ...errors import StaleReplayError
from ...ops import TABLE

__all__ = ["Reading", "expect_unchanged", "is_long", "readings_of", "stale"]

Reading: TypeAlias = tuple[Value, float]
"""A node, and the number that was read from it."""


def readings_of(root: Value) -> list[Reading]:
    """Return what was read from a graph, or raise `StaleReplayError` for a fixed choice."""
    engine = native.engine
    found: list[tuple[Any, float | None]]
    found = list(_readings(root)) if engine is None else engine.readings(root)
    readings = []
    for node, number in found:
        if number is None:
            raise _fixed(node)
        readings.append((node, number))
    return readings


def _readings(root: Value) -> Iterator[tuple[Any, float | None]]:
    nodes = ancestors(root)
    constants = set[float]()
    for node in nodes:
        constants.update(abs(constant_data(x)) for x in inputs_of(node) if is_constant(x))
        if node._primitive is TABLE["where"] and is_constant(inputs_of(node)[0]):
            yield node, None
    for node in nodes:
        size = abs(node.data)
        brought = size in [abs(_data(x)) for x in inputs_of(node)]
        if size in constants and is_long(size) and not brought:
            yield node, node.data


def _data(operand: Any) -> float:
    return constant_data(operand) if is_constant(operand) else operand.data


def is_long(number: float) -> bool:
    """Return whether a number has more digits than a person types: one that was computed."""
    return isfinite(number) and float(f"{number:.14g}") != number


def expect_unchanged(readings: Sequence[Reading]) -> None:
    """Raise `StaleReplayError` if a node has another number than the one that was read."""
    for node, number in readings:
        if node.data != number:
            raise stale(f"the constant {number!r}, which was read from a node that is now "
                        f"{node.data!r}")  # fmt: skip


def stale(got: str) -> StaleReplayError:
    """Return the error for a replay that would repeat what was read from its graph."""
    return StaleReplayError(
        where="a replay",
        expected="a loss that was computed without reading numbers out of its graph",
        got=got,
        fix="Write gradwalk.compile(f) of the function that computes the loss; or "
        "gradwalk.Value(x.data) for a number that is to stay.",
    )


def _fixed(node: Any) -> StaleReplayError:
    chosen = "first" if _data(inputs_of(node)[0]) else "second"
    return StaleReplayError(
        where="replay(loss)",
        expected="choices that each run makes again",
        got=f"where(condition, a, b) whose condition is a plain answer: the {chosen} every time",
        fix="Write relu, maximum or clip, or gradwalk.compile(f); and `a if condition else b` for "
        "a condition that does not depend on the leaves.",
    )
