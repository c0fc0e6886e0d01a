"""Gains: factors of the initial weights before an activation."""

from __future__ import annotations

import math
from collections.abc import Iterable

from ..core.expect import describe
from ..errors import OptionError

__all__ = ["calculate_gain", "known"]


def calculate_gain(nonlinearity: str, param: float | None = None) -> float:
    """Return the factor of the initial weights before an activation, as in PyTorch's table.

        1 (linear, sigmoid), 5/3 (tanh), √2 (relu), √(2 / (1 + s²)) (leaky_relu), 3/4 (selu)

    >>> calculate_gain("relu") ** 2
    2.0000000000000004
    """
    slope = 0.01 if param is None else param
    gains = {"linear": 1.0, "sigmoid": 1.0, "tanh": 5.0 / 3.0, "relu": math.sqrt(2.0)}
    gains |= {"leaky_relu": math.sqrt(2.0 / (1.0 + slope * slope)), "selu": 0.75}
    return gains[known("calculate_gain(nonlinearity=...)", nonlinearity, gains)]


def known(where: str, name: object, names: Iterable[str]) -> str:
    """Return ``name``, or raise `OptionError` if it is not among ``names``."""
    if isinstance(name, str) and name in names:
        return name
    raise OptionError(
        where=where,
        expected=f"one of {', '.join(names)}",
        got=describe(name),
        fix="Check the spelling.",
    )
