"""A compiled function gives what the function gives: the same bits, derivatives too."""

from __future__ import annotations

import math
import random
import threading
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import gradwalk as gw
from gradwalk import Value, grad, hessian, jvp, value_and_grad, vjp
from gradwalk.core.pytree import flatten
from gradwalk.errors import (
    GradwalkError,
    InPlaceError,
    LeakedTraceError,
    NotANumberError,
    OptionError,
)
from gradwalk.native import engine as native_engine
from gradwalk.ops import TABLE
from gradwalk.program.machine import executor

from ..helpers.amount import amount, examples
from .test_replay import NAMES, NUMBERS, SPECIAL

Bits = Callable[[Any], Any]


@st.composite
def functions(draw: Any) -> Callable[..., Any]:
    """A function of three numbers: primitives, choices by ``where``, and masks."""
    names = [*NAMES, "less", "greater_equal", "equal"]
    steps: list[tuple[str, list[int | float]]] = []
    for known in range(3, 3 + draw(st.integers(1, 8))):
        name = draw(st.sampled_from(names))
        place = st.integers(max(0, known - 4), known - 1)
        operands = [draw(place) for _ in range(TABLE[name].arity)]
        if len(operands) > 1 and draw(st.booleans()):
            operands[-1] = draw(NUMBERS)
        steps.append((name, operands))

    def f(x: Any, y: Any, z: Any) -> Any:
        known = [x, y, z]
        for name, operands in steps:
            args = [known[i] if type(i) is int else i for i in operands]
            result = TABLE[name](*args)
            if name in ("less", "greater_equal", "equal"):
                result = gw.where(result, args[0], args[1] * 2.0)
            known.append(result)
        return sum(known[-3:], x * 0.5)

    f.__doc__ = repr(steps)
    return f


TRANSFORMS: dict[str, Callable[[Any], Any]] = {
    "plain": lambda f: f,
    "value_and_grad": lambda f: value_and_grad(f, (0, 1, 2)),
    "jvp": lambda f: lambda *x: jvp(f, x, (1.0, -0.5, 2.0)),
    "vjp": lambda f: lambda *x: vjp(f, *x)[1](2.0),
    "grad of grad": lambda f: grad(lambda x, y, z: grad(f)(x, y, z) * y),
    "jvp of grad": lambda f: lambda *x: jvp(grad(f, (0, 1)), x, (1.0, 0.0, -1.0)),
    "hessian": lambda f: hessian(f, (0, 1)),
    "grad of jvp": lambda f: grad(lambda x, y, z: jvp(f, (x, y, z), (y, 1.0, x))[1]),
}


def same(bits: Bits, got: Any, expected: Any) -> bool:
    (left, one), (right, other) = flatten(got), flatten(expected)
    # a sum of masked terms may begin with another zero
    return one.matches(other) and [bits(x + 0.0) for x in left] == [bits(x + 0.0) for x in right]


@pytest.mark.parametrize("name", TRANSFORMS)
@examples(400, 40)
@given(functions(), st.lists(st.tuples(NUMBERS, NUMBERS, NUMBERS), min_size=2, max_size=4))
def test_same_bits_by_every_transform(
    bits: Bits, name: str, f: Callable[..., Any], points: list[tuple[float, float, float]]
) -> None:
    """The first point is recorded, the others replayed: there other masks are open."""
    plain = TRANSFORMS[name](f)
    compiled = gw.compile(plain)
    for point in points:
        expected = plain(*point)
        assert same(bits, compiled(*point), expected), f"{f.__doc__} at {point}"


@examples(200, 40)
@given(functions(), st.lists(st.tuples(NUMBERS, NUMBERS, NUMBERS), min_size=2, max_size=3))
def test_the_program_in_python_is_the_specification(
    bits: Bits, f: Callable[..., Any], points: list[tuple[float, float, float]]
) -> None:
    for name in ("plain", "value_and_grad", "jvp of grad"):
        plain = TRANSFORMS[name](f)
        compiled, specified = gw.compile(plain), gw.compile(plain)
        compiled(*points[0])
        engine, executor.native.engine = executor.native.engine, None
        try:
            specified(*points[0])
        finally:
            executor.native.engine = engine
        for point in points:
            assert same(bits, compiled(*point), specified(*point)), f"{f.__doc__} at {point}"


# --- branches -------------------------------------------------------------------------------------


def newton(x: float) -> Any:
    """The square root, by steps until they are small: their number depends on x."""
    guess = x
    for _ in range(50):
        if abs(guess * guess - x) < 1e-12:
            break
        guess = 0.5 * (guess + x / guess)
    return guess


