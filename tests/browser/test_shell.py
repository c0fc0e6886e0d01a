"""The studio around the rooms: the way between them, the theme, the keyboard."""

from __future__ import annotations

import re
from typing import Any

import pytest

from gradwalk import Value
from gradwalk.studio.document import document_of

expect = pytest.importorskip("playwright.sync_api").expect

ROOMS = ["Walk", "Misconceptions", "Training", "Lessons"]


def nav(page: Any, room: str) -> Any:
    return page.get_by_role("navigation", name="Pages").get_by_role("link", name=room)


def theme(page: Any) -> str:
    return page.evaluate("getComputedStyle(document.querySelector('.gradwalk')).colorScheme")


def test_every_room_has_an_address_and_a_link(studio: Any, page: Any) -> None:
    answers: list[Any] = []
    page.on("websocket", lambda socket: socket.on("framereceived", lambda x: answers.append(x)))
    page.goto(studio.url)
    for room in ROOMS:
        nav(page, room).click()
        expect(page).to_have_url(re.compile(f"#/{room.lower()}$"))
        expect(nav(page, room)).to_have_attribute("aria-current", "page")
        expect(page.get_by_role("main")).not_to_be_empty()
        expect(page.get_by_text("This page cannot be shown")).to_have_count(0)
        expect(page.get_by_text("could not be loaded")).to_have_count(0)
        while room == "Training" and not answers:  # to leave while it connects is a warning
            page.wait_for_timeout(20)


def test_the_walk_is_as_it_was_when_one_comes_back(studio: Any, page: Any) -> None:
    page.goto(studio.url)
    page.get_by_role("button", name="Step forward").click()
    nav(page, "Lessons").click()
    page.go_back()
    expect(page.get_by_role("slider", name="Step of the walk")).to_have_value("1")


def test_the_graph_that_the_studio_was_started_on_is_shown_first(studio: Any, page: Any) -> None:
    graph = document_of(Value(2.0, label="mine") * 3.0, title="My graph")
    page.route("**/api/document", lambda route: route.fulfill(json=graph))
    page.goto(studio.url)
    expect(page.get_by_role("combobox", name="Graph")).to_have_value("own")
    expect(page.get_by_role("option", name="My graph").first).to_be_attached()
    expect(page.get_by_role("button", name=re.compile("^mine, leaf"))).to_be_visible()


def test_a_change_of_address_before_the_first_paint_is_followed(studio: Any, page: Any) -> None:
    """The listener was an effect once, which comes after the first paint: the change was lost."""
    page.add_init_script("""
      new MutationObserver((_, observer) => {
        if (!document.querySelector(".gradwalk")) return;
        observer.disconnect();
        location.hash = "#/lessons";
      }).observe(document, { childList: true, subtree: true });
    """)
    page.goto(studio.url)
    expect(nav(page, "Lessons")).to_have_attribute("aria-current", "page")
    expect(page.get_by_role("region", name="Walk")).to_have_count(0)


def test_an_unknown_address_is_the_walk(studio: Any, page: Any) -> None:
    page.goto(studio.at("#/nowhere"))
    expect(page.get_by_role("region", name="Walk")).to_be_visible()


def test_the_theme_is_the_systems_until_one_is_chosen(studio: Any, page: Any) -> None:
    page.emulate_media(color_scheme="dark")
    page.goto(studio.url)
    paper = "getComputedStyle(document.querySelector('.gradwalk')).backgroundColor"
    dark = page.evaluate(paper)
    page.get_by_label("Theme").select_option("light")
    assert theme(page) == "light"
    assert page.evaluate(paper) != dark
    page.reload()
    expect(page.get_by_label("Theme")).to_have_value("light")
    assert theme(page) == "light"
    page.get_by_label("Theme").select_option("system")
    assert page.evaluate(paper) == dark


def test_the_studio_works_where_the_browser_keeps_nothing(studio: Any, page: Any) -> None:
    shut = "{ get() { throw new DOMException('shut') } }"
    page.add_init_script(f"Object.defineProperty(window, 'localStorage', {shut})")
    page.goto(studio.url)
    page.get_by_label("Theme").select_option("dark")
    assert theme(page) == "dark"


def test_by_keyboard_alone_one_comes_past_the_head_and_into_the_picture(
    studio: Any, page: Any
) -> None:
    page.goto(studio.url)
    expect(page.get_by_role("button", name="Step forward")).to_be_visible()
    page.keyboard.press("Tab")
    expect(page.get_by_role("link", name="Skip to content")).to_be_focused()
    page.keyboard.press("Enter")
    expect(page.get_by_role("main")).to_be_focused()
    for _ in range(12):
        page.keyboard.press("Tab")
        if page.evaluate("document.activeElement.closest('svg.picture') !== null"):
            break
    else:
        pytest.fail("Tab does not lead into the picture")
    page.keyboard.press("ArrowRight")
    expect(page.get_by_role("slider", name="Step of the walk")).to_have_value("1")
