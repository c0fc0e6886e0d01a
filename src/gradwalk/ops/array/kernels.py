"""Primitives on arrays by the kernels of the native engine, where NumPy has no function.

The exact gelu takes about sixty operations of NumPy, or one loop of a kernel. Both compute in
float64 and round once to the precision of the arguments.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ... import native
from ...core.backend import arrays
from ...core.carrier import carrier_among
from ...core.numeric import Array
from ...core.primitive import Primitive
from .structural_zero import StructuralZero, masked_again

__all__ = ["chosen_rule", "has_choice", "has_kernel", "mapped", "mapped_rule"]

FLOAT64 = np.dtype(np.float64)
_NUMBERS = (np.ndarray, np.generic, float, int)


def has_kernel(primitive: Primitive) -> bool:
    """Return whether the native engine is active and has a kernel for this primitive."""
    return native.engine is not None and native.engine.has_kernel(primitive)


def mapped(primitive: Primitive) -> Callable[..., Any]:
    """Return the operation of a primitive on arrays and numbers."""

    def run(*args: Any) -> Any:
        dtype, out, operands = _aligned(args)
        native.engine.map_primitive(primitive, -1, out, out, operands)
        return out.astype(dtype, copy=False)

    return run


def mapped_rule(primitive: Primitive, index: int) -> Callable[..., Any]:
    """Return the rule of one argument; a `StructuralZero` marks elements without a contribution."""
    rule: Any = primitive.rules[index]

    def run(*args: Any) -> Any:
        if carrier_among(args) is not None:  # create_graph: the rule runs on carriers
            return rule(*args)
        dtype, out, operands = _aligned(args)
        mask = np.empty(out.shape, np.bool_)
        any_masked = native.engine.map_primitive(
            primitive, index, out, mask.view(np.uint8), operands
        )
        contribution = out.astype(dtype, copy=False)
        return StructuralZero(contribution, mask) if any_masked else contribution

    return run


def has_choice(primitive: Primitive, index: int) -> bool:
    """Return whether a rule only masks its input, and the native engine has a loop for it."""
    if native.engine is None or primitive.rules[index] is None:
        return False
    one, room = np.ones(1), np.empty(1, np.bool_)
    operands = (one,) * (primitive.arity + 2)
    return native.engine.map_mask(primitive, index, np.empty(1), room, operands) is not None


def chosen_rule(primitive: Primitive, index: int) -> Callable[..., Any]:
    """Return a masking rule that runs the kernel of native/buffers/masks.h where that fits.

    In a recorded gradient the rule is one node, where its formula would be several. The incoming
    gradient may be a `StructuralZero`, whose mask the same loop adds to that of the rule.
    """
    rule: Any = primitive.rules[index]

    def run(t: Any, *args: Any) -> Any:
        t, before = (t.data, t.mask) if t.__class__ is StructuralZero else (t, None)
        args = (t, *args)
        carrier = carrier_among(args)
        if carrier is not None and carrier._rank == 1:  # a Tensor, not a tracer or a Value
            return arrays().recorded_choice(primitive, index, run, args, before)
        if carrier is None and t.__class__ is np.ndarray and t.dtype is FLOAT64:
            operands = tuple(map(_readable, args))
            if not any(a is NotImplemented for a in operands):
                contribution, mask = np.empty(t.shape), np.empty(t.shape, np.bool_)
                any_masked = native.engine.map_mask(
                    primitive, index, contribution, mask, operands, before
                )
                if any_masked is not None:
                    return StructuralZero(contribution, mask) if any_masked else contribution
        contribution = rule(*args)
        return contribution if before is None else masked_again(contribution, before)

    run.takes_masks = True  # type: ignore[attr-defined]
    return run


def _readable(a: Array) -> Array:
    """Return ``a`` as a contiguous array or as the one number that it repeats.

    Return `NotImplemented` for other layouts, and ``None`` for an argument that no rule reads.
    """
    if a.__class__ is not np.ndarray:
        return a if isinstance(a, _NUMBERS) else None
    if a.flags.c_contiguous:
        return a
    return NotImplemented if any(a.strides) or not a.size else a[(0,) * a.ndim]


def _aligned(args: tuple[Any, ...]) -> tuple[Any, Any, tuple[Any, ...]]:
    """Return the dtype of the result, room for it, and the arguments as its kernel reads them."""
    known = [a if isinstance(a, (np.ndarray, np.generic, float, int)) else 0.0 for a in args]
    arrays = [a for a in known if isinstance(a, (np.ndarray, np.generic))]
    dtype = np.result_type(*arrays) if arrays else np.dtype(np.float64)
    shapes = {a.shape for a in arrays}
    shape = shapes.pop() if len(shapes) == 1 else np.broadcast_shapes(*(a.shape for a in arrays))
    doubles = [np.ascontiguousarray(_spread(a, shape), np.float64) for a in known]
    return dtype if dtype.kind == "f" else np.dtype(np.float64), np.empty(shape), tuple(doubles)


def _spread(x: Any, shape: tuple[int, ...]) -> Array:
    """``x`` in a shape, unless it is a number, which the kernel repeats."""
    return x if np.size(x) == 1 or np.shape(x) == shape else np.broadcast_to(x, shape)
