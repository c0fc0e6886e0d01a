"""The offline file and the notebook's frame: the whole walk, and not one request."""

from __future__ import annotations

from collections.abc import Iterator
from html import escape
from pathlib import Path
from typing import Any

import pytest

from gradwalk import Tensor, Value, explore, pointwise, tanh
from gradwalk.studio import assets
from gradwalk.studio.explore import FRAME
from gradwalk.studio.offline import page_of

EVIL = "<script>document.title = 'evil'</script><img src=x onerror=alert(1)>"


@pytest.fixture(autouse=True)
def built(static: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(assets, "STATIC", static)


@pytest.fixture
def requests(page: Any) -> Iterator[list[str]]:
    """Every request of the page; a file asks for itself and for nothing else."""
    seen: list[str] = []
    page.context.on("request", lambda request: seen.append(request.url))
    yield seen
    assert [url for url in seen if not url.startswith(("file://", "data:", "blob:"))] == []
    assert len([url for url in seen if url.startswith("file://")]) == 1


def opened(page: Any, node: Any, tmp_path: Path, **options: Any) -> Path:
    path = explore(node, names=False, **options).save(tmp_path / "walk.html")
    page.goto(path.as_uri())
    page.get_by_role("slider", name="Step of the walk").wait_for()
    return path


def node(page: Any, name: str) -> Any:
    """The box of a node, by what a screen reader says of it."""
    return page.get_by_role("group", name="Graph of").get_by_role("button", name=name)


@pytest.mark.usefixtures("requests")
def test_the_file_is_the_whole_walk(page: Any, tmp_path: Path) -> None:
    a, b, c = Value(2.0, label="a"), Value(-3.0, label="b"), Value(10.0, label="c")
    opened(page, (a + b) * c, tmp_path, title="a first walk")
    assert page.title() == "a first walk · gradwalk"
    node(page, "a, leaf, data 2.0, grad not yet").wait_for()
    node(page, "the result, data not yet").wait_for()
    page.get_by_role("button", name="Go to the end").click()
    node(page, "the result, data -10.0, grad 1.0").wait_for()
    for label, gradient in (("a", "10.0"), ("b", "10.0"), ("c", "-1.0")):
        node(page, f"{label}, leaf").and_(node(page, f"grad {gradient}")).wait_for()
    page.get_by_role("button", name="Step back").click()
    node(page, "a, leaf, data 2.0, grad not yet").wait_for()


@pytest.mark.usefixtures("requests")
def test_an_edit_computes_everything_again(page: Any, tmp_path: Path) -> None:
    x, w = Value(2.0, label="x"), Value(0.5, label="w")
    opened(page, tanh(w * x) * 3.0, tmp_path)
    page.get_by_role("button", name="Go to the end").click()
    page.get_by_role("tab", name="Values").click()
    field = page.get_by_role("textbox", name="Value of x")
    field.fill("-4")
    field.press("Enter")
    again = Value(-4.0)
    y = tanh(w * again) * 3.0
    y.backward()
    node(page, f"the result, data {y.data:.4g}").wait_for()
    node(page, f"x, leaf, data -4.0, grad {again.grad:.4g}").wait_for()


@pytest.mark.usefixtures("requests")
def test_a_row_of_the_user_is_computed_in_the_page(page: Any, tmp_path: Path) -> None:
    cube = pointwise("offline_cube", lambda t, y, x: t * 3.0 * x * x, forward=lambda x: x * x * x)
    opened(page, cube(Value(2.0, label="x")) + 1.0, tmp_path)
    page.get_by_role("button", name="Go to the end").click()
    page.get_by_role("tab", name="Values").click()
    field = page.get_by_role("textbox", name="Value of x")
    field.fill("3")
    field.press("Enter")
    node(page, "the result, data 28.0").wait_for()
    node(page, "x, leaf, data 3.0, grad 27.0").wait_for()


@pytest.mark.usefixtures("requests")
def test_arrays_are_shown(page: Any, tmp_path: Path) -> None:
    w = Tensor([[1.0, -2.0], [3.0, 4.0]], requires_grad=True, label="w")
    opened(page, (w @ Tensor([3.0, 4.0])).sum(), tmp_path)
    page.get_by_role("button", name="Go to the end").click()
    node(page, "w, array").click()
    assert page.get_by_text("float64").first.is_visible()


@pytest.mark.usefixtures("requests")
def test_labels_and_titles_are_text(page: Any, tmp_path: Path) -> None:
    opened(page, Value(2.0, label=EVIL) * 3.0, tmp_path, title=EVIL)
    node(page, f"{EVIL}, leaf").wait_for()
    assert page.title() == f"{EVIL} · gradwalk"
    assert page.locator("img").count() == 0
    assert page.locator("script").count() == 2


def test_nothing_else_runs_in_the_file(page: Any, problems: list[str], tmp_path: Path) -> None:
    opened(page, Value(2.0) * 3.0, tmp_path)
    page.evaluate(
        """() => {
            const script = document.createElement("script");
            script.textContent = "document.title = 'injected'";
            document.body.append(script);
            const image = document.createElement("img");
            image.src = "http://127.0.0.1:9/spy.png";
            document.body.append(image);
        }"""
    )
    page.wait_for_function("true")
    assert page.title() != "injected"
    assert len(problems) == 2, "the browser tells that it has refused the script and the picture"
    assert all("Content Security Policy" in problem for problem in problems)
    problems.clear()


def test_a_graph_of_50_nodes_is_a_small_file(tmp_path: Path) -> None:
    x = y = Value(0.5, label="x")
    while len(explore(y, names=False).document["nodes"]) < 49:
        y = tanh(y) + x
    shown = explore(y, names=False)
    assert len(shown.document["nodes"]) >= 49
    assert shown.save(tmp_path / "walk.html").stat().st_size < 400_000


def test_the_file_is_usable_by_everybody(
    page: Any, axe: Any, screenshot: Any, tmp_path: Path
) -> None:
    a, b = Value(2.0, label="a"), Value(-3.0, label="b")
    opened(page, tanh(a * b + 6.5), tmp_path)
    page.get_by_role("button", name="Go to the end").click()
    screenshot("offline")
    axe(page)


def test_the_file_on_a_phone(phone: Any, axe: Any, screenshot: Any, tmp_path: Path) -> None:
    a, b = Value(2.0, label="a"), Value(-3.0, label="b")
    opened(phone, tanh(a * b + 6.5), tmp_path)
    phone.get_by_role("button", name="Go to the end").click()
    width = phone.evaluate("document.documentElement.scrollWidth")
    assert width <= 390, "nothing lies beside the screen"
    screenshot("offline")
    axe(phone)


def test_a_notebook_without_widgets_shows_it_in_a_frame(page: Any, tmp_path: Path) -> None:
    a = Value(2.0, label="a")
    frame = FRAME.format(page=escape(page_of(explore(a * a).document)))
    book = tmp_path / "notebook.html"
    book.write_text(f"<!doctype html><title>a notebook</title>{frame}", "utf-8")
    page.goto(book.as_uri())
    inside = page.frame_locator("iframe")
    inside.get_by_role("button", name="Go to the end").click()
    graph = inside.get_by_role("group", name="Graph of")
    graph.get_by_role("button", name="a, leaf, data 2.0, grad 4.0").wait_for()


WIDGET = """
<!doctype html><html lang="en"><head><meta charset="utf-8"><title>a notebook</title></head>
<body><div id="cell"></div></body></html>
"""


def test_the_widget_is_drawn_from_its_model(page: Any, tmp_path: Path) -> None:
    """What anywidget does with the module, without the notebook around it."""
    book = tmp_path / "notebook.html"
    book.write_text(WIDGET, "utf-8")
    page.goto(book.as_uri())
    a, b = Value(2.0, label="a"), Value(5.0, label="b")
    widget = explore(a * a).widget(compact=True)
    state = widget.get_state()
    page.add_style_tag(content=state["_css"])
    page.evaluate(
        """async ({ _esm, document: graph, options }) => {
            const url = URL.createObjectURL(new Blob([_esm], { type: "text/javascript" }));
            const { default: widget } = await import(url);
            const traits = { document: graph, options };
            const listeners = {};
            const model = {
                get: (name) => traits[name],
                on: (event, callback) => { listeners[event] = callback; },
                off: (event) => { delete listeners[event]; },
            };
            const leave = await widget.render({ model, el: document.getElementById("cell") });
            window.change = (graph) => { traits.document = graph; listeners["change:document"](); };
            window.leave = leave;
        }""",
        {name: state[name] for name in ("_esm", "document", "options")},
    )
    page.get_by_role("button", name="Go to the end").click()
    node(page, "a, leaf, data 2.0, grad 4.0").wait_for()
    page.evaluate("graph => window.change(graph)", explore(b * b).document)
    node(page, "b, leaf, data 5.0").wait_for()
    page.evaluate("() => window.leave()")
    assert page.locator("#cell").inner_html() == ""
