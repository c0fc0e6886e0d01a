"""grad, value_and_grad, vjp, jvp, linearize: what they take, give back, and refuse."""

from __future__ import annotations

import builtins
import itertools
import math
from collections import OrderedDict, defaultdict, namedtuple
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import gradwalk as gw
from gradwalk import Tensor, Value, errors, grad, jvp, linearize, nn, no_grad, value_and_grad, vjp
from gradwalk.core import pytree as tree

A = np.array([1.0, 2.0, 3.0])
B = np.array([-0.5, 0.25, 4.0])


def number(x: Any) -> Any:
    """The plain number or array in a result."""
    x = getattr(x, "_data", x)
    return x.data if isinstance(x, Value) else x


# --- argnums, keywords, has_aux -------------------------------------------------------------------


def product(x: Any, y: Any, z: Any = 1.0) -> Any:
    """Slopes y² z, 2 x y z, x y²."""
    return x * y * y * z


SLOPES = (9.0 * 5.0, 2.0 * 2.0 * 3.0 * 5.0, 2.0 * 9.0)


@pytest.mark.parametrize(
    ("argnums", "expected"),
    [
        (0, SLOPES[0]),
        (1, SLOPES[1]),
        (-1, SLOPES[2]),
        (-3, SLOPES[0]),
        ((0,), SLOPES[:1]),
        ((2, 0), (SLOPES[2], SLOPES[0])),
        ([0, -1], (SLOPES[0], SLOPES[2])),
        (np.int64(1), SLOPES[1]),
    ],
)
def test_argnums_name_positions(argnums: Any, expected: Any) -> None:
    assert grad(product, argnums)(2.0, 3.0, 5.0) == expected
    assert value_and_grad(product, argnums)(2.0, 3.0, 5.0) == (90.0, expected)
    y, pullback = vjp(product, 2.0, 3.0, 5.0, argnums=argnums)
    assert (y, pullback(1.0)) == (90.0, expected)


def test_forward_mode_takes_tangents_of_those_arguments_alone() -> None:
    point = (2.0, 3.0, 5.0)
    assert jvp(product, point, (1.0, 10.0, 100.0)) == (90.0, 45.0 + 600.0 + 1800.0)
    assert jvp(product, point, 1.0, argnums=1) == (90.0, 60.0)
    assert jvp(product, point, (1.0, 10.0), argnums=(2, 0)) == (90.0, 18.0 + 450.0)
    y, along = linearize(product, *point, argnums=(2, 0))
    assert (y, along(1.0, 10.0), along(0.0, 1.0)) == (90.0, 468.0, 45.0)
    y, along = linearize(product, *point, argnums=-1)
    assert (y, along(2.0)) == (90.0, 36.0)


def test_keyword_arguments_are_held_constant() -> None:
    assert grad(product)(2.0, 3.0, z=5.0) == 45.0
    assert value_and_grad(product)(2.0, 3.0, z=5.0) == (90.0, 45.0)
    assert vjp(product, 2.0, 3.0, z=5.0)[1](1.0) == (45.0, 60.0)
    assert linearize(product, 2.0, 3.0, z=5.0)[1](1.0, 1.0) == 105.0
    assert grad(lambda x, n=1: x**n)(2.0, n=3) == 12.0, "any kind of thing"


def test_arguments_that_are_not_differentiated_may_be_anything() -> None:
    f = lambda mode, x, n: x**n if mode == "power" else x  # noqa: E731
    assert grad(f, 1)("power", 2.0, 3) == 12.0
    assert jvp(f, ("power", 2.0, 3), (1.0,), argnums=(1,)) == (8.0, 12.0)


def with_aux(x: Any) -> Any:
    y = x * x
    return y, {"double": x * 2.0, "square": y, "x": x, "text": "t", "count": 3, "none": None}


AUX = {"double": 6.0, "square": 9.0, "x": 3.0, "text": "t", "count": 3, "none": None}


def test_auxiliary_results_come_back_as_plain_numbers() -> None:
    assert grad(with_aux, has_aux=True)(3.0) == (6.0, AUX)
    assert value_and_grad(with_aux, has_aux=True)(3.0) == ((9.0, AUX), 6.0)
    y, pullback, aux = vjp(with_aux, 3.0, has_aux=True)
    assert (y, pullback(1.0), aux) == (9.0, (6.0,), AUX)
    assert jvp(with_aux, (3.0,), (1.0,), has_aux=True) == (9.0, 6.0, AUX)
    assert all(type(aux[name]) is float for name in ("double", "square", "x"))


def test_auxiliary_results_of_arrays() -> None:
    (_, aux), slope = value_and_grad(
        lambda x: ((x * x).sum(), {"square": x * x, "x": x}), has_aux=True
    )(A)
    assert type(aux["square"]) is type(aux["x"]) is np.ndarray
    np.testing.assert_array_equal(aux["square"], A * A)
    np.testing.assert_array_equal(aux["x"], A)
    np.testing.assert_array_equal(slope, 2.0 * A)


