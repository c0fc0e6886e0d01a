"""Run the observer in a process of its own, with limits of memory and time."""

from __future__ import annotations

import json
import os
import secrets
import select
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from queue import Empty, Queue
from typing import IO, Any, Final

from .observer import WAITING

__all__ = ["Observation", "watch"]

OBSERVER: Final = Path(__file__).with_name("observer.py")
SECONDS: Final = 3.5
"""Seconds for one program by the clock, unless it asks for more: the observer's own limit ends it
before, and this one is for code that the limit cannot reach."""

POLL: Final = 0.1
"""Seconds between two looks at whether a run is cancelled."""

RESTARTS: Final = 2
PRINTED: Final = 10_000
"""Characters of the learner's prints that are kept."""


@dataclass
class Observation:
    """What was observed of a file: the engine, a record per program, and how the run went."""

    engine: dict[str, Any] | None = None
    records: dict[str, dict[str, Any]] = field(default_factory=dict)
    unusable: dict[str, Any] | None = None
    stopped: list[dict[str, Any]] = field(default_factory=list)
    restarts: int = 0
    printed: str = ""
    seconds: float = 0.0
    out_of_time: bool = False
    late: bool = False


class _Child:
    """One process of the observer, and the records that come from it."""

    def __init__(self, job: dict[str, Any], folder: str) -> None:
        self.word = secrets.token_hex(8)
        self.records: Queue[dict[str, Any] | None] = Queue()
        self.printed: list[bytes] = []
        self.over = False
        read, write = os.pipe()
        self.process = subprocess.Popen(
            [sys.executable, "-I", "-u", "-X", "utf8", str(OBSERVER)],  # prints survive its end
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            cwd=folder,
            env={"PATH": os.defpath, "HOME": folder, "TMPDIR": folder, "PYTHONHASHSEED": "0"},
            pass_fds=(write,),
            start_new_session=True,
        )
        os.close(write)
        told = json.dumps({**job, "report": write, "word": self.word}).encode()
        assert self.process.stdout is not None
        self.threads = [
            threading.Thread(target=self._report, args=(read,), daemon=True),
            threading.Thread(target=self._prints, args=(self.process.stdout,), daemon=True),
        ]
        for thread in self.threads:
            thread.start()
        with suppress(BrokenPipeError):
            assert self.process.stdin is not None
            self.process.stdin.write(told)
            self.process.stdin.close()

    def _chunks(self, descriptor: int) -> Iterator[bytes]:
        """Yield what is written to a pipe, until it is closed or this child is over.

        A process that left the group may hold the other end, so reading must not block.
        """
        while not self.over:
            if select.select([descriptor], [], [], 0.1)[0]:
                chunk = os.read(descriptor, 65536)
                if not chunk:
                    return
                yield chunk

    def _report(self, descriptor: int) -> None:
        rest = b""
        for chunk in self._chunks(descriptor):
            *lines, rest = (rest + chunk).split(b"\n")
            for line in lines:
                word, _, record = line.partition(b" ")
                if word == self.word.encode():
                    with suppress(ValueError):
                        self.records.put(json.loads(record))
        os.close(descriptor)
        self.records.put(None)

    def _prints(self, stream: IO[bytes]) -> None:
        kept, number = 0, stream.fileno()
        with stream:
            for chunk in self._chunks(number):
                if kept < PRINTED:
                    self.printed.append(chunk)
                    kept += len(chunk)
            while kept < PRINTED and select.select([number], [], [], 0)[0]:
                if not (chunk := os.read(number, 65536)):
                    break
                self.printed.append(chunk)
                kept += len(chunk)

    def end(self) -> int | None:
        """Kill the whole group of processes, and return the exit status that was there."""
        status = self.process.poll()
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(self.process.pid, signal.SIGKILL)
        self.process.kill()
        self.process.wait()
        self.threads[1].join(0.2)  # what was printed last
        self.over = True
        for thread in self.threads:
            thread.join()
        return status


def watch(
    text: str,
    name: str,
    programs: list[dict[str, Any]],
    timeout: float,
    cancelled: threading.Event | None = None,
) -> Observation:
    """Run all programs on a text; a program that does not end is left out of the next process.

    When ``cancelled`` is set, the processes are ended, and the text counts as unusable.
    """
    seen = Observation()
    cancelled = cancelled or threading.Event()
    began = time.monotonic()
    left = list(programs)
    with tempfile.TemporaryDirectory(prefix="gradwalk-workshop-") as folder:
        while left and seen.restarts <= RESTARTS:
            child = _Child({"text": text, "name": name, "programs": left}, folder)
            try:
                now, done = _follow(child, seen, left, began + timeout, cancelled)
            finally:
                status = child.end()
            seen.printed = (seen.printed + b"".join(child.printed).decode("utf-8", "replace"))[
                :PRINTED
            ]
            if done or seen.unusable or seen.out_of_time:
                break
            if now is None and seen.engine is None:
                seen.unusable = _died(status, "while the file was read")
                break
            seen.restarts += 1
            ended = {*seen.records, *(row["id"] for row in seen.stopped)}
            left = [row for row in left if row["id"] not in ended]
    seen.seconds = time.monotonic() - began
    return seen


def _follow(
    child: _Child,
    seen: Observation,
    programs: list[dict[str, Any]],
    end: float,
    cancelled: threading.Event,
) -> tuple[str | None, bool]:
    """Take the records of one process; return its last program, and whether it is done."""
    allowed = {row["id"]: WAITING * row.get("seconds", 1.0) + 1 for row in programs}
    now: str | None = None
    limit = 8.0
    while True:
        try:
            record = _next(child, min(limit, end - time.monotonic()), cancelled)
        except Empty:
            if cancelled.is_set():
                seen.unusable = {"type": "", "message": "the run was cancelled", "line": None}
                return now, True
            seen.out_of_time = time.monotonic() >= end
            if now is None:
                seen.unusable = seen.unusable or _slow(limit)
            else:
                seen.stopped.append({"id": now, "why": "time", "seconds": limit})
            return now, False
        if record is None:
            status = child.process.wait()
            if now is not None:
                seen.stopped.append({"id": now, "why": "died", "status": status})
            return now, False
        if "unusable" in record:
            seen.unusable = record["unusable"]
            return None, True
        if "engine" in record:
            seen.engine = record["engine"]
            limit = SECONDS
        elif "begin" in record:
            now = record["begin"]
            limit = allowed.get(str(now), SECONDS)
        elif "end" in record:
            seen.records[record["end"]] = record["record"]
            now = None
            limit = SECONDS
        elif "late" in record:
            seen.late = True
        elif "done" in record:
            return None, True


def _next(child: _Child, seconds: float, cancelled: threading.Event) -> dict[str, Any] | None:
    """Return the next record. Raise `Empty` if there is none in time, or the run is cancelled."""
    until = time.monotonic() + seconds
    while not cancelled.is_set():
        left = until - time.monotonic()
        with suppress(Empty):
            return child.records.get(timeout=min(max(left, 0.01), POLL))
        if left <= POLL:
            break
    raise Empty


def _slow(seconds: float) -> dict[str, Any]:
    return {"type": "", "message": f"reading the file took more than {seconds:g} s", "line": None}


def _died(status: int | None, when: str) -> dict[str, Any]:
    how = f"with status {status}" if status is not None and status >= 0 else "by a signal"
    return {"type": "", "message": f"the process ended {when}, {how}", "line": None}
