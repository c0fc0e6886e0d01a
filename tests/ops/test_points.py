"""Single points of the table: kinks, ties, poles, infinities, NaN, and the joints of formulas."""

from __future__ import annotations

import math
from collections.abc import Callable
from math import inf, nan, pi
from typing import Any

import mpmath as mp
import pytest

import gradwalk
from gradwalk import Value, gradients
from gradwalk.ops import TABLE, activation

from ..helpers.arguments import Args, arguments, exactly, same, slopes, ulps
from ..helpers.reference import REFERENCE, sigmoid

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
    ("pow", (-2.0, 0.0), (-0.0, nan)),
    ("pow", (inf, 0.25), (0.0, inf)),
    ("pow", (inf, 1e300), (inf, inf)),
    ("pow", (inf, -2.0), (0.0, 0.0)),
    ("pow", (inf, -0.5), (0.0, 0.0)),
    ("pow", (inf, -inf), (0.0, 0.0)),
    ("pow", (0.5, inf), (0.0, 0.0)),
    ("pow", (2.0, -inf), (0.0, 0.0)),
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
    ("label_surprise", (0.0, 1.0), (-1e12, 100.0)),
    ("label_surprise", (1.0, 0.0), (1e12, -100.0)),
]


WITH_KINKS = ["relu", "leaky_relu", "elu", "selu", "hardtanh", "clip", "abs", "maximum"]
WITH_KINKS += ["minimum", "mod", "hypot", "atan2", "pow", "label_surprise"]


def test_every_kink_is_stated_and_tested():
    assert {name for name, primitive in TABLE.items() if primitive.kinks} == {*WITH_KINKS}
    assert {*WITH_KINKS} <= {name for name, _, _ in KINKS}


@pytest.mark.parametrize(("name", "args", "expected"), KINKS)
def test_derivative_at_kinks_poles_and_infinities(
    name: str, args: Args, expected: tuple[float | None, ...]
):
    got = slopes(TABLE[name], args)
    assert all(map(same, got, expected)), got


BASES = (0.0, 5e-324, 1e-200, 0.5, 1.0, 2.0, 1e200, 1.7e308, inf)
EXPONENTS = (-inf, -1e300, -2.5, -2.0, -1.0, -0.5, 0.0, 0.5, 1.0, 2.0, 2.5, 1e300, inf)


def _power_derivatives(a: Any, b: Any) -> list[Any]:
    """Return the first and second derivatives of a**b at positive a."""
    y, ln = mp.e ** (b * mp.log(a)), mp.log(a)
    mixed = y / a * (1 + b * ln)
    return [b * y / a, y * ln, b * (b - 1) * y / a / a, mixed, mixed, y * ln * ln]


def derivatives_of_power(a: float, b: float) -> list[float]:
    """Return the first and second derivatives that gradwalk gives."""
    x, y = Value(a), Value(b)
    first = gradients(x**y, [x, y], create_graph=True)
    second = [s for t in first for s in gradients(t, [x, y])]
    return [t.data if isinstance(t, Value) else t for t in (*first, *second)]


@pytest.mark.parametrize("b", EXPONENTS)
def test_derivatives_of_powers_of_0_are_numbers(b: float):
    """They have conventions of their own."""
    got = derivatives_of_power(0.0, b)
    assert not any(map(math.isnan, got)), got


LIMITS = [
    (a, b)
    for b in EXPONENTS
    for a in BASES[1:]
    if a != 1.0 or not math.isinf(b)  # 1**inf is 1, but (1 + h)**inf is 0 or inf
]


@pytest.mark.parametrize(("a", "b"), LIMITS)
def test_derivatives_of_powers_are_limits(a: float, b: float):
    got = derivatives_of_power(a, b)
    with mp.workdps(500):  # for inf a number whose logarithm is beyond floats, too
        base = mp.ldexp(1, 10**400) if a == inf else mp.mpf(a)
        exponent = math.copysign(1, b) * mp.mpf(10) ** 400 if math.isinf(b) else mp.mpf(b)
        expected = [float(d) for d in _power_derivatives(base, exponent)]
    assert got == pytest.approx(expected, rel=1e-12, abs=1e-300)


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
    primitive, usual = TABLE[name], -2.0 if name in ("leaky_relu", "elu") else 2.0
    for index in range(primitive.arity):
        args = tuple(nan if i == index else usual for i in range(primitive.arity))
        assert math.isnan(primitive(*args)), args
    if primitive.arity == 1 and primitive.differentiable and not primitive.kinks and name != "neg":
        assert math.isnan(slopes(primitive, (nan,))[0])


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


# --- higher orders --------------------------------------------------------------------------


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
    "sinc": (0.0, [1.0, 0.0, -(pi**2) / 3, 0.0]),
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


def test_logistic_share_of_a_sum_of_exponentials():
    """∂ logaddexp = σ(a - b), where the rounding of a - b alone would cost 350 ulp."""
    a, b = -700.3, 0.7
    assert (
        ulps(slopes(TABLE["logaddexp"], (a, b))[0], exactly(lambda a, b: sigmoid(a - b), (a, b)))
        < 3.0
    )


def test_lgamma_of_positive_numbers_needs_no_looser_bound():
    """The bound of the row is wider for the sake of -3 < x < -2 alone."""
    points = [x for (x,) in arguments("lgamma", 4000) if x > 0.0]
    assert len(points) > 1000
    for x in points:
        got = TABLE["lgamma"](x)
        assert ulps(got, exactly(REFERENCE["lgamma"][0], (x,))) <= 4.0, x


def test_the_slope_of_a_power_depends_on_an_exponent_of_zero():
    """∂/∂b (b a**(b - 1)) = 1/a at b = 0: the slope there is 0, but no gate may be shut."""
    a, b = Value(2.0), Value(0.0)
    slope = gradients(a**b, a, create_graph=True)
    assert slope.data == 0.0
    assert gradients(slope, b) == 0.5
