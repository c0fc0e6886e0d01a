"""The cells of the manual: an example opens as an editor, and Python runs it in the page."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from ..helpers.manual_page import write
from ..helpers.served import served

expect = pytest.importorskip("playwright.sync_api").expect
ROOT = Path(__file__).parents[2]
LONG = 60_000
"""Milliseconds in which any machine loads Python."""


@pytest.fixture(scope="module")
def manual(static: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The examples of Values as a page of the site, with the studio's folder beside it."""
    folder = tmp_path_factory.mktemp("site")
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(ROOT))
        write(folder, static, patch)
    with served(folder) as (address, _):
        yield f"{address}values.html"


def button(page: Any, name: str) -> Any:
    return page.get_by_role("button", name=name, exact=True)


def field(page: Any) -> Any:
    return page.get_by_role("textbox", name="Example, in Python")


def output(page: Any) -> Any:
    return page.get_by_label("Output", exact=True)


def status(page: Any) -> Any:
    return page.locator(".cell-status")


def shown(block: str) -> str:
    """What the manual shows of an example: its lines without a prompt."""
    lines = block.splitlines()
    return "\n".join(line for line in lines if line and not line.startswith((">>>", "...")))


def test_each_example_of_the_page_shows_what_the_manual_shows(manual: str, page: Any) -> None:
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    page.goto(manual)
    offers = button(page, "Try it")
    blocks = [place.inner_text() for place in page.locator(".try-it pre").all()]
    expect(offers).to_have_count(len(blocks))
    for at, block in enumerate(blocks):
        offers.nth(at).click()
        expect(field(page)).to_be_focused()
        assert ">>>" not in field(page).input_value()
        field(page).press("Control+Enter")
        if "Traceback" in block:
            error = shown(block).rpartition("\n")[2].rpartition("gradwalk.errors.")[2]
            expect(page.get_by_role("alert").locator("p")).to_contain_text(error[:40])
        else:
            expect(status(page)).to_have_text("Done.", timeout=LONG)
            expect(output(page)).to_have_text(shown(block))
        button(page, "Close").click()
        expect(offers.nth(at)).to_be_focused()
    loaded = [url for url in asked if "pyodide/" in url]
    assert sorted(url.rpartition("/")[2] for url in loaded).count("values.zip") == 1
    assert not any(url.endswith("gradwalk.zip") for url in loaded)


def test_nothing_is_loaded_before_the_first_run(
    manual: str, page: Any, screenshot: Any, axe: Any
) -> None:
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    page.goto(manual)
    button(page, "Try it").first.click()
    expect(page.get_by_text(re.compile(r"loads it from this site: \d+\.\d MB"))).to_be_visible()
    assert not any("pyodide" in url or "worker" in url for url in asked)
    axe(page)
    button(page, "Run").click()
    expect(status(page)).to_have_text("Done.", timeout=LONG)
    assert any(url.endswith("pyodide.asm.wasm") for url in asked)
    expect(page.locator(".cell-note")).to_have_text("")
    screenshot("try-it")
    axe(page)


def test_an_edited_example_shows_its_result_or_its_error(manual: str, page: Any) -> None:
    page.goto(manual)
    button(page, "Try it").first.click()
    example = field(page).input_value()
    field(page).fill("from gradwalk import Value\nx = Value(3.0)\nprint('x is', x.data)\nx * 2")
    button(page, "Run").click()
    expect(status(page)).to_have_text("Done.", timeout=LONG)
    expect(output(page)).to_have_text("x is 3.0\nValue(6.0, grad=0.0)")
    field(page).fill("from gradwalk import Value\n\nprint('before')\nValue(1.0) / 'a'\n")
    button(page, "Run").click()
    alert = page.get_by_role("alert")
    expect(alert).to_contain_text("Error")
    expect(output(page)).to_have_text("before\n")
    button(page, "Go to line 4").click()
    expect(field(page)).to_be_focused()
    expect(page.locator(".code-line.wrong .code-text")).to_contain_text("Value(1.0) / 'a'")
    field(page).fill("x = (1\n")
    button(page, "Run").click()
    expect(alert).to_contain_text("SyntaxError: '(' was never closed")
    field(page).fill("from gradwalk import Tensor\nTensor([1.0])")
    button(page, "Run").click()
    expect(alert).to_contain_text("This needs NumPy, which is not in this page.")
    button(page, "Start over").click()
    expect(field(page)).to_have_value(example)
    button(page, "Close").click()
    expect(page.locator(".try-it pre").first).to_be_visible()


def test_a_loop_that_never_ends_is_stopped_and_the_page_lives(manual: str, page: Any) -> None:
    page.clock.install()
    page.goto(manual)
    button(page, "Try it").first.click()
    field(page).fill("print('begun')\nwhile True: pass")
    button(page, "Run").click()
    expect(output(page)).to_have_text("begun\n", timeout=LONG)
    button(page, "Stop").click()
    expect(status(page)).to_have_text("Stopped.")
    button(page, "Run").click()
    expect(output(page)).to_have_text("begun\n", timeout=LONG)
    page.clock.run_for(10_000)
    expect(page.get_by_role("alert")).to_contain_text("Stopped after 10 seconds")
    field(page).fill("def f(): f()\nf()")
    button(page, "Run").click()
    expect(page.get_by_role("alert")).to_contain_text("ecursion", timeout=LONG)
    field(page).fill("print('alive')")
    button(page, "Run").click()
    expect(output(page)).to_have_text("alive\n", timeout=LONG)


def test_on_a_phone_a_cell_fits(manual: str, phone: Any, screenshot: Any, axe: Any) -> None:
    phone.goto(manual)
    button(phone, "Try it").first.tap()
    button(phone, "Run").tap()
    expect(status(phone)).to_have_text("Done.", timeout=LONG)
    box = phone.locator(".cell").bounding_box()
    assert box["x"] >= 0
    assert box["x"] + box["width"] <= 390
    screenshot("try-it")
    axe(phone)
