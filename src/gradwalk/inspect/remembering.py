"""What a backward pass of Tensors remembers of a NaN or an infinity, because it frees the graph."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import islice
from typing import Any

from ..core.collector import without_collector
from ..program.run import Run
from ..tensor.graph.backward import explained
from ..tensor.graph.runs import run_of_nodes
from .origins import Origin, backward_origin, first_bad, forward_origin, run_backward
from .unreached import blocked

__all__ = ["remember", "remember_zeros"]

MOST = 16  # inner results whose origins are stored


def remember(
    root: Any, seed: Any, found: Sequence[tuple[Any, Any]], result: Any, again: bool
) -> Origin | None:
    """Store with the root and with each leaf what made its gradient non-finite, and return it.

    The graph is freed after the pass, so that nothing could be found out later. Unless ``again``,
    nothing is done if the leaves know already, from passes before this one: a training whose
    numbers are no longer finite goes on as fast as before, as the search takes about twenty
    backward passes.
    """
    bad = [leaf for leaf, t in found if first_bad(t) is not None]
    origins = [leaf.origin for leaf in bad]
    known = [o for o in origins if type(o) is Origin]
    same = all(o.asked == root.line for o in known)  # another loss may have another cause
    if not again and known and len(known) == len(bad) and same:
        if first_bad(result) is not None:
            root.origin = known[0]
        return known[0]
    try:
        with without_collector():
            return _remember(root, seed, found, result)
    except Exception:  # of a user's rule, perhaps: the pass itself has succeeded
        return None


def _remember(root: Any, seed: Any, found: Sequence[tuple[Any, Any]], result: Any) -> Origin | None:
    run = run_of_nodes([root], {root: result})
    first: Origin | None = None
    element = first_bad(result)
    if element is not None:
        first = forward_origin(run, run.root, element)
        root.origin = _stored(first, root)
        _remember_inner(run, root)
    past = run_backward(run, seed)
    for leaf, gradient in found:
        element = first_bad(gradient)
        if element is not None:
            origin = backward_origin(run, past, run.where[leaf], element)
            leaf.origin = _stored(origin, root)
            explained.add(leaf)
            first = first or origin
    if root.origin is None and first is not None:
        root.origin = _stored(first, root)
    return first


def _remember_inner(run: Run, root: Any) -> None:
    inner = [(node, atom) for node, atom in run.where.items() if atom >= run.program.inputs]
    found = ((node, atom, first_bad(run.number(atom))) for node, atom in inner)
    bad = ((node, atom, element) for node, atom, element in found if element is not None)
    for node, atom, element in islice(bad, MOST):
        if node.origin is None:
            node.origin = _stored(forward_origin(run, atom, element), root)


def remember_zeros(root: Any, seed: Any, leaves: Sequence[Any], result: Any) -> None:
    """Store with leaves why their gradients are 0, once for each, as the graph is freed."""
    try:
        with without_collector():
            _remember_zeros(root, seed, leaves, result)
    except Exception:  # of a user's rule, perhaps: the pass itself has succeeded
        return


def _remember_zeros(root: Any, seed: Any, leaves: Sequence[Any], result: Any) -> None:
    run = run_of_nodes([root], {root: result})
    with run.quiet():
        for leaf in leaves[:MOST]:
            leaf.origin = blocked(run, seed, run.where[leaf])
            explained.add(leaf)


def _stored(origin: Origin, root: Any) -> Origin:
    """Return the origin of the NaN in a leaf, if a gradient with a known origin brought it."""
    earlier = getattr(origin.spot.leaf, "origin", None)
    if origin.kind == "leaf" and type(earlier) is Origin:
        return replace(earlier, asked=root.line)
    return replace(origin, asked=root.line, inside=None)  # which would keep the graph alive
