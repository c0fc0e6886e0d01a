"""One test for the whole table: every row, every argument, against 60 digits of mpmath.

The arguments go from 1e-308 to 1e308 and gather where it is difficult. What is not within 4 ulp
is named, with its reason, in `rows_reference.CANCELS` and `rows_reference.LOOSER`.
"""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Iterator
from math import inf, nan, pi
from typing import Any

import mpmath as mp
import pytest

import gradwalk
from gradwalk import Value, gradients
from gradwalk.ops import TABLE, activation, exponential, gamma, special
from gradwalk.primitive import Primitive

from .rows_reference import (
    CANCELS,
    DIGITS,
    LOOSER,
    REFERENCE,
    Args,
    arguments,
    error,
    exactly,
    sigmoid,
    ulps,
)

COUNT = 200
LISTS = ("logsumexp", "softmax", "log_softmax")
SMOOTH = [name for name in REFERENCE if TABLE[name].differentiable]


def slopes(row: Primitive, args: Args, t: float = 1.0) -> list[Any]:
    return list(row.contributions(t, row(*args), list(args), [True] * len(args)))


def same(got: float | None, expected: float | None) -> bool:
    """Equal as numbers; NaN is NaN, and no contribution is not 0.0."""
    if got is None or expected is None:
        return got is expected
    return got == expected or (got != got and expected != expected)


def moderate(name: str, count: int) -> Iterator[Args]:
    """Arguments at which numerical differentiation is possible: no extremes, no poles, no kinks."""
    found = 0
    for args in arguments(name, 20 * COUNT):
        usual = all(1e-3 < abs(x) < 30.0 for x in args) and len(set(args)) == len(args)
        if usual and args not in TABLE[name].points:
            found += 1
            yield args
            if found == count:
                return


# --- the table itself -----------------------------------------------------------------------


def test_every_row_has_a_reference():
    assert {*REFERENCE, *LISTS} == set(TABLE)
    assert all(len(REFERENCE[name]) == 1 + TABLE[name].arity for name in REFERENCE)
    assert all((name, i) in CANCELS or name in REFERENCE for name, i in LOOSER)


@pytest.mark.parametrize("name", TABLE)
def test_every_row_has_its_facts(name: str):
    row = TABLE[name]
    assert row.summary
    assert row.tex
    assert row.points
    assert row.variadic or all(len(point) == row.arity for point in row.points)
    assert len(row.domain) == row.arity
    assert all(low < high for low, high in row.domain)
    assert row.variadic or len(row.rules) == row.arity
    no_rule = [rule is None for rule in row.rules]
    assert row.variadic or no_rule == [slope is None for slope in REFERENCE[name][1:]]


@pytest.mark.parametrize("name", SMOOTH)
def test_reference_derivatives_are_derivatives(name: str):
    f, *derivatives = REFERENCE[name]
    for args in moderate(name, 4):
        for index, derivative in enumerate(derivatives):
            if derivative is not None:
                expected = exactly(derivative, args)
                got = exactly(lambda *xs, i=index: partial(f, xs, i), args)
                assert abs(got - expected) <= 1e-20 * (1 + abs(expected)), (args, index)


def partial(f: Callable[..., Any], args: tuple[Any, ...], index: int) -> Any:
    return mp.diff(lambda x: f(*args[:index], x, *args[index + 1 :]), args[index])


# --- values and first derivatives -----------------------------------------------------------


@pytest.mark.parametrize("name", REFERENCE)
def test_value(name: str):
    for args in arguments(name, COUNT):
        assert error(name, None, float(TABLE[name](*args)), args) <= 1.0, args


def first_order_faults(name: str, row: Primitive, count: int) -> list[tuple[Args, int]]:
    """Where a derivative of ``row`` is not that of the row ``name``, within the stated bound."""
    return [
        (args, index)
        for args in arguments(name, count)
        for index, share in enumerate(slopes(row, args))
        if row.rules[index] is not None and error(name, index, share, args) > 1.0
    ]


@pytest.mark.parametrize("name", SMOOTH)
def test_derivative(name: str):
    assert first_order_faults(name, TABLE[name], COUNT) == []


