"""scan and while_loop: against loops written out, in every mode, and in flat memory."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import gradwalk as gw
from gradwalk import (
    Tensor,
    Value,
    errors,
    grad,
    gradients,
    hessian,
    hvp,
    jvp,
    linearize,
    no_grad,
    random,
    scan,
    sin,
    vjp,
    vmap,
    while_loop,
)
from gradwalk.core import pytree as tree
from gradwalk.engine.reverse import consumer_counts
from gradwalk.levels.level import unwrap
from gradwalk.transforms import leaks
from gradwalk.transforms.memory import loops
from gradwalk.transforms.memory.alike import RECORDED

from ..helpers.peak_memory import SIZE, arrays_at_peak, step

F = Callable[..., Any]


def assert_same(found: Any, expected: Any) -> None:
    a, b = [[unwrap(leaf) for leaf in tree.flatten(x)[0]] for x in (found, expected)]
    for x, y in zip(a, b, strict=True):
        np.testing.assert_allclose(x, y, rtol=1e-12, atol=1e-13)


@pytest.fixture(params=[1, 3, RECORDED])
def recorded(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> int:
    """How many steps of numbers are recorded before checkpoints begin: few, for short tests."""
    monkeypatch.setattr(loops, "RECORDED", request.param)
    return int(request.param)


# --- scan of numbers ------------------------------------------------------------------------------


def written_out(f: F, init: Any, xs: Any, length: Any = None, reverse: bool = False) -> Any:
    """What scan means, for a list of numbers or for rows of an array."""
    rows = [None] * length if xs is None else list(xs)
    carry, ys = init, []
    for x in reversed(rows) if reverse else rows:
        carry, y = f(carry, x)
        ys.append(y)
    return carry, ys[::-1] if reverse else ys


def weighted(loop: F, reverse: bool = False) -> F:
    """One number of everything that a loop gives."""

    def loss(c: Any, xs: Any, w: Any) -> Any:
        step = lambda c, x: (sin(c * w) + x, c * x * w)  # noqa: E731
        carry, ys = loop(step, c, xs, reverse=reverse)
        return carry + sum(y * (k + 1.0) for k, y in enumerate(ys))

    return loss


@given(st.lists(st.floats(-2.0, 2.0), min_size=1, max_size=12), st.booleans())
def test_scan_of_numbers(xs: list[float], reverse: bool) -> None:
    found, expected = [weighted(loop, reverse) for loop in (scan, written_out)]
    assert found(0.5, xs, 0.7) == expected(0.5, xs, 0.7)
    assert_same(*[grad(f, (0, 1, 2))(0.5, xs, 0.7) for f in (found, expected)])


NUMBERS: dict[str, F] = {
    "grad": lambda f: grad(f, (0, 1, 2))(0.5, [0.1, 0.9, -0.4], 0.7),
    "hessian": lambda f: hessian(f, (0, 2))(0.5, [0.1, 0.9, -0.4], 0.7),
    "jvp": lambda f: jvp(f, (0.5, [0.1, 0.9, -0.4], 0.7), (1.0, [1.0, 2.0, 3.0], 4.0)),
    "linearize": lambda f: linearize(f, 0.5, [0.1, 0.9], 0.7)[1](1.0, [1.0, 2.0], 3.0),
    "grad jvp": lambda f: grad(lambda w: jvp(lambda c: f(c, [0.1, w], w), (w,), (w,))[1])(0.3),
    "jvp grad": lambda f: jvp(grad(lambda c: f(c, [0.1, c], c)), (0.3,), (1.0,)),
    "thrice": lambda f: grad(grad(grad(lambda c: f(c, [0.1, c], c))))(0.3),
    "vmap": lambda f: vmap(lambda c: f(c, [0.1, 0.2], 0.7))(np.array([0.1, 0.2])),
}


@pytest.mark.parametrize("name", NUMBERS)
def test_scan_of_numbers_in_every_mode(name: str, recorded: int) -> None:
    assert_same(*[NUMBERS[name](weighted(loop)) for loop in (scan, written_out)])


def test_few_steps_of_numbers_have_the_bits_of_a_loop() -> None:
    xs = [0.1, 0.9, -0.4, 1.7, 0.3]
    for way in (lambda f: f, *[lambda f, i=i: grad(f, i) for i in range(3)]):
        found, expected = [way(weighted(loop))(0.5, xs, 0.7) for loop in (scan, written_out)]
        assert found == expected


@pytest.mark.parametrize("reverse", [False, True])
def test_a_step_of_plain_numbers_runs_once_and_in_order(recorded: int, reverse: bool) -> None:
    seen: list[Any] = []
    f = lambda c, x: (seen.append((c, x)) or c + x, [c, {"x": x}])  # noqa: E731
    xs = [1.0, 2.0, 4.0, 8.0, 16.0]
    carry, ys = scan(f, 0.5, xs, reverse=reverse)
    calls, seen[:] = list(seen), []
    last, steps = written_out(f, 0.5, xs, reverse=reverse)
    assert (carry, calls) == (last, seen)
    assert ys == [[c for c, _ in steps], {"x": [x["x"] for _, x in steps]}]


CARRIES: dict[str, Any] = {
    "a number": (lambda c: c, lambda c, x: c * 0.9 + x),
    "an int": (lambda c: (c, 0), lambda c, x: (c[0] * 0.9 + x, c[1] + 1)),
    "a list": (lambda c: [c, c], lambda c, x: [sin(c[1]) * x, c[0] + c[1]]),
    "a dict": (lambda c: {"a": c, "b": 1.0}, lambda c, x: {"a": c["b"] + x, "b": c["a"] * c["b"]}),
    "nested": (lambda c: (c, {"b": [c]}), lambda c, x: (c[1]["b"][0] * x, {"b": [c[0] + x]})),
    "an array later": (lambda c: c, lambda c, x: gw.sum(np.array([0.5, 0.25]) * c) + x),
    "a constant": (lambda c: (c, 1.0), lambda c, x: (c[0] * c[1], 2.0)),
}


@pytest.mark.parametrize("name", CARRIES)
def test_carries_of_numbers(name: str, recorded: int) -> None:
    start, step = CARRIES[name]

    def f(loop: F, a: Any, w: Any) -> Any:
        last, _ = loop(lambda c, x: (step(c, x * w), None), start(a), [0.3, -0.2, 0.7, 1.1, 0.4])
        return sum(flat * (k + 1.0) for k, flat in enumerate(tree.flatten(last)[0]))

    for way in (lambda f: f, lambda f: grad(f, (0, 1)), lambda f: grad(grad(f, 1), 1)):
        found = [
            way(lambda a, w, loop=loop: f(loop, a, w))(0.5, 0.8) for loop in (scan, written_out)
        ]
        assert_same(*found)


def test_scan_of_values_with_a_closure(recorded: int) -> None:
    results = []
    for loop in (scan, written_out):
        c, w, xs = Value(0.5), Value(0.7), [Value(0.1), 0.9, Value(-0.4)]
        y = weighted(lambda f, c, x, reverse, w=w, loop=loop: loop(f, c, x))(c, xs, w)
        first = gradients(y, (c, w, xs[0]), create_graph=True)
        results.append([y.data, *[d.data for d in first], *gradients(first[1], (c, w, xs[2]))])
    assert_same(*results)


def test_scan_counts_without_xs() -> None:
    f = lambda c, x: (c * 2.0, (c, x))  # noqa: E731
    assert scan(f, 1.0, None, 4) == (16.0, ([1.0, 2.0, 4.0, 8.0], None))
    assert scan(lambda c, x: (c + 1, None), 0, length=5) == (5, None)
    with no_grad():
        assert scan(f, 1.0, None, length=2, reverse=True) == (4.0, ([2.0, 1.0], None))


def test_scan_of_containers() -> None:
    def f(c: dict[str, Any], x: tuple[Any, Any]) -> Any:
        return {"s": c["s"] + x[0], "n": c["n"] + 1}, {"row": x[1] * c["s"], "n": c["n"]}

    rows = np.arange(6.0).reshape(3, 2)
    carry, ys = scan(f, {"s": 0.0, "n": 0}, ([1.0, 2.0, 3.0], rows))
    assert carry == {"s": 6.0, "n": 3}
    assert ys["n"] == [0, 1, 2]
    assert isinstance(ys["row"], np.ndarray)
    np.testing.assert_array_equal(ys["row"], rows * [[0.0], [1.0], [3.0]])
    carry, ys = scan(lambda c, x: (c + x[0] * x[1], x[0]), np.zeros(2), [rows, rows])
    np.testing.assert_array_equal(carry, (rows**2).sum(0))
    np.testing.assert_array_equal(ys, rows)


# --- scan of arrays -------------------------------------------------------------------------------

W0 = np.linspace(-1.0, 1.0, 9).reshape(3, 3)
X0 = np.random.default_rng(0).normal(size=(7, 3))
C0 = np.array([0.1, 0.2, 0.3])


def cell(w: Any) -> F:
    return lambda c, x: (gw.tanh(w @ c + x), (c * x).sum())


def energy(loop: F, c: Any, xs: Any, w: Any) -> Any:
    carry, ys = loop(cell(w), c, xs)
    ys = gw.stack(ys) if isinstance(ys, list) else ys
    return (carry**2).sum() + (ys**3).sum()


ARRAYS: dict[str, F] = {
    "grad": lambda f: grad(f, (0, 1, 2))(C0, X0, W0),
    "hessian": lambda f: hessian(f)(C0, X0, W0),
    "hvp": lambda f: hvp(lambda w: f(C0, X0, w), W0, W0),
    "jvp": lambda f: jvp(f, (C0, X0, W0), (C0, X0, W0)),
    "grad jvp": lambda f: grad(lambda w: jvp(lambda c: f(c, X0, w), (C0,), (C0,))[1])(W0),
    "vmap": lambda f: vmap(f, (0, None, None))(np.stack([C0, -C0]), X0, W0),
    "vmap grad": lambda f: vmap(grad(f), (0, None, None))(np.stack([C0, -C0]), X0, W0),
    "grad vmap": lambda f: grad(lambda x: vmap(lambda c: f(c, x, W0))(np.stack([C0, -C0])).sum())(
        X0
    ),
}


@pytest.mark.parametrize("name", ARRAYS)
def test_scan_of_arrays_in_every_mode(name: str) -> None:
    found, expected = [
        ARRAYS[name](lambda c, x, w, loop=loop: energy(loop, c, x, w))
        for loop in (scan, written_out)
    ]
    assert_same(found, expected)


def test_scan_of_tensors() -> None:
    results = []
    for loop in (scan, written_out):
        c, x, w = [Tensor(a, requires_grad=True) for a in (C0, X0, W0)]
        energy(loop, c, x, w).backward()
        results.append((c.grad, x.grad, w.grad))
    assert_same(*results)


def test_scan_of_numbers_draws_the_same_numbers_again(recorded: int) -> None:
    for w in (1.0, Value(1.0)):  # a Value takes the other way of finding what a step uses
        c = Value(0.5)
        carry, _ = scan(lambda c, _, w=w: (c * w * random.normal(()).item(), None), c, None, 8)
        carry.backward()
        assert c.grad * 0.5 == pytest.approx(carry.data), "it is linear in c"


def test_scan_draws_the_same_numbers_again() -> None:
    def f(c: Any, x: Any) -> Any:
        return c * random.normal(c.shape), x * random.normal(c.shape)

    c = Tensor(C0, requires_grad=True)
    carry, ys = scan(f, c, X0)
    total = carry.sum()
    total.backward()
    assert c.grad @ C0 == pytest.approx(total.item()), "it is linear in c"
    assert ys.shape == (7, 3)


# --- while_loop -----------------------------------------------------------------------------------


def root(a: Any) -> Any:
    """Newton's method."""
    return while_loop(lambda x: abs(x * x - a) > 1e-14, lambda x: (x + a / x) / 2.0, a)


