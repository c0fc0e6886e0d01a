"""Numbers in JSON, which has no NaN and no infinities."""

from __future__ import annotations

from math import isfinite, isnan

__all__ = ["json_number", "json_contribution"]


def json_number(x: float) -> float | str:
    """Return a number for JSON, with NaN and infinities as strings.

    >>> [json_number(x) for x in (0.5, float("nan"), float("inf"), -float("inf"))]
    [0.5, 'nan', 'inf', '-inf']
    """
    if isfinite(x):
        return x
    return "nan" if isnan(x) else "inf" if x > 0.0 else "-inf"


def json_contribution(x: float | None) -> float | str | None:
    """Return a contribution for JSON, ``None`` if no gradient flows."""
    return None if x is None else json_number(x)
