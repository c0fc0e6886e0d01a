"""Scopes: what a thread is inside of while a ``with`` statement runs, such as `no_grad`.

An interrupt can arrive between any two steps of Python. So `Scope.__enter__` prepares an entry that
has no effect, and its last step, one assignment, opens it; leaving is one assignment as well. A
scope that dies, because an interrupt came before its ``with`` statement held it, is no longer open.

Each entry belongs to the thread that made it. A generator that another thread closes leaves the
scope of the thread that entered it, and scopes may be left in any order. The native engine has the
same classes in C (native/scalar/scopes.h), where entering and leaving cannot be interrupted at all.
"""

from __future__ import annotations

import threading
from contextlib import suppress
from itertools import count
from typing import Any, ClassVar, Self
from weakref import ref

__all__ = ["Scope", "Scopes"]


class _Thread(threading.local):
    def __init__(self) -> None:
        self.token = object()  # unlike its identifier, never that of a later thread


_thread = _Thread()
_ranks = count(2)  # above Values (0) and Tensors (1)


class _Entry:
    """One ``with`` statement of one thread. ``is_open`` is ``None`` until its body begins."""

    __slots__ = ("is_open", "others", "scope", "thread")

    is_open: bool | None

    def __init__(self, scope: Scope) -> None:
        self.scope, self.thread, self.others = ref(scope), _thread.token, scope.others
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


class Scopes:
    """The open scopes of one kind. ``blocks`` is true if any thread is in such a scope."""

    def __init__(self) -> None:
        self.blocks: list[_Entry] = []

    def _mine(self) -> list[tuple[_Entry, Scope]]:
        found = [(e, e.opened()) for e in tuple(self.blocks) if e.thread is _thread.token]
        return [(entry, scope) for entry, scope in found if scope is not None]

    @property
    def depth(self) -> int:
        """How many scopes this thread is in."""
        return len(self._mine())

    @property
    def open(self) -> tuple[Any, ...]:
        """The scopes that this thread is in, the outermost first."""
        found: tuple[Any, ...] = ()
        for entry, scope in self._mine():
            found = (*found, scope) if entry.others is None else entry.others
        return found

    @property
    def paused(self) -> bool:
        """Whether the innermost scope of this thread is one that ``pauses``."""
        return any(scope.pauses for _, scope in self._mine()[-1:])


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
        """Whether any thread is inside."""
        return any(entry.opened() for entry in tuple(self._entries))

    def __enter__(self) -> Self:
        self.rank = self.rank or next(_ranks)
        entry = _Entry(self)
        for entries in entry.lists(self):
            _trim(entries)
            entries.append(entry)
        entry.is_open = True
        return self

    def __exit__(self, *exception: object) -> None:
        """Leave the innermost block of this thread, or else one that another thread entered."""
        entered = [e for e in tuple(self._entries) if e.opened() is self]
        here = [e for e in entered if e.thread is _thread.token]
        for entry in (here or entered)[-1:]:
            entry.is_open = False
            for entries in entry.lists(self):
                _trim(entries)
