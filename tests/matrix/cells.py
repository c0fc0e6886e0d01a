"""Cells: what becomes of each program, by each way in, at each way out."""

from __future__ import annotations

import signal
import time
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from fnmatch import fnmatchcase
from typing import NamedTuple

import numpy as np

import gradwalk as gw
from gradwalk.errors import GradwalkError

from .limits import KNOWN, REFUSALS, Known, Refusal
from .programs import PROGRAMS
from .ways import WAYS_OUT, Subject, Wrong, subjects, ways_out

__all__ = ["CLOCK", "Outcome", "known", "outcome", "outcomes", "refusal"]


class Hangs(BaseException):
    """A cell takes so long that it may never end."""


CLOCK = hasattr(signal, "setitimer")
running: list[bool] = []


def _stop(*_: object) -> None:
    if running:
        raise Hangs


@contextmanager
def _time_limit(seconds: float) -> Iterator[None]:
    """Raise `Hangs` again and again, for a program may catch what it raises; never on Windows."""
    if CLOCK:
        signal.signal(signal.SIGALRM, _stop)
        running.append(True)
        signal.setitimer(signal.ITIMER_REAL, seconds, 0.05)
    try:
        yield
    finally:
        running.clear()
        if CLOCK:
            signal.setitimer(signal.ITIMER_REAL, 0.0)


class Outcome(NamedTuple):
    """What became of a cell: right, refused, wrong or crash; the class of the error, its words."""

    kind: str
    error: str = ""
    words: str = ""

    @property
    def cause(self) -> str:
        """The error without what was passed, so that cells with one cause have one text."""
        return f"{self.error}: {self.words.partition(', got ')[0]}"[:150]


RIGHT = Outcome("right")


def outcome(s: Subject, way_out: str, seconds: float = 60.0) -> Outcome:
    """Run one cell."""
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("error")
        warnings.simplefilter("ignore", RuntimeWarning)  # of NumPy, for what is planted
        try:
            with _time_limit(seconds):
                return _outcome(s, way_out)
        except Hangs:
            return Outcome("crash", "Hangs")


def _outcome(s: Subject, way_out: str) -> Outcome:
    try:
        WAYS_OUT[way_out](s)
    except Wrong as error:
        return Outcome("wrong", "Wrong", str(error))
    except GradwalkError as error:
        kind, found = "refused", _told(error)
    except Exception as error:
        kind, found = "crash", _told(error)
    else:
        return RIGHT
    return Outcome(kind, *found)


def _told(error: Exception) -> tuple[str, str]:
    return type(error).__name__, " ".join(str(error).split())


def outcomes(name: str) -> list[tuple[str, str, Outcome, float]]:
    """Run all cells of a program: way in, way out, what became of it, seconds."""
    rows = []
    for s in subjects(PROGRAMS[name]):
        for way_out in ways_out(s):
            began = time.perf_counter()
            row = known(s, way_out)
            hangs = row is not None and row.error == "Hangs"
            found = Outcome("crash", "Hangs") if hangs else outcome(s, way_out)
            rows.append((s.name, way_out, found, time.perf_counter() - began))
    return rows


def _belongs(s: Subject, way_in: str, tag: str, wanted: str, way_out: str) -> bool:
    """Return whether patterns are about this cell."""
    has = _matches(tag.removeprefix("!"), s.program.name, *s.program.tags)
    return _matches(way_in, s.name) and has != tag.startswith("!") and _matches(wanted, way_out)


def _matches(pattern: str, *names: str) -> bool:
    return any(fnmatchcase(name, part) for name in names for part in pattern.split("|"))


def about(row: Refusal | Known, s: Subject, way_out: str) -> bool:
    """Return whether a row of a table is about this cell."""
    return _belongs(s, row.way_in, row.tag, row.way_out, way_out)


def says(row: Refusal | Known, found: Outcome) -> bool:
    """Return whether what became of a cell is what a row says."""
    begins, words = not row.words.startswith("*"), row.words.removeprefix("*")
    told = found.words.startswith(words) if begins else words in found.words
    return found.error == row.error and told


def refusal(s: Subject, way_out: str, found: Outcome) -> Refusal | None:
    """Return the rule by which a cell is refused."""
    return next((r for r in REFUSALS if about(r, s, way_out) and says(r, found)), None)


def known(s: Subject, way_out: str) -> Known | None:
    """Return what is known to go wrong in a cell."""
    rows = (k for k in KNOWN if about(k, s, way_out) and fnmatchcase(gw.ENGINE, k.engine))
    return next(rows, None)
