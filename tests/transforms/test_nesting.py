"""Transforms inside of transforms: perturbations are not confused, nothing is left behind.

Siskind and Pearlmutter, Perturbation Confusion and Referential Transparency (2005).
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import pytest

import gradwalk as gw
from gradwalk import Tensor, Value, errors, grad, gradients, jvp, no_grad, vjp
from gradwalk.levels.level import running

Derivative = Callable[[Callable[[Any], Any]], Callable[[Any], Any]]


def forward(f: Callable[[Any], Any]) -> Callable[[Any], Any]:
    """The derivative of a function of one number, by forward mode."""
    return lambda x: jvp(f, (x,), (1.0,))[1]


MODES: dict[str, Derivative] = {"forward": forward, "reverse": grad}
PAIRS = list(itertools.product(MODES, repeat=2))
TRIPLES = list(itertools.product(MODES, repeat=3))
pairs = pytest.mark.parametrize(("outer", "inner"), PAIRS)
triples = pytest.mark.parametrize("modes", TRIPLES, ids="-".join)


# --- perturbation confusion -----------------------------------------------------------------------


@pairs
def test_siskind_and_pearlmutter(outer: str, inner: str) -> None:
    """d/dx (x · d/dy (x + y)) at x = y = 1 is 1; with one perturbation for both it would be 2."""
    d, e = MODES[outer], MODES[inner]
    assert d(lambda x: x * e(lambda y: x + y)(1.0))(1.0) == 1.0


@pairs
def test_inner_function_uses_the_outer_variable_twice(outer: str, inner: str) -> None:
    """d/dx (x · d/dy (x y)) = d/dx x² = 2 x"""
    d, e = MODES[outer], MODES[inner]
    assert d(lambda x: x * e(lambda y: x * y)(2.0))(3.0) == 6.0


@pairs
def test_inner_derivative_is_taken_at_the_outer_variable(outer: str, inner: str) -> None:
    """d/dx (d/dy (x y²) at y = x) = d/dx 2 x² = 4 x"""
    d, e = MODES[outer], MODES[inner]
    assert d(lambda x: e(lambda y: x * y * y)(x))(3.0) == 12.0


@pairs
def test_inner_function_does_not_depend_on_its_own_variable(outer: str, inner: str) -> None:
    d, e = MODES[outer], MODES[inner]
    assert d(lambda x: x + e(lambda y: x * x)(5.0))(3.0) == 1.0
    assert d(lambda x: e(lambda y: 3.0 * y)(x))(3.0) == 0.0


@pairs
def test_a_function_that_returns_a_function(outer: str, inner: str) -> None:
    """Manzyuk et al. (2019): a closure made inside of one derivative, called in another."""
    d, e = MODES[outer], MODES[inner]

    def shifted(offset: Any) -> Any:
        return lambda g: lambda x: g(x + offset)

    def twice_shifted(u: Any) -> Any:
        shift = shifted(u)
        return e(lambda x: shift(shift(gw.exp))(x))(0.0)

    assert d(twice_shifted)(0.5) == pytest.approx(2.0 * math.exp(1.0), rel=1e-15)


@pairs
def test_confusion_on_arrays(outer: str, inner: str) -> None:
    """d/dx Σ (x v) · d/dy Σ (x v + y v) = Σ x v · Σ v -> (Σ v)²"""
    d, e = MODES[outer], MODES[inner]
    v = Tensor([1.0, 2.0, 3.0])
    found = d(lambda x: (x * v).sum() * e(lambda y: (x * v + y * v).sum())(1.0))(1.0)
    assert found == 36.0


def test_confusion_of_gradients_of_arrays() -> None:
    """∇ₓ (x · ∇ᵧ (x · y · y)) = ∇ₓ (2 x² · y) = 4 x y"""
    x, y = np.array([1.0, 2.0]), np.array([3.0, -1.0])
    inner = lambda x: grad(lambda y: (x * y * y).sum())(Tensor(y))  # noqa: E731
    np.testing.assert_allclose(grad(lambda x: (x * inner(x)).sum())(x), 4.0 * x * y)
    _, moved = jvp(lambda x: (x * inner(x)).sum(), (x,), (np.ones(2),))
    assert moved == pytest.approx((4.0 * x * y).sum())


@triples
def test_closures_three_deep(modes: tuple[str, str, str]) -> None:
    """d/dx x d/dy y d/dz (x y z² ) at z = 1: 2 x y -> d/dy 2 x y² -> 4 x y -> d/dx 4 x² y"""
    a, b, c = (MODES[mode] for mode in modes)

    def innermost(x: Any, y: Any) -> Any:
        return c(lambda z: x * y * z * z)(1.0)

    def middle(x: Any) -> Any:
        return b(lambda y: y * innermost(x, y))(5.0)

    assert a(lambda x: x * middle(x))(3.0) == 8.0 * 3.0 * 5.0


@triples
def test_closures_three_deep_on_arrays(modes: tuple[str, str, str]) -> None:
    a, b, c = (MODES[mode] for mode in modes)
    v = Tensor([1.0, -2.0])
    found = a(
        lambda x: (
            x
            * b(lambda y: (v * y * c(lambda z: (x * y * z * z * v).sum())(1.0)).sum())(5.0)
            * v.sum()
        )
    )(3.0)
    assert found == pytest.approx(8.0 * 3.0 * 5.0 * -1.0)


# --- third derivatives ----------------------------------------------------------------------------


def loop(x: Any) -> Any:
    for _ in range(4):
        x = gw.sin(x) * x + 0.5
    return x


V = np.array([0.3, 0.5, 0.7])
W = np.random.default_rng(2).normal(size=(3, 3))

FUNCTIONS: dict[str, Callable[[Any], Any]] = {
    "sin": gw.sin,
    "power": lambda x: x**3.5,
    "x to the x": lambda x: x**x,
    "quotient": lambda x: gw.exp(x) / (1.0 + x * x),
    "tanh": lambda x: gw.tanh(x * x),
    "logs": lambda x: gw.log(x) * gw.log1p(x) + gw.sqrt(x),
    "gamma": lambda x: gw.lgamma(x + 1.0) * gw.digamma(x + 2.0),
    "gelu": lambda x: gw.gelu(x) * gw.silu(x),
    "lengths": lambda x: gw.hypot(x, x * x) + gw.atan2(x, 2.0),
    "choice": lambda x: gw.where(x > 0.5, x**4, gw.cos(x)),
    "loop": loop,
    "list": lambda x: gw.logsumexp([x, x * x, gw.exp(-x)]),
    "arrays": lambda x: gw.sin(x * Tensor(V)).sum() * gw.exp(x),
    "matrices": lambda x: (gw.sin(x * Tensor(W)) @ gw.exp(x * Tensor(V))).sum(),
    "stacked": lambda x: gw.prod(gw.stack([x, x * x, gw.sin(x)])),
    "softmax": lambda x: (gw.softmax(x * x * Tensor(V)) * Tensor(V)).sum(),
    "determinant": lambda x: gw.linalg.det(x * x * Tensor(W) + Tensor(np.eye(3))),
    "solution": lambda x: gw.linalg.solve(x * Tensor(W) + Tensor(3.0 * np.eye(3)), Tensor(V)).sum(),
    "standard deviation": lambda x: gw.std(gw.sin(x * Tensor(V))),
    "written": lambda x: written(x).sum(),
}


def written(x: Any) -> Any:
    out = gw.zeros(3)
    for i in range(3):
        out[i] = x ** (i + 1)
    out *= gw.cos(x)
    return out


@pytest.mark.parametrize("name", FUNCTIONS)
def test_third_derivatives_agree_in_all_eight_nestings(name: str) -> None:
    f, found = FUNCTIONS[name], []
    for modes in TRIPLES:
        g = f
        for mode in modes:
            g = MODES[mode](g)
        found.append(float(g(1.3)))
    expected = float(gw.taylor(f, 1.3, 3).derivatives[3])
    assert abs(expected) > 1e-3
    assert found == pytest.approx([expected] * 8, rel=1e-12)


def test_third_derivatives_of_an_array_agree() -> None:
    """Σᵢⱼₖ ∂³f/∂xᵢ∂xⱼ∂xₖ uᵢ vⱼ wₖ by all nestings, of products with directions."""
    rng = np.random.default_rng(5)
    x, *directions = rng.normal(size=(4, 3))

    def f(x: Any) -> Any:
        return gw.exp(gw.sin(x) @ Tensor(W) @ gw.cos(x) / 3.0) + gw.logsumexp(x * x)

    def one_way(f: Any, mode: str, v: Any) -> Any:
        if mode == "forward":
            return lambda x: jvp(f, (x,), (v,))[1]
        return lambda x: (grad(f)(x) * Tensor(v)).sum()

    found = []
    for modes in TRIPLES:
        g = f
        for mode, v in zip(modes, directions, strict=True):
            g = one_way(g, mode, v)
        found.append(float(g(Tensor(x))))
    assert found == pytest.approx(found[:1] * 8, rel=1e-12)
    line = lambda h: f(Tensor(x) + h * Tensor(directions[0]))  # noqa: E731
    g = f
    for mode in ("reverse", "forward", "reverse"):
        g = one_way(g, mode, directions[0])
    assert float(g(Tensor(x))) == pytest.approx(gw.taylor(line, 0.0, 3).derivatives[3], rel=1e-12)


# --- what else there is around --------------------------------------------------------------------


@pairs
def test_closures_over_values_and_tensors_at_once(outer: str, inner: str) -> None:
    """d²/dx² of exp(v x) Σ (x w)² stays connected to v and to w."""
    v, w = Value(0.5), Tensor([1.0, 2.0], requires_grad=True)

    def f(x: Any) -> Any:
        return gw.exp(v * x) * ((x * w) ** 2).sum()

    found = MODES[outer](MODES[inner](f))(1.5)
    a, x = 0.5, 1.5
    assert float(found.data) == pytest.approx(
        5.0 * math.exp(a * x) * (a * a * x * x + 4 * a * x + 2)
    )
    found.backward()
    slope = 5.0 * math.exp(a * x) * (x * (a * a * x * x + 4 * a * x + 2) + 2 * a * x * x + 4 * x)
    assert v.grad == pytest.approx(slope, rel=1e-13)
    factor = 2.0 * math.exp(a * x) * (a * a * x * x + 4 * a * x + 2)
    np.testing.assert_allclose(w.grad, factor * np.array([1.0, 2.0]), rtol=1e-13)


@pairs
def test_a_derivative_in_each_step_of_a_loop_that_is_differentiated(outer: str, inner: str) -> None:
    """x ← x - η d/dx (x⁴ / 4), three times: the derivative of the end by the start."""
    step = 0.1

    def descended(x: Any) -> Any:
        for _ in range(3):
            x = x - step * MODES[inner](lambda z: z**4 / 4.0)(x)
        return x

    x, slope = 0.9, 1.0
    for _ in range(3):
        x, slope = x - step * x**3, slope * (1.0 - 3.0 * step * x * x)
    assert MODES[outer](descended)(0.9) == pytest.approx(slope, rel=1e-13)


@pairs
def test_a_loop_over_values_that_a_derivative_chooses(outer: str, inner: str) -> None:
    """The number of steps depends on a derivative: numbers may be looked at."""

    def f(x: Any) -> Any:
        steps = 0
        while MODES[inner](lambda z: z * z)(x) < 10.0:
            x, steps = x * 2.0, steps + 1
        return x * float(steps)

    assert MODES[outer](f)(1.0) == 24.0


@pairs
def test_containers_through_two_levels(outer: str, inner: str) -> None:
    def f(x: Any) -> Any:
        slopes = grad(lambda p: p["a"] * p["b"][0] ** 2 * x)({"a": x * x, "b": [x]})
        return slopes["a"] + slopes["b"][0]  # x³ + 2 x⁴

    assert MODES[outer](MODES[inner](f))(2.0) == pytest.approx(6.0 * 2.0 + 24.0 * 4.0)


def test_pullbacks_may_be_called_later_inside_of_another_derivative() -> None:
    def f(x: Any) -> Any:
        y, pullback = vjp(lambda z: z**3 * x, 2.0)  # ȳ 3 z² x
        return pullback(x)[0] + y

    assert grad(f)(3.0) == 12.0 * 2.0 * 3.0 + 8.0
    assert forward(f)(3.0) == 12.0 * 2.0 * 3.0 + 8.0


@pairs
def test_gradients_of_graphs_inside_of_a_derivative(outer: str, inner: str) -> None:
    """`gradients` walks a graph of Values inside of a function that is itself differentiated."""
    w = Value(3.0)
    (slope,) = gradients(w * w * w, (w,))
    found = MODES[outer](MODES[inner](lambda x: x * x * x * slope))(2.0)
    assert found == 6.0 * 2.0 * 27.0


# --- nothing is left behind -----------------------------------------------------------------------


class MineError(Exception):
    pass


def failing(x: Any) -> Any:
    raise MineError


ENTRANCES: dict[str, Callable[[Any], Any]] = {
    "grad": lambda f: grad(f)(1.0),
    "grad of an array": lambda f: grad(f)(np.ones(2)),
    "jvp": lambda f: jvp(f, (1.0,), (1.0,)),
    "vjp": lambda f: vjp(f, 1.0),
    "linearize": lambda f: gw.linearize(f, 1.0),
    "taylor": lambda f: gw.taylor(f, 1.0, 2),
    "grad of grad": lambda f: grad(grad(f))(1.0),
    "grad of jvp": lambda f: grad(forward(f))(1.0),
    "jvp of grad": lambda f: forward(grad(f))(1.0),
    "taylor of grad": lambda f: gw.taylor(grad(f), 1.0, 2),
}


@pytest.mark.parametrize("name", ENTRANCES)
def test_an_error_in_the_function_leaves_no_level_open(name: str) -> None:
    with pytest.raises(MineError):
        ENTRANCES[name](failing)
    assert running.depth == 0
    assert grad(grad(gw.sin))(1.0) == -math.sin(1.0)
    assert (Value(1.0) * 2.0).operands, "operations are recorded as before"


@pytest.mark.parametrize("name", ENTRANCES)
def test_an_error_in_no_grad_leaves_it_as_it_was(name: str) -> None:
    with no_grad():
        with pytest.raises(MineError):
            ENTRANCES[name](failing)
        assert not (Value(1.0) * 2.0).operands
    assert (Value(1.0) * 2.0).operands


@pytest.mark.parametrize("name", ENTRANCES)
def test_an_error_that_is_caught_inside_does_not_disturb_the_transform_around(name: str) -> None:
    def f(x: Any) -> Any:
        with pytest.raises(MineError):
            ENTRANCES[name](lambda z: failing(z * x))
        return x * x

    assert grad(f)(3.0) == 6.0
    assert forward(f)(3.0) == 6.0


@pairs
def test_what_leaks_out_of_the_inner_transform_is_an_error(outer: str, inner: str) -> None:
    def f(x: Any) -> Any:
        kept: list[Any] = []
        MODES[inner](lambda y: kept.append(y * x) or y * x)(2.0)
        return kept[0] * x

    with pytest.raises(errors.LeakedTraceError):
        MODES[outer](f)(1.0)


@pairs
def test_what_leaks_out_of_the_outer_transform_is_an_error(outer: str, inner: str) -> None:
    kept: list[Any] = []
    MODES[outer](lambda x: MODES[inner](lambda y: kept.append(x) or y * x * y)(2.0) * x)(1.0)
    with pytest.raises(errors.LeakedTraceError):
        gw.sin(kept[0])


def test_numbers_that_leak_may_be_used() -> None:
    kept: list[Any] = []
    grad(lambda x: grad(lambda y: kept.append((x * y).data) or x * y)(2.0) * x)(3.0)
    assert kept[0] + 1.0 == 7.0


@pairs
def test_numbers_become_arrays_inside_of_two_transforms(outer: str, inner: str) -> None:
    """d/dx Σᵢ wᵢ x · d/dy Σ (x + y, x + y) = 2 Σ wᵢ, of plain arrays and functions of arrays."""

    def f(x: Any) -> Any:
        slope = MODES[inner](lambda y: gw.sum((x + y) * np.ones(2)))(1.0)
        return gw.sum(np.array([1.0, 2.0]) * x * slope) + gw.broadcast_to(x, (4,)).sum()

    assert float(MODES[outer](f)(1.0)) == pytest.approx(10.0, rel=1e-15)


@pairs
def test_a_row_with_options_may_be_applied_to_numbers(outer: str, inner: str) -> None:
    f = MODES[outer](MODES[inner](lambda x: gw.sum(gw.stack([x, x**3])) * gw.mean(x)))
    assert float(f(2.0)) == pytest.approx(2.0 + 12.0 * 2.0**2, rel=1e-15)


@pairs
def test_a_transform_in_another_thread_is_inside_of_the_one_that_waits(
    outer: str, inner: str
) -> None:
    """d²/dx² of d/dy y² x at y = x, which is 2 x²."""

    def f(x: Any) -> Any:
        with ThreadPoolExecutor(1) as pool:
            return pool.submit(lambda: MODES[inner](lambda y: y * y * x)(x)).result()

    assert MODES[outer](MODES[outer](f))(3.0) == pytest.approx(4.0, rel=1e-15)


def directional(f: Callable[[Any], Any]) -> Callable[[Any], Any]:
    x, v = np.array([1.0, 2.0, 3.0]), np.array([0.5, 1.0, 1.5])
    return lambda s: f(x + s * v)


ALONG_A_LINE: dict[str, Callable[[Any], Any]] = {
    "stop_gradient": lambda x: gw.sum(x * gw.stop_gradient(x)),
    "logsumexp": gw.logsumexp,
    "norm": np.linalg.norm,
    "solve": lambda x: gw.sum(gw.linalg.solve(np.eye(3) * 2.0, x) ** 3),
    "where": lambda x: np.sum(np.where(x > 2.0, x, 0.5 * x)),
    "gradient": lambda x: gw.sum(grad(lambda y: gw.sum(y**3))(x)),
    "Hessian product": lambda x: gw.sum(gw.hvp(lambda y: gw.sum(y**3), x, np.ones(3))),
    "Jacobian": lambda x: gw.sum(gw.jacobian(lambda y: y**2)(x)),
    "vmap": lambda x: gw.sum(gw.vmap(lambda y: y**2)(x)),
}


@pytest.mark.parametrize("name", ALONG_A_LINE)
def test_a_number_that_moves_plain_arrays_makes_tensors(name: str) -> None:
    """x + s v with a float s: the same by reverse mode, forward mode, and of an array s."""
    f = directional(ALONG_A_LINE[name])
    expected = float(jvp(f, (0.3,), (1.0,))[1])
    assert grad(f)(0.3) == pytest.approx(expected, rel=1e-12)
    assert float(grad(f)(np.array(0.3))) == pytest.approx(expected, rel=1e-12)


def test_a_result_of_several_numbers_is_named_as_such() -> None:
    with pytest.raises(errors.SizeError, match=r"got shape \(2,\).*jacobian"):
        grad(lambda x: x * np.ones(2))(2.0)
    _, aux = grad(lambda x: (x * x, x * np.ones(2)), has_aux=True)(3.0)
    np.testing.assert_array_equal(aux, [3.0, 3.0], strict=True)
