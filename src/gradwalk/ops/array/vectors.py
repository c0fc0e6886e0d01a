"""Primitives on arrays by vector kernels: several numbers at once, whatever the processor has.

The kernels are printed from the table (`program.vector_header`) and are ufuncs of NumPy's kind, so
NumPy broadcasts, converts and allocates. float16 and float32 are computed in float64 and rounded
once. A result depends on its operands alone: not on its place in an array, nor on the strides.
Without the native engine, or on a processor without AVX2, there are none.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from operator import itemgetter
from typing import Any

import numpy as np

from ... import native
from ...core.carrier import carrier_among
from ...core.primitive import Primitive

__all__ = ["vector_function", "vector_rule"]

_vectors: Any = native.load("_vectors")
_ndarray = np.ndarray


@cache
def vector_function(primitive: Primitive) -> Callable[..., Any] | None:
    """Return the kernel of a primitive, or ``None`` if it has none.

    It warns of overflows and poles, and computes small integers in float16, where NumPy's function
    of that name does. All other kernels are silent, and compute integers in float64.
    """
    in_numpy = bool(primitive.libm) and hasattr(np, primitive.libm)
    found = _kernel(primitive, primitive.name, in_numpy)
    return found and (found[0] if in_numpy else _in_float64(found[0]))


def _in_float64(kernel: Callable[..., Any]) -> Callable[..., Any]:
    """Return ``kernel`` with integers and bools computed in float64."""

    def run(*args: Any) -> Any:
        kinds = [arg.dtype.kind for arg in args if isinstance(arg, (_ndarray, np.generic))]
        return kernel(*args) if "f" in kinds or not kinds else kernel(*args, dtype=np.float64)

    return run


def _kernel(primitive: Primitive, name: str, reports: bool) -> Any:
    """Return a kernel and the bits of the arguments that it takes, or ``None``."""
    known = native.engine is not None and native.engine.has_kernel(primitive)
    return _vectors.ufunc(name, reports) if known and _vectors is not None else None


def vector_rule(primitive: Primitive, index: int) -> Callable[..., Any] | None:
    """Return the rule of one argument by a kernel, or ``None`` if it has none."""
    rule: Any = primitive.rules[index]
    found = rule and _kernel(primitive, f"{primitive.name}_{index}", False)
    if not found:
        return None
    kernel, bits = found
    pick = itemgetter(*[i for i in range(2 + primitive.arity) if bits >> i & 1])

    def run(*args: Any) -> Any:
        operands = pick(args)
        for operand in operands:
            if operand.__class__ is not _ndarray:
                # with create_graph the rule is recorded
                return kernel(*operands) if carrier_among(args) is None else rule(*args)
        return kernel(*operands)

    return run
