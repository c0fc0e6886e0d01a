"""The studio of the site: plain files behind a plain server of files."""

from __future__ import annotations

import importlib
import re
import threading
from collections.abc import Iterator
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from gradwalk.studio.lessons import Choice, judge, lessons

ROOT = Path(__file__).parents[2]


class Quiet(SimpleHTTPRequestHandler):
    def log_message(self, *args: Any) -> None:
        """Say nothing on the terminal."""


@pytest.fixture(scope="module")
def files(static: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of the studio's files, which an ordinary server of files serves."""
    folder = tmp_path_factory.mktemp("site")
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(ROOT))
        importlib.import_module("docs.site_studio").write(folder / "studio", static)
    with ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=str(folder))) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}/studio/index.html"
        server.shutdown()


def test_the_site_walks_without_a_server(files: str, page: Any, screenshot: Any) -> None:
    page.goto(files)
    page.get_by_role("button", name="Go to the end").click()
    page.get_by_role("button", name="Type a formula").click()
    page.get_by_role("textbox", name="Formula").fill("d = a * b\ntanh(d + c)")
    for name, value in {"a": "2", "b": "-3", "c": "6"}.items():
        page.locator(".formula-values").get_by_label(name, exact=True).fill(value)
    page.get_by_role("button", name="Build the graph").click()
    page.keyboard.press("End")
    d = page.locator("svg.picture").get_by_role("button", name=re.compile("^d, mul"))
    d.and_(page.get_by_role("button", name=re.compile(r"data -6\.0, grad 1\.0"))).wait_for()
    screenshot("site-walk")


def test_every_question_of_the_site_is_judged_as_by_the_engine(
    files: str, page: Any, screenshot: Any
) -> None:
    for lesson in lessons():
        page.goto(f"{files}#/lessons/{lesson.id}")
        page.get_by_role("heading", level=1, name=lesson.title).wait_for()
        for place, question in zip(
            page.get_by_role("region", name="Question").all(),
            lesson.questions.values(),
            strict=True,
        ):
            if isinstance(question, Choice):
                for number, (_, words) in enumerate(question.options, 1):
                    place.get_by_role("radio").nth(number - 1).check()
                    place.get_by_role("button", name="Check").click()
                    place.get_by_text(words[:30]).first.wait_for()
                continue
            for answer in (*(mistake for mistake, _ in question.mistakes), "12345.5"):
                if set(answer) - set("0123456789.-+*/() "):
                    continue  # a formula of the variables, which readers cannot type
                place.get_by_role("textbox").fill(answer)
                place.get_by_role("button", name="Check").click()
                said = judge(question, answer)
                place.get_by_text((said.hint or said.words)[:30]).first.wait_for()
            place.get_by_role("textbox").fill(repr(judge(question, "0").expected))
            place.get_by_role("button", name="Check").click()
            place.get_by_text(question.explain[:30]).first.wait_for()
    screenshot("site-lesson")


def test_recorded_runs_play_and_nothing_else_is_asked(
    files: str, page: Any, screenshot: Any
) -> None:
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    page.goto(f"{files}#/misconceptions")
    page.get_by_role("button", name="Step forward").first.wait_for()
    screenshot("site-misconceptions")
    page.goto(f"{files}#/training")
    page.get_by_role("combobox", name="Points").select_option("moons")
    page.get_by_role("button", name="Start").click()
    page.get_by_text("The recorded run ends here").wait_for()
    screenshot("site-training")
    page.get_by_label("Learning rate", exact=True).fill("0.5")
    page.keyboard.press("Enter")
    page.get_by_role("alert").get_by_text("gradwalk studio").wait_for()
    base = files.removesuffix("index.html")
    code = {"index.html", "studio.js", "studio.css", "misconceptions.js", "training.js"}
    code |= {"keys.js", "transport.js"}  # what these two share with the workshop
    runs = {"training-xor.json", "training-moons.json"}
    assert {url.split("#")[0].removeprefix(base) for url in asked} == code | runs
