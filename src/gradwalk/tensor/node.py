"""The graph of Tensors: what is kept of an operation, and how it hands its gradient on.

A `Tensor` is a handle: an array and, if gradients flow through it, a node. The node does not hold
the array. It keeps what the rules of its row will look at and nothing else, so that the rest dies
as early as it would in a program without gradients.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from types import CodeType
from typing import Any

import numpy as np

from ..arrayrow import kept
from ..arrays import Gated, rules_of
from ..ops.array.bundle import PART, Parts
from ..ops.array.structure import astype, sum_to
from ..primitive import Primitive
from ..trace import CONSTANT

__all__ = ["CONSTANT_NODE", "Node", "part_of", "pull", "record"]


class Node:
    """One application of a row, as the sweeps see it; a leaf has no row.

    ``_inputs``  the nodes of the arguments, `CONSTANT_NODE` for those without gradient; ``None``
                 once a sweep has released them
    ``saved``    the result and the arguments, as far as a rule needs their numbers
    ``grad``     the gradient of the last sweep, or for leaves of all sweeps; ``None`` before
    ``line``     where in the user's program it was recorded: a code object and an offset in it
    """

    # What every node has lies in slots; the rest costs memory only where it differs from these.
    __slots__ = (
        "__dict__", "__weakref__", "_inputs", "_row", "dtype", "line", "saved", "shape",
    )  # fmt: skip
    grad: Any = None
    label: str = ""
    options: Mapping[str, Any] = {}

    def __init__(self, row: Primitive | None, inputs: Any, shape: Any, dtype: Any) -> None:
        self._row, self._inputs, self.shape, self.dtype = row, inputs, shape, dtype
        self.saved: Any = ()
        self.line: tuple[CodeType, int] | None = None

    @property
    def op(self) -> str:
        """Name of the row; ``""`` for a leaf."""
        return "" if self._row is None else self._row.name

    @property
    def ndim(self) -> int:
        """How many axes the array has."""
        return len(self.shape)

    def release(self) -> None:
        """Forget operands and saved arrays; a later walk over them is a `FreedGraphError`."""
        if self._inputs:
            self._inputs = self.saved = None

    def __repr__(self) -> str:
        label = f" {self.label!r}" if self.label else ""
        return f"<node{label} {self.op or 'leaf'} {self.shape}>"


CONSTANT_NODE = Node(CONSTANT, (), (), None)
"""Stands in the place of every argument through which no gradient flows."""


def record(
    row: Primitive, inputs: tuple[Node, ...], data: Any, args: Any, options: dict[str, Any]
) -> Node:
    """The node of ``row`` on ``args`` with the result ``data``."""
    flags = kept(row, tuple([node is not CONSTANT_NODE for node in inputs]))
    if type(data) is tuple:  # a bundle: its rule gets all results
        node, keep_y = Node(row, inputs, None, None), True
    else:
        node, keep_y = Node(row, inputs, data.shape, data.dtype), flags[0]
    stand_ins = zip(flags[1:], args, inputs, strict=True)
    node.saved = (data if keep_y else None, *[a if keep else n for keep, a, n in stand_ins])
    if options:
        node.options = options
    return node


# --- several results ------------------------------------------------------------------------------


def part_of(bundle: Node, index: int, data: Any) -> Node:
    """The node of one result of a bundle."""
    node = Node(PART, (bundle,), data.shape, data.dtype)
    node.saved, node.options = (None, bundle), {"index": index}
    return node


# --- the rules of one node ------------------------------------------------------------------------


def pull(node: Node, t: Any) -> list[Any]:
    """What the gradient ``t`` of a node gives to each of its operands, on plain arrays."""
    return _shares(node, t, node.saved)


def _shares(node: Node, t: Any, saved: tuple[Any, ...]) -> list[Any]:
    row: Any = node._row
    options = node.options
    shut = None
    if type(t) is Gated:
        shut, t = (t.shut if row.kind in ("pointwise", "linear") else None), t.data
    elif type(t) is Parts:
        t = t.filled(saved[0])
    shares: list[Any] = []
    for rule, parent in zip(_rules(row, node._inputs), node._inputs, strict=True):
        if rule is None or parent is CONSTANT_NODE:
            shares.append(None)
            continue
        share = rule(t, *saved, **options)
        if shut is not None and share is not None:
            share = _still_gated(row, rule, share, shut, saved, options)
        shares.append(_fitted(share, parent))
    return shares


def _rules(row: Any, inputs: tuple[Node, ...]) -> Any:
    if row.kind != "pointwise" and row.variadic:
        return [partial(row.rules[0], index=i) for i in range(len(inputs))]
    return rules_of(row)


def _still_gated(
    row: Any, rule: Any, share: Any, shut: Any, saved: tuple[Any, ...], options: Mapping[str, Any]
) -> Gated:
    """The share of a gradient that is shut in places; rearranged, these places move with it."""
    if row.kind == "linear":
        open_ = rule(np.where(shut, 0.0, 1.0), *saved, **options)
        return Gated(share, np.equal(open_, 0.0))
    if type(share) is Gated:
        share, shut = share.data, shut | share.shut
    return Gated.of(shut, share)


def _fitted(share: Any, parent: Node) -> Any:
    """A share in the shape and precision of the argument that it goes to."""
    if share is None or parent.shape is None:
        return share
    if type(share) is Gated:
        if share.data.shape != parent.shape:
            open_ = sum_to(np.where(share.shut, 0.0, 1.0), shape=parent.shape)
            return Gated(_fitted(share.data, parent), np.equal(open_, 0.0))
        return Gated(_fitted(share.data, parent), share.shut)
    if type(share) is float:  # of 0-d arrays, whose rules ran on numbers
        share = np.asarray(share)
    if share.shape != parent.shape:
        share = sum_to(share, shape=parent.shape)
    return share if share.dtype == parent.dtype else astype(share, dtype=parent.dtype)
