"""`custom_rule`: black boxes in every mode and nesting, what they get, and what is refused."""

from __future__ import annotations

import math
import pickle
from collections import namedtuple
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import gradwalk
from gradwalk import (
    Tensor,
    Value,
    cos,
    custom_rule,
    debug,
    exp,
    fixed_point,
    grad,
    hessian,
    jacobian,
    jvp,
    linearize,
    no_grad,
    sin,
    taylor,
    value_and_grad,
    vjp,
    vmap,
)
from gradwalk.core.primitive import PRIMITIVES as KNOWN_ROWS
from gradwalk.errors import (
    GradientCheckError,
    LeakedTraceError,
    NotANumberError,
    OptionError,
    SizeError,
    UsageError,
)
from gradwalk.ops import TABLE

RANDOM = np.random.default_rng(7)
A = RANDOM.normal(size=(4, 3))
X, V, W = RANDOM.normal(size=3), RANDOM.normal(size=3), RANDOM.normal(size=4)


def close(found: Any, wanted: Any, tolerance: float = 1e-12) -> None:
    found, wanted = (np.asarray(getattr(x, "_data", x)) for x in (found, wanted))
    assert found.shape == wanted.shape
    np.testing.assert_allclose(found, wanted, rtol=tolerance, atol=tolerance)


# --- numbers --------------------------------------------------------------------------------------

SINE = {
    "vjp": custom_rule(lambda x: math.sin(x), vjp=lambda t, y, x: t * cos(x)),
    "jvp": custom_rule(lambda x: math.sin(x), jvp=lambda t, y, x: t * cos(x)),
    "both": custom_rule(
        lambda x: math.sin(x), vjp=lambda t, y, x: t * cos(x), jvp=lambda t, y, x: t * cos(x)
    ),
}
MODES = {"reverse": grad, "forward": lambda f: lambda x: jvp(f, (x,), (1.0,))[1]}


@pytest.mark.parametrize("rule", SINE)
@pytest.mark.parametrize("third", MODES)
@pytest.mark.parametrize("second", MODES)
@pytest.mark.parametrize("first", MODES)
def test_three_derivatives_in_all_nestings(first: str, second: str, third: str, rule: str) -> None:
    f: Any = SINE[rule]
    for mode, wanted in ((first, math.cos), (second, lambda x: -math.sin(x)), (third, None)):
        f = MODES[mode](f)
        assert f(0.7) == pytest.approx(wanted(0.7) if wanted else -math.cos(0.7), rel=1e-14)


@pytest.mark.parametrize("rule", SINE)
def test_values(rule: str) -> None:
    x = Value(0.7)
    y = SINE[rule](x) * 2.0
    assert (y.data, [type(y.data)]) == (2.0 * math.sin(0.7), [float])
    y.backward()
    assert x.grad == 2.0 * math.cos(0.7)
    first = gradwalk.gradients(SINE[rule](x), x, create_graph=True)
    assert gradwalk.gradients(first, x) == -math.sin(0.7)
    with no_grad():
        assert SINE[rule](x).operands == ()


def test_plain_numbers_are_left_alone() -> None:
    seen: list[Any] = []
    f = custom_rule(lambda *args: seen.append(args) or {"y": 3}, vjp=lambda *args: None)
    assert f(1, "text", X, 2.0) == {"y": 3}
    assert [type(x) for x in seen[0]] == [int, str, np.ndarray, float]


Pair = namedtuple("Pair", "product sum")


def two(a: float, b: dict[str, Any]) -> Pair:
    assert type(a) is type(b["b"]) is float
    assert b["n"] == 3
    return Pair(a * b["b"], [a + b["b"], "label", b["n"]])


def two_back(t: Pair, y: Pair, a: Any, b: dict[str, Any]) -> Any:
    assert t.sum[1:] == ["label", None]
    assert y.sum[1:] == ["label", 3]
    return t.product * b["b"] + t.sum[0], {"b": t.product * a + t.sum[0], "n": None}