def test_while_loop_finds_a_root_in_every_mode(recorded: int) -> None:
    a = 7.0
    assert root(a) == pytest.approx(a**0.5)
    assert grad(root)(a) == pytest.approx(0.5 * a**-0.5)
    assert jvp(root, (a,), (2.0,))[1] == pytest.approx(a**-0.5)
    assert linearize(root, a)[1](2.0) == pytest.approx(a**-0.5)
    assert vjp(root, a)[1](2.0)[0] == pytest.approx(a**-0.5)
    for second in (
        grad(grad(root))(a),
        jvp(grad(root), (a,), (1.0,))[1],
        grad(lambda a: jvp(root, (a,), (1.0,))[1])(a),
        gradients(gradients(root(v := Value(a)), v, create_graph=True), v),
    ):
        assert second == pytest.approx(-0.25 * a**-1.5)


def power(n: Any) -> F:
    """x after n steps of x → sin(w x), with a count."""

    def f(x: Any, w: Any) -> Any:
        body = lambda c: {"x": sin(c["x"] * w), "k": c["k"] + 1}  # noqa: E731
        return while_loop(lambda c: c["k"] < n, body, {"x": x, "k": 0})["x"]

    return f


@pytest.mark.parametrize("n", [0, 1, 2, 3, 4, 7, 30])
def test_while_loop_of_any_length(n: int, recorded: int) -> None:
    def expected(x: Any, w: Any) -> Any:
        for _ in range(n):
            x = sin(x * w)
        return x

    assert power(n)(0.5, 1.1) == expected(0.5, 1.1)
    assert_same(*[grad(f, (0, 1))(0.5, 1.1) for f in (power(n), expected)])
    results = []
    for f in (power(n), expected):
        x, w = Value(0.5), Value(1.1)
        y = f(x, w)
        y.backward()
        results.append((x.grad, w.grad))
    assert_same(*results)


