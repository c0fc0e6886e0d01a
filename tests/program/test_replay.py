"""A replay gives what the program gives on the numbers of now: the same bits, gradients too."""

from __future__ import annotations

import _thread
import gc
import itertools
import random
import sys
import threading
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import gradwalk as gw
from gradwalk import Value, no_grad, replay, value_and_grad
from gradwalk.engine.node import ancestors
from gradwalk.errors import FreedGraphError, NotANumberError
from gradwalk.native import engine as native_engine
from gradwalk.ops import TABLE
from gradwalk.program.printing.kernel_header import kernels
from gradwalk.program.recording.listing import listing
from gradwalk.program.replay import GraphProgram, Replay

from ..helpers.amount import amount, examples

Bits = Callable[[Any], Any]
SPECIAL = [0.0, -0.0, 1.0, -1.0, 0.5, 2.0, 1e-300, 1e300, float("inf"), float("-inf"), float("nan")]
NAMES = [primitive.name for primitive in kernels()]
NUMBERS = st.sampled_from(SPECIAL) | st.floats(-3.0, 3.0)
TYPED = st.sampled_from(SPECIAL) | st.floats(-3.0, 3.0).map(lambda x: round(x, 6))
"""Constants have the digits that people type: others are taken for numbers that were read."""


def build(steps: list[tuple[str, list[int | float]]], leaves: list[Value]) -> Value:
    """Apply each primitive to earlier results (by index) or to numbers; the sum of the last and
    of all leaves."""
    known: list[Any] = list(leaves)
    for name, operands in steps:
        known.append(TABLE[name](*[known[i] if type(i) is int else i for i in operands]))
    return sum([*known[-4:], *leaves], Value(0.0))


@st.composite
def programs(draw: Any) -> list[tuple[str, list[int | float]]]:
    steps: list[tuple[str, list[int | float]]] = []
    for known in range(3, 3 + draw(st.integers(1, 12))):
        name = draw(st.sampled_from(NAMES))
        place = st.integers(max(0, known - 4), known - 1)
        operands = [draw(place) for _ in range(TABLE[name].arity)]
        for k in range(1, len(operands)):
            if draw(st.integers(0, 3)) == 0:
                operands[k] = draw(TYPED)
        steps.append((name, operands))
    return steps


def state(loss: Value, leaves: list[Value], bits: Bits) -> list[Any]:
    return [bits(loss.data), *(bits(leaf.grad) for leaf in leaves)]


def computed_anew(make: Callable[[list[Value]], Value], leaves: list[Value]) -> list[Value]:
    """Return the loss and new leaves with the numbers that ``leaves`` have now, after backward."""
    fresh = [Value(leaf.data) for leaf in leaves]
    loss = make(fresh)
    loss.backward()
    return [loss, *fresh]


@examples(1500, 200)
@given(programs(), st.lists(st.lists(NUMBERS, min_size=3, max_size=3), min_size=2, max_size=4))
def test_same_bits_as_the_program_whatever_the_leaves_hold(
    bits: Bits, steps: Any, runs: list[list[float]]
) -> None:
    """Masks are open in one run and shut in the next; infinities and NaN go through."""
    leaves = [Value(x) for x in runs[0]]
    loss = build(steps, leaves)
    step, specification = replay(loss), GraphProgram(loss)
    for run in runs:
        for leaf, x in zip(leaves, run, strict=True):
            leaf.data, leaf.grad = x, 7.0  # a replay forgets it
        assert bits(step()) == bits(loss.data)
        got = state(loss, leaves, bits)
        expected, *fresh = computed_anew(lambda fresh: build(steps, fresh), leaves)
        assert got == state(expected, fresh, bits)
        specification.run()
        assert got == state(loss, leaves, bits)


