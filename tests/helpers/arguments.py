"""Arguments for every row, and how far a float may be from the number that it stands for.

The arguments go from 1e-308 to 1e308 and gather where it is difficult; a generator that is seeded
by the name of the row draws the same ones in every run. What is not right within 4 ulp is named
here, with its reason: `CANCELS` and `LOOSER`.
"""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Iterator
from typing import Any

import mpmath as mp

from gradwalk.core.primitive import Primitive
from gradwalk.ops import TABLE, zeros

from .reference import REFERENCE, reflection
from .reference_slopes import LARGER

Args = tuple[float, ...]
DIGITS = 60

# --- drawing --------------------------------------------------------------------------------

Draw = Callable[[random.Random], float]


def wide(rng: random.Random) -> float:
    return rng.choice((-1.0, 1.0)) * 10.0 ** rng.uniform(-308.0, 308.0)


def middle(rng: random.Random) -> float:
    return rng.choice((-1.0, 1.0)) * 10.0 ** rng.uniform(-4.0, 4.0)


def between(low: float, high: float) -> Draw:
    return lambda rng: rng.uniform(low, high)


def seed(rng: random.Random) -> float:
    """Not large: a large one would magnify the few digits of a slope that is denormal."""
    return rng.choice((-1.0, 1.0)) * rng.uniform(0.5, 1.0)


def positive(draw: Draw) -> Draw:
    return lambda rng: abs(draw(rng))


def near(*points: float) -> Draw:
    """Close to one of some points, at any distance down to the next float."""

    def draw(rng: random.Random) -> float:
        point = rng.choice(points)
        return point + rng.choice((-1.0, 1.0)) * (abs(point) or 1.0) * 10.0 ** rng.uniform(
            -17, -0.5
        )

    return draw


def whole(low: int, high: int) -> Draw:
    return lambda rng: float(rng.randint(low, high))


POSITIVE = (positive(wide), positive(middle), near(1.0), between(0.1, 10.0))
EXTREMES = (2.2250738585072014e-308, 1e-300, 1e-154, 1.5e-8, 1.0, 38.0, 709.5, 745.0, 2.0**52)
EXTREMES += (2.0**53 + 2.0, 1.34e154, 1.35e154, 1e300, 1.7976931348623157e308)


def extreme(rng: random.Random) -> float:
    """Where something over- or underflows, or stops having a fraction."""
    return rng.choice((-1.0, 1.0)) * rng.choice(EXTREMES)


USUAL = (extreme, wide, middle, between(-3.0, 3.0), between(-50.0, 50.0), between(-800.0, 800.0))
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
EXPONENTS = (
    *(middle, between(-5.0, 5.0), whole(-4, 4), between(-300.0, 300.0), near(0.5, 1.0)),
    lambda rng: rng.choice((-1.0, 1.0)) * 10.0 ** rng.uniform(15.0, 18.0),
)

LGAMMA_ZEROS, DIGAMMA_ZEROS, SINC_SLOPE_ZEROS = (
    near(*(zero for zero, *_ in table))
    for table in (zeros.LGAMMA_ZEROS, zeros.DIGAMMA_ZEROS, zeros.SINC_SLOPE_ZEROS)
)

LIST_ROWS = ("softmax", "log_softmax", "logsumexp")
REST = (between(1.0, 9.0), lambda rng: 1.0 + positive(middle)(rng))

# For each argument the draws that take turns; rows that are not listed take `USUAL`.
DRAWS: dict[str, tuple[tuple[Draw, ...], ...]] = {
    **dict.fromkeys(("sqrt", "log", "log2", "log10"), (POSITIVE,)),
    **dict.fromkeys(("asin", "acos", "atanh"), (UNIT,)),
    **dict.fromkeys(("clip", "hardtanh"), (BOUNDS,) * 3),
    **dict.fromkeys(("leaky_relu", "elu"), (USUAL, BOUNDS)),
    **{name: ((*USUAL, between(-27.5, 27.5)),) for name in ("erf", "erfc")},
    "acosh": (ABOVE_ONE,),
    "log1p": (ABOVE_MINUS_ONE,),
    "pow": (BASES, EXPONENTS),
    "exp2": ((*USUAL, between(1022.0, 1025.0), between(-1080.0, -1020.0)),),
    "where": ((whole(0, 1),), USUAL, USUAL),
    "sinc": ((*USUAL, near(0.0, 1.0, 2.0, -3.0), near(0.5, -0.5, 1.5), SINC_SLOPE_ZEROS),),
    "lgamma": (
        (
            *(*POSITIVE, near(1.0, 2.0), between(0.5, 5.0), between(-12.0, 0.0), wide),
            *(LGAMMA_ZEROS, DIGAMMA_ZEROS),
        ),
    ),
    "digamma": (
        (
            *(*POSITIVE, near(1.4616321449683622), between(0.5, 5.0), between(-12.0, 0.0)),
            DIGAMMA_ZEROS,
        ),
    ),
    "polygamma": ((whole(1, 1),), (*POSITIVE, between(0.5, 5.0), between(-12.0, 0.0))),
    "silu": ((*USUAL, near(-1.2784645427610738), between(-746.0, -700.0)),),
    "gelu": ((*USUAL, near(-0.7517915246935645), between(-39.0, 0.0), between(-38.6, -37.0)),),
    # shift is the largest member of a list, and rest the weight of the others, itself among them
    **dict.fromkeys(
        LIST_ROWS, ((between(-800.0, -1.0), between(-9.0, 3.0)), (between(3.0, 9.0),), REST)
    ),
    "gelu_tanh": ((*USUAL, near(-0.7524614220710163), between(-22.0, 0.0)),),
    "share_slope": ((seed,), REST, (positive(wide), between(0.1, 10.0))),
    "label_surprise": (
        (between(0.0, 1.0), positive(UNIT[0]), lambda rng: 10.0 ** rng.uniform(-60.0, 0.0)),
        (whole(0, 1), between(0.0, 1.0)),
    ),
}
for _name in TABLE:
    if _name.endswith("_slope") and _name not in DRAWS:
        _parent = _name.removesuffix("_slope").removesuffix("_exponent")
        _usual = (USUAL,) * (TABLE[_name].arity - 1)
        DRAWS[_name] = ((seed,), *DRAWS.get(_parent, _usual))


