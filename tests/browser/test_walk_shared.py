"""What leaves the page: links, the offline file, pictures; what may come in; and how it looks."""

from __future__ import annotations

import json
import os
import re
from pathlib import Path
from typing import Any

import pytest

from gradwalk import Value
from gradwalk.studio import assets
from gradwalk.studio.document import document_of
from gradwalk.studio.offline import page_of

expect = pytest.importorskip("playwright.sync_api").expect


@pytest.fixture(autouse=True)
def built(monkeypatch: pytest.MonkeyPatch) -> None:
    """Python writes its files of the build that the studio shows."""
    monkeypatch.setattr(assets, "STATIC", Path(os.environ.get("GRADWALK_STATIC", assets.STATIC)))


def button(page: Any, name: str, **options: Any) -> Any:
    return page.get_by_role("button", name=name, **options)


def box(page: Any, spoken: str) -> Any:
    return page.locator("svg.picture").get_by_role("button", name=re.compile(f"^{spoken}"))


def saved(page: Any, name: str, folder: Path) -> Path:
    """The file that a button gives."""
    button(page, "Share", exact=True).click()
    with page.expect_download() as download:
        button(page, name, exact=True).click()
    file = folder / download.value.suggested_filename
    download.value.save_as(file)
    return file


def edited(page: Any) -> None:
    """a becomes 5, the walk stands at step 4, b is selected."""
    page.get_by_role("tab", name="Values").click()
    page.get_by_label("Value of a", exact=True).fill("5")
    for _ in range(4):
        button(page, "Step forward").click()
    box(page, "b, leaf").click()


def is_as_edited(page: Any) -> None:
    expect(box(page, "v4, mul, the result, data 20.0")).to_be_visible()
    expect(page.get_by_role("slider", name="Step of the walk")).to_have_value("4")
    expect(page.get_by_role("article", name="Node b")).to_be_visible()


# --- links ----------------------------------------------------------------------------------------


def test_a_link_reproduces_graph_step_and_edits(walk: Any) -> None:
    walk.context.grant_permissions(["clipboard-read", "clipboard-write"])
    edited(walk)
    button(walk, "Share", exact=True).click()
    button(walk, "Copy link").click()
    expect(walk.get_by_text("Link copied.")).to_be_visible()
    link = walk.evaluate("navigator.clipboard.readText()")
    other = walk.context.new_page()
    other.goto(link)
    is_as_edited(other)
    expect(other.get_by_role("combobox", name="Graph")).to_have_value("product")


SHUT = "() => { navigator.clipboard.writeText = () => Promise.reject(new Error('shut')); }"


def test_where_the_clipboard_is_shut_the_link_is_in_the_address_bar(walk: Any) -> None:
    walk.evaluate(SHUT)
    edited(walk)
    button(walk, "Share", exact=True).click()
    button(walk, "Copy link").click()
    expect(walk).to_have_url(re.compile("#walk="))
    walk.reload()
    is_as_edited(walk)


def test_a_walk_that_came_by_link_is_kept_while_other_rooms_are_visited(walk: Any) -> None:
    walk.evaluate(SHUT)
    button(walk, "Share", exact=True).click()
    button(walk, "Copy link").click()
    expect(walk).to_have_url(re.compile("#walk="))
    walk.reload()
    button(walk, "Step forward").click()
    walk.get_by_role("link", name="Misconceptions").click()
    walk.go_back()
    expect(walk.get_by_role("slider", name="Step of the walk")).to_have_value("1")


def test_a_damaged_link_says_so_and_the_page_lives_on(studio: Any, page: Any) -> None:
    page.goto(studio.at("#walk=1deadbeefAAAA"))
    expect(page.get_by_role("alert")).to_contain_text("This link is damaged")
    button(page, "Step forward").click()
    expect(page.get_by_role("slider", name="Step of the walk")).to_have_value("1")


def test_a_label_is_text_whatever_it_says(walk: Any, tmp_path: Path) -> None:
    label = '<script>alert(1)</script><img src=x onerror="alert(2)">'
    a = Value(2.0, label=label)
    file = tmp_path / "walk.html"
    file.write_text(page_of(document_of(a * a, title="</title><script>alert(3)</script>")))
    said: list[Any] = []
    walk.on("dialog", lambda dialog: said.append(dialog.message))
    walk.goto(file.as_uri())
    walk.keyboard.press("End")
    walk.locator("svg.picture .leaf").click()
    expect(walk.get_by_role("heading", name=label, exact=True)).to_be_visible()
    assert walk.locator("img").count() == 0
    assert not said


# --- files ----------------------------------------------------------------------------------------


def test_the_offline_file_is_the_walk_without_a_server(walk: Any, tmp_path: Path) -> None:
    edited(walk)
    file = saved(walk, "Save offline file", tmp_path)
    other = walk.context.new_page()
    other.goto(file.as_uri())
    is_as_edited(other)
    button(other, "Step forward").click()
    other.get_by_role("tab", name="Values").click()
    other.get_by_label("Value of c", exact=True).fill("1")
    other.keyboard.press("Tab")
    expect(box(other, "v4, mul, the result, data 2.0")).to_be_visible()
    again = saved(other, "Save offline file", tmp_path / "again")
    other.goto(again.as_uri())
    expect(box(other, "v4, mul, the result, data 2.0")).to_be_visible()


