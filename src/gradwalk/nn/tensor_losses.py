"""Losses of Tensors: the functions of `losses` on arrays, with all of PyTorch's options."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..core.expect import describe
from ..engine.functions import abs as _abs
from ..engine.functions import clip, exp, log, relu, square, where
from ..errors import DataError
from ..ops.array import losses as rows
from ..tensor import sum as _sum
from ..tensor.functions.arguments import operand
from .class_losses import cross_entropy, nll
from .loss_parts import numbers, pair, positive, probabilities, reduced, weighted

__all__ = ["binary_cross_entropy", "binary_cross_entropy_with_logits", "cross_entropy"]
__all__ += ["hinge", "huber", "kl_div", "mae", "mse", "nll", "smooth_l1"]


def mse(predictions: Any, targets: Any, reduction: str = "mean") -> Any:
    """Mean squared error: (p - t)²."""
    p, t = pair("mse", predictions, targets)
    return reduced("mse", square(p - t), reduction)


def mae(predictions: Any, targets: Any, reduction: str = "mean") -> Any:
    """Mean absolute error: |p - t|; its slope is 0 where both agree."""
    p, t = pair("mae", predictions, targets)
    return reduced("mae", _abs(p - t), reduction)


def huber(predictions: Any, targets: Any, delta: float = 1.0, reduction: str = "mean") -> Any:
    """d²/2 for |d| ≤ delta, and delta (|d| - delta/2) beyond, with d = p - t."""
    positive("huber(delta=...)", delta)
    p, t = pair("huber", predictions, targets)
    return reduced("huber", _hubers(p - t, delta), reduction)


def smooth_l1(predictions: Any, targets: Any, beta: float = 1.0, reduction: str = "mean") -> Any:
    """d²/(2 beta) for |d| < beta, and |d| - beta/2 beyond: `huber` divided by beta."""
    if beta == 0:
        return mae(predictions, targets, reduction)
    positive("smooth_l1(beta=...)", beta)
    p, t = pair("smooth_l1", predictions, targets)
    return reduced("smooth_l1", _hubers(p - t, beta) / beta, reduction)


def _hubers(d: Any, delta: float) -> Any:
    held = clip(d, -delta, delta)
    return held * (d - 0.5 * held)  # both pieces in one line, without a branch


def hinge(predictions: Any, targets: Any, margin: float = 1.0, reduction: str = "mean") -> Any:
    """max(0, margin - t p) for labels t = -1 or +1."""
    p, t = pair("hinge", predictions, targets)
    labels = numbers(t)
    if not np.all(np.abs(labels) == 1):
        raise DataError(
            where="hinge(targets)",
            expected="labels -1 and +1",
            got=describe(labels[np.abs(labels) != 1].flat[0]),
            fix="Turn labels 0 and 1 into -1 and +1: 2 * t - 1.",
        )
    return reduced("hinge", relu(margin - t * p), reduction)


def binary_cross_entropy(
    predictions: Any, targets: Any, reduction: str = "mean", *, weight: Any = None
) -> Any:
    """-(t ln p + (1 - t) ln(1 - p)), each logarithm no less than -100."""
    p, t = pair("binary_cross_entropy", predictions, targets)
    fix = "Put a sigmoid on the output, or use binary_cross_entropy_with_logits."
    probabilities("binary_cross_entropy(predictions)", p, fix)
    probabilities("binary_cross_entropy(targets)", t, "Turn labels -1 and +1 into 0 and 1.")
    return weighted("binary_cross_entropy", rows.label_surprise(p, t), weight, reduction)


def binary_cross_entropy_with_logits(
    predictions: Any,
    targets: Any,
    reduction: str = "mean",
    *,
    weight: Any = None,
    pos_weight: Any = None,
) -> Any:
    """w t ln(1 + e^-x) + (1 - t) ln(1 + e^x); ``pos_weight`` is w, 1 unless given."""
    where_ = "binary_cross_entropy_with_logits"
    x, t = pair(where_, predictions, targets)
    w = 1.0 if pos_weight is None else operand(pos_weight, f"{where_}(pos_weight)")
    return weighted(where_, rows.logit_surprise(x, t, w), weight, reduction)


def kl_div(
    predictions: Any, targets: Any, reduction: str = "mean", *, log_target: bool = False
) -> Any:
    """t (ln t - x), the predictions x being logarithms, as are the targets with ``log_target``.

    ``reduction="batchmean"`` divides the sum by the length of the first axis, which is what the
    divergence is defined to be.
    """
    x, t = pair("kl_div", predictions, targets)
    if log_target:
        terms = exp(t) * (t - x)
    else:
        none = t == 0.0
        terms = where(none, 0.0, t * (log(where(none, 1.0, t)) - x))
    if reduction == "batchmean":
        return _sum(terms) / (x.shape[0] if x.ndim else 1)
    return reduced("kl_div", terms, reduction)
