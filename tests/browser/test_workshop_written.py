"""The workshop of the studio as a person uses it: a typed engine, and the real judge."""

from __future__ import annotations

import re
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from ..helpers.manual_page import write
from ..helpers.served import served
from ..helpers.workshop_written import FIXES, PARTS
from .conftest import opened

expect = pytest.importorskip("playwright.sync_api").expect

ROOT = Path(__file__).parents[2]
INDENT = "e => /^ *$/.exec(e.value.slice(0, e.selectionStart).split('\\n').pop())?.[0].length ?? -1"


def button(page: Any, name: str) -> Any:
    return page.get_by_role("button", name=name, exact=True)


def field(page: Any) -> Any:
    return page.get_by_role("textbox", name="Your engine, in Python")


def enter(page: Any, studio: Any) -> None:
    """Open the page, and empty the file."""
    page.goto(studio.at("#/workshop"))
    field(page).fill("")


def typed(page: Any, text: str) -> None:
    """Type lines at the end of the file: Enter and Backspace set the indent, as the editor does."""
    field(page).press("Control+End")
    for line in text.splitlines():
        page.keyboard.press("Enter")
        if line:
            indent = len(line) - len(line.lstrip())
            have = field(page).evaluate(INDENT)
            for _ in range(abs(have - indent) // 4):
                page.keyboard.press("Backspace" if have > indent else "Tab")
            page.keyboard.insert_text(line.lstrip())


def fixed(page: Any, wrong: str) -> None:
    """Select a line with a mistake, and type the right one over it."""
    right = FIXES[wrong]
    field(page).evaluate(
        "(e, text) => { const at = e.value.indexOf(text); e.focus();"
        " e.setSelectionRange(at, at + text.length); }",
        wrong,
    )
    page.keyboard.insert_text(right)


def run(page: Any) -> None:
    field(page).press("Control+Enter")
    expect(page.locator(".judged:not(.stale)")).to_be_visible(timeout=30_000)
    expect(button(page, "Run")).to_be_enabled(timeout=30_000)


def states(page: Any) -> dict[int, str]:
    """The words beside the twelve phases."""
    words = page.locator(".phase .phase-state").all_inner_texts()
    return dict(enumerate(words, 1))


def passed(page: Any) -> set[int]:
    return {number for number, words in states(page).items() if words == "passed"}


def names(page: Any, *words: str) -> None:
    """The page names this mistake."""
    expect(page.locator(".finding h2").first).to_have_text(re.compile("|".join(words)))


def test_an_engine_is_written_from_the_empty_file_to_xor(
    studio: Any, page: Any, screenshot: Any
) -> None:
    enter(page, studio)
    typed(page, PARTS["operators"])
    run(page)
    assert 1 in passed(page)
    expect(page.locator(".finding.wrong")).to_have_count(0)

    typed(page, PARTS["numbers on either side"])
    typed(page, PARTS["backward"])
    run(page)
    names(page, "order")
    assert states(page)[3] == "a mistake"
    fixed(page, "for node in order:")
    run(page)
    assert passed(page) >= {1, 2, 3, 4, 5, 11, 12}

    typed(page, "\n" + PARTS["functions"])
    run(page)
    names(page, "tanh is computed from x")
    wrong = page.locator(".code-line.wrong .code-text")
    expect(wrong).to_contain_text("1 - self.data ** 2")
    button(page, "Next").click()
    names(page, "exp overwrites the gradient")
    expect(wrong).to_contain_text("self.grad = out.data * out.grad")
    fixed(page, "self.grad = out.data * out.grad")
    run(page)
    names(page, "tanh is computed from x")
    fixed(page, "(1 - self.data ** 2) * out.grad")
    run(page)
    assert passed(page) >= {1, 2, 3, 4, 5, 6, 10, 11, 12}

    typed(page, "\n\n" + PARTS["neurons and training"])
    run(page)
    names(page, "zero_grad is missing")
    assert states(page)[9] == "a mistake"
    fixed(page, "        loss.backward()")
    run(page)
    expect(page.get_by_role("heading", name="The engine is complete, and right")).to_be_visible()
    assert passed(page) == set(range(1, 13))

    typed(page, "\n\n" + PARTS["XOR"])
    run(page)
    page.get_by_text("What your program printed").click()
    expect(page.locator(".printed pre")).to_contain_text("XOR [-1, 1, 1, -1] True")
    assert passed(page) == set(range(1, 13))
    screenshot("workshop-complete")


def ends(number: int) -> bool:
    """Whether a process ends, within a time in which any machine ends one."""
    until = time.monotonic() + 30
    place = Path(f"/proc/{number}")
    while place.exists() and time.monotonic() < until:
        time.sleep(0.05)
    return not place.exists()


def test_stop_ends_the_process_of_a_loop_that_never_ends(
    studio: Any, page: Any, tmp_path: Path
) -> None:
    trace = tmp_path / "process"
    enter(page, studio)
    field(page).fill(
        f"import os\nwith open({str(trace)!r}, 'w') as f:\n    print(os.getpid(), file=f)\n"
        "while True:\n    pass\n"
    )
    button(page, "Run").click()
    expect(page.locator(".run-status")).to_have_text("Running on this computer …")
    until = time.monotonic() + 30
    while not (trace.exists() and trace.read_text()):
        assert time.monotonic() < until, "the file was never run"
        page.wait_for_timeout(50)
    number = int(trace.read_text())
    button(page, "Stop").click()
    expect(page.locator(".run-status")).to_have_text("Stopped. Nothing was judged.")
    assert ends(number)
    field(page).fill("print('alive')\n")
    run(page)
    expect(page.locator(".judged")).to_be_visible()


def test_on_a_phone_a_mistake_is_found_and_fixed(studio: Any, phone: Any, screenshot: Any) -> None:
    enter(phone, studio)
    typed(phone, PARTS["operators"])
    typed(phone, PARTS["backward"])
    button(phone, "Run").tap()
    names(phone, "order")
    button(phone, "1 Nudge").tap()
    expect(phone.get_by_role("region", name="Hints").get_by_role("listitem")).to_have_count(1)
    mine, right = (
        phone.get_by_role("region", name=name) for name in ("Your walk", "The right walk")
    )
    assert mine.bounding_box()["y"] + 100 < right.bounding_box()["y"]
    assert phone.evaluate("document.documentElement.scrollWidth") <= 390
    screenshot("workshop-phone")
    fixed(phone, "for node in order:")
    button(phone, "Run").tap()
    expect(phone.locator(".finding.fine")).to_be_visible(timeout=30_000)
    assert passed(phone) >= {1, 2, 3, 4}


def test_on_the_site_the_same_judge_runs_in_the_page(
    static: Path, page: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.syspath_prepend(str(ROOT))
    write(tmp_path, static, monkeypatch)
    with served(tmp_path) as (here, asked):
        page.goto(f"{here}studio/index.html#/workshop")
        text = PARTS["operators"] + PARTS["backward"] + PARTS["functions"]
        field(page).fill(text.replace("in order:", "in reversed(order):"))
        field(page).press("Control+Enter")
        expect(page.locator(".finding h2")).to_be_visible(timeout=60_000)
        names(page, "tanh is computed from x")
        fixed(page, "(1 - self.data ** 2) * out.grad")
        run(page)
        names(page, "exp overwrites the gradient")
        fixed(page, "self.grad = out.data * out.grad")
        run(page)
        assert passed(page) >= {1, 2, 3, 4, 6, 10, 11, 12}
        assert "/studio/pyodide/gradwalk.zip" in asked
        assert "/studio/pyodide/values.zip" not in asked


# --- forced colours -------------------------------------------------------------------------------


@pytest.fixture(params=["light", "dark"])
def forced(browser: Any, problems: list[str], request: Any) -> Iterator[Any]:
    yield from opened(
        browser,
        problems,
        viewport={"width": 1280, "height": 800},
        forced_colors="active",
        color_scheme=request.param,
    )


def style(place: Any, name: str) -> str:
    return str(place.evaluate("(e, name) => getComputedStyle(e)[name]", name))


def test_forced_colours_leave_the_marks_of_phases_and_differences(
    forced: Any, studio: Any, screenshot: Any
) -> None:
    enter(forced, studio)
    field(forced).fill(PARTS["operators"] + "\n" + PARTS["backward"])
    run(forced)
    paper = style(forced.locator(".code-editor"), "backgroundColor")

    marks = forced.locator(".phase .state-mark")
    for mark in (marks.nth(at) for at in range(12)):
        assert style(mark.locator(".ground"), "stroke") != paper
        if mark.locator(".sign").count():
            ground = style(mark.locator(".ground"), "fill")
            assert style(mark.locator(".sign"), "stroke") != (paper if ground == "none" else ground)

    wrong, other = (
        forced.locator(".code-line.wrong"),
        forced.locator(".code-line:not(.wrong)").first,
    )
    assert style(wrong, "outlineStyle") != style(other, "outlineStyle")
    expect(wrong.locator(".code-number")).to_have_text("✗")
    expect(forced.locator(".walks-verdict.parted")).to_be_visible()
    chosen = forced.locator(".walks .node.selected .box").first
    rest = forced.locator(".walks .node:not(.selected) .box").first
    assert style(chosen, "strokeWidth") != style(rest, "strokeWidth")
    text = style(forced.locator(".code-text").first, "color")
    assert text != paper
    field(forced).focus()
    assert style(field(forced), "caretColor") != paper
    screenshot("workshop-forced", of=forced)
