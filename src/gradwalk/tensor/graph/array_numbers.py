"""The numbers of a graph of Tensors, as the search for the origin of a NaN reads them.

A node stores its residuals only. Other numbers are found in Tensors that the program still holds,
or computed again from those.
"""

from __future__ import annotations

import gc
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from itertools import islice
from typing import Any

import numpy as np

from ...core.carrier import Carrier, is_tensor
from ...core.leaked import Leaked
from ...engine.node import ancestors
from ...engine.origins import Element, Spot
from ...levels.level import Tracer
from ...libraries import LibraryArray
from ...ops.array.evaluation import function_of
from ...ops.array.multi_output import PART, OutputGradients
from ...ops.array.structural_zero import StructuralZero, elements_of
from .convert import ValueSource
from .elements import (
    aligned,
    aligned_to,
    arrays_of,
    cell_of,
    element_of,
    first_of,
    is_finite,
    is_pointwise,
    mended_copy,
)
from .node import CONSTANT_NODE, Node, constant_of, contributions

__all__ = ["ArrayNumbers", "spot_of"]

MOST = 16  # elements of a gradient that are tried
Array = np.ndarray[Any, Any]


def handles_of(nodes: Sequence[Node]) -> dict[Node, Array]:
    """Return the arrays of the Tensors that belong to ``nodes``, as far as they still exist."""
    if not nodes:
        return {}
    # not gc.get_referrers, which compares each object with each node: 4 s for 20,000 nodes
    found = [x for x in gc.get_objects() if issubclass(type(x), Carrier) and type(x)._is_tensor]
    handles = {x._node: x for x in found if not isinstance(x, (Tracer, Leaked))}
    return {node: handles[node]._data for node in nodes if node in handles}


