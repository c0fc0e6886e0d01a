"""Rows on arrays by the kernels of the native engine, where NumPy has no function for them.

The exact gelu is about sixty operations of NumPy, or one loop; either way in float64, and rounded
once to the precision of the arguments.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from . import native
from .carrier import carrier_among
from .primitive import Primitive

__all__ = ["has_kernel", "mapped", "mapped_rule"]


def has_kernel(row: Primitive) -> bool:
    """Whether the native engine runs, and was printed with this row in its table."""
    return native.engine is not None and native.engine.has_kernel(row)


def mapped(row: Primitive) -> Callable[..., Any]:
    """The operation of ``row`` on arrays and numbers."""

    def run(*args: Any) -> Any:
        dtype, out, operands = _aligned(args)
        native.engine.map_row(row, -1, out, out, operands)
        return out.astype(dtype, copy=False)

    return run


def mapped_rule(row: Primitive, index: int, gated: Callable[..., Any]) -> Callable[..., Any]:
    """The rule of one argument; ``gated(share, shut)`` marks where it gives nothing."""
    rule: Any = row.rules[index]

    def run(*args: Any) -> Any:
        if carrier_among(args) is not None:  # a gradient that is recorded
            return rule(*args)
        dtype, out, operands = _aligned(args)
        shut = np.empty(out.shape, np.bool_)
        any_shut = native.engine.map_row(row, index, out, shut.view(np.uint8), operands)
        share = out.astype(dtype, copy=False)
        return gated(share, shut) if any_shut else share

    return run


def _aligned(args: tuple[Any, ...]) -> tuple[Any, Any, tuple[Any, ...]]:
    """The dtype of the result, room for it, and the arguments as its kernel reads them."""
    known = [a if isinstance(a, (np.ndarray, np.generic, float, int)) else 0.0 for a in args]
    arrays = [a for a in known if isinstance(a, (np.ndarray, np.generic))]
    dtype = np.result_type(*arrays) if arrays else np.dtype(np.float64)
    shapes = {a.shape for a in arrays}
    shape = shapes.pop() if len(shapes) == 1 else np.broadcast_shapes(*(a.shape for a in arrays))
    doubles = [np.ascontiguousarray(_spread(a, shape), np.float64) for a in known]
    return dtype if dtype.kind == "f" else np.dtype(np.float64), np.empty(shape), tuple(doubles)


def _spread(x: Any, shape: tuple[int, ...]) -> Any:
    """``x`` in a shape, unless it is a number, which the kernel repeats."""
    return x if np.size(x) == 1 or np.shape(x) == shape else np.broadcast_to(x, shape)
