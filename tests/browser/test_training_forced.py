"""Forced colours, such as the contrast themes of Windows: nothing is told by a lost colour."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from .conftest import opened

expect = pytest.importorskip("playwright.sync_api").expect

Page = Any

COLOURS = """
canvas => {
  const { data } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
  const pixels = new Uint32Array(data.buffer);
  return new Set(pixels.filter((_, i) => i % 7 === 0)).size;
}
"""


@pytest.fixture(params=["light", "dark"])
def forced(browser: Any, problems: list[str], request: Any) -> Iterator[Page]:
    yield from opened(
        browser,
        problems,
        viewport={"width": 1280, "height": 800},
        forced_colors="active",
        color_scheme=request.param,
    )


def style(place: Any, name: str) -> str:
    return str(place.evaluate("(e, name) => getComputedStyle(e)[name]", name))


def test_the_plane_has_its_colours(forced: Page, studio: Any) -> None:
    forced.goto(studio.at("#/training"))
    expect(forced.get_by_role("status", name="Connection")).to_have_text("connected")
    forced.get_by_role("button", name="Step one update").click()
    expect(forced.get_by_label("Update", exact=True)).to_have_text("1")
    assert forced.locator(".plane-field canvas").evaluate(COLOURS) > 50
    marks = forced.locator(".legend .mark")
    assert style(marks.nth(0), "backgroundColor") != style(marks.nth(1), "backgroundColor")


def test_the_colours_follow_when_the_theme_is_forced_later(page: Page, studio: Any) -> None:
    page.goto(studio.at("#/training"))
    expect(page.get_by_role("status", name="Connection")).to_have_text("connected")
    page.emulate_media(forced_colors="active", color_scheme="dark")
    page.wait_for_timeout(200)
    assert page.locator(".plane-field canvas").evaluate(COLOURS) > 50


def test_what_is_chosen_is_told_from_the_rest(forced: Page, studio: Any) -> None:
    def differ(one: Any, other: Any) -> None:
        assert style(one, "backgroundColor") != style(other, "backgroundColor")

    def button(name: str) -> Any:
        return forced.get_by_role("button", name=name, exact=True)

    def link(name: str) -> Any:
        return forced.get_by_role("link", name=name, exact=True)

    forced.goto(studio.url)
    button("Step forward").wait_for()
    differ(link("Walk"), link("Lessons"))
    differ(button("Forward"), button("Backward"))
    tabs = [forced.get_by_role("tab", name=name, exact=True) for name in ("Inspect", "Values")]
    differ(*tabs)
    slider = forced.locator("input.scrubber")
    assert style(slider, "forcedColorAdjust") == "none", "its track is a background"
    link("Training").click()
    differ(button("Choose"), button("Add 1"))
    button("Add 1").click()
    differ(button("Add 1"), button("Choose"))
    link("Misconceptions").click()
    stories = forced.get_by_role("navigation", name="Misconceptions").get_by_role("link")
    differ(stories.nth(0), stories.nth(1))
