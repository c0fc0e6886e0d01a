"""Running sums and products along an axis."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...errors import SizeError
from ...ops.array import scan
from ...ops.array.structure import concat, reshape
from ..graph.tensor import Tensor
from ..graph.types import Axis, DTypeLike
from .arguments import axis_of
from .reducing import array_of
from .types import ArrayLike, unary_function

__all__ = ["cumprod", "cumsum", "cumulative_prod", "cumulative_sum"]


@unary_function
def cumulative_sum(
    x: ArrayLike,
    axis: Axis = None,
    *,
    dtype: DTypeLike | None = None,
    include_initial: bool = False,
) -> Tensor:
    """Return running sums along an axis, which may be omitted if there is only one.

        yᵢ = Σⱼ≤ᵢ xⱼ

    ``include_initial`` puts the sum of none, 0, in front.

    >>> cumulative_sum([1.0, 2.0, 3.0], include_initial=True)
    Tensor([0., 1., 3., 6.])
    """
    return _cumulate("cumulative_sum", 0, x, axis, dtype, include_initial)


@unary_function
def cumulative_prod(
    x: ArrayLike,
    axis: Axis = None,
    *,
    dtype: DTypeLike | None = None,
    include_initial: bool = False,
) -> Tensor:
    """Return running products along an axis; derivatives are correct at zeros, too.

        yᵢ = Πⱼ≤ᵢ xⱼ

    >>> cumulative_prod([1.0, 2.0, 3.0], include_initial=True)
    Tensor([1., 1., 2., 6.])
    """
    return _cumulate("cumulative_prod", 1, x, axis, dtype, include_initial)


@unary_function
def cumsum(x: ArrayLike, axis: Axis = None, *, dtype: DTypeLike | None = None) -> Tensor:
    """Return `cumulative_sum` by NumPy's rule: without an axis, of the flat array.

    >>> cumsum([[1.0, 2.0], [3.0, 4.0]])
    Tensor([ 1.,  3.,  6., 10.])
    """
    return cumulative_sum(_in_a_row(x, axis, "cumsum"), axis, dtype=dtype)


@unary_function
def cumprod(x: ArrayLike, axis: Axis = None, *, dtype: DTypeLike | None = None) -> Tensor:
    """Return `cumulative_prod` by NumPy's rule: without an axis, of the flat array.

    >>> cumprod([[1.0, 2.0], [3.0, 4.0]])
    Tensor([ 1.,  2.,  6., 24.])
    """
    return cumulative_prod(_in_a_row(x, axis, "cumprod"), axis, dtype=dtype)


def _in_a_row(x: object, axis: int | tuple[int, ...] | None, where: str) -> Any:
    x = array_of(x, where)
    return reshape(x, shape=(x.size,)) if axis is None else x


def _cumulate(
    where: str, start: int, x: object, axis: int | tuple[int, ...] | None, dtype: Any, initial: bool
) -> Any:
    x = array_of(x, where, dtype)
    if axis is None and x.ndim != 1:
        raise SizeError(
            where=f"{where}(axis)",
            expected="an axis, since there is not exactly one",
            got=f"None for an array of shape {x.shape}",
            fix="Write axis=-1 for the last one.",
        )
    place = axis_of(0 if axis is None else axis, x.ndim, where)
    y = getattr(scan, where)(x, axis=place, reverse=False)  # the rule scans from the end
    if not initial:
        return y
    # joined in front, because the scan itself has no initial element
    first = np.full((*x.shape[:place], 1, *x.shape[place + 1 :]), start, y.dtype)
    return concat(first, y, axis=place, bounds=(0, 1, 1 + x.shape[place]))