def collatz(x: float) -> Any:
    total = 0.0
    while x != 1.0 and total < 100.0:
        x = 3.0 * x + 1.0 if x % 2.0 == 1.0 else x / 2.0
        total = total + x
    return total


BRANCHES: dict[str, tuple[Callable[[Any], Any], list[float]]] = {
    "sign": (lambda x: x * 2.0 if x > 0.0 else -x * 3.0, [1.0, -1.0, 2.0, -2.0, 0.0]),
    "equal": (lambda x: x * 2.0 if x == 3.0 else x * 5.0, [3.0, 1.0, 3.0, 2.0]),
    "not": (lambda x: x + 1.0 if not x else x * 2.0, [0.0, 1.0, -0.0]),
    "chained": (lambda x: x**2 if -1.0 < x <= 1.0 else x, [0.5, 1.0, -1.0, 3.0]),
    "max": (lambda x: max(x, x * x, 0.25), [0.1, 0.5, 2.0, -1.0]),
    "sorted": (lambda x: sorted([x, 1.0 - x, 0.3])[1] * x, [0.1, 0.9, 0.5, 0.31]),
    "int": (lambda x: x * int(x.data if hasattr(x, "data") else x), [1.2, 1.9, 2.5]),
    "newton": (newton, [2.0, 9.0, 0.25, 3.0]),
    "collatz": (collatz, [6.0, 7.0, 12.0]),
    "nan": (lambda x: x * 2.0 if x != x else x, [1.0, math.nan, 2.0]),
    "both": (lambda x: gw.where((x > 0.0) & (x < 1.0), x, -x), [0.5, 2.0, -1.0]),
    "count": (lambda x: x * sum([x > 0.0, x > 1.0, x > 2.0]), [0.5, 1.5, 2.5, -1.0]),
}


@pytest.mark.parametrize("name", BRANCHES)
@pytest.mark.parametrize("derive", [lambda f: f, value_and_grad, lambda f: grad(grad(f))])
def test_another_answer_is_another_version(bits: Bits, name: str, derive: Any) -> None:
    f, points = BRANCHES[name]
    plain, compiled = derive(f), gw.compile(derive(f), max_versions=20)
    for point in [*points, *reversed(points)]:
        assert same(bits, compiled(point), plain(point)), point


def test_where_asks_nothing() -> None:
    runs = []

    @gw.compile
    def f(x: Any) -> Any:
        runs.append(x)
        return gw.where(x > 0.0, x, 2.0 * x) + gw.relu(x) + gw.clip(x, -1.0, 1.0)

    assert [f(x) for x in (1.0, -2.0, 0.0)] == [3.0, -5.0, 0.0]
    assert len(runs) == 1


# --- arguments and results ------------------------------------------------------------------------


@dataclass
class Point:
    x: Any
    y: Any
    name: str = "p"


CONTAINERS: list[tuple[Callable[..., Any], list[tuple[Any, ...]]]] = [
    (lambda p: [p[0] * p[1], {"a": p[1]}], [([2.0, 3.0],), ([4.0, 5.0],)]),
    (lambda p: Point(p.y, p.x + 1.0, p.name), [(Point(1.0, 2.0),), (Point(3.0, 4.0, "q"),)]),
    (lambda x, mode: x if mode == "same" else -x, [(1.0, "same"), (1.0, "other"), (2.0, "same")]),
    (lambda x, flag: x if flag else -x, [(1.0, True), (1.0, False), (2.0, True)]),
    (lambda xs: sum(xs), [([1.0],), ([1.0, 2.0],), ([3.0, 4.0],)]),
    (lambda x: (x, 7, "text", None, 2.5), [(1.0,), (2.0,)]),
    (lambda x: x * 2, [(3,), (4.0,), (np.float64(5.0),)]),
    (lambda x, *, scale=1.0: x * scale, [(3.0,), (4.0,)]),
    (lambda d: {k: v * 2.0 for k, v in d.items()}, [({"a": 1.0},), ({"b": 1.0},)]),
    (lambda x: (x, x, x + 0.0, x * 1.0), [(1.0,), (-0.0,)]),
    (lambda x: 3.0, [(1.0,), (2.0,)]),
    (lambda: 3.0, [(), ()]),
]


@pytest.mark.parametrize("case", range(len(CONTAINERS)))
def test_containers_and_what_is_no_number(case: int) -> None:
    f, calls = CONTAINERS[case]
    compiled = gw.compile(f)
    for call in [*calls, *calls]:
        plain = [
            float(x) if isinstance(x, (int, float)) and x not in (True, False) else x for x in call
        ]
        assert repr(compiled(*call)) == repr(f(*plain))


