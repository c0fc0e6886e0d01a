"""What a version reads beside its arguments, found again and compared at each call."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from types import FunctionType, ModuleType
from typing import Any

from ...core.carrier import is_tensor
from .steps import ABSENT, AGAIN, ANY, CELL, CONST, GET, KEY, MEMBERS, NAMED, OF_CLASS, PLACE
from .steps import ROOT, SLOT, VARS, Step, check
from .survey import Survey

__all__ = ["Watch", "watch_of"]


def watch_of(survey: Survey, sources: Sequence[Any]) -> Watch | None:
    """Return the check of a survey, ``None`` if there is nothing to check or to read.

    ``sources`` are the Tensors and Values whose numbers the program reads.
    """
    places = [survey.place_of(x) for x in sources]
    read = set(places)
    places += [at for at in survey.leaves if at not in read]
    kept = _needed(survey.steps, places)
    if not kept:
        return None
    return Watch(survey, kept, [kept[at] for at in places], len(sources))


class Watch:
    """A check, and the places of the Tensors and Values in what it finds."""

    def __init__(
        self, survey: Survey, kept: dict[int, int], leaves: list[int], sources: int
    ) -> None:
        steps = [_moved(survey.steps[at], kept) for at in kept]
        self._steps, self._leaves, self._sources = tuple(steps), leaves, sources
        self._texts = Texts(survey.steps)
        self._kept = list(kept)
        found = [survey.found[at] for at in kept]
        self._layouts = [_layout(found[at]) for at in leaves]
        self._check: Callable[[Sequence[Any]], list[Any] | int] = lambda roots: check(steps, roots)

    def __call__(self, roots: Sequence[Any]) -> list[Any] | None:
        """Return the Tensors and Values that the program reads; ``None`` if anything differs."""
        found = self._check(roots)
        if type(found) is int:
            return None
        leaves = [found[at] for at in self._leaves]  # type: ignore[index]
        if list(map(_layout, leaves)) != self._layouts:
            return None
        return leaves[: self._sources]

    def difference(self, roots: Sequence[Any]) -> str | None:
        """Return in words what differs, ``None`` if nothing does."""
        found = self._check(roots)
        if type(found) is int:
            return self._texts.of(self._kept[found])
        for at, layout in zip(self._leaves, self._layouts, strict=True):
            if _layout(found[at]) != layout:  # type: ignore[index]
                return self._texts.of(self._kept[at])
        return None


def _layout(leaf: Any) -> Any:
    if not is_tensor(leaf):
        return None
    return (leaf._data.shape, leaf._data.dtype, leaf.requires_grad)


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

    def __init__(self, steps: Sequence[Step]) -> None:
        self._ways = [(s.reads, s.parent, _name(s)) for s in steps]

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


def _name(step: Step) -> str:
    key = step.key
    if step.reads == CONST:  # no text of what a user has made: it would read numbers
        named = isinstance(key, (FunctionType, ModuleType, type))
        return key.__name__ if named else f"an object of class {type(key).__name__}"
    return key.__name__ if step.reads == SLOT else str(key)
