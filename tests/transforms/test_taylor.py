"""Taylor coefficients: against closed forms, 50 digits, nesting; inside of other transforms."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, NamedTuple

import mpmath as mp
import numpy as np
import pytest

import gradwalk as gw
from gradwalk import Tensor, Value, errors, grad, jvp, no_grad, taylor, value_and_grad, vmap
from gradwalk.levels.taylor import TaylorLevel
from gradwalk.ops import TABLE
from gradwalk.transforms.expansion import Taylor

from ..helpers.arguments import moderate
from ..helpers.reference import REFERENCE

ORDER = 20


def exactly(*coefficients: Any) -> list[float]:
    return [float(c) for c in coefficients]


def radius(expected: list[float]) -> float:
    """A step for which no term is larger than the first two."""
    size = max(map(abs, expected[:2])) or 1.0
    steps = [(size / abs(c)) ** (1.0 / k) for k, c in enumerate(expected) if k and c]
    return min(steps, default=1.0)


def distance(found: Any, expected: list[float]) -> float:
    """The largest error of a term within that step, relative to the largest term."""
    h = radius(expected)
    largest = max(abs(c) * h**k for k, c in enumerate(expected)) or 1.0
    pairs = enumerate(zip(found, expected, strict=True))
    return max(abs(float(a) - b) * h**k for k, (a, b) in pairs) / largest


# --- closed forms ---------------------------------------------------------------------------------

CLOSED: dict[str, tuple[Callable[[Any], Any], float, Callable[[int], Any]]] = {
    "exp": (gw.exp, 0.0, lambda k: 1 / mp.factorial(k)),
    "sin": (gw.sin, 0.0, lambda k: mp.sin(k * mp.pi / 2) / mp.factorial(k)),
    "geometric": (lambda x: 1.0 / (1.0 - x), 0.0, lambda k: 1),
    "log": (gw.log, 2.0, lambda k: -((-mp.mpf(0.5)) ** k) / k if k else mp.log(2)),
    "power": (lambda x: x**2.5, 4.0, lambda k: mp.binomial(2.5, k) * mp.mpf(4) ** (2.5 - k)),
    "square root": (gw.sqrt, 9.0, lambda k: mp.binomial(0.5, k) * mp.mpf(9) ** (0.5 - k)),
    "cube": (lambda x: x**3, -2.0, lambda k: [-8, 12, -6, 1][k] if k < 4 else 0),
    "cube, multiplied out": (lambda x: x * x * x, -2.0, lambda k: [-8, 12, -6, 1, 0][min(k, 4)]),
    "arctangent": (gw.atan, 0.0, lambda k: mp.sin(k * mp.pi / 2) / k if k else 0),
    "catalan": (
        lambda x: (1.0 - gw.sqrt(1.0 - 4.0 * x)) / 2.0,
        0.0,
        lambda k: mp.binomial(2 * k - 2, k - 1) / k if k else 0,
    ),
    "fibonacci": (lambda x: x / (1.0 - x - x * x), 0.0, mp.fib),
    "gaussian": (
        lambda x: gw.exp(-x * x),
        0.0,
        lambda k: 0 if k % 2 else (-1) ** (k // 2) / mp.factorial(k // 2),
    ),
    "constant": (lambda x: 3.0, 1.0, lambda k: 0 if k else 3),
    "identity": (lambda x: x, 1.5, lambda k: [1.5, 1, 0][min(k, 2)]),
}


@pytest.mark.parametrize("name", CLOSED)
def test_coefficients_are_those_of_the_closed_form(name: str) -> None:
    f, x, coefficient = CLOSED[name]
    expected = exactly(*[coefficient(k) for k in range(ORDER + 1)])
    found = taylor(f, x, ORDER)
    assert [type(c) for c in found] == [float] * (ORDER + 1)
    assert distance(found, expected) < 1e-14


def test_order_is_the_number_of_coefficients_beyond_the_first() -> None:
    for order in (0, 1, 2, 7, np.int64(3)):
        assert taylor(gw.exp, 0.0, order) == taylor(gw.exp, 0.0, 20)[: int(order) + 1]


def test_every_coefficient_of_a_high_order() -> None:
    """Deep, and as cheap as polynomials are: nested derivatives would take 2**200 steps."""
    assert distance(taylor(gw.sin, 0.0, 200), [math.sin(k * math.pi / 2) / math.factorial(k)
                    if k < 150 else 0.0 for k in range(201)]) < 1e-14  # fmt: skip
    found = taylor(lambda x: x**60.5, 1.0, 50)
    with mp.workdps(30):
        assert distance(found, exactly(*[mp.binomial(60.5, k) for k in range(51)])) < 1e-11


class Counter:
    """A function that counts its runs."""

    runs = 0

    def __call__(self, x: Any) -> Any:
        self.runs += 1
        return gw.exp(gw.sin(x))


def test_function_runs_once() -> None:
    f = Counter()
    taylor(f, 0.3, 12)
    assert f.runs == 1


# --- every row of the table -----------------------------------------------------------------------

PRIMITIVES = sorted(name for name, primitive in TABLE.items() if primitive.differentiable)

# Near its zeros the tanh form of gelu has a polynomial for its slope, fitted to 2**-55 there; its
# own high derivatives are not fitted. By row: up to which order, and how closely.
LOOSER = {"gelu_tanh": (20, 1e-8), "lgamma": (12, 1e-12), "digamma": (8, 1e-12)}  # slow ones
TIGHT = 20, 1e-12
DIGITS = {"erf": 120, "erfc": 120, "pow": 250}  # 1 - 1e-60 has to be told from 1
TEXTBOOK = {"mod": lambda a, b: a - b * mp.floor(a / b)}


def along(name: str, args: tuple[float, ...], moving: tuple[float, ...]) -> tuple[Any, Any]:
    """The row on a line through ``args``: in gradwalk and in mpmath."""
    pairs = list(zip(args, moving, strict=True))
    primitive, reference = TABLE[name], TEXTBOOK.get(name, REFERENCE[name][0])
    return (
        lambda h: primitive(*[a + v * h if v else a for a, v in pairs]),
        lambda h: reference(*[mp.mpf(a) + mp.mpf(v) * h if v else mp.mpf(a) for a, v in pairs]),
    )


def directions(name: str) -> list[tuple[float, ...]]:
    """Each argument that has a rule alone, and all of them together."""
    rules = TABLE[name].rules
    alone = [
        tuple(float(i == k) for i in range(len(rules))) for k, rule in enumerate(rules) if rule
    ]
    together = tuple([0.75 + 0.5 * i if rule else 0.0 for i, rule in enumerate(rules)])
    return alone if len(alone) < 2 else [*alone, together]


@pytest.mark.parametrize("name", PRIMITIVES)
def test_coefficients_of_every_row(name: str) -> None:
    order, bound = LOOSER.get(name, TIGHT)
    for args in moderate(name, 2):
        for moving in directions(name):
            f, reference = along(name, args, moving)
            with mp.workdps(DIGITS.get(name, 50)):
                expected = exactly(*mp.taylor(reference, 0, order))
            if not 0.0 < abs(expected[1]) < 1e-60:  # denormal on the way
                assert distance(taylor(f, 0.0, order), expected) < bound, (args, moving)


@pytest.mark.parametrize("name", PRIMITIVES)
def test_work_grows_slowly_with_the_order(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Twice the order: at most 2.5 times as many series, under grad as well."""
    made = []
    box = TaylorLevel.box
    monkeypatch.setattr(TaylorLevel, "box", lambda *args: (made.append(1), box(*args))[1])

    def count(f: Callable[[Any], Any], order: int) -> int:
        made.clear()
        taylor(f, 0.0, order)
        return len(made)

    (args,) = moderate(name, 1)
    f, _ = along(name, args, directions(name)[-1])
    for g in (f, grad(f)):
        assert count(g, 12) <= 2.5 * count(g, 6) + 20


