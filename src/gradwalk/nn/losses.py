"""Losses: how far a list of predictions is from a list of targets, as one Value.

Every loss takes the predictions first and the targets second, both of one length, or a single
number each; rows of numbers (networks with several outputs) are compared member by member.
``reduction`` is ``"mean"`` (the default), ``"sum"`` or ``"none"``, which returns the list of terms.
The numbers are those of PyTorch's functions. Predictions and targets may be plain numbers; then
the loss is a float. If either is a Tensor, so is the loss, and PyTorch's further options may be
given by keyword, as to `functional`: ``weight``, ``pos_weight``, ``ignore_index``,
``label_smoothing``, ``log_target``.
"""

from __future__ import annotations

from typing import Any

from ..core.expect import describe
from ..engine.functions import abs as _abs
from ..engine.functions import clip, exp, log, log1p, log_softmax, maximum, relu, softplus, square
from ..engine.value import Value, number, weighted_sum
from ..errors import DataError, OptionError, SizeError
from ..ops.composite import log_softmax_at
from .dispatch import of_tensors_too
from .terms import elementwise, is_single, rowwise, scalar

__all__ = ["binary_cross_entropy", "binary_cross_entropy_with_logits", "cross_entropy"]
__all__ += ["hinge", "huber", "kl_div", "mae", "mse", "nll", "smooth_l1"]

_LOG_FLOOR = -100.0  # PyTorch's binary_cross_entropy clamps its logarithms here


_of_tensors_too = of_tensors_too(".tensor_losses")


@_of_tensors_too
def mse(predictions: Any, targets: Any, reduction: str = "mean") -> Any:
    """Mean squared error: (p - t)².

    >>> mse([1.0, 2.0], [0.0, 4.0])
    2.5
    """
    return elementwise("mse", lambda p, t: square(p - t), predictions, targets, reduction)


@_of_tensors_too
def mae(predictions: Any, targets: Any, reduction: str = "mean") -> Any:
    """Mean absolute error: |p - t|; its slope is 0 where both agree.

    >>> mae([1.0, 2.0], [0.0, 4.0])
    1.5
    """
    return elementwise("mae", lambda p, t: _abs(p - t), predictions, targets, reduction)


@_of_tensors_too
def huber(predictions: Any, targets: Any, delta: float = 1.0, reduction: str = "mean") -> Any:
    """Squared for small errors, linear for large ones, with d = p - t.

        d²/2 for |d| ≤ delta, and delta (|d| - delta/2) beyond

    Huber, Robust estimation of a location parameter (1964). ``delta`` must be positive.

    >>> huber([0.5, 3.0], [0.0, 0.0], reduction="none")
    [0.125, 2.5]
    """
    if not number(delta, "huber(delta=...)") > 0.0:
        raise OptionError(
            where="huber(delta=...)",
            expected="a positive number",
            got=describe(delta),
            fix="delta is the error from which on the loss grows linearly; 1.0 is usual.",
        )

    def term(p: Any, t: Any) -> Any:
        d = p - t
        held = clip(d, -delta, delta)
        return held * (d - 0.5 * held)  # both pieces in one line, without a branch

    return elementwise("huber", term, predictions, targets, reduction)


@_of_tensors_too
def smooth_l1(predictions: Any, targets: Any, beta: float = 1.0, reduction: str = "mean") -> Any:
    """`huber` with the quadratic part scaled, not the linear one: d²/(2 beta), then |d| - beta/2.

    >>> smooth_l1([0.5, 3.0], [0.0, 0.0], reduction="none")
    [0.125, 2.5]
    """
    if beta == 0:
        return mae(predictions, targets, reduction)
    terms = huber(predictions, targets, beta, reduction)
    return [term / beta for term in terms] if isinstance(terms, list) else terms / beta


@_of_tensors_too
def hinge(predictions: Any, targets: Any, margin: float = 1.0, reduction: str = "mean") -> Any:
    """Zero once a score is on the right side by a margin: max(0, margin - t p), t = -1 or +1.

    Labels 0 and 1 become -1 and +1 by ``[2 * t - 1 for t in targets]``; other plain targets are a
    `DataError`.

    >>> hinge([2.0, 0.5], [1, -1])
    0.75
    """

    margin = scalar("hinge(margin=...)", margin)

    def term(p: Any, t: Any) -> Any:
        return relu(margin - _sign_label(t) * p)

    return elementwise("hinge", term, predictions, targets, reduction)


def _sign_label(t: Any) -> Any:
    if t in (1, -1) or isinstance(t, Value):
        return t
    raise DataError(
        where="hinge(targets)",
        expected="labels -1 and +1",
        got=describe(t),
        fix="Turn labels 0 and 1 into -1 and +1: [2 * t - 1 for t in targets].",
    )


