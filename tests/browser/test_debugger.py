"""The page as a debugger, as an engineer with a strange gradient in a large model uses it."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from gradwalk import Tensor, Value, explore, log, sigmoid
from gradwalk.inspect import lines
from gradwalk.nn import MLP
from gradwalk.studio import assets

expect = pytest.importorskip("playwright.sync_api").expect


@pytest.fixture(autouse=True)
def built(static: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(assets, "STATIC", static)


EXAMPLES = 16
ODD = 5


def loss_of(odd: float) -> Value:
    """Return the loss of a model of about 2,000 nodes; one of its probabilities is ``odd``."""
    model = MLP(2, [8, 4, 1], activation="relu", seed=0)
    total: Any = 0.0
    for i in range(EXAMPLES):
        p = sigmoid(model([0.1 * (i % 20), 0.5 - 0.2 * (i % 7)]))
        p = p - p.data + odd if i == ODD else p
        total = total - (i % 2 * log(p) + (1 - i % 2) * log(1 - p))
    loss: Value = total / EXAMPLES
    loss.label = "loss"
    return loss


@pytest.fixture
def opened(page: Any, tmp_path: Path) -> Callable[..., Any]:
    """Open a walk as a file."""

    def open_(node: Any, **options: Any) -> Any:
        page.goto(explore(node, **options).save(tmp_path / "walk.html").as_uri())
        page.locator("svg.picture .node").first.wait_for()
        return page

    return open_


@pytest.fixture
def strange(opened: Any) -> Any:
    """The walk of a model whose loss is NaN."""
    with lines():
        loss = loss_of(0.0)
    return opened(loss)


def button(page: Any, name: str, **options: Any) -> Any:
    return page.get_by_role("button", name=name, **options)


def table(page: Any) -> Any:
    page.get_by_role("tab", name="Nodes").click()
    return page.get_by_role("region", name="Table of nodes")


def step(page: Any) -> int:
    return int(page.get_by_role("slider", name="Step of the walk").input_value())


def test_the_first_wrong_number_is_named_and_shown(strange: Any, axe: Any) -> None:
    trouble = strange.locator(".trouble")
    expect(trouble).to_contain_text(re.compile(r"step \d+: loss: log .*of example 6, log\(0.0\)"))
    expect(trouble).to_contain_text(re.compile(r"test_debugger\.py:\d+"))
    button(strange, "Show it").click()
    node = strange.get_by_role("article", name=re.compile(r"^Node loss: log"))
    expect(node).to_contain_text("-inf")
    expect(node).to_contain_text("total = total - (i % 2 * log(p)")
    assert step(strange) > 100
    selected = strange.locator("svg.picture .node.selected")
    expect(selected).to_have_count(1)
    assert selected.bounding_box()["height"] > 20, "it can be read"
    axe(strange)


def test_a_node_says_why_it_is_nan(strange: Any) -> None:
    rows = table(strange)
    strange.get_by_role("searchbox", name="Name or condition").fill("name = l0.n0.w0")
    button(rows, "l0.n0.w0").click()
    strange.get_by_role("tab", name="Inspect").click()
    button(strange, "Why?").click()
    answer = strange.locator(".answer")
    expect(answer).to_contain_text("l0.n0.w0.grad is NaN")
    expect(answer).to_contain_text("backward pass of")
    expect(answer).to_contain_text("test_debugger.py:")
    button(strange, "Precision").click()
    expect(answer).to_contain_text("gradwalk.check.precision(loss, [l0.n0.w0])")
    button(strange, "Kinks").click()
    expect(answer).to_contain_text("l0.n0.w0 does not depend on an operation at a kink")


def test_the_table_is_filtered_and_sorted(opened: Any) -> None:
    page = opened(loss_of(0.5))
    rows = table(page)
    expect(page.locator(".trouble")).to_have_count(0)
    field = page.get_by_role("searchbox", name="Name or condition")
    field.fill("op = relu and data = 0")
    names = rows.get_by_role("rowheader")
    expect(names.first).to_contain_text(re.compile(r"^l\d\.n\d: relu of example \d+$"))
    field.fill("layer = l2 and leaf")
    expect(names).to_have_count(5)
    button(rows, "Gradient").click()
    button(rows, "Gradient").click()
    shown = [abs(float(x)) for x in rows.locator("td:last-child").all_inner_texts()]
    assert shown == sorted(shown, reverse=True)
    field.fill("grad >")
    expect(page.get_by_role("alert")).to_contain_text("such as grad > 1")
    expect(field).to_have_attribute("aria-describedby", "node-filter-help")
    button(page, "|grad| > 1").click()
    expect(field).to_have_value("|grad| > 1")
    field.fill("")
    rows.evaluate("e => e.scrollTop = e.scrollHeight")
    count = int(page.locator(".node-table [role=status]").inner_text().split()[0].replace(",", ""))
    expect(rows.locator(f"tr[aria-rowindex='{count + 1}']")).to_be_visible()
    assert rows.locator("tr").count() < 60, "only rows in sight are drawn"


def test_groups_have_norms_zeros_and_nan(strange: Any) -> None:
    table(strange)
    button(strange, "Groups", exact=True).click()
    groups = strange.get_by_role("region", name="Table of groups")
    row = groups.get_by_role("row", name=re.compile("^l0 "))
    assert int(row.locator("td.bad").inner_text()) > 0
    button(row, "l0").click()
    expect(strange.locator(".within")).to_contain_text("Only in l0")
    expect(strange.locator("svg.picture .node.group.heat")).to_have_count(0)
    strange.locator("svg.picture").focus()
    strange.keyboard.press("End")
    box = strange.locator("svg.picture .node.group.heat-9").first
    expect(box).to_contain_text("NaN or infinite")


def test_steps_go_over_into_and_out_of_a_group(opened: Any) -> None:
    page = opened(loss_of(0.5))
    boxes = page.locator("svg.picture .node")
    folded = boxes.count()
    button(page, "Over", exact=True).click()
    first = step(page)
    assert first > 10, "a whole group was computed"
    page.keyboard.press("s")
    expect(page.get_by_role("list", name="Open groups").get_by_role("button")).not_to_have_count(0)
    assert step(page) == first + 1
    assert boxes.count() > folded
    page.keyboard.press("u")
    expect(boxes).to_have_count(folded)
    assert step(page) > first + 1
    for _ in range(40):
        page.keyboard.press("n")
    expect(button(page, "Over", exact=True)).to_be_disabled()


def test_search_takes_conditions(opened: Any) -> None:
    page = opened(loss_of(0.5))
    field = page.get_by_role("searchbox", name=re.compile("condition such as grad > 1"))
    field.fill("op = log and data < 0")
    found = page.locator(".picture-search output")
    expect(found).to_have_text(re.compile(r"^\d+ found$"))
    field.press("Enter")
    expect(found).to_have_text(re.compile(r"^1 of \d+$"))
    expect(page.get_by_role("article", name=re.compile("^Node .*: log of example"))).to_be_visible()


def test_two_runs_side_by_side(opened: Any, axe: Any) -> None:
    page = opened(loss_of(0.5), before=loss_of(0.25))
    rows = table(page)
    for name in ("Before", "Now", "Grad. before", "Grad. now", "Change"):
        expect(rows.get_by_role("columnheader", name=name, exact=True)).to_be_visible()
    page.get_by_role("searchbox", name="Name or condition").fill("name = loss")
    cells = rows.locator("tbody td")
    assert cells.nth(0).inner_text() != cells.nth(1).inner_text()
    expect(cells.nth(4)).to_contain_text("%")
    axe(page)


def test_arrays_have_histograms_and_slices(opened: Any, axe: Any) -> None:
    w = Tensor([[0.5 * i - j for j in range(3)] for i in range(4)], requires_grad=True, label="w")
    with np.errstate(all="ignore"):
        page = opened((w * w).log().sum())
    expect(page.locator(".trouble")).to_contain_text("log")
    rows = table(page)
    button(rows, "w", exact=True).click()
    page.get_by_role("tab", name="Inspect").click()
    node = page.get_by_role("article", name="Node w")
    expect(
        node.get_by_role("img", name=re.compile("^Elements: 12 from -2.0 to 1.5"))
    ).to_be_visible()
    expect(node.get_by_role("img", name=re.compile("^Gradient: 12 from"))).to_be_visible()
    field = node.get_by_role("textbox", name="Slice")
    field.fill("1, :")
    expect(node.locator(".array-grid td")).to_have_text(["0.5", "-0.5", "-1.5"])
    field.fill("9")
    expect(node.get_by_role("alert")).to_contain_text("Axis 0 has 4 elements")
    axe(page)


def test_it_fits_a_phone(phone: Any, tmp_path: Path, axe: Any) -> None:
    with lines():
        loss = loss_of(0.0)
    phone.goto(explore(loss).save(tmp_path / "walk.html").as_uri())
    phone.locator("svg.picture .node").first.wait_for()
    table(phone).wait_for()
    assert phone.evaluate("document.documentElement.scrollWidth") <= 390
    axe(phone)
