"""Random programs through every transform, and through every pair of them, both ways.

Derivatives are compared with differences and with each other (forward = reverse); what maps or runs
again, with the plain program.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import gradwalk as gw
from gradwalk import (
    Tensor,
    check_grads,
    checkpoint,
    divergence,
    fixed_point,
    grad,
    gradient_and_hessian_diagonal,
    hessian,
    hvp,
    jacobian,
    jvp,
    laplacian,
    linearize,
    no_grad,
    scan,
    stop_gradient,
    taylor,
    value_and_grad,
    vhp,
    vjp,
    vmap,
    while_loop,
)
from gradwalk.errors import GradientCheckError
from gradwalk.levels.level import unwrap
from gradwalk.ops import TABLE
from gradwalk.transforms.lines import Line

from ..helpers.amount import examples

Function = Callable[[Any], Any]
LARGEST = 30.0
MARGIN = 0.05  # of an argument to a kink
SAME = {"rtol": 1e-9, "atol": 1e-9}


# --- programs on numbers --------------------------------------------------------------------------

SMOOTH = ["add", "sub", "mul", "neg", "square", "sin", "cos", "atan", "tanh", "asinh", "erf"]
SMOOTH += ["sigmoid", "softplus", "log_sigmoid", "silu", "gelu", "sinc", "logaddexp", "fma"]
NUMBER = st.integers(-2000, 2000).map(lambda k: (k + 0.5) / 1000.0)


class OnNumbers(NamedTuple):
    """Straight-line code on one number: each step applies a row to earlier results or numbers."""

    steps: tuple[tuple[str, tuple[int | float, ...]], ...]

    def __call__(self, x: Any) -> Any:
        known = [x]
        for name, args in self.steps:
            known.append(TABLE[name](*[known[a] if type(a) is int else a for a in args]))
        return known[-1]


@st.composite
def on_numbers(draw: Any, length: int = 6) -> OnNumbers:
    steps = []
    for known in range(1, 1 + draw(st.integers(1, length))):
        name = draw(st.sampled_from(SMOOTH))
        place = st.integers(max(0, known - 3), known - 1)
        args = [draw(st.one_of(place, place, NUMBER)) for _ in range(TABLE[name].arity)]
        args[0] = known - 1  # every step has a part in the result
        steps.append((name, tuple(args)))
    return OnNumbers(tuple(steps))


# --- programs on arrays ---------------------------------------------------------------------------

SHAPE = (2, 3)
PICKS = np.array([1, 0, 1])
SIDE = np.array([[0.3, -0.7, 1.1], [0.9, 0.2, -0.4], [-0.5, 0.8, 0.6]])

ONE: dict[str, Function] = {
    "tanh": gw.tanh,
    "exp": lambda x: gw.exp(gw.sin(x)),
    "reciprocal": lambda x: 1.0 / (1.5 + gw.cos(x)),
    "root": lambda x: gw.sqrt(2.0 + x * x),
    "power": lambda x: (2.5 + gw.sin(x)) ** 1.7,
    "sum": lambda x: x + x.sum() * 0.2,
    "rows": lambda x: x * x.mean(axis=1, keepdims=True),
    "columns": lambda x: x - x.sum(axis=0),
    "variance": lambda x: x * x.var(axis=1, keepdims=True),
    "product": lambda x: x + x.prod(axis=0) * 0.5,
    "softmax": lambda x: gw.softmax(x) * 3.0,
    "log of sums": lambda x: x - gw.logsumexp(x, axis=0),
    "sums so far": lambda x: gw.cumulative_sum(x, axis=1),
    "first row": lambda x: x * x[0],
    "every other": lambda x: x + x[:, ::2].sum(),
    "backwards": lambda x: x[::-1, ::-1] + x,
    "picked": lambda x: x[PICKS][:2] * x,
    "picked columns": lambda x: x[:, PICKS] + gw.sin(x),
    "one number": lambda x: x * x[1, 2],
    "turned": lambda x: gw.reshape(x.T, SHAPE) * 0.7,
    "spread": lambda x: gw.broadcast_to(x[:, :1], SHAPE) * x,
    "affine": lambda x: x @ SIDE,
    "gram": lambda x: (x @ x.T) @ x * 0.3,
    "solved": lambda x: gw.linalg.solve(x @ x.T + 2.0 * np.eye(2), x),
    "joined": lambda x: gw.concat([x[1:], x[:1] * 2.0]),
    "stacked": lambda x: gw.stack([x[0], x[1] * x[0]], axis=0),
    "length": lambda x: x / gw.sqrt(1.0 + (x * x).sum()),
}
TWO: dict[str, Callable[[Any, Any], Any]] = {
    "add": lambda a, b: a + b,
    "mul": lambda a, b: a * b,
    "divide": lambda a, b: a / (2.0 + b * b),
    "outer": lambda a, b: a * b[:, :1] - b[:1],
    "matmul": lambda a, b: (a @ b.T) @ a * 0.2,
    "halves": lambda a, b: gw.concat([a[:1], b[1:]]),
    "larger": lambda a, b: gw.logaddexp(a, b),
}
KINKED: dict[str, tuple[Function, Function]] = {  # and how far from a kink it is
    "relu": (lambda x: gw.relu(x) + 0.1 * x, lambda x: x),
    "where": (lambda x: gw.where(x > 0.2, gw.sin(x), x * x), lambda x: x - 0.2),
    "clip": (lambda x: gw.clip(x, -0.8, 0.9) * x, lambda x: (x + 0.8) * (x - 0.9)),
    "abs": (lambda x: gw.abs(x) * 0.5, lambda x: x),
    "largest": (lambda x: x - x.max(axis=1, keepdims=True), lambda x: _gaps(x)),
    "sorted": (lambda x: gw.sort(x, axis=1) * x, lambda x: _gaps(x)),
}


def _gaps(x: Any) -> Any:
    return np.diff(np.sort(x, axis=1), axis=1)


class OnArrays(NamedTuple):
    """Straight-line code on one array of shape (2, 3); every step has a result of that shape."""

    steps: tuple[tuple[str, int], ...]

    def __call__(self, x: Any) -> Any:
        return self.run(x)[-1]

    def run(self, x: Any) -> list[Any]:
        known = [x]
        for name, place in self.steps:
            last = known[-1]
            if name in TWO:
                known.append(TWO[name](last, known[place]))
            else:
                known.append(ONE[name](last) if name in ONE else KINKED[name][0](last))
        return known

    def is_tame(self, x: Any) -> bool:
        """Whether all numbers are of a reasonable size, and away from kinks."""
        known = [unwrap(a) for a in self.run(Tensor(x))]
        gaps = [
            np.min(np.abs(KINKED[name][1](a)), initial=1.0)
            for (name, _), a in zip(self.steps, known, strict=False)
            if name in KINKED
        ]
        return max(np.abs(a).max() for a in known) < LARGEST and min(gaps, default=1.0) > MARGIN


@st.composite
def on_arrays(draw: Any, length: int = 5) -> OnArrays:
    names = st.sampled_from([*ONE, *TWO, *KINKED])
    count = draw(st.integers(1, length))
    return OnArrays(tuple([(draw(names), draw(st.integers(0, i))) for i in range(count)]))


@st.composite
def points(draw: Any) -> Any:
    return np.array(draw(st.lists(NUMBER, min_size=6, max_size=6))).reshape(SHAPE)


# --- a direction, and weights of the results ------------------------------------------------------

V = np.array([[0.7, -1.1, 0.4], [0.3, 0.9, -0.6]])
U = np.array([[-0.5, 0.8, 1.2], [1.0, -0.4, 0.6]])


def numbers(x: Any) -> Any:
    return np.asarray(unwrap(x), float)


def agree(found: Any, expected: Any, **close: float) -> None:
    assert np.shape(numbers(found)) == np.shape(numbers(expected))
    scale = max(1.0, np.abs(numbers(expected)).max(initial=0.0))
    near = {**SAME, **close}
    np.testing.assert_allclose(
        numbers(found), numbers(expected), rtol=near["rtol"], atol=near["atol"] * scale
    )


def slope(f: Function, x: Any, v: Any, u: Any) -> tuple[float, float]:
    """⟨u, ∂f/∂x v⟩ by differences, and what may be wrong about it."""
    line = Line(lambda xs: [f(xs[0])], [x], [v], [u])
    found = line.slope(lambda size: 1e-7 * size + 1e-9, None)
    allowed = 1e-6 * found.size + 1e-8 + 4.0 * found.error
    assume(allowed < 1e-3 * (1.0 + found.size))  # otherwise differences tell nothing
    return found.value, allowed


def expect_slopes(f: Function, x: Any, v: Any, u: Any, claims: dict[str, Any]) -> None:
    """Every claim agrees with differences, and all of them with each other."""
    value, allowed = slope(f, x, v, u)
    for name, claim in claims.items():
        assert abs(float(numbers(claim)) - value) <= allowed, name
        agree(claim, next(iter(claims.values())))


def dot(a: Any, b: Any) -> Any:
    return (a * b).sum() if hasattr(a, "shape") and hasattr(b, "shape") else a * b


def weighted(f: Function, u: Any) -> Function:
    return lambda x: dot(f(x), u)


def first_derivatives(f: Function, x: Any, v: Any, u: Any) -> dict[str, Any]:
    """⟨u, ∂f/∂x v⟩ by all transforms that know it."""
    forward, reverse = jacobian(f, mode="forward")(x), jacobian(f, mode="reverse")(x)
    agree(forward, reverse)
    axes = np.ndim(x)
    claims = {
        "vjp": dot(vjp(f, x)[1](u)[0], v),
        "jvp": dot(u, jvp(f, (x,), (v,))[1]),
        "grad": dot(grad(weighted(f, u))(x), v),
        "value_and_grad": dot(value_and_grad(weighted(f, u))(x)[1], v),
        "linearize": dot(u, linearize(f, x)[1](v)),
        "jacobian": dot(u, np.tensordot(forward, v, axes)) if axes else u * forward * v,
        "taylor": taylor(lambda h: dot(f(x + h * v), u), 0.0, 1)[1],
    }
    agree(jvp(f, (x,), (v,))[0], f(_carried(x)))
    agree(vjp(f, x)[0], f(_carried(x)))
    return claims


def second_derivatives(f: Function, x: Any, v: Any, u: Any) -> dict[str, Any]:
    """vᵀ H v, where H is the Hessian of ⟨u, f⟩, by all transforms that know it."""
    g, axes = weighted(f, u), np.ndim(x)
    whole = hessian(g)(x)
    diagonal = gradient_and_hessian_diagonal(g, x)[1]
    if axes:
        square = np.reshape(whole, (6, 6))
        agree(square, square.T)
        agree(diagonal, np.reshape(np.diag(square), SHAPE))
        agree(laplacian(g, x), np.trace(square))
        agree(divergence(grad(g), x), np.trace(square))
    return {
        "hvp": dot(v, hvp(g, x, v)),
        "vhp": dot(v, vhp(g, x, v)),
        "hessian": dot(v, np.tensordot(whole, v, axes)) if axes else v * whole * v,
        "jvp of grad": dot(v, jvp(grad(g), (x,), (v,))[1]),
        "grad of jvp": dot(v, grad(lambda x: jvp(g, (x,), (v,))[1])(x)),
        "grad of grad": dot(v, grad(lambda x: dot(grad(g)(x), v))(x)),
        "jvp of jvp": jvp(lambda x: jvp(g, (x,), (v,))[1], (x,), (v,))[1],
        "taylor": taylor(lambda h: g(x + h * v), 0.0, 2).derivatives[2],
    }


def _carried(x: Any) -> Any:
    return Tensor(x) if np.ndim(x) else gw.Value(x)


# --- each transform -------------------------------------------------------------------------------


@examples(60)
@given(f=on_numbers(), x=NUMBER)
def test_numbers(f: OnNumbers, x: float) -> None:
    assume(abs(f(x)) < LARGEST)
    expect_slopes(f, x, 0.7, -1.3, first_derivatives(f, x, 0.7, -1.3))


@examples(40)
@given(f=on_numbers(), x=NUMBER)
def test_second_derivatives_of_numbers(f: OnNumbers, x: float) -> None:
    assume(abs(f(x)) < LARGEST)
    moved = lambda x: jvp(f, (x,), (0.7,))[1]  # noqa: E731
    expect_slopes(moved, x, 0.7, -1.3, second_derivatives(f, x, 0.7, -1.3))


@examples(80)
@given(f=on_arrays(), x=points())
def test_arrays(f: OnArrays, x: Any) -> None:
    assume(f.is_tame(x))
    expect_slopes(f, x, V, U, first_derivatives(f, x, V, U))


@examples(40)
@given(f=on_arrays(length=4), x=points())
def test_second_derivatives_of_arrays(f: OnArrays, x: Any) -> None:
    assume(f.is_tame(x))
    expect_slopes(lambda x: jvp(f, (x,), (V,))[1], x, V, U, second_derivatives(f, x, V, U))


@examples(40)
@given(f=on_arrays(length=3), g=on_numbers(length=3), x=points(), c=NUMBER)
def test_containers(f: OnArrays, g: OnNumbers, x: Any, c: float) -> None:
    """A dictionary of an array and a number: what belongs to each, and what both have."""
    assume(f.is_tame(x) and f.is_tame(x * g(c)) and abs(g(c)) < LARGEST)

    def h(p: Any) -> Any:
        k = g(p["c"][0])
        return {"y": f(p["x"] * k), "k": [k]}

    def both(x: Any) -> Any:
        return dot(f(x[0] * g(x[1])), U) + 0.5 * g(x[1])

    p, dp = {"x": x, "c": [c]}, {"x": V, "c": [0.7]}
    pulled = vjp(h, p)[1]({"y": U, "k": [0.5]})[0]
    moved = jvp(h, (p,), (dp,))[1]
    line = Line(lambda xs: [both(xs)], [x, c], [V, 0.7], [1.0])
    found = line.slope(lambda size: 1e-7 * size + 1e-9, None)
    assume(found.error < 1e-4 * (1.0 + found.size))
    expected = dot(pulled["x"], V) + pulled["c"][0] * 0.7
    agree(expected, dot(moved["y"], U) + moved["k"][0] * 0.5)
    assert expected == pytest.approx(
        found.value, rel=1e-5, abs=1e-5 * found.size + 1e-7 + 4.0 * found.error
    )


@pytest.mark.silent("check_grads raises nothing where derivatives are right")
@examples(25)
@given(f=on_arrays(length=3), x=points())
def test_check_grads_passes(f: OnArrays, x: Any) -> None:
    assume(f.is_tame(x) and not any(name in KINKED for name, _ in f.steps))
    check_grads(f, (x,), order=2, rtol=1e-5, atol=1e-7)


@examples(25)
@given(f=on_numbers(length=5), x=NUMBER, place=st.integers(0, 4), part=st.floats(1e-3, 1.0))
def test_check_grads_finds_what_is_cut(f: OnNumbers, x: float, place: int, part: float) -> None:
    """A part of what one step gets is held constant."""
    place %= len(f.steps)
    before = OnNumbers(f.steps[:place])

    def after(x: Any) -> Any:
        for name, args in f.steps[place:]:
            x = TABLE[name](x, *[a if type(a) is float else 0.5 for a in args[1:]])
        return x

    def cut(x: Any) -> Any:
        held = before(x)
        return after(held * (1.0 - part) + stop_gradient(held) * part)

    whole = lambda x: after(before(x))  # noqa: E731
    assume(abs(whole(x)) < LARGEST and abs(grad(whole)(x) * x) > 1e-4)
    check_grads(whole, (x,))
    with pytest.raises(GradientCheckError, match="fwd, of argument 0"):
        check_grads(cut, (x,))
    with pytest.raises(GradientCheckError, match="rev, of argument 0"):
        check_grads(cut, (x,), modes="rev")


# --- what random programs have found --------------------------------------------------------------


def test_products_with_hessians_inside_of_no_grad() -> None:
    x = np.array([0.3, 0.5])
    f = lambda x: gw.tanh(x).sum()  # noqa: E731
    expected = -2.0 * np.tanh(x) * (1.0 - np.tanh(x) ** 2)
    for point in (x, Tensor(x), Tensor(x, requires_grad=True)):
        with no_grad():
            for product in (hvp, vhp):
                agree(product(f, point, np.ones(2)), expected)


def test_a_gate_that_is_added_to_numbers_of_a_level_around() -> None:
    """The rule of logsumexp has a gate; its result is added to what comes another way."""
    f = lambda x: x - gw.logsumexp(x)  # noqa: E731
    g = lambda x: vjp(f, gw.tanh(x))[1](gw.sin(x))[0]  # noqa: E731
    x = np.array([[0.1, -0.4, 0.7], [0.3, 0.2, -0.6]])
    claims = first_derivatives(g, x, V, U)
    for claim in claims.values():
        agree(claim, claims["vjp"])
    check_grads(g, (x,), order=2)


# --- every pair of transforms, both ways ----------------------------------------------------------
# Inside, a transform makes of a function of an array another one of the same shapes.

INNER: dict[str, Callable[[Function], Function]] = {
    "grad": lambda f: grad(weighted(f, U)),
    "value_and_grad": lambda f: (
        lambda x: _product(value_and_grad(lambda x: gw.sin(dot(f(x), U)))(x))
    ),
    "vjp": lambda f: lambda x: vjp(f, x)[1](gw.sin(x))[0],
    "jvp": lambda f: lambda x: jvp(f, (x,), (gw.cos(x),))[1],
    "linearize": lambda f: lambda x: linearize(f, x)[1](gw.cos(x)),
    "forward jacobian": lambda f: lambda x: (jacobian(f, mode="forward")(x) * V).sum(axis=(2, 3)),
    "reverse jacobian": lambda f: (
        lambda x: (jacobian(f, mode="reverse")(x) * U[:, :, None, None]).sum(axis=(0, 1))
    ),
    "hessian": lambda f: lambda x: (hessian(weighted(f, U))(x) * V).sum(axis=(2, 3)),
    "hvp": lambda f: lambda x: hvp(weighted(f, U), x, gw.sin(x)),
    "vhp": lambda f: lambda x: vhp(weighted(f, U), x, gw.sin(x)),
    "divergence": lambda f: lambda x: gw.sin(x * divergence(f, x)),
    "diagonal": lambda f: lambda x: gradient_and_hessian_diagonal(weighted(f, U), x)[1],
    "vmap": lambda f: lambda x: vmap(f)(gw.stack([x, x * 0.9])).sum(axis=0),
    "vmap to the end": lambda f: (
        lambda x: vmap(f, in_axes=-1, out_axes=1)(gw.stack([x, x * 0.9], axis=-1)).mean(axis=1)
    ),
    "checkpoint": checkpoint,
    "scan": lambda f: (
        lambda x: scan(lambda c, a: (gw.sin(f(c)) * a, c), x, np.array([0.7, 1.2, 0.9]))[0]
    ),
    "while": lambda f: (
        lambda x: while_loop(lambda c: c[0] < 2, lambda c: (c[0] + 1, gw.sin(f(c[1]))), (0, x))[1]
    ),
    "taylor": lambda f: lambda x: taylor(lambda h: f(x + h * V), 0.0, 2)[2],
    "fixed point": lambda f: (
        lambda x: fixed_point(
            lambda y, x: 0.02 * gw.tanh(f(gw.tanh(y))) + x, np.zeros(SHAPE), x, tolerance=1e-14
        )
    ),
}


def _product(pair: Any) -> Any:
    return pair[0] * pair[1]


def outer_first(g: Function, x: Any) -> None:
    expect_slopes(g, x, V, U, first_derivatives(g, x, V, U))


def outer_second(g: Function, x: Any) -> None:
    claims = {
        "hvp": dot(V, hvp(weighted(g, U), x, V)),
        "hessian": dot(V, np.tensordot(hessian(weighted(g, U))(x), V, 2)),
        "taylor": taylor(lambda h: dot(g(x + h * V), U), 0.0, 2).derivatives[2],
    }
    expect_slopes(lambda x: jvp(g, (x,), (V,))[1], x, V, U, claims)


def outer_vmap(g: Function, x: Any) -> None:
    examples = np.stack([x, x * 0.95, x * 1.02])
    each = np.stack([numbers(g(Tensor(a))) for a in examples])
    agree(vmap(g)(examples), each)
    turned = np.moveaxis(examples, 0, 2)
    agree(vmap(g, in_axes=2, out_axes=1)(turned), np.moveaxis(each, 0, 1))
    tangents = np.stack([numbers(jvp(g, (a,), (V,))[1]) for a in examples])
    agree(vmap(lambda a: jvp(g, (a,), (V,))[1])(examples), tangents)
    pulled = np.stack([vjp(g, a)[1](U)[0] for a in examples])
    agree(vmap(lambda a: vjp(g, a)[1](U)[0])(examples), pulled)
    agree(jvp(vmap(g), (examples,), (np.stack([V] * 3),))[1], tangents)
    agree(vjp(vmap(g), examples)[1](np.stack([U] * 3))[0], pulled)


def outer_again(g: Function, x: Any) -> None:
    """What runs a function again, or in a loop, computes what the function does."""
    agree(checkpoint(g)(Tensor(x)), g(Tensor(x)))
    agree(scan(lambda c, _: (g(c), g(c)), Tensor(x), None, 1)[0], g(Tensor(x)))
    agree(vjp(checkpoint(g), x)[1](U)[0], vjp(g, x)[1](U)[0])
    agree(jvp(checkpoint(g), (x,), (V,))[1], jvp(g, (x,), (V,))[1])
    agree(
        vjp(lambda x: scan(lambda c, _: (g(c), c), x, None, 1)[0], x)[1](U)[0], vjp(g, x)[1](U)[0]
    )
    looped = lambda x: while_loop(lambda c: c[0] < 1, lambda c: (1, g(c[1])), (0, x))[1]  # noqa: E731
    agree(jvp(looped, (x,), (V,))[1], jvp(g, (x,), (V,))[1])
    agree(grad(weighted(looped, U))(x), vjp(g, x)[1](U)[0])


OUTER: dict[str, Callable[[Function, Any], None]] = {
    "first derivatives": outer_first,
    "second derivatives": outer_second,
    "vmap": outer_vmap,
    "again": outer_again,
}


@pytest.mark.parametrize("inner", INNER)
@pytest.mark.parametrize("outer", OUTER)
@examples(6)
@given(f=on_arrays(length=3), x=points())
def test_every_pair(outer: str, inner: str, f: OnArrays, x: Any) -> None:
    assume(f.is_tame(x) and f.is_tame(x * 0.9))
    g = INNER[inner](f)
    y = numbers(g(Tensor(x)))
    assume(np.abs(y).max() < LARGEST)
    OUTER[outer](g, x)


# --- pairs on numbers -----------------------------------------------------------------------------

INNER_NUMBERS: dict[str, Callable[[OnNumbers], Function]] = {
    "grad": lambda f: grad(f),
    "vjp": lambda f: lambda x: vjp(f, x)[1](gw.sin(x))[0],
    "jvp": lambda f: lambda x: jvp(f, (x,), (gw.cos(x),))[1],
    "linearize": lambda f: lambda x: linearize(f, x)[1](gw.cos(x)),
    "forward jacobian": lambda f: jacobian(f, mode="forward"),
    "reverse jacobian": lambda f: jacobian(f, mode="reverse"),
    "hessian": lambda f: hessian(f),
    "hvp": lambda f: lambda x: hvp(f, x, gw.sin(x)),
    "checkpoint": lambda f: checkpoint(f),
    "scan": lambda f: lambda x: scan(lambda c, a: (gw.sin(f(c) * a), c), x, [0.7, 1.2])[0],
    "while": lambda f: (
        lambda x: while_loop(lambda c: c[0] < 2, lambda c: (c[0] + 1, gw.sin(f(c[1]))), (0, x))[1]
    ),
    "taylor": lambda f: lambda x: taylor(lambda h: f(x + h), 0.0, 2)[2],
    "fixed point": lambda f: (
        lambda x: fixed_point(
            lambda y, x: 0.02 * gw.tanh(f(gw.tanh(y))) + x, 0.0, x, tolerance=1e-14
        )
    ),
}


@pytest.mark.parametrize("inner", INNER_NUMBERS)
@examples(12)
@given(f=on_numbers(length=4), x=NUMBER)
def test_every_pair_of_numbers(inner: str, f: OnNumbers, x: float) -> None:
    g = INNER_NUMBERS[inner](f)
    assume(abs(f(x)) < LARGEST and abs(g(x)) < LARGEST)
    expect_slopes(g, x, 0.7, -1.3, first_derivatives(g, x, 0.7, -1.3))
    points = np.array([x, x * 0.95, x + 0.01])
    agree(vmap(g)(points), np.array([numbers(g(float(a))) for a in points]))
    agree(vmap(grad(g))(points), np.array([grad(g)(float(a)) for a in points]))
    agree(grad(lambda x: vmap(g)(x).sum())(points), vmap(grad(g))(points))
    again = jvp(checkpoint(g), (x,), (1.0,))[1]
    agree(again, grad(g)(x))


@examples(40)
@given(
    f=on_numbers(length=3),
    x=NUMBER,
    modes=st.lists(st.sampled_from(["grad", "jvp", "vjp", "linearize"]), min_size=3, max_size=3),
)
def test_three_deep(f: OnNumbers, x: float, modes: list[str]) -> None:
    """Third derivatives by any nesting are those of the series."""
    expected = taylor(f, x, 3).derivatives[3]
    assume(math.isfinite(expected) and abs(expected) < 1e6)
    g: Function = f
    for mode in modes:
        g = DERIVATIVES[mode](g)
    agree(g(x), expected, rtol=1e-9, atol=1e-10)


DERIVATIVES: dict[str, Callable[[Function], Function]] = {
    "grad": grad,
    "jvp": lambda f: lambda x: jvp(f, (x,), (1.0,))[1],
    "vjp": lambda f: lambda x: vjp(f, x)[1](1.0)[0],
    "linearize": lambda f: lambda x: linearize(f, x)[1](1.0),
}
