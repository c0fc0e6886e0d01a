"""`minimize` and `curve_fit`: every method finds the minimum, in every container, and says how."""

from __future__ import annotations

import builtins
import io
import math
import os
import re
import subprocess
import sys
from dataclasses import FrozenInstanceError, dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest

pytest.importorskip("scipy")

import scipy.optimize

import gradwalk
from gradwalk import Tensor, Value, curve_fit, grad, jvp, minimize, nn
from gradwalk.errors import (
    MissingExtraError,
    NonFiniteError,
    NotANumberError,
    OptionError,
    SilentDetachError,
    SizeError,
)
from gradwalk.optimize import CurveFit, Evaluations, Minimum, Step
from gradwalk.optimize.covariance import covariance
from gradwalk.optimize.curve import measured
from gradwalk.optimize.display import described, showing
from gradwalk.optimize.flat import Flat, readable
from gradwalk.optimize.methods import LEAST_SQUARES, METHODS
from gradwalk.optimize.space import Space

OF_GRADIENTS = [m.name for m in METHODS.values() if m is not LEAST_SQUARES]
BOUNDED = [m.name for m in METHODS.values() if m.bounds and m is not LEAST_SQUARES]


def rosenbrock(x: Any) -> Any:
    return (100.0 * (x[1:] - x[:-1] ** 2) ** 2 + (1.0 - x[:-1]) ** 2).sum()


def rosenbrock_of_numbers(x: Any) -> Any:
    return sum(100.0 * (b - a**2) ** 2 + (1.0 - a) ** 2 for a, b in pairwise(x))


def residuals(x: Any) -> list[Any]:
    return [10.0 * (x[1:] - x[:-1] ** 2), 1.0 - x[:-1]]


class Counting:
    """A function that counts its calls."""

    def __init__(self, f: Any) -> None:
        self.f, self.calls = f, 0

    def __call__(self, *args: Any) -> Any:
        self.calls += 1
        return self.f(*args)


# --- every method -------------------------------------------------------------------------------


@pytest.mark.parametrize("method", OF_GRADIENTS)
@pytest.mark.parametrize("count", [2, 3, 6])
def test_rosenbrock_by_every_method(method: str, count: int) -> None:
    f, start = Counting(rosenbrock), np.linspace(1.3, 1.1, count)
    found = minimize(f, start, method=method, tolerance=1e-8, max_steps=500)
    assert isinstance(found, Minimum)
    assert found.converged, found.message
    assert found.method == method
    np.testing.assert_allclose(found.x, np.ones(count), atol=3e-4 if method == "TNC" else 1e-4)
    assert found.value == rosenbrock(found.x)
    np.testing.assert_array_equal(found.gradient, grad(rosenbrock)(found.x))
    assert found.gradient_norm == np.linalg.norm(found.gradient)
    assert len(found.history) == found.steps + 1
    assert found.history[0] == rosenbrock(start)
    assert found.history[-1] == found.value
    products = found.evaluations.hessian_products
    assert found.evaluations.values == found.evaluations.gradients
    if METHODS[method.lower()].second:
        assert products > 0
        assert f.calls > found.evaluations.values  # a record of the gradient at each new point
    else:
        assert products == 0
        assert f.calls == found.evaluations.values


@pytest.mark.parametrize("count", [2, 5, 20])
def test_rosenbrock_by_least_squares(count: int) -> None:
    f = Counting(residuals)
    found = minimize(f, np.full(count, -0.5), method="least_squares", tolerance=1e-12)
    assert found.converged
    np.testing.assert_allclose(found.x, np.ones(count), rtol=1e-9)
    assert found.evaluations.hessian_products == 0
    assert f.calls == found.evaluations.values + found.evaluations.gradients
    assert found.value == pytest.approx(rosenbrock(found.x) / 2.0, abs=1e-20)
    assert found.history[0] == pytest.approx(rosenbrock(np.full(count, -0.5)) / 2.0, rel=1e-14)
    assert found.steps == found.evaluations.gradients - 1 == len(found.history) - 1


@pytest.mark.parametrize("name", ["trf", "dogbox", "lm"])
def test_least_squares_has_methods_of_its_own(name: str) -> None:
    found = minimize(residuals, np.zeros(3), method="least_squares", options={"method": name})
    np.testing.assert_allclose(found.x, np.ones(3), rtol=1e-6)


@pytest.mark.parametrize(("method", "steps"), [("BFGS", 34), ("trust-ncg", 30), ("Newton-CG", 85)])
def test_exact_derivatives_take_the_steps_that_scipy_takes(method: str, steps: int) -> None:
    """With the derivatives of `scipy.optimize.rosen`, written out by hand, it goes the same way."""
    start = np.array([-1.2, 1.0])
    found = minimize(rosenbrock, start, method=method, tolerance=1e-8)
    second = {"hessp": scipy.optimize.rosen_hess_prod} if METHODS[method.lower()].second else {}
    reference = scipy.optimize.minimize(
        scipy.optimize.rosen,
        start,
        jac=scipy.optimize.rosen_der,
        method=method,
        tol=1e-8,
        **second,
    )
    assert found.steps == reference.nit
    assert abs(found.steps - steps) <= 2
    np.testing.assert_allclose(found.x, reference.x, rtol=1e-7)


def test_two_searches_are_the_same() -> None:
    pair = [minimize(rosenbrock, np.zeros(4), method="trust-krylov") for _ in range(2)]
    assert pair[0].history == pair[1].history
    np.testing.assert_array_equal(pair[0].x, pair[1].x)