def test_while_loop_of_arrays() -> None:
    def unrolled(cond: F, body: F, c: Any) -> Any:
        while cond(c):
            c = body(c)
        return c

    def f(x: Any, w: Any, loop: F) -> Any:
        return loop(lambda c: (c**2).sum() > 1e-3, lambda c: gw.tanh(w @ c) * 0.5, x).sum()

    results = []
    for loop in (while_loop, unrolled):
        x, w = Tensor(C0, requires_grad=True), Tensor(W0, requires_grad=True)
        f(x, w, loop).backward()
        arrays = grad(f, (0, 1))(C0, W0, loop)
        products = hvp(lambda w, loop=loop: f(C0, w, loop), W0, W0)
        results.append((x.grad, w.grad, arrays, products))
    assert_same(*results)


# --- no steps -------------------------------------------------------------------------------------

NOTHING: dict[str, tuple[Any, Any]] = {
    "length": (None, 0),
    "list": ([], None),
    "list and length": ([], 0),
    "tuple of lists": (([], []), None),
    "dict": ({"t": []}, None),
    "array": (np.ones((0, 2)), None),
    "array and length": (np.ones((0, 2)), 0),
    "arrays": ({"a": np.ones(0), "b": Tensor(np.ones((0, 3)))}, None),
}


