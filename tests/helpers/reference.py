"""What every row of the table has to compute, said a second time for mpmath.

`REFERENCE` maps the name of a row to its function and its derivatives, one per argument (``None``
where the row declares none). They are textbook formulas, without any care for rounding: that is
what 60 digits are for. Kinks follow the conventions that the rows state.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import mpmath as mp

from .reference_slopes import SLOPES

NAN, INF = mp.nan, mp.inf

# --- functions that mpmath does not have under one name ------------------------------------


def sign(x):
    return mp.mpf((x > 0) - (x < 0))


def cbrt(x):
    return sign(x) * mp.cbrt(abs(x))


def power(a, b):
    if a == 0:
        if b == 0:
            return mp.mpf(1)
        return INF if b < 0 else mp.mpf(0)
    return mp.power(a, b) if a > 0 or mp.isint(b) else NAN


def power_slope(a, b):
    if b == 0:
        return mp.mpf(0)
    return b * power(a, b - 1)


def power_exponent_slope(a, b):
    if a == 0:
        return mp.mpf(0) if b >= 0 else -INF
    return power(a, b) * mp.log(a) if a > 0 else NAN


def sigmoid(x):
    return 1 / (1 + mp.exp(-x))


def softplus(x):
    return max(x, 0) + mp.log1p(mp.exp(-abs(x)))


def contribution(x, shift, rest):
    return mp.exp(x - shift) / (mp.exp(x - shift) + rest)


def logaddexp(a, b):
    return max(a, b) + mp.log1p(mp.exp(-abs(a - b)))


def tanh_slope(x):
    return 1 / mp.cosh(x) ** 2


def silu_slope(x):
    return sigmoid(x) + x * sigmoid(x) * sigmoid(-x)


def erfc(x):
    return mp.erfc(x) if abs(x) < 1e5 else mp.mpf(1 - sign(x))


def gelu(x):
    return x * erfc(-x / mp.sqrt(2)) / 2


def gelu_slope(x):
    return erfc(-x / mp.sqrt(2)) / 2 + x * mp.npdf(x)


def gelu_tanh_exponent(x):
    return mp.sqrt(8 / mp.pi) * (x + mp.mpf("0.044715") * x**3)


def gelu_tanh(x):
    return x * sigmoid(gelu_tanh_exponent(x))


def gelu_tanh_slope(x):
    u = gelu_tanh_exponent(x)
    slope = mp.sqrt(8 / mp.pi) * (1 + 3 * mp.mpf("0.044715") * x**2)
    return sigmoid(u) + x * sigmoid(u) * sigmoid(-u) * slope


def sinc_slope(x):
    if abs(x) < 1e-12:
        return -(mp.pi**2) * x / 3 + mp.pi**4 * x**3 / 30
    return (mp.cospi(x) - mp.sincpi(x)) / x


def lgamma(x):
    if x <= 0 and mp.isint(x):
        return INF
    return mp.loggamma(x) if x > 0 else reflection(x) - mp.loggamma(-x)


def reflection(x):
    return mp.log(mp.pi / abs(x * mp.sinpi(x)))


def polygamma(n, x):
    if n < 0 or not mp.isint(n):
        return NAN
    if x <= 0 and mp.isint(x):
        return NAN if n % 2 == 0 and x < 0 else (INF if n % 2 else -INF)
    return mp.psi(int(n), x)


def elu(x, alpha):
    return x if x > 0 else alpha * mp.expm1(x)


def clip(x, low, high):
    return min(max(x, low), high)


SELU_SCALE = mp.mpf("1.0507009873554804934193349852946")
SELU_ALPHA = mp.mpf("1.6732632423543772848170429916717")


def half_at_tie(a, b):
    return mp.mpf(1) if a > b else mp.mpf(0.5) if a == b else mp.mpf(0)


def facts(f: Callable[..., bool]) -> tuple[Any, ...]:
    return lambda a, b: mp.mpf(bool(f(a, b))), None, None


# name: (function, derivative for each argument)
REFERENCE: dict[str, tuple[Any, ...]] = {
    **SLOPES,
    "neg": (lambda x: -x, lambda x: -1),
    "add": (lambda a, b: a + b, lambda a, b: 1, lambda a, b: 1),
    "sub": (lambda a, b: a - b, lambda a, b: 1, lambda a, b: -1),
    "mul": (lambda a, b: a * b, lambda a, b: b, lambda a, b: a),
    "div": (lambda a, b: a / b, lambda a, b: 1 / b, lambda a, b: -a / b**2),
    "fma": (
        lambda a, b, c: a * b + c,
        lambda a, b, c: b,
        lambda a, b, c: a,
        lambda a, b, c: mp.mpf(1),
    ),
    "floordiv": (lambda a, b: mp.floor(a / b), None, None),
    "mod": (
        lambda a, b: a - b * mp.floor(a / b),
        lambda a, b: mp.mpf(1),
        lambda a, b: -mp.floor(a / b),
    ),
    "less": facts(lambda a, b: a < b),
    "less_equal": facts(lambda a, b: a <= b),
    "greater": facts(lambda a, b: a > b),
    "greater_equal": facts(lambda a, b: a >= b),
    "equal": facts(lambda a, b: a == b),
    "not_equal": facts(lambda a, b: a != b),
    "logical_and": facts(lambda a, b: a and b),
    "logical_or": facts(lambda a, b: a or b),
    "where": (
        lambda c, a, b: a if c else b,
        None,
        lambda c, a, b: mp.mpf(c != 0),
        lambda c, a, b: mp.mpf(c == 0),
    ),
    "maximum": (max, half_at_tie, lambda a, b: half_at_tie(b, a)),
    "minimum": (min, lambda a, b: half_at_tie(b, a), half_at_tie),
    "clip": (
        clip,
        lambda x, low, high: mp.mpf(low <= x <= high),
        lambda x, low, high: mp.mpf(x < low <= high),
        lambda x, low, high: mp.mpf(max(x, low) > high),
    ),
    "abs": (abs, sign),
    "sign": (sign, None),
    "floor": (mp.floor, None),
    "ceil": (mp.ceil, None),
    "round": (mp.nint, None),
    "pow": (power, power_slope, power_exponent_slope),
    "square": (lambda x: x * x, lambda x: 2 * x),
    "reciprocal": (lambda x: 1 / x, lambda x: -1 / x**2),
    "sqrt": (mp.sqrt, lambda x: 1 / (2 * mp.sqrt(x))),
    "cbrt": (cbrt, lambda x: 1 / (3 * cbrt(x) ** 2)),
    "exp": (mp.exp, mp.exp),
    "expm1": (mp.expm1, mp.exp),
    "exp2": (lambda x: mp.mpf(2) ** x, lambda x: mp.mpf(2) ** x * mp.log(2)),
    "log": (mp.log, lambda x: 1 / x),
    "log1p": (mp.log1p, lambda x: 1 / (1 + x)),
    "log2": (lambda x: mp.log(x) / mp.log(2), lambda x: 1 / (x * mp.log(2))),
    "log10": (lambda x: mp.log(x) / mp.log(10), lambda x: 1 / (x * mp.log(10))),
    "hypot": (
        mp.hypot,
        lambda a, b: a / mp.hypot(a, b) if a or b else mp.mpf(0),
        lambda a, b: b / mp.hypot(a, b) if a or b else mp.mpf(0),
    ),
    "sin": (mp.sin, mp.cos),
    "cos": (mp.cos, lambda x: -mp.sin(x)),
    "tan": (mp.tan, lambda x: 1 / mp.cos(x) ** 2),
    "asin": (mp.asin, lambda x: 1 / mp.sqrt((1 - x) * (1 + x))),
    "acos": (mp.acos, lambda x: -1 / mp.sqrt((1 - x) * (1 + x))),
    "atan": (mp.atan, lambda x: 1 / (1 + x**2)),
    "atan2": (
        mp.atan2,
        lambda y, x: x / (x**2 + y**2) if x or y else mp.mpf(0),
        lambda y, x: -y / (x**2 + y**2) if x or y else mp.mpf(0),
    ),
    "sinh": (mp.sinh, mp.cosh),
    "cosh": (mp.cosh, mp.sinh),
    "tanh": (mp.tanh, tanh_slope),
    "asinh": (mp.asinh, lambda x: 1 / mp.sqrt(1 + x**2)),
    "acosh": (mp.acosh, lambda x: 1 / mp.sqrt((x - 1) * (x + 1))),
    "atanh": (mp.atanh, lambda x: 1 / ((1 - x) * (1 + x))),
    "erf": (mp.erf, lambda x: 2 / mp.sqrt(mp.pi) * mp.exp(-x * x)),
    "erfc": (erfc, lambda x: -2 / mp.sqrt(mp.pi) * mp.exp(-x * x)),
    "sinc": (mp.sincpi, sinc_slope),
    "lgamma": (lgamma, lambda x: polygamma(0, x)),
    "digamma": (lambda x: polygamma(0, x), lambda x: polygamma(1, x)),
    "polygamma": (polygamma, None, lambda n, x: polygamma(n + 1, x)),
    "sigmoid": (sigmoid, lambda x: sigmoid(x) * sigmoid(-x)),
    "softplus": (softplus, sigmoid),
    "log_sigmoid": (lambda x: -softplus(-x), lambda x: sigmoid(-x)),
    "exp_difference": (
        lambda a, b: mp.exp(a - b),
        lambda a, b: mp.exp(a - b),
        lambda a, b: -mp.exp(a - b),
    ),
    "softmax": (
        contribution,
        lambda x, s, r: contribution(x, s, r) * (1 - contribution(x, s, r)),
        lambda x, s, r: -contribution(x, s, r) * (1 - contribution(x, s, r)),
        lambda x, s, r: -contribution(x, s, r) / (mp.exp(x - s) + r),
    ),
    "log_softmax": (
        lambda x, s, r: mp.log(contribution(x, s, r)),
        lambda x, s, r: r / (mp.exp(x - s) + r),
        lambda x, s, r: -r / (mp.exp(x - s) + r),
        lambda x, s, r: -1 / (mp.exp(x - s) + r),
    ),
    "logsumexp": (
        lambda x, s, r: s + mp.log(mp.exp(x - s) + r),
        contribution,
        lambda x, s, r: r / (mp.exp(x - s) + r),
        lambda x, s, r: 1 / (mp.exp(x - s) + r),
    ),
    "logaddexp": (logaddexp, lambda a, b: sigmoid(a - b), lambda a, b: sigmoid(b - a)),
    "silu": (lambda x: x * sigmoid(x), silu_slope),
    "relu": (lambda x: max(x, mp.mpf(0)), lambda x: mp.mpf(x > 0)),
    "leaky_relu": (
        lambda x, s: x if x > 0 else s * x,
        lambda x, s: mp.mpf(1) if x > 0 else s,
        lambda x, s: mp.mpf(0) if x > 0 else x,
    ),
    "hardtanh": (
        clip,
        lambda x, low, high: mp.mpf(low < x < high),
        lambda x, low, high: mp.mpf(x < low <= high),
        lambda x, low, high: mp.mpf(max(x, low) > high),
    ),
    "elu": (
        elu,
        lambda x, alpha: mp.mpf(1) if x > 0 else alpha * mp.exp(x),
        lambda x, alpha: mp.mpf(0) if x > 0 else mp.expm1(x),
    ),
    "selu": (
        lambda x: SELU_SCALE * elu(x, SELU_ALPHA),
        lambda x: SELU_SCALE * (1 if x > 0 else SELU_ALPHA * mp.exp(x)),
    ),
    "gelu": (gelu, gelu_slope),
    "gelu_tanh": (gelu_tanh, gelu_tanh_slope),
}
