"""Learning rates: one that a diverged training can begin with again, and those of schedules."""

from __future__ import annotations

import gc
import re
from pathlib import Path
from types import FrameType
from typing import Any

from .edits import Edit

__all__ = ["edit_of_rate", "is_given_up", "optimizer_of", "smaller_rate"]

USUAL = {"SGD": 0.01, "Adagrad": 0.01, "RMSprop": 0.001, "Rprop": 0.001}
"""Learning rates that trainings begin with, as PyTorch's documentation has them; else 0.001."""

LOWERED = 1e-12  # of the first rate: below any warmup and the end of any usual schedule
ROUNDED = 1e-20  # of the first rate: what rounding leaves of a schedule that ends at 0 is larger


def is_given_up(optimizer: Any) -> bool:
    """Return whether a schedule has lowered the rates for good, and not to their planned end.

    A warmup begins near 0, and an annealing ends at 0: both are no mistake. Powers of a factor come
    to nothing.
    """
    groups = optimizer.param_groups
    now = max((float(g["lr"]) for g in groups), default=0.0)
    first = max((float(g.get("initial_lr", g["lr"])) for g in groups), default=0.0)
    if not 0.0 < now < LOWERED * first:
        return False
    return now < ROUNDED * first or any(
        0.0 < getattr(x, "gamma", 1.0) < 1.0
        for x in gc.get_objects()
        if hasattr(type(x), "get_last_lr") and getattr(x, "optimizer", None) is optimizer
    )


def smaller_rate(optimizer: Any) -> float:
    """Return a learning rate to begin with: the usual one, or a tenth of one that is as small.

    A tenth of a rate that is a million times too large diverges again.
    """
    rate = float(optimizer.param_groups[0]["lr"])
    usual = USUAL.get(type(optimizer).__name__, 0.001)
    return usual if rate > usual else rate / 10.0


def optimizer_of(frames: list[FrameType], leaf: Any) -> tuple[str, Any]:
    """Return the optimizer in the variables of a program that updates a leaf, with its name."""
    for frame in frames:
        for name, thing in [*frame.f_locals.items(), *frame.f_globals.items()]:
            groups = getattr(thing, "param_groups", None)
            if not isinstance(groups, list) or isinstance(thing, type):
                continue
            for p in (p for g in groups for p in g["params"]):
                if p is leaf or getattr(p, "_node", p) is leaf:
                    return name, thing
    return "", None


def edit_of_rate(optimizer: Any, frames: list[FrameType]) -> Edit | None:
    """Return the edit of ``lr=...`` in the file of a program; ``None`` unless there is just one."""
    rate, new = float(optimizer.param_groups[0]["lr"]), smaller_rate(optimizer)
    for file in dict.fromkeys(frame.f_code.co_filename for frame in frames):
        try:
            text = Path(file).read_text("utf-8")
        except (OSError, UnicodeDecodeError):
            continue
        found = [m for m in re.finditer(r"\blr\s*=\s*([-+.\de_]+)", text) if _is(m[1], rate)]
        if len(found) == 1:
            line = text.count("\n", 0, found[0].start()) + 1
            return Edit(file, line, line, found[0][0], f"lr={new:g}")
    return None


def _is(text: str, number: float) -> bool:
    try:
        return float(text) == number
    except ValueError:
        return False