@pytest.mark.parametrize("name", NAMES)
def test_every_primitive_in_many_lanes(name: str, bits: Bits) -> None:
    """More lanes than a block has, some of them shut, each operand single, in a row, or apart."""
    r = random.Random(name)
    arity, lanes = TABLE[name].arity, 20 if native_engine is None else 1100
    single = [Value(r.uniform(0.2, 2.0)) for _ in range(arity)]
    rows = [[Value(r.choice([*SPECIAL, r.uniform(-2, 2)])) for _ in range(lanes)] for _ in single]
    leaves = [*single, *(leaf for row in rows for leaf in row)]
    weights = [r.uniform(-1, 1) for _ in range(lanes)]

    def program(leaves: list[Value]) -> Value:
        single, flat = leaves[:arity], leaves[arity:]
        rows = [flat[k * lanes : (k + 1) * lanes] for k in range(arity)]
        total = Value(0.0)
        for lane in range(lanes):
            for k in range(arity + 1):  # all but argument k are shared by the lanes
                args = [rows[i][(7 * lane) % lanes] if i == k else single[i] for i in range(arity)]
                args = [rows[i][lane] for i in range(arity)] if k == arity else args
                y = TABLE[name](*args)
                total = total + y * weights[lane]
        return total

    loss = program(leaves)
    step = replay(loss)
    for _ in range(2):
        step()
        expected, *fresh = computed_anew(program, leaves)
        assert state(loss, leaves, bits) == state(expected, fresh, bits)
        for leaf in leaves:
            leaf.data = -leaf.data


def network(r: random.Random) -> tuple[list[Value], Callable[[], Value]]:
    """A classifier number by number: half of its units are shut, each time another half."""
    weights = [[Value(r.gauss(0.0, 1.0)) for _ in range(3)] for _ in range(8)]
    last = [Value(r.gauss(0.0, 1.0)) for _ in range(8)]
    points = [[r.gauss(0.0, 1.0) for _ in range(2)] for _ in range(70)]
    parameters = [*(w for row in weights for w in row), *last]

    def loss() -> Value:
        total = Value(0.0)
        for x, y in points:
            hidden = [(a * x + b * y + c).relu() for a, b, c in weights]
            score = sum(v * h for v, h in zip(last, hidden, strict=True))
            total += (1.0 - (1.0 if x > y else -1.0) * score).relu()
        return total * (1 / 70) + 1e-3 * sum(p * p for p in parameters)

    return parameters, loss


def test_a_training_run_is_that_of_the_program(bits: Bits) -> None:
    (trained, loss), (replayed, other) = (network(random.Random(3)) for _ in range(2))
    result = other()
    step = replay(result)
    for _ in range(amount(200, 40)):
        for p in trained:
            p.grad = 0.0
        expected = loss()
        expected.backward()
        assert bits(step()) == bits(expected.data)
        for p, q in zip(trained, replayed, strict=True):
            assert bits(p.grad) == bits(q.grad)
            p.data -= 0.05 * p.grad
            q.data -= 0.05 * q.grad


# --- sums, rows and pairs -------------------------------------------------------------------------


def layered(r: random.Random) -> tuple[list[Value], Callable[[list[Value]], Value]]:
    """Return leaves and a program of layers: dot products in some order, sums, and choices."""
    rows, sizes = r.choice([1, 3, 9, 40]), [r.choice([1, 2, 5, 9]) for _ in range(3)]
    start = r.choice([None, 0.0, -0.0, "bias"])
    swapped, backwards, shared = (r.random() < 0.5 for _ in range(3))
    function = r.choice(["relu", "tanh", "abs", "neg"])
    count = sum(a * b + b for a, b in itertools.pairwise(sizes)) + rows * sizes[0]
    leaves = [Value(r.choice([*SPECIAL[:6], *[r.uniform(-2, 2)] * 20])) for _ in range(count)]

    def layer(x: list[Any], width: int, numbers: Any) -> list[Any]:
        weights = [[next(numbers) for _ in x] for _ in range(width)]
        return [(row, next(numbers)) for row in weights]

    def neuron(row: list[Any], bias: Any, x: list[Any]) -> Any:
        terms = [(b * a if swapped else a * b) for a, b in zip(row, x, strict=True)]
        terms = terms[::-1] if backwards else terms
        y = sum(terms[1:], terms[0]) if start is None else sum(terms, bias if start else start)
        return getattr(y, function)() if function != "neg" else -y

    def program(leaves: list[Value]) -> Value:
        numbers = iter(leaves)
        points = [[next(numbers) for _ in range(sizes[0])] for _ in range(rows)]
        layers = [layer([None] * a, b, numbers) for a, b in itertools.pairwise(sizes)]
        total = Value(0.0)
        for x in points:
            for parts in layers:
                x = [neuron(row, bias, x) for row, bias in parts]
            total = total + sum(x) * (x[0] if shared else 0.5)
        return total + sum(p * p for p in leaves) * 1e-3

    return leaves, program


