"""Formulas of losses, and which of them a loss function is."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from .trial import Trial

__all__ = ["CLASSES", "LOGISTIC", "are_probabilities", "chosen", "close", "log_softmax", "logistic"]
__all__ += ["matches", "probes", "sigmoid", "softmax"]

CLOSE = 1e-4  # relative: two formulas that are the same
ONE = 1e-4  # how far a sum of probabilities in float32 may be from 1


def softmax(z: Any, axis: int = -1) -> Any:
    """Return shares that sum to 1 along an axis."""
    e = np.exp(z - z.max(axis, keepdims=True))
    return e / e.sum(axis, keepdims=True)


def log_softmax(z: Any, axis: int = -1) -> Any:
    """Return the logarithms of `softmax`."""
    shifted = z - z.max(axis, keepdims=True)
    return shifted - np.log(np.exp(shifted).sum(axis, keepdims=True))


def sigmoid(z: Any) -> Any:
    """Return 1 / (1 + exp(-z))."""
    return 1.0 / (1.0 + np.exp(-z))


def logistic(z: Any, y: Any) -> Any:
    """Return the binary cross entropy of scores, row by row."""
    return np.maximum(z, 0.0) - z * y + np.log1p(np.exp(-abs(z)))


def chosen(scores: Any, y: Any) -> Any:
    """Return minus the scores of the labels, row by row."""
    return -scores[np.arange(len(y)), y]


Formula = Callable[[Any, Any], Any]

CLASSES: dict[str, Formula] = {
    "cross entropy": lambda z, y: chosen(log_softmax(z), y),
    "minus the probability": lambda z, y: chosen(softmax(z), y),
    "minus the score": chosen,
    "softmax over rows": lambda z, y: chosen(log_softmax(z, 0), y),
    "log of softmax over rows": lambda z, y: chosen(np.log(softmax(z, 0)), y),
    "softmax twice": lambda z, y: chosen(log_softmax(softmax(z)), y),
}
"""Losses of scores (rows, classes) for labels (rows,), per row."""

LOGISTIC: dict[str, Formula] = {
    "of logits": logistic,
    "sigmoid twice": lambda z, y: logistic(sigmoid(z), y),
    "of probabilities": lambda p, y: -(y * np.log(p) + (1.0 - y) * np.log1p(-p)),
}
"""Losses of one number for each label, per row."""


def matches(
    trial: Trial, formulas: Mapping[str, Formula], outputs: Sequence[Any], y: Any
) -> set[str]:
    """Return the formulas that agree with the loss for all outputs, as a mean or as a sum."""
    kept = {(name, scale) for name in formulas for scale in ("mean", "sum")}
    for z in outputs:
        found = trial.probe(z)
        scores = z.reshape(y.shape) if z.size == y.size else z.reshape(-1, z.shape[-1])
        with np.errstate(all="ignore"):
            rows = {name: formulas[name](scores, y) for name, _ in kept}
        kept = {(n, scale) for n, scale in kept if close(found, getattr(rows[n], scale)())}
        if not kept:
            break
    return {name for name, _ in kept}


def close(a: float, b: float) -> bool:
    """Return whether two losses are equal up to rounding."""
    return bool(abs(a - b) <= CLOSE * abs(a))


def probes(like: Any) -> list[Any]:
    """Return outputs of another shape's form: random scores, small and large."""
    random = np.random.default_rng(0)
    return [random.normal(size=like.shape) * scale for scale in (1.0, 3.0)]


def are_probabilities(out: Any, axis: int = -1) -> bool:
    """Return whether numbers are shares that sum to 1 along an axis."""
    several = out.shape[axis] > 1 and bool((out >= 0.0).all())
    return several and bool((abs(out.sum(axis) - 1.0) < ONE).all())
