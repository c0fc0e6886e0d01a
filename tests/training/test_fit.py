"""`fit`: it learns, stops, remembers, and goes on after an interruption as if none had been."""

from __future__ import annotations

import builtins
import io
import math
import random
import sys

import numpy as np
import pytest

import gradwalk
from gradwalk import Tensor, Value, nn, optim
from gradwalk.data import DataLoader, moons
from gradwalk.errors import DataError, NonFiniteError, OptionError, StateDictError
from gradwalk.nn.serialization import save
from gradwalk.training import History, accuracy, fit
from gradwalk.training.fitting import showing
from gradwalk.training.resume import read_checkpoint, write_checkpoint

DATA = moons(50, noise=0.1, seed=0)
X, Y = np.array(DATA.inputs), np.array(DATA.targets)


class Net(nn.Module):
    """Two layers with a dropout of its own, which draws from two kinds of generators."""

    def __init__(self, seed=0, width=8, rate=0.2):
        rng = np.random.default_rng(seed)
        self.w1, self.w2 = (
            Tensor(rng.normal(0.0, 0.7, shape), requires_grad=True)
            for shape in ((2, width), (width, 1))
        )
        self.b1 = Tensor(np.zeros(width), requires_grad=True)
        self.rate, self.rng, self.coin = rate, np.random.default_rng(seed), random.Random(seed)

    def forward(self, x):
        hidden = (x @ self.w1 + self.b1).relu()
        if self.training and self.rate and self.coin.random() < 0.8:
            keep = self.rng.random(hidden.shape) >= self.rate
            hidden = hidden * Tensor(keep / (1.0 - self.rate))
        return hidden @ self.w2


def squares(output, target):
    return ((output - (2.0 * target.data[:, None] - 1.0)) ** 2).mean()


def training(seed=0, **options):
    """A model, its optimizer and schedule, and all other arguments of fit."""
    model = Net(seed)
    optimizer = optim.Adam(model.parameters(), lr=0.02)
    scheduler = optim.StepLR(optimizer, 3, gamma=0.5)
    usual = {"epochs": 6, "batch_size": 16, "seed": 5, "clip_grad_norm": 1.0}
    usual |= {"validation": (X[:20], Y[:20]), "metrics": "accuracy", "scheduler": scheduler}
    return model, optimizer, {**usual, **options}


def run(loss=squares, **options):
    model, optimizer, rest = training(**options)
    history = fit(model, loss, optimizer, (X, Y), **rest)
    return model, optimizer, history


def plain(epochs=3, **options):
    """fit without anything but what is said; the history."""
    model = Net(rate=0.0)
    return fit(
        model, squares, optim.SGD(model.parameters(), lr=0.05), (X, Y), epochs=epochs, **options
    )


# --- what is measured -----------------------------------------------------------------------------


def test_it_learns():
    _, _, history = run(epochs=40, scheduler=None)
    assert history["loss"][-1] < 0.5 * history["loss"][0]
    assert history["val_accuracy"][-1] > 0.8
    assert history.names == ["loss", "accuracy", "val_loss", "val_accuracy"]
    assert gradwalk.training.fit is fit


def test_the_loss_of_an_epoch_is_the_mean_over_its_rows():
    """With lr = 0 each batch sees the same weights, so batches of any size add up to the whole."""
    model = Net(rate=0.0)
    whole = squares(model(Tensor(X)), Tensor(Y)).item()
    right = accuracy(model(Tensor(X)), Tensor(Y))
    history = fit(
        model, squares, optim.SGD(model.parameters(), lr=0.0), (X, Y), epochs=2, batch_size=7,
        validation=DataLoader((X, Y), 9), metrics={"right": accuracy, "ones": lambda o, t: 1.0},
    )  # fmt: skip
    for record in history.records:
        assert record["loss"] == pytest.approx(whole, rel=1e-14)
        assert record["val_loss"] == pytest.approx(whole, rel=1e-14)
        assert record["right"] == record["val_right"] == pytest.approx(right)
        assert record["ones"] == 1.0


def test_one_batch_of_all_rows_is_gradient_descent():
    model, twin = Net(rate=0.0), Net(rate=0.0)
    optimizer, other = (optim.SGD(m.parameters(), lr=0.1) for m in (model, twin))
    fit(model, squares, optimizer, DataLoader((X, Y), 50), epochs=3)
    for _ in range(3):
        other.zero_grad()
        squares(twin(Tensor(X)), Tensor(Y)).backward()
        other.step()
    assert repr(model.state_dict()) == repr(twin.state_dict())


