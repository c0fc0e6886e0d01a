"""Arguments of convolution and pooling: batches, integers per axis, windows that fit."""

from __future__ import annotations

import operator
from collections.abc import Iterable
from typing import Any

from ...core.expect import describe
from ...errors import OptionError, SizeError
from ...ops.array.structure import reshape
from ...ops.array.windows import Windows
from .types import Operand

__all__ = ["AXES", "with_batch", "expect_room", "without_batch", "whole_numbers"]

AXES = {1: "length", 2: "height, width", 3: "depth, height, width"}


def expect_room(where: str, x: Operand, how: Windows) -> Windows:
    """Return the windows. Raise `SizeError` if not even one fits."""
    if min(how.lengths(x.shape[2:])) > 0 and min(how.kernel) > 0:
        return how
    raise SizeError(
        where=where,
        expected=f"room for a window of {how.spans}",
        got=f"an input of {x.shape[2:]} with padding {how.padding}",
        fix="Use a smaller kernel or more padding.",
    )


def whole_numbers(given: Any, axes: int, where: str, least: int) -> tuple[int, ...]:
    """Return one integer for each axis."""
    members = list(given) if isinstance(given, Iterable) else [given] * axes
    try:
        numbers = tuple(map(operator.index, members))
    except TypeError:
        numbers = ()  # refused below
    if len(numbers) == axes and min(numbers) >= least:
        return numbers
    raise OptionError(
        where=where,
        expected=f"an integer >= {least}" + (f", or {axes} of them" if axes > 1 else ""),
        got=describe(given),
        fix="Pass one integer for all spatial axes, or one for each.",
    )


def with_batch(x: Operand, axes: int, where: str) -> tuple[Any, bool]:
    """Return ``x`` with an axis for the batch, and whether it had none."""
    if x.ndim == axes + 1:
        return reshape(x, shape=(1, *x.shape)), True
    if x.ndim == axes + 2:
        return x, False
    raise SizeError(
        where=f"{where}(input)",
        expected=f"(batch, channels, {AXES[axes]}), or the same without batch",
        got=f"shape {x.shape}",
        fix=f"Write x[{', '.join(['None'] * (axes + 1 - x.ndim))}] for one example of one channel."
        if x.ndim == axes
        else "Reshape x to one axis for the batch, one for the channels, and the axes of space.",
    )


def without_batch(y: Operand, single: bool) -> Operand:
    """Remove the axis of the batch if the input had none."""
    return reshape(y, shape=y.shape[1:]) if single else y
