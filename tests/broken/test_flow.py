"""Networks that do not learn: `flow` gives the reason, and healthy twins are called healthy."""

from __future__ import annotations

import numpy as np
import pytest

from gradwalk import Tensor, fit, nn, no_grad, optim, relu
from gradwalk.inspect import flow

RANDOM = np.random.default_rng(0)
X, Y = Tensor(RANDOM.normal(size=(32, 4))), Tensor(RANDOM.normal(size=(32, 1)))


def examined(model, lr=0.05, parameters=None, method=optim.SGD):
    ((model(X) - Y) ** 2).mean().backward()
    held = model.parameters() if parameters is None else parameters
    return flow(model, method(held, lr=lr))


def network(activation=nn.Tanh, **changes):
    model = nn.Sequential(nn.Linear(4, 8, seed=0), activation(), nn.Linear(8, 1, seed=1))
    for name, numbers in changes.items():
        parameter = dict(model.named_parameters())[name.replace("_", ".")]
        parameter.data = np.full(parameter.shape, numbers)
    return model


def dead_units(mended):
    return examined(network(nn.ReLU, **({} if mended else {"0_bias": -100.0})))


def learning_rate_of_a_thousand(mended):
    return examined(network(), lr=0.05 if mended else 1000.0)


def large_rate_of_adam(mended):
    return examined(network(), lr=0.001 if mended else 10.0, method=optim.Adam)


def deep_sigmoids(mended):
    activation = nn.ReLU if mended else nn.Sigmoid
    depth = 2 if mended else 12
    hidden = [m for i in range(depth) for m in (nn.Linear(4, 4, seed=i), activation())]
    return examined(nn.Sequential(*hidden, nn.Linear(4, 1, seed=99)))


def saturated_last_layer(mended):
    model = nn.Sequential(*network(**({} if mended else {"2_bias": 60.0})), nn.Sigmoid())
    return examined(model)


def layer_made_after_the_optimizer(mended):
    model = nn.Sequential(nn.Linear(4, 8, seed=0), nn.Tanh())
    parameters = list(model.parameters())
    model = nn.Sequential(*model, nn.Linear(8, 1, seed=1))
    return examined(model, parameters=None if mended else parameters)


class TwoBranches(nn.Module):
    def __init__(self, use_both):
        super().__init__()
        self.first, self.second = nn.Linear(4, 1, seed=0), nn.Linear(4, 1, seed=1)
        self.use_both = use_both

    def forward(self, x):
        return self.first(x) + self.second(x) if self.use_both else self.first(x)


def layer_that_is_never_used(mended):
    return examined(TwoBranches(mended))


class Frozen(nn.Module):
    def __init__(self, mended):
        super().__init__()
        self.body, self.head = nn.Linear(4, 8, seed=0), nn.Linear(8, 1, seed=1)
        self.mended = mended

    def forward(self, x):
        if self.mended:
            return self.head(self.body(x))
        with no_grad():
            h = self.body(x)
        return self.head(h)


def layer_inside_of_no_grad(mended):
    return examined(Frozen(mended))


def squared(model, x=X):
    ((model(x) - Y) ** 2).mean().backward()
    return model


def tanh_net_of_zeros(mended):
    names = [name.replace(".", "_") for name, _ in network().named_parameters()]
    return examined(network(**({} if mended else dict.fromkeys(names, 0.0))))


def inputs_in_the_thousands(mended):
    x = X if mended else X * 5000.0
    model = squared(network(), x)
    return flow(model, optim.SGD(model.parameters(), lr=0.05), inputs=x)


def inputs_in_the_thousands_unseen(mended):
    model = squared(network(), X if mended else X * 5000.0)
    return flow(model, optim.SGD(model.parameters(), lr=0.05))


def after_two_steps(mended):
    model = network()
    optimizer = optim.SGD(model.parameters(), lr=0.05 if mended else 1000.0)
    for _ in range(2):
        optimizer.zero_grad()
        squared(model)
        optimizer.step()
    optimizer.zero_grad()
    return flow(squared(model), None)


