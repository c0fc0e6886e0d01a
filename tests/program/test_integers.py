"""Arguments that are ints, static arguments, and more versions than there may be."""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import gradwalk as gw
from gradwalk import Tensor, compile, grad, hessian, jvp, scan, value_and_grad, while_loop
from gradwalk.core.pytree import flatten
from gradwalk.errors import ManyVersionsWarning, OptionError

F = Callable[..., Any]
XS = [1.5, -0.5, 2.0, 0.25, 3.0]
A = np.arange(12.0) / 7.0


def flat(x: Any) -> list[float]:
    return [float(n) for leaf in flatten(x)[0] for n in np.ravel(getattr(leaf, "data", leaf))]


def recorded(f: F, **options: Any) -> tuple[F, list[int]]:
    runs: list[int] = []

    def counted(x: Any, n: Any) -> Any:
        runs.append(1)
        return f(x, n)

    return compile(counted, **options), runs


def power(x: Any, n: Any) -> Any:
    y = x * 0.0 + 1.0
    for _ in range(n):
        y = y * x
    return y


OF_A_NUMBER: dict[str, F] = {
    "range": power,
    "place": lambda x, n: x * XS[n] + XS[-n],
    "computed place": lambda x, n: x * XS[(2 * n + 1) % 5] + XS[n // 2] + XS[abs(-n)],
    "slice": lambda x, n: sum([x * y for y in XS[:n]], x),
    "length": lambda x, n: sum([x] * n),
    "bits": lambda x, n: x * (n << 1) + (n & 1) + (~n) + (n ^ 3) + (1 | n),
    "text": lambda x, n: x * len(f"{n}") + len(str(n)) + {"1": 2.0}.get(repr(n), 5.0),
    "math": lambda x, n: x * math.factorial(n) + math.sqrt(n),
    "scan": lambda x, n: scan(lambda c, _: (gw.sin(c) * x, None), x, None, n)[0],
    "round": lambda x, n: x * round(1.23456, n),
}
OF_AN_ARRAY: dict[str, F] = {
    "element": lambda x, n: x[n] * 2.0 + x[-n],
    "slice": lambda x, n: gw.sum(x[:n] * n) + gw.sum(x[n : 2 * n : n]),
    "reshape": lambda x, n: gw.sum(gw.reshape(x, (n, -1)) ** 2, axis=0),
    "method": lambda x, n: gw.sum(gw.asarray(x).reshape(n, -1), axis=1) * n,
    "axis": lambda x, n: gw.sum(gw.reshape(x, (1, 2, 3, 2)) ** 2, axis=n % 4),
    "zeros": lambda x, n: gw.sum(gw.zeros(n) + x[0]) + gw.sum(gw.eye(n)[0] * x[:n]),
    "split": lambda x, n: gw.stack(gw.split(x, n))[0] * n,
    "roll": lambda x, n: gw.roll(x, n) * x,
    "repeat": lambda x, n: gw.sum(gw.tile(x, n) ** 2),
    "topk": lambda x, n: gw.sum(gw.topk(x, n)[0]),
    "arange": lambda x, n: gw.sum(gw.arange(n) * x[:n]) + gw.sum(gw.linspace(0, n, 3)),
    "full": lambda x, n: gw.full((n, 2), 0.5) * x[:2],
    "var": lambda x, n: gw.var(x, correction=n),
    "take": lambda x, n: gw.take(x, n) + gw.take(x, [n, 0]),
    "array of NumPy": lambda x, n: x[:2] * np.array([n, 1.0]) + np.ones(4)[n],
    "class": lambda x, n: gw.nn.cross_entropy(gw.reshape(x, (1, -1)), np.array([n])),
    "list of places": lambda x, n: gw.sum(x[[n, 0, n + 1]]),
}


@pytest.mark.parametrize("name", OF_A_NUMBER)
@pytest.mark.parametrize("derive", [lambda f: f, value_and_grad, hessian])
def test_an_int_that_is_used_as_one_is_a_guard(name: str, derive: Any) -> None:
    plain = derive(OF_A_NUMBER[name])
    compiled, runs = recorded(plain)
    for n in (1, 3, 1, 3, 2):
        for x in (0.75, 1.25):
            assert flat(compiled(x, n)) == pytest.approx(flat(plain(x, n)), rel=1e-14)
    assert len(runs) == 3


@pytest.mark.parametrize("name", OF_AN_ARRAY)
def test_an_int_among_arrays(name: str) -> None:
    f = OF_AN_ARRAY[name]
    total = lambda x, n: gw.sum(gw.asarray(f(x, n)) ** 2)  # noqa: E731
    for plain in (f, value_and_grad(total), lambda x, n: jvp(lambda x: f(x, n), (x,), (x,))):
        compiled, runs = recorded(plain)
        for n in (1, 3, 1, 3, 2):
            for x in (A, A * 2.0 - 1.0):
                np.testing.assert_allclose(flat(compiled(x, n)), flat(plain(x, n)), 1e-13)
        assert len(runs) == 3
    compiled, runs = recorded(f)
    for n in (1, 2, 1):
        np.testing.assert_allclose(flat(compiled(Tensor(A), n)), flat(f(Tensor(A), n)), 1e-13)


def test_an_int_that_is_a_number_is_none() -> None:
    """It is an input, as 2.0 is; and other arguments of the same program may be ints."""
    for plain in (
        lambda x, n: x * n + n * 2 + n / 4 - gw.exp(-n) * n**2,
        lambda x, n: x**n + (x * x) ** -n,
        lambda x, n: gw.where(n > 2, x * n, x / n),
        lambda x, n: while_loop(lambda c: c - 5.0 * n < 0.0, lambda c: c * 2.0, x + n),
    ):
        for derive in (lambda f: f, value_and_grad, lambda f: grad(f, (0, 1))):
            compiled, runs = recorded(derive(plain))
            for n in (1, 3, 5, 2):
                expected = flat(derive(plain)(0.5, float(n)))
                assert flat(compiled(0.5, n)) == pytest.approx(expected, rel=1e-14)
            assert len(runs) == 1


def test_an_int_and_a_float_of_one_value_are_different() -> None:
    compiled = compile(lambda x, n: x * len(str(n)))
    assert [compiled(2.0, n) for n in (3, 3.0, 3, 3.5)] == [2.0, 6.0, 2.0, 6.0]
    compiled = compile(power)
    assert compiled(2.0, 3) == 8.0
    with pytest.raises(TypeError):
        compiled(2.0, 3.0)


# --- static arguments -----------------------------------------------------------------------------


def product(a: Any, x: Any, n: Any = 2) -> Any:
    return power(x, n) * len(a)


CALLS: list[tuple[Any, tuple[Any, ...], dict[str, Any]]] = [
    (2, ([1, 2], 3.0, 3), {}),
    (-1, ([1, 2], 3.0, 3), {}),
    ((0, -1), ("text", 3.0, 3), {}),
    ((0, 2), ("text", 3.0), {"n": 4}),
    (-1, ([1.0],), {"x": 3.0, "n": 1}),
    ((0, 2), (), {"a": "text", "x": 3.0, "n": 4}),
    (2, ("text", 3.0), {}),
    ([0, 2], ("text", 3.0, 0), {}),
    (np.int64(2), ("text", 3.0, 1), {}),
]


@pytest.mark.parametrize("case", range(len(CALLS)))
def test_static_arguments_by_position_and_by_name(case: int) -> None:
    static, args, named = CALLS[case]
    seen = []

    def f(a: Any, x: Any, n: Any = 2) -> Any:
        seen.append(type(n))
        return product(a, x, n)

    compiled = compile(f, static_argnums=static)
    for _ in range(3):
        assert flat(compiled(*args, **named)) == flat(product(*args, **named))
    assert seen == [int], "recorded once, with the int itself"
    derived = compile(value_and_grad(product, 1), static_argnums=static)
    if "x" not in named:
        expected = flat(value_and_grad(product, 1)(*args, **named))
        assert flat(derived(*args, **named)) == expected
        assert flat(value_and_grad(compile(product, static_argnums=static), 1)(*args, **named)) == (
            expected
        )


def test_another_static_argument_is_another_version() -> None:
    compiled, runs = recorded(power, static_argnums=-1)
    assert [compiled(2.0, n) for n in (3, 4, 3)] == [8.0, 16.0, 8.0]
    assert [compiled(2.0, n=n) for n in (3, 4, 3)] == [8.0, 16.0, 8.0]
    assert len(runs) == 4


def test_static_arguments_of_methods_and_of_any_number() -> None:
    class Curve:
        @compile(static_argnums=(0, -1))
        def at(self, x: Any, n: Any) -> Any:
            return power(x, n)

    assert [Curve().at(2.0, n) for n in (3, 5)] == [8.0, 32.0]
    assert Curve().at(2.0, n=3) == 8.0
    last = compile(lambda *xs: power(xs[0] + xs[-2], xs[-1]), static_argnums=-1)
    assert [last(1.0, 2), last(1.0, 2.0, 2)] == [4.0, 9.0]


@pytest.mark.parametrize("static", [3, -4, (0, 7), "n", 1.5, None, [[0]], True])
def test_static_arguments_that_there_are_not(static: Any) -> None:
    with pytest.raises(OptionError, match=r"static_argnums.*Count from 0"):
        compile(product, static_argnums=static)


# --- more versions than there may be --------------------------------------------------------------


@pytest.mark.parametrize("derive", [lambda f: f, value_and_grad])
def test_after_the_last_version_the_function_runs_as_it_is_written(derive: Any) -> None:
    for f in (power, lambda x, n: gw.asarray(x) * np.ones(3)[:n].sum()):
        plain = derive(f)
        compiled, runs = recorded(plain, max_versions=3)
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            for n in (1, 2, 3, 1):
                compiled(1.5, n)
        with pytest.warns(ManyVersionsWarning, match=r"max_versions=3\), .*test_integers") as found:
            assert flat(compiled(1.5, 4)) == flat(plain(1.5, 4))
        assert [w.filename for w in found] == [__file__]
        for n in (4, 5, 2, 1):
            assert flat(compiled(1.5, n)) == flat(plain(1.5, n))
        assert len(runs) == 3 + 3


def test_the_listing_of_one_version_too_many_is_refused() -> None:
    compiled = compile(power, max_versions=1)
    compiled(2.0, 1)
    assert "operations" in compiled.listing(2.0, 1)
    with pytest.warns(ManyVersionsWarning), pytest.raises(OptionError, match="max_versions"):
        compiled.program(2.0, 2)
