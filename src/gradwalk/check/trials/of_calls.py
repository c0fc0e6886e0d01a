"""Experiments on a user's own step: whether it calls backward and step, and in which order."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

from ...inspect.magnitudes import norm
from .of_steps import differ, forget, stored
from .trial import Finding, Trial

__all__ = ["order_of_calls"]

MOST = 64
"""Steps of a user in which gradients may add up on purpose before the optimizer takes one."""
ENOUGH = 3  # steps of the optimizer


@dataclass
class _Taken:
    """A step of the user: gradients before and after it, and those at the calls in it."""

    before: list[Any]
    seen: list[list[Any]] = field(default_factory=list)
    cleared: list[list[Any]] = field(default_factory=list)
    after: list[Any] = field(default_factory=list)
    moved: bool = False

    @property
    def is_late(self) -> bool:
        """Whether the only step of the optimizer acts on what the step before has left."""
        return len(self.seen) == 1 and norm(self.seen[0]) > 0.0 and (
            not differ(self.seen[0], self.before)
        )  # fmt: skip

    @property
    def is_early(self) -> bool:
        """Whether gradients come after all steps of the optimizer, which got none."""
        return bool(self.seen) and not any(map(norm, self.seen)) and norm(self.after) > 0.0


def order_of_calls(trial: Trial) -> Iterator[Finding]:
    """Find a step of the user in which the optimizer gets no gradients, or those of a step ago."""
    if trial.step is None:
        return
    with trial.undone():
        taken = _watched(trial, trial.step)
    calls, found = [x for x in taken if x.seen], trial.gradients(trial.batches[0])
    size, name = norm([g for g in found if g is not None]), trial.optimizer_name
    if not size:
        return
    if not calls and not any(x.moved for x in taken):
        yield Finding(
            "the optimizer takes no step",
            f"in {len(taken)} steps no parameter has moved and {name}.step() was not called, "
            f"though the gradients of a batch have norm {size:.4g}",
            f"Call {name}.step() after backward().",
        )
    elif len(calls) == ENOUGH and not any(norm(g) for x in calls for g in x.seen):
        yield Finding(
            "the optimizer gets gradients of 0",
            f"at {ENOUGH} calls of {name}.step() all gradients are 0 or None, though those of a "
            f"batch have norm {size:.4g}{_told(calls[-1])}",
            _order(calls[-1], name),
        )
    elif len(calls) == ENOUGH and taken[0].is_early and all(x.is_late for x in taken[1:]):
        yield Finding(
            "the optimizer acts on the gradients of the batch before",
            f"at the call of {name}.step() their norm is {norm(taken[1].seen[0]):.4g}, to the bit "
            f"what the step before has left; those of its own batch, {norm(taken[1].after):.4g}, "
            "come later",
            f"Call {name}.step() after backward().",
        )


def _told(last: _Taken) -> str:
    lost, after = max(map(norm, last.cleared), default=0.0), norm(last.after)
    if lost and not after:
        return f"; zero_grad() has cleared gradients of norm {lost:.4g}"
    return f"; after it they have norm {after:.4g}" if after else ""


def _order(last: _Taken, name: str) -> str:
    if norm(last.after):
        return f"Call backward() before {name}.step()."
    if any(map(norm, last.cleared)):
        return f"Call zero_grad() before backward(), not between backward() and {name}.step()."
    return f"Call backward() on the loss, before {name}.step()."


def _watched(trial: Trial, step: Callable[..., Any]) -> list[_Taken]:
    """Take steps of the user until the optimizer has taken some."""
    held, taken = trial.held_parameters, list[_Taken]()
    forget(held)

    def seeing(inner: Callable[..., Any], where: str) -> Callable[..., Any]:
        def call(*args: Any, **named: Any) -> Any:
            if not args:  # a closure computes the gradients later
                getattr(taken[-1], where).append(stored(held))
            return inner(*args, **named)

        return call

    for x, method, where in (
        (trial.optimizer, "step", "seen"),
        (trial.optimizer, "zero_grad", "cleared"),
        (trial.model, "zero_grad", "cleared"),
    ):
        vars(x)[method] = seeing(getattr(x, method), where)
    for i in range(MOST):
        taken.append(_Taken(stored(held)))
        start = trial.numbers()
        step(*trial.batches[i % len(trial.batches)])
        taken[-1].after, taken[-1].moved = stored(held), differ(start, trial.numbers())
        if sum(bool(x.seen) or x.moved for x in taken) >= ENOUGH:
            break
    return taken
