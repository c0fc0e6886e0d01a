"""THE TABLE of arrays: the primitives that act on whole arrays, and how arrays are evaluated.

It is loaded with the first `Tensor`, because NumPy evaluates these primitives.
"""

from __future__ import annotations

from types import ModuleType

from ...core.array_primitive import ArrayPrimitive
from . import (
    attention,
    convolution,
    facts,
    indexing,
    length,
    linalg,
    losses,
    matrix_functions,
    multi_output,
    normalization,
    order,
    places,
    pooling,
    product,
    recurrence,
    reduction,
    scan,
    structure,
)

__all__ = ["PARTS", "TABLE"]

PARTS: tuple[ModuleType, ...] = (
    *(
        structure,
        indexing,
        places,
        reduction,
        length,
        scan,
        order,
        facts,
        product,
        linalg,
        matrix_functions,
    ),
    *(convolution, pooling, normalization, losses, attention, recurrence, multi_output),
)
"""The modules of the table, in the order in which they are best read."""

TABLE: dict[str, ArrayPrimitive] = {
    primitive.name: primitive
    for part in reversed(PARTS)
    for primitive in vars(part).values()
    if isinstance(primitive, ArrayPrimitive)
}
