"""Primitives on arrays by vector kernels: several numbers at once, whatever the processor has.

The kernels are printed from the table (`program.vector_header`) and are ufuncs of NumPy's kind, so
NumPy broadcasts, converts and allocates. float16 and float32 are computed in float64 and rounded
once, or by NumPy's own loops, where it has them. A result depends on its operand alone: not on its
place in an array, nor on strides. Scalars (`Value`, floats) keep the C library's functions, so
their last bits may differ from those of an array.

Without the native engine, or on a processor without AVX2, there are none.
"""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from operator import itemgetter
from typing import Any

import numpy as np

from ... import native
from ...core.array_primitive import per_primitive
from ...core.carrier import carrier_among
from ...core.primitive import Primitive

__all__ = ["vector_function", "vector_rule", "vector_kernel"]

_vectors: Any = native.load("_vectors")
_API: Any = import_module("numpy._core._multiarray_umath")._UFUNC_API  # as NumPy's headers do
_ndarray = np.ndarray
FLOAT16, FLOAT32 = np.dtype(np.float16), np.dtype(np.float32)
NUMPYS = {"exp", "log", "tanh", "sin", "cos"}
"""Functions that NumPy computes in vectors of float32, at every place alike; twice as fast."""


@per_primitive
def vector_function(primitive: Primitive) -> Callable[..., Any] | None:
    """Return the function that computes a primitive by its kernel, or ``None`` if it has none."""
    name = primitive.name
    in_numpy = bool(primitive.libm) and hasattr(np, name)
    found = _kernel(primitive, name, in_numpy)
    if not found:
        return None
    kernel, _ = found
    if name in NUMPYS:
        return _beside(getattr(np, name), kernel)
    return kernel if in_numpy else _in_float64(kernel)


def vector_kernel(primitive: Primitive) -> np.ufunc | None:
    """Return the kernel of a primitive for doubles, which writes into an array as ufuncs do."""
    in_numpy = bool(primitive.libm) and hasattr(np, primitive.name)
    found = _kernel(primitive, primitive.name, in_numpy)
    return found[0] if found else None


def _kernel(primitive: Primitive, name: str, reports: bool) -> Any:
    """Return a kernel and the bits of the arguments that it takes, or ``None``.

    ``reports`` tells whether it warns of overflows and poles, as NumPy's functions do.
    """
    known = native.engine is not None and native.engine.has_kernel(primitive)
    return _vectors.ufunc(_API, name, reports) if known and _vectors is not None else None


def _beside(numpys: Callable[..., Any], kernel: Callable[..., Any]) -> Callable[..., Any]:
    """Return ``kernel`` with narrow numbers computed by NumPy's loop, which is in vectors too."""

    def run(x: Any) -> Any:
        dtype = getattr(x, "dtype", None)
        return numpys(x) if dtype is FLOAT32 or dtype is FLOAT16 else kernel(x)

    return _with_kernel(run, kernel)


def _in_float64(kernel: Callable[..., Any]) -> Callable[..., Any]:
    """Return ``kernel`` with integers and bools computed in float64."""

    def run(*args: Any) -> Any:
        kinds = [arg.dtype.kind for arg in args if isinstance(arg, (_ndarray, np.generic))]
        return kernel(*args) if "f" in kinds or not kinds else kernel(*args, dtype=np.float64)

    return _with_kernel(run, kernel)


def _with_kernel(run: Any, kernel: Callable[..., Any]) -> Callable[..., Any]:
    """Return ``run``; C calls ``kernel`` itself if the first operand is an array of float64."""
    run.float64_kernel = kernel
    return run  # type: ignore[no-any-return]


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
