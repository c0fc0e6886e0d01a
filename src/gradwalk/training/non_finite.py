"""Why a training has stopped at a NaN: the data, an operation, or the learning rate."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import Any

from ..core.carrier import is_tensor
from ..engine.value import Value
from ..errors import NonFiniteError
from ..inspect import why
from ..inspect.cause import Cause
from ..inspect.rates import smaller_rate
from ..optim import Optimizer

__all__ = ["expect_finite_gradients", "non_finite_data", "non_finite_loss"]


def non_finite_loss(
    loss: Any, epoch: int, optimizer: Optimizer, data: Iterable[tuple[str, Any]], updates: int
) -> NonFiniteError:
    """Return the error for a loss that is not finite. It names what made it so.

    ``data`` are the columns of the batch by name. The learning rate is to blame if a number has
    grown beyond all bounds after ``updates``, of which there must have been one.
    """
    size = _number(loss)
    found = _bad_entry(data)
    where, expected = f"training, epoch {epoch}", "a finite loss"
    if found:
        got, fix = (
            f"{size}: {found}",
            "Drop or replace such rows: rows[numpy.isfinite(rows).all(1)].",
        )
        return NonFiniteError(where=where, expected=expected, got=got, fix=fix)
    cause = why(loss) if isinstance(loss, Value) or is_tensor(loss) else Cause("")
    lr = optimizer.param_groups[0]["lr"]
    if updates and (not cause.op or cause.is_overflow):
        told = f"{cause.sentence}; " if cause.op else ""
        got = f"{size}: {told}the training has diverged with lr={lr:g}"
        fix = f"Try a smaller learning rate, such as lr={smaller_rate(optimizer):g}."
        return NonFiniteError(where=where, expected=expected, got=got, fix=fix)
    got = f"{size}: {cause.sentence or 'the loss function has returned it'}"
    fix = f"{cause.fix or 'Look for it in the loss function.'}{cause.details}"
    error = NonFiniteError(where=where, expected=expected, got=got, fix=fix)
    error.cause = cause or None
    return error


def _number(loss: Any) -> float:
    return float(loss.item()) if is_tensor(loss) else float(getattr(loss, "data", loss))


def _bad_entry(data: Iterable[tuple[str, Any]]) -> str:
    """Return which entry of the data is not finite, ``""`` if all are."""
    for name, column in data:
        found = next(_bad_entries(column, ()), None)
        if found is not None:
            index, x = found
            rest = f", column {index[1]}" if len(index) > 1 else ""
            return f"{name} have {x:g} in row {index[0]}{rest}, before any operation"
    return ""


def _bad_entries(x: Any, index: tuple[int, ...]) -> Any:
    x = x.tolist() if hasattr(x, "tolist") else getattr(x, "data", x)
    if isinstance(x, (int, float)):
        if not math.isfinite(x):
            yield index or (0,), x
    elif isinstance(x, Sequence) and not isinstance(x, str):
        for i, member in enumerate(x):
            yield from _bad_entries(member, (*index, i))


def non_finite_data(inputs: Sequence[Any], target: Any) -> list[tuple[str, Any]]:
    """Return the columns of a batch with names for messages."""
    names = ["the inputs"] if len(inputs) == 1 else [f"inputs[{i}]" for i in range(len(inputs))]
    return [*zip(names, inputs, strict=True), ("the targets", target)]


def expect_finite_gradients(optimizer: Optimizer, loss: Any, epoch: int) -> None:
    """Raise `NonFiniteError` if a gradient is not finite, before it spoils a parameter.

    ``loss`` may be a function that computes it again, with its graph.
    """
    parameters = [p for group in optimizer.param_groups for p in group["params"]]
    bad = [p for p in parameters if type(p) is Value and not math.isfinite(p.grad)]
    bad += [p for p in parameters if is_tensor(p) and _origin(p) is not None and _is_bad(p.grad)]
    if not bad:
        return
    loss = loss() if callable(loss) else loss
    cause = why(loss) if type(bad[0]) is Value else why(bad[0])
    error = NonFiniteError(
        where=f"training, epoch {epoch}",
        expected="finite gradients",
        got=cause.sentence,
        fix=f"{cause.fix}{cause.details}",
    )
    error.cause = cause
    raise error


def _origin(p: Any) -> Any:
    return getattr(p._node, "origin", None)


def _is_bad(gradient: Any) -> bool:
    return gradient is not None and not math.isfinite(float(abs(gradient).max(initial=0.0)))
