"""The graph of a Tensor, opened: folded the graph of its arrays, unfolded every number."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from gradwalk import Tensor, explore
from gradwalk.inspect.graph import number
from gradwalk.studio import assets

X = [[1.0, 2.0, -1.0], [0.5, -0.5, 2.0]]
TARGET = [1.0, 0.0]
GROUPS = {"W": 12, "X": 6, "matmul": 40, "h": 8, "V": 4, "p": 14}
GROUPS |= {"target": 2, "sub": 2, "square": 2}


@pytest.fixture(autouse=True)
def built(static: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(assets, "STATIC", static)


def model(w: Any) -> tuple[Tensor, dict[str, Tensor]]:
    """A network with one hidden layer, and the names of its arrays."""
    first, last = (Tensor(a, requires_grad=True) for a in (w, [0.5, -1.0, 0.25, 2.0]))
    inputs, target = Tensor(X), Tensor(TARGET)
    h = (inputs @ first).tanh()
    p = h @ last
    names = {"X": inputs, "W": first, "V": last, "h": h, "p": p, "target": target}
    return ((p - target) ** 2).mean(), names


def weights() -> Any:
    return np.linspace(-1.0, 1.2, 12).reshape(3, 4)


def opened(page: Any, tmp_path: Path) -> tuple[Tensor, dict[str, Tensor]]:
    loss, names = model(weights())
    path = explore(loss, names={**names, "loss": loss}, elements=True).save(tmp_path / "walk.html")
    page.goto(path.as_uri())
    page.get_by_role("slider", name="Step of the walk").wait_for()
    page.get_by_role("button", name="Go to the end").click()
    return loss, names


def box(page: Any, name: str) -> Any:
    """What begins with this in the picture."""
    graph = page.get_by_role("group", name="Graph of")
    return graph.get_by_role("button", name=re.compile(f"^{re.escape(name)}"))


def test_folded_it_is_the_graph_of_the_arrays(
    page: Any, axe: Any, screenshot: Any, tmp_path: Path
) -> None:
    loss, _ = opened(page, tmp_path)
    page.get_by_role("button", name="Fit the whole graph").click()
    for name, size in GROUPS.items():
        box(page, f"{name}, {size} nodes").wait_for()
    box(page, f"loss, div, the result, data {number(loss.item())}").wait_for()
    page.get_by_text("93 nodes in 11 boxes").wait_for()
    screenshot("elements")
    axe(page)


def test_an_array_opens_and_one_number_of_it_is_edited(page: Any, tmp_path: Path) -> None:
    loss, names = opened(page, tmp_path)
    loss.backward()
    box(page, "W, 12 nodes").click()
    slope = names["W"].grad[0, 1].item()
    box(page, f"W[0, 1], leaf, data {number(weights()[0, 1])}, grad {number(slope)}").wait_for()
    box(page, "matmul, 40 nodes").wait_for()
    page.get_by_role("tab", name="Values").click()
    field = page.get_by_role("textbox", name="Value of W[0, 1]", exact=True)
    field.fill("0.75")
    field.press("Enter")
    edited = weights()
    edited[0, 1] = 0.75
    again, names = model(edited)
    again.backward()
    page.get_by_role("button", name="Fit the whole graph").click()
    box(page, f"loss, div, the result, data {number(again.item())}").wait_for()
    slope = names["W"].grad[0, 1].item()
    box(page, f"W[0, 1], leaf, data 0.75, grad {number(slope)}").wait_for()
