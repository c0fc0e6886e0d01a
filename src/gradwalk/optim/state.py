"""The state that an optimizer keeps for some parameters."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from ..errors import OptionError

__all__ = ["Plan", "State", "count", "known"]

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


def known(options: dict[str, Any], group: dict[str, Any]) -> dict[str, Any]:
    """Return the options, with tuples where ``group`` has tuples, which JSON does not have.

    Raise `OptionError` for names and kinds that ``group`` does not have.
    """
    group = {"initial_lr": group["lr"], **group}  # a schedule adds it
    wrong = [n for n, x in options.items() if n not in group or not _is_alike(group[n], x)]
    if wrong:
        raise OptionError(
            where="param_groups",
            expected=f"the options {', '.join(group)}",
            got=f"groups with the options {', '.join(wrong)}",
            fix="Load the state of an optimizer of the same class.",
        )
    return {n: tuple(x) if isinstance(x, list) else x for n, x in options.items()}


def _is_alike(a: object, b: object) -> bool:
    """Return whether ``b`` may stand where ``a`` stands: a list of its length, or one option."""
    if isinstance(a, (list, tuple)) and isinstance(b, (list, tuple)):
        return len(a) == len(b) and all(map(_is_alike, a, b))
    if a is None:  # an option by name, such as a line search, which the class checks
        return not isinstance(b, (list, tuple, dict))
    return type(a) is type(b) or not isinstance(b, (list, tuple, dict, str))
