"""Networks that do not learn: `flow` gives the reason, and healthy twins are called healthy."""

from __future__ import annotations

import numpy as np
import pytest

from gradwalk import Tensor, fit, nn, no_grad, optim
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


BROKEN = {
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
