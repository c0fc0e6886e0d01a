"""Threads: independent graphs, shared parameters, and a no_grad that stays in its thread."""

from __future__ import annotations

import copy
import os
import pickle
import sys
import threading
import time
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from gradwalk import ENGINE, Tensor, Value, grad, gradients, no_grad, pointwise
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


@pytest.mark.parametrize("duplicate", [copy.deepcopy, lambda v: pickle.loads(pickle.dumps(v))])
def test_threads_copy_overlapping_graphs_from_different_roots(duplicate: Any) -> None:
    roots = [x := Value(1.0)]
    for _ in range(3000):
        roots.append(roots[-1] + x)

    def task(root: Any) -> Callable[[], None]:
        def run() -> None:
            for _ in range(3):
                twin = duplicate(root)
                assert twin.data == root.data
                assert gradients(twin, twin.operands[0]) == 1.0

        return run

    together(*map(task, (roots[-1], roots[2900], roots[1500], roots[-1])))


def test_a_copy_that_another_thread_closes() -> None:
    y = x = Value(1.0)
    for _ in range(3000):
        y = y + x
    nodes = y.__reduce_ex__(4)[1][0].__reduce__()[3]
    next(nodes)
    together(nodes.close)
    assert copy.deepcopy(y).data == pickle.loads(pickle.dumps(y)).data == 3001.0


FORK_IN_A_PASS = """
import os, sys, threading
from gradwalk import Tensor, Value, gradients, pointwise

entered, forked = threading.Event(), threading.Event()

def rule(t, y, x):
    entered.set()
    assert forked.wait(60)
    return t * 2.0

slow = pointwise("slow", rule, forward=lambda x: x * 2.0)
kind = sys.argv[1]
leaf = Value if kind == "value" else lambda x: Tensor([x], requires_grad=True)
x, w = leaf(3.0), leaf(4.0)
h = w * x
y = slow(h * x) + h * 1.0
z = (h * h).sum() if kind == "tensor" else h * h
y = y.sum() if kind == "tensor" else y
thread = threading.Thread(target=y.backward)
thread.start()
assert entered.wait(60)

def number(gradient):
    return None if gradient is None else float(gradient if kind == "value" else gradient[0])

child = os.fork()
if child == 0:
    forked.set()
    before = number(x.grad), number(w.grad)
    z.backward(retain_graph=True)
    after = number(x.grad), number(w.grad)
    y.backward()
    print(before, after, (number(x.grad), number(w.grad)), flush=True)
    os._exit(0)
os.waitpid(child, 0)
forked.set()
thread.join()
print(number(x.grad), number(w.grad), flush=True)
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
@pytest.mark.parametrize(("kind", "none"), [("value", 0.0), ("tensor", None)])
def test_a_fork_while_another_thread_sweeps(run_python: Any, kind: str, none: Any) -> None:
    """The child sees the graph as if the pass of the other thread had not begun."""
    printed = run_python(FORK_IN_A_PASS, kind).splitlines()
    assert printed == [f"{(none, none)} (96.0, 72.0) (148.0, 93.0)", "52.0 21.0"]


FORK_IN_A_RULE = """
import os
from gradwalk import Value, pointwise

def rule(t, y, x):
    global child
    child = os.fork()
    return t * 2.0

x = Value(3.0)
pointwise("forking", rule, forward=lambda x: x * 2.0)(x).backward()
(x * x).backward()
if child:
    os.waitpid(child, 0)
print(x.grad, flush=True)
if child == 0:
    os._exit(0)
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
def test_a_fork_inside_of_a_rule_goes_on_in_both_processes(run_python: Any) -> None:
    assert run_python(FORK_IN_A_RULE) == "8.0\n8.0\n"


EXIT = """
import atexit, threading, time
from gradwalk import Value, pointwise

entered = threading.Event()

def rule(t, y, x):
    entered.set()
    while True:
        time.sleep(0.001)

y = pointwise("endless", rule, forward=lambda x: x)(Value(1.0))

class Late:
    def __del__(self, x=Value(3.0)):
        attempt(x)

def attempt(x):
    try:
        (x * x).backward()
    except ValueError as error:
        print(type(error).__name__)
    else:
        print(x.grad)

late = Late()
atexit.register(attempt, Value(2.0))
threading.Thread(target=y.backward, daemon=True).start()
assert entered.wait(60)
print("end", flush=True)
"""


def test_exit_does_not_wait_for_a_pass_of_a_daemon_thread(run_python: Any) -> None:
    refused = "OptionError" if ENGINE == "native" else "4.0"
    assert run_python(EXIT).splitlines()[:2] == ["end", refused]
