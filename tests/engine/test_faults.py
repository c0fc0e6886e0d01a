"""Passes that are interrupted, or that fail: gradients and graphs are as before or as completed."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from itertools import count
from typing import Any

import numpy as np
import pytest

import gradwalk
from gradwalk import ENGINE, Tensor, Value, gradients, pointwise
from gradwalk.errors import FreedGraphError, GradwalkError, OptionError

from ..helpers.interrupts import Interrupt, at_every_call

during: list[Callable[[], object]] = []


def _rule(t: Any, y: Any, x: Any) -> Any:
    for happening in during:
        happening()
    return t * 2.0


eventful = pointwise("eventful", _rule, forward=lambda x: x * 2.0)


@pytest.fixture(autouse=True)
def nothing_happens() -> Iterator[None]:
    yield
    during.clear()


# --- one graph of each kind: its leaves, and the result of a new one ------------------------------


def values() -> tuple[list[Any], Any]:
    x, w = Value(3.0), Value(0.5)
    h = eventful(x * w) + w
    return [x, w], h * h.exp() + eventful(h)


def tensors() -> tuple[list[Any], Any]:
    x = Tensor([[1.0, -2.0], [0.5, 3.0]], requires_grad=True)
    w = Tensor([2.0, -1.0], requires_grad=True)
    h = eventful(x @ w) + w
    return [x, w], (h.relu() * h[0] + eventful(h)).sum()


def mixed() -> tuple[list[Any], Any]:
    """A Tensor made of Values: one pass runs through both engines."""
    (x, w), y = values()
    t = Tensor([1.0, -2.0], requires_grad=True)
    return [x, w, t], (gradwalk.stack([x, y]) * t).sum() + eventful(t).sum()


GRAPHS = pytest.mark.parametrize("graph", [values, tensors, mixed])
RETAIN = pytest.mark.parametrize("retain", [False, True])


def seen(leaves: list[Any]) -> list[Any]:
    return [np.asarray(leaf.grad).tolist() for leaf in leaves]  # None, or numbers


def expected_after(graph: Callable[[], Any], passes: int) -> list[Any]:
    leaves, y = graph()
    for _ in range(passes):
        y.backward(retain_graph=True)
    return seen(leaves)


@RETAIN
@GRAPHS
def test_an_interrupt_at_any_call_of_a_pass(graph: Any, retain: bool) -> None:
    once, twice = expected_after(graph, 1), expected_after(graph, 2)
    made: list[Any] = []

    def task() -> None:
        made[-1][1].backward(retain_graph=retain)

    made.append(graph())
    before = seen(made[0][0])
    for _ in at_every_call(task):
        leaves, y = made[-1]
        after = seen(leaves)
        assert after in (before, once)
        if after == before:
            y.backward(retain_graph=True)
            assert seen(leaves) == once
        elif retain:
            y.backward()
            assert seen(leaves) == twice
        made.append(graph())


@pytest.mark.parametrize("error", [Interrupt, LookupError])
@RETAIN
@GRAPHS
def test_a_rule_that_fails_at_any_time(graph: Any, retain: bool, error: Any) -> None:
    once, failures = expected_after(graph, 1), 0
    for last in count():
        leaves, y = graph()
        before, calls = seen(leaves), count()

        def fail(last: int = last, calls: Iterator[int] = calls) -> None:
            if next(calls) == last:
                raise error

        during[:] = [fail]
        try:
            y.backward(retain_graph=retain)
        except error:
            assert seen(leaves) == before
            failures += 1
            during.clear()
            y.backward(retain_graph=retain)
        assert seen(leaves) == once
        if next(calls) <= last:
            break
    assert failures >= 2


@GRAPHS
def test_inner_gradients_are_as_before_when_a_pass_fails(graph: Any) -> None:
    y = graph()[1]
    y.backward(retain_graph=True)
    before = [repr(node.grad) for node in gradwalk.engine.node.ancestors(getattr(y, "_node", y))]

    def fail() -> None:
        raise LookupError

    during.append(fail)
    with pytest.raises(LookupError):
        y.backward(retain_graph=False)
    nodes = gradwalk.engine.node.ancestors(getattr(y, "_node", y))
    assert [repr(node.grad) for node in nodes] == before


PASSES: dict[str, Callable[[Any, Any], Any]] = {
    "backward": lambda y, leaves: (y.backward(), [x.grad for x in leaves])[1],
    "retained": lambda y, leaves: (y.backward(retain_graph=True), [x.grad for x in leaves])[1],
    "gradients": lambda y, leaves: gradients(y, leaves),
    "recorded": lambda y, leaves: gradients(y, leaves, create_graph=True),
}


@pytest.mark.parametrize("run", PASSES.values(), ids=PASSES)
@pytest.mark.parametrize("graph", [values, tensors])
def test_a_rule_that_frees_the_graph_of_its_pass(graph: Any, run: Any) -> None:
    """It gets an error of ours, whichever pass it is in; no pass goes on with half a graph."""
    leaves, y = graph()

    def free() -> None:
        during.clear()
        y.backward(retain_graph=False)

    during.append(free)
    with contextlib.suppress(GradwalkError):
        run(y, leaves)
    during.clear()
    again, z = graph()
    others, w = graph()
    found, expected = run(z, again), gradients(w, others)
    for got, right in zip(found, expected, strict=True):
        np.testing.assert_array_equal(getattr(got, "data", got), right)


def test_a_rule_may_differentiate() -> None:
    """Its derivatives are those of plain numbers, whichever graph is swept around it."""
    inner = gradwalk.grad(lambda v: eventful(v) * v)
    found: list[Any] = []
    x = Value(3.0)

    def rule(t: Any, y: Any, a: Any) -> Any:
        u = Value(a)
        found.append((inner(a), gradients(u * u * x, [u, x])))
        return t * inner(a)

    nested = pointwise("nested_rule", rule, forward=lambda a: a * a * 2.0)
    (nested(x) * x).backward()
    assert x.grad == 54.0
    assert found == [(12.0, (18.0, 9.0))]


@pytest.mark.skipif(ENGINE != "native", reason="the Python engine sweeps one graph inside another")
def test_backward_in_a_rule_is_an_error_of_ours() -> None:
    x = Value(3.0)
    during.append((x * x).backward)
    y = eventful(x)
    with pytest.raises(OptionError, match=r"backward\(\) inside a rule"):
        y.backward()
    assert x.grad == 0.0
    during.clear()
    y.backward()
    assert x.grad == 2.0


def test_a_pass_after_a_freed_graph_names_it() -> None:
    for graph in (values, tensors, mixed):
        leaves, y = graph()
        y.backward(retain_graph=False)
        for run in PASSES.values():
            if graph is mixed and run in list(PASSES.values())[2:]:
                continue  # gradients() takes leaves of one kind
            with pytest.raises(FreedGraphError):
                run(y, leaves)


def test_a_backward_pass_inside_of_no_grad_reaches_values() -> None:
    x = Value(3.0)
    y = (gradwalk.stack([x, x * x]) * Tensor([1.0, 2.0])).sum()
    with gradwalk.no_grad():
        y.backward()
    assert x.grad == 13.0