@pytest.mark.parametrize("seed", range(amount(400, 60)))
def test_layers_of_every_shape(seed: int, bits: Bits) -> None:
    """Terms that a sum computes itself, rows of lanes, copies, and cells that are used again."""
    r = random.Random(seed)
    leaves, program = layered(r)
    loss = program(leaves)
    step = replay(loss)
    for _ in range(3):
        step()
        expected, *fresh = computed_anew(program, leaves)
        assert state(loss, leaves, bits) == state(expected, fresh, bits)
        for leaf in leaves:
            leaf.data = r.choice([leaf.data, -leaf.data, r.uniform(-2, 2), r.choice(SPECIAL)])


def test_other_nodes_are_watched(bits: Bits) -> None:
    x, w = Value(2.0), Value(3.0)
    inner = x * w
    loss = inner * inner + x
    step = Replay(loss, [inner, x])
    x.data = 5.0
    step.forward()
    assert (loss.data, inner.data, x.data, x.grad) == (230.0, 15.0, 5.0, 0.0)
    step.backward()
    assert (x.grad, w.grad) == (91.0, 150.0)


@pytest.mark.skipif(native_engine is None, reason="memory of the native engine")
def test_a_program_takes_a_part_of_the_memory_of_its_graph() -> None:
    _, loss = network(random.Random(3))
    graph = loss()
    nodes = len(list(ancestors(graph)))
    assert sys.getsizeof(replay(graph)._program) < 0.3 * nodes * sys.getsizeof(graph)


def run_until_interrupted(step: Callable[[], float], timer: threading.Timer) -> None:
    timer.start()
    while True:
        step()


@pytest.mark.skipif(native_engine is None, reason="Python can be interrupted anywhere")
def test_an_interrupt_comes_before_or_after_a_run() -> None:
    """Ctrl-C while a replay runs: loss and gradients belong to the same numbers."""
    w = Value(1.0)
    loss = sum(((w * float(i) + 1.0) ** 2 for i in range(3000)), Value(0.0))
    step = replay(loss)
    step()
    for number in range(amount(60, 12)):
        before, w.data = (loss.data, w.grad), float(number)
        timer = threading.Timer(0.0005 * (number % 7), _thread.interrupt_main)
        with pytest.raises(KeyboardInterrupt):
            run_until_interrupted(step, timer)
        timer.join()
        found = loss.data, w.grad
        step()
        assert found in (before, (loss.data, w.grad))


@examples(60)
@given(programs())
def test_every_line_of_the_python_program_has_a_number_of_its_own(steps: Any) -> None:
    lines = listing(GraphProgram(build(steps, [Value(1.0) for _ in range(3)])).instructions())
    met: set[str] = set()
    for out, _, *operands in map(str.split, lines.splitlines()[1:]):
        met.update(operands)
        assert out not in met
        met.add(out)
    assert met


@pytest.mark.skipif(native_engine is None, reason="the Python program has one lane")
def test_what_is_alike_becomes_lanes() -> None:
    _, loss = network(random.Random(3))
    lines = replay(loss()).program.splitlines()
    assert lines[0] == f"9,615 operations in {len(lines) - 1} instructions"
    assert len(lines) < 40
    assert any(line.endswith("560 lanes") and "relu_0" in line for line in lines)
    assert any("add of mul" in line and line.endswith("70 lanes, 8 terms") for line in lines)


