"""The workshop: an engine is written, run and judged."""

from __future__ import annotations

import json
import re
import threading
import zipfile
from collections.abc import Iterator
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from ..helpers.workshop_reports import ENGINE, RIGHT, UNUSABLE, WRONG

expect = pytest.importorskip("playwright.sync_api").expect
ROOT = Path(__file__).parents[2]


def button(page: Any, name: str) -> Any:
    return page.get_by_role("button", name=name, exact=True)


def field(page: Any) -> Any:
    return page.get_by_role("textbox", name="Your engine, in Python")


def enter(page: Any, studio: Any, *reports: Any) -> list[Any]:
    """Open the page. The server answers with these reports; return what it was asked."""
    asked: list[Any] = []

    def answer(route: Any) -> None:
        asked.append(json.loads(route.request.post_data))
        route.fulfill(json=reports[min(len(asked), len(reports)) - 1])

    page.route("**/api/workshop", answer)
    page.goto(studio.at("#/workshop"))
    field(page).wait_for()
    return asked


def judged(page: Any, studio: Any) -> None:
    enter(page, studio, WRONG)
    field(page).fill(ENGINE)
    button(page, "Run").click()
    page.get_by_role("heading", name="the derivative of tanh").wait_for()


def test_a_mistake_is_named_and_both_walks_stop_at_the_first_difference(
    studio: Any, page: Any, screenshot: Any, axe: Any
) -> None:
    asked = enter(page, studio, WRONG)
    screenshot("workshop-start")
    expect(page.get_by_text("on your computer, with your rights")).to_be_visible()
    field(page).fill(ENGINE)
    field(page).press("Control+Enter")
    page.get_by_role("heading", name="the derivative of tanh").wait_for()
    assert asked == [{"source": ENGINE, "name": "my_engine.py"}]
    expect(page.locator(".walks-verdict")).to_contain_text("The walks differ here. a.grad is -3.12")
    mine = page.get_by_role("region", name="Your walk").locator("svg.picture")
    right = page.get_by_role("region", name="The right walk").locator("svg.picture")
    for side, number in ((mine, "-3.12"), (right, "0.3011")):
        expect(side.locator("[aria-pressed=true]")).to_have_accessible_name(
            re.compile(f"^a, leaf.*grad {number}")
        )
    expect(page.locator(".code-line.wrong .code-text")).to_contain_text("1 - self.data ** 2")
    screenshot("workshop-mistake", full_page=True)
    axe(page)


def test_the_walk_is_stepped_by_buttons_and_keys(studio: Any, page: Any) -> None:
    judged(page, studio)
    button(page, "Go to the beginning").click()
    expect(page.locator(".walks-count")).to_have_text("Step 0 of 6")
    page.keyboard.press("ArrowRight")
    expect(page.locator(".walks-verdict")).to_contain_text("So far both walks are equal: t is")
    expect(page.locator(".code-line.now .code-number")).to_have_text("12")
    page.keyboard.press("d")
    expect(page.locator(".walks-count")).to_have_text("Step 6 of 6")


def test_hints_open_one_after_another_and_are_counted(studio: Any, page: Any) -> None:
    judged(page, studio)
    hints = page.get_by_role("region", name="Hints")
    button(page, "3 Line").click(force=True)
    expect(hints.get_by_role("listitem")).to_have_count(0)
    for name, words in {
        "1 Nudge": "Can tanh fall?",
        "2 Pointer": "the result",
        "3 Line": "t ** 2",
    }.items():
        button(page, name).click()
        expect(hints.get_by_role("listitem").last).to_contain_text(words)
    kept = page.evaluate("JSON.parse(localStorage['gradwalk-workshop-progress'])")
    assert kept["hints"] == {"tanh_from_x": 3}
    assert kept["mistakes"] == {"tanh_from_x": 1}
    assert (kept["runs"], sorted(kept["phases"])) == (1, ["1", "3", "4", "6"])
    assert len(kept["engine"]) == 64


def test_findings_are_shown_one_at_a_time(studio: Any, page: Any) -> None:
    judged(page, studio)
    button(page, "Next").click()
    expect(page.get_by_role("heading", name="deep graphs end it")).to_be_visible()
    expect(page.get_by_role("link", name="the misconception")).to_have_attribute(
        "href", "#/misconceptions/recursion"
    )
    button(page, "Next").click()
    row = page.get_by_role("row", name=re.compile("a.grad"))
    expect(row).to_contain_text("NaN")
    expect(button(page, "Next")).to_be_disabled()
    expect(page.get_by_role("heading", name="the derivative of tanh")).to_have_count(0)