@pytest.mark.parametrize("name", TABLE)
def test_the_engine_computes_what_the_row_says(name: str):
    row = TABLE[name]
    for args in [(0.5, -1.5, 0.5)] if row.variadic else arguments(name, 20):
        values = [Value(x) for x in args]
        y = row(*values)
        assert same(float(getattr(y, "data", y)), float(row(*args))), args
        if isinstance(y, Value):
            shares = slopes(row, args)
            for got, share in zip(gradients(y, values), shares, strict=True):
                assert same(got, share or 0.0), args


@pytest.mark.parametrize("name", SMOOTH)
def test_rules_are_linear_in_the_seed(name: str):
    row = TABLE[name]
    for args in moderate(name, 10):
        one = slopes(row, args)
        for t in (-2.0, 0.5, 0.3):
            for share, scaled in zip(one, slopes(row, args, t), strict=True):
                assert (share is None) == (scaled is None)
                if share is not None:
                    exact = math.log2(abs(t)).is_integer()
                    assert scaled == pytest.approx(t * share, rel=0.0 if exact else 1e-15)


# --- second order ---------------------------------------------------------------------------


def second_order_faults(name: str, row: Primitive, count: int) -> list[tuple[Args, int, int]]:
    """Where differentiating a derivative of ``row``, as a graph, is wrong by more than 1e-10."""
    faults = []
    for args in moderate(name, count):
        ruled = [index for index, rule in enumerate(row.rules) if rule is not None]
        values = [Value(x) if i in ruled else x for i, x in enumerate(args)]
        wrt = [values[i] for i in ruled]
        first = gradients(row(*values), wrt, create_graph=True)
        for i, gradient in zip(ruled, first, strict=True):
            for j, got in zip(ruled, gradients(gradient, wrt), strict=True):
                derivative = REFERENCE[name][1 + i]
                expected = exactly(lambda *xs, f=derivative, j=j: partial(f, xs, j), args)
                tolerance = 1e-10 * abs(expected) + 1e-13 * abs(gradient.data) + 1e-300
                if not abs(mp.mpf(got) - expected) <= tolerance:
                    faults.append((args, i, j))
    return faults


@pytest.mark.parametrize("name", SMOOTH)
def test_second_order(name: str):
    assert second_order_faults(name, TABLE[name], 12) == []


def taylor(f: Callable[..., Any], x: float, order: int) -> list[float]:
    """``f`` and its derivatives at ``x``, by differentiating again and again."""
    leaf = Value(x)
    y, found = f(leaf), []
    for _ in range(order):
        found.append(y.data)
        y = gradients(y, leaf, create_graph=True)
    return [*found, y.data]


SERIES = {
    "sigmoid": (0.0, [1 / 2, 1 / 4, 0.0, -1 / 8]),
    "tanh": (0.0, [0.0, 1.0, 0.0, -2.0]),
    "silu": (0.0, [0.0, 1 / 2, 1 / 2, 0.0]),
    "softplus": (0.0, [math.log(2.0), 1 / 2, 1 / 4, 0.0]),
    "gelu": (0.0, [0.0, 1 / 2, math.sqrt(2 / pi), 0.0]),
    "gelu_tanh": (0.0, [0.0, 1 / 2, math.sqrt(2 / pi), 0.0]),
    "sinc": (0.0, [1.0, 0.0, -pi**2 / 3, 0.0]),
    "erf": (0.0, [0.0, 2 / math.sqrt(pi), 0.0, -4 / math.sqrt(pi)]),
    "cbrt": (1.0, [1.0, 1 / 3, -2 / 9, 10 / 27]),
    "exp2": (0.0, [1.0, math.log(2.0), math.log(2.0) ** 2, math.log(2.0) ** 3]),
    "square": (0.0, [0.0, 0.0, 2.0, 0.0]),
    "lgamma": (2.5, [float(mp.loggamma(2.5)), *(float(mp.psi(n, 2.5)) for n in range(5))]),
    "digamma": (-1.5, [float(mp.psi(n, -1.5)) for n in range(5)]),
}


@pytest.mark.parametrize("name", SERIES)
def test_higher_orders_at_the_joints_of_formulas(name: str):
    x, expected = SERIES[name]
    got = taylor(TABLE[name], x, len(expected) - 1)
    assert got == pytest.approx(expected, rel=1e-9, abs=1e-12)


def test_a_square_written_as_a_power_has_its_second_derivative_everywhere():
    for x in (0.0, 1e-200, -3.0, 1e150):
        assert taylor(lambda v: v**2.0, x, 2) == [x * x, 2.0 * x, pytest.approx(2.0)]