def test_the_default_follows_from_the_problem() -> None:
    def squares(x: Any) -> Any:
        return ((x - 1.0) ** 2).sum()

    assert minimize(squares, np.zeros(2)).method == "BFGS"
    assert minimize(squares, np.zeros(501)).method == "L-BFGS-B"
    assert minimize(squares, np.zeros(2), bounds=(-1.0, None)).method == "L-BFGS-B"
    one = {"type": "eq", "fun": lambda x: x.sum() - 1.0}
    assert minimize(squares, np.zeros(2), constraints=one).method == "SLSQP"
    assert minimize(squares, np.zeros(2), method="slsqp").method == "SLSQP"


def test_badly_scaled_numbers() -> None:
    scales = 10.0 ** np.arange(-4.0, 5.0)

    def f(x: Any) -> Any:
        return (((x - scales) / scales) ** 2).sum()

    newton = minimize(f, 3.0 * scales, method="trust-exact", tolerance=1e-14, max_steps=10_000)
    squares = minimize(lambda x: (x - scales) / scales, 3.0 * scales, method="least_squares")
    assert squares.converged
    np.testing.assert_allclose(squares.x, scales, rtol=1e-12)
    assert newton.value < 1e-6


# --- containers ---------------------------------------------------------------------------------


@dataclass(frozen=True)
class Point:
    x: float
    y: Any
    name: str = "here"


def test_the_result_is_like_the_start() -> None:
    start = {
        "number": 1.0,
        "points": [Point(0.0, np.zeros(2, np.float32)), (Value(1.0), None)],
        "tensor": Tensor([1.0, 2.0], requires_grad=True),
        "constant": Tensor([1.0, 2.0], dtype=np.float32),
        "zero": np.float64(3.0),
        "single": np.float32(3.0),
    }

    def f(p: Any) -> Any:
        point, (value, nothing) = p["points"]
        assert nothing is None
        assert isinstance(point.y, Tensor)
        assert point.y.dtype == np.float64
        parts = [(point.y - np.array([1.0, 2.0])) ** 2, p["tensor"] ** 2, (p["constant"] - 1) ** 2]
        numbers = (p["number"] - 2.0) ** 2 + (point.x - 3.0) ** 2 + (value + 4.0) ** 2
        return numbers + sum(t.sum() for t in parts) + p["zero"] ** 2 + (p["single"] - 0.5) ** 2

    found = minimize(f, start)
    point, (value, _) = found.x["points"]
    assert list(found.x) == list(start)
    assert type(found.x["number"]) is float
    assert found.x["number"] == pytest.approx(2.0)
    assert isinstance(point, Point)
    assert (point.name, point.y.dtype, type(point.y)) == ("here", np.float32, np.ndarray)
    np.testing.assert_allclose(point.y, [1.0, 2.0], rtol=1e-6)
    assert isinstance(value, Value)
    assert value.data == pytest.approx(-4.0)
    assert found.x["tensor"].requires_grad
    assert not found.x["constant"].requires_grad
    assert found.x["constant"].dtype == np.float32
    assert type(found.x["single"]) is np.float32
    assert type(found.gradient["points"][0].y) is np.ndarray
    assert not found.gradient["tensor"].requires_grad
    assert start["number"] == 1.0, "the start is left alone"
    assert start["tensor"].data.tolist() == [1.0, 2.0]


def test_plain_numbers() -> None:
    found = minimize(lambda x: (x - 3.0) ** 2, 0.0)
    assert type(found.x) is type(found.gradient) is type(found.value) is float
    assert found.x == pytest.approx(3.0)
    listed = minimize(rosenbrock_of_numbers, [0.0, 0.0, 0.0], method="trust-ncg", tolerance=1e-9)
    assert listed.x == pytest.approx([1.0, 1.0, 1.0])


def test_more_arguments_are_constants() -> None:
    assert minimize(lambda x, a, b: (a * x - b) ** 2, 1.0, (2.0, 3.0)).x == pytest.approx(1.5)
    assert minimize(lambda x, a: (x - a) ** 2, 1.0, 4.0).x == pytest.approx(4.0)


def test_a_line_through_a_module() -> None:
    xs = Tensor(np.linspace(0.0, 1.0, 9)[:, None])
    model = nn.Linear(1, 1, seed=0)
    before = model.weight.data.copy()
    found = minimize(lambda m: ((m(xs) - (2.0 * xs + 1.0)) ** 2).mean(), model, tolerance=1e-9)
    assert isinstance(found.x, nn.Linear)
    assert found.x.weight.item() == pytest.approx(2.0, abs=1e-7)
    assert found.x.bias.item() == pytest.approx(1.0, abs=1e-7)
    assert found.x.weight.requires_grad
    np.testing.assert_array_equal(model.weight.data, before)
    assert len(gradwalk.optim.SGD(found.x.parameters(), lr=0.1).param_groups) == 1


@pytest.mark.parametrize("method", ["BFGS", "trust-ncg"])
def test_exclusive_or(method: str) -> None:
    net = nn.Sequential(nn.Linear(2, 4, seed=1), nn.Tanh(), nn.Linear(4, 1, seed=2))
    xs = Tensor([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]])
    ys = Tensor([[0.0], [1.0], [1.0], [0.0]])
    found = minimize(lambda m: ((m(xs) - ys) ** 2).sum(), net, method=method)
    assert found.converged
    np.testing.assert_allclose(found.x(xs).data, ys.data, atol=1e-3)
    assert "Sequential" in repr(found)


