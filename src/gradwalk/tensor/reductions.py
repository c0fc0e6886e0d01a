"""Functions that reduce: many numbers become one along an axis."""

from __future__ import annotations

from typing import Any

from ..ops.array import reduction as rows
from .arguments import axes_of, operand

__all__ = ["mean", "sum"]
METHODS = ("mean", "sum")


def sum(x: Any, axis: Any = None, keepdims: bool = False) -> Any:
    """Sum over some axes, by default all.

        y = Σᵢ xᵢ

    >>> from gradwalk import Tensor
    >>> x = Tensor([[1.0, 2.0], [3.0, 4.0]], requires_grad=True)
    >>> y = sum(x)
    >>> y.backward()
    >>> y.item(), x.grad.tolist()
    (10.0, [[1.0, 1.0], [1.0, 1.0]])
    """
    x = operand(x, "sum")
    return rows.sum(x, axis=axes_of(axis, x.ndim, "sum"), keepdims=bool(keepdims))


def mean(x: Any, axis: Any = None, keepdims: bool = False) -> Any:
    """Arithmetic mean over some axes, by default all.

    y = Σᵢ xᵢ / n
    """
    x = operand(x, "mean")
    axes = axes_of(axis, x.ndim, "mean")
    count = 1
    for i in axes:
        count *= x.shape[i]
    return rows.sum(x, axis=axes, keepdims=bool(keepdims)) / count
