"""The incomplete gamma and beta functions, their inverses, and all derivatives of them.

Derivatives in the parameters are members of the families: the recurrences of the functions run on
truncated power series in the parameters. Sources: NIST Digital Library of Mathematical Functions
8.11.4 (the series) and 8.9.2 (the continued fraction) of the incomplete gamma function; Didonato
and Morris, Algorithm 708 (1992), equation 9, for the continued fraction of the beta function.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any, Final

import numpy as np

from ...core.numeric import Array
from ...core.primitive import Primitive, pointwise
from ..gamma import lgamma, polygamma
from . import jets
from .densities import beta_density, derivatives_of_beta, derivatives_of_gamma, gamma_density, quiet
from .error import ndtri
from .small_parameters import upper_of_small

__all__ = ["betainc", "betaincinv", "gammainc", "gammaincc", "gammaincinv"]

ACCURACY = 1e-17
Orders = tuple[int, int]


def _log_jet(value: Any, slopes: Callable[[int, int], Any], orders: Orders, shape: Any) -> Array:
    """Return the jet of y from its value and the derivatives of its logarithm."""
    jet = jets.constant(np.zeros(shape), orders)
    size = 1.0
    for i, j in np.ndindex(*jet.shape[:2]):
        if i or j:
            size = float(np.prod(np.arange(1, i + 1)) * np.prod(np.arange(1, j + 1)))
            jet[i, j] = slopes(i, j) / size
    grown: Array = jets.exponential(jet) * value
    return grown


# --- the incomplete gamma function ----------------------------------------------------------------


def _gamma_parts(n: int, a: Array, x: Array) -> tuple[Array, Array, Array]:
    """Return the jets of P and of Q, each where it is computed, and where P is."""
    orders, low = (n, 0), x < np.maximum(a, 1.0)
    logs = np.log(x)

    def slopes(i: int, _: int) -> Array:
        own = np.asarray(polygamma(float(i - 1), a))
        return logs - own if i == 1 else -own

    density = gamma_density(a, x) * x  # x^a e^-x / Γ(a)
    front = _log_jet(density, slopes, orders, a.shape)
    p = jets.divide(front, jets.variable(a, 0, orders))
    p = jets.multiply(p, _gamma_series(orders, np.where(low, a, 1.0), np.where(low, x, 0.0)))
    b, z = np.where(low, 1.0, a), np.where(low, 3.0, x)
    fraction = jets.fraction(lambda k: _gamma_step(k, b, z, orders), _less(z + 1.0, b, orders))
    return p, jets.divide(front, fraction), low


def _less(x: Array, a: Array, orders: Orders) -> Array:
    return jets.constant(x, orders) - jets.variable(a, 0, orders)


def _gamma_step(k: int, a: Array, x: Array, orders: Orders) -> tuple[Array, Array]:
    return _less(np.full_like(a, k), a, orders) * -float(k), _less(x + (2.0 * k + 1.0), a, orders)


def _gamma_series(orders: Orders, a: Array, x: Array) -> Array:
    """Σ xᵏ / ((a + 1) … (a + k))"""
    total = term = jets.constant(np.ones(a.shape), orders)
    for k in range(1, jets.STEPS):
        term = jets.divide(term * x, jets.variable(a + k, 0, orders))
        total = total + term
        if k % 8 == 0 and not np.any(np.abs(term) > ACCURACY * np.abs(total)):
            break
    return total


def _gammainc(n: int, a: Array, x: Array, upper: bool = False) -> Array:
    known = (a > 0.0) & (x >= 0.0)
    inside = known & (x > 0.0) & (x < np.inf) & (a < np.inf)
    p, q, low = _gamma_parts(n, np.where(inside, a, 1.0), np.where(inside, x, 1.0))
    sign = -1.0 if upper else 1.0
    other = jets.derivative(np.where(low, -p, -q))
    own = jets.derivative(np.where(low, p, q))
    y = np.where(low != upper, own, (1.0 if not n else 0.0) + other) * (1.0 if not n else sign)
    small = inside & low & (a < 0.5)
    if upper and not n and small.any():
        y[small] = upper_of_small(a[small], x[small])
    ends = np.where((x > 0.0) != upper, 1.0, 0.0) if not n else 0.0
    found: Array = np.where(inside, y, np.where(known, ends, np.nan))
    return found


@cache
def gammainc_of_order(n: int) -> Primitive:
    """Return the n-th derivative of P(a, x) in a, as a primitive.

    >>> round(gammainc_of_order(0)(1.0, 1.0), 6)
    0.632121
    """
    return pointwise(
        f"gammainc_{n}" if n else "gammainc",
        lambda t, y, a, x: t * gammainc_of_order(n + 1)(a, x),
        lambda t, y, a, x: t * derivatives_of_gamma(n, a, x),
        params="a x",
        domain=((0.0, np.inf), (0.0, np.inf)),
        forward=quiet(lambda a, x: _gammainc(n, a, x)),
        tex=r"P(a, x) = \frac{1}{\Gamma(a)} \int_0^x s^{a-1} e^{-s} \, ds",
        summary="Regularised lower incomplete gamma function",
        points=((0.5, 0.5), (3.0, 30.0), (1000.0, 1001.0)),
    )


# --- the incomplete beta function -----------------------------------------------------------------


def _beta_jet(orders: Orders, a: Array, b: Array, x: Array, y: Array) -> Array:
    """Return the jet of I(a, b, x), for x <= a / (a + b), where y = 1 - x.

    Of x and y the smaller one is exact: errors of the other count as much as c = a + b is large.
    """
    log_x, log_y = (np.where(v < w, np.log(v), np.log1p(-w)) for v, w in ((x, y), (y, x)))

    def slopes(i: int, j: int) -> Array:
        whole = np.asarray(polygamma(float(i + j - 1), a + b))
        if i and j:
            return whole
        own: Array = np.asarray(polygamma(float(i + j - 1), a if i else b))
        slope: Array = whole - own + (0.0 if i + j > 1 else log_x if i else log_y)
        return slope

    density = np.where(x < y, beta_density(a, b, x), beta_density(b, a, y))
    front = _log_jet(density * x * y, slopes, orders, a.shape)
    u, v = jets.variable(a, 0, orders), jets.variable(b, 1, orders)
    fraction = jets.fraction(lambda k: (_beta_top(k, u, v, x), _beta_bottom(k, u, v, x, y)),
                         _beta_bottom(0, u, v, x, y))  # fmt: skip
    return jets.divide(front, fraction)


def _plus(jet: Array, n: Any) -> Array:
    moved = jet.copy()
    moved[0, 0] = moved[0, 0] + n
    return moved


def _beta_top(k: int, a: Array, b: Array, x: Array) -> Array:
    both, middle = jets.multiply(_plus(a, k - 1.0), _plus(a + b, k - 1.0)), _plus(a, 2.0 * k - 1.0)
    top = jets.multiply(both, _plus(-b, float(k))) * (-float(k) * x * x)
    return jets.divide(jets.divide(top, middle), middle)


def _beta_bottom(k: int, a: Array, b: Array, x: Array, y: Array) -> Array:
    right = jets.multiply(_plus(a, float(k)), _plus(a * y - b * x, 1.0 + k * (1.0 + y)))
    total = _plus(jets.divide(right, _plus(a, 2.0 * k + 1.0)), float(k))
    if not k:
        return total
    return total + jets.divide(_plus(b, -float(k)) * (k * x), _plus(a, 2.0 * k - 1.0))


def _betainc(m: int, n: int, a: Array, b: Array, x: Array) -> Array:
    known = (a > 0.0) & (b > 0.0) & (x >= 0.0) & (x <= 1.0)
    inside = known & (x > 0.0) & (x < 1.0)
    a, b, z = (np.where(inside, v, w) for v, w in ((a, 1.0), (b, 1.0), (x, 0.25)))
    low = z <= a / (a + b)
    both = np.zeros(a.shape)
    if low.any():
        jet = _beta_jet((m, n), a[low], b[low], z[low], 1.0 - z[low])
        both[low] = jets.derivative(jet)
    if not low.all():  # I(a, b, x) = 1 - I(b, a, 1 - x)
        jet = _beta_jet((n, m), b[~low], a[~low], 1.0 - z[~low], z[~low])
        both[~low] = (not m and not n) - jets.derivative(jet)
    ends = (x > 0.0).astype(float) if not m and not n else 0.0
    return np.where(inside, both, np.where(known, ends, np.nan))


@cache
def betainc_of_order(m: int, n: int) -> Primitive:
    """Return the m-th derivative in a of the n-th in b of I(a, b, x), as a primitive.

    >>> round(betainc_of_order(0, 0)(2.0, 2.0, 0.5), 6)
    0.5
    """
    return pointwise(
        f"betainc_{m}_{n}" if m or n else "betainc",
        lambda t, y, a, b, x: t * betainc_of_order(m + 1, n)(a, b, x),
        lambda t, y, a, b, x: t * betainc_of_order(m, n + 1)(a, b, x),
        lambda t, y, a, b, x: t * derivatives_of_beta(m, n, a, b, x),
        params="a b x",
        domain=((0.0, np.inf), (0.0, np.inf), (0.0, 1.0)),
        forward=quiet(lambda a, b, x: _betainc(m, n, a, b, x)),
        tex=r"I_x(a, b) = \frac{1}{B(a, b)} \int_0^x s^{a-1} (1-s)^{b-1} \, ds",
        summary="Regularised incomplete beta function",
        points=((0.5, 0.5, 0.5), (3.0, 30.0, 0.1), (400.0, 600.0, 0.4)),
    )


# --- inverses -------------------------------------------------------------------------------------


def _solve(
    f: Callable[..., Array],
    slope: Callable[..., Array],
    p: Array,
    x: Array,
    end: float,
    *more: Array,
) -> Array:
    """Return the x with f(*more, x) = p, from 0 to ``end``: Newton's steps, or halved intervals."""
    found, left = x.copy(), np.arange(len(x))
    low: Array = np.zeros(len(x))
    high: Array = np.full(len(x), end)
    for _ in range(100):
        given = [m[left] for m in more]
        gap, steep = f(*given, x) - p[left], slope(*given, x)
        low, high = np.where(gap < 0.0, x, low), np.where(gap > 0.0, x, high)
        # halving in powers: an interval may reach over hundreds of them
        lowest = np.maximum(low, 5e-324)
        middle = np.where(high == np.inf, 2.0 * x + 1.0, np.sqrt(lowest) * np.sqrt(high))
        middle = np.where(middle > low, middle, 0.5 * (low + np.minimum(high, 1e300)))
        moved = x - gap / steep
        newton = (moved > low) & (moved < high)
        moved = np.where(newton, moved, middle)
        moved = np.where(gap == 0.0, x, moved)
        found[left] = moved
        # the step after one of Newton's would be its square
        more_to_do = np.abs(moved - x) > np.where(newton, 1e-8, 4e-16) * np.minimum(x, end - x)
        if not more_to_do.any():
            break
        left, x, low, high = (np.asarray(v)[more_to_do] for v in (left, moved, low, high))
    return found