# --- the tests are watched ------------------------------------------------------------------


def mutant(row: Primitive, index: int) -> Primitive:
    """The row with one rule made wrong by 0.1 %."""

    def wrong(t: Any, y: Any, *args: Any) -> Any:
        share = row.rules[index](t, y, *args)
        if row.variadic:
            return [s * 1.001 for s in share]
        return None if share is None else share * 1.001

    rules = (*row.rules[:index], wrong, *row.rules[index + 1 :])
    facts = {"forward": row.forward, "params": " ".join(row.params), "variadic": row.variadic}
    return Primitive("mutant", rules, **facts)


RULES = [
    (name, index)
    for name, row in TABLE.items()
    for index, rule in enumerate(row.rules)
    if rule is not None
]
CURVED = [
    (name, index)
    for name, index in RULES
    if name not in LISTS
    and any(
        exactly(lambda *xs: partial(REFERENCE[name][1 + index], xs, j), args)  # noqa: B023
        for args in moderate(name, 6)
        for j, rule in enumerate(TABLE[name].rules)
        if rule is not None
    )
]


@pytest.mark.parametrize(("name", "index"), [r for r in RULES if r[0] not in LISTS])
def test_a_rule_that_is_wrong_is_noticed(name: str, index: int):
    found = first_order_faults(name, mutant(TABLE[name], index), 30)
    assert {i for _, i in found} == {index}


@pytest.mark.parametrize(("name", "index"), CURVED)
def test_a_rule_that_is_wrong_is_noticed_in_second_order(name: str, index: int):
    found = second_order_faults(name, mutant(TABLE[name], index), 6)
    assert index in {i for _, i, _ in found}


def test_which_rules_have_a_second_derivative():
    assert ("exp", 0) in CURVED
    assert ("add", 0) not in CURVED
    assert len(CURVED) > 45


# --- kinks, ties, poles, infinities, NaN ----------------------------------------------------

