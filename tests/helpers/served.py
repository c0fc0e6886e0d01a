"""A server of plain files that notes what it is asked."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

__all__ = ["served"]


class Noted(SimpleHTTPRequestHandler):
    """A server of files that notes what it is asked. A page may ask for any ``/told/...``."""

    def __init__(self, *args: Any, asked: list[str], **options: Any) -> None:
        self.asked = asked
        super().__init__(*args, **options)

    def do_GET(self) -> None:
        self.asked.append(self.path)
        if self.path.startswith("/told/"):
            self.send_response(204)
            self.end_headers()
        else:
            super().do_GET()

    def do_POST(self) -> None:
        self.asked.append(self.path)
        self.send_error(405)

    def log_message(self, *args: Any) -> None:
        """Say nothing on the terminal."""


@contextmanager
def served(folder: Path) -> Iterator[tuple[str, list[str]]]:
    """Serve a folder. Yield the address, and the list of the paths that are asked for."""
    asked: list[str] = []
    handler = partial(Noted, directory=str(folder), asked=asked)
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}/", asked
        server.shutdown()
