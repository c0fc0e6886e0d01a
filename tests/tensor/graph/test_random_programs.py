"""Random programs on arrays: number by number they are programs of Values, shapes included."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from hypothesis import assume, given
from hypothesis import strategies as st

from gradwalk import Tensor, Value, gradients
from gradwalk.core.primitive import Primitive
from gradwalk.engine import forward
from gradwalk.ops import TABLE
from gradwalk.ops.array.structure import broadcast_to, reshape
from gradwalk.tensor.graph import backward as sweeps

from ...helpers.amount import examples
from ...helpers.array_checks import check

EVERYWHERE = ["add", "sub", "mul", "div", "neg", "where", "maximum", "minimum", "clip", "abs"]
EVERYWHERE += ["square", "exp", "expm1", "exp2", "sin", "cos", "atan", "sinh", "cosh", "asinh"]
EVERYWHERE += ["erf", "erfc", "logaddexp", "relu", "leaky_relu", "hardtanh", "elu", "selu"]
EVERYWHERE += ["gelu_tanh", "fma", "hypot", "floor", "sign", "mod"]
SMOOTH = ["add", "sub", "mul", "neg", "square", "sin", "cos", "atan", "tanh", "asinh", "erf"]
SMOOTH += ["sigmoid", "softplus", "log_sigmoid", "silu", "gelu", "sinc"]
EVERYWHERE += SMOOTH
LIMIT = 1e6


class Program(NamedTuple):
    """Straight-line code: each step applies a row to earlier results (int) or numbers (float)."""

    inputs: tuple[Any, ...]
    steps: tuple[tuple[Primitive, tuple[int | float, ...]], ...]

    def run(self, *leaves: Any) -> Any:
        known = list(leaves)
        for primitive, args in self.steps:
            known.append(primitive(*[known[a] if type(a) is int else a for a in args]))
        return known[-1]

    def shape(self) -> tuple[int, ...]:
        """The shape of the answer: of what it depends on, broadcast."""
        shapes = [a.shape for a in self.inputs]
        for _, args in self.steps:
            shapes.append(np.broadcast_shapes(*[shapes[a] for a in args if type(a) is int]))
        return shapes[-1]


NUMBERS = st.integers(-2000, 2000).map(lambda k: (k + 0.5) / 1000.0)  # never 0, nor a tie
FULL = (2, 3)
SHAPES = st.sampled_from([(), (3,), (2, 1), (1, 3), (2, 3), (1,), (1, 1)])


@st.composite
def programs(draw: Any, names: list[str], length: int = 8) -> Program:
    """Any graph on inputs of mutually broadcastable shapes; some operands are plain numbers."""
    inputs = []
    for shape in draw(st.lists(SHAPES, min_size=1, max_size=3)):
        size = math.prod(shape)
        numbers = draw(st.lists(NUMBERS, min_size=size, max_size=size))
        inputs.append(np.array(numbers).reshape(shape))
    steps = []
    for known in range(len(inputs), len(inputs) + draw(st.integers(1, length))):
        primitive = TABLE[draw(st.sampled_from(names))]
        node, number = st.integers(0, known - 1), NUMBERS
        args = [draw(st.one_of(node, node, number)) for _ in range(primitive.arity)]
        if not any(type(a) is int for a in args):
            args[0] = known - 1  # what is computed from numbers alone is no graph
        steps.append((primitive, tuple(args)))
    return Program(tuple(inputs), tuple(steps))


def at(a: Any, place: tuple[int, ...]) -> Any:
    """What of ``a`` meets a place of the answer; anything if the answer does not depend on it."""
    tail = (*(0,) * (a.ndim - len(place)), *place[max(0, len(place) - a.ndim) :])
    return a[tuple(i if i < n else 0 for i, n in zip(tail, a.shape, strict=True))]


def by_values(program: Program) -> tuple[Any, list[Any], list[Any], Any]:
    """Value, gradients, a second order and a tangent, from one scalar program for each number."""
    shape = program.shape()
    leaves = [np.vectorize(Value, otypes=[object])(a) for a in program.inputs]
    total: Any = Value(0.0)
    results, tangents = np.zeros(shape), np.zeros(shape)
    moving = {v: 1.0 for a in leaves for v in a.flat}
    for place in np.ndindex(shape):
        y = program.run(*[at(a, place) for a in leaves])
        results[place] = float(getattr(y, "data", y))
        if isinstance(y, Value):
            tangents[place] = forward.forward_pass(y, moving, forward.jvp_on_numbers) or 0.0
            total = total + y
    flat = [v for a in leaves for v in a.flat]
    first = gradients(total, flat, create_graph=True)
    second = gradients(sum(g * g for g in first) + Value(0.0), flat)

    def packed(numbers: Any) -> list[Any]:
        it = iter(numbers)
        return [np.reshape([float(next(it)) for _ in a.flat], a.shape) for a in leaves]

    return results, packed([g.data for g in first]), packed(second), tangents


def by_tensors(program: Program) -> tuple[Any, list[Any], list[Any], Any]:
    leaves = [Tensor(a, requires_grad=True) for a in program.inputs]
    y = program.run(*leaves)
    zeros = [np.zeros(a.shape) for a in program.inputs]
    if not y.requires_grad:
        return y.data.astype(float), zeros, zeros, np.zeros(y.shape)
    ones = np.ones(y.shape)
    first = sweeps.gradients(y, leaves, ones, create_graph=True)
    squares: Any = sum((g * g).sum() for g in first)
    second = zeros
    if squares.requires_grad:
        second = sweeps.gradients(squares, leaves, None, create_graph=False)
    pushed = sweeps.tangent(y, {x: np.ones(x.shape) for x in leaves})
    y.backward(ones, retain_graph=True)
    for leaf, gradient in zip(leaves, first, strict=True):
        if leaf.grad is not None:  # kernels of C here, NumPy's functions there: the last places
            np.testing.assert_allclose(leaf.grad, gradient.data, rtol=1e-13, atol=1e-300)
    return y.data, [g.data for g in first], second, pushed


def reasonable(*groups: Any) -> bool:
    return all(np.all(np.abs(a) < LIMIT) for group in groups for a in group)  # NaN is not


@examples(300)
@given(program=programs(EVERYWHERE))
def test_tensors_compute_what_values_compute(program: Program) -> None:
    """Outside of what overflows: there an order of adding decides between infinity and NaN."""
    with np.errstate(all="ignore"):
        got = by_tensors(program)
        value, first, second, pushed = by_values(program)
    assume(reasonable([value], first, second))
    pairs = [*zip(got[1], first, strict=True), *zip(got[2], second, strict=True)]
    pairs += [(got[0], value), (got[3], pushed)]
    for mine, other in pairs:
        assert mine.shape == other.shape
        scale = max(1.0, np.max(np.abs(other), initial=0.0))
        np.testing.assert_allclose(mine, other, rtol=1e-8, atol=1e-8 * scale)


@examples(100)
@given(program=programs(EVERYWHERE))
def test_forward_is_the_transpose_of_reverse(program: Program) -> None:
    leaves = [Tensor(a, requires_grad=True) for a in program.inputs]
    with np.errstate(all="ignore"):
        y = program.run(*leaves)
        assume(y.requires_grad)
        u = np.cos(np.arange(y.size)).reshape(y.shape)
        vs = [np.sin(1.0 + np.arange(x.size)).reshape(x.shape) for x in leaves]
        pulled = sweeps.gradients(y, leaves, u, create_graph=False)
        pushed = sweeps.tangent(y, dict(zip(leaves, vs, strict=True)))
        assume(reasonable(pulled, [pushed]))
    right = sum(np.vdot(g, v) for g, v in zip(pulled, vs, strict=True))
    scale = 1.0 + sum(np.vdot(abs(g), abs(v)) for g, v in zip(pulled, vs, strict=True))
    assert abs(np.vdot(u, pushed) - right) <= 1e-8 * scale * (1.0 + np.abs(pushed).max(initial=0.0))


@examples(60)
@given(program=programs(SMOOTH, length=4))
def test_derivatives_are_differences(program: Program) -> None:
    leaves = [Tensor(a, requires_grad=True) for a in program.inputs]
    with np.errstate(all="ignore"):
        y = program.run(*leaves)
        assume(
            y.requires_grad
            and reasonable(
                [y.data / 1e3],
                sweeps.gradients(y, leaves, np.full(y.shape, 1e2), create_graph=False),
            )
        )
    check(program.run, *program.inputs, rtol=1e-4, atol=1e-4, dtypes=["float64"])


# --- with shapes that change on the way -------------------------------------------------------


def _turned(x: Any) -> Any:
    return reshape(x, shape=(6,))[::-1]


MOVES: dict[str, Callable[[Any], Any]] = {
    "sum": lambda x: x + x.sum(),
    "rows": lambda x: x * x.sum(axis=1, keepdims=True),
    "columns": lambda x: x - x.sum(axis=0),
    "turn": lambda x: reshape(_turned(x), shape=FULL),
    "first row": lambda x: x + x[0],
    "picked": lambda x: x[np.array([1, 1])] * x,
    "spread": lambda x: broadcast_to(x[:, :1], shape=FULL) * 0.5,
    "product": lambda x: (x @ x.T) @ x,
    "affine": lambda x: x * 0.5 + 1.0,
    "tanh": lambda x: TABLE["tanh"](x),
    "gate": lambda x: TABLE["where"](x > 0.0005, x, 0.1 * x),
}


@examples(60)
@given(
    moves=st.lists(st.sampled_from(sorted(MOVES)), min_size=1, max_size=5),
    numbers=st.lists(NUMBERS, min_size=6, max_size=6),
)
def test_programs_that_move_numbers_about(moves: list[str], numbers: list[float]) -> None:
    def program(x: Any) -> Any:
        for move in moves:
            x = MOVES[move](TABLE["sin"](x))
        return x

    start, gated = np.array(numbers).reshape(FULL), "gate" in moves
    x = start
    for move in moves:  # no number may be near the kink of a gate
        x = np.sin(x)
        assume(not gated or np.all(np.abs(x - 0.0005) > 0.02))
        x = MOVES[move](x)
        assume(np.all(np.abs(x) < 20.0))
    check(program, start, rtol=1e-4, atol=1e-4, dtypes=["float64"])
