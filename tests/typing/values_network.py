"""A network of Values written by hand, with classes of the user."""

from __future__ import annotations

import random
from dataclasses import dataclass, field
from typing import assert_type

from gradwalk import Value, no_grad, sigmoid, tanh


@dataclass
class Neuron:
    weights: list[Value]
    bias: Value = field(default_factory=lambda: Value(0.0, label="bias"))

    def __call__(self, inputs: list[Value | float]) -> Value:
        total = self.bias
        for weight, x in zip(self.weights, inputs, strict=True):
            total = total + weight * x
        return tanh(total)

    def parameters(self) -> list[Value]:
        return [*self.weights, self.bias]


class Network:
    def __init__(self, inputs: int, hidden: int) -> None:
        draw = random.Random(0).uniform
        self.hidden = [Neuron([Value(draw(-1, 1)) for _ in range(inputs)]) for _ in range(hidden)]
        self.output = Neuron([Value(draw(-1, 1)) for _ in range(hidden)])

    def __call__(self, inputs: list[float]) -> Value:
        return sigmoid(self.output([neuron([*inputs]) for neuron in self.hidden]))

    def parameters(self) -> list[Value]:
        return [p for neuron in (*self.hidden, self.output) for p in neuron.parameters()]


def loss_of(network: Network, points: list[tuple[list[float], float]]) -> Value:
    terms = [(network(x) - target) ** 2 for x, target in points]
    return sum(terms, Value(0.0)) / len(terms)


points = [([0.0, 1.0], 1.0), ([1.0, 1.0], 0.0)]
network = Network(2, 3)
assert_type(network(points[0][0]), Value)
history: list[float] = []
for _ in range(5):
    loss = loss_of(network, points)
    for p in network.parameters():
        p.grad = 0.0
    loss.backward()
    for p in network.parameters():
        p.data -= 0.5 * p.grad
    history.append(loss.data)
with no_grad():
    final = loss_of(network, points)
assert final.data < history[0]
assert_type(max(p.grad for p in network.parameters()), float)
