"""The picture of a graph alone on a page, in a real browser: hands, keys, files."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import threading
from collections.abc import Callable, Iterator
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

expect = pytest.importorskip("playwright.sync_api").expect

WEB = Path(__file__).parents[2] / "web"
REQUIRED = os.environ.get("GRADWALK_BROWSER") == "require"
MIDDLE = """edge => {
  const line = edge.querySelector("path");
  const at = line.getPointAtLength(line.getTotalLength() * 0.5);
  const seen = at.matrixTransform(line.getScreenCTM());
  return [seen.x, seen.y];
}"""
BUNDLED = """() => {
  const svg = document.querySelector("svg.picture");
  const line = svg.querySelector(".bundle .plain .line");
  for (const text of line.getAttribute("d").split("M").slice(1)) {
    const one = document.createElementNS(svg.namespaceURI, "path");
    one.setAttribute("d", "M" + text);
    const at = one.getPointAtLength(one.getTotalLength() * 0.5);
    const seen = at.matrixTransform(line.getScreenCTM());
    if (document.elementFromPoint(seen.x, seen.y) === svg) return [seen.x, seen.y];
  }
}"""
NUMBERS = "[...document.querySelectorAll('.node .data')].map((text) => text.textContent)"


class Quiet(SimpleHTTPRequestHandler):
    """Serves the built page, and says nothing about it."""

    def log_message(self, format: str, *args: Any) -> None:
        """No line per request."""


def vite() -> str:
    """The runner of Vite; without one the tests are skipped, or fail if a browser is required."""
    npx = shutil.which("npx")
    if npx is None or not (WEB / "node_modules").is_dir():
        missing = pytest.fail if REQUIRED else pytest.skip
        missing("Vite is not installed: cd web && npm ci")
    return str(npx)


@pytest.mark.parametrize(
    ("required", "outcome"), [(True, pytest.fail.Exception), (False, pytest.skip.Exception)]
)
def test_without_vite_the_tests_fail_where_a_browser_is_required(
    monkeypatch: pytest.MonkeyPatch, required: bool, outcome: type[BaseException]
) -> None:
    monkeypatch.setattr(shutil, "which", lambda name: None)
    monkeypatch.setitem(globals(), "REQUIRED", required)
    with pytest.raises(outcome, match="npm ci"):
        vite()


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Where a page with nothing but the picture is served; Vite builds it first."""
    npx = vite()
    folder = tmp_path_factory.mktemp("picture")
    command = [npx, "vite", "build", "--config", "tests/picture/page/vite.config.ts"]
    command += ["--logLevel", "error"]
    subprocess.run(command, cwd=WEB, check=True, env={**os.environ, "PICTURE_PAGE": str(folder)})
    with ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=str(folder))) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}/index.html#"
        server.shutdown()


@pytest.fixture
def show(address: str) -> Callable[..., Any]:
    """``show(page, "graph=mlp")``: the page with this graph, drawn."""

    def shown(page: Any, options: str) -> Any:
        page.goto(address + options)
        page.wait_for_function("window.firstPaint")
        return page

    return shown


def state(page: Any) -> dict[str, Any]:
    """What the picture has told the page, once everything is drawn that it was told."""
    page.evaluate("new Promise((done) => requestAnimationFrame(() => setTimeout(done, 50)))")
    return dict(json.loads(page.locator(".page > output").inner_text()))


def node(page: Any, name: str) -> Any:
    return page.get_by_role("button", name=re.compile(f"^{re.escape(name)}, "))


def drag(page: Any, box: Any, by: tuple[float, float]) -> None:
    """From the middle of something, as far as this, with the mouse."""
    at = box.bounding_box()
    x, y = at["x"] + at["width"] / 2, at["y"] + at["height"] / 2
    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.move(x + by[0], y + by[1], steps=5)
    page.mouse.up()


def test_a_click_selects_a_node_and_an_edge(page: Any, show: Any) -> None:
    show(page, "graph=small")
    node(page, "e").click()
    assert state(page)["selected"] == {"kind": "node", "node": 3}
    edge = page.get_by_role("button", name=re.compile("^edge from e to f"))
    page.mouse.click(*edge.evaluate(MIDDLE))
    assert state(page)["selected"] == {"kind": "edge", "node": 4, "position": 0}
    expect(page.locator(".slope")).to_contain_text(["∂f/∂e = 10.0"])
    page.mouse.click(20, 20)
    assert state(page)["selected"] is None


def test_an_edge_under_the_mouse_tells_its_local_derivative(page: Any, show: Any) -> None:
    show(page, "graph=small&time=3")
    edge = page.get_by_role("button", name=re.compile("^edge from c to f"))
    page.mouse.move(*edge.evaluate(MIDDLE))
    expect(page.locator(".slope")).to_have_text("∂f/∂c = -1.0")


