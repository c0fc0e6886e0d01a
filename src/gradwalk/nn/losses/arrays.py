"""Losses of Tensors: shapes that fit, checks, fused operations, reductions."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ...core.expect import describe
from ...errors import DataError, SizeError
from ...levels.vmap import batch_of, varies
from ...ops.array import losses as primitives
from ...ops.softmax import label_surprise
from ...tensor import all, mean, sum
from ...tensor.functions.arguments import operand
from ...tensor.graph.placed import place_of
from ...tensor.graph.tensor import Tensor
from .values import Check, Formula, reduction_error

__all__ = ["elementwise", "numbers", "pair", "reduce"]

Array = Any  # a Tensor, a tracer of one, or a NumPy array


def _logit_cross_entropy(x: Array, t: Array, pos_weight: Any = None) -> Array:
    where = "binary_cross_entropy_with_logits(pos_weight)"
    return primitives.logit_surprise(
        x, t, 1.0 if pos_weight is None else _broadcast(where, pos_weight, x.shape)
    )


FUSED: dict[str, Callable[..., Array]] = {
    "binary_cross_entropy": label_surprise,
    "binary_cross_entropy_with_logits": _logit_cross_entropy,
}
"""Losses that would lose accuracy or memory if they were composed of smaller operations."""


def elementwise(
    where: str,
    formula: Formula,
    predictions: Any,
    targets: Any,
    reduction: str,
    checks: tuple[Check | None, Check | None] = (None, None),
    weight: Any = None,
    **options: Any,
) -> Tensor:
    """Reduce ``formula(p, t)`` over two arrays of one shape, each term times its ``weight``."""
    p, t = pair(where, predictions, targets)
    for name, x, check in zip(("predictions", "targets"), (p, t), checks, strict=True):
        if check is None or batch_of(x) is not None or place_of(x) is not None:
            continue
        if not varies(x):
            _expect(f"{where}({name})", check, numbers(x))
        elif not all(check.holds(x)):  # of a program: a question that each run asks
            _expect(f"{where}({name})", check, np.asarray(x.data))
    terms = FUSED.get(where, formula)(p, t, **options)
    if weight is not None:
        terms = terms * _broadcast(f"{where}(weight)", weight, terms.shape)
    return reduce(where, terms, reduction)


def _broadcast(where: str, weight: Any, shape: tuple[int, ...]) -> Array:
    """Return ``weight`` as an array. Raise `SizeError` unless its shape fits ``shape``."""
    w = operand(weight, where)
    try:
        np.broadcast_shapes(w.shape, shape)
    except ValueError:
        raise SizeError(
            where=where,
            expected=f"a shape that is broadcast with {shape}",
            got=f"shape {w.shape}",
            fix="Pass one factor for each number of an example, or a single one.",
        ) from None
    return w


def pair(where: str, predictions: Any, targets: Any) -> tuple[Array, Array]:
    """Return predictions and targets as arrays. Raise `SizeError` unless the shapes are equal.

    Broadcasting would turn a column and a row into a matrix, which is never meant.
    """
    p, t = operand(predictions, where), operand(targets, f"{where}(targets)")
    if p.shape == t.shape:
        return p, t
    raise SizeError(
        where=f"{where}(targets)",
        expected=f"the shape of the predictions, {p.shape}",
        got=f"shape {t.shape}",
        fix=f"Write {where}(logits, targets), with the logits first."
        if where == "cross_entropy" and t.ndim > p.ndim
        else "Reshape one of them: t[:, None] makes a column, p[:, 0] takes one away.",
    )


def numbers(x: Array) -> Array:
    """Return the plain array in ``x``."""
    return x._data if isinstance(x, Tensor) else x


def _expect(where: str, check: Check, x: Array) -> None:
    wrong = x[~np.asarray(check.holds(x))]
    if wrong.size:
        raise DataError(
            where=where, expected=check.expected, got=describe(wrong.flat[0].item()), fix=check.fix
        )


def reduce(where: str, terms: Array, reduction: str) -> Tensor:
    """Return the mean or the sum of ``terms``, or the terms themselves."""
    reductions: dict[str, Any] = {"mean": mean, "sum": sum, "none": lambda x: x}
    if not isinstance(reduction, str) or reduction not in reductions:
        raise reduction_error(where, reduction)
    reduced: Tensor = reductions[reduction](terms)
    return reduced
