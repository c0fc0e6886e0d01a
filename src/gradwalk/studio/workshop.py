"""The route of the workshop: it runs the learner's file on this computer, and judges it."""

from __future__ import annotations

from importlib import import_module

from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import BaseRoute, Route

__all__ = ["routes"]

TIMEOUT = 60.0
"""Seconds after which the process of the file is ended."""


def routes() -> list[BaseRoute]:
    """Return the route of the workshop for the studio's server."""
    return [Route("/api/workshop", _check, methods=["POST"])]


async def _check(request: Request) -> Response:
    """Judge ``{"source": "class Value: ...", "name": "my_engine.py"}``.

    The file runs in a process of its own, which the judge starts and ends.
    """
    source, name = await _file(request)
    judge = import_module("gradwalk.workshop").check_text
    report = await run_in_threadpool(judge, source, name, timeout=TIMEOUT)
    return JSONResponse(report.as_json())


async def _file(request: Request) -> tuple[str, str]:
    try:
        record = await request.json()
    except (ValueError, RecursionError):  # also integers of 5,000 digits, and deep brackets
        raise HTTPException(400, "The request is not JSON.") from None
    source = record.get("source") if isinstance(record, dict) else None
    if not isinstance(source, str):
        raise HTTPException(400, 'Expected {"source": "...", "name": "my_engine.py"}.')
    return source, str(record.get("name") or "my_engine.py")
