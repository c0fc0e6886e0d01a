"""Experiments with steps of the training: gradients that add up, and modes."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from ...engine.value import Value
from ...inspect.magnitudes import norm, numbers_of
from .trial import Finding, Trial, array_of

__all__ = ["differ", "forget", "forgotten_zero_grad", "modes", "stored"]

TIMES = 5.0  # a gradient is larger than that of any batch
APART = 1e-6  # outputs that differ, relative
SAME, SUM = 1e-6, 1e-3  # gradients that agree, and that are a sum, relative


def stored(parameters: list[Any]) -> list[Any]:
    """Return copies of the gradients of parameters, 0 for those without one."""
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
    forget(held)
    start = trial.numbers()
    step(*one)
    first, middle = stored(held), trial.numbers()
    if clear:
        forget(held)
    step(*two)
    return first, stored(held), differ(start, middle) and differ(middle, trial.numbers())


def forget(parameters: list[Any]) -> None:
    """Take the gradients of parameters away."""
    for p in parameters:
        p.grad = 0.0 if isinstance(p, Value) else None


def differ(one: list[Any], other: list[Any]) -> bool:
    """Return whether one of the numbers of two lists of arrays differs."""
    return any((a != b).any() for a, b in zip(one, other, strict=True))


def _left_over(trial: Trial) -> Iterator[Finding]:
    """Look at gradients that a loop has left: whether one batch can have made them."""
    groups = trial.optimizer.param_groups
    plain = type(trial.optimizer).__name__ == "SGD" and not any(g.get("momentum") for g in groups)
    held = trial.held_parameters
    left = stored(held)
    if not plain or not norm(left) or trial.is_foreign:
        return
    largest = _largest_gradient(trial, held)
    with trial.undone():  # the parameters before the last update
        for group in groups:
            for p in group["params"]:
                if p.grad is not None:
                    p.data = p.data + group["lr"] * p.grad
        largest = max(largest, _largest_gradient(trial, held))
    size = norm(left)
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
