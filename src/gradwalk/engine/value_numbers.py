"""The numbers of a graph of Values, as the search for the origin of a NaN reads them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import partial
from math import isfinite
from typing import Any

from .node import ancestors, constant_data, is_constant
from .origins import Element, Spot

__all__ = ["ValueNumbers", "responsible"]


class ValueNumbers:
    """The numbers of a graph of Values.

    After a replay the inner nodes have the numbers of an earlier run. Then all are computed again,
    from the leaves.
    """

    order: list[Any]

    def __init__(self, root: Any, line: Callable[[Any], Any] = lambda node: None) -> None:
        self.order = ancestors(root)
        self._line = line
        self._pulled: dict[Any, list[Any]] = {}
        self.data: dict[Any, float] = {node: node.data for node in self.order}
        if root._inputs and not _same(self.evaluated(root), root.data):
            self.again(root)

    def line_of(self, node: Any) -> Any:
        """Return where a node was recorded, if that is known."""
        return self._line(node)

    def operands(self, node: Any) -> list[Any]:
        """Return the operands, ``None`` for constants."""
        return [None if is_constant(i) else i for i in node._inputs or ()]

    def args(self, node: Any) -> list[float]:
        """Return the numbers of the operands."""
        inputs = node._inputs or ()
        return [constant_data(i) if is_constant(i) else self.data[i] for i in inputs]

    def constant(self, node: Any, position: int, element: Element) -> float:
        """Return a constant operand."""
        return self.args(node)[position]

    def evaluated(self, node: Any) -> float:
        """Return what the operation of ``node`` makes of its operands."""
        if _is_joint(node):  # it is part of no graph that runs again
            return self.data[node]
        return float(node._primitive.evaluate(*self.args(node)))

    def again(self, root: Any) -> float:
        """Return the number of ``root``, computed from those that its leaves have now."""
        for node in self.order:
            self.data[node] = self.evaluated(node) if node._inputs else node.data
        return self.data[root]

    def number(self, node: Any, element: Element) -> float | None:
        """Return the number of a node."""
        return self.data[node]

    def read(self, node: Any, element: Element) -> list[tuple[int, Element]]:
        """Return the positions of operands that are not finite."""
        return [(i, ()) for i, x in enumerate(self.args(node)) if not isfinite(x)]

    def pull(self, node: Any, t: float) -> Sequence[Any]:
        """Return the contributions of the gradient ``t`` to the operands."""
        if not _is_joint(node):
            return self.pull_again(node, t)
        if node not in self._pulled:  # the rule of several results takes each gradient once
            self._pulled[node] = self.pull_again(node, t)
        return self._pulled[node]

    def pull_again(self, node: Any, t: float) -> list[Any]:
        """Return the contributions, computed anew."""
        return list(node._primitive.contributions(t, self.data[node], self.args(node)))

    def is_bad(self, t: float) -> bool:
        """Return whether a gradient is not finite."""
        return not isfinite(t)

    def is_bad_at(self, t: float, element: Element) -> bool:
        """Return whether a gradient is not finite."""
        return not isfinite(t)

    def at(self, t: float, element: Element) -> float:
        """Return the gradient."""
        return t

    def passed(self, node: Any, position: int, t: float, element: Element) -> Element | None:
        """Return ``()`` if the incoming gradient is to blame, ``None`` if the rule is."""
        if isfinite(t):
            return None
        bad = not _is_joint(node) and self.is_bad(self.pull(node, 1.0)[position] or 0.0)
        return None if bad else ()

    def made_at(self, node: Any, position: int, t: float, element: Element) -> Element:
        """Return ``()``: a Value has one element."""
        return ()

    def culprits(self, node: Any, element: Element) -> list[tuple[int, Element]]:
        """Return the positions of the operands that made ``node`` non-finite."""
        if _is_joint(node):
            bad = [i for i, x in enumerate(self.args(node)) if not isfinite(x)]
            # the node of one of several results: its operand is the operation itself
            below = node._inputs[0] if len(node._inputs) == 1 and not bad else None
            if below is not None and not is_constant(below) and _is_joint(below):
                bad = [0] if self.culprits(below, element) else []
            return [(i, ()) for i in bad]
        found = responsible(node._primitive.evaluate, self.args(node)) if node._inputs else []
        return [(position, ()) for position in found]

    def inside(self, node: Any) -> Callable[[], object] | None:
        """Return what runs the program of a joint operation again."""
        if not _is_joint(node):
            return None
        if not hasattr(node._primitive, "again"):  # one of several results
            return self.inside(node._inputs[0])
        return partial(node._primitive.again, *self.args(node))

    def spot(self, node: Any, element: Element) -> Spot:
        """Return what is known about a node."""
        args, leaf = tuple(self.args(node)), None if node._inputs else node
        line, primitive = self._line(node), node._primitive
        return Spot(node.op, (), self.data[node], args, line, node.label, leaf, primitive=primitive)

    def source(self, node: Any, position: int, element: Element) -> tuple[Any, Element] | None:
        """Return an operand that is no constant."""
        operand = self.operands(node)[position]
        return None if operand is None else (operand, ())


def _is_joint(node: Any) -> bool:
    """Return whether a node belongs to an operation with several results and one joint rule."""
    return node._primitive is not None and node._primitive.kind != "pointwise"


def _same(a: float, b: float) -> bool:
    return a == b or (a != a and b != b)


def responsible(evaluate: Callable[..., Any], args: Sequence[float]) -> list[int]:
    """Return which operands made a result non-finite; none, if finite operands would as well.

    ``where(c, a, b)`` ignores one of its operands: each is replaced by 1.0 to see what changes.
    """
    bad = [i for i, x in enumerate(args) if not isfinite(x)]
    if len(bad) < 2 and len(args) < 3:
        return bad
    alone = [i for i in bad if isfinite(evaluate(*_replaced(args, [i])))]
    if alone or not bad:
        return alone
    return bad if isfinite(evaluate(*_replaced(args, bad))) else []


def _replaced(args: Sequence[float], positions: Iterable[int]) -> list[float]:
    return [1.0 if i in positions else x for i, x in enumerate(args)]
