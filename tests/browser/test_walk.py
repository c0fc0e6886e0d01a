"""The walk, as a person meets it: step, look, change a value, stop, share."""

from __future__ import annotations

import re
from typing import Any

import pytest

expect = pytest.importorskip("playwright.sync_api").expect

REALLY = "Only the leaves have values."


@pytest.fixture
def walk(studio: Any, page: Any) -> Any:
    """The studio's first screen: (a + b) * c at its beginning."""
    page.goto(studio.url)
    expect(sentence(page)).to_have_text(REALLY)
    return page


def sentence(page: Any) -> Any:
    return page.get_by_role("region", name="This step").locator(".sentence-text").first


def step_of(page: Any) -> int:
    return int(scrubber(page).input_value())


def scrubber(page: Any) -> Any:
    return page.get_by_role("slider", name="Step of the walk")


def button(page: Any, name: str, **options: Any) -> Any:
    return page.get_by_role("button", name=name, **options)


def box(page: Any, spoken: str) -> Any:
    """A node of the picture, by how a screen reader calls it."""
    return page.locator("svg.picture").get_by_role("button", name=re.compile(f"^{spoken}"))


def click_edge(page: Any, operand: str, consumer: str) -> None:
    """A click on the middle of the curve between two nodes."""
    spoken = re.compile(f"^edge from {operand} to {consumer}")
    edge = page.locator("svg.picture").get_by_role("button", name=spoken)
    page.mouse.click(*edge.evaluate(MIDDLE))


MIDDLE = """edge => {
  const line = edge.querySelector("path");
  const half = line.getPointAtLength(line.getTotalLength() / 2);
  const at = half.matrixTransform(line.getScreenCTM());
  return [at.x, at.y];
}"""


def choose(page: Any, preset: str) -> None:
    page.get_by_role("combobox", name="Graph").select_option(preset)


def walk_formula(page: Any, text: str, **values: str) -> None:
    button(page, "Type a formula").click()
    page.get_by_role("textbox", name="Formula").fill(text)
    for name, value in values.items():
        page.locator(".formula-values").get_by_label(name, exact=True).fill(value)
    button(page, "Build the graph").click()


def panel(page: Any, name: str) -> Any:
    page.get_by_role("tab", name=name).click()
    return page.get_by_role("tabpanel")


# --- stepping -------------------------------------------------------------------------------------


def test_forward_fills_in_data_and_backward_passes_gradients_on(walk: Any) -> None:
    expect(box(walk, "v4, mul, the result, data not yet, grad not yet")).to_be_visible()
    forward = button(walk, "Step forward")
    forward.click()
    expect(sentence(walk)).to_have_text("v2 = a + b = 2.0 + (-3.0) → -1.0")
    expect(box(walk, "v2, add, data -1.0")).to_be_visible()
    forward.click()
    forward.click()
    expect(sentence(walk)).to_contain_text("v4.grad = 1.0")
    forward.click()
    lines = walk.locator(".sentence-text")
    expect(lines.nth(0)).to_have_text("v2.grad += v4.grad × ∂v4/∂v2 = 1.0 × 10.0 → 10.0")
    expect(lines.nth(1)).to_have_text("c.grad += v4.grad × ∂v4/∂c = 1.0 × -1.0 → -1.0")
    expect(box(walk, "c, leaf, data 10.0, grad -1.0")).to_be_visible()


def test_the_local_derivative_has_the_graphs_own_names(walk: Any) -> None:
    button(walk, "Backward", exact=True).click()
    button(walk, "Step forward").click()
    own = walk.get_by_label("Local derivative", exact=True)
    expect(own.nth(0)).to_have_text("∂v4/∂v2 = c = 10.0")
    expect(own.nth(1)).to_have_text("∂v4/∂c = v2 = -1.0")
    expect(walk.get_by_label("General rule", exact=True).locator("math")).to_have_count(0)
    button(walk, "General rule").click()
    rule = walk.get_by_label("General rule", exact=True).first
    expect(rule.locator("math").first).to_be_visible()
    assert "".join(rule.text_content().split()) == "Foranyy=uv:∂y/∂u=v"


