"""The studio's server: the built page, the graph that was asked for, and the training room."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from importlib import import_module
from pathlib import Path
from typing import Any

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import BaseRoute, Route, WebSocketRoute
from starlette.types import ASGIApp
from starlette.websockets import WebSocket

from . import assets, lessons
from .security import Guard, Refused, answer_refused

__all__ = ["create_app"]


def create_app(
    token: str,
    document: Mapping[str, Any] | None = None,
    *,
    allowed_hosts: Collection[str],
    static: Path | None = None,
) -> ASGIApp:
    """The studio as an ASGI application, behind its locks (see `security`).

    ``token``          what every visitor has to show
    ``document``       the graph that the page opens with, as `document_of` gives it
    ``allowed_hosts``  the names and ports under which it may be asked, as `hosts_of` gives them
    ``static``         where the built page lies, if not in the package
    """
    folder = static or assets.STATIC
    assets.asset("studio.html", folder)  # said now, not to every visitor

    async def page(request: Request) -> Response:
        return _file(folder / "studio.html")

    async def graph(request: Request) -> Response:
        return JSONResponse(document)

    async def built(request: Request) -> Response:
        return _built(folder, request.path_params["name"])

    routes: list[BaseRoute] = [
        Route("/", page),
        Route("/api/document", graph),
        WebSocketRoute("/ws/train", _train),
        *lessons.routes(),
        Route("/{name}", built),  # the last: it would answer for every other
    ]
    handlers: dict[Any, Any] = {Refused: answer_refused}
    return Guard(Starlette(routes=routes, exception_handlers=handlers), token, allowed_hosts)


def _built(folder: Path, name: str) -> Response:
    """A file of the page; the names are looked up, so that none can lead out of the folder."""
    found = {path.name: path for path in folder.iterdir() if path.suffix in assets.TYPES}
    if name not in found:
        raise HTTPException(404, f"The page has no file {name!r}.")
    return _file(found[name])


def _file(path: Path) -> Response:
    return Response(path.read_bytes(), media_type=assets.TYPES[path.suffix])


async def _train(socket: WebSocket) -> None:
    """The training room, which loads NumPy: so only when somebody enters it."""
    channel = import_module(".training.channel", __package__).channel
    await channel(socket)
