"""A session: the run of one tab, its options, and the part of the curve that was sent."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable
from dataclasses import asdict
from typing import Any

from .configuration import CHOICES, LIMITS, Configuration
from .frames import Watch, frame
from .reading import refuse
from .requests import MOST_STEPS, Request
from .run import Run
from .table import points_from_csv
from .walking import document

__all__ = ["Session"]

Reply = dict[str, Any]


class Session:
    """A run and its state, which outlive a connection.

    Worker threads call the methods while they hold ``lock``, so never two at once. ``news`` tells
    whether the run has changed since the last frame.
    """

    name: str
    run: Run
    running: bool
    news: bool
    watch: Watch
    lock: threading.Lock

    def __init__(self, name: str, configuration: Configuration) -> None:
        self.name, self.lock = name, threading.Lock()
        self.run, self.watch = Run(configuration), Watch()
        self._kept: Run | None = None  # the run that a rewind or new settings have replaced
        self.running, self.news = False, True
        self._owed = 0  # single updates that are still to be made
        self._per_frame: int | None = None
        self._since_frame = 0
        self._frames = 0
        self.meet()

    def meet(self) -> None:
        """Send everything again, because a new connection has seen nothing yet."""
        self._every = self._known = 0
        self.news = True

    def hello(self, resumed: bool) -> Reply:
        """Return the first message to the page."""
        return {
            "type": "hello",
            "session": self.name,
            "resumed": resumed,
            "choices": CHOICES,
            "configuration": self.run.configuration.json(),
            "limits": asdict(LIMITS),
        }

    # --- the work ---------------------------------------------------------------------------------

    @property
    def has_work(self) -> bool:
        """Whether to make updates before the next frame is shown."""
        bound = self._per_frame
        return self._owed > 0 or (self.running and (bound is None or self._since_frame < bound))

    def advance(self, until: float, give_way: Callable[[], None] = lambda: None) -> None:
        """Make updates, at least one, until a time of ``time.perf_counter``.

        ``give_way`` is called after each, and may let more urgent threads run.
        """
        self.news, now = True, time.perf_counter()
        while self.has_work:
            if not self.run.step():
                self.rest()
                return
            self._owed -= self._owed > 0
            self._since_frame += 1
            give_way()
            before, now = now, time.perf_counter()
            if 2 * now - before > until:  # another update would exceed the time
                return

    def rest(self) -> None:
        """Stop making updates."""
        self.running, self._owed = False, 0

    def frame(self) -> tuple[int, str]:
        """Return the number of the next frame, and its JSON."""
        self.news, self._since_frame, self._frames = False, 0, self._frames + 1
        curve = self.run.curve.since(self._every, self._known)
        self._every, self._known = self.run.curve.every, len(self.run.curve.losses)
        made = frame(self.run, self.watch)
        made |= {"frame": self._frames, "running": self.running or self._owed > 0, "curve": curve}
        made["kept"] = self._kept.steps if self._kept else 0
        return self._frames, json.dumps(made, allow_nan=False)

    # --- requests ---------------------------------------------------------------------------------

    def obey(self, request: Request) -> Reply | None:
        """Carry out a request. Return the answer, if it is more than the next frame."""
        return _ACTIONS[request.type](self, request.content)

    def _configure(self, configuration: Configuration) -> None:
        self._replace(Run(configuration))

    def _rewind(self, _: None) -> None:
        self._replace(Run(self.run.configuration))

    def _replace(self, run: Run) -> None:
        """Begin another run. A run that was trained is kept, so that this can be undone."""
        if self.run.steps:
            self._kept = self.run
        self._begin(run)

    def _restore(self, _: None) -> None:
        """Exchange the run for the one that was replaced."""
        if self._kept is None:
            refuse(
                "restore", "a run that was replaced", "none", "Train a run before you rewind it."
            )
        before, self._kept = self._kept, self.run if self.run.steps else None
        self._begin(before)

    def _begin(self, run: Run) -> None:
        self.run = run
        self.rest()
        self.meet()

    def _points(self, points: Any) -> None:
        self.run.replace_points(points)
        self.news = True

    def _start(self, per_frame: int | None) -> None:
        self._check()
        self.running, self._per_frame, self.news = True, per_frame, True

    def _step(self, count: int) -> None:
        self._check()
        self.running, self._owed = False, min(self._owed + count, MOST_STEPS)

    def _check(self) -> None:
        if self.run.stopped:
            refuse("training", "a run that can continue", "one that cannot", self.run.stopped)

    def _pause(self, _: None) -> None:
        self.rest()
        self.news = True

    def _watch(self, watch: Watch) -> None:
        self.watch, self.news = watch, True

    def _csv(self, text: str) -> Reply:
        points, words = points_from_csv(text, LIMITS.points)
        return {"type": "csv", "points": points, "words": words}

    def _walk(self, example: int) -> Reply:
        made = document(self.run, example)
        return {
            "type": "document",
            "example": example,
            "step": self.run.steps,
            "document": made,
        }


_ACTIONS: dict[str, Callable[[Session, Any], Reply | None]] = {
    "configure": Session._configure,
    "points": Session._points,
    "start": Session._start,
    "step": Session._step,
    "pause": Session._pause,
    "rewind": Session._rewind,
    "restore": Session._restore,
    "watch": Session._watch,
    "csv": Session._csv,
    "walk": Session._walk,
}