def test_the_reader_of_errors_sees_them() -> None:
    expected = exactly(1, 1, mp.mpf(1) / 2, mp.mpf(1) / 6)
    assert distance(taylor(gw.exp, 0.0, 3), expected) < 1e-15
    assert distance([1.0, 1.0, 0.5, 0.1667], expected) > 1e-5


# --- kinks and choices: what the rules say --------------------------------------------------------


def test_a_kink_goes_the_way_of_the_rule() -> None:
    assert taylor(gw.relu, 0.0, 2) == (0.0, 0.0, 0.0)
    assert taylor(abs, 0.0, 2) == (0.0, 0.0, 0.0)
    assert taylor(lambda x: gw.leaky_relu(x, 0.1), 0.0, 2) == (0.0, 0.1, 0.0)
    assert taylor(lambda x: gw.maximum(x, -x), 0.0, 1) == (0.0, 0.0)
    assert taylor(lambda x: gw.clip(x, 0.0, 1.0), 1.0, 1) == (1.0, 1.0)
    assert taylor(gw.floor, 1.5, 2) == (1.0, 0.0, 0.0)


def test_a_branch_that_is_not_taken_contributes_nothing() -> None:
    f = lambda x: gw.where(x > 0.0, gw.sqrt(x), x * x)  # noqa: E731
    assert taylor(f, 0.0, 3) == (0.0, 0.0, 1.0, 0.0)
    found = taylor(lambda x: gw.sqrt(gw.relu(x)), 0.0, 2)  # no contribution, not 0 · infinity
    assert found == (0.0, 0.0, 0.0)