def test_a_double_click_edits_a_leaf_and_everything_follows(page: Any, show: Any) -> None:
    show(page, "graph=small")
    node(page, "a").dblclick()
    page.get_by_role("textbox", name="Value of a").fill("4")
    page.keyboard.press("Enter")
    values = ["2.0 → 4.0", "-3.0", "10.0", "-1.0 → 1.0", "-10.0 → 10.0"]
    assert sorted(page.evaluate(NUMBERS)) == sorted(values)
    assert page.locator(".changed").count() >= 3


def test_a_number_can_be_dragged_up(page: Any, show: Any) -> None:
    show(page, "graph=small")
    drag(page, page.locator("[data-node='2'] .grip"), (0, -60))
    [[index, value]] = state(page)["edits"]
    assert index == 2
    assert value == pytest.approx(16.0)


def test_a_number_can_be_dragged_to_the_side(page: Any, show: Any) -> None:
    show(page, "graph=small")
    drag(page, page.locator("[data-node='2'] .grip"), (60, 0))
    assert state(page)["edits"] == [[2, pytest.approx(16.0)]]


def test_the_keyboard_alone_reaches_and_edits_every_node(page: Any, show: Any) -> None:
    show(page, "graph=small")
    page.keyboard.press("Tab")
    expect(node(page, "f")).to_be_focused()
    page.keyboard.press("Shift+ArrowLeft")
    expect(node(page, "e")).to_be_focused()
    page.keyboard.press("Shift+ArrowLeft")
    page.keyboard.press("Shift+ArrowDown")
    expect(node(page, "b")).to_be_focused()
    page.keyboard.press("Enter")
    page.keyboard.type("5")
    page.keyboard.press("Enter")
    expect(node(page, "b")).to_be_focused()
    assert state(page)["edits"] == [[1, 5]]


def test_groups_open_and_close(page: Any, show: Any) -> None:
    show(page, "graph=mlp")
    expect(page.get_by_text("303 nodes in 6 boxes")).to_be_visible()
    node(page, "layers.1").click()
    node(page, "layers.1.neurons.3").click()
    expect(page.get_by_role("button", name="Fold layers.1.neurons.3")).to_be_visible()
    page.get_by_role("button", name="Fold layers.1", exact=True).click()
    expect(page.get_by_text("303 nodes in 6 boxes")).to_be_visible()
    page.get_by_role("combobox", name="Fold").select_option("work")
    expect(page.get_by_text("303 nodes in 19 boxes")).to_be_visible()


def test_a_click_on_the_name_at_its_frame_folds_a_group(page: Any, show: Any) -> None:
    show(page, "graph=mlp")
    expect(page.locator(".frame")).to_have_count(0)
    node(page, "layers.1").click()
    node(page, "layers.1.neurons.3").click()
    names = page.locator(".frame-name text")
    expect(names).to_have_text(["layers.1", "layers.1.neurons.3"])
    page.get_by_role("button", name="Fit the whole graph").click()
    inner = names.nth(1).bounding_box()
    page.mouse.click(inner["x"] + inner["width"] / 2, inner["y"] + inner["height"] / 2)
    expect(names).to_have_text(["layers.1"])


def test_an_edge_among_hundreds_can_be_looked_at_and_selected(page: Any, show: Any) -> None:
    show(page, "graph=mlp&fold=none")
    for _ in range(5):
        page.get_by_role("button", name="Zoom in").click()
    place = page.evaluate(BUNDLED)
    page.mouse.move(*place)
    expect(page.locator(".edges .edge title")).to_have_count(1)
    page.mouse.click(*place)
    assert state(page)["selected"]["kind"] == "edge"
    expect(page.locator(".edge.selected")).to_have_count(1)


def test_the_ways_to_fold_that_do_nothing_are_told(page: Any, show: Any) -> None:
    show(page, "graph=mlp")
    choice = page.get_by_role("combobox", name="Fold")
    expect(choice.locator("option").first).to_have_text("automatically (by layer)")
    choice.focus()
    expect(choice.locator("option:disabled")).to_have_count(0)
    show(page, "graph=chain")
    page.reload()
    choice.focus()
    expect(choice.get_by_role("option", name="by layer (no layers)")).to_be_disabled()


def test_search_brings_a_folded_node_into_the_frame(page: Any, show: Any) -> None:
    show(page, "graph=mlp")
    page.get_by_role("searchbox").fill("layers.2.neurons.0.weights.5")
    page.keyboard.press("Enter")
    found = node(page, "layers.2.neurons.0.weights.5")
    expect(found).to_be_in_viewport(ratio=1)
    expect(found).to_have_attribute("aria-pressed", "true")


