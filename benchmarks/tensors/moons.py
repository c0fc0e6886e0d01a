"""One training step of a moons MLP 2-16-16-1 on a full batch of 100, in every library.

relu, relu, a hinge loss max(0, 1 - y s) averaged over the points, plain gradient descent. Each is
written as in the library's manual. The NumPy version contains only the formulas, by hand.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from .problem import LR, moons, weights

Step = Callable[[], float]


def gradwalk() -> Step:
    """Return a step with Tensors, operators and `gradwalk.optim.SGD`."""
    from gradwalk import Tensor
    from gradwalk.optim import SGD

    points, labels = map(Tensor, moons())
    parameters = [Tensor(w, requires_grad=True) for w in weights()]
    w1, b1, w2, b2, w3, b3 = parameters
    optimizer = SGD(parameters, lr=LR)

    def step() -> float:
        hidden = (points @ w1 + b1).relu()
        hidden = (hidden @ w2 + b2).relu()
        loss = (1.0 - labels * (hidden @ w3 + b3)).relu().mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        return float(loss.item())

    return step


def torch() -> Step:
    """Return a step of eager PyTorch."""
    import torch as library

    points, labels = (library.tensor(a) for a in moons())
    parameters = [library.tensor(w, requires_grad=True) for w in weights()]
    w1, b1, w2, b2, w3, b3 = parameters
    optimizer = library.optim.SGD(parameters, lr=LR)

    def step() -> float:
        hidden = (points @ w1 + b1).relu()
        hidden = (hidden @ w2 + b2).relu()
        loss = (1.0 - labels * (hidden @ w3 + b3)).relu().mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        return float(loss.item())

    return step


def autograd() -> Step:
    """Return a step of HIPS/autograd."""
    import autograd.numpy as anp
    from autograd import value_and_grad

    points, labels = moons()
    parameters = weights()

    def loss(parameters: list[Any]) -> Any:
        w1, b1, w2, b2, w3, b3 = parameters
        hidden = anp.maximum(points @ w1 + b1, 0.0)
        hidden = anp.maximum(hidden @ w2 + b2, 0.0)
        return anp.mean(anp.maximum(1.0 - labels * (hidden @ w3 + b3), 0.0))

    f = value_and_grad(loss)

    def step() -> float:
        value, gradients = f(parameters)
        for p, g in zip(parameters, gradients, strict=True):
            p -= LR * g
        return float(value)

    return step


def mygrad() -> Step:
    """Return a step of MyGrad."""
    import mygrad as library
    from mygrad.nnet.activations import relu

    points, labels = moons()
    parameters = [library.tensor(w) for w in weights()]
    w1, b1, w2, b2, w3, b3 = parameters

    def step() -> float:
        hidden = relu(library.matmul(points, w1) + b1)
        hidden = relu(library.matmul(hidden, w2) + b2)
        loss = relu(1.0 - labels * (library.matmul(hidden, w3) + b3)).mean()
        loss.backward()
        for p in parameters:
            p.data -= LR * p.grad
        return float(loss.item())

    return step


def numpy() -> Step:
    """Return a step with gradients written by hand."""
    points, labels = moons()
    w1, b1, w2, b2, w3, b3 = weights()
    n = len(points)

    def step() -> float:
        h1 = np.maximum(points @ w1 + b1, 0.0)
        h2 = np.maximum(h1 @ w2 + b2, 0.0)
        margin = 1.0 - labels * (h2 @ w3 + b3)
        loss = np.maximum(margin, 0.0).mean()
        g3 = np.where(margin > 0.0, -labels / n, 0.0)
        g2 = (g3 @ w3.T) * (h2 > 0.0)
        g1 = (g2 @ w2.T) * (h1 > 0.0)
        for w, b, h, g in ((w3, b3, h2, g3), (w2, b2, h1, g2), (w1, b1, points, g1)):
            w -= LR * (h.T @ g)
            b -= LR * g.sum(axis=0)
        return float(loss)

    return step
