"""The access checks of the studio: only its own page and holders of its address may use it.

A server on the loopback interface is not private. Every program on this machine reaches it, and so
does every web page that the user has open, if it finds the port. Four checks run before any route
sees a request: the host name (against DNS rebinding), the token of this run, the origin of requests
that write, and the size.
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

COOKIE = "gradwalk-token-"  # plus the port, because browsers share cookies between ports
HEADER = "x-gradwalk-token"
SEND_LESS = f"Send at most {LIMIT >> 20} MiB at once, such as fewer points."

SEALS = {
    "cache-control": "no-store",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "referrer-policy": "no-referrer",
    "x-content-type-options": "nosniff",
}


def hosts_of(host: str, port: int) -> set[str]:
    """Return the allowed values of the Host header.

    The loopback names are always allowed. A server on every interface (``0.0.0.0``, ``::``) also
    allows every numeric address, written ``*``, because DNS rebinding needs a name.

    >>> sorted(hosts_of("127.0.0.1", 8421))
    ['127.0.0.1:8421', '[::1]:8421', 'localhost:8421']
    """
    anywhere = host in ("0.0.0.0", "::", "")
    bracketed = f"[{host}]" if ":" in host else host
    names = {"127.0.0.1", "localhost", "[::1]", "*" if anywhere else bracketed}
    return {f"{name}:{port}" for name in names} | (names if port == 80 else set())


def policy(host: str) -> str:
    """Return the Content-Security-Policy of every answer, which allows only this server.

    ``host`` is an allowed host, or empty.
    """
    socket = f" ws://{host}" if host else ""
    return (
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; "
        f"connect-src 'self'{socket}; font-src 'self'; base-uri 'none'; form-action 'none'; "
        "frame-ancestors 'none'"
    )


class Refused(Exception):  # noqa: N818  (an answer, not an error of the program)
    """A refused request, with the message for its sender."""

    fix: str
    got: str
    status: int

    def __init__(self, status: int, got: str, fix: str) -> None:
        super().__init__(got)
        self.status, self.got, self.fix = status, got, fix

    def answer(self, path: str) -> Response:
        """Return the refusal as JSON for the page, or as an HTML page."""
        if path.startswith("/api/"):
            parts = {"where": "gradwalk studio", "expected": "an authorised request"}
            return JSONResponse({**parts, "got": self.got, "fix": self.fix}, self.status)
        page = PAGE.format(style=STYLE, got=self.got, fix=self.fix)
        styled = policy("").replace("style-src 'self'", f"style-src {hash_of(STYLE)}")
        return HTMLResponse(page, self.status, {"content-security-policy": styled})


async def answer_refused(request: Request, refused: Exception) -> Response:
    """Return the answer if the application exceeds a limit while it reads the request."""
    assert isinstance(refused, Refused)
    return refused.answer(request.url.path)


PAGE = """<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="color-scheme" content="light dark">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>gradwalk studio: request refused</title><style>{style}</style></head>
<body><main><h1>The studio refused this request</h1>
<p>This is {got}.</p><p>{fix}</p></main></body>
</html>
"""

STYLE = (
    "body { font: 1.05rem/1.6 system-ui, sans-serif; margin: 0; padding: 18vh 24px 24px }"
    "main { max-width: 36rem; margin: 0 auto } h1 { font-size: 1.5rem; line-height: 1.3 }"
)
"""The style of the refusal, inline because unauthenticated requests get no files."""

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
    """An ASGI application around the studio that checks requests and adds headers to answers."""

    allowed: frozenset[str]
    token: str

    def __init__(self, app: ASGIApp, token: str, allowed_hosts: Collection[str]) -> None:
        self.app: ASGIApp
        self.app, self.token, self.allowed = app, token, frozenset(allowed_hosts)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request to the studio, or refuse it."""
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
        """Check a request, and return the answer to a first visit, which sets the cookie."""
        self._check_host(asked)
        if asked.scope["method"] not in ("GET", "HEAD"):
            self._check_origin(asked)
        if self._is_ours(asked.headers.get(HEADER)) or self._is_ours(_cookie(asked)):
            return None
        self._check_token(asked)
        return self._first_visit(asked) if asked.scope["path"] == "/" else None

    def _first_visit(self, asked: HTTPConnection) -> Response:
        """Move the token from the address to a cookie, so that copied links do not contain it."""
        if asked.headers.get("sec-fetch-site") == "cross-site":
            # After a click on another site, browsers omit strict cookies from a redirect.
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

    # --- checks -----------------------------------------------------------------------------------

    def _check_token(self, asked: HTTPConnection) -> None:
        shown = asked.headers.get(HEADER), _cookie(asked), asked.query_params.get("token")
        if not any(self._is_ours(token) for token in shown):
            raise Refused(403, "a request without the token of this run", ASK_AGAIN)

    def _is_ours(self, token: str | None) -> bool:
        """Compare with the token in constant time, against timing attacks."""
        return token is not None and hmac.compare_digest(token.encode(), self.token.encode())

    def _host(self, asked: HTTPConnection) -> str:
        """Return the Host header if it is allowed, else an empty string."""
        host = asked.headers.get("host", "")
        numeric = f"*:{_port(host)}" in self.allowed and _is_numeric(host)
        return host if host in self.allowed or numeric else ""

    def _check_host(self, asked: HTTPConnection) -> None:
        if not self._host(asked):
            fix = "Open the address that the studio has printed, such as 127.0.0.1."
            raise Refused(403, "a request for another host name", fix)

    def _check_origin(self, asked: HTTPConnection) -> None:
        """Refuse writes unless they come from the studio's page or carry the token in a header."""
        origin = asked.headers.get("origin")
        if origin is None and self._is_ours(asked.headers.get(HEADER)):
            return
        if origin != f"http://{asked.headers['host']}":
            raise Refused(403, "a request from another page", "Work in the studio's tab.")


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
    """Limit the body of a request while it is read: content-length may be missing or wrong."""
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
    """Limit the messages of a socket. A longer message closes the socket."""

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
    """Add the security headers to every answer."""

    async def sealed(message: Message) -> None:
        if message["type"] == "http.response.start":
            headers = MutableHeaders(scope=message)
            headers.setdefault("content-security-policy", policy(host))
            headers.update(SEALS)
        await send(message)

    return sealed