def test_back_in_time_is_exactly_where_we_were(walk: Any) -> None:
    choose(walk, "neuron")
    length = int(scrubber(walk).get_attribute("max"))
    there = []
    for _ in range(length):
        there.append(walk.locator("svg.picture").text_content())
        button(walk, "Step forward").click()
    for before in reversed(there):
        button(walk, "Step back").click()
        assert walk.locator("svg.picture").text_content() == before
    expect(button(walk, "Step back")).to_be_disabled()


def test_everything_in_time_by_keyboard(walk: Any) -> None:
    choose(walk, "mlp")
    walk.locator("body").click(position={"x": 640, "y": 120})
    length = int(scrubber(walk).get_attribute("max"))
    moves = [("ArrowRight", 1), ("Shift+ArrowRight", 11), ("ArrowLeft", 10), ("Shift+ArrowLeft", 0)]
    for key, time in [*moves, ("End", length), ("Home", 0)]:
        walk.keyboard.press(key)
        expect(scrubber(walk)).to_have_value(str(time))
    walk.keyboard.press("]")
    expect(walk.get_by_label("Speed")).to_have_value("2")
    walk.keyboard.press("[")
    expect(walk.get_by_label("Speed")).to_have_value("1")
    walk.keyboard.press("/")
    expect(walk.get_by_role("searchbox").first).to_be_focused()


def test_play_goes_on_until_pause(walk: Any) -> None:
    walk.get_by_label("Speed").select_option("30")
    walk.keyboard.press("Escape")
    walk.get_by_label("Speed").blur()
    walk.keyboard.press("Space")
    expect(scrubber(walk)).to_have_value(scrubber(walk).get_attribute("max"))
    expect(button(walk, "Play")).to_be_visible()
    walk.get_by_label("Speed").select_option("0.5")
    button(walk, "Play").click()
    expect(button(walk, "Pause")).to_be_visible()
    button(walk, "Pause").click()
    assert step_of(walk) < 5


def test_jump_to_a_step_and_switch_the_phase(walk: Any) -> None:
    jump = walk.get_by_label(re.compile("Jump to step"))
    jump.fill("4")
    jump.press("Enter")
    expect(scrubber(walk)).to_have_value("4")
    jump.fill("9999")
    jump.press("Enter")
    expect(scrubber(walk)).to_have_value("5")
    button(walk, "Forward", exact=True).click()
    expect(scrubber(walk)).to_have_value("0")
    button(walk, "Backward", exact=True).click()
    expect(sentence(walk)).to_contain_text("the backward pass starts here")


def test_the_scrubber_says_the_sentence(walk: Any) -> None:
    scrubber(walk).focus()
    walk.keyboard.press("ArrowRight")
    assert step_of(walk) == 1
    expect(scrubber(walk)).to_have_attribute("aria-valuetext", re.compile(r"Step 1 of 5: v2 = a"))
    scrubber(walk).fill("3")
    expect(sentence(walk)).to_contain_text("v4.grad = 1.0")


def test_the_help_lists_every_key(walk: Any) -> None:
    walk.keyboard.press("?")
    dialog = walk.get_by_role("dialog", name="Keyboard")
    for words in ("Step forward", "Ten steps back", "Play or pause", "Search for a node", "Slower"):
        expect(dialog.get_by_text(words, exact=True)).to_be_visible()
    walk.keyboard.press("Escape")
    expect(dialog).to_be_hidden()


# --- looking --------------------------------------------------------------------------------------


