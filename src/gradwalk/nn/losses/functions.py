"""Losses: how far predictions are from targets, as one number.

Every loss takes the predictions first and the targets second, both of one length, or a single
number each; rows of numbers (networks with several outputs) are compared member by member.
``reduction`` is ``"mean"`` (the default), ``"sum"`` or ``"none"``, which returns all terms. The
numbers are those of PyTorch's functions. The loss of Tensors is a Tensor, the loss of Values a
Value, and the loss of plain numbers a float. PyTorch's further options ``weight``, ``pos_weight``,
``ignore_index`` and ``label_smoothing`` need a Tensor.
"""

from __future__ import annotations

from typing import Any

from ...core.carrier import Carrier, is_tensor
from ...core.expect import describe
from ...engine.functions import abs as _abs
from ...engine.functions import clip, exp, log, relu, square, where
from ...engine.scalar import Scalar
from ...errors import OptionError
from ...levels.vmap import varies
from ...ops.softmax import label_surprise
from . import values as values
from .dispatch import elementwise, expect_no_options
from .types import LossResult, Predictions, loss
from .values import LABELS, PROBABILITIES, SIGNS, Formula, scalar

__all__ = ["binary_cross_entropy", "binary_cross_entropy_with_logits", "cross_entropy"]
__all__ += ["hinge", "huber", "kl_div", "mae", "mse", "nll", "smooth_l1"]


# --- of numbers -----------------------------------------------------------------------------------


@loss
def mse(predictions: Predictions, targets: Predictions, reduction: str = "mean") -> LossResult:
    """Return the mean squared error: (p - t)².

    Parameters
    ----------
    predictions, targets : any shape, equal
        Arrays, lists, lists of rows, or two numbers.
    reduction
        "mean" or "sum" of the terms, or "none" for all of them.

    Returns
    -------
    (), or the shape of predictions with reduction="none"
        A Tensor if an argument is a Tensor, a Value if an argument holds Values, else a float
        or a list of floats.

    Raises
    ------
    SizeError
        If there are not as many targets as predictions, or none at all.
    OptionError
        If ``reduction`` has another name.

    See Also
    --------
    mae, huber, gradwalk.nn.MSELoss

    Examples
    --------
    >>> mse([1.0, 2.0], [0.0, 4.0])
    2.5
    """
    return elementwise("mse", lambda p, t: square(p - t), predictions, targets, reduction)


@loss
def mae(predictions: Predictions, targets: Predictions, reduction: str = "mean") -> LossResult:
    """Return the mean absolute error: |p - t|, with derivative 0 where both agree.

    Parameters
    ----------
    predictions, targets : any shape, equal
        Arrays, lists, lists of rows, or two numbers.
    reduction
        "mean" or "sum" of the terms, or "none" for all of them.

    Returns
    -------
    (), or the shape of predictions with reduction="none"
        A Tensor if an argument is a Tensor, a Value if an argument holds Values, else a float
        or a list of floats.

    Raises
    ------
    SizeError
        If there are not as many targets as predictions, or none at all.
    OptionError
        If ``reduction`` has another name.

    See Also
    --------
    mse, smooth_l1, gradwalk.nn.L1Loss

    Examples
    --------
    >>> mae([1.0, 2.0], [0.0, 4.0])
    1.5
    """
    return elementwise("mae", lambda p, t: _abs(p - t), predictions, targets, reduction)


@loss
def huber(
    predictions: Predictions, targets: Predictions, delta: float = 1.0, reduction: str = "mean"
) -> LossResult:
    """Return a loss that is quadratic for small errors and linear for large ones, with d = p - t.

        d²/2 for |d| ≤ delta, and delta (|d| - delta/2) beyond

    Parameters
    ----------
    predictions, targets : any shape, equal
        Arrays, lists, lists of rows, or two numbers.
    delta
        The error at which the loss becomes linear, > 0.
    reduction
        "mean" or "sum" of the terms, or "none" for all of them.

    Returns
    -------
    (), or the shape of predictions with reduction="none"
        A Tensor if an argument is a Tensor, a Value if an argument holds Values, else a float
        or a list of floats.

    Raises
    ------
    SizeError
        If there are not as many targets as predictions, or none at all.
    OptionError
        If ``delta`` is not positive, or ``reduction`` has another name.

    See Also
    --------
    smooth_l1, mse, gradwalk.nn.HuberLoss

    References
    ----------
    Huber, Robust estimation of a location parameter (1964).

    Examples
    --------
    >>> huber([0.5, 3.0], [0.0, 0.0], reduction="none")
    [0.125, 2.5]
    """
    _expect_positive("huber(delta=...)", delta)
    return elementwise("huber", _huber(delta), predictions, targets, reduction)


