"""Second derivatives of every operation, in all modes, from 1e-308 to 1e308, within a bound.

The expected numbers are differences in 1,500 digits, so that nothing cancels in them.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from functools import cache
from math import inf, nan
from typing import Any

import mpmath as mp
import numpy as np
import pytest

from gradwalk import Tensor, Value, grad, gradients, hessian, jvp, vmap
from gradwalk.ops import TABLE, gelu
from gradwalk.tensor.graph.backward import gradients as array_gradients
from gradwalk.tensor.graph.backward import tangent

from ..helpers.arguments import SECOND, Args, arguments, ulps
from ..helpers.reference import REFERENCE

# Without those whose second derivative is 0, those of whole numbers, and the slopes: the first
# derivatives of a slope are the second ones here, and what follows needs no bound.
NAMES = """mul div pow square reciprocal sqrt cbrt exp expm1 exp2 log log1p log2 log10 hypot sin cos
tan asin acos atan atan2 sinh cosh tanh asinh acosh atanh erf erfc sinc sigmoid softplus log_sigmoid
logaddexp exp_difference softmax log_softmax logsumexp silu elu selu gelu gelu_tanh lgamma digamma
label_surprise""".split()  # noqa: SIM905

COUNT = 30
FEWER = dict.fromkeys(("softmax", "log_softmax", "logsumexp", "gelu", "pow"), 8)  # slow, too
DIGITS = {"lgamma": 100, "digamma": 100}  # slow

# Where second derivatives cross zero, or take two roundings of a large term with them, the unit is
# that of the larger term: (operation, place, place) -> term.
Term = Callable[..., Any]


def bell(x: Any) -> Any:
    return 1 / (4 * mp.cosh(x / 2) ** 2)


def power(a: Any, b: Any) -> Any:
    return mp.power(a, b - 1) if a > 0 else mp.mpf(0)


def share(x: Any, shift: Any, rest: Any) -> Any:
    return mp.exp(x - shift) / (mp.exp(x - shift) + rest)


def spread(x: Any, shift: Any, rest: Any) -> Any:
    p = share(x, shift, rest)
    return p * (1 - p)


def gelu_tanh_term(x: Any) -> Any:
    c, k = mp.sqrt(8 / mp.pi), mp.mpf("0.044715")
    return 2 * bell(c * (x + k * x**3)) * c * (1 + 9 * k * x**2)


def equal_sides(y: Any, x: Any) -> Any:
    """The difference in digits is not quite 0 there."""
    return 1 / (x * x + y * y) if abs(x) == abs(y) else mp.mpf(0)


LARGER: dict[tuple[str, int, int], Term] = {
    ("silu", 0, 0): lambda x: 2 * bell(x),
    ("gelu_tanh", 0, 0): gelu_tanh_term,
    ("atan2", 0, 1): equal_sides,
    ("atan2", 1, 0): equal_sides,
    ("sinc", 0, 0): lambda x: min(10, 20 / abs(x)) if x else mp.mpf(0),
    ("pow", 0, 1): power,
    ("pow", 1, 0): power,
    ("lgamma", 0, 0): lambda x: mp.mpf(0),
    **{("softmax", i, j): spread for i in (0, 1) for j in (0, 1)},
    ("softmax", 0, 2): lambda x, s, r: spread(x, s, r) / r,
    ("softmax", 1, 2): lambda x, s, r: spread(x, s, r) / r,
    ("softmax", 2, 0): lambda x, s, r: spread(x, s, r) / r,
    ("softmax", 2, 1): lambda x, s, r: spread(x, s, r) / r,
}

# A slope of softmax in the rest is divided by a square that is differentiated again.
LOOSER = {"softmax": 9.0, "digamma": 16.0}


@cache
def exact(name: str, i: int, j: int, args: Args) -> Any:
    """The derivative of a derivative by a difference so small that it is exact."""
    slope = REFERENCE[name][1 + i]
    with mp.workdps(DIGITS.get(name, 1500)):
        at = [mp.mpf(x) for x in args]
        tiny = mp.mpf(10) ** (-20 if name in DIGITS else -640)
        step = min(abs(at[j]), mp.mpf(1)) * mp.mpf(10) ** (-20 if name in DIGITS else -300) or tiny

        def slope_at(x: Any) -> Any:
            return mp.mpf(slope(*at[:j], x, *at[j + 1 :]))

        return (slope_at(at[j] + step) - slope_at(at[j] - step)) / (2 * step)


def smooth(name: str, args: Args) -> bool:
    """Whether there is a second derivative: no kink, no pole and no end of the domain."""
    inside = all(
        low < x < high for x, (low, high) in zip(args, TABLE[name].domain, strict=True)
    ) and (name not in ("hypot", "atan2") or any(args))
    kinked = (name in ("elu", "selu") and args[0] == 0.0) or (
        name == "label_surprise" and not 1.1e-12 < args[0] < 1.0 - 1.1e-12
    )
    whole = name in ("lgamma", "digamma") and args[0] <= 0.0 and args[0] == math.floor(args[0])
    return inside and not kinked and not whole


def points(name: str, count: int = COUNT) -> Iterator[Args]:
    far = 1e15 if name in ("lgamma", "digamma") else inf
    return (
        args
        for args in arguments(name, min(count, FEWER.get(name, count)))
        if smooth(name, args) and all(abs(x) < far for x in args)
    )


Pairs = Iterator[tuple[int, int, float]]


def ruled(name: str) -> list[int]:
    return [i for i, rule in enumerate(TABLE[name].rules) if rule is not None]


def by_graphs(name: str, args: Args) -> Pairs:
    """A backward pass over a backward pass."""
    values = [Value(x) for x in args]
    wrt = [values[i] for i in ruled(name)]
    first = gradients(TABLE[name](*values), wrt, create_graph=True)
    for i, gradient in zip(ruled(name), first, strict=True):
        for j, got in zip(ruled(name), gradients(gradient, wrt), strict=True):
            yield i, j, got


def by_grad(name: str, args: Args) -> Pairs:
    """grad of grad."""
    for i in ruled(name):
        for j in ruled(name):
            yield i, j, grad(grad(TABLE[name], argnums=i), argnums=j)(*args)


def by_hessian(name: str, args: Args) -> Pairs:
    """hessian, with all mixed second derivatives."""
    places = tuple(ruled(name))
    rows = hessian(TABLE[name], argnums=places)(*args)
    for i, row in zip(places, rows, strict=True):
        for j, got in zip(places, row, strict=True):
            yield i, j, got


def only(f: Callable[..., Any], args: Sequence[Any], place: int) -> Callable[[Any], Any]:
    """``f`` as a function of one argument; a tangent 0 of the others would meet infinities."""
    return lambda x: f(*args[:place], x, *args[place + 1 :])


def forward_over_reverse(name: str, args: Args) -> Pairs:
    """jvp of grad."""
    for i in ruled(name):
        for j in ruled(name):
            slope = grad(TABLE[name], argnums=i)
            yield i, j, jvp(only(slope, args, j), (args[j],), (1.0,))[1]


def reverse_over_forward(name: str, args: Args) -> Pairs:
    """grad of jvp."""
    for i in ruled(name):
        for j in ruled(name):

            def along(*xs: Any, i: int = i) -> Any:
                return jvp(only(TABLE[name], xs, i), (xs[i],), (1.0,))[1]

            yield i, j, grad(along, argnums=j)(*args)


MODES = [by_graphs, by_grad, by_hessian, forward_over_reverse, reverse_over_forward]


def faults(name: str, args: Args, pairs: Pairs, bound: float) -> list[Any]:
    found = []
    for i, j, got in pairs:
        larger = LARGER.get((name, i, j))
        with mp.workdps(60):
            term = larger(*map(mp.mpf, args)) if larger else 0
        if not ulps(float(got), exact(name, i, j, args), term) <= bound:
            found.append((args, i, j, float(got)))
    return found


@pytest.mark.parametrize("name", NAMES)
def test_drawn_and_special_points(name: str):
    bound = LOOSER.get(name, SECOND)
    assert [
        f for args in points(name) for f in faults(name, args, by_graphs(name, args), bound)
    ] == []


@pytest.mark.parametrize("mode", MODES[1:])
@pytest.mark.parametrize("name", NAMES)
def test_every_mode(name: str, mode: Callable[[str, Args], Pairs]):
    bound = LOOSER.get(name, SECOND)
    for args in points(name, 4):
        assert faults(name, args, mode(name, args), bound) == []


@pytest.mark.parametrize("name", NAMES)
def test_arrays(name: str):
    """NumPy's functions differ from those of C, here by up to 4 ulp each."""
    chosen = list(points(name))
    leaves = [Tensor(np.array(column), requires_grad=True) for column in zip(*chosen, strict=True)]
    ones = np.ones(len(chosen))
    with np.errstate(all="ignore"):
        first = array_gradients(TABLE[name](*leaves), leaves, ones, create_graph=True)
        for i in ruled(name):
            assert first[i].requires_grad
            backwards = array_gradients(first[i], leaves, ones, create_graph=False)
            for j in ruled(name):
                forwards = tangent(first[i], {leaves[j]: ones})
                for found in (backwards[j], forwards):
                    for args, got in zip(chosen, np.asarray(found).tolist(), strict=True):
                        assert faults(name, args, iter([(i, j, got)]), 4.0 * SECOND) == []


