"""A training run that can be inspected between its updates."""

from __future__ import annotations

import math
from collections import deque
from typing import Any

from ...core.seeds import generator
from ...data.dataset import permutation
from ...nn import MLP
from ...optim import Optimizer
from ...training.problem import LOSSES
from ...training.replays import Replays
from .configuration import OPTIMIZERS, Configuration
from .curve import Curve
from .reading import Point

__all__ = ["NO_POINTS", "Run", "Sample"]

WINDOW = 200
"""The number of last norms that are kept for each layer."""

NO_POINTS = "There are no points to learn from: add some."

Sample = tuple[float, tuple[float, ...]]
"""The loss of the batch of one update, and the norm of each layer's gradient."""


class Run:
    """A network that is trained one update at a time.

    The network is an `nn.MLP` with one Value per weight, so the walk of an example shows exactly
    the numbers that are trained, and both engines agree bit for bit. An update uses the next
    ``batch`` points. Each pass over the data shuffles the points again, as in
    `gradwalk.training.train`.

    ``points``   the training data, (x, y, label)
    ``test``     points that are not learned from
    ``steps``, ``epochs``   updates, and passes over all points, so far
    ``curve``    the losses of the updates, each over its own batch
    ``samples``  losses and norms of the last updates
    ``stopped``  why there cannot be another update, or ""

    >>> run = Run(Configuration(hidden=(4,), count=20))
    >>> run.step(), run.steps
    (True, 1)
    """

    model: MLP
    curve: Curve
    samples: deque[Sample]
    configuration: Configuration
    steps: int
    epochs: int

    def __init__(self, configuration: Configuration) -> None:
        self.configuration = configuration
        self.points: tuple[Point, ...] = configuration.drawn()
        self.test: tuple[Point, ...] = configuration.tested()
        self._begin()

    def _begin(self) -> None:
        chosen = self.configuration
        self._loss = LOSSES[chosen.loss]
        self.model = MLP(2, [*chosen.hidden, 1], chosen.activation, seed=chosen.seed)
        self.parameters: list[Any] = self.model.parameters()
        self.optimizer: Optimizer = OPTIMIZERS[chosen.optimizer](self.parameters, lr=chosen.lr)
        self._replays = Replays(self.model, self._loss.function)
        self._random, self._waiting = generator(chosen.seed), list[int]()
        self.steps = self.epochs = 0
        self.curve, self.samples = Curve(), deque[Sample](maxlen=WINDOW)
        self._diverged = ""

    def rewind(self) -> None:
        """Restart with the initial weights of the same seed, on the current points."""
        self._begin()

    def replace_points(self, points: tuple[Point, ...]) -> None:
        """Replace the points and begin a new pass over the data. The weights stay."""
        self.configuration = self.configuration.with_points(points)
        self.points, self._waiting, self._diverged = points, [], ""
        self.test = self.configuration.tested()

    @property
    def diverged(self) -> bool:
        """Whether the run has stopped because its numbers grew beyond all bounds."""
        return bool(self._diverged)

    @property
    def stopped(self) -> str:
        """The reason why there cannot be another update, or ""."""
        return self._diverged or ("" if self.points else NO_POINTS)

    def target(self, label: int) -> float:
        """Return the target for a label, 0 or 1: 0 or 1 for bce, -1 or 1 for the other losses."""
        return self._loss.target(label)

    def loss_of(self, outputs: Any, targets: Any) -> Any:
        """Return the loss of outputs of the network, which are Values or a Tensor."""
        return self._loss.function(outputs, targets)

    # --- one update -------------------------------------------------------------------------------

    def step(self) -> bool:
        """Make one update, and return whether there was one.

        The run stops if a loss, a gradient or a new weight is not finite. The weights are then
        those before the update.
        """
        if self.stopped:
            return False
        batch = [self.points[i] for i in self._next_rows()]
        targets = [self.target(label) for *_, label in batch]
        _, loss, backward = self._replays.forward([[x, y] for x, y, _ in batch], targets)
        self.optimizer.zero_grad()
        backward()
        norms = tuple(self._norms())
        if not self._update(loss.data, norms):
            return False
        self.steps += 1
        self.epochs += not self._waiting
        self.curve.add(loss.data)
        self.samples.append((loss.data, norms))
        return True

    def _next_rows(self) -> list[int]:
        """Return the rows of the next batch. The last batch of a pass may be smaller."""
        if not self._waiting:
            self._waiting = permutation(len(self.points), self._random)
        size = self.configuration.batch
        rows, self._waiting = self._waiting[:size], self._waiting[size:]
        return rows

    def _norms(self) -> list[float]:
        """Return √Σ(∂loss/∂w)² over the weights of each layer, without the biases."""
        return [
            math.hypot(*(w.grad for row in layer.weights for w in row))
            for layer in self.model.layers
        ]

    def _update(self, loss: float, norms: tuple[float, ...]) -> bool:
        if not math.isfinite(loss):
            return self._stop(f"The loss became {loss}")
        if not all(math.isfinite(norm) for norm in norms):
            return self._stop("A gradient became too large for a float")
        before = [p.data for p in self.parameters]
        self.optimizer.step()
        if all(math.isfinite(p.data) for p in self.parameters):
            return True
        for parameter, data in zip(self.parameters, before, strict=True):
            parameter.data = data
        return self._stop("A weight became too large for a float")

    def _stop(self, what: str) -> bool:
        self._diverged = (
            f"{what} in update {self.steps + 1}: the training has diverged with "
            f"lr={self.configuration.lr:g}. Rewind, and try a smaller lr, such as "
            f"{self.configuration.smaller_lr():g}."
        )
        return False
