"""What a backward pass remembers of a NaN or an infinity, because it frees the graph."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from itertools import islice
from typing import Any
from weakref import WeakSet

import numpy as np

from ...engine.backward_origins import backward_origin, run_backward
from ...engine.origins import Origin, forward_origin
from .array_numbers import ArrayNumbers
from .elements import first_of
from .node import Node

__all__ = ["forget", "remember", "remember_once"]

MOST = 16  # inner results whose origins are stored


def remember(
    root: Node, seed: Any, found: Sequence[tuple[Node, Any]], result: Any
) -> Origin | None:
    """Store with the root and with each leaf what made its gradient non-finite, and return it.

    The graph is freed after the pass, so that nothing could be found out later.
    """
    try:
        with np.errstate(all="ignore"):
            return _remember(root, seed, found, result)
    except Exception:  # of a user's rule, perhaps: the pass itself has succeeded
        return None


def remember_once(
    root: Node, seed: Any, found: Sequence[tuple[Node, Any]], result: Any
) -> Origin | None:
    """Do what `remember` does, unless the leaves know already, from passes before this one.

    A training whose numbers are no longer finite goes on as fast as before: the search takes about
    twenty backward passes. The first such pass of several in a row is the one that tells the cause;
    `forget` ends the row.
    """
    bad = [leaf for leaf, t in found if t is not None and first_of(t) is not None]
    known = [leaf.origin for leaf in bad if leaf.origin is not None]
    if not known or len(known) < len(bad):
        return remember(root, seed, found, result)
    if first_of(result) is not None:
        root.origin = known[0]
    return known[0]  # type: ignore[no-any-return]


def forget(found: Iterable[tuple[Node, Any]]) -> None:
    """Forget what made gradients non-finite: those of this pass are finite."""
    if _known:
        for leaf, _ in found:
            if leaf in _known:
                _known.discard(leaf)
                leaf.origin = None


_known: WeakSet[Node] = WeakSet()
"""The leaves that have an origin. Almost always there are none."""


def _remember(
    root: Node, seed: Any, found: Sequence[tuple[Node, Any]], result: Any
) -> Origin | None:
    numbers = ArrayNumbers(root, {root: result})
    first: Origin | None = None
    element = first_of(numbers.data.get(root))
    if element is not None:
        first = forward_origin(numbers, root, element)
        root.origin = _stored(first)
        _remember_inner(numbers)
    past = run_backward(numbers, root, seed)
    for leaf, gradient in found:
        element = None if gradient is None else first_of(gradient)
        if element is not None:
            origin = backward_origin(numbers, past, leaf, element)
            leaf.origin = _stored(origin)
            _known.add(leaf)
            first = first or origin
    return first


def _remember_inner(numbers: ArrayNumbers) -> None:
    bad = ((n, first_of(numbers.data.get(n))) for n in numbers.order if n._inputs)
    for node, element in islice(((n, e) for n, e in bad if e is not None), MOST):
        if node.origin is None:
            node.origin = _stored(forward_origin(numbers, node, element))


def _stored(origin: Origin) -> Origin:
    """Return the origin of the NaN in a leaf, if a gradient with a known origin brought it."""
    earlier = getattr(origin.spot.leaf, "origin", None)
    if origin.kind == "leaf" and earlier is not None:
        return earlier  # type: ignore[no-any-return]
    return replace(origin, inside=None)  # which would keep the graph alive