def test_a_pole_gives_infinities_and_no_error() -> None:
    found = taylor(gw.sqrt, 0.0, 2)
    assert found[:2] == (0.0, math.inf)
    assert taylor(lambda x: 1.0 / x, 0.0, 1) == (math.inf, -math.inf)


# --- the polynomial -------------------------------------------------------------------------------


def test_result_is_an_immutable_sequence_that_evaluates_itself() -> None:
    t = taylor(gw.exp, 1.0, 18)
    assert isinstance(t, tuple)
    assert t(0.5) == pytest.approx(math.exp(1.5), rel=1e-14)
    np.testing.assert_allclose(t(np.array([0.0, -0.5])), np.exp([1.0, 0.5]), rtol=1e-14)
    assert t.derivatives == pytest.approx([math.e] * 19, rel=1e-13)
    assert repr(taylor(gw.exp, 0.0, 1)) == "Taylor(1.0, 1.0)"
    with pytest.raises(TypeError):
        t[0] = 1.0  # type: ignore[index]


def test_polynomial_can_be_differentiated_too() -> None:
    slope = grad(lambda h: taylor(gw.exp, 0.0, 12)(h))(0.5)
    assert slope == pytest.approx(math.exp(0.5), rel=1e-9)


# --- in any order with the other transforms -------------------------------------------------------


def bumpy(x: Any) -> Any:
    return gw.exp(gw.sin(x) * x) / (1.0 + x * x) + gw.tanh(x) ** 3 + gw.lgamma(2.0 + x)


def forward(f: Any) -> Any:
    return lambda x: jvp(f, (x,), (1.0,))[1]


@pytest.mark.parametrize("way", [grad, forward])
def test_derivatives_are_those_of_nesting(way: Any) -> None:
    f, expected = bumpy, []
    for _ in range(5):
        expected.append(f(0.7))
        f = way(f)
    assert taylor(bumpy, 0.7, 4).derivatives == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize("way", [grad, forward])
def test_taylor_inside_of_a_derivative_and_a_derivative_inside_of_taylor(way: Any) -> None:
    plain = taylor(bumpy, 0.7, 5)
    for k in range(5):
        coefficient = way(lambda x, k=k: taylor(bumpy, x, k)[k])(0.7)
        assert coefficient == pytest.approx((k + 1) * plain[k + 1], rel=1e-12)
    inner = taylor(way(bumpy), 0.7, 4)
    assert inner == pytest.approx([(k + 1) * plain[k + 1] for k in range(5)], rel=1e-12)


def test_taylor_inside_of_taylor_keeps_the_two_apart() -> None:
    """Both coefficients of exp(x y): x² y² / 2 at (1, 1), as a function of each in turn."""
    f = lambda x: taylor(lambda y: gw.exp(x * y), 1.0, 2)[2]  # noqa: E731  x² eˣ / 2
    expected = [math.e / 2.0 * c for c in (1.0, 3.0, 3.5, 13.0 / 6.0)]
    assert taylor(f, 1.0, 3) == pytest.approx(expected, rel=1e-13)
    confused = taylor(lambda x: x * taylor(lambda y: x + y, 1.0, 1)[1], 2.0, 2)
    assert confused == (2.0, 1.0, 0.0)


def test_taylor_of_a_function_of_batches() -> None:
    xs = np.array([0.3, 0.7, 1.1])
    found = vmap(lambda x: tuple(taylor(bumpy, x, 3)))(xs)
    expected = np.array([taylor(bumpy, float(x), 3) for x in xs]).T
    np.testing.assert_allclose(np.array(found), expected, rtol=1e-12)


def test_coefficients_belong_to_the_graph_of_the_argument_and_of_the_closure() -> None:
    x, w = Value(0.7), Value(1.5)
    taylor(lambda x: gw.sin(w * x), x, 3)[3].backward()  # -w³ cos(w x) / 6
    assert x.grad == pytest.approx(1.5**4 * math.sin(1.05) / 6.0, rel=1e-13)
    slope = -3.0 * 1.5**2 * math.cos(1.05) + 1.5**3 * 0.7 * math.sin(1.05)
    assert w.grad == pytest.approx(slope / 6.0, rel=1e-13)


