"""The route of the workshop, and the processes that it starts: none outlives its reader."""

from __future__ import annotations

import asyncio
import http.client
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import httpx
import pytest

from gradwalk.studio import security, server, workshop
from gradwalk.studio.security import hosts_of

from ..workshop.engines import ENGINES
from ..workshop.mistakes import FOUND

pytestmark = pytest.mark.skipif(os.name != "posix", reason="the judge needs POSIX processes")

TOKEN = "the-token-of-this-run"
HOST = "127.0.0.1:8421"
KEY = {"x-gradwalk-token": TOKEN}
PLACE = "/api/workshop"
RIGHT = ENGINES["closures"].text
[WRONG] = [m.text for m in FOUND if (m.id, m.base) == ("tanh_from_x", "closures")]
SOON = 30.0
"""Seconds after which a test gives up to wait."""


@pytest.fixture
def app(tmp_path: Path) -> Any:
    (tmp_path / "studio.html").write_text("<!doctype html><title>the studio</title>", "utf-8")
    return server.create_app(TOKEN, allowed_hosts=hosts_of("127.0.0.1", 8421), static=tmp_path)


def post(app: Any, *sent: Any, **options: Any) -> list[httpx.Response]:
    """Send requests at the same time, and return the answers."""

    async def run() -> list[httpx.Response]:
        transport = httpx.ASGITransport(app=app)
        async with httpx.AsyncClient(transport=transport, base_url=f"http://{HOST}") as client:
            asked = (client.post(PLACE, **({"headers": KEY} | options | one)) for one in sent)
            return list(await asyncio.gather(*asked))

    return asyncio.run(run())


def source(text: str) -> dict[str, Any]:
    return {"json": {"source": text, "name": "mine.py"}}


# --- answers --------------------------------------------------------------------------------------


def test_two_files_run_at_once_and_each_gets_its_own_report(app: Any) -> None:
    right, wrong = (answer.json() for answer in post(app, source(RIGHT), source(WRONG)))
    assert (right["verdict"], right["file"]) == ("right", "mine.py")
    assert not [mistake for mistake in right["mistakes"] if mistake["level"] == "wrong"]
    assert wrong["verdict"] == "wrong"
    assert "the derivative of tanh is computed from x" in wrong["mistakes"][0]["title"]
    assert not workshop._running


@pytest.mark.parametrize(
    "sent",
    [
        {"content": b"class Value: ..."},
        {"content": b""},
        {"content": b"[" * 100_000},
        {"json": {"name": "mine.py"}},
        {"json": {"source": 3}},
        {"json": ["class Value: ..."]},
    ],
    ids=["text", "nothing", "brackets", "no source", "a number", "a list"],
)
def test_what_is_no_file_is_refused(app: Any, sent: dict[str, Any]) -> None:
    [answer] = post(app, sent)
    assert answer.status_code == 400
    assert "JSON" in answer.text or '{"source"' in answer.text


@pytest.mark.parametrize(
    "headers",
    [
        {},
        {"x-gradwalk-token": "another"},
        {"cookie": f"gradwalk-token-8421={TOKEN}"},
        {"cookie": f"gradwalk-token-8421={TOKEN}", "origin": "http://evil.example"},
    ],
    ids=["no token", "a wrong token", "no origin", "another origin"],
)
def test_only_the_page_of_this_studio_may_run_a_file(
    app: Any, tmp_path: Path, headers: dict[str, str]
) -> None:
    trace = tmp_path / "ran"
    [answer] = post(app, source(f"open({str(trace)!r}, 'w')"), headers=headers)
    assert answer.status_code == 403
    assert not trace.exists()


def test_a_file_that_is_too_long_is_refused(app: Any) -> None:
    [answer] = post(app, source("#" * (security.LIMIT + 1)))
    assert answer.status_code == 413


def test_only_so_many_files_run_at_once(app: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(workshop, "MOST", 2)
    answers = post(app, *[source("print(1)")] * 3)
    assert sorted(answer.status_code for answer in answers) == [200, 200, 429]
    assert [answer.status_code for answer in post(app, source("print(1)"))] == [200]


# --- processes ------------------------------------------------------------------------------------

SERVE = """
import sys
from functools import partial
from pathlib import Path
from gradwalk.studio.launch import serve
serve(port=0, browser=False, say=partial(print, flush=True), static=Path(sys.argv[1]))
"""

HANGING = """
import os, subprocess, sys
child = subprocess.Popen([sys.executable, "-c", "while True: pass"])
with open({trace!r} + ".new", "w") as trace:
    print(os.getpid(), child.pid, file=trace)
os.rename({trace!r} + ".new", {trace!r})
class Value:
    def __init__(self, data):
        while True: pass
"""
"""A file that starts another process, and then never ends."""


@contextmanager
def studio(folder: Path) -> Iterator[tuple[subprocess.Popen[str], str]]:
    (folder / "studio.html").write_text("<!doctype html><title>the studio</title>", "utf-8")
    with subprocess.Popen(
        [sys.executable, "-c", SERVE, str(folder)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        try:
            assert process.stdout is not None
            yield process, process.stdout.readline().strip()
        finally:
            process.kill()


@pytest.fixture
def hung() -> Iterator[list[int]]:
    """The processes of the files; none outlives its test, whatever the studio does."""
    numbers: list[int] = []
    yield numbers
    for number in numbers:
        with suppress(ProcessLookupError):
            os.kill(number, signal.SIGKILL)


def started(url: str, trace: Path) -> tuple[http.client.HTTPConnection, list[int]]:
    """Send a file that never ends. Return the open request, and the processes of the file."""
    place = urlsplit(url)
    client = http.client.HTTPConnection(place.netloc, timeout=SOON)
    headers = {"x-gradwalk-token": place.query.partition("=")[2]}
    client.request("POST", PLACE, json.dumps({"source": HANGING.format(trace=str(trace))}), headers)
    assert eventually(trace.exists), "the file was never run"
    return client, [int(word) for word in trace.read_text("utf-8").split()]


def eventually(holds: Any) -> bool:
    until = time.monotonic() + SOON
    while not holds():
        if time.monotonic() > until:
            return False
        time.sleep(0.05)
    return True


def gone(number: int) -> bool:
    try:
        os.kill(number, 0)
    except ProcessLookupError:
        return True
    stat = Path(f"/proc/{number}/stat")
    return stat.exists() and stat.read_text().rpartition(")")[2].split()[0] == "Z"


def test_a_reader_who_leaves_ends_the_processes_of_the_file(
    tmp_path: Path, hung: list[int]
) -> None:
    with studio(tmp_path) as (process, url):
        client, first = started(url, tmp_path / "first")
        hung += first
        other, second = started(url, tmp_path / "second")
        hung += second
        assert not any(map(gone, hung))
        client.close()
        assert eventually(lambda: all(map(gone, first))), "the first file goes on"
        assert not gone(second[0]), "the other reader still waits"
        other.close()
        assert eventually(lambda: all(map(gone, second))), "the second file goes on"
        assert process.poll() is None, "the studio lives"


@pytest.mark.parametrize("word", [signal.SIGINT, signal.SIGTERM])
def test_the_studio_ends_quietly_with_the_processes_of_a_file(
    tmp_path: Path, word: signal.Signals, hung: list[int]
) -> None:
    with studio(tmp_path) as (process, url):
        client, numbers = started(url, tmp_path / "trace")
        hung += numbers
        process.send_signal(word)
        _, errors = process.communicate(timeout=SOON)
        client.close()
        assert errors == ""
        assert eventually(lambda: all(map(gone, numbers))), "the file goes on"