def two_ahead(t: Any, y: Pair, a: Any, b: dict[str, Any]) -> Pair:
    assert t[1]["n"] is None
    return Pair(t[0] * b["b"] + a * t[1]["b"], [t[0] + t[1]["b"], None, None])


TWO = {"vjp": {"vjp": two_back}, "jvp": {"jvp": two_ahead}}


@pytest.mark.parametrize("rule", TWO)
def test_several_results_and_containers_of_numbers(rule: str) -> None:
    g = custom_rule(two, **TWO[rule])

    def f(a: Any, b: Any) -> Any:
        y = g(a, {"b": b, "n": 3})
        assert type(y) is Pair
        assert y.sum[1:] == ["label", 3]
        return y.product**2 * y.sum[0]

    def plain(a: Any, b: Any) -> Any:
        return (a * b) ** 2 * (a + b)

    for transform in (
        lambda f: grad(f, (0, 1))(2.0, 3.0),
        lambda f: jvp(f, (2.0, 3.0), (0.5, -1.0)),
        lambda f: hessian(f, (0, 1))(2.0, 3.0),
        lambda f: jacobian(grad(f, (0, 1)), (0, 1), mode="forward")(2.0, 3.0),
        lambda f: grad(lambda a, b: jvp(f, (a, b), (1.0, 2.0))[1], (0, 1))(2.0, 3.0),
    ):
        close(transform(f), transform(plain))
    a, b = Value(2.0), Value(3.0)
    f(a, b).backward()
    close((a.grad, b.grad), grad(plain, (0, 1))(2.0, 3.0))


@given(st.floats(-2.0, 2.0), st.floats(-2.0, 2.0))
def test_random_points(a: float, b: float) -> None:
    g = custom_rule(
        lambda a, b: math.exp(a) * math.sin(b),
        vjp=lambda t, y, a, b: (t * y, t * exp(a) * cos(b)),
    )

    def plain(a: Any, b: Any) -> Any:
        return exp(a) * sin(b)

    def curved(f: Any) -> Any:
        return hessian(lambda a, b: f(a * b, a), (0, 1))(a, b)

    close(curved(g), curved(plain))


def test_numbers_need_no_numpy(run_python: Callable[..., str]) -> None:
    program = """
import math, sys
from gradwalk import custom_rule, debug, fixed_point, cos, grad, implicit_function, jvp
back = lambda t, z, x, y: (t[0] * cos(x) * y + t[1], None)
f = custom_rule(lambda x, y: [math.sin(x) * y, x], vjp=back)
with debug():
    print(round(grad(grad(lambda x: f(x, 2.0)[0]))(1.0), 6))
root = implicit_function(lambda a, b: (a, b), lambda x, a, b: [x[0] - a, x[1] - b])
print(grad(lambda a: fixed_point(lambda x, a: 0.5 * x + a, 0.0, a) + root(a, a)[1])(1.0))
print("numpy" in sys.modules)
"""
    # The second argument has None, which is found wrong only by differences along it.
    with pytest.raises(AssertionError, match="vjp of argument 1"):
        run_python(program)
    assert run_python(program.replace("None)", "t[0] * z[0] / y)")).split()[1:] == ["3.0", "False"]


# --- arrays ---------------------------------------------------------------------------------------


def plain_numpy(x: Any) -> Any:
    assert type(x) is np.ndarray
    return np.sin(A @ x)


def numbers(x: Any) -> Any:
    """As C code sees it: plain arrays or an error."""
    return np.asarray(x)


PRIMITIVES = {
    "vjp": {"vjp": lambda t, y, x: A.T @ (t * cos(A @ x))},
    "vjp in numpy": {"vjp": lambda t, y, x: np.matmul(A.T, t * np.cos(np.matmul(A, x)))},
    "jvp": {"jvp": lambda t, y, x: (A @ t) * cos(A @ x)},
    "vjp in c": {"vjp": lambda t, y, x: A.T @ (numbers(t) * np.cos(A @ numbers(x)))},
    "jvp in c": {"jvp": lambda t, y, x: (A @ numbers(t)) * np.cos(A @ numbers(x))},
}
BLACK = [name for name in PRIMITIVES if name.endswith("in c")]
OPEN = [name for name in PRIMITIVES if name not in BLACK]


