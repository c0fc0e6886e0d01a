"""The training loop: a generator of epochs, without output or files."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from ..core.expect import describe
from ..core.seeds import Seed, generator
from ..data.dataset import permutation
from ..engine.value import no_grad
from ..errors import OptionError
from ..nn import Module
from ..optim import Optimizer
from .non_finite import expect_finite_gradients, non_finite_loss
from .problem import LOSSES, Problem
from .replays import Replays

__all__ = ["Epoch", "evaluate", "train"]


@dataclass(frozen=True, slots=True)
class Epoch:
    """One pass over the data.

    Parameters
    ----------
    number
        The number of the epoch, from 1; 0 before the training.
    loss
        The mean loss of the rows.
    score
        The mean score of the rows: accuracy or R².
    """

    number: int
    loss: float
    score: float


def _never() -> bool:
    return False


def train(
    model: Module,
    problem: Problem,
    optimizer: Optimizer,
    *,
    epochs: int,
    batch_size: int | None = None,
    seed: Seed = None,
    stop: Callable[[], bool] = _never,
) -> Iterator[Epoch]:
    """Train ``model`` in place and yield an `Epoch` after each pass over the data.

    Parameters
    ----------
    model
        The network.
    problem
        The rows, and the loss.
    optimizer
        The optimizer of the network's parameters.
    epochs
        The number of passes over the data.
    batch_size
        The number of rows in a batch, which are drawn in a new order in each epoch; with ``None``
        all at once, in the given order.
    seed
        An integer or a generator that determines the orders; new ones in every run if ``None``.
    stop
        A function that is called before every batch. Once it returns true the iteration ends,
        without the current epoch.

    Yields
    ------
    an Epoch
        Loss and score of the pass.

    Raises
    ------
    NonFiniteError
        For a loss that is not finite, before it changes the parameters.
    """
    random, count, updates = generator(seed), len(problem.targets), 0
    replays = Replays(model, LOSSES[problem.loss].function)
    for epoch in range(1, epochs + 1):
        order = list(range(count)) if batch_size is None else permutation(count, random)
        loss = score = 0.0
        replays.refresh()
        for rows in _chunks(order, batch_size or count):
            if stop():
                return
            batch_loss, batch_score = _step(replays, problem, optimizer, rows, epoch, updates)
            updates += 1
            loss, score = loss + batch_loss, score + batch_score
        yield Epoch(epoch, loss / count, score / count)


def _chunks(order: list[int], size: int) -> Iterator[list[int]]:
    return (order[start : start + size] for start in range(0, len(order), size))


def _step(
    replays: Replays,
    problem: Problem,
    optimizer: Optimizer,
    rows: list[int],
    epoch: int,
    updates: int,
) -> tuple[float, float]:
    """Update once. Return the loss and the score, both times the number of rows."""
    inputs = [problem.inputs[i] for i in rows]
    targets = [problem.targets[i] for i in rows]
    outputs, loss, backward = replays.forward(inputs, targets)
    if not math.isfinite(loss.data):
        data = [("the inputs", inputs), ("the targets", targets)]
        graph = replays.graph(inputs, targets)
        raise non_finite_loss(graph, epoch, optimizer, data, updates)
    optimizer.zero_grad()
    backward()
    expect_finite_gradients(optimizer, partial(replays.graph, inputs, targets), epoch)
    optimizer.step()
    return loss.data * len(rows), _total_score(problem, outputs, targets)


def _total_score(problem: Problem, outputs: Sequence[Any], targets: Sequence[float]) -> float:
    return sum(problem.score(y, t) for y, t in zip(outputs, targets, strict=True))


def evaluate(model: Module, problem: Problem) -> Epoch:
    """Return loss and score of the network on all rows, as epoch 0, without any change.

    Parameters
    ----------
    model
        The network.
    problem
        The rows, and the loss.

    Returns
    -------
    an Epoch
        Its number is 0.

    Raises
    ------
    OptionError
        If ``problem`` is no `Problem`.
    """
    if not isinstance(problem, Problem):
        raise OptionError(
            where="evaluate(problem)",
            expected="a Problem",
            got=describe(problem),
            fix="Write evaluate(model, Problem.of(dataset)), or call the loss: loss(model(x), y).",
        )
    with no_grad():
        outputs = [model(row) for row in problem.inputs]
        loss = LOSSES[problem.loss].function(outputs, problem.targets)
    return Epoch(0, loss.data, _total_score(problem, outputs, problem.targets) / len(outputs))
