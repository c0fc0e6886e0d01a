"""Seeds: every random draw of gradwalk comes from a generator of its own."""

from __future__ import annotations

import operator
from random import Random
from typing import SupportsIndex

from .errors import OptionError
from .expect import describe

__all__ = ["Seed", "generator"]

Seed = SupportsIndex | Random | None
"""A whole number (equal ones give equal draws), a generator, or ``None`` for new draws."""


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