def reference(x: Any) -> Any:
    return sin(Tensor(A) @ x)


def weighted(f: Any) -> Any:
    return lambda x: (f(x) * W).sum()


@pytest.mark.parametrize("rule", PRIMITIVES)
def test_first_derivatives_of_arrays(rule: str) -> None:
    g = custom_rule(plain_numpy, **PRIMITIVES[rule], check=True)
    close(g(X), np.sin(A @ X))
    assert type(g(X)) is np.ndarray
    assert type(g(Tensor(X))) is Tensor
    wanted = grad(weighted(reference))(X)
    close(grad(weighted(g))(X), wanted)
    close(vjp(g, X)[1](W)[0], wanted)
    close(jvp(g, (X,), (V,))[1], jvp(reference, (X,), (V,))[1])
    close(linearize(g, X)[1](V), jvp(reference, (X,), (V,))[1])
    for mode in ("forward", "reverse"):
        close(jacobian(g, mode=mode)(X), jacobian(reference)(X))
    x = Tensor(X, requires_grad=True)
    weighted(g)(x).backward()
    close(x.grad, wanted)
    close(gradwalk.gradients(g(x), x, gradient=W), wanted)


SECOND: dict[str, Callable[[Any], Any]] = {
    "hessian": lambda f: hessian(f)(X),
    "forward over reverse": lambda f: jvp(grad(f), (X,), (V,))[1],
    "reverse over forward": lambda f: grad(lambda x: jvp(f, (x,), (V,))[1])(X),
    "reverse over reverse": lambda f: grad(lambda x: grad(f)(x) @ V)(X),
    "forward over forward": lambda f: jvp(lambda x: jvp(f, (x,), (V,))[1], (X,), (V,))[1],
    "third": lambda f: grad(lambda x: jvp(grad(f), (x,), (V,))[1] @ V)(X),
    "batch": lambda f: vmap(grad(f))(np.outer([1.0, 2.0], X)),
    "through a batch": lambda f: grad(lambda x: vmap(f)(x).sum())(np.outer([1.0, 2.0], X)),
}


@pytest.mark.parametrize("transform", SECOND)
@pytest.mark.parametrize("rule", OPEN)
def test_derivatives_of_derivatives_of_arrays(rule: str, transform: str) -> None:
    g = custom_rule(plain_numpy, **PRIMITIVES[rule])
    run = SECOND[transform]
    close(run(weighted(g)), run(weighted(reference)))


@pytest.mark.parametrize("rule", OPEN)
def test_graphs_of_gradients(rule: str) -> None:
    g = custom_rule(plain_numpy, **PRIMITIVES[rule])
    x = Tensor(X, requires_grad=True)
    first = gradwalk.gradients(weighted(g)(x), x, create_graph=True)
    wanted = jvp(grad(weighted(reference)), (X,), (V,))[1]
    close(gradwalk.gradients((first * V).sum(), x), wanted)


@pytest.mark.parametrize("rule", BLACK)
@pytest.mark.parametrize("transform", ["hessian", "forward over reverse", "reverse over forward"])
def test_a_black_box_is_not_differentiated_twice(rule: str, transform: str) -> None:
    g = custom_rule(plain_numpy, **PRIMITIVES[rule], name="sine")
    with pytest.raises(OptionError, match=rf"sine: {rule[:3]}.*a black box.*Write {rule[:3]} in"):
        SECOND[transform](weighted(g))


def test_too_many_numbers_for_a_black_box_in_the_other_mode() -> None:
    g = custom_rule(lambda x: x, vjp=lambda t, y, x: numbers(t) + 0.0, name="same")
    x = np.ones(1001)
    assert grad(lambda x: g(x).sum())(x).sum() == 1001.0
    with pytest.raises(OptionError, match=r"same: vjp: expected at most 1000 numbers.*got 1001"):
        jvp(g, (x,), (x,))
    close(jvp(g, (x[:9],), (x[:9],))[1], x[:9])


