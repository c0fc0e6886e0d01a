"""A replay never gives an old answer: what was read from its graph is noticed."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import gradwalk as gw
from gradwalk import Tensor, Value, exp, nn, replay, stop_gradient, where
from gradwalk.errors import StaleReplayError

R = np.random.default_rng(1)

ON_VALUES: dict[str, Callable[[Any, Any], Any]] = {
    "data": lambda x, y: (x * 2.0 - x.data) ** 2 + y,
    "negative": lambda x, y: x * (-x.data) + y,
    "computed": lambda x, y: (lambda z: z * z.data)(x * y + 1.0),
    "maximum": lambda x, y: exp(x - max(x.data, y.data)) + exp(y - max(x.data, y.data)),
    "where": lambda x, y: where(x > 0.0, x * 2.0, y),
    "detached": lambda x, y: (lambda z: z - z.data)(exp(x)) * y,
}


@pytest.mark.parametrize("name", ON_VALUES)
def test_readings_of_values(name: str) -> None:
    draws = random.Random(name)
    x, y = Value(draws.gauss(0.0, 1.0)), Value(draws.gauss(0.0, 1.0))
    loss = ON_VALUES[name](x, y)
    if name == "where":
        with pytest.raises(StaleReplayError, match="plain answer"):
            replay(loss)
        return
    run = replay(loss)
    run()  # the same numbers: right
    x.data, y.data = 0.5 * x.data + 0.1, 0.5 * y.data + 0.2
    with pytest.raises(StaleReplayError, match="was read"):
        run()


FINE_VALUES: dict[str, Callable[[Any, Any], Any]] = {
    "one and zero": lambda x, y: (x * 0.12345678901234567 + y - 0.3) ** 2,
    "choices": lambda x, y: x.relu() * y.tanh() + gw.maximum(x, y),
    "stopped": lambda x, y: stop_gradient(x * x) * y,
    "repeated": lambda x, y: x * 3.3 + y * 3.3,
}


@pytest.mark.parametrize("name", FINE_VALUES)
def test_constants_that_nobody_has_read(name: str) -> None:
    """A weight of 1 and a bias of 0 pass a constant on: it was not read from their results."""
    x, y = Value(1.0), Value(0.0)
    run = replay(FINE_VALUES[name](x, y))
    for _ in range(3):
        assert run() == FINE_VALUES[name](Value(x.data), Value(y.data)).data
        x.data, y.data = x.data - 0.7, y.data + 0.2


def test_a_value_of_its_own_stays() -> None:
    x = Value(0.12345678901234567)
    start = Value(x.data)
    run = replay((x - start) ** 2)
    x.data = 2.0
    assert run() == (2.0 - start.data) ** 2


def test_nothing_is_written_by_a_replay_that_fails() -> None:
    x = Value(0.12345678901234567)
    loss = x * x.data
    run = replay(loss)
    run()
    gradient, x.data = x.grad, 3.0
    with pytest.raises(StaleReplayError):
        run()
    assert x.grad == gradient


KEPT: list[Any] = []


def keep(x: Any) -> Any:
    KEPT.append(x)
    return x


ON_ARRAYS: dict[str, Callable[[Any], Any]] = {
    "data": lambda x: gw.sum(x * keep(np.array(x.data))),
    "detached": lambda x: gw.sum(x * keep(x.detach())),
    "stopped": lambda x: gw.sum(x * stop_gradient(x)),
    "inner": lambda x: (lambda y: gw.sum(y * keep(y.detach())))(gw.tanh(x)),
    "number": lambda x: gw.sum(x) * float(x.data[0, 0]),
    "maximum": lambda x: gw.sum(gw.exp(x - float(np.max(x.data)))),
    "where": lambda x: gw.sum(gw.where(keep(x > 0.0), x, x * 2.0)),
    "mask": lambda x: gw.sum(x * keep(gw.astype(x > 0.0, float))),
    "key": lambda x: gw.sum(x[x > 0.0]),
    "sort": lambda x: gw.sum(gw.sort(x, axis=1) * np.arange(20.0)),
    "argsort": lambda x: gw.sum(x[0][gw.argsort(x[0])] * np.arange(20.0)),
    "topk": lambda x: gw.sum(gw.topk(x, 3)[0]),
    "median": lambda x: gw.sum(gw.median(x, axis=1)),
}


@pytest.mark.parametrize("name", ON_ARRAYS)
def test_readings_of_arrays(name: str) -> None:
    x = Tensor(R.normal(size=(4, 20)), requires_grad=True)
    run = replay(ON_ARRAYS[name](x))
    run()
    x.data = x.data * -0.7 + 0.1
    with pytest.raises(StaleReplayError, match="read from an array"):
        run()


FINE_ARRAYS: dict[str, Callable[[Any], Any]] = {
    "max": lambda x: gw.sum(gw.max(x, axis=1)),
    "pooling": lambda x: gw.sum(nn.functional.max_pool2d(gw.reshape(x, (1, 1, 8, 10)), 2)),
    "clip": lambda x: gw.sum(gw.clip(x, -0.5, 0.5)),
    "softmax": lambda x: gw.sum(gw.softmax(x, axis=1) * np.arange(20.0)),
    "norm": lambda x: gw.linalg.norm(x) + gw.std(x) + gw.logsumexp(x),
    "classes": lambda x: nn.cross_entropy(x, keep(np.array([1, 2, 3, 4]))),
    "labels": lambda x: nn.binary_cross_entropy(gw.sigmoid(x), keep(np.ones((4, 20)))),
    "product": lambda x: gw.prod(x[0] * 2.0),
    "moved": lambda x: gw.sum(keep(R.normal(size=(4, 20))) * x * 1.0),
}


@pytest.mark.parametrize("name", FINE_ARRAYS)
def test_arrays_that_nobody_has_read(name: str) -> None:
    x = Tensor(R.normal(size=(4, 20)), requires_grad=True)
    state = R.bit_generator.state
    run = replay(FINE_ARRAYS[name](x))
    for _ in range(3):
        R.bit_generator.state = state
        np.testing.assert_allclose(run(), FINE_ARRAYS[name](x).item(), rtol=1e-10)
        x.data = x.data * -0.7 + 0.1