def _gammaincinv(a: Array, p: Array) -> Array:
    known = (a > 0.0) & (p > 0.0) & (p < 1.0)
    a, q = np.where(known, a, 1.0), np.where(known, p, 0.5)
    # Wilson and Hilferty (1931), and near 0 the first term of the series
    cube = 1.0 - 1.0 / (9.0 * a) + np.asarray(ndtri(q)) / (3.0 * np.sqrt(a))
    small = np.exp((np.log(q) + np.asarray(lgamma(a + 1.0))) / a)
    start = np.where((cube > 0.2) & (a > 0.5), a * cube**3, np.maximum(small, 1e-300))
    start = np.minimum(start, 1e300)
    x = _solve(lambda a, x: _gammainc(0, a, x), gamma_density, q, start, np.inf, a)
    ends = np.where(p == 0.0, 0.0, np.where(p == 1.0, np.inf, np.nan))
    return np.where(known, x, ends)


def _betaincinv(a: Array, b: Array, p: Array) -> Array:
    known = (a > 0.0) & (b > 0.0) & (p > 0.0) & (p < 1.0)
    a, b, q = (np.where(known, v, w) for v, w in ((a, 1.0), (b, 1.0), (p, 0.5)))
    start = np.clip(a / (a + b), 1e-10, 1.0 - 1e-10)
    x = _solve(lambda a, b, x: _betainc(0, 0, a, b, x), beta_density, q, start, 1.0, a, b)
    return np.where(known, x, np.where(p == 0.0, 0.0, np.where(p == 1.0, 1.0, np.nan)))


