"""Where a search may go: the numbers that move, and their bounds."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..core.expect import describe
from ..core.pytree import flatten_like
from ..errors import OptionError, SizeError
from .flat import Flat

__all__ = ["Space"]


class Space:
    """The numbers of a container that move within bounds; those whose bounds are equal do not.

    Methods see a vector of the moving ones (``start``, ``lower``, ``upper``), users see them all.
    """

    def __init__(self, flat: Flat, bounds: Any, where: str) -> None:
        self.flat = flat
        lower, upper = _sides(bounds, flat, f"{where}(bounds=...)")
        _expect_within(flat, lower, upper, f"{where}(bounds=...)")
        self.moves = lower < upper
        self.start, self.lower, self.upper = (self.moving(x) for x in (flat.start, lower, upper))

    @property
    def bounded(self) -> bool:
        """Whether a number that moves may not move everywhere."""
        return bool(np.isfinite(self.lower).any() or np.isfinite(self.upper).any())

    def whole(self, moving: Any, rest: Any = None) -> Any:
        """The vector of all numbers, with those that do not move at their place (or ``rest``)."""
        vector = self.flat.start.copy() if rest is None else np.full_like(self.flat.start, rest)
        vector[self.moves] = moving
        return vector

    def moving(self, whole: Any) -> Any:
        """Those numbers that move."""
        return whole[self.moves]

    def parts(self, moving: Any) -> list[Any]:
        """What the function gets: the leaves of the container."""
        return self.flat.parts(self.whole(moving))

    def uphill(self, moving: Any, gradient: Any) -> Any:
        """The gradient without what points out of the box: zero at a minimum on its wall."""
        walled = (moving <= self.lower) & (gradient > 0.0)
        walled |= (moving >= self.upper) & (gradient < 0.0)
        return np.where(walled, 0.0, gradient)


def _sides(bounds: Any, flat: Flat, where: str) -> tuple[Any, Any]:
    """The lowest and the highest number at each place."""
    if bounds is None:
        bounds = (None, None)
    if type(bounds) is not tuple or len(bounds) != 2:
        raise OptionError(
            where=where,
            expected="a tuple (lower, upper)",
            got=describe(bounds),
            fix="Each of the two is a number for all, None, or a container like the parameters: "
            'bounds=(0.0, None), bounds=({"w": 0.0, "b": -1.0}, {"w": 1.0, "b": 1.0}).',
        )
    lower, upper = bounds
    return _side(lower, -np.inf, flat, where), _side(upper, np.inf, flat, where)


def _side(side: Any, none: float, flat: Flat, where: str) -> Any:
    if side is None or isinstance(side, (int, float)):
        return np.full_like(flat.start, none if side is None else side)
    found = flatten_like(side, flat.tree, where, "the parameters")
    pairs = zip(found, flat.shapes, flat.paths, strict=True)
    spread = [_spread(x, shape, f"{where}: {path}") for x, shape, path in pairs]
    return np.concatenate(spread)


def _spread(x: Any, shape: tuple[int, ...], where: str) -> Any:
    """The bounds of one leaf: as many as it has numbers."""
    try:
        return np.broadcast_to(np.asarray(getattr(x, "data", x), float), shape).ravel()
    except (TypeError, ValueError):
        raise SizeError(
            where=where,
            expected=f"a number, or an array of shape {shape}",
            got=describe(x),
            fix="A leaf has one bound for all its numbers, or one for each.",
        ) from None


def _expect_within(flat: Flat, lower: Any, upper: Any, where: str) -> None:
    wrong = np.flatnonzero(~((lower <= flat.start) & (flat.start <= upper)))
    if wrong.size:
        i = wrong[0]
        raise OptionError(
            where=where,
            expected=f"bounds around the start, {flat.names('x')[i]} = {flat.start[i]:g}",
            got=f"{lower[i]:g} to {upper[i]:g}",
            fix="Start within the bounds. Equal bounds hold a number at its start.",
        )
