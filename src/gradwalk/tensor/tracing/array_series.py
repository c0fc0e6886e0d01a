"""Truncated power series of arrays: what `series` does once a Tensor comes along."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from ...core.primitive import Primitive
from ...levels.taylor import Stream, TaylorLevel, polynomial
from ...ops.arithmetic import where
from ...ops.array.structural_zero import elements_of
from ...ops.array.structure import astype, broadcast_to
from ...ops.series import POLYNOMIAL, plus
from ..functions.types import Operand
from ..graph.node import CONSTANT_NODE, Node
from .tracers import array_of, as_arrays

__all__ = ["compute_coefficients", "lazy_series"]

Options = dict[str, Any]


def lazy_series(
    series: Any, primitive: Any, args: Sequence[Any], options: Options, y: Any
) -> Operand:
    """Return the tracer, or the tracers, of an array; coefficients are computed on demand."""
    y = as_arrays(y)
    streams = [series.stream(a) for a in args]
    if primitive in POLYNOMIAL:
        return series.box(y, _polynomial(primitive, y, streams))
    if primitive.kind in ("linear", "multilinear") and None not in primitive.rules:
        coefficient = _linear_coefficient if primitive.kind == "linear" else _product_coefficient
        return _box(series, y, lambda k: coefficient(primitive, streams, options, k))
    args = [array_of(a) for a in args]
    derivatives = lambda z: _derivative(primitive, args, z, series.derivatives(args), options)  # noqa: E731
    if type(y) is tuple:
        return series.solutions(y, derivatives)
    return series.solution(y, derivatives)


def compute_coefficients(series: TaylorLevel, found: object) -> Any:
    """Return the result with all coefficients computed."""
    with np.errstate(all="ignore"):
        if type(found) is tuple:
            return tuple([series.complete(part) for part in found])
        return series.complete(found)


def _box(series: Any, y: Any, following: Callable[[int], Any]) -> Any:
    """Return the tracer of a result, or one for each of several results."""
    if type(y) is not tuple:
        return series.box(y, Stream(y, following))
    # one stream for all results, so that the primitive is applied once per order and not per result
    whole = Stream(y, following)

    def part(i: int) -> Callable[[int], Any]:
        return lambda k: None if whole[k] is None else whole[k][i]

    return tuple([series.box(start, Stream(start, part(i))) for i, start in enumerate(y)])


# --- polynomials ----------------------------------------------------------------------------------


def _polynomial(primitive: Primitive, y: Any, args: Sequence[Stream]) -> Stream:
    """Compute sums, products, quotients and choices, in the shape and precision of the result."""
    # a condition on arrays takes some elements of each branch, so both branches are evaluated
    plain = (
        Stream(y, _where_coefficient(*args))
        if primitive is where
        else polynomial(primitive, y, args)
    )
    return Stream(y, lambda k: _fit(plain[k], y))


def _where_coefficient(condition: Stream, a: Stream, b: Stream) -> Callable[[int], Any]:
    def following(k: int) -> Any:
        if a[k] is None and b[k] is None:
            return None
        # beside a coefficient, no contribution counts as 0
        return where(condition[0], *[0.0 if c[k] is None else c[k] for c in (a, b)])

    return following


def _fit(c: Any, like: Any) -> Any:
    """Return a coefficient in the shape and precision of the first."""
    if c is None:
        return c
    c = array_of(c)
    if c.shape != like.shape:
        c = broadcast_to(c, shape=like.shape)
    return c if c.dtype == like.dtype else astype(c, dtype=like.dtype)


# --- linear primitives and products ---------------------------------------------------------------


def _linear_coefficient(
    primitive: Primitive, args: Sequence[Stream], options: Options, k: int
) -> Any:
    """Apply a linear primitive to each coefficient."""
    found = [a[k] for a in args]
    if all(c is None for c in found):
        return None
    pairs = zip(found, args, strict=True)
    # concat(x, c): c has no coefficients after the first, but takes up room in each
    return primitive(*[_zeros(a[0]) if c is None else c for c, a in pairs], **options)


def _zeros(x: Any) -> Any:
    if not hasattr(x, "dtype"):
        return np.zeros_like(x, dtype=np.float64) if isinstance(x, (list, tuple)) else 0.0
    return np.zeros(x.shape, x.dtype)


def _product_coefficient(
    primitive: Primitive, args: Sequence[Stream], options: Options, k: int
) -> Any:
    """Return Σ primitive(aᵢ, bⱼ, …) over all i + j + … = k."""
    total = None
    for orders in _splits(k, len(args)):  # a fixed order of adding: equal bits in every run
        factors = [a[i] for a, i in zip(args, orders, strict=True)]
        if all(c is not None for c in factors):
            total = plus(total, primitive(*factors, **options))
    return total


def _splits(k: int, count: int) -> Iterator[tuple[int, ...]]:
    """Return all ways to write k as a sum of ``count`` non-negative integers."""
    if count == 1:
        yield (k,)
        return
    for i in range(k + 1):
        for rest in _splits(k - i, count - 1):
            yield i, *rest


# --- all others: from their rules -----------------------------------------------------------------


def _derivative(
    primitive: Primitive, args: Sequence[Any], y: Any, tangents: Sequence[Any], options: Options
) -> Any:
    """Return the derivative of a result, or of several, from those of the arguments."""
    pairs = zip(args, tangents, strict=True)
    inputs = [CONSTANT_NODE if t is None else Node(None, (), a.shape, a.dtype) for a, t in pairs]
    several = type(y) is tuple
    # in no graph: `jvp` reads primitive, shapes and options of an operation from a node
    node = Node(
        primitive, tuple(inputs), None if several else y.shape, None if several else y.dtype
    )
    node.options = options
    moving = [None if t is None else array_of(t) for t in tangents]
    if all(t is None for t in moving):
        return (None,) * len(y) if several else None
    node.saved = (y, *args)
    found = node.jvp(moving)
    return tuple(map(elements_of, found)) if several else elements_of(found)
