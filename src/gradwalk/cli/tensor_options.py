"""The options of ``gradwalk train digits`` and ``gradwalk train names``."""

from __future__ import annotations

from collections.abc import Collection, Set
from dataclasses import dataclass
from pathlib import Path

from ..errors import OptionError

__all__ = ["TASKS", "TensorOptions", "refuse_foreign"]

TASKS = {"digits": ("mlp", "cnn"), "names": ("gpt", "ngram")}
"""The data sets for networks of Tensors, each with its networks. The first one is the default."""

USERS = {"model": "train digits or train names", "text": "train names"}
OF_TASKS = USERS.keys()
OF_VALUES = {"hidden", "activation", "optimizer", "loss", "points", "noise"}
OF_TABLES = {"delimiter", "encoding", "ignore", "missing", "target", "task"}
OF_VALUES |= OF_TABLES | {"test", "json"}
"""Options that have no meaning for the other kinds of training."""


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
    doctor: bool = False


def refuse_foreign(source: str, given: Set[str], toys: Collection[str] = ()) -> None:
    """Raise `OptionError` for options that do not apply to ``source``.

    >>> refuse_foreign("digits", {"model", "seed"})
    """
    foreign = given & (OF_TASKS if source not in TASKS else OF_VALUES | {"text"})
    foreign |= given & OF_TABLES if source in toys else set()
    if source == "names":
        foreign -= {"text"}
    if not foreign:
        return
    name = min(foreign)
    expected = "a toy data set or a CSV file" if name in OF_VALUES else USERS[name]
    expected = "a CSV file" if name in OF_TABLES else expected
    fix = f"Leave out --{name}."
    if name in ("hidden", "model"):
        models = " or --model ".join(TASKS.get(source, ()))
        fix = f"Use {f'--model {models}' if models else '--hidden 16,16'} to choose the network."
    raise OptionError(where=f"--{name}", expected=expected, got=repr(source), fix=fix)
