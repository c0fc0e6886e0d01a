"""What a backward pass remembers of a NaN or an infinity, because it frees the graph."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import islice
from typing import Any

from ...engine.backward_origins import backward_origin, run_backward
from ...engine.origins import Origin, forward_origin
from .array_numbers import ArrayNumbers
from .elements import first_of
from .node import Node

__all__ = ["remember"]

MOST = 16  # inner results whose origins are stored


def remember(
    root: Node, seed: Any, found: Sequence[tuple[Node, Any]], result: Any
) -> Origin | None:
    """Store with the root and with each leaf what made its gradient non-finite, and return it.

    The graph is freed after the pass, so that nothing could be found out later.
    """
    try:
        return _remember(root, seed, found, result)
    except Exception:  # of a user's rule, perhaps: the pass itself has succeeded
        return None


def _remember(
    root: Node, seed: Any, found: Sequence[tuple[Node, Any]], result: Any
) -> Origin | None:
    numbers = ArrayNumbers(root, {root: result})
    first: Origin | None = None
    element = first_of(numbers.data.get(root))
    if element is not None:
        first = root.origin = _earlier(forward_origin(numbers, root, element))
        _remember_inner(numbers)
    past = run_backward(numbers, root, seed)
    for leaf, gradient in found:
        element = None if gradient is None else first_of(gradient)
        if element is not None:
            leaf.origin = _earlier(backward_origin(numbers, past, leaf, element))
            first = first or leaf.origin
    return first


def _remember_inner(numbers: ArrayNumbers) -> None:
    bad = ((n, first_of(numbers.data.get(n))) for n in numbers.order if n._inputs)
    for node, element in islice(((n, e) for n, e in bad if e is not None), MOST):
        if node.origin is None:
            node.origin = forward_origin(numbers, node, element)


def _earlier(origin: Origin) -> Origin:
    """Return the origin of the NaN in a leaf, if a gradient with a known origin brought it."""
    earlier = getattr(origin.spot.leaf, "origin", None)
    return earlier if origin.kind == "leaf" and earlier is not None else origin
