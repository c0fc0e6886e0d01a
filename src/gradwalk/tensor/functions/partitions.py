"""Partial orders: `partition`, by which NumPy spares a part of a sort."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ..graph.tensor import Tensor
from .arguments import axis_of, operand
from .ordering import argsort, sort
from .types import ArrayLike, unary_function

__all__ = ["argpartition", "partition"]
METHODS: tuple[str, ...] = ()


@unary_function
def partition(x: ArrayLike, kth: int | Sequence[int], axis: int = -1) -> Tensor:
    """Sort so that the elements at some places are where `sort` puts them.

    In fact all elements are sorted.

    Parameters
    ----------
    x : any shape
        The elements.
    kth
        The place, or the places, that must be correct.
    axis
        The axis along which the elements are sorted.

    Returns
    -------
    the shape of x
        The elements in their new order.

    Raises
    ------
    SizeError
        If ``x`` has no such axis, or the axis no such place.

    Examples
    --------
    >>> partition([3.0, 1.0, 2.0], 1)
    Tensor([1., 2., 3.])
    """
    _expect_places(operand(x, "partition"), kth, axis, "partition")
    y: Any = sort(x, axis)
    return y


@unary_function
def argpartition(x: ArrayLike, kth: int | Sequence[int], axis: int = -1) -> Tensor:
    """Return the indices that put x in the order of `partition`.

    It has no derivative.

    Parameters
    ----------
    x : any shape
        The elements.
    kth
        The place, or the places, that must be correct.
    axis
        The axis along which the elements are sorted.

    Returns
    -------
    the shape of x
        The indices.

    Raises
    ------
    SizeError
        If ``x`` has no such axis, or the axis no such place.

    Examples
    --------
    >>> argpartition([3.0, 1.0, 2.0], 1)
    Tensor([1, 2, 0])
    """
    _expect_places(operand(x, "argpartition"), kth, axis, "argpartition")
    y: Any = argsort(x, axis)
    return y


def _expect_places(x: Any, kth: object, axis: Any, where: str) -> None:
    n = x.shape[axis_of(axis, x.ndim, where)]
    for k in kth if isinstance(kth, (list, tuple, np.ndarray)) else [kth]:
        axis_of(k, n, f"{where}(kth): ")
