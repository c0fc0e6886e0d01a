"""The engines are right: by finite differences of plain floats, without the judge."""

from __future__ import annotations

import math
import random
import sys
from typing import Any

import pytest

from .engines import ALL, Engine
from .observed import (
    BASES,
    POINTS,
    XS,
    YS,
    Api,
    calls,
    evaluated,
    expected,
    loaded,
    made,
    one,
    outcome,
    possible,
)  # fmt: skip

NETS = [engine for engine in ALL if "net" in engine.parts]


def close(x: float, y: float) -> bool:
    return math.isclose(x, y, rel_tol=2e-5, abs_tol=1e-7)


@pytest.mark.parametrize("engine", ALL, ids=lambda e: e.name)
def test_results_and_gradients(engine: Engine) -> None:
    with loaded(engine) as module:
        api = Api(engine, module)
        checked = 0
        for program in possible(engine):
            for point in POINTS:
                right = expected(program.formula, point)
                if right is None:
                    continue
                y, *grads = evaluated(api, program.formula, point)
                assert close(y, right[0]), program.name
                assert all(map(close, grads[:3], right[1])), (program.name, grads, right)
                assert tuple(grads[3:]) == point
                checked += 1
        assert checked >= 60


@pytest.mark.parametrize("engine", ALL, ids=lambda e: e.name)
def test_no_observation_is_an_error_but_what_its_fields_say(engine: Engine) -> None:
    errors = {name for name, seen in BASES[engine.name].items() if isinstance(seen, str)}
    allowed = {"second", "again"} if engine.second == "once" else set()
    allowed |= {"deep"} if 11 in engine.limits else set()
    allowed |= {"tanh(1000)"} if 10 in engine.findings else set()
    if "**" not in engine.operators:
        allowed |= {"numerical"}
    assert errors <= allowed
    assert ("deep" in errors) == (11 in engine.limits)
    assert bool(engine.findings) == ("tanh(1000)" in errors)


@pytest.mark.parametrize("engine", ALL, ids=lambda e: e.name)
def test_graphs_and_a_second_loss(engine: Engine) -> None:
    seen = BASES[engine.name]
    assert seen["alone"] == 1.0
    assert seen["fresh"][:2] == [2.0, 0.1]
    assert seen["fresh"][2] in ("0.0", "0", "None")
    assert (seen["fresh"][2] == "None") == (engine.empty is None)
    assert seen["apart"] == ([1.0, 1.0] if engine.second == "replaces" else [4.0, 3.0])
    if engine.second == "once":
        assert seen["second"] == "RuntimeError" or seen["second"][2:] != [13.0, 9.0]
    else:
        after = {"adds": [13.0, 9.0], "piles": [16.0, 11.0], "replaces": [9.0, 7.0]}
        assert seen["second"] == [4.0, 2.0, *after[engine.second]]
    if 11 not in engine.limits:
        assert seen["deep"] == [3001.0, 3001.0]
    if "tanh(-1000)" in seen and not engine.findings:
        assert seen["tanh(1000)"] == [1.0, 0.0]
        assert seen["tanh(-1000)"] == [-1.0, 0.0]
    if "relu(0)" in seen:
        assert seen["relu(0)"] == [0.0, engine.at_zero]
    if "sigmoid(1000)" in seen:
        assert seen["sigmoid(1000)"] == [1.0, 0.0]
        assert seen["sigmoid(-1000)"] == [0.0, 0.0]


@pytest.mark.parametrize("engine", ALL, ids=lambda e: e.name)
def test_no_exponential_time(engine: Engine) -> None:
    assert calls(engine, doublings=12) < 600


@pytest.mark.parametrize("engine", NETS, ids=lambda e: e.name)
def test_networks(engine: Engine) -> None:
    seen = BASES[engine.name]
    assert seen["counts"] == [4, 9, 41, 17]
    assert seen["lists"] == [26, [True] * 26, engine.kind]
    assert len(set(seen["influence"])) == 4
    assert seen["cleared"] == [[0.0] * 16, True]
    with loaded(engine) as module:
        api = Api(engine, module)
        model = made(api, 3, [4, 3, 1])
        x = [0.4, -0.3, 0.9]
        assert isinstance(model(x), list) == (engine.layer == "list")
        y = one(model(x))
        y.backward()
        slopes = [numerical(api, lambda: one(model(x)), p) for p in model.parameters()]
        assert all(map(close, map(api.grad, model.parameters()), slopes))
        assert sum(slope != 0 for slope in slopes) > 10
        for p in model.parameters():
            api.put(p, 3.0)
        big = api.data(one(model([4.0, 4.0, 4.0])))
        assert (big > 2) == (engine.last == "linear")


def numerical(api: Api, f: Any, p: Any) -> float:
    x = api.data(p)
    api.put(p, x + 1e-6)
    up = api.data(f())
    api.put(p, x - 1e-6)
    down = api.data(f())
    api.put(p, x)
    return float(up - down) / 2e-6


@pytest.mark.parametrize(
    "engine", [e for e in NETS if "train" in e.parts], ids=lambda e: e.name
)  # fmt: skip
def test_training(engine: Engine) -> None:
    with loaded(engine) as module:
        api = Api(engine, module)
        model = made(api, 3, [3, 1])
        xs, ys = [list(x) for x in XS], list(YS)

        def loss() -> Any:
            return sum((one(model(x)) - y) ** 2 for x, y in zip(xs, ys, strict=True))

        params = list(model.parameters())
        before = [api.data(p) for p in params]
        right = [numerical(api, loss, p) for p in params]
        full = api.data(loss())
        losses = api.module.train(model, xs, ys, steps=1, lr=0.01)
        mean = close(losses[0], full / 4)
        assert mean or close(losses[0], full)
        for p, x, slope in zip(params, before, right, strict=True):
            assert close(api.data(p), x - 0.01 * slope / (4 if mean else 1))
        assert list(model.parameters()) == params
        random.seed(1)
        losses = api.module.train(made(api, 3, [4, 1]), xs, ys, steps=60, lr=0.05)
        assert len(losses) == 60
        assert losses[-1] < 0.7 * losses[0]


@pytest.mark.parametrize(
    "engine", [e for e in ALL if "numerical" in e.parts], ids=lambda e: e.name
)  # fmt: skip
def test_numerical_gradients(engine: Engine) -> None:
    assert BASES[engine.name]["numerical"] == [28.0, 3.0]
    assert BASES[engine.name]["numerical, eps"] == 1.0


def test_there_are_many_styles() -> None:
    assert len(ALL) >= 14
    assert len({engine.text for engine in ALL}) == len(ALL)
    assert {engine.kind for engine in ALL} == {
        "Value",
        "Var",
        "Variable",
        "Scalar",
        "Tensor",
        "Node",
    }
    assert outcome(lambda: sys.getrecursionlimit()) < 50_000
