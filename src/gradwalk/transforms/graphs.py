"""Reverse mode at the bottom: no transform around, plain numbers in, plain gradients out.

Here a function meets Values and Tensors themselves, at the speed of their engines. Anywhere else
it meets tracers of a `VJPLevel`; the numbers are the same.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from functools import cache
from importlib import import_module
from typing import Any

from ..core.carrier import is_tensor
from ..core.pytree import PyTree
from ..engine.node import pass_lock, recording
from ..engine.observing import notify_backward, observers
from ..engine.reverse import consumer_counts, cotangents_of, vjp_on_nodes
from ..engine.traced import call_traced
from ..engine.value import Value, engine
from ..levels.level import Level, Tracer
from . import leaks
from .arguments import Inputs, is_plain
from .runs import call_at

__all__ = ["Pass", "Split", "gradients_at_bottom", "reverse_pass", "tensor_graphs"]

Split = Callable[[Any], tuple[list[Any], PyTree]]
"""Splits a result into its value with the leaves of aux, and the structure of aux."""

Pass = Callable[[Any, Sequence[Any], bool], tuple[Any, list[Any]]]
"""Computes a value and gradients from a root, the leaves, and whether the graph is shared."""


@cache
def tensor_graphs() -> Any:
    """Return the module that does this with Tensors, which needs NumPy."""
    return import_module(".tensor_graphs", __package__)


def gradients_at_bottom(
    inputs: Inputs, split: Split, backward: Pass | None = None
) -> tuple[list[Any], PyTree, list[Any]]:
    """Return the value with the leaves of aux, the structure of aux, and the gradients.

    A gradient is ``None`` where none flows. ``split`` also checks that the value is one number.
    ``backward`` may compute something other than `reverse_pass` from the graph.
    """
    if inputs.floats:  # no leaf has to be looked at
        nodes: list[Any] = list(map(Value, inputs.primals))
        leaves = nodes.copy()
    else:
        leaves, nodes = _leaves(inputs.primals)
    # an empty level, so that a transform inside sees that it is not at the bottom
    # no variable for the result: a reference to its graph would look like a leak
    (root, *aux), structure = split(call_traced(nodes, call_at, Level(), inputs.call, leaves))
    del leaves  # a reference from here would look like a leak
    if aux:
        aux = [_settle(x, nodes) for x in aux]
    shared = bool(aux) and not all(map(is_plain, aux))
    with pass_lock:  # another thread may use the same outer leaves
        value, gradients = (backward or reverse_pass)(root, nodes, shared)
    ended = value is not root and not shared
    del root
    if ended:  # otherwise the results are nodes of a graph that goes on outside
        _poison_survivors(nodes)
    return [value, *aux], structure, gradients


def _leaves(primals: Sequence[Any]) -> tuple[list[Any], list[Any]]:
    """Return what a function of such arguments is called with, and the leaves of the graph."""
    if any(map(is_tensor, primals)):
        return tensor_graphs().inputs(primals)  # type: ignore[no-any-return]
    nodes: list[Any] = list(map(Value, primals))
    return nodes.copy(), nodes


def _settle(x: Any, nodes: Sequence[Any]) -> Any:
    """Return a leaf of aux as a plain number, unless a graph outside depends on it."""
    if is_plain(x):
        return x
    if isinstance(x, Value):
        return x if _goes_on(x, nodes) else x.data
    return x if not isinstance(x, Tracer) and tensor_graphs().goes_on(x, nodes) else x.detach()


def _goes_on(x: Value, nodes: Sequence[Any]) -> bool:
    """Return whether ``x`` depends on leaves outside this transform that are still referenced."""
    leaves, known = engine.leaves(x), set(nodes)
    if known.issuperset(leaves) or recording.paused:  # the usual case
        return False
    others = [v for v in leaves if v not in known]
    del leaves  # it would count as a reference
    # x.detach() and Value(2.0) in f are leaves that only the graph refers to
    inside = {id(node): count for node, count in consumer_counts(x).items()}
    counts = zip(others, reference_counts(others), strict=True)
    return any(count > UNREFERENCED + inside[id(v)] for v, count in counts)


def reverse_pass(root: Any, nodes: Sequence[Any], shared: bool) -> tuple[Any, list[Any]]:
    """Return the number in ``root``, and its gradient for each of the leaves in ``nodes``.

    The graph is not freed if it is ``shared`` with auxiliary results that go on outside.
    """
    if isinstance(root, Value):
        if not _goes_on(root, nodes):
            if observers:
                notify_backward("values_backward", root)
            return root.data, engine.gradients(root, 1.0, nodes)
        gradients = cotangents_of([root], [Value(1.0)], vjp_on_nodes)
        return root, [gradients.get(node) for node in nodes]
    if is_tensor(root):
        return tensor_graphs().reverse_pass(root, nodes, shared)  # type: ignore[no-any-return]
    return float(root), [None] * len(nodes)


def _poison_survivors(nodes: list[Any]) -> None:
    """Make nodes that are still referenced raise when they are used: they leaked from f."""
    counts = reference_counts(nodes)
    if max(counts) > UNREFERENCED:
        pairs = zip(nodes, counts, strict=True)
        leaks.poison([node for node, count in pairs if count > UNREFERENCED])


def reference_counts(nodes: list[Any]) -> list[int]:
    """Return how many references there are to each node, `UNREFERENCED` if only the list's."""
    return list(map(sys.getrefcount, nodes))


UNREFERENCED = reference_counts([Value(0.0)])[0]