def test_auxiliary_results_stay_connected_to_what_is_outside() -> None:
    w, v = Tensor([2.0, 3.0], requires_grad=True), Value(5.0)

    def f(x: Any) -> Any:
        y = x * x
        return y.sum(), {"w": y * w, "v": y.sum() * v, "plain": y}

    slope, aux = grad(f, has_aux=True)(A[:2])
    np.testing.assert_array_equal(slope, 2.0 * A[:2])
    assert type(aux["plain"]) is np.ndarray
    aux["w"].sum().backward(retain_graph=True)
    np.testing.assert_array_equal(w.grad, [1.0, 4.0])
    aux["v"].backward()
    assert v.grad == 5.0
    _, aux = grad(lambda x: (x * x, x * v), has_aux=True)(3.0)
    assert aux.data == 15.0
    aux.backward()
    assert v.grad == 8.0


def test_a_function_runs_once_and_keeps_its_name() -> None:
    runs = []

    def counted(x: Any) -> Any:
        """Its page."""
        runs.append(x)
        return x * x

    assert value_and_grad(counted)(3.0) == (9.0, 6.0)
    assert len(runs) == 1
    assert grad(counted).__name__ == "counted"
    assert grad(counted).__doc__ == "Its page."
    _, pullback = vjp(counted, 3.0)
    _, along = linearize(counted, 3.0)
    assert [pullback(1.0), pullback(2.0)] == [(6.0,), (12.0,)]
    assert [along(1.0), along(2.0)] == [6.0, 12.0]
    assert len(runs) == 3


# --- containers in and out ------------------------------------------------------------------------

Pair = namedtuple("Pair", "a b")


@dataclass
class Plain:
    a: Any
    b: Any
    name: str = "plain"


@dataclass(frozen=True)
class Frozen:
    a: Any
    b: Any


class Polar:
    """A class of its own, made a container below."""

    def __init__(self, a: Any, b: Any) -> None:
        self.a, self.b = a, b


tree.register_pytree(Polar, lambda x: ((x.a, x.b), None), lambda _, parts: Polar(*parts))


class Both(nn.Module):
    """A Module of two parameters."""

    def __init__(self, a: Any, b: Any) -> None:
        super().__init__()
        self.a, self.b = a, b


def item(x: Any, key: int) -> Any:
    """One of the two members of any of the containers."""
    if isinstance(x, dict):
        return x["ab"[key]]
    return x[key] if isinstance(x, (list, tuple)) else getattr(x, "ab"[key])


CONTAINERS: dict[str, Callable[[Any, Any], Any]] = {
    "list": lambda a, b: [a, b],
    "tuple": lambda a, b: (a, b),
    "named tuple": Pair,
    "dict": lambda a, b: {"a": a, "b": b},
    "OrderedDict": lambda a, b: OrderedDict(a=a, b=b),
    "defaultdict": lambda a, b: defaultdict(list, a=a, b=b),
    "dataclass": Plain,
    "frozen dataclass": Frozen,
    "registered": Polar,
    "with None": lambda a, b: [a, b, None, "text"],
}
containers = pytest.mark.parametrize("name", CONTAINERS)


def members(x: Any) -> tuple[Any, Any]:
    return number(item(x, 0)), number(item(x, 1))


def combine(x: Any) -> Any:
    return item(x, 0) * item(x, 0) * item(x, 1)


@containers
@pytest.mark.parametrize("reverse", [True, False])
def test_containers_of_arguments(name: str, reverse: bool) -> None:
    make = CONTAINERS[name]
    x = make(2.0, 3.0)
    if reverse:
        for found in (grad(combine)(x), value_and_grad(combine)(x)[1], vjp(combine, x)[1](1.0)[0]):
            assert type(found) is type(x)
            assert members(found) == (12.0, 4.0)
        assert members(x) == (2.0, 3.0), "the argument is as it was"
    else:
        assert jvp(combine, (x,), (make(1.0, 10.0),)) == (12.0, 52.0)
        assert linearize(combine, x)[1](make(1.0, 10.0)) == 52.0


@containers
def test_containers_of_results(name: str) -> None:
    make = CONTAINERS[name]
    f = lambda x: make(x * x, 3.0 * x)  # noqa: E731
    y, moved = jvp(f, (2.0,), (10.0,))
    assert type(y) is type(moved) is type(make(1.0, 1.0))
    assert (members(y), members(moved)) == ((4.0, 6.0), (40.0, 30.0))
    y, pullback = vjp(f, 2.0)
    assert members(y) == (4.0, 6.0)
    assert pullback(make(1.0, 10.0)) == (34.0,)
    y, along = linearize(f, 2.0)
    assert members(along(10.0)) == (40.0, 30.0)


@containers
def test_containers_of_arrays_in_containers(name: str) -> None:
    make = CONTAINERS[name]
    x = {"inner": make(A, make(B, 2.0)), "k": [1.0]}

    def f(x: Any) -> Any:
        a, (b, c) = item(x["inner"], 0), [item(item(x["inner"], 1), i) for i in range(2)]
        return (a * b).sum() * c + x["k"][0] * 0.5

    found = grad(f)(x)
    np.testing.assert_allclose(item(found["inner"], 0), 2.0 * B)
    rest = item(found["inner"], 1)
    np.testing.assert_allclose(item(rest, 0), 2.0 * A)
    assert item(rest, 1) == (A * B).sum()
    assert found["k"] == [0.5]
    assert type(item(rest, 1)) is type(found["k"][0]) is float


def test_defaults_and_fields_of_a_container_survive() -> None:
    found = grad(combine)(defaultdict(list, a=2.0, b=3.0))
    assert found.default_factory is list
    assert grad(combine)(Plain(2.0, 3.0, "mine")).name == "mine"


