"""Units of a layer that are one unit: equal weights with equal gradients stay equal."""

from __future__ import annotations

from typing import Any

__all__ = ["units_alike"]

EQUAL = {"float64": 1e-9, "float32": 1e-5}
"""How far equal gradients may be apart, relative to the largest, by rounding."""


def units_alike(values: Any, gradient: Any) -> int:
    """Return how many units a weight has if all of them are alike, else 0.

    A unit is a row, or a column, as some write their weights. Gradients of equal rows differ where
    the layers behind tell the units apart.
    """
    if gradient is None or values.ndim < 2 or not gradient.any():
        return 0
    for axis in (0, 1) if values.ndim == 2 else (0,):
        units, slopes = values.swapaxes(0, axis), gradient.swapaxes(0, axis)
        limit = EQUAL.get(str(gradient.dtype), 1e-2) * abs(gradient).max()
        if (
            len(units) > 1
            and (units == units[0]).all()
            and (abs(slopes - slopes[0]) <= limit).all()
        ):
            return len(units)
    return 0
