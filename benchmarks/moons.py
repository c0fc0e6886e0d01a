"""The moons classifier that measures every engine, in the style of micrograd's demo.

One program over any scalar class with ``+``, ``*`` and ``relu()``, and the same arithmetic
on plain floats, with ``relu`` as a function.
"""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Sequence
from typing import Any

SIZES = (2, 16, 16, 1)
ALPHA = 1e-4  # weight of the regularisation
LEARNING_RATE = 0.1

Points = Sequence[tuple[float, float]]


def moons(n: int = 100, noise: float = 0.1, seed: int = 1) -> tuple[Points, list[float]]:
    """Return the points of two interlocking half circles, and the labels -1 and +1."""
    rng = random.Random(seed)
    points, labels = [], []
    for i in range(n):
        upper, angle = i % 2 == 0, math.pi * rng.random()
        x, y = math.cos(angle), math.sin(angle)
        x, y = (x, y) if upper else (1.0 - x, 0.5 - y)
        points.append((x + rng.gauss(0.0, noise), y + rng.gauss(0.0, noise)))
        labels.append(-1.0 if upper else 1.0)
    return points, labels


class Neuron:
    """A neuron: relu(w x + b), or w x + b in the last layer."""

    def __init__(self, scalar: Callable[[float], Any], n: int, nonlinear: bool, rng: Any) -> None:
        self.w = [scalar(rng.uniform(-1.0, 1.0)) for _ in range(n)]
        self.b = scalar(0.0)
        self.nonlinear = nonlinear

    def __call__(self, x: Sequence[Any]) -> Any:
        """Return the output of the neuron for one point."""
        act = sum((wi * xi for wi, xi in zip(self.w, x)), self.b)  # noqa: B905  (as micrograd)
        return act.relu() if self.nonlinear else act


class FloatNeuron(Neuron):
    """A neuron on plain floats, which have no method ``relu``."""

    def __call__(self, x: Sequence[float]) -> float:
        """Return the output of the neuron for one point."""
        act: float = sum((wi * xi for wi, xi in zip(self.w, x)), self.b)  # noqa: B905
        return (act if act > 0.0 else 0.0) if self.nonlinear else act


class MLP:
    """Layers of neurons; every engine starts from the same weights."""

    def __init__(self, scalar: Callable[[float], Any], seed: int = 7) -> None:
        rng, last = random.Random(seed), len(SIZES) - 2
        neuron = FloatNeuron if scalar is float else Neuron
        self.scalar = scalar
        self.layers = [
            [neuron(scalar, SIZES[i], i != last, rng) for _ in range(SIZES[i + 1])]
            for i in range(last + 1)
        ]

    def __call__(self, x: Sequence[Any]) -> Any:
        """Return the score of one point: above zero for label +1."""
        for layer in self.layers:
            x = [neuron(x) for neuron in layer]
        return x[0]

    def parameters(self) -> list[Any]:
        """Return the weights and biases, layer by layer."""
        return [p for layer in self.layers for neuron in layer for p in (*neuron.w, neuron.b)]

    def loss(self, points: Points, labels: Sequence[float]) -> Any:
        """Return the mean hinge loss of all points plus the regularisation."""
        inputs = [list(map(self.scalar, point)) for point in points]
        scores = list(map(self, inputs))
        margins = [1.0 + -label * score for label, score in zip(labels, scores, strict=True)]
        return total(list(map(relu_of(self.scalar), margins)), self.parameters())


def relu_of(scalar: Callable[[float], Any]) -> Callable[[Any], Any]:
    """Return the function max(x, 0) of a scalar class."""
    return (lambda x: x if x > 0.0 else 0.0) if scalar is float else (lambda x: x.relu())


def total(losses: Sequence[Any], parameters: Sequence[Any]) -> Any:
    """Return the mean of the losses plus ALPHA times the sum of the squared parameters."""
    return sum(losses) * (1.0 / len(losses)) + ALPHA * sum(p * p for p in parameters)


def descend(parameters: Sequence[Any]) -> None:
    """Make one step of gradient descent, and set the gradients to zero for the next one."""
    for p in parameters:
        p.data -= LEARNING_RATE * p.grad
        p.grad = 0.0
