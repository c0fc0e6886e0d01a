"""Slopes as operations of the table: t f'(x), with rules that keep the digits of f''.

The derivative of a formula that is accurate may cancel, overflow or underflow. So the rules of some
operations are operations themselves; see `Primitive.inline`.
"""

from __future__ import annotations

from typing import Any

from ..core.primitive import Primitive, Rule, pointwise

__all__ = ["slope"]


def slope(name: str, formula: Rule, *rules: Rule, **facts: Any) -> Primitive:
    """Return the operation t f'(x), for a ``formula`` of t and x that is linear in t.

    ``rules`` are those of x, or of a and b.
    """
    params = "t x" if len(rules) == 1 else "t a b"
    made: Primitive = pointwise(
        name, lambda s, z, t, *args: made(s, *args), *rules, forward=formula, params=params, **facts
    )
    return made
