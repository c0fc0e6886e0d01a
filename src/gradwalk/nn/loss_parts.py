"""What the losses of Tensors share: targets that fit, reductions."""

from __future__ import annotations

from typing import Any

from ..core.expect import describe
from ..errors import DataError, OptionError, SizeError
from ..levels.vmap import varies
from ..tensor import mean, sum
from ..tensor.functions.arguments import operand
from ..tensor.graph.tensor import Tensor

__all__ = ["numbers", "pair", "positive", "probabilities", "reduced", "weighted"]


def pair(where: str, predictions: Any, targets: Any) -> tuple[Any, Any]:
    """Predictions and targets, of one shape: a column must not meet a row and become a matrix."""
    p, t = operand(predictions, where), operand(targets, f"{where}(targets)")
    if p.shape == t.shape:
        return p, t
    raise SizeError(
        where=f"{where}(targets)",
        expected=f"the shape of the predictions, {p.shape}",
        got=f"shape {t.shape}",
        fix="Reshape one of them: t[:, None] makes a column, p[:, 0] takes one away.",
    )


def numbers(x: Any) -> Any:
    """The array in x."""
    return x._data if isinstance(x, Tensor) else x


def positive(where: str, x: Any) -> None:
    """Refuse what is no positive number."""
    if not (isinstance(x, (int, float)) and x > 0):
        raise OptionError(
            where=where,
            expected="a positive number",
            got=describe(x),
            fix="It is the error from which on the loss grows linearly; 1.0 is usual.",
        )


def probabilities(where: str, p: Any, fix: str) -> None:
    """Refuse numbers outside of 0 to 1."""
    if varies(p):
        return
    given = numbers(p)
    outside = given[(given < 0.0) | (given > 1.0)]  # a NaN passes, and shows in the loss
    if outside.size:
        raise DataError(
            where=where, expected="numbers from 0 to 1", got=describe(float(outside[0])), fix=fix
        )


def weighted(where: str, terms: Any, weight: Any, reduction: str) -> Any:
    """`reduced`, each term having a weight of its own."""
    if weight is not None:
        terms = terms * operand(weight, f"{where}(weight)")
    return reduced(where, terms, reduction)


def reduced(where: str, terms: Any, reduction: str) -> Any:
    """The mean or the sum of the terms, or all of them."""
    if reduction == "mean":
        return mean(terms)
    if reduction == "sum":
        return sum(terms)
    if reduction == "none":
        return terms
    raise OptionError(
        where=f"{where}(reduction=...)",
        expected='"mean", "sum" or "none"',
        got=describe(reduction),
        fix="Leave it out for the mean.",
    )
