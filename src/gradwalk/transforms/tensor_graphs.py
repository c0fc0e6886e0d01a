"""Reverse mode at the bottom, with Tensors among the inputs or the results."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ..arrays import Gated
from ..carrier import is_tensor
from ..reverse import on_nodes, on_numbers, pulled
from ..tensor import Tensor
from ..tensor.convert import ValueSource
from ..tensor.node import Node, lifted, shares
from ..tensor.sweeps import leaves, sweep
from ..trace import recording
from ..value import engine

__all__ = ["goes_on", "inputs", "swept", "swept_twice"]


def inputs(primals: Sequence[Any]) -> tuple[list[Any], list[Any]]:
    """What a function gets, and the leaves. It gets copies, into which it may write."""
    tensors = [Tensor._of(getattr(x, "_data", x), None) for x in primals]
    nodes = [Node(None, (), x.shape, x.dtype) for x in tensors]
    for tensor, node in zip(tensors, nodes, strict=True):
        tensor._node = node
    return [tensor.clone() for tensor in tensors], nodes


def swept(root: Any, nodes: Sequence[Any]) -> tuple[Any, list[Any]]:
    """The number in ``root``, and its gradient for each of the leaves in ``nodes``."""
    if root._node is None:
        return root.detach(), [None] * len(nodes)
    with np.errstate(all="ignore"):
        if goes_on(root, nodes):
            return root, _recorded(root, nodes)
        return root.detach(), _numbers(root, nodes)


def swept_twice(root: Any, nodes: Sequence[Any], along: Sequence[Any]) -> list[Any]:
    """The gradient of the slope of ``root`` along a vector: the Hessian times it.

    A first sweep records the gradient, a second one goes back through that record.
    """
    if not is_tensor(root) or root._node is None:
        return [None] * len(nodes)
    with np.errstate(all="ignore"):
        slope = _slope(_recorded(root, nodes), along)
        if slope._node is None:
            return [None] * len(nodes)
        return _recorded(slope, nodes) if goes_on(root, nodes) else _numbers(slope, nodes)


class _Slope:
    """The row of Σ gradient · vector, of which the vector is saved and the sum is never needed."""

    name, kind, variadic = "slope", "linear", True
    rules = (lambda t, y, *vector, index: vector[index],)


def _slope(gradients: Sequence[Any], along: Sequence[Any]) -> Any:
    pairs = zip(map(_dense, gradients), along, strict=True)
    used = [(g._node, v) for g, v in pairs if g is not None and g._node is not None]
    if not used:
        return Tensor._of(np.zeros(()))
    node = Node(_Slope, tuple([node for node, _ in used]), (), None)  # type: ignore[arg-type]
    node.saved = (None, *[np.asarray(getattr(v, "_data", v)) for _, v in used])
    return Tensor._of(np.zeros(()), node)


def _dense(gradient: Any) -> Any:
    return gradient.data if type(gradient) is Gated else gradient


def goes_on(x: Any, nodes: Sequence[Any]) -> bool:
    """Whether ``x`` depends on other leaves than those of this transform."""
    if recording.paused:
        return False
    found, known = leaves(x._node), set(nodes)
    values = [v for leaf in found if type(leaf) is ValueSource for v in leaf.values]
    foreign = any(leaf not in known for leaf in found if type(leaf) is not ValueSource)
    return foreign or any(not known.issuperset(engine.leaves(value)) for value in values)


def _numbers(root: Any, nodes: Sequence[Any]) -> list[Any]:
    """Gradients as arrays. The graph stays: by it one sees what f has kept of it."""
    found = dict(sweep(root._node, np.ones((), root.dtype), False, False))
    return _with_values(found, nodes, on_numbers)


def _recorded(root: Any, nodes: Sequence[Any]) -> list[Any]:
    """Gradients as Tensors: the function has used others that want gradients too."""

    def lift(node: Node, t: Any) -> list[Any]:
        return shares(node, t, lifted(Tensor, node))

    found = pulled([root._node], [Tensor._of(np.ones((), root.dtype))], lift)
    return _with_values(found, nodes, on_nodes)


def _with_values(found: dict[Any, Any], nodes: Sequence[Any], pull: Any) -> list[Any]:
    """Gradients go on from where Values stand among the Tensors."""
    values, seeds = [], []
    for node, t in found.items():
        if type(node) is ValueSource and t is not None:
            t = t.data if type(t) is Gated else t
            values += node.values
            seeds += [t] if not node.shape else [t[i] for i in range(len(node.values))]
    if values:
        found = {**found, **pulled(values, seeds, pull)}
    return [found.get(node) for node in nodes]