def never(*args: Any) -> Any:
    raise AssertionError("there is no step")


@pytest.mark.parametrize("reverse", [False, True])
@pytest.mark.parametrize("what", NOTHING)
def test_of_no_steps_the_carry_is_the_first_one(what: str, reverse: bool) -> None:
    xs, length = NOTHING[what]
    for init in (2.0, 3, Value(2.0), START, {"a": 1.0, "b": [Tensor(START), None]}, None):
        carry, ys = scan(never, init, xs, length, reverse=reverse)
        assert carry is init
        assert ys == []


@pytest.mark.parametrize("what", NOTHING)
def test_the_derivative_of_no_steps(what: str) -> None:
    xs, length = NOTHING[what]

    def f(c: Any, w: Any) -> Any:
        return scan(lambda c, x: (c * w, c), c, xs, length)[0] * 3.0

    assert grad(f, (0, 1))(2.0, 5.0) == (3.0, 0.0)
    assert jvp(f, (2.0, 5.0), (1.0, 1.0)) == (6.0, 3.0)
    assert grad(grad(lambda c: f(c, c) * c))(2.0) == 6.0
    np.testing.assert_array_equal(vmap(lambda c: f(c, 1.0))(START), START * 3.0)


# --- memory ---------------------------------------------------------------------------------------

START = np.linspace(-1.0, 1.0, SIZE)


def by_scan(n: int) -> F:
    return lambda x: scan(lambda c, _: (step(c), None), x, None, n)[0].sum()


def by_while(n: int) -> F:
    body = lambda c: (step(c[0]), c[1] + 1)  # noqa: E731
    return lambda x: while_loop(lambda c: c[1] < n, body, (x, 0))[0].sum()


@pytest.mark.parametrize("loop", [by_scan, by_while])
@pytest.mark.parametrize("way", [lambda f: grad(f)(START), lambda f: vjp(f, START)[1](1.0)])
def test_memory_of_reverse_mode_grows_as_the_root(loop: F, way: F) -> None:
    lengths = (100, 400, 1600)
    way(loop(lengths[0]))  # what is imported on first use is no array
    peaks = [arrays_at_peak(lambda n=n: way(loop(n))) for n in lengths]
    for n, peak in zip(lengths, peaks, strict=True):
        assert peak < 4.0 * n**0.5 + 30.0
    for shorter, longer in pairwise(peaks):
        assert longer / shorter < 2.4, "2 is the root of 4"


