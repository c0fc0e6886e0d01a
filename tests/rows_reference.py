"""What every row of the table has to compute, said a second time, in 60 digits, by mpmath.

`REFERENCE` maps the name of a row to its function and its derivatives, one per argument (``None``
where the row declares none). They are textbook formulas, without any care for rounding: that is
what the digits are for. Kinks follow the conventions that the rows state. `arguments` draws the
arguments, from a generator that is seeded by the name of the row.
"""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Iterator
from typing import Any

import mpmath as mp

from gradwalk.ops import TABLE

Args = tuple[float, ...]
DIGITS = 60
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


# --- arguments ------------------------------------------------------------------------------

Draw = Callable[[random.Random], float]


def wide(rng: random.Random) -> float:
    return rng.choice((-1.0, 1.0)) * 10.0 ** rng.uniform(-308.0, 308.0)


def middle(rng: random.Random) -> float:
    return rng.choice((-1.0, 1.0)) * 10.0 ** rng.uniform(-4.0, 4.0)


def between(low: float, high: float) -> Draw:
    return lambda rng: rng.uniform(low, high)


def positive(draw: Draw) -> Draw:
    return lambda rng: abs(draw(rng))


def near(*points: float) -> Draw:
    """Close to one of some points, at any distance down to the next float."""

    def draw(rng: random.Random) -> float:
        point = rng.choice(points)
        return point + rng.choice((-1.0, 1.0)) * (abs(point) or 1.0) * 10.0 ** rng.uniform(-17, -0.5)

    return draw


def whole(low: int, high: int) -> Draw:
    return lambda rng: float(rng.randint(low, high))


POSITIVE = (positive(wide), positive(middle), near(1.0), between(0.1, 10.0))
USUAL = (wide, middle, between(-3.0, 3.0), between(-50.0, 50.0), between(-800.0, 800.0))
EDGE = math.nextafter(1.0, 0.0)
UNIT = (
    lambda rng: max(-EDGE, min(EDGE, near(1.0, -1.0, 0.0)(rng))),
    between(-1.0, 1.0),
    lambda rng: rng.choice((-1.0, 1.0)) * 10.0 ** rng.uniform(-308.0, -1.0),
)
ABOVE_ONE = (
    lambda rng: 1.0 + positive(wide)(rng) + 2.0**-52,
    between(1.0, 3.0),
    lambda rng: 1.0 + 10.0 ** rng.uniform(-15.0, 0.0),
)
ABOVE_MINUS_ONE = (
    positive(wide),
    between(-1.0, 1.0),
    near(0.0),
    lambda rng: 10.0 ** rng.uniform(-16.0, 0.0) - 1.0,
)
BOUNDS = (middle, between(-2.0, 2.0))

BASES = (*POSITIVE, near(1.0), between(0.0, 3.0))
EXPONENTS = (middle, between(-5.0, 5.0), whole(-4, 4), between(-300.0, 300.0), near(0.5, 1.0))

# For each argument the draws that take turns; rows that are not listed take `USUAL`.
DRAWS: dict[str, tuple[tuple[Draw, ...], ...]] = {
    **{name: (POSITIVE,) for name in ("sqrt", "log", "log2", "log10")},
    **{name: (UNIT,) for name in ("asin", "acos", "atanh")},
    **{name: (BOUNDS,) * 3 for name in ("clip", "hardtanh")},
    **{name: (USUAL, BOUNDS) for name in ("leaky_relu", "elu")},
    **{name: ((*USUAL, between(-27.5, 27.5)),) for name in ("erf", "erfc")},
    "acosh": (ABOVE_ONE,),
    "log1p": (ABOVE_MINUS_ONE,),
    "pow": (BASES, EXPONENTS),
    "exp2": ((*USUAL, between(1022.0, 1025.0), between(-1080.0, -1020.0)),),
    "where": ((whole(0, 1),), USUAL, USUAL),
    "sinc": ((*USUAL, near(0.0, 1.0, 2.0, -3.0), near(0.5, -0.5, 1.5)),),
    "lgamma": ((*POSITIVE, near(1.0, 2.0), between(0.5, 5.0), between(-12.0, 0.0), wide),),
    "digamma": ((*POSITIVE, near(1.4616321449683622), between(0.5, 5.0), between(-12.0, 0.0)),),
    "polygamma": ((whole(1, 1),), (*POSITIVE, between(0.5, 5.0), between(-12.0, 0.0))),
    "silu": ((*USUAL, near(-1.2784645427610738), between(-746.0, -700.0)),),
    "gelu": ((*USUAL, near(-0.7517915246935645), between(-39.0, 0.0), between(-38.6, -37.0)),),
    "gelu_tanh": ((*USUAL, near(-0.7524614220710163), between(-22.0, 0.0)),),
}


