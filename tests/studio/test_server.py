"""The studio's locks, its routes, and how it starts: without a browser."""

from __future__ import annotations

import asyncio
import re
import signal
import socket
import subprocess
import sys
import urllib.request
from collections.abc import Callable, Iterator
from http.cookiejar import CookieJar
from pathlib import Path
from typing import Any

import httpx
import pytest
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse
from starlette.routing import Route
from typer.testing import CliRunner

from gradwalk.cli import app
from gradwalk.errors import MissingExtraError, OptionError
from gradwalk.studio import assets, launch, security, server
from gradwalk.studio.security import LIMIT, Guard, hosts_of

TOKEN = "the-token-of-this-run"
HOST = "127.0.0.1:8421"
ORIGIN = {"origin": f"http://{HOST}"}
KEY = {"x-gradwalk-token": TOKEN}
COOKIE = {"cookie": f"other=1; gradwalk-token-8421={TOKEN}"}


@pytest.fixture
def static(tmp_path: Path) -> Path:
    folder = tmp_path / "static"
    folder.mkdir()
    (folder / "studio.html").write_text("<!doctype html><title>the studio</title>", "utf-8")
    (folder / "studio.js").write_text("console.log('the script')", "utf-8")
    (folder / "notes.txt").write_text("not a part of the page", "utf-8")
    (tmp_path / "secret.js").write_text("outside", "utf-8")
    return folder


@pytest.fixture
def ask(static: Path) -> Callable[..., httpx.Response]:
    app = server.create_app(
        TOKEN, {"nodes": []}, allowed_hosts=hosts_of("127.0.0.1", 8421), static=static
    )
    return asking(app)


def asking(app: Any) -> Callable[..., httpx.Response]:
    """Requests to an application, one at a time; nothing follows redirects."""

    def ask(path: str = "/", method: str = "GET", host: str = HOST, **options: Any) -> Any:
        async def run() -> httpx.Response:
            transport = httpx.ASGITransport(app=app)
            async with httpx.AsyncClient(transport=transport, base_url=f"http://{host}") as client:
                return await client.request(method, path, **options)

        return asyncio.run(run())

    return ask


def writable() -> Callable[..., httpx.Response]:
    """A guarded application that tells how much was sent to it."""

    async def count(request: Request) -> JSONResponse:
        return JSONResponse(len(await request.body()))

    app = Starlette(
        routes=[Route("/api/count", count, methods=["POST"])],
        exception_handlers={security.Refused: security.answer_refused},
    )
    return asking(Guard(app, TOKEN, hosts_of("127.0.0.1", 8421)))


# --- who is let in --------------------------------------------------------------------------------


@pytest.mark.parametrize("path", ["/", "/studio.js", "/api/document", "/nothing"])
def test_nobody_comes_in_without_the_token(ask: Any, path: str) -> None:
    answer = ask(path)
    assert answer.status_code == 403
    assert "without the token" in answer.text
    assert "whole address" in answer.text, "it says what to do"


@pytest.mark.parametrize(
    "wrong",
    [
        {"params": {"token": TOKEN[:-1]}},
        {"params": {"token": ""}},
        {"params": {"token": "täken"}},
        {"headers": {"x-gradwalk-token": TOKEN.upper()}},
        {"headers": {"cookie": f"gradwalk-token-8422={TOKEN}"}},
        {"headers": {"cookie": f"gradwalk-token={TOKEN}"}},
        {"headers": {"cookie": ";;==; \x7f"}},
    ],
)
def test_a_wrong_token_is_none(ask: Any, wrong: dict[str, Any]) -> None:
    assert ask("/", **wrong).status_code == 403


@pytest.mark.parametrize("right", [{"headers": KEY}, {"headers": COOKIE}])
def test_the_token_may_come_in_a_header_or_a_cookie(ask: Any, right: dict[str, Any]) -> None:
    answer = ask("/", **right)
    assert answer.status_code == 200
    assert "the studio" in answer.text
    assert ask("/api/document", **right).json() == {"nodes": []}


def test_the_first_visit_takes_the_token_out_of_the_address(ask: Any) -> None:
    answer = ask("/", params={"token": TOKEN})
    assert (answer.status_code, answer.headers["location"]) == (303, "/")
    cookie = answer.headers["set-cookie"]
    assert cookie.startswith(f"gradwalk-token-8421={TOKEN};")
    assert "HttpOnly" in cookie
    assert "SameSite=strict" in cookie
    assert ask("/", headers={"cookie": cookie.partition(";")[0]}).status_code == 200