def test_a_black_box_on_a_cotangent_that_is_traced() -> None:
    """Linear in the cotangent: its matrix is exact, and can be differentiated by what is left."""
    g = custom_rule(plain_numpy, **PRIMITIVES["vjp in c"])

    def f(w: Any) -> Any:
        return (vjp(g, X)[1](w)[0] ** 2).sum()

    def wanted(w: Any) -> Any:
        return (vjp(reference, X)[1](w)[0] ** 2).sum()

    close(grad(f)(W), grad(wanted)(W))
    h = custom_rule(lambda x: math.sin(x), vjp=lambda t, y, x: float(t) * math.cos(x))
    assert grad(lambda w: vjp(h, 0.5)[1](w)[0] ** 2)(3.0) == pytest.approx(6.0 * math.cos(0.5) ** 2)


# --- numbers among arrays -------------------------------------------------------------------------


def mixed(a: float, x: Any, n: int) -> Any:
    assert type(a) is float
    return {"s": float(np.sum(x)) * a * n, "v": x * a, "n": n}


def mixed_back(t: Any, y: Any, a: Any, x: Any, n: int) -> Any:
    assert (t["n"], y["n"]) == (None, n)
    return t["s"] * x.sum() * n + (t["v"] * x).sum(), t["s"] * a * n * np.ones(3) + t["v"] * a, None


def mixed_ahead(t: Any, y: Any, a: Any, x: Any, n: int) -> Any:
    return {"s": (t[0] * x.sum() + a * t[1].sum()) * n, "v": t[0] * x + a * t[1], "n": None}


MIXED = {"vjp": {"vjp": mixed_back}, "jvp": {"jvp": mixed_ahead}}


@pytest.mark.parametrize("rule", MIXED)
def test_numbers_among_arrays(rule: str) -> None:
    g = custom_rule(mixed, **MIXED[rule], check=True)

    def f(a: Any, x: Any) -> Any:
        y = g(a, x, 2)
        assert y["n"] == 2
        return y["s"] * a + (y["v"] ** 2).sum()

    def plain(a: Any, x: Any) -> Any:
        return 2.0 * a * a * x.sum() + ((x * a) ** 2).sum()

    for transform in (
        lambda f: grad(f, (0, 1))(1.5, X),
        lambda f: jvp(f, (1.5, X), (1.0, V)),
        lambda f: grad(lambda a, x: (grad(f, 1)(a, x) * V).sum(), (0, 1))(1.5, X),
        lambda f: jvp(grad(f, (0, 1)), (1.5, X), (1.0, V))[1],
    ):
        for found, wanted in zip(transform(f), transform(plain), strict=True):
            close(found, wanted)
    a, x = Value(1.5), Tensor(X, requires_grad=True)
    f(a, x).backward()
    close(a.grad, grad(plain)(1.5, X))
    close(x.grad, grad(plain, 1)(1.5, X))


def test_precision_stays() -> None:
    g = custom_rule(np.sin, vjp=lambda t, y, x: t * np.cos(x), check=True)
    for dtype in (np.float32, np.float16):
        x = X.astype(dtype)
        assert grad(lambda x: g(x).sum())(x).dtype == dtype
        assert jvp(g, (x,), (x,))[1].dtype == dtype


def test_batches_call_the_black_box_once_for_each_example() -> None:
    seen: list[Any] = []

    def one(x: Any) -> Any:
        seen.append(x)
        return np.cumsum(x)

    g = custom_rule(
        one, vjp=lambda t, y, x: gradwalk.flip(gradwalk.cumulative_sum(gradwalk.flip(t)))
    )
    xs = np.arange(6.0).reshape(2, 3)
    close(vmap(g)(xs), np.cumsum(xs, axis=1))
    assert [x.tolist() for x in seen] == xs.tolist()
    close(vmap(lambda x: vmap(g)(x))(xs[None]), np.cumsum(xs, axis=1)[None])