def test_a_network_of_values() -> None:
    pairs = [((0.0, 0.0), 0.0), ((0.0, 1.0), 1.0), ((1.0, 0.0), 1.0), ((1.0, 1.0), 0.0)]
    net = nn.MLP(2, [3, 1], seed=0)
    found = minimize(lambda m: sum((m(x) - y) ** 2 for x, y in pairs), net)
    assert found.value < 1e-6
    assert all(isinstance(p, Value) for p in found.x.parameters())


# --- bounds and constraints ---------------------------------------------------------------------


@pytest.mark.parametrize("method", BOUNDED)
def test_bounds_hold(method: str) -> None:
    def f(p: Any) -> Any:
        inside = 0.0 <= p["a"].data <= 10.0 and np.all(p["b"].data <= 0.5)
        assert inside or method == "trust-constr"
        return (p["a"] + 1.0) ** 2 + ((p["b"] - np.array([-3.0, 3.0])) ** 2).sum()

    start = {"a": 2.0, "b": np.zeros(2)}
    bounds = ({"a": 0, "b": -math.inf}, {"a": 10, "b": np.array([np.inf, 0.5])})
    found = minimize(f, start, method=method, bounds=bounds, tolerance=1e-9)
    assert found.x["a"] == pytest.approx(0.0, abs=1e-4)
    np.testing.assert_allclose(found.x["b"], [-3.0, 0.5], atol=1e-4)
    if method != "trust-constr":  # which stays inside
        assert found.gradient_norm < 1e-3
        assert found.gradient["a"] == pytest.approx(2.0)


def test_least_squares_within_bounds() -> None:
    found = minimize(residuals, np.zeros(2), method="least_squares", bounds=(None, 0.5))
    reference = minimize(rosenbrock, np.zeros(2), bounds=(None, 0.5), tolerance=1e-12)
    np.testing.assert_allclose(found.x, reference.x, rtol=1e-4)
    assert found.x[0] <= 0.5


@pytest.mark.parametrize("method", ["BFGS", "TNC", "trust-ncg", "least_squares"])
def test_equal_bounds_hold_a_number(method: str) -> None:
    f = residuals if method == "least_squares" else rosenbrock
    start = np.array([0.5, 2.0, 0.3])
    held = np.array([-np.inf, 2.0, -np.inf]), np.array([np.inf, 2.0, np.inf])
    found = minimize(f, start, method=method, bounds=held, tolerance=1e-10)
    assert found.x[1] == 2.0
    assert found.gradient[1] == 0.0
    assert found.x[2] == pytest.approx(4.0, rel=1e-4)  # the square of the one before
    free = scipy.optimize.minimize_scalar(lambda x: 100.0 * (2.0 - x * x) ** 2 + (1.0 - x) ** 2)
    assert found.x[0] == pytest.approx(free.x, rel=1e-4)


@pytest.mark.parametrize("method", ["BFGS", "least_squares"])
def test_nothing_may_move(method: str) -> None:
    found = minimize(lambda x: x**2, 3.0, method=method, bounds=(3.0, 3.0))
    assert found.converged
    assert (found.x, found.steps, found.gradient_norm) == (3.0, 0, 0.0)
    assert "fix every number" in found.message


@pytest.mark.parametrize("method", ["SLSQP", "trust-constr"])
def test_constraints(method: str) -> None:
    """Nocedal & Wright (2006), example 16.4: the minimum is (1.4, 1.7)."""

    def above(p: Any, shift: float) -> list[Any]:
        return [-p["x"] - 2.0 * p["y"] + 6.0, -p["x"] + 2.0 * p["y"] + shift]

    constraints = [
        {"type": "ineq", "fun": lambda p: p["x"] - 2.0 * p["y"] + 2.0},
        {"type": "ineq", "fun": above, "args": (2.0,)},
    ]
    found = minimize(
        lambda p: (p["x"] - 1.0) ** 2 + (p["y"] - 2.5) ** 2,
        {"x": 2.0, "y": 0.0},
        method=method,
        bounds=(0.0, None),
        constraints=constraints,
    )
    assert (found.x["x"], found.x["y"]) == pytest.approx((1.4, 1.7), abs=1e-4)


@pytest.mark.parametrize("method", ["SLSQP", "trust-constr"])
def test_constraints_that_are_curved(method: str) -> None:
    circle = {"type": "eq", "fun": lambda p: (p**2).sum(keepdims=True) - 2.0}
    found = minimize(lambda p: p.sum(), np.array([-1.5, -0.5]), method=method, constraints=circle)
    np.testing.assert_allclose(found.x, [-1.0, -1.0], atol=1e-4)


# --- the end of a search ------------------------------------------------------------------------


@pytest.mark.parametrize("method", [*OF_GRADIENTS, "least_squares"])
def test_a_search_ends_after_max_steps(method: str) -> None:
    f = residuals if method == "least_squares" else rosenbrock
    found = minimize(f, np.array([0.2, 0.0, 0.1]), method=method, max_steps=2, tolerance=1e-12)
    assert not found.converged
    assert found.message
    assert found.steps == 2
    assert "NOT converged after 2 steps" in repr(found)


@pytest.mark.parametrize("method", ["BFGS", "TNC", "trust-constr", "least_squares"])
def test_a_callback_sees_every_step_and_may_end_the_search(method: str) -> None:
    seen: list[Step] = []

    def watch(step: Step) -> bool:
        seen.append(step)
        return step.number == 3

    f = (lambda p: residuals(p["x"])) if method == "least_squares" else lambda p: rosenbrock(p["x"])
    found = minimize(f, {"x": np.array([0.2, 0.0])}, method=method, callback=watch)
    assert [step.number for step in seen] == [1, 2, 3]
    assert found.message == "ended by the callback"
    assert not found.converged
    assert tuple(step.value for step in seen) == found.history[1:]
    np.testing.assert_array_equal(seen[-1].x["x"], found.x["x"])
    assert seen[-1].gradient_norm == found.gradient_norm


