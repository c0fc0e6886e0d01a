"""Every function of numbers compiled: softmax and losses of lists, and numbers that are read.

Each is recorded at one point and runs at others, where another member is the largest. It has to be
recorded once, and gives what the function gives.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import gradwalk as gw
from gradwalk import Value, compile, grad, hessian, jvp, nn, taylor, value_and_grad, vjp, vmap
from gradwalk.core.pytree import flatten
from gradwalk.engine import functions
from gradwalk.ops import TABLE
from gradwalk.program.machine import executor

F = Callable[..., Any]

POINTS = [(0.3, 1.25, 0.5), (1.5, 0.25, 0.75), (0.45, 0.35, 0.9), (2.5, 2.25, 0.6)]


def _of_three(name: str) -> F:
    """A public function, of numbers in the domain of most."""
    f, arity = getattr(functions, name), TABLE[name].arity if name in TABLE else 1
    if name == "where":
        return lambda x, y, z: gw.where(x > y, x * z, y * y)
    if name == "polygamma":
        return lambda x, y, z: gw.polygamma(1, x * y) * z
    if name in ("acosh", "atanh", "asin", "acos"):
        scale = 5.0 if name == "acosh" else 0.3
        return lambda x, y, z: f(scale * x + 0.01 * y) * z
    return lambda x, y, z: f(*(x * y + 0.1, y, z)[:arity]) * (z + x)


LISTS = ("softmax", "log_softmax", "logsumexp")
PUBLIC: dict[str, F] = {name: _of_three(name) for name in functions.__all__ if name not in LISTS}

OF_LISTS: dict[str, F] = {
    "logsumexp": lambda x, y, z: gw.logsumexp([x, y * z, 0.5, x * x]),
    "logsumexp of one": lambda x, y, z: gw.logsumexp([x * y]) * z,
    "logsumexp of ties": lambda x, y, z: gw.logsumexp([x, x, y, y, z]),
    "softmax": lambda x, y, z: (lambda p: p[0] * x + p[1] * 2.0 + p[2] * y)(gw.softmax([x, y, z])),
    "softmax of five": lambda x, y, z: gw.softmax([x, y, z, 0.7, x * y])[4] * z,
    "softmax of one": lambda x, y, z: gw.softmax([x])[0] * y + z,
    "log_softmax": lambda x, y, z: sum(gw.log_softmax([x, y, 0.0, z * z])) * x,
    "mse": lambda x, y, z: nn.mse([x, y], [z, 1.0]),
    "mae": lambda x, y, z: nn.mae([x, y], [z, 1.0]),
    "huber": lambda x, y, z: nn.huber([3.0 * x, y], [z, 1.0], delta=0.25 * z),
    "smooth_l1": lambda x, y, z: nn.smooth_l1([3.0 * x, y], [z, 1.0]),
    "hinge": lambda x, y, z: nn.hinge([x, y, -z], [1, -1, 1], margin=y),
    "binary_cross_entropy": lambda x, y, z: nn.binary_cross_entropy([z, x / 4.0], [1, y / 4.0]),
    "logits": lambda x, y, z: nn.binary_cross_entropy_with_logits([x, y], [1, z]),
    "kl_div": lambda x, y, z: nn.kl_div([x, y], [z, 0.5]),
    "kl_div, log_target": lambda x, y, z: nn.kl_div([x, y], [z, y], log_target=True),
    "nll": lambda x, y, z: nn.nll([[x, y], [z, x * y]], [0, 1]),
    "cross_entropy": lambda x, y, z: nn.cross_entropy([[x, y, 0.5], [z, x * y, 1.0]], [0, 2]),
    "probabilities": lambda x, y, z: nn.cross_entropy([[x, y, 1.0]], [[z, 1.0 - z, 0.0]]),
    "attention": lambda x, y, z: gw.logsumexp([*gw.softmax([x, y]), gw.logsumexp([y, z])]),
}

W = Value(0.8)


def data(x: Any) -> Any:
    """A transform leaves numbers of which it takes no derivative as they are."""
    return x.data if hasattr(x, "data") else x


def detached(x: Any) -> Any:
    return x.detach() if hasattr(x, "detach") else x


READ: dict[str, F] = {
    "shifted": lambda x, y, z: gw.log(gw.exp(x - data(x)) + gw.exp(y - data(x))) + data(x) * z,
    "scaled": lambda x, y, z: x * data(y) + 2.0 / data(y) * data(z) ** 2 + data(-x) - data(abs(y)),
    "maximum": lambda x, y, z: x - gw.maximum(data(x), data(y)) * z,
    "detached": lambda x, y, z: (x - detached(x)) ** 2 * y + gw.tanh(detached(x)) * z,
    "of a result": lambda x, y, z: (lambda p: p * data(p))(gw.sin(x * y)) + z,
    "through a choice": lambda x, y, z: gw.where(data(x) > data(y), x, y) * z,
    "of another": lambda x, y, z: W * x + data(W) * y + z * data(W * 2.0),
    "derivative of one": lambda x, y, z: grad(lambda a: a * a * y)(data(x)) * x + z,
    "remainders": lambda x, y, z: data(x) % 0.4 * y + data(y) // 0.3 * z,
}

WAYS: dict[str, Callable[[F], F]] = {
    "itself": lambda f: f,
    "value_and_grad": lambda f: value_and_grad(f, (0, 1, 2)),
    "vjp": lambda f: lambda *x: vjp(f, *x)[1](2.0),
    "jvp": lambda f: lambda *x: jvp(f, x, (1.0, -0.5, 2.0)),
    "hessian": lambda f: hessian(f, (0, 1, 2)),
    "grad of jvp": lambda f: grad(lambda x, y, z: jvp(f, (x, y, z), (y, 1.0, x))[1]),
    "third": lambda f: grad(grad(grad(f))),
}


def flat(x: Any) -> list[float]:
    return [float(n) for leaf in flatten(x)[0] for n in np.ravel(getattr(leaf, "data", leaf))]


def recorded(f: F) -> tuple[F, list[int]]:
    """Return a compiled function, and a list that grows whenever it is recorded."""
    runs: list[int] = []

    def counted(*args: Any) -> Any:
        runs.append(1)
        return f(*args)

    return compile(counted), runs


def assert_compiled(plain: F, versions: int = 1, exact: bool = False) -> None:
    compiled, runs = recorded(plain)
    for point in POINTS:
        expected, found = flat(plain(*point)), flat(compiled(*point))
        # a choice adds up contributions in another order
        np.testing.assert_allclose(found, expected, rtol=0.0 if exact else 1e-12, atol=1e-13)
    assert len(runs) == versions, "recorded anew"


@pytest.mark.parametrize("engine", ["machine", "Python"])
@pytest.mark.parametrize("name", [*PUBLIC, *OF_LISTS])
def test_functions_of_numbers(name: str, engine: str, monkeypatch: pytest.MonkeyPatch) -> None:
    if engine == "Python":
        monkeypatch.setattr(executor.native, "engine", None)
    f = (PUBLIC | OF_LISTS)[name]
    for way in WAYS:
        assert_compiled(WAYS[way](f), exact=way in ("itself", "value_and_grad") and name in PUBLIC)
    assert_compiled(f, exact=True)


@pytest.mark.parametrize("name", [*PUBLIC, *OF_LISTS])
def test_derivatives_of_a_compiled_function(name: str) -> None:
    f = (PUBLIC | OF_LISTS)[name]
    for way in ("value_and_grad", "jvp", "hessian"):
        derived = WAYS[way](compile(f))
        for point in POINTS[:2]:
            np.testing.assert_allclose(flat(derived(*point)), flat(WAYS[way](f)(*point)), 1e-13)


@pytest.mark.parametrize("name", READ)
def test_numbers_that_are_read(name: str) -> None:
    """They are numbers of the program, through which no derivative passes."""
    for way in WAYS.keys() - {"itself"}:
        plain = WAYS[way](READ[name])
        W.data = 0.8
        compiled, runs = recorded(plain)
        for k, point in enumerate(POINTS):
            W.data = 0.8 + 0.1 * k
            np.testing.assert_allclose(flat(compiled(*point)), flat(plain(*point)), 1e-12, 1e-13)
        assert len(runs) == 1


def test_a_number_that_is_read_may_be_a_result() -> None:
    compiled, runs = recorded(grad(lambda x: (x * x, x.data), has_aux=True))
    assert [compiled(x) for x in (1.0, 2.0)] == [(2.0, 1.0), (4.0, 2.0)]
    assert len(runs) == 1


NEEDED: dict[str, F] = {
    "int": lambda x: x * int(x.data),
    "float": lambda x: x * math.exp(x.data),
    "round": lambda x: x * round(x.data, 1) + round(x.data),
    "floor": lambda x: x * math.floor(x.data) + math.ceil(x.data),
    "text": lambda x: x * len(f"{x.data:.3f}") + len(str(x.data)),
    "hash": lambda x: x * {1.5: 2.0}.get(x.data, 3.0),
    "Value": lambda x: x * Value(x.data),
    "array": lambda x: x * np.array([1.0, 2.0])[int(x.data > 1.0)],
    "divmod": lambda x: x * divmod(x.data, 0.7)[1],
    "is_integer": lambda x: x * x.data.is_integer(),
    "range": lambda x: sum([x * k for k in range(int(x.data))], x),
}


@pytest.mark.parametrize("name", NEEDED)
def test_a_number_that_python_needs_is_a_guard(name: str) -> None:
    plain = value_and_grad(NEEDED[name])
    compiled = compile(plain, max_versions=20)
    for point in (1.5, 0.25, 3.0, 1.5, 3.0):
        assert flat(compiled(point)) == flat(plain(point))


RAISING: dict[str, tuple[F, float, type[Exception]]] = {
    "division": (lambda x: x * (1.0 / x.data), 0.0, ZeroDivisionError),
    "remainder": (lambda x: x * (1.0 % x.data), 0.0, ZeroDivisionError),
    "power": (lambda x: x * x.data**-1, 0.0, ZeroDivisionError),
    "overflow": (lambda x: x * x.data**2, 1e200, OverflowError),
}


@pytest.mark.parametrize("name", RAISING)
def test_numbers_that_are_read_raise_the_errors_of_python(name: str) -> None:
    f, at, error = RAISING[name]
    plain, compiled = grad(f), compile(grad(f))
    assert compiled(2.0) == plain(2.0)
    for function in (plain, compiled):
        with pytest.raises(error):
            function(at)
    assert compiled(3.0) == plain(3.0)


def test_a_number_that_is_read_is_written_to_a_value_of_the_function() -> None:
    def inside(x: Any) -> Any:
        v = Value(0.0)
        v.data = x.data * 2.0
        return v * x

    assert [compile(grad(inside))(x) for x in (1.0, 3.0)] == [2.0, 6.0]


@pytest.mark.parametrize("name", [n for n in OF_LISTS if n not in ("huber", "hinge")])
def test_lists_of_elements_of_arrays(name: str) -> None:
    """Of elements, and of numbers in a batch, too: no member is asked whether it is the largest.

    The bounds of the two that are left out are numbers.
    """
    f = OF_LISTS[name]
    of_elements = value_and_grad(lambda p: f(p[0], p[1], p[2]))
    compiled, runs = recorded(of_elements)
    for point in POINTS:
        expected = value_and_grad(f, (0, 1, 2))(*point)
        np.testing.assert_allclose(flat(compiled(np.array(point))), flat(expected), 1e-12, 1e-13)
    assert len(runs) == 1
    columns = [np.array(column) for column in zip(*POINTS, strict=True)]
    for way in (lambda f: f, lambda f: grad(f, (0, 1, 2)), lambda f: hessian(f, (0, 1))):
        batched = [flat(leaf) for leaf in flatten(vmap(way(f))(*columns))[0]]
        each = [flat(way(f)(*point)) for point in POINTS]
        np.testing.assert_allclose(np.transpose(batched), each, 1e-12, 1e-13)


@pytest.mark.parametrize("name", OF_LISTS)
def test_series_of_lists(name: str) -> None:
    f = OF_LISTS[name]
    compiled, runs = recorded(lambda x, y, z: taylor(lambda t: f(x + t, y - t, z), 0.0, order=3))
    for x, y, z in POINTS:
        expected = taylor(lambda t, x=x, y=y, z=z: f(x + t, y - t, z), 0.0, order=3)
        np.testing.assert_allclose(flat(compiled(x, y, z)), flat(expected), 1e-12, 1e-13)
    assert len(runs) == 1
