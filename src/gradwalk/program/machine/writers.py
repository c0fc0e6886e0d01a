"""Functions of steps that write into a given array."""

from __future__ import annotations

from collections.abc import Callable
from math import prod
from typing import Any, TypeAlias

import numpy as np

from ... import native
from ...core.numeric import Array
from ...ops import TABLE
from ...ops.array import reduction
from ...ops.array.evaluation import function_of
from ...ops.array.product import matmul
from ...ops.array.vectors import vector_kernel
from ..program import Aval
from .array_executor import Step
from .forms import form_of

__all__ = ["is_fresh", "writer_of"]

Writer: TypeAlias = Callable[[Array], tuple[Callable[..., Any], list[Any]]]
"""Takes the array to write into; returns a function, and operands: cells, or constant arrays."""

FLOATS = (np.dtype(np.float64), np.dtype(np.float32))
Operands: TypeAlias = tuple[Any, ...]
SUMS = {reduction.sum, reduction.mean}


def is_fresh(step: Step) -> bool:
    """Return whether the result of a step never lies in memory of another array."""
    entry, primitive = step.aval, step.primitive
    if entry is None or primitive is None:
        return False
    if primitive.kind == "pointwise" or primitive is matmul or primitive in SUMS:
        return True
    return form_of(step) is not None


def writer_of(step: Step) -> Writer | None:
    """Return what writes the result of a step; ``None`` if nothing does."""
    if not is_fresh(step):
        return None
    operands: Operands = step.given
    dtypes = {o.dtype for o in operands if isinstance(o, Aval)}
    if step.primitive is TABLE["where"]:
        return _emptied(step, step.aval, operands)
    if not dtypes <= set(FLOATS) or len(dtypes) != 1:
        return None
    if step.primitive in SUMS:
        return _summed(step, step.aval, operands)
    if step.primitive is matmul:
        flat = all(len(o.shape) == 2 for o in operands)
        return (lambda room: (np.matmul, list(step.operands))) if flat else None
    return _pointwise(step, operands, dtypes.pop())


def _pointwise(step: Step, given: Operands, dtype: Any) -> Writer | None:
    """Return a ufunc, with numbers as arrays of the dtype that it would give them."""
    assert step.primitive is not None
    f: Any = vector_kernel(step.primitive) if dtype == np.float64 else None
    f = function_of(step.primitive) if f is None else f
    operands: list[Any] = [
        cell if isinstance(o, Aval) else np.asarray(o, dtype) if type(o) is float else None
        for cell, o in zip(step.operands, given, strict=True)
    ]
    if step.primitive is TABLE["relu"]:
        f, operands = np.maximum, [*operands, np.zeros((), dtype)]
    if not isinstance(f, np.ufunc) or any(o is None for o in operands):
        return None
    named = f in (np.maximum, np.minimum)  # these take `out` by its name only
    run = (lambda a, b, out: f(a, b, out=out)) if named else f
    return lambda room: (run, operands)


def _summed(step: Step, entry: Any, operands: Operands) -> Writer | None:
    """Return what adds along axes, for doubles."""
    (x,), axis, keepdims = operands, step.options["axis"], step.options["keepdims"]
    size = prod(x.shape) // max(prod(entry.shape), 1)
    if x.dtype != np.float64 or entry.dtype != np.float64 or not size:
        return None

    def sum_of(a: Array, out: Array) -> None:
        np.add.reduce(a, axis=axis, out=out, keepdims=keepdims)

    def mean_of(a: Array, out: Array) -> None:
        np.add.reduce(a, axis=axis, out=out, keepdims=keepdims)
        np.divide(out, size, out)

    f = sum_of if step.primitive is reduction.sum else mean_of
    return lambda room: (f, list(step.operands))


def _emptied(step: Step, entry: Any, operands: Operands) -> Writer | None:
    """Return what writes zeros where a mask says so, the structural zeros of a program."""
    mask, zero, t = operands
    arrays = isinstance(mask, Aval) and isinstance(t, Aval)
    if native.engine is None or not arrays or type(zero) is not float or zero.hex() != "0x0.0p+0":
        return None
    fits = mask.shape == t.shape == entry.shape and t.dtype == entry.dtype
    if mask.dtype != np.bool_ or not fits or t.dtype not in FLOATS:
        return None
    emptied = native.engine.emptied

    def write(mask: Array, t: Array, out: Array) -> None:
        if mask.flags.c_contiguous and t.flags.c_contiguous:
            emptied(mask, t, out)
        else:
            np.copyto(out, np.where(mask, 0.0, t))

    return lambda room: (write, [step.operands[0], step.operands[2]])
