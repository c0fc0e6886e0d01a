"""The incomplete gamma and beta functions, their logarithms, their inverses, and all derivatives.

A tail of a distribution is what its density is at the end, its *front*, times a *factor*, which
moves little. Derivatives in the parameters are members of the families: series, fractions and
quadratures of factors run on truncated power series in the parameters. Sources: NIST Digital
Library of Mathematical Functions 8.11.4, 8.17.8 (the series) and 8.9.2 (the continued fraction of
the incomplete gamma function); Didonato and Morris, Algorithm 708 (1992), equation 9, for the
continued fraction of the beta function. Parameters from `LARGE` on are left to `quadrature`.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache, partial
from itertools import product
from typing import Any, Final

import numpy as np

from ...core.numeric import Array, Numeric
from ...core.primitive import Primitive, pointwise
from ..arithmetic import equal, where
from ..gamma import digamma, lgamma, polygamma
from . import jets
from .densities import (
    beta_density,
    derivatives_of_beta,
    derivatives_of_gamma,
    derivatives_of_rate,
    digamma_gap,
    digamma_rest,
    excess,
    expm1_less,
    gamma_density,
    gamma_gap,
    less_1_over,
    log1p_less,
    log_density_slope,
    log_gamma_front,
    log_raised_beta_front,
    quiet,
    raised_beta_front,
    raised_gamma_front,
    slope_of_front,
)
from .error import ndtri
from .quadrature import jet_of_tail
from .small_parameters import log_small_front, rest_of_small, small_front, upper_of_small

__all__ = ["betainc", "betaincc", "betaincinv", "gammainc", "gammaincc", "gammaincinv"]
__all__ += ["log_betainc", "log_betaincc", "log_gammainc", "log_gammaincc"]

ACCURACY = 1e-17
LARGE = 200.0
"""From here on there are more terms, about the root of the parameter, than points."""

LEAST = 5e-324  # the least positive number

Orders = tuple[int, int]


def _slopes_jet(slopes: Callable[[int, int], Any], orders: Orders, shape: Any) -> Array:
    """Return the jet of ln y without its value, from the derivatives of ln y."""
    jet = jets.constant(np.zeros(shape), orders)
    for i, j in np.ndindex(*jet.shape[:2]):
        if i or j:
            size = float(np.prod(np.arange(1, i + 1)) * np.prod(np.arange(1, j + 1)))
            jet[i, j] = slopes(i, j) / size
    return jet


def tails(own: Array, log_own: Array, lower: Array, upper_wanted: Any, logarithm: bool) -> Array:
    """Return the jet of a tail, or of its logarithm, from the jet of the one that is computed."""
    swap = lower == upper_wanted
    other = -own
    other[0, 0] = 1.0 - own[0, 0]
    if not logarithm:
        return np.where(swap, other, own)
    log_other = jets.logarithm(other)
    log_other[0, 0] = np.log1p(-own[0, 0])
    return np.where(swap, log_other, log_own)


def _log_of_rest(rest: Array, own: Array) -> Array:
    """Return the jet of the logarithm of 1 - own, which is given; it may be near 0 or near 1."""
    jet = jets.logarithm(rest)
    jet[0, 0] = np.where(own[0, 0] < 0.5, np.log1p(-own[0, 0]), jet[0, 0])
    return jet


# --- the incomplete gamma function ----------------------------------------------------------------


def _gamma_factor(orders: Orders, a: Array, x: Array, low: Array) -> Array:
    """Return the jet of P or Q over x^a e^-x / Γ(a + 1)."""
    factor = np.zeros((*[n + 1 for n in orders], len(a)))
    large = a >= LARGE
    for lower in (False, True):
        part = (low == lower) & large
        if part.any():
            u, z = a[part], x[part]
            factor[:, :, part] = _times_a(_gamma_integral(orders, u, z, lower), u, orders)
        part = (low == lower) & ~large
        if part.any():
            factor[:, :, part] = (_gamma_series if lower else _gamma_fraction)(
                orders, a[part], x[part]
            )
    return factor


def _times_a(jet: Array, a: Array, orders: Orders) -> Array:
    return jets.multiply(jet, jets.variable(a, 0, orders))


def _gamma_integral(orders: Orders, a: Array, x: Array, lower: bool) -> Array:
    """∫ (s / x)^a e^(x - s) ds / s, from 0 to x by s = x e^-v, or on from x by s = x e^v."""
    sign = -1.0 if lower else 1.0
    steep = np.abs(x - a)

    def f(v: Array) -> tuple[Array, Array, Array]:
        return steep * v + x * expm1_less(sign * v), sign * v, np.zeros_like(v)

    return jet_of_tail(f, np.minimum(1.0 / steep, 1.0 / np.sqrt(x)), orders)


def _less(x: Array, a: Array, orders: Orders) -> Array:
    return jets.constant(x, orders) - jets.variable(a, 0, orders)


def _gamma_fraction(orders: Orders, a: Array, x: Array) -> Array:
    def step(k: int) -> tuple[Array, Array]:
        top = _less(np.full_like(a, k), a, orders) * -float(k)
        return top, _less(x + (2.0 * k + 1.0), a, orders)

    return jets.divide(jets.variable(a, 0, orders), jets.fraction(step, _less(x + 1.0, a, orders)))


def _gamma_series(orders: Orders, a: Array, x: Array) -> Array:
    """Σ xᵏ / ((a + 1) … (a + k))"""
    one = jets.constant(np.ones(a.shape), orders)
    return _series(
        one, lambda k: jets.constant(x, orders), lambda k: jets.variable(a + k, 0, orders)
    )


def _series(term: Array, top: Callable[[int], Array], bottom: Callable[[int], Array]) -> Array:
    total = term
    for k in range(1, jets.STEPS):
        term = jets.divide(jets.multiply(term, top(k)), bottom(k))
        total = total + term
        if k % 8 == 0 and not np.any(np.abs(term) > ACCURACY * np.abs(total)):
            break
    return total


def _gamma(n: int, a: Array, x: Array, upper: bool, log: bool) -> Array:
    """Return the n-th derivative in a of P or Q, or of its logarithm."""
    known = (a >= 0.0) & (x >= 0.0) & (np.maximum(a, x) > 0.0) & (np.minimum(a, x) < np.inf)
    inside = known & (x > 0.0) & (x < np.inf) & (a > 0.0) & (a < np.inf)
    full = (x > 0.0) & (a < np.inf)  # all of the mass is below x
    a, z = np.where(inside, a, 1.0), np.where(inside, x, 1.0)
    low = z < np.maximum(a, 1.0)

    def slopes(i: int, _: int) -> Any:
        if i == 1:  # ln x - ψ(a + 1)
            few = np.asarray(gamma_gap(a + 1.0, z))
            return np.where(a < LARGE, few, np.asarray(gamma_gap(a, z)) - 1.0 / a)
        return -np.asarray(polygamma(float(i - 1), a + 1.0))

    bare, factor = _slopes_jet(slopes, (n, 0), a.shape), _gamma_factor((n, 0), a, z, low)
    own = jets.multiply(jets.exponential(bare) * raised_gamma_front(a, z), factor)
    log_own = bare + jets.logarithm(factor)
    log_own[0, 0] += log_gamma_front(a, z) - np.log(a)
    jet = tails(own, log_own, low, upper, log)
    small = low & (a < 0.5)
    if log and not upper and small.any():
        q, y0 = upper_of_small(a[small], z[small]), jet[0, 0, small]
        jet[0, 0, small] = np.where(q < 0.5, np.log1p(-q), y0)
    if upper and small.any():
        q = upper_of_small(a[small], z[small])
        if log:
            rest = -own[:, :, small]
            rest[0, 0] = q
            jet[:, :, small] = _log_of_rest(rest, own[:, :, small])
        else:
            jet[0, 0, small] = q
    y = jets.derivative(jet)
    ends: Any = np.where(full != upper, 1.0, 0.0) if not n else 0.0
    ends = ends if not log else np.where(full != upper, 0.0, -np.inf) if not n else 0.0
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
        forward=quiet(lambda a, x: _gamma(n, a, x, False, False)),
        tex=r"P(a, x) = \frac{1}{\Gamma(a)} \int_0^x s^{a-1} e^{-s} \, ds",
        summary="Regularised lower incomplete gamma function",
        points=((0.5, 0.5), (3.0, 30.0), (1000.0, 1001.0)),
    )


@cache
def log_gammainc_of_order(n: int, upper: bool) -> Primitive:
    """Return the n-th derivative in a of ln P(a, x), or of ln Q(a, x), as a primitive.

    >>> round(log_gammainc_of_order(0, True)(1.0, 2.0), 6)
    -2.0
    """
    mark, sign = ("c", -1.0) if upper else ("", 1.0)

    def slope(t: Numeric, y: Numeric, a: Numeric, x: Numeric) -> Any:
        def of(i: int, _: int) -> Any:
            own = gamma_gap(a, x) if i == 1 else -polygamma(float(i - 1), a)
            return own - log_gammainc_of_order(i, upper)(a, x)

        return t * sign * derivatives_of_rate(gamma_rate(upper)(a, x), of, n, 0)

    return pointwise(
        f"log_gammainc{mark}" + f"_{n}" * bool(n),
        lambda t, y, a, x: t * log_gammainc_of_order(n + 1, upper)(a, x),
        slope,
        params="a x",
        domain=((0.0, np.inf), (0.0, np.inf)),
        forward=quiet(lambda a, x: _gamma(n, a, x, upper, True)),
        tex=rf"\ln {'Q' if upper else 'P'}(a, x)",
        summary=f"Logarithm of gammainc{mark}",
        points=((0.5, 0.5), (3.0, 30.0), (1000.0, 1001.0)),
    )


def _gamma_rate(a: Array, x: Array, upper: bool) -> Array:
    """Return the density over P or Q."""
    known = (a > 0.0) & (x > 0.0) & (x < np.inf) & (a < np.inf)
    a, z = np.where(known, a, 1.0), np.where(known, x, 1.0)
    low = z < np.maximum(a, 1.0)
    y = np.asarray(gamma_density(a, z)) / _gamma(0, a, z, upper, False)
    own = low != upper
    if own.any():
        y[own] = a[own] / (_gamma_factor((0, 0), a[own], z[own], low[own])[0, 0] * z[own])
    ends = np.asarray(gamma_density(np.where(a > 0, a, 1.0), np.where(x == 0.0, 0.0, 1.0)))
    at_0 = ends if upper else np.where(a > 0.0, np.inf, np.nan)
    edge = np.where(x == 0.0, at_0, np.where(x == np.inf, 1.0 if upper else 0.0, np.nan))
    return np.where(known, y, edge)


@cache
def gamma_rate(upper: bool) -> Primitive:
    """Return the density of the gamma distribution over P or Q, as a primitive.

    >>> gamma_rate(True)(1.0, 2.0)
    1.0
    """
    sign = 1.0 if upper else -1.0
    return pointwise(
        f"gamma_rate_{'upper' if upper else 'lower'}",
        lambda t, y, a, x: t * y * (gamma_gap(a, x) - log_gammainc_of_order(1, upper)(a, x)),
        lambda t, y, a, x: t * y * (less_1_over(a, x) + sign * y),
        params="a x",
        domain=((0.0, np.inf), (0.0, np.inf)),
        forward=quiet(lambda a, x: _gamma_rate(a, x, upper)),
        tex=rf"\frac{{x^{{a - 1}} e^{{-x}}}}{{\Gamma(a) {'Q' if upper else 'P'}(a, x)}}",
        summary="Density of the gamma distribution over a tail",
    )


# --- the incomplete beta function -----------------------------------------------------------------


def _beta_factor(orders: Orders, a: Array, b: Array, x: Array, y: Array) -> Array:
    """Return the jet of I(a, b, x) over x^a y^b / (a B(a, b)), for x <= a / (a + b), y = 1 - x.

    Of x and y the smaller one is exact: errors of the other count as much as c = a + b is large.
    """
    factor = np.zeros((*[n + 1 for n in orders], len(a)))
    series = (a < LARGE) & (x <= 0.5)
    integral = ~series & (np.maximum(a, b) >= LARGE)
    parts: list[tuple[Array, Callable[..., Array]]] = [
        (series, _beta_series),
        (~series & ~integral, _beta_fraction),
        (integral & (b >= LARGE), _beta_integral),
        (integral & (b < LARGE), partial(_beta_integral, panels=12)),
    ]
    for part, f in parts:
        if part.any():
            factor[:, :, part] = f(orders, a[part], b[part], x[part], y[part])
    return factor


def _beta_integral(
    orders: Orders, a: Array, b: Array, x: Array, y: Array, panels: int = 2
) -> Array:
    """∫₀ˣ (s / x)^a ((1 - s) / y)^b ds / (s (1 - s)), where the odds of s are e^-v times x / y."""
    steep, c, left = -excess(a, b, x, y), a + b, x <= 0.5
    p, sign = np.where(left, x, y), np.where(left, -1.0, 1.0)

    def f(v: Array) -> tuple[Array, Array, Array]:
        grown = p * np.expm1(sign * v)
        log = np.log1p(grown)  # of (1 - s) / y, negative, if x is small; else of x / s
        phi = steep * v + c * (log1p_less(grown) + p * expm1_less(sign * v))
        other = np.where(left, v, -v) + log
        of_a = -np.where(left, other, log)
        return phi, of_a, -np.where(left, log, other)

    scale = np.minimum(1.0 / np.abs(steep), 1.0 / np.sqrt(c * x * y))
    return _times_a(jet_of_tail(f, np.minimum(scale, 1.0), orders, panels), a, orders)


def _beta_series(orders: Orders, a: Array, b: Array, x: Array, y: Array) -> Array:
    """Σ (a + b)ₖ xᵏ / (a + 1)ₖ"""
    u, v = jets.variable(a, 0, orders), jets.variable(b, 1, orders)
    one = jets.constant(np.ones(a.shape), orders)
    return _series(one, lambda k: _plus(u + v, k - 1.0) * x, lambda k: _plus(u, float(k)))


def _beta_fraction(orders: Orders, a: Array, b: Array, x: Array, y: Array) -> Array:
    u, v = jets.variable(a, 0, orders), jets.variable(b, 1, orders)
    fraction = jets.fraction(lambda k: (_beta_top(k, u, v, x), _beta_bottom(k, u, v, x, y)),
                         _beta_bottom(0, u, v, x, y))  # fmt: skip
    return jets.divide(u, fraction)


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


def _beta_jets(orders: Orders, a: Array, b: Array, x: Array, y: Array) -> tuple[Array, Array]:
    """Return the jets of I(a, b, x) and of its logarithm, for x <= a / (a + b)."""
    bare = _slopes_jet(_beta_slopes(a, b, x, y), orders, a.shape)
    factor, front = _beta_factor(orders, a, b, x, y), raised_beta_front(a, b, x, y)
    own = jets.multiply(jets.exponential(bare) * front, factor)
    log_own = bare + jets.logarithm(factor)
    log_own[0, 0] += log_raised_beta_front(a, b, x, y)
    return own, log_own


def _small_beta_jets(orders: Orders, a: Array, b: Array, x: Array, y: Array) -> tuple[Array, Array]:
    """Return the same where a < 1/2 and b x <= 1: there xᵃ / (a B(a, b)) is the front."""
    slopes = _beta_slopes(a, b, x, y)

    def plain(i: int, j: int) -> Any:
        return np.asarray(digamma_gap(b, a)) if (i, j) == (0, 1) else slopes(i, j)

    bare, log_front = _slopes_jet(plain, orders, a.shape), log_small_front(a, b, x)
    u, v = jets.variable(a, 0, orders), jets.variable(b, 1, orders)
    total, term = jets.constant(np.zeros(a.shape), orders), jets.constant(np.ones(a.shape), orders)
    for k in range(1, 100):
        term = jets.multiply(term, _plus(-v, float(k))) * (x / k)
        total = total + jets.divide(term, _plus(u, float(k)))
    factor = _plus(jets.multiply(u, total), 1.0)
    log_own = bare + jets.logarithm(factor)
    log_own[0, 0] += log_front
    return jets.multiply(jets.exponential(bare) * small_front(a, b, x), factor), log_own


def _beta_slopes(a: Array, b: Array, x: Array, y: Array) -> Callable[[int, int], Any]:
    """Return the derivatives of ln(x^a y^b / (a B(a, b))) in both parameters."""

    def slopes(i: int, j: int) -> Any:
        if i + j == 1:
            return _raised_slope(a, b, x, y) if i else slope_of_front(b, a, y, x)
        whole = np.asarray(polygamma(float(i + j - 1), a + b))
        own = np.asarray(polygamma(float(i + j - 1), a + 1.0 if i else b))
        return whole if i and j else whole - own

    return slopes


def _raised_slope(a: Array, b: Array, x: Array, y: Array) -> Array:
    """ln x - ψ(a + 1) + ψ(a + b)"""
    log_x = np.where(x < 0.5, np.log(x), np.log1p(-y))
    whole = a + b + 1.0
    far = np.log(x * whole) - digamma_rest(whole) - np.asarray(digamma(np.minimum(a, 1.0) + 1.0))
    few = np.where((x < 0.5) & (b >= LARGE), far, log_x + np.asarray(digamma_gap(a + 1.0, b)))
    few = few - 1.0 / (a + b)
    return np.where(a < 1.0, few, slope_of_front(a, b, x, y) - 1.0 / a)


def _beta_is_small(a: Array, b: Array, x: Array) -> Array:
    return (a < 0.5) & (x <= 0.5) & (b * x <= 1.0)


def _beta(m: int, n: int, a: Array, b: Array, x: Array, upper: bool, log: bool) -> Array:
    """Return the m-th derivative in a of the n-th in b of I or 1 - I, or of its logarithm."""
    known = (a >= 0.0) & (b >= 0.0) & (x >= 0.0) & (x <= 1.0)
    known = known & (np.maximum(a, b) > 0.0) & (np.minimum(a, b) < np.inf)
    inside = known & (x > 0.0) & (x < 1.0) & (np.minimum(a, b) > 0.0) & (a + b < np.inf)
    full = np.where((a == 0.0) | (b == np.inf), x > 0.0, x == 1.0)  # where all of the mass is below
    full = np.where(inside | (np.minimum(a, b) > 0.0) & (a + b < np.inf), x > 0.0, full)
    a, b, z = (np.where(inside, v, w) for v, w in ((a, 1.0), (b, 1.0), (x, 0.25)))
    left, right = _beta_is_small(a, b, z), _beta_is_small(b, a, 1.0 - z)
    low = left | ~right & (z <= a / (a + b))
    both = np.zeros(a.shape)
    for lower, small in product((True, False), repeat=2):
        part = (low == lower) & ((left | right) == small)
        if part.any():
            u, v, s = a[part], b[part], z[part]
            own = (u, v, s, 1.0 - s) if lower else (v, u, 1.0 - s, s)
            orders = (m, n) if lower else (n, m)
            jet, log_jet = (_small_beta_jets if small else _beta_jets)(orders, *own)
            found = tails(jet, log_jet, low[part], upper, log)
            if small and lower == upper:
                rest = -jet
                rest[0, 0] = rest_of_small(*own[:3])
                found = _log_of_rest(rest, jet) if log else rest
            both[part] = jets.derivative(found)
    ends: Any = np.where(full != upper, 0.0 if log else 1.0, -np.inf if log else 0.0)
    return np.where(inside, both, np.where(known, ends if not m and not n else 0.0, np.nan))


@cache
def betainc_of_order(m: int, n: int, upper: bool = False) -> Primitive:
    """Return the m-th derivative in a of the n-th in b of I(a, b, x), or 1 - I, as a primitive.

    >>> round(betainc_of_order(0, 0)(2.0, 2.0, 0.5), 6)
    0.5
    """
    mark, sign = ("c", -1.0) if upper else ("", 1.0)
    return pointwise(
        f"betainc{mark}" + f"_{m}_{n}" * bool(m or n),
        lambda t, y, a, b, x: t * betainc_of_order(m + 1, n, upper)(a, b, x),
        lambda t, y, a, b, x: t * betainc_of_order(m, n + 1, upper)(a, b, x),
        lambda t, y, a, b, x: t * sign * derivatives_of_beta(m, n, a, b, x),
        params="a b x",
        domain=((0.0, np.inf), (0.0, np.inf), (0.0, 1.0)),
        forward=quiet(lambda a, b, x: _beta(m, n, a, b, x, upper, False)),
        tex=r"1 - I_x(a, b)"
        if upper
        else r"I_x(a, b) = \frac{1}{B(a, b)} \int_0^x s^{a-1} (1-s)^{b-1} \, ds",
        summary="1 - betainc, exact where it is small"
        if upper
        else "Regularised incomplete beta function",
        points=((0.5, 0.5, 0.5), (3.0, 30.0, 0.1), (400.0, 600.0, 0.4)),
    )


@cache
def log_betainc_of_order(m: int, n: int, upper: bool) -> Primitive:
    """Return the m-th derivative in a of the n-th in b of ln I, or ln(1 - I), as a primitive.

    >>> round(log_betainc_of_order(0, 0, False)(2.0, 1.0, 0.1), 6)
    -4.60517
    """
    mark, sign = ("c", -1.0) if upper else ("", 1.0)

    def slope(t: Numeric, y: Numeric, a: Numeric, b: Numeric, x: Numeric) -> Any:
        def of(i: int, j: int) -> Any:
            return log_density_slope(i, j, a, b, x) - log_betainc_of_order(i, j, upper)(a, b, x)

        return t * sign * derivatives_of_rate(beta_rate(upper)(a, b, x), of, m, n)

    return pointwise(
        f"log_betainc{mark}" + f"_{m}_{n}" * bool(m or n),
        lambda t, y, a, b, x: t * log_betainc_of_order(m + 1, n, upper)(a, b, x),
        lambda t, y, a, b, x: t * log_betainc_of_order(m, n + 1, upper)(a, b, x),
        slope,
        params="a b x",
        domain=((0.0, np.inf), (0.0, np.inf), (0.0, 1.0)),
        forward=quiet(lambda a, b, x: _beta(m, n, a, b, x, upper, True)),
        tex=rf"\ln {'(1 - I_x(a, b))' if upper else 'I_x(a, b)'}",
        summary=f"Logarithm of betainc{mark}",
        points=((0.5, 0.5, 0.5), (3.0, 30.0, 0.1), (400.0, 600.0, 0.4)),
    )


def _beta_rate(a: Array, b: Array, x: Array, upper: bool) -> Array:
    """Return the density over I or 1 - I."""
    known = (a > 0.0) & (b > 0.0) & (x >= 0.0) & (x <= 1.0) & (a + b < np.inf)
    inside = known & (x > 0.0) & (x < 1.0)
    u, v, z = (np.where(inside, p, q) for p, q in ((a, 1.0), (b, 1.0), (x, 0.25)))
    y = np.asarray(beta_density(u, v, z)) / _beta(0, 0, u, v, z, upper, False)
    low, small = z <= u / (u + v), _beta_is_small(u, v, z) | _beta_is_small(v, u, 1.0 - z)
    own = (low != upper) & ~small
    if own.any():
        sides = (v, u, 1.0 - z, z) if upper else (u, v, z, 1.0 - z)
        factor = _beta_factor((0, 0), *[w[own] for w in sides])[0, 0]
        y[own] = sides[0][own] / (factor * (z * (1.0 - z))[own])
    zero = x == (1.0 if upper else 0.0)  # of the tail
    ends = np.asarray(beta_density(np.where(known, a, 1.0), np.where(known, b, 1.0),
                                   np.where(known, x, 0.5)))  # fmt: skip
    return np.where(inside, y, np.where(known, np.where(zero, np.inf, ends), np.nan))


@cache
def beta_rate(upper: bool) -> Primitive:
    """Return the density of the beta distribution over I or 1 - I, as a primitive.

    >>> beta_rate(False)(1.0, 1.0, 0.5)
    2.0
    """
    sign = 1.0 if upper else -1.0

    def slope(t: Numeric, y: Numeric, i: int, j: int, a: Numeric, b: Numeric, x: Numeric) -> Any:
        own = log_density_slope(i, j, a, b, x)
        return t * y * (own - log_betainc_of_order(i, j, upper)(a, b, x))

    return pointwise(
        f"beta_rate_{'upper' if upper else 'lower'}",
        lambda t, y, a, b, x: slope(t, y, 1, 0, a, b, x),
        lambda t, y, a, b, x: slope(t, y, 0, 1, a, b, x),
        lambda t, y, a, b, x: t * y * ((a - 1.0) / x - (b - 1.0) / (1.0 - x) + sign * y),
        params="a b x",
        domain=((0.0, np.inf), (0.0, np.inf), (0.0, 1.0)),
        forward=quiet(lambda a, b, x: _beta_rate(a, b, x, upper)),
        tex=rf"\frac{{x^{{a - 1}} (1 - x)^{{b - 1}}}}{{B(a, b)}} / {'(1 - I)' if upper else 'I'}",
        summary="Density of the beta distribution over a tail",
    )


# --- inverses -------------------------------------------------------------------------------------


def _solve(
    at: Callable[..., tuple[Array, Array]],
    move: Callable[..., tuple[Array, ...]],
    p: Array,
    state: tuple[Array, ...],
    *more: Array,
) -> Array:
    """Return the first of the state at which P = p, where ``at`` returns ln P and its ln slope.

    From p = 1/2 on it is ln(1 - P) = ln(1 - p). Both are concave functions of ln x, or of the logit
    of x, so that Newton's steps converge from everywhere, and digits are left however small p is.
    """
    state = tuple(v.copy() for v in state)
    left, upper = np.arange(len(p)), p > 0.5
    target, sign = np.log(np.where(upper, 1.0 - p, p)), np.where(upper, -1.0, 1.0)
    for _ in range(200):
        now, above = tuple(v[left] for v in state), upper[left]
        tail, front = at(*[m[left] for m in more], *now, above)
        gap = target[left] - tail
        step = np.clip(sign[left] * gap * np.exp(tail - front), -200.0, 200.0)
        moved = move(*now, step)
        for whole, part in zip(state, moved, strict=True):
            whole[left] = part
        # the gap after a step is about the square of the one before, whatever the parameters are
        left = left[(np.abs(gap) > 1e-8) & (moved[0] != now[0])]
        if not left.size:
            break
    return np.where(state[0] <= LEAST, 0.0, state[0])


def _ends(p: Array, top: float, *shapes: Array) -> Array:
    """Return what inverses are for p = 0 and 1, if the parameters are possible."""
    fair = (p == 0.0) | (p == 1.0)
    for shape in shapes:
        fair = fair & (shape > 0.0)
    return np.where(fair, np.where(p == 0.0, 0.0, top), np.nan)


def _gammaincinv(a: Array, p: Array) -> Array:
    known = (a > 0.0) & (a < np.inf) & (p > 0.0) & (p < 1.0)
    u, q = np.where(known, a, 1.0), np.where(known, p, 0.5)
    # Wilson and Hilferty (1931), and near 0 the first term of the series
    cube = 1.0 - 1.0 / (9.0 * u) + np.asarray(ndtri(q)) / (3.0 * np.sqrt(u))
    small = np.exp((np.log(q) + np.asarray(lgamma(u + 1.0))) / u)
    start = np.where((cube > 0.2) & (u > 0.5), u * cube**3, small)

    def at(a: Array, x: Array, above: Array) -> tuple[Array, Array]:
        tails = [_gamma(0, a, x, upper, True) for upper in (False, True)]
        return np.where(above, tails[1], tails[0]), log_gamma_front(a, x)

    def move(x: Array, step: Array) -> tuple[Array]:
        return (np.clip(x * np.exp(step), LEAST, 1e308),)

    x = _solve(at, move, q, (np.clip(start, LEAST, 1e300),), u)
    return np.where(known, x, _ends(p, np.inf, a + LEAST))


def _betaincinv(a: Array, b: Array, p: Array) -> Array:
    known = (a > 0.0) & (b > 0.0) & (a + b < np.inf) & (p > 0.0) & (p < 1.0)
    u, v, q = (np.where(known, s, w) for s, w in ((a, 1.0), (b, 1.0), (p, 0.5)))

    def at(a: Array, b: Array, x: Array, y: Array, above: Array) -> tuple[Array, Array]:
        first = x <= y  # the smaller one is exact
        r, s, z = np.where(first, a, b), np.where(first, b, a), np.where(first, x, y)
        tails = [_beta(0, 0, r, s, z, upper, True) for upper in (False, True)]
        front = log_raised_beta_front(r, s, z, 1.0 - z) + np.log(r)
        return np.where(above == first, tails[1], tails[0]), front

    def move(x: Array, y: Array, step: Array) -> tuple[Array, Array]:
        grown = np.exp(0.5 * step)
        p, q = x * grown, y / grown
        return np.maximum(p / (p + q), LEAST), np.maximum(q / (p + q), LEAST)

    x = _solve(at, move, q, (u / (u + v), v / (u + v)), u, v)
    return np.where(known, x, _ends(p, 1.0, a, b))


def _is_end(y: Numeric) -> Numeric:
    return (y <= 0.0) | (y >= 1.0)


def _inverse_slope(t: Numeric, tail: Any, density: Any, end: Any) -> Any:
    """-t tail / density, and 0 at an end, which does not move with the parameters."""
    return where(end, 0.0, -t * tail / where(end, 1.0, density))


# fmt: off
gammainc: Final = gammainc_of_order(0)
log_gammainc: Final = log_gammainc_of_order(0, False)
log_gammaincc: Final = log_gammainc_of_order(0, True)
gammaincc: Final = pointwise("gammaincc",
    lambda t, y, a, x: -t * gammainc_of_order(1)(a, x), lambda t, y, a, x: -t * gamma_density(a, x),
    params="a x", domain=((0.0, np.inf), (0.0, np.inf)),
    forward=quiet(lambda a, x: _gamma(0, a, x, True, False)), tex=r"Q(a, x) = 1 - P(a, x)",
    summary="Regularised upper incomplete gamma function",
    points=((0.5, 0.5), (3.0, 30.0), (1000.0, 1001.0)))
gammaincinv: Final = pointwise("gammaincinv",
    lambda t, y, a, p: _inverse_slope(t, gammainc_of_order(1)(a, y), gamma_density(a, y),
                                      equal(y, 0.0)),
    lambda t, y, a, p: t / gamma_density(a, y), params="a y",
    domain=((0.0, np.inf), (0.0, 1.0)), forward=quiet(_gammaincinv),
    tex=r"x : P(a, x) = y", summary="Inverse of gammainc in x",
    points=((0.5, 0.5), (3.0, 0.99), (1000.0, 0.1)))
betainc: Final = betainc_of_order(0, 0)
betaincc: Final = betainc_of_order(0, 0, True)
log_betainc: Final = log_betainc_of_order(0, 0, False)
log_betaincc: Final = log_betainc_of_order(0, 0, True)
betaincinv: Final = pointwise("betaincinv",
    lambda t, y, a, b, p: _inverse_slope(t, betainc_of_order(1, 0)(a, b, y),
                                         beta_density(a, b, y), _is_end(y)),
    lambda t, y, a, b, p: _inverse_slope(t, betainc_of_order(0, 1)(a, b, y),
                                         beta_density(a, b, y), _is_end(y)),
    lambda t, y, a, b, p: t / beta_density(a, b, y), params="a b y",
    domain=((0.0, np.inf), (0.0, np.inf), (0.0, 1.0)), forward=quiet(_betaincinv),
    tex=r"x : I_x(a, b) = y", summary="Inverse of betainc in x",
    points=((0.5, 0.5, 0.5), (3.0, 30.0, 0.1), (400.0, 600.0, 0.4)))
# fmt: on