def test_a_link_opens_in_the_offline_file_too(walk: Any, tmp_path: Path) -> None:
    edited(walk)
    walk.context.grant_permissions(["clipboard-read", "clipboard-write"])
    button(walk, "Share", exact=True).click()
    button(walk, "Copy link").click()
    expect(walk.get_by_text("Link copied.")).to_be_visible()
    fragment = walk.evaluate("navigator.clipboard.readText()").partition("#")[2]
    file = tmp_path / "walk.html"
    file.write_text(page_of(document_of(Value(1.0, label="x") * 2)))
    other = walk.context.new_page()
    other.goto(f"{file.as_uri()}#{fragment}")
    is_as_edited(other)


def test_the_offline_file_of_fifty_nodes_is_small() -> None:
    x = Value(0.5, label="x")
    total = x
    for i in range(20):
        total = total + Value(float(i), label=f"w{i}") * 1.0 if i % 2 else total * x
    document = document_of(total)
    assert 40 <= len(document["nodes"]) <= 60
    assert len(page_of(document).encode()) < 400_000


def test_the_picture_as_svg_and_as_png(walk: Any, tmp_path: Path) -> None:
    walk.keyboard.press("End")
    svg = saved(walk, "Save SVG", tmp_path).read_text(encoding="utf-8")
    assert svg.startswith("<svg")
    assert "-10.0" in svg
    assert "<script" not in svg
    assert saved(walk, "Save PNG", tmp_path).read_bytes().startswith(b"\x89PNG")


# --- the notebook ---------------------------------------------------------------------------------

NOTEBOOK = """async document => {
  document = JSON.parse(document);
  const { default: widget } = await import("./walk.js");
  const el = window.document.createElement("div");
  const listeners = {};
  const keys = [];
  const model = {
    get: name => (name === "document" ? document : { compact: true }),
    on: (event, callback) => { listeners[event] = callback; },
    off: event => { delete listeners[event]; },
  };
  const style = window.document.createElement("link");
  Object.assign(style, { rel: "stylesheet", href: "./walk.css" });
  window.document.head.append(style);
  window.document.body.replaceChildren(el);
  window.document.body.addEventListener("keydown", event => keys.push(event.key));
  const end = widget.render({ model, el });
  Object.assign(window, { keys, end, el, change: other => {
    document = JSON.parse(other);
    listeners["change:document"]();
  } });
}"""


def test_in_a_notebook_keys_and_styles_keep_to_the_cell(walk: Any) -> None:
    a = Value(2.0, label="a")
    walk.evaluate(NOTEBOOK, json.dumps(document_of(a * a)))
    slider = walk.get_by_role("slider", name="Step of the walk")
    walk.locator("body").press("ArrowRight")
    expect(slider).to_have_value("0")
    slider.press("End")
    expect(box(walk, r"a, leaf, data 2\.0, grad 4\.0")).to_be_visible()
    assert walk.evaluate("keys") == ["ArrowRight"]  # what is pressed in the cell stays in the cell
    expect(button(walk, "Copy link")).to_have_count(0)
    walk.evaluate("change", json.dumps(document_of(a + 1)))
    expect(box(walk, r"a, leaf, data 2\.0, grad not yet")).to_be_visible()
    walk.evaluate("end()")
    assert walk.evaluate("el.childElementCount") == 0


def test_in_a_dark_notebook_the_walk_is_dark(walk: Any) -> None:
    walk.evaluate("document.body.style.background = '#111'")
    walk.evaluate(NOTEBOOK, json.dumps(document_of(Value(2.0, label="a") * 3)))
    expect(walk.locator(".gradwalk")).to_have_attribute("data-theme", "dark")
    walk.evaluate("document.body.style.background = '#fff'")
    expect(walk.locator(".gradwalk")).to_have_attribute("data-theme", "light")


# --- how it looks ---------------------------------------------------------------------------------


@pytest.mark.parametrize("device", ["page", "phone"])
def test_the_walk_can_be_seen_and_heard(
    device: str, studio: Any, request: Any, screenshot: Any, axe: Any
) -> None:
    page = request.getfixturevalue(device)
    page.goto(studio.url)
    page.get_by_role("combobox", name="Graph").select_option("diamond")
    button(page, "Backward", exact=True).click()
    button(page, "Step forward").click()
    box(page, "a, leaf").click()
    screenshot("walk", of=page, full_page=device == "phone")
    axe(page)
    page.emulate_media(color_scheme="dark")
    for tab in ("Values", "Breakpoints"):
        page.get_by_role("tab", name=tab).click()
        axe(page)
    button(page, "Type a formula").click()
    page.get_by_role("textbox", name="Formula").fill("a + ^")
    axe(page)


def test_on_a_phone_nothing_is_too_small_to_touch_or_too_wide(studio: Any, phone: Any) -> None:
    phone.goto(studio.url)
    expect(button(phone, "Step forward")).to_be_visible()
    assert phone.evaluate("document.documentElement.scrollWidth <= innerWidth")
    small = phone.evaluate(
        """[...document.querySelectorAll("button, select, input, nav a")]
        .filter(e => e.checkVisibility() && !e.closest("svg, .sentence-text, .visually-hidden"))
        .filter(e => e.getBoundingClientRect().height < 36)
        .map(e => e.outerHTML.slice(0, 80))"""
    )
    assert small == []
