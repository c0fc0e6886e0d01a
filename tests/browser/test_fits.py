"""Every text of the picture is inside of its box, wherever a picture is shown."""

from __future__ import annotations

from typing import Any

import pytest

expect = pytest.importorskip("playwright.sync_api").expect

OUTSIDE = """
[...document.querySelectorAll("svg.picture .node:not(.op)")].flatMap((node) => {
  const box = node.querySelector(".box").getBoundingClientRect();
  return [...node.querySelectorAll("text:not(.sign, .word)")]
    .map((text) => [text.textContent, text.getBoundingClientRect()])
    .filter(([_, { left, right }]) => left < box.left - 1 || right > box.right + 1)
    .map(([words, at]) => `${words}: ${at.left} to ${at.right}, not ${box.left} to ${box.right}`);
})
"""


def all_texts_fit(page: Any) -> None:
    expect(page.locator("svg.picture .node").first).to_be_visible()
    page.keyboard.press("End")
    assert page.evaluate(OUTSIDE) == []


@pytest.mark.parametrize("preset", ["product", "neuron", "mlp", "softmax"])
def test_of_a_preset(walk: Any, preset: str) -> None:
    walk.get_by_role("combobox", name="Graph").select_option(preset)
    all_texts_fit(walk)


def test_of_the_walk_of_an_example(studio: Any, page: Any) -> None:
    page.goto(studio.at("#/training"))
    page.get_by_role("button", name="Next example").click()
    page.get_by_role("button", name="Step through its loss").click()
    expect(page.locator("svg.picture .node.group").first).to_be_visible()
    all_texts_fit(page)
