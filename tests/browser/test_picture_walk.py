"""The picture while a walk is stepped: it stays where it is, and shows the node of the step."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from gradwalk import Value, custom_rule, explore
from gradwalk.studio import assets

expect = pytest.importorskip("playwright.sync_api").expect

HEIGHT = "document.querySelector('.walk-stage').clientHeight"
SETTLED = "new Promise((done) => requestAnimationFrame(() => setTimeout(done, 30)))"


def test_long_and_short_sentences_do_not_shake_the_picture(walk: Any) -> None:
    walk.get_by_role("combobox", name="Graph").select_option("mlp")
    walk.get_by_role("textbox", name="Jump to step").fill("70")
    walk.keyboard.press("Enter")
    walk.locator("body").press("End")
    heights = []
    for _ in range(30):
        walk.locator("body").press("ArrowLeft")
        walk.evaluate(SETTLED)
        heights.append(walk.evaluate(HEIGHT))
    assert heights == sorted(heights, reverse=True), "it gives way once and stays there"


def test_a_step_that_leaves_the_frame_moves_the_picture(walk: Any) -> None:
    walk.get_by_role("combobox", name="Graph").select_option("mlp")
    walk.get_by_role("combobox", name="Fold").select_option("none")
    for _ in range(4):
        walk.get_by_role("button", name="Zoom in").click()
    for _ in range(40):
        walk.locator("body").press("ArrowRight")
        walk.evaluate(SETTLED)
        expect(walk.locator(".node:is(.glow-forward, .glow-backward)")).to_be_in_viewport()


OVERLAPS = """() => {
  const boxes = [...document.querySelectorAll(".slope rect")].map((one) =>
    one.getBoundingClientRect());
  return boxes.filter((a, i) => boxes.some((b, j) => i < j && a.left < b.right
    && b.left < a.right && a.top < b.bottom && b.top < a.bottom)).length;
}"""
OUTLINE = """document.activeElement.matches(".target")
  && getComputedStyle(document.activeElement).outlineStyle"""


@pytest.mark.parametrize("preset", ["product", "square", "diamond", "neuron", "mlp", "softmax"])
def test_no_two_labels_of_edges_overlap(walk: Any, preset: str) -> None:
    walk.get_by_role("combobox", name="Graph").select_option(preset)
    step = walk.get_by_role("textbox", name="Jump to step")
    walk.locator("body").press("End")
    labels = 0
    for _ in range(int(step.input_value()) // 2):
        labels += walk.locator(".slope").count()
        assert walk.evaluate(OVERLAPS) == 0
        walk.locator("body").press("ArrowLeft")
    assert labels > 0


def test_keys_step_after_a_look_into_another_room(walk: Any) -> None:
    step = walk.get_by_role("textbox", name="Jump to step")
    walk.get_by_role("link", name="Misconceptions").click()
    walk.get_by_role("heading", name="Misconceptions", level=1).wait_for()
    walk.get_by_role("link", name="Walk", exact=True).click()
    step.wait_for()
    walk.keyboard.press("ArrowRight")
    expect(step).to_have_value("1")
    walk.keyboard.press("End")
    walk.keyboard.press("Home")
    expect(step).to_have_value("0")
    walk.get_by_role("combobox", name="Theme").focus()
    walk.keyboard.press("End")
    expect(step).to_have_value("0")  # a menu keeps its keys


def test_a_fold_is_of_the_graph_it_was_chosen_for(walk: Any) -> None:
    walk.get_by_role("combobox", name="Graph").select_option("mlp")
    fold = walk.get_by_role("combobox", name="Fold")
    fold.select_option("none")
    walk.get_by_role("tab", name="Values").click()
    walk.get_by_role("textbox", name="b1").fill("0.25")
    walk.keyboard.press("Enter")
    expect(fold).to_have_value("none")
    walk.get_by_role("combobox", name="Graph").select_option("product")
    expect(fold).to_have_count(0)
    walk.get_by_role("combobox", name="Graph").select_option("mlp")
    expect(fold).to_have_value("auto")


def test_a_click_leaves_no_rectangle_around_a_node(walk: Any) -> None:
    walk.locator(".node .target").first.click()
    outline = (
        "document.activeElement.matches('.target') && getComputedStyle(document.activeElement)"
    )
    assert walk.evaluate(f"({outline}).outlineStyle") == "none"


def test_open_groups_leave_the_search_in_its_row(walk: Any) -> None:
    walk.get_by_role("button", name="Type a formula").click()
    sums = [f"{name} = " + " + ".join(f"{name}{k} * x" for k in range(30)) for name in "uvw"]
    walk.get_by_role("textbox", name="Formula").fill("\n".join([*sums, "u * v * w"]))
    walk.get_by_role("button", name="Build the graph").click()
    walk.get_by_role("combobox", name="Fold").select_option("work")
    before = walk.evaluate(HEIGHT)
    for _ in range(3):
        walk.locator(".node.group .target").first.press("Enter")
        walk.evaluate(SETTLED)
        expect(walk.get_by_role("list", name="Open groups")).to_be_visible()
        assert walk.evaluate(HEIGHT) == before


def test_on_a_phone_the_search_is_as_wide_as_its_row(studio: Any, phone: Any) -> None:
    phone.goto(studio.url)
    phone.get_by_role("combobox", name="Graph").select_option("mlp")
    tools = phone.locator(".picture-tools")
    field = tools.get_by_role("searchbox")
    zoom = tools.locator(".picture-bar")
    row, box, bar = tools.bounding_box(), field.bounding_box(), zoom.bounding_box()
    own = box["y"] >= bar["y"] + bar["height"]
    left = row["x"] if own else bar["x"] + bar["width"]
    assert box["x"] + box["width"] > row["x"] + row["width"] - 20
    assert box["x"] < left + 24


@pytest.fixture
def cubed(page: Any, tmp_path: Path, static: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    """y = cube(a b) a + b, where the rule of cube is Python's alone, with 3 in the place of a."""
    monkeypatch.setattr(assets, "STATIC", static)
    cube = custom_rule(lambda x: x**3, vjp=lambda t, y, x: t * 3.0 * x * x)
    a, b = Value(0.5, label="a"), Value(1.0, label="b")
    path = explore(cube(a * b) * a + b, names=False).save(tmp_path / "walk.html")
    page.goto(path.as_uri())
    page.get_by_role("button", name="Go to the end").click()
    page.get_by_role("tab", name="Values").click()
    field = page.get_by_role("textbox", name="Value of a")
    field.fill("3")
    field.press("Enter")
    return page


