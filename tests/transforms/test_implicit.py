"""Roots and fixed points: the implicit function theorem against closed forms and unrolled loops."""

from __future__ import annotations

import gc
import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import gradwalk
from gradwalk import (
    Tensor,
    Value,
    cos,
    debug,
    exp,
    fixed_point,
    grad,
    hessian,
    implicit_function,
    jacobian,
    jvp,
    linalg,
    log,
    no_grad,
    softmax,
    sqrt,
    tanh,
    vjp,
    vmap,
)
from gradwalk.errors import (
    ConvergenceError,
    DataError,
    GradientCheckError,
    GradwalkError,
    NonFiniteError,
    NotANumberError,
    OptionError,
    SizeError,
)

RANDOM = np.random.default_rng(3)
A = RANDOM.normal(size=(3, 3)) + 4.0 * np.eye(3)
B, V = RANDOM.normal(size=3), RANDOM.normal(size=3)
MODES = {"reverse": grad, "forward": lambda f: lambda x: jvp(f, (x,), (1.0,))[1]}


def close(found: Any, wanted: Any, tolerance: float = 1e-11) -> None:
    found, wanted = (np.asarray(getattr(x, "_data", x)) for x in (found, wanted))
    assert found.shape == wanted.shape
    np.testing.assert_allclose(found, wanted, rtol=tolerance, atol=tolerance)


def newton(a: float) -> float:
    """The square root, by a solver that gradwalk never sees."""
    assert type(a) is float
    x = max(a, 1.0)
    for _ in range(60):
        x = 0.5 * (x + a / x)
    return x


root = implicit_function(newton, lambda x, a: x * x - a)


def at_rest(a: Any) -> Any:
    return fixed_point(lambda x, a: cos(a * x), 1.0, a, tolerance=1e-15)


# --- numbers --------------------------------------------------------------------------------------


@pytest.mark.parametrize("third", MODES)
@pytest.mark.parametrize("second", MODES)
@pytest.mark.parametrize("first", MODES)
def test_three_derivatives_of_a_root_in_all_nestings(first: str, second: str, third: str) -> None:
    f: Any = root
    for mode, wanted in ((first, 0.25), (second, -1.0 / 32.0), (third, 3.0 / 256.0)):
        f = MODES[mode](f)
        assert f(4.0) == pytest.approx(wanted, rel=1e-13)


def test_a_fixed_point_has_the_derivatives_of_its_closed_form() -> None:
    """x = cos(a x), so that x' = -x s / (1 + a s) with s = sin(a x)."""
    a, x = 0.9, at_rest(0.9)
    assert x == pytest.approx(math.cos(a * x), rel=1e-14)
    s = math.sin(a * x)
    wanted = -x * s / (1.0 + a * s)
    for mode in MODES.values():
        assert mode(at_rest)(a) == pytest.approx(wanted, rel=1e-13)

    def slope(a: Any) -> Any:  # the closed form, of x as a function of a
        x = at_rest(a)
        s = gradwalk.sin(a * x)
        return -x * s / (1.0 + a * s)

    for outer in MODES.values():
        for inner in MODES.values():
            assert outer(inner(at_rest))(a) == pytest.approx(outer(slope)(a), rel=1e-12)
    step = 1e-4
    second = (grad(at_rest)(a + step) - grad(at_rest)(a - step)) / (2.0 * step)
    assert grad(grad(at_rest))(a) == pytest.approx(second, rel=1e-6)


@given(st.floats(0.1, 50.0))
def test_roots_are_those_of_the_table(a: float) -> None:
    for f, g in ((root, sqrt), (grad(root), grad(sqrt)), (grad(grad(root)), grad(grad(sqrt)))):
        assert f(a) == pytest.approx(g(a), rel=1e-12)


def test_values() -> None:
    a = Value(4.0)
    (root(a) * 3.0).backward()
    assert (a.grad, type(root(a))) == (0.75, Value)
    first = gradwalk.gradients(at_rest(a * 0.2), a, create_graph=True)
    assert gradwalk.gradients(first, a) == pytest.approx(0.04 * grad(grad(at_rest))(0.8), rel=1e-12)
    with no_grad():
        assert root(a).operands == ()


