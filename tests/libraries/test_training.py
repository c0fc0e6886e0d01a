"""Training on arrays of other libraries gives NumPy's losses."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from gradwalk import Tensor, nn, optim
from gradwalk.nn import functional as F  # noqa: N812

from ..helpers.libraries import Library

OPTIMIZERS: dict[str, Callable[[Any], Any]] = {
    "SGD": lambda p: optim.SGD(p, lr=0.1),
    "momentum": lambda p: optim.SGD(p, lr=0.1, momentum=0.9, nesterov=True),
    "Adam": lambda p: optim.Adam(p, lr=0.01, amsgrad=True),
    "AdamW": lambda p: optim.AdamW(p, lr=0.01),
    "RMSprop": lambda p: optim.RMSprop(p, lr=0.01, momentum=0.5),
}


def mlp() -> nn.Module:
    return nn.Sequential(nn.Linear(2, 8, seed=1), nn.Tanh(), nn.Linear(8, 3, seed=2))


def losses(place: str, make: Callable[[Any], Any], steps: int = 8) -> tuple[list[float], Any]:
    """Return the losses of a training run at a place, and the trained model."""
    rng = np.random.default_rng(3)
    x, y = rng.normal(size=(20, 2)), rng.integers(0, 3, 20)
    model = mlp().to(place)
    optimizer, found = make(model.parameters()), []
    inputs = Tensor(x).to_device(place)
    for _ in range(steps):
        loss = F.cross_entropy(model(inputs), y)
        optimizer.zero_grad()
        loss.backward()
        optim.clip_grad_norm_(model.parameters(), 0.5)
        optimizer.step()
        found.append(loss.item())
    return found, model


@pytest.mark.parametrize("name", OPTIMIZERS)
def test_an_mlp_has_the_losses_of_numpy(library: Library, name: str) -> None:
    expected, _ = losses("numpy", OPTIMIZERS[name])
    found, model = losses(library.name, OPTIMIZERS[name])
    assert found == pytest.approx(expected, rel=1e-10)
    assert expected[-1] < expected[0]
    assert all(library.holds(p) for p in model.parameters())


def test_state_dicts_are_arrays_of_numpy(library: Library) -> None:
    _, model = losses(library.name, OPTIMIZERS["Adam"])
    state = model.state_dict()
    assert {type(array) for array in state.values()} == {np.ndarray}
    other = mlp().to(library.name)
    other.load_state_dict(state)
    assert all(library.holds(p) for p in other.parameters())
    x = library.tensor(np.ones((2, 2)))
    np.testing.assert_array_equal(other(x).numpy(), model(x).numpy())


def test_a_model_that_moves_takes_its_optimizer_along(library: Library) -> None:
    expected, _ = losses("numpy", OPTIMIZERS["Adam"])

    rng = np.random.default_rng(3)
    x, y = rng.normal(size=(20, 2)), rng.integers(0, 3, 20)
    model, found = mlp(), []
    optimizer = OPTIMIZERS["Adam"](model.parameters())
    for step in range(8):
        place = library.name if step in (2, 3, 4) else "numpy"
        loss = F.cross_entropy(model.to(place)(Tensor(x).to_device(place)), y)
        optimizer.zero_grad()
        loss.backward()
        optim.clip_grad_norm_(model.parameters(), 0.5)
        optimizer.step()
        found.append(loss.item())
    assert found == pytest.approx(expected, rel=1e-10)
