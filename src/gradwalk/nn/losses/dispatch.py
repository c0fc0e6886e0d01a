"""Losses of any carrier: Tensors go to one module, Values and plain numbers to another."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ...core.carrier import is_tensor
from ...core.expect import describe
from ...errors import OptionError
from . import values as values
from .types import LossResult, Predictions
from .values import Check, Formula

__all__ = ["elementwise", "expect_no_options"]


def elementwise(
    name: str,
    formula: Formula,
    predictions: Predictions,
    targets: Predictions,
    reduction: str,
    checks: tuple[Check | None, Check | None] = (None, None),
    **options: Any,
) -> LossResult:
    """Reduce ``formula(p, t)`` over all pairs, after ``checks`` of predictions and of targets."""
    if any(map(is_tensor, (predictions, targets, *options.values()))):
        from . import arrays as array_losses

        given = (predictions, targets, reduction, checks)
        return array_losses.elementwise(name, formula, *given, **options)
    expect_no_options(name, options)
    return values.elementwise(name, formula, predictions, targets, reduction, checks)


def expect_no_options(name: str, options: Mapping[str, object]) -> None:
    """Raise `OptionError` if an option is not ``None``."""
    for option, given in options.items():
        if given is not None:
            raise OptionError(
                where=f"{name}({option}=...)",
                expected="predictions or targets in a Tensor, or no such option",
                got=describe(given),
                fix="Pass gradwalk.Tensor(predictions).",
            )