def arguments(name: str, count: int) -> Iterator[Args]:
    """The points of the row, then ``count`` drawn arguments, the same in every run."""
    row, rng = TABLE[name], random.Random(name)
    yield from row.points
    draws = DRAWS.get(name, (USUAL,) * row.arity)
    for _ in range(count):
        yield tuple(rng.choice(choices)(rng) for choices in draws)


# --- where a formula cancels ------------------------------------------------------------------
# Near these zeros a result is the small difference of two terms that are themselves right to the
# last bits, and only arithmetic in twice the digits could keep its relative accuracy. There the
# bound is 4 ulp of the larger term: (row, index of the argument, or None for the value) -> term.

Term = Callable[..., Any]


def cotangent_term(x):
    return mp.pi * mp.cospi(x) / mp.sinpi(x) if x < 0 and not mp.isint(x) else mp.mpf(0)


def tetragamma_term(x):
    return 2 * cotangent_term(x) * (mp.pi / mp.sinpi(x)) ** 2 if x < 0 else mp.mpf(0)


def lgamma_term(x):
    return max(1, abs(reflection(x))) if x < 0 and not mp.isint(x) else mp.mpf(0)


CANCELS: dict[tuple[str, int | None], Term] = {
    ("logaddexp", None): lambda a, b: max(a, b),  # where e^a + e^b is close to 1
    ("sinc", 0): lambda x: mp.sincpi(x) / x if abs(x) > 0.5 else mp.mpf(0),  # tan(pi x) = pi x
    ("lgamma", None): lgamma_term,  # two in each interval below -2
    ("lgamma", 0): cotangent_term,  # one in each interval below 0
    ("digamma", None): cotangent_term,
    ("polygamma", 1): lambda n, x: tetragamma_term(x),
}


# Four ulp, except for the polygammas of order 2 and more, which sum 18 powers (and, below 0, a
# polynomial in a cotangent): they are there so that lgamma can be differentiated again and again.
BOUND = 4.0
LOOSER: dict[tuple[str, int | None], float] = {("polygamma", 1): 16.0}

# Rows whose textbook formula cancels hundreds of digits.
MANY_DIGITS = {"mod": 700, "floordiv": 700}


# --- comparing ------------------------------------------------------------------------------


def exactly(f: Callable[..., Any], args: Args, digits: int = DIGITS) -> Any:
    """``f`` at floats, in as many digits as the cancellations in a textbook formula need."""
    with mp.workdps(digits):
        return mp.mpf(f(*map(mp.mpf, args)))


def error(name: str, index: int | None, got: float | None, args: Args) -> float:
    """Error of a value (``None``) or a derivative, as a multiple of the bound stated for it."""
    f = REFERENCE[name][0 if index is None else index + 1]
    expected = exactly(f, args, MANY_DIGITS.get(name, DIGITS))
    term = CANCELS.get((name, index))
    larger = exactly(term, args) if term and mp.isfinite(expected) else mp.mpf(0)
    nothing = 0.0 if got is None else got
    return ulps(nothing, expected, larger) / LOOSER.get((name, index), BOUND)


def ulps(got: float, expected: Any, term: Any = 0) -> float:
    """The distance of a float from what it stands for, in ulp of that (or of a larger term)."""
    if mp.isnan(expected) or math.isnan(got):
        return 0.0 if mp.isnan(expected) and math.isnan(got) else math.inf
    nearest = float(expected)
    if math.isinf(nearest) or math.isinf(got):
        limit = math.ldexp(1.0, 1023) * (2.0 - 2.0**-50)
        same = math.copysign(1.0, nearest) == math.copysign(1.0, got)
        return 0.0 if same and min(abs(nearest), abs(got)) >= limit else math.inf
    with mp.workdps(DIGITS):
        return float(abs(mp.mpf(got) - expected) / math.ulp(max(abs(nearest), abs(float(term)))))
