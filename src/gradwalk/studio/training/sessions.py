"""All sessions of a server: the connected ones, and for a while the disconnected ones."""

from __future__ import annotations

import secrets
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

from .configuration import Configuration
from .reading import refuse
from .session import Session

__all__ = ["KEPT", "MOST", "Holder", "Sessions"]

KEPT = 600.0
"""The number of seconds that a session is kept after its connection has dropped."""

MOST = 32
"""The most sessions at a time. A new one replaces the one that was disconnected longest."""


class Holder(Protocol):
    """The part of a connection that this module uses."""

    def leave(self) -> None:
        """End the connection, because the same tab has reconnected."""


@dataclass(slots=True)
class _Place:
    session: Session
    tab: str
    holder: Holder | None = None
    left: float = 0.0


class Sessions:
    """The sessions by their names, which are random.

    A session belongs to one connection at a time. Without one it pauses, and resumes when its tab
    reconnects within ``kept`` seconds. A tab that reconnects while its old connection seems open
    takes over the session. A duplicate of the tab, with the same name, gets a session of its own
    with the same configuration.
    """

    def __init__(
        self,
        most: int = MOST,
        kept: float = KEPT,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._places: dict[str, _Place] = {}
        self._most, self._kept, self._clock = most, kept, clock
        self._lock = threading.Lock()

    def __len__(self) -> int:
        return len(self._places)

    def enter(self, name: str, tab: str, holder: Holder) -> tuple[Session, bool]:
        """Return a session for a connection, and whether it is the one called ``name``.

        Raise `DataError` if too many tabs are connected.
        """
        with self._lock:
            self._forget_old_ones()
            place = self._places.get(name)
            if place is not None and (place.holder is None or (tab and tab == place.tab)):
                if place.holder is not None:
                    place.holder.leave()
                place.holder, place.tab = holder, tab
                return place.session, True
            configuration = place.session.run.configuration if place else Configuration()
            return self._new(configuration, tab, holder), False

    def leave(self, session: Session, holder: Holder) -> None:
        """Mark a session as disconnected, if this connection still holds it."""
        with self._lock:
            place = self._places.get(session.name)
            if place is not None and place.holder is holder:
                place.holder, place.left = None, self._clock()
            self._forget_old_ones()

    def _new(self, configuration: Configuration, tab: str, holder: Holder) -> Session:
        if len(self._places) >= self._most:
            self._make_room()
        session = Session(secrets.token_urlsafe(16), configuration)
        self._places[session.name] = _Place(session, tab, holder)
        return session

    def _forget_old_ones(self) -> None:
        before = self._clock() - self._kept
        for name, place in list(self._places.items()):
            if place.holder is None and place.left < before:
                del self._places[name]

    def _make_room(self) -> None:
        pending = [name for name, place in self._places.items() if place.holder is None]
        if not pending:
            fix = "Close another tab that shows the training."
            refuse("training", f"at most {self._most} tabs at a time", "one more", fix)
        del self._places[min(pending, key=lambda name: self._places[name].left)]
