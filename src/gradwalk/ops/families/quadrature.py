"""Tails of distributions by quadrature, with all derivatives, at the same cost for every size.

Measured from its end, the logarithm of a density is a concave function -φ(v) that falls from 0 at
v = 0. The tail is the density there times ∫ e^-φ dv, and a derivative in a parameter multiplies the
integrand. Powers of numbers that do not vanish add up: nothing cancels, however large the
parameters are, and the number of points is fixed. Source: Gauss's and Legendre's points, NIST
Digital Library of Mathematical Functions 3.5.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise
from math import factorial

import numpy as np

from ...core.numeric import Array

__all__ = ["end_of_tail", "jet_of_tail", "points"]

NOTHING = 40.0  # e^-40 is 4e-18
# The positive half of the 20 points of Gauss and Legendre, and their weights, from 50 digits.
HALF = (
    0.07652652113349734, 0.22778585114164507, 0.37370608871541955, 0.5108670019508271,
    0.636053680726515, 0.7463319064601508, 0.8391169718222188, 0.912234428251326,
    0.9639719272779138, 0.9931285991850949,
)  # fmt: skip
WEIGHTS = (
    0.15275338713072584, 0.14917298647260374, 0.14209610931838204, 0.13168863844917664,
    0.11819453196151841, 0.10193011981724044, 0.08327674157670475, 0.06267204833410907,
    0.04060142980038694, 0.017614007139152118,
)  # fmt: skip

Integrand = Callable[[Array], tuple[Array, Array, Array]]


POINTS = [(0.5 * (1.0 + sign * x), 0.5 * w)
          for sign in (-1.0, 1.0) for x, w in zip(HALF, WEIGHTS, strict=True)]  # fmt: skip
"""The points and weights of an interval from 0 to 1."""


def end_of_tail(phi: Callable[[Array], Array], v: Array) -> Array:
    """Return the v with φ(v) = 40 to a few percent: a convex φ grows at least in proportion."""
    low, high = np.zeros_like(v), v
    for _ in range(1100):  # powers of two of a float
        short = phi(high) < NOTHING
        if not short.any():
            break
        low, high = np.where(short, high, low), np.where(short, 2.0 * high, high)
    for _ in range(40):
        middle = 0.5 * (low + high)
        short = phi(middle) < NOTHING
        low, high = np.where(short, middle, low), np.where(short, high, middle)
        if not (high - low > 0.05 * high).any():
            break
    return high


def jet_of_tail(f: Integrand, start: Array, orders: tuple[int, int], panels: int = 2) -> Array:
    """Return the jet of ∫₀^∞ e^-φ(v) dv in two parameters.

    ``f`` maps v to φ and to the derivatives of -φ in both parameters, in which φ is linear;
    ``start`` is a rough scale of v. The panels are halved towards the end, where a fall may be
    sudden.
    """
    end = end_of_tail(lambda v: f(v)[0], start)
    jet: Array = np.zeros((orders[0] + 1, orders[1] + 1, *start.shape))
    ends = [end * (1.0 - 0.5**k) for k in range(panels)]
    for v, width in points([*ends, end]):
        phi, a, b = f(v)
        weight = width * np.exp(-phi)
        for i, j in np.ndindex(*jet.shape[:2]):
            jet[i, j] += weight * a**i * b**j / (factorial(i) * factorial(j))
    return jet


def points(ends: Sequence[Array]) -> Iterator[tuple[Array, Array]]:
    """Yield the points of all panels between some ends, and their weights."""
    for left, right in pairwise(ends):
        for x, w in POINTS:
            yield left + (right - left) * x, (right - left) * w