def tiny_weights(mended):
    model = nn.Sequential(*network(), nn.Tanh(), nn.Linear(1, 8, seed=2), nn.Tanh())
    for p in model.parameters():
        p.data = p.data * (1.0 if mended else 1e-7)
    return flow(squared(nn.Sequential(*model, nn.Linear(8, 1, seed=3))))


def rate_without_effect(mended):
    return examined(network(), lr=0.05 if mended else 1e-24)


def flat_from_the_start(mended):
    model = network()
    bias = model[2].bias
    bias.data = np.full(1, 0.0 if mended else 50.0)
    model = nn.Sequential(*model, nn.Sigmoid())
    losses = []
    for _ in range(4):
        model.zero_grad()
        loss = ((model(X) - Y) ** 2).mean()
        loss.backward()
        losses.append(loss.item())
    return flow(model, inputs=X, loss=losses)


def flat_through_clip(mended):
    """No module shows where it lies flat: the losses do."""
    model = network()
    for _ in range(4):
        model.zero_grad()
        y = model(X) + (0.0 if mended else 40.0)
        ((y.sigmoid() - Y) ** 2).mean().backward()
    losses = [0.8, 0.7, 0.6, 0.5] if mended else [1.5, 1.5, 1.5, 1.5]
    return flow(model, loss=losses)


def schedule_to_nothing(mended):
    """A schedule that is called for each batch: the rate as it is now counts."""
    model = network()
    optimizer = optim.SGD(model.parameters(), lr=0.05)
    scheduler = optim.StepLR(optimizer, step_size=1, gamma=0.9 if mended else 1e-50)
    scheduler.step()
    return flow(squared(model), optimizer)


def rate_of_zero(mended):
    return examined(network(), lr=0.05 if mended else 0.0, method=optim.Adam)


def prices(mended):
    """Targets of 300,000, which updates of 0.001 do not reach."""
    model, y = network(), 3e5 + 9e4 * Y
    y = (y - y.mean()) / y.std() if mended else y
    optimizer, losses = optim.Adam(model.parameters(), lr=0.001), []
    for _ in range(20):
        optimizer.zero_grad()
        loss = ((model(X) - y) ** 2).mean()
        loss.backward()
        losses.append(loss.item())
        optimizer.step()
    return flow(model, optimizer, inputs=X, loss=losses)


def weights_of_one_number(mended):
    model = network(**({} if mended else {"0_weight": 0.1, "0_bias": 0.0, "2_weight": 0.1}))
    return flow(squared(model), optim.SGD(model.parameters(), lr=0.05))


class Forgetful(nn.Module):
    """A recurrence by hand, whose state is set to 0 in each step unless it is mended."""

    def __init__(self, mended):
        self.wx, self.wh = nn.Linear(1, 6, seed=0), nn.Linear(6, 6, seed=1)
        self.out, self.mended = nn.Linear(6, 1, seed=2), mended

    def forward(self, x):
        h = Tensor(np.zeros((len(x), 6)))
        for t in range(x.shape[1]):
            if not self.mended:
                h = Tensor(np.zeros((len(x), 6)))
            h = (self.wx(x[:, t : t + 1]) + self.wh(h)).tanh()
        return self.out(h)


def state_set_again(mended):
    return flow(squared(Forgetful(mended)))


def zeros_after_relu(mended):
    """Weights of 0 behind a layer that gives zeros: they stay as they are."""
    zeros = {} if mended else {"0_weight": 0.0, "0_bias": 0.0, "2_weight": 0.0}
    return flow(squared(network(nn.ReLU, **zeros)))


def with_losses(*losses):
    def program(mended):
        found = examined(network())
        assert found
        model = squared(network())
        optimizer = optim.SGD(model.parameters(), lr=0.05)
        return flow(model, optimizer, loss=losses[::-1] if mended else losses)

    program.__name__ = f"losses_up_to_{losses[-1]:g}"
    return program


def dead_for_good(mended):
    """Two batches of a layer whose units are 0 for all rows, and for most of them."""
    model = network(nn.ReLU, **{"0_bias": -1.5 if mended else -6.0})
    squared(model, X)
    return flow(model, inputs=X)


