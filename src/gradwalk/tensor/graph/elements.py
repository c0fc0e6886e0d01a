"""Elements of arrays and of gradients, for the search for the origin of a NaN."""

from __future__ import annotations

from collections.abc import Iterator
from math import isfinite
from typing import Any

import numpy as np

from ...engine.origins import Element
from ...ops.array.multi_output import OutputGradients
from ...ops.array.structural_zero import elements_of
from .node import Node

__all__ = ["aligned", "aligned_to", "arrays_of", "cell_of", "element_of", "first_bad", "first_of"]
__all__ += ["is_finite", "is_pointwise", "mended_copy"]


def first_bad(x: Any) -> Element | None:
    """Return the index of the first element that is not finite, ``None`` if all are."""
    array = np.asarray(x)
    if array.dtype.kind not in "fc":
        return None
    bad = np.argwhere(~np.isfinite(array))
    return tuple(bad[0].tolist()) if len(bad) else None


def is_pointwise(node: Node) -> bool:
    """Return whether each element of the result depends on one element of each operand."""
    return bool(node._inputs) and node._primitive.kind == "pointwise"  # type: ignore[union-attr]


def arrays_of(t: Any) -> Iterator[Any]:
    """Yield the arrays of a gradient, which may be one of several results."""
    if t is None:
        return
    for part in t.values() if isinstance(t, OutputGradients) else (t,):
        yield elements_of(part)


def first_of(x: Any) -> Element | None:
    """Return the first element that is not finite, of one array or of several results."""
    if type(x) is tuple:  # several results
        found = ((i, first_of(part)) for i, part in enumerate(x))
        return next(((i, *e) for i, e in found if e is not None), None)
    return first_bad(x)


def element_of(x: Any, element: Element) -> float | None:
    """Return an element as a float; ``None`` for an array that is gone."""
    if x is None or isinstance(x, (int, float)):
        return None if x is None else float(x)
    if type(x) is tuple:
        return element_of(x[element[0]], element[1:]) if element else None
    array = np.asarray(x)
    return float(array[element]) if len(element) == array.ndim else None


def is_finite(x: float | None) -> bool:
    """Return whether a number is finite, or gone."""
    return x is None or isfinite(x)


def aligned_to(shape: tuple[int, ...], element: Element) -> Element:
    """Return the element of a broadcast operand that an element of the result is computed from."""
    tail = element[len(element) - len(shape) :]
    return tuple(0 if n == 1 else i for n, i in zip(shape, tail, strict=True))


def aligned(x: Any, element: Element) -> Element:
    """Return the element of an operand that an element of the result is computed from."""
    return aligned_to(np.shape(x), element)


def cell_of(x: Any, element: Element) -> Any:
    """Return one element as an array of one element, in its own precision."""
    if x is None or isinstance(x, (int, float)):
        return x
    return np.reshape(np.asarray(x)[aligned(x, element)], (1,))


def mended_copy(x: Any) -> Any:
    """Return a copy with 1 for every number that is not finite."""
    if isinstance(x, (int, float)):
        return x if isfinite(x) else 1.0
    array = np.asarray(x)
    return np.where(np.isfinite(array), array, np.ones((), array.dtype))