def test_modules_are_told_whether_they_train():
    modes = []

    class Watched(Net):
        def forward(self, x):
            modes.append((self.training, super().forward(x).requires_grad))
            return super().forward(x)

    model = Watched(rate=0.0)
    optimizer = optim.SGD(model.parameters(), lr=0.1)
    fit(model, squares, optimizer, (X, Y), epochs=1, batch_size=50, validation=(X, Y))
    assert modes == [(True, True), (False, False)]
    assert model.training


def test_a_batch_of_one_tensor_is_its_own_target():
    model = Net(rate=0.0)
    model.w2 = Tensor(np.full((8, 2), 0.1), requires_grad=True)
    optimizer = optim.Adam(model.parameters(), lr=0.02)
    history = fit(model, lambda o, t: ((o - t) ** 2).mean(), optimizer, X, epochs=30)
    assert history["loss"][-1] < 0.3 * history["loss"][0]


def test_several_inputs_go_to_the_model_in_order():
    class Two(Net):
        def forward(self, x, shift):
            return super().forward(x + shift)

    model = Two()
    optimizer = optim.SGD(model.parameters(), lr=0.01)
    assert len(fit(model, squares, optimizer, (X, X * 0.0, Y), epochs=2)) == 2


def test_networks_of_values_are_trained_too(tmp_path):
    path = tmp_path / "values"

    def train(epochs, **options):
        model = nn.MLP(2, [4, 1], seed=0)
        optimizer = optim.Adam(model.parameters(), lr=0.05)
        loss = nn.binary_cross_entropy_with_logits
        history = fit(
            model, loss, optimizer, DATA, epochs=epochs, metrics="accuracy", seed=1, **options
        )
        return model.state_dict(), history

    state, history = train(4)
    assert history["loss"][-1] < history["loss"][0]
    train(2, checkpoint=path)
    again, whole = train(4, checkpoint=path, resume=True)
    assert again == state
    assert whole.records == history.records


@pytest.mark.parametrize(
    ("output", "target", "share"),
    [
        (Tensor([[0.1, 0.9], [0.8, 0.2], [0.6, 0.4]]), Tensor([1, 1, 0]), 2 / 3),
        ([[0.1, 0.9], [0.8, 0.2]], [[0.0, 1.0], [0.0, 1.0]], 0.5),
        (Tensor([[2.0], [-1.0]]), Tensor([1, 1]), 0.5),
        ([Value(2.0), Value(-1.0)], [1.0, -1.0], 1.0),
        ([[Value(2.0), Value(-1.0)]], [0], 1.0),
    ],
)
def test_accuracy_is_the_share_of_right_answers(output, target, share):
    assert accuracy(output, target) == pytest.approx(share)


# --- the history ----------------------------------------------------------------------------------


def test_a_history_knows_the_best_epoch():
    history = History([{"loss": 3.0, "val_loss": x} for x in (2.0, math.nan, 1.0, 1.0, 1.5)])
    assert (history.best_epoch, history.best, history.monitored) == (3, 1.0, "val_loss")
    assert (history.stale(), history.stale(0.5), history.stale(1.0)) == (2, 2, 4)
    assert repr(history).startswith("History(5 epochs, best 3; last: loss=3, val_loss=1.5")
    empty = History()
    assert (empty.best_epoch, empty.stale(), empty["loss"], empty.names) == (0, 0, [], [])
    assert math.isnan(empty.best)
    assert repr(empty) == "History(no epochs)"
    with pytest.raises(OptionError, match="one of loss, val_loss, got str 'acc'"):
        history["acc"]


def test_a_history_draws_its_curves(tmp_path):
    pytest.importorskip("matplotlib")
    history = History([{"loss": 2.0, "val_loss": 2.5}, {"loss": 1.0, "val_loss": 2.0}])
    history.plot(tmp_path / "loss.png", title="digits")
    assert (tmp_path / "loss.png").read_bytes().startswith(b"\x89PNG")


# --- stopping -------------------------------------------------------------------------------------


class Script:
    """A loss for validation that follows a script; its gradient is that of `squares`."""

    def __init__(self, model, losses):
        self.model, self.losses = model, iter(losses)

    def __call__(self, output, target):
        loss = squares(output, target)
        return loss if self.model.training else loss * 0.0 + next(self.losses)