def test_a_file_that_cannot_be_used_and_one_that_is_right(studio: Any, page: Any) -> None:
    enter(page, studio, UNUSABLE, RIGHT)
    button(page, "Run").click()
    expect(page.get_by_role("alert")).to_contain_text("SyntaxError")
    button(page, "Go to line 3").click()
    expect(field(page)).to_be_focused()
    button(page, "Run").click()
    expect(page.get_by_role("heading", name="Next, phase 7")).to_be_visible()
    expect(page.locator(".phases")).to_contain_text("6 of 12 passed")


def test_a_run_is_stopped(studio: Any, page: Any) -> None:
    page.route("**/api/workshop", lambda route: None)
    page.goto(studio.at("#/workshop"))
    button(page, "Run").click()
    button(page, "Stop").click()
    expect(page.locator(".run-status")).to_have_text("Stopped. Nothing was judged.")
    expect(button(page, "Run")).to_be_enabled()


def test_the_editor_indents_and_lets_the_keyboard_out(studio: Any, page: Any) -> None:
    enter(page, studio, RIGHT)
    field(page).fill("")
    field(page).press_sequentially("class Value:\ndef f(self):\nreturn 1\nx = 1")
    text = "class Value:\n    def f(self):\n        return 1\n    x = 1"
    expect(field(page)).to_have_value(text)
    page.keyboard.press("Tab")
    expect(field(page)).to_have_value(text + "   ")
    page.keyboard.press("Control+z")
    expect(field(page)).to_have_value(text)
    page.keyboard.press("Escape")
    page.keyboard.press("Tab")
    expect(button(page, "Run")).to_be_focused()


def test_the_file_survives_a_reload(studio: Any, page: Any) -> None:
    enter(page, studio, RIGHT)
    field(page).fill("kept = 1\n")
    page.reload()
    expect(field(page)).to_have_value("kept = 1\n")
    with page.expect_download() as download:
        button(page, "Save").click()
    assert Path(download.value.path()).read_text("utf-8") == "kept = 1\n"
    assert download.value.suggested_filename == "my_engine.py"


def test_the_code_of_a_link_is_shown_and_not_run(studio: Any, page: Any, screenshot: Any) -> None:
    asked = enter(page, studio, RIGHT)
    field(page).fill("mine = 1\n")
    link = page.evaluate(
        """async () => {
          const bytes = new TextEncoder().encode("theirs = 2\\n");
          const deflate = new CompressionStream("deflate-raw");
          const stream = new Blob([bytes]).stream().pipeThrough(deflate);
          const packed = new Uint8Array(await new Response(stream).arrayBuffer());
          let hash = 0x811c9dc5;
          for (const byte of bytes) hash = Math.imul(hash ^ byte, 0x01000193);
          const base = btoa(String.fromCharCode(...packed));
          const body = base.replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
          return "1" + (hash >>> 0).toString(16).padStart(8, "0") + body;
        }"""
    )
    page.evaluate(f"location.hash = '#/workshop/code={link}'")
    expect(field(page)).to_have_value("theirs = 2\n")
    expect(page.locator(".from-link")).to_contain_text("It has not been run")
    field(page).press("Control+Enter")
    expect(button(page, "Run")).to_be_disabled()
    screenshot("workshop-link")
    button(page, "Back to my file").click()
    expect(field(page)).to_have_value("mine = 1\n")
    assert asked == []


def test_on_a_phone_the_walks_are_one_above_the_other(
    studio: Any, phone: Any, screenshot: Any, axe: Any
) -> None:
    judged(phone, studio)
    mine, right = (
        phone.get_by_role("region", name=name) for name in ("Your walk", "The right walk")
    )
    assert mine.bounding_box()["y"] + 100 < right.bounding_box()["y"]
    assert phone.evaluate("document.documentElement.scrollWidth") <= 390
    screenshot("workshop-mistake", full_page=True)
    phone.emulate_media(color_scheme="dark")
    axe(phone)


# --- on the site, with Python in the page ---------------------------------------------------------