@loss
def smooth_l1(
    predictions: Predictions, targets: Predictions, beta: float = 1.0, reduction: str = "mean"
) -> LossResult:
    """Return `huber` divided by beta: d²/(2 beta) for |d| < beta, and |d| - beta/2 beyond.

    Parameters
    ----------
    predictions, targets : any shape, equal
        Arrays, lists, lists of rows, or two numbers.
    beta
        The error at which the loss becomes linear, >= 0; with 0 the loss is |d|.
    reduction
        "mean" or "sum" of the terms, or "none" for all of them.

    Returns
    -------
    (), or the shape of predictions with reduction="none"
        A Tensor if an argument is a Tensor, a Value if an argument holds Values, else a float
        or a list of floats.

    Raises
    ------
    SizeError
        If there are not as many targets as predictions, or none at all.
    OptionError
        If ``beta`` is negative, or ``reduction`` has another name.

    See Also
    --------
    huber, mae, gradwalk.nn.SmoothL1Loss

    Examples
    --------
    >>> smooth_l1([0.5, 3.0], [0.0, 0.0], reduction="none")
    [0.125, 2.5]
    """
    if not isinstance(beta, Carrier) and beta == 0:
        return elementwise("smooth_l1", lambda p, t: _abs(p - t), predictions, targets, reduction)
    _expect_positive("smooth_l1(beta=...)", beta)
    quadratic_then_linear = _huber(beta)

    def formula(p: object, t: Any) -> Any:
        return quadratic_then_linear(p, t) / beta

    return elementwise("smooth_l1", formula, predictions, targets, reduction)


def _huber(delta: float) -> Formula:
    def formula(p: object, t: Any) -> Any:
        d = p - t
        bounded = clip(d, -delta, delta)
        return bounded * (d - 0.5 * bounded)  # one expression for both pieces: arrays cannot branch

    return formula


def _expect_positive(where: str, option: float) -> None:
    if not varies(option) and not scalar(where, option) > 0.0:
        raise OptionError(
            where=where,
            expected="a positive number",
            got=describe(option),
            fix="Pass 1.0, the usual error at which the loss becomes linear.",
        )


# --- of labels and probabilities ------------------------------------------------------------------


@loss
def hinge(
    predictions: Predictions, targets: Predictions, margin: float = 1.0, reduction: str = "mean"
) -> LossResult:
    """Return how far scores are from the right side by a margin: max(0, margin - t p), t = ±1.

    Parameters
    ----------
    predictions : any shape
        The scores p: arrays, lists, lists of rows, or one number.
    targets : the shape of predictions
        The labels t, 1 and -1. Labels 0 and 1 become these by ``[2 * t - 1 for t in targets]``.
    margin
        The score on the right side from which on the loss is 0.
    reduction
        "mean" or "sum" of the terms, or "none" for all of them.

    Returns
    -------
    (), or the shape of predictions with reduction="none"
        A Tensor if an argument is a Tensor, a Value if an argument holds Values, else a float
        or a list of floats.

    Raises
    ------
    DataError
        If a target is neither 1 nor -1.
    SizeError
        If there are not as many targets as predictions, or none at all.
    OptionError
        If ``reduction`` has another name.
    NotANumberError
        If ``margin`` is no number.

    See Also
    --------
    binary_cross_entropy_with_logits, gradwalk.nn.SoftMarginLoss

    Examples
    --------
    >>> hinge([2.0, 0.5], [1, -1])
    0.75
    """
    margin = scalar("hinge(margin=...)", margin)
    checks = (None, SIGNS)
    return elementwise(
        "hinge", lambda p, t: relu(margin - t * p), predictions, targets, reduction, checks
    )


@loss
def binary_cross_entropy(
    predictions: Predictions,
    targets: Predictions,
    reduction: str = "mean",
    *,
    weight: Predictions | None = None,
) -> LossResult:
    """Return the cross-entropy of labels and predicted probabilities of label 1.

        -(t ln p + (1 - t) ln(1 - p)),  p̄ = ȳ ((1 - t) / (1 - p) - t / p)

    As in PyTorch, each logarithm is at least -100 and each denominator at least 1e-12: a network
    that is certain of the wrong label has a derivative of 1e12, and learns.

    Parameters
    ----------
    predictions : any shape
        The probabilities p of label 1, from 0 to 1: arrays, lists, lists of rows, or one
        number.
    targets : the shape of predictions
        The labels t, or probabilities from 0 to 1.
    reduction
        "mean" or "sum" of the terms, or "none" for all of them.
    weight : a shape broadcast to the predictions
        A factor for each term; for Tensors only. ``None`` is 1.

    Returns
    -------
    (), or the shape of predictions with reduction="none"
        A Tensor if an argument is a Tensor, a Value if an argument holds Values, else a float
        or a list of floats.

    Raises
    ------
    DataError
        If a prediction or a target is not between 0 and 1.
    SizeError
        If there are not as many targets as predictions, or none at all.
    OptionError
        If ``reduction`` has another name, or ``weight`` is given without Tensors.

    See Also
    --------
    binary_cross_entropy_with_logits, gradwalk.nn.BCELoss

    Examples
    --------
    >>> round(binary_cross_entropy([0.5, 0.25], [1, 0]), 4)
    0.4904
    """
    name, checks = "binary_cross_entropy", (PROBABILITIES, LABELS)
    return elementwise(name, label_surprise, predictions, targets, reduction, checks, weight=weight)


