"""Gains: factors of the initial weights before an activation."""

from __future__ import annotations

import math

from ..core.expect import as_float, one_of

__all__ = ["calculate_gain"]


def calculate_gain(nonlinearity: str, param: float | None = None) -> float:
    """Return the factor of the initial weights before an activation, as in PyTorch's table.

        1 (linear, sigmoid), 5/3 (tanh), √2 (relu), √(2 / (1 + s²)) (leaky_relu), 3/4 (selu)

    >>> calculate_gain("relu") ** 2
    2.0000000000000004
    """
    slope = 0.01 if param is None else as_float(param, "calculate_gain(param)")
    gains = {"linear": 1.0, "sigmoid": 1.0, "tanh": 5.0 / 3.0, "relu": math.sqrt(2.0)}
    gains |= {"leaky_relu": math.sqrt(2.0 / (1.0 + slope * slope)), "selu": 0.75}
    return gains[one_of("calculate_gain(nonlinearity=...)", nonlinearity, gains)]
