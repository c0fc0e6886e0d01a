"""The studio's locks as a browser meets them."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from http.client import HTTPConnection
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import urlsplit

import pytest


@pytest.fixture
def inside(studio: Any, page: Any) -> Any:
    """A page that has been let in."""
    page.goto(studio.url)
    return page


class ForeignPage(BaseHTTPRequestHandler):
    """An empty page of somebody else, on this machine and on another port."""

    def do_GET(self) -> None:
        self.send_response(200)
        self.send_header("Content-Type", "text/html")
        self.end_headers()
        icon = b'<link rel="icon" href="data:,">'
        self.wfile.write(b"<!doctype html><title>foreign</title>" + icon)

    def log_message(self, *parts: Any) -> None:
        pass


@pytest.fixture
def foreign() -> Iterator[str]:
    with ThreadingHTTPServer(("127.0.0.1", 0), ForeignPage) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}/"
        server.shutdown()
        thread.join()


def test_the_printed_address_lets_in_and_leaves_no_token_behind(studio: Any, page: Any) -> None:
    page.goto(studio.at("#/walk"))
    assert page.url.startswith(studio.address)
    assert studio.token not in page.url
    assert page.evaluate("location.hash").startswith("#/walk"), "the room is kept"
    assert page.evaluate("document.cookie") == "", "scripts do not see it"
    [cookie] = page.context.cookies()
    port = urlsplit(studio.address).port
    assert (cookie["name"], cookie["value"]) == (f"gradwalk-token-{port}", studio.token)
    assert cookie["httpOnly"]
    assert cookie["sameSite"] == "Strict"
    assert page.reload().status == 200


def test_without_the_token_a_page_says_what_to_do(
    studio: Any, page: Any, problems: list[str], screenshot: Any, axe: Any
) -> None:
    answer = page.goto(studio.address)
    assert answer.status == 403
    page.get_by_role("heading", name="The studio refused this request").wait_for()
    assert page.get_by_text("Open the whole address that gradwalk studio has printed").is_visible()
    screenshot("not-let-in")
    axe(page)
    assert all("403" in problem for problem in problems)
    problems.clear()


def test_another_page_cannot_write_even_with_the_cookie(
    inside: Any, studio: Any, foreign: str, problems: list[str]
) -> None:
    """Another port of this machine is the same site: the browser sends the cookie along."""
    page = inside.context.new_page()
    page.goto(foreign)
    write = """url => fetch(url, { method: "POST", mode: "no-cors", credentials: "include" })
        .then(() => "an answer", () => "nothing")"""
    assert page.evaluate(write, f"{studio.address}api/document") == "nothing"
    problems.clear()


def test_another_page_cannot_read(
    inside: Any, studio: Any, foreign: str, problems: list[str]
) -> None:
    page = inside.context.new_page()
    page.goto(foreign)
    read = """async url => {
        try { return await (await fetch(url, { credentials: "include" })).text(); }
        catch (error) { return "nothing"; }
    }"""
    assert page.evaluate(read, f"{studio.address}api/document") == "nothing"
    assert page.evaluate(read, f"{studio.address}?token={studio.token}") == "nothing"
    problems.clear()


SOCKET = """address => new Promise((done) => {
    const socket = new WebSocket(address.replace("http", "ws") + "ws/train");
    socket.onopen = () => done("open");
    socket.onclose = (event) => done("closed");
})"""


def test_another_page_cannot_open_the_socket(
    inside: Any, studio: Any, foreign: str, problems: list[str]
) -> None:
    assert inside.evaluate(SOCKET, studio.address) == "open"
    page = inside.context.new_page()
    page.goto(foreign)
    assert page.evaluate(SOCKET, studio.address) == "closed"
    problems.clear()


def test_another_page_cannot_frame_the_studio(
    inside: Any, studio: Any, foreign: str, problems: list[str]
) -> None:
    page = inside.context.new_page()
    page.goto(foreign)
    page.evaluate(
        """url => new Promise((done) => {
            const frame = document.createElement("iframe");
            frame.onload = done;
            frame.src = url;
            document.body.append(frame);
        })""",
        studio.address,
    )
    assert all(frame.locator("#studio").count() == 0 for frame in page.frames)
    assert any("frame-ancestors" in problem for problem in problems)
    problems.clear()


def test_a_message_that_is_too_long_is_answered_in_words(inside: Any, studio: Any) -> None:
    code, reason = inside.evaluate(
        """address => new Promise((done) => {
            const socket = new WebSocket(address.replace("http", "ws") + "ws/train");
            socket.onopen = () => socket.send("a".repeat(2 ** 20 + 1));
            socket.onclose = (event) => done([event.code, event.reason]);
        })""",
        studio.address,
    )
    assert code == 1009
    assert "At most 1 MiB" in reason


def test_nothing_that_is_written_into_the_page_runs(inside: Any, problems: list[str]) -> None:
    inside.evaluate(
        """() => {
            document.title = "studio";
            const script = document.createElement("script");
            script.textContent = "document.title = 'injected'";
            document.body.append(script);
            const text = "<b onclick=\\"document.title='x'\\">b</b>";
            document.body.insertAdjacentHTML("beforeend", text);
            document.body.lastElementChild.click();
        }"""
    )
    assert inside.title() == "studio"
    assert len(problems) == 2
    assert all("Content Security Policy" in problem for problem in problems)
    problems.clear()


@pytest.mark.parametrize("host", ["evil.example", "evil.example:{port}", "127.0.0.1:1"])
def test_a_name_that_was_bent_to_this_machine(studio: Any, host: str) -> None:
    port = urlsplit(studio.address).port
    connection = HTTPConnection("127.0.0.1", port, timeout=30)
    connection.request("GET", f"/?token={studio.token}", headers={"Host": host.format(port=port)})
    answer = connection.getresponse()
    assert answer.status == 403
    assert b"another name" in answer.read()
    connection.close()
