"""A finger on a phone: whatever can be pressed is large enough to be hit, in every room."""

from __future__ import annotations

from typing import Any

import pytest

expect = pytest.importorskip("playwright.sync_api").expect

LEAST = 40
"""Pixels that a target has to have, across and down, what reaches beyond its text included."""

EXCEPTIONS = {
    "svg.picture *": "nodes and edges of a picture that can be enlarged with two fingers",
    ".skip": "for keyboards: it is not to be seen without one",
}

TARGETS = """([least, exceptions]) => {
  const small = [];
  const pressed = "a[href], button, input, select, textarea, summary";
  for (const element of document.querySelectorAll(`${pressed}, [role=button], [role=tab]`)) {
    if (exceptions.some((selector) => element.matches(selector))) continue;
    if (!element.checkVisibility({ visibilityProperty: true, opacityProperty: true })) continue;
    if (element.closest("[inert], [hidden]")) continue;
    // a box or a dot is pressed by its words
    const worded = ["checkbox", "radio", "file", "color"].includes(element.type);
    const target = (worded && element.closest("label")) || element;
    const boxes = [target, ...["::before", "::after"].map((part) => [target, part])].map(size);
    const width = Math.max(...boxes.map((box) => box.width));
    const height = Math.max(...boxes.map((box) => box.height));
    if (width >= least - 0.5 && height >= least - 0.5) continue;
    small.push(`${Math.round(width)} x ${Math.round(height)}: ${element.outerHTML.slice(0, 150)}`);
  }
  return small;

  function size(one) {
    if (!Array.isArray(one)) return one.getBoundingClientRect();
    const style = getComputedStyle(...one);
    const shown = style.content !== "none" && style.position === "absolute";
    return shown && style.pointerEvents !== "none"
      ? { width: parseFloat(style.width), height: parseFloat(style.height) }
      : { width: 0, height: 0 };
  }
}"""

COVERED = """(exceptions) => {
  const covered = [];
  const floating = document.querySelector(":popover-open"); // a press beside it closes it
  for (const element of document.querySelectorAll("a[href], button, [role=button], [role=tab]")) {
    if (exceptions.some((selector) => element.matches(selector))) continue;
    if (!element.checkVisibility({ visibilityProperty: true, opacityProperty: true })) continue;
    if (floating && !floating.contains(element)) continue;
    element.scrollIntoView({ block: "center", inline: "center", behavior: "instant" });
    for (const { x, y, width, height } of element.getClientRects()) {
      const hit = document.elementFromPoint(x + width / 2, y + height / 2);
      if (element.contains(hit)) continue;
      covered.push(`${hit?.outerHTML.slice(0, 90)} over ${element.outerHTML.slice(0, 90)}`);
    }
  }
  return covered;
}"""


def check(page: Any) -> None:
    """Every target is large enough, and none lies over the text of another."""
    exceptions = list(EXCEPTIONS)
    small = page.evaluate(TARGETS, [LEAST, exceptions])
    assert not small, "too small for a finger:\n" + "\n".join(small)
    covered = page.evaluate(COVERED, exceptions)
    assert not covered, "something lies over:\n" + "\n".join(covered)
    assert page.evaluate("document.documentElement.scrollWidth") <= 390


def button(page: Any, name: str) -> Any:
    return page.get_by_role("button", name=name, exact=True).first


@pytest.fixture
def walk(studio: Any, phone: Any) -> Any:
    phone.goto(studio.url)
    button(phone, "Step forward").wait_for()
    return phone


def test_the_walk(walk: Any) -> None:
    check(walk)
    for _ in range(5):
        button(walk, "Step forward").click()
        check(walk)
    assert walk.locator(".sentence-text .link").count() > 2


def test_a_name_in_a_sentence_is_hit_beside_its_letters_too(walk: Any) -> None:
    button(walk, "Go to the end").click()
    name = walk.locator(".sentence-text .link").first
    name.scroll_into_view_if_needed()
    box = name.bounding_box()
    walk.touchscreen.tap(box["x"] + box["width"] / 2, box["y"] - 5)
    expect(walk.get_by_role("article", name="Node a")).to_be_visible()


def test_all_panels_of_the_walk(walk: Any) -> None:
    for panel in ("Values", "Breakpoints", "Inspect"):
        walk.get_by_role("tab", name=panel).click()
        check(walk)
    nodes = walk.locator("svg.picture").get_by_role("button")
    for spoken in ("a, leaf", "v4, mul", "edge from c"):
        nodes.filter(has_text="").and_(walk.locator(f'[aria-label^="{spoken}"]')).first.focus()
        walk.keyboard.press("Enter")
        check(walk)
    button(walk, "Share").click()
    button(walk, "Type a formula").click()
    check(walk)
    walk.get_by_role("textbox", name="Formula").fill("a b")
    check(walk)


def test_a_stop(walk: Any) -> None:
    walk.locator('svg.picture [aria-label^="a, leaf"]').first.focus()
    walk.keyboard.press("Enter")
    button(walk, "Stop here").click()
    walk.get_by_role("tab", name="Breakpoints").click()
    check(walk)


@pytest.mark.parametrize("number", [None, 1, 2, 3, 4, 5, 6, "build-3", "build-6"])
def test_the_lessons(studio: Any, phone: Any, number: str | int | None) -> None:
    phone.goto(studio.at("#/lessons" + (f"/{number}" if number else "")))
    phone.get_by_role("heading", level=1).wait_for()
    check(phone)
    if number:
        one = phone.get_by_role("region", name="Question").first
        one.get_by_role("textbox").fill("123")
        one.get_by_role("button", name="Check").click()
        one.get_by_role("button", name="Show the answer").click()
        check(phone)
        button(phone, "Start over").click()
        button(phone, "Undo").wait_for()
        check(phone)


def test_the_misconceptions(studio: Any, phone: Any) -> None:
    phone.goto(studio.at("#/misconceptions"))
    phone.get_by_role("heading", level=1).wait_for()
    check(phone)
    links = phone.get_by_role("navigation", name="Misconceptions").get_by_role("link")
    for index in range(links.count()):
        links.nth(index).click()
        expect(links.nth(index)).to_have_attribute("aria-current", "page")
        check(phone)


def test_the_training_room(studio: Any, phone: Any) -> None:
    phone.goto(studio.at("#/training"))
    button(phone, "Step one update").wait_for()
    check(phone)
