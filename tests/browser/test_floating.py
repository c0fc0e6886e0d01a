"""What floats over the page: focus goes in and comes back, Escape and a press beside close it."""

from __future__ import annotations

from typing import Any

import pytest

expect = pytest.importorskip("playwright.sync_api").expect

BOXES = ["Share", "Type a formula"]


def opened(page: Any, name: str) -> Any:
    page.get_by_role("button", name=name, exact=True).click()
    box = page.locator(":popover-open")
    expect(box).to_be_visible()
    expect(box.locator(":focus")).to_have_count(1)
    return box


@pytest.mark.parametrize("name", BOXES)
def test_focus_goes_in_and_comes_back(walk: Any, axe: Any, name: str) -> None:
    button = walk.get_by_role("button", name=name, exact=True)
    for _ in range(2):
        box = opened(walk, name)
        expect(button).to_have_attribute("aria-expanded", "true")
        axe(walk)
        walk.keyboard.press("Escape")
        expect(box).to_have_count(0)
        expect(button).to_be_focused()
        expect(button).to_have_attribute("aria-expanded", "false")


@pytest.mark.parametrize("name", BOXES)
def test_escape_closes_the_box_and_keeps_the_selection(walk: Any, name: str) -> None:
    walk.locator('svg.picture [aria-label^="v2, add"]').click()
    box = opened(walk, name)
    walk.keyboard.press("Shift+Tab")
    walk.keyboard.press("Escape")
    expect(box).to_have_count(0)
    expect(walk.get_by_role("article", name="Node v2")).to_be_visible()


@pytest.mark.parametrize("name", BOXES)
def test_a_press_beside_it_or_on_its_button_closes_it(walk: Any, name: str) -> None:
    box = opened(walk, name)
    walk.get_by_role("button", name=name, exact=True).click()
    expect(box).to_have_count(0)
    opened(walk, name)
    walk.mouse.click(640, 790)
    expect(box).to_have_count(0)


def test_one_is_open_at_a_time(walk: Any) -> None:
    opened(walk, "Share")
    opened(walk, "Type a formula")
    expect(walk.locator(":popover-open")).to_have_count(1)


def test_an_editor_closes_by_its_own_buttons(walk: Any) -> None:
    box = opened(walk, "Type a formula")
    box.get_by_role("button", name="Close").click()
    expect(walk.get_by_role("button", name="Type a formula")).to_be_focused()
    walk.get_by_role("combobox", name="Graph").select_option("typed")
    expect(box.get_by_role("textbox", name="Formula")).to_be_focused()
    box.get_by_role("textbox", name="Formula").fill("a * a")
    box.get_by_role("button", name="Build the graph").click()
    expect(box).to_have_count(0)


@pytest.mark.parametrize("name", BOXES)
def test_it_fits_a_phone(phone: Any, studio: Any, axe: Any, name: str) -> None:
    phone.goto(studio.url)
    box = opened(phone, name)
    rect = box.bounding_box()
    assert rect["x"] >= 0
    assert rect["x"] + rect["width"] <= 390
    assert rect["y"] + rect["height"] <= 844
    assert phone.evaluate("document.documentElement.scrollWidth") <= 390
    axe(phone)


def test_a_phone_shows_picture_sentence_and_buttons_at_once(phone: Any, studio: Any) -> None:
    phone.goto(studio.url)
    step = phone.get_by_role("button", name="Step forward")
    last = int(phone.get_by_role("slider", name="Step of the walk").get_attribute("max"))
    for _ in range(last):
        step.tap()
        sentence = phone.locator(".sentence").bounding_box()
        buttons = phone.locator(".walk-transport").bounding_box()
        picture = phone.locator("svg.picture").bounding_box()
        assert picture["y"] + picture["height"] <= sentence["y"] + 1
        line = phone.locator(".sentence > :first-child").bounding_box()
        assert line["y"] + line["height"] <= buttons["y"], "the first words are not covered"
        assert abs(buttons["y"] + buttons["height"] - 844) <= 1, "the buttons stay where they are"