def test_options_reach_scipy() -> None:
    loose = minimize(rosenbrock, np.zeros(2), options={"gtol": 1.0})
    assert loose.steps < minimize(rosenbrock, np.zeros(2)).steps
    assert minimize(rosenbrock, np.zeros(2), method="TNC", options={"maxfun": 3}).steps < 3


def test_dogleg_says_that_a_hessian_is_not_positive() -> None:
    found = minimize(lambda x: (x**2 - 1.0) ** 2, 0.1, method="dogleg")
    assert not found.converged
    assert found.message


def test_a_result_cannot_be_changed() -> None:
    found = minimize(lambda x: x**2, 1.0)
    with pytest.raises(FrozenInstanceError):
        found.x = 2.0  # type: ignore[misc]


def test_the_repr_is_for_people() -> None:
    text = repr(minimize(lambda x: ((x - 1.0) ** 2).sum(), np.zeros(100)))
    assert text.startswith("Minimum(converged after ")
    assert all(len(line) <= 100 for line in text.splitlines())
    assert "value " in text
    assert "Hessian products" in text
    assert text.endswith("...)")


# --- what is not finite -------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("f", "start", "said"),
    [
        (lambda p: gradwalk.log(p["a"]), {"a": -1.0}, r"step 0: f\(x\).*nan at a = -1"),
        (lambda x: gradwalk.log(x[0]), [0.0, 2.0], r"-inf at x\[0\] = 0, x\[1\] = 2"),
        (lambda x: 1.0 / x, 0.0, r"inf at x = 0"),
        (lambda x: gradwalk.sqrt(x[1]), np.zeros(6), r"the gradient.*inf at .*x\[3\] = 0, \.\.\."),
        (lambda x: x, math.nan, r"x = nan"),
    ],
)
def test_a_start_that_is_not_finite(f: Any, start: Any, said: str) -> None:
    with pytest.raises(NonFiniteError, match=said):
        minimize(f, start)


def test_a_nan_on_the_way() -> None:
    with pytest.raises(NonFiniteError, match=r"step \d+: f\(x\).*nan at x = -\d"):
        minimize(lambda x: x - gradwalk.log(x), 30.0)
    with pytest.raises(NonFiniteError, match="the point to try"):
        minimize(lambda x: -x, 1.0)
    with pytest.raises(NonFiniteError, match=r"f\(x\).*nan"):
        minimize(lambda x: [gradwalk.log(x) * 30.0], 3.0, method="least_squares")
    with pytest.raises(NonFiniteError, match="the Jacobian"):
        minimize(lambda x: [gradwalk.sqrt(x)], 0.0, method="least_squares")
    with pytest.raises(NonFiniteError, match="product of the Hessian"):
        minimize(lambda x: x**1.5 - x, 0.0, method="trust-ncg")


RETURNING = [m.name for m in METHODS.values() if m.returns and m.name != "dogleg"]


@pytest.mark.parametrize("method", RETURNING)
def test_an_infinity_on_the_way_means_too_far(method: str) -> None:
    squares = method == "least_squares"
    rejected = []

    def f(x: Any) -> Any:
        if x.data <= 0.0:
            rejected.append(x.data)
            return math.inf
        return gradwalk.log(10.0 * x) if squares else x - 0.1 * gradwalk.log(x)

    found = minimize(f, 0.8, method=method)
    assert found.converged
    assert found.x == pytest.approx(0.1, abs=1e-3)
    assert rejected


@pytest.mark.parametrize("method", ["L-BFGS-B", "TNC"])
def test_methods_that_an_infinity_would_mislead(method: str) -> None:
    with pytest.raises(NonFiniteError, match="methods except L-BFGS-B and TNC"):
        minimize(lambda x: x - gradwalk.log(x) if x.data > 0 else math.inf, 30.0, method=method)


# --- what cannot be minimized -------------------------------------------------------------------


def square(x: Any) -> Any:
    return x**2


