"""Whole training steps, compiled: parameters, gradients and states are those of plain calls."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from gradwalk import nn, optim

from ..helpers.libraries import MARKS
from ..helpers.step_states import (
    REFUSED_STATES,
    STATES,
    World,
    expect_refused,
    expect_same_states,
)
from ..helpers.training_steps import (
    OPTIMIZERS,
    STEPS,
    Training,
    as_numpy,
    clipped,
    kinds,
    leaves,
    mlp,
    same,
    usual,
    with_batch_norm,
)
from .test_programs import ALL, CLOSE, WAYS, Counted, Way, compiled, opened

FEW = "gradients_before norm_used"
COMPILED = [way for way in WAYS if WAYS[way].compiled]


def ways(few: bool = True) -> list[Any]:
    """Return the ways that compile; without ``few`` those that take seconds only if all are."""
    chosen = [way for way in COMPILED if few or ALL or not WAYS[way].slow]
    return [pytest.param(way, marks=MARKS.get(WAYS[way].library, ()), id=way) for way in chosen]


def cells(names: Any, few: str, libraries_only: bool = False) -> list[Any]:
    """Return each way with each name; slow ways with a few of them."""
    return [
        pytest.param(*way.values, name, marks=way.marks, id=f"{way.id}-{name}")
        for name in names
        for way in ways(few=name in few.split())
        if not libraries_only or WAYS[way.values[0]].library != "numpy"  # type: ignore[index]
    ]


def pair(way: Way, step: Any, make: Any, model: Any = mlp) -> tuple[Training, Training, Counted]:
    """Return a plain training in NumPy, a compiled one, and how often Python runs that step."""
    opened(way)
    counted = Counted(step)
    ours = Training(compiled(counted.f, way), make, model, place=way.place)
    return Training(step, make, model), ours, counted


def agree(ours: Training, plain: Training, seed: int) -> Any:
    """Take a step of both, whose results and whose traces have to be the same."""
    found, expected = ours.run(seed), plain.run(seed)
    same(leaves("result", found), leaves("result", expected), **CLOSE)
    assert kinds(found) == kinds(expected)
    same(ours.state(), plain.state(), **CLOSE)
    return found


@pytest.mark.parametrize(("way", "name"), cells(OPTIMIZERS, few="AdamW"))
def test_five_compiled_steps_are_five_plain_ones(way: str, name: str) -> None:
    plain, ours, counted = pair(WAYS[way], usual, OPTIMIZERS[name])
    runs = []
    for seed in range(5):
        agree(ours, plain, seed)
        runs.append(len(counted.runs))
    assert runs[-1] == runs[1], "Python ran again, after the first two steps"


@pytest.mark.filterwarnings("ignore::gradwalk.errors.CutGraphWarning")  # of the first step
@pytest.mark.parametrize(("way", "name"), cells(STEPS, FEW, libraries_only=True))
def test_every_step_leaves_what_plain_ones_do(way: str, name: str) -> None:
    plain, ours, counted = pair(WAYS[way], STEPS[name], OPTIMIZERS["momentum"])
    for seed in range(4):
        agree(ours, plain, seed)
    assert len(counted.runs) <= 2


@pytest.mark.parametrize("way", ways())
def test_a_schedule_changes_the_rate_without_another_version(way: str) -> None:
    plain, ours, counted = pair(WAYS[way], usual, OPTIMIZERS["Adam"])
    schedules = [optim.ExponentialLR(one.optimizer, gamma=0.5) for one in (plain, ours)]
    runs = []
    for seed in range(5):
        agree(ours, plain, seed)
        for schedule in schedules:
            schedule.step()
        runs.append(len(counted.runs))
    assert runs[-1] == runs[1]


@pytest.mark.parametrize("way", ways(few=False))
def test_gradients_are_clipped_inside_of_a_compiled_step(way: str) -> None:
    plain, ours, _ = pair(WAYS[way], clipped, OPTIMIZERS["SGD"])
    for seed in range(3):
        _, norm = agree(ours, plain, seed)
        assert norm > 0.05


@pytest.mark.parametrize("way", ways(few=False))
def test_batch_norm_keeps_its_running_statistics(way: str) -> None:
    plain, ours, _ = pair(WAYS[way], usual, OPTIMIZERS["AdamW"], with_batch_norm)
    for seed in range(3):
        agree(ours, plain, seed)
    assert abs(ours.model.state_dict()["1.running_mean"]).max() > 0.0


@pytest.mark.parametrize("way", ways(few=False))
def test_a_compiled_step_follows_a_model_that_is_loaded(way: str) -> None:
    """Parameters are read at each call, also those that something else has written."""
    plain, ours, _ = pair(WAYS[way], usual, OPTIMIZERS["Adam"])
    for seed in range(3):
        ours.run(seed), plain.run(seed)
        for one in (plain, ours):
            one.model.load_state_dict({k: v * 0.5 for k, v in one.model.state_dict().items()})
    agree(ours, plain, 9)


@pytest.mark.parametrize("way", ways(few=False))
def test_dropout_draws_in_each_call_what_a_plain_call_draws(way: str) -> None:
    def dropping() -> nn.Module:
        return nn.Sequential(nn.Linear(3, 6, seed=1), nn.Dropout(0.5, seed=3))

    def forward(model: Any, optimizer: Any, x: Any, y: Any) -> Any:
        return model(x)

    plain, ours, counted = pair(WAYS[way], forward, OPTIMIZERS["SGD"], dropping)
    found = []
    for _ in range(3):
        found.append(as_numpy(ours.run(0)))
        np.testing.assert_allclose(found[-1], as_numpy(plain.run(0)), **CLOSE)
    assert ((found[1] == 0.0) != (found[2] == 0.0)).any()
    assert len(counted.runs) <= 2


# --- what is no number ----------------------------------------------------------------------------

IN_PLACES = [way for way in ways(few=False) if WAYS[way.values[0]].place != "numpy"]  # type: ignore[index]


@pytest.mark.parametrize("way", IN_PLACES)
@pytest.mark.parametrize("name", STATES)
def test_a_step_leaves_the_modes_flags_and_attributes_of_plain_calls(way: str, name: str) -> None:
    step, back = STATES[name]
    opened(WAYS[way])
    ours = World(compiled(step, WAYS[way]), WAYS[way].place)
    expect_same_states(ours, World(step), back, **CLOSE)


@pytest.mark.parametrize("way", IN_PLACES)
@pytest.mark.parametrize("name", REFUSED_STATES)
def test_a_step_that_would_not_be_done_again_is_refused(way: str, name: str) -> None:
    step, text = REFUSED_STATES[name]
    opened(WAYS[way])
    place = WAYS[way].place
    expect_refused(World(compiled(step, WAYS[way]), place), World(step, place), text)