def test_modules_of_tensors_and_of_values() -> None:
    x = np.random.default_rng(0).normal(size=(5, 2))
    model = nn.Linear(2, 3)
    tensors = isinstance(next(iter(model.parameters())), Tensor)
    assert tensors
    loss = lambda m: (m(Tensor(x)) ** 2).sum()  # noqa: E731
    found = grad(loss)(model)
    assert isinstance(found, nn.Linear)
    loss(model).backward()
    for g, p in zip(found.parameters(), model.parameters(), strict=True):
        np.testing.assert_allclose(number(g), p.grad, rtol=1e-12)
    both = Both(Value(2.0), Value(3.0))
    found = grad(lambda m: m.a * m.a * m.b)(both)
    assert members(found) == (12.0, 4.0)
    assert (both.a.data, both.a.grad) == (2.0, 0.0)


XS = np.linspace(-1.0, 1.0, 4)[:, None]


def total(model: Any, x: Any) -> Any:
    return model(x).sum()


def squares(module: Any) -> Any:
    return sum((p**2).sum() for p in module.parameters())


INSIDE: dict[str, Callable[[Any], Any]] = {
    "grad": lambda m: squares(grad(total)(m, XS)),
    "value_and_grad": lambda m: gw.value_and_grad(total)(m, XS)[0] ** 2,
    "vjp": lambda m: gw.vjp(total, m, XS)[0] ** 2,
    "jvp": lambda m: gw.jvp(lambda m: total(m, XS), (m,), (m,))[1] ** 2,
    "linearize": lambda m: gw.linearize(lambda m: total(m, XS), m)[0] ** 2,
    "jacobian": lambda m: squares(gw.jacobian(total)(m, XS)),
    "vmap": lambda m: gw.vmap(total, in_axes=(None, 0))(m, XS).sum() ** 2,
    "checkpoint": lambda m: gw.checkpoint(total)(m, XS) ** 2,
    "compile": lambda m: gw.compile(total)(m, XS) ** 2,
    "scan": lambda m: (
        gw.scan(lambda c, x: ((c[0], c[1] + total(c[0], x)), None), (m, 0.0), XS)[0][1] ** 2
    ),
}


@pytest.mark.parametrize("name", INSIDE)
def test_a_module_keeps_its_derivative_when_it_is_passed_to_a_transform_inside(name: str) -> None:
    f = INSIDE[name]
    model = nn.Sequential(nn.Linear(1, 2, seed=0), nn.Tanh(), nn.Linear(2, 1, seed=1))
    found = [number(g) for g in grad(f)(model).parameters()]
    for p, g in zip(model.parameters(), found, strict=True):
        for index in np.ndindex(p.shape):
            ends = []
            for h in (1e-6, -1e-6):
                old = p.data.copy()
                p.data = old + h * (
                    np.arange(old.size) == np.ravel_multi_index(index, p.shape)
                ).reshape(p.shape)
                ends.append(float(number(f(model))))
                p.data = old
            assert g[index] == pytest.approx((ends[0] - ends[1]) / 2e-6, rel=1e-6, abs=1e-6)


def test_a_module_of_values_keeps_its_derivative_inside_too() -> None:
    both = Both(Value(2.0), Value(3.0))
    product = lambda m: m.a * m.a * m.b  # noqa: E731
    found = grad(lambda m: gw.value_and_grad(product)(m)[0] ** 2)(both)
    assert members(found) == (2.0 * 12.0 * 12.0, 2.0 * 12.0 * 4.0)
    found = grad(lambda m: grad(product)(m).a)(both)  # 2 a b
    assert members(found) == (6.0, 4.0)


# --- kinds of numbers -----------------------------------------------------------------------------

FLOATS: list[Any] = [2.0, np.float64(2.0)]


@pytest.mark.parametrize("x", FLOATS, ids=["float", "float64"])
def test_floats_give_floats(x: Any) -> None:
    f = lambda x: x * x * x  # noqa: E731
    assert type(grad(f)(x)) is float
    for found in (*value_and_grad(f)(x), *jvp(f, (x,), (1.0,)), vjp(f, x)[1](1.0)[0]):
        assert type(found) is float
    assert value_and_grad(f)(x) == jvp(f, (x,), (1.0,)) == (8.0, 12.0)


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64])
@pytest.mark.parametrize("shape", [(), (3,), (2, 3)])
def test_arrays_give_arrays_of_their_precision(dtype: Any, shape: Any) -> None:
    x = np.full(shape, 2.0, dtype)
    f = lambda x: (x * x * x).sum()  # noqa: E731
    for found in (grad(f)(x), vjp(f, x)[1](np.ones((), dtype))[0]):
        assert isinstance(found, np.ndarray)
        assert (found.dtype, found.shape) == (dtype, shape)
        np.testing.assert_array_equal(found, np.full(shape, 12.0))
    y, moved = jvp(f, (x,), (np.ones(shape, dtype),))
    assert y.dtype == moved.dtype == dtype
    assert moved == 12.0 * x.size