def scripted(losses, **options):
    model = Net(rate=0.0)
    states = []
    history = fit(
        model, Script(model, losses), optim.SGD(model.parameters(), lr=0.05), (X, Y), epochs=20,
        validation=DataLoader((X, Y), 50), seed=0,
        callbacks=lambda h: states.append(repr(model.state_dict())), **options,
    )  # fmt: skip
    return history, states, repr(model.state_dict())


@pytest.mark.parametrize(
    ("early_stopping", "epochs"), [((2, 0.0), 6), (2, 6), ((2, 0.3), 4), ((3, 0.0), 7)]
)
def test_training_stops_when_the_loss_no_longer_falls(early_stopping, epochs):
    losses = [3.0, 2.0, 1.9, 1.8, 1.8, 1.85, 1.9, 1.0]
    history, _, _ = scripted(losses, early_stopping=early_stopping)
    assert len(history) == epochs


@pytest.mark.parametrize("restore_best", [True, False])
def test_the_best_weights_come_back_if_asked(restore_best):
    losses = [3.0, 1.0, 2.0, 2.0]
    history, states, final = scripted(losses, early_stopping=2, restore_best=restore_best)
    assert (len(history), history.best_epoch) == (4, 2)
    assert final == states[1 if restore_best else -1]
    assert len(set(states)) == 4


def test_callbacks_see_the_history_and_may_end_it():
    seen = []
    history = plain(
        9, callbacks=[lambda h: len(h) == 2, lambda h: seen.append(h["loss"][-1]) or "not True"]
    )
    assert len(history) == 2
    assert seen == history["loss"]


@pytest.mark.parametrize("bad", [math.nan, math.inf])
def test_a_loss_that_is_not_finite_ends_the_training_with_the_parameters_unspoilt(bad):
    model = Net(rate=0.0)
    before = repr(model.state_dict())
    optimizer = optim.SGD(model.parameters(), lr=0.5)
    message = rf"training, epoch 1: .*got {bad}: the constant {bad} in 0 \+ {bad}.*test_fit.py"
    with pytest.raises(NonFiniteError, match=message):
        fit(model, lambda o, t: o.sum() * 0.0 + bad, optimizer, (X, Y), epochs=1)
    assert repr(model.state_dict()) == before


# --- checkpoints ----------------------------------------------------------------------------------


class PowerFailureError(Exception):
    pass


def interrupted(after, path, every):
    """Train until ``after`` batches are done, then let the power fail."""
    model, optimizer, rest = training(checkpoint=path, checkpoint_batches=every, restore_best=True)
    batches = 0

    def loss(output, target):
        nonlocal batches
        batches += model.training
        if batches > after:
            raise PowerFailureError
        return squares(output, target)

    with pytest.raises(PowerFailureError):
        fit(model, loss, optimizer, (X, Y), **rest)


@pytest.mark.parametrize("every", [None, 1, 3])
@pytest.mark.parametrize("after", [0, 1, 3, 4, 9, 10, 12, 23])
def test_a_resumed_training_is_bit_identical_to_one_without_interruption(tmp_path, after, every):
    """4 batches an epoch; another start, so that nothing is right by chance."""
    path = tmp_path / "run.safetensors"
    expected_model, expected_optimizer, expected = run(restore_best=True)
    interrupted(after, path, every)
    resumed = path.exists()
    assert resumed == (after >= (every or 4))
    options = {"checkpoint": path, "checkpoint_batches": every, "resume": True}
    model, optimizer, history = run(seed=8 if resumed else 0, restore_best=True, **options)
    if resumed:
        assert history.records == expected.records
        assert repr(model.state_dict()) == repr(expected_model.state_dict())
        assert repr(optimizer.state_dict()["state"]) == repr(
            expected_optimizer.state_dict()["state"]
        )


def test_a_finished_training_is_not_trained_on(tmp_path):
    path = tmp_path / "run"
    first, _, history = run(checkpoint=path, restore_best=True)
    again, _, whole = run(checkpoint=path, resume=True, restore_best=True)
    assert whole.records == history.records
    assert repr(again.state_dict()) == repr(first.state_dict())
    _, _, longer = run(checkpoint=path, resume=True, epochs=8)
    assert longer.records[:6] == history.records
    assert len(longer) == 8


def test_without_resume_a_checkpoint_is_written_over(tmp_path):
    path = tmp_path / "run"
    run(checkpoint=path, epochs=2)
    _, _, history = run(checkpoint=path, epochs=1)
    assert len(history) == 1
    assert len(read_checkpoint(path)["history"]) == 1


