"""The HTTP routes of the lessons, and of the check of answers."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import BaseRoute, Route

from ...errors import GradwalkError
from .answers import judge
from .reading import Choice, Question, courses, lessons

__all__ = ["routes"]


def routes() -> list[BaseRoute]:
    """Return the routes of the lessons for the studio's server."""
    return [
        Route("/api/lessons", _lessons),
        Route("/api/lessons/answer", _answer, methods=["POST"]),
    ]


async def _lessons(request: Request) -> Response:
    return JSONResponse([course.page() for course in courses()])


async def _answer(request: Request) -> Response:
    """Judge ``{"lesson": "1", "question": "forward", "answer": "-10"}``; 422 if not a number."""
    question, answer = _asked(await _record(request))
    try:
        judgement = judge(question, answer)
    except GradwalkError as error:
        parts = {"where": error.where, "expected": error.expected, "got": error.got}
        return JSONResponse({**parts, "fix": error.fix}, status_code=422)
    return JSONResponse(asdict(judgement))


async def _record(request: Request) -> dict[str, Any]:
    try:
        record = await request.json()
    except (ValueError, RecursionError):  # also integers of 5,000 digits, and deep brackets
        raise HTTPException(400, "The request is not JSON.") from None
    if not isinstance(record, dict) or not isinstance(record.get("answer"), str):
        raise HTTPException(400, 'Expected {"lesson": "1", "question": "...", "answer": "..."}.')
    return record


def _asked(record: dict[str, Any]) -> tuple[Question | Choice, str]:
    for lesson in lessons():
        if lesson.id == record.get("lesson"):
            for name, question in lesson.questions.items():
                if name == record.get("question"):
                    return question, record["answer"]
    raise HTTPException(404, "There is no such question.")
