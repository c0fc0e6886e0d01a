"""The process of a learner's file: what it prints is kept, and a run can be cancelled."""

from __future__ import annotations

import os
import threading
import time
from pathlib import Path

import pytest

from gradwalk.workshop import check_text
from gradwalk.workshop.process import watch
from gradwalk.workshop.programs import jobs

pytestmark = pytest.mark.skipif(os.name != "posix", reason="the judge needs POSIX processes")


@pytest.mark.parametrize("count", [1, 3])
def test_what_a_file_prints_is_kept(count: int) -> None:
    report = check_text("print('begun')\n" * count + "class Value:\n    pass\n")
    assert report.printed == "begun\n" * count


def test_a_cancelled_run_ends_and_keeps_what_was_printed(tmp_path: Path) -> None:
    trace, cancelled = tmp_path / "trace", threading.Event()
    text = f"print('begun')\nopen({str(trace)!r}, 'w').close()\nwhile True: pass\n"

    def cancel() -> None:
        until = time.monotonic() + 30
        while not trace.exists() and time.monotonic() < until:
            time.sleep(0.02)
        cancelled.set()

    thread = threading.Thread(target=cancel)
    thread.start()
    seen = watch(text, "mine.py", jobs(), 60.0, cancelled)
    thread.join()
    assert trace.exists()
    assert seen.unusable == {"type": "", "message": "the run was cancelled", "line": None}
    assert (seen.printed, seen.restarts, seen.out_of_time) == ("begun\n", 0, False)


def test_a_run_that_is_cancelled_before_it_begins_is_unusable() -> None:
    cancelled = threading.Event()
    cancelled.set()
    report = check_text("class Value:\n    pass\n", cancelled=cancelled)
    assert report.verdict == "unusable"
    assert report.error == {"line": None, "message": "the run was cancelled"}
