"""Checks of options that several kinds of training share."""

from __future__ import annotations

from collections.abc import Iterable
from math import inf

from ..errors import OptionError
from ..expression.spelling import nearest

__all__ = ["known", "learning_rate"]


def known(option: str, name: str, names: Iterable[str]) -> str:
    """Return ``name`` if it is one of ``names``, else raise `OptionError`."""
    choices = list(names)
    if name in choices:
        return name
    raise OptionError(
        where=option,
        expected=f"one of {', '.join(choices)}",
        got=repr(name),
        fix=nearest(name, choices) or "Check the spelling.",
    )


def learning_rate(asked: float | None, default: float, fix: str) -> float:
    """Return the given learning rate, or the default."""
    lr = default if asked is None else asked
    if 0.0 < lr < inf:
        return lr
    raise OptionError(where="--lr", expected="a positive number", got=f"{lr:g}", fix=fix)