class ArrayNumbers:
    """The numbers of a graph of Tensors: residuals, arrays of the program, and what they give."""

    order: list[Node]

    def __init__(self, root: Node, given: Mapping[Node, Any] | None = None) -> None:
        self.order = ancestors(root)
        self.data: dict[Node, Any] = dict(given or {})
        with np.errstate(all="ignore"):
            self._fill()

    def _fill(self) -> None:
        for node in self.order:
            for operand, kept in zip(node._inputs or (), (node.saved or ())[1:], strict=False):
                if operand is not CONSTANT_NODE and isinstance(kept, (np.ndarray, np.generic)):
                    self.data.setdefault(operand, kept)
            if node.saved and node.saved[0] is not None:
                self.data.setdefault(node, node.saved[0])
            if type(node) is ValueSource:
                self.data[node] = np.array([v.data for v in node.values])
        missing = [node for node in self.order if node not in self.data]
        self.data |= {n: x for n, x in handles_of(missing).items() if n not in self.data}
        for node in self.order:
            if node not in self.data and node._inputs:
                self.data[node] = self._evaluated(node)

    def _evaluated(self, node: Node) -> Any:
        args = self.args(node)
        if any(a is None for a in args):
            return None
        return _function(node)(*args, **node.options)

    def again(self, root: Node) -> Any:
        """Return the numbers of ``root``, computed from those that its leaves have now.

        ``None``, if the program has dropped a leaf.
        """
        now: dict[Node, Any] = handles_of([n for n in self.order if not n._inputs])
        for node in self.order:
            if not node._inputs:
                now.setdefault(node, self.data.get(node))
                continue
            args = [
                constant_of(node, i) if operand is CONSTANT_NODE else now.get(operand)
                for i, operand in enumerate(node._inputs)
            ]
            gone = any(a is None for a in args) or node.saved is None
            with np.errstate(all="ignore"):
                now[node] = None if gone else _function(node)(*args, **node.options)
        return now[root]

    def line_of(self, node: Node) -> Any:
        """Return where in the user's program a node was recorded."""
        return node.line

    def args(self, node: Node) -> list[Any]:
        """Return the operands of a node as arrays and numbers, ``None`` for those that are gone."""
        if not node.saved:
            return [self.data.get(operand) for operand in node._inputs or ()]
        return [
            constant_of(node, i) if operand is CONSTANT_NODE else self._operand(node, i, operand)
            for i, operand in enumerate(node._inputs or ())
        ]

    def _operand(self, node: Node, position: int, operand: Node) -> Any:
        kept = node.saved[position + 1]
        return kept if isinstance(kept, (np.ndarray, np.generic)) else self.data.get(operand)

    def operands(self, node: Node) -> list[Node | None]:
        """Return the nodes of the operands, ``None`` for constants."""
        return [None if i is CONSTANT_NODE else i for i in node._inputs or ()]

    def number(self, node: Node, element: Element) -> float | None:
        """Return an element of a node."""
        return element_of(self.data.get(node), element)

    def constant(self, node: Node, position: int, element: Element) -> float:
        """Return an element of a constant operand."""
        found = element_of(self.args(node)[position], element)
        return float("nan") if found is None else found

    def read(self, node: Node, element: Element) -> list[tuple[int, Element]]:
        """Return elements of operands that are not finite, and that a rule reads."""
        found = []
        for i, arg in enumerate(self.args(node)):
            e = aligned(arg, element) if is_pointwise(node) else None
            e = (None if is_finite(element_of(arg, e)) else e) if e is not None else first_of(arg)
            if e is not None:
                found.append((i, e))
        return found

    def spot(self, node: Node, element: Element) -> Spot:
        """Return what is known about an element."""
        data, leaf = self.data.get(node), None if node._inputs else node
        number = element_of(data, element)
        args: tuple[float, ...] = ()
        if is_pointwise(node):
            numbers = [element_of(a, aligned(a, element)) for a in self.args(node)]
            args = tuple(x for x in numbers if x is not None) if None not in numbers else ()
        shape = node.shape or ()
        number = float("nan") if number is None else number
        primitive = node._primitive
        return Spot(node.op, element, number, args, node.line, node.label, leaf, shape, primitive)

    def source(self, node: Node, position: int, element: Element) -> tuple[Node, Element] | None:
        """Return the operand that an element was computed from, and which of its elements."""
        operand = self.operands(node)[position]
        if operand is None or operand.shape is None:
            return None
        if is_pointwise(node):
            return operand, aligned_to(operand.shape, element)
        kind = getattr(node._primitive, "kind", "")
        reached = self._reached(node, element, position) if kind == "linear" else []
        return (operand, reached[0]) if len(reached) == 1 else None

    # --- forward ----------------------------------------------------------------------------------

    def culprits(self, node: Node, element: Element) -> list[tuple[int, Element]]:
        """Return the elements of operands that made an element of ``node`` non-finite."""
        if node._primitive is PART:
            return [(0, (node.options["index"], *element))]
        args = self.args(node)
        bad = [i for i, a in enumerate(args) if a is not None and first_of(a) is not None]
        if not bad:
            return []
        with np.errstate(all="ignore"):
            if is_pointwise(node):
                return self._pointwise_culprits(node, element, args)
            if not any(a is None for a in args):
                result = _function(node)(*map(mended_copy, args), **node.options)
                if not is_finite(element_of(result, element)):
                    return []
            return [(i, self._culprit(node, element, i, args[i])) for i in bad]

    def _pointwise_culprits(
        self, node: Node, element: Element, args: list[Any]
    ) -> list[tuple[int, Element]]:
        cells = [cell_of(a, element) for a in args]
        evaluate = function_of(node._primitive)
        bad = [i for i, c in enumerate(cells) if c is not None and first_of(c) is not None]

        def is_mended(positions: list[int]) -> bool:
            mended = [mended_copy(c) if i in positions else c for i, c in enumerate(cells)]
            if any(c is None for c in mended):
                return True
            return first_of(evaluate(*mended)) is None

        alone = [i for i in bad if is_mended([i])] if len(args) > 1 else bad
        chosen = alone or (bad if bad and is_mended(bad) else [])
        return [(i, aligned(args[i], element)) for i in chosen]

    def _culprit(self, node: Node, element: Element, position: int, arg: Any) -> Element:
        bad = {tuple(e) for e in np.argwhere(~np.isfinite(arg)).tolist()}
        reached = [e for e in self._reached(node, element, position) if e in bad]
        return reached[0] if reached else min(bad)

    def _reached(self, node: Node, element: Element, position: int) -> list[Element]:
        """Return the elements of an operand that an element of the result depends on."""
        args = self.args(node)
        if node.shape is None or any(a is None for a in args) or not node.saved:
            return []
        mended = [mended_copy(a) for a in args]
        probe = np.zeros(node.shape)
        probe[element] = np.nan
        with np.errstate(all="ignore"):
            y = _function(node)(*mended, **node.options)
            found = contributions(node, probe, (y, *mended))[position]
        dense = None if isinstance(found, OutputGradients) else elements_of(found)
        return [] if dense is None else [tuple(e) for e in np.argwhere(np.isnan(dense)).tolist()]

    def inside(self, node: Node) -> Callable[[], object] | None:
        """Return what runs the program of a joint operation again, if its operands are known."""
        args = self.args(node) if hasattr(node._primitive, "again") else [None]
        return None if any(a is None for a in args) else partial(_function(node), *args)

    # --- backward ---------------------------------------------------------------------------------

    def pull(self, node: Node, t: Any) -> list[Any]:
        """Return the contributions of the gradient of a node to its operands."""
        return contributions(node, t, node.saved)

    def pull_again(self, node: Node, t: Any) -> list[Any]:
        """Return the contributions, computed anew."""
        return self.pull(node, t)

    def is_bad(self, t: Any) -> bool:
        """Return whether a gradient has an element that is not finite."""
        return any(first_of(array) is not None for array in arrays_of(t))

    def at(self, t: Any, element: Element) -> float:
        """Return an element of a gradient."""
        if isinstance(t, OutputGradients):
            return self.at(next(iter(t.values())), ())
        found = element_of(elements_of(t), element)
        return float("nan") if found is None else found

    def passed(self, node: Node, position: int, t: Any, element: Element) -> Element | None:
        """Return which element of ``t`` made a contribution non-finite; ``None`` for the rule."""
        if isinstance(t, OutputGradients) or node._primitive is PART:
            return (0,) if self.is_bad(t) else None
        dense = elements_of(t)
        bad = [tuple(e) for e in np.argwhere(~np.isfinite(dense)).tolist()]
        if not bad or self.is_bad_at(self._again(node, position, t, mended_copy(dense)), element):
            return None
        operand = node._inputs[position]
        if is_pointwise(node):
            matching = (e for e in bad if aligned_to(operand.shape, e) == element)
            return next(matching, bad[0])
        for e in islice(bad, MOST):
            probe = mended_copy(dense)
            probe[e] = np.nan
            if self.is_bad_at(self._again(node, position, t, probe), element):
                return e
        return bad[0]

    def _again(self, node: Node, position: int, t: Any, dense: Array) -> Any:
        """Return a contribution of another gradient with the mask of ``t``."""
        other = StructuralZero.of(t.mask, dense) if type(t) is StructuralZero else dense
        return self.pull(node, other)[position]

    def is_bad_at(self, c: Any, element: Element) -> bool:
        """Return whether an element of a contribution is not finite."""
        if isinstance(c, OutputGradients):
            return self.is_bad(c)
        return c is not None and not is_finite(element_of(elements_of(c), element))

    def made_at(self, node: Node, position: int, t: Any, element: Element) -> Element:
        """Return at which element of ``node`` its rule has made a contribution non-finite."""
        operand = node._inputs[position]
        if not is_pointwise(node):
            return element if operand.shape == node.shape else (0,) * len(node.shape or ())
        rule: Any = node._primitive.rules[position]  # type: ignore[union-attr]
        bad = elements_of(rule(elements_of(t), *node.saved))
        bad = np.broadcast_to(np.asarray(bad), node.shape)
        found = (tuple(e) for e in np.argwhere(~np.isfinite(bad)).tolist())
        matching = (e for e in found if aligned_to(operand.shape, e) == element)
        return next(matching, (0,) * len(node.shape))


def _function(node: Node) -> Callable[..., Any]:
    """Return the operation of a node on arrays."""
    return getattr(node._primitive, "again", None) or function_of(node._primitive)


def spot_of(primitive: Any, args: Sequence[Any], data: Any, element: Element, line: Any) -> Spot:
    """Return what is known about an element of a result that was not recorded.

    ``data`` and ``args`` are arrays, numbers or Tensors; ``None`` stands for one that is gone.
    """
    raws = [a._data if is_tensor(a) else a for a in args]
    numbers: tuple[Any, ...] = ()
    if primitive.kind == "pointwise":
        found = [_element(a, element) for a in raws]
        numbers = () if None in found else tuple(found)
    number = _element(data, element)
    number = float("nan") if number is None else number
    return Spot(primitive.name, element, number, numbers, line, primitive=primitive)


def _element(x: Any, element: Element) -> float | None:
    """Return an element of an operand or a result; ``None`` for one that is gone."""
    known = isinstance(x, (int, float, np.ndarray, np.generic, LibraryArray))
    return element_of(x, aligned(x, element)) if known else None
