"""Requests that no page sends: none is a failure of the server, and none holds a connection."""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, suppress
from itertools import repeat
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("starlette")

import httpx
from hypothesis import given
from hypothesis import strategies as st

from gradwalk.errors import GradwalkError
from gradwalk.studio import launch, protocols, server
from gradwalk.studio.training.configuration import Configuration
from gradwalk.studio.training.requests import READERS, read
from gradwalk.studio.training.session import Session

from ..helpers.amount import examples

TOKEN, HOST = "the-token-of-this-run", "127.0.0.1:8421"
HEADERS = {"x-gradwalk-token": TOKEN, "content-type": "application/json"}

# --- any JSON at any address ----------------------------------------------------------------------

BODIES = {
    "deep lists": b"[" * 100_000,
    "deep lists, closed": b"[" * 900 + b"]" * 900,
    "deep objects": b'{"a":' * 100_000,
    "deep objects, closed": b'{"answer":' * 900 + b'"1"' + b"}" * 900,
    "an integer of 5,000 digits": b"1" * 5000,
    "a negative one in a record": b'{"lesson":-' + b"1" * 5000 + b',"answer":"1"}',
    "a large exponent": b'{"lesson":1e999,"question":"forward","answer":"1"}',
    "no number": b'{"lesson":NaN,"question":"forward","answer":"1"}',
    "lists instead of texts": b'{"lesson":[],"question":{},"answer":"1"}',
    "half a surrogate": b'{"lesson":1,"question":"forward","answer":"\\ud800"}',
    "a NUL": b'{"lesson":1,"question":"forward","answer":"\\u0000"}',
    "no UTF-8": b"\xff\xfe\xfd",
    "UTF-16": '{"answer":"1"}'.encode("utf-16"),
    "nothing": b"",
    "a text": b'"answer"',
}
ANSWERS = {
    "deep brackets": "(" * 100_000,
    "deep brackets, closed": "(" * 9000 + "1" + ")" * 9000,
    "many signs": "-" * 100_000 + "1",
    "many powers": "^".join(["9"] * 20_000),
    "many terms": "+".join(["1"] * 100_000),
    "many digits": "1" * 100_000,
    "a large exponent": "1e" + "9" * 5000,
    "a power without an end": "9**9**9**9**9",
    "calls": "exp(" * 5000 + "1" + ")" * 5000,
}
PATHS = ["/", "/api/document", "/api/lessons", "/api/lessons/answer", "/ws/train", "/a%00b", "/é"]


def studio(tmp_path: Path) -> Any:
    (tmp_path / "studio.html").write_text("<!doctype html>", "utf-8")
    return server.create_app(TOKEN, {"nodes": []}, allowed_hosts={HOST}, static=tmp_path)


def answered(app: Any, *requests: tuple[str, str, bytes]) -> list[int]:
    """The status of every answer. What a route does not catch comes out of this call."""

    async def run() -> list[int]:
        transport = httpx.ASGITransport(app=app)
        async with httpx.AsyncClient(transport=transport, base_url=f"http://{HOST}") as client:
            return [
                (await client.request(method, path, content=body, headers=HEADERS)).status_code
                for method, path, body in requests
            ]

    return asyncio.run(run())


@pytest.mark.parametrize("body", BODIES.values(), ids=BODIES)
def test_no_body_is_a_failure_of_the_server(tmp_path: Path, body: bytes) -> None:
    asked = [(method, path, body) for path in PATHS for method in ("GET", "POST", "PUT", "DELETE")]
    assert {status // 100 for status in answered(studio(tmp_path), *asked)} <= {2, 4}


@pytest.mark.parametrize("answer", ANSWERS.values(), ids=ANSWERS)
def test_no_answer_is_a_failure_of_the_server(tmp_path: Path, answer: str) -> None:
    record = {"lesson": "1", "question": "forward", "answer": answer}
    asked = "POST", "/api/lessons/answer", json.dumps(record).encode()
    assert answered(studio(tmp_path), asked)[0] in (200, 422)


scalars = st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20)
anything = st.recursive(
    scalars,
    lambda inner: (
        st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=9), inner, max_size=4)
    ),
    max_leaves=12,
)
records = st.fixed_dictionaries(
    {"lesson": st.just("1") | anything, "question": st.just("forward") | anything},
    optional={"answer": st.text(max_size=30) | st.from_regex(r"[-+*/^(). 0-9a-z]*") | anything},
)