BROKEN = {
    weights_of_one_number: ("0 is symmetric", "its 8 units have equal weights", "random numbers"),
    state_set_again: ("wh is starved", "the gradient of wh.weight is exactly 0", "a state that is"),
    zeros_after_relu: ("2 is without gradient", "all numbers of 2.weight", "random weights"),
    schedule_to_nothing: ("lr=5e-52 is far too small", "standing still", "Try lr="),
    rate_of_zero: ("lr=0 is far too small", "standing still", "Try lr="),
    prices: ("2 is far away", "the loss stays at 8.99e+10", "Standardise the targets"),
    with_losses(1.0, 300.0): ("the loss grows", "300 times as large", "smaller learning rate"),
    with_losses(0.7, 0.9, 4.0, 90.0, 95.0, 210.0): ("the loss grows", "after 6 steps", "than 0.05"),
    with_losses(*(1.5**k for k in range(20))): ("though all 2 layers are healthy", "2217 times"),
    dead_for_good: ("0 is dead", "are 0", "leaky_relu"),
    tanh_net_of_zeros: ("0 is without gradient", "all its values", "xavier_uniform_"),
    inputs_in_the_thousands: ("0 is vanishing", "its inputs are up to 1.", "x.std(0)"),
    inputs_in_the_thousands_unseen: ("0 is vanishing", "suggest inputs", "x.std(0)"),
    after_two_steps: ("is dead", "the values of 0 are about", "smaller learning rate"),
    tiny_weights: ("vanishing", "the values of", "Start from larger weights"),
    rate_without_effect: ("cause: the learning rate", "lr=1e-24 is far too small", "Try lr="),
    flat_from_the_start: ("saturated", "outputs of 3 (Sigmoid) lie at its limits", "takes logits"),
    flat_through_clip: ("is flat", "the loss stays at 1.5", "Start from other weights"),
    dead_units: ("0 is dead", "8 of 8 units", "leaky_relu"),
    learning_rate_of_a_thousand: (
        "cause: the learning rate",
        "lr=1000 is far too large",
        "Try lr=",
    ),
    large_rate_of_adam: ("cause: the learning rate", "lr=10 is far too large"),
    deep_sigmoids: ("vanishing", "Use relu"),
    saturated_last_layer: ("saturated", "loss that takes logits"),
    layer_made_after_the_optimizer: (
        "2 is not updated",
        "optimizer does not have",
        "after the last",
    ),
    layer_that_is_never_used: ("second is disconnected", "second.weight", "forward()"),
    layer_inside_of_no_grad: ("body is disconnected", "no_grad"),
}


@pytest.mark.parametrize("program", BROKEN, ids=lambda p: p.__name__)
def test_the_reason_is_named(program):
    told = str(found := program(False))
    assert not found
    assert not [words for words in BROKEN[program] if words not in told], told


@pytest.mark.parametrize("program", BROKEN, ids=lambda p: p.__name__)
def test_a_mended_network_is_healthy(program):
    assert (found := program(True)), found
    assert set(found.verdicts) == {"healthy"}


SPARSE = np.random.default_rng(1).normal(size=(4000, 4))


@pytest.mark.parametrize("rows", [16, 32, 64])
@pytest.mark.parametrize("as_module", [True, False])
def test_a_sparse_layer_of_relu_is_healthy(rows, as_module):
    """Its inputs are mostly negative, and each of its units is alive for some rows."""
    model = Sparse(as_module)
    for part in range(4):
        x = Tensor(SPARSE[part * rows : part * rows + rows])
        model.zero_grad()
        (model(x) - 1.0).square().mean().backward()
        assert (found := flow(model, inputs=x)), found
    z = model.first(Tensor(SPARSE)).numpy()
    assert (z > 0.0).any(axis=0).all()
    assert (z > 0.0).mean() < 0.05
    model.first.bias.data = np.full(32, -20.0)
    model.zero_grad()
    (model(x) - 1.0).square().mean().backward()
    assert "first is dead" in str(flow(model, inputs=x))


