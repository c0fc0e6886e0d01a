"""scan and while_loop inside of compile: one instruction each, with the numbers of the steps."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import gradwalk as gw
from gradwalk import Tensor, Value, compile, grad, hessian, jacobian, jvp, scan, vjp, while_loop
from gradwalk.core.pytree import flatten
from gradwalk.errors import GradwalkError, SizeError

from ..helpers.amount import examples

F = Callable[..., Any]


def flat(x: Any) -> list[float]:
    return [float(n) for leaf in flatten(x)[0] for n in np.ravel(getattr(leaf, "data", leaf))]


def assert_compiled(f: F, *points: Any, loops: int | None = None) -> None:
    """A function gives the same compiled, where it was recorded and elsewhere."""
    compiled = compile(f)
    for args in points:
        expected, found = f(*args), compiled(*args)
        assert flatten(found)[1].matches(flatten(expected)[1])
        np.testing.assert_allclose(flat(found), flat(expected), rtol=1e-9, atol=1e-12)
    if loops is not None:
        assert len(re.findall(r"  loop ", compiled.listing(*points[0]))) == loops


def newton(a: Any) -> Any:
    return while_loop(lambda x: gw.abs(x * x - a) > 1e-12, lambda x: (x + a / x) / 2.0, a)


def nested(x: Any, w: Any) -> Any:
    def outer(c: Any, _: Any) -> Any:
        return scan(lambda d, _: (gw.sin(d * w) + 0.1 * c, None), c, None, 3)[0], None

    return scan(outer, x, None, 4)[0]


def counted(x: Any, n: Any) -> Any:
    body = lambda c: {"x": gw.sin(c["x"]) * 1.1, "k": c["k"] + 1}  # noqa: E731
    return while_loop(lambda c: c["k"] < n, body, {"x": x, "k": 0})["x"]


def masked(x: Any, w: Any) -> Any:
    def step(c: Any, _: Any) -> Any:
        return gw.where(c > 0.3, c * w, c + 0.4) + gw.relu(c - w), None

    return scan(step, x, None, 9)[0]


OF_NUMBERS: dict[str, tuple[F, list[tuple[float, ...]]]] = {
    "newton": (newton, [(2.0,), (50.0,), (0.01,)]),
    "nested": (nested, [(0.5, 1.1), (-1.0, 0.3)]),
    "counted": (counted, [(0.5, 4.0), (0.5, 0.0), (0.2, 1.0), (0.7, 31.0)]),
    "masked": (masked, [(0.5, 0.9), (0.1, 1.2), (-2.0, 0.5)]),
}
WAYS: dict[str, Callable[[F], F]] = {
    "itself": lambda f: f,
    "grad": grad,
    "jvp": lambda f: lambda x, *xs: jvp(lambda x: f(x, *xs), (x,), (1.5,)),
    "grad of grad": lambda f: grad(grad(f)),
    "jvp of grad": lambda f: lambda x, *xs: jvp(grad(lambda x: f(x, *xs)), (x,), (1.0,)),
    "grad of jvp": lambda f: grad(lambda x, *xs: jvp(lambda x: f(x, *xs), (x,), (x,))[1]),
    "third": lambda f: grad(grad(grad(f))),
}


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("name", OF_NUMBERS)
def test_every_mode(name: str, way: str) -> None:
    f, points = OF_NUMBERS[name]
    if way == "third" and name == "nested":
        pytest.skip("long")
    assert_compiled(WAYS[way](f), *points)


def grown(x: Any) -> Any:
    """No step for x of at least 1."""
    body = lambda c: {"x": c["x"] * 1.5 + 0.1 * x * x, "k": c["k"] + 1}  # noqa: E731
    return while_loop(lambda c: c["x"] < 1.0, body, {"x": x, "k": 0})["x"]


def grown_together(x: Any) -> Any:
    body = lambda c: (gw.sin(c[0]) + c[0] * 1.2, c[1] * c[0])  # noqa: E731
    return sum(while_loop(lambda c: c[0] < 1.0, body, (x, x * x)))


def grown_in_arrays(x: Any) -> Any:
    body = lambda c: c * 1.5 + np.array([0.1, 0.2]) * x  # noqa: E731
    return gw.sum(while_loop(lambda c: gw.sum(c) < 2.0, body, x * np.ones(2)) ** 2)


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("f", [grown, grown_together, grown_in_arrays])
def test_a_loop_without_a_step_comes_first(f: F, way: str) -> None:
    for points in ([2.0, 0.1, 0.5, 2.0], [0.2, 2.0, 0.9], [1.0, 1.0]):
        assert_compiled(WAYS[way](f), *[(x,) for x in points])


def collected(x: Any) -> Any:
    last, ys = scan(lambda c, _: (gw.sin(c * x), c * c), x, None, 5)
    return last + sum(ys)


def collected_in_two(x: Any) -> Any:
    step = lambda c, r: (gw.sin(c * x) * r, {"a": c * c, "b": r * c})  # noqa: E731
    last, ys = scan(step, x, [1.0, 2.0, 3.0])
    return last + sum(ys["a"]) * sum(ys["b"])


def collected_back(x: Any) -> Any:
    step = lambda c, r: ((c[0] * r, gw.tanh(c[1] + c[0])), c[1] * r)  # noqa: E731
    (a, b), ys = scan(step, (x, x * x), [x, 0.5, 2.0 * x], reverse=True)
    return a * b + sum(y * y for y in ys)


def collected_arrays(x: Any) -> Any:
    step = lambda c, r: (gw.sin(c * x) * r, c * c)  # noqa: E731
    last, ys = scan(step, x * np.ones(2), np.array([1.0, 2.0, 3.0]))
    return gw.sum(last) + gw.sum(ys)


THIRD: dict[str, Callable[[F], F]] = {
    "grad of grad of grad": lambda f: grad(grad(grad(f))),
    "hessian of grad": lambda f: hessian(grad(f)),
    "jvp of grad of grad": lambda f: lambda x: jvp(grad(grad(f)), (x,), (1.0,)),
    "grad of grad of jvp": lambda f: grad(grad(lambda x: jvp(f, (x,), (1.0,))[1])),
    "grad of jvp of grad": lambda f: grad(lambda x: jvp(grad(f), (x,), (1.0,))[1]),
    "jvp of jvp of grad": lambda f: (
        lambda x: jvp(lambda x: jvp(grad(f), (x,), (1.0,))[1], (x,), (1.0,))
    ),
    "fourth": lambda f: grad(grad(lambda x: jvp(grad(f), (x,), (1.0,))[1])),
}


@pytest.mark.parametrize("way", THIRD)
@pytest.mark.parametrize(
    "f", [collected, collected_in_two, collected_back, collected_arrays, grown, grown_together]
)
def test_third_derivatives_of_what_is_collected(f: F, way: str) -> None:
    assert_compiled(THIRD[way](f), (0.7,), (0.2,), (0.45,))


@pytest.mark.parametrize("n", [1, 2, 1000])
def test_length_does_not_show_in_the_program(n: int) -> None:
    f = lambda x, w: scan(lambda c, _: (gw.sin(c * w), c), x, None, n)[0]  # noqa: E731
    assert_compiled(f, (0.5, 1.1), (0.1, 2.0), loops=1)
    assert_compiled(grad(f, (0, 1)), (0.5, 1.1), (0.1, 2.0), loops=2)


def test_no_steps() -> None:
    f = lambda x, xs: scan(lambda c, x: (c * x, c), x, xs)  # noqa: E731
    assert_compiled(lambda x: f(x, [])[0] * 2.0, (3.0,))
    assert_compiled(lambda x: grad(lambda x: scan(lambda c, _: (c, c), x, None, 0)[0])(x), (3.0,))


@pytest.mark.parametrize("reverse", [False, True])
def test_columns(reverse: bool) -> None:
    def f(c: Any, xs: Any) -> Any:
        return scan(lambda c, x: (c * 0.5 + x * x, c * x), c, xs, reverse=reverse)

    total = lambda c, xs: f(c, xs)[0] + sum(f(c, xs)[1])  # noqa: E731
    lists = (1.5, [0.3, -0.2, 1.0, 0.7]), (0.1, [2.0, 1.0, -1.0, 0.5])
    arrays = [(c, np.array(xs)) for c, xs in lists]
    for points in (lists, arrays):
        assert_compiled(f, *points)
        assert_compiled(grad(total, (0, 1)), *points)
        assert_compiled(lambda c, xs: jacobian(lambda xs: f(c, xs)[1])(xs), *points)


@pytest.mark.parametrize("way", ["itself", "grad", "jvp of grad"])
def test_arrays(way: str) -> None:
    w = np.array([[0.1, 0.4], [-0.3, 0.2]])

    def f(c: Any, w: Any) -> Any:
        last, ys = scan(lambda c, x: (gw.tanh(w @ c) + x, c * x), c, np.array([0.1, 0.2, 0.3]))
        return (last * last).sum() + ys.sum()

    ways: dict[str, F] = {
        "itself": f,
        "grad": grad(f, (0, 1)),
        "jvp of grad": lambda c, w: jvp(grad(f), (c, w), (c * 0.5, w)),
    }
    c = np.array([0.5, -0.25])
    assert_compiled(ways[way], (c, w), (c * 2.0, w - 0.1))


def test_what_a_step_uses_is_read_anew() -> None:
    v, t = Value(1.1), Tensor([0.5, 0.25])
    f = compile(lambda x: scan(lambda c, _: (gw.sin(c * v) + (t * c).sum(), None), x, None, 5)[0])
    plain = lambda x: scan(lambda c, _: (gw.sin(c * v) + (t * c).sum(), None), x, None, 5)[0]  # noqa: E731
    assert flat(f(0.5)) == pytest.approx(flat(plain(0.5)))
    v.data = 0.7
    assert flat(f(0.5)) == pytest.approx(flat(plain(0.5)))


def test_questions_in_a_step_are_recorded_step_by_step() -> None:
    def f(x: Any) -> Any:
        return scan(lambda c, _: (c * 0.5 if c > 1.0 else c + 0.8, None), x, None, 6)[0]

    assert_compiled(f, (0.3,), (5.0,), (-1.0,), loops=0)
    assert_compiled(grad(f), (0.3,), (5.0,))


def test_mistakes_are_the_usual_ones() -> None:
    with pytest.raises(SizeError, match="scan"):
        compile(lambda x: scan(lambda c, _: ((c, c), None), x, None, 3)[0])(1.0)
    with pytest.raises(GradwalkError, match="while_loop"):
        compile(lambda x: while_loop(lambda c: None, lambda c: c, x))(1.0)  # type: ignore[arg-type,return-value]
    with pytest.raises(ZeroDivisionError):
        compile(lambda x: scan(lambda c, _: (c * (1 // 0), None), x, None, 3)[0])(1.0)


def test_vmap_and_vjp_around_a_loop() -> None:
    xs = np.array([0.1, 0.5, 0.9])
    f = lambda x: scan(lambda c, _: (gw.sin(c) * 1.1, None), x, None, 4)[0]  # noqa: E731
    assert_compiled(gw.vmap(f), (xs,), (xs * 2.0,))
    assert_compiled(lambda x: vjp(f, x)[1](2.0), (0.5,), (1.0,))
    assert_compiled(hessian(lambda p: nested(p[0], p[1])), ([0.5, 1.1],), ([0.1, 0.2],))


def outcome(f: F, *args: Any) -> Any:
    """What a function returns, or the error that it raises."""
    try:
        return flat(f(*args))
    except GradwalkError as error:
        return f"{type(error).__name__}: {error}"


def one_counts(x: Any, cond: F, start: Any = 0.0) -> Any:
    """A loop of a counter, which is the same for all examples, and of numbers that differ."""
    return while_loop(cond, lambda s: (s[0] + 1.0, s[1] * 1.5 + x), (start, x))[1]


OF_EXAMPLES: dict[str, tuple[F, bool]] = {  # functions of one example, and whether vmap takes them
    "asks for a sum": (
        lambda x: while_loop(lambda s: gw.sum(s) < 30.0, lambda s: s * 1.5 + 1.0, x),
        False,
    ),
    "asks for an element": (
        lambda x: while_loop(lambda s: s[0] < 30.0, lambda s: s * 1.5 + 1.0, x),
        False,
    ),
    "asks what is used": (lambda x: while_loop(lambda s: s < x[0], lambda s: s + 1.0, 0.0), False),
    "asks for the opposite": (
        lambda x: while_loop(lambda s: not gw.sum(s) > 30.0, lambda s: s * 1.5 + 1.0, x),
        False,
    ),
    "differs after some steps": (
        lambda x: while_loop(lambda s: s[0] < 2.0, lambda s: (s[1], s[2], s[2]), (0.0, 0.0, x[0])),
        False,
    ),
    "asks inside of a scan": (
        lambda x: scan(lambda c, r: (c * 2.0 if c[0] > 1.0 else c + r, c), x, [1.0, 2.0])[0],
        False,
    ),
    "asks outside of loops": (lambda x: x * 2.0 if gw.sum(x) > 3.5 else x * 3.0, False),
    "asks inside of grad": (
        lambda x: grad(
            lambda x: gw.sum(while_loop(lambda s: s[0] < 30.0, lambda s: s * 1.5 + x, x))
        )(x),
        False,
    ),
    "counts": (lambda x: one_counts(x, lambda s: s[0] < 4.0), True),
    "counts in integers": (lambda x: one_counts(x, lambda s: s[0] < 4, 0), True),
    "counts inside of grad": (
        lambda x: grad(lambda x: gw.sum(one_counts(x * x, lambda s: s[0] < 4.0)))(x),
        True,
    ),
    "counts inside of jvp": (
        lambda x: jvp(lambda x: one_counts(x * x, lambda s: s[0] < 4.0), (x,), (x,))[1],
        True,
    ),
    "counts in a batch of a batch": (gw.vmap(lambda x: one_counts(x, lambda s: s[0] < 4.0)), True),
    "is the same for all": (
        lambda x: while_loop(lambda s: gw.sum(s) < 5.0, lambda s: s * 2.0, np.ones(2)) * x,
        True,
    ),
    "collects": (
        lambda x: scan(lambda c, r: ((c[0] + 1.0, c[1] * r * x), c), (0.0, x), [1.0, 2.0])[1],
        True,
    ),
}


@pytest.mark.parametrize("name", OF_EXAMPLES)
def test_a_batch_is_asked_what_it_is_asked_without_compile(name: str) -> None:
    f, taken = OF_EXAMPLES[name]
    xs = np.array([[1.0, 2.0], [5.0, 0.1]])
    for way in (gw.vmap(f), grad(lambda xs: sum(map(gw.sum, flatten(gw.vmap(f)(xs))[0])))):
        compiled = compile(way)
        for at in (xs, xs * 1.5):
            expected = outcome(way, at)
            assert isinstance(expected, str) is not taken, expected
            found = outcome(compiled, at)
            assert found == (pytest.approx(expected, rel=1e-13) if taken else expected)


@pytest.mark.parametrize("name", [name for name, (_, taken) in OF_EXAMPLES.items() if taken])
@pytest.mark.parametrize("mode", ["forward", "reverse"])
def test_a_jacobian_of_a_loop_is_that_without_compile(name: str, mode: Any) -> None:
    x = np.array([[1.0, 2.0], [5.0, 0.1]])[: 1 + ("batch" in name)]
    f = OF_EXAMPLES[name][0]
    assert_compiled(jacobian(f, mode=mode), (x if "batch" in name else x[0],))


def test_a_counter_of_a_batch_leaves_one_loop() -> None:
    f = gw.vmap(lambda x: one_counts(x, lambda s: s[0] < 50.0))
    assert_compiled(f, (np.array([0.1, 0.2]),), loops=1)


# --- drawn programs -------------------------------------------------------------------------------

STEPS: list[F] = [
    lambda a, b, w: (a * w, b + a),
    lambda a, b, w: (gw.sin(a) + b, a * b),
    lambda a, b, w: (gw.where(a > b, a, b * w), gw.tanh(b)),
    lambda a, b, w: (gw.maximum(a, w) * 0.5, gw.exp(-b * b)),
    lambda a, b, w: (a - 0.1 * b, (b**2 + w) / (1.0 + a * a)),
]


@st.composite
def loops(draw: Any) -> F:
    """A function of numbers with loops of drawn steps and lengths, one in another at times."""
    steps = draw(st.lists(st.sampled_from(STEPS), min_size=1, max_size=3))
    n, inner = draw(st.integers(0, 5)), draw(st.integers(0, 2))
    way = draw(st.sampled_from(["scan", "while"]))

    def f(a: Any, b: Any, w: Any) -> Any:
        def body(c: Any) -> Any:
            x, y = c
            for step in steps:
                x, y = step(x, y, w)
            if inner:
                x = scan(lambda d, _: (d * 0.5 + y, None), x, None, inner)[0]
            return x, y

        if way == "scan":
            x, y = scan(lambda c, _: (body(c), None), (a, b), None, n)[0]
        else:
            grow = lambda c: (*body(c[:2]), c[2] + 1.0)  # noqa: E731
            x, y, _ = while_loop(lambda c: c[2] < n, grow, (a, b, a * 0.0))
        return x * y + w

    return f


@given(f=loops(), x=st.tuples(*[st.sampled_from([-1.5, -0.25, 0.5, 1.0, 2.0])] * 3), data=st.data())
@examples(60, 8)
def test_random_loops(f: F, x: tuple[float, ...], data: Any) -> None:
    way = WAYS[data.draw(st.sampled_from(["itself", "grad", "jvp", "jvp of grad"]))]
    assert_compiled(way(f), x, tuple([v * 0.75 for v in x]))


def test_random_loops_have_the_bits_of_their_steps(bits: Any) -> None:
    for step in STEPS:
        run = lambda a, b, w, step=step: scan(lambda c, _: (step(*c, w), None), (a, b), None, 7)[0]  # noqa: E731
        compiled = compile(run)
        for at in ((0.5, 1.25, 0.9), (-1.0, 0.3, 1.7)):
            assert [bits(y) for y in compiled(*at)] == [bits(y) for y in run(*at)]


COLLECTED: dict[str, tuple[F, Any]] = {
    "one number of an array": (
        lambda c: scan(lambda c, _: (c * 0.5, c[0]), c, None, 3),
        [2.0, 1.0],
    ),
    "an array without axes": (lambda c: scan(lambda c, _: (c * 0.5, c), c, None, 3), 2.0),
    "arrays": (lambda c: scan(lambda c, _: (c * 0.5, c), c, None, 3), [2.0, 1.0]),
    "both": (lambda c: scan(lambda c, x: (c + x, (c, c[0], c[0] * x)), c, [1.0, 2.0]), [2.0, 1.0]),
    "of rows": (lambda c: scan(lambda s, x: (s + x, {"a": s * x, "b": x}), c[0], c), [2.0, 1.0]),
}


@pytest.mark.parametrize("name", COLLECTED)
@pytest.mark.parametrize("kind", [np.array, Tensor], ids=["array", "Tensor"])
def test_what_is_collected_is_an_array_where_it_is_without_compile(name: str, kind: Any) -> None:
    f, numbers = COLLECTED[name]
    x = kind(numbers)
    found, expected = (flatten(g(x)) for g in (compile(f), f))
    assert found[1].matches(expected[1])
    assert [np.shape(y) for y in found[0]] == [np.shape(y) for y in expected[0]]
    assert_compiled(lambda x: f(x)[1], (x,))
