"""Training by replay gives the numbers of training as it is written."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest

from gradwalk import Value
from gradwalk.data import Dataset, blobs, moons
from gradwalk.errors import NonFiniteError
from gradwalk.native import engine as native_engine
from gradwalk.nn import ACTIVATIONS, MLP, mse
from gradwalk.optim import SGD, Adam
from gradwalk.studio.training.configuration import Configuration
from gradwalk.studio.training.run import Run
from gradwalk.training import LOSSES, Epoch, Problem, fit, train
from gradwalk.training import replays as module

needs_engine = pytest.mark.skipif(native_engine is None, reason="the Python engine replays nothing")


@pytest.fixture
def plain(monkeypatch: pytest.MonkeyPatch) -> Callable[[], None]:
    """Return what makes all training run as it is written."""
    return lambda: monkeypatch.setattr(module.native, "engine", None)


def trained(loss: str, activation: Any, **options: Any) -> tuple[list[Epoch], list[float]]:
    data = moons(30, seed=1) if loss != "cross_entropy" else blobs(30, seed=1)
    if loss == "mse":
        data = Dataset(data.inputs, [x * y + 0.1 for x, y in data.inputs])
    problem = Problem.of(data, loss=loss)
    model = MLP(2, [5, problem.n_out], activation, seed=2)
    optimizer = Adam(model.parameters(), lr=0.05)
    epochs = [*train(model, problem, optimizer, epochs=4, seed=3, **options)]
    return epochs, [x for p in model.parameters() for x in (p.data, p.grad)]


@pytest.mark.parametrize("loss", LOSSES)
@pytest.mark.parametrize("options", [{}, {"batch_size": 8}])
def test_every_loss_gives_the_same_bits(loss: str, options: Any, plain: Any) -> None:
    replayed = trained(loss, "tanh", **options)
    plain()
    assert repr(replayed) == repr(trained(loss, "tanh", **options))


@pytest.mark.parametrize("activation", [*ACTIVATIONS, None, lambda x: x if x > 0.0 else 0.1 * x])
def test_every_activation_gives_the_same_bits(activation: Any, plain: Any) -> None:
    replayed = trained("bce", activation, batch_size=10)
    plain()
    assert repr(replayed) == repr(trained("bce", activation, batch_size=10))


def fitted(**options: Any) -> Any:
    """Train a network of Values by fit; history, parameters, and the outputs that a metric kept."""
    x = [[0.1 * i, 1.0 - 0.05 * i] for i in range(20)]
    model, kept = MLP(2, [4, 1], seed=1), []

    def keep(output: Any, target: Any) -> float:
        kept.append(output)
        return float(len(target))

    history = fit(
        model,
        mse,
        Adam(model.parameters(), lr=0.05),
        (x, [a * b for a, b in x]),
        epochs=6,
        batch_size=8,
        metrics={"rows": keep, "mse": mse},
        seed=0,
        progress=False,
        **options,
    )
    numbers = [[y.data for y in output] for output in kept]
    return history.records, [p.data for p in model.parameters()], numbers


@pytest.mark.parametrize("options", [{}, {"clip_grad_norm": 0.1}])
def test_fit_gives_the_same_bits(options: Any, plain: Any) -> None:
    replayed = fitted(**options)
    plain()
    assert repr(replayed) == repr(fitted(**options))


@pytest.mark.filterwarnings("ignore:SGD.step:gradwalk.errors.CutGraphWarning")
def test_a_callback_may_change_the_network(plain: Any) -> None:
    def trained() -> Any:
        model = MLP(2, [3, 1], seed=1)

        def swap(history: Any) -> None:
            model.layers[0].neurons[0] = MLP(2, [3, 1], seed=len(history)).layers[0].neurons[0]

        x = [[0.1 * i, 1.0] for i in range(9)]
        optimizer = SGD(model.parameters(), lr=0.1)
        data = (x, [a for a, _ in x])
        fit(
            model,
            mse,
            optimizer,
            data,
            epochs=6,
            batch_size=3,
            callbacks=swap,
            progress=False,
            seed=0,
        )
        return [p.data for p in model.parameters()]

    replayed = trained()
    plain()
    assert repr(replayed) == repr(trained())


def test_the_training_room_gives_the_same_bits(plain: Any) -> None:
    def trained() -> Any:
        run = Run(Configuration(hidden=(4,), count=20, batch=8))
        while run.steps < 12:
            run.step()
        return [p.data for p in run.parameters], list(run.samples)

    replayed = trained()
    plain()
    assert repr(replayed) == repr(trained())


@needs_engine
def test_the_third_batch_of_a_shape_builds_no_graph(monkeypatch: pytest.MonkeyPatch) -> None:
    built: list[int] = []
    forward = MLP.forward
    monkeypatch.setattr(MLP, "forward", lambda self, x: built.append(1) or forward(self, x))
    trained("bce", "tanh", batch_size=10)
    assert len(built) == 2 * 10  # one batch as it is written, one for the recording


@needs_engine
def test_what_might_change_is_not_replayed() -> None:
    x, y = [[1.0, 2.0]], [1.0]

    class Mine(MLP):
        pass

    for model in (Mine(2, [1], seed=0), MLP(2, [1], lambda v: v.tanh(), lambda v: v * 1.0, seed=0)):
        replays = module.Replays(model, mse)
        assert all(replays.forward(x, y)[2].__self__ is not None for _ in range(4))
        assert not replays._parts
    replays = module.Replays(MLP(2, [1], seed=0), lambda p, t: mse(p, t))
    assert not replays._parts


@needs_engine
def test_another_network_is_recorded_again() -> None:
    model, x, y = MLP(2, [2, 1], seed=0), [[1.0, 2.0]], [1.0]
    replays = module.Replays(model, mse)
    for _ in range(3):
        replays.forward(x, y)
    model.layers[0] = MLP(2, [2, 1], seed=5).layers[0]
    replays.refresh()
    outputs, loss, _ = replays.forward(x, y)
    assert outputs[0].data == model(x[0]).data
    assert loss.data == mse([model(x[0])], y).data


def diverging() -> Iterator[Epoch]:
    problem = Problem.of(moons(20, seed=1), loss="mse")
    model = MLP(2, [4, 1], "relu", seed=2)
    return train(model, problem, SGD(model.parameters(), lr=1e9), epochs=50)


def test_divergence_is_reported_as_without(plain: Any) -> None:
    with pytest.raises(NonFiniteError) as replayed:
        list(diverging())
    plain()
    with pytest.raises(NonFiniteError) as written:
        list(diverging())
    assert str(replayed.value) == str(written.value)


def test_gradients_wait_for_backward() -> None:
    model = MLP(2, [1], seed=0)
    replays = module.Replays(model, mse)
    for number in (1.0, 2.0, 3.0):
        model.parameters()[0].grad = 7.0
        *_, backward = replays.forward([[number, 2.0]], [1.0])
        assert model.parameters()[0].grad == 7.0 or number == 2.0
        backward()
    assert isinstance(model.parameters()[0], Value)
