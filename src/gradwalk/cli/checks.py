"""Checks of options that several kinds of training share."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from contextlib import suppress
from glob import escape, glob
from math import inf

from ..errors import GradwalkError, OptionError
from ..expression.spelling import nearest

__all__ = ["among", "integer", "known", "learning_rate", "real"]


def integer(
    option: str, example: int, least: float = -inf, most: float = inf
) -> Callable[[object], int]:
    """Return a reader of an option that is an integer in a range.

    >>> integer("--epochs", 40, least=1)("12")
    12
    """
    span = "" if least == -inf else f" >= {least}" if most == inf else f" from {least} to {most}"

    def read(text: object) -> int:
        with suppress(ValueError):
            number = int(str(text))
            if least <= number <= most:
                return number
        raise _wrong(option, f"an integer{span}", text, example)

    return read


def real(option: str, example: float) -> Callable[[object], float]:
    """Return a reader of an option that is a number."""

    def read(text: object) -> float:
        with suppress(ValueError):
            return float(str(text))
        raise _wrong(option, "a number", text, example)

    return read


def _wrong(option: str, expected: str, text: object, example: float) -> GradwalkError:
    fix = f"Write {option} {example}."  # a ValueError would be reworded by typer
    return GradwalkError(where=option, expected=expected, got=repr(str(text)), fix=fix)


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


def learning_rate(asked: float | None, default: float, kind: str) -> float:
    """Return the given learning rate, or the default for this kind of training."""
    lr = default if asked is None else asked
    if 0.0 < lr < inf:
        return lr
    fix = f"Use --lr {default:g}, the default for {kind}."
    raise OptionError(where="--lr", expected="a positive number", got=f"{lr:g}", fix=fix)


def among(names: Iterable[str], *endings: str) -> Callable[[str], list[str]]:
    """Return what completes the beginning of one of ``names``, or of a file with such an ending.

    >>> among(["moons", "xor"])("mo")
    ['moons']
    """
    choices = list(names)

    def complete(incomplete: str) -> list[str]:
        found = sorted(glob(f"{escape(incomplete)}*")) if endings else []
        folders = [f"{path}{os.sep}" for path in found if os.path.isdir(path)]
        files = [path for path in found if path.endswith(endings) and os.path.isfile(path)]
        return [name for name in choices if name.startswith(incomplete)] + folders + files

    return complete