def test_a_checkpoint_of_another_model_is_refused(tmp_path):
    path = tmp_path / "run"
    run(checkpoint=path, epochs=1)
    model = Net(width=5)
    optimizer = optim.Adam(model.parameters())
    with pytest.raises(StateDictError, match="w1"):
        fit(model, squares, optimizer, (X, Y), epochs=2, checkpoint=path, resume=True)


def test_another_kind_of_file_is_refused(tmp_path):
    save({"a": 1.0}, tmp_path / "weights")
    with pytest.raises(DataError, match="expected a checkpoint of a training, got a safetensors"):
        run(checkpoint=tmp_path / "weights", resume=True)


def test_checkpoints_hold_nested_numbers_texts_and_arrays(tmp_path):
    tree = {
        "a": [1, 2.5, {"b": np.arange(3.0)}],
        "big": 2**100,
        "none": None,
        "nan": [math.inf, 0.1],
        "text": ["x", (1, np.float32(0.5))],
        "zero": np.array(2.0),
    }
    write_checkpoint(tmp_path / "tree", tree)
    found = read_checkpoint(tmp_path / "tree")
    assert found["a"][2]["b"].tolist() == [0.0, 1.0, 2.0]
    assert (found["big"], found["none"], found["nan"]) == (2**100, None, [math.inf, 0.1])
    assert found["text"] == ["x", [1, 0.5]]
    assert (found["zero"].shape, found["zero"].item()) == ((), 2.0)


@pytest.mark.parametrize("kind", [np.random.MT19937, np.random.PCG64, np.random.Philox])
def test_every_generator_of_numpy_goes_on(tmp_path, kind):
    def train(epochs, **options):
        model = Net()
        model.rng = np.random.Generator(kind(3))
        optimizer = optim.SGD(model.parameters(), lr=0.1)
        fit(model, squares, optimizer, (X, Y), epochs=epochs, seed=0, **options)
        return repr(model.state_dict())

    whole = train(2)
    train(1, checkpoint=tmp_path / "run")
    assert train(2, checkpoint=tmp_path / "run", resume=True) == whole


# --- what is shown --------------------------------------------------------------------------------


class Terminal(io.StringIO):
    def isatty(self):
        return True


def shown(monkeypatch, terminal, progress=True):
    monkeypatch.setattr(sys, "stderr", terminal)
    with showing(progress, 2) as show:
        show(1, {"loss": 0.25, "val_loss": 0.5})
        show(2, {"loss": 0.125, "val_loss": 0.25})
    return terminal.getvalue()


def test_nothing_is_shown_where_nobody_is_watching(monkeypatch, capsys):
    assert shown(monkeypatch, io.StringIO()) == ""
    assert shown(monkeypatch, Terminal(), progress=False) == ""
    plain(1)
    assert capsys.readouterr() == ("", "")


def test_a_bar_on_a_terminal(monkeypatch):
    pytest.importorskip("rich")
    monkeypatch.setenv("TERM", "xterm")
    text = shown(monkeypatch, Terminal())
    assert "2/2" in text
    assert "loss 0.125   val_loss 0.25" in text


def test_lines_without_rich(monkeypatch):
    real = builtins.__import__

    def without(name, *args, **options):
        if name.startswith("rich"):
            raise ImportError(name)
        return real(name, *args, **options)

    monkeypatch.setattr(builtins, "__import__", without)
    assert shown(monkeypatch, Terminal()).splitlines() == [
        "epoch 1 of 2   loss 0.25   val_loss 0.5",
        "epoch 2 of 2   loss 0.125   val_loss 0.25",
    ]


# --- errors ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"epochs": 0}, r"fit\(epochs=...\): expected an integer >= 1, got int 0"),
        ({"epochs": 2.0}, "got float 2.0"),
        ({"batch_size": 0}, r"fit\(batch_size\)"),
        ({"early_stopping": (1, 2, 3)}, r"expected a number of epochs, or \(patience, min_delta\)"),
        ({"early_stopping": 0}, r"fit\(early_stopping=...\)"),
        ({"checkpoint_batches": 0}, r"fit\(checkpoint_batches=...\)"),
        ({"metrics": "precision"}, "functions of .* or names among accuracy, got str 'precision'"),
        ({"metrics": {"a": 3}}, r"fit\(metrics=...\)"),
        ({"metrics": 3}, "got int 3"),
    ],
)
def test_options_that_mean_nothing_are_refused(options, message):
    with pytest.raises(OptionError, match=message):
        plain(**options)


def test_unknown_names_are_attribute_errors():
    with pytest.raises(AttributeError, match="no attribute 'fits'"):
        gradwalk.training.fits  # noqa: B018