def test_static_arguments() -> None:
    runs = []

    def power(x: Any, n: int) -> Any:
        runs.append(n)
        y = 1.0
        for _ in range(n):
            y = y * x
        return y

    compiled = gw.compile(power, static_argnums=1)
    assert [compiled(2.0, n) for n in (3, 4, 3, 4)] == [8.0, 16.0, 8.0, 16.0]
    assert runs == [3, 4]


def test_values_outside_are_read_at_each_call() -> None:
    w, b = Value(2.0), Value(1.0)
    double = w * 2.0  # an inner node is computed anew
    f = gw.compile(lambda x: double * x + b)
    assert f(3.0) == 13.0
    w.data, b.data = 5.0, -1.0
    assert f(3.0) == 29.0


W = Value(1.5)

GIVEN_BACK: dict[str, Callable[[Any], Any]] = {
    "product": lambda x: x * W,
    "sum": lambda x: (x - 0.0) * W + W,
    "quotient": lambda x: x / (1.0 / W) + x / (W / 1.0),
    "power": lambda x: x * W**1.0 * W,
    "node": lambda x: x * (W * 2.0) + (W * 2.0) * 1.0,
}


@pytest.mark.parametrize("name", GIVEN_BACK)
def test_a_slope_that_is_a_value_outside(name: str) -> None:
    """Operations that give an operand back make no second input of it."""
    plain = value_and_grad(GIVEN_BACK[name])
    compiled = gw.compile(plain)
    for k in range(3):
        W.data = 1.5 + k
        for x in (2.0, 3.0):
            assert compiled(x) == tuple(getattr(y, "data", y) for y in plain(x))


def test_numbers_outside_are_compared_at_each_call() -> None:
    scale = [2.0]
    f = gw.compile(lambda x: x * scale[0])
    assert f(3.0) == 6.0
    scale[0] = 5.0
    assert f(3.0) == 15.0


def test_methods_and_options() -> None:
    class Spring:
        def __init__(self, k: float) -> None:
            self.k = k

        @gw.compile
        def energy(self, x: Any) -> Any:
            """Half k x squared."""
            return 0.5 * self.k * x * x

        @gw.compile(max_versions=2)
        def sign(self, x: Any) -> Any:
            return 1.0 * x if x > 0.0 else -1.0 * x

    soft, hard = Spring(1.0), Spring(10.0)
    assert [s.energy(2.0) for s in (soft, hard, soft)] == [2.0, 20.0, 2.0]
    assert [soft.sign(x) for x in (1.0, -1.0)] == [1.0, 1.0]
    assert Spring.energy.__doc__ == "Half k x squared."


def test_off_runs_the_function() -> None:
    runs = []
    f = gw.compile(lambda x: runs.append(x) or x * 2.0)
    f(1.0)
    f(2.0)
    assert len(runs) == 1
    with gw.compile.off():
        assert f(3.0) == 6.0
    assert runs[-1] == 3.0


def test_inside_of_transforms_and_on_values_the_function_runs() -> None:
    f = gw.compile(lambda x: x * x * x)
    assert f(2.0) == 8.0
    assert grad(f)(2.0) == 12.0
    assert grad(grad(f))(2.0) == 12.0
    assert jvp(f, (2.0,), (1.0,)) == (8.0, 12.0)
    x = Value(2.0)
    y = f(x)
    y.backward()
    assert (y.data, x.grad) == (8.0, 12.0)
    outer = gw.compile(lambda x: f(x) + grad(f)(x))
    assert [outer(x) for x in (1.0, 2.0)] == [4.0, 20.0]


def test_listing() -> None:
    f = gw.compile(lambda x, y: gw.sin(x) * y + x)
    lines = f.listing(1.0, 2.0).splitlines()
    assert lines[0] == "3 operations in 3 instructions"
    assert [line.split()[1] for line in lines[1:]] == ["sin", "mul", "add"]


def test_what_is_computed_twice_or_not_needed_is_left_out() -> None:
    f = gw.compile(lambda x: (gw.exp(x) + gw.exp(x) * 1.0, gw.log(x))[0])
    assert [line.split()[1] for line in f.listing(1.0).splitlines()[1:]] == ["exp", "add"]


# --- refusals -------------------------------------------------------------------------------------


LEAKED: list[Any] = []


def _append(x: Any) -> Any:
    LEAKED.append(x)
    return x


def _set_item(x: Any) -> Any:
    x[0] = x[1]
    return x[0]


OUTSIDE = Value(1.0)


def _set_data(x: Any) -> Any:
    y = OUTSIDE * x
    OUTSIDE.data += 1.0
    return y


REFUSED: list[tuple[Callable[..., Any], tuple[Any, ...], type[GradwalkError], str]] = [
    (lambda x: x * random.random(), (1.0,), OptionError, "draws random numbers"),
    (_set_item, ([1.0, 2.0],), InPlaceError, "changes a container"),
    (_set_data, (1.0,), InPlaceError, "sets the data of"),
    (lambda x: x, (np.array([1j]),), NotANumberError, "arrays of real numbers"),
    (lambda x: gw.sin(x, "y"), (1.0,), NotANumberError, "sin"),
]


