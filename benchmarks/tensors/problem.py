"""The data of every library: the moons and the initial weights, as NumPy arrays."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np

SIZES = (2, 16, 16, 1)
LR = 0.05


def moons(n: int = 100) -> tuple[Any, Any]:
    """Return the points of two half circles, and a column of labels -1 and +1."""
    rng = np.random.default_rng(0)
    angle = rng.uniform(0.0, np.pi, n)
    upper = np.arange(n) % 2 == 0
    x = np.where(upper, np.cos(angle), 1.0 - np.cos(angle))
    y = np.where(upper, np.sin(angle), 0.5 - np.sin(angle))
    points = np.stack([x, y], axis=1) + rng.normal(0.0, 0.1, (n, 2))
    return points, np.where(upper, 1.0, -1.0)[:, None]


def weights(sizes: tuple[int, ...] = SIZES) -> list[Any]:
    """Return a weight and a bias for each layer, (in, out) and (out,)."""
    rng = np.random.default_rng(1)
    start: list[Any] = []
    for n_in, n_out in itertools.pairwise(sizes):
        start += [rng.normal(0.0, (2.0 / n_in) ** 0.5, (n_in, n_out)), np.zeros(n_out)]
    return start
