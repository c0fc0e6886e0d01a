"""Who may talk to the studio: the one who has seen its address, from the studio's own page.

A server on the loopback interface is not private: every program of this machine reaches it, and so
does every web page that the user has open, if it finds the port. Four locks are shut here, before
any route sees a request: the name that was asked for (a foreign name that was bent to this machine,
DNS rebinding), the token of this run, the page a writing request comes from, and the size of what
is sent.
"""

from __future__ import annotations

import hmac
from collections.abc import Collection
from ipaddress import ip_address

from starlette.datastructures import MutableHeaders
from starlette.requests import HTTPConnection, Request
from starlette.responses import HTMLResponse, JSONResponse, RedirectResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from .offline import hash_of

__all__ = ["LIMIT", "Guard", "Refused", "answer_refused", "hosts_of", "policy"]

LIMIT = 1 << 20
"""The most bytes of a request body or of a WebSocket message."""

COOKIE = "gradwalk-token-"  # and the port: two studios side by side do not share a jar
HEADER = "x-gradwalk-token"
SEND_LESS = f"At most {LIMIT >> 20} MiB may come at once: send less, such as fewer points."

SEALS = {
    "cache-control": "no-store",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "referrer-policy": "no-referrer",
    "x-content-type-options": "nosniff",
}


def hosts_of(host: str, port: int) -> set[str]:
    """What a request to the studio may have in its Host header.

    The loopback names always; for a server on every interface (``0.0.0.0``, ``::``) any address in
    numbers too, written ``*``: nobody can bend a number to another machine.

    >>> sorted(hosts_of("127.0.0.1", 8421))
    ['127.0.0.1:8421', '[::1]:8421', 'localhost:8421']
    """
    anywhere = host in ("0.0.0.0", "::", "")
    bracketed = f"[{host}]" if ":" in host else host
    names = {"127.0.0.1", "localhost", "[::1]", "*" if anywhere else bracketed}
    return {f"{name}:{port}" for name in names} | (names if port == 80 else set())


def policy(host: str) -> str:
    """The Content-Security-Policy of every answer: nothing from anywhere but this server.

    ``host`` is one that was let in, or empty.
    """
    socket = f" ws://{host}" if host else ""
    return (
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; "
        f"connect-src 'self'{socket}; font-src 'self'; base-uri 'none'; form-action 'none'; "
        "frame-ancestors 'none'"
    )


class Refused(Exception):  # noqa: N818  (an answer, not an error of the program)
    """A request that is not let in, with what its sender is told."""

    def __init__(self, status: int, got: str, fix: str) -> None:
        super().__init__(got)
        self.status, self.got, self.fix = status, got, fix

    def answer(self, path: str) -> Response:
        """The refusal as JSON for the page, or as a page for people."""
        if path.startswith("/api/"):
            parts = {"where": "gradwalk studio", "expected": "a request that may come in"}
            return JSONResponse({**parts, "got": self.got, "fix": self.fix}, self.status)
        page = PAGE.format(style=STYLE, got=self.got, fix=self.fix)
        styled = policy("").replace("style-src 'self'", f"style-src {hash_of(STYLE)}")
        return HTMLResponse(page, self.status, {"content-security-policy": styled})


async def answer_refused(request: Request, refused: Exception) -> Response:
    """The answer where a limit is met while an application is reading."""
    assert isinstance(refused, Refused)
    return refused.answer(request.url.path)


PAGE = """<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="color-scheme" content="light dark">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>gradwalk studio: not let in</title><style>{style}</style></head>
<body><main><h1>The studio does not let this in</h1>
<p>Here came {got}.</p><p>{fix}</p></main></body>
</html>
"""

STYLE = (
    "body { font: 1.05rem/1.6 system-ui, sans-serif; margin: 0; padding: 18vh 24px 24px }"
    "main { max-width: 36rem; margin: 0 auto } h1 { font-size: 1.5rem; line-height: 1.3 }"
)
"""Of the only page without the studio's own files, which are not shown to strangers."""

FORWARD = """<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta http-equiv="refresh" content="0; url=/">
<title>gradwalk studio</title></head>
<body><a href="/">To the studio</a></body>
</html>
"""

ASK_AGAIN = (
    "Open the whole address that gradwalk studio has printed in its terminal, up to the end of "
    "its token. Every start of the studio makes a new one."
)