@pytest.mark.parametrize("dtype", [np.float16, np.float32])
def test_scalars_of_numpy_give_scalars_of_their_precision(dtype: Any) -> None:
    """np.float64 is a float of Python, and gives floats: see above."""
    x = dtype(2.0)
    f = lambda x: x * x * x  # noqa: E731
    pulled, back = vjp(f, x)
    value, forward = linearize(f, x)
    found = [grad(f)(x), *value_and_grad(f)(x), pulled, *back(dtype(1.0)), value, forward(x)]
    found += [*jvp(f, (x,), (x,)), *grad(lambda p: f(p["w"]))({"w": x}).values()]
    found += [grad(grad(f))(x), gw.hvp(f, x, x), gw.vhp(f, x, x), gw.hessian(f)(x)]
    found += [grad(gw.custom_rule(f, vjp=lambda t, y, x: t * x))(x), grad(gw.checkpoint(f))(x)]
    assert {type(y) for y in found} == {dtype}
    assert found[:5] == [12.0, 8.0, 12.0, 8.0, 12.0]


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64])
@pytest.mark.parametrize("make", [lambda x: x, lambda x: x[:0], lambda x: x[0], Tensor])
def test_second_derivatives_keep_the_precision(make: Any, dtype: Any) -> None:
    """Σ 3x², the sum of 6x, at ones: of arrays, of none of their numbers, of one, of a Tensor."""
    x = make(np.ones(3, dtype))
    cubes = lambda x: gw.sum(x**3) if np.ndim(x) else x**3  # noqa: E731
    found = [gw.laplacian(cubes)(x), gw.divergence(lambda x: 3.0 * x * x)(x)]
    for y in (*found, *gw.gradient_and_hessian_diagonal(cubes)(x)):
        assert getattr(y, "dtype", np.float64) == dtype
    assert [float(y) for y in found] == [6.0 * np.size(np.asarray(x))] * 2


def test_a_scalar_of_numpy_among_arrays() -> None:
    x, a = np.float32(2.0), np.ones(2, np.float32)
    of_x, of_a, of_c = grad(lambda x, a, c: (x * a).sum() * c, (0, 1, 2))(x, a, 3.0)
    assert (type(of_x), of_x, type(of_c), of_c) == (np.float32, 6.0, float, 4.0)
    assert (type(of_a), of_a.dtype) == (np.ndarray, np.float32)


def test_values_give_values_of_their_graph() -> None:
    x = Value(2.0)
    slope = grad(lambda x: x**3)(x)
    assert slope.data == 12.0
    slope.backward()
    assert x.grad == 12.0
    y, moved = jvp(lambda x: x**3, (x,), (Value(1.0),))
    assert (y.data, moved.data) == (8.0, 12.0)


@pytest.mark.parametrize("requires_grad", [True, False])
def test_tensors_give_tensors(requires_grad: bool) -> None:
    x = Tensor(A, requires_grad=requires_grad)
    slope = grad(lambda x: (x**3).sum())(x)
    assert isinstance(slope, Tensor)
    assert slope.requires_grad == requires_grad
    np.testing.assert_allclose(slope._data, 3.0 * A * A)
    if requires_grad:
        slope.sum().backward()
        np.testing.assert_allclose(x.grad, 6.0 * A)


def test_a_result_that_does_not_depend_on_the_argument() -> None:
    assert grad(lambda x: 3.0)(2.0) == 0.0
    assert value_and_grad(lambda x: 3.0)(2.0) == (3.0, 0.0)
    assert jvp(lambda x: 3.0, (2.0,), (1.0,)) == (3.0, 0.0)
    np.testing.assert_array_equal(grad(lambda x: Tensor(1.0))(A), np.zeros(3))
    assert grad(lambda x, y: x * 2.0, (0, 1))(1.0, 1.0) == (2.0, 0.0)
    assert grad(lambda x: x)(2.0) == 1.0
    np.testing.assert_array_equal(vjp(lambda x: x, A)[1](B)[0], B)


# --- no_grad, closures, assignment ----------------------------------------------------------------


def test_no_grad_outside_takes_the_derivative_all_the_same() -> None:
    with no_grad():
        assert grad(lambda x: x**3)(2.0) == 12.0
        np.testing.assert_array_equal(grad(lambda x: (x * x).sum())(A), 2.0 * A)
        assert jvp(lambda x: x**3, (2.0,), (1.0,)) == (8.0, 12.0)
        assert vjp(lambda x: x**3, 2.0)[1](1.0) == (12.0,)
        assert linearize(lambda x: x**3, 2.0)[1](1.0) == 12.0
        assert grad(grad(lambda x: x**3))(2.0) == 12.0


@pytest.mark.parametrize("x", [2.0, np.array(2.0)], ids=["float", "array"])
def test_no_grad_inside_makes_constants(x: Any) -> None:
    def f(x: Any) -> Any:
        with no_grad():
            constant = x * x
        return constant * x

    assert grad(f)(x) == 4.0
    assert jvp(f, (x,), (np.ones_like(x) if isinstance(x, np.ndarray) else 1.0,))[1] == 4.0
    assert grad(lambda x: grad(f)(x) + x)(x) == 1.0


def test_gradients_stay_connected_to_the_graphs_that_a_closure_uses() -> None:
    w, v = Tensor([2.0, 3.0, 4.0], requires_grad=True), Value(5.0)
    slope = grad(lambda x: (w * x * x).sum() * v)(A)
    assert isinstance(slope, Tensor)
    np.testing.assert_allclose(slope._data, 2.0 * w._data * A * 5.0)
    slope.sum().backward()
    np.testing.assert_allclose(w.grad, 2.0 * A * 5.0)
    assert v.grad == (2.0 * w._data * A).sum()
    y, moved = jvp(lambda x: x * x * v, (3.0,), (1.0,))
    assert (y.data, moved.data) == (45.0, 30.0)
    moved.backward()
    assert v.grad == (2.0 * w._data * A).sum() + 6.0


