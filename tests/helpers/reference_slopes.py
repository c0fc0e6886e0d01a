"""What the slopes of the table have to compute for mpmath: t f'(x), and its derivatives."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import mpmath as mp


def sigmoid(x):
    return 1 / (1 + mp.exp(-x))


def bell(x):
    return sigmoid(x) * sigmoid(-x)


def cubic(x):
    """The exponent in gelu's tanh form, its slope, and x times its second derivative."""
    c, k = mp.sqrt(8 / mp.pi), mp.mpf("0.044715")
    return c * (x + k * x**3), c * (1 + 3 * k * x**2), 6 * c * k * x**2


def silu_bend(x):
    return bell(x) * (2 - x * mp.tanh(x / 2))


def gelu_tanh_bend(x):
    u, rise, bend = cubic(x)
    return bell(u) * (2 * rise + bend - x * rise**2 * mp.tanh(u / 2))


def power(a, b):
    return mp.mpf(b == 0) if a == 0 and b >= 0 else mp.inf if a == 0 else mp.power(a, b)


def power_bend(a, b):
    if b in (0, 1):
        return mp.mpf(0)
    return b * (b - 1) * power(a, b - 2) if a >= 0 or mp.isint(b) else mp.nan


def power_mixed(a, b):
    if a <= 0:
        return mp.mpf(0) if a == 0 else mp.nan
    return power(a, b - 1) * (1 + b * mp.log(a))


def rise(of: Callable[..., Any], *bends: Callable[..., Any]) -> tuple[Any, ...]:
    """The row of a slope: t f'(x), and its derivatives by t and by each argument."""
    return (
        lambda t, *xs: t * of(*xs),
        lambda t, *xs: of(*xs),
        *(lambda t, *xs, bend=bend: t * bend(*xs) for bend in bends),
    )


def cube_root(x):
    return mp.sign(x) * mp.cbrt(abs(x))


def length(a, b):
    return mp.hypot(a, b)


def clamped(logarithm):
    return max(logarithm, mp.mpf(-100)) if logarithm == logarithm else logarithm


def log_of(p):
    return clamped(mp.log(p) if p > 0 else -mp.inf)


def log_of_rest(p):
    return clamped(mp.log1p(-p) if p < 1 else -mp.inf)


def label_terms(p, label):
    never = mp.mpf(1e-12)
    return (1 - label) / max(1 - p, never), label / max(p, never)


SLOPES: dict[str, tuple[Any, ...]] = {
    "asin_slope": rise(
        lambda x: 1 / mp.sqrt((1 - x) * (1 + x)),
        lambda x: x / mp.sqrt((1 - x) * (1 + x)) ** 3,
    ),
    "atanh_slope": rise(
        lambda x: 1 / ((1 - x) * (1 + x)), lambda x: 2 * x / ((1 - x) * (1 + x)) ** 2
    ),
    "atan_slope": rise(lambda x: 1 / (1 + x**2), lambda x: -2 * x / (1 + x**2) ** 2),
    "asinh_slope": rise(lambda x: 1 / mp.sqrt(1 + x**2), lambda x: -x / mp.sqrt(1 + x**2) ** 3),
    "tanh_slope": rise(lambda x: 1 / mp.cosh(x) ** 2, lambda x: -2 * mp.tanh(x) / mp.cosh(x) ** 2),
    "atan2_slope": rise(
        lambda a, b: a / (a**2 + b**2),
        lambda a, b: (b - a) * (b + a) / (a**2 + b**2) ** 2,
        lambda a, b: -2 * a * b / (a**2 + b**2) ** 2,
    ),
    "hypot_slope": rise(
        lambda a, b: a / length(a, b),
        lambda a, b: b**2 / length(a, b) ** 3,
        lambda a, b: -a * b / length(a, b) ** 3,
    ),
    "cbrt_slope": rise(
        lambda x: 1 / (3 * cube_root(x) ** 2), lambda x: -2 / (9 * cube_root(x) ** 5)
    ),
    "pow_slope": rise(
        lambda a, b: b * power(a, b - 1) if b else mp.mpf(0), power_bend, power_mixed
    ),
    "pow_exponent_slope": rise(
        lambda a, b: power(a, b) * mp.log(a) if a > 0 else mp.nan,
        power_mixed,
        lambda a, b: power(a, b) * mp.log(a) ** 2 if a > 0 else mp.nan,
    ),
    "erf_slope": rise(
        lambda x: 2 / mp.sqrt(mp.pi) * mp.exp(-x * x),
        lambda x: -4 * x / mp.sqrt(mp.pi) * mp.exp(-x * x),
    ),
    "sigmoid_slope": rise(bell, lambda x: -bell(x) * mp.tanh(x / 2)),
    "silu_slope": rise(lambda x: sigmoid(x) + x * bell(x), silu_bend),
    "gelu_slope": rise(
        lambda x: mp.ncdf(x) + x * mp.npdf(x) if abs(x) < 1e5 else mp.mpf(x > 0),
        lambda x: mp.npdf(x) * (2 - x**2),
    ),
    "gelu_tanh_slope": rise(
        lambda x: sigmoid(cubic(x)[0]) + x * bell(cubic(x)[0]) * cubic(x)[1], gelu_tanh_bend
    ),
    "share_slope": rise(
        lambda a, b: a / (a + b), lambda a, b: b / (a + b) ** 2, lambda a, b: -a / (a + b) ** 2
    ),
    "label_surprise": (
        lambda p, label: -label * log_of(p) - (1 - label) * log_of_rest(p),
        lambda p, label: label_terms(p, label)[0] - label_terms(p, label)[1],
        lambda p, label: log_of_rest(p) - log_of(p),
    ),
}

# Near its zeros a second derivative is the difference of two terms: the larger one.
LARGER: dict[tuple[str, int | None], Callable[..., Any]] = {
    ("silu_slope", 1): lambda t, x: 2 * t * bell(x),
    ("gelu_tanh_slope", 1): lambda t, x: 2 * t * bell(cubic(x)[0]) * (cubic(x)[1] + cubic(x)[2]),
    ("pow_slope", 2): lambda t, a, b: t * power(a, b - 1) if a > 0 else mp.mpf(0),
    ("pow_exponent_slope", 1): lambda t, a, b: t * power(a, b - 1) if a > 0 else mp.mpf(0),
    ("label_surprise", 0): lambda p, label: max(label_terms(p, label)),
    ("label_surprise", 1): lambda p, label: log_of(p),
}