def arguments(name: str, count: int) -> Iterator[Args]:
    """The points of the row, then ``count`` drawn arguments, the same in every run."""
    primitive, rng = TABLE[name], random.Random(name)
    yield from primitive.points
    draws = DRAWS.get(name, (USUAL,) * primitive.arity)
    for _ in range(count):
        yield tuple(rng.choice(choices)(rng) for choices in draws)


def moderate(name: str, count: int) -> Iterator[Args]:
    """Arguments at which numerical differentiation is possible: no extremes, no poles, no kinks."""
    found = 0
    for args in arguments(name, 4000):
        usual = all(1e-3 < abs(x) < 30.0 for x in args) and len(set(args)) == len(args)
        if usual and args not in TABLE[name].points:
            found += 1
            yield args
            if found == count:
                return


# --- where a formula cancels ------------------------------------------------------------------
# Near these zeros a result is the small difference of two terms that are themselves right to the
# last bits, and only arithmetic in twice the digits could keep its relative accuracy. There the
# bound is 4 ulp of the larger term: (row, index of the argument, or None for the value) -> term.

Term = Callable[..., Any]


def far(beyond: float, term: Term) -> Term:
    """The zeros up to there are tabulated: 4 ulp of the result itself, however small it is."""
    return lambda x: term(x) if abs(x) > beyond else mp.mpf(0)


def cotangent_term(x):
    return mp.pi * mp.cospi(x) / mp.sinpi(x) if x < 0 and not mp.isint(x) else mp.mpf(0)


def tetragamma_term(x):
    return 2 * cotangent_term(x) * (mp.pi / mp.sinpi(x)) ** 2 if x < 0 else mp.mpf(0)


def lgamma_term(x):
    return max(1, abs(reflection(x))) if x < 0 and not mp.isint(x) else mp.mpf(0)


CANCELS: dict[tuple[str, int | None], Term] = {
    **LARGER,
    ("logaddexp", None): lambda a, b: max(a, b),  # where e^a + e^b is close to 1
    ("logsumexp", None): lambda x, shift, rest: max(abs(x), abs(shift)),
    ("sinc", 0): far(10.0, lambda x: mp.sincpi(x) / x),  # tan(pi x) = pi x
    ("lgamma", None): far(8.0, lgamma_term),  # two in each interval
    ("lgamma", 0): far(8.0, cotangent_term),  # one in each interval
    ("digamma", None): far(8.0, cotangent_term),
    ("polygamma", 1): lambda n, x: tetragamma_term(x),
}


# Four ulp, except for the polygammas of order 2 and more, which sum 18 powers (and, below 0, a
# polynomial in a cotangent): they are there so that lgamma can be differentiated again and again.
BOUND = 4.0
# And lgamma from -2.9 to -2.6, where it is small between two zeros (6.93 in the worst of 10,000),
# and digamma between -8 and 0, where two terms of its size are added (4.57 in 60,000).
LOOSER: dict[tuple[str, int | None], float] = {("polygamma", 1): 16.0, ("lgamma", None): 7.5}
LOOSER |= {("digamma", None): 5.0, ("lgamma", 0): 5.0}

# Second derivatives: 6 ulp. They are the derivatives of the slopes, whose rules are products of
# more factors (5.15 in the worst of 40,000, the second derivative of hypot).
SECOND = 6.0
LOOSER |= {
    (name, i): SECOND
    for name in TABLE
    if name.endswith("_slope")
    for i in range(1, TABLE[name].arity)
}

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


def partial(f: Callable[..., Any], args: tuple[Any, ...], index: int) -> Any:
    """∂f/∂args[index], numerically."""
    return mp.diff(lambda x: f(*args[:index], x, *args[index + 1 :]), args[index])


# --- rows -----------------------------------------------------------------------------------


def slopes(primitive: Primitive, args: Args, t: float = 1.0) -> list[Any]:
    """The contributions of a seed to every argument."""
    return list(primitive.contributions(t, primitive(*args), list(args)))


def same(got: float | None, expected: float | None) -> bool:
    """Equal as numbers; NaN is NaN, and no contribution is not 0.0."""
    if got is None or expected is None:
        return got is expected
    return got == expected or (got != got and expected != expected)


def mutant(primitive: Primitive, index: int) -> Primitive:
    """The row with one rule made wrong by 0.1 %."""

    def wrong(t: Any, y: Any, *args: Any) -> Any:
        contribution = primitive.rules[index](t, y, *args)
        return None if contribution is None else contribution * 1.001

    rules = (*primitive.rules[:index], wrong, *primitive.rules[index + 1 :])
    facts = {"forward": primitive.forward, "params": " ".join(primitive.params)}
    return Primitive("mutant", rules, **facts)