def test_values_made_inside_are_constants() -> None:
    for made in (lambda x: x.detach(), lambda x: Value(2.0), lambda x: Value(1.0) * 2.0):
        f = lambda x, made=made: x * made(x) * made(x)  # noqa: E731
        slope, aux = grad(lambda x, f=f: (f(x), f(x) * 1.0), has_aux=True)(2.0)
        assert (slope, aux) == (4.0, 8.0)
        assert type(slope) is type(aux) is float


def test_under_no_grad_closures_are_constants() -> None:
    v = Value(5.0)
    with no_grad():
        slope = grad(lambda x: x * x * v)(3.0)
    assert number(slope) == 30.0


def assigned(x: Any) -> Any:
    out = gw.zeros(3)
    for i in range(3):
        out[i] = x[i] * x[i]
    out[0] += x[2]
    out *= 2.0
    return out.sum()


def updated(x: Any) -> Any:
    x += 1.0
    x *= x
    x[0] = 0.0
    return x.sum()


@pytest.mark.parametrize(
    ("f", "slope"),
    [(assigned, [4.0, 8.0, 14.0]), (updated, [0.0, 6.0, 8.0])],
    ids=["into constants", "into the argument"],
)
@pytest.mark.parametrize("kind", [np.array, Tensor, lambda x: Tensor(x, requires_grad=True)])
def test_assignment_inside(f: Any, slope: Any, kind: Any) -> None:
    x = kind(A)
    np.testing.assert_allclose(number(grad(f)(x)), slope)
    np.testing.assert_allclose(number(vjp(f, x)[1](np.ones(()))[0]), slope)
    for i, unit in enumerate(np.eye(3)):
        assert number(jvp(f, (x,), (unit,))[1]) == slope[i]
        assert number(linearize(f, x)[1](unit)) == slope[i]
    np.testing.assert_array_equal(number(x), A, "the argument is as it was")


# --- adjointness on random programs ---------------------------------------------------------------

UNARY: list[Callable[[Any], Any]] = [gw.sin, gw.tanh, gw.softplus, lambda x: x * x, gw.sigmoid]
UNARY += [abs, gw.relu, lambda x: 1.0 / (2.0 + x * x), lambda x: gw.where(x > 0.1, x, x * x)]
BINARY: list[Callable[[Any, Any], Any]] = [
    lambda a, b: a + b,
    lambda a, b: a - b,
    lambda a, b: a * b,
    lambda a, b: a / (1.5 + b * b),
    gw.maximum,
    gw.hypot,
    lambda a, b: gw.atan2(a, b + 3.0),
]
steps = st.lists(
    st.tuples(st.integers(0, 15), st.integers(0, 99), st.integers(0, 99)), min_size=1, max_size=12
)


def program(code: Any) -> Callable[..., Any]:
    """A function of several numbers (or arrays) that returns its last three."""

    def run(*xs: Any) -> Any:
        nodes = list(xs)
        for op, i, j in code:
            a, b = nodes[i % len(nodes)], nodes[j % len(nodes)]
            nodes.append(UNARY[op](a) if op < len(UNARY) else BINARY[op - len(UNARY)](a, b))
        return nodes[-3:]

    return run


def inner(us: Any, vs: Any) -> float:
    return sum(float(np.sum(number(u) * number(v))) for u, v in zip(us, vs, strict=True))


@pytest.mark.parametrize("kind", ["floats", "arrays", "mixed"])
@given(code=steps, seed=st.integers(0, 10_000))
def test_forward_is_the_transpose_of_reverse(kind: str, code: Any, seed: int) -> None:
    """⟨u, J v⟩ = ⟨Jᵀ u, v⟩"""
    rng = np.random.default_rng(seed)

    def drawn(k: int) -> Any:
        array = kind == "arrays" or (kind == "mixed" and k == 1)
        return rng.normal(size=2) if array else float(rng.normal())

    f = program(code)
    xs, v = [drawn(k) for k in range(3)], [drawn(k) for k in range(3)]
    y, moved = jvp(f, xs, v)
    value, pullback = vjp(f, *xs)
    u = [rng.normal(size=np.shape(number(part))) for part in y]
    u = [float(part) if part.ndim == 0 else part for part in u]
    expected = inner(u, moved)
    assert inner(pullback(u), v) == pytest.approx(expected, rel=1e-10, abs=1e-10)
    linear = linearize(f, *xs)[1](*v)
    assert inner(u, linear) == pytest.approx(expected, rel=1e-12, abs=1e-12)
    for a, b in zip(y, value, strict=True):
        np.testing.assert_array_equal(number(a), number(b))


@given(code=steps, seed=st.integers(0, 10_000))
def test_gradients_are_those_of_differences(code: Any, seed: int) -> None:
    rng = np.random.default_rng(seed)
    f = program([(op % 5 if op < 9 else 9 + (op - 9) % 4, i, j) for op, i, j in code])  # smooth
    total = lambda *xs: sum(f(*xs), 0.0)  # noqa: E731
    xs = [float(x) for x in rng.normal(size=3)]
    found, h = grad(total, (0, 1, 2))(*xs), 1e-5
    for k, slope in enumerate(found):
        shifted = [[x + s * h * (i == k) for i, x in enumerate(xs)] for s in (1.0, -1.0)]
        difference = (total(*shifted[0]) - total(*shifted[1])) / (2.0 * h)
        assert slope == pytest.approx(difference, rel=1e-4, abs=1e-4)


