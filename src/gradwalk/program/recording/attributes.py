"""What a recorded function assigns to attributes of modules, optimizers and schedules.

Each run of its program assigns them again: constants, numbers and Tensors that it has computed, and
objects that were there before.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Any, NamedTuple

from ...core.carrier import Carrier, is_tensor
from ...core.expect import describe, is_array
from ...errors import InPlaceError
from ..outside.kinds import is_atom
from ..outside.steps import ABSENT
from .conditions import Condition, Integer, user_line

__all__ = ["Assigned", "Attributes"]

Make = Callable[[Iterator[Any]], Any]
"""A function that makes a value of what a run has computed, of which it takes its part."""


class Assigned(NamedTuple):
    """An attribute that each run assigns, or deletes if there is no ``make``."""

    owner: Any
    name: str
    make: Make | None

    def assign(self, computed: Iterator[Any]) -> None:
        """Do it, as the function does, but without what ``__setattr__`` does beside it."""
        if self.make is None:
            vars(self.owner).pop(self.name, None)
        else:
            vars(self.owner)[self.name] = self.make(computed)


class Attributes:
    """The attributes of some objects before a function runs, and what it assigns to them."""

    def __init__(self, found: Sequence[Any]) -> None:
        self._known: dict[int, Any] = {id(x): x for x in found}
        followed = [x for x in self._known.values() if _is_followed(type(x))]
        self._before: list[tuple[Any, dict[str, Any]]] = [(x, dict(vars(x))) for x in followed]
        self._owners = set(map(id, followed))
        optimizers = [x for x in followed if hasattr(type(x), "_plan")]
        self._groups: list[tuple[Any, list[Any]]] = [(x, [*x.param_groups]) for x in optimizers]
        self._lines: dict[tuple[int, str], str] = {}  # of assignments, in their order
        self.leaves: list[Any] = []  # what the program has to compute for them
        self.owners: list[Any] = []  # of which others are no stand-ins

    def note(self, owner: object, name: str) -> None:
        """Note that the function assigns an attribute, or deletes it."""
        if id(owner) in self._owners:
            self._lines[id(owner), name] = user_line()

    def found(self) -> list[Assigned]:
        """Return what each run has to assign; call it before `restore`."""
        self.expect_groups()
        found: list[Assigned] = []
        for owner, before in self._before:
            now = vars(owner)
            noted = [name for at, name in self._lines if at == id(owner)]
            names = dict.fromkeys((*noted, *before, *now))
            for name in names:
                x = now.get(name, ABSENT)
                if x is not before.get(name, ABSENT) or name in noted:
                    make = None if x is ABSENT else self._made(owner, name, x)
                    found.append(Assigned(owner, name, make))
                    self.owners.append(owner)
        return found

    def expect_groups(self) -> None:
        """Raise `InPlaceError` if an optimizer has got other groups."""
        for owner, groups in self._groups:
            if list(map(id, owner.param_groups)) != list(map(id, groups)):
                raise InPlaceError(
                    where=f"compile(f), {user_line()}",
                    expected="the groups that the optimizer has",
                    got=f"others that f puts into {type(owner).__name__}.param_groups",
                    fix="Set param_groups before or after the call of f.",
                )

    def restore(self) -> None:
        """Give the objects the attributes back that they had: each run assigns them."""
        for owner, before in self._before:
            now = vars(owner)
            if now.keys() != before.keys() or any(now[k] is not x for k, x in before.items()):
                now.clear()
                now.update(before)
        for owner, groups in self._groups:
            owner.param_groups[:] = groups

    def _made(self, owner: object, name: str, x: Any) -> Make:
        """Return what makes the value that a run assigns."""
        kind = type(x)
        # a run knows the groups that there are
        if hasattr(type(owner), "_plan") and not is_atom(x):
            raise self._refused(owner, name, x)
        if kind in (list, tuple) and id(x) not in self._known:
            parts = [self._made(owner, name, part) for part in x]
            return lambda computed: kind([make(computed) for make in parts])
        if kind is dict and id(x) not in self._known:
            made = {key: self._made(owner, name, part) for key, part in x.items()}
            return lambda computed: {key: make(computed) for key, make in made.items()}
        if is_atom(x) or id(x) in self._known or (kind is frozenset and all(map(is_atom, x))):
            if not is_atom(x):
                self.owners.append(x)
            return lambda computed: x
        if isinstance(x, (Carrier, Condition)) or is_tensor(x) or is_array(x):
            self.leaves.append(x)
            convert = bool if isinstance(x, Condition) else int if isinstance(x, Integer) else None
            return next if convert is None else partial(_converted, convert)
        raise self._refused(owner, name, x)

    def _refused(self, owner: object, name: str, x: object) -> InPlaceError:
        line = self._lines.get((id(owner), name))
        return InPlaceError(
            where="compile(f)" + ("" if line is None else f", {line}"),
            expected="an attribute that holds numbers, texts, Tensors, or lists and dicts of them",
            got=f"{describe(x)} that f assigns to {type(owner).__name__}.{name}",
            fix="Assign it before or after the call of f.",
        )


def _converted(kind: Callable[[Any], Any], computed: Iterator[Any]) -> Any:
    return kind(next(computed))


def _is_followed(cls: type) -> bool:
    """Return whether objects of a class are modules, optimizers or schedules."""
    return any(hasattr(cls, name) for name in ("named_parameters", "_plan", "lr_at"))
