"""The WebSocket of the training page: requests come in, at most thirty frames a second go out.

Frames are not queued. The next one is made after the page has shown the last, so a slow page sees
fewer frames, not older ones. Between frames a worker thread makes updates in slices of at most
25 ms, as many as time allows, up to the number per frame that the page requests. If a frame has not
been shown for a second, the training pauses, so that a hidden page does not keep the machine busy.

When the connection drops, the run pauses after the current slice. When its tab comes back
(`sessions`), it resumes.
"""

from __future__ import annotations

import asyncio
import json
import logging
import threading
import time
from collections.abc import Callable
from typing import Any, TypeVar

from starlette.websockets import WebSocket, WebSocketDisconnect, WebSocketState

from ...errors import DataError, GradwalkError
from .requests import Request, read, refusal
from .session import Session
from .sessions import Sessions

__all__ = ["FRAME", "LATE", "PATIENCE", "SLICE", "TAKEN_OVER", "channel"]

FRAME = 1 / 30
"""The minimal number of seconds between two frames."""

LATE = 2 * FRAME
"""The delay of a frame, in seconds, that does not shift the frames after it."""

SLICE = 0.025
"""The length of a slice of updates in seconds. Requests are read between slices."""

PATIENCE = 1.0
"""The number of seconds after which a frame that was not shown pauses the training."""

WAITING = 64
"""The capacity of the queue of requests. When it is full, reading from the socket stops."""

FULL, TAKEN_OVER = 1013, 4001


class _Crowd:
    """The connections of this process, whose trainings yield to each other.

    Python runs one thread at a time, for up to 5 ms. A frame switches threads several times, so it
    would be late if the training of another tab never paused. Therefore each training sleeps
    briefly after every update if there is another connection.
    """

    def __init__(self) -> None:
        self._lock, self._count = threading.Lock(), 0

    def __enter__(self) -> None:
        with self._lock:
            self._count += 1

    def __exit__(self, *_: object) -> None:
        with self._lock:
            self._count -= 1

    def give_way(self) -> None:
        """Let other threads run."""
        if self._count > 1:
            time.sleep(1e-5)


_crowd = _Crowd()
_SESSIONS = Sessions()
_log = logging.getLogger(__name__)
_T = TypeVar("_T")


async def channel(socket: WebSocket, sessions: Sessions = _SESSIONS) -> None:
    """Serve one connection to its end.

    ``?session=NAME`` resumes that session. ``&tab=ANY`` distinguishes a tab from its duplicate.
    """
    await socket.accept()
    connection, asked = _Connection(socket), socket.query_params
    name, tab = asked.get("session", ""), asked.get("tab", "")
    try:
        session, resumed = sessions.enter(name, tab, connection)
    except DataError as error:
        await socket.send_text(json.dumps(refusal(error)))
        await socket.close(FULL)
        return
    try:
        with _crowd:
            await connection.serve(session, resumed)
    finally:
        sessions.leave(session, connection)