def test_a_chain_of_a_hundred_thousand_operations(bits: Bits) -> None:
    x = Value(0.5)

    def program(leaves: list[Value]) -> Value:
        y = leaves[0]
        for _ in range(50_000):
            y = y * 0.9999 + 1e-5
        return y

    loss = program([x])
    step = replay(loss)
    x.data = 0.75
    step()
    expected, fresh = computed_anew(program, [x])
    assert state(loss, [x], bits) == state(expected, [fresh], bits)


def test_a_leaf_alone() -> None:
    x = Value(2.0)
    step = replay(x)
    x.data = 3.0
    assert (step(), x.grad) == (3.0, 1.0)


def test_constants_and_leaves_without_influence() -> None:
    x, y = Value(2.0), Value(3.0)
    loss = x * 2.0 + gw.floor(y)
    assert len(loss.operands[0].operands) == 2  # makes leaves of the constants
    step = replay(loss)
    x.data, y.grad = 5.0, 9.0
    assert (step(), x.grad, y.grad) == (13.0, 2.0, 0.0)


def test_leaves_that_no_graph_holds() -> None:
    with no_grad():
        x = Value(2.0) * 3.0
    assert replay(x)() == 6.0


def test_the_graph_may_be_freed_afterwards() -> None:
    x = Value(3.0)
    loss = x * x
    step = replay(loss)
    loss.backward(retain_graph=False)
    x.data = 4.0
    assert (step(), x.grad) == (16.0, 8.0)
    with pytest.raises(FreedGraphError, match="using a graph: expected a graph that has not"):
        replay(loss)


def test_custom_rules_run_in_python() -> None:
    cube = gw.pointwise("cube_r", lambda t, y, x: t * 3.0 * x * x, forward=lambda x: x * x * x)
    x = Value(2.0)
    loss = cube(x) * x
    step = replay(loss)
    x.data = 3.0
    assert (step(), x.grad) == (81.0, 108.0)


def test_nothing_changes_when_a_custom_rule_fails() -> None:
    def rule(t: Any, y: Any, x: Any) -> Any:
        if x.data < 0.0 if isinstance(x, Value) else x < 0.0:
            raise ArithmeticError("negative")
        return t

    same = gw.pointwise("same_r", rule, forward=lambda x: x * 1.0)
    x = Value(2.0)
    loss = same(x)
    step = replay(loss)
    step()
    x.data = -1.0
    with pytest.raises(ArithmeticError, match="negative"):
        step()
    assert (loss.data, x.data, x.grad) == (2.0, -1.0, 1.0)


@pytest.mark.parametrize("loss", [1.0, "loss", None, [Value(1.0)]])
def test_what_is_no_value_is_refused(loss: Any) -> None:
    with pytest.raises(NotANumberError, match=r"replay\(loss\): expected a Value"):
        replay(loss)


def test_recording_changes_nothing(bits: Bits) -> None:
    parameters, loss = network(random.Random(5))
    result = loss()
    result.backward()
    before = state(result, parameters, bits)
    replay(result)
    assert state(result, parameters, bits) == before
    for p in parameters:
        p.grad = 0.0
    result.backward()
    assert state(result, parameters, bits) == before


@pytest.mark.skipif(native_engine is None, reason="memory of the native engine")
@pytest.mark.parametrize("count", [20_000, pytest.param(1_000_000, marks=pytest.mark.prove)])
def test_a_million_replays_keep_no_memory(count: int) -> None:
    import resource

    x, w = Value(0.5), Value(0.25)
    step = replay((x * w).tanh() * x + w)
    other = gw.compile(value_and_grad(lambda a, b: gw.sin(a) * b if a > b else a * b))
    before = 0
    for i in range(count):
        x.data = i * 1e-6
        step()
        other(i * 1e-6, 0.5)
        if i == 1000:
            gc.collect()
            before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 1024


@pytest.mark.memory
@pytest.mark.skipif(native_engine is None, reason="memory of the native engine")
def test_recordings_keep_no_memory() -> None:
    _, loss = network(random.Random(5))
    for _ in range(3):
        step = replay(loss())
        step()
    gc.collect()
    import resource

    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    for _ in range(amount(2000, 200)):
        step = replay(loss())
        step()
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 4096