@pytest.mark.parametrize(
    ("error", "said", "call"),
    [
        (NotANumberError, r"x0: .*True", lambda: minimize(square, True)),
        (NotANumberError, r"x0\['a'\]", lambda: minimize(square, {"a": np.ones(3, bool)})),
        (OptionError, "Pass a starting point", lambda: minimize(square, {})),
        (OptionError, "Pass a starting point", lambda: minimize(square, np.zeros(0))),
        (OptionError, "a function", lambda: minimize(3.0, 2.0)),
        (SizeError, "minimize: the result", lambda: minimize(square, np.ones(3))),
        (NotANumberError, "minimize", lambda: minimize(lambda x: "no", 1.0)),
        (OptionError, "uses no derivatives", lambda: minimize(square, 1.0, method="Powell")),
        (OptionError, "BFGS, CG, L-BFGS-B", lambda: minimize(square, 1.0, method="newton")),
        (OptionError, "BFGS, CG, L-BFGS-B", lambda: minimize(square, 1.0, method=3)),
        (OptionError, "supports bounds", lambda: minimize(square, 1.0, method="CG", bounds=(0, 2))),
        (OptionError, "1 pairs", lambda: minimize(square, 1.0, bounds=[(0.0, 2.0), (0.0, 2.0)])),
        (OptionError, "1 pairs", lambda: minimize(square, 1.0, bounds=(1.0, 2.0, 3.0))),
        (OptionError, "x = 1", lambda: minimize(square, 1.0, bounds=(2.0, 3.0))),
        (OptionError, "x = 1", lambda: minimize(square, 1.0, bounds=(math.nan, 3.0))),
        (SizeError, "structure", lambda: minimize(square, [1.0], bounds=((0.0,), None))),
        (SizeError, "bound", lambda: minimize(square, np.ones(3), bounds=(np.zeros(2), None))),
        (SizeError, "bound", lambda: minimize(square, {"a": 1.0}, bounds=({"a": 1j}, None))),
        (OptionError, "foo", lambda: minimize(square, 1.0, options={"foo": 1})),
        (
            OptionError,
            "foo",
            lambda: minimize(square, 1.0, method="least_squares", options={"foo": 1}),
        ),
        (OptionError, "positive integer", lambda: minimize(square, 1.0, max_steps=0)),
        (OptionError, "positive integer", lambda: minimize(square, 1.0, max_steps=1.5)),
        (OptionError, "constraints", lambda: minimize(square, 1.0, constraints=[square])),
        (
            OptionError,
            "constraints",
            lambda: minimize(
                square, 1.0, constraints={"type": "eq", "fun": square, "jacobian": square}
            ),
        ),
        (
            OptionError,
            "supports constraints",
            lambda: minimize(square, 1.0, "", "BFGS", constraints={"type": "eq", "fun": square}),
        ),
    ],
)
def test_errors(error: type[Exception], said: str, call: Any) -> None:
    with pytest.raises(error, match=said):
        call()


def test_a_search_is_not_differentiated_by_mistake() -> None:
    def lowest(a: Any, method: str = "BFGS") -> Any:
        return minimize(lambda x: (x - a) ** 2, 1.0, method=method).x

    for method in ("BFGS", "trust-ncg", "least_squares"):
        with pytest.raises(SilentDetachError, match="no_grad"):
            grad(lowest)(2.0, method)
        with pytest.raises(SilentDetachError, match="implicit_function"):
            jvp(lambda a, method=method: lowest(a, method), (2.0,), (1.0,))
    with pytest.raises(SilentDetachError):
        grad(grad(lowest))(2.0)

    def constant(a: Any) -> Any:
        with gradwalk.no_grad():
            found = lowest(a)
        return a * found

    assert grad(constant)(2.0) == pytest.approx(2.0)
    assert jvp(constant, (2.0,), (1.0,)) == pytest.approx((4.0, 2.0))


def test_a_search_inside_of_a_transform() -> None:
    """A search that nothing around it depends on goes on as always, from wherever it starts."""

    def f(a: Any) -> Any:
        found = minimize(lambda x: (x - 3.0) ** 2, a, method="trust-ncg").x
        assert type(found) in (float, Value)
        return a * getattr(found, "data", found)

    assert grad(f)(2.0) == pytest.approx(3.0)
    assert jvp(f, (2.0,), (1.0,)) == pytest.approx((6.0, 3.0))
    assert grad(grad(f))(2.0) == 0.0


@pytest.mark.parametrize("method", ["BFGS", "Newton-CG", "least_squares"])
def test_other_parameters_are_held_by_no_grad(method: str) -> None:
    model = nn.Linear(2, 1, seed=0)

    def f(x: Any) -> Any:
        difference = model(x) - 3.0
        return difference if method == "least_squares" else (difference**2).sum()

    with pytest.raises(SilentDetachError):
        minimize(f, np.ones(2), method=method)
    with gradwalk.no_grad():
        found = minimize(f, np.ones(2), method=method, tolerance=1e-10)
        assert model(Tensor(found.x)).item() == pytest.approx(3.0)
    assert model.weight.grad is None


def test_gradients_of_arrays_are_taken_without_recording_outside() -> None:
    with gradwalk.no_grad():
        np.testing.assert_array_equal(grad(lambda x: (x * x).sum())(np.array([1.0, 2.0])), [2, 4])


def test_without_scipy(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "scipy.optimize", None)
    with pytest.raises(MissingExtraError, match=r"gradwalk\[scipy\]"):
        minimize(square, 1.0)
    with pytest.raises(MissingExtraError, match=r"gradwalk\.curve_fit"):
        curve_fit(lambda x, w: w * x, [1.0], [1.0], [1.0])


# --- the line that shows how it goes on ---------------------------------------------------------


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_no_progress_is_shown_where_none_is_wanted(monkeypatch: Any) -> None:
    monkeypatch.setattr(sys, "stderr", Terminal())
    minimize(rosenbrock, np.zeros(3), progress=False)
    assert sys.stderr.getvalue() == ""


@pytest.mark.parametrize("wanted", [None, True])
def test_progress_on_a_terminal_stays_in_one_line(monkeypatch: Any, wanted: Any) -> None:
    terminal = Terminal()
    monkeypatch.setattr(sys, "stderr", terminal)
    found = minimize(rosenbrock, np.zeros(3), progress=wanted)
    assert terminal.getvalue().count("\n") == 1
    last = terminal.getvalue().splitlines()[-1].rpartition("\x1b[K")[2]
    assert last == described(found.steps, found.value, found.gradient_norm)