KINKS: list[tuple[str, Args, tuple[float | None, ...]]] = [
    ("relu", (0.0,), (None,)),
    ("relu", (-0.0,), (None,)),
    ("leaky_relu", (0.0, 0.01), (0.01, 0.0)),
    ("elu", (0.0, 2.0), (2.0, 0.0)),
    ("selu", (0.0,), (activation.SELU_BOTH,)),
    ("hardtanh", (-1.0, -1.0, 1.0), (None, None, None)),
    ("hardtanh", (1.0, -1.0, 1.0), (None, None, None)),
    ("hardtanh", (-2.0, -1.0, 1.0), (None, 1.0, None)),
    ("hardtanh", (2.0, -1.0, 1.0), (None, None, 1.0)),
    ("clip", (0.0, 0.0, 1.0), (1.0, None, None)),
    ("clip", (1.0, 0.0, 1.0), (1.0, None, None)),
    ("clip", (-1.0, 0.0, 1.0), (None, 1.0, None)),
    ("clip", (2.0, 0.0, 1.0), (None, None, 1.0)),
    ("clip", (0.5, 1.0, 0.0), (None, None, 1.0)),
    ("abs", (0.0,), (None,)),
    ("maximum", (1.0, 1.0), (0.5, 0.5)),
    ("maximum", (1.0, 2.0), (None, 1.0)),
    ("minimum", (1.0, 1.0), (0.5, 0.5)),
    ("minimum", (1.0, 2.0), (1.0, None)),
    ("where", (1.0, 2.0, 3.0), (None, 1.0, None)),
    ("where", (0.0, 2.0, 3.0), (None, None, 1.0)),
    ("mod", (6.0, 3.0), (1.0, -2.0)),
    ("mod", (-1.0, 3.0), (1.0, 1.0)),
    ("hypot", (0.0, 0.0), (None, None)),
    ("atan2", (0.0, 0.0), (None, None)),
    ("pow", (0.0, 0.0), (None, None)),
    ("pow", (0.0, 2.0), (0.0, None)),
    ("pow", (0.0, 1.0), (1.0, None)),
    ("pow", (0.0, 0.5), (inf, None)),
    ("pow", (0.0, 0.75), (inf, None)),
    ("pow", (0.0, -1.0), (-inf, -inf)),
    ("pow", (-2.0, 3.0), (12.0, nan)),
    ("pow", (-2.0, -1.0), (-0.25, nan)),
    ("pow", (-2.0, 0.5), (nan, nan)),
    ("pow", (-2.0, 0.0), (None, nan)),
    ("floor", (1.0,), (None,)),
    ("sign", (0.0,), (None,)),
    # poles
    ("div", (1.0, 0.0), (inf, -inf)),
    ("reciprocal", (0.0,), (-inf,)),
    ("sqrt", (0.0,), (inf,)),
    ("cbrt", (0.0,), (inf,)),
    ("log", (0.0,), (inf,)),
    ("log1p", (-1.0,), (inf,)),
    ("asin", (1.0,), (inf,)),
    ("acos", (-1.0,), (-inf,)),
    ("acosh", (1.0,), (inf,)),
    ("atanh", (1.0,), (inf,)),
    ("lgamma", (0.0,), (-inf,)),
    ("lgamma", (-2.0,), (nan,)),
    ("digamma", (0.0,), (inf,)),
    ("digamma", (-2.0,), (inf,)),
    # infinities
    ("exp", (-inf,), (0.0,)),
    ("exp", (inf,), (inf,)),
    ("expm1", (-inf,), (0.0,)),
    ("exp2", (inf,), (inf,)),
    ("log", (inf,), (0.0,)),
    ("sqrt", (inf,), (0.0,)),
    ("cbrt", (-inf,), (0.0,)),
    ("atan", (-inf,), (0.0,)),
    ("tanh", (inf,), (0.0,)),
    ("asinh", (-inf,), (0.0,)),
    ("sinc", (-inf,), (0.0,)),
    ("erf", (inf,), (0.0,)),
    ("erfc", (-inf,), (0.0,)),
    ("sigmoid", (-inf,), (0.0,)),
    ("sigmoid", (inf,), (0.0,)),
    ("softplus", (-inf,), (0.0,)),
    ("softplus", (inf,), (1.0,)),
    ("log_sigmoid", (-inf,), (1.0,)),
    ("silu", (-inf,), (0.0,)),
    ("silu", (inf,), (1.0,)),
    ("gelu", (-inf,), (0.0,)),
    ("gelu", (inf,), (1.0,)),
    ("gelu_tanh", (-inf,), (0.0,)),
    ("gelu_tanh", (inf,), (1.0,)),
    ("elu", (-inf, 2.0), (0.0, -1.0)),
    ("lgamma", (inf,), (inf,)),
    ("digamma", (inf,), (0.0,)),
    ("polygamma", (1.0, inf), (None, 0.0)),
    ("logaddexp", (inf, 1.0), (1.0, 0.0)),
    ("logaddexp", (-inf, -inf), (0.5, 0.5)),
    ("logaddexp", (1e308, -1e308), (1.0, 0.0)),
]


@pytest.mark.parametrize(("name", "args", "expected"), KINKS)
def test_derivative_at_kinks_poles_and_infinities(
    name: str, args: Args, expected: tuple[float | None, ...]
):
    got = slopes(TABLE[name], args)
    assert all(map(same, got, expected)), got


VALUES: list[tuple[str, Args, float]] = [
    ("sigmoid", (-1000.0,), 0.0),
    ("softplus", (1000.0,), 1000.0),
    ("tanh", (1000.0,), 1.0),
    ("log1p", (1e-18,), 1e-18),
    ("pow", (0.0, 0.0), 1.0),
    ("pow", (0.0, -1.0), inf),
    ("pow", (-2.0, 0.5), nan),
    ("pow", (-8.0, 1.0 / 3.0), nan),
    ("log", (-1.0,), nan),
    ("log", (0.0,), -inf),
    ("sqrt", (-1.0,), nan),
    ("asin", (1.5,), nan),
    ("acosh", (0.5,), nan),
    ("atanh", (-1.0,), -inf),
    ("hypot", (-inf, nan), inf),
    ("silu", (-inf,), -0.0),
    ("silu", (inf,), inf),
    ("gelu", (-inf,), -0.0),
    ("gelu", (inf,), inf),
    ("gelu_tanh", (-inf,), -0.0),
    ("gelu_tanh", (inf,), inf),
    ("sinc", (inf,), 0.0),
    ("logaddexp", (inf, inf), inf),
    ("logaddexp", (-inf, -inf), -inf),
    ("logaddexp", (-inf, 3.0), 3.0),
    ("lgamma", (0.0,), inf),
    ("lgamma", (-3.0,), inf),
    ("lgamma", (inf,), inf),
    ("digamma", (0.0,), -inf),
    ("digamma", (-3.0,), nan),
    ("polygamma", (1.0, -3.0), inf),
    ("polygamma", (0.5, 3.0), nan),
    ("polygamma", (-1.0, 3.0), nan),
    ("polygamma", (25.0, 1.0), float(mp.psi(25, 1))),
    ("polygamma", (9.0, -0.5), nan),
    ("fma", (1.0 + 2.0**-30, 1.0 - 2.0**-30, -1.0), -(2.0**-60)),
    ("round", (2.5,), 2.0),
]


