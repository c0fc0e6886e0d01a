"""Slices of long test runs: ``2/24`` is the second of 24 parts, which together are the whole.

``python -m tests.helpers.slices 24`` prints the slice of today, so that a run each day takes all of
them in turn; ``24 4 0`` prints the first of four slices of today. With ``GRADWALK_SLICE=2/24``
pytest runs that part of the tests. A long run prints a line each minute with what is left.
"""

from __future__ import annotations

import os
import re
import sys
import threading
import time
from collections.abc import Iterable
from datetime import date
from zlib import crc32

import pytest

from .amount import THOROUGH

__all__ = ["Progress", "Slice", "today"]

EVERY = 30.0  # seconds between two lines


class Slice:
    """One of ``count`` parts: what belongs to it depends on a name alone, so that all are whole."""

    def __init__(self, text: str) -> None:
        found = re.fullmatch(r"(\d+)/(\d+)", text)
        if found is None or not 1 <= int(found[1]) <= int(found[2]):
            raise SystemExit(
                f"a slice: expected text such as 2/24, got {text!r}. Write SLICE=2/24."
            )
        self.index, self.count = int(found[1]), int(found[2])

    def has(self, name: str) -> bool:
        """Return whether the thing of this name belongs to the slice."""
        return crc32(name.encode()) % self.count == self.index - 1


def today(count: int, each_day: int = 1, which: int = 0, day: date | None = None) -> str:
    """Return one of ``each_day`` slices of a day: in count / each_day days all have a turn."""
    number = (day or date.today()).toordinal() * each_day + which
    return f"{number % count + 1}/{count}"


class Progress:
    """Prints how much is done and left, at most every half minute, and at least every minute."""

    def __init__(self, total: int = 0, every: float = EVERY) -> None:
        self.total, self.every = total, every
        self.done, self.start = 0, time.monotonic()
        self.last = self.start

    def add(self, count: int = 1) -> None:
        """Note that some more are done."""
        self.done += count
        if time.monotonic() - self.last >= self.every:
            self.tell()

    def tell(self) -> None:
        """Print a line."""
        self.last = time.monotonic()
        passed, left = self.last - self.start, max(self.total - self.done, 0)
        expected = f", about {passed / self.done * left / 60:.1f} min" if self.done else ""
        print(
            f"\n{self.done:,} of {self.total:,} done in {passed / 60:.1f} min, "
            f"{left:,} left{expected}",
            file=sys.__stdout__,
            flush=True,
        )

    def beat(self) -> None:
        """Print a line each minute from now on, also while one thing takes longer."""

        def run() -> None:
            while True:
                time.sleep(5.0)
                if time.monotonic() - self.last >= 2 * self.every:
                    self.tell()

        threading.Thread(target=run, daemon=True).start()


class Sliced:
    """The plugin of pytest: it leaves out what is not in the slice, and tells the progress."""

    def __init__(self, part: Slice | None) -> None:
        self.part, self.progress, self.ended = part, Progress(), set[str]()

    def pytest_configure(self, config: pytest.Config) -> None:
        """Begin to tell, in the process that prints."""
        if not hasattr(config, "workerinput"):
            self.progress.beat()

    @pytest.hookimpl(trylast=True)  # after -m has chosen
    def pytest_collection_modifyitems(
        self, config: pytest.Config, items: list[pytest.Item]
    ) -> None:
        """Keep the tests of the slice. All cases of a test stay together."""
        if self.part is not None:
            part = self.part
            chosen = [part.has(item.nodeid.partition("[")[0]) for item in items]
            left_out = [item for item, ours in zip(items, chosen, strict=True) if not ours]
            config.hook.pytest_deselected(items=left_out)
            items[:] = [item for item, ours in zip(items, chosen, strict=True) if ours]
        self.progress.total = len(items)

    @pytest.hookimpl(optionalhook=True)
    def pytest_xdist_node_collection_finished(self, ids: Iterable[str]) -> None:
        """Learn from a worker how many tests there are."""
        self.progress.total = len(list(ids))

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Count a test that has ended."""
        if report.when == "teardown":
            self.progress.add()


def plugin() -> Sliced | None:
    """Return the plugin, if the environment asks for a slice, or for a long run."""
    text = os.environ.get("GRADWALK_SLICE", "")
    return Sliced(Slice(text) if text else None) if text or THOROUGH else None


if __name__ == "__main__":
    print(today(*map(int, sys.argv[1:])))
