"""Experiments on the data: labels, columns and the order of rows."""

from __future__ import annotations

from collections.abc import Iterator
from math import log
from typing import Any

import numpy as np

from .trial import Finding, Trial

__all__ = ["class_order", "constant_columns", "leakage", "negative_labels"]

FEW = 8  # rows of which nothing follows
NARROW = 16  # columns of a table; wider ones are images, whose edges are 0
UNLIKELY = 1e-9
SAME = 1e-9  # two losses that agree relative to their size


def _is_table(x: Any) -> bool:
    return (
        x is not None and x.ndim == 2 and x.dtype.kind == "f" and len(x) >= FEW and x.shape[1] > 1
    )


def _same(a: float, b: float) -> bool:
    return abs(a - b) <= SAME * max(abs(a), abs(b))


def negative_labels(trial: Trial) -> Iterator[Finding]:
    """Find labels of -1 that read the last class, as an index of -1 does."""
    y, out = trial.targets, trial.outputs
    if y is None or out is None or y.dtype.kind != "i" or out.ndim < 2 or not (y < 0).any():
        return
    classes = out.shape[-1]
    if y.size * classes != out.size or y.min() < -classes:
        return
    wrapped, moved = np.where(y < 0, y + classes, y), np.where(y < 0, 0, y)
    loss = trial.probe(out, y)
    if not _same(loss, trial.probe(out, wrapped)) or _same(loss, trial.probe(out, moved)):
        return
    some = int(y.min())
    yield Finding(
        "a negative label counts as a class",
        f"{int((y < 0).sum())} of {y.size} labels are {some}, and the loss, {loss:.6g}, is that of "
        f"class {some + classes} for them: an index of {some} reads from the end",
        "Count classes from 0, or drop those rows: keep = y >= 0.",
    )


def constant_columns(trial: Trial) -> Iterator[Finding]:
    """Find columns of a table with one number in all rows."""
    inputs, _ = trial.columns
    for x in inputs:
        if not _is_table(x):
            continue
        same = (x == x[0]).all(0)
        biased = any(name.endswith("bias") for name, _ in trial.parameters)
        edge = np.isin(np.arange(x.shape[1]), (0, x.shape[1] - 1))  # where ones stand for a bias
        ones = (x[0] == 1.0) & (edge | (not biased))
        usual = ones | ((x[0] == 0.0) & (x.shape[1] > NARROW))
        found = np.flatnonzero(same & ~usual)
        if len(found) and not same.all():
            names = ", ".join(map(str, found[:5])) + (" ..." if len(found) > 5 else "")
            yield Finding(
                "a column of the inputs is constant" if len(found) == 1
                else f"{len(found)} columns of the inputs are constant",
                f"column {names} is {', '.join(f'{v:g}' for v in x[0, found[:5]])} in all "
                f"{len(x)} rows, so it tells nothing about the target",
                f"Look for what fills it, or leave it out: x = numpy.delete(x, {found.tolist()}, "
                "axis=1).",
            )  # fmt: skip


def leakage(trial: Trial) -> Iterator[Finding]:
    """Find columns of the inputs that have the target in them."""
    inputs, y = trial.columns
    if y is None or y.size != len(y) or len(y) < FEW:
        return
    goal = y.reshape(-1).astype(float)
    if goal.std() == 0.0:
        return
    for x in inputs:
        if not _is_table(x) or len(x) != len(goal):
            continue
        for j in range(x.shape[1]):
            told = _tells(x[:, j].astype(float), goal, y.dtype.kind == "i")
            if told:
                yield Finding(
                    "a column of the inputs has the target in it",
                    f"column {j} {told} in all {len(x)} rows",
                    f"Leave it out: x = numpy.delete(x, {j}, axis=1).",
                )


def _tells(column: Any, goal: Any, classes: bool) -> str:
    """Return how a column has the target in it; ``""`` if it does not."""
    if (column == goal).all():
        return "equals the target"
    standard = (goal - goal.mean()) / goal.std()
    if np.allclose(column, standard, rtol=0.0, atol=1e-6):
        return "is the target, minus its mean, divided by its standard deviation"
    pairs = set(zip(column.tolist(), goal.tolist(), strict=True))
    kinds = len(set(goal.tolist()))
    if (
        (classes or kinds == 2)
        and kinds <= len(goal) // 4
        and len(pairs) == kinds == len(set(column.tolist()))
    ):
        return f"has one number for each of the {kinds} classes"
    return ""


def class_order(trial: Trial) -> Iterator[Finding]:
    """Find batches of one class each: rows in the order of their classes."""
    if not trial.ordered or len(trial.batches) < 2:
        return
    _, y = trial.columns
    if y is None or y.ndim != 1 or y.dtype.kind not in "iuf" or len(set(y.tolist())) > len(y) // 4:
        return
    labels, counts = np.unique(y, return_counts=True)
    if len(labels) < 2:
        return
    shares, batches = counts / len(y), [*_targets(trial)]
    pure = [len(set(batch.tolist())) == 1 for batch in batches]
    chances = [float((shares ** len(batch)).sum()) for batch in batches]
    chance = sum(log(p) for p, is_pure in zip(chances, pure, strict=True) if is_pure)
    changes = int((y[1:] != y[:-1]).sum())
    sorted_by_class = changes < len(labels) and counts.min() >= FEW
    if sorted_by_class or (sum(pure) * 2 > len(pure) and chance < log(UNLIKELY)):
        yield Finding(
            "the rows come in the order of their classes",
            f"{sum(pure)} of {len(pure)} batches have a single class, and the {len(y)} labels of "
            f"{len(labels)} classes change {changes} times from row to row; the first one is "
            f"{batches[0][0]:g}",
            "Shuffle them: DataLoader(..., shuffle=True).",
        )


def _targets(trial: Trial) -> Iterator[Any]:
    from .trial import array_of

    yield from (array_of(batch[-1]) for batch in trial.batches)