@loss
def binary_cross_entropy_with_logits(
    predictions: Predictions,
    targets: Predictions,
    reduction: str = "mean",
    *,
    weight: Predictions | None = None,
    pos_weight: Predictions | None = None,
) -> LossResult:
    """Return `binary_cross_entropy` of sigmoid(x), accurate however large the logit x is.

        w t ln(1 + e^-x) + (1 - t) ln(1 + e^x)

    Parameters
    ----------
    predictions : any shape
        The logits x: arrays, lists, lists of rows, or one number.
    targets : the shape of predictions
        The labels t, or probabilities from 0 to 1.
    reduction
        "mean" or "sum" of the terms, or "none" for all of them.
    weight : a shape broadcast to the predictions
        A factor for each term; for Tensors only. ``None`` is 1.
    pos_weight : a shape broadcast to the predictions
        The w of the formula, a factor for the terms of label 1; for Tensors only. ``None`` is
        1.

    Returns
    -------
    (), or the shape of predictions with reduction="none"
        A Tensor if an argument is a Tensor, a Value if an argument holds Values, else a float
        or a list of floats.

    Raises
    ------
    DataError
        If a target in a list is not between 0 and 1. Targets of Tensors are not checked.
    SizeError
        If there are not as many targets as predictions, or none at all.
    OptionError
        If ``reduction`` has another name, or ``weight`` or ``pos_weight`` is given without
        Tensors.

    See Also
    --------
    binary_cross_entropy, gradwalk.nn.BCEWithLogitsLoss

    Examples
    --------
    >>> round(binary_cross_entropy_with_logits([0.0, 1000.0], [1, 1]), 4)
    0.3466
    """
    return elementwise(
        "binary_cross_entropy_with_logits",
        values.logit_cross_entropy,
        predictions,
        targets,
        reduction,
        weight=weight,
        pos_weight=pos_weight,
    )


@loss
def kl_div(
    predictions: Predictions,
    targets: Predictions,
    reduction: str = "mean",
    *,
    log_target: bool = False,
) -> LossResult:
    """Return the Kullback-Leibler divergence: t (ln t - x), where the predictions x are logarithms.

    Parameters
    ----------
    predictions : any shape
        The logarithms x of probabilities: arrays, lists, lists of rows, or one number.
    targets : the shape of predictions
        The probabilities t.
    reduction
        "mean" or "sum" of the terms, or "none" for all of them. "batchmean" is the sum, divided
        by the number of rows.
    log_target
        Whether the targets are logarithms, too.

    Returns
    -------
    (), or the shape of predictions with reduction="none"
        A Tensor if an argument is a Tensor, a Value if an argument holds Values, else a float
        or a list of floats.

    Raises
    ------
    SizeError
        If there are not as many targets as predictions, or none at all.
    OptionError
        If ``reduction`` has another name.

    See Also
    --------
    cross_entropy, gradwalk.nn.KLDivLoss

    Examples
    --------
    >>> kl_div([-1.0, 0.0], [1.0, 0.0], reduction="sum")
    1.0
    """
    formula = _log_divergence if log_target else _divergence
    per_row = reduction == "batchmean"
    total: Any = elementwise(
        "kl_div", formula, predictions, targets, "sum" if per_row else reduction
    )
    result: LossResult = total / _count(predictions) if per_row else total
    return result


def _count(rows: Any) -> int:
    return len(rows) if getattr(rows, "ndim", 1) else 1


def _log_divergence(x: object, t: Any) -> Any:
    return exp(t) * (t - x)


def _divergence(x: object, t: Any) -> Any:
    """Return t (ln t - x), and 0 where t is 0, the limit: 0 ln 0 would be a NaN."""
    zero = t == 0.0
    nothing = 0.0 * x if isinstance(x, Scalar) else 0.0  # a Value, even if all targets are 0
    return _select(zero, nothing, t * (log(_select(zero, 1.0, t)) - x))