def test_taylor_in_and_around_no_grad() -> None:
    with no_grad():
        assert taylor(gw.exp, 0.0, 2) == (1.0, 1.0, 0.5)

    def partly(x: Any) -> Any:
        with no_grad():
            constant = x * x
        return constant * x

    assert taylor(partly, 2.0, 2) == (8.0, 4.0, 0.0)


def test_value_and_grad_of_a_sum_of_coefficients() -> None:
    value, slope = value_and_grad(lambda x: sum(taylor(gw.exp, x, 10)))(0.3)
    assert [value, slope] == pytest.approx([math.e * math.exp(0.3)] * 2, rel=1e-7)


# --- kinds of numbers, arrays ---------------------------------------------------------------------


def test_kinds_of_numbers_are_those_of_the_caller() -> None:
    assert type(taylor(gw.sin, np.float64(0.5), 2)[1]) is float
    single = taylor(gw.sin, np.float32(0.5), 2)
    assert {np.asarray(c).dtype for c in single} == {np.dtype(np.float32)}
    plain = taylor(gw.sin, 0.5, 2)
    for x in (np.array(0.5), Tensor(0.5), Tensor(0.5, requires_grad=True)):
        found = taylor(gw.sin, x, 2)
        assert [float(getattr(c, "_data", c)) for c in found] == pytest.approx(plain, rel=1e-15)
    leaf = Tensor(0.5, requires_grad=True)
    taylor(gw.sin, leaf, 2)[2].backward()
    assert leaf.grad == pytest.approx(-math.cos(0.5) / 2.0, rel=1e-15)


W = np.random.default_rng(4).normal(size=(3, 3))
V = np.array([0.3, 0.5, 0.7])

ARRAYS: dict[str, Callable[[Any], Any]] = {
    "linear": lambda x: (x * Tensor(W)).sum(axis=0),
    "products": lambda x: gw.stack([x, x * x, gw.sin(x)]) @ W @ gw.stack([x, x**3, gw.exp(x)]),
    "einsum": lambda x: gw.einsum("i,j,ij->", x * V, gw.sin(x * Tensor(V)), gw.exp(x * Tensor(W))),
    "maximum": lambda x: gw.maximum(x * Tensor(V), Tensor(V) ** 2 / 2.0),
    "where": lambda x: gw.where(Tensor(V) > 0.4, x * x * Tensor(V), gw.exp(x * Tensor(V))),
    "where, one constant": lambda x: gw.where(Tensor(V) > 0.4, x * x, 2.0) + gw.where(V > 0, 1, x),
    "where of constants": lambda x: gw.where(x * Tensor(V) > 0.4, 1.0, 2.0) * 1.0 + x,
    "quotient": lambda x: Tensor(V) / (1.0 + x * x * Tensor(V)) - x,
    "power": lambda x: (x * Tensor(V)) ** x,
    "hypot": lambda x: gw.hypot(x * Tensor(V), x * x),
    "relu": lambda x: gw.relu(x * Tensor(V - 0.4)),
    "gelu": lambda x: gw.gelu(x * Tensor(V)),
    "softmax": lambda x: gw.softmax(x * Tensor(V)),
    "logsumexp": lambda x: gw.logsumexp(x * x * Tensor(V)),
    "prod": lambda x: gw.prod(gw.sin(x * Tensor(V))),
    "std": lambda x: gw.std(gw.sin(x * Tensor(V))),
    "max": lambda x: (x * x * Tensor(V)).max(),
    "cumulative": lambda x: gw.cumulative_sum(gw.sin(x * Tensor(V))),
    "split": lambda x: gw.concat(gw.split(gw.sin(x * Tensor(V)), 3)[::-1]),
    "inverse": lambda x: gw.linalg.inv(Tensor(W) + x * Tensor(3.0 * np.eye(3))),
    "eigenvalues": lambda x: gw.linalg.eigh(Tensor(W + W.T) + x * x * Tensor(np.diag(V)))[0],
    "slogdet": lambda x: gw.linalg.slogdet(x * x * Tensor(W) + Tensor(np.eye(3)))[1],
    "layer norm": lambda x: gw.nn.functional.layer_norm(gw.sin(x * Tensor(V)), (3,)),
}


