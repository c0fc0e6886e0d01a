"""The misconceptions: wrong and right side by side, up to the first node that differs."""

from __future__ import annotations

import re
from typing import Any

import pytest

expect = pytest.importorskip("playwright.sync_api").expect

STORIES = ["assign", "recursion", "order", "reset", "twice"]
GOES_ON = {
    "assign": "a.grad was 9.0. With =, 6.0 overwrites it. With +=, the sum is 15.0.",
    "recursion": "t is processed with 12.0. Its complete gradient is 27.0.",
    "reset": "w.grad still has -4.0 from the previous step: -4.0 + -0.8 → -4.8.",
    "twice": "m.grad still has 12.0 from the first backward pass: 12.0 + 12.0 → 24.0.",
}


def enter(page: Any, studio: Any, story: str) -> None:
    page.goto(studio.at(f"#/misconceptions/{story}"))
    expect(button(page, "Step forward")).to_be_visible()


def button(page: Any, name: str) -> Any:
    return page.get_by_role("button", name=name, exact=True)


def verdict(page: Any) -> Any:
    return page.locator(".lockstep-verdict")


def picture(page: Any, side: str) -> Any:
    return page.get_by_role("region", name=f"{side} run").locator("svg.picture")


def marked(page: Any, side: str) -> Any:
    """The node that is marked in a picture."""
    return picture(page, side).locator("[role=button][aria-pressed=true]")


def node(page: Any, side: str, name: str) -> Any:
    return picture(page, side).get_by_role("button", name=re.compile(f"^{name}, "))


def order(page: Any) -> list[str]:
    """The names in the list of the order."""
    names = page.get_by_role("list", name="Order, first to last").locator(".order-name")
    return [text.split()[0] for text in names.all_inner_texts()]


# --- side by side ---------------------------------------------------------------------------------


@pytest.mark.parametrize("story", GOES_ON)
def test_both_runs_stop_at_the_first_node_that_differs(
    studio: Any, page: Any, axe: Any, story: str
) -> None:
    enter(page, studio, story)
    expect(marked(page, "Wrong")).to_have_count(0)
    button(page, "Go to the first difference").click()
    expect(verdict(page)).to_contain_text("The runs differ here.")
    expect(verdict(page)).to_contain_text(GOES_ON[story])
    name = GOES_ON[story][0]
    expect(marked(page, "Wrong")).to_have_accessible_name(re.compile(f"^{name}, "))
    expect(marked(page, "Correct")).to_have_accessible_name(re.compile(f"^{name}, "))
    axe(page)


def test_one_transport_steps_both(studio: Any, page: Any) -> None:
    enter(page, studio, "assign")
    button(page, "Step forward").click()
    for side in ("Wrong", "Correct"):
        expect(node(page, side, "y")).to_have_accessible_name(
            re.compile("propagating its gradient")
        )
        expect(node(page, side, "m")).to_have_accessible_name(re.compile("grad 6.0"))
    button(page, "Step back").click()
    for side in ("Wrong", "Correct"):
        expect(node(page, side, "m")).to_have_accessible_name(re.compile("grad not yet"))
    button(page, "Go to the end").click()
    expect(node(page, "Wrong", "a")).to_have_accessible_name(re.compile("grad 6.0"))
    expect(node(page, "Correct", "a")).to_have_accessible_name(re.compile("grad 15.0"))
    button(page, "Go to the beginning").click()
    expect(page.get_by_role("slider", name="Step of both runs")).to_have_value("0")


def test_playing_pauses_where_they_part(studio: Any, page: Any) -> None:
    page.clock.install()
    enter(page, studio, "recursion")
    button(page, "Play").click()
    page.clock.run_for(60_000)
    expect(verdict(page)).to_contain_text("The runs differ here.")
    expect(button(page, "Play")).to_be_visible()
    button(page, "Play").click()
    page.clock.run_for(60_000)
    expect(verdict(page)).to_contain_text("The runs differ since step 3.")
    expect(button(page, "Step forward")).to_be_disabled()


def test_a_click_shows_a_node_in_both_pictures(studio: Any, page: Any) -> None:
    enter(page, studio, "assign")
    node(page, "Wrong", "n").dispatch_event("click")
    expect(marked(page, "Correct")).to_have_accessible_name(re.compile("^n, "))


def test_by_keyboard_alone(studio: Any, page: Any) -> None:
    enter(page, studio, "assign")
    page.get_by_role("link", name="backward() twice").focus()
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", name="backward() twice")).to_be_focused()
    slider = page.get_by_role("slider", name="Step of both runs")
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowRight")
    expect(slider).to_have_value("2")
    page.keyboard.press("ArrowLeft")
    page.keyboard.press("d")
    expect(verdict(page)).to_contain_text(GOES_ON["twice"])
    page.keyboard.press("End")
    expect(button(page, "Go to the end")).to_be_disabled()
    page.keyboard.press("Space")
    expect(button(page, "Pause")).to_be_visible()


# --- an order of one's own ------------------------------------------------------------------------


def test_the_list_makes_an_order_that_loses_something(studio: Any, page: Any, axe: Any) -> None:
    enter(page, studio, "order")
    first = order(page)
    assert (first[0], first[-1], set(first)) == ("y", "t", {"y", "m", "n", "t"})
    button(page, "Move t earlier").click()
    expect(page.locator(".order-name").nth(2)).to_contain_text("t")
    last = order(page)[-1]
    button(page, "Go to the first difference").click()
    expect(verdict(page)).to_contain_text("t is processed with")
    expect(marked(page, "Wrong")).to_have_accessible_name(re.compile("^t, "))
    button(page, "Go to the end").click()
    lost = page.get_by_role("region", name="Lost contributions")
    expect(lost).to_contain_text(f"t has already been processed when {last} adds")
    expect(node(page, "Correct", "a")).to_have_accessible_name(re.compile("grad 108.0"))
    axe(page)


