"""What an optimizer remembers of some parameters."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

__all__ = ["Plan", "State"]

Plan = Callable[["State"], tuple[str, tuple[float, ...]]]
"""For a state, the name of the rule of `UPDATES` that comes next, and its hyperparameters."""


@dataclass(eq=False)  # NumPy's arrays have no one answer to ==
class State:
    """Steps taken, and arrays of numbers: `array("d")` for Values, NumPy's for Tensors."""

    steps: int = 0
    slots: list[Any] = field(default_factory=list)

    def fits(self, size: int) -> bool:
        """Whether every array has one number for each of ``size`` parameters."""
        return all(len(slot) == size for slot in self.slots)