def test_a_click_on_an_edge_shows_its_local_derivative(walk: Any) -> None:
    walk.keyboard.press("End")
    click_edge(walk, "c", "v4")
    inspector = walk.get_by_role("article", name="Edge from c to v4")
    told = inspector.locator(".derivative").first.inner_text()
    assert "".join(told.split()) == "∂v4/∂c=v2=-1.0"
    inspector.get_by_text("General rule").click()
    expect(inspector.locator("math").first).to_be_visible()


def test_the_paths_of_a_gradient_add_up_to_it(walk: Any) -> None:
    choose(walk, "diamond")
    walk.keyboard.press("End")
    box(walk, "a, leaf").click()
    inspector = walk.get_by_role("article", name="Node a")
    paths = inspector.locator(".path-list").get_by_role("button", name=re.compile("^Path"))
    expect(paths).to_have_count(2)
    brought = [float(path.locator(".gradient").inner_text()) for path in paths.all()]
    assert sum(brought) == float(inspector.locator(".path-total .gradient").inner_text()) == 15
    paths.first.hover()
    expect(walk.locator("svg.picture .node.highlighted")).to_have_count(3)


def test_a_node_tells_all_and_leads_to_its_neighbours(walk: Any) -> None:
    choose(walk, "softmax")
    button(walk, "Fit the whole graph").click()
    box(walk, "loss, neg").click()
    inspector = walk.get_by_role("article", name="Node loss")
    expect(inspector).to_contain_text("not computed yet")
    walk.keyboard.press("End")
    expect(inspector).to_contain_text("loss = -v9")
    inspector.locator(".neighbours .name").first.click()
    expect(walk.get_by_role("article", name="Node v")).to_contain_text("p2")


# --- changing -------------------------------------------------------------------------------------


def test_a_typed_value_computes_everything_anew_and_time_stays(walk: Any) -> None:
    for _ in range(4):
        walk.keyboard.press("ArrowRight")
    values = panel(walk, "Values")
    values.get_by_label("Value of a", exact=True).fill("5")
    walk.keyboard.press("Tab")
    expect(box(walk, "v4, mul, the result, data 20.0")).to_be_visible()
    expect(box(walk, "c, leaf, data 10.0, grad 2.0")).to_be_visible()
    assert step_of(walk) == 4
    button(walk, "Reset all").click()
    expect(box(walk, "v4, mul, the result, data -10.0")).to_be_visible()


def test_a_slider_and_a_drag_change_a_value_too(walk: Any) -> None:
    walk.keyboard.press("End")
    values = panel(walk, "Values")
    values.get_by_label("Slider for b").fill("1")
    expect(box(walk, "v4, mul, the result, data 30.0")).to_be_visible()
    name = values.locator(".leaf-name", has_text="c")
    at = name.bounding_box()
    walk.mouse.move(at["x"] + 4, at["y"] + 10)
    walk.mouse.down()
    walk.mouse.move(at["x"] + 44, at["y"] + 10, steps=4)
    walk.mouse.up()
    assert float(values.get_by_label("Value of c", exact=True).input_value()) > 10


def test_what_is_no_number_is_told(walk: Any) -> None:
    values = panel(walk, "Values")
    values.get_by_label("Value of a", exact=True).fill("two")
    walk.keyboard.press("Tab")
    expect(values.get_by_role("alert")).to_contain_text("“two” is not a number")
    values.get_by_label("Value of a", exact=True).fill("-inf")
    walk.keyboard.press("Tab")
    expect(values.get_by_role("alert")).to_have_count(0)
    expect(box(walk, "a, leaf, data -inf")).to_be_visible()


def test_two_runs_are_compared(walk: Any) -> None:
    walk.keyboard.press("End")
    values = panel(walk, "Values")
    values.get_by_label("Compare runs").check()
    values.get_by_label("Value of a", exact=True).fill("4")
    walk.keyboard.press("Tab")
    rows = values.get_by_role("row")
    expect(rows.nth(1)).to_contain_text(re.compile(r"v4\s*-10\.0\s*10\.0"))
    expect(values).to_contain_text("4 nodes differ")
    box(walk, "a, leaf").click()
    expect(walk.get_by_role("article", name="Node a")).to_contain_text(
        re.compile(r"2\.0\s*→\s*4\.0")
    )


