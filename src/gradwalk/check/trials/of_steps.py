"""Experiments with steps of the training: a few updates, which are undone."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from ...engine.value import Value
from ...inspect.magnitudes import norm, numbers_of
from .trial import Finding, Trial, array_of

__all__ = ["forgotten_zero_grad", "learning_rate", "modes"]

STEPS = 3
STILL = 1e-7  # of the parameters, in three steps
FACTORS = tuple(10.0**k for k in range(3, 13))
FALL = 0.01  # of a loss, in three steps
UNTRAINED = 0.1  # of the loss of outputs 0
TIMES = 5.0  # a gradient is larger than that of any batch
APART = 1e-6  # outputs that differ, relative
SAME, SUM = 1e-6, 1e-3  # gradients that agree, and that are a sum, relative


def _numbers(trial: Trial) -> list[Any]:
    return [np.array(numbers_of(p), float) for _, p in trial.parameters]


def _taken(trial: Trial, factor: float = 1.0) -> tuple[float, float, float]:
    """Take three steps on the first batch. Return the change, and the losses before and after."""
    before, batch = _numbers(trial), trial.batches[0]
    optimizer = trial.optimizer
    with np.errstate(all="ignore"):
        for group in optimizer.param_groups:
            group["lr"] = max(float(group["lr"]), float(group.get("initial_lr", 0.0))) * factor
        first = trial.value_of_model()
        for _ in range(STEPS):
            optimizer.zero_grad()
            trial.loss(*trial.forward(batch)).backward()
            optimizer.step()
        last = trial.value_of_model()
        moved = norm([a - b for a, b in zip(_numbers(trial), before, strict=True)])
    return moved / norm(before) if norm(before) else moved, first, last


def learning_rate(trial: Trial) -> Iterator[Finding]:
    """Find a learning rate with which three steps change nothing, though a larger one helps."""
    if type(trial.optimizer).__name__ == "LBFGS":
        return
    with trial.undone():
        moved, first, last = _taken(trial)
    out = trial.outputs
    if moved > STILL or not first or out is None:
        return
    base = trial.probe(np.zeros_like(out))
    if not abs(first) > UNTRAINED * abs(base) or abs(last - first) > 1e-5 * abs(first):
        return
    for factor in FACTORS:
        with trial.undone():
            _, _, fallen = _taken(trial, factor)
        if fallen < first - FALL * abs(first):
            lr = max(float(g["lr"]) for g in trial.optimizer.param_groups)
            yield Finding(
                f"the learning rate of {lr:g} is far too small",
                f"three steps on one batch change the parameters by {moved:.1g} of their size, "
                f"and the loss from {first:.6g} to {last:.6g}; with lr={lr * factor:g} it falls to "
                f"{fallen:.6g}",
                f"Try lr={lr * factor:g}.",
            )
            return


def _stored(parameters: list[Any]) -> list[Any]:
    return [
        np.array(numbers_of(p.grad), float) if p.grad is not None else np.zeros(())
        for p in parameters
    ]


def forgotten_zero_grad(trial: Trial) -> Iterator[Finding]:
    """Find gradients that are added to those of the steps before."""
    if trial.step is not None:
        yield from _watched_steps(trial)
    else:
        yield from _left_over(trial)


def _watched_steps(trial: Trial) -> Iterator[Finding]:
    """Take two steps of the user, and again with gradients cleared between them."""
    with trial.undone():
        first, second, moves = _two_steps(trial, False)
    with trial.undone():
        _, alone, _ = _two_steps(trial, True)
    gap = norm([a - b for a, b in zip(second, alone, strict=True)])
    excess = norm([a - b - c for a, b, c in zip(second, alone, first, strict=True)])
    if moves and gap > SAME * norm(first) > 0.0 and excess <= SUM * norm(first):
        yield Finding(
            "the gradients are added to those of the step before",
            f"after two steps their norm is {norm(second):.4g}; of the second batch alone it "
            f"is {norm(alone):.4g}, of the first {norm(first):.4g}, and the rest is the sum",
            f"Call {trial.optimizer_name}.zero_grad() before backward().",
        )


def _two_steps(trial: Trial, clear: bool) -> tuple[list[Any], list[Any], bool]:
    """Return the gradients after each of two steps, and whether both have moved parameters."""
    step, held = trial.step, trial.held_parameters
    one, two = trial.batches[0], trial.batches[1 % len(trial.batches)]
    if step is None:
        return [], [], False
    _clear(held)
    start = _numbers(trial)
    step(*one)
    first, middle = _stored(held), _numbers(trial)
    if clear:
        _clear(held)
    step(*two)
    return first, _stored(held), _differ(start, middle) and _differ(middle, _numbers(trial))


def _clear(parameters: list[Any]) -> None:
    for p in parameters:
        p.grad = 0.0 if isinstance(p, Value) else None


def _differ(one: list[Any], other: list[Any]) -> bool:
    return any((a != b).any() for a, b in zip(one, other, strict=True))


def _left_over(trial: Trial) -> Iterator[Finding]:
    """Look at gradients that a loop has left: whether one batch can have made them."""
    groups = trial.optimizer.param_groups
    plain = type(trial.optimizer).__name__ == "SGD" and not any(g.get("momentum") for g in groups)
    held = trial.held_parameters
    stored = _stored(held)
    if not plain or not norm(stored) or trial.is_foreign:
        return
    largest = _largest_gradient(trial, held)
    with trial.undone():  # the parameters before the last update
        for group in groups:
            for p in group["params"]:
                if p.grad is not None:
                    p.data = p.data + group["lr"] * p.grad
        largest = max(largest, _largest_gradient(trial, held))
    size = norm(stored)
    if largest and size > TIMES * largest:
        yield Finding(
            "the gradients are sums over several steps",
            f"their norm is {size:.4g}, and that of a batch is at most {largest:.4g}, now and "
            "before the last update",
            f"Call {trial.optimizer_name}.zero_grad() before backward().",
        )


def _largest_gradient(trial: Trial, held: list[Any]) -> float:
    wanted = {id(p) for p in held}
    found = 0.0
    for batch in trial.batches[:8]:
        with trial.undone():
            parts = trial.gradients(batch)
        mine = [
            np.asarray(g, float)
            for (_, p), g in zip(trial.parameters, parts, strict=True)
            if g is not None and id(p) in wanted
        ]
        found = max(found, norm(mine))
    return found


def modes(trial: Trial) -> Iterator[Finding]:
    """Find whether a model is trained in the mode of evaluation."""
    model, name = trial.model, trial.model_name
    if not hasattr(model, "train") or not hasattr(model, "eval"):
        return
    mode = bool(model.training)
    after = mode
    if trial.step is not None:
        with trial.undone():
            trial.step(*trial.batches[0])
            after = bool(model.training)
    outputs = {}
    for training in (True, False):
        with trial.undone(), trial.quietly():
            model.train(training)
            outputs[training] = array_of(trial.forward(trial.batches[0])[0])
    a, b = outputs[True], outputs[False]
    if a is None or b is None:
        return
    apart = float(abs(a - b).max()) / (float(abs(b).max()) or 1.0)
    if apart > APART and not (mode and after):
        kinds = sorted({type(m).__name__ for m in model.modules() if _depends_on_mode(m)})
        yield Finding(
            f"{name} is trained in the mode of evaluation",
            f"{name}.training is False, and its outputs differ from those of training by "
            f"{apart:.2g} of their size ({', '.join(kinds) or 'they depend on the mode'})",
            f"Call {name}.train() before the steps, and {name}.eval() only to measure.",
        )


def _depends_on_mode(m: Any) -> bool:
    return any(word in type(m).__name__ for word in ("Dropout", "BatchNorm", "InstanceNorm"))
