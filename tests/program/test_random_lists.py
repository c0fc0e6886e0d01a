"""Drawn programs with softmax and reductions of lists of numbers, compiled, in every transform.

What is compiled around a transform, and what is transformed around a compiled function, is compared
with the transform alone, and its slopes with finite differences; at several points, where other
members of the lists are the largest.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import reduce
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import gradwalk as gw
from gradwalk import compile, grad, hessian, hvp, jacobian, jvp, nn, taylor, value_and_grad, vjp
from gradwalk.core.pytree import flatten

from ..helpers.amount import examples

F = Callable[..., Any]

OF_LISTS: dict[str, Callable[[list[Any]], Any]] = {
    "logsumexp": gw.logsumexp,
    "softmax": lambda xs: gw.softmax(xs)[0],
    "last of softmax": lambda xs: gw.softmax(xs)[-1] * xs[0],
    "log_softmax": lambda xs: gw.log_softmax(xs)[len(xs) // 2],
    "entropy": lambda xs: -sum(map(_product, gw.softmax(xs), gw.log_softmax(xs))),
    "attention": lambda xs: sum(map(_product, gw.softmax([3.0 * x for x in xs]), xs)),
    "cross_entropy": lambda xs: nn.cross_entropy([xs, xs[::-1]], [0, len(xs) - 1]),
    "probabilities": lambda xs: nn.cross_entropy([xs], [gw.softmax(xs[::-1])]),
    "nll": lambda xs: nn.nll([gw.log_softmax(xs)], [len(xs) - 1]),
    "mse": lambda xs: nn.mse(xs, xs[1:] + xs[:1]),
    "huber": lambda xs: nn.huber(xs, [0.25] * len(xs)),
    "kl_div": lambda xs: nn.kl_div(gw.log_softmax(xs), gw.softmax(xs[::-1])),
    "sum": sum,
    "mean": lambda xs: sum(xs) / len(xs),
    "product": lambda xs: reduce(_product, [gw.tanh(x) for x in xs]),
    "norm": lambda xs: gw.sqrt(sum(x * x for x in xs) + 0.01),
    "largest": lambda xs: reduce(gw.maximum, xs),
    "smallest": lambda xs: reduce(gw.minimum, xs),
    "max": max,
    "min": min,
    "median": lambda xs: sorted(xs)[len(xs) // 2],
    "variance": lambda xs: sum((x - sum(xs) / len(xs)) ** 2 for x in xs),
}
ASKING = {"max", "min", "median"}
OF_NUMBERS: dict[str, F] = {
    "add": lambda a, b: a + b,
    "mul": lambda a, b: a * b,
    "sin": lambda a, b: gw.sin(a) - 0.5 * b,
    "tanh": lambda a, b: gw.tanh(a * b),
    "where": lambda a, b: gw.where(a > b, a * 0.5, b),
    "div": lambda a, b: a / (1.0 + b * b),
    "shift": lambda a, b: a - (b.data if hasattr(b, "data") else b),
}
CONSTANTS = [0.0, 1.0, -0.5, 2.5, 30.0, -700.0]
POINT = st.tuples(*[st.sampled_from([k / 8.0 + 0.01 for k in range(-16, 17)])] * 3)


def _product(a: Any, b: Any) -> Any:
    return a * b


@st.composite
def programs(draw: Any, asking: bool = True, reading: bool = True) -> F:
    """A function of three numbers; its docstring says which."""
    lists = [name for name in OF_LISTS if asking or name not in ASKING]
    pairs = [name for name in OF_NUMBERS if reading or name != "shift"]
    steps: list[tuple[str, list[int | float]]] = []
    for known in range(3, 3 + draw(st.integers(1, 5))):
        place = st.integers(max(0, known - 5), known - 1)
        if draw(st.integers(0, 2)):
            members = draw(st.lists(place, min_size=1, max_size=5))
            numbers = draw(st.lists(st.sampled_from(CONSTANTS), max_size=1))
            steps.append((draw(st.sampled_from(lists)), [*members, *numbers]))
        else:
            steps.append((draw(st.sampled_from(pairs)), [draw(place), draw(place)]))

    def f(x: Any, y: Any, z: Any) -> Any:
        known = [x, y, z]
        for name, places in steps:
            args = [known[i] if type(i) is int else i for i in places]
            y = OF_LISTS[name](args) if name in OF_LISTS else OF_NUMBERS[name](*args)
            known.append(y)
        return sum(known[-2:], x * 0.5)

    f.__doc__ = repr(steps)
    return f


def of_rows(f: F) -> F:
    """Several results."""
    return lambda x, y, z: [f(x, y, z), f(y, z, x) * x]


WAYS: dict[str, Callable[[F], F]] = {
    "itself": lambda f: f,
    "grad": lambda f: grad(f, (0, 1, 2)),
    "value_and_grad": lambda f: value_and_grad(f, (0, 1, 2)),
    "jvp": lambda f: lambda *x: jvp(f, x, (1.0, -0.5, 2.0)),
    "vjp": lambda f: lambda *x: vjp(f, *x)[1](2.0),
    "hessian": lambda f: hessian(f, (0, 1, 2)),
    "hvp": lambda f: lambda x, y, z: hvp(lambda p: f(p[0], p[1], z), [x, y], [1.0, -0.5]),
    "jacobian": lambda f: jacobian(of_rows(f), (0, 1, 2)),
    "vmap": lambda f: lambda x, y, z: gw.vmap(f)(*_columns(x, y, z)),
    "vmap of grad": lambda f: lambda x, y, z: gw.vmap(grad(f, (0, 1)))(*_columns(x, y, z)),
    "taylor": lambda f: lambda x, y, z: taylor(lambda t: f(x + t, y - t, z), 0.0, order=3),
    "checkpoint": lambda f: value_and_grad(gw.checkpoint(f), (0, 1, 2)),
    "grad of jvp": lambda f: grad(lambda x, y, z: jvp(f, (x, y, z), (y, 1.0, x))[1]),
}


def _columns(*xs: float) -> list[Any]:
    return [gw.stack([x, -x, x + 0.3]) for x in xs]


def flat(x: Any) -> list[float]:
    return [float(n) for leaf in flatten(x)[0] for n in np.ravel(getattr(leaf, "data", leaf))]


def assert_same(found: Any, expected: Any, where: object) -> None:
    numbers, wanted = flat(found), flat(expected)
    assert np.allclose(numbers, wanted, rtol=1e-9, atol=1e-9, equal_nan=True), (
        where,
        numbers,
        wanted,
    )


def quietly(f: F, *args: Any) -> Any:
    with np.errstate(all="ignore"):
        return f(*args)


@pytest.mark.parametrize("way", WAYS)
@examples(200, 8)
@given(data=st.data(), points=st.lists(POINT, min_size=2, max_size=4))
def test_random_lists(way: str, data: Any, points: list[tuple[float, float, float]]) -> None:
    batched = way.startswith("vmap")
    f = data.draw(programs(asking=not batched, reading=not batched))
    derive = WAYS[way]
    plain, around, within = derive(f), compile(derive(f), max_versions=99), derive(compile(f))
    for point in [*points, points[0]]:
        expected = quietly(plain, *point)
        for name, function in (("compile around", around), ("compile within", within)):
            assert_same(quietly(function, *point), expected, (name, f.__doc__, point))


@examples(200, 8)
@given(programs(reading=False), POINT)
def test_slopes_of_random_lists(f: F, point: tuple[float, float, float]) -> None:
    """Against differences, where a step to either side shows the same slope: no kink is near."""
    value, slopes = compile(value_and_grad(f, (0, 1, 2)), max_versions=99)(*point)
    assert value == f(*point)
    for i, slope in enumerate(slopes):
        found = [_difference(f, point, i, h) for h in (1e-5, -1e-5, 2e-5)]
        scale = 1.0 + max(map(abs, found)) + 1e-3 * abs(value)
        assume(max(found) - min(found) < 1e-3 * scale)
        central = (_at(f, point, i, 1e-5) - _at(f, point, i, -1e-5)) / 2e-5
        assert math.isclose(slope, central, rel_tol=1e-5, abs_tol=1e-5 * scale), f.__doc__


def _at(f: F, point: tuple[float, ...], i: int, h: float) -> Any:
    return f(*[x + h if k == i else x for k, x in enumerate(point)])


def _difference(f: F, point: tuple[float, ...], i: int, h: float) -> float:
    return float((_at(f, point, i, h) - f(*point)) / h)
