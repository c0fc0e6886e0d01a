"""Seeds and generators: no random draw of gradwalk uses a global generator."""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterator
from copy import deepcopy
from functools import wraps
from random import Random
from typing import Any, SupportsIndex, TypeVar

from ..errors import OptionError
from .expect import describe
from .scopes import Scope, Scopes

__all__ = ["Draws", "Seed", "generator", "repeatable"]

Seed = SupportsIndex | Random | None
"""An integer (equal seeds give equal draws), a generator, or ``None`` for fresh draws."""


class _Run(Scope):
    """A run of a function, whose generators are recorded or replayed."""

    kind = Scopes()

    def __init__(self, draws: Draws) -> None:
        self.draws = draws


class Draws:
    """The generators that a function creates, so that a second run gets equal ones.

    >>> draws = Draws()
    >>> with draws.recording():
    ...     first = generator(None).random()
    >>> with draws.replaying():
    ...     again = generator(None).random()
    >>> first == again
    True
    """

    def __init__(self) -> None:
        self._recorded: list[Any] = []
        self._rest: Iterator[Any] | None = None

    def recording(self) -> Scope:
        """Keep a copy of every generator that is created inside the block, in its state then."""
        return _Run(self)

    def replaying(self) -> Scope:
        """Hand out copies of the recorded generators in order, and advance no other generator."""
        run = Draws()
        run._rest = iter(self._recorded)
        return run.recording()

    def _note(self, seed: object, generator: Any) -> None:
        """Keep a copy of a generator that was created."""
        self._recorded.append(deepcopy(generator))

    def _next_copy(self) -> Any:
        found = None if self._rest is None else next(self._rest, None)
        return found and deepcopy(found)


_G = TypeVar("_G")


def repeatable(make: Callable[[Any], _G]) -> Callable[[Any], _G]:
    """Make the generators that ``make(seed)`` creates known to `Draws`."""

    @wraps(make)
    def generator_of(seed: object) -> _G:
        return _create(make, seed) if _Run.kind.blocks else make(seed)

    return generator_of


def _create(make: Callable[[Any], _G], seed: object) -> _G:
    recorders, found = [], None
    for run in reversed(_Run.kind.open):  # a replay hides its draws from the functions around it
        draws = run.draws
        found = draws._next_copy()
        if draws._rest is not None:
            break
        recorders.append(draws)
    found = make(seed) if found is None else found
    for draws in recorders:
        draws._note(seed, found)
    return found


@repeatable
def generator(seed: Seed) -> Random:
    """Return the generator that ``seed`` stands for.

    >>> generator(1).random() == generator(1).random()
    True
    """
    if seed is None or isinstance(seed, Random):
        return seed or Random()
    try:
        return Random(operator.index(seed))
    except TypeError:
        raise OptionError(
            where="seed",
            expected="an integer, a random.Random or None",
            got=describe(seed),
            fix="Pass an int for the same draws in every run, or None for fresh ones.",
        ) from None
