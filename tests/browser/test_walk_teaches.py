"""The walk as a teacher: what a beginner reads, tries and understands.

One page serves all tests of the file, without movements, so that nothing has to be waited for."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from gradwalk import Value
from gradwalk.studio import assets
from gradwalk.studio.document import document_of
from gradwalk.studio.offline import page_of

expect = pytest.importorskip("playwright.sync_api").expect

SIZES = [(1280, 800), (1920, 1080), (390, 844)]
PRESETS = ["product", "square", "diamond", "neuron", "mlp", "softmax"]

HEIGHTS = """() => {
  const stage = document.querySelector(".picture-stage").getBoundingClientRect();
  const inside = (box) => box.left >= stage.left - 1 && box.right <= stage.right + 1
    && box.top >= stage.top - 1 && box.bottom <= stage.bottom + 1;
  const texts = [...document.querySelectorAll("svg.picture .node .number")];
  const size = (text) => parseFloat(getComputedStyle(text).fontSize) * text.getScreenCTM().a;
  const active = document.querySelector(".node:is(.glow-forward, .glow-backward)");
  return {
    least: Math.min(...texts.map(size)),
    seen: !active || inside(active.querySelector(".box").getBoundingClientRect()),
    stage: [stage.top, stage.height],
  };
}"""


@pytest.fixture(scope="module")
def tab(browser: Any) -> Iterator[Any]:
    context = browser.new_context(reduced_motion="reduce", viewport={"width": 1280, "height": 800})
    context.set_default_timeout(10_000)
    page = context.new_page()
    page.complaints = []
    page.on("pageerror", lambda error: page.complaints.append(str(error)))
    yield page
    context.close()


@pytest.fixture
def walk(tab: Any, studio: Any) -> Iterator[Any]:
    """The first screen, as on the first visit."""
    tab.set_viewport_size({"width": 1280, "height": 800})
    tab.goto("about:blank")
    tab.goto(studio.url)
    tab.evaluate("sessionStorage.clear(); localStorage.clear()")
    choose(tab, "product")
    tab.keyboard.press("Home")
    yield tab
    assert tab.complaints == []


def button(page: Any, name: str, **options: Any) -> Any:
    return page.get_by_role("button", name=name, **options)


def choose(page: Any, preset: str) -> None:
    page.get_by_role("combobox", name="Graph").select_option(preset)


def scrubber(page: Any) -> Any:
    return page.get_by_role("slider", name="Step of the walk")


def box(page: Any, spoken: str) -> Any:
    return page.locator("svg.picture").get_by_role("button", name=re.compile(f"^{spoken}"))


def type_formula(page: Any, text: str) -> None:
    button(page, "Type a formula").click()
    page.get_by_role("textbox", name="Formula").fill(text)


# --- numbers that can be read ---------------------------------------------------------------------


@pytest.mark.parametrize("size", SIZES, ids=str)
def test_every_number_is_readable_and_every_step_is_seen(walk: Any, size: tuple[int, int]) -> None:
    walk.set_viewport_size({"width": size[0], "height": size[1]})
    for preset in PRESETS:
        choose(walk, preset)
        walk.keyboard.press("Home")
        places = set()
        for step in range(int(scrubber(walk).get_attribute("max")) + 1):
            found = walk.evaluate(HEIGHTS)
            assert found["least"] >= 12 - 0.01, (preset, step)
            assert found["seen"], (preset, step)
            places.add(tuple(found["stage"]))
            walk.keyboard.press("ArrowRight")
        assert len(places) == 1, f"{preset}: the picture changes its place or its height"


def test_a_picture_that_fits_stays_where_it_is(walk: Any) -> None:
    views = set()
    for _ in range(6):
        views.add(walk.locator("svg.picture > .view").get_attribute("style"))
        walk.keyboard.press("ArrowRight")
    assert len(views) == 1


def test_on_a_phone_operands_are_above_and_on_a_screen_at_the_left(walk: Any) -> None:
    def at(name: str) -> Any:
        return box(walk, name).bounding_box()

    a, v2 = at("a, leaf"), at("v2, add")
    assert a["x"] + a["width"] < v2["x"]
    walk.set_viewport_size({"width": 390, "height": 844})
    expect(walk.locator("svg.picture > .view")).to_be_visible()
    a, v2 = at("a, leaf"), at("v2, add")
    assert a["y"] + a["height"] < v2["y"]


def test_the_legend_folds_and_boxes_repeat_no_captions(walk: Any) -> None:
    legend = walk.locator(".legend")
    expect(legend).to_contain_text("how fast the result changes")
    walk.get_by_text("How to read the picture").click()
    expect(legend).to_be_hidden()
    assert walk.locator("svg.picture .node .caption").count() == 0


# --- what it means --------------------------------------------------------------------------------


def test_the_formula_above_the_graph_lights_the_part_of_the_step(walk: Any) -> None:
    strip = walk.get_by_role("group", name="Formula of the graph")
    expect(strip).to_have_text("v4 = (a + b) * c")
    assert strip.locator(".lit").count() == 0
    walk.keyboard.press("ArrowRight")
    expect(strip.locator(".lit.forward")).to_have_text("(a + b)")
    for _ in range(4):
        walk.keyboard.press("ArrowRight")
    expect(strip.locator(".lit.backward")).to_have_text("(a + b)")
    assert strip.locator(".lit.receives").all_text_contents() == ["a", "b"]


def test_each_step_begins_with_a_plain_sentence(walk: Any) -> None:
    said = []
    for _ in range(6):
        said.append(walk.locator(".sentence-phase").inner_text())
        walk.keyboard.press("ArrowRight")
    assert said == [
        "Press Step to compute the first value.",
        "Compute v2.",
        "Compute the result, v4.",
        "How much does v4 change if v4 itself changes a little? Just as much.",
        "How much does v4 change if v2 or c changes a little?",
        "How much does v4 change if a or b changes a little?",
    ]


def test_the_last_line_says_what_a_gradient_is_good_for(walk: Any) -> None:
    done = walk.locator(".sentence-done")
    assert done.count() == 0
    walk.keyboard.press("End")
    expect(done).to_have_text(
        "Done. Raise a by 0.001 and v4 rises by about 0.01: 0.001 times its gradient 10.0."
    )
    box(walk, "c, leaf").click()
    expect(done).to_contain_text("Raise c by 0.001 and v4 falls by about 0.001")


@pytest.mark.parametrize("name", ["w1", "v2", "n", "b"])
def test_a_nudge_of_any_number_shows_prediction_and_truth(walk: Any, name: str) -> None:
    choose(walk, "neuron")
    walk.keyboard.press("End")
    box(walk, f"{name}, ").click()
    panel = walk.get_by_role("article", name=f"Node {name}")
    slider = panel.get_by_role("slider", name=f"Change of {name}")
    for part in ("0.5", "-1"):
        slider.fill(part)
        by = float(panel.locator(".nudge-by .number").get_attribute("title"))
        predicted, happened = panel.locator(".nudge .facts dd").all()
        sum_ = -3.0 * 2.0 + 1.0 * 0.5 + 6.0
        slope = {"w1": 2.0}.get(name, 1.0)
        truth = math.tanh(sum_ + slope * by) - math.tanh(sum_)
        guess = slope * by * (1 - math.tanh(sum_) ** 2)
        shown = [
            one.locator(".number").last.get_attribute("title") for one in (predicted, happened)
        ]
        assert [float(x) for x in shown] == pytest.approx([guess, truth], rel=1e-6)
    curve = panel.get_by_role("img", name=f"out against {name}")
    assert curve.locator(".curve").count() == curve.locator(".tangent").count() == 1
    assert int(scrubber(walk).input_value()) > 0, "a nudge changes neither the graph nor the step"
    expect(box(walk, "out, tanh, the result, data 0.4621")).to_be_visible()


def test_a_contribution_travels_from_the_node_to_its_operand(walk: Any) -> None:
    for _ in range(4):
        walk.keyboard.press("ArrowRight")
    travelling = walk.locator("svg.picture .traveller")
    assert sorted(travelling.all_text_contents()) == ["-1.0", "10.0"]
    walk.emulate_media(reduced_motion="no-preference")
    ways = travelling.evaluate_all("""all => all.map((one) => {
      const [animation] = one.getAnimations();
      const place = (part) => {
        animation.pause();
        animation.currentTime = part * 899;
        return one.getBoundingClientRect().x;
      };
      return [place(0), place(1)];
    })""")
    walk.emulate_media(reduced_motion="reduce")
    for start, end in ways:
        assert end < start - 20, "from right to left"


# --- hierarchy ------------------------------------------------------------------------------------


def test_one_button_is_the_most_important_and_lessons_are_one_press_away(walk: Any) -> None:
    primary = walk.locator(".button.primary:visible")
    expect(primary).to_have_count(1)
    expect(primary).to_have_accessible_name("Step forward")
    walk.get_by_role("link", name="Start with lesson 1").click()
    expect(walk.get_by_role("heading", level=1)).to_have_text("Values that record their operations")


def test_files_and_links_are_in_a_menu(walk: Any) -> None:
    items = [button(walk, name) for name in ("Copy link", "Save SVG", "Save PNG")]
    for item in items:
        expect(item).to_be_hidden()
    button(walk, "Share", exact=True).click()
    for item in items:
        expect(item).to_be_visible()
    walk.keyboard.press("Tab")
    walk.keyboard.press("Escape")
    expect(items[0]).to_be_hidden()
    expect(button(walk, "Share", exact=True)).to_be_focused()


# --- small things that were wrong -----------------------------------------------------------------


def test_an_arrow_after_choosing_a_graph_steps_it(walk: Any) -> None:
    choose(walk, "neuron")
    walk.get_by_role("combobox", name="Graph").focus()
    walk.keyboard.press("ArrowRight")
    expect(walk.get_by_role("combobox", name="Graph")).to_have_value("neuron")
    expect(scrubber(walk)).to_have_value("1")
    walk.keyboard.press("ArrowLeft")
    expect(scrubber(walk)).to_have_value("0")


def test_inspect_shows_nothing_before_it_is_computed(walk: Any) -> None:
    box(walk, "v2, add").click()
    panel = walk.get_by_role("article", name="Node v2")
    expect(panel).to_contain_text("not computed yet")
    assert "-1.0" not in panel.inner_text()
    box(walk, "c, leaf").click()
    panel = walk.get_by_role("article", name="Node c")
    for later in ("-1.0", "Where its gradient", "What if"):
        assert later not in panel.inner_text()
    walk.keyboard.press("End")
    expect(panel).to_contain_text("Where its gradient comes from")


def test_a_reload_continues_where_the_walk_was(walk: Any) -> None:
    choose(walk, "softmax")
    for _ in range(3):
        walk.keyboard.press("ArrowRight")
    walk.get_by_role("tab", name="Values").click()
    walk.get_by_label("Value of z1", exact=True).fill("0.25")
    walk.keyboard.press("Tab")
    walk.reload()
    expect(scrubber(walk)).to_have_value("3")
    expect(walk.get_by_role("combobox", name="Graph")).to_have_value("softmax")
    expect(box(walk, "z1, leaf, data 0.25")).to_be_visible()


def test_a_new_formula_does_not_take_values_of_the_old_one(walk: Any) -> None:
    choose(walk, "mlp")  # its c is 0.2
    type_formula(walk, "a * c")
    values = walk.locator(".formula-values")
    for name in "ac":
        expect(values.get_by_label(name, exact=True)).to_have_value("1")
    button(walk, "Close").click()
    choose(walk, "product")
    type_formula(walk, "(a + b) * c + d")  # an edit of the present one keeps them
    expect(values.get_by_label("c", exact=True)).to_have_value("10")
    expect(values.get_by_label("d", exact=True)).to_have_value("1")


def test_constants_take_no_part_in_the_backward_pass(walk: Any) -> None:
    type_formula(walk, "x * 3 + 2")
    button(walk, "Build the graph").click()
    for _ in range(int(scrubber(walk).get_attribute("max"))):
        walk.keyboard.press("ArrowRight")
        lit = walk.locator("svg.picture .edge.glow-backward, svg.picture .edge.glow-blocked")
        assert not any(
            "constant" in name
            for name in lit.evaluate_all(
                "all => all.map((edge) => edge.getAttribute('aria-label'))"
            )
        )
    assert (
        walk.locator("svg.picture .node.constant .grad, svg.picture .node.constant .slot").count()
        == 0
    )


def test_a_rounded_number_says_so_and_inspect_has_all_digits(walk: Any) -> None:
    type_formula(walk, "a + b")
    values = walk.locator(".formula-values")
    values.get_by_label("a", exact=True).fill("0.1")
    values.get_by_label("b", exact=True).fill("0.2")
    button(walk, "Build the graph").click()
    walk.keyboard.press("ArrowRight")
    expect(walk.locator(".sentence-text").first).to_have_text("v2 = a + b = 0.1 + 0.2 ≈ 0.3")
    box(walk, "v2, add").click()
    expect(walk.locator(".facts").first).to_contain_text("0.30000000000000004")


def test_a_large_graph_says_what_it_reads(
    tab: Any, tmp_path: Path, static: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(assets, "STATIC", static)
    total = Value(0.0)
    for _ in range(3000):
        total = total + Value(1.0)
    file = tmp_path / "large.html"
    text = page_of(document_of(total))
    first = text.index("<p id=")
    assert first < text.index("gradwalk-document"), "it is shown before the graph is read"
    assert re.search(r"Reading 6,00\d nodes", text)
    file.write_text(text, encoding="utf-8")
    tab.goto(file.as_uri())
    button(tab, "Step forward").wait_for()
    expect(tab.locator("#gradwalk-reading")).to_have_count(0)


# --- lessons --------------------------------------------------------------------------------------


@pytest.mark.parametrize("number", range(1, 7))
def test_every_step_of_a_lesson_can_be_predicted(tab: Any, studio: Any, number: int) -> None:
    tab.set_viewport_size({"width": 1280, "height": 800})
    tab.goto(studio.at(f"#/lessons/{number}"))
    tab.get_by_role("heading", level=1).wait_for()
    asked = tab.get_by_role("form", name="Predict the next step").first
    step = tab.get_by_role("slider", name="Step of the walk").first
    for at in range(int(step.get_attribute("max"))):
        if tab.get_by_text("Predict:").count() == 0:  # nothing flows in this step
            button(tab, "Step forward").first.click()
            continue
        field = asked.get_by_role("textbox")
        if at == 0:  # not a number: asked again
            field.fill("seven")
            button(asked, "Check").click()
            expect(asked.get_by_role("status")).to_contain_text("“seven” is not a number")
            expect(step).to_have_value("0")
            field.fill("123.25")  # wrong: the step explains
            button(asked, "Check").click()
            expect(asked.get_by_role("status")).to_contain_text("Not 123.25: ")
        elif at % 2:
            button(asked, "Reveal").click()
            expect(asked.get_by_role("status")).to_contain_text(re.compile("[→≈=]"))
        else:
            tab.get_by_role("button", name="Step forward").first.click()
        expect(step).to_have_value(str(at + 1))
    assert tab.complaints == []


def test_a_right_prediction_is_confirmed_and_lesson_1_has_its_own_names(
    tab: Any, studio: Any
) -> None:
    tab.goto(studio.at("#/lessons/1"))
    asked = tab.get_by_role("form", name="Predict the next step").first
    for answer, said in [
        ("-1", "Correct: d = a + b"),
        ("-10", "Correct: e = d × c"),
        ("1", "Correct: e.grad"),
    ]:
        asked.get_by_role("textbox").fill(answer)
        tab.keyboard.press("Enter")
        expect(asked.get_by_role("status")).to_contain_text(said)


@pytest.mark.parametrize("size", SIZES, ids=str)
def test_nothing_of_it_is_out_of_reach(walk: Any, size: tuple[int, int], axe: Any) -> None:
    walk.set_viewport_size({"width": size[0], "height": size[1]})
    for scheme in ("light", "dark"):
        walk.emulate_media(color_scheme=scheme)
        choose(walk, "neuron")
        walk.keyboard.press("End")
        box(walk, "n, add").focus()
        walk.keyboard.press("Enter")
        walk.get_by_role("heading", name="What if n changes?").wait_for()
        button(walk, "General rule").click()
        button(walk, "Share", exact=True).click()
        axe(walk)
        button(walk, "General rule").click()
    walk.emulate_media(color_scheme="light")
