"""The picture while a walk is stepped: it stays where it is, and shows the node of the step."""

from __future__ import annotations

from typing import Any

import pytest

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