def test_equations_in_containers() -> None:
    """x y = a, x / y = b: x = sqrt(a b), y = sqrt(a / b), with a pivot of zero on the way."""
    solve = implicit_function(
        lambda p: {"x": math.sqrt(p["a"] * p["b"]), "y": math.sqrt(p["a"] / p["b"])},
        lambda z, p: (z["x"] - p["b"] * z["y"], [z["x"] * z["y"] - p["a"]]),
    )

    def f(a: Any, b: Any) -> Any:
        z = solve({"a": a, "b": b})
        return z["x"] * z["x"] * z["y"]

    def wanted(a: Any, b: Any) -> Any:
        return a * b * sqrt(a / b)

    for run in (
        lambda f: grad(f, (0, 1))(3.0, 2.0),
        lambda f: jvp(f, (3.0, 2.0), (1.0, -2.0)),
        lambda f: hessian(f, (0, 1))(3.0, 2.0),
        lambda f: grad(lambda a, b: jvp(f, (a, b), (1.0, -2.0))[1], (0, 1))(3.0, 2.0),
    ):
        close(run(f), run(wanted))


def test_a_pivot_of_zero_is_exchanged() -> None:
    swap = implicit_function(lambda a, b: (b, a), lambda z, a, b: [z[1] - a, z[0] - b])
    assert jacobian(swap, (0, 1))(2.0, 3.0) == ((0.0, 1.0), (1.0, 0.0))


# --- arrays ---------------------------------------------------------------------------------------

solve = implicit_function(np.linalg.solve, lambda x, a, b: a @ x - b)

TRANSFORMS: dict[str, Callable[[Any], Any]] = {
    "reverse": lambda f: grad(f, (0, 1))(A, B),
    "forward": lambda f: jvp(f, (A, B), (A * A, V)),
    "reverse over reverse": lambda f: grad(lambda a, b: (grad(f)(a, b) ** 3).sum(), (0, 1))(A, B),
    "forward over reverse": lambda f: jvp(grad(f, (0, 1)), (A, B), (A * A, V))[1],
    "reverse over forward": lambda f: grad(lambda a: jvp(f, (a, B), (A, V))[1])(A),
    "third": lambda f: grad(lambda b: (hessian(f, 1)(A, b) ** 2).sum())(B),
    "batch": lambda f: vmap(grad(f, 1), in_axes=(None, 0))(A, np.stack([B, V])),
}


@pytest.mark.parametrize("transform", TRANSFORMS)
def test_linear_systems(transform: str) -> None:
    def f(a: Any, b: Any) -> Any:
        return (solve(a, b) ** 3).sum()

    def wanted(a: Any, b: Any) -> Any:
        return (linalg.solve(a, b) ** 3).sum()

    run = TRANSFORMS[transform]
    found, reference = run(f), run(wanted)
    for a, b in zip(found, reference, strict=True):
        close(a, b)


def test_linear_systems_of_tensors() -> None:
    assert type(solve(A, B)) is np.ndarray
    a, b = Tensor(A, requires_grad=True), Tensor(B, requires_grad=True)
    (solve(a, b) * V).sum().backward()
    wanted = grad(lambda a, b: (linalg.solve(a, b) * V).sum(), (0, 1))(A, B)
    close(a.grad, wanted[0])
    close(b.grad, wanted[1])


def test_a_regularised_optimum() -> None:
    """argmin over the simplex of c·p + Σ p log p is softmax(-c); its condition is solved for z."""

    def optimum(c: Any) -> Any:
        for_z = implicit_function(
            lambda c: {
                "p": np.exp(-c) / np.exp(-c).sum(),
                "price": float(np.log(np.exp(-c).sum())),
            },
            lambda z, c: {"slope": c + log(z["p"]) + z["price"], "sum": z["p"].sum() - 1.0},
        )
        return for_z(c)["p"]

    def wanted(c: Any) -> Any:
        return softmax(-Tensor(c) if isinstance(c, np.ndarray) else -c, axis=0)

    close(optimum(B), np.asarray(wanted(B)._data))
    close(jacobian(optimum)(B), jacobian(wanted)(B))
    close(jacobian(optimum, mode="forward")(B), jacobian(wanted)(B))
    close(
        hessian(lambda c: (optimum(c) * V).sum())(B),
        hessian(lambda c: (wanted(c) * V).sum())(B),
    )


def layer(x: Any, w: Any, b: Any) -> Any:
    return tanh(w @ x + b)


def unrolled(w: Any, b: Any) -> Any:
    x: Any = np.zeros(3)
    for _ in range(80):
        x = layer(x, w, b)
    return x


