"""Backward through Tensors: the thin shell around the pure sweep of `reverse`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ..arrays import Gated
from ..errors import OptionError, SizeError
from ..expect import describe
from ..reverse import edges, walk
from ..trace import sweeping
from ..value import engine
from .convert import ValueSource, to_array
from .node import CONSTANT_NODE, Node, _shares, pull

if TYPE_CHECKING:
    from .tensor import Tensor

__all__ = ["backward", "gradients"]


def backward(root: Tensor, gradient: Any, retain_graph: bool) -> None:
    """Store the gradients of a sweep from ``root``; release the graph unless it is retained."""
    if not isinstance(retain_graph, bool):
        raise OptionError(
            where="backward(retain_graph=...)",
            expected="True or False",
            got=describe(retain_graph),
            fix="The seed goes first: backward(gradient, retain_graph=True).",
        )
    node = _root(root)
    seed = _seed(root, gradient)
    values: list[Any] = []
    seeds: list[float] = []
    with sweeping, np.errstate(all="ignore"):
        for reached, share in walk(node, seed, edges(node), pull):
            dense = share.data if type(share) is Gated else share
            if reached._inputs:
                reached.grad = dense
                if not retain_graph:
                    reached.release()
            elif type(reached) is ValueSource:
                values += reached.values
                seeds += np.ravel(dense).tolist()
            else:
                _accumulate(reached, dense)
    if values:
        engine.weighted_sum(seeds, values, 0.0).backward(retain_graph=True)


def _accumulate(leaf: Node, gradient: Any) -> None:
    if leaf.grad is not None:
        leaf.grad = leaf.grad + gradient
    else:  # an array of its own: a rule may pass on one that others hold too
        leaf.grad = np.array(gradient)


def _root(root: Tensor) -> Node:
    if root._node is None:
        raise OptionError(
            where="backward()",
            expected="a result that depends on a Tensor with requires_grad=True",
            got=repr(root),
            fix="Write Tensor(data, requires_grad=True) for what to differentiate by.",
        )
    return root._node


def _seed(root: Tensor, gradient: Any) -> Any:
    if gradient is None:
        if root.size != 1:
            raise SizeError(
                where="backward()",
                expected="one number to start from",
                got=f"a Tensor of shape {root.shape}",
                fix="Reduce it first, y.sum().backward(), or pass the gradient: y.backward(g).",
            )
        return np.ones(root.shape, root.dtype)
    seed = to_array(gradient, root.dtype, "backward(gradient)")
    if seed.shape != root.shape:
        raise SizeError(
            where="backward(gradient)",
            expected=f"an array of shape {root.shape}",
            got=f"one of shape {seed.shape}",
            fix="The gradient has the shape of the result that it belongs to.",
        )
    return seed


def gradients(y: Tensor, wrt: list[Tensor], seed: Any, create_graph: bool) -> list[Any]:
    """The gradient with respect to each of ``wrt``, as arrays or as Tensors; stores nothing."""
    kind = type(y)
    root, start = _root(y), _seed(y, seed)

    def lift(node: Node, t: Any) -> list[Any]:
        return _shares(node, t, _lifted(kind, node))

    with sweeping, np.errstate(all="ignore"):
        steps = (
            walk(root, kind._of(start), edges(root), lift)
            if create_graph
            else walk(root, start, edges(root), pull)
        )
        found = {node: g.data if type(g) is Gated else g for node, g in steps}
    zeros = (np.zeros(w.shape, w.dtype) for w in wrt)
    results = [
        found.get(w._node, kind._of(z) if create_graph else z)
        for w, z in zip(wrt, zeros, strict=True)
    ]
    return results if create_graph else [np.array(g) for g in results]


def _lifted(kind: Any, node: Node) -> tuple[Any, ...]:
    """What a node has saved, as Tensors: a gradient of them can be differentiated again."""
    y, *args = node.saved
    if type(y) is tuple:
        result: Any = kind._bundle(y, node)
    else:
        result = y if y is None else kind._of(y, node)
    return (
        result,
        *[
            a
            if not isinstance(a, (np.ndarray, np.generic))
            else kind._of(a, None if parent is CONSTANT_NODE else parent)
            for a, parent in zip(args, node._inputs, strict=True)
        ],
    )
