"""A snapshot of a graph, which all views of this package read.

The views do not touch the nodes, because a picture must not change a program. Reading ``operands``,
for one, would turn constants into leaves.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import isfinite, isnan, nan
from types import FrameType
from typing import Any

from ..core.calls import caller
from ..core.carrier import is_tensor
from ..core.expect import describe
from ..core.primitive import Primitive
from ..engine.node import CONSTANT
from ..engine.value import Value
from ..errors import NotANumberError
from ..program.run import run_of
from .names import Names, names_of

__all__ = [
    "Item",
    "Snapshot",
    "distances",
    "local_gradients",
    "number",
    "snapshot",
    "span",
    "tally",
]

PLURALS = {"leaf": "leaves", "constant": "constants"}


@dataclass(slots=True)
class Item:
    """One node: its name, numbers, primitive, and the indices of its operands.

    ``data`` and ``grad`` are numbers or arrays; ``grad`` is ``None`` for an array without one.
    ``node`` is that of the graph, ``None`` for a constant, and ``atom`` what it is in the program.
    """

    name: str
    primitive: Primitive | None
    data: Any
    grad: Any
    inputs: tuple[int, ...] = ()
    node: Any = None
    atom: int = -1

    @property
    def op(self) -> str:
        """Name of the operation that computed the node, ``""`` for leaves and constants."""
        return self.primitive.name if self.primitive is not None else ""

    @property
    def constant(self) -> bool:
        """Whether the node is a constant."""
        return self.primitive is CONSTANT


class Snapshot(list[Item]):
    """The nodes of a graph, operands first; ``run`` is its program with its numbers."""

    run: Any = None


def snapshot(root: Any, names: Names, frame: FrameType | None = None) -> Snapshot:
    """List all nodes of a graph, operands first and ``root`` last, including constants.

    A constant is a node of its own at each use, unless it was looked at and became a Value.
    """
    frame = frame or caller()
    if not isinstance(root, Value) and not is_tensor(root):
        raise NotANumberError(
            where="inspect",
            expected="a Value or a Tensor, whose graph can be shown",
            got=describe(root),
            fix="Pass the result of a computation on Values or Tensors.",
        )
    if is_tensor(root) and root._node is None:  # it was computed of constants
        label = root.label or names_of(names, frame).get(("constant", id(root._data)), "")
        return Snapshot([Item(label, None, root._data, None)])
    run, found = run_of(root), names_of(names, frame)
    program, items, index = run.program, Snapshot(), dict[int, int]()
    items.run = run
    looked_at = {atom for atom in run.where.values() if atom < 0}
    for node, atom in run.where.items():
        if atom < 0:
            continue
        k = program.maker(atom)
        operands = []
        for a in () if k is None else program.operands(k):
            if a not in index:
                x = run.number(a)
                name = program.names.get(a) or found.get(("constant", id(x)), "")
                items.append(Item(name, CONSTANT, x, 0.0, atom=a))
            operands.append(index.get(a, len(items) - 1))
            if a in looked_at:
                index[a] = operands[-1]
        index[atom] = len(items)
        name = node.label or found.get(node, "")
        primitive = node._primitive if k is None else program.primitive(k)
        inputs = tuple(operands)
        items.append(Item(name, primitive, run.number(atom), node.grad, inputs, node, atom))
    return items


def local_gradients(items: list[Item], item: Item) -> list[float | None]:
    """Return the local derivative for each operand. ``None`` means that no gradient flows.

    It is NaN for operations on arrays, and for one of several results, which have many.
    """
    primitive = item.primitive
    if primitive is None or not item.inputs:
        return []
    wanted = [not items[i].constant for i in item.inputs]
    args = [items[i].data for i in item.inputs]
    if not isinstance(item.data, float) or not all(isinstance(x, float) for x in args):
        one = getattr(primitive, "variadic", False)
        rules = primitive.rules * len(args) if one else primitive.rules or (nan,) * len(args)
        found: list[Any] = [rule and nan for rule in rules]
    elif not primitive.rules:  # custom operations have one function for all derivatives
        return list(primitive.slopes(item.data, args))
    else:
        found = primitive.contributions(1.0, item.data, args)
    return [slope if want else None for slope, want in zip(found, wanted, strict=True)]


def distances(inputs: Sequence[Sequence[int]]) -> list[int]:
    """Return the longest distance from each node to the root, given the inputs of each node."""
    steps = [0] * len(inputs)
    for i in reversed(range(len(inputs))):
        for j in inputs[i]:
            steps[j] = max(steps[j], steps[i] + 1)
    return steps


def number(x: Any) -> str:
    """Format a number with at most four significant digits, integers below a million in full.

    Of an array it is the shape, with the smallest and the largest number.

    >>> number(6.88137), number(-0.5), number(12345.0), number(1.5e-7)
    ('6.881', '-0.5', '12345', '1.5e-7')
    """
    if x is None:
        return ""
    if not isinstance(x, (float, int)):
        return f"{'×'.join(map(str, x.shape))}: {span([x])}" if x.shape else span([x])
    if isfinite(x) and x == int(x) and abs(x) < 1e6:
        return f"{x:.0f}"
    mantissa, e, exponent = f"{x:.4g}".partition("e")
    return f"{mantissa}e{int(exponent)}" if e else mantissa


def span(found: Iterable[Any]) -> str:
    """Format the range from the smallest to the largest of numbers and arrays, and mention NaNs."""
    ends = [end for x in found if x is not None for end in _ends(x)]
    real = [x for x in ends if not isnan(x)]
    if not real:
        return "nan" if ends else ""
    low, high = number(min(real)), number(max(real))
    return (low if low == high else f"{low} … {high}") + ", nan" * (len(real) < len(ends))


def _ends(x: Any) -> list[float]:
    """Return the smallest and the largest number of an array, and NaN if it has one."""
    if isinstance(x, (float, int)) or not x.size:
        return [float(x)] if isinstance(x, (float, int)) else []
    import numpy as np

    array = np.asarray(x, float)
    bad = np.isnan(array)
    real = array[~bad]
    ends = [float(real.min()), float(real.max())] if real.size else []
    return [*ends, nan] if bad.any() else ends


def tally(items: Iterable[Item], most: int = 4) -> str:
    """Count nodes by kind, the most frequent kinds first: ``3,200 mul, 100 leaves``."""
    kinds = Counter("constant" if i.constant else i.op or "leaf" for i in items)
    parts = [
        f"{n:,} {PLURALS.get(kind, kind) if n > 1 else kind}" for kind, n in kinds.most_common()
    ]
    rest = kinds.total() - sum(n for _, n in kinds.most_common(most))
    return ", ".join([*parts[:most], f"{rest:,} other"] if rest else parts)
