"""What ``gradwalk train digits`` and ``gradwalk train names`` may be asked for."""

from __future__ import annotations

from collections.abc import Set
from dataclasses import dataclass
from pathlib import Path

from ..errors import OptionError

__all__ = ["TASKS", "TensorOptions", "refuse_foreign"]

TASKS = {"digits": ("mlp", "cnn"), "names": ("gpt", "ngram")}
"""The data that networks of Tensors learn on, and the networks; the first one is the default."""

OF_TASKS = {"model", "text"}
OF_VALUES = {"hidden", "activation", "optimizer", "loss", "points", "noise"}
"""Options that mean nothing for the other kind of training."""


@dataclass(frozen=True, slots=True)
class TensorOptions:
    """What the user asked for; ``None`` takes the default of the data set."""

    source: str
    model: str | None = None
    text: Path | None = None
    epochs: int | None = None
    lr: float | None = None
    batch: int | None = None
    seed: int = 0
    out: Path | None = None


def refuse_foreign(source: str, given: Set[str]) -> None:
    """Complain about options that ``source`` has no use for.

    >>> refuse_foreign("digits", {"model", "seed"})
    """
    foreign = given & (OF_TASKS if source not in TASKS else OF_VALUES | {"text"})
    if source == "names":
        foreign -= {"text"}
    if not foreign:
        return
    if source not in TASKS:
        expected, fix = f"train {' or train '.join(TASKS)}", "Layers are chosen by --hidden."
    else:
        expected = "train names" if foreign == {"text"} else "a toy data set or a CSV file"
        fix = f"The network is chosen by --model: {' or '.join(TASKS[source])}."
    raise OptionError(
        where=", ".join(f"--{name}" for name in sorted(foreign)),
        expected=expected,
        got=repr(source),
        fix=fix,
    )
