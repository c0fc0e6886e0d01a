"""Toy problems in the plane: a few points, two inputs, labels 0, 1, …

``n`` is the number of points of all classes, which have equally many; ``noise`` is the standard
deviation of the noise in each coordinate. Equal seeds give equal points, ``seed=None`` new ones
each time. The points are in random order.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import SupportsIndex

from ..core.expect import as_float, at_least, describe
from ..core.seeds import Seed, generator
from ..errors import OptionError
from .dataset import Dataset, permutation

__all__ = ["blobs", "circles", "moons", "spirals", "xor"]

Point = tuple[float, float]

_FIX = "Pass at least one class, and one point per class."


def xor(n: SupportsIndex = 4, noise: float = 0.0, seed: Seed = None) -> Dataset:
    """Return the corners of a square, with label 1 where the two inputs differ.

    No straight line separates the labels. Corners are at ±1, and each is used equally often.

    Parameters
    ----------
    n
        The number of points, >= 2; 4 of them are the corners once each.
    noise
        The standard deviation of what is added to each coordinate, >= 0.
    seed
        An integer or a generator that determines noise and order; new ones in every run if
        ``None``.

    Raises
    ------
    OptionError
        If ``n`` or ``noise`` is out of range.

    Examples
    --------
    >>> sorted(xor())
    [([-1.0, -1.0], 0), ([-1.0, 1.0], 1), ([1.0, -1.0], 1), ([1.0, 1.0], 0)]
    """

    def corner(label: int, i: int, count: int) -> Point:
        side = 1.0 if i % 2 else -1.0
        return side, -side if label else side

    return _draw("xor", corner, 2, n, noise, seed)


def moons(n: SupportsIndex = 100, noise: float = 0.1, seed: Seed = None) -> Dataset:
    """Return two half circles, each with its tip inside the other.

        0: (cos a, sin a),  1: (1 - cos a, 1/2 - sin a),  0 ≤ a ≤ π

    Parameters
    ----------
    n
        The number of points, >= 2.
    noise
        The standard deviation of what is added to each coordinate, >= 0.
    seed
        An integer or a generator that determines noise and order; new ones in every run if
        ``None``.

    Raises
    ------
    OptionError
        If ``n`` or ``noise`` is out of range.

    Examples
    --------
    >>> moons(4, noise=0.0, seed=0).classes
    [0, 1]
    """

    def arc(label: int, i: int, count: int) -> Point:
        a = math.pi * i / max(count - 1, 1)
        if label == 0:
            return math.cos(a), math.sin(a)
        return 1.0 - math.cos(a), 0.5 - math.sin(a)

    return _draw("moons", arc, 2, n, noise, seed)


def circles(
    n: SupportsIndex = 100, noise: float = 0.1, seed: Seed = None, factor: float = 0.5
) -> Dataset:
    """Return a circle of radius 1 (label 0) around a smaller one (label 1).

    Parameters
    ----------
    n
        The number of points, >= 2.
    noise
        The standard deviation of what is added to each coordinate, >= 0.
    seed
        An integer or a generator that determines noise and order; new ones in every run if
        ``None``.
    factor
        The radius of the inner circle, between 0 and 1.

    Raises
    ------
    OptionError
        If ``n``, ``noise`` or ``factor`` is out of range.

    Examples
    --------
    >>> all(math.isclose(math.hypot(*x), 0.5 if t else 1.0) for x, t in circles(8, noise=0.0))
    True
    """
    if not 0.0 < (small := as_float(factor, "circles(factor=...)")) < 1.0:
        raise OptionError(
            where="circles(factor=...)",
            expected="0 < factor < 1",
            got=describe(factor),
            fix="Pass the radius of the inner circle; the outer one has radius 1.",
        )

    def ring(label: int, i: int, count: int) -> Point:
        radius, a = (small if label else 1.0), 2.0 * math.pi * i / count
        return radius * math.cos(a), radius * math.sin(a)

    return _draw("circles", ring, 2, n, noise, seed)


def spirals(
    n: SupportsIndex = 100,
    noise: float = 0.02,
    seed: Seed = None,
    classes: SupportsIndex = 2,
    turns: float = 1.0,
) -> Dataset:
    """Return arms that wind around the origin, one per class, out to radius 1.

    Parameters
    ----------
    n
        The number of points, at least one per class.
    noise
        The standard deviation of what is added to each coordinate, >= 0.
    seed
        An integer or a generator that determines noise and order; new ones in every run if
        ``None``.
    classes
        The number of arms, >= 1.
    turns
        How many times each arm winds around the origin; a negative number winds the other way, 0
        makes straight lines.

    Raises
    ------
    OptionError
        If ``n``, ``noise``, ``classes`` or ``turns`` is out of range.

    Examples
    --------
    >>> spirals(9, seed=0, classes=3).classes
    [0, 1, 2]
    """

    arms = at_least("spirals(classes=...)", classes, 1, _FIX)
    winding = as_float(turns, "spirals(turns=...)")
    if not math.isfinite(winding):
        raise OptionError(
            where="spirals(turns=...)",
            expected="a finite number",
            got=describe(turns),
            fix="Leave it out: one turn.",
        )

    def arm(label: int, i: int, count: int) -> Point:
        radius = (i + 1) / count
        a = 2.0 * math.pi * (winding * radius + label / arms)
        return radius * math.cos(a), radius * math.sin(a)

    return _draw("spirals", arm, arms, n, noise, seed)


def blobs(
    n: SupportsIndex = 100, noise: float = 0.3, seed: Seed = None, classes: SupportsIndex = 3
) -> Dataset:
    """Return round clouds, one per class, whose centres are on a circle, 2 from each other.

    Parameters
    ----------
    n
        The number of points, at least one per class.
    noise
        The standard deviation of the clouds, >= 0.
    seed
        An integer or a generator that determines noise and order; new ones in every run if
        ``None``.
    classes
        The number of clouds, >= 1; a single one is at the origin.

    Raises
    ------
    OptionError
        If ``n``, ``noise`` or ``classes`` is out of range.

    Examples
    --------
    >>> blobs(100, seed=0, classes=5).classes
    [0, 1, 2, 3, 4]
    """

    clouds = at_least("blobs(classes=...)", classes, 1, _FIX)

    def centre(label: int, i: int, count: int) -> Point:
        radius = 1.0 / math.sin(math.pi / clouds) if clouds > 1 else 0.0
        a = 2.0 * math.pi * label / clouds
        return radius * math.cos(a), radius * math.sin(a)

    return _draw("blobs", centre, clouds, n, noise, seed)


def _draw(
    name: str,
    point: Callable[[int, int, int], Point],
    classes: int,
    n: SupportsIndex,
    noise: float,
    seed: Seed,
) -> Dataset:
    """Return ``n`` noisy points; point i of ``count`` of a label is ``point(label, i, count)``."""
    points = at_least(f"{name}(n)", n, classes, _FIX)
    if not 0.0 <= (std := as_float(noise, f"{name}(noise=...)")) < math.inf:
        raise OptionError(
            where=f"{name}(noise=...)",
            expected="a finite number >= 0",
            got=describe(noise),
            fix="Pass a standard deviation, such as 0.1.",
        )
    random = generator(seed)
    inputs, targets = [], []
    for k in permutation(points, random):
        label, i = k % classes, k // classes
        x, y = point(label, i, (points - label + classes - 1) // classes)
        inputs.append([x + std * random.gauss(0.0, 1.0), y + std * random.gauss(0.0, 1.0)])
        targets.append(label)
    return Dataset(inputs, targets)
