"""Losses of Values and of plain numbers: pairs of predictions and targets, checks, reductions."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple, TypeAlias

from ...core.expect import as_float, describe, index_of
from ...core.primitive import Carrier
from ...engine.functions import log_softmax, softplus
from ...engine.value import Value, weighted_sum
from ...errors import DataError, OptionError, SizeError
from ...levels.vmap import batch_of
from ...ops.composite import log_softmax_at

__all__ = ["LABELS", "PROBABILITIES", "SIGNS", "Check", "Formula", "class_cross_entropy"]
__all__ += ["elementwise", "logit_cross_entropy", "negative_log_likelihood"]
__all__ += ["reduction_error", "rowwise", "scalar"]

Formula = Callable[[Any, Any], Any]
"""The loss of one prediction and one target, or of arrays of both."""

Row: TypeAlias = Sequence[Any]
"""The numbers of one example."""

ValueLoss: TypeAlias = Value | float | list[Value] | list[float]


class Check(NamedTuple):
    """What the numbers in an argument must be; ``holds`` works on floats and on arrays."""

    holds: Callable[[Any], Any]
    expected: str
    fix: str
    of_values: bool = True


def _is_probability(x: Any) -> Any:
    return (x >= 0.0) & (x <= 1.0) | (x != x)  # a NaN passes, because it shows in the loss


PROBABILITIES = Check(
    _is_probability,
    "numbers from 0 to 1",
    "Put a sigmoid on the output, or use binary_cross_entropy_with_logits.",
)
LABELS = Check(
    _is_probability,
    "numbers from 0 to 1",
    "Turn labels -1 and +1 into 0 and 1: (t + 1) / 2.",
)
SIGNS = Check(
    lambda t: abs(t) == 1,
    "labels -1 and +1",
    "Turn labels 0 and 1 into -1 and +1: [2 * t - 1 for t in targets].",
    of_values=False,
)


def elementwise(
    where: str,
    formula: Formula,
    predictions: Any,
    targets: Any,
    reduction: str,
    checks: tuple[Check | None, Check | None] = (None, None),
) -> ValueLoss:
    """Reduce ``formula(p, t)`` over two lists, two lists of rows, or two single numbers."""
    single = _is_single(predictions)
    members = [(predictions, targets)] if single else _pairs(where, predictions, targets)
    if members and not _is_single(members[0][0]):
        members = [pair for row in members for pair in _pairs(where, *row)]
    pairs = [(scalar(where, p), scalar(f"{where}(targets)", t)) for p, t in members]
    for place, check in enumerate(checks):
        if check is not None:
            argument = f"{where}({('predictions', 'targets')[place]})"
            _expect(argument, check, [pair[place] for pair in pairs])
    return _reduce(where, [formula(p, t) for p, t in pairs], reduction, single)


def rowwise(
    where: str, formula: Callable[[Row, Any], Any], rows: Any, targets: Any, reduction: str
) -> ValueLoss:
    """Reduce ``formula(row, target)`` over a list of rows, or over a single row."""
    rows = _row(where, rows)
    if rows and _is_single(rows[0]):
        if not _is_single(targets) and not _is_single(next(iter(targets), 0)):
            raise SizeError(
                where=f"{where}({'logits' if where == 'cross_entropy' else 'log_probabilities'})",
                expected="a list with a row of numbers for each target",
                got=describe(rows),
                fix=f"Write {where}(rows, targets), with the predictions first.",
            )
        return _reduce(where, [formula(rows, targets)], reduction, single=True)
    pairs = _pairs(where, rows, targets)
    return _reduce(where, [formula(_row(where, row), target) for row, target in pairs], reduction)


def scalar(where: str, x: object) -> Any:
    """Return ``x`` itself if it records a graph, and else as a float."""
    return x if isinstance(x, Carrier) else as_float(x, where)


def _expect(where: str, check: Check, numbers: Row) -> None:
    for x in numbers:
        if (isinstance(x, Carrier) and not check.of_values) or batch_of(x) is not None:
            continue
        if not check.holds(x):
            raise DataError(where=where, expected=check.expected, got=describe(x), fix=check.fix)


def _is_single(x: object) -> bool:
    return not hasattr(x, "__iter__") or getattr(x, "ndim", 1) == 0 or isinstance(x, str)


def _row(where: str, x: Any) -> list[Any]:
    if _is_single(x):
        raise SizeError(
            where=where,
            expected="a list of predictions, or a list of such rows",
            got=describe(x),
            fix="Put the numbers that belong to one example into a list, for every example.",
        )
    return list(x)


def _pairs(where: str, predictions: object, targets: Any) -> list[tuple[Any, Any]]:
    ps, ts = _row(where, predictions), None if _is_single(targets) else list(targets)
    if ts is None or len(ps) != len(ts):
        raise SizeError(
            where=where,
            expected=f"as many targets as predictions, {len(ps)}",
            got=describe(targets) if ts is None else f"{len(ts)}",
            fix="Pass one target per prediction.",
        )
    return list(zip(ps, ts, strict=True))


def _reduce(where: str, terms: list[Any], reduction: str, single: bool = False) -> ValueLoss:
    """Return the mean or the sum of ``terms``, or the terms themselves."""
    if reduction not in ("mean", "sum", "none"):
        raise reduction_error(where, reduction)
    result: ValueLoss
    if reduction == "none":
        result = terms[0] if single else terms
        return result
    if not terms:
        raise SizeError(
            where=where, expected="at least one prediction", got="none", fix="Pass a full list."
        )
    total = sum(terms[1:], terms[0])
    result = total / len(terms) if reduction == "mean" and len(terms) > 1 else total
    return result


def reduction_error(where: str, reduction: object) -> OptionError:
    """Return the error for an unknown reduction."""
    return OptionError(
        where=f"{where}(reduction=...)",
        expected='"mean", "sum" or "none"',
        got=describe(reduction),
        fix="Leave it out for the mean.",
    )


# --- formulas that differ from those of arrays ----------------------------------------------------
#
# A list of labels is known number by number, so the term that vanishes is never computed. Arrays
# cannot branch; their formulas are single operations of the table (ops/array/losses.py).


def logit_cross_entropy(x: Any, t: Any) -> Any:
    """Return (1 - t) x + ln(1 + e^-x)."""
    if _is_label(t):
        return softplus(-x if t else x)
    _expect("binary_cross_entropy_with_logits(targets)", LABELS, [t])
    return (1.0 - t) * x + softplus(-x)


def _is_label(t: Any) -> bool:
    return not isinstance(t, Carrier) and t in (0.0, 1.0)


def class_cross_entropy(row: Row, target: Any) -> Any:
    """Return -ln softmax(row)ₜ for the index of a class, or the mean over its probabilities."""
    if _is_single(target):
        return -log_softmax_at(row, _class_index("cross_entropy", target, len(row)))
    probabilities = list(target)
    if len(row) != len(probabilities):
        raise SizeError(
            where="cross_entropy(targets)",
            expected=f"{len(row)} numbers",
            got=f"{len(probabilities)}",
            fix="Pass one probability per class.",
        )
    return -weighted_sum(log_softmax(row), probabilities, 0.0)


def negative_log_likelihood(row: Row, target: object) -> Any:
    """Return minus the logarithm of the class ``target``."""
    return -scalar("nll", row[_class_index("nll", target, len(row))])


def _class_index(where: str, target: object, classes: int) -> int:
    index = index_of(target)
    if index is not None and 0 <= index < classes:
        return index
    raise DataError(
        where=f"{where}(targets)",
        expected=f"the index of a class, 0 to {classes - 1}",
        got=describe(target),
        fix="Count classes from 0 and write them as ints.",
    )