@pytest.mark.parametrize(("name", "args", "expected"), VALUES)
def test_value_at_special_points(name: str, args: Args, expected: float):
    got = TABLE[name](*args)
    assert same(got, expected) or got == pytest.approx(expected, rel=1e-13)
    assert got != got or math.copysign(1.0, got) == math.copysign(1.0, expected)


FACTS = ("less", "less_equal", "greater", "greater_equal", "equal", "not_equal", "where")


@pytest.mark.parametrize("name", [n for n in REFERENCE if not n.startswith((*FACTS, "logical"))])
def test_nan_in_is_nan_out(name: str):
    row, usual = TABLE[name], -2.0 if name in ("leaky_relu", "elu") else 2.0
    for index in range(row.arity):
        args = tuple(nan if i == index else usual for i in range(row.arity))
        assert math.isnan(row(*args)), args
    if row.arity == 1 and row.differentiable and not row.kinks and name != "neg":
        assert math.isnan(slopes(row, (nan,))[0])


def test_a_branch_not_taken_never_makes_a_nan():
    for order in (1, 2):
        for f in (
            lambda x: gradwalk.where(x > 0.0, gradwalk.sqrt(x), 0.0),
            lambda x: gradwalk.where(x.data > 0.0, gradwalk.log(x), x),
            lambda x: gradwalk.sqrt(gradwalk.relu(x)),
            lambda x: gradwalk.sqrt(gradwalk.clip(x, 0.5, 1.0)),
            lambda x: gradwalk.sqrt(gradwalk.abs(x)),
            lambda x: gradwalk.sqrt(gradwalk.maximum(x, 1.0)),
            lambda x: gradwalk.sqrt(gradwalk.hypot(x, 0.0)),
            lambda x: gradwalk.sqrt(x**0.0) + gradwalk.sqrt(gradwalk.atan2(x, 0.0)),
        ):
            assert math.isfinite(taylor(f, 0.0, order)[-1])


# --- rows over a list -----------------------------------------------------------------------


def list_reference(name: str, xs: list[Any]) -> tuple[Any, list[Any], Any]:
    """Value, derivatives, and the larger term where a zero of the value cancels."""
    peak = max(xs)
    weights = [mp.exp(x - peak) for x in xs]
    total = mp.fsum(weights)
    shares = [w / total for w in weights]
    rest = mp.fsum(shares[1:])
    if name == "logsumexp":
        return peak + mp.log(total), shares, peak
    if name == "softmax":
        return shares[0], [shares[0] * rest, *(-shares[0] * s for s in shares[1:])], 0
    return -mp.log1p(mp.fsum(weights[1:]) / weights[0]), [rest, *(-s for s in shares[1:])], 0


def lists(count: int) -> Iterator[list[float]]:
    rng = random.Random("lists")
    yield from ([0.0], [1000.0, 1000.0], [-1000.0, 3.0], [5.0, 5.0, -5.0], [1e308, -1e308, 0.0])
    yield [rng.gauss(0.0, 3.0) for _ in range(1000)]
    for _ in range(count):
        spread = 10.0 ** rng.uniform(-3.0, 2.5)
        yield [rng.gauss(0.0, spread) for _ in range(rng.randint(1, 12))]


@pytest.mark.parametrize("name", LISTS)
def test_lists(name: str):
    assert list(list_faults(name, TABLE[name], 60)) == []
    assert list(list_faults(name, mutant(TABLE[name], 0), 5)) != []


def list_faults(name: str, row: Primitive, count: int) -> Iterator[Any]:
    for xs in lists(count):
        with mp.workdps(DIGITS):
            y, derivatives, larger = list_reference(name, [mp.mpf(x) for x in xs])
        if ulps(row(*xs), y, larger) > 4.0:
            yield xs
        for got, expected in zip(slopes(row, tuple(xs)), derivatives, strict=True):
            if ulps(got, expected) > 4.0:
                yield xs, got


