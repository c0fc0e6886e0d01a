"""Seeds: every random draw of gradwalk comes from a generator of its own."""

from __future__ import annotations

import operator
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from copy import deepcopy
from functools import wraps
from random import Random
from typing import Any, SupportsIndex, TypeVar

from ..errors import OptionError
from .expect import describe

__all__ = ["Draws", "Seed", "generator", "repeatable"]

Seed = SupportsIndex | Random | None
"""A whole number (equal ones give equal draws), a generator, or ``None`` for new draws."""


class _Open(threading.local):
    draws: tuple[Draws, ...] = ()  # of the functions that are running, the outermost first


_open = _Open()


class Draws:
    """The generators that a function has asked for, so that it meets the same ones when run again.

    >>> draws = Draws()
    >>> with draws.noted():
    ...     first = generator(None).random()
    >>> with draws.repeated():
    ...     again = generator(None).random()
    >>> first == again
    True
    """

    def __init__(self) -> None:
        self._noted: list[Any] = []
        self._rest: Iterator[Any] | None = None

    @contextmanager
    def noted(self) -> Iterator[None]:
        """Keep a copy of every generator that is asked for, as it is then."""
        before, _open.draws = _open.draws, (*_open.draws, self)
        try:
            yield
        finally:
            _open.draws = before

    @contextmanager
    def repeated(self) -> Iterator[None]:
        """Answer with copies of these, in the same order; no generator outside is advanced."""
        run = Draws()
        run._rest = iter(self._noted)
        with run.noted():
            yield

    def _again(self) -> Any:
        found = None if self._rest is None else next(self._rest, None)
        return found and deepcopy(found)


_G = TypeVar("_G")


def repeatable(make: Callable[[Any], _G]) -> Callable[[Any], _G]:
    """Let `Draws` see what ``make(seed)`` gives: a generator."""

    @wraps(make)
    def generator_of(seed: Any) -> _G:
        return _seen(make, seed) if _open.draws else make(seed)

    return generator_of


def _seen(make: Callable[[Any], _G], seed: Any) -> _G:
    noting, found = [], None
    for draws in reversed(_open.draws):  # those around one that repeats do not hear of it
        found = draws._again()
        if draws._rest is not None:
            break
        noting.append(draws)
    found = make(seed) if found is None else found
    for draws in noting:
        draws._noted.append(deepcopy(found))
    return found


@repeatable
def generator(seed: Seed) -> Random:
    """The generator that ``seed`` stands for.

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
            expected="a whole number, a random.Random or None",
            got=describe(seed),
            fix="Equal ints give equal draws; None gives new ones each time.",
        ) from None