def written(x: Any) -> Any:
    out = gw.zeros(3)
    out[0] = x
    out[1:] = gw.sin(x * Tensor(V))[:2]
    out *= x
    return out


ARRAYS["assignment"] = written


@pytest.mark.parametrize("name", ARRAYS)
def test_coefficients_of_arrays_are_those_of_nesting(name: str) -> None:
    f = g = ARRAYS[name]
    for k, c in enumerate(taylor(f, 1.3, 4)):
        expected = np.asarray(getattr(g(1.3), "_data", g(1.3)))
        assert np.shape(c) == expected.shape
        scale = 1.0 + np.abs(expected).max()
        np.testing.assert_allclose(c * math.factorial(k) / scale, expected / scale, atol=1e-13)
        g = forward(g)


def test_a_container_of_results_gives_a_container_of_series() -> None:
    found = taylor(lambda x: {"a": x * x, "b": [x, Tensor(V) * x]}, 2.0, 2)
    assert found["a"] == (4.0, 4.0, 1.0)
    assert isinstance(found["b"][0], Taylor)
    np.testing.assert_array_equal(found["b"][1], [2.0 * V, V, 0.0 * V])


def test_a_function_of_nothing_but_floats_does_not_load_numpy(run_python: Any) -> None:
    program = """
import sys
from gradwalk import lgamma, sin, taylor, where
taylor(lambda x: where(x > 1.0, sin(x), x) ** x + lgamma(x), 2.0, 4)
print("numpy" in sys.modules)
"""
    assert run_python(program).strip() == "False"


# --- errors ---------------------------------------------------------------------------------------


class Wrong(NamedTuple):
    call: Callable[[], Any]
    error: type[Exception]
    says: str


WRONG = {
    "negative order": Wrong(lambda: taylor(gw.sin, 1.0, -1), errors.OptionError, "an integer >= 0"),
    "order 2.0": Wrong(lambda: taylor(gw.sin, 1.0, 2.0), errors.OptionError, "float 2.0"),  # type: ignore[arg-type]
    "order True": Wrong(lambda: taylor(gw.sin, 1.0, True), errors.OptionError, "bool True"),
    "bool": Wrong(lambda: taylor(gw.sin, True, 2), errors.NotANumberError, "bool True"),
    "text": Wrong(lambda: taylor(gw.sin, "1", 2), errors.GradwalkError, "str '1'"),
    "array": Wrong(lambda: taylor(gw.sin, V, 2), errors.SizeError, r"shape \(3,\)"),
    "list": Wrong(lambda: taylor(gw.sin, [1.0], 2), errors.SizeError, "one number"),
    "no function": Wrong(lambda: taylor(1.0, 1.0, 2), errors.OptionError, "a function"),  # type: ignore[arg-type]
    "a result of ints": Wrong(lambda: taylor(lambda x: 3, 1.0, 2), errors.NotANumberError, "int 3"),
    "nothing": Wrong(lambda: taylor(lambda x: None, 1.0, 2), errors.NotANumberError, "None"),
    "backward": Wrong(lambda: taylor(lambda x: x.backward(), 1.0, 2), errors.OptionError, "return"),
}


@pytest.mark.parametrize("case", WRONG)
def test_what_is_refused_and_how(case: str) -> None:
    with pytest.raises(WRONG[case].error, match=WRONG[case].says):
        WRONG[case].call()


def test_what_leaks_is_an_error_at_its_next_use() -> None:
    kept: list[Any] = []
    taylor(lambda x: kept.append(x) or x * x, 2.0, 2)
    with pytest.raises(errors.LeakedTraceError, match="taylor"):
        kept[0] + 1.0
    with pytest.raises(errors.LeakedTraceError, match="taylor"):
        kept[0].data  # noqa: B018


def test_an_error_inside_of_the_function_leaves_nothing_open() -> None:
    def broken(x: Any) -> Any:
        raise ZeroDivisionError("mine")

    with pytest.raises(ZeroDivisionError, match="mine"):
        taylor(broken, 1.0, 3)
    assert taylor(gw.exp, 0.0, 1) == (1.0, 1.0)


def test_an_error_inside_of_a_rule_leaves_the_level_as_it_was() -> None:
    def rule(t: Any, y: Any, x: Any) -> Any:
        raise KeyError("mine")

    primitive = gw.pointwise("broken", rule, forward=lambda x: x)
    series = TaylorLevel(2)
    with series:
        x = series.variable(1.0, 1.0)
        with pytest.raises(KeyError):
            primitive(x)
        assert series.coefficients(x * x) == [1.0, 2.0, 1.0]