@pytest.mark.parametrize("transform", ["reverse", "forward", "forward over reverse"])
def test_fixed_points_of_arrays_against_unrolled_loops(transform: str) -> None:
    def f(w: Any, b: Any) -> Any:
        return (fixed_point(layer, np.zeros(3), w * 0.1, b, tolerance=1e-15) * V).sum()

    def wanted(w: Any, b: Any) -> Any:
        return (unrolled(w * 0.1, b) * V).sum()

    run = TRANSFORMS[transform]
    for found, reference in zip(run(f), run(wanted), strict=True):
        close(found, reference)


def test_fixed_points_in_containers() -> None:
    def f(z: Any, a: Any, *, by: float) -> Any:
        return {"x": 0.5 * cos(z["y"].sum()) * a, "y": z["y"] * by + z["x"]}

    start = {"x": 0.0, "y": np.ones(2)}

    def total(a: Any) -> Any:
        z = fixed_point(f, start, a, by=0.3, tolerance=1e-15)
        return z["x"] + z["y"].sum()

    z = fixed_point(f, start, 1.0, by=0.3)
    assert type(z["y"]) is np.ndarray
    close(z["y"], np.full(2, z["x"] / 0.7), 1e-10)
    step = 1e-5
    close(grad(total)(1.0), (total(1.0 + step) - total(1.0 - step)) / (2.0 * step), 1e-8)
    close(jvp(total, (1.0,), (1.0,))[1], grad(total)(1.0))


def test_no_derivative_comes_to_the_start() -> None:
    assert grad(lambda x0: fixed_point(lambda x: 0.5 * x + 1.0, x0))(3.0) == 0.0
    x0 = Tensor(B, requires_grad=True)
    assert not fixed_point(lambda x: x * 0.5, x0).requires_grad


def test_single_precision_comes_to_rest_too() -> None:
    x = fixed_point(lambda x, b: tanh(x) * 0.5 + b, B.astype(np.float32), B.astype(np.float32))
    assert x.dtype == np.float32
    close(x, 0.5 * np.tanh(x) + B.astype(np.float32), 1e-6)


# --- what is recorded -----------------------------------------------------------------------------


def test_iterations_are_not_recorded() -> None:
    kinds: list[type] = []

    def f(x: Any, a: Any) -> Any:
        kinds.append(type(x))
        return x * 0.999 + a

    a = Value(0.001)
    gc.collect()
    y = fixed_point(f, 0.0, a, max_steps=100_000)
    steps = len(kinds)
    assert steps > 10_000
    assert set(kinds) == {float}
    assert [operand is a for operand in y.operands] == [True]
    y.backward()
    assert a.grad == pytest.approx(1000.0)
    assert len(kinds) < steps + 5


def test_memory_does_not_grow_with_the_steps() -> None:
    import tracemalloc

    peaks = []
    for rate in (0.5, 0.99):
        a = Tensor(np.full(20_000, 1.0 - rate), requires_grad=True)
        tracemalloc.start()
        fixed_point(lambda x, a, rate=rate: x * rate + a, np.zeros(20_000), a, max_steps=10_000)
        peaks.append(tracemalloc.get_traced_memory()[1])
        tracemalloc.stop()
    assert peaks[1] < 1.1 * peaks[0]


def test_nothing_needs_numpy(run_python: Callable[..., str]) -> None:
    program = """
import sys
from gradwalk import Value, cos, debug, fixed_point, grad, implicit_function, jvp
root = implicit_function(lambda a: (a**0.5, a), lambda x, a: (x[0] * x[0] - a, x[1] - a))
with debug():
    print(grad(grad(lambda a: root(a)[0]))(4.0), jvp(root, (4.0,), (1.0,))[1])
fixed_point(lambda x, a: cos(a * x), 1.0, Value(1.0)).backward()
print("numpy" in sys.modules)
"""
    assert run_python(program) == "-0.03125 (0.25, 1.0)\nFalse\n"


# --- what is refused ------------------------------------------------------------------------------


def refused(error: type[GradwalkError], message: str) -> Any:
    return pytest.raises(error, match=message)