@pytest.mark.parametrize("case", range(len(REFUSED)))
def test_refusals(case: int) -> None:
    f, args, kind, text = REFUSED[case]
    with pytest.raises(kind, match=text):
        gw.compile(f)(*args)


@pytest.mark.parametrize("f", [None.__class__, 3.0, "f"][1:])
def test_what_is_no_function(f: Any) -> None:
    with pytest.raises(OptionError, match=r"compile\(f\): expected a function"):
        gw.compile(f)


def test_leaks() -> None:
    gw.compile(_append)(1.0)
    with pytest.raises(LeakedTraceError):
        LEAKED[0] * 2.0


def test_errors_are_those_of_the_function() -> None:
    def f(x: Any) -> Any:
        if x < 0.0:
            raise ValueError("negative")
        return x * 2.0

    compiled = gw.compile(f)
    assert compiled(1.0) == 2.0
    with pytest.raises(ValueError, match="negative"):
        compiled(-1.0)
    assert compiled(2.0) == 4.0


def test_custom_rules_run_in_python() -> None:
    cube = gw.pointwise("cube_c", lambda t, y, x: t * 3.0 * x * x, forward=lambda x: x * x * x)
    f = gw.compile(value_and_grad(lambda x: cube(x) * x))
    assert [f(x) for x in (2.0, 3.0)] == [(16.0, 32.0), (81.0, 108.0)]


def test_threads_may_call_one_function() -> None:
    f = gw.compile(value_and_grad(lambda x, y: gw.sin(x) * y if x > y else gw.cos(x) * y))
    plain = value_and_grad(lambda x, y: gw.sin(x) * y if x > y else gw.cos(x) * y)
    wrong: list[Any] = []

    def work(seed: int) -> None:
        r = random.Random(seed)
        for _ in range(amount(3000, 100)):
            point = r.choice(SPECIAL[:6]), r.uniform(-2.0, 2.0)
            if f(*point) != plain(*point):
                wrong.append(point)

    threads = [threading.Thread(target=work, args=(seed,)) for seed in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong


def test_threads_run_one_long_program_at_once(bits: Bits) -> None:
    """Long programs let other threads run meanwhile: each computes with cells of its own."""

    def f(x: Any, y: Any) -> Any:
        total = x * 0.5
        for i in range(7000 if native_engine is not None else 70):
            total = total + gw.sin(x * (i + 1.0)) * y + 0.25
        return total

    compiled = gw.compile(f)
    points = [(0.1 * i, 1.0 - 0.2 * i) for i in range(4)]
    expected = [bits(f(*point)) for point in points]
    compiled(*points[0])
    wrong: list[Any] = []

    def work(which: int) -> None:
        for _ in range(amount(200, 30)):
            if bits(compiled(*points[which])) != expected[which]:
                wrong.append(which)

    threads = [threading.Thread(target=work, args=(which,)) for which in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong


@pytest.mark.parametrize("recorded", [1.0, -1.0])
def test_a_mask_may_open_and_shut_between_calls(bits: Bits, recorded: float) -> None:
    """Through sums as well: an absent contribution is no 0.0, which infinity would make a NaN."""

    def f(x: Any, y: Any) -> Any:
        return sum([gw.relu(x * k) * y for k in (1.0, -2.0, 3.0, -1.0, 0.5)], y * y)

    plain = value_and_grad(f, (0, 1))
    compiled = gw.compile(plain)
    compiled(recorded, 2.0)
    for x in (1.0, -1.0, 0.0, -0.0, math.inf, -math.inf, math.nan):
        for y in (2.0, math.inf, -0.0):
            assert same(bits, compiled(x, y), plain(x, y)), (x, y)


@pytest.mark.parametrize("lanes", [4, 9, 600])
def test_one_factor_for_all_terms_of_all_sums(bits: Bits, lanes: int) -> None:
    """The rows of one term end where those of the next begin, and the other factor is the same."""
    lanes = lanes if native_engine is not None else min(lanes, 9)

    def f(factor: Any, numbers: Any) -> Any:
        rows = [gw.tanh(number) for number in numbers]
        terms = [[factor * rows[k * lanes + i] for k in range(3)] for i in range(lanes)]
        return [a + b + c for a, b, c in terms]

    r = random.Random(lanes)
    numbers = [r.uniform(-2, 2) for _ in range(3 * lanes)]
    assert same(bits, gw.compile(f)(1.5, numbers), f(1.5, numbers))
