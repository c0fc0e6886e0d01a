"""The walk's panels, fields and words: what is readable, what is cut off, what lies where."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from gradwalk import Value
from gradwalk.studio import assets
from gradwalk.studio.document import document_of
from gradwalk.studio.offline import page_of

expect = pytest.importorskip("playwright.sync_api").expect


@pytest.fixture(autouse=True)
def built(static: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Save offline files are made of the page that is tested."""
    monkeypatch.setattr(assets, "STATIC", static)


def button(page: Any, name: str, **options: Any) -> Any:
    return page.get_by_role("button", name=name, **options)


def panel(page: Any, name: str) -> Any:
    page.get_by_role("tab", name=name).click()
    return page.get_by_role("tabpanel")


def opened(page: Any, result: Value, folder: Path) -> Any:
    """The offline file of a graph."""
    file = folder / "walk.html"
    file.write_text(page_of(document_of(result)), encoding="utf-8")
    page.goto(file.as_uri())
    button(page, "Step forward").wait_for()
    return page


# --- fields ---------------------------------------------------------------------------------------


def test_values_of_a_formula_are_typed_as_people_write_them(walk: Any) -> None:
    button(walk, "Type a formula").click()
    walk.get_by_role("textbox", name="Formula").fill("a * b")
    values = walk.locator(".formula-values")
    values.get_by_label("a", exact=True).fill("1/x")
    expect(walk.get_by_role("alert")).to_contain_text("The value of a: “1/x” is not a number")
    expect(button(walk, "Build the graph")).to_be_disabled()
    values.get_by_label("a", exact=True).fill("1/4")
    expect(walk.get_by_role("alert")).to_have_count(0)
    values.get_by_label("b", exact=True).fill("−2**3")
    button(walk, "Build the graph").click()
    walk.keyboard.press("End")
    expect(walk.locator("svg.picture")).to_contain_text("-2.0")


def test_a_wrong_value_leaves_the_row_of_its_leaf_as_it_is(walk: Any, screenshot: Any) -> None:
    values = panel(walk, "Values")
    field = values.get_by_label("Value of a", exact=True)
    field.fill("5")
    walk.keyboard.press("Tab")
    reset = values.get_by_role("button", name="Reset a to")
    field.fill("two")
    walk.keyboard.press("Tab")
    expect(values.get_by_role("alert")).to_contain_text("“two” is not a number")
    assert abs(reset.bounding_box()["y"] - field.bounding_box()["y"]) < 5
    screenshot("walk-wrong-value")
    field.fill("")
    walk.keyboard.press("Tab")
    expect(values.get_by_role("alert")).to_have_text("Type a number.")


def test_names_from_containers_are_read_whole_in_values(
    page: Any, tmp_path: Path, screenshot: Any
) -> None:
    alpha, beta = Value(0.3, label="params['alpha']"), Value(0.4, label="params['beta'][0]")
    opened(page, alpha * beta + Value(1.0, label="c" * 150), tmp_path)
    values = panel(page, "Values")
    for label in (alpha.label, beta.label):
        name = values.locator(".leaf-name", has_text=label)
        assert name.evaluate("name => name.scrollWidth <= name.clientWidth"), label
    for name in values.locator(".leaf-name").all():
        assert name.bounding_box()["height"] < 48
        expect(name).to_have_attribute("title", re.compile(r"^(params|ccc)"))
    screenshot("walk-long-names")


# --- words ----------------------------------------------------------------------------------------


def test_a_long_label_does_not_push_its_sentence_out_of_sight(
    page: Any, tmp_path: Path, screenshot: Any
) -> None:
    long = Value(0.1, label="w" * 150)
    opened(page, Value(2.0, label="a") * long, tmp_path)
    page.keyboard.press("End")
    lines = page.locator(".sentence-lines")
    assert lines.evaluate("lines => lines.scrollHeight <= lines.clientHeight + 1")
    expect(lines.locator(".sentence-text").last).to_contain_text("→ 2.0")
    named = lines.get_by_role("button", name=re.compile("^w+…w+.grad$"))
    expect(named.first).to_have_attribute("title", "w" * 150 + ".grad")
    screenshot("walk-long-label")


def test_a_number_stands_on_one_line(page: Any, tmp_path: Path) -> None:
    v, w = Value(5.166667e-29, label="v"), Value(4.68716e-29, label="w")
    opened(page, v * w + v * v, tmp_path)
    for width in range(900, 1300, 40):
        page.set_viewport_size({"width": width, "height": 800})
        for _ in range(8):
            page.keyboard.press("ArrowRight")
            rows = page.locator(".sentence-text .number").evaluate_all(
                "all => all.map((one) => one.getClientRects().length)"
            )
            assert set(rows) == {1}
        page.keyboard.press("Home")


def test_the_buttons_of_stops_stand_once(walk: Any) -> None:
    panel(walk, "Breakpoints").get_by_label("A value or gradient is NaN or infinite").check()
    expect(button(walk, "Run to stop")).to_have_count(1)
    expect(button(walk, "Back to stop")).to_have_count(1)


def test_the_legend_explains_every_mark(walk: Any, screenshot: Any) -> None:
    legend = walk.locator(".legend")
    for words in ("still incomplete", "no gradient flows", "a breakpoint"):
        expect(legend).to_contain_text(words)
    screenshot("walk-legend")


# --- the picture ----------------------------------------------------------------------------------

LETTERS = """texts => texts.map((text) => {
  const style = getComputedStyle(text);
  return [text.textContent, style.fontWeight, style.fontSize, style.fontStyle].join(" ");
})"""


def test_the_picture_is_lettered_on_the_page_as_in_its_file(walk: Any, tmp_path: Path) -> None:
    walk.keyboard.press("End")
    there = walk.locator("svg.picture text:not(.traveller *)").evaluate_all(LETTERS)
    with walk.expect_download() as saved:
        button(walk, "Share", exact=True).click()
        button(walk, "Save SVG").click()
    file = tmp_path / "graph.svg"
    saved.value.save_as(file)
    other = walk.context.new_page()
    other.goto(file.as_uri())
    exported = other.locator("text").evaluate_all(LETTERS)
    assert len(there) > 10
    assert set(there) <= set(exported)


# --- narrow windows -------------------------------------------------------------------------------


@pytest.mark.parametrize("width", [600, 621, 650, 670, 699, 701, 740])
def test_every_room_can_be_seen_in_the_navigation(walk: Any, width: int) -> None:
    walk.set_viewport_size({"width": width, "height": 700})
    nav = walk.get_by_role("navigation").first
    assert nav.evaluate("nav => nav.scrollWidth <= nav.clientWidth")