def test_series_and_patterns() -> None:
    assert list(taylor(SINE["vjp"], 0.7, 3)) == pytest.approx(list(taylor(sin, 0.7, 3)))
    g = custom_rule(np.cumsum, jvp=lambda t, y, x: gradwalk.cumulative_sum(t))
    dense = gradwalk.sparse_jacobian(g, X)
    close(dense.toarray(), np.tri(3))


# --- what the black box gets and gives ------------------------------------------------------------


def test_it_may_do_as_it_likes_with_its_arrays() -> None:
    shared = np.zeros(3)

    def f(x: Any) -> Any:
        np.sin(x, out=shared)
        x[:] = np.nan
        return shared

    g = custom_rule(f, vjp=lambda t, y, x: t * (cos(x) + y))
    x = Tensor(X, requires_grad=True)
    y = g(x)
    shared[:] = 5.0
    close(y, np.sin(X))
    y.sum().backward()
    close(x.grad, np.cos(X) + np.sin(X))


def test_it_is_called_once() -> None:
    calls: list[Any] = []
    g = custom_rule(lambda x: calls.append(x) or x * 2.0, vjp=lambda t, y, x: t * 2.0)
    for x in (3.0, X):
        for f in (grad(lambda x: g(x).sum() if hasattr(x, "sum") else g(x)), g):
            calls.clear()
            f(x)
            assert len(calls) == 1
    calls.clear()
    hessian(lambda x: (g(x) ** 2).sum())(X)
    assert len(calls) == 1


def test_the_rule_is_called_once_for_all_arguments() -> None:
    calls: list[Any] = []

    def back(t: Any, y: Any, a: Any, b: Any, c: Any) -> Any:
        calls.append(t)
        return t * b, t * a, None

    g = custom_rule(lambda a, b, c: a * b, vjp=back)
    for args in ((2.0, 3.0, 4.0), (X, X, X)):
        calls.clear()
        found = grad(lambda *xs: gradwalk.sum(g(*xs)), (0, 1, 2))(*args)
        assert len(calls) == 1
        close(found[0], args[1])
        close(found[2], np.zeros_like(args[2]))


def test_keywords_and_other_arguments_are_constants() -> None:
    @custom_rule(vjp=lambda t, y, x, how, n, *, power: (t * power * x ** (power - 1.0), None, None))
    def f(x: Any, how: Any, n: Any, *, power: float) -> Any:
        """Documented."""
        assert how == "well"
        assert type(n) is np.ndarray or n == 3
        assert type(power) is float
        return x**power

    assert (f.__name__, f.__doc__) == ("f", "Documented.")
    assert grad(f)(2.0, "well", 3, power=3.0) == 12.0
    x = Value(2.0)
    f(x, "well", Tensor([1, 2]), power=3.0).backward()
    assert x.grad == 12.0
    with pytest.raises(OptionError, match=r"f\(power=\.\.\.\).*constant"):
        grad(lambda p: f(2.0, "well", 3, power=p))(3.0)
    with no_grad():
        assert f(2.0, "well", 3, power=Value(3.0)) == 8.0


def test_methods() -> None:
    class Scaled:
        def __init__(self, by: float) -> None:
            self.by = by

        @custom_rule(vjp=lambda t, y, self, x: (None, t * self.by))
        def __call__(self, x: float) -> float:
            return x * self.by

    assert grad(lambda x: Scaled(4.0)(x))(2.0) == 4.0


def test_one_argument_in_a_tuple() -> None:
    for give in (lambda c: c, lambda c: (c,), lambda c: [c]):
        g = custom_rule(lambda x: x[0] * 3.0, vjp=lambda t, y, x, give=give: give((t * 3.0,)))
        assert grad(g)((2.0,)) == (3.0,)
        h = custom_rule(lambda x: x * 3.0, vjp=lambda t, y, x, give=give: give(t * 3))
        assert grad(h)(2.0) == 3.0


def test_results_without_derivatives() -> None:
    g = custom_rule(lambda x: int(x), vjp=lambda *args: None)
    assert value_and_grad(lambda x: x * g(x))(2.5) == (5.0, 2.0)


