"""Where a loss is smallest: at the targets, far away from them, or at neither."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import numpy as np

from .formulas import CLASSES, are_probabilities, log_softmax, matches, probes, sigmoid, softmax
from .trial import Trial, array_of, even

__all__ = ["Goal", "class_labels", "goal_of", "quantities"]

ROWS = 32  # whose outputs are moved one by one
EQUAL = 1e-3  # effects of rows with one label, relative: others are weighted by more than labels
SIZES = (0.1, 1.0, 10.0)  # of moves, relative to the spread of the targets
SURE = 3.0  # scores of a class
FALLS = 1.5  # a loss that falls by as much for twice the scores has no bound

Goal = tuple[int, float, float]
"""A sign, and the losses at the targets and away from them.

The sign is 1 if the loss is smallest at the targets, -1 if it is largest there, 0 if neither.
"""
NONE: Goal = (0, 0.0, 0.0)
Put = Callable[[Any], float]
"""The loss of an array that stands in the place of a prediction."""


def class_labels(trial: Trial) -> Any:
    """Return the labels of classes, one for each row of scores; ``None`` for other targets."""
    y, out = trial.targets, trial.outputs
    if y is None or out is None or out.ndim < 2 or out.shape[-1] < 2 or out.dtype.kind != "f":
        return None
    classes = out.shape[-1]
    if y.shape == out.shape and set(np.unique(y).tolist()) == {0.0, 1.0} and (y.sum(-1) == 1).all():
        y = y.argmax(-1)
    if y.dtype.kind not in "iu" or y.size * classes != out.size:
        return None
    flat = y.reshape(-1)
    return flat if flat.min() >= 0 and flat.max() < classes else None


def goal_of(trial: Trial) -> Goal:
    """Return where the loss is smallest, for targets of classes, of yes and no, and of numbers."""
    labels, y, out = class_labels(trial), trial.targets, trial.outputs
    if labels is not None:
        scores = _of_classes(out.reshape(-1, out.shape[-1]), labels)
        return _raised_probability(trial, labels, scores) or _goal_of_rows(trial, labels, scores)
    if y is None:
        return NONE
    if out is not None and y.size == out.size and set(np.unique(y).tolist()) in ({0, 1}, {-1, 1}):
        return _goal_of_rows(trial, y.reshape(-1), _of_signs(out, y.reshape(-1)))
    return next((goal for put in quantities(trial) if (goal := _goal_of(trial, put))[0]), NONE)


Scores = Callable[[float], Any]
"""Outputs of which each is right, as sure as a number says, or wrong if that is negative."""


def _of_classes(rows: Any, labels: Any) -> Scores:
    """Return scores of the labels in the form of the outputs."""
    form: Callable[[Any], Any] = (
        softmax if are_probabilities(rows)
        else log_softmax if are_probabilities(np.exp(rows))
        else np.asarray
    )  # fmt: skip
    count = rows.shape[-1]
    return lambda size: form(abs(size) * np.eye(count)[(labels + (size < 0.0)) % count])


def _of_signs(out: Any, y: Any) -> Scores:
    """Return scores of yes and no in the range of the outputs: distances are not negative."""
    signs = np.where(y > 0, 1.0, -1.0)
    if out.min() >= 0.0:
        form: Callable[[Any], Any] = sigmoid if out.max() <= 1.0 else lambda z: z.clip(0.0)
        return lambda size: form(size * signs)
    return lambda size: size * signs


def _goal_of_rows(trial: Trial, labels: Any, scores: Scores) -> Goal:
    """Move the outputs row by row. Rows of one label that count differently have weights.

    A policy gradient is such a loss: its sign is that of the rewards. Small distances are right
    for a label too, and such a loss has a bound.
    """

    def put(z: Any) -> float:
        return trial.probe(z.reshape(trial.outputs.shape))

    moved = _moved(put, scores(SURE), scores(-SURE))
    known = labels[: len(moved)]
    if not all(_are_equal(moved[known == label]) for label in set(known.tolist())):
        return NONE
    right, *wrong = (put(scores(size)) for size in (SURE, -SURE, -2.0 * SURE, -4.0 * SURE))
    sign, (first, then) = _sign(moved), np.diff(wrong)
    return (sign, right, wrong[-1]) if sign > 0 or then < FALLS * first < 0.0 else NONE


def _raised_probability(trial: Trial, labels: Any, scores: Scores) -> Goal | None:
    """Return the goal of a loss that is the probability of the label, which has a bound."""
    out = trial.outputs
    name = "minus the score" if are_probabilities(out) else "minus the probability"
    raised = {name: lambda z, y: -CLASSES[name](z, y)}
    if not matches(trial, raised, probes(out), labels):
        return None
    right, wrong = (trial.probe(scores(size).reshape(out.shape)) for size in (SURE, -SURE))
    return -1, right, wrong


def _moved(put: Put, right: Any, wrong: Any) -> Any:
    """Return how much a loss rises for each row that is wrong."""
    effects, best = [], put(right)
    for i in range(min(len(right), ROWS)):
        other = right.copy()
        other[i] = wrong[i]
        effects.append(put(other) - best)
    return np.array(effects)


def _are_equal(effects: Any) -> bool:
    return bool(np.ptp(effects) <= EQUAL * abs(effects).max())


def _sign(effects: Any) -> int:
    if not np.isfinite(effects).all():
        return 0
    return 1 if (effects > 0.0).all() else -1 if (effects < 0.0).all() else 0


def quantities(trial: Trial) -> Iterator[Put]:
    """Yield the places of the output that may be predictions: all of it, a part, or columns."""
    y, out, known = trial.targets, trial.outputs, trial.output
    if y is None or y.dtype.kind not in "fiu" or y.size < 3 or np.ptp(y) == 0.0:
        return
    if out is not None and out.size == y.size:
        yield lambda z: trial.probe(z.reshape(out.shape))
    elif isinstance(known, tuple):
        sizes = [np.size(array_of(part)) for part in known]
        yield from (partial(_with_part, trial, i) for i, n in enumerate(sizes) if n == y.size)
    elif out is not None and out.ndim > 1 and out.size == 2 * y.size and out.shape[-1] % 2 == 0:
        half = out.shape[-1] // 2
        for columns in (slice(None, half), slice(half, None)):
            yield partial(_with_columns, trial, columns)


def _with_part(trial: Trial, i: int, z: Any) -> float:
    return trial.probe_part(i, z.reshape(np.shape(array_of(trial.output[i]))))


def _with_columns(trial: Trial, columns: slice, z: Any) -> float:
    whole = even(trial.outputs)
    whole[..., columns] = z.reshape(whole[..., columns].shape)
    return trial.probe(whole)


def _goal_of(trial: Trial, put: Put) -> Goal:
    """Move predictions away from numbers in both directions."""
    y = trial.targets.astype(float)
    way = np.random.default_rng(0).uniform(0.5, 1.5, y.shape) * y.std()
    best = put(y)
    ways = [put(y + sign * size * way) - best for sign in (1.0, -1.0) for size in SIZES]
    sign = _sign(np.array(ways))
    unbounded = ways[len(SIZES) - 1] < FALLS * ways[1]
    if sign < 0 and not (unbounded and _are_equal(_moved(put, y, y + y.std()))):
        return NONE  # a margin to what is to be left, or rows with weights, such as rewards
    return sign, best, best + ways[len(SIZES) - 1]