# --- errors ---------------------------------------------------------------------------------------


class Wrong(NamedTuple):
    call: Callable[[], Any]
    error: type[Exception]
    says: str


square = lambda x: x * x  # noqa: E731
total_of = lambda x: (x * x).sum()  # noqa: E731
WRONG = {
    "array root": Wrong(lambda: grad(square)(A), errors.SizeError, r"one number.*\(3,\).*jacobian"),
    "array root of value_and_grad": Wrong(
        lambda: value_and_grad(square)(A), errors.SizeError, "^value_and_grad: the result.*vjp"
    ),
    "list root": Wrong(
        lambda: grad(lambda x: [x, x])(1.0), errors.SizeError, "a container of 2.*has_aux=True"
    ),
    "None": Wrong(lambda: grad(lambda x: None)(1.0), errors.NotANumberError, "got .*None"),
    "text": Wrong(lambda: grad(lambda x: "y")(1.0), errors.NotANumberError, "floating-point"),
    "bool": Wrong(lambda: grad(lambda x: x > 0.0)(1.0), errors.NotANumberError, "comparisons"),
    "int result": Wrong(lambda: grad(lambda x: 3)(1.0), errors.NotANumberError, "int 3"),
    "argmax": Wrong(lambda: grad(lambda x: x.argmax())(A), errors.NotANumberError, r"Tensor\(2\)"),
    "result of vjp": Wrong(
        lambda: vjp(lambda x: {"a": [1]}, 1.0), errors.NotANumberError, r"\['a'\]\[0\]"
    ),
    "no result of jvp": Wrong(
        lambda: jvp(lambda x: [], (1.0,), (1.0,)), errors.NotANumberError, "any container"
    ),
    "an int that is no float": Wrong(
        lambda: grad(square)(2**53 + 1), errors.NotANumberError, r"argument 0.*float\(x\)"
    ),
    "int64": Wrong(lambda: grad(square)(np.int64(2)), errors.NotANumberError, "int64"),
    "bool argument": Wrong(lambda: grad(square)(True), errors.NotANumberError, "bool True"),
    "int array": Wrong(
        lambda: grad(total_of)(np.arange(3)), errors.NotANumberError, r"int64.*astype\(float\)"
    ),
    "int Tensor": Wrong(lambda: jvp(square, (Tensor([1]),), (A,)), errors.NotANumberError, "int64"),
    "bool inside": Wrong(
        lambda: vjp(lambda x: x["a"][1], {"a": [1.0, True]}),
        errors.NotANumberError,
        r"\['a'\]\[1\]",
    ),
    "text argument": Wrong(lambda: grad(square)("2"), errors.OptionError, "argument 0.*str '2'"),
    "object argument": Wrong(lambda: grad(square)(1j), errors.NotANumberError, "complex 1j"),
    "empty argument": Wrong(lambda: grad(square)([]), errors.OptionError, "a container with some"),
    "argnums beyond": Wrong(lambda: grad(square, 1)(1.0), errors.OptionError, "from 0 to 0"),
    "argnums twice": Wrong(
        lambda: grad(product, (0, -3))(1.0, 1.0, 1.0), errors.OptionError, "dif"
    ),
    "argnums text": Wrong(lambda: grad(product, "x")(1.0, 1.0), errors.OptionError, "str 'x'"),
    "argnums bool": Wrong(lambda: grad(product, True)(1.0, 1.0), errors.OptionError, "bool True"),
    "argnums none": Wrong(lambda: grad(product, ())(1.0, 1.0), errors.OptionError, "a position"),
    "no arguments": Wrong(lambda: grad(lambda x=1.0: x)(x=1.0), errors.OptionError, "positional"),
    "no pair": Wrong(lambda: grad(square, has_aux=True)(1.0), errors.OptionError, "a pair"),
    "no function": Wrong(lambda: grad(square(1.0)), errors.OptionError, r"grad\(f\)\(x\)"),  # type: ignore[arg-type]
    "no function of jvp": Wrong(lambda: jvp(1.0, (1.0,), (1.0,)), errors.OptionError, "function"),  # type: ignore[arg-type]
    "tangent too many": Wrong(
        lambda: jvp(square, (1.0,), (1.0, 2.0)), errors.SizeError, r"tangents.*tuple"
    ),
    "tangent structure": Wrong(
        lambda: jvp(combine, ([1.0, 2.0],), ((1.0, 2.0),)), errors.SizeError, "list.*tuple"
    ),
    "tangent shape": Wrong(
        lambda: jvp(square, (A,), (A[:2],)), errors.SizeError, r"\(3,\).*\(2,\).*its primal"
    ),
    "tangent bool": Wrong(lambda: jvp(square, (1.0,), (True,)), errors.NotANumberError, "bool"),
    "cotangent shape": Wrong(lambda: vjp(square, A)[1](1.0), errors.SizeError, r"shape \(3,\)"),
    "cotangent structure": Wrong(
        lambda: vjp(lambda x: [x, x], 1.0)[1](1.0), errors.SizeError, "the structure of"
    ),
    "cotangent bool": Wrong(lambda: vjp(square, 1.0)[1](True), errors.NotANumberError, "bool"),
    "linear shape": Wrong(lambda: linearize(square, A)[1](A[:1]), errors.SizeError, r"\(1,\)"),
    "linear count": Wrong(lambda: linearize(square, A)[1](A, A), errors.SizeError, "structure"),
    "backward": Wrong(
        lambda: grad(grad(lambda x: x.backward()))(1.0), errors.OptionError, "return"
    ),
    "float()": Wrong(lambda: grad(lambda x: float(x))(1.0), errors.SilentDetachError, "x|v.data"),
    "math": Wrong(lambda: jvp(math.sin, (1.0,), (1.0,)), errors.SilentDetachError, "gradwalk"),
}