def _select(condition: object, a: Any, b: Any) -> Any:
    """Return ``where(condition, a, b)``; a plain bool needs no node in the graph."""
    return (a if condition else b) if type(condition) is bool else where(condition, a, b)


# --- several classes ------------------------------------------------------------------------------


@loss
def cross_entropy(
    logits: Predictions,
    targets: Predictions,
    reduction: str = "mean",
    *,
    weight: Predictions | None = None,
    ignore_index: int = -100,
    label_smoothing: float = 0.0,
) -> LossResult:
    """Return the cross-entropy of classes, given one logit per class: -ln softmax(x)ₜ.

    Parameters
    ----------
    logits : (batch, classes), (batch, classes, ...) or (classes,)
        Rows of logits x, or one row; lists have two axes at most.
    targets : (batch,), (batch, ...) or (), integers; or the shape of logits
        For each row the index t of its class, or the probabilities of all classes.
    reduction
        "mean" or "sum" of the terms, or "none" for one term for each row.
    weight : (classes,)
        A factor for the terms of each class; for indices, the mean is divided by the sum of the
        weights of the targets. For Tensors only; ``None`` is 1.
    ignore_index
        The target that does not count, in the mean neither; for Tensors only.
    label_smoothing
        The part of each target that is spread evenly over all classes, from 0 to 1; for Tensors
        only.

    Returns
    -------
    (), or a term for each row with reduction="none"
        A Tensor if an argument is a Tensor, a Value if the logits are Values, else a float or a
        list of floats.

    Raises
    ------
    DataError
        If a target is no index of a class.
    SizeError
        If the shapes do not fit, or there is not a weight for each class.
    NotANumberError
        If there is one float as the target of a row of a Tensor.
    OptionError
        If an option for Tensors is given without Tensors, ``label_smoothing`` is not between 0
        and 1, or ``reduction`` has another name.

    See Also
    --------
    nll, gradwalk.log_softmax, gradwalk.nn.CrossEntropyLoss

    Examples
    --------
    >>> round(cross_entropy([[2.0, 0.0, 0.0], [0.0, 3.0, 0.0]], [0, 1]), 4)
    0.1672
    """
    if any(map(is_tensor, (logits, targets, weight))):
        from . import classes as class_losses

        given = (logits, targets, reduction, weight, ignore_index, label_smoothing)
        return class_losses.cross_entropy(*given)
    ignored = None if ignore_index == -100 else ignore_index
    options = {
        "weight": weight,
        "ignore_index": ignored,
        "label_smoothing": label_smoothing or None,
    }
    expect_no_options("cross_entropy", options)
    return values.rowwise("cross_entropy", values.class_cross_entropy, logits, targets, reduction)


@loss
def nll(
    log_probabilities: Predictions,
    targets: Predictions,
    reduction: str = "mean",
    *,
    weight: Predictions | None = None,
    ignore_index: int = -100,
) -> LossResult:
    """Return the negative log-likelihood of classes: -ℓₜ, given logarithms of probabilities.

    Parameters
    ----------
    log_probabilities : (batch, classes), (batch, classes, ...) or (classes,)
        Rows of logarithms ℓ, as `gradwalk.log_softmax` returns them, or one row; lists have two
        axes at most.
    targets : (batch,), (batch, ...) or (), integers
        For each row the index t of its class.
    reduction
        "mean" or "sum" of the terms, or "none" for one term for each row.
    weight : (classes,)
        A factor for the terms of each class; for indices, the mean is divided by the sum of the
        weights of the targets. For Tensors only; ``None`` is 1.
    ignore_index
        The target that does not count, in the mean neither; for Tensors only.

    Returns
    -------
    (), or a term for each row with reduction="none"
        A Tensor if an argument is a Tensor, a Value if the logarithms are Values, else a float
        or a list of floats.

    Raises
    ------
    DataError
        If a target is no index of a class.
    SizeError
        If the shapes do not fit, or there is not a weight for each class.
    OptionError
        If an option for Tensors is given without Tensors, or ``reduction`` has another name.

    See Also
    --------
    cross_entropy, gradwalk.nn.NLLLoss

    Examples
    --------
    >>> nll([[-0.25, -1.5], [-2.0, -0.125]], [0, 1])
    0.1875
    """
    if any(map(is_tensor, (log_probabilities, targets, weight))):
        from . import classes as class_losses

        return class_losses.nll(log_probabilities, targets, reduction, weight, ignore_index)
    ignored = None if ignore_index == -100 else ignore_index
    expect_no_options("nll", {"weight": weight, "ignore_index": ignored})
    return values.rowwise(
        "nll", values.negative_log_likelihood, log_probabilities, targets, reduction
    )
