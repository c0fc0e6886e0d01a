"""Functions of NumPy that gradwalk has no name for: a few lines of others each."""

from __future__ import annotations

from collections.abc import Callable
from functools import reduce
from typing import Any

import numpy as np

from ...ops import TABLE
from ..functions import (
    decompositions,
    indexing,
    linalg,
    ordering,
    products,
    reductions,
    repeating,
    shapes,
    signals,
    special,
)
from ..functions.arguments import axis_of, operand
from ..functions.elementwise import trunc
from ..functions.joining import concat, split
from ..functions.types import Operand
from ..graph.types import Axes, Axis

__all__ = ["COMPOSITIONS"]


def _rot90(m: Operand, k: int = 1, axes: Any = (0, 1)) -> Operand:
    m = operand(m, "numpy.rot90")
    a, b = (axis_of(axis, m.ndim, "numpy.rot90") for axis in axes)
    for _ in range(k % 4):
        m = shapes.swapaxes(repeating.flip(m, axis=b), a, b)
    return m


def _array_split(ary: Any, indices_or_sections: Any, axis: int = 0) -> Any:
    """Split into parts whose lengths differ by at most one, the longer ones first."""
    if np.ndim(indices_or_sections):
        return split(ary, indices_or_sections, axis)
    length = ary.shape[axis_of(axis, ary.ndim, "numpy.array_split")]
    part, longer = divmod(length, indices_or_sections)
    sizes = [part + 1] * longer + [part] * (indices_or_sections - longer)
    return split(ary, np.cumsum(sizes)[:-1].tolist(), axis)


def _split_along(axis: int) -> Callable[..., Any]:
    """Return ``numpy.vsplit`` or a similar function; ``hsplit`` of a vector splits its only
    axis.
    """
    return lambda ary, parts: split(ary, parts, 0 if ary.ndim == 1 and axis == 1 else axis)


def _append(arr: Any, values: Any, axis: Any = None) -> Operand:
    return concat([operand(arr, "numpy.append"), operand(values, "numpy.append")], axis)


def _average(a: Operand, axis: Axes = None, weights: Any = None, keepdims: bool = False) -> Operand:
    if weights is None:
        return reductions.mean(a, axis=axis, keepdims=keepdims)
    a, w = operand(a, "numpy.average"), operand(weights, "numpy.average")
    if w.ndim == 1 and a.ndim > 1 and axis is not None:  # one weight for each place of the axis
        w = shapes.reshape(w, (-1,) + (1,) * (a.ndim - 1 - axis_of(axis, a.ndim, "numpy.average")))
    w = shapes.broadcast_to(w, a.shape)  # their sum counts every element of a
    options: Any = {"axis": axis, "keepdims": keepdims}
    return reductions.sum(a * w, **options) / reductions.sum(w, **options)


def _trapezoid(y: Operand, x: Operand | None = None, dx: Any = 1.0, axis: int = -1) -> Operand:
    y = shapes.moveaxis(operand(y, "numpy.trapezoid"), axis, -1)
    if x is not None:
        x = operand(x, "numpy.trapezoid")
        x = x if x.ndim == 1 else shapes.moveaxis(x, axis, -1)
        dx = x[..., 1:] - x[..., :-1]
    return reductions.sum(dx * (y[..., 1:] + y[..., :-1]), axis=-1) / 2.0


def _percentile(a: Operand, q: Any, axis: Axis = None, *, keepdims: bool = False) -> Operand:
    fractions = operand(q, "numpy.percentile") / 100.0
    return ordering.quantile(a, fractions, axis=axis, keepdims=keepdims)


def _select(condlist: Any, choicelist: Any, default: Any = 0) -> Operand:
    """Choose by the first condition that holds."""
    # from the last on, so that the first condition that holds decides
    for condition, choice in reversed(list(zip(condlist, choicelist, strict=True))):
        default = TABLE["where"](condition, choice, default)
    return default


def _sort_by(function: Callable[..., Any]) -> Callable[..., Any]:
    """Return ``numpy.sort`` or ``numpy.argsort``, whose result does not depend on ``kind``."""

    def call(a: Operand, axis: Axes = -1, kind: Any = None, *, stable: Any = None) -> Operand:
        return function(shapes.ravel(a), axis=0) if axis is None else function(a, axis=axis)

    return call


def _linspace(start: Any, stop: Any, num: int = 50, endpoint: bool = True) -> Operand:
    """Return evenly spaced numbers by NumPy's own steps; the last is ``stop`` itself."""
    start, stop = operand(start, "numpy.linspace"), operand(stop, "numpy.linspace")
    width, places = stop - start, np.arange(float(num))
    steps = num - 1 if endpoint else num
    places = places.reshape(-1, *[1] * width.ndim)
    y = places * (width / steps) + start if steps > 0 else places * width + start
    last = shapes.expand_dims(shapes.broadcast_to(stop, width.shape), 0)
    return concat([y[:-1], last]) if endpoint and num > 1 else y


def _polyval(p: Any, x: Any) -> Operand:
    p, x = operand(p, "numpy.polyval"), operand(x, "numpy.polyval")
    return reduce(lambda y, c: y * x + c, p, np.zeros(x.shape))


def _svd(a: Any, full_matrices: bool = True, compute_uv: bool = True) -> Any:
    return decompositions.svd(a, full_matrices) if compute_uv else decompositions.svdvals(a)


def _qr(a: Any, mode: str = "reduced") -> Any:
    return decompositions.qr(a, "reduced").R if mode == "r" else decompositions.qr(a, mode)


COMPOSITIONS: dict[str, Callable[..., Any]] = {
    "append": _append,
    "argwhere": lambda a: shapes.matrix_transpose(np.stack(indexing.nonzero(a))),
    "array_split": _array_split,
    "average": _average,
    "dsplit": _split_along(2),
    "fix": trunc,
    "fmod": special.fmod,
    "gradient": signals.gradient,
    "i0": special.i0,
    "heaviside": special.heaviside,
    "imag": lambda val: np.zeros_like(val),
    "linspace": _linspace,
    "polyval": _polyval,
    "flatnonzero": lambda a: indexing.nonzero(shapes.ravel(a))[0],
    "fliplr": lambda m: repeating.flip(m, axis=1),
    "flipud": lambda m: repeating.flip(m, axis=0),
    "hsplit": _split_along(1),
    "matvec": lambda a, x: products.matmul(a, x[..., None])[..., 0],
    "percentile": _percentile,
    "rot90": _rot90,
    "select": _select,
    "trapezoid": _trapezoid,
    "vecmat": lambda x, a: products.matmul(x[..., None, :], a)[..., 0, :],
    "vsplit": _split_along(0),
    "sort": _sort_by(ordering.sort),
    "argsort": _sort_by(ordering.argsort),
    "linalg.lstsq": lambda a, b, rcond=None: linalg.lstsq(a, b, rcond),
    "linalg.multi_dot": lambda arrays: reduce(products.matmul, arrays),
    "linalg.qr": _qr,
    "linalg.svd": _svd,
}
"""Each is a composition, so its derivatives are those of its parts."""
