"""The studio's server: the built page, the graph, training, and the workshop."""

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

from . import assets, lessons, workshop
from .security import Guard, Refused, answer_refused

__all__ = ["create_app"]


def create_app(
    token: str,
    document: Mapping[str, Any] | None = None,
    *,
    allowed_hosts: Collection[str],
    static: Path | None = None,
) -> ASGIApp:
    """Return the studio as an ASGI application, behind the checks of `security`.

    ``token``          the secret of this run, which every visitor must send
    ``document``       the graph that the page opens with, from `document_of`
    ``allowed_hosts``  the allowed hosts and ports, from `hosts_of`
    ``static``         the folder of the built page, by default in the package
    """
    folder = static or assets.STATIC
    assets.asset("studio.html", folder)  # report a missing page at the start

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
        *workshop.routes(),
        Route("/{name}", built),  # last, because it matches every name
    ]
    handlers: dict[Any, Any] = {Refused: answer_refused}
    return Guard(Starlette(routes=routes, exception_handlers=handlers), token, allowed_hosts)


def _built(folder: Path, name: str) -> Response:
    """Return a file of the page. Names are looked up, so that none can leave the folder."""
    found = {path.name: path for path in folder.iterdir() if path.suffix in assets.TYPES}
    if name not in found:
        raise HTTPException(404, f"The page has no file {name!r}.")
    return _file(found[name])


def _file(path: Path) -> Response:
    return Response(path.read_bytes(), media_type=assets.TYPES[path.suffix])


async def _train(socket: WebSocket) -> None:
    """Serve the training page, which is imported on first use because it loads NumPy."""
    channel = import_module(".training.channel", __package__).channel
    await channel(socket)