def test_what_does_not_come_to_rest() -> None:
    with refused(
        ConvergenceError, r"expected steps of at most 1e-12.*got one of 1 after 1000 steps"
    ):
        fixed_point(lambda x: 1.0 - x, 0.0)
    with refused(ConvergenceError, "after 3 steps"):
        fixed_point(lambda x: 0.9 * x + 1.0, np.zeros(2), max_steps=3)
    with refused(NonFiniteError, "an infinity or a NaN after step"):
        fixed_point(lambda x: 1e200 * (x + 1.0), 1.0)
    with refused(NonFiniteError, "after step 1"):
        fixed_point(lambda x: x * np.nan, np.zeros(2))
    assert fixed_point(lambda x: 0.9 * x + 1.0, 0.0, tolerance=0.1) == pytest.approx(10.0, abs=10.0)


def test_the_criterion_is_relative_to_large_numbers() -> None:
    steps = []
    for scale in (1.0, 1e6):
        count: list[int] = []
        fixed_point(lambda x, s=scale, c=count: c.append(1) or 0.5 * x + s, 0.0, tolerance=1e-6)
        steps.append(len(count))
    assert steps[0] == steps[1] < 25


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"tolerance": 0.0}, r"tolerance=\.\.\..*above 0"),
        ({"tolerance": "small"}, "got str"),
        ({"max_steps": 0}, "an integer >= 1"),
        ({"max_steps": 1.5}, "got float 1.5"),
    ],
)
def test_options(options: Any, message: str) -> None:
    with refused(OptionError, message):
        fixed_point(lambda x: x, 1.0, **options)


def test_starts_and_results_that_do_not_fit() -> None:
    with refused(NotANumberError, r"fixed_point\(x0\)\[0\]: expected floating-point numbers"):
        fixed_point(lambda x: x, [1])
    with refused(SizeError, r"result of f.*structure of x0"):
        fixed_point(lambda x: (x, x), 1.0)
    with refused(SizeError, r"shape \(2,\), as in x0, got shape \(1,\)"):
        fixed_point(lambda x: x[:1], np.zeros(2))
    with refused(SizeError, r"as in x0, got int 1"):
        fixed_point(lambda x: 1, 1.0)
    with refused(OptionError, r"fixed_point: expected a function|fixed_point\(f\)"):
        fixed_point(1.0, 1.0)  # type: ignore[arg-type]


def test_equations_and_unknowns() -> None:
    f = implicit_function(lambda a: (a, a), lambda x, a: x[0] - a, name="mine")
    with refused(SizeError, r"mine: the residual: expected 2 numbers.*got 1"):
        f(2.0)
    double = implicit_function(lambda a: a, lambda x, a: (x - a) ** 2)
    with refused(DataError, "∂\\(residual\\)/∂x.*got a singular one"):
        grad(double)(2.0)
    with refused(DataError, "expected invertible matrices"):
        grad(lambda a: double(a).sum())(B)
    with refused(NotANumberError, "the residual"):
        implicit_function(lambda a: a, lambda x, a: 0)(2.0)


def test_what_is_closed_over_is_not_lost_in_silence() -> None:
    with refused(OptionError, "the residual: expected plain numbers.*around it"):
        grad(lambda a: implicit_function(lambda: a.data, lambda x: x - a)())(2.0)
    with refused(OptionError, "the result of f: expected plain numbers"):
        grad(lambda a: fixed_point(lambda x: 0.5 * x + a, 1.0))(2.0)
    with refused(OptionError, "the result of f: expected plain numbers"):
        jvp(lambda a: fixed_point(lambda x: 0.5 * x + a, B), (B,), (V,))


def test_debug_compares_with_differences() -> None:
    """A solver that solves other equations than the residual says."""
    wrong = implicit_function(lambda a: 2.0 * a, lambda x, a: x - a * a, name="other")
    assert grad(wrong)(3.0) == 6.0
    with debug(), pytest.raises(GradientCheckError, match="other: vjp of argument 0"):
        grad(wrong)(3.0)
    with debug():
        assert grad(root)(4.0) == 0.25
        close(grad(lambda b: solve(A, b).sum())(B), np.linalg.inv(A).sum(axis=0))


def test_pullbacks_may_be_called_often() -> None:
    _, pullback = vjp(lambda a, b: solve(a, b), A, B)
    close(pullback(V)[1], np.linalg.solve(A.T, V))
    close(pullback(B)[1], np.linalg.solve(A.T, B))


def test_pictures_have_its_name() -> None:
    assert root(Value(4.0)).op == "newton"
    assert at_rest(Value(0.5)).op == "fixed_point"
    assert implicit_function(lambda a: exp(a), lambda x, a: log(x) - a)(1.0) == math.e
