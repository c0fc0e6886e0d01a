"""`explore`: what a notebook shows, and the file that needs no server."""

from __future__ import annotations

import base64
import hashlib
import json
import re
import sys
from html import unescape
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest
from nbclient import NotebookClient
from nbformat.v4 import new_code_cell, new_notebook
from typer.testing import CliRunner

import gradwalk
from gradwalk import Tensor, Value, explore
from gradwalk.cli import app
from gradwalk.errors import MissingExtraError, NotANumberError, OptionError
from gradwalk.studio import assets
from gradwalk.studio.explore import Exploration
from gradwalk.studio.offline import json_in_script, page_of

SCRIPT = "export default {}; const end = '</script><!-- <script>';\r\n"
STYLE = "b::after { content: '</style>' }\r\n"
VIEW = "application/vnd.jupyter.widget-view+json"


@pytest.fixture(autouse=True)
def static(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A page that is short, and full of what must not end its element."""
    folder = tmp_path / "static"
    folder.mkdir()
    (folder / "walk.js").write_bytes(SCRIPT.encode())
    (folder / "walk.css").write_bytes(STYLE.encode())
    monkeypatch.setattr(assets, "STATIC", folder)
    return folder


class Elements(HTMLParser):
    """The elements of a page with their texts, as a browser cuts them."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.found: list[tuple[str, dict[str, Any], list[str]]] = []
        self.is_open = False
        self.feed(page)

    def handle_starttag(self, tag: str, attributes: Any) -> None:
        self.found.append((tag, dict(attributes), []))
        self.is_open = True

    def handle_endtag(self, tag: str) -> None:
        self.is_open = False

    def handle_data(self, data: str) -> None:
        if self.is_open:
            self.found[-1][2].append(data)

    def texts(self, tag: str) -> list[str]:
        return ["".join(texts) for name, _, texts in self.found if name == tag]

    def attributes(self, tag: str) -> list[dict[str, Any]]:
        return [attributes for name, attributes, _ in self.found if name == tag]


def exploration(label: str = "a", title: str = "") -> Exploration:
    a = Value(2.0, label=label)
    return explore(a * a + 1.0, title=title)


# --- the file -------------------------------------------------------------------------------------

EVIL = "</script><script>alert(1)</script>\u2028<!-- & ]]>"


def test_the_file_is_one_page_with_the_graph_in_it(tmp_path: Path) -> None:
    shown = exploration("a", "two squares")
    path = shown.save(tmp_path / "walk.html")
    page = Elements(path.read_text("utf-8"))
    assert path == tmp_path / "walk.html"
    assert page.texts("title") == ["two squares · gradwalk"]
    data, module = page.texts("script")
    assert json.loads(data) == shown.document
    assert page.attributes("script") == [
        {"type": "application/json", "id": "gradwalk-document"},
        {"type": "module"},
    ]
    assert "export default" in module
    assert not [a for _, a, _ in page.found if "src" in a], "nothing is loaded"
    assert [a["href"] for _, a, _ in page.found if "href" in a] == ["data:,"]


def test_nothing_in_a_label_or_a_title_becomes_part_of_the_page() -> None:
    page = Elements(page_of(exploration(EVIL, EVIL).document))
    assert len(page.texts("script")) == 2
    assert json.loads(page.texts("script")[0])["nodes"][0]["label"] == EVIL
    assert page.texts("title")[0].startswith("</script>"), "as text"
    raw = json_in_script({"label": EVIL})
    assert not re.search("[<>&\u2028\u2029]", raw)
    assert json.loads(raw) == {"label": EVIL}


def test_only_the_own_script_and_style_may_run() -> None:
    page = Elements(page_of(exploration().document))
    [policy] = [a["content"] for a in page.attributes("meta") if "http-equiv" in a]
    rules = dict(rule.strip().split(" ", 1) for rule in policy.split(";"))
    assert rules["default-src"] == "'none'"
    assert rules["base-uri"] == rules["form-action"] == "'none'"
    for rule, text in (
        ("script-src", page.texts("script")[1]),
        ("style-src", *page.texts("style")),
    ):
        digest = hashlib.sha256(text.encode()).digest()
        assert rules[rule] == f"'sha256-{base64.b64encode(digest).decode()}'"
        assert "\r" not in text, "a reader of HTML would not see it, and hash something else"
    assert "unsafe" not in policy


def test_a_formula_is_a_title_too() -> None:
    document = {"title": "", "source": "a = 1;\n a < 2", "nodes": []}
    assert Elements(page_of(document)).texts("title") == ["a = 1; a < 2 · gradwalk"]
    assert Elements(page_of({"title": "", "nodes": []})).texts("title") == ["graph · gradwalk"]


def test_a_file_has_a_name_that_browsers_open(tmp_path: Path) -> None:
    with pytest.raises(OptionError, match=r"ends in \.html"):
        exploration().save(tmp_path / "walk.pdf")
    assert exploration().save(str(tmp_path / "WALK.HTM")).exists()


def test_a_page_that_was_not_built_is_an_error_in_words(static: Path, tmp_path: Path) -> None:
    (static / "walk.js").unlink()
    with pytest.raises(MissingExtraError, match=r"walk\.js.*npm run build"):
        exploration().save(tmp_path / "walk.html")


def test_show_writes_the_file_too(tmp_path: Path) -> None:
    path = tmp_path / "walk.html"
    call = ["show", "(a + b) * c", "a=2", "b=-3", "c=10", "--html", str(path)]
    done = CliRunner().invoke(app, call, prog_name="gradwalk")
    assert done.exit_code == 0, done.output
    assert f"Walk:  {path}" in done.output
    document = json.loads(Elements(path.read_text("utf-8")).texts("script")[0])
    assert document["source"] == "(a + b) * c"
    assert [n["label"] for n in document["nodes"] if n["label"]] == ["a", "b", "c"]
    assert document["nodes"][-1]["data"] == -10.0


# --- explore --------------------------------------------------------------------------------------


def test_explore_is_a_name_of_the_package() -> None:
    assert gradwalk.explore is explore
    assert "explore" in dir(gradwalk)


def test_names_come_from_the_scope_of_the_caller() -> None:
    first, second = Value(1.0), Value(2.0)
    shown = explore(first * second)
    assert [n["label"] for n in shown.document["nodes"]] == ["first", "second", ""]
    shown = explore(first * second, names=False)
    assert [n["label"] for n in shown.document["nodes"]] == ["", "", ""]
    third = Tensor([1.0], requires_grad=True)
    assert explore(third * 2.0).document["nodes"][0]["label"] == "third"


def test_its_repr_says_what_to_do() -> None:
    assert repr(exploration()) == "<walk through 4 nodes; .save('walk.html') writes it>"
    assert repr(explore(Value(1.0))).startswith("<walk through 1 node;")


def test_what_has_no_graph() -> None:
    with pytest.raises(NotANumberError, match=r"explore\(node\)"):
        explore([Value(1.0)])


# --- notebooks ------------------------------------------------------------------------------------


def test_the_widget_carries_the_page_and_the_document() -> None:
    shown = exploration()
    widget = shown.widget(compact=True)
    state = widget.get_state()
    assert state["_esm"] == SCRIPT.replace("\r\n", "\n")
    assert state["_css"] == STYLE.replace("\r\n", "\n")
    assert state["document"] == shown.document
    assert state["options"] == {"compact": True}
    json.dumps(state["document"], allow_nan=False)


def test_a_notebook_is_given_the_widget() -> None:
    shown = exploration()
    data, _ = shown._repr_mimebundle_()
    assert data[VIEW]["model_id"] == shown._display_().model_id
    assert data["text/plain"] == repr(shown)
    again, _ = shown._repr_mimebundle_(include=None, exclude=None)
    assert again == data, "shown twice it is the same walk"


@pytest.fixture
def without_anywidget(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "anywidget", None)
    monkeypatch.delitem(sys.modules, "gradwalk.studio.widget", raising=False)


@pytest.mark.usefixtures("without_anywidget")
def test_without_anywidget_the_page_is_shown_in_a_frame() -> None:
    shown = exploration(EVIL)
    data = shown._repr_mimebundle_()
    assert set(data) == {"text/plain", "text/html"}
    [frame] = Elements(data["text/html"]).attributes("iframe")
    assert frame["srcdoc"] == page_of(shown.document)
    assert "allow-same-origin" not in frame["sandbox"]
    assert frame["title"]
    assert unescape(shown._display_()._repr_html_()).count("<iframe") == 1
    with pytest.raises(MissingExtraError, match=r"gradwalk\[widget\].*\.save"):
        shown.widget()


def test_without_a_built_page_there_is_the_text(static: Path) -> None:
    (static / "walk.js").unlink()
    shown = exploration()
    assert shown._repr_mimebundle_() == {"text/plain": repr(shown)}
    assert shown._display_()._repr_html_() == ""


def test_a_kernel_shows_the_widget(static: Path) -> None:
    """A real kernel, and what it sends to the notebook."""
    cells = [
        f"from pathlib import Path\nfrom gradwalk.studio import assets\n"
        f"assets.STATIC = Path({str(static)!r})",
        "from gradwalk import Value, explore\na, b = Value(2.0), Value(1e400)\nexplore(a * b)",
    ]
    book = new_notebook(cells=[new_code_cell(cell) for cell in cells])
    done = NotebookClient(book, timeout=120, kernel_name="python3").execute()
    [shown] = done.cells[1].outputs
    assert shown["data"]["text/plain"].startswith("<walk through 3 nodes")
    model = shown["data"][VIEW]["model_id"]
    [states] = done.metadata["widgets"].values()
    state = states["state"][model]["state"]
    assert [n["label"] for n in state["document"]["nodes"]] == ["a", "b", ""]
    assert [n["data"] for n in state["document"]["nodes"]] == [2.0, "inf", "inf"]
    assert state["_esm"].startswith("export default")


def test_what_was_done_in_one_graph_is_forgotten_with_another() -> None:
    widget = exploration().widget()
    assert widget.state == {}
    widget.state = {"time": 2}  # as the page writes it
    assert widget.get_state()["state"] == {"time": 2}
    widget.document = exploration("b").document
    assert widget.state == {}
