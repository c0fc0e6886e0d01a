"""The route of the workshop: it runs the learner's file on this computer, and judges it."""

from __future__ import annotations

import asyncio
from importlib import import_module
from threading import Event

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import BaseRoute, Route

__all__ = ["MOST", "cancel_all", "routes"]

TIMEOUT = 60.0
"""Seconds after which the process of the file is ended."""

MOST = 4
"""The number of files that may run at once. Each takes a process, and up to 2 GiB."""

POLL = 0.2
"""Seconds between two looks at whether the page still waits for its answer."""

_running: set[Event] = set()
"""The runs of this process, by the events that cancel them."""


def routes() -> list[BaseRoute]:
    """Return the route of the workshop for the studio's server."""
    return [Route("/api/workshop", _check, methods=["POST"])]


def cancel_all() -> None:
    """End the processes of all files, because the studio ends."""
    for cancelled in _running:
        cancelled.set()


async def _check(request: Request) -> Response:
    """Judge ``{"source": "class Value: ...", "name": "my_engine.py"}``.

    The file runs in a process of its own, which the judge starts and ends. It is ended at once if
    the page no longer waits: the user has stopped the run, or closed the page.
    """
    source, name = await _file(request)
    if len(_running) >= MOST:
        raise HTTPException(429, f"{MOST} files are running. Stop one, or wait.")
    judge = import_module("gradwalk.workshop").check_text
    cancelled = Event()
    _running.add(cancelled)
    try:
        run = asyncio.create_task(
            asyncio.to_thread(judge, source, name, timeout=TIMEOUT, cancelled=cancelled)
        )
        while not (await asyncio.wait({run}, timeout=POLL))[0]:
            if await request.is_disconnected():
                cancelled.set()
        return JSONResponse(run.result().as_json())
    finally:
        cancelled.set()  # also if the server cancels this request
        _running.remove(cancelled)


async def _file(request: Request) -> tuple[str, str]:
    try:
        record = await request.json()
    except (ValueError, RecursionError):  # also integers of 5,000 digits, and deep brackets
        raise HTTPException(400, "The request is not JSON.") from None
    source = record.get("source") if isinstance(record, dict) else None
    if not isinstance(source, str):
        raise HTTPException(400, 'Expected {"source": "...", "name": "my_engine.py"}.')
    return source, str(record.get("name") or "my_engine.py")