# fmt: off
gammainc: Final = gammainc_of_order(0)
gammaincc: Final = pointwise("gammaincc",
    lambda t, y, a, x: -t * gammainc_of_order(1)(a, x), lambda t, y, a, x: -t * gamma_density(a, x),
    params="a x", domain=((0.0, np.inf), (0.0, np.inf)),
    forward=quiet(lambda a, x: _gammainc(0, a, x, upper=True)), tex=r"Q(a, x) = 1 - P(a, x)",
    summary="Regularised upper incomplete gamma function",
    points=((0.5, 0.5), (3.0, 30.0), (1000.0, 1001.0)))
gammaincinv: Final = pointwise("gammaincinv",
    lambda t, y, a, p: -t * gammainc_of_order(1)(a, y) / gamma_density(a, y),
    lambda t, y, a, p: t / gamma_density(a, y), params="a y",
    domain=((0.0, np.inf), (0.0, 1.0)), forward=quiet(_gammaincinv),
    tex=r"x : P(a, x) = y", summary="Inverse of gammainc in x",
    points=((0.5, 0.5), (3.0, 0.99), (1000.0, 0.1)))
betainc: Final = betainc_of_order(0, 0)
betaincinv: Final = pointwise("betaincinv",
    lambda t, y, a, b, p: -t * betainc_of_order(1, 0)(a, b, y) / beta_density(a, b, y),
    lambda t, y, a, b, p: -t * betainc_of_order(0, 1)(a, b, y) / beta_density(a, b, y),
    lambda t, y, a, b, p: t / beta_density(a, b, y), params="a b y",
    domain=((0.0, np.inf), (0.0, np.inf), (0.0, 1.0)), forward=quiet(_betaincinv),
    tex=r"x : I_x(a, b) = y", summary="Inverse of betainc in x",
    points=((0.5, 0.5, 0.5), (3.0, 30.0, 0.1), (400.0, 600.0, 0.4)))
# fmt: on
