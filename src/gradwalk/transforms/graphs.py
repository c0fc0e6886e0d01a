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
from ..core.pytree import flatten
from ..engine.node import pass_lock, recording
from ..engine.reverse import consumer_counts, cotangents_of, vjp_on_nodes
from ..engine.value import Value, enable_grad, engine
from ..levels.level import Level, Tracer, running
from . import leaks
from .arguments import plain

__all__ = ["at_bottom", "gradients_at_bottom", "product_at_bottom", "swept"]

Checked = Callable[[Any], tuple[Any, Any]]


@cache
def tensor_graphs() -> Any:
    """The same with Tensors, which need NumPy."""
    return import_module(".tensor_graphs", __package__)


def at_bottom(primals: Sequence[Any]) -> bool:
    """Whether nobody else traces what is done with ``primals``."""
    return not running.depth and all(map(plain, primals))


def product_at_bottom(
    call: Callable[[Sequence[Any]], Any], primals: Sequence[Any], checked: Checked, v: Sequence[Any]
) -> list[Any]:
    """The Hessian of a function of arrays times a vector (``None`` for zero)."""

    def sweep(root: Any, nodes: Sequence[Any], shared: bool) -> tuple[Any, list[Any]]:
        return tensor_graphs().swept_twice(root, nodes, shared, v)  # type: ignore[no-any-return]

    return gradients_at_bottom(call, primals, checked, sweep)[2]


def gradients_at_bottom(
    call: Callable[[Sequence[Any]], Any],
    primals: Sequence[Any],
    checked: Checked,
    sweep: Callable[[Any, Sequence[Any], bool], tuple[Any, list[Any]]] | None = None,
) -> tuple[Any, Any, list[Any]]:
    """The value of a function, its auxiliary results, and its gradients (``None`` for zero).

    ``checked(result)`` gives the root, which has to be one number, and the auxiliary results. What
    is done with the graph may be something else than `swept`.
    """
    arrays = any(map(is_tensor, primals))
    with Level(), enable_grad():  # whatever is traced inside has a level of its own
        inputs, nodes = tensor_graphs().inputs(primals) if arrays else _values(primals)
        root, aux = checked(call(inputs))
    del inputs
    aux, shared = _settled(aux, nodes)
    with pass_lock:
        value, found = (sweep or swept)(root, nodes, shared)
    alone = value is not root and not shared
    del root
    if alone:  # otherwise the results are nodes of a graph that goes on outside
        _poison_survivors(nodes)
    return value, aux, found


def _settled(aux: Any, nodes: Sequence[Any]) -> tuple[Any, bool]:
    """The auxiliary results as plain numbers, and whether a graph outside depends on some."""
    if aux is None:  # there are none, mostly
        return None, False
    results, tree = flatten(aux)
    found = [_number(result.value, nodes) for result in results]
    return tree.build(found), not all(map(plain, found))


def _number(x: Any, nodes: Sequence[Any]) -> Any:
    if plain(x):
        return x
    if isinstance(x, Value):
        return x if _goes_on(x, nodes) else x.data
    return x if not isinstance(x, Tracer) and tensor_graphs().goes_on(x, nodes) else x.detach()


def _goes_on(x: Value, nodes: Sequence[Any]) -> bool:
    """Whether ``x`` depends on leaves outside of this transform, which somebody holds."""
    known = set(nodes)
    others = [] if recording.paused else [v for v in engine.leaves(x) if v not in known]
    if not others:
        return False
    # x.detach() and Value(2.0) in f are leaves that only the graph refers to
    inside = {id(node): count for node, count in consumer_counts(x).items()}
    counts = zip(others, _holders(others), strict=True)
    return any(count > _UNHELD + inside[id(v)] for v, count in counts)


def _values(primals: Sequence[Any]) -> tuple[list[Any], list[Any]]:
    leaves = [Value(x) for x in primals]
    return leaves, list(leaves)


def swept(root: Any, nodes: Sequence[Any], shared: bool) -> tuple[Any, list[Any]]:
    """The number in ``root``, and its gradient for each of the leaves in ``nodes``.

    Is its graph ``shared``, by auxiliary results that go on outside, it stays as it is.
    """
    if is_tensor(root):
        return tensor_graphs().swept(root, nodes, shared)  # type: ignore[no-any-return]
    if not isinstance(root, Value):
        return float(root), [None] * len(nodes)
    if not _goes_on(root, nodes):
        return root.data, engine.gradients(root, 1.0, nodes)
    found = cotangents_of([root], [Value(1.0)], vjp_on_nodes)
    return root, [found.get(node) for node in nodes]


def _poison_survivors(nodes: list[Any]) -> None:
    """What somebody still holds, though f has returned: it must not be used any more."""
    counts = zip(nodes, _holders(nodes), strict=True)
    held = [node for node, count in counts if count > _UNHELD]
    if held:
        leaks.poison(held)


def _holders(nodes: list[Any]) -> list[int]:
    return [sys.getrefcount(nodes[i]) for i in range(len(nodes))]


_UNHELD = _holders([Value(0.0)])[0]
