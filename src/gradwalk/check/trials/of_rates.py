"""Experiments with the learning rate: a few updates, which are undone."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from math import isfinite
from typing import Any

import numpy as np

from ...inspect.magnitudes import norm
from ...inspect.rates import is_given_up
from .trial import Finding, Trial, array_of

__all__ = ["far_targets", "learning_rate", "stepped"]

STEPS = 5
STILL = 1e-7  # of the parameters, in these steps
STAYS = 1e-5  # of a loss
RATES = tuple(10.0**k for k in range(-6, 1))
APART = 1e3  # times the rate that is too small, and the least rate in its place
FALL = 0.01  # of a loss, in these steps
SHARE = 0.1  # of the largest fall: a rate that is safe, and not the best one for few steps
RISE, HIGHER = 1.1, 1.2  # times the loss, after each step and after the last one
MOVED = 0.1  # of the parameters, in these steps, at least if they overshoot
UNTRAINED = 0.1  # of the loss of outputs 0
LARGE = 100.0  # targets that are not scaled
FAR = 1e4  # steps to targets
FITTED = 0.01  # of a loss, if the outputs are the targets


@dataclass
class _Steps:
    """Steps on the first batch: the change of the parameters, and the losses after each step."""

    moved: float
    losses: list[float]

    @property
    def first(self) -> float:
        return self.losses[0]

    @property
    def last(self) -> float:
        return self.losses[-1]

    @property
    def helps(self) -> bool:
        """Whether the loss falls."""
        return self.last < self.first - FALL * abs(self.first)

    @property
    def rises(self) -> bool:
        """Whether the loss is larger after each step; NaN is not less than anything."""
        low, high = RISE * self.first, HIGHER * self.first
        return self.first > 0.0 and not any(x <= low for x in self.losses[1:]) and (
            not self.last <= high
        )  # fmt: skip


def _rate(trial: Trial, group: Any) -> float:
    """Return the rate of a group, or the first one of a schedule that begins or ends near 0."""
    now = float(group["lr"])
    return now if is_given_up(trial.optimizer) else max(now, float(group.get("initial_lr", 0.0)))


def _top(trial: Trial) -> float:
    return max(_rate(trial, group) for group in trial.optimizer.param_groups)


def _taken(trial: Trial, rate: float | None = None) -> _Steps:
    """Take steps on the first batch, also with another learning rate, and undo them."""
    with trial.undone(), np.errstate(all="ignore"):
        return stepped(trial, rate)


def stepped(trial: Trial, rate: float | None) -> _Steps:
    """Take steps on the first batch, also with another learning rate, and undo nothing."""
    groups, batch = trial.optimizer.param_groups, trial.batches[0]
    before, top = trial.numbers(), _top(trial)
    for group, lr in [(g, _rate(trial, g)) for g in groups]:
        group["lr"] = lr if rate is None else lr * (rate / top) if top else rate
    losses = [trial.value_of_model()]
    for _ in range(STEPS):
        trial.optimizer.zero_grad()
        trial.loss(*trial.forward(batch)).backward()
        trial.optimizer.step()
        losses.append(trial.value_of_model())
    moved = norm([a - b for a, b in zip(trial.numbers(), before, strict=True)])
    return _Steps(moved / norm(before) if norm(before) else moved, losses)


def learning_rate(trial: Trial) -> Iterator[Finding]:
    """Find a learning rate with which steps change nothing, or make the loss larger each time."""
    if type(trial.optimizer).__name__ == "LBFGS":
        return
    steps, lr = _taken(trial), _top(trial)
    if not _is_untrained(trial, steps):
        return
    if steps.moved <= STILL and abs(steps.last - steps.first) <= STAYS * abs(steps.first):
        others = [rate for rate in RATES if rate >= 0.99 * APART * lr]
        told, size = f"change the parameters by {steps.moved:.1g} of their size, and", "small"
    elif steps.rises and steps.moved > MOVED:
        others = [lr * 10.0**-k for k in range(1, 9)]
        told, size = "change", "large"
    else:
        return
    tried = {rate: x for rate in others if (x := _taken(trial, rate)).helps}
    if tried:
        enough = SHARE * max(x.first - x.last for x in tried.values())
        rate = min(rate for rate, x in tried.items() if x.first - x.last >= enough)
        yield Finding(
            f"the learning rate of {lr:g} is far too {size}",
            f"{STEPS} steps on one batch {told} the loss from {steps.first:.6g} to "
            f"{steps.last:.6g}; with lr={rate:.1g} it falls to {tried[rate].last:.6g}",
            f"Try lr={rate:.1g}.",
        )


def _is_untrained(trial: Trial, steps: _Steps) -> bool:
    """Return whether the loss is far from its end: near that of outputs of 0."""
    if trial.outputs is None or not steps.first or not isfinite(steps.first):
        return False
    base = trial.probe(np.zeros_like(trial.outputs))
    return abs(steps.first) > UNTRAINED * abs(base)


# --- targets that are far away --------------------------------------------------------------------


def far_targets(trial: Trial) -> Iterator[Finding]:
    """Find targets of a regression to which no usual number of steps leads from the outputs.

    The distance of the means is what counts: it is no noise, and vanishes in the first steps.
    """
    y, out = trial.targets, trial.outputs
    if y is None or out is None or y.size != out.size or y.dtype.kind not in "fiu":
        return
    goal = y.reshape(out.shape).astype(float)
    away = goal.mean(0) - out.mean(0)
    size = float(np.sqrt((goal**2).mean()))
    distance = float(np.sqrt((away**2).mean()))
    fitted = trial.probe(y.reshape(out.shape))
    if size <= LARGE or distance <= UNTRAINED * size or not fitted < FITTED * trial.value:
        return
    with trial.undone(), np.errstate(all="ignore"):
        steps = stepped(trial, None)
        later = array_of(trial.forward(trial.batches[0])[0])
    pace = float(((later - out).mean(0) * away).sum()) / (distance * away.size * STEPS)
    if steps.moved <= STILL or not 0.0 < pace * FAR < distance:
        return
    yield Finding(
        "the targets are too large for this learning rate",
        f"they are about {size:.3g}, the outputs about {float(abs(out).mean()):.3g}: their means "
        f"are {distance:.3g} apart, and a step moves the outputs by {pace:.2g}, so it takes about "
        f"{distance / pace:.1g} steps",
        "Standardise the targets: y = (y - y.mean(0)) / y.std(0).",
    )