def test_every_right_order_is_recognised(studio: Any, page: Any) -> None:
    enter(page, studio, "order")
    first = order(page)
    button(page, f"Move {first[1]} later").click()
    expect(page.locator(".order-name").nth(1)).to_contain_text(first[2])
    button(page, "Go to the end").click()
    expect(verdict(page)).to_contain_text("This order is correct")
    expect(page.get_by_role("region", name="Lost contributions")).to_have_count(0)


def test_the_list_works_by_keyboard_and_keeps_the_focus(studio: Any, page: Any) -> None:
    enter(page, studio, "order")
    button(page, "Move y later").focus()
    for place in (1, 2, 3):
        page.keyboard.press("Enter")
        expect(page.locator(".order-name").nth(place)).to_contain_text("y")
        expect(button(page, "Move y later")).to_be_focused()
    button(page, "Run this order").click()
    expect(verdict(page)).to_contain_text("is processed before any contribution has reached it")


def test_a_node_is_dragged_to_another_turn(studio: Any, page: Any) -> None:
    enter(page, studio, "order")
    stage = page.get_by_role("region", name="Your order").locator("svg.picture")
    boxes = {
        name: stage.get_by_role("button", name=re.compile(f"^{name}, ")).bounding_box()
        for name in ("t", "y")
    }
    (x, y), end = (centre(boxes[name]) for name in ("t", "y"))
    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.move(end[0], y - 40, steps=5)
    page.mouse.move(end[0] + 12, y - 50, steps=3)
    page.mouse.up()
    expect(page.locator(".order-name").first).to_contain_text("t")
    button(page, "Run this order").click()
    expect(verdict(page)).to_contain_text("t is processed before any contribution has reached it")
    button(page, "Reset the order").click()
    expect(page.locator(".order-name").first).to_contain_text("y")


def centre(box: Any) -> tuple[float, float]:
    return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2


# --- the others -----------------------------------------------------------------------------------


def test_two_steps_with_and_without_a_reset(studio: Any, page: Any) -> None:
    enter(page, studio, "reset")
    table = page.get_by_role("region", name="Two training steps")
    for words, numbers in {
        "Step 1": "1.0 -4.0",
        "Step 2, without a reset": "1.4 -4.8",
        "Step 2, with a reset": "1.4 -0.8",
    }.items():
        row = table.get_by_role("row").filter(has=page.get_by_role("rowheader", name=words))
        assert row.get_by_role("cell").all_inner_texts() == numbers.split()
    assert table.locator(".differs").all_inner_texts() == ["-4.8", "1.88"]
    expect(table).to_contain_text("after step 2 0.5776 without a reset and 0.0016 with one")


@pytest.mark.parametrize("story", ["assign", "recursion", "twice"])
def test_a_formula_of_ones_own(studio: Any, page: Any, story: str) -> None:
    enter(page, studio, story)
    button(page, "Try a formula of your own").click()
    page.get_by_role("textbox", name="Formula").fill("h = x * x\nk = h + h * h\nk * h")
    page.get_by_label("x", exact=True).fill("3")
    button(page, "Build the graph").click()
    button(page, "Go to the first difference").click()
    expect(verdict(page)).to_contain_text("The runs differ here.")
    page.get_by_role("textbox", name="Formula").fill("p * q")
    button(page, "Build the graph").click()
    button(page, "Go to the end").click()
    expect(verdict(page)).to_contain_text("the mistake makes no difference")
    page.get_by_role("textbox", name="Formula").fill("p * ")
    expect(page.get_by_role("alert")).to_contain_text("Line 1")
    button(page, "Back to the example").click()
    button(page, "Go to the first difference").click()
    expect(verdict(page)).to_contain_text(GOES_ON[story])


def test_an_operand_that_is_used_twice_is_told_with_all_it_gets(studio: Any, page: Any) -> None:
    enter(page, studio, "twice")
    button(page, "Try a formula of your own").click()
    page.get_by_role("textbox", name="Formula").fill("h = x * 1\nh + h")
    page.get_by_label("x", exact=True).fill("3")
    button(page, "Build the graph").click()
    button(page, "Go to the first difference").click()
    expect(verdict(page)).to_contain_text("2.0 + 1.0 + 1.0 → 4.0")
    expect(verdict(page)).to_contain_text("The gradient of this pass is 2.0")
    expect(node(page, "Wrong", "h")).to_have_accessible_name(re.compile("grad 4.0"))
    expect(node(page, "Correct", "h")).to_have_accessible_name(re.compile("grad 2.0"))


# --- how it looks ---------------------------------------------------------------------------------


@pytest.mark.parametrize("story", STORIES)
def test_screens(studio: Any, page: Any, screenshot: Any, story: str) -> None:
    shown(page, studio, story)
    screenshot(f"misconceptions-{story}")


@pytest.mark.parametrize("story", STORIES)
def test_screens_of_a_phone(studio: Any, phone: Any, screenshot: Any, axe: Any, story: str) -> None:
    shown(phone, studio, story)
    assert phone.evaluate("document.documentElement.scrollWidth") <= 390
    screenshot(f"misconceptions-{story}")
    phone.emulate_media(color_scheme="dark")
    axe(phone)


def shown(page: Any, studio: Any, story: str) -> None:
    """Where the two runs part; of an order, one that loses something."""
    enter(page, studio, story)
    if story == "order":
        button(page, "Move t earlier").click()
        expect(page.locator(".order-name").nth(2)).to_contain_text("t")
    button(page, "Go to the first difference").click()
    expect(verdict(page)).to_contain_text("The runs differ here.")
