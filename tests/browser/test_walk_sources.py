"""Where a graph comes from: the examples, and formulas that are typed."""

from __future__ import annotations

import re
from typing import Any

import pytest

expect = pytest.importorskip("playwright.sync_api").expect

PRESETS = ["product", "square", "diamond", "neuron", "mlp", "softmax"]


def button(page: Any, name: str, **options: Any) -> Any:
    return page.get_by_role("button", name=name, **options)


@pytest.mark.parametrize("preset", PRESETS)
def test_every_example_can_be_walked_to_its_end(walk: Any, preset: str) -> None:
    walk.get_by_role("combobox", name="Graph").select_option(preset)
    walk.keyboard.press("End")
    expect(button(walk, "Step forward")).to_be_disabled()
    result = walk.locator("svg.picture").get_by_role("button", name=re.compile("the result"))
    expect(result).to_have_attribute("aria-label", re.compile(r"grad 1\.0"))


def test_a_typed_formula_is_walked(walk: Any) -> None:
    button(walk, "Type a formula").click()
    walk.get_by_role("textbox", name="Formula").fill("d = a * b\ntanh(d + c)")
    for name, value in {"a": "2", "b": "-3", "c": "6"}.items():
        walk.locator(".formula-values").get_by_label(name, exact=True).fill(value)
    button(walk, "Build the graph").click()
    walk.keyboard.press("End")
    d = walk.locator("svg.picture").get_by_role("button", name=re.compile("^d, mul"))
    expect(d).to_have_attribute("aria-label", re.compile(r"data -6\.0, grad 1\.0"))


def test_a_mistake_is_pointed_at(walk: Any) -> None:
    button(walk, "Type a formula").click()
    walk.get_by_role("textbox", name="Formula").fill("d = a * b\nd + ^ c")
    alert = walk.get_by_role("alert")
    expect(alert).to_contain_text("Line 2, column 5")
    line, caret = alert.locator("pre").inner_text().rstrip("\n").split("\n")[-2:]
    assert line[caret.index("^")] == "^"
    expect(button(walk, "Build the graph")).to_be_disabled()


def test_what_is_typed_is_never_run(walk: Any) -> None:
    said: list[Any] = []
    walk.on("dialog", lambda dialog: said.append(dialog.message))
    button(walk, "Type a formula").click()
    for text in ("alert(1)", "__import__('os')", "constructor", "a.b", "(() => 1)()"):
        walk.get_by_role("textbox", name="Formula").fill(text)
        expect(walk.get_by_role("alert").or_(walk.locator(".formula-values input"))).to_be_visible()
    assert not said
