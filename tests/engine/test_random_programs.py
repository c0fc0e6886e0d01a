"""Random programs over the whole table: engines agree bit for bit, gradients with calculus."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from itertools import combinations, product
from math import inf, nan, pi
from typing import Any, NamedTuple

import mpmath
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import gradwalk
from gradwalk import Value, gradients
from gradwalk.core.primitive import Primitive
from gradwalk.engine.node import ancestors, is_constant
from gradwalk.engine.reverse import consumer_counts, reverse_pass, vjp_on_nodes, vjp_on_numbers
from gradwalk.engine.value import engine
from gradwalk.ops import TABLE

from ..helpers.amount import examples

COMPARISONS = {"less", "less_equal", "greater", "greater_equal", "equal", "not_equal"}
FACTS = COMPARISONS | {"logical_and", "logical_or"}
NUMERIC = [primitive for primitive in TABLE.values() if primitive.name not in FACTS]


class Program(NamedTuple):
    """Straight-line code: each step applies a row to earlier results (int) or numbers (float)."""

    inputs: tuple[float, ...]
    steps: tuple[tuple[Primitive, tuple[int | float, ...]], ...]

    def run(self, carrier: Callable[[float], Any]) -> tuple[list[Any], list[Any]]:
        """All inputs and all results; the last result is the answer."""
        leaves = [carrier(x) for x in self.inputs]
        known = list(leaves)
        for primitive, args in self.steps:
            known.append(primitive(*[known[a] if type(a) is int else a for a in args]))
        return leaves, known


@st.composite
def programs(draw: Any, rows: Sequence[Primitive], numbers: Any, length: int = 12) -> Program:
    """Any graph: operands are shared, used twice, or never used; some are plain numbers."""
    inputs = tuple(draw(st.lists(numbers, min_size=1, max_size=4)))
    steps = []
    for known in range(len(inputs), len(inputs) + draw(st.integers(1, length))):
        primitive = draw(st.sampled_from(rows))
        operand = st.one_of(st.integers(0, known - 1), st.integers(0, known - 1), numbers)
        steps.append((primitive, tuple(draw(operand) for _ in range(primitive.arity))))
    return Program(inputs, tuple(steps))


SPECIAL = [0.0, -0.0, 1.0, -1.0, 0.5, 2.0, inf, -inf, nan, 1e308, -1e308, 5e-324, 1e-300, 709.8]
ANY_FLOAT = st.one_of(st.floats(-4.0, 4.0), st.sampled_from(SPECIAL), st.floats())
TAME_FLOAT = st.integers(-2000, 2000).map(lambda k: (k + 0.5) / 1000.0)  # never 0


# --- one engine: Values compute what floats compute ---------------------------------------------


@examples(300)
@given(program=programs(NUMERIC, ANY_FLOAT))
def test_values_compute_what_plain_floats_compute(program: Program, bits: Any) -> None:
    _, values = program.run(Value)
    _, plain = program.run(float)
    assert [bits(v.data if isinstance(v, Value) else v) for v in values] == [*map(bits, plain)]


@pytest.mark.filterwarnings("ignore::gradwalk.errors.CutGraphWarning")
@examples(200)
@given(program=programs(NUMERIC, ANY_FLOAT))
def test_every_form_of_the_gradient_has_the_same_bits(program: Program, bits: Any) -> None:
    leaves, known = program.run(Value)
    y = known[-1]
    assume(isinstance(y, Value))
    pure_form = [*map(bits, gradients(y, leaves))]
    y.backward()
    nodes = ancestors(y)
    found = gradients(y, nodes)
    expected = [g if node.op else 0.0 + g for node, g in zip(nodes, found, strict=True)]
    assert [bits(node.grad) for node in nodes] == [*map(bits, expected)], "leaves add to 0.0"
    graphs = gradients(y, leaves, create_graph=True)
    assert [bits(gradient.data) for gradient in graphs] == pure_form
    reference = reverse_pass(y, 1.0, consumer_counts(y), vjp_on_numbers)
    assert [bits(reference.get(leaf, 0.0)) for leaf in leaves] == pure_form


# --- two engines: the same bits -----------------------------------------------------------------


def observe(module: Any, program: Program, bits: Any) -> list[Any]:
    """All numbers of a run: results, first gradients (None: no edge), and their gradients."""
    leaves, known = program.run(module.Value)
    y = known[-1]
    seen: list[Any] = [bits(k.data if isinstance(k, module.Value) else k) for k in known]
    if not isinstance(y, module.Value):
        return seen
    seen += [bits(g) for g in module.gradients(y, 1.0, tuple(leaves))]
    graphs = reverse_pass(y, module.Value(1.0), consumer_counts(y), vjp_on_nodes)
    for gradient in [graphs[leaf] for leaf in leaves if leaf in graphs]:
        seen += [bits(gradient.data), *map(bits, module.gradients(gradient, 0.7, tuple(leaves)))]
    y.backward()
    seen += [bits(node.grad) for node in ancestors(y)]
    return seen


@pytest.mark.filterwarnings("ignore::gradwalk.errors.CutGraphWarning")
@examples(500)
@given(program=programs(NUMERIC, ANY_FLOAT))
def test_both_engines_agree_bit_for_bit(program: Program, both_engines: Any, bits: Any) -> None:
    pure, native = both_engines
    assert observe(pure, program, bits) == observe(native, program, bits)


@pytest.mark.filterwarnings("ignore::gradwalk.errors.CutGraphWarning")
@examples(100)
@given(program=programs(NUMERIC, st.floats(-2.0, 2.0), length=60))
def test_both_engines_agree_on_longer_programs(
    program: Program, both_engines: Any, bits: Any
) -> None:
    pure, native = both_engines
    assert observe(pure, program, bits) == observe(native, program, bits)


# --- every row on a grid of special numbers -----------------------------------------------------

MAGNITUDES = [0.0, 5e-324, 2.2e-308, 1e-200, 1e-18, 1e-5, 0.1, 0.5, 0.9999999999999999, 1.0, 1.5]
MAGNITUDES += [2.0, 2.5, 3.0, pi, 20.0, 36.5, 171.7, 710.0, 746.0, 1e15, 2.0**53, 1e150, 1e308, inf]
ONE = [sign * x for x in MAGNITUDES for sign in (1.0, -1.0)] + [nan]
TWO = [0.0, -0.0, 5e-324, 1e-200, 0.5, -0.5, 1.0, -1.0, 2.0, -3.0, 1.7, 700.0, -745.0]
TWO += [1e200, -1e308, inf, -inf, nan]
THREE = [0.0, -0.0, 1.0, -1.0, 2.5, 1e200, -inf, nan]
ORDERS = [0.0, 1.0, 2.0, 3.0, -1.0, 0.5, inf, nan]


def grid(primitive: Primitive) -> list[tuple[float, ...]]:
    if primitive.name == "polygamma":
        return list(product(ORDERS, TWO))
    sides = {1: ONE, 2: TWO, 3: THREE}[primitive.arity]
    return [*product(sides, repeat=primitive.arity), *primitive.points]


def shares(module: Any, primitive: Primitive, args: Sequence[float], bits: Any) -> list[Any]:
    """Value and contributions with every argument a node, and with each one alone a node."""
    seen: list[Any] = []
    for wanted in [range(len(args)), *([i] for i in range(len(args)))]:
        nodes = [module.Value(a) if i in wanted else a for i, a in enumerate(args)]
        y = primitive(*nodes)
        leaves = tuple(nodes[i] for i in wanted)
        if isinstance(y, bool):
            seen.append(y)
            continue
        for seed in (1.0, -0.3):
            seen += [bits(y.data), *map(bits, module.gradients(y, seed, leaves))]
        graphs = reverse_pass(y, module.Value(1.0), consumer_counts(y), vjp_on_nodes)
        for gradient in [graphs[leaf] for leaf in leaves if leaf in graphs]:
            if gradient._inputs:
                seen += [bits(gradient.data), *map(bits, module.gradients(gradient, 1.0, leaves))]
    return seen


@pytest.mark.parametrize("primitive", TABLE.values(), ids=TABLE)
def test_both_engines_agree_on_every_row(
    primitive: Primitive, both_engines: Any, bits: Any
) -> None:
    pure, native = both_engines
    for args in grid(primitive):
        assert shares(pure, primitive, args, bits) == shares(native, primitive, args, bits), args


@pytest.mark.parametrize("primitive", NUMERIC, ids=lambda primitive: primitive.name)
def test_the_engine_computes_what_the_row_says(primitive: Primitive, bits: Any) -> None:
    for args in grid(primitive):
        leaves = [Value(a) for a in args]
        y = primitive(*leaves)
        assert bits(y.data) == bits(primitive.evaluate(*args)), args
        assert type(primitive.evaluate(*args)) is float
        expected = primitive.contributions(0.7, y.data, list(args))
        got = engine.gradients(y, 0.7, tuple(leaves))
        assert [*map(bits, got)] == [*map(bits, expected)], args
        assert all(share is None or type(share) is float for share in expected), args


@pytest.mark.parametrize("primitive", NUMERIC, ids=lambda primitive: primitive.name)
def test_the_same_node_in_every_place_gets_the_sum(primitive: Primitive, bits: Any) -> None:
    for (x,) in product(ONE if primitive.arity == 1 else TWO):
        node = Value(x)
        y = primitive(*[node] * primitive.arity)
        given = primitive.contributions(1.0, y.data, [x] * primitive.arity)
        total = None
        for share in given:
            if share is not None:
                total = share if total is None else total + share
        assert bits(engine.gradients(y, 1.0, (node,))[0]) == bits(total), x


# --- calculus: gradients against differences of 60-digit numbers --------------------------------

mp = mpmath.mp.clone()
mp.dps = 60


def _choose(less: bool) -> Callable[[Any, Any], Any]:
    return lambda a, b: min(a, b) if less else max(a, b)


SMOOTH: dict[str, Callable[..., Any]] = {
    "neg": lambda x: -x,
    "add": lambda a, b: a + b,
    "sub": lambda a, b: a - b,
    "mul": lambda a, b: a * b,
    "fma": lambda a, b, c: a * b + c,
    "maximum": _choose(less=False),
    "minimum": _choose(less=True),
    "clip": lambda x, lo, hi: min(max(x, lo), hi),
    "where": lambda c, a, b: a if c else b,
    "abs": abs,
    "square": lambda x: x * x,
    "hypot": mp.hypot,
    "sin": mp.sin,
    "cos": mp.cos,
    "atan": mp.atan,
    "tanh": mp.tanh,
    "asinh": mp.asinh,
    "sigmoid": lambda x: 1 / (1 + mp.exp(-x)),
    "softplus": lambda x: mp.log1p(mp.exp(x)),
    "silu": lambda x: x / (1 + mp.exp(-x)),
    "relu": lambda x: max(x, mp.zero),
    "elu": lambda x, a: x if x > 0 else a * mp.expm1(x),
    "gelu": lambda x: x * mp.erfc(-x / mp.sqrt(2)) / 2,
    "erf": mp.erf,
    "logaddexp": lambda a, b: mp.log(mp.exp(a) + mp.exp(b)),
    "sinc": mp.sincpi,
}
STEP = mp.mpf(10) ** -20


def exact(program: Program, inputs: Sequence[Any]) -> Any:
    """The answer of a program in 60 digits."""
    known = [mp.mpf(x) for x in inputs]
    for primitive, args in program.steps:
        numbers = [known[a] if type(a) is int else mp.mpf(a) for a in args]
        known.append(SMOOTH[primitive.name](*numbers))
    return known[-1]


def slopes(program: Program, index: int) -> tuple[Any, Any]:
    """The slopes to the left and to the right along one input; at a kink they differ."""
    left, here, right = (
        exact(program, [*program.inputs[:index], mp.mpf(x) + h, *program.inputs[index + 1 :]])
        for x, h in ((program.inputs[index], s * STEP) for s in (-1, 0, 1))
    )
    return (here - left) / STEP, (right - here) / STEP


def on_a_kink(program: Program, known: list[Any]) -> bool:
    """Whether some choice is a tie: there the slope is a convention, not a limit."""
    for primitive, args in program.steps:
        numbers = [
            float(getattr(known[a], "data", known[a])) if type(a) is int else a for a in args
        ]
        pairs = combinations([*numbers, 0.0], 2) if primitive.kinks else ()
        if any(abs(a - b) < 1e-9 for a, b in pairs):
            return True
    return False


def path_sum(y: Any) -> float:
    """Σ over all paths of |product of local gradients|: how far rounding can carry."""
    size = {y: 1.0}
    for node in reversed(ancestors(y)):
        for operand, local in zip(node._inputs, node.local_gradients, strict=True):
            if not is_constant(operand):
                size[operand] = size.get(operand, 0.0) + abs(local) * size.get(node, 0.0)
    return sum(size.values())


@examples(250)
@given(program=programs([TABLE[name] for name in SMOOTH], TAME_FLOAT))
def test_gradients_agree_with_60_digit_differences(program: Program) -> None:
    leaves, known = program.run(Value)
    y = known[-1]
    assume(isinstance(y, Value) and all(abs(getattr(k, "data", k)) < 1e3 for k in known))
    tolerance = 1e-12 * (1.0 + path_sum(y)) ** 2
    assume(tolerance < 1e-6 and not on_a_kink(program, known))
    assert y.data == pytest.approx(float(exact(program, program.inputs)), rel=1e-9, abs=tolerance)
    for index, gradient in enumerate(gradients(y, leaves)):
        left, right = slopes(program, index)
        if abs(left - right) < 1e-12:  # else `where` jumps here
            assert gradient == pytest.approx(float(right), rel=1e-9, abs=tolerance)


def test_the_sum_over_paths_is_the_gradient(bits: Any) -> None:
    """Local gradients multiplied along each path and added up: the definition, spelled out."""
    a, b = Value(0.7), Value(-1.2)
    y = (
        gradwalk.tanh(a * b + a) * a / b
        + gradwalk.logsumexp([a, b, 1.0])
        - gradwalk.softmax([a, b])[0]
    )
    total = {y: 1.0}
    for node in reversed(ancestors(y)):
        for operand, local in zip(node.operands, node.local_gradients, strict=True):
            total[operand] = total.get(operand, 0.0) + local * total[node]
    assert gradients(y, [a, b]) == pytest.approx((total[a], total[b]), rel=1e-14)
    assert not math.isnan(y.data)
