"""Reverse mode at the bottom, with Tensors among the inputs or the results."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ..core.carrier import is_tensor
from ..engine.node import recording
from ..engine.observing import observers
from ..engine.reverse import cotangents_of, vjp_on_nodes, vjp_on_numbers
from ..engine.value import enable_grad, engine
from ..levels.vjp import shown_vjp
from ..ops.array.structural_zero import StructuralZero, elements_of
from ..tensor import Tensor
from ..tensor.graph.backward import NUMBERS, leaf_gradients, leaves, show_gradients
from ..tensor.graph.convert import ValueSource, as_array, ones_of
from ..tensor.graph.node import Node, contributions, lift_residuals
from ..tensor.tracing.filled import filled_like

__all__ = ["goes_on", "inputs", "hessian_product", "reverse_pass"]


def inputs(primals: Sequence[Any]) -> tuple[list[Any], list[Any]]:
    """Return what a function is called with, copies that it may overwrite, and the leaves."""
    tensors = [Tensor._of(getattr(x, "_data", x), None) for x in primals]
    nodes = [Node(None, (), x.shape, x.dtype) for x in tensors]
    for tensor, node in zip(tensors, nodes, strict=True):
        tensor._node = node
    with enable_grad():  # a clone made inside no_grad would be a constant
        return [tensor.clone() for tensor in tensors], nodes


def reverse_pass(root: Any, nodes: Sequence[Any], shared: bool) -> tuple[Any, list[Any]]:
    """Return the number in ``root``, and its gradient for each of the leaves in ``nodes``."""
    if root._node is None:
        return root.detach(), [None] * len(nodes)
    with np.errstate(all="ignore"):
        if goes_on(root, nodes):
            return root, _record_gradients(root, nodes)
        seed = ones_of(root)
        found = _numbers(root._node, seed, nodes, shared or bool(observers))
        if observers:
            show_gradients(root, seed, zip(nodes, found, strict=True))
        return root.detach(), found


def hessian_product(
    root: Any, nodes: Sequence[Any], shared: bool, along: Sequence[Any]
) -> tuple[Any, list[Any]]:
    """Return ``root`` if its graph goes on outside, and the Hessian times a vector: a reverse pass
    over the recorded gradient.
    """
    if not is_tensor(root) or root._node is None:
        return None, [None] * len(nodes)
    outside = goes_on(root, nodes)
    arrays = [as_array(getattr(v, "_data", v)) for v in along]
    with np.errstate(all="ignore"), enable_grad():  # also inside of no_grad
        roots, seeds = _ends(_terms(root, nodes), arrays)
        if outside:
            found = cotangents_of(roots, [Tensor._of(v) for v in seeds], _lift)
            return root, _with_values(found, nodes, vjp_on_nodes)
        return None, _numbers(roots, seeds, nodes, shared)


def _ends(terms: Sequence[Any], along: Sequence[Any]) -> tuple[tuple[Any, ...], tuple[Any, ...]]:
    """Return the nodes of all recorded terms, and the array that multiplies each."""
    pairs = zip(terms, along, strict=True)
    ends = [(elements_of(term)._node, v) for several, v in pairs for term in several]
    ends = [(node, v) for node, v in ends if node is not None]
    return tuple([node for node, _ in ends]), tuple([v for _, v in ends])


def _terms(root: Any, nodes: Sequence[Any]) -> list[list[Any]]:
    """Return the terms of which each gradient is the sum, recorded.

    The sum itself is not needed, and each of its additions would be a pass over memory.
    """
    ends = set(nodes)

    def lift(node: Node, t: object) -> list[Any]:
        if type(t) is list:  # of the copy of an input
            return [t]
        found = zip(node._inputs, _lift(node, t), strict=True)
        return [s if s is None or ends.isdisjoint(p._inputs) else [s] for p, s in found]

    found = cotangents_of([root._node], [filled_like(root, 1.0)], lift)
    gradients = _with_values(found, nodes, vjp_on_nodes)
    return [t if type(t) is list else [] if t is None else [t] for t in gradients]


def goes_on(x: Any, nodes: Sequence[Any]) -> bool:
    """Return whether ``x`` depends on leaves other than those of this transform."""
    if recording.paused:  # then nothing outside records, either
        return False
    found, known = leaves(x._node), set(nodes)
    values = [v for leaf in found if type(leaf) is ValueSource for v in leaf.values]
    foreign = any(leaf not in known for leaf in found if type(leaf) is not ValueSource)
    return foreign or any(not known.issuperset(engine.leaves(value)) for value in values)


def _numbers(root: Any, seed: Any, nodes: Sequence[Any], shared: bool) -> list[Any]:
    """Return gradients as arrays. The graph stays, so that leaked nodes can be found.

    Its numbers go, unless others share them: that memory is still in the cache when the next
    gradient asks for some: 1.7 ms instead of 2.0 for `cheap` of benchmarks/transforms.py.
    """
    if observers and type(root) is tuple:  # a derivative of a gradient: they see each rule
        found = cotangents_of(list(root), list(seed), shown_vjp)
    else:
        found = dict(leaf_gradients(root, seed, False if shared else NUMBERS))
    return _with_values(found, nodes, vjp_on_numbers)


def _record_gradients(root: Any, nodes: Sequence[Any]) -> list[Any]:
    """Return gradients as Tensors, because f used other Tensors that want gradients too."""

    found = cotangents_of([root._node], [filled_like(root, 1.0)], _lift)
    return _with_values(found, nodes, vjp_on_nodes)


def _lift(node: Node, t: object) -> list[Any]:
    return contributions(node, t, lift_residuals(Tensor, node))


def _with_values(found: dict[Any, Any], nodes: Sequence[Any], vjp: Any) -> list[Any]:
    """Continue gradients into graphs of Values, where Values are among the Tensors."""
    values, seeds = [], []
    for node, t in found.items():
        if type(node) is ValueSource and t is not None:
            t = t.data if type(t) is StructuralZero else t
            values += node.values
            # `stack` makes one leaf of several Values: its gradient is cut into theirs
            flat = t.reshape(-1) if node.shape else [t]
            seeds += [flat[i] for i in range(len(node.values))]
    if values:
        found = {**found, **cotangents_of(values, seeds, vjp)}
    return [found.get(node) for node in nodes]