ON_INTS: dict[str, Callable[[Any], Any]] = {
    "grad": lambda x: grad(square)(x),
    "grad of a list": lambda x: grad(lambda p: p[0] * p[1])([x, 0.5]),
    "grad of two": lambda x: grad(lambda a, b: a * a * b, argnums=(0, 1))(x, x),
    "grad of grad": lambda x: grad(grad(lambda y: y * y * y))(x),
    "vjp": lambda x: vjp(square, x)[1](x),
    "jvp": lambda x: jvp(square, (x,), (x,)),
    "linearize": lambda x: gw.linearize(square, x)[1](x),
    "jacobian": lambda x: gw.jacobian(lambda p: [p[0] * p[1], p[1]])([x, x]),
    "hessian": lambda x: gw.hessian(square)(x),
    "hvp": lambda x: gw.hvp(square, x, x),
    "taylor": lambda x: gw.taylor(square, x, 3),
}


@pytest.mark.parametrize("name", ON_INTS)
@pytest.mark.parametrize("x", [3, -2, 0, 2**53])
def test_an_int_is_the_float_that_it_equals(name: str, x: int) -> None:
    found, expected = ON_INTS[name](x), ON_INTS[name](float(x))
    assert repr(found) == repr(expected)


@pytest.mark.parametrize("case", WRONG)
def test_what_is_refused_and_how(case: str) -> None:
    with pytest.raises(WRONG[case].error, match=WRONG[case].says):
        WRONG[case].call()


LEAKING: dict[str, Callable[[Any, Any], Any]] = {
    "grad": lambda f, x: grad(f)(x),
    "vjp": lambda f, x: vjp(f, x),
    "jvp": lambda f, x: jvp(f, (x,), (x,)),
    "linearize": lambda f, x: linearize(f, x),
    "grad of grad": lambda f, x: grad(lambda z: grad(f)(z).sum() if z is not x else f(z))(x),
}
USES: dict[str, Callable[[Any], Any]] = {
    "operator": lambda x: x + 1.0,
    "function": lambda x: gw.sin(x),
    "data": lambda x: x.data,
    "method": lambda x: x.tanh(),
}


@pytest.mark.parametrize("use", USES)
@pytest.mark.parametrize("kind", [2.0, A], ids=["number", "array"])
@pytest.mark.parametrize("name", ["grad", "vjp", "jvp", "linearize"])
@pytest.mark.parametrize("computed", [False, True])
def test_what_leaks_is_an_error_at_its_next_use(
    name: str, kind: Any, use: str, computed: bool
) -> None:
    kept: list[Any] = []

    def f(x: Any) -> Any:
        kept.append(x * 3.0 if computed else x)
        return (x * x).sum() if isinstance(x, Tensor) else x * x

    LEAKING[name](f, kind)
    with pytest.raises(errors.LeakedTraceError, match="transform"):
        USES[use](kept[0])


@pytest.mark.parametrize("transform", [grad, lambda f: lambda x: jvp(f, (x,), (x,)), gw.vmap])
def test_a_traced_array_is_not_walked_back_by_hand(transform: Any) -> None:
    f = lambda x: gw.gradients((x * x).sum(), x)  # noqa: E731
    with pytest.raises(errors.OptionError, match=r"gradients\(\) inside (jvp|vmap|grad).*grad d"):
        transform(lambda x: grad(lambda x: f(x))(x).sum())(np.ones((2, 2)))


def test_what_is_kept_as_a_number_is_of_use() -> None:
    kept: list[Any] = []
    grad(lambda x: kept.append(x.data) or x * x)(2.0)
    grad(lambda x: kept.append(x.detach()) or (x * x).sum())(A)
    assert kept[0] + 1.0 == 3.0
    np.testing.assert_array_equal((kept[1] + 1.0)._data, A + 1.0)


# --- seeds ----------------------------------------------------------------------------------------

SEEDED: dict[str, Callable[[Any], Any]] = {
    r"jvp\(tangents\)": lambda t: jvp(lambda x: x * x, (2.0,), (t,)),
    r"vjp: pullback\(cotangent\)": lambda t: vjp(lambda x: x * x, 2.0)[1](t),
    r"linearize: forward\(tangents\)": lambda t: linearize(lambda x: x * x, 2.0)[1](t),
    "hvp: the vector": lambda t: gw.hvp(lambda x: x * x, 2.0, t),
}
NO_SEEDS: list[tuple[Any, str]] = [
    (2**53 + 1, "int 9007199254740993"),
    (True, "bool True"),
    (np.int64(1), "int64"),
    (np.array(1), "dtype int64"),
    (np.array(1.0 + 1.0j), "dtype complex128"),
]