@pytest.mark.parametrize("name", NAMES)
def test_batches(name: str):
    chosen = list(points(name, 4))
    places = tuple(ruled(name))
    columns = [np.array(column) for column in zip(*chosen, strict=True)]
    with np.errstate(all="ignore"):
        rows = vmap(hessian(TABLE[name], argnums=places))(*columns)
    for i, row in zip(places, rows, strict=True):
        for j, found in zip(places, row, strict=True):
            for args, got in zip(chosen, np.asarray(found).tolist(), strict=True):
                assert faults(name, args, iter([(i, j, got)]), 4.0 * SECOND) == []


# --- single points --------------------------------------------------------------------------------

POINTS: list[tuple[str, Args, list[float]]] = [
    ("atan", (1e78,), [-2e-234]),
    ("atan", (inf,), [0.0]),
    ("asinh", (1e110,), [-1e-220]),
    ("asinh", (-inf,), [0.0]),
    ("tanh", (1e-12,), [-2e-12]),
    ("tanh", (inf,), [0.0]),
    ("tanh", (0.0,), [0.0]),
    ("sigmoid", (1e-12,), [-1.25e-13]),
    ("sigmoid", (-inf,), [0.0]),
    ("softplus", (inf,), [0.0]),
    ("asin", (1e-12,), [1e-12]),
    ("asin", (1.0,), [inf]),
    ("acos", (1e-12,), [-1e-12]),
    ("atanh", (1e-12,), [2e-12]),
    ("atanh", (1.0,), [inf]),
    ("cbrt", (1e-300,), [-inf]),
    ("cbrt", (5e-324,), [-inf]),
    ("cbrt", (inf,), [0.0]),
    ("sqrt", (1e-300,), [-inf]),
    ("erf", (27.2,), [-3.0173e-320]),
    ("erf", (inf,), [0.0]),
    ("silu", (inf,), [0.0]),
    ("silu", (-745.0,), [-2.096e-321]),
    ("gelu", (gelu.SQRT2,), [-4.012965934e-17]),
    ("gelu", (-inf,), [0.0]),
    ("gelu_tanh", (inf,), [0.0]),
    ("hypot", (3.0, 1e-8), [1e-16 / 27.0, -1e-8 / 9.0, -1e-8 / 9.0, 1.0 / 3.0]),
    ("hypot", (3e-200, 4e-200), [16e200 / 125.0, -12e200 / 125.0, -12e200 / 125.0, 9e200 / 125.0]),
    ("atan2", (1e150, 1e150), [-5e-301, 0.0, 0.0, 5e-301]),
    ("atan2", (1e-150, 2e-150), [-1.6e299, -1.2e299, -1.2e299, 1.6e299]),
    ("atan2", (3e-160, 0.0), [0.0, inf, inf, 0.0]),
    ("pow", (1e-200, 0.25), [-inf, -1.141292546497e152, -1.141292546497e152, 2.12075924419e-45]),
    ("pow", (0.0, 2.0), [2.0, 0.0, 0.0, 0.0]),
    ("pow", (0.0, 3.0), [0.0, 0.0, 0.0, 0.0]),
    ("pow", (0.0, 1.5), [inf, 0.0, 0.0, 0.0]),
    ("pow", (1e300, 2.5), [3.75e150, nan, nan, inf]),
    ("pow", (-3.0, 4.0), [108.0, nan, nan, nan]),
    ("pow", (-2.0, -3.0), [-0.375, nan, nan, nan]),
    ("pow", (-2.0, 0.5), [nan, nan, nan, nan]),
    ("pow", (2.0, 0.0), [0.0, 0.5, 0.5, math.log(2.0) ** 2]),
    ("pow", (2.0, 1.0), [0.0, 1.0 + math.log(2.0), 1.0 + math.log(2.0), 2.0 * math.log(2.0) ** 2]),
]


