"""Threads: independent graphs, shared parameters, and a no_grad that stays in its thread."""

from __future__ import annotations

import pickle
import sys
import threading
import time
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from gradwalk import Tensor, Value, grad, gradients, no_grad, pointwise
from gradwalk.engine.value import enable_grad
from gradwalk.errors import FreedGraphError


@pytest.fixture(autouse=True)
def switch_often() -> Iterator[None]:
    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    yield
    sys.setswitchinterval(interval)


def together(*tasks: Callable[[], None]) -> None:
    """Run the tasks at the same time, one thread each, and pass on what they raise."""
    barrier, errors = threading.Barrier(len(tasks)), []

    def run(task: Callable[[], None]) -> None:
        try:
            barrier.wait()
            task()
        except BaseException as error:
            errors.append(error)

    threads = [threading.Thread(target=run, args=(task,)) for task in tasks]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if errors:
        raise errors[0]


def polynomial(x: Any, terms: int = 40) -> Any:
    """Whole numbers only: every order of adding gives the same float."""
    return sum([x * k + x * x for k in range(terms)])


SLOPE_AT_3 = sum(k + 6.0 for k in range(40))


def test_threads_build_and_sweep_independent_graphs() -> None:
    def task() -> None:
        for _ in range(150):
            x = Value(3.0)
            y = polynomial(x)
            y.backward()
            assert x.grad == gradients(y, x) == SLOPE_AT_3
            first = gradients(y, x, create_graph=True)
            assert gradients(first, x) == 80.0

    together(task, task, task)


def test_two_graphs_that_share_parameters_give_the_exact_sum() -> None:
    shared = [Value(3.0) for _ in range(8)]
    first, second = (sum([polynomial(w) for w in shared]) for _ in range(2))

    def task(y: Any) -> Callable[[], None]:
        def sweep() -> None:
            for _ in range(100):
                y.backward()

        return sweep

    together(task(first), task(second), task(first))
    assert [w.grad for w in shared] == [300 * SLOPE_AT_3] * 8


def test_one_graph_swept_by_several_threads() -> None:
    x = Value(3.0)
    inner = x * x
    y = sum([inner * k for k in range(30)])

    def task() -> None:
        for _ in range(100):
            y.backward()
            assert gradients(y, x) == 6.0 * 435
            assert gradients(gradients(y, x, create_graph=True), x) == 2.0 * 435

    together(task, task)
    assert (x.grad, inner.grad) == (200 * 6.0 * 435, 435.0)


def test_releasing_a_graph_never_pulls_it_away_under_another_sweep() -> None:
    for _ in range(60):
        x = Value(3.0)
        y = polynomial(x)
        outcomes: list[str] = []

        def sweep(retain_graph: bool, y: Any = y, outcomes: list[str] = outcomes) -> None:
            try:
                y.backward(retain_graph)
                outcomes.append("swept")
            except FreedGraphError:
                outcomes.append("refused")

        together(lambda: sweep(True), lambda: sweep(False), lambda: sweep(True))
        assert x.grad == outcomes.count("swept") * SLOPE_AT_3
        assert "swept" in outcomes


def test_several_threads_look_at_the_operands_of_one_graph() -> None:
    for _ in range(100):
        y = polynomial(Value(3.0))
        seen: list[list[int]] = []

        def look(y: Any = y, seen: list[list[int]] = seen) -> None:
            ids, node = [], y
            while node.operands:
                ids.append([id(operand) for operand in node.operands])
                node = node.operands[0]
            seen.append([i for pair in ids for i in pair])

        together(look, look)
        assert seen[0] == seen[1], "the leaves of constants are made once"


def test_no_grad_stays_in_its_thread() -> None:
    x = Value(2.0)
    inside, done = threading.Event(), threading.Event()

    def paused() -> None:
        with no_grad():
            inside.set()
            assert done.wait(60)
            assert (x * 3).op == ""
        assert (x * 3).op == "mul"

    def recording() -> None:
        assert inside.wait(60)
        assert (x * 3).op == "mul"
        with no_grad():
            assert (x * 3).op == ""
        assert (x * 3).op == "mul"
        done.set()

    together(paused, recording)


def test_one_block_pauses_values_tensors_and_transforms() -> None:
    x, t = Value(2.0), Tensor([2.0], requires_grad=True)

    def paused(v: Any) -> Any:
        with no_grad():
            return v * v

    assert not paused(x).operands
    assert not paused(t).requires_grad
    assert grad(lambda v: paused(v) + v)(2.0) == 1.0
    with no_grad():
        assert grad(lambda v: v * v)(2.0) == 4.0
        with enable_grad():
            assert (x * x).operands
            assert (t * t).requires_grad
        assert not (x * x).operands


def test_a_new_thread_records_even_when_its_parent_does_not() -> None:
    x, ops = Value(2.0), []
    with no_grad():
        together(lambda: ops.append((x * 3).op))
    assert ops == ["mul"]


def test_threads_pickle_one_graph_at_the_same_time() -> None:
    x = Value(1.0)
    y = x
    for _ in range(1000):
        y = y + x

    def task() -> None:
        for _ in range(5):
            twin = pickle.loads(pickle.dumps(y))
            assert twin.data == 1001.0
            twin.backward()

    together(task, task)


def test_a_pass_waits_for_a_rule_in_python_that_runs_in_another_thread() -> None:
    entered, calling = threading.Event(), threading.Event()

    def rule(t: Any, y: Any, x: Any) -> Any:
        entered.set()
        assert calling.wait(10.0)
        time.sleep(0.05)  # the other thread is about to call backward(), or waits in it
        return 2.0 * t

    twice = pointwise("twice_in_python", rule, forward=lambda x: 2.0 * x)
    x, other = Value(3.0), Value(5.0)
    y, z = twice(x), other * other

    def second() -> None:
        assert entered.wait(10.0)
        calling.set()
        z.backward()

    together(y.backward, second)
    assert (x.grad, other.grad) == (2.0, 10.0)