def test_none_is_no_contribution() -> None:
    g = custom_rule(lambda x: x, vjp=lambda t, y, x: None, jvp=lambda t, y, x: None)
    assert grad(lambda x: g(x) + x)(2.0) == 1.0
    assert jvp(g, (2.0,), (1.0,)) == (2.0, 0.0)
    close(grad(lambda x: (g(x) + x).sum())(X), np.ones(3))
    close(jvp(g, (X,), (V,))[1], np.zeros(3))
    h = custom_rule(lambda x: x, vjp=lambda t, y, x: None)
    close(jvp(h, (X,), (V,))[1], np.zeros(3))
    assert jvp(h, (2.0,), (1.0,)) == (2.0, 0.0)


def test_integers_are_as_good_as_floats_in_a_rule() -> None:
    assert grad(custom_rule(lambda x: x, vjp=lambda t, y, x: 0))(2.0) == 0.0


def test_stopped_recording_inside_of_forward_mode() -> None:
    def f(x: Any) -> Any:
        with no_grad():
            return SINE["vjp"](x) * x

    assert jvp(f, (2.0,), (1.0,))[1] == 0.0

    def arrays(x: Any) -> Any:
        with no_grad():
            return custom_rule(np.sin, vjp=lambda t, y, x: t)(x) * 2.0

    close(jvp(arrays, (X,), (V,))[1], np.zeros(3))


# --- what is refused ------------------------------------------------------------------------------


def refused(give: Callable[..., Any], x: Any = 2.0, **options: Any) -> Any:
    g = custom_rule(lambda *args: args[0], vjp=give, name="mine", **options)
    return grad(lambda *xs: gradwalk.sum(g(*xs)) if hasattr(x, "shape") else g(*xs))(
        *(x if isinstance(x, tuple) else (x,))
    )


NUMBERS, SHAPE = (
    r"vjp of argument 0: expected floating numbers",
    r"vjp of argument 0: expected shape",
)
WRONG: list[Any] = [
    (lambda t, y, x: "text", 2.0, SizeError, r"mine: vjp: expected the structure .*, \*, got str"),
    (lambda t, y, x: (t, t), 2.0, SizeError, r"structure of the argument, \*, got tuple\("),
    (lambda t, y, x: True, 2.0, NotANumberError, NUMBERS + ", got bool"),
    (lambda t, y, x: object(), 2.0, NotANumberError, NUMBERS),
    (lambda t, y, x: t[:2], X, SizeError, SHAPE + r" \(3,\).*got shape \(2,\)"),
    (lambda t, y, x: 0.0, X, SizeError, SHAPE + r" \(3,\).*got shape \(\)"),
    (lambda t, y, a, b: t, (2.0, 3.0), SizeError, "a tuple of 2, one cotangent for each.*float"),
    (lambda t, y, a, b: (t,), (2.0, 3.0), SizeError, "a tuple of 2, .*got a tuple of 1"),
    (lambda t, y, a, b: (t, [t]), (2.0, 3.0), SizeError, r"structure of argument 1, \*, got list"),
]


@pytest.mark.parametrize(("give", "x", "error", "message"), WRONG)
def test_wrong_structures_and_shapes(give: Any, x: Any, error: Any, message: str) -> None:
    with pytest.raises(error, match=message):
        refused(give, x)


def test_wrong_tangents() -> None:
    g = custom_rule(lambda x: {"y": x}, jvp=lambda t, y, x: t, name="mine")
    with pytest.raises(SizeError, match=r"mine: jvp: expected the structure of the result, dict"):
        jvp(g, (2.0,), (1.0,))
    h = custom_rule(lambda x: x, jvp=lambda t, y, x: t.sum(), name="mine")
    with pytest.raises(SizeError, match=r"mine: jvp of the result: expected shape \(3,\)"):
        jvp(h, (X,), (V,))


