"""On the site, the code of a learner reaches no other server, whatever it calls in the browser."""

from __future__ import annotations

import re
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from ..helpers.manual_page import write
from ..helpers.served import served

pytest.importorskip("playwright.sync_api")
ROOT = Path(__file__).parents[2]

PYTHON = """
import js
from pyodide.ffi import create_proxy, to_js
from js import Object

def options(**given):
    return to_js(given, dict_converter=Object.fromEntries)

def tell(name, how):
    js.fetch(f"{here}told/{{name}}-{{how}}")

OTHER = {other!r}

def later(name, promise):
    promise.then(create_proxy(lambda _: tell(name, "done")),
                 create_proxy(lambda _: tell(name, "refused")))

def connected(name, made):
    made.onopen = made.onmessage = create_proxy(lambda _: tell(name, "done"))
    made.onerror = create_proxy(lambda _: tell(name, "refused"))

def attempt(name, way):
    try:
        way()
    except BaseException:
        tell(name, "refused")

def request():
    made = js.XMLHttpRequest.new()
    made.open("GET", OTHER + "xhr", False)
    made.send()
    tell("xhr", "done")

def worker():
    script = to_js([{script!r}])
    for kind in "module", "classic":
        blob = js.Blob.new(script, options(type="text/javascript"))
        js.Worker.new(js.URL.createObjectURL(blob), options(type=kind, name=kind))

attempt("fetch", lambda: later("fetch", js.fetch(OTHER + "fetch", options(mode="no-cors"))))
attempt("xhr", request)
attempt("socket", lambda: connected("socket", js.WebSocket.new(OTHER.replace("http", "ws") + "ws")))
attempt("events", lambda: connected("events", js.EventSource.new(OTHER + "events")))
attempt("beacon", lambda: (js.navigator.sendBeacon(OTHER + "beacon"), tell("beacon", "done")))
attempt("import", lambda: (js.importScripts(OTHER + "scripts"), tell("import", "done")))
attempt("eval", lambda: (js.eval(f"import('{{OTHER}}eval')"), tell("eval", "done")))
attempt("function", lambda: (js.Function.new("import('{other}f')")(), tell("function", "done")))
attempt("worker", lambda: connected("worker", js.Worker.new(OTHER + "worker")))
module = options(type="module")
attempt("module", lambda: connected("module", js.Worker.new(OTHER + "module", module)))
attempt("cache", lambda: later("cache", js.caches.open("x").then(lambda c: c.add(OTHER + "cache"))))
attempt("font", lambda: later("font", js.FontFace.new("x", f"url({{OTHER}}font)").load()))
import pyodide_js
wheel = OTHER + "package-1-py3-none-any.whl"
attempt("package", lambda: later("package", pyodide_js.loadPackage(wheel)))
attempt("nested", worker)
"""

NESTED = """
const tell = (name, how) => fetch(`${HERE}told/${self.name}-${name}-${how}`);
const done = (name) => () => tell(name, "done");
const refused = (name) => () => tell(name, "refused");
const attempt = (name, way) => {
  try { Promise.resolve(way()).then(done(name), refused(name)); } catch { tell(name, "refused"); }
};
const opened = (made) => new Promise((resolve, reject) => {
  made.onopen = made.onmessage = resolve;
  made.onerror = reject;
});
attempt("import", () => import(OTHER + "nested-import"));
attempt("scripts", () => importScripts(OTHER + "nested-scripts"));
attempt("fetch", () => fetch(OTHER + "nested-fetch", { mode: "no-cors" }));
attempt("socket", () => opened(new WebSocket(OTHER.replace("http", "ws") + "nested-socket")));
attempt("events", () => opened(new EventSource(OTHER + "nested-events")));
attempt("transport", () => new WebTransport(OTHER.replace("http", "https") + "nested").ready);
const blob = (text) => URL.createObjectURL(new Blob([text], { type: "text/javascript" }));
attempt("static", () => opened(new Worker(
  blob(`import "${OTHER}nested-static"; postMessage(1);`), { type: "module" })));
attempt("data", () => opened(new Worker(`data:text/javascript,
  fetch("${OTHER}nested-data", { mode: "no-cors" }).then(() => postMessage(1))`)));
attempt("deeper", () => opened(new Worker(
  blob(`import("${OTHER}nested-deeper").catch(() => setTimeout(() => { throw 0; }))`))));
"""
"""What a worker of the learner tries. It starts from a text, as the page's own worker does."""

WAYS = "fetch xhr socket events beacon import eval function worker module cache font"
INNER = "import scripts fetch socket events transport static data deeper"


@pytest.fixture
def site(
    static: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[tuple[str, list[str]]]:
    """The studio of a site, with the real Python and the real judge, and a page of the manual."""
    monkeypatch.syspath_prepend(str(ROOT))
    write(tmp_path / "site", static, monkeypatch)
    with served(tmp_path / "site") as found:
        yield found


@pytest.fixture
def other(tmp_path: Path) -> Iterator[tuple[str, list[str]]]:
    """Another server: the learner's code tries to reach it."""
    (tmp_path / "other").mkdir()
    with served(tmp_path / "other") as found:
        yield found


@pytest.mark.parametrize("place", ["studio/index.html#/workshop", "values.html"])
def test_no_way_leads_to_another_server(
    place: str,
    site: tuple[str, list[str]],
    other: tuple[str, list[str]],
    page: Any,
    problems: list[str],
) -> None:
    (here, asked), (there, reached) = site, other
    page.goto(here + place)
    script = f"const HERE = {here!r}, OTHER = {there!r};{NESTED}"
    if place == "values.html":
        page.get_by_role("button", name="Try it").first.click()
    field = page.get_by_role("textbox", name=re.compile("in Python"))
    field.fill(PYTHON.format(here=here, other=there, script=script))
    page.get_by_role("button", name="Run", exact=True).click()
    expected = {f"{way}-refused" for way in WAYS.split()} | {"package-done"}  # it hides its errors
    expected |= {f"{kind}-{way}-refused" for kind in ("module", "classic") for way in INNER.split()}
    until = time.monotonic() + 60

    def told() -> set[str]:
        return {path.rpartition("/")[2] for path in asked if path.startswith("/told/")}

    while told() != expected and time.monotonic() < until:
        page.wait_for_timeout(100)
    assert told() == expected
    assert reached == []
    problems.clear()  # the browser tells of each refusal