def test_numbers_behind_a_recorded_one_are_marked(cubed: Any) -> None:
    def box(name: str) -> Any:
        return cubed.get_by_role("group", name="Graph of").get_by_role("button", name=name)

    box("the result, data 1.375 (may be out of date)").wait_for()
    assert "out of date" in box("a, leaf").get_attribute("aria-label")
    for kind in ("data", "grad"):
        marked = cubed.locator(f".stale .number.{kind}").all_text_contents()
        assert marked
        assert all(text.endswith("?") for text in marked)
    expect(cubed.locator(".node.leaf .stale .number.data")).to_have_count(0)


def test_the_paths_behind_a_recorded_number_add_up(cubed: Any) -> None:
    cubed.locator(".node.leaf .target").first.click()
    cubed.get_by_role("tab", name="Inspect").click()
    figures = cubed.locator(".path-list .path-product > :last-child").all_text_contents()
    total = cubed.locator(".path-total > :last-child").inner_text()
    assert len(figures) == 2
    assert sum(map(float, figures)) == pytest.approx(float(total))


def test_keys_step_the_walk_of_an_example(studio: Any, page: Any) -> None:
    page.goto(studio.at("#/training"))
    page.wait_for_function("() => /^\\d/.test(document.querySelector('output')?.textContent)")
    example = page.get_by_role("spinbutton", name="Example", exact=True)
    example.fill("3")
    example.press("Enter")
    page.get_by_role("button", name="Step through its loss").click()
    step = page.get_by_role("textbox", name="Jump to step")
    step.wait_for()
    page.keyboard.press("ArrowRight")
    expect(step).to_have_value("1")
    page.keyboard.press("Space")
    expect(page.get_by_role("button", name="Pause")).to_be_visible()