@pytest.mark.parametrize(("seed", "got"), NO_SEEDS)
@pytest.mark.parametrize("where", SEEDED)
def test_a_seed_that_is_not_floating_is_refused_as_a_seed(where: str, seed: Any, got: str) -> None:
    with pytest.raises(errors.NotANumberError, match=rf"^{where}: expected.*{got}") as caught:
        SEEDED[where](seed)
    assert "argnums" not in str(caught.value)
    assert "1.0 instead of 1" in str(caught.value)


# --- from gradwalk import * -----------------------------------------------------------------------


def test_a_star_brings_all_names_of_the_package() -> None:
    here: dict[str, Any] = {}
    exec("from gradwalk import *", here)
    for name in ("grad", "Tensor", "Value", "minimize", "save", "fit", "nn", "linalg", "zeros"):
        assert here[name] is getattr(gw, name)
    assert {*gw.transforms.__all__, *gw.functions.__all__} - set(dir(builtins)) <= set(here)
    assert set(gw.tensor.__all__) - set(dir(builtins)) <= set(here)
    assert not set(gw.__all__) & set(dir(builtins)), "import * hides nothing"
    assert len(set(gw.__all__)) == len(gw.__all__)
    assert set(gw.__all__) <= set(dir(gw))


def test_a_star_alone_loads_numpy(run_python: Callable[..., str]) -> None:
    program = """
import sys
import gradwalk
from gradwalk import Value, grad
print("numpy" in sys.modules)
from gradwalk import *
print("numpy" in sys.modules, Tensor([1.0]).shape, abs is __builtins__.abs)
"""
    assert run_python(program) == "False\nTrue (1,) True\n"


# --- found by trying what no table had ------------------------------------------------------------


def test_numbers_stacked_with_constants_give_numbers() -> None:
    """The constants in `stack` are no leaves, on which a result could depend outside."""
    assert gw.grad(lambda x: gw.softmax(gw.stack([x, 1.0]))[0])(2.0) == pytest.approx(
        math.exp(1.0) / (1.0 + math.exp(1.0)) ** 2
    )
    value, slope = gw.value_and_grad(lambda x: gw.sum(gw.stack([x, 1.0]) ** 2))(2.0)
    assert (type(value), type(slope), value, slope) == (float, float, 5.0, 4.0)


@pytest.mark.parametrize("transform", [gw.grad, lambda f: lambda x: gw.jvp(f, (x,), (x,)), gw.vmap])
def test_a_new_tensor_of_traced_numbers_is_refused(transform: Any) -> None:
    """It would be a constant, and the derivative silently zero."""
    x = np.ones((2, 2))
    with pytest.raises(gw.GradwalkError, match=r"asarray|stack"):
        transform(lambda x: gw.Tensor(x).sum())(x)
    with pytest.raises(gw.GradwalkError, match=r"asarray|stack"):
        transform(lambda x: gw.Tensor([x[0], x[0]]).sum())(x)


def test_derivatives_of_a_determinant_do_not_mind_equal_singular_values() -> None:
    """det(1 + t a) = 1 + t tr a + t² det a for matrices of two rows."""
    a = np.array([[1.0, 2.0], [3.0, 4.0]])

    def f(t: Any) -> Any:
        return gw.linalg.det(np.eye(2) + t * a)

    assert gw.taylor(f, 0.0, 4) == pytest.approx((1.0, 5.0, -2.0, 0.0, 0.0), abs=1e-12)
    for modes in itertools.product([gw.grad, forward], repeat=3):
        g = f
        for mode in modes:
            g = mode(g)
        assert g(0.0) == pytest.approx(0.0, abs=1e-12)


def forward(f: Any) -> Any:
    """The derivative of a function of one number, by forward mode."""
    return lambda x: gw.jvp(f, (x,), (1.0,))[1]


# --- classes of users -----------------------------------------------------------------------------


class Named:
    """Numbers, and a name that stays constant."""

    def __init__(self, a: Any, b: Any, name: str) -> None:
        self.a, self.b, self.name = a, b, name


class SubNamed(Named):
    """A subclass, which is a container by its base."""


gw.register_pytree(
    Named, lambda x: ((x.a, x.b), (type(x), x.name)), lambda meta, parts: meta[0](*parts, meta[1])
)


@pytest.mark.parametrize("cls", [Named, SubNamed])
def test_a_registered_class_is_a_container(cls: type[Named]) -> None:
    found = grad(lambda x: x.a * x.b[0])(cls(2.0, [3.0], "n"))
    assert type(found) is cls
    assert (found.a, found.b, found.name) == (3.0, [2.0], "n")
    with pytest.raises(errors.NotANumberError, match=r"^grad: argument 0\[1\]\[0\]: "):
        grad(lambda x: x.a)(cls(2.0, [True], "n"))


@pytest.mark.parametrize("wrong", [(1, len, len), (Named, None, len), (Named, len, "x")])
def test_only_classes_and_functions_are_registered(wrong: tuple[Any, ...]) -> None:
    with pytest.raises(
        errors.OptionError, match=r"^register_pytree\(.*\): expected a class of yours and two"
    ):
        gw.register_pytree(*wrong)


def test_a_class_may_be_registered_after_its_objects_were_leaves() -> None:
    class Late:
        def __init__(self, a: Any) -> None:
            self.a = a

    assert tree.flatten(Late(1.0))[1] is tree.LEAF
    gw.register_pytree(Late, lambda x: ([x.a], None), lambda _, parts: Late(*parts))
    assert tree.flatten(Late(1.0))[0] == [1.0]