@examples(200)
@given(record=records | anything)
def test_any_json_is_answered(tmp_path_factory: pytest.TempPathFactory, record: Any) -> None:
    app = studio(tmp_path_factory.mktemp("static"))
    asked = [("POST", path, json.dumps(record).encode()) for path in PATHS[1:5:2]]
    assert {status // 100 for status in answered(app, *asked)} <= {2, 4}


# --- any message of a socket ----------------------------------------------------------------------


@pytest.mark.parametrize("body", BODIES.values(), ids=BODIES)
def test_no_message_is_a_failure(body: bytes) -> None:
    for text in (body.decode("latin-1"), f'{{"type":"step","count":{body.decode("latin-1")}}}'):
        with pytest.raises(GradwalkError):
            read(text)


VALID: list[dict[str, Any]] = [
    {"type": "configure", "configuration": {"hidden": [2], "seed": 3}},
    {"type": "points", "points": [[0.5, -1, 1], [1, 1, 0]]},
    {"type": "csv", "text": "x,y,label\n1,2,0\n3,4,1\n"},
    {"type": "start", "perFrame": 2},
    {"type": "pause"},
    {"type": "step", "count": 3},
    {"type": "rewind"},
    {"type": "restore"},
    {"type": "watch", "gradients": True, "resolution": 4},
    {"type": "shown", "frame": 0},
    {"type": "walk", "example": 0},
]


@st.composite
def messages(draw: Any) -> Any:
    """A valid message with some members replaced, left out or added."""
    message = dict(draw(st.sampled_from(VALID)))
    for name in draw(st.lists(st.sampled_from(sorted(message)), max_size=2)):
        message[name] = draw(anything)
    if draw(st.booleans()):
        message[draw(st.text(max_size=5))] = draw(anything)
    return message


def test_every_type_of_message_is_drawn() -> None:
    assert {message["type"] for message in VALID} == set(READERS)


@examples(300)
@given(sent=st.lists(messages() | anything, max_size=5))
def test_any_messages_are_obeyed_or_refused(sent: list[Any]) -> None:
    session = Session("name", Configuration(hidden=(2,)))
    session.meet()
    refused: list[GradwalkError] = []
    for message in sent:
        try:
            request = read(json.dumps(message))
            if request.type != "shown":
                session.obey(request)
        except GradwalkError as error:
            refused.append(error)
        json.dumps(session.frame(), allow_nan=False)
    assert all(re.match(r"[A-Z][a-z]+ ", error.fix) for error in refused)


# --- half a request -------------------------------------------------------------------------------


@asynccontextmanager
async def running(app: Any) -> AsyncIterator[tuple[Any, Any]]:
    """A connection to a server of the real settings, with other patience."""
    with launch.listening("127.0.0.1", 0) as door:
        serving = launch._Server(launch._settings(app), lambda: None)
        task = asyncio.create_task(serving._serve(sockets=[door]))
        try:
            async with asyncio.timeout(60):
                reader, writer = await asyncio.open_connection(*door.getsockname())
                yield reader, writer
                writer.close()
        finally:
            serving.should_exit = True
            await task


async def echo(scope: Any, receive: Any, send: Any) -> None:
    """An application that reads everything, and answers with how much it was."""
    if scope["type"] == "websocket":
        await send({"type": "websocket.accept"})
        while (message := await receive())["type"] != "websocket.disconnect":
            if "text" in message:
                await send({"type": "websocket.send", "text": f"{len(message['text'])}"})
        return
    size, more = 0, True
    while more:
        message = await receive()
        size, more = size + len(message.get("body", b"")), message.get("more_body", False)
    body = b"%d" % size
    head = [(b"content-length", b"%d" % len(body))]
    await send({"type": "http.response.start", "status": 200, "headers": head})
    await send({"type": "http.response.body", "body": body})


async def trickle(writer: Any, parts: Iterator[bytes]) -> None:
    """Send a part now and then, until the other side has closed."""
    with suppress(ConnectionError):
        for part in parts:
            writer.write(part)
            await writer.drain()
            await asyncio.sleep(0.01)


def frame(opcode: int, content: bytes, last: bool) -> bytes:
    """A frame of a WebSocket, masked with zeros."""
    assert len(content) < 126
    return bytes([opcode | (0x80 if last else 0), 0x80 | len(content)]) + bytes(4) + content


GET = b"GET / HTTP/1.1\r\nhost: a\r\n\r\n"
POST = b"POST / HTTP/1.1\r\nhost: a\r\ncontent-length: 100000\r\n\r\n"
UPGRADE = (
    b"GET / HTTP/1.1\r\nhost: a\r\nupgrade: websocket\r\nconnection: upgrade\r\n"
    b"sec-websocket-version: 13\r\nsec-websocket-key: MDEyMzQ1Njc4OWFiY2RlZg==\r\n\r\n"
)
HALF: dict[str, tuple[bytes, bytes]] = {
    "nothing": (b"", b""),
    "the first line": (b"GET / HT", b""),
    "headers byte by byte": (b"GET / HTTP/1.1\r\nx: ", b"y"),
    "header after header": (b"GET / HTTP/1.1\r\n", b"x: y\r\n"),
    "no body": (POST, b""),
    "a body byte by byte": (POST, b"x"),
    "half a second request": (GET, b"x"),
    "a chunk without an end": (
        b"POST / HTTP/1.1\r\nhost: a\r\ntransfer-encoding: chunked\r\n\r\nfff\r\n",
        b"x",
    ),
}
FRAGMENTS: dict[str, tuple[bytes, bytes]] = {
    "a fragment": (frame(1, b"x", False), b""),
    "fragments": (frame(1, b"x", False), frame(0, b"y", False)),
    "empty fragments": (frame(2, b"", False), frame(0, b"", False)),
    "a fragment and pongs": (frame(1, b"x", False), frame(10, b"", True)),
    "a fragment after a message": (frame(1, b"x", True) + frame(1, b"x", False), b""),
}


async def closed(reader: Any, writer: Any, start: bytes, then: bytes) -> bytes:
    """What comes until the server closes the connection, to which it gets a part now and then."""
    writer.write(start)
    sending = asyncio.create_task(trickle(writer, repeat(then) if then else iter(())))
    seen = b""
    with suppress(ConnectionError):
        while more := await reader.read(1000):
            seen += more
    await sending
    return seen


@pytest.mark.parametrize(("start", "then"), HALF.values(), ids=HALF)
def test_half_a_request_is_closed(
    monkeypatch: pytest.MonkeyPatch, start: bytes, then: bytes
) -> None:
    monkeypatch.setattr(protocols, "PATIENCE", 0.2)

    async def run() -> bytes:
        async with running(echo) as (reader, writer):
            return await closed(reader, writer, start, then)

    assert asyncio.run(run()).startswith(b"HTTP/1.1 200") == start.startswith(GET)


@pytest.mark.parametrize(("start", "then"), FRAGMENTS.values(), ids=FRAGMENTS)
def test_half_a_message_is_closed(
    monkeypatch: pytest.MonkeyPatch, start: bytes, then: bytes
) -> None:
    monkeypatch.setattr(protocols, "PATIENCE", 0.2)

    async def run() -> bytes:
        async with running(echo) as (reader, writer):
            writer.write(UPGRADE)
            await reader.readuntil(b"\r\n\r\n")
            return await closed(reader, writer, start, then)

    code, said = protocols.TOO_SLOW
    assert code.to_bytes(2) + said.encode() in asyncio.run(run())


def test_complete_requests_and_messages_have_all_the_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(protocols, "PATIENCE", 0.2)

    async def run() -> None:
        async with running(echo) as (reader, writer):
            for _ in range(2):
                writer.write(GET)
                assert (await reader.readuntil(b"\r\n\r\n")).startswith(b"HTTP/1.1 200")
                assert await reader.readexactly(1) == b"0"
            writer.write(UPGRADE)
            assert (await reader.readuntil(b"\r\n\r\n")).startswith(b"HTTP/1.1 101")
            for _ in range(2):
                await asyncio.sleep(0.5)
                writer.write(frame(1, b"ab", False) + frame(0, b"c", True))
                assert await reader.readexactly(3) == b"\x81\x013"

    asyncio.run(run())
