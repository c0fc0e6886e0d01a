"""Calls of the modules of a network, for libraries whose graphs are not read."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .trial import Trial

__all__ = ["Call", "calls_of", "place_of_calls", "recorded"]

Call = tuple[Any, tuple[Any, ...], Any]
"""A module, its arguments, and its result."""


def calls_of(trial: Trial) -> list[Call]:
    """Return the calls of all modules in the loss of the first batch, in order."""
    modules = {id(m): m for _, x in [("", trial.model), *trial.others] for m in x.modules()}
    with recorded([*modules.values()]) as calls:
        trial.loss(*trial.forward(trial.batches[0]))
    return calls


@contextmanager
def recorded(modules: list[Any]) -> Iterator[list[Call]]:
    """Yield a list that gets the calls of modules."""
    calls: list[Call] = []
    with ExitStack() as stack:
        for module in modules:
            own = vars(module)
            stack.callback(own.pop, "forward", None)
            own["forward"] = _recording(module, module.forward, calls)
        yield calls


def _recording(module: Any, forward: Callable[..., Any], calls: list[Call]) -> Callable[..., Any]:
    def recording(*args: Any, **named: Any) -> Any:
        result = forward(*args, **named)
        calls.append((module, args, result))
        return result

    return recording


def place_of_calls(trial: Trial, parameters: list[Any]) -> tuple[str, bool]:
    """Return whether a network is called before, after or beside the model of a trial.

    Also return whether the model is called with what needs no gradient, too.
    """
    wanted = set(map(id, parameters))
    given: dict[bool, list[bool]] = {True: [], False: []}
    for module, args, _ in calls_of(trial):
        is_other = bool({id(p) for p in module.parameters()} & wanted)
        if module is trial.model or is_other:
            given[is_other].append(any(getattr(x, "requires_grad", False) for x in args))
    top, other = given[False], given[True][:1]
    place = "before" if any(top) else "after" if any(other) else "beside"
    return place, True in top and False in top