def test_progress_elsewhere_is_a_few_lines_if_wanted(capsys: pytest.CaptureFixture[str]) -> None:
    minimize(rosenbrock, np.zeros(3))
    assert capsys.readouterr() == ("", "")
    found = minimize(rosenbrock, np.zeros(3), progress=True)
    printed = capsys.readouterr().err.splitlines()
    numbers = [int(line.split()[1]) for line in printed]
    assert numbers == [n for n in (0, 1, 2, 5, 10, 20, 50) if n <= found.steps]
    assert printed[0] == described(0, 2.0, found.history[0] * math.sqrt(2.0))


def test_a_terminal_gets_its_line_back_after_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stderr", terminal := Terminal())
    with pytest.raises(NonFiniteError):
        minimize(lambda x: x - gradwalk.log(x), 30.0)
    assert terminal.getvalue().endswith("\n")
    monkeypatch.setattr(sys, "stderr", empty := Terminal())
    with showing(True):
        pass
    assert empty.getvalue() == ""


# --- curves -------------------------------------------------------------------------------------


XS = np.linspace(0.0, 4.0, 50)
NOISE = np.random.default_rng(0).normal(size=50)
YS = 2.5 * np.exp(-1.3 * XS) + 0.5 + 0.2 * NOISE
SIGMA = 0.1 + 0.1 * XS


def decay(x: Any, a: Any, b: Any, c: Any) -> Any:
    return a * gradwalk.exp(-b * x) + c


def decay_of_numpy(x: Any, a: Any, b: Any, c: Any) -> Any:
    return a * np.exp(-b * x) + c


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"sigma": SIGMA},
        {"sigma": SIGMA, "absolute_sigma": True},
        {"sigma": SIGMA, "bounds": (0.0, [4.0, 2.0, 3.0])},
    ],
)
def test_a_curve_is_that_of_scipy(options: Any) -> None:
    found = curve_fit(decay, XS, YS, [1.0, 1.0, 1.0], **options)
    exact = {"xtol": 1e-14, "ftol": 1e-14, "gtol": 1e-14}
    p, matrix = scipy.optimize.curve_fit(decay_of_numpy, XS, YS, [1, 1, 1], **options, **exact)
    assert isinstance(found, CurveFit)
    assert found.converged
    np.testing.assert_allclose(found.parameters, p, rtol=2e-7)
    np.testing.assert_allclose(found.covariance, matrix, rtol=1e-6)
    np.testing.assert_allclose(found.uncertainties, np.sqrt(np.diagonal(matrix)), rtol=1e-6)
    np.testing.assert_allclose(found.residuals, YS - decay_of_numpy(XS, *p), atol=1e-7)
    weights = options.get("sigma", np.ones(50))
    assert found.chi2 == pytest.approx(((found.residuals / weights) ** 2).sum(), rel=1e-12)
    assert found.degrees_of_freedom == 47
    assert found.reduced_chi2 == found.chi2 / 47
    assert found.evaluations.gradients == found.steps + 1


def test_a_line_is_linear_regression() -> None:
    """slope = Sxy / Sxx, its variance s² / Sxx, that of the intercept s² (1/m + x̄²/Sxx)."""
    ys = 3.0 * XS - 1.0 + NOISE
    found = curve_fit(lambda x, w, b: w * x + b, XS.tolist(), ys, (0.0, 0.0))
    centred = XS - XS.mean()
    slope = centred @ ys / (centred @ centred)
    shift = ys.mean() - slope * XS.mean()
    scatter = ((ys - slope * XS - shift) ** 2).sum() / 48
    assert found.parameters == pytest.approx((slope, shift), rel=1e-10)
    variances = (
        scatter / (centred @ centred),
        scatter * (1.0 / 50.0 + XS.mean() ** 2 / (centred @ centred)),
    )
    assert found.uncertainties == pytest.approx(tuple(map(math.sqrt, variances)), rel=1e-10)
    assert found.covariance[0, 1] == pytest.approx(-XS.mean() * variances[0], rel=1e-10)
    assert [primitive.name for primitive in found.table] == ["w", "b"]
    assert str(found.table[0]) == f"w = {measured(slope, math.sqrt(variances[0]))}"
    assert f"  {found.table[0]}\n" in repr(found)


def test_the_uncertainties_are_those_of_repeated_experiments() -> None:
    """What the fit claims is how much its answers scatter when the data are measured anew."""
    rng, answers = np.random.default_rng(1), []
    for _ in range(200):
        ys = decay_of_numpy(XS, 2.5, 1.3, 0.5) + 0.1 * rng.normal(size=50)
        found = curve_fit(decay, XS, ys, [2.0, 1.0, 0.0], sigma=0.1, absolute_sigma=True)
        answers.append((*found.parameters, *found.uncertainties))
    answers = np.array(answers)
    np.testing.assert_allclose(answers[:, 3:].mean(0), answers[:, :3].std(0), rtol=0.15)


def test_a_container_of_parameters_is_handed_on_whole() -> None:
    def model(x: Any, p: Any) -> Any:
        return p["a"] * x + p["b"][0] + p["b"][1] * x**2

    ys = 2.0 * XS + 1.0 - 0.5 * XS**2 + 0.1 * NOISE
    found = curve_fit(model, XS, ys, {"a": 1.0, "b": np.ones(2, np.float32)})
    reference = np.polynomial.polynomial.polyfit(XS, ys, 2)
    assert found.parameters["a"] == pytest.approx(reference[1], rel=1e-8)
    np.testing.assert_allclose(found.parameters["b"], reference[[0, 2]], rtol=1e-6)
    assert found.parameters["b"].dtype == found.uncertainties["b"].dtype == np.float32
    assert [primitive.name for primitive in found.table] == ["a", "b[0]", "b[1]"]
    assert found.covariance.shape == (3, 3)


