"""Scopes: what a program is inside of while a ``with`` statement runs, such as `no_grad`.

What a task, a thread or a generator is inside of is a context variable: a task of asyncio that
waits inside a scope leaves the others outside, and a task that is created inside is inside as long
as the scope is open. A generator runs in the context of its caller, as with all context managers.

An interrupt can arrive between any two steps of Python. So `Scope.__enter__` prepares an entry that
has no effect, and its last step, one assignment, opens it; leaving is one assignment as well. A
scope that dies, because an interrupt came before its ``with`` statement held it, is no longer open.
Scopes may be left in any order, and from other contexts. The native engine has the same classes in
C (native/scalar/scopes.h), where entering and leaving cannot be interrupted at all.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from contextvars import ContextVar
from itertools import count
from typing import Any, ClassVar, Self
from weakref import ref

__all__ = ["Scope", "Scopes"]

_ranks = count(2)  # above Values (0) and Tensors (1)


class _Entry:
    """One ``with`` statement. ``is_open`` is ``None`` until its body begins."""

    __slots__ = ("is_open", "others", "outer", "scope")

    is_open: bool | None

    def __init__(self, scope: Scope, outer: _Entry | None) -> None:
        self.scope, self.outer, self.others = ref(scope), outer, scope.others
        self.is_open = None

    def opened(self) -> Scope | None:
        """Return the scope if it is open."""
        return self.scope() if self.is_open else None

    def lists(self, scope: Scope) -> list[list[_Entry]]:
        """Return where the entry of a scope is found."""
        return [scope.kind.blocks, scope._entries, *[s._entries for s in self.others or ()]]


def _trim(entries: list[_Entry]) -> None:
    """Drop the entries that have ended."""
    for entry in tuple(entries):
        if entry.is_open is False or entry.scope() is None:
            with suppress(ValueError):  # another thread was first
                entries.remove(entry)


def _first_open(entry: _Entry | None) -> _Entry | None:
    """Return an entry, or the innermost one around it that has not ended."""
    while entry is not None and not entry.opened():
        entry = entry.outer
    return entry


class Scopes:
    """The open scopes of one kind. ``blocks`` is true if any context is in such a scope."""

    def __init__(self) -> None:
        self.blocks: list[_Entry] = []
        self.innermost: ContextVar[_Entry | None] = ContextVar("gradwalk.scopes", default=None)

    def _mine(self) -> Iterator[tuple[_Entry, Scope]]:
        """Yield the open entries that this context is in, the innermost first."""
        entry = self.innermost.get()
        while entry is not None:
            scope = entry.opened()
            if scope is not None:
                yield entry, scope
            entry = entry.outer

    @property
    def depth(self) -> int:
        """How many scopes this context is in."""
        return len(list(self._mine()))

    @property
    def open(self) -> tuple[Any, ...]:
        """The scopes that this context is in, the outermost first."""
        found: tuple[Any, ...] = ()
        for entry, scope in self._mine():
            if entry.others is not None:
                return (*entry.others, *found)
            found = (scope, *found)
        return found

    @property
    def paused(self) -> bool:
        """Whether the innermost scope of this context is one that ``pauses``."""
        return any(scope.pauses for _, scope in [*self._mine()][:1])


class Scope:
    """What a ``with`` statement opens. A subclass names its ``kind``.

    ``others``  scopes that are open inside, instead of those around; ``None`` leaves these as
                they are
    ``rank``    grows with the order in which scopes are entered first, across threads
    """

    kind: ClassVar[Scopes]
    pauses: ClassVar[bool] = False
    others: tuple[Scope, ...] | None
    rank: int
    _entries: list[_Entry]

    def __new__(cls, *args: object, **options: object) -> Self:
        """Return a scope that is not open, whatever its class is called with."""
        self = object.__new__(cls)
        self._entries, self.others, self.rank = [], None, 0
        return self

    @property
    def is_open(self) -> bool:
        """Whether any context is inside."""
        return any(entry.opened() for entry in tuple(self._entries))

    def __enter__(self) -> Self:
        self.rank = self.rank or next(_ranks)
        current = self.kind.innermost
        entry = _Entry(self, _first_open(current.get()))
        for entries in entry.lists(self):
            _trim(entries)
            entries.append(entry)
        current.set(entry)
        entry.is_open = True
        return self

    def __exit__(self, *exception: object) -> None:
        """Leave the innermost block of this context, or else one that another one entered."""
        here = [entry for entry, scope in self.kind._mine() if scope is self]
        entered = [e for e in tuple(self._entries) if e.opened() is self]
        for entry in here[:1] or entered[-1:]:
            entry.is_open = False
            for entries in entry.lists(self):
                _trim(entries)
            if self.kind.innermost.get() is entry:
                self.kind.innermost.set(entry.outer)
