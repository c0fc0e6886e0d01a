"""The groups of an optimizer: dicts of parameters and options.

While `compile` records a program, the groups that the function can reach are `RecordedGroup`s: an
option that it reads is an input of the program, and none may be changed.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from typing import Any, NoReturn

from ..levels.programs import recorder
from .checks import expect_no_program

__all__ = ["Group", "RecordedGroup"]


class Group(dict[str, Any]):
    """The parameters of a group under ``"params"``, and its options."""

    __slots__ = ()


class RecordedGroup(Group):
    """A group while a program is recorded."""

    __slots__ = ()

    def __getitem__(self, name: str) -> Any:
        return _read(self, name, super().__getitem__(name))

    def get(self, name: str, default: Any = None) -> Any:
        """Return an option, ``default`` if there is none of this name."""
        return self[name] if name in self else default  # noqa: SIM401  (it would call itself)

    def __iter__(self) -> Iterator[str]:  # of its own, so that `dict(group)` asks `__getitem__`
        return super().__iter__()

    def values(self) -> Any:
        """Return the parameters and the options."""
        return [self[name] for name in self]

    def items(self) -> Any:
        """Return pairs of a name and an option."""
        return [(name, self[name]) for name in self]

    def copy(self) -> dict[str, Any]:
        """Return a dict of the parameters and the options."""
        return dict(self.items())

    def __reduce__(self) -> Any:
        return Group, (dict(self.items()),)


def _refuse(self: RecordedGroup, *args: object, **options: object) -> NoReturn:
    """Raise `InPlaceError`: a program would not change an option again."""
    expect_no_program("writing into optimizer.param_groups")
    raise RuntimeError("a recorded group after its program")


for _name in ("__setitem__", "__delitem__", "__ior__", "update", "setdefault", "pop", "popitem"):
    setattr(RecordedGroup, _name, _refuse)
setattr(RecordedGroup, "clear", _refuse)  # noqa: B010  (mypy)


def _read(group: RecordedGroup, name: str, option: object) -> Any:
    """Return an option as a function of the user reads it; a step finds it in each run."""
    program = recorder()
    if program is None or name == "params" or _is_step():
        return option
    return program.updates.option(group, name, option)


def _is_step() -> bool:
    """Return whether an optimizer or a program reads an option, not the user or a schedule."""
    frame = sys._getframe(1)
    while frame.f_globals is globals() and frame.f_back:
        frame = frame.f_back
    room = str(frame.f_globals.get("__name__", ""))
    return room.startswith("gradwalk.") and not room.endswith((".schedulers", ".cycles"))