@pytest.mark.parametrize(("name", "args", "expected"), POINTS)
@pytest.mark.parametrize("mode", [by_graphs, forward_over_reverse])
def test_special_points(mode: Any, name: str, args: Args, expected: list[float]):
    got = [float(x) for _, _, x in mode(name, args)]
    known = [(g, e) for g, e in zip(got, expected, strict=True) if not (name == "pow" and e != e)]
    assert [g for g, _ in known] == pytest.approx([e for _, e in known], rel=1e-3, abs=0.0)


@pytest.mark.parametrize("name", [name for name in NAMES if TABLE[name].arity == 1])
def test_nan_in_is_nan_out(name: str):
    second = next(by_graphs(name, (nan,)))[2]
    assert second == 2.0 if name == "square" else math.isnan(second)


def test_the_slope_of_a_power_of_a_large_exponent():
    """b - 1 is no longer exact from 2**53 on."""
    for b in (2.0**53, 2.0**53 + 2.0, 1e16, 1e17, -(2.0**54)):
        for a in (1.0 + 1e-15, 1.0 - 2e-16, 1.0 + 4e-14, -1.0 - 1e-15):
            got, expected = grad(TABLE["pow"])(a, b), exact_slope(a, b)
            assert ulps(got, expected) <= 4.0, (a, b)


def exact_slope(a: float, b: float) -> Any:
    with mp.workdps(60):
        return mp.mpf(b) * mp.power(mp.mpf(a), mp.mpf(b) - 1)


# --- the cost -------------------------------------------------------------------------------------


def test_a_recorded_slope_is_one_node():
    from gradwalk.engine.node import ancestors

    for name, most in (("tanh", 3), ("sigmoid", 3), ("atan", 3), ("erf", 3), ("silu", 3)):
        x = Value(0.5)
        slope = gradients(TABLE[name](x), x, create_graph=True)
        assert len(ancestors(slope)) <= most, name


def test_programs_have_the_formula_of_a_slope():
    from gradwalk.program import trace

    rule = trace(TABLE["tanh"].rules[0], ["t", "y", "x"])
    names = {equation.primitive.name for equation in rule}
    assert "exp" in names
    assert "tanh_slope" not in names
