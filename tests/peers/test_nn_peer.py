"""Networks, losses and gains against PyTorch itself, on random numbers."""

from __future__ import annotations

import random

import pytest

from gradwalk import Value, nn

torch = pytest.importorskip("torch")
pytestmark = pytest.mark.peer

ACTIVATIONS = {
    "linear": "Identity",
    "tanh": "Tanh",
    "relu": "ReLU",
    "sigmoid": "Sigmoid",
    "gelu": "GELU",
    "silu": "SiLU",
    "leaky_relu": "LeakyReLU",
    "elu": "ELU",
    "selu": "SELU",
    "softplus": "Softplus",
    "hardtanh": "Hardtanh",
}
CLOSE = {"rel": 1e-11, "abs": 1e-12}


def matrix(draw, rows, columns):
    return [[draw.gauss(0.0, 1.0) for _ in range(columns)] for _ in range(rows)]


def double(numbers):
    return torch.tensor(numbers, dtype=torch.float64)


def peer_of(model, activation):
    """The same network in PyTorch."""
    layers = []
    for layer in model.layers:
        linear = torch.nn.Linear(layer.n_in, len(layer.neurons), dtype=torch.float64)
        with torch.no_grad():
            linear.weight.copy_(double([[w.data for w in row] for row in layer.weights]))
            linear.bias.copy_(double([neuron.bias.data for neuron in layer.neurons]))
        layers += [linear, getattr(torch.nn, ACTIVATIONS[activation])()]
    return torch.nn.Sequential(*layers[:-1])


@pytest.mark.parametrize("activation", ACTIVATIONS)
def test_networks_have_the_outputs_and_gradients_of_pytorch(activation):
    draw = random.Random(3)
    model = nn.MLP(3, [5, 4, 2], activation, seed=1)
    peer = peer_of(model, activation)
    inputs, targets = matrix(draw, 6, 3), matrix(draw, 6, 2)
    outputs = [model(x) for x in inputs]
    loss = nn.mse(outputs, targets)
    loss.backward()
    theirs = peer(double(inputs))
    error = torch.nn.functional.mse_loss(theirs, double(targets))
    error.backward()
    assert [[y.data for y in row] for row in outputs] == [
        pytest.approx(row, **CLOSE) for row in theirs.tolist()
    ]
    assert loss.data == pytest.approx(error.item(), **CLOSE)
    layers = [layer for layer in peer if hasattr(layer, "weight")]
    for layer, linear in zip(model.layers, layers, strict=True):
        gradients = [[w.grad for w in row] for row in layer.weights]
        assert gradients == [pytest.approx(row, **CLOSE) for row in linear.weight.grad.tolist()]
        biases = [neuron.bias.grad for neuron in layer.neurons]
        assert biases == pytest.approx(linear.bias.grad.tolist(), **CLOSE)


LOSSES = {
    "mse": ("mse_loss", "numbers"),
    "mae": ("l1_loss", "numbers"),
    "huber": ("huber_loss", "numbers"),
    "binary_cross_entropy_with_logits": ("binary_cross_entropy_with_logits", "labels"),
    "binary_cross_entropy": ("binary_cross_entropy", "labels"),
    "cross_entropy": ("cross_entropy", "classes"),
    "nll": ("nll_loss", "classes"),
}


@pytest.mark.parametrize("reduction", ["mean", "sum"])
@pytest.mark.parametrize("name", LOSSES)
def test_losses_and_gradients_are_those_of_pytorch(name, reduction):
    draw, (peer_name, kind) = random.Random(5), LOSSES[name]
    rows = matrix(draw, 8, 4)
    if name == "binary_cross_entropy":
        rows = [[draw.random() for _ in row] for row in rows]
    targets = {
        "numbers": matrix(draw, 8, 4),
        "labels": [[float(draw.random() < 0.5) for _ in row] for row in rows],
        "classes": [draw.randrange(4) for _ in rows],
    }[kind]
    mine = [[Value(x) for x in row] for row in rows]
    loss = getattr(nn, name)(mine, targets, reduction=reduction)
    loss.backward()
    theirs = torch.tensor(rows, dtype=torch.float64, requires_grad=True)
    goal = torch.tensor(targets) if kind == "classes" else double(targets)
    error = getattr(torch.nn.functional, peer_name)(theirs, goal, reduction=reduction)
    error.backward()
    assert loss.data == pytest.approx(error.item(), **CLOSE)
    for row, gradients in zip(mine, theirs.grad.tolist(), strict=True):
        assert [x.grad for x in row] == pytest.approx(gradients, **CLOSE)


@pytest.mark.parametrize(
    ("name", "param"),
    [
        *((name, None) for name in ("linear", "tanh", "relu", "sigmoid", "selu", "leaky_relu")),
        *(("leaky_relu", slope) for slope in (0.0, 0.2, 5.0**0.5)),
    ],
)
def test_gains_are_those_of_pytorch(name, param):
    theirs = torch.nn.init.calculate_gain(name, param)
    assert nn.init.calculate_gain(name, param) == pytest.approx(theirs, rel=1e-15)