def test_mistakes_in_a_rule_are_seen_as_they_are() -> None:
    with pytest.raises(ZeroDivisionError):
        refused(lambda t, y, x: t / 0)
    with pytest.raises(UsageError, match=r"custom_rule\(vjp=...\): expected a function of t, the"):
        refused(lambda t: t)


def test_no_rule_and_no_function() -> None:
    with pytest.raises(OptionError, match=r"custom_rule: .*neither vjp nor jvp"):
        custom_rule(math.sin)
    with pytest.raises(
        OptionError, match=r"custom_rule: expected a derivative.*neither vjp nor jvp"
    ):
        custom_rule()
    with pytest.raises(OptionError, match=r"custom_rule\(f\): expected a function"):
        custom_rule(2.0, vjp=lambda t, y, x: t)  # type: ignore[arg-type]


def test_what_it_closes_over_is_not_lost_in_silence() -> None:
    def outer(w: Any) -> Any:
        g = custom_rule(lambda x: x * w, vjp=lambda t, y, x: t * w, name="scale")
        return g(3.0)

    with pytest.raises(OptionError, match=r"scale: the result: expected plain numbers.*around it"):
        grad(outer)(2.0)
    with pytest.raises(OptionError, match="expected plain numbers"):
        jvp(lambda w: outer(w)[0], (X,), (V,))


def test_leaks_are_noticed() -> None:
    held: list[Any] = []
    jvp(lambda x: held.append(x) or x, (2.0,), (1.0,))
    with pytest.raises(LeakedTraceError, match="jvp, which has ended"):
        SINE["vjp"](held[0])
    jvp(lambda x: held.append(x) or x, (X,), (V,))
    with pytest.raises(LeakedTraceError):
        custom_rule(np.sin, vjp=lambda t, y, x: t)(held[1])


def test_its_node_is_not_pickled() -> None:
    with pytest.raises(OptionError, match=r"pickling a graph.*whose derivative is a function"):
        pickle.dumps(SINE["vjp"](Value(2.0)))


def test_names_and_rows_of_others_stay() -> None:
    before = dict(KNOWN_ROWS)
    g = custom_rule(lambda x: x, vjp=lambda t, y, x: t, name="exp")
    assert g(Value(2.0)).op == "exp"
    assert g(Tensor(X, requires_grad=True)).op == "exp"
    custom_rule(lambda x: x, vjp=lambda t, y, x: t, name="nobody else")(Value(1.0))
    assert before == KNOWN_ROWS
    assert KNOWN_ROWS["exp"] is TABLE["exp"]


# --- doubt ----------------------------------------------------------------------------------------


def test_wrong_rules_are_noticed() -> None:
    product = {"f": lambda a, b: a * b, "name": "product"}
    swapped = custom_rule(**product, vjp=lambda t, y, a, b: (t * b, t * b))
    with debug(), pytest.raises(GradientCheckError, match=r"product: vjp of argument 1: expected"):
        grad(swapped)(2.0, 3.0)
    with debug(), pytest.raises(GradientCheckError, match="vjp of argument 1"):
        swapped(X, 2.0 * X)
    halved = custom_rule(**product, jvp=lambda t, y, a, b: t[0] * b + 0.999 * a * t[1])
    with debug(), pytest.raises(GradientCheckError, match="jvp of argument 1"):
        halved(X, 2.0 * X)
    assert grad(swapped)(2.0, 3.0) == 3.0  # trusted, outside


def test_both_rules_are_doubted() -> None:
    g = custom_rule(math.sin, vjp=lambda t, y, x: t * cos(x), jvp=lambda t, y, x: t, check=True)
    with pytest.raises(GradientCheckError, match="sin: jvp of argument 0"):
        g(1.0)


def test_doubt_comes_once_for_each_shape() -> None:
    calls: list[Any] = []
    g = custom_rule(lambda x: calls.append(1) or np.sin(x), vjp=lambda t, y, x: t * np.cos(x))
    counts = []
    with debug():
        for x in (X, V, W, W, X):
            calls.clear()
            g(x)
            counts.append(len(calls))
    assert counts == [5, 1, 5, 1, 1]


