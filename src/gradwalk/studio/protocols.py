"""The server's connections, each with a deadline: no client can hold one open with half a request.

A program that sends the headers of a request one byte at a time, a body without an end, or the
fragments of a message without the last would otherwise keep its connection for ever.
"""

from __future__ import annotations

from asyncio import AbstractEventLoop, TimerHandle, Transport
from collections.abc import Callable

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol
from uvicorn.protocols.websockets.websockets_sansio_impl import WebSocketsSansIOProtocol

__all__ = ["HTTP", "PATIENCE", "Sockets"]

PATIENCE = 20.0
"""The number of seconds in which a request, or a message, has to be complete."""

TOO_SLOW = 1008, "The message was not completed in time."


class Deadline:
    """A timer that runs from the start of a request to its end."""

    _timer: TimerHandle | None = None

    def watch(self, waits: bool, loop: AbstractEventLoop, end: Callable[[], object]) -> None:
        """Call ``end`` unless ``waits`` is False in time. Later calls do not extend the time."""
        if not waits:
            self.stop()
        elif self._timer is None:
            self._timer = loop.call_later(PATIENCE, end)

    def stop(self) -> None:
        """Stop waiting."""
        if self._timer is not None:
            self._timer.cancel()
        self._timer = None


class HTTP(H11Protocol):
    """A connection that is closed if a request takes too long to arrive."""

    def connection_made(self, transport: Transport) -> None:  # type: ignore[override]
        """Expect the first request."""
        super().connection_made(transport)
        self.deadline = Deadline()
        self._watch()

    def data_received(self, data: bytes) -> None:
        """Read a part of a request, or of several."""
        super().data_received(data)
        self._watch()

    def connection_lost(self, exc: Exception | None) -> None:
        """End the deadline with the connection."""
        self.deadline.stop()
        super().connection_lost(exc)

    def _watch(self) -> None:
        is_ours = self.transport.get_protocol() is self  # otherwise it has become a WebSocket
        waits = is_ours and self.conn.their_state in (h11.IDLE, h11.SEND_BODY)
        self.deadline.watch(waits, self.loop, self.transport.close)


class Sockets(WebSocketsSansIOProtocol):
    """A WebSocket that is closed if the fragments of a message take too long to arrive."""

    def connection_made(self, transport: Transport) -> None:  # type: ignore[override]
        """Expect the first message."""
        super().connection_made(transport)
        self.deadline = Deadline()

    def data_received(self, data: bytes) -> None:
        """Read frames. An incomplete frame ends with the next ping, which has no answer."""
        super().data_received(data)
        self.deadline.watch(bool(self.frames), self.loop, self._refuse)

    def connection_lost(self, exc: Exception | None) -> None:
        """End the deadline with the connection."""
        self.deadline.stop()
        super().connection_lost(exc)

    def _refuse(self) -> None:
        self.conn.fail(*TOO_SLOW)
        self.transport.write(b"".join(self.conn.data_to_send()))
        self.close_sent = True
        self.transport.close()
