"""What the losses of Values share: pairs of predictions and targets, and reductions."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..core.expect import as_float, describe
from ..core.primitive import Carrier
from ..errors import OptionError, SizeError

__all__ = ["elementwise", "is_single", "rowwise", "scalar"]

Term = Callable[[Any, Any], Any]


def elementwise(where: str, term: Term, predictions: Any, targets: Any, reduction: str) -> Any:
    """Reduce ``term(p, t)`` over two lists, two lists of rows, or two single numbers."""
    single = is_single(predictions)
    members = [(predictions, targets)] if single else pairs(where, predictions, targets)
    if members and not is_single(members[0][0]):
        members = [pair for row in members for pair in pairs(where, *row)]
    given = [(scalar(where, p), scalar(f"{where}(targets)", t)) for p, t in members]
    return reduce(where, [term(p, t) for p, t in given], reduction, single)


def rowwise(where: str, term: Term, rows: Any, targets: Any, reduction: str) -> Any:
    """Reduce ``term(row, target)`` over a list of rows, or over a single row."""
    rows = row_of(where, rows)
    if rows and is_single(rows[0]):
        return reduce(where, [term(rows, targets)], reduction, single=True)
    both = pairs(where, rows, targets)
    return reduce(where, [term(row_of(where, row), target) for row, target in both], reduction)


def is_single(x: Any) -> bool:
    """Whether x is one number, not a list."""
    return not hasattr(x, "__iter__")


def scalar(where: str, x: Any) -> Any:
    """``x``, which the formula takes as it is if it carries a graph, and else as a float."""
    return x if isinstance(x, Carrier) else as_float(x, where)


def row_of(where: str, x: Any) -> list[Any]:
    """``x`` as a list."""
    if is_single(x):
        raise SizeError(
            where=where,
            expected="a list of predictions, or a list of such rows",
            got=describe(x),
            fix="Put the numbers that belong to one example into a list, for every example.",
        )
    return list(x)


def pairs(where: str, predictions: Any, targets: Any) -> list[tuple[Any, Any]]:
    """Predictions and targets, as many of the one as of the other."""
    ps, ts = row_of(where, predictions), None if is_single(targets) else list(targets)
    if ts is None or len(ps) != len(ts):
        raise SizeError(
            where=where,
            expected=f"as many targets as predictions, {len(ps)}",
            got=describe(targets) if ts is None else f"{len(ts)}",
            fix="Pass one target per prediction.",
        )
    return list(zip(ps, ts, strict=True))


def reduce(where: str, terms: list[Any], reduction: str, single: bool = False) -> Any:
    """The mean or the sum of the terms, or the list of them."""
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
