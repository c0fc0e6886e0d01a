"""The WebSocket of the training room: requests come in, at most thirty frames a second go out.

One frame at a time is on its way: the next one is made when the page has shown the last, of the run
as it is then, so that nothing queues up before a page that is slow, and the page is never behind.
Updates are made in between, in slices of at most 25 ms in a worker thread: as many as there is time
for, but not more per frame than the page has asked for. If a frame has not been shown for a second
the training waits: a page that nobody sees does not keep the machine busy.

When the connection drops, the run stands still after the slice of that moment; when its tab is back
(`sessions`) it goes on, if it was going.
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
"""Seconds between two frames, at least."""

LATE = 2 * FRAME
"""Seconds that a frame may be late and the next ones still come when they would have come."""

SLICE = 0.025
"""Seconds of updates after which requests are looked at again."""

PATIENCE = 1.0
"""Seconds after which a frame that has not been shown makes the training wait."""

WAITING = 64
"""Requests that may wait; further ones stay with the sender."""

FULL, TAKEN_OVER = 1013, 4001


class _Crowd:
    """The connections of this process, whose trainings give way to each other.

    Python runs one thread at a time and lets it go on for 5 ms. A frame asks for its turn so many
    times, in this thread and that one, that it would come too late against another tab's training
    that never pauses. So each training pauses for a moment after every update, if it is not alone.
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
        """Let other threads go on."""
        if self._count > 1:
            time.sleep(1e-5)


_crowd = _Crowd()
_SESSIONS = Sessions()
_log = logging.getLogger(__name__)
_T = TypeVar("_T")


async def channel(socket: WebSocket, sessions: Sessions = _SESSIONS) -> None:
    """Serve one connection to its end.

    ``?session=NAME`` resumes that session, ``&tab=ANY`` tells the same tab from a duplicate.
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
    """One connection: who is at the other end, and which frame is on its way there."""

    session: Session

    def __init__(self, socket: WebSocket) -> None:
        self._socket, self._loop = socket, asyncio.get_running_loop()
        self._requests: asyncio.Queue[Request | GradwalkError | None] = asyncio.Queue(WAITING)
        self._is_over = self._is_taken_over = False
        self._on_its_way: int | None = None
        self._due = self._sent = 0.0

    def leave(self) -> None:
        """End, since the same tab has come back; from any thread."""
        self._loop.call_soon_threadsafe(self._end, True)

    def _end(self, taken_over: bool = False) -> None:
        self._is_over, self._is_taken_over = True, self._is_taken_over or taken_over
        if self._requests.empty():
            self._requests.put_nowait(None)  # wakes whoever waits for a request

    async def serve(self, session: Session, resumed: bool) -> None:
        """Answer and show, until the other end is gone or another connection takes over."""
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
            pass  # the other end is gone in the middle of a message: the session waits for it
        finally:
            reader.cancel()

    def _greet(self, resumed: bool) -> dict[str, Any]:
        self.session.meet()
        return self.session.hello(resumed)

    async def _read(self) -> None:
        """Take in every message, also while updates are made."""
        while (message := await self._socket.receive())["type"] != "websocket.disconnect":
            await self._requests.put(_understood(message.get("text")))
        self._end()

    # --- one turn of the loop ---------------------------------------------------------------------

    async def _turn(self) -> None:
        """A request if there is one; else a frame if it is time; else some updates; else wait."""
        request = await self._next(self._pause())
        if request is not None:
            await self._answer(request)
        elif self._is_over:
            return
        elif self._shows_next_in() == 0.0:
            await self._show()
        elif self._may_train():
            now = time.perf_counter()  # a frame that is due waits for the page's word: short slices
            end = min(now + SLICE, max(self._due, now + SLICE / 5))
            await self._guarded(self.session.advance, end, _crowd.give_way)

    def _pause(self) -> float | None:
        """Seconds for which there is nothing to do unless a request comes; ``None``: no end."""
        return 0.0 if self._may_train() else self._shows_next_in()

    def _shows_next_in(self) -> float | None:
        """Seconds until the next frame; ``None`` if the page is not waiting for one."""
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
        now = time.perf_counter()  # frames that are a little late do not put off the next ones
        self._due = (self._due if now - self._due < LATE else now) + FRAME
        made = await self._guarded(self.session.frame)
        if made is not None:
            self._on_its_way, text = made
            self._sent = time.perf_counter()
            await self._send(text)

    # --- work in another thread -------------------------------------------------------------------

    async def _work(self, deed: Callable[..., _T], *content: Any) -> _T:
        """Do something with the session in a worker thread, so that the others are not kept."""

        def alone() -> _T:
            with self.session.lock:
                return deed(*content)

        return await asyncio.to_thread(alone)

    async def _guarded(self, deed: Callable[..., _T], *content: Any) -> _T | None:
        """The same; an error is an answer, and does not end the session."""
        try:
            return await self._work(deed, *content)
        except GradwalkError as error:
            await self._send(json.dumps(refusal(error)))
        except Exception as error:
            _log.exception("The training room has failed.")
            self.session.rest()
            self.session.news = deed != self.session.frame  # which would fail again, for ever
            await self._send(json.dumps(refusal(_failure(error))))
        return None

    async def _send(self, text: str) -> None:
        if self._socket.application_state is WebSocketState.CONNECTED:
            await self._socket.send_text(text)


def _understood(text: str | None) -> Request | GradwalkError:
    """The request in a message, or why it is none."""
    try:
        return read(text)
    except GradwalkError as error:
        return error
    except Exception as error:
        _log.exception("The training room has failed at a message.")
        return _failure(error)


def _failure(error: Exception) -> GradwalkError:
    return GradwalkError(
        where="the training room",
        expected="an answer",
        got=f"{type(error).__name__}: {error}",
        fix="This is a mistake of gradwalk; what happened is in the log of the server. Rewind.",
    )