@pytest.mark.parametrize("name", LISTS)
@pytest.mark.parametrize("xs", [[0.3, -1.2, 0.3], [2.0, 2.0], [-4.0, 3.0, 1.0, 0.5]])
def test_second_order_of_lists(name: str, xs: list[float]):
    values = [Value(x) for x in xs]
    first = gradients(TABLE[name](*values), values, create_graph=True)
    for i, gradient in enumerate(first):
        for j, got in enumerate(gradients(gradient, values)):
            expected = exactly(
                lambda *points, i=i, j=j: partial(
                    lambda *at: list_reference(name, list(at))[1][i], points, j
                ),
                tuple(xs),
            )
            assert got == pytest.approx(float(expected), rel=1e-10, abs=1e-15)


def test_lists_with_infinities_and_nan():
    logsumexp, softmax, log_softmax = (TABLE[name] for name in LISTS)
    assert logsumexp(inf, 1.0) == logsumexp(inf, inf) == inf
    assert logsumexp(-inf, -inf) == -inf
    assert logsumexp(-inf, 2.0) == 2.0
    assert softmax(-inf, 2.0) == 0.0
    assert softmax(2.0, -inf) == 1.0
    assert log_softmax(-inf, 2.0) == -inf
    assert log_softmax(-800.0, 0.0) == -800.0
    assert all(math.isnan(TABLE[name](1.0, nan, 2.0)) for name in LISTS)
    assert slopes(logsumexp, (-inf, 2.0)) == [0.0, 1.0]


# --- constants ------------------------------------------------------------------------------


def digamma_zero() -> Any:
    return mp.findroot(lambda x: mp.psi(0, x), 1.46)


def gelu_zero() -> Any:
    return mp.findroot(REFERENCE["gelu"][1], -0.75)


def gelu_tanh_zero() -> Any:
    return mp.findroot(REFERENCE["gelu_tanh"][1], -0.75)


def lgamma_tail(x):
    return (mp.loggamma(x) - ((x - 0.5) * mp.log(x) - x + mp.log(2 * mp.pi) / 2)) * x


# coefficients, the variable of the polynomial, what it stands for, and where
POLYNOMIALS: dict[str, tuple[Any, ...]] = {
    "sinc'": (special.SINC_SLOPE, lambda x: x * x, lambda x: REFERENCE["sinc"][1](x) / x, 1e-4, 0.5),
    "lgamma low": (
        gamma.LGAMMA_LOW,
        lambda x: x - mp.mpf("1.35"),
        lambda x: mp.loggamma(x) / ((x - 1) * (x - 2)),
        0.7,
        2.0,
    ),
    "lgamma middle": (
        gamma.LGAMMA_MIDDLE,
        lambda x: x - 3,
        lambda x: mp.loggamma(x) / (x - 2),
        2.0,
        4.0,
    ),
    "lgamma tail": (gamma.LGAMMA_TAIL, lambda x: 1 / x**2, lgamma_tail, 4.0, 1000.0),
    "digamma low": (
        gamma.DIGAMMA_LOW,
        lambda x: x - 1.5,
        lambda x: mp.psi(0, x) / (x - digamma_zero()),
        1.0,
        2.0,
    ),
    "digamma tail": (
        gamma.DIGAMMA_TAIL,
        lambda x: 1 / x**2,
        lambda x: x * x * (mp.psi(0, x) - mp.log(x) + 1 / (2 * x)),
        2.0,
        1000.0,
    ),
    "trigamma low": (gamma.TRIGAMMA_LOW, lambda x: x - 1.5, lambda x: mp.psi(1, x), 1.0, 2.0),
    "trigamma tail": (
        gamma.TRIGAMMA_TAIL,
        lambda x: 1 / x**2,
        lambda x: x**3 * (mp.psi(1, x) - 1 / x - 1 / (2 * x * x)),
        2.0,
        1000.0,
    ),
    "gelu'": (
        activation.GELU_SLOPE,
        lambda x: x + mp.mpf("1.8"),
        lambda x: REFERENCE["gelu"][1](x) * mp.exp(x * x / 2) / (x - gelu_zero()),
        -3.3,
        -0.3,
    ),
    "gelu_tanh'": (
        activation.GELU_TANH_SLOPE,
        lambda x: x - gelu_tanh_zero(),
        lambda x: REFERENCE["gelu_tanh"][1](x) / (x - gelu_tanh_zero()),
        -1.3,
        -0.3,
    ),
}


