"""THE TABLE of arrays: the rows that act on whole arrays.

Loaded with the first `Tensor`, for its rows are evaluated by NumPy.
"""

from __future__ import annotations

from types import ModuleType

from ...core.array_primitive import ArrayPrimitive
from . import (
    bundle,
    convolution,
    facts,
    indexing,
    linalg,
    losses,
    normalization,
    order,
    places,
    pooling,
    product,
    reduction,
    scan,
    structure,
)

__all__ = ["PARTS", "TABLE"]

PARTS: tuple[ModuleType, ...] = (
    *(structure, indexing, places, reduction, scan, order, facts, product, linalg),
    *(convolution, pooling, normalization, losses, bundle),
)
"""The modules of the table, in the order in which they are best read."""

TABLE: dict[str, ArrayPrimitive] = {
    primitive.name: primitive
    for part in reversed(PARTS)
    for primitive in vars(part).values()
    if isinstance(primitive, ArrayPrimitive)
}