class Guard:
    """An ASGI application around the studio: it checks what comes in and signs what goes out."""

    def __init__(self, app: ASGIApp, token: str, allowed_hosts: Collection[str]) -> None:
        self.app, self.token, self.allowed = app, token, frozenset(allowed_hosts)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Let a request through to the studio, or answer it here."""
        if scope["type"] == "websocket":
            await self._socket(scope, receive, send)
        elif scope["type"] == "http":
            await self._http(scope, receive, send)

    # --- requests ---------------------------------------------------------------------------------

    async def _http(self, scope: Scope, receive: Receive, send: Send) -> None:
        asked = HTTPConnection(scope)
        sealed = _sealed(send, self._host(asked))
        try:
            answer = self._admit(asked) or self.app
            if int(asked.headers.get("content-length", "0")) > LIMIT:
                raise Refused(413, "too much at once", SEND_LESS)
            await answer(scope, _counted(receive), sealed)
        except Refused as refused:
            await refused.answer(scope["path"])(scope, receive, sealed)

    def _admit(self, asked: HTTPConnection) -> Response | None:
        """Refuse, or let in; a first visit is answered by the cookie that stands for the token."""
        self._check_host(asked)
        if asked.scope["method"] not in ("GET", "HEAD"):
            self._check_origin(asked)
        if self._is_ours(asked.headers.get(HEADER)) or self._is_ours(_cookie(asked)):
            return None
        self._check_token(asked)
        return self._first_visit(asked) if asked.scope["path"] == "/" else None

    def _first_visit(self, asked: HTTPConnection) -> Response:
        """Move the token out of the address, where it would be copied along with a link."""
        if asked.headers.get("sec-fetch-site") == "cross-site":
            # After a click in a foreign page the cookie would not come along with a redirect.
            answer: Response = HTMLResponse(FORWARD)
        else:
            answer = RedirectResponse("/", 303)
        name = COOKIE + _port(asked.headers["host"])
        answer.set_cookie(name, self.token, httponly=True, samesite="strict")
        return answer

    # --- sockets ----------------------------------------------------------------------------------

    async def _socket(self, scope: Scope, receive: Receive, send: Send) -> None:
        asked = HTTPConnection(scope)
        try:
            self._check_host(asked)
            self._check_origin(asked)
            self._check_token(asked)
        except Refused as refused:
            await send({"type": "websocket.close", "code": 1008, "reason": refused.got})
        else:
            await self.app(scope, _measured(receive, send), send)

    # --- locks ------------------------------------------------------------------------------------

    def _check_token(self, asked: HTTPConnection) -> None:
        shown = asked.headers.get(HEADER), _cookie(asked), asked.query_params.get("token")
        if not any(self._is_ours(token) for token in shown):
            raise Refused(403, "a request without the token of this run", ASK_AGAIN)

    def _is_ours(self, token: str | None) -> bool:
        """Compared in a time that does not tell how many characters are right."""
        return token is not None and hmac.compare_digest(token.encode(), self.token.encode())

    def _host(self, asked: HTTPConnection) -> str:
        """The name that was asked for, if it is one of the studio's."""
        host = asked.headers.get("host", "")
        numeric = f"*:{_port(host)}" in self.allowed and _is_numeric(host)
        return host if host in self.allowed or numeric else ""

    def _check_host(self, asked: HTTPConnection) -> None:
        if not self._host(asked):
            fix = "Open the studio under the address that it has printed, such as 127.0.0.1."
            raise Refused(403, "a request for a machine of another name", fix)

    def _check_origin(self, asked: HTTPConnection) -> None:
        """Only the studio's own page may write, and programs that know the token by heart."""
        origin = asked.headers.get("origin")
        if origin is None and self._is_ours(asked.headers.get(HEADER)):
            return
        if origin != f"http://{asked.headers['host']}":
            raise Refused(403, "a request that another page has sent", "Work in the studio's tab.")


def _cookie(asked: HTTPConnection) -> str | None:
    return asked.cookies.get(COOKIE + _port(asked.headers.get("host", "")))


def _port(host: str) -> str:
    tail = host.rpartition(":")[2]
    return tail if tail.isdigit() else "80"


def _is_numeric(host: str) -> bool:
    try:
        ip_address(host.removesuffix(f":{_port(host)}").strip("[]"))
    except ValueError:
        return False
    return True


# --- what goes in and out -------------------------------------------------------------------------


def _counted(receive: Receive) -> Receive:
    """The body of a request, as long as it is not too long: a length may be left out, or lie."""
    count = 0

    async def counted() -> Message:
        nonlocal count
        message = await receive()
        count += len(message.get("body", b""))
        if count > LIMIT:
            raise Refused(413, "too much at once", SEND_LESS)
        return message

    return counted


def _measured(receive: Receive, send: Send) -> Receive:
    """The messages of a socket; after one that is too long the socket is closed."""

    async def measured() -> Message:
        message = await receive()
        text = message.get("text")
        size = len(message.get("bytes") or b"" if text is None else text.encode())
        if size <= LIMIT:
            return message
        await send({"type": "websocket.close", "code": 1009, "reason": SEND_LESS})
        return {"type": "websocket.disconnect", "code": 1009}

    return measured


def _sealed(send: Send, host: str) -> Send:
    """Every answer with the headers that a browser obeys."""

    async def sealed(message: Message) -> None:
        if message["type"] == "http.response.start":
            headers = MutableHeaders(scope=message)
            headers.setdefault("content-security-policy", policy(host))
            headers.update(SEALS)
        await send(message)

    return sealed
