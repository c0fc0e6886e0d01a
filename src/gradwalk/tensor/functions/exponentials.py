"""Sums of exponentials along an axis, and softmax weights."""

from __future__ import annotations

from typing import Any

from ...ops.array import reduction as rows
from ..graph.tensor import Tensor
from ..graph.types import Axes
from .arguments import axis_of
from .reducing import array_of, axes_or_all, floating, short
from .types import ArrayLike, unary_function

__all__ = ["log_softmax", "logsumexp", "softmax"]

_softmax, _log_softmax = short(rows.softmax), short(rows.log_softmax)
_logsumexp = short(rows.logsumexp)


@unary_function
def softmax(x: ArrayLike, axis: Axes = -1) -> Tensor:
    """Return weights proportional to the exponentials along an axis; they add up to 1.

        yᵢ = exp(xᵢ) / Σⱼ exp(xⱼ),   x̄ = y (ȳ - Σⱼ ȳⱼ yⱼ)

    A number -inf has the weight 0 and the derivative 0; if all are -inf, all weights are NaN.

    >>> softmax([[0.0, 0.0], [1000.0, -1000.0]])
    Tensor([[0.5, 0.5],
            [1. , 0. ]])
    """
    x = floating(array_of(x, "softmax"))
    return _softmax(x, axis=_own_axes(axis, x.ndim, "softmax"))


@unary_function
def log_softmax(x: ArrayLike, axis: Axes = -1) -> Tensor:
    """Return logarithms of `softmax` along an axis, precise where the weights are near 0 or 1.

        yᵢ = xᵢ - ln Σⱼ exp(xⱼ),   x̄ = ȳ - exp(y) Σⱼ ȳⱼ

    >>> log_softmax([1000.0, -1000.0])
    Tensor([    0., -2000.])
    """
    x = floating(array_of(x, "log_softmax"))
    return _log_softmax(x, axis=_own_axes(axis, x.ndim, "log_softmax"))


def _own_axes(axis: Any, ndim: int, where: str) -> Any:
    """Return the axes of a `softmax`; a single number has none."""
    if ndim and axis is not None:
        return axes_or_all(axis, ndim, where)
    return (axis_of(-1 if axis is None else axis, 0, where),) if not ndim else None


@unary_function
def logsumexp(x: ArrayLike, axis: Axes = None, *, keepdims: bool = False) -> Tensor:
    """Return the logarithm of the sum of exponentials, without overflow; of nothing, -inf.

        y = ln Σᵢ exp(xᵢ),   x̄ = ȳ softmax(x)

    >>> logsumexp([[1000.0, 1000.0], [0.0, 0.0]], axis=1)
    Tensor([1.00069315e+03, 6.93147181e-01])
    """
    x = floating(array_of(x, "logsumexp"))
    axes = axes_or_all(axis, x.ndim, "logsumexp")
    return _logsumexp(x, axis=axes, keepdims=bool(keepdims))