@pytest.mark.parametrize("loop", [by_scan, by_while])
def test_memory_of_forward_mode_is_flat(loop: F) -> None:
    peaks = [arrays_at_peak(lambda n=n: jvp(loop(n), (START,), (START,))) for n in (100, 1600)]
    assert max(peaks) < 40, "of 1600 steps"
    assert peaks[1] - peaks[0] < 20, "what Python keeps in stock"


@pytest.mark.parametrize("n", [10, 100, 1000])
def test_a_graph_of_values_has_the_root_of_its_nodes(n: int, recorded: int) -> None:
    x = Value(0.5)
    first = 2 * min(n, recorded + 1)  # of these steps, all nodes
    assert len(consumer_counts(power(n)(x, 1.1))) <= first + (2 * n) ** 0.5 + 2
    carry, _ = scan(lambda c, _: (sin(c), None), x, None, n)
    assert len(consumer_counts(carry)) <= first + n**0.5 + 3


# --- errors ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: scan(1.0, 1.0, [1.0]), r"scan\(f\).*expected a function"),
        (lambda: while_loop(1.0, sin, 1.0), r"while_loop\(cond\).*expected a function"),
        (lambda: while_loop(bool, 1.0, 1.0), r"while_loop\(body\).*expected a function"),
        (
            lambda: scan(lambda c, x: c, 1.0, [1.0]),
            r"expected a pair \(carry, y\), got float 1.0",
        ),
        (lambda: scan(lambda c, x: ((c, c), x), 1.0, [1.0]), r"carry that f returns.*\* *, got"),
        (lambda: scan(lambda c, x: (c, x), 1.0, {"a": 1.0}), r"scan\(xs\)\['a'\].*list of numbers"),
        (lambda: scan(lambda c, x: (c, x), 1.0, [np.ones(2), 1.0]), r"scan\(xs\)\[1\]"),
        (lambda: scan(lambda c, x: (c, x), 1.0, ([1.0], [1.0, 2.0])), r"lengths \[1, 2\]"),
        (lambda: scan(lambda c, x: (c, x), 1.0, [1.0], 2), r"length=2"),
        (lambda: scan(lambda c, x: (c, x), 1.0), r"length=None.*Pass length=10"),
        (lambda: scan(lambda c, x: (c, x), 1.0, None, -1), r"length=-1"),
        (
            lambda: scan(lambda c, x: (c, x), 1.0, np.ones((0, 2)), 3),
            r"lengths \[0\], and length=3",
        ),
        (lambda: scan(lambda c, x: (c, x), 1.0, ([], [1.0]), 0), r"length=0"),
        (lambda: scan(lambda c, x: (c, x), 1.0, {"n": None}), r"length=None"),
        (lambda: scan(lambda c, x: (c, x), 1.0, None, 1.5), r"length=1.5"),
        (
            lambda: scan(lambda c, x: (x, c), np.ones(2), np.ones((3, 4))),
            r"expected shape \(2,\), as that of the carry, got shape \(4,\)",
        ),
        (
            lambda: while_loop(lambda c: True, lambda c: c[:-1], np.ones(2)),
            r"result of body: expected shape \(2,\).*got shape \(1,\)",
        ),
        (
            lambda: while_loop(lambda c: True, lambda c: {"a": c["a"]}, {"a": 1.0, "b": 2.0}),
            r"result of body.*dict\(\['a'\]=\*, \['b'\]=\*\), got dict\(\['a'\]=\*\)",
        ),
    ],
)
def test_errors_say_what_changed(call: F, message: str) -> None:
    with pytest.raises(errors.GradwalkError, match=message):
        call()


def test_all_results_have_one_shape() -> None:
    sizes = iter([2, 2, 3])
    with pytest.raises(errors.SizeError, match=r"y that f returns.*\(2,\).*first one.*\(3,\)"):
        scan(lambda c, x: (c, Tensor(np.ones(next(sizes)))), 1.0, None, 3)


@pytest.mark.parametrize("loop", [by_scan, by_while])
def test_a_loop_holds_no_node_after_its_gradient(loop: F, monkeypatch: pytest.MonkeyPatch) -> None:
    """What it holds would be looked for among all objects of the process, in milliseconds."""
    held: list[Any] = []
    monkeypatch.setattr(leaks, "poison", held.extend)
    grad(loop(10))(START)
    assert held == []
