"""Losses: how far a list of predictions is from a list of targets, as one Value.

Every loss takes the predictions first and the targets second, both of one length, or a single
number each; rows of numbers (networks with several outputs) are compared member by member.
``reduction`` is ``"mean"`` (the default), ``"sum"`` or ``"none"``, which returns the list of terms.
The numbers are those of PyTorch's functions. Predictions and targets may be plain numbers; then
the loss is a float.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..errors import DataError, OptionError, SizeError
from ..expect import as_float, describe
from ..functions import abs as _abs
from ..functions import clip, log, log1p, log_softmax, maximum, relu, softplus, square
from ..ops.composite import log_softmax_at
from ..primitive import Carrier
from ..value import Value, engine, number

__all__ = ["binary_cross_entropy", "binary_cross_entropy_with_logits", "cross_entropy"]
__all__ += ["hinge", "huber", "mae", "mse", "nll"]

_LOG_FLOOR = -100.0  # PyTorch's binary_cross_entropy clamps its logarithms here


def mse(predictions: Any, targets: Any, reduction: str = "mean") -> Any:
    """Mean squared error: (p - t)².

    >>> mse([1.0, 2.0], [0.0, 4.0])
    2.5
    """
    return _elementwise("mse", lambda p, t: square(p - t), predictions, targets, reduction)


def mae(predictions: Any, targets: Any, reduction: str = "mean") -> Any:
    """Mean absolute error: |p - t|; its slope is 0 where both agree.

    >>> mae([1.0, 2.0], [0.0, 4.0])
    1.5
    """
    return _elementwise("mae", lambda p, t: _abs(p - t), predictions, targets, reduction)


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

    return _elementwise("huber", term, predictions, targets, reduction)


def hinge(predictions: Any, targets: Any, margin: float = 1.0, reduction: str = "mean") -> Any:
    """Zero once a score is on the right side by a margin: max(0, margin - t p), t = -1 or +1.

    Labels 0 and 1 become -1 and +1 by ``[2 * t - 1 for t in targets]``; other plain targets are a
    `DataError`.

    >>> hinge([2.0, 0.5], [1, -1])
    0.75
    """

    margin = _scalar("hinge(margin=...)", margin)

    def term(p: Any, t: Any) -> Any:
        return relu(margin - _sign_label(t) * p)

    return _elementwise("hinge", term, predictions, targets, reduction)


def _sign_label(t: Any) -> Any:
    if t in (1, -1) or isinstance(t, Value):
        return t
    raise DataError(
        where="hinge(targets)",
        expected="labels -1 and +1",
        got=describe(t),
        fix="Turn labels 0 and 1 into -1 and +1: [2 * t - 1 for t in targets].",
    )


def binary_cross_entropy(predictions: Any, targets: Any, reduction: str = "mean") -> Any:
    """Surprise at a label, given the predicted probability of a 1.

        -(t ln p + (1 - t) ln(1 - p)), each logarithm no less than -100

    The floor is PyTorch's; the slope beyond it is 0. Targets may be anything from 0 to 1. A
    prediction or a target outside of 0 to 1 is a `DataError`.

    >>> round(binary_cross_entropy([0.5, 0.25], [1, 0]), 4)
    0.4904
    """
    return _elementwise("binary_cross_entropy", _bce, predictions, targets, reduction)


def _bce(p: Any, t: Any) -> Any:
    where = "binary_cross_entropy"
    fix = "Put a sigmoid on the output, or use binary_cross_entropy_with_logits."
    _probability(f"{where}(predictions)", p, fix)
    if (label := _label(where, t)) is not None:
        return -maximum(log(p) if label else log1p(-p), _LOG_FLOOR)
    return (t - 1.0) * maximum(log1p(-p), _LOG_FLOOR) - t * maximum(log(p), _LOG_FLOOR)


def binary_cross_entropy_with_logits(
    predictions: Any, targets: Any, reduction: str = "mean"
) -> Any:
    """`binary_cross_entropy` of sigmoid(x), accurate however large the logit x is.

        (1 - t) x + softplus(-x)

    >>> round(binary_cross_entropy_with_logits([0.0, 1000.0], [1, 1]), 4)
    0.3466
    """
    where = "binary_cross_entropy_with_logits"
    return _elementwise(where, _bce_with_logits, predictions, targets, reduction)


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


# --- several classes ------------------------------------------------------------------------


def cross_entropy(logits: Any, targets: Any, reduction: str = "mean") -> Any:
    """Surprise at a class, given one logit per class: -ln softmax(x)ₜ.

    ``logits`` is a list of rows and ``targets`` a list with, for each row, the index of its class
    or its list of class probabilities; or one row and one target.

    >>> round(cross_entropy([[2.0, 0.0, 0.0], [0.0, 3.0, 0.0]], [0, 1]), 4)
    0.1672
    """
    return _rowwise("cross_entropy", _cross_entropy, logits, targets, reduction)


def _cross_entropy(row: list[Any], target: Any) -> Any:
    if not _is_single(target):
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
    return -engine.weighted_sum(log_softmax(row), shares, 0.0)


def nll(log_probabilities: Any, targets: Any, reduction: str = "mean") -> Any:
    """Negative log-likelihood: -ℓₜ, the logarithms being given, as by ``log_softmax``.

    >>> nll([[-0.25, -1.5], [-2.0, -0.125]], [0, 1])
    0.1875
    """

    def term(row: list[Any], target: Any) -> Any:
        return -_scalar("nll", row[_class_index("nll", target, len(row))])

    return _rowwise("nll", term, log_probabilities, targets, reduction)


def _class_index(where: str, target: Any, classes: int) -> int:
    if hasattr(target, "__index__") and 0 <= (index := target.__index__()) < classes:
        return int(index)
    raise DataError(
        where=f"{where}(targets)",
        expected=f"the index of a class, 0 to {classes - 1}",
        got=describe(target),
        fix="Count classes from 0 and write them as ints.",
    )


# --- what all losses share ------------------------------------------------------------------

Term = Callable[[Any, Any], Any]


def _elementwise(where: str, term: Term, predictions: Any, targets: Any, reduction: str) -> Any:
    """Reduce ``term(p, t)`` over two lists, two lists of rows, or two single numbers."""
    single = _is_single(predictions)
    pairs = [(predictions, targets)] if single else _pairs(where, predictions, targets)
    if pairs and not _is_single(pairs[0][0]):
        pairs = [pair for row in pairs for pair in _pairs(where, *row)]
    given = [(_scalar(where, p), _scalar(f"{where}(targets)", t)) for p, t in pairs]
    return _reduce(where, [term(p, t) for p, t in given], reduction, single)


def _rowwise(where: str, term: Term, rows: Any, targets: Any, reduction: str) -> Any:
    """Reduce ``term(row, target)`` over a list of rows, or over a single row."""
    rows = _list(where, rows)
    if rows and _is_single(rows[0]):
        return _reduce(where, [term(rows, targets)], reduction, single=True)
    pairs = _pairs(where, rows, targets)
    return _reduce(where, [term(_list(where, row), target) for row, target in pairs], reduction)


def _is_single(x: Any) -> bool:
    return not hasattr(x, "__iter__")


def _scalar(where: str, x: Any) -> Any:
    """``x``, which the formula takes as it is if it carries a graph, and else as a float."""
    return x if isinstance(x, Carrier) else as_float(x, where)


def _list(where: str, x: Any) -> list[Any]:
    if _is_single(x):
        raise SizeError(
            where=where,
            expected="a list of predictions, or a list of such rows",
            got=describe(x),
            fix="Put the numbers that belong to one example into a list, for every example.",
        )
    return list(x)


def _pairs(where: str, predictions: Any, targets: Any) -> list[tuple[Any, Any]]:
    ps, ts = _list(where, predictions), None if _is_single(targets) else list(targets)
    if ts is None or len(ps) != len(ts):
        raise SizeError(
            where=where,
            expected=f"as many targets as predictions, {len(ps)}",
            got=describe(targets) if ts is None else f"{len(ts)}",
            fix="Pass one target per prediction.",
        )
    return list(zip(ps, ts, strict=True))


def _reduce(where: str, terms: list[Any], reduction: str, single: bool = False) -> Any:
    if reduction not in ("mean", "sum", "none"):
        raise OptionError(
            where=f"{where}(reduction=...)",
            expected='"mean", "sum" or "none"',
            got=describe(reduction),
            fix="Leave it out for the mean.",
        )
    if reduction == "none":
        return terms[0] if single else terms
    if not terms:
        raise SizeError(
            where=where, expected="at least one prediction", got="none", fix="Pass a full list."
        )
    total = sum(terms[1:], terms[0])
    return total / len(terms) if reduction == "mean" and len(terms) > 1 else total
