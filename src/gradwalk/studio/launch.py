"""Start of the studio: a port, a token, the browser, and a quiet end."""

from __future__ import annotations

import os
import secrets
import socket
import threading
import webbrowser
from collections.abc import Callable, Mapping
from contextlib import suppress
from errno import EADDRNOTAVAIL
from ipaddress import ip_address
from pathlib import Path
from typing import Any

import uvicorn

from ..errors import OptionError
from . import workshop
from .protocols import HTTP, Sockets
from .security import LIMIT, hosts_of
from .server import create_app

__all__ = ["PORT", "address", "is_loopback", "listening", "serve"]

PORT = 8421
"""The first port to try. If it is taken, the next free one is used."""

TRIES = 20


def serve(
    document: Mapping[str, Any] | None = None,
    *,
    host: str = "127.0.0.1",
    port: int | None = None,
    browser: bool = True,
    say: Callable[[str], object] = print,
    static: Path | None = None,
) -> None:
    """Run the studio until Ctrl-C. ``say`` is called with its address once the server is ready."""
    with listening(host, port) as door:
        port = door.getsockname()[1]
        token = secrets.token_urlsafe(24)
        app = create_app(token, document, allowed_hosts=hosts_of(host, port), static=static)
        url = f"{address(host, port)}?token={token}"

        def ready() -> None:
            say(url)
            if browser:  # in a thread, because some browsers block until they are closed
                threading.Thread(target=webbrowser.open, args=(url,), daemon=True).start()

        with suppress(KeyboardInterrupt):  # Ctrl-C is the normal end
            _Server(_settings(app), ready).run(sockets=[door])


class _Server(uvicorn.Server):
    """A server that calls ``ready`` once it accepts connections, and ends with all its runs."""

    def __init__(self, config: uvicorn.Config, ready: Callable[[], None]) -> None:
        super().__init__(config)
        self.ready = ready

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        self.ready()

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        workshop.cancel_all()
        await super().shutdown(sockets)


def _settings(app: Any) -> uvicorn.Config:
    return uvicorn.Config(
        app,
        lifespan="off",
        log_level="warning",
        access_log=False,
        server_header=False,
        http=HTTP,
        ws=Sockets,
        ws_max_size=4 * LIMIT,  # moderate excess gets a readable answer
        timeout_graceful_shutdown=1,
    )


def address(host: str, port: int) -> str:
    """Return the address for a browser on this machine.

    >>> address("0.0.0.0", 8421)
    'http://127.0.0.1:8421/'
    """
    shown = "127.0.0.1" if host in ("0.0.0.0", "::") else f"[{host}]" if ":" in host else host
    return f"http://{shown}:{port}/"


def is_loopback(host: str) -> bool:
    """Return whether only programs on this machine can reach a server at ``host``.

    >>> is_loopback("localhost"), is_loopback("127.0.0.1"), is_loopback("0.0.0.0")
    (True, True, False)
    """
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def listening(host: str, port: int | None) -> socket.socket:
    """Return a socket that listens at ``port`` (0: any), by default the first free one."""
    asked = range(PORT, PORT + TRIES) if port is None else (port,)
    fix = "Write --port 0 for any free port, or end what is running there."
    for number in asked:
        try:
            return _bound(host, number)
        except OSError as error:
            reason = error.strerror or str(error)
            if error.errno == EADDRNOTAVAIL or isinstance(error, socket.gaierror):
                fix = "Write --host with an address of this machine, such as 127.0.0.1."
    ports = f"port {port}" if port is not None else f"ports {PORT} to {PORT + TRIES - 1}"
    raise OptionError(
        where="gradwalk studio",
        expected=f"a free port at {host}",
        got=f"{ports}: {reason}",
        fix=fix,
    )


def _take_over(door: socket.socket) -> None:
    """Allow a restarted studio to reuse its port, because open pages refer to it by its port.

    Otherwise closed connections block the port for a minute. Windows does not need the option, and
    would let two programs listen at once.
    """
    if os.name == "posix":
        door.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)


def _bound(host: str, port: int) -> socket.socket:
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    door = socket.socket(family, socket.SOCK_STREAM)
    try:
        _take_over(door)
        door.bind((host, port))
        door.listen()
    except OSError:
        door.close()
        raise
    return door
