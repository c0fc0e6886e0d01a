"""Experiments on the binary cross entropy: labels of -1, and a second sigmoid."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from ...program.run import run_of
from .formulas import LOGISTIC, logistic, matches, probes
from .graph import MOVES
from .trial import Finding, Trial, array_of, like

__all__ = ["sigmoid_twice", "signs"]

FAR = 1e3  # times the inputs: outputs of all but a sigmoid leave 0 to 1


def _kind(trial: Trial) -> str:
    """Return the formula of `LOGISTIC` that the loss is, ``""`` if it is none."""
    y, out = trial.targets, trial.outputs
    if y is None or out is None or y.size != out.size or out.dtype.kind != "f" or len(out) < 2:
        return ""
    values = set(np.unique(y).tolist())
    if not values <= {-1.0, 0.0, 1.0} or len(values) < 2:
        return ""
    random, found = np.random.default_rng(0), set[str]()
    for outputs in (probes(out), [random.uniform(0.05, 0.95, out.shape) for _ in range(2)]):
        try:
            found |= matches(trial, LOGISTIC, outputs, y.astype(float))
        except Exception:
            continue  # a loss of probabilities refuses scores
    return found.pop() if len(found) == 1 else ""


def signs(trial: Trial) -> Iterator[Finding]:
    """Find labels of -1 and 1 in a binary cross entropy."""
    kind, y = _kind(trial), trial.targets
    if not kind or not (y == -1).any():
        return
    told = f"{int((y == -1).sum())} of {y.size} labels are -1, where it takes 0"
    if kind == "of logits":
        best = trial.probe(10.0 * y.astype(float).reshape(trial.outputs.shape))
        told += f": for scores of 10 with the sign of the label the loss is {best:.3g}"
    yield Finding(
        "labels of -1 in a binary cross entropy",
        told,
        "Write y = (y + 1) / 2, or take the loss log(1 + exp(-y * score)).",
    )


def sigmoid_twice(trial: Trial) -> Iterator[Finding]:
    """Find a sigmoid before the sigmoid of the loss."""
    kind, out = _kind(trial), trial.outputs
    squashed = bool(kind) and _is_sigmoid(trial)
    if kind != "sigmoid twice" and not (kind == "of logits" and squashed):
        return
    times = " already, and the loss takes their sigmoid" if squashed else (
        ", and the loss takes their sigmoid two times"
    )  # fmt: skip
    yield Finding(
        "sigmoid is applied twice",
        f"the outputs of {trial.model_name} lie between {out.min():.3g} and {out.max():.3g}{times}:"
        f" the loss cannot fall below {float(logistic(np.array(1.0), 1.0)):.3g} for a label of 1",
        "Leave out one sigmoid: binary_cross_entropy_with_logits takes scores (logits).",
    )


def _is_sigmoid(trial: Trial) -> bool:
    """Return whether the outputs of a model are those of a sigmoid."""
    out = trial.outputs
    *inputs, target = trial.batches[0]
    numbers = [array_of(x) for x in inputs]
    if not ((out > 0.0) & (out < 1.0)).all() or any(x is None for x in numbers):
        return False
    if not numbers or any(x.dtype.kind != "f" for x in numbers):
        return _ends_with_sigmoid(trial)
    for scale in (-FAR, FAR):
        with trial.quietly(), np.errstate(all="ignore"):
            batch = [like(x, n * scale) for x, n in zip(inputs, numbers, strict=True)]
            far: Any = array_of(trial.forward((*batch, target))[0])
        if far is None or not ((far >= 0.0) & (far <= 1.0)).all():
            return False
    return True


def _ends_with_sigmoid(trial: Trial) -> bool:
    if trial.is_foreign:
        return False
    program = run_of(trial.forward(trial.batches[0])[0]).program
    names = [program.primitive(k).name for k in range(len(program))]
    return next((name for name in reversed(names) if name not in MOVES), "") == "sigmoid"
