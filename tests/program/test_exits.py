"""Each way in which numbers leave a tracer of `compile` is a guard, an instruction or an error.

A compiled function is called with changing arguments, and must never give an answer that belongs to
earlier ones.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import gradwalk as gw
from gradwalk import Tensor, Value
from gradwalk.errors import GradwalkError, SilentDetachError

from ..helpers.amount import examples

Function = Callable[[Any], Any]
SEEN: dict[float, float] = {}


def remembered(x: Any) -> Any:
    key = float(x[0, 0])
    return x * SEEN.setdefault(key, 3.0 * key)


def filled(x: Any) -> Any:
    z = np.zeros(x.shape)
    for i, j in np.ndindex(2, 3):
        z[i, j] = float(x[i, j])
    return z * x


ARRAYS: dict[str, Function] = {
    "item": lambda x: x * x[0, 0].item(),
    "float": lambda x: x * float(x[0, 0]),
    "int": lambda x: x * int(x[0, 2] * 2.0),
    "bool": lambda x: x if bool(x[0, 0] > 0.0) else -x,
    "truth": lambda x: x if x[0, 0] else x * 2.0,
    "chained": lambda x: x if 0.0 < x[0, 0] < 1.0 else x * 2.0,
    "asarray": lambda x: x * np.asarray(x),
    "tolist": lambda x: x * x.tolist()[0][0],
    "length": lambda x: x * len(gw.nonzero(x > 0.0)[0]),
    "index": lambda x: x[int(gw.argmax(x[:, 0]))] * 2.0,
    "array index": lambda x: x[gw.argmax(x, axis=0)] * 1.0,
    "operator": lambda x: x[0][operator.index(gw.argmax(x[0]))] * x,
    "slice": lambda x: gw.sum(x[0][: int(gw.argmax(x[0])) + 1]) * x,
    "argmax": lambda x: gw.sum(x) * gw.argmax(x),
    "argsort": lambda x: x[0][gw.argsort(x[0])] * np.arange(3.0),
    "sorted": lambda x: gw.stack(sorted([x[0, 0], x[0, 1], x[0, 2]])) * np.arange(3.0),
    "keyed": lambda x: gw.stack(sorted(x[0], key=float)) * np.arange(3.0),
    "min and max": lambda x: min(x[0, 0], x[0, 1]) * x - max(x[1]),
    "round": lambda x: x * gw.round(x * 3.0) + round(float(x[0, 0]), 1),
    "sign": lambda x: x * gw.sign(x) + gw.floor(x * 3.0),
    "whole": lambda x: x * math.floor(x[0, 0]) + math.ceil(x[0, 1]) + math.trunc(x[0, 2]),
    "dictionary": lambda x: {k: x * k for k in range(-60, 60)}[int(gw.sum(x))],
    "set": lambda x: x * len({float(v) for v in np.round(np.asarray(x)).ravel()}),
    "format": lambda x: x * float(f"{x[0, 0]:.2f}") + float(format(x[0, 1], ".1f")),
    "range": lambda x: sum([x * k for k in range(int(gw.sum(x > 0.0)))], x),
    "remembered": remembered,
    "filled": filled,
    "equal": lambda x: x * (2.0 if x[0, 0] == 0.25 else 3.0),
    "alike": lambda x: x * (2.0 if np.allclose(x, x[::-1]) else 3.0),
    "mask": lambda x: gw.sum(x[x > 0.0]) + gw.sum(x[np.asarray(x) > 0.5]),
    "places": lambda x: x * len(np.argwhere(x > 0.0)) + np.count_nonzero(x > 0.5),
    "search": lambda x: x * np.searchsorted(np.array([-1.0, 0.0, 1.0]), x[0, 0]),
    "cast": lambda x: x * gw.astype(x * 3.0, int),
    "power": lambda x: x ** int(gw.sum(x > 0.0)),
    "roll": lambda x: np.roll(x, int(gw.argmax(x[0])), axis=1) * 1.0,
    "repeat": lambda x: np.repeat(x[0], int(gw.sum(x > 0.0))) * 1.0,
    "made": lambda x: gw.sum(gw.ones((int(gw.sum(x > 0.0)),))) * x,
    "spaced": lambda x: gw.sum(gw.linspace(float(x[0, 0]), 1.0, 4)) * x,
    "clip": lambda x: np.clip(x, -1.0, float(x[0, 0]) + 1.0),
    "stopped": lambda x: gw.stop_gradient(x) * x,
    "divided": lambda x: x * (x // 0.25) + x % 0.25,
    "text": lambda x: x * len(str(x)),
    "repr": lambda x: x * len(repr(x)),
    "text of a number": lambda x: x * str(x[0, 0]).count("5"),
    "formatted": lambda x: x * len(f"{x}") + len("%s" % x[0]),  # noqa: UP031
    "digits": lambda x: x * f"{gw.sum(x):.3f}".count("0") + len(f"{x[0, 0]:.1e}"),
    "text of a mask": lambda x: x * str(x > 0.5).count("True"),
    "text inside": lambda x: gw.grad(lambda y: gw.sum(y * y) * ("2.5" in str(y)))(x),
    "text of a stop": lambda x: x * str(gw.stop_gradient(x)).count("2"),
    "lookup": lambda x: x * {0.25: 2.0, 1.0: 5.0}.get(x[0, 0].item(), 3.0),
    "numbers in a set": lambda x: x * len({x[0, 0].item(), x[0, 1].item()}),
    "text of a median": lambda x: x * f"{np.median(x):.6f}".count("5"),
    "element of a result": lambda x: x * float(gw.exp(x)[0, 1]) + int(gw.sort(x[0])[1]),
    "text of percentiles": lambda x: x * float(f"{np.percentile(x, 30):.6f}"),
    "text of a comparison": lambda x: x * len(str(x[0, 0] > 0.5)),
    "in": lambda x: x * (2.0 if 2.5 in list(x[0]) else 3.0),
    "bytes": lambda x: x * (np.asarray(x).tobytes()[6] % 7),
    "equal arrays": lambda x: x * np.array_equal(x, x[::-1]),
    "any": lambda x: x if not gw.any(x > 2.0) else x * 0.5,
}


def same(got: Any, expected: Any, name: str) -> None:
    got, expected = (np.asarray(getattr(y, "_data", y), float) for y in (got, expected))
    assert got.shape == expected.shape, name
    np.testing.assert_allclose(got, expected, rtol=1e-12, atol=1e-12, err_msg=name)


NUMBERS = st.sampled_from([-1.5, -0.25, 0.0, 0.25, 1.0, 2.5]) | st.floats(-3.0, 3.0)


@pytest.mark.parametrize("name", ARRAYS)
@examples(100, 8)
@given(st.lists(st.lists(NUMBERS, min_size=6, max_size=6), min_size=2, max_size=5), st.booleans())
def test_arrays(name: str, points: list[list[float]], tensors: bool) -> None:
    run = gw.compile(ARRAYS[name], max_versions=50)
    for point in [*points, *points]:
        x = np.array(point).reshape(2, 3)
        given_x = Tensor(x) if tensors else x
        with np.errstate(all="ignore"):
            try:
                expected = ARRAYS[name](given_x)
            except (ValueError, IndexError, TypeError, ArithmeticError) as error:
                with pytest.raises((type(error), GradwalkError)):
                    run(given_x)
                continue
            same(run(given_x), expected, name)


@pytest.mark.parametrize("name", ARRAYS)
def test_tensors_that_are_closed_over(name: str) -> None:
    v = Tensor(np.zeros((2, 3)))
    run = gw.compile(lambda a: ARRAYS[name](v) * a, max_versions=50)
    for point in ([[0.25, 1.0, 2.5], [0.5, -1.0, 0.75]], [[1.0, -0.5, 2.0], [2.5, 0.0, -1.5]]) * 2:
        v.data = np.array(point)
        with np.errstate(all="ignore"):
            same(run(np.ones(1)), ARRAYS[name](v) * np.ones(1), name)


def test_print_is_no_question(capsys: pytest.CaptureFixture[str]) -> None:
    def printing(x: Any) -> Any:
        print("at", x, f"{x[0]:.1f}", str(x > 0.0))
        return x * 2.0

    run = gw.compile(printing)
    for k in range(20):
        assert run(np.full(2, float(k))).tolist() == [2.0 * k, 2.0 * k]
    assert capsys.readouterr().out == "at [0. 0.] 0.0 [False False]\n"


FLOATS: dict[str, Callable[[Any, Any], Any]] = {
    "if": lambda x, y: x if x > y else y * 2.0,
    "float": lambda x, y: x * float(y),
    "data": lambda x, y: x * (y.data if hasattr(y, "data") else y),
    "int": lambda x, y: x * int(y),
    "round": lambda x, y: x * round(y) + math.floor(x),
    "format": lambda x, y: x * float(f"{y:.1f}"),
    "max": lambda x, y: max(x, y) - min(x, y) * 0.5,
    "sorted": lambda x, y: sorted([x, y, 0.5])[1] * y,
    "key": lambda x, y: {True: x, False: y}[bool(x > 0.5)],
    "list": lambda x, y: [x, y, x + y][int(abs(y)) % 3],
    "range": lambda x, y: sum([x * k for k in range(int(abs(y)))], y),
    "equal": lambda x, y: x if y == 0.25 else y,
    "where": lambda x, y: gw.where(x > y, x * 2.0, y),
    "hash": lambda x, y: x * len({float(x), float(y)}),
    "text": lambda x, y: x * str(y).count("5") + len(repr(x)),
    "empty format": lambda x, y: x * len(f"{y}"),
    "text of a condition": lambda x, y: x * len(str(x > y)),
    "lookup": lambda x, y: x * {0.25: 2.0, 1.0: 5.0}.get(y, 3.0),
    "distinct": lambda x, y: x * len({x, y}),
    "modulo": lambda x, y: x % 0.7 + y // 0.3,
    "division": lambda x, y: x // 0.3 * y,
}


@pytest.mark.parametrize("way", ["value", "gradient"])
@pytest.mark.parametrize("name", FLOATS)
@examples(100, 10)
@given(st.lists(st.tuples(NUMBERS, NUMBERS), min_size=2, max_size=6))
def test_numbers(way: str, name: str, points: list[tuple[float, float]]) -> None:
    f: Any = FLOATS[name] if way == "value" else gw.grad(FLOATS[name], (0, 1))
    run = gw.compile(f, max_versions=50)
    for x, y in [*points, *points]:
        try:
            expected = f(x, y)
        except Exception as error:  # float(x) inside of grad, infinities
            with pytest.raises((type(error), GradwalkError)):
                run(x, y)
            continue
        try:
            got = run(x, y)
        except SilentDetachError:
            assert name in ("float", "int", "list", "range", "hash", "format")
            continue
        assert got == expected, (name, x, y)


@pytest.mark.parametrize("name", FLOATS)
def test_values_that_are_closed_over(name: str) -> None:
    v = Value(0.75)
    run = gw.compile(lambda x: FLOATS[name](x, v), max_versions=50)
    for number in (0.75, -1.25, 2.5, 0.25):
        v.data = number
        try:
            expected = FLOATS[name](0.5, v)
        except (GradwalkError, TypeError):
            with pytest.raises((GradwalkError, TypeError)):
                run(0.5)
            continue
        assert run(0.5) == getattr(expected, "data", expected), number