@pytest.mark.parametrize("name", POLYNOMIALS)
def test_polynomials_stand_for_their_functions(name: str):
    """Rounded coefficients included: the tails are small corrections and need fewer bits."""
    coefficients, variable, f, low, high = POLYNOMIALS[name]
    bits = 48 if "tail" in name else 52.5
    with mp.workdps(DIGITS):
        for k in range(60):
            x = low + (high - low) * (mp.mpf(k) + mp.mpf("0.37")) / 60
            expected = f(x)
            v = variable(x)
            got = mp.fsum(c * v**k for k, c in enumerate(coefficients))
            assert abs(got / expected - 1) < 2.0**-bits


def in_two(high: float, low: float) -> Callable[[Any], bool]:
    return lambda exact: abs(mp.mpf(high) + mp.mpf(low) - exact) < abs(exact) * mp.mpf(2) ** -78


def rounded(number: float) -> Callable[[Any], bool]:
    return lambda exact: float(exact) == number


A, E, G = activation, exponential, gamma
CONSTANTS: list[tuple[Callable[[Any], bool], Callable[[], Any]]] = [
    (rounded(E.LN2), lambda: mp.log(2)),
    (rounded(E.INV_LN2), lambda: 1 / mp.log(2)),
    (rounded(E.INV_LN10), lambda: 1 / mp.log(10)),
    (rounded(special.TWO_OVER_SQRT_PI), lambda: 2 / mp.sqrt(mp.pi)),
    (rounded(G.HALF_LOG_2_PI_E), lambda: mp.log(2 * mp.pi) / 2 - 0.5),
    (in_two(G.DIGAMMA_ZERO, G.DIGAMMA_ZERO_LOW), digamma_zero),
    (rounded(A.SQRT_HALF), lambda: mp.sqrt(0.5)),
    (rounded(A.INV_SQRT_2PI), lambda: 1 / mp.sqrt(2 * mp.pi)),
    (in_two(A.SQRT_HALF_HEAD, A.SQRT_HALF_TAIL), lambda: mp.sqrt(0.5)),
    (rounded(A.CUBIC), lambda: mp.mpf("0.044715") * mp.sqrt(8 / mp.pi)),
    (in_two(A.CUBIC_HEAD, A.CUBIC_TAIL), lambda: mp.mpf("0.044715") * mp.sqrt(8 / mp.pi)),
    (rounded(A.LINEAR), lambda: 1 / mp.mpf("0.044715")),
    (in_two(A.LINEAR_HEAD, A.LINEAR_TAIL), lambda: 1 / mp.mpf("0.044715")),
    (in_two(A.SILU_ZERO, A.SILU_ZERO_LOW), lambda: -1 - mp.lambertw(mp.exp(-1))),
    (rounded(A.SILU_ZERO_EXP), lambda: mp.lambertw(mp.exp(-1))),
    (in_two(A.GELU_ZERO, A.GELU_ZERO_LOW), gelu_zero),
    (in_two(A.GELU_TANH_ZERO, A.GELU_TANH_ZERO_LOW), gelu_tanh_zero),
    *(
        (rounded(weight), lambda j=j: mp.bernoulli(2 * j) / mp.factorial(2 * j))
        for j, weight in enumerate(G.BERNOULLI, start=1)
    ),
]


@pytest.mark.parametrize(("stands_for", "exact"), CONSTANTS)
def test_constants(stands_for: Callable[[Any], bool], exact: Callable[[], Any]):
    with mp.workdps(DIGITS):
        assert stands_for(mp.re(exact()))


def test_heads_have_few_bits():
    """Their products are exact only then."""
    for number, quantum in ((A.SQRT_HALF_HEAD, 2.0**-26), (A.CUBIC_HEAD, 2.0**-29)):
        assert (number / quantum).is_integer()
    assert (A.LINEAR_HEAD * 2.0**24).is_integer()


def test_logistic_share_of_a_sum_of_exponentials():
    """∂ logaddexp = σ(a - b), where the rounding of a - b alone would cost 350 ulp."""
    a, b = -700.3, 0.7
    assert ulps(slopes(TABLE["logaddexp"], (a, b))[0], exactly(lambda a, b: sigmoid(a - b), (a, b))) < 3.0
