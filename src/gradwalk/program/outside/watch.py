"""What a version reads beside its arguments, found again and compared at each call."""

from __future__ import annotations

from collections.abc import Sequence
from types import FunctionType, ModuleType
from typing import Any

from ...core.carrier import is_tensor
from .steps import (
    AGAIN,
    ANY,
    CELL,
    CONST,
    GET,
    KEY,
    MEMBERS,
    OF_CLASS,
    PLACE,
    ROOT,
    SLOT,
    VARS,
    Step,
    find,
)
from .survey import Survey

__all__ = ["Watch", "watch_of"]


def watch_of(survey: Survey, sources: Sequence[Any]) -> Watch | None:
    """Return the check of a survey, ``None`` if there is nothing to check or to read.

    ``sources`` are the Tensors and Values whose numbers the program reads.
    """
    places = [(survey.place_of(x), "_data" if is_tensor(x) else "data") for x in sources]
    kept = _needed(survey.steps, [at for at, _ in places])
    if not kept:
        return None
    return Watch(survey, kept, tuple([(kept[at], name) for at, name in places]))


class Watch:
    """A check, and the places of the Tensors and Values that a program reads."""

    def __init__(
        self, survey: Survey, kept: dict[int, int], places: tuple[tuple[int, str], ...]
    ) -> None:
        self._steps = tuple([_moved(survey.steps[at], kept) for at in kept])
        self._places, self._kept = places, list(kept)
        self._texts = Texts(survey)

    def __call__(self, roots: Sequence[Any]) -> list[Any] | int:
        """Return the numbers that the program reads, or the index of a step that fails."""
        return find(self._steps, roots, self._places)

    def difference(self, roots: Sequence[Any]) -> str:
        """Return in words what differs."""
        found = find(self._steps, roots, ())
        return self._texts.of(self._kept[found]) if isinstance(found, int) else "what it reads"


def _needed(steps: Sequence[Step], places: Sequence[int]) -> dict[int, int]:
    """Return the new places of the steps that check something or find a Tensor or a Value."""
    needed = set(places)
    for at in range(len(steps) - 1, -1, -1):
        step = steps[at]
        if step.checks != ANY or at in needed:
            needed.add(at)
            if step.reads not in (CONST, ROOT):
                needed.add(step.parent)
            if step.checks == AGAIN:
                needed.add(step.expected)
    return {at: new for new, at in enumerate(sorted(needed))}


def _moved(step: Step, kept: dict[int, int]) -> Step:
    parent = 0 if step.reads in (CONST, ROOT) else kept[step.parent]
    expected = kept[step.expected] if step.checks == AGAIN else step.expected
    return step._replace(parent=parent, expected=expected)


class Texts:
    """How a function gets at what a step reads, as a person writes it: ``model.rate``."""

    def __init__(self, survey: Survey) -> None:
        self._ways = [
            (step.reads, step.parent, _name(step, survey.found[step.parent]))
            for step in survey.steps
        ]

    def of(self, at: int) -> str:
        """Return the text of a step."""
        reads, parent, name = self._ways[at]
        if reads == ROOT:
            return f"the argument at {name}"
        if reads == CONST or (reads == KEY and self._ways[parent][0] == CONST):
            return name
        before = self.of(parent)
        if reads in (VARS, MEMBERS):
            return before
        if reads == KEY and self._ways[parent][0] == VARS:
            return f"{before}.{name}"
        if reads in (GET, SLOT, OF_CLASS):
            return f"{before}.{name}"
        if reads == CELL:
            return name
        return f"{before}[{name if reads == PLACE else repr(name)}]"


def _name(step: Step, parent: Any) -> str:
    key = step.key
    if step.reads == CONST:  # no text of what a user has made: it would read numbers
        named = isinstance(key, (FunctionType, ModuleType, type))
        return key.__name__ if named else f"an object of class {type(key).__name__}"
    if step.reads == CELL:
        return str(parent.__code__.co_freevars[key])
    return key.__name__ if step.reads == SLOT else str(key)
