"""Masks in a program of numbers, where they are operations like others.

In a graph, a mask that lets nothing through leaves no trace: there is no contribution. A program
is written down once, and the mask may be open in the next run. So it is computed, and a
contribution that there is none of is a number of its own kind: it is *absent*.
"""

from __future__ import annotations

from ..core.primitive import mask_if, pass_if, pointwise

__all__ = ["MASKS", "OR_ZERO", "PLUS"]

# fmt: off
MASKS = (
    pointwise("pass_if", None, lambda u, y, c, t: pass_if(c, u),
              forward=pass_if, params="condition t"),
    pointwise("mask_if", None, lambda u, y, c, t: mask_if(c, u),
              forward=mask_if, params="condition t"),
)

OR_ZERO = pointwise("or_zero", lambda u, y, t: u, forward=lambda t: t, params="t")
"""A derivative that leaves its transform: 0.0 if it is absent."""

PLUS = pointwise("plus", lambda u, y, a, b: u, lambda u, y, a, b: u, forward=lambda a, b: a + b)
"""The sum of two contributions, of which either may be absent."""