@pytest.mark.parametrize("p0", [np.array([1.0, 0.0]), Tensor([1.0, 0.0])], ids=["array", "Tensor"])
def test_an_array_of_parameters(p0: Any) -> None:
    found = curve_fit(lambda x, p: p[0] * x + p[1], XS, 2.0 * XS + 3.0, p0)
    assert type(found.parameters) is type(p0)
    assert [primitive.name for primitive in found.table] == ["p[0]", "p[1]"]
    np.testing.assert_allclose(
        [primitive.value for primitive in found.table], [2.0, 3.0], rtol=1e-12
    )


def test_names_follow_the_model() -> None:
    single = curve_fit(lambda t, rate: rate * t, XS, 2.0 * XS, 1.0)
    assert single.table[0].name == "rate"
    assert single.parameters == pytest.approx(2.0)
    spread = curve_fit(lambda t, *all: all[0] * t + all[1], XS, 2.0 * XS, [1.0, 1.0])
    assert [primitive.name for primitive in spread.table] == ["p[0]", "p[1]"]
    nested = curve_fit(lambda t, w, q: w * t + q["b"], XS, 2.0 * XS, [1.0, {"b": 1.0}])
    assert [primitive.name for primitive in nested.table] == ["w", "q.b"]
    written_in_c = curve_fit(max, 2.0, 6.0, 3.0)
    assert (written_in_c.table[0].name, written_in_c.parameters) == ("p", pytest.approx(6.0))
    many = curve_fit(lambda t, q: q[:24].sum() * t[:30] / 24 + q, XS[:30], YS[:30], np.ones(30))
    assert "and 10 more" in repr(many)
    assert readable("['net'].layers[0].weight") == "net.layers[0].weight"


def test_models_of_single_numbers_and_of_several_variables() -> None:
    rows = curve_fit(lambda xs, w: [w * x for x in xs.tolist()], [1.0, 2.0], [2.0, 4.1], [1.0])
    assert rows.parameters == pytest.approx([(2.0 + 2.0 * 4.1) / 5.0])
    both = curve_fit(
        lambda x, a, b: a * x[0] + b * x["1"] if isinstance(x, dict) else a * x[0] + b * x[1],
        (XS, XS**2),
        2.0 * XS + 3.0 * XS**2,
        [1.0, 1.0],
    )
    assert both.parameters == pytest.approx([2.0, 3.0])
    named = curve_fit(lambda x, a: [a * len(name) for name in x], ["a", "bb"], [1.0, 2.0], [0.5])
    assert named.parameters == pytest.approx([1.0])
    alone = curve_fit(lambda x, a: a * x, 2.0, 6.0, [1.0], absolute_sigma=True)
    assert alone.parameters == pytest.approx([3.0])
    assert alone.uncertainties == pytest.approx([0.5])


def test_data_in_a_grid() -> None:
    grid = np.arange(6.0).reshape(2, 3)
    found = curve_fit(lambda x, a: a * x, Tensor(grid), Tensor(2.0 * grid), [1.0])
    assert found.parameters == pytest.approx([2.0])
    assert found.residuals.shape == (2, 3)


def test_a_module_through_data() -> None:
    model = nn.Linear(1, 1, seed=0)
    ys = (3.0 * XS - 1.0 + 0.1 * NOISE)[:, None]
    found = curve_fit(lambda x, m: m(x), XS[:, None], ys, model)
    slope = np.polynomial.polynomial.polyfit(XS, ys[:, 0], 1)[1]
    assert found.parameters.weight.item() == pytest.approx(slope, rel=1e-9)
    assert found.parameters.weight.requires_grad
    assert [primitive.name for primitive in found.table] == ["weight[0, 0]", "bias[0]"]


def test_what_the_data_do_not_determine_is_infinitely_uncertain() -> None:
    found = curve_fit(lambda x, a, b, c: a * x + b * x + c, XS, YS, [1.0, 1.0, 1.0])
    assert np.isinf(found.uncertainties[:2]).all()
    assert math.isfinite(found.uncertainties[2])
    assert "WARNING" in found.message
    assert "a, b." in found.message
    line = curve_fit(lambda x, a, c: a * x + c, XS, YS, [1.0, 1.0])
    assert found.uncertainties[2] == pytest.approx(line.uncertainties[1], rel=0.02)
    useless = curve_fit(lambda x, a, b: a * x + 0.0 * b, XS, YS, [1.0, 7.0])
    assert useless.parameters[1] == 7.0
    assert [math.isinf(u) for u in useless.uncertainties] == [False, True]
    many = curve_fit(lambda x, p: x + 0.0 * p.sum(), XS, YS, np.ones(8))
    assert many.message.endswith("..., p[4], ....") or "p[4], ..." in many.message


def test_units_do_not_make_a_parameter_look_undetermined() -> None:
    plain, units = np.column_stack([XS, np.ones(50)]), np.array([1e-12, 1e12])
    found, lost = covariance(plain * units)
    assert not lost.any()
    expected = np.linalg.inv(plain.T @ plain)
    np.testing.assert_allclose(found * np.outer(units, units), expected, rtol=1e-10)


