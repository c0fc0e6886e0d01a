"""The space of a search: the free numbers, and their bounds."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from ..core.expect import describe
from ..core.pytree import LEAF, flatten_like
from ..errors import OptionError, SizeError
from .flat import Flat

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["Space", "Vector"]

Vector: TypeAlias = "NDArray[np.float64]"


class Space:
    """The numbers of a container, free within bounds; equal bounds fix a number.

    Methods of SciPy get a vector of the free numbers (``start``, ``lower``, ``upper``); users get
    all numbers.
    """

    lower: Vector
    start: Vector
    upper: Vector

    def __init__(self, flat: Flat, bounds: object, where: str) -> None:
        self.flat = flat
        lower, upper = _sides(bounds, flat, f"{where}(bounds=...)")
        _expect_within(flat, lower, upper, f"{where}(bounds=...)")
        self.free: NDArray[np.bool_] = lower < upper
        self.start, self.lower, self.upper = (self.free_part(x) for x in (flat.start, lower, upper))

    @property
    def bounded(self) -> bool:
        """Whether a free number has a bound."""
        return bool(np.isfinite(self.lower).any() or np.isfinite(self.upper).any())

    def whole(self, free: Vector, rest: float | None = None) -> Vector:
        """Return the vector of all numbers, with fixed ones at their start (or ``rest``)."""
        vector = self.flat.start.copy() if rest is None else np.full_like(self.flat.start, rest)
        vector[self.free] = free
        return vector

    def free_part(self, whole: Vector) -> Vector:
        """Return the free numbers of a vector of all numbers."""
        return whole[self.free]

    def parts(self, free: Vector) -> list[float | Vector]:
        """Return the leaves of the container: the argument of the function."""
        return self.flat.parts(self.whole(free))

    def projected(self, free: Vector, gradient: Vector) -> Vector:
        """Return the projected gradient: x - clip(x - gradient, lower, upper).

        It is zero at a minimum on a bound. A test for ``x == lower`` would not do: methods end a
        rounding error away from a bound (SLSQP: 1e-14), where the whole gradient would count.
        """
        return np.clip(gradient, free - self.upper, free - self.lower)


def _sides(bounds: object, flat: Flat, where: str) -> tuple[Vector, Vector]:
    """Return the lower and the upper bound of each number."""
    if hasattr(bounds, "lb") and hasattr(bounds, "ub"):  # scipy.optimize.Bounds
        return _of_each(bounds.lb, flat, where), _of_each(bounds.ub, flat, where)
    if _are_pairs(bounds, flat, where):
        return _from_pairs(bounds, flat, where)
    if bounds is None:
        bounds = (None, None)
    if not isinstance(bounds, (tuple, list)) or len(bounds) != 2:
        raise _no_bounds(bounds, flat, where)
    lower, upper = bounds
    return _side(lower, -np.inf, flat, where), _side(upper, np.inf, flat, where)


def _are_pairs(bounds: Any, flat: Flat, where: str) -> bool:
    """Return whether bounds are one pair for each number, as `scipy.optimize.minimize` takes them.

    `scipy.optimize.curve_fit` takes (lower, upper) only.
    """
    if not where.startswith("minimize") or not isinstance(bounds, (tuple, list, np.ndarray)):
        return False
    if not isinstance(bounds, tuple) or len(bounds) != 2:
        return True
    if len(flat.start) != 2 or not all(
        isinstance(b, (tuple, list)) and len(b) == 2 for b in bounds
    ):
        return False
    if type(bounds[0]).__name__ != flat.tree.kind or any(None in pair for pair in bounds):
        return True
    raise OptionError(
        where=where,
        expected="bounds that can be read in one way",
        got=f"{bounds}: two pairs, or the lower and the upper bounds of two numbers",
        fix="Write a list [(lower, upper), (lower, upper)] for pairs, or pass x0 as an array.",
    )


def _from_pairs(bounds: Any, flat: Flat, where: str) -> tuple[Vector, Vector]:
    try:
        pairs = [(lower, upper) for lower, upper in bounds]
        lower = np.array([-np.inf if low is None else low for low, _ in pairs], float)
        upper = np.array([np.inf if high is None else high for _, high in pairs], float)
    except (TypeError, ValueError):
        raise _no_bounds(bounds, flat, where) from None
    if lower.shape != flat.start.shape:
        raise _no_bounds(bounds, flat, where)
    return lower, upper


def _no_bounds(bounds: object, flat: Flat, where: str) -> OptionError:
    return OptionError(
        where=where,
        expected=f"(lower, upper), or a list of {len(flat.start)} pairs (lower, upper)"
        if where.startswith("minimize")
        else "a tuple (lower, upper)",
        got=describe(bounds),
        fix="Write bounds=(0.0, None) for all numbers, or containers like the parameters: "
        'bounds=({"w": 0.0, "b": -1.0}, {"w": 1.0, "b": 1.0}).',
    )


def _of_each(side: object, flat: Flat, where: str) -> Vector:
    """Return the bounds of a `scipy.optimize.Bounds`: one for all numbers, or one for each."""
    return _spread(side, flat.start.shape, where).copy()


def _side(side: object, none: float, flat: Flat, where: str) -> Vector:
    if side is None or isinstance(side, (int, float)):
        return np.full_like(flat.start, none if side is None else side)
    of_array = flat.tree is LEAF and isinstance(side, (list, tuple))
    leaves = [side] if of_array else flatten_like(side, flat.tree, where, "the parameters")
    pairs = zip(leaves, flat.shapes, flat.paths, strict=True)
    spread = [_spread(x, shape, f"{where}: {path}") for x, shape, path in pairs]
    return np.concatenate(spread)


def _spread(x: object, shape: tuple[int, ...], where: str) -> Vector:
    """Return the bounds of one leaf, one for each of its numbers."""
    try:
        return np.broadcast_to(np.asarray(getattr(x, "data", x), float), shape).ravel()
    except (TypeError, ValueError):
        raise SizeError(
            where=where,
            expected=f"a number, or an array of shape {shape}",
            got=describe(x),
            fix="Pass one bound for all numbers of a leaf, or one for each.",
        ) from None


def _expect_within(flat: Flat, lower: Vector, upper: Vector, where: str) -> None:
    wrong = np.flatnonzero(~((lower <= flat.start) & (flat.start <= upper)))
    if wrong.size:
        i = wrong[0]
        raise OptionError(
            where=where,
            expected=f"bounds around the start, {flat.names('x')[i]} = {flat.start[i]:g}",
            got=f"{lower[i]:g} to {upper[i]:g}",
            fix="Start within the bounds. Equal bounds fix a number at its start.",
        )