class _Connection:
    """One connection: its socket, and the frame that it has not confirmed yet."""

    session: Session

    def __init__(self, socket: WebSocket) -> None:
        self._socket, self._loop = socket, asyncio.get_running_loop()
        self._requests: asyncio.Queue[Request | GradwalkError | None] = asyncio.Queue(WAITING)
        self._is_over = self._is_taken_over = False
        self._on_its_way: int | None = None
        self._due = self._sent = 0.0

    def leave(self) -> None:
        """End because the same tab has reconnected. May be called from any thread."""
        self._loop.call_soon_threadsafe(self._end, True)

    def _end(self, taken_over: bool = False) -> None:
        self._is_over, self._is_taken_over = True, self._is_taken_over or taken_over
        if self._requests.empty():
            self._requests.put_nowait(None)  # wakes the loop that waits for a request

    async def serve(self, session: Session, resumed: bool) -> None:
        """Answer requests and send frames, until the connection ends or is taken over."""
        self.session = session
        reader = asyncio.create_task(self._read())
        try:
            hello = await self._work(self._greet, resumed)
            await self._send(json.dumps(hello))
            while not self._is_over:
                await self._turn()
            if self._is_taken_over:
                await self._socket.close(TAKEN_OVER)
        except WebSocketDisconnect:
            pass  # the page may reconnect, so the session is kept
        finally:
            reader.cancel()

    def _greet(self, resumed: bool) -> dict[str, Any]:
        self.session.meet()
        return self.session.hello(resumed)

    async def _read(self) -> None:
        """Read all messages, also while updates are made."""
        while (message := await self._socket.receive())["type"] != "websocket.disconnect":
            await self._requests.put(_understood(message.get("text")))
        self._end()

    # --- one turn of the loop ---------------------------------------------------------------------

    async def _turn(self) -> None:
        """Answer a request, or else send a frame if one is due, or else train, or else wait."""
        request = await self._next(self._pause())
        if request is not None:
            await self._answer(request)
        elif self._is_over:
            return
        elif self._shows_next_in() == 0.0:
            await self._show()
        elif self._may_train():
            now = time.perf_counter()  # while a due frame waits for the page, slices are short
            end = min(now + SLICE, max(self._due, now + SLICE / 5))
            await self._guarded(self.session.advance, end, _crowd.give_way)

    def _pause(self) -> float | None:
        """Return how many seconds to wait for a request before other work is due.

        ``None`` means no limit.
        """
        return 0.0 if self._may_train() else self._shows_next_in()

    def _shows_next_in(self) -> float | None:
        """Return the seconds until the next frame, ``None`` if the page does not expect one."""
        if not self.session.news or self._on_its_way is not None:
            return None
        return max(0.0, self._due - time.perf_counter())

    def _may_train(self) -> bool:
        waits = self._on_its_way is not None and time.perf_counter() - self._sent > PATIENCE
        return self.session.has_work and not waits

    async def _next(self, seconds: float | None) -> Request | GradwalkError | None:
        if seconds == 0.0 or not self._requests.empty():
            return None if self._requests.empty() else self._requests.get_nowait()
        try:
            async with asyncio.timeout(seconds):
                return await self._requests.get()
        except TimeoutError:
            return None

    async def _answer(self, request: Request | GradwalkError) -> None:
        if isinstance(request, GradwalkError):
            await self._send(json.dumps(refusal(request)))
        elif request.type == "shown":
            if request.content == self._on_its_way:
                self._on_its_way = None
        else:
            reply = await self._guarded(self.session.obey, request)
            if reply is not None:
                await self._send(await asyncio.to_thread(json.dumps, reply))

    async def _show(self) -> None:
        now = time.perf_counter()  # a small delay does not shift the next frames
        self._due = (self._due if now - self._due < LATE else now) + FRAME
        made = await self._guarded(self.session.frame)
        if made is not None:
            self._on_its_way, text = made
            self._sent = time.perf_counter()
            await self._send(text)

    # --- work in another thread -------------------------------------------------------------------

    async def _work(self, action: Callable[..., _T], *content: Any) -> _T:
        """Run an action on the session in a worker thread, so that the event loop stays free."""

        def alone() -> _T:
            with self.session.lock:
                return action(*content)

        return await asyncio.to_thread(alone)

    async def _guarded(self, action: Callable[..., _T], *content: Any) -> _T | None:
        """Run an action in a worker thread, and send an error to the page instead of raising it."""
        try:
            return await self._work(action, *content)
        except GradwalkError as error:
            await self._send(json.dumps(refusal(error)))
        except Exception as error:
            _log.exception("The training has failed.")
            self.session.rest()
            self.session.news = action != self.session.frame  # a failed frame would fail again
            await self._send(json.dumps(refusal(_failure(error))))
        return None

    async def _send(self, text: str) -> None:
        if self._socket.application_state is WebSocketState.CONNECTED:
            await self._socket.send_text(text)


def _understood(text: str | None) -> Request | GradwalkError:
    """Return the request in a message, or the error if it has none."""
    try:
        return read(text)
    except GradwalkError as error:
        return error
    except Exception as error:
        _log.exception("Reading a message has failed.")
        return _failure(error)


def _failure(error: Exception) -> GradwalkError:
    return GradwalkError(
        where="training",
        expected="an answer",
        got=f"{type(error).__name__}: {error}",
        fix="Rewind the training, and report this defect with the log of the server.",
    )
