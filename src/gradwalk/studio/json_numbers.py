"""Numbers as JSON has them."""

from __future__ import annotations

from math import isfinite, isnan

__all__ = ["json_number", "json_share"]


def json_number(x: float) -> float | str:
    """A number as JSON has it; NaN and the infinities are words.

    >>> [json_number(x) for x in (0.5, float("nan"), float("inf"), -float("inf"))]
    [0.5, 'nan', 'inf', '-inf']
    """
    if isfinite(x):
        return x
    return "nan" if isnan(x) else "inf" if x > 0.0 else "-inf"


def json_share(x: float | None) -> float | str | None:
    """The same of a gradient; ``None`` where none flows."""
    return None if x is None else json_number(x)