def test_a_click_in_a_foreign_page_gets_in_too(ask: Any) -> None:
    """Along with a redirect a strict cookie would be left out; the page goes on by itself."""
    answer = ask("/", params={"token": TOKEN}, headers={"sec-fetch-site": "cross-site"})
    assert answer.status_code == 200
    assert 'content="0; url=/"' in answer.text
    assert "set-cookie" in answer.headers


def test_the_token_in_a_query_serves_programs(ask: Any) -> None:
    assert ask("/api/document", params={"token": TOKEN}).json() == {"nodes": []}


def test_tokens_are_compared_in_constant_time(ask: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    compared: list[tuple[bytes, bytes]] = []
    real = security.hmac.compare_digest

    def noted(a: bytes, b: bytes) -> bool:
        compared.append((a, b))
        return real(a, b)

    monkeypatch.setattr(security.hmac, "compare_digest", noted)
    ask("/", params={"token": "x"})
    assert compared == [(b"x", TOKEN.encode())]


@pytest.mark.parametrize(
    "host",
    [
        "evil.example:8421",
        "127.0.0.1.evil.example:8421",
        "127.0.0.1:80",
        "127.0.0.1",
        "10.0.0.1:8421",
    ],
)
def test_a_foreign_name_for_this_machine_is_refused(ask: Any, host: str) -> None:
    answer = ask("/", host=host, headers=KEY)
    assert answer.status_code == 403
    assert "another host name" in answer.text


@pytest.mark.parametrize("host", [HOST, "localhost:8421", "[::1]:8421"])
def test_the_loopback_names_are_known(ask: Any, host: str) -> None:
    assert ask("/", host=host, headers=KEY).status_code == 200


def test_a_server_for_others_knows_addresses_in_numbers(static: Path) -> None:
    app = server.create_app(TOKEN, allowed_hosts=hosts_of("0.0.0.0", 8421), static=static)
    ask = asking(app)
    assert ask("/", host="192.168.1.7:8421", headers=KEY).status_code == 200
    assert ask("/", host="[fe80::1]:8421", headers=KEY).status_code == 200
    assert ask("/", host="192.168.1.7:80", headers=KEY).status_code == 403
    assert ask("/", host="rebound.example:8421", headers=KEY).status_code == 403


def test_the_port_of_the_web_may_be_left_out() -> None:
    assert {"127.0.0.1", "127.0.0.1:80"} <= hosts_of("127.0.0.1", 80)
    assert "[::1]:9" in hosts_of("::1", 9)
    assert "mine.example:9" in hosts_of("mine.example", 9)


# --- who may write --------------------------------------------------------------------------------


def test_only_the_own_page_writes() -> None:
    ask = writable()
    foreign = {"origin": "http://evil.example"}
    for headers in (foreign, {"origin": "null"}, {"origin": f"https://{HOST}"}, {}):
        answer = ask("/api/count", "POST", headers=COOKIE | headers, content=b"abc")
        assert answer.status_code == 403
        assert answer.json()["got"] == "a request from another page"
        assert answer.json()["fix"]
    assert ask("/api/count", "POST", headers=COOKIE | ORIGIN, content=b"abc").json() == 3


def test_a_program_with_the_token_in_a_header_needs_no_origin() -> None:
    ask = writable()
    assert ask("/api/count", "POST", headers=KEY, content=b"abc").json() == 3
    foreign = KEY | {"origin": "http://evil.example"}
    assert ask("/api/count", "POST", headers=foreign, content=b"abc").status_code == 403


def test_a_body_has_a_limit() -> None:
    ask = writable()
    assert ask("/api/count", "POST", headers=KEY, content=b"a" * LIMIT).json() == LIMIT
    answer = ask("/api/count", "POST", headers=KEY, content=b"a" * (LIMIT + 1))
    assert answer.status_code == 413
    assert "at most 1 MiB" in answer.json()["fix"]


def test_a_body_that_does_not_tell_its_length_has_the_same_limit() -> None:
    async def pieces() -> Any:
        for _ in range(LIMIT // 1000 + 1):
            yield b"a" * 1000

    answer = writable()("/api/count", "POST", headers=KEY, content=pieces())
    assert "content-length" not in answer.request.headers
    assert answer.status_code == 413


# --- what every answer says -----------------------------------------------------------------------


@pytest.mark.parametrize("path", ["/", "/studio.js", "/api/document", "/nothing"])
@pytest.mark.parametrize("headers", [KEY, {}])
def test_every_answer_is_sealed(ask: Any, path: str, headers: dict[str, str]) -> None:
    sealed = ask(path, headers=headers).headers
    parts = sealed["content-security-policy"].split(";")
    policy = dict(part.strip().split(" ", 1) for part in parts)
    if not headers and not path.startswith("/api"):  # the refusal, which has its style in itself
        assert policy.pop("style-src").startswith("'sha256-")
        policy["style-src"] = "'self'"
        policy["connect-src"] += f" ws://{HOST}"
    assert policy == {
        "default-src": "'none'",
        "script-src": "'self'",
        "style-src": "'self'",
        "img-src": "'self' data: blob:",
        "connect-src": f"'self' ws://{HOST}",
        "font-src": "'self'",
        "base-uri": "'none'",
        "form-action": "'none'",
        "frame-ancestors": "'none'",
    }
    assert sealed["x-content-type-options"] == "nosniff"
    assert sealed["referrer-policy"] == "no-referrer"
    assert sealed["cross-origin-opener-policy"] == "same-origin"
    assert sealed["cross-origin-resource-policy"] == "same-origin"
    assert sealed["cache-control"] == "no-store"


def test_a_strange_host_cannot_write_into_the_policy(ask: Any) -> None:
    answer = ask("/", headers=KEY | {"host": "x; script-src *"})
    assert answer.status_code == 403
    assert "script-src *" not in answer.headers["content-security-policy"]


def test_the_files_of_the_page_have_their_types(ask: Any) -> None:
    answer = ask("/studio.js", headers=KEY)
    assert answer.headers["content-type"] == "text/javascript; charset=utf-8"
    assert "the script" in answer.text


@pytest.mark.parametrize(
    "path", ["/secret.js", "/../secret.js", "/%2e%2e/secret.js", "/..%2fsecret.js", "/notes.txt"]
)
def test_nothing_but_the_page_is_served(ask: Any, path: str) -> None:
    assert ask(path, headers=KEY).status_code == 404


def test_the_lessons_have_their_routes(ask: Any) -> None:
    assert ask("/api/lessons", headers=KEY).status_code == 200
    assert ask("/api/lessons").status_code == 403
    assert ask("/api/lessons/answer", "POST", headers=COOKIE, json={}).status_code == 403


def test_without_a_graph_the_document_is_null(static: Path) -> None:
    app = server.create_app(TOKEN, allowed_hosts=hosts_of("127.0.0.1", 8421), static=static)
    assert asking(app)("/api/document", headers=KEY).json() is None


def test_a_page_that_was_not_built_is_an_error_in_words(tmp_path: Path) -> None:
    with pytest.raises(MissingExtraError, match=r"no.*built.*npm run build"):
        server.create_app(TOKEN, allowed_hosts=[], static=tmp_path)
    assert set(assets.TYPES) >= {".html", ".js", ".css"}


# --- sockets --------------------------------------------------------------------------------------


def connect(guard: Any, headers: dict[str, str], *messages: str | bytes, query: str = "") -> Any:
    """What a socket is told, and what the application behind the guard has seen."""
    scope = {
        "type": "websocket",
        "path": "/ws/train",
        "query_string": query.encode(),
        "headers": [(k.encode(), v.encode()) for k, v in ({"host": HOST} | headers).items()],
    }
    incoming = [{"type": "websocket.connect"}]
    incoming += [
        {"type": "websocket.receive", "text" if isinstance(m, str) else "bytes": m}
        for m in messages
    ]
    sent: list[Any] = []

    async def receive() -> Any:
        return incoming.pop(0) if incoming else {"type": "websocket.disconnect", "code": 1000}

    async def send(message: Any) -> None:
        sent.append(message)

    asyncio.run(guard(scope, receive, send))
    return sent


@pytest.fixture
def guard() -> Any:
    """A guard around an application that lists the messages that reach it."""

    async def listening(scope: Any, receive: Any, send: Any) -> None:
        while (message := await receive())["type"] != "websocket.disconnect":
            await send({"type": "seen", "message": message["type"]})
        await send({"type": "seen", "message": message["code"]})

    return Guard(listening, TOKEN, hosts_of("127.0.0.1", 8421))


@pytest.mark.parametrize(
    "headers",
    [
        {},
        ORIGIN,
        COOKIE,
        COOKIE | {"origin": "http://evil.example"},
        COOKIE | {"origin": "http://localhost:8421"},
        COOKIE | ORIGIN | {"host": "evil.example:8421"},
    ],
)
def test_a_socket_needs_the_token_and_the_own_page(guard: Any, headers: dict[str, str]) -> None:
    [answer] = connect(guard, headers)
    assert (answer["type"], answer["code"]) == ("websocket.close", 1008)
    assert answer["reason"]


@pytest.mark.parametrize("headers", [COOKIE | ORIGIN, KEY | ORIGIN, KEY])
def test_a_socket_of_the_own_page_is_open(guard: Any, headers: dict[str, str]) -> None:
    seen = connect(guard, headers, "a", b"b")
    assert [m["message"] for m in seen] == [
        "websocket.connect",
        "websocket.receive",
        "websocket.receive",
        1000,
    ]
    assert connect(guard, ORIGIN, query=f"token={TOKEN}")[0]["message"] == "websocket.connect"


@pytest.mark.parametrize("long", ["a" * (LIMIT + 1), "ä" * (LIMIT // 2 + 1), b"a" * (LIMIT + 1)])
def test_a_message_that_is_too_long_closes_the_socket(guard: Any, long: str | bytes) -> None:
    sent = connect(guard, COOKIE | ORIGIN, "a" * LIMIT, long, "never seen")
    assert [m["type"] for m in sent] == ["seen", "seen", "websocket.close", "seen"]
    assert sent[2]["code"] == 1009
    assert "at most 1 MiB" in sent[2]["reason"]
    assert len(sent[2]["reason"].encode()) <= 123, "what fits into a closing frame"
    assert sent[3]["message"] == 1009, "the application is told, too"


@pytest.mark.silent("it calls neither receive nor send, which are None here")
def test_the_guard_ignores_what_is_neither(guard: Any) -> None:
    asyncio.run(guard({"type": "lifespan"}, None, None))


def test_the_training_room_is_entered_by_its_socket(
    static: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Room:
        @staticmethod
        async def channel(socket: Any) -> None:
            await socket.accept()
            await socket.close(4000, "closed for the test")

    entered: list[str] = []
    real = server.import_module

    def enter(name: str, package: str | None = None) -> Any:
        entered.append(name)
        return Room if name == ".training.channel" else real(name, package)

    monkeypatch.setattr(server, "import_module", enter)
    app = server.create_app(TOKEN, allowed_hosts=hosts_of("127.0.0.1", 8421), static=static)
    assert ".training.channel" not in entered, "NumPy is loaded when somebody enters"
    sent = connect(app, COOKIE | ORIGIN)
    assert [m["type"] for m in sent] == ["websocket.accept", "websocket.close"]


# --- starting it ----------------------------------------------------------------------------------


@pytest.fixture
def taken() -> Iterator[int]:
    with socket.create_server(("127.0.0.1", 0)) as door:
        yield door.getsockname()[1]


def test_a_studio_that_is_started_anew_has_its_port_again() -> None:
    """A page knows its studio by the port: its links, the progress of its lessons."""
    with launch.listening("127.0.0.1", 0) as door:
        place = door.getsockname()
        with socket.create_connection(place):
            visitor, _ = door.accept()
            visitor.close()  # the studio's end first, as with Ctrl-C: its port waits a minute
    with launch.listening("127.0.0.1", place[1]) as again:
        assert again.getsockname() == place


def test_an_address_of_another_machine_is_an_error_in_words() -> None:
    with pytest.raises(OptionError, match=r"192\.0\.2\.1.*an address of this machine"):
        launch.listening("192.0.2.1", 0)  # for documentation: RFC 5737


def test_a_port_that_is_taken_is_an_error_in_words(taken: int) -> None:
    with pytest.raises(OptionError, match=rf"a free port.*port {taken}.*--port 0"):
        launch.listening("127.0.0.1", taken)


def test_without_a_wish_the_next_free_port_is_taken(
    taken: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(launch, "PORT", taken)
    with launch.listening("127.0.0.1", None) as door:
        assert taken < door.getsockname()[1] < taken + launch.TRIES


def test_all_ports_taken(taken: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(launch, "PORT", taken)
    monkeypatch.setattr(launch, "TRIES", 1)
    with pytest.raises(OptionError, match=rf"ports {taken} to {taken}"):
        launch.listening("127.0.0.1", None)


def test_an_address_of_six_parts() -> None:
    if not socket.has_ipv6:
        pytest.skip("this machine has no IPv6")
    with launch.listening("::1", 0) as door:
        assert door.family == socket.AF_INET6
    assert launch.address("::1", 9) == "http://[::1]:9/"
    assert launch.address("::", 9) == launch.address("0.0.0.0", 9) == "http://127.0.0.1:9/"


@pytest.mark.parametrize(
    ("host", "loopback"),
    [("127.0.0.1", True), ("::1", True), ("localhost", True), ("0.0.0.0", False), ("a.b", False)],
)
def test_loopback(host: str, loopback: bool) -> None:
    assert launch.is_loopback(host) is loopback


def test_serve_says_where_it_is_opens_the_browser_and_ends_quietly(
    static: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened: list[str] = []
    said: list[str] = []

    async def tick(self: Any) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(launch.webbrowser, "open", opened.append)
    monkeypatch.setattr(launch.uvicorn.Server, "main_loop", tick)
    launch.serve(None, port=0, say=said.append, static=static)
    assert re.fullmatch(r"http://127\.0\.0\.1:\d+/\?token=[\w-]{32}", said[0])
    assert opened == said
    said.clear()
    launch.serve(None, port=0, say=said.append, static=static, browser=False)
    assert len(opened) == len(said) == 1
    assert opened != said, "every run has a token of its own"


def test_the_command_serves_a_formula_and_ends_with_ctrl_c(static: Path) -> None:
    program = (
        "import sys; from pathlib import Path; from gradwalk.studio import assets;"
        "assets.STATIC = Path(sys.argv.pop(1)); from gradwalk.__main__ import main; main()"
    )
    arguments = ["studio", "--port", "0", "--no-browser", "(a + b) * c", "a=2", "b=-3", "c=10"]
    command = [sys.executable, "-c", program, str(static), *arguments]
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as server:
        assert server.stdout is not None
        url = server.stdout.readline().split()[-1]
        cookies = urllib.request.HTTPCookieProcessor(CookieJar())
        opener = urllib.request.build_opener(cookies)
        with opener.open(url, timeout=30) as answer:
            assert "the studio" in answer.read().decode()
        with opener.open(url.partition("?")[0] + "api/document", timeout=30) as answer:
            assert '"source":"(a + b) * c"' in answer.read().decode()
        server.send_signal(signal.SIGINT)
        _, errors = server.communicate(timeout=30)
    assert errors == ""
    assert server.returncode == 0


# --- the command ----------------------------------------------------------------------------------


def command(*arguments: str) -> tuple[int, str]:
    done = CliRunner().invoke(app, ["studio", *arguments], prog_name="gradwalk")
    if done.exception is not None and not isinstance(done.exception, SystemExit):
        raise done.exception
    return done.exit_code, done.output


@pytest.fixture
def served(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """What the command would have served."""
    calls: list[Any] = []

    def serve(document: Any, **options: Any) -> None:
        options.pop("say")("http://127.0.0.1:9/?token=x")
        calls.append((document, options))

    monkeypatch.setattr(launch, "serve", serve)
    return calls


def test_the_command_prints_the_address(served: list[Any]) -> None:
    code, output = command()
    assert (code, output.splitlines()) == (
        0,
        ["gradwalk studio: http://127.0.0.1:9/?token=x", "Ctrl-C ends it."],
    )
    assert served == [(None, {"host": "127.0.0.1", "port": None, "browser": True})]


def test_the_command_opens_a_formula(served: list[Any]) -> None:
    code, _ = command("--no-browser", "--port", "0", "-a * b", "a=-2", "b=1e3")
    assert code == 0
    [(document, options)] = served
    assert document["source"] == "-a * b"
    assert [n["label"] for n in document["nodes"]] == ["a", "", "b", ""]
    assert options == {"host": "127.0.0.1", "port": 0, "browser": False}


def test_a_server_for_others_comes_with_a_warning(served: list[Any]) -> None:
    code, output = command("--host", "0.0.0.0")
    assert code == 0
    assert output.startswith("Anyone who can reach 0.0.0.0 and knows this address")
    assert served[0][1]["host"] == "0.0.0.0"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["(a + b"], "line 1"),
        (["a * b", "a=1"], "b"),
        (["--port", "70000"], "65535"),
    ],
)
def test_a_mistake_is_told_in_one_line(
    served: list[Any], arguments: list[str], message: str
) -> None:
    code, output = command(*arguments)
    assert (code, served) == (2, [])
    assert output.count("\n") == 1
    assert message in output


@pytest.mark.parametrize("package", ["starlette", "uvicorn", "websockets"])
def test_without_its_extra_the_command_says_how_to_install_it(
    package: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, package, None)
    code, output = command()
    assert code == 2
    assert f"got no {package}. Install them with pip install 'gradwalk[studio]'." in output