@_of_tensors_too
def binary_cross_entropy(predictions: Any, targets: Any, reduction: str = "mean") -> Any:
    """Surprise at a label, given the predicted probability of a 1.

        -(t ln p + (1 - t) ln(1 - p)), each logarithm no less than -100

    The floor is PyTorch's; the slope beyond it is 0. Targets may be anything from 0 to 1. A
    prediction or a target outside of 0 to 1 is a `DataError`.

    >>> round(binary_cross_entropy([0.5, 0.25], [1, 0]), 4)
    0.4904
    """
    return elementwise("binary_cross_entropy", _bce, predictions, targets, reduction)


def _bce(p: Any, t: Any) -> Any:
    where = "binary_cross_entropy"
    fix = "Put a sigmoid on the output, or use binary_cross_entropy_with_logits."
    _probability(f"{where}(predictions)", p, fix)
    if (label := _label(where, t)) is not None:
        return -maximum(log(p) if label else log1p(-p), _LOG_FLOOR)
    return (t - 1.0) * maximum(log1p(-p), _LOG_FLOOR) - t * maximum(log(p), _LOG_FLOOR)


@_of_tensors_too
def binary_cross_entropy_with_logits(
    predictions: Any, targets: Any, reduction: str = "mean"
) -> Any:
    """`binary_cross_entropy` of sigmoid(x), accurate however large the logit x is.

        (1 - t) x + softplus(-x)

    >>> round(binary_cross_entropy_with_logits([0.0, 1000.0], [1, 1]), 4)
    0.3466
    """
    where = "binary_cross_entropy_with_logits"
    return elementwise(where, _bce_with_logits, predictions, targets, reduction)


def _bce_with_logits(x: Any, t: Any) -> Any:
    if (label := _label("binary_cross_entropy_with_logits", t)) is not None:
        return softplus(-x if label else x)
    return (1.0 - t) * x + softplus(-x)


def _label(where: str, t: Any) -> int | None:
    """0 or 1 for a plain label, whose other term vanishes; ``None`` for a soft target."""
    if not isinstance(t, Value) and t in (0, 1):
        return int(t)
    _probability(f"{where}(targets)", t, "Turn labels -1 and +1 into 0 and 1: (t + 1) / 2.")
    return None


def _probability(where: str, p: Any, fix: str) -> None:
    if not 0.0 <= number(p, where) <= 1.0 and p == p:  # a NaN passes, and shows in the loss
        raise DataError(where=where, expected="numbers from 0 to 1", got=describe(p), fix=fix)


@_of_tensors_too
def kl_div(
    predictions: Any, targets: Any, reduction: str = "mean", *, log_target: bool = False
) -> Any:
    """Kullback-Leibler divergence: t (ln t - x), where the predictions x are logarithms.

    With ``log_target`` so are the targets. The sum over all members is the divergence.

    >>> kl_div([-1.0, 0.0], [1.0, 0.0], reduction="sum")
    1.0
    """

    def term(x: Any, t: Any) -> Any:
        if log_target:
            return exp(t) * (t - x)
        return t * (log(t) - x) if isinstance(t, Value) or t else 0.0 * x

    return elementwise("kl_div", term, predictions, targets, reduction)


# --- several classes ------------------------------------------------------------------------


@_of_tensors_too
def cross_entropy(logits: Any, targets: Any, reduction: str = "mean") -> Any:
    """Surprise at a class, given one logit per class: -ln softmax(x)ₜ.

    ``logits`` is a list of rows and ``targets`` a list with, for each row, the index of its class
    or its list of class probabilities; or one row and one target.

    >>> round(cross_entropy([[2.0, 0.0, 0.0], [0.0, 3.0, 0.0]], [0, 1]), 4)
    0.1672
    """
    return rowwise("cross_entropy", _cross_entropy, logits, targets, reduction)


def _cross_entropy(row: list[Any], target: Any) -> Any:
    if not is_single(target):
        return _expected_surprise(row, list(target))
    i = _class_index("cross_entropy", target, len(row))
    return -log_softmax_at(row, i)


def _expected_surprise(row: list[Any], shares: list[Any]) -> Any:
    if len(row) != len(shares):
        raise SizeError(
            where="cross_entropy(targets)",
            expected=f"{len(row)} numbers",
            got=f"{len(shares)}",
            fix="Pass one probability per class.",
        )
    return -weighted_sum(log_softmax(row), shares, 0.0)


@_of_tensors_too
def nll(log_probabilities: Any, targets: Any, reduction: str = "mean") -> Any:
    """Negative log-likelihood: -ℓₜ, the logarithms being given, as by ``log_softmax``.

    >>> nll([[-0.25, -1.5], [-2.0, -0.125]], [0, 1])
    0.1875
    """

    def term(row: list[Any], target: Any) -> Any:
        return -scalar("nll", row[_class_index("nll", target, len(row))])

    return rowwise("nll", term, log_probabilities, targets, reduction)


def _class_index(where: str, target: Any, classes: int) -> int:
    if hasattr(target, "__index__") and 0 <= (index := target.__index__()) < classes:
        return int(index)
    raise DataError(
        where=f"{where}(targets)",
        expected=f"the index of a class, 0 to {classes - 1}",
        got=describe(target),
        fix="Count classes from 0 and write them as ints.",
    )
