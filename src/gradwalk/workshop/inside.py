"""Check an engine in this interpreter, where there are no processes: Pyodide in a page's worker."""

from __future__ import annotations

import io
import time
from collections.abc import Callable, Collection
from contextlib import redirect_stderr, redirect_stdout
from typing import Any

from .check import judge
from .observer import run_job
from .process import PRINTED, Observation
from .programs import jobs
from .report import Report

__all__ = ["check_here"]


class _Printed(io.TextIOBase):
    """A stream that keeps the beginning of what is printed."""

    def __init__(self) -> None:
        self.text = ""

    def writable(self) -> bool:
        """Return ``True``."""
        return True

    def write(self, text: str) -> int:
        """Keep ``text``, up to the limit."""
        self.text += text[: PRINTED - len(self.text)]
        return len(text)


def check_here(
    text: str,
    name: str = "my_engine.py",
    *,
    started: Callable[[str], object] = lambda program: None,
    judging: Callable[[], object] = lambda: None,
    skip: Collection[str] = (),
) -> Report:
    """Check an engine in this interpreter: no limit of time or memory holds here.

    ``started`` is called with the id of each program before it begins. A program that did not end
    is passed in ``skip`` to a fresh interpreter: it counts as stopped. ``judging`` is called when
    the learner's code has ended, and the comparison begins.
    """
    seen, printed = Observation(), _Printed()
    began = time.monotonic()

    def say(record: dict[str, Any]) -> None:
        if "begin" in record:
            started(record["begin"])
        elif "end" in record:
            seen.records[record["end"]] = record["record"]
        elif "engine" in record:
            seen.engine = record["engine"]
        elif "unusable" in record:
            seen.unusable = record["unusable"]

    job = {"text": text, "name": name, "programs": jobs(), "skip": list(skip)}
    with redirect_stdout(printed), redirect_stderr(printed):
        started("")
        run_job(job, say)
    judging()
    seen.stopped = [{"id": key, "why": "time", "seconds": 3.0} for key in skip]
    seen.restarts = len(seen.stopped)
    seen.printed, seen.seconds = printed.text, time.monotonic() - began
    return judge(text, name, seen, frozenset(range(1, 13)))
