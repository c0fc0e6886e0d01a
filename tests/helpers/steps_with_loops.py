"""Training steps in which a parameter is used inside of a loop."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from gradwalk import nn, scan, tanh, while_loop

STEPS = 5


def batch() -> Any:
    """Return sequences of three numbers: (steps, examples, 3)."""
    return np.random.default_rng(1).normal(size=(STEPS, 4, 3))


class Repeated(nn.Module):
    """A loop over the rows of x, written by a user."""

    def __init__(self, loop: Callable[[Any, Any], Any]) -> None:
        super().__init__()
        self.layer = nn.Linear(3, 3, seed=0)
        self.loop = loop

    def forward(self, x: Any) -> Any:
        """Return what the loop gives."""
        return self.loop(self.layer, x)


def _scan(layer: Any, x: Any) -> Any:
    return scan(lambda c, row: (tanh(layer(c) + row), None), 0.1 * x[0], x)[0]


def _backwards(layer: Any, x: Any) -> Any:
    last, ys = scan(lambda c, row: (tanh(layer(c + row)), c * c), x[0] * x[1], x, reverse=True)
    return last + ys.sum(axis=0)


def _nested(layer: Any, x: Any) -> Any:
    def inner(c: Any, row: Any) -> Any:
        return tanh(layer(c) * row), None

    return scan(lambda c, row: (scan(inner, c, x)[0] + row, None), x[0], x)[0]


def _in_turn(layer: Any, x: Any) -> Any:
    middle, rows = scan(lambda c, row: (tanh(layer(c) + row), layer(row)), x[0], x)
    return scan(lambda c, row: (c * tanh(layer(row)), None), middle, rows)[0]


def _until(layer: Any, x: Any) -> Any:
    def small(state: Any) -> Any:
        return state[0] < 3.0

    def grow(state: Any) -> Any:
        return state[0] + 1.0, tanh(layer(state[1]))

    return while_loop(small, grow, ((x[0, 0, 0] * 0.0), x[0]))[1]


def _recurrent(kind: Any, **options: Any) -> Callable[[], nn.Module]:
    class Last(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.layers = kind(3, 4, seed=0, **options)

        def forward(self, x: Any) -> Any:
            return self.layers(x)[0][-1]

    return Last


LOOPS: dict[str, Callable[[], nn.Module]] = {
    "scan": lambda: Repeated(_scan),
    "backwards": lambda: Repeated(_backwards),
    "nested": lambda: Repeated(_nested),
    "in turn": lambda: Repeated(_in_turn),
    "RNN": _recurrent(nn.RNN),
    "RNN of relu": _recurrent(nn.RNN, nonlinearity="relu"),
    "GRU": _recurrent(nn.GRU, num_layers=2),
    "LSTM": _recurrent(nn.LSTM),
    "LSTM both ways": _recurrent(nn.LSTM, num_layers=2, bidirectional=True, dropout=0.5),
}
"""Models by name; each is called with an array of shape (STEPS, examples, 3)."""

WITH_QUESTIONS: dict[str, Callable[[], nn.Module]] = {"until": lambda: Repeated(_until)}
"""Those whose loop ends by a question about numbers."""


def train(model: Any, optimizer: Any, x: Any) -> Any:
    """Return the loss of a step."""
    optimizer.zero_grad()
    loss = (model(x) ** 2).mean()
    loss.backward()
    optimizer.step()
    return loss