JUDGE = """
import contextlib, io, time

class Report:
    def __init__(self, json): self.json = json
    def as_json(self): return self.json

def check_here(text, name="my_engine.py", *, started, judging, skip=()):
    out, scope = io.StringIO(), {}
    started("")
    phases = [{"phase": 1, "state": "passed", "checks": 1, "failed": 0}]
    report = {"schema": "gradwalk-workshop/1", "verdict": "right", "phases": phases}
    with contextlib.redirect_stdout(out):
        exec(text, scope)
        for program in ("loop", "reach"):
            if program in scope and program not in skip:
                started(program)
                scope[program]()
    judging()
    report["ran"] = {"printed": out.getvalue() + "without " + ", ".join(skip)}
    return Report(report)
"""


class Quiet(SimpleHTTPRequestHandler):
    def log_message(self, *args: Any) -> None:
        """Say nothing on the terminal."""


@pytest.fixture(scope="module")
def site(static: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The studio of a site with Python, whose judge is a stand-in."""
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(ROOT))
        from docs import site_python, site_studio

        if not (site_python.PYODIDE / "pyodide.asm.wasm").is_file():
            pytest.skip("Pyodide is not installed: make test-pyodide installs it")

        def stand_in(target: Path) -> None:
            with zipfile.ZipFile(target, "w") as zipped:
                for name, text in {"": "", "workshop/": "", "workshop/inside": JUDGE}.items():
                    file = f"gradwalk/{name}" + ("__init__.py" if not name.endswith("e") else ".py")
                    zipped.writestr(file, text)

        patch.setattr(site_python, "available", lambda: True)
        patch.setattr(site_python, "archive", stand_in)
        patch.setattr(site_studio, "RECORDED", ())
        folder = tmp_path_factory.mktemp("site")
        site_studio.write(folder / "studio", static)
    with ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=str(folder))) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}/studio/index.html#/workshop"
        server.shutdown()


def printed(page: Any) -> Any:
    return page.locator(".printed pre")


def test_python_runs_in_the_page_from_the_first_run_on(site: str, page: Any) -> None:
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    page.goto(site)
    expect(page.get_by_text(re.compile(r"loads it from this site: \d+\.\d MB"))).to_be_visible()
    assert not any("pyodide" in url for url in asked)
    field(page).fill("print('hello')")
    button(page, "Run").click()
    expect(printed(page)).to_contain_text("hello", timeout=60_000)
    loaded = len(asked)
    assert any(url.endswith("pyodide.asm.wasm") for url in asked)
    field(page).fill("print('again')")
    button(page, "Run").click()
    expect(printed(page)).to_contain_text("again")
    assert len(asked) == loaded, "Python is loaded once"


def test_a_loop_that_never_ends_is_ended_and_the_page_lives(site: str, page: Any) -> None:
    page.goto(site)
    field(page).fill("def loop():\n    while True: pass\n")
    button(page, "Run").click()
    expect(page.locator(".run-status")).to_have_text(
        re.compile("loop does not end. Going on without it|Loading Python|Running"), timeout=60_000
    )
    expect(printed(page)).to_contain_text("without loop", timeout=60_000)
    field(page).fill("while True: pass\n")
    button(page, "Run").click()
    expect(page.get_by_role("alert")).to_contain_text("outside functions", timeout=60_000)
    field(page).fill("def loop():\n    while True: pass\n")
    button(page, "Run").click()
    expect(page.locator(".run-status")).to_have_text("Running in this page …", timeout=60_000)
    button(page, "Stop").click()
    expect(page.locator(".run-status")).to_have_text("Stopped. Nothing was judged.")
    field(page).fill("print('alive')\n")
    button(page, "Run").click()
    expect(printed(page)).to_contain_text("alive", timeout=60_000)


def test_the_file_of_a_learner_reaches_no_other_server(site: str, page: Any, problems: Any) -> None:
    met: list[str] = []

    class Other(Quiet):
        def do_GET(self) -> None:
            met.append(self.path)
            self.send_response(200)
            self.end_headers()

    with ThreadingHTTPServer(("127.0.0.1", 0), Other) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        other = f"http://127.0.0.1:{server.server_port}/taken"
        page.goto(site)
        field(page).fill(
            "import js\ndef reach():\n"
            "    x = js.XMLHttpRequest.new()\n    try:\n"
            f"        x.open('GET', '{other}', False)\n        x.send()\n"
            "    except Exception as error:\n        print('refused')\n"
        )
        button(page, "Run").click()
        expect(printed(page)).to_contain_text("refused", timeout=60_000)
        server.shutdown()
    assert met == []
    problems.clear()