def test_a_drag_is_compared_with_the_run_that_was_kept_and_not_with_its_last_pixel(
    walk: Any,
) -> None:
    walk.keyboard.press("End")
    box(walk, "a, leaf").dblclick()
    walk.locator(".picture-value").fill("7")
    walk.keyboard.press("Enter")
    panel(walk, "Values").get_by_label("Compare runs").check()
    expect(box(walk, "a, leaf, data 7.0 \\(was 2.0")).to_be_visible()
    button(walk, "Keep this run").click()
    at = walk.locator("[data-node='0'] .grip").bounding_box()
    walk.mouse.move(at["x"] + 9, at["y"] + 9)
    walk.mouse.down()
    walk.mouse.move(at["x"] + 59, at["y"] + 9, steps=5)
    walk.mouse.up()
    expect(box(walk, "a, leaf, data 7.5 \\(was 7.0")).to_be_visible()


# --- stopping -------------------------------------------------------------------------------------


def test_playing_stops_at_a_number_that_is_none(walk: Any) -> None:
    walk_formula(walk, "d = 1 / a\ne = d * b\ne + c", a="0", b="0", c="1")
    panel(walk, "Breakpoints").get_by_label("A value or gradient is NaN or infinite").check()
    walk.get_by_label("Speed").select_option("30")
    button(walk, "Play").click()
    expect(walk.get_by_text("Stopped: the value of d is inf.")).to_be_visible()
    button(walk, "Run to stop").first.click()
    expect(walk.get_by_text("Stopped: the value of e is NaN.")).to_be_visible()
    button(walk, "Back to stop").first.click()
    expect(walk.get_by_text("Stopped: the value of d is inf.")).to_be_visible()


def test_stops_beyond_a_bound_and_at_a_named_node(walk: Any) -> None:
    breakpoints = panel(walk, "Breakpoints")
    breakpoints.get_by_label("Its magnitude exceeds").fill("9")
    walk.keyboard.press("Tab")
    button(walk, "Run to stop").first.click()
    expect(walk.get_by_text("beyond ±9.0")).to_be_visible()
    breakpoints.get_by_label("Its magnitude exceeds").fill("")
    breakpoints.get_by_label("At the node").fill("v2")
    walk.keyboard.press("Enter")
    button(walk, "Run to stop").first.click()
    expect(walk.get_by_text("Stopped at v2: it propagates its gradient.")).to_be_visible()
    breakpoints.get_by_label("At the node").fill("nobody")
    walk.keyboard.press("Enter")
    expect(breakpoints.get_by_role("alert")).to_contain_text("There is no node “nobody”")


# --- what others write ----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "advice"),
    [
        ("y = 2π × r²\ny", "Write 2 * π."),
        ("(a + b)(c)", "Write (a + b) * (c)."),
        ("|x|", "Write abs(x)."),
        ("np.exp(x)", "Write exp without np."),
        ("Value(2.0) * x", "Write the number itself: 2.0."),
        ("import math", "Remove this line"),
    ],
)
def test_what_other_notations_write_gets_advice(walk: Any, text: str, advice: str) -> None:
    button(walk, "Type a formula").click()
    walk.get_by_role("textbox", name="Formula").fill(text)
    expect(walk.get_by_role("alert")).to_contain_text(advice)
    expect(button(walk, "Build the graph")).to_be_disabled()


def test_pi_in_greek_has_the_value_that_is_meant(walk: Any) -> None:
    button(walk, "Type a formula").click()
    walk.get_by_role("textbox", name="Formula").fill("2 * π * r")
    values = walk.locator(".formula-values")
    expect(values.get_by_label("π", exact=True)).to_have_value("3.141592653589793")
    expect(values.get_by_label("r", exact=True)).to_have_value("1")
