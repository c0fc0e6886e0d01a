"""The options of ``gradwalk train digits`` and ``gradwalk train names``."""

from __future__ import annotations

from collections.abc import Set
from dataclasses import dataclass
from pathlib import Path

from ..errors import OptionError

__all__ = ["TASKS", "TensorOptions", "refuse_foreign"]

TASKS = {"digits": ("mlp", "cnn"), "names": ("gpt", "ngram")}
"""The data sets for networks of Tensors, each with its networks. The first one is the default."""

OF_TASKS = {"model", "text"}
OF_VALUES = {"hidden", "activation", "optimizer", "loss", "points", "noise"}
"""Options that have no meaning for the other kind of training."""


@dataclass(frozen=True, slots=True)
class TensorOptions:
    """The user's options. ``None`` means the default of the data set."""

    source: str
    model: str | None = None
    text: Path | None = None
    epochs: int | None = None
    lr: float | None = None
    batch: int | None = None
    seed: int = 0
    out: Path | None = None


def refuse_foreign(source: str, given: Set[str]) -> None:
    """Raise `OptionError` for options that do not apply to ``source``.

    >>> refuse_foreign("digits", {"model", "seed"})
    """
    foreign = given & (OF_TASKS if source not in TASKS else OF_VALUES | {"text"})
    if source == "names":
        foreign -= {"text"}
    if not foreign:
        return
    if source not in TASKS:
        expected, fix = f"train {' or train '.join(TASKS)}", "Use --hidden to choose the layers."
    else:
        expected = "train names" if foreign == {"text"} else "a toy data set or a CSV file"
        fix = f"Use --model {' or --model '.join(TASKS[source])} to choose the network."
    raise OptionError(
        where=", ".join(f"--{name}" for name in sorted(foreign)),
        expected=expected,
        got=repr(source),
        fix=fix,
    )