class Sparse(nn.Module):
    def __init__(self, as_module):
        self.first, self.last = nn.Linear(4, 32, seed=0), nn.Linear(32, 1, seed=1)
        self.first.weight.data *= 1.5 / np.linalg.norm(self.first.weight.data, axis=1)[:, None]
        self.first.bias.data = np.full(32, -2.9)
        self.relu = nn.ReLU() if as_module else relu

    def forward(self, x):
        return self.last(self.relu(self.first(x)))


@pytest.mark.parametrize(
    "losses",
    [
        [1.0, 30.0],
        [1.0] * 9 + [300.0],
        [0.3, 40.0, 0.2],
        [-5.0, -900.0],
        [-0.01, 900.0],
        [1e-12, 1e-9],
        [float("inf"), 2.0],
    ],
)
def test_a_peak_and_losses_below_0_are_no_growth(losses):
    model = squared(network())
    assert flow(model, optim.SGD(model.parameters(), lr=0.05), loss=losses)


def test_networks_of_values():
    model = nn.MLP(2, [4, 1], seed=0)
    y = model([1.0, 2.0])
    (y * y).backward()
    assert flow(model, optim.SGD(model.parameters(), lr=0.01))
    assert "lr=1e+06 is far too large" in str(flow(model, optim.SGD(model.parameters(), lr=1e6)))


@pytest.mark.parametrize("lr", [0.05, 10.0])
def test_fit_prints_what_is_wrong_once(lr, capsys):
    model = network()
    optimizer = optim.Adam(model.parameters(), lr=lr)
    history = fit(
        model, nn.functional.mse_loss, optimizer, (X, Y), epochs=3, seed=0, doctor=True,
        progress=False,
    )  # fmt: skip
    told = capsys.readouterr().out
    assert told.count("lr=10 is far too large") == (lr == 10.0)
    assert len(history.flows) == 3
    assert bool(told) == (lr == 10.0)


def test_a_flow_is_a_table_and_a_picture():
    found = learning_rate_of_a_thousand(False)
    assert "<td" in found._repr_html_()
    assert found.draw().svg.startswith("<svg")


FALSE_WORDS = {
    tanh_net_of_zeros: ("relu", "negative"),
    inputs_in_the_thousands: ("relu",),
    inputs_in_the_thousands_unseen: ("relu",),
    after_two_steps: ("relu",),
    tiny_weights: ("down", "relu"),
}


@pytest.mark.parametrize("program", FALSE_WORDS, ids=lambda p: p.__name__)
def test_what_is_not_the_reason_is_not_said(program):
    told = str(program(False))
    assert not [words for words in FALSE_WORDS[program] if words in told], told


def test_a_minimum_and_a_flat_part_are_told_apart_by_the_losses():
    model = nn.Linear(4, 1, seed=0)
    optimizer, losses = optim.SGD(model.parameters(), lr=0.3), []
    goal = X @ np.ones((4, 1))
    for _ in range(900):
        optimizer.zero_grad()
        loss = ((model(X) - goal) ** 2).mean()
        loss.backward()
        losses.append(loss.item())
        optimizer.step()
    assert losses[-1] < 1e-25
    assert flow(model, optimizer).verdicts == ("at rest", "at rest")
    assert flow(model, optimizer, loss=losses).verdicts == ("healthy", "healthy")
    flat = flow(model, optimizer, loss=[losses[0]] * 5)
    assert not flat
    assert "the loss stays at" in str(flat)


def test_activations_are_seen_without_a_change():
    model = nn.Sequential(nn.Linear(4, 8, seed=0), nn.BatchNorm1d(8), nn.ReLU(), nn.Linear(8, 1))
    squared(model)
    before = {name: x.tobytes() for name, x in model.state_dict().items()}
    attributes = [sorted(vars(m)) for m in model.modules()]
    assert flow(model, inputs=X)
    assert {name: x.tobytes() for name, x in model.state_dict().items()} == before
    assert [sorted(vars(m)) for m in model.modules()] == attributes
    model[1].bias.data = np.full(8, -9.0)
    model.zero_grad()
    told = str(flow(squared(model), inputs=X))
    assert "all outputs of 2 (ReLU) are 0" in told
