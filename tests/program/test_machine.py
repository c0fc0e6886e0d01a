"""The machine for arrays gives what NumPy gives, however the numbers lie, wherever blocks end."""

from __future__ import annotations

import random
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import gradwalk as gw
from gradwalk import nn, value_and_grad
from gradwalk.native import engine
from gradwalk.program.machine.forms import KERNELS
from gradwalk.program.machine.plan import PlannedExecutor
from gradwalk.program.machine.planner import Planner

from ..helpers.amount import examples

R = np.random.default_rng(5)
SHAPES = [(30, 37), (37,), (30, 1), (), (1, 37), (2, 30, 37), (2, 1, 37), (2, 30, 1)]

UNARY = ["tanh", "sin", "exp", "sigmoid", "relu", "abs", "square", "negative", "sqrt"]
STEPS = [
    *(f"gw.{name}(abs({{a}}) * 0.5)" for name in UNARY),
    "{a} + {b}",
    "{a} * {b} - 0.25",
    "{a} / (1.5 + {b} * {b})",
    "gw.where({a} > {b}, {a}, 0.0)",
    "gw.where(({a} > 0.1) | ~({b} < 0.3), {a}, {b})",
    "gw.maximum({a}, {b})",
    "gw.sum({a}, axis=-1, keepdims=True) * 0.1 + {b}",
    "gw.sum({a}, axis=0) * 0.1",
    "gw.mean({a}) + {b}",
    "gw.mean({a}, axis=0) - {b}",
    "({a} + gw.zeros((2, 30, 37))).sum(axis=(0, 1))",
    "({a} + gw.zeros((30, 37)))[..., ::-1]",
    "({a} + gw.zeros((30, 37)))[..., 3:4] * {b}",
    "({a} + gw.zeros((30, 37))).swapaxes(-1, -2).reshape(-1)[:37]",
    "({a} + gw.zeros((30, 37))).reshape(-1)[5:1115:30]",
    "gw.concat([{a} + gw.zeros((30, 37)), {b} + gw.zeros((30, 37))], axis=-1)[..., 20:57]",
    "gw.stack([{a} + gw.zeros((37,)), {b} + gw.zeros((37,))], axis=-1).sum(axis=-1)",
    "gw.astype(gw.astype({a}, np.float32) * 3.0, np.float64)",
    "gw.broadcast_to({a}, (2, 30, 37))",
]


def _program(draws: random.Random) -> str:
    names = ["x", "y", "z"]
    lines = []
    for i in range(draws.randint(2, 9)):
        a, b = draws.choice(names[-5:]), draws.choice(names[-5:])
        lines.append(f"v{i} = {draws.choice(STEPS).format(a=a, b=b)}")
        names.append(f"v{i}")
    ends = " + ".join(f"gw.mean({name})" for name in names[-3:])
    return "\n    ".join(["def f(x, y, z):", *lines, f"return {ends} + gw.mean(x * y * z)"])


@pytest.mark.skipif(engine is None, reason="the Python engine has no machine")
@examples(600, 50)
@given(st.randoms(use_true_random=False), st.sampled_from(["float64", "float32"]))
def test_drawn_programs(draws: random.Random, dtype: str) -> None:
    source = _program(draws)
    names: dict[str, Any] = {"gw": gw, "np": np}
    exec(source, names)
    shapes = [draws.choice(SHAPES) for _ in range(3)]
    f = names["f"]
    run, whole = gw.compile(value_and_grad(f, (0, 1, 2))), gw.compile(f)
    for scale in (1.0, -1.3):
        point = [(R.normal(size=shape) * scale).astype(dtype) for shape in shapes]
        try:
            value, gradients = value_and_grad(f, (0, 1, 2))(*point)
        except gw.errors.GradwalkError as error:  # shapes that do not fit
            for attempt in (run, whole):
                with pytest.raises(type(error)):
                    attempt(*point)
            continue
        close = 1e-11 if dtype == "float64" else 2e-4
        got, found = run(*point)
        np.testing.assert_allclose(got, value, rtol=close, atol=close, err_msg=source)
        np.testing.assert_allclose(whole(*point), value, rtol=close, atol=close, err_msg=source)
        for pair in zip(found, gradients, strict=True):
            one, other = map(np.asarray, pair)
            assert (one.shape, one.dtype) == (other.shape, other.dtype), source
            size = max(1.0, float(np.abs(other).max(initial=0.0)))
            np.testing.assert_allclose(one / size, other / size, atol=close, err_msg=source)


