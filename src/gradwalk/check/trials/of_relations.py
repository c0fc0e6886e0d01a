"""An experiment on the relation of inputs and targets: whether there is one."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from .goals import class_labels, goal_of
from .trial import Finding, Trial

__all__ = ["unrelated_targets"]

ENOUGH, MOST = 200, 1024  # rows
WIDE, PER_COLUMN = 32, 20  # columns, and rows for each
RARE, CLASSES = 20, 20  # rows of a class, and classes
SHUFFLES, DRAWS = 199, 10
MAYBE, SURELY = 0.2, 0.1  # of the shuffled targets predicted as well, if there is a relation
SEEN = 0.05  # of the variance, that a planted relation explains
NEIGHBOURS = 5
WIDTHS = (1.0, 0.3)  # of kernels, relative to the median distance


def unrelated_targets(trial: Trial) -> Iterator[Finding]:
    """Find targets that nothing in the inputs predicts: rows that were shuffled apart.

    Four methods predict each row from all others. Shuffled targets say what is chance, and
    planted relations whether the rows are many enough to see one.
    """
    x, y = _tables(trial)
    if x is None or y is None or goal_of(trial)[0] <= 0:
        return
    random, rows = np.random.default_rng(0), np.arange(len(y))
    orders = [rows, *(random.permutation(rows) for _ in range(SHUFFLES))]
    shuffled = np.stack([y[order] for order in orders])
    planted = np.stack([_planted(random, x, y) for _ in range(DRAWS)])
    errors = [_errors(h, np.concatenate([shuffled, planted])) for h in _methods(x)]
    luck = _luck(np.array(errors), len(orders))
    if luck[0] <= MAYBE or (luck[len(orders) :] > SURELY).any():
        return
    best = min(errors, key=lambda e: float(e[0]))
    yield Finding(
        "the targets do not depend on the inputs: no method predicts them better than chance",
        f"each of {len(y)} rows is predicted from all others, by lines, kernels and neighbours: "
        f"the error is {best[0]:.3f} of the variance, for shuffled targets "
        f"{np.median(best[1 : len(orders)]):.3f}; a relation that explains {SEEN:.0%} is seen in "
        f"{DRAWS} of {DRAWS} draws",
        "Look for a shuffle of the inputs without the targets: use one order for both, "
        "x[order], y[order].",
    )


def _luck(errors: Any, known: int) -> Any:
    """Return for each target how many of the shuffled ones are predicted as well by a method.

    The best of the methods counts, for the shuffled ones too.
    """
    shuffled = errors[:, 1:known, None]
    best = (shuffled <= errors[:, None]).mean(1).min(0)
    return (best[1:known, None] <= best).mean(0)


def _tables(trial: Trial) -> tuple[Any, Any]:
    """Return inputs and targets as columns of mean 0 and deviation 1; ``None`` for others.

    Codes have no neighbours, and few rows tell nothing.
    """
    inputs, target = trial.columns
    if target is None or len(target) < ENOUGH or any(z.ndim != 2 for z in inputs):
        return None, None
    if any(z.dtype.kind != "f" or len(z) != len(target) for z in inputs):
        return None, None
    x, y = np.concatenate(inputs, 1)[:MOST].astype(float), _columns(trial, target[:MOST])
    if any(len(np.unique(column)) < len(x) // 2 for column in x.T):
        return None, None
    if y is None or x.shape[1] > min(WIDE, len(x) // PER_COLUMN) or not y.std(0).all():
        return None, None
    return _standard(x), _standard(y)


def _standard(table: Any) -> Any:
    return (table - table.mean(0)) / table.std(0)


def _columns(trial: Trial, target: Any) -> Any:
    """Return targets as columns of numbers, one for each class; ``None`` if that is not sure."""
    if class_labels(trial) is not None and target.ndim == 1:
        labels, counts = np.unique(target, return_counts=True)
        sure = 1 < len(labels) <= CLASSES and counts.min() >= RARE
        return (target[:, None] == labels).astype(float) if sure else None
    columns = target.reshape(len(target), -1).astype(float)
    values, counts = np.unique(target, return_counts=True)
    return (
        columns if columns.shape[1] <= WIDE and (len(values) > 2 or counts.min() >= RARE) else None
    )


def _planted(random: Any, x: Any, y: Any) -> Any:
    """Return shuffled targets with a line of the inputs that explains a part of them."""
    line = x @ random.normal(size=(x.shape[1], y.shape[1]))
    return (1.0 - SEEN) ** 0.5 * random.permutation(y) + SEEN**0.5 * line / line.std(0)


def _methods(x: Any) -> Iterator[Any]:
    """Yield matrices that predict each target from all others."""
    n = len(x)
    square = (x**2).sum(1)[:, None] + (x**2).sum(1) - 2.0 * x @ x.T
    for kernel in (x @ x.T, *(np.exp(-square / (w * np.median(square))) for w in WIDTHS)):
        smooth = (kernel + 1.0) @ np.linalg.inv(kernel + 1.0 + np.eye(n))
        own = np.diag(smooth).copy()
        np.fill_diagonal(smooth, 0.0)
        yield smooth / (1.0 - own)[:, None]
    near = np.zeros((n, n))
    order = np.argsort(square + np.diag(np.full(n, np.inf)), 1)[:, :NEIGHBOURS]
    np.put_along_axis(near, order, 1.0 / NEIGHBOURS, 1)
    yield near


def _errors(method: Any, targets: Any) -> Any:
    """Return the mean square of the errors for each of several targets (many, rows, columns)."""
    many, n, k = targets.shape
    flat = targets.transpose(1, 0, 2).reshape(n, -1)
    return ((flat - method @ flat) ** 2).reshape(n, many, k).mean((0, 2))
