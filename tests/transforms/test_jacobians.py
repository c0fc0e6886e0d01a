"""Jacobians and Hessians: closed forms, differences, pairs of transforms, containers, errors."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from itertools import product
from typing import Any, NamedTuple

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import gradwalk
from gradwalk import (
    Tensor,
    Value,
    divergence,
    exp,
    grad,
    gradient_and_hessian_diagonal,
    hessian,
    hvp,
    jacobian,
    jvp,
    laplacian,
    linearize,
    nn,
    no_grad,
    sin,
    tanh,
    vhp,
    vjp,
)
from gradwalk.errors import GradwalkError, NotANumberError, OptionError, SizeError
from gradwalk.levels.vjp import VJPLevel
from gradwalk.levels.vmap import batched
from gradwalk.transforms import blocks

MODES = (None, "forward", "reverse")
X = np.array([0.7, -1.3, 2.1])
A = np.array([[1.0, 2.0, -1.0], [0.5, -3.0, 4.0]])
S = np.array([[2.0, 1.0, 0.5], [0.0, 3.0, -1.0], [4.0, 0.0, 1.0]])


def quadratic(x: Any) -> Any:
    return x @ (Tensor(S) @ x)


def same(found: Any, expected: Any, tolerance: float = 1e-12) -> None:
    np.testing.assert_allclose(found, expected, rtol=tolerance, atol=tolerance)


# --- closed forms ---------------------------------------------------------------------------------


@pytest.mark.parametrize("mode", MODES)
def test_jacobians_of_arrays(mode: str | None) -> None:
    same(jacobian(lambda x: Tensor(A) @ x, mode=mode)(X), A)
    same(jacobian(lambda x: x**3, mode=mode)(X), np.diag(3.0 * X**2))
    same(jacobian(lambda x: x.sum(), mode=mode)(X), np.ones(3))
    # d(B C)[i, j] / dB[k, l] = δ[i, k] C[l, j]
    b, c = A, S[:, :2]
    db, dc = jacobian(lambda b, c: b @ c, (0, 1), mode)(b, c)
    same(db, np.einsum("ik,lj->ijkl", np.eye(2), c))
    same(dc, np.einsum("ik,lj->ijkl", b, np.eye(2)))


@pytest.mark.parametrize("mode", MODES)
def test_jacobians_of_numbers(mode: str | None) -> None:
    found = jacobian(lambda p: {"xy": p[0] * p[1], "x": p[0], "one": 1.0}, mode=mode)([2.0, 3.0])
    assert found == {"xy": [3.0, 2.0], "x": [1.0, 0.0], "one": [0.0, 0.0]}
    assert all(type(leaf) is float for row in found.values() for leaf in row)
    assert jacobian(lambda x: x * x, mode=mode)(3.0) == 6.0


@pytest.mark.parametrize("mode", MODES)
def test_numbers_and_arrays_together(mode: str | None) -> None:
    found = jacobian(lambda p: (p["w"] * p["b"], p["b"] ** 2), mode=mode)({"w": X, "b": 2.0})
    same(found[0]["w"], 2.0 * np.eye(3))
    same(found[0]["b"], X)
    same(found[1]["w"], np.zeros(3))
    assert found[1]["b"] == 4.0
    assert type(found[1]["b"]) is float


def test_second_derivatives() -> None:
    v = np.array([1.0, -2.0, 0.5])
    symmetric = S + S.T
    same(hessian(quadratic)(X), symmetric)
    same(hvp(quadratic)(X, v), symmetric @ v)
    same(vhp(quadratic)(X, v), symmetric @ v)
    same(hvp(quadratic, X, v), symmetric @ v)
    same(vhp(quadratic, X, v), symmetric @ v)
    gradient, diagonal = gradient_and_hessian_diagonal(quadratic, X)
    same(gradient, symmetric @ X)
    same(diagonal, np.diag(symmetric))
    assert laplacian(quadratic)(X) == pytest.approx(np.trace(symmetric))
    assert laplacian(quadratic, X) == pytest.approx(np.trace(symmetric))


def test_divergence_of_fields() -> None:
    assert divergence(lambda x: Tensor(S) @ x, X) == pytest.approx(np.trace(S))
    assert divergence(lambda x: Tensor(S) @ x)(X) == pytest.approx(np.trace(S))
    assert divergence(lambda p: (p[0] ** 2, 3.0 * p[1]), (2.0, 5.0)) == 7.0
    turned = divergence(lambda a, b: (a * b, a.sum() * b), X, 2.0, argnums=(0, 1))
    assert turned == pytest.approx(6.0 + X.sum())
    assert divergence(lambda x: gradwalk.zeros(3) if x is None else 1.0 * Tensor(X), X) == 0.0


def test_several_arguments() -> None:
    def f(a: Any, b: Any) -> Any:
        return (a * a).sum() * b**3

    (aa, ab), (ba, bb) = hessian(f, (0, 1))(X, 2.0)
    same(aa, 16.0 * np.eye(3))
    same(ab, 24.0 * X)
    same(ba, 24.0 * X)
    assert bb == pytest.approx(12.0 * (X @ X))
    assert hessian(f, 1)(X, 2.0) == pytest.approx(12.0 * (X @ X))
    for product_of in (hvp, vhp):
        same(product_of(f)(X, 2.0, np.ones(3)), 16.0 * np.ones(3))
        assert product_of(f, X, 2.0, 1.0, argnums=1) == pytest.approx(12.0 * (X @ X))
        both = product_of(f, argnums=(0, 1))(X, 2.0, (np.ones(3), 1.0))
        same(both[0], 16.0 + 24.0 * X)
        assert both[1] == pytest.approx(24.0 * X.sum() + 12.0 * (X @ X))
        listed = product_of(f, argnums=[0, 1])(X, 2.0, [np.ones(3), 1.0])
        same(listed[0], both[0])
    assert laplacian(f, X, 2.0, argnums=(0, 1)) == pytest.approx(48.0 + 12.0 * (X @ X))


def test_keywords_are_constants() -> None:
    def f(x: Any, scale: float = 1.0) -> Any:
        return scale * (x * x).sum()

    same(hessian(f)(X, scale=3.0), 6.0 * np.eye(3))
    same(hvp(f)(X, X, scale=3.0), 6.0 * X)
    same(vhp(f)(X, X, scale=3.0), 6.0 * X)
    assert laplacian(f)(X, scale=3.0) == pytest.approx(18.0)
    same(gradient_and_hessian_diagonal(f)(X, scale=3.0)[1], 6.0 * np.ones(3))
    same(jacobian(f)(X, scale=3.0), 6.0 * X)
    assert divergence(lambda x, scale: scale * x)(X, scale=2.0) == pytest.approx(6.0)


@pytest.mark.parametrize("mode", MODES)
def test_auxiliary_results(mode: str | None) -> None:
    def f(x: Any) -> Any:
        return x * x, {"double": 2.0 * x, "name": "f"}

    found, aux = jacobian(f, mode=mode, has_aux=True)(X)
    same(found, np.diag(2.0 * X))
    same(aux["double"], 2.0 * X)
    assert aux["name"] == "f"
    assert isinstance(aux["double"], np.ndarray)
    second, aux = hessian(lambda x: ((x * x).sum(), 3.0 * x), has_aux=True)(X)
    same(second, 2.0 * np.eye(3))
    same(aux, 3.0 * X)
    assert hessian(lambda x: (x**3, x), has_aux=True)(2.0) == (12.0, 2.0)


# --- differences ----------------------------------------------------------------------------------

STEPS: tuple[Callable[[Any, Any], Any], ...] = (
    lambda x, y: x * y,
    lambda x, y: x + sin(y),
    lambda x, y: tanh(x - y),
    lambda x, y: x / (1.0 + y * y),
    lambda x, y: exp(-x * x) + y,
    lambda x, y: gradwalk.sqrt(1.0 + x * x) * y,
)
ON_ARRAYS: tuple[Callable[[Any, Any], Any], ...] = (
    *STEPS,
    lambda x, y: gradwalk.cumulative_sum(x) * y[::-1],
    lambda x, y: x * y.sum(),
    lambda x, y: gradwalk.outer(x, y) @ y,
    lambda x, y: gradwalk.softmax(x) - y.mean(),
    lambda x, y: gradwalk.concat([x[1:], y[:1]]),
)


def program(choices: list[int], steps: Any) -> Callable[[Any], Any]:
    def run(x: Any) -> Any:
        a, b = x, sin(x)
        for choice in choices:
            a, b = b, steps[choice % len(steps)](a, b)
        return a * b

    return run


def central(f: Callable[[Any], Any], x: Any, step: float = 1e-5) -> Any:
    """∂f/∂x by central differences, the axis of x last."""
    rows = [(f(x + step * e) - f(x - step * e)) / (2.0 * step) for e in np.eye(x.size)]
    return np.moveaxis(np.array(rows), 0, -1)


def of_arrays(f: Callable[[Any], Any]) -> Callable[[Any], Any]:
    return lambda x: np.asarray(f(Tensor(x)).data)


choices = st.lists(st.integers(0, 100), min_size=1, max_size=6)
vectors = st.lists(st.floats(-1.5, 1.5), min_size=1, max_size=4).map(np.array)


@given(choices, vectors)
def test_random_programs_against_differences(choices: list[int], x: Any) -> None:
    f = program(choices, ON_ARRAYS)
    scale = 1.0 + np.abs(of_arrays(f)(x)).max()
    expected = central(of_arrays(f), x)
    found = {mode: jacobian(f, mode=mode)(x) for mode in MODES}
    assert np.abs(found[None] - expected).max() < 1e-6 * scale * (1.0 + np.abs(expected).max())
    bound = 1e-11 * (1.0 + np.abs(expected).max())
    assert np.abs(found["forward"] - found["reverse"]).max() < bound


@given(choices, vectors, st.integers(0, 3))
def test_random_second_derivatives(choices: list[int], x: Any, k: int) -> None:
    def f(x: Any) -> Any:
        return program(choices, ON_ARRAYS)(x).sum()

    whole = hessian(f)(x)
    big = 1.0 + np.abs(whole).max()
    expected = central(grad(f), x)
    assert np.abs(whole - expected).max() < 1e-5 * big
    assert np.abs(whole - whole.T).max() < 1e-10 * big
    v = np.cos(np.arange(x.size) + k)
    gradient, diagonal = gradient_and_hessian_diagonal(f, x)
    for found, exact in [
        (hvp(f, x, v), whole @ v),
        (vhp(f, x, v), whole @ v),
        (gradient, grad(f)(x)),
        (diagonal, np.diag(whole)),
        (laplacian(f, x), np.trace(whole)),
        (jacobian(grad(f), mode="reverse")(x), whole),
        (divergence(grad(f), x), np.trace(whole)),
    ]:
        assert np.abs(found - exact).max() < 1e-10 * big


@given(choices, st.lists(st.floats(-1.5, 1.5), min_size=2, max_size=3))
def test_random_programs_of_numbers(choices: list[int], x: list[float]) -> None:
    def f(x: Any) -> Any:
        return [program(choices, STEPS)(a * b) for a, b in zip(x, [*x[1:], x[0]], strict=True)]

    found = {mode: np.array(jacobian(f, mode=mode)(x)) for mode in MODES}
    expected = central(lambda x: np.array(f(x.tolist())), np.array(x))
    big = 1.0 + np.abs(expected).max()
    assert np.abs(found[None] - expected).max() < 1e-6 * big
    assert np.abs(found["forward"] - found["reverse"]).max() < 1e-12 * big
    second = np.array(hessian(lambda x: f(x)[0])(x))
    expected = central(lambda x: np.array(grad(lambda x: f(x)[0])(x.tolist())), np.array(x))
    assert np.abs(second - expected).max() < 1e-5 * (1.0 + np.abs(expected).max())


# --- nesting --------------------------------------------------------------------------------------

FIRST: dict[str, Callable[[Any], Any]] = {
    "grad": grad,
    "vjp": lambda f: lambda x: vjp(f, x)[1](1.0)[0],
    "jvp": lambda f: lambda x: jvp(f, (x,), (1.0,))[1],
    "linearize": lambda f: lambda x: linearize(f, x)[1](1.0),
    "jacobian": jacobian,
    "forward": lambda f: jacobian(f, mode="forward"),
    "reverse": lambda f: jacobian(f, mode="reverse"),
    "divergence": divergence,
}
SECOND: dict[str, Callable[[Any], Any]] = {
    "hessian": hessian,
    "hvp": lambda f: lambda x: hvp(f, x, 1.0),
    "vhp": lambda f: lambda x: vhp(f, x, 1.0),
    "laplacian": laplacian,
    "diagonal": lambda f: lambda x: gradient_and_hessian_diagonal(f, x)[1],
}
ORDER = {**dict.fromkeys(FIRST, 1), **dict.fromkeys(SECOND, 2)}
DERIVE = {**FIRST, **SECOND}
PAIRS = [*product(DERIVE, repeat=2)]


@pytest.mark.parametrize(("outer", "inner"), PAIRS)
def test_pairs_on_numbers(outer: str, inner: str) -> None:
    """exp(2x) y³ inside of a derivative by y: its n-th derivative is 2ⁿ exp(2x) · 3 y²."""
    order = ORDER[outer] + ORDER[inner]
    derive = DERIVE[outer](DERIVE[inner](lambda x: exp(2.0 * x)))
    expected = 2.0**order * math.exp(0.6)
    assert derive(0.3) == pytest.approx(expected, rel=1e-13)
    assert type(derive(0.3)) is float
    # perturbation confusion: the inner function uses a tracer of the outer one
    mixed = DERIVE[outer](lambda y: DERIVE[inner](lambda x: exp(y * x))(0.3) * y)
    confused = central_of(lambda y: y ** (1 + ORDER[inner]) * math.exp(0.3 * y), 1.5, ORDER[outer])
    assert mixed(1.5) == pytest.approx(confused, rel=1e-12)


def central_of(f: Any, y: float, order: int) -> float:
    """The derivative of y**n exp(0.3 y) in closed form, by Leibniz; n is read off at y = 2."""
    n = round(math.log2(f(2.0) / math.exp(0.6)))
    e = math.exp(0.3 * y)
    terms = [
        math.comb(order, k) * math.perm(n, k) * y ** (n - k) * 0.3 ** (order - k) * e
        for k in range(min(order, n) + 1)
    ]
    return sum(terms)


V = np.array([0.5, 1.0, -1.5])
ON_VECTORS: dict[str, Callable[[Any], Any]] = {
    "grad": lambda f: lambda x: grad(f)(x),
    "vjp": lambda f: lambda x: vjp(f, x)[1](1.0)[0],
    "jvp": lambda f: lambda x: stacked([jvp(f, (x,), (Tensor(e),))[1] for e in np.eye(3)]),
    "jacobian": lambda f: jacobian(f),
    "forward": lambda f: jacobian(f, mode="forward"),
    "hvp": lambda f: hvp_with(f, hvp),
    "vhp": lambda f: hvp_with(f, vhp),
    "hessian": lambda f: lambda x: hessian(f)(x) @ Tensor(V),
    "diagonal": lambda f: lambda x: gradient_and_hessian_diagonal(f, x)[1],
}


def stacked(rows: list[Any]) -> Any:
    return gradwalk.stack(rows)


def hvp_with(f: Any, product_of: Any) -> Callable[[Any], Any]:
    return lambda x: product_of(f)(x, Tensor(V))


def exact(inner: str, x: Any) -> Any:
    """What each of `ON_VECTORS` makes of Σ exp(x) + (Σ x)³."""
    if inner == "diagonal":
        return np.exp(x) + 6.0 * x.sum()
    if inner in ("hvp", "vhp", "hessian"):
        return np.exp(x) * V + 6.0 * x.sum() * V.sum()
    return np.exp(x) + 3.0 * x.sum() ** 2


@pytest.mark.parametrize(("outer", "inner"), [*product(ON_VECTORS, repeat=2)])
def test_pairs_on_arrays(outer: str, inner: str) -> None:
    """The outer transform of Σ sin(inner(x)) agrees with the difference of the closed form."""

    def f(x: Any) -> Any:
        return exp(x).sum() + x.sum() ** 3

    derive = ON_VECTORS[outer](lambda x: sin(0.1 * ON_VECTORS[inner](f)(x)).sum())

    def closed(x: Any) -> Any:
        return sin(0.1 * exact(inner, x)).sum()

    def on_closed(x: Any) -> Any:
        return closed_form(inner, x)

    expected = ON_VECTORS[outer](on_closed)(X)
    same(plain(derive(X)), plain(expected), 1e-11)
    if outer in ("grad", "vjp", "jvp", "jacobian", "forward"):
        same(plain(derive(X)), central(closed, X), 1e-5)


def closed_form(inner: str, x: Any) -> Any:
    total = x.sum()
    if inner == "diagonal":
        found = exp(x) + 6.0 * total
    elif inner in ("hvp", "vhp", "hessian"):
        found = exp(x) * Tensor(V) + 6.0 * total * V.sum()
    else:
        found = exp(x) + 3.0 * total**2
    return sin(0.1 * found).sum()


def plain(x: Any) -> Any:
    return np.asarray(getattr(x, "data", x))


@pytest.mark.parametrize(("outer", "inner"), [*product(MODES[1:], repeat=2)])
def test_jacobian_of_a_jacobian(outer: str, inner: str) -> None:
    found = jacobian(jacobian(lambda x: x**3, mode=inner), mode=outer)(X)
    expected = np.zeros((3, 3, 3))
    expected[range(3), range(3), range(3)] = 6.0 * X
    same(found, expected)
    numbers = jacobian(jacobian(lambda p: [p[0] ** 2 * p[1]], mode=inner), mode=outer)([2.0, 3.0])
    assert numbers == [[[6.0, 4.0], [4.0, 0.0]]]


def test_third_derivatives() -> None:
    def f(x: Any) -> Any:
        return (x**4).sum() + x[0] * x[1] * x[2]

    expected = np.zeros((3, 3, 3))
    expected[range(3), range(3), range(3)] = 24.0 * X
    for places in [(0, 1, 2), (0, 2, 1), (1, 0, 2), (1, 2, 0), (2, 0, 1), (2, 1, 0)]:
        expected[places] = 1.0
    same(jacobian(hessian(f))(X), expected)
    same(hessian(lambda x: hvp(f)(x, V).sum())(X).shape, (3, 3))
    same(grad(lambda x: (V * (hessian(f)(x) @ V)).sum())(X), V @ expected @ V)
    same(grad(lambda x: laplacian(f, x))(X), 24.0 * X)
    same(jvp(lambda x: hvp(f, x, Tensor(V)), (X,), (V,))[1], expected @ V @ V)


# --- kinds of numbers, containers -----------------------------------------------------------------


@pytest.mark.parametrize("mode", MODES)
def test_kinds_of_numbers(mode: str | None) -> None:
    f = jacobian(lambda x: x * x, mode=mode)
    assert type(f(X)) is np.ndarray
    assert type(f(Tensor(X))) is Tensor
    assert not f(Tensor(X)).requires_grad
    assert type(f(2.0)) is float
    assert type(f(Value(2.0))) is Value
    assert f(Value(2.0)).data == 4.0
    assert type(hessian(quadratic)(Tensor(X))) is Tensor
    assert type(laplacian(quadratic, X)) is np.float64
    assert f(np.array(3.0)).shape == ()
    assert f(np.array(3.0)) == 6.0
    single = f(X.astype(np.float32))
    assert single.dtype == np.float32
    same(single, np.diag(2.0 * X), 1e-6)


@pytest.mark.parametrize("mode", MODES)
def test_graphs_go_on(mode: str | None) -> None:
    """A Jacobian by a Tensor or a Value that wants gradients can be differentiated as it stands."""
    w = Tensor(X, requires_grad=True)
    jacobian(lambda x: x**3, mode=mode)(w).sum().backward()
    same(w.grad, 6.0 * X)
    a = Value(2.0)
    (jacobian(lambda x: x**3, mode=mode)(a) + laplacian(lambda x: x**3, a)).backward()
    assert a.grad == 12.0 + 6.0
    w = Tensor(X, requires_grad=True)  # one that the function closes over
    hvp(lambda x: (w * x * x).sum(), X, X).sum().backward()
    same(w.grad, 2.0 * X)


@pytest.mark.parametrize("mode", MODES)
def test_inside_no_grad(mode: str | None) -> None:
    with no_grad():
        same(jacobian(lambda x: x**2, mode=mode)(X), np.diag(2.0 * X))
        same(hessian(quadratic)(X), S + S.T)
        same(hvp(quadratic, X, V), (S + S.T) @ V)
        same(vhp(quadratic, X, V), (S + S.T) @ V)
        assert laplacian(lambda x: x**3, 2.0) == 12.0


class Pair(NamedTuple):
    a: Any
    b: Any


@dataclass
class Point:
    x: Any
    y: Any


@pytest.mark.parametrize("mode", MODES)
def test_containers(mode: str | None) -> None:
    def f(p: Any) -> Any:
        return Point(x={"product": p.a * p.b}, y=[p.a, None])

    found = jacobian(f, mode=mode)(Pair(X, 2.0))
    assert type(found) is Point
    assert type(found.x["product"]) is Pair
    assert found.y[1] is None
    same(found.x["product"].a, 2.0 * np.eye(3))
    same(found.x["product"].b, X)
    same(found.y[0].a, np.eye(3))
    same(found.y[0].b, np.zeros(3))
    second = hessian(lambda p: p.x**2 * p.y)(Point(2.0, 3.0))
    assert second == Point(Point(6.0, 4.0), Point(4.0, 0.0))
    assert hvp(lambda p: p.x**2 * p.y, Point(2.0, 3.0), Point(1.0, 0.0)) == Point(6.0, 4.0)
    gradient, diagonal = gradient_and_hessian_diagonal(lambda p: p.a**2 * p.b)(Pair(2.0, 3.0))
    assert (gradient, diagonal) == (Pair(12.0, 4.0), Pair(6.0, 0.0))


@pytest.mark.parametrize("mode", MODES)
def test_modules(mode: str | None) -> None:
    layer = nn.Linear(3, 2)
    found = jacobian(lambda m: m(X), mode=mode)(layer)
    assert type(found) is nn.Linear
    same(plain(found.weight), np.einsum("ij,k->ijk", np.eye(2), X))
    same(plain(found.bias), np.eye(2))
    ones = vjp(lambda m: m(X), layer)[1](np.ones(2))[0]
    squares = hvp(lambda m: (m(X) ** 2).sum(), layer, ones)
    # half the Hessian is JᵀJ; J · (X in both rows, ones) is X·X + 1 in both places
    same(plain(squares.weight), 2.0 * (X @ X + 1.0) * np.array([X, X]))
    same(plain(squares.bias), 2.0 * (X @ X + 1.0) * np.ones(2))
    neuron = nn.Neuron(2, activation="tanh")
    assert laplacian(lambda m: m([1.0, 2.0]), neuron) == pytest.approx(6.0 * second_of_tanh(neuron))


def second_of_tanh(neuron: Any) -> float:
    y = neuron([1.0, 2.0]).data
    return -2.0 * y * (1.0 - y * y)


# --- how much work --------------------------------------------------------------------------------


def test_fewer_sweeps_are_chosen(monkeypatch: pytest.MonkeyPatch) -> None:
    used: set[str] = set()
    for name, mode in (("tangents", "jvp"), ("gradients", "vjp")):
        real = getattr(VJPLevel, name)

        def counted(self: Any, *args: Any, real: Any = real, mode: str = mode) -> Any:
            used.add(mode)
            return real(self, *args)

        monkeypatch.setattr(VJPLevel, name, counted)

    def ways(f: Any, x: Any, mode: str | None = None) -> set[str]:
        used.clear()
        jacobian(f, mode=mode)(x)
        return set(used)

    assert ways(lambda x: x.sum(), X) == {"vjp"}
    assert ways(lambda x: gradwalk.outer(x, x), X) == {"jvp"}
    assert ways(lambda x: [x, x * x], 2.0) == {"jvp"}
    assert ways(lambda x: x[0] * x[1], [2.0, 3.0]) == {"vjp"}
    assert ways(lambda x: x.sum(), X, "forward") == {"jvp"}
    assert ways(lambda x: [x, x * x], 2.0, "reverse") == {"vjp"}


@pytest.mark.parametrize("mode", MODES)
def test_the_function_runs_once(mode: str | None) -> None:
    runs = []

    def f(x: Any) -> Any:
        runs.append(1)
        return x * x

    jacobian(f, mode=mode)(X)
    divergence(f, X)
    laplacian(lambda x: f(x).sum(), X)
    assert len(runs) == 3


def test_numbers_need_no_numpy(run_python: Callable[..., str]) -> None:
    program = (
        "import sys, gradwalk as g\n"
        "f = lambda p: p[0] ** 2 * p[1]\n"
        "x = [2.0, 3.0]\n"
        "print(g.hessian(f)(x), g.hvp(f, x, x), g.vhp(f, x, x), g.laplacian(f, x))\n"
        "print(g.jacobian(lambda p: [p[0] * p[1], p[1]], mode='forward')(x))\n"
        "print(g.gradient_and_hessian_diagonal(f, x), g.divergence(lambda p: p, x))\n"
        "print('numpy' in sys.modules)\n"
    )
    assert run_python(program).split("\n")[:4] == [
        "[[6.0, 4.0], [4.0, 0.0]] [24.0, 8.0] [24.0, 8.0] 6.0",
        "[[3.0, 2.0], [0.0, 1.0]]",
        "([12.0, 4.0], [6.0, 0.0]) 2.0",
        "False",
    ]


# --- edges and errors -----------------------------------------------------------------------------


@pytest.mark.parametrize("mode", MODES)
def test_nothing_in_or_out(mode: str | None) -> None:
    assert jacobian(lambda x: x * 2.0, mode=mode)(np.zeros(0)).shape == (0, 0)
    assert jacobian(lambda x: x[:0], mode=mode)(X).shape == (0, 3)
    constant = jacobian(lambda x: 1.0 * Tensor(X), mode=mode)(A)
    assert constant.shape == (3, 2, 3)
    assert not constant.any()
    assert divergence(lambda x: x, np.zeros(0)) == 0.0


@pytest.mark.parametrize("mode", MODES)
def test_structural_zeros(mode: str | None) -> None:
    """A branch that is not taken gives 0, however steep it is there."""
    found = jacobian(lambda x: gradwalk.where(x > 0.0, gradwalk.sqrt(x), 0.0), mode=mode)
    same(found(np.array([4.0, 0.0, 9.0])), np.diag([0.25, 0.0, 1.0 / 6.0]))
    second = hessian(lambda x: gradwalk.where(x > 0.0, x**1.5, 0.0).sum())
    same(second(np.array([4.0, 0.0])), np.diag([0.375, 0.0]))


@pytest.mark.parametrize("mode", ["backward", "Forward", 1, True, ""])
def test_unknown_modes(mode: Any) -> None:
    with pytest.raises(OptionError, match=r"jacobian\(mode=...\): expected \"forward\""):
        jacobian(lambda x: x, mode=mode)


def test_many_seeds_at_once_are_as_good_as_one_by_one(monkeypatch: pytest.MonkeyPatch) -> None:
    def f(x: Any) -> Any:
        return gradwalk.linalg.lstsq(gradwalk.outer(x, x) + Tensor(S), x[::-1]).solution * x[0]

    def scalar(x: Any) -> Any:
        return (f(x) ** 2).sum()

    at_once = [jacobian(f, mode=mode)(X) for mode in MODES], hessian(scalar)(X)
    spread = divergence(f, X), laplacian(scalar, X)
    for room in (0, 6):  # numbers: one seed at a time, or two
        monkeypatch.setattr(blocks, "ROOM", room)
        for mode, expected in zip(MODES, at_once[0], strict=True):
            same(jacobian(f, mode=mode)(X), expected, 1e-10)
        same(hessian(scalar)(X), at_once[1], 1e-9)
        same([divergence(f, X), laplacian(scalar, X)], spread, 1e-9)


def test_memory_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    """No batch holds more numbers at one step than there is room for."""
    sizes = []

    def noted(g: Any, seeds: Any, mode: str) -> Any:
        sizes.append(len(seeds[0].data))
        return batched(g, seeds, mode)

    monkeypatch.setattr(blocks, "batched", noted)
    monkeypatch.setattr(blocks, "ROOM", 1000)
    x = np.arange(1.0, 51.0)
    wide = jacobian(lambda x: gradwalk.outer(x, x)[:2, 0], mode="forward")(x)  # 2,500 numbers
    assert not sizes
    same(wide, jacobian(lambda x: x[:2] * x[0], mode="reverse")(x))
    assert sizes.pop() == 2
    jacobian(lambda x: x * x)(x)
    assert sizes == [20, 20, 10]


def test_steps_that_look_at_their_seed(monkeypatch: pytest.MonkeyPatch) -> None:
    """A rule in plain NumPy sees one seed after the other."""

    def refuses(g: Any, seeds: Any, mode: str) -> Any:
        return batched(lambda ts: g([t * float(t.sum() >= 0.0) for t in ts]), seeds, mode)

    monkeypatch.setattr(blocks, "batched", refuses)
    same(jacobian(lambda x: (x * x)[1:])(X), np.diag(2.0 * X)[1:])
    assert not jacobian(lambda x: 1.0 * Tensor(X), mode="reverse")(A).any()
    second = jacobian(lambda x, y: (x * 2.0, y), (0, 1), "forward")(X, 3.0)
    same(second[0][0], 2.0 * np.eye(3))
    same(second[0][1], np.zeros(3))


Bad = tuple[Callable[[], Any], type[GradwalkError], str]
BAD: dict[str, Bad] = {
    "no function": (lambda: jacobian(2.0), OptionError, r"jacobian\(f\): expected a function"),
    "no function for hvp": (lambda: hvp(2.0, 1.0, 1.0), OptionError, r"hvp\(f\)"),
    "no function for divergence": (lambda: divergence(X), OptionError, r"divergence\(f\)"),
    "bool": (lambda: jacobian(lambda x: x)(True), NotANumberError, "jacobian: argument 0"),
    "bools": (lambda: hvp(quadratic, [True], [1.0]), NotANumberError, r"hvp: argument 0\[0\]"),
    "text": (lambda: jacobian(lambda x: "y")(2.0), NotANumberError, "jacobian: the result"),
    "vector": (lambda: hessian(lambda x: x * x)(X), SizeError, "hessian: the result"),
    "list": (lambda: hvp(lambda x: [x], 2.0, 1.0), SizeError, "hvp: the result"),
    "position": (lambda: hessian(quadratic, 1)(X), OptionError, r"hessian\(argnums=...\)"),
    "aux": (lambda: jacobian(lambda x: x, has_aux=True)(2.0), OptionError, "has_aux=True"),
    "vector of another shape": (lambda: hvp(quadratic, X, X[:2]), SizeError, "hvp: the vector"),
    "vector of whole numbers": (lambda: vhp(quadratic, X, [1, 2, 3]), SizeError, "vhp: the vector"),
    "vector of bools": (
        lambda: vhp(lambda x: x * x, 2.0, True),
        NotANumberError,
        "vhp: the vector",
    ),
    "no vector": (lambda: hvp(quadratic, X), OptionError, r"hvp\(f\)\(x, v\): expected"),
    "no field": (lambda: divergence(lambda x: x[:2], X), SizeError, "divergence: the result"),
    "field of a list": (lambda: divergence(lambda x: [x], 2.0), SizeError, "the structure of the"),
}


@pytest.mark.parametrize("case", BAD)
def test_errors(case: str) -> None:
    run, kind, message = BAD[case]
    with pytest.raises(kind, match=message):
        run()


def test_a_tape_forgets_on_the_way_only_if_told_to() -> None:
    """`grad` releases its tape; a pullback, which may be called often, does not."""
    _, pullback = vjp(lambda x: (x * x).sum(), X)
    same(pullback(1.0)[0], 2.0 * X)
    same(pullback(1.0)[0], 2.0 * X)
    _, forward = linearize(lambda x: [x * x, x, 3.0], X)
    for _ in range(2):
        square, itself, constant = forward(np.ones(3))
        same(square, 2.0 * X)
        same(itself, np.ones(3))
        assert constant == 0.0


def test_tangents_are_added_in_place_only_where_nobody_else_looks() -> None:
    """The rule of ``x + x`` hands the tangent itself on, which belongs to the caller."""
    x, v = Tensor(X), Tensor(V)
    for f, slope in [
        (lambda x: x + x, 2.0 * V),
        (lambda x: (x + x) * x + x, (4.0 * X + 1.0) * V),
        (lambda x: gradwalk.fma(x, x, x), (2.0 * X + 1.0) * V),
        (lambda x: [x * x, x][1] + x, 2.0 * V),
    ]:
        for _ in range(2):
            same(jvp(f, (x,), (v,))[1].data, slope)
        same(linearize(f, x)[1](v).data, slope)
    same(x.data, X)
    same(v.data, V)


@pytest.mark.parametrize(("long", "short"), [("forward", "fwd"), ("reverse", "rev")])
def test_modes_have_two_spellings(long: Any, short: Any) -> None:
    x = np.array([0.5, 2.0])

    def f(x: Any) -> Any:
        return np.sin(x) * x[0]

    np.testing.assert_array_equal(jacobian(f, mode=long)(x), jacobian(f, mode=short)(x))