@pytest.mark.skipif(engine is None, reason="the Python engine has no machine")
@pytest.mark.parametrize("size", [1, 7, 8, 511, 512, 513, 1024, 5000])
def test_sums_are_exact(size: int) -> None:
    """Errors stay below one rounding of the sum of the sizes, however many numbers there are."""
    x = R.normal(size=size) * 10.0 ** R.integers(-8, 9, size)
    run = gw.compile(lambda x: gw.sum(x * 1.0000001))
    exact = float(np.sum((x * 1.0000001).astype(np.longdouble)))
    assert abs(float(run(x)) - exact) <= np.finfo(float).eps * float(np.abs(x).sum())


@pytest.mark.skipif(not KERNELS, reason="no vectors on this processor")
def test_the_same_bits_as_eager() -> None:
    """Elementwise programs of doubles, whatever the size."""
    f = lambda x, y: gw.tanh(x * y + 0.1) / (1.0 + gw.exp(-gw.abs(x))) - gw.maximum(x, y) * 3.0  # noqa: E731
    for size in (1, 5, 64, 511, 512, 513, 3000):
        x, y = R.normal(size=size), R.normal(size=size)
        assert np.array_equal(gw.compile(f)(x, y), f(x, y))


@pytest.mark.skipif(not KERNELS, reason="no vectors on this processor")
def test_arguments_that_are_not_contiguous() -> None:
    run = gw.compile(lambda x, y: gw.sum(x * y + x, axis=0))
    x, y = R.normal(size=(40, 60)), R.normal(size=(40, 60))
    for a, b in ((x, y), (x[::-1], y[:, ::-1]), (np.asfortranarray(x), y)):
        np.testing.assert_allclose(run(a, b), np.sum(a * b + a, axis=0), rtol=1e-12)


@pytest.mark.skipif(not KERNELS, reason="no vectors on this processor")
def test_a_network_needs_few_calls() -> None:
    """What lies between two products of matrices is one call of the machine."""
    model = nn.Sequential(nn.Linear(8, 8), nn.Tanh(), nn.Linear(8, 8), nn.Tanh())
    run = gw.compile(lambda x: gw.sum(model(x) ** 2))
    x = R.normal(size=(20, 8))
    run(x)
    (version,) = next(iter(run._versions.values()))
    executor = version.executor
    assert isinstance(executor, PlannedExecutor)
    machines = [call for call in executor._idle[0].calls if call.operands is None]
    assert len(machines) == 2


class Counted(set[int]):
    """A set that counts how many of its elements are looked at one after the other."""

    looked_at = 0

    def __iter__(self) -> Any:
        for x in super().__iter__():
            Counted.looked_at += 1
            yield x


@pytest.mark.skipif(engine is None, reason="the Python engine has no machine")
def test_a_chain_is_written_without_a_search_at_each_step(monkeypatch: pytest.MonkeyPatch) -> None:
    """Elements of an array are chains of thousands of steps: each local cell is looked at once."""
    cells = []

    def local(planner: Any, chain: Any) -> Counted:
        found = Counted(local_of(planner, chain))
        cells.append(len(found))
        return found

    def filtered(p: Any) -> Any:
        """An extended Kalman filter of one position, on elements of an array."""
        x, variance, loss = p[0], p[1], 0.0
        for k in range(40):
            x, slope = x + 0.1 * gw.sin(x), 1.0 + 0.1 * gw.cos(x)
            variance = slope * variance * slope + p[2]
            gain = variance / (variance + 0.3)
            error = 0.1 * k - x
            x, variance = x + gain * error, (1.0 - gain) * variance
            loss = loss + error * error
        return loss

    local_of = Planner._local
    monkeypatch.setattr(Planner, "_local", local)
    Counted.looked_at = 0
    p = np.array([0.3, 1.0, 0.1])
    value, gradient = gw.compile(value_and_grad(filtered))(p)
    expected = value_and_grad(filtered)(p)
    assert value == expected[0]
    assert (gradient == expected[1]).all()
    assert sum(cells) > 500
    assert Counted.looked_at <= 2 * sum(cells)