def test_as_many_parameters_as_data() -> None:
    found = curve_fit(lambda x, a, b: a * x + b, [1.0, 2.0], [2.0, 3.0], [0.0, 0.0])
    assert found.parameters == pytest.approx([1.0, 1.0])
    assert found.degrees_of_freedom == 0
    assert math.isnan(found.reduced_chi2)
    assert np.isinf(found.covariance).all()
    assert "a, b" in found.message
    known = curve_fit(
        lambda x, a, b: a * x + b, [1.0, 2.0], [2.0, 3.0], [0.0, 0.0], sigma=1, absolute_sigma=True
    )
    np.testing.assert_allclose(known.covariance, [[2.0, -3.0], [-3.0, 5.0]])


def test_a_parameter_that_is_held_is_certain() -> None:
    bounds = ([-math.inf, 1.0], [math.inf, 1.0])
    found = curve_fit(lambda x, w, b: w * x + b, XS, YS, [1.0, 1.0], bounds=bounds)
    assert found.parameters[1] == 1.0
    assert found.uncertainties[1] == 0.0
    assert found.parameters[0] == pytest.approx(XS @ (YS - 1.0) / (XS @ XS))
    assert found.degrees_of_freedom == 49
    still = curve_fit(lambda x, w, b: w * x + b, XS, YS, [1.0, 1.0], bounds=(1.0, 1.0))
    assert still.parameters == [1.0, 1.0]
    assert still.covariance.tolist() == [[0.0, 0.0], [0.0, 0.0]]


def test_a_fit_that_ends_early_says_so() -> None:
    found = curve_fit(decay, XS, YS, [1.0, 1.0, 1.0], max_steps=2)
    assert not found.converged
    assert found.steps == 2
    assert repr(found).startswith("CurveFit(NOT converged after 2 steps: ended after max_steps=2")
    seen: list[Step] = []
    curve_fit(decay, XS, YS, [1.0, 1.0, 1.0], callback=seen.append)
    assert seen[0].number == 1


@pytest.mark.parametrize(
    ("error", "said", "changes"),
    [
        (SizeError, "at least 3 numbers", {"xs": XS[:2], "ys": YS[:2]}),
        (SizeError, "the shape of ys", {"xs": XS[:-1]}),
        (SizeError, "the shape of ys", {"ys": YS[:, None]}),
        (SizeError, "2 results", {"model": lambda x, a, b, c: (a * x, b * x + c)}),
        (NotANumberError, "ys", {"ys": "no"}),
        (NonFiniteError, r"nan at \[1\]", {"ys": [1.0, math.nan, 2.0, 3.0]}),
        (SizeError, "sigma", {"sigma": np.ones(3)}),
        (OptionError, "positive numbers", {"sigma": 0.0}),
        (NotANumberError, r"p0\[0\]", {"p0": [True, 2, 3]}),
        (OptionError, "a function", {"model": 3.0}),
        (OptionError, "positive integer", {"max_steps": True}),
        (NotANumberError, "curve_fit: model", {"model": lambda x, a, b, c: "no"}),
        (NonFiniteError, r"curve_fit, step 0: f\(x\)", {"model": lambda x, a, b, c: a / (x - x)}),
    ],
)
def test_errors_of_curves(error: type[Exception], said: str, changes: Any) -> None:
    usual = {"model": decay, "xs": XS, "ys": YS, "p0": [1.0, 1.0, 1.0]}
    with pytest.raises(error, match=said):
        curve_fit(**{**usual, **changes})


@pytest.mark.parametrize(
    ("x", "uncertainty", "shown"),
    [
        (2.01234, 0.0312, "2.012 ± 0.031"),
        (12345.6, 432.1, "12350 ± 430"),
        (-1.0, 0.0996, "-1.00 ± 0.10"),
        (0.001234, 0.5, "0.00 ± 0.50"),
        (2.5e-9, 3e-11, "(2.500 ± 0.030)e-09"),
        (3e9, 1e7, "(3.000 ± 0.010)e+09"),
        (2.0, math.inf, "2 ± inf"),
        (2.0, 0.0, "2 ± 0"),
    ],
)
def test_a_number_shows_as_many_digits_as_it_deserves(
    x: float, uncertainty: float, shown: str
) -> None:
    assert measured(x, uncertainty) == shown


def test_evaluations_have_names() -> None:
    assert Evaluations(1, 2, 3)._fields == ("values", "gradients", "hessian_products")
    assert builtins.isinstance(minimize(square, 1.0).evaluations, Evaluations)


def test_the_example_finds_the_mean_life() -> None:
    """Both ways: within three of the uncertainties that it prints."""
    example = Path(__file__).resolve().parents[2] / "examples" / "decay.py"
    command = [sys.executable, "-W", "error", str(example)]
    utf8 = os.environ | {"PYTHONUTF8": "1"}
    done = subprocess.run(command, env=utf8, capture_output=True, check=True, encoding="utf-8")
    life, uncertainty = map(float, re.search(r"life = (\S+) ± (\S+)", done.stdout).groups())
    likeliest = float(re.search(r"'life': ([\d.]+)", done.stdout)[1])
    assert abs(life - 12.0) < 3.0 * uncertainty < 3.0
    assert abs(likeliest - 12.0) < 3.0 * uncertainty
    assert done.stdout.count("(converged") == 2


def test_the_projected_gradient_is_small_next_to_a_bound() -> None:
    """Methods end a rounding error away from a bound; the norm must not jump there."""
    space = Space(Flat(np.zeros(3), "x0"), (0.0, 1.0), "minimize")
    x, gradient = np.array([1e-14, 0.5, 1.0]), np.array([2.0, 0.25, -3.0])
    assert space.projected(x, gradient).tolist() == [1e-14, 0.25, 0.0]
    assert space.projected(x, -gradient).tolist() == [-1.0 + 1e-14, -0.25, 1.0]
