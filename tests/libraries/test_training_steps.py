"""Whole training steps, compiled: parameters, gradients and states are those of plain calls."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from gradwalk import Tensor, nn, optim
from gradwalk.nn import functional as F  # noqa: N812

from ..helpers.libraries import MARKS
from .test_programs import ALL, CLOSE, WAYS, Counted, Way, as_numpy, compiled, opened

OPTIMIZERS: dict[str, Callable[[Any], Any]] = {
    "SGD": lambda p: optim.SGD(p, lr=0.1, momentum=0.9, nesterov=True, weight_decay=0.01),
    "Adam": lambda p: optim.Adam(p, lr=0.01, amsgrad=True),
    "AdamW": lambda p: optim.AdamW(p, lr=0.01),
    "RMSprop": lambda p: optim.RMSprop(p, lr=0.01, momentum=0.5, centered=True),
}
COMPILED = [way for way in WAYS if WAYS[way].compiled]


def ways(few: bool = True) -> list[Any]:
    """Return the ways that compile; without ``few`` those that take seconds only if all are."""
    chosen = [way for way in COMPILED if few or ALL or not WAYS[way].slow]
    return [pytest.param(way, marks=MARKS.get(WAYS[way].library, ()), id=way) for way in chosen]


def cells() -> list[Any]:
    return [
        pytest.param(*way.values, name, marks=way.marks, id=f"{way.id}-{name}")
        for name in OPTIMIZERS
        for way in ways(few=name == "AdamW")
    ]


def mlp() -> nn.Module:
    return nn.Sequential(nn.Linear(3, 6, seed=1), nn.Tanh(), nn.Linear(6, 2, seed=2))


def with_batch_norm() -> nn.Module:
    return nn.Sequential(nn.Linear(3, 4, seed=1), nn.BatchNorm1d(4), nn.ReLU(),
                         nn.Linear(4, 2, seed=2))  # fmt: skip


def train_step(model: Any, optimizer: Any, x: Any, y: Any) -> Any:
    optimizer.zero_grad()
    loss = F.cross_entropy(model(x), y)
    loss.backward()
    optimizer.step()
    return loss


def clipped_step(model: Any, optimizer: Any, x: Any, y: Any) -> Any:
    optimizer.zero_grad()
    loss = F.cross_entropy(model(x), y)
    loss.backward()
    norm = optim.clip_grad_norm_(model.parameters(), 0.05)
    optimizer.step()
    return loss, norm


class Training:
    """A model and its optimizer at a place, trained by a step."""

    def __init__(
        self, place: str, step: Any, make: Callable[[Any], Any], model: Callable[[], Any] = mlp
    ) -> None:
        self.place, self.step = place, step
        self.model = model().astype(np.float64).to(place)
        self.optimizer = make(self.model.parameters())

    def run(self, seed: int) -> list[Any]:
        """Take a step on the batch of a seed, and return its results."""
        rng = np.random.default_rng(seed)
        x, y = rng.normal(size=(8, 3)), rng.integers(0, 2, 8)
        batch = (Tensor(part).to_device(self.place) for part in (x, y))
        return as_numpy(self.step(self.model, self.optimizer, *batch))

    def state(self) -> dict[str, Any]:
        """Return everything that a step leaves behind, as arrays of NumPy."""
        found = {f"model.{k}": v for k, v in self.model.state_dict().items()}
        grads = {f"grad.{k}": p.grad for k, p in self.model.named_parameters()}
        found |= {k: Tensor(grad).numpy() for k, grad in grads.items()}
        return found | dict(named("optimizer", self.optimizer.state_dict()))


def named(path: str, x: Any) -> list[tuple[str, Any]]:
    """Return the leaves of a state with their paths."""
    if isinstance(x, dict):
        return [leaf for k, part in x.items() for leaf in named(f"{path}.{k}", part)]
    if isinstance(x, (list, tuple)):
        return [leaf for k, part in enumerate(x) for leaf in named(f"{path}.{k}", part)]
    return [(path, x)]


def agree(found: dict[str, Any], expected: dict[str, Any]) -> None:
    assert found.keys() == expected.keys()
    for k, b in expected.items():
        if isinstance(b, (float, np.ndarray)):
            np.testing.assert_allclose(found[k], b, err_msg=k, **CLOSE)
        else:
            assert found[k] == b, k


def pair(way: Way, step: Any, make: Any, model: Any = mlp) -> tuple[Training, Training, Counted]:
    """Return a plain training in NumPy, a compiled one, and how often Python runs that step."""
    opened(way)
    counted = Counted(step)
    ours = Training(way.place, compiled(counted.f, way), make, model)
    return Training("numpy", step, make, model), ours, counted


@pytest.mark.parametrize(("way", "name"), cells())
def test_five_compiled_steps_are_five_plain_ones(way: str, name: str) -> None:
    plain, ours, counted = pair(WAYS[way], train_step, OPTIMIZERS[name])
    runs = []
    for seed in range(5):
        for a, b in zip(ours.run(seed), plain.run(seed), strict=True):
            np.testing.assert_allclose(a, b, **CLOSE)
        agree(ours.state(), plain.state())
        runs.append(len(counted.runs))
    assert runs[-1] == runs[1], "Python ran again, after the first two steps"


@pytest.mark.parametrize("way", ways())
def test_a_schedule_changes_the_rate_without_another_version(way: str) -> None:
    plain, ours, counted = pair(WAYS[way], train_step, OPTIMIZERS["Adam"])
    schedules = [optim.ExponentialLR(one.optimizer, gamma=0.5) for one in (plain, ours)]
    runs = []
    for seed in range(5):
        np.testing.assert_allclose(ours.run(seed)[0], plain.run(seed)[0], **CLOSE)
        agree(ours.state(), plain.state())
        for schedule in schedules:
            schedule.step()
        runs.append(len(counted.runs))
    assert runs[-1] == runs[1]


@pytest.mark.parametrize("way", ways(few=False))
def test_gradients_are_clipped_inside_of_a_compiled_step(way: str) -> None:
    plain, ours, _ = pair(WAYS[way], clipped_step, OPTIMIZERS["SGD"])
    for seed in range(3):
        found, expected = ours.run(seed), plain.run(seed)
        assert expected[1] > 0.05
        for a, b in zip(found, expected, strict=True):
            np.testing.assert_allclose(a, b, **CLOSE)
        agree(ours.state(), plain.state())


@pytest.mark.parametrize("way", ways(few=False))
def test_batch_norm_keeps_its_running_statistics(way: str) -> None:
    plain, ours, _ = pair(WAYS[way], train_step, OPTIMIZERS["AdamW"], with_batch_norm)
    for seed in range(3):
        np.testing.assert_allclose(ours.run(seed)[0], plain.run(seed)[0], **CLOSE)
        agree(ours.state(), plain.state())
    assert abs(ours.state()["model.1.running_mean"]).max() > 0.0


@pytest.mark.parametrize("way", ways(few=False))
def test_a_compiled_step_follows_a_model_that_is_loaded(way: str) -> None:
    """Parameters are read at each call, also those that something else has written."""
    plain, ours, _ = pair(WAYS[way], train_step, OPTIMIZERS["Adam"])
    for seed in range(3):
        ours.run(seed), plain.run(seed)
        for one in (plain, ours):
            one.model.load_state_dict({k: v * 0.5 for k, v in one.model.state_dict().items()})
    np.testing.assert_allclose(ours.run(9)[0], plain.run(9)[0], **CLOSE)
    agree(ours.state(), plain.state())


@pytest.mark.parametrize("way", ways(few=False))
def test_dropout_draws_in_each_call_what_a_plain_call_draws(way: str) -> None:
    def dropping() -> nn.Module:
        return nn.Sequential(nn.Linear(3, 6, seed=1), nn.Dropout(0.5, seed=3))

    def forward(model: Any, optimizer: Any, x: Any, y: Any) -> Any:
        return model(x)

    plain, ours, counted = pair(WAYS[way], forward, OPTIMIZERS["SGD"], dropping)
    found = []
    for _ in range(3):
        found.append(ours.run(0)[0])
        np.testing.assert_allclose(found[-1], plain.run(0)[0], **CLOSE)
    assert ((found[1] == 0.0) != (found[2] == 0.0)).any()
    assert len(counted.runs) <= 2