def test_a_node_that_search_has_unfolded_can_be_read(page: Any, show: Any) -> None:
    show(page, "graph=large")
    page.get_by_role("searchbox").fill("layers.1.neurons.17.weights.5")
    page.keyboard.press("Enter")
    found = page.locator("[data-box] .target[aria-pressed=true]")
    expect(found).to_be_in_viewport(ratio=1)
    assert found.bounding_box()["height"] >= 30, "at the scale at which numbers can be read"


def test_wheel_keys_and_dragging_move_the_view(page: Any, show: Any) -> None:
    show(page, "graph=small")
    width = node(page, "f").bounding_box()["width"]
    page.mouse.move(640, 300)
    page.mouse.wheel(0, 300)
    page.wait_for_function(
        "w => document.querySelector('[data-node=\"4\"]').getBoundingClientRect().width < w",
        arg=width,
    )
    node(page, "f").focus()
    page.keyboard.press("0")
    expect(node(page, "f")).to_be_in_viewport(ratio=1)
    before = node(page, "f").bounding_box()
    page.mouse.move(30, 30)
    page.mouse.down()
    page.mouse.move(130, 80, steps=4)
    page.mouse.up()
    after = node(page, "f").bounding_box()
    assert after["x"] - before["x"] == pytest.approx(100, abs=1)
    assert after["y"] - before["y"] == pytest.approx(50, abs=1)


def test_nodes_are_dragged_into_an_order_of_visits(page: Any, show: Any) -> None:
    show(page, "graph=diamond&drag")
    drag(page, node(page, "left"), (400, 60))
    first, *rest = state(page)["order"]
    assert first == 2
    assert sorted(rest) == [4, 5]
    node(page, "left").focus()
    page.keyboard.press("Alt+ArrowLeft")
    assert state(page)["order"][1] == 2


def test_five_thousand_nodes_unfolded(page: Any, show: Any, screenshot: Any) -> None:
    show(page, "graph=large&fold=none")
    assert page.evaluate("graph.size") > 5000
    assert page.locator("svg.picture *").count() < 400
    screenshot("picture-5000")
    for _ in range(12):
        page.get_by_role("button", name="Zoom in").click()
    expect(page.locator(".overview")).to_have_count(0)
    assert 0 < page.locator(".node").count() < 300


def test_the_files_are_whole(page: Any, show: Any, tmp_path: Path) -> None:
    show(page, "graph=strange")
    (tmp_path / "graph.svg").write_text(page.evaluate("svg()"), encoding="utf-8")
    assert page.evaluate("png()") > 5000
    page.goto((tmp_path / "graph.svg").as_uri())
    expect(page.locator(".node")).to_have_count(8)
    fill = page.locator(".paper").evaluate("paper => getComputedStyle(paper).fill")
    assert fill == "rgb(255, 255, 255)"


def test_pinch_and_tap_on_a_phone(phone: Any, show: Any, screenshot: Any) -> None:
    show(phone, "graph=small")
    before = node(phone, "e").bounding_box()["width"]
    session = phone.context.new_cdp_session(phone)

    def touch(kind: str, *points: tuple[float, float]) -> None:
        places = [{"x": x, "y": y, "id": k} for k, (x, y) in enumerate(points)]
        session.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": places})

    touch("touchStart", (150, 150), (240, 150))
    for step in range(1, 6):
        touch("touchMove", (150 - 10 * step, 150), (240 + 10 * step, 150))
    touch("touchEnd")
    assert node(phone, "e").bounding_box()["width"] > 1.6 * before
    phone.get_by_role("button", name="Fit the whole graph").tap()
    node(phone, "e").tap()
    assert state(phone)["selected"] == {"kind": "node", "node": 3}
    screenshot("picture-phone")


@pytest.mark.parametrize("options", ["graph=small", "graph=mlp", "graph=strange&time=2"])
@pytest.mark.parametrize("theme", ["light", "dark"])
def test_accessible(page: Any, show: Any, axe: Any, options: str, theme: str) -> None:
    page.emulate_media(color_scheme=theme)
    show(page, options)
    axe(page)


@pytest.mark.parametrize("graph", ["small", "diamond", "mlp", "mlp&fold=none", "recurrence"])
def test_screenshots(page: Any, show: Any, screenshot: Any, graph: str) -> None:
    show(page, f"graph={graph}")
    assert all(file.stat().st_size > 5000 for file in screenshot(f"picture-{graph[:12]}"))
