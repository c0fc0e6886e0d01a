"""Experiments on losses of classes: softmax that is missing, twice, or along another axis."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from .formulas import (
    CLASSES,
    are_probabilities,
    chosen,
    close,
    log_softmax,
    matches,
    probes,
    softmax,
)
from .goals import class_labels
from .trial import Finding, Trial

__all__ = ["class_losses", "softmax_along"]

ROWS = {"softmax over rows", "log of softmax over rows"}
AXIS = "Write softmax(scores, axis=-1)."


def class_losses(trial: Trial) -> Iterator[Finding]:
    """Find a softmax that is missing, applied twice, or taken over the rows."""
    y = class_labels(trial)
    if y is None:
        return
    out = trial.outputs
    found = matches(trial, CLASSES, probes(out), y)
    rows = out.reshape(-1, out.shape[-1])
    probable = are_probabilities(rows)
    if "minus the probability" in found or ("minus the score" in found and probable):
        yield _of_probability(trial, rows if probable else softmax(rows), y)
    elif "minus the score" in found and not are_probabilities(np.exp(rows)):
        axes = [k for k in range(out.ndim - 1) if are_probabilities(np.exp(out), k)]
        if not axes:
            yield _of_score(trial, rows)
        elif out.ndim > 2:  # those of two axes are found by `output_axis`
            yield _of_axis(out, axes[0])
    if "softmax twice" in found or ("cross entropy" in found and probable):
        yield _twice(trial, f"of {trial.model_name}" if probable else "in the loss")
    if found & ROWS and "cross entropy" not in found:
        yield Finding(
            "softmax is taken over the rows of the batch, not over the classes",
            f"{_loss(trial)}; over the classes it is {chosen(log_softmax(rows), y).mean():.6g}",
            AXIS,
        )


def _loss(trial: Trial) -> str:
    return f"the loss is {trial.value:.6g}"


def _of_probability(trial: Trial, p: Any, y: Any) -> Finding:
    return Finding(
        "the loss is minus a probability, not minus its logarithm",
        f"{_loss(trial)}, the mean of -p of the correct class, which is at least -1; "
        f"the mean of -log p is {chosen(np.log(p), y).mean():.6g}",
        "Take log_softmax in place of softmax, or cross_entropy of the scores of "
        f"{trial.model_name}.",
    )


def _of_score(trial: Trial, rows: Any) -> Finding:
    return Finding(
        "the loss is minus a score, without a softmax",
        f"{_loss(trial)}; it has no lower bound, and exp(output) of row 0 sums to "
        f"{float(np.exp(rows[0]).sum()):.3g}, not to 1",
        "Take cross_entropy, or end the model with log_softmax.",
    )


def _of_axis(out: Any, axis: int) -> Finding:
    told = np.exp(out).sum(-1).reshape(-1)[0]
    return Finding(
        f"log_softmax is taken over axis {axis}, not over the classes",
        f"exp(output) of shape {out.shape} sums to 1 along axis {axis}, and to {told:.3g} over "
        f"the {out.shape[-1]} classes, the last axis",
        "Write log_softmax(scores, axis=-1).",
    )


def _twice(trial: Trial, where: str) -> Finding:
    lowest = float(np.log(np.e + trial.outputs.shape[-1] - 1) - 1.0)
    return Finding(
        "softmax is applied twice",
        f"{_loss(trial)}, and it cannot fall below {lowest:.3g}: the outputs {where} sum to 1 "
        "before the softmax of the cross entropy",
        "Leave out the first softmax: cross_entropy takes scores (logits).",
    )


def softmax_along(trial: Trial) -> Iterator[Finding]:
    """Find a cross entropy whose softmax is taken along an axis that is not that of the classes."""
    y, out = class_labels(trial), trial.outputs
    for axis in range(1, out.ndim - 1) if y is not None else ():
        outputs = probes(out)
        along = [log_softmax(z, axis).reshape(-1, z.shape[-1]) for z in outputs]
        if all(
            close(trial.probe(z), chosen(p, y).mean()) for z, p in zip(outputs, along, strict=True)
        ):
            rows = log_softmax(out).reshape(-1, out.shape[-1])
            yield Finding(
                f"softmax is taken over axis {axis}, not over the classes",
                f"{_loss(trial)} for outputs of shape {out.shape}; over the {out.shape[-1]} "
                f"classes, the last axis, it is {chosen(rows, y).mean():.6g}",
                AXIS,
            )
