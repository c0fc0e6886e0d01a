"""The densities of the gamma and the beta distribution, and the logarithm of the beta function.

Powers and factorials of large numbers cancel in them. From `BIG` on they are written by Stirling's
series and ln(1 + u) - u, none of which is large where the density is not small. Sources: NIST
Digital Library of Mathematical Functions 5.11.1 (Stirling); Didonato and Morris, Algorithm 708
(1992), for the form of the densities.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from math import comb, gamma, inf, pi
from typing import Any, Final

import numpy as np

from ...core.numeric import Array, Numeric
from ...core.primitive import Primitive, pointwise
from ..arithmetic import equal, where
from ..gamma import digamma, lgamma, polygamma
from ..precision import product_error

__all__ = ["beta", "beta_density", "betaln", "gamma_density", "log_beta_density"]
__all__ += ["log_gamma_density"]

BIG = 10.0
LOWEST = -1e3
"""Below it the beta function is NaN: it would take a product of too many factors."""

DIGAMMA_REST = (1 / 12, -1 / 120, 1 / 252, -1 / 240, 1 / 132, -691 / 32760, 1 / 12)
STIRLING = (1 / 12, -1 / 360, 1 / 1260, -1 / 1680, 1 / 1188, -691 / 360360, 1 / 156, -3617 / 122400)
gamma_of: Callable[..., Any] = np.vectorize(
    lambda x: gamma(x) if 0.0 < x < 171.0 else np.nan, otypes=[np.float64]
)


def quiet(f: Callable[..., Any]) -> Callable[..., Any]:
    """Return ``f`` on arrays of float64 of one shape, without warnings; numbers give a float."""

    def run(*args: Any) -> Any:
        arrays = np.broadcast_arrays(*[np.asarray(a, np.float64) for a in args])
        with np.errstate(all="ignore"):
            y = f(*[np.ravel(a) for a in arrays])
        return y.reshape(arrays[0].shape) if arrays[0].ndim else float(y[0])

    return run


def stirling(x: Array) -> Array:
    """ln Γ(x) - ((x - 1/2) ln x - x + ln(2 π) / 2), for x >= BIG."""
    r = 1.0 / (x * x)
    total = np.zeros_like(x)
    for c in reversed(STIRLING):
        total = total * r + c
    return total / x


def log1p_less(u: Array) -> Array:
    """ln(1 + u) - u"""
    near = (u > -0.5) & (u < 1.0)  # |r| < 1/3, and 18 terms are enough
    v = np.where(near, u, 0.0)
    r = v / (2.0 + v)
    series = sum(r ** (2 * k) / (2 * k + 1) for k in range(18, 0, -1))
    return np.where(near, r * (2.0 * series - v), np.log1p(u) - u)


def expm1_less(v: Array) -> Array:
    """e^v - 1 - v"""
    near = np.abs(v) < 0.3
    z, series = np.where(near, v, 0.0), np.zeros_like(v)
    for k in range(14, 1, -1):
        series = (series + 1.0) * z / k
    return np.where(near, series * z, np.expm1(v) - v)


def _log_less(u: Array, x: Array, s: Array) -> Array:
    """ln(x s) - u, where x s = 1 + u is exact too if it is small."""
    ratio = x * s
    far = np.where(ratio < 1e-290, np.log(x) + np.log(s), np.log(ratio))
    return np.where(ratio < 0.5, far - u, log1p_less(u))


def _small_front(a: Array, x: Array, less: float) -> Array:
    """x^a e^-x / Γ(a + 1 - less), for a < BIG"""
    power: Array = np.where(x > 900.0, 0.0, np.power(np.minimum(x, 900.0), a) * np.exp(-x))
    front: Array = power / np.asarray(gamma_of(np.minimum(a, BIG) + (1.0 - less)))
    return front


def raised_gamma_front(a: Array, x: Array) -> Array:
    """x^a e^-x / Γ(a + 1)"""
    large = np.maximum(a, BIG)
    return np.where(a < BIG, _small_front(a, x, 0.0), np.exp(log_gamma_front(large, x)) / large)


def _gamma_density(a: Array, x: Array) -> Array:
    """x^(a-1) e^-x / Γ(a)"""
    large = np.exp(log_gamma_front(np.maximum(a, BIG), x))
    y = np.where(a < BIG, _small_front(a, x, 1.0), large) / x
    tiny = (
        np.power(x, a - 1.0) * np.exp(-x) / gamma_of(np.minimum(a, BIG))
    )  # its quotient underflows
    y = np.where((x < 1e-100) & (a >= 1.0) & (a < BIG), tiny, np.where(x == 0.0, 0.0, y))
    y = np.where((x == 0.0) & (a < 1.0), inf, y)
    known = (a > 0.0) & (x >= 0.0) & (a < inf)
    return np.where(known, np.where(np.isinf(x), 0.0, y), _of_point_masses(a, x))


def log_beta(a: Array, b: Array) -> Array:
    """ln |B(a, b)|"""
    factor, a, b = _above_0(a, b)
    return np.log(np.abs(factor)) + _log_beta_above_0(a, b)


def _above_0(a: Array, b: Array) -> tuple[Array, Array, Array]:
    """Return B(a, b) over that of two arguments above 0, and those: B(a) = B(a + 1) (a + b) / a."""
    factor = np.ones_like(a)
    a, b = np.where(a < LOWEST, np.nan, a), np.where(b < LOWEST, np.nan, b)
    while ((a < 0.0) | (b < 0.0)).any():
        factor = np.where(a < 0.0, factor * ((a + b) / a), factor)
        a = np.where(a < 0.0, a + 1.0, a)
        factor = np.where(b < 0.0, factor * ((a + b) / b), factor)
        b = np.where(b < 0.0, b + 1.0, b)
    return factor, a, b


def _log_beta_above_0(a: Array, b: Array) -> Array:
    known = (a > 0.0) & (b > 0.0) & (a < inf) & (b < inf)
    y = _log_beta(*(np.where(known, v, 1.0) for v in (a, b)))
    at_0 = (np.minimum(a, b) == 0.0) & (np.maximum(a, b) < inf)
    at_inf = (np.minimum(a, b) > 0.0) & np.isinf(np.maximum(a, b))
    return np.where(known, y, np.where(at_0, inf, np.where(at_inf, -inf, np.nan)))


def _log_beta(a: Array, b: Array) -> Array:
    a, b = np.minimum(a, b), np.maximum(a, b)
    grown, raised = np.zeros_like(b), b
    for _ in range(int(BIG)):  # B(a, b) = B(a, b + 1) (1 + a / b), so that nothing large cancels
        low = raised < BIG
        grown = grown + np.where(low, np.log1p(a / raised), 0.0)
        raised = np.where(low, raised + 1.0, raised)
    a, b = np.minimum(a, raised), np.maximum(a, raised)
    s = np.where(a < BIG, BIG, a)
    least = np.minimum(a, BIG)
    mixed = _lgamma(least) + ((0.5 - b) * np.log1p(least / b) - least * np.log(least + b) + least)
    mixed = mixed + stirling(b) - stirling(least + b)
    both = -0.5 * np.log(b / (2 * pi)) - (s - 0.5) * np.log1p(b / s) - b * np.log1p(s / b)
    both = both + stirling(s) + stirling(b) - stirling(s + b)
    found: Array = np.where(a < BIG, mixed, both) + grown
    return found


def _beta(a: Array, b: Array) -> Array:
    """B(a, b); where an argument is small, by Γ(x) = Γ(1 + x) / x: its logarithm loses digits."""
    factor, a, b = _above_0(a, b)
    s, t = np.minimum(a, b), np.maximum(a, b)
    small = (s > 0.0) & (s < 0.5) & (t < inf)
    u, v = np.where(small, s, 0.25), np.where(small, t, 1.0)
    near = np.exp(_lgamma(1.0 + u) - log_gamma_ratio(u, v)) / u
    return factor * np.where(small, near, np.exp(_log_beta_above_0(a, b)))


def _lgamma(x: Array) -> Array:
    return np.asarray(lgamma(x))


def _beta_fronts(a: Array, b: Array, x: Array, y: Array) -> tuple[Array, Array]:
    """Return two factors of x^a y^b / (a B(a, b)): a number, and the logarithm of another.

    y is 1 - x; of x and y the smaller one counts as exact.
    """
    least = a < b
    s, t = np.where(least, a, b), np.where(least, b, a)
    u, v = np.where(least, x, y), np.where(least, y, x)
    log_v = np.where(v < 0.5, np.log(v), np.log1p(-u))
    p, q, large = np.minimum(a, BIG), np.minimum(b, BIG), np.maximum(t, BIG)
    few = np.power(x, p) * np.power(y, q) * (q / (p + q))
    few = few * (gamma_of(p + q + 1.0) / (gamma_of(p + 1.0) * gamma_of(q + 1.0)))
    both, c = np.maximum(s, BIG), s + large
    mixed = np.power(u * c, np.minimum(s, BIG)) / gamma_of(np.minimum(s, BIG) + 1.0)
    mixed = mixed * np.where(least, 1.0, s / large)
    less, rest = log1p_less(s / large), stirling(c) - stirling(large)
    log_mixed = large * (log_v + less) - 0.5 * np.log1p(s / large) + rest
    c = both + large
    more = excess(both, large, u, v)
    g, h = more / both, -more / large
    rest = stirling(c) - stirling(both) - stirling(large)
    many = both * _log_less(g, u, c / both) + large * _log_less(h, v, c / large) + rest
    many_front = np.sqrt(both / c * large / (2.0 * pi)) / np.maximum(a, 1.0)
    front = np.where(t < BIG, few, np.where(s < BIG, mixed, many_front))
    return front, np.where(t < BIG, 0.0, np.where(s < BIG, log_mixed, many))


def raised_beta_front(a: Array, b: Array, x: Array, y: Array) -> Array:
    """x^a y^b / (a B(a, b))"""
    front, log_front = _beta_fronts(a, b, x, y)
    half = np.exp(0.5 * log_front)  # a tiny exponential may meet a large front
    return half * front * half


def log_raised_beta_front(a: Array, b: Array, x: Array, y: Array) -> Array:
    """ln(x^a y^b / (a B(a, b)))"""
    front, log_front = _beta_fronts(a, b, x, y)
    lost = (front == 0.0) | (front == inf)
    log_x, log_y = (np.where(p < 0.5, np.log(p), np.log1p(-q)) for p, q in ((x, y), (y, x)))
    plain = a * log_x + b * log_y - log_beta(a, b) - np.log(a)
    return np.where(lost, plain, np.log(front) + log_front)


def _beta_density(a: Array, b: Array, x: Array) -> Array:
    """x^(a-1) (1-x)^(b-1) / B(a, b)"""
    known, inside = _beta_known(a, b, x), (x > 0.0) & (x < 1.0)
    a0, b0 = a, b
    a, b, z = np.where(known, a, 1.0), np.where(known, b, 1.0), np.where(inside, x, 0.5)
    y = 1.0 - z
    inner = raised_beta_front(a, b, z, y) * a / (z * y)
    tiny = _power(z, a - 1.0) * np.exp(-log_beta(a, b))  # where its quotient underflows
    inner = np.where((z < 1e-100) & (a >= 1.0) & (b <= 1e100), np.where(a < BIG, tiny, 0.0), inner)
    own, other = np.where(x == 0.0, a, b), np.where(x == 0.0, b, a)
    ends = np.where(own == 1.0, other, np.where(own < 1.0, inf, 0.0))
    return np.where(known, np.where(inside, inner, ends), _of_point_masses(a0, b0, x))


def _of_point_masses(*args: Array) -> Array:
    """Return 0, the density beside a point of all the mass, where parameters are 0 or infinite."""
    fair = np.ones(args[0].shape, bool)
    for arg in args:
        fair = fair & (arg >= 0.0)
    return np.where(fair, 0.0, np.nan)


def _beta_known(a: Array, b: Array, x: Array) -> Array:
    return (a > 0.0) & (b > 0.0) & (x >= 0.0) & (x <= 1.0) & (a + b < np.inf)


def _power(x: Array, a: Array) -> Array:
    return np.where(a == 0.0, 1.0, np.power(x, a))


# --- logarithms of densities, and their slopes in the parameters ----------------------------------


def log_gamma_front(a: Array, x: Array) -> Array:
    """ln(x^a e^-x / Γ(a))"""
    size = np.maximum(a, BIG)
    u = np.where(np.isinf(x), 0.0, x - size) / size
    large = size * _log_less(u, x, 1.0 / size) - stirling(size) + 0.5 * np.log(size / (2.0 * pi))
    return np.where(a < BIG, a * np.log(x) - x - _lgamma(np.minimum(a, BIG)), large)


def _log_gamma_density(a: Array, x: Array) -> Array:
    known = (a > 0.0) & (x >= 0.0) & (a < np.inf)
    inside = (x > 0.0) & (x < np.inf)
    z = np.where(inside, x, 1.0)
    b = np.where(known, a, 1.0)
    few = (b - 1.0) * np.log(z) - z - _lgamma(np.minimum(b, BIG))
    y = np.where(b < BIG, few, log_gamma_front(b, z) - np.log(z))
    at_0 = np.where(a == 1.0, 0.0, np.where(a < 1.0, np.inf, -np.inf))
    return np.where(known, np.where(inside, y, np.where(x == 0.0, at_0, -np.inf)), np.nan)


def _log_beta_density(a: Array, b: Array, x: Array) -> Array:
    known, inside = _beta_known(a, b, x), (x > 0.0) & (x < 1.0)
    a, b, z = np.where(known, a, 1.0), np.where(known, b, 1.0), np.where(inside, x, 0.5)
    y = log_raised_beta_front(a, b, z, 1.0 - z) + np.log(a) - np.log(z) - np.log1p(-z)
    own, other = np.where(x == 0.0, a, b), np.where(x == 0.0, b, a)
    ends = np.where(own == 1.0, np.log(other), np.where(own < 1.0, np.inf, -np.inf))
    return np.where(known, np.where(inside, y, ends), np.nan)


def digamma_rest(x: Array) -> Array:
    """ln x - ψ(x), for x >= BIG."""
    r, total = 1.0 / (x * x), np.zeros_like(x)
    for c in reversed(DIGAMMA_REST):
        total = (total + c) * r
    return 0.5 / x + total


def _gamma_gap(a: Array, x: Array) -> Array:
    """ln x - ψ(a)"""
    size = np.maximum(a, BIG)
    u = np.where(np.isinf(x), 1.0, x - size) / size
    ratio = np.where(np.abs(u) < 0.5, np.log1p(u), np.log(x) - np.log(size))
    few = np.log(x) - np.asarray(digamma(np.minimum(a, BIG)))
    return np.where(a < BIG, few, ratio + digamma_rest(size))


def less_rest(a: Array, b: Array) -> Array:
    """digamma_rest(a) - digamma_rest(a + b)"""
    ratio, r, total = np.log1p(b / a), 1.0 / (a * a), np.zeros_like(a)
    for k in range(len(DIGAMMA_REST), 0, -1):  # the difference of x^-2k at a and at a + b
        total = total - DIGAMMA_REST[k - 1] * r**k * np.expm1(-2.0 * k * ratio)
    rest: Array = (b / (a + b)) * (0.5 / a) + total
    return rest


def _digamma_gap(a: Array, b: Array) -> Array:
    """ψ(a + b) - ψ(a), for positive numbers from positive terms."""
    lowest = np.minimum(a, a + b)
    a, below = np.where(lowest < LOWEST, np.nan, a), np.zeros_like(a)
    while (np.minimum(a, a + b) < 0.0).any():
        low = np.minimum(a, a + b) < 0.0
        below = below + np.where(low, b / (a + b) / a, 0.0)
        a = np.where(low, a + 1.0, a)
    gap = _gap_above_0(np.where(b < 0.0, a + b, a), np.abs(b))
    return below + np.where(b < 0.0, -gap, gap)


def _gap_above_0(a: Array, b: Array) -> Array:
    few = np.zeros_like(a)
    for k in range(int(BIG)):
        c = a + k
        few = few + np.where(a < BIG, b / (c + b) / c, 0.0)
    large = np.where(a < BIG, a + BIG, a)
    gap: Array = few + np.log1p(b / large) + less_rest(large, b)
    return gap


def excess(a: Array, b: Array, x: Array, y: Array) -> Array:
    """b x - a y, rounded once: it cancels near the mean; y is 1 - x, the larger one rounded."""
    _, size = np.frexp(np.maximum(a, b))  # a power of two, so that nothing overflows
    a, b = np.ldexp(a, -size), np.ldexp(b, -size)
    p, q = b * x, a * y
    larger = (1.0 - np.maximum(x, y)) - np.minimum(x, y)  # what the rounded one lacks
    lost = product_error(p, b, x) - product_error(q, a, y)
    lost = lost + larger * np.where(x > y, b, -a)
    found: Array = np.ldexp((p - q) + lost, size)
    return found


def slope_of_front(a: Array, b: Array, x: Array, y: Array) -> Array:
    """ln x - ψ(a) + ψ(a + b), which is near 0 where x is near a / (a + b); y is 1 - x."""
    size = np.maximum(a, BIG)
    u = excess(size, b, x, y) / size
    ratio = np.where(np.abs(u) < 0.5, np.log1p(u), np.log(x) + np.log1p(b / size))
    log_x = np.where(x < 0.5, np.log(x), np.log1p(-y))
    far = np.log(x * (a + b)) - digamma_rest(a + b) - np.asarray(digamma(np.minimum(a, BIG)))
    few = np.where((x < 0.5) & (b >= BIG), far, log_x + _digamma_gap(a, b))
    return np.where(a < BIG, few, ratio + less_rest(size, b))


def log_gamma_ratio(a: Array, b: Array) -> Array:
    """ln Γ(a + b) - ln Γ(b), relative to a where a is small."""
    few, raised = np.zeros_like(a), b
    for _ in range(int(BIG)):
        low = raised < BIG
        few = few + np.where(low, np.log1p(a / raised), 0.0)
        raised = np.where(low, raised + 1.0, raised)
    ratio = np.log1p(a / raised)
    total = np.zeros_like(a)
    for k, c in reversed(list(enumerate(STIRLING))):
        total = total + c * raised ** (-2.0 * k - 1.0) * np.expm1((-2.0 * k - 1.0) * ratio)
    large = raised * log1p_less(a / raised) - 0.5 * ratio + a * np.log(a + raised) + total
    ratio_of_both: Array = large - few
    return ratio_of_both


gamma_gap: Primitive = pointwise(
    "gamma_gap",
    lambda t, y, a, x: -t * polygamma(1.0, a),
    lambda t, y, a, x: t / x,
    params="a x",
    domain=((0.0, np.inf), (0.0, np.inf)),
    forward=quiet(_gamma_gap),
    tex=r"\ln x - \psi(a)",
    summary="Derivative of the logarithm of the gamma density with respect to a",
)
digamma_gap: Primitive = pointwise(
    "digamma_gap",
    lambda t, y, a, b: t * (polygamma(1.0, a + b) - polygamma(1.0, a)),
    lambda t, y, a, b: t * polygamma(1.0, a + b),
    domain=((0.0, np.inf), (0.0, np.inf)),
    forward=quiet(_digamma_gap),
    tex=r"\psi(a + b) - \psi(a)",
    summary="Difference of digamma at a + b and at a",
)
beta_gap: Primitive = pointwise(
    "beta_gap",
    lambda t, y, a, b, x: t * (polygamma(1.0, a + b) - polygamma(1.0, a)),
    lambda t, y, a, b, x: t * polygamma(1.0, a + b),
    lambda t, y, a, b, x: t / x,
    params="a b x",
    domain=((0.0, np.inf), (0.0, np.inf), (0.0, 1.0)),
    forward=quiet(lambda a, b, x: slope_of_front(a, b, x, 1.0 - x)),
    tex=r"\ln x + \psi(a + b) - \psi(a)",
    summary="Derivative of the logarithm of the beta density with respect to a",
)
beta_gap_of_b: Primitive = pointwise(
    "beta_gap_of_b",
    lambda t, y, a, b, x: t * polygamma(1.0, a + b),
    lambda t, y, a, b, x: t * (polygamma(1.0, a + b) - polygamma(1.0, b)),
    lambda t, y, a, b, x: -t / (1.0 - x),
    params="a b x",
    domain=((0.0, np.inf), (0.0, np.inf), (0.0, 1.0)),
    forward=quiet(lambda a, b, x: slope_of_front(b, a, 1.0 - x, x)),
    tex=r"\ln(1 - x) + \psi(a + b) - \psi(b)",
    summary="Derivative of the logarithm of the beta density with respect to b",
)


def _unless_0(y: Numeric, factor: Any) -> Any:
    """y times factor, and 0 where y is 0, even if the factor is infinite."""
    return where(equal(y, 0.0), 0.0, y * factor)


def _gamma_slope(y: Numeric, a: Numeric, x: Numeric) -> Numeric:
    """Return ((a - 1) / x - 1) y, near 0 by the density of a - 1, where y may underflow."""
    edge, steep = equal(x, 0.0), (a > 1.0) & (x < 1e-100)
    inner: Numeric = _unless_0(y, less_1_over(a, where(edge, 1.0, x)))
    near = gamma_density(where(steep, a - 1.0, 1.0), where(steep, x, 1.0)) - y
    return where(steep, near, where(edge, where(equal(a, 1.0), -1.0, -inf), inner))


def _beta_slope(y: Numeric, a: Numeric, b: Numeric, x: Numeric) -> Numeric:
    """Return ((a - 1) / x - (b - 1) / (1 - x)) y, at the ends by densities of others."""
    left, right = equal(x, 0.0), equal(x, 1.0)
    z = where(left | right, 0.5, x)
    inner: Numeric = _unless_0(y, ((a - 1.0) * (1.0 - z) - (b - 1.0) * z) / (z * (1.0 - z)))
    at_0, at_1 = _slope_at_0(y, a, b, 0.0 * x), -_slope_at_0(y, b, a, 0.0 * x)
    return where(left, at_0, where(right, at_1, inner))


def _slope_at_0(y: Numeric, a: Numeric, b: Numeric, x: Numeric) -> Numeric:
    steep = a > 1.0
    grown = (a + b - 1.0) * beta_density(where(steep, a - 1.0, 1.0), b, x)
    return where(steep, grown, where(equal(a, 1.0), -(b - 1.0) * y, -inf))


def _log_gamma_slope(a: Numeric, x: Numeric) -> Numeric:
    """Return (a - 1) / x - 1."""
    whole = equal(x, inf) | equal(a, 1.0)
    return where(whole, -1.0, less_1_over(a, where(whole, 1.0, x)))


def less_1_over(a: Numeric, x: Numeric) -> Numeric:
    """Return (a - 1) / x - 1 from an exact difference: a - 1 of small a, a - x of large ones."""
    few = a < 2.0
    return where(few, (a - 1.0) / x - 1.0, ((a - x) - 1.0) / x)


def _log_beta_slope(a: Numeric, b: Numeric, x: Numeric) -> Numeric:
    """Return (a - 1) / x - (b - 1) / (1 - x)."""
    left, right = equal(a, 1.0), equal(b, 1.0)
    over = where(left, 0.0, (a - 1.0) / where(left, 1.0, x))
    under = where(right, 0.0, (b - 1.0) / where(right, 1.0, 1.0 - x))
    return over - under


# fmt: off
gamma_density: Primitive = pointwise("gamma_density",
    lambda t, y, a, x: t * _unless_0(y, gamma_gap(a, x)),
    lambda t, y, a, x: t * _gamma_slope(y, a, x),
    params="a x", domain=((0.0, np.inf), (0.0, np.inf)), forward=quiet(_gamma_density),
    tex=r"\frac{x^{a - 1} e^{-x}}{\Gamma(a)}", summary="Density of the gamma distribution")
beta_density: Primitive = pointwise("beta_density",
    lambda t, y, a, b, x: t * _unless_0(y, beta_gap(a, b, x)),
    lambda t, y, a, b, x: t * _unless_0(y, beta_gap_of_b(a, b, x)),
    lambda t, y, a, b, x: t * _beta_slope(y, a, b, x),
    params="a b x", domain=((0.0, np.inf), (0.0, np.inf), (0.0, 1.0)), forward=quiet(_beta_density),
    tex=r"\frac{x^{a - 1} (1 - x)^{b - 1}}{B(a, b)}", summary="Density of the beta distribution")
log_gamma_density: Final = pointwise("log_gamma_density",
    lambda t, y, a, x: t * gamma_gap(a, x), lambda t, y, a, x: t * _log_gamma_slope(a, x),
    params="a x", domain=((0.0, np.inf), (0.0, np.inf)), forward=quiet(_log_gamma_density),
    tex=r"(a - 1) \ln x - x - \ln \Gamma(a)",
    summary="Logarithm of the density of the gamma distribution")
log_beta_density: Final = pointwise("log_beta_density",
    lambda t, y, a, b, x: t * beta_gap(a, b, x), lambda t, y, a, b, x: t * beta_gap_of_b(a, b, x),
    lambda t, y, a, b, x: t * _log_beta_slope(a, b, x),
    params="a b x", domain=((0.0, np.inf), (0.0, np.inf), (0.0, 1.0)),
    forward=quiet(_log_beta_density), tex=r"(a - 1) \ln x + (b - 1) \ln(1 - x) - \ln B(a, b)",
    summary="Logarithm of the density of the beta distribution")
betaln: Final = pointwise("betaln",
    lambda t, y, a, b: -t * digamma_gap(a, b), lambda t, y, a, b: -t * digamma_gap(b, a),
    domain=((0.0, np.inf), (0.0, np.inf)), forward=quiet(log_beta), tex=r"\ln B(a, b)",
    summary="Logarithm of the beta function", points=((0.5, 0.5), (1e-5, 1e5), (20.0, 30.0)))
beta: Final = pointwise("beta",
    lambda t, y, a, b: -t * _unless_0(y, digamma_gap(a, b)),
    lambda t, y, a, b: -t * _unless_0(y, digamma_gap(b, a)),
    domain=((0.0, np.inf), (0.0, np.inf)), forward=quiet(_beta),
    tex=r"B(a, b) = \frac{\Gamma(a) \Gamma(b)}{\Gamma(a + b)}", summary="Beta function",
    points=((0.5, 0.5), (1e-5, 1e5), (20.0, 30.0)))
# fmt: on


# --- derivatives of densities in their parameters -------------------------------------------------


def derivatives_of_rate(y: Any, slope: Callable[[int, int], Any], m: int, n: int) -> Any:
    """Return ∂ᵐ/∂aᵐ ∂ⁿ/∂bⁿ of y, from the derivatives of its logarithm, by the rule of Leibniz."""

    @cache
    def of(m: int, n: int) -> Any:
        if not m and not n:
            return y
        i, j = (m - 1, n) if m else (m, n - 1)
        terms = [
            comb(i, k) * comb(j, r) * of(i - k, j - r) * slope(k + (m > 0), r + (not m))
            for k in range(i + 1)
            for r in range(j + 1)
        ]
        return sum(terms[1:], terms[0])

    return of(m, n)


def derivatives_of_gamma(m: int, a: Any, x: Any) -> Any:
    """Return the m-th derivative of the density of the gamma distribution in a."""

    def slope(i: int, _: int) -> Any:
        return gamma_gap(a, x) if i == 1 else -polygamma(float(i - 1), a)

    return derivatives_of_rate(gamma_density(a, x), slope, m, 0)


def log_density_slope(i: int, j: int, a: Any, b: Any, x: Any) -> Any:
    """Return the i-th derivative in a of the j-th in b of ln of the beta density, for i + j > 0."""
    if i + j == 1:
        return beta_gap(a, b, x) if i else beta_gap_of_b(a, b, x)
    whole = polygamma(float(i + j - 1), a + b)
    return whole if i and j else whole - polygamma(float(i + j - 1), a if i else b)


def derivatives_of_beta(m: int, n: int, a: Any, b: Any, x: Any) -> Any:
    """Return the m-th derivative in a of the n-th in b of the density of the beta distribution."""
    density = beta_density(a, b, x)
    return derivatives_of_rate(density, lambda i, j: log_density_slope(i, j, a, b, x), m, n)