def test_who_doubts() -> None:
    wrong = {"vjp": lambda t, y, x: t * 2.0}
    trusted = custom_rule(lambda x: x, **wrong, check=False)
    with debug():
        assert grad(trusted)(1.0) == 2.0
        with debug(False):
            assert grad(custom_rule(lambda x: x, **wrong))(1.0) == 2.0
        with pytest.raises(GradientCheckError):
            custom_rule(lambda x: x, **wrong)(1.0)

    @debug()
    def doubtful() -> None:
        with pytest.raises(GradientCheckError):
            custom_rule(lambda x: x, **wrong)(1.0)

    doubtful()


def test_the_environment_may_doubt(run_python: Callable[..., str]) -> None:
    program = """
from gradwalk import custom_rule
from gradwalk.errors import GradientCheckError
try:
    custom_rule(lambda x: x, vjp=lambda t, y, x: t * 2.0)(1.0)
except GradientCheckError:
    print("noticed")
"""
    assert run_python(program, GRADWALK_DEBUG="1") == "noticed\n"
    assert run_python(program, GRADWALK_DEBUG="0") == ""


def test_no_verdict_where_differences_are_not_finite() -> None:
    g = custom_rule(lambda x: np.log(x), vjp=lambda t, y, x: t / x, check=True)
    with np.errstate(all="ignore"):
        g(np.array([0.0]))
    g(np.array([1e-300, 1.0, 1e300]))
    g = custom_rule(
        lambda x: fixed_point(lambda y, x: 0.5 * y + x, 0.0, x), vjp=lambda t, y, x: 2.0 * t
    )
    with debug():
        assert grad(g)(1.0) == 2.0


NO_RULE: list[tuple[dict[str, Any], str]] = [
    ({"vjp": 3}, r"custom_rule\(vjp=\.\.\.\): expected a function.*got int 3"),
    ({"jvp": "t"}, r"custom_rule\(jvp=\.\.\.\): expected a function.*got str 't'"),
    ({"vjp": np.sin, "jvp": 0.0}, r"custom_rule\(jvp=\.\.\.\): expected a function"),
    ({"vjp": False, "jvp": np.sin}, r"custom_rule\(vjp=\.\.\.\): expected a function"),
    ({"vjp": np.sin, "name": 3}, r"custom_rule\(name=\.\.\.\): expected text.*got int 3"),
    ({"vjp": np.sin, "check": "no"}, r"custom_rule\(check=\.\.\.\): expected True, False or None"),
    ({"vjp": np.sin, "check": np.ones(2)}, r"custom_rule\(check=\.\.\.\)"),
]


@pytest.mark.parametrize(("options", "message"), NO_RULE)
def test_what_is_no_rule_is_refused_at_once(options: dict[str, Any], message: str) -> None:
    with pytest.raises(OptionError, match=message):
        custom_rule(math.sin, **options)
    with pytest.raises(OptionError, match=message):
        custom_rule(**options)  # as a decorator: before there is a function


@pytest.mark.parametrize(
    "wrap", [lambda f: f, gradwalk.compile, gradwalk.grad], ids=["plain", "compile", "grad"]
)
def test_two_results_of_one_shape_are_two_arrays(wrap: Any) -> None:
    both = gradwalk.custom_rule(
        lambda x, y: (gradwalk.sin(x) * y, x + y), vjp=lambda t, r, x, y: (7.0 * t[0], t[1] * y)
    )
    x = np.array([0.3, 0.5, 0.7])
    u, v = both(Tensor(x, requires_grad=True), 2.0)
    assert np.allclose(u.data, np.sin(x) * 2.0)
    assert np.allclose(v.data, x + 2.0)

    def total(x: Any) -> Any:
        u, v = both(x, 2.0 * x)
        assert u.shape == v.shape == (3,)
        return (u + v).sum()

    found = wrap(total)(x)
    expected = 7.0 + 4.0 * x if wrap is gradwalk.grad else (np.sin(x) * 2.0 * x + 3.0 * x).sum()
    assert np.allclose(found, expected)
