"""The state that an optimizer keeps for some parameters."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

__all__ = ["Plan", "State", "count"]

Plan = Callable[["State"], tuple[str, tuple[float, ...]]]
"""A function of a state: the name of the next rule of `UPDATES`, and its hyperparameters."""


@dataclass(eq=False)  # arrays of NumPy compare number by number
class State:
    """Steps taken, and arrays of numbers: `array("d")` for Values, NumPy's for Tensors."""

    steps: int = 0
    slots: list[Any] = field(default_factory=list)

    def fits(self, size: int) -> bool:
        """Return whether every array has one number for each of ``size`` parameters."""
        return all(len(slot) == size for slot in self.slots)


def count(steps: Any) -> int:
    """Return a saved number of steps. Raise ``ValueError`` if it is none."""
    if type(steps) is int and 0 <= steps < 2**53:
        return steps
    raise ValueError(f"steps {steps!r}")
