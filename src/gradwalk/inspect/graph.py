"""A snapshot of a graph, which all views of this package read.

The views do not touch the nodes, because a picture must not change a program. Reading ``operands``,
for one, would turn constants into leaves.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import isfinite
from typing import Any

from ..core.expect import describe
from ..core.primitive import Primitive
from ..engine.node import CONSTANT, ancestors
from ..engine.value import Value
from ..errors import NotANumberError

__all__ = ["Item", "distances", "local_gradients", "number", "snapshot", "tally"]

PLURALS = {"leaf": "leaves", "constant": "constants"}


@dataclass(slots=True)
class Item:
    """One node: its name, numbers, primitive, and the indices of its operands."""

    name: str
    primitive: Primitive | None
    data: float
    grad: float
    inputs: tuple[int, ...] = ()

    @property
    def op(self) -> str:
        """Name of the operation that computed the node, ``""`` for leaves and constants."""
        return self.primitive.name if self.primitive is not None else ""

    @property
    def constant(self) -> bool:
        """Whether the node is a constant."""
        return self.primitive is CONSTANT


def snapshot(root: Value, names: Mapping[Value, str]) -> list[Item]:
    """List all nodes of a graph, operands first and ``root`` last, including constants."""
    if not isinstance(root, Value):
        raise NotANumberError(
            where="inspect",
            expected="a Value, whose graph can be shown",
            got=describe(root),
            fix="Pass the result of a computation on Values.",
        )
    items: list[Item] = []
    index: dict[Any, int] = {}

    def place(node: Any, primitive: Primitive | None, data: float, grad: float) -> int:
        name = "" if type(node) is float else node.label or names.get(node, "")
        inputs = () if primitive is CONSTANT else tuple([find(i) for i in node._inputs])
        items.append(Item(name, primitive, data, grad, inputs))
        return len(items) - 1

    def find(operand: Any) -> int:
        if type(operand) is float:  # a constant is a leaf of its own at each use
            return place(operand, CONSTANT, operand, 0.0)
        if operand not in index:
            index[operand] = place(operand, CONSTANT, operand.data, 0.0)
        return index[operand]

    for node in ancestors(root):
        index[node] = place(node, node._primitive, node.data, node.grad)
    return items


def local_gradients(items: list[Item], item: Item) -> list[float | None]:
    """Return the local derivative for each operand. ``None`` means that no gradient flows."""
    if item.primitive is None or not item.inputs:
        return []
    args = [items[i].data for i in item.inputs]
    if not item.primitive.rules:  # custom operations have one function for all derivatives
        return list(item.primitive.slopes(item.data, args))
    wanted = [not items[i].constant for i in item.inputs]
    contributions = item.primitive.contributions(1.0, item.data, args)
    return [
        contribution if want else None
        for contribution, want in zip(contributions, wanted, strict=True)
    ]


def distances(inputs: Sequence[Sequence[int]]) -> list[int]:
    """Return the longest distance from each node to the root, given the inputs of each node."""
    steps = [0] * len(inputs)
    for i in reversed(range(len(inputs))):
        for j in inputs[i]:
            steps[j] = max(steps[j], steps[i] + 1)
    return steps


def number(x: float) -> str:
    """Format a number with at most four significant digits, integers below a million in full.

    >>> number(6.88137), number(-0.5), number(12345.0), number(1.5e-7)
    ('6.881', '-0.5', '12345', '1.5e-7')
    """
    if isfinite(x) and x == int(x) and abs(x) < 1e6:
        return f"{x:.0f}"
    mantissa, e, exponent = f"{x:.4g}".partition("e")
    return f"{mantissa}e{int(exponent)}" if e else mantissa


def tally(items: Iterable[Item], most: int = 4) -> str:
    """Count nodes by kind, the most frequent kinds first: ``3,200 mul, 100 leaves``."""
    kinds = Counter("constant" if i.constant else i.op or "leaf" for i in items)
    parts = [
        f"{n:,} {PLURALS.get(kind, kind) if n > 1 else kind}" for kind, n in kinds.most_common()
    ]
    rest = kinds.total() - sum(n for _, n in kinds.most_common(most))
    return ", ".join([*parts[:most], f"{rest:,} other"] if rest else parts)
