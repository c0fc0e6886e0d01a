"""`explore` in live notebooks: real servers and kernels, a real browser.

Needs the extra ``notebooks`` beside the browser. What is not installed is skipped, unless
``GRADWALK_NOTEBOOKS=require`` (`make test-notebooks`) makes that a failure.
"""

from __future__ import annotations

import json
import os
import re
import signal
import socket
import subprocess
import sys
from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from threading import Thread
from typing import Any
from urllib.parse import urlsplit
from urllib.request import Request, urlopen

import pytest

TOKEN = "a-token-for-the-test"
SETUP = "from pathlib import Path\nfrom gradwalk.studio import assets\nassets.STATIC = Path({!r})"
SMALL = """import gradwalk
from gradwalk import Tensor, Value
a, b, c = Value(2.0), Value(-3.0), Value(10.0)
loss = (a + b) * c
gradwalk.explore(loss)"""
AGAIN = "gradwalk.explore(loss, title='once more')"


# --- servers --------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Server:
    """A running notebook server, which serves the notebooks in ``root``."""

    port: int
    root: Path
    setup: str

    def url(self, path: str, **query: str) -> str:
        words = "&".join(f"{name}={value}" for name, value in query.items())
        return f"http://127.0.0.1:{self.port}/{path}?{words}"

    def api(self, path: str, method: str = "GET") -> Any:
        request = Request(self.url(f"api/{path}", token=TOKEN), method=method)
        with urlopen(request, timeout=30) as answer:
            return json.loads(answer.read() or b"null")


def needs(package: str) -> None:
    if find_spec(package) is None:
        missing = pytest.fail if os.environ.get("GRADWALK_NOTEBOOKS") == "require" else pytest.skip
        missing(f"{package} is not installed, so the walk was not tried in it")


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


@contextmanager
def running(command: list[str], env: dict[str, str], ready: str) -> Iterator[None]:
    """A server and all of its kernels, from the line that says ``ready`` to the end of the test."""
    server = subprocess.Popen(
        [sys.executable, "-m", *command],
        env=os.environ | env,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        start_new_session=True,
    )
    assert server.stdout is not None
    try:
        said = []
        for line in server.stdout:
            said.append(line)
            if ready in line:
                break
        else:
            pytest.fail("the server did not start:\n" + "".join(said))
        reader = Thread(target=deque, args=(server.stdout, 0), daemon=True)  # or its pipe gets full
        reader.start()
        yield
    finally:
        end(server)
        server.stdout.close()


def end(server: subprocess.Popen[str]) -> None:
    for sign in (signal.SIGTERM, signal.SIGKILL):
        try:
            os.killpg(server.pid, sign)
            server.wait(timeout=10)
        except (ProcessLookupError, subprocess.TimeoutExpired):
            continue
    server.wait(timeout=10)


def written(file: Path, content: Any) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(content if isinstance(content, str) else json.dumps(content), encoding="utf-8")


@pytest.fixture(scope="module")
def jupyter(tmp_path_factory: pytest.TempPathFactory, static: Path) -> Iterator[Server]:
    """JupyterLab, with nobody's settings and without its questions about news."""
    needs("jupyterlab")
    home = tmp_path_factory.mktemp("jupyter")
    words = ("CONFIG_DIR", "DATA_DIR", "RUNTIME_DIR")
    env = {f"JUPYTER_{word}": str(home / word.lower()) for word in words}
    env |= {f"JUPYTERLAB_{word}_DIR": str(home / word) for word in ("SETTINGS", "WORKSPACES")}
    env |= {"IPYTHONDIR": str(home / "ipython"), "PYDEVD_DISABLE_FILE_VALIDATION": "1"}
    apart = ["apputils-extension:announcements", "extensionmanager-extension:plugin"]
    off = {f"@jupyterlab/{name}": True for name in apart}
    written(home / "config_dir" / "labconfig" / "page_config.json", {"disabledExtensions": off})
    server = Server(free_port(), home / "notebooks", SETUP.format(str(static)))
    server.root.mkdir()
    options = {
        "ServerApp.ip": "127.0.0.1",
        "ServerApp.port": server.port,
        "ServerApp.root_dir": server.root,
        "IdentityProvider.token": TOKEN,
        "LabApp.check_for_updates_class": "jupyterlab.NeverCheckForUpdate",
    }
    command = ["jupyterlab", "--no-browser", "--allow-root"]
    command += [f"--{name}={value}" for name, value in options.items()]
    with running(command, env, "is running at"):
        yield server


# --- the page -------------------------------------------------------------------------------------


@pytest.fixture
def page(page: Any, problems: list[str]) -> Iterator[Any]:
    """As ever, but what a notebook complains about itself is its own affair."""

    def connected(socket: Any) -> None:
        if urlsplit(socket.url).hostname != "127.0.0.1":
            problems.append(f"a request to another host: {socket.url}")

    page.on("websocket", connected)
    page.set_default_timeout(15_000)
    yield page
    page.close()  # while its server is there
    ours = re.compile(r"another host|blob:|@file|\[anywidget\]|gradwalk")
    problems[:] = [problem for problem in problems if ours.search(problem)]


def counted(prompt: Any, old: str) -> bool:
    """Whether a cell has another number soon."""
    from playwright.sync_api import expect

    try:
        expect(prompt).to_have_text(re.compile(rf"^(?!{re.escape(old)}$)\[\d+\]:$"), timeout=3_000)
    except AssertionError:
        return False
    return True


class Walk:
    """A walk in the output of a cell, by what a person sees of it."""

    def __init__(self, page: Any, number: int = 0) -> None:
        self.page = page
        self.root = page.get_by_role("region", name="Walk", exact=True).nth(number)

    def button(self, name: str) -> Any:
        return self.root.get_by_role("button", name=name, exact=True)

    def node(self, name: str) -> Any:
        return self.root.get_by_role("group", name="Graph of").get_by_role("button", name=name)

    def is_at(self, step: int) -> None:
        from playwright.sync_api import expect

        slider = self.root.get_by_role("slider", name="Step of the walk")
        expect(slider).to_have_value(str(step), timeout=15_000)

    @property
    def paper(self) -> str:
        color = self.root.evaluate("e => getComputedStyle(e.parentElement).backgroundColor")
        return "dark" if max(map(int, re.findall(r"\d+", color)[:3])) < 128 else "light"


def cell(source: str, number: int) -> dict[str, Any]:
    rest = {"metadata": {}, "outputs": [], "execution_count": None}
    return {"cell_type": "code", "id": f"cell-{number}", "source": source, **rest}


class Notebook:
    """A notebook in JupyterLab, or in Notebook 7."""

    def __init__(self, page: Any, server: Server, name: str, room: str = "lab/tree") -> None:
        self.page, self.server = page, server
        self.file = server.root / f"{name}.ipynb"
        self.address = server.url(f"{room}/{name}.ipynb", token=TOKEN, reset="")

    def write(self, *sources: str) -> None:
        cells = [cell(text, n) for n, text in enumerate((self.server.setup, *sources))]
        kernel = {"name": "python3", "display_name": "Python 3", "language": "python"}
        book = {"cells": cells, "metadata": {"kernelspec": kernel}}
        written(self.file, book | {"nbformat": 4, "nbformat_minor": 5})

    def open(self) -> None:
        self.page.goto(self.address)
        self.cells.first.wait_for()

    @property
    def cells(self) -> Any:
        return self.page.locator(".jp-Notebook .jp-CodeCell")

    def run(self, count: int) -> None:
        """The first cells, by Shift+Enter; what comes before the kernel is ready is refused."""
        while not self.kernel_is_ready():
            self.page.wait_for_timeout(50)
        prompt = self.cells.first.locator(".jp-InputPrompt")
        old = prompt.inner_text()
        for _ in range(20):
            self.page.keyboard.press("Escape")  # the dialog that says so
            self.cells.first.locator(".cm-content").click()
            self.page.keyboard.press("Shift+Enter")
            if counted(prompt, old):
                break
        for _ in range(count - 1):
            self.page.keyboard.press("Shift+Enter")

    def kernel_is_ready(self) -> bool:
        sessions = [s for s in self.server.api("sessions") if s["path"] == self.file.name]
        return any(
            s["kernel"]["connections"] and s["kernel"]["execution_state"] == "idle"
            for s in sessions
        )

    def is_saved_with(self, text: str) -> None:
        """Saves, as often as it takes until what the page sends to the kernel is in the file."""
        for _ in range(50):
            self.page.keyboard.press("Control+s")
            self.page.wait_for_function("() => !document.querySelector('.jp-mod-dirty')")
            if text in self.file.read_text("utf-8"):
                return
        pytest.fail(f"the notebook was not saved with {text}")

    def menu(self, menu: str, *items: str) -> None:
        self.page.get_by_role("menuitem", name=menu, exact=True).click()
        for item in items:
            label = self.page.locator(".lm-Menu-itemLabel", has_text=re.compile(f"^{item}$"))
            label.click()

    def stop_kernels(self) -> None:
        for session in self.server.api("sessions"):
            self.server.api(f"sessions/{session['id']}", "DELETE")


@pytest.fixture
def notebook(page: Any, jupyter: Server, request: pytest.FixtureRequest) -> Iterator[Notebook]:
    book = Notebook(page, jupyter, request.node.originalname)
    yield book
    book.stop_kernels()


# --- JupyterLab -----------------------------------------------------------------------------------

COMMANDS = [*"ddxabmycv00iijk", "ArrowDown", "ArrowUp", "Shift+Enter", "Shift+L"]


def test_a_walk_in_jupyterlab(page: Any, notebook: Notebook, screenshot: Any) -> None:
    notebook.write(SMALL, AGAIN)
    notebook.open()
    notebook.run(3)
    walk, other = Walk(page), Walk(page, 1)
    walk.node("a, leaf, data 2.0").wait_for()
    walk.node("loss, mul, the result, data not yet").wait_for()
    other.is_at(0)

    for _ in range(2):
        walk.button("Step forward").click()
    walk.node("loss, mul, the result, data -10.0").wait_for()
    walk.button("Step back").click()
    walk.is_at(1)
    walk.button("Go to the end").click()
    walk.node("a, leaf, data 2.0, grad 10.0").click()
    assert walk.root.get_by_role("tabpanel").get_by_text("10.0").count() > 0
    screenshot("notebook-jupyterlab")

    walk.root.get_by_role("tab", name="Values").click()
    field = walk.root.get_by_role("textbox", name="Value of c")
    field.fill("7")
    field.press("Enter")
    walk.node("loss, mul, the result, data -7.0").wait_for()
    walk.node("a, leaf, data 2.0, grad 7.0").wait_for()
    other.is_at(0)
    other.node("c, leaf, data 10.0").wait_for()


def test_keys_are_for_the_walk_and_commands_for_jupyterlab(page: Any, notebook: Notebook) -> None:
    notebook.write(SMALL)
    notebook.open()
    notebook.run(2)
    walk = Walk(page)
    walk.button("Step forward").click()
    walk.is_at(1)
    before = notebook.cells.count(), notebook.cells.all_inner_texts()[1][:60]
    for key, step in (("ArrowRight", 2), ("ArrowLeft", 1), ("End", 5), ("Home", 0), ("End", 5)):
        page.keyboard.press(key)  # at the end the button that had the focus is disabled
        walk.is_at(step)
    for key in COMMANDS:
        page.keyboard.press(key)
    walk.node("a, leaf").click()
    for key in COMMANDS:
        page.keyboard.press(key)
    walk.root.get_by_text(re.compile("^How much does")).first.click()
    page.keyboard.press("ArrowLeft")
    walk.is_at(4)
    assert (notebook.cells.count(), notebook.cells.all_inner_texts()[1][:60]) == before
    assert page.locator(".jp-Dialog").count() == 0

    notebook.is_saved_with("<walk through 5 nodes")  # though the focus is in the walk


def test_the_wheel_scrolls_the_notebook_and_with_ctrl_it_zooms(
    page: Any, notebook: Notebook
) -> None:
    notebook.write(SMALL)
    notebook.open()
    notebook.run(2)
    walk = Walk(page)
    picture = walk.root.get_by_role("group", name="Graph of")
    picture.wait_for()
    seen = "() => document.querySelector('svg.picture > g').getAttribute('transform')"
    start, view = picture.bounding_box()["y"], page.evaluate(seen)
    picture.hover(position={"x": 200, "y": 20})
    page.mouse.wheel(0, 120)
    page.wait_for_function(
        "y => document.querySelector('svg.picture').getBoundingClientRect().y < y", arg=start
    )
    assert page.evaluate(seen) == view
    page.keyboard.down("Control")
    page.mouse.wheel(0, -120)
    page.keyboard.up("Control")
    page.wait_for_function(f"view => ({seen})() !== view", arg=view)


def test_the_theme_is_that_of_jupyterlab(page: Any, notebook: Notebook, screenshot: Any) -> None:
    notebook.write(SMALL)
    notebook.open()
    notebook.run(2)
    walk = Walk(page)
    walk.button("Go to the end").click()
    assert walk.paper == "light"
    page.emulate_media(color_scheme="dark")
    assert walk.paper == "light", "as the notebook is, whatever the system prefers"
    page.emulate_media(color_scheme="light")
    notebook.menu("Settings", "Theme", "JupyterLab Dark")
    page.locator(".gradwalk[data-theme=dark]").wait_for()
    assert walk.paper == "dark"
    walk.node("a, leaf").click()
    screenshot("notebook-jupyterlab-dark")
    notebook.menu("Settings", "Theme", "JupyterLab Light")
    page.locator(".gradwalk[data-theme=light]").wait_for()


def test_what_was_done_is_there_when_the_page_is_loaded_again(
    page: Any, notebook: Notebook, problems: list[str]
) -> None:
    notebook.write(SMALL)
    notebook.open()
    notebook.run(2)
    walk = Walk(page)
    walk.button("Go to the end").click()
    walk.root.get_by_role("tab", name="Values").click()
    field = walk.root.get_by_role("textbox", name="Value of c")
    field.fill("7")
    field.press("Enter")
    walk.button("Step back").click()
    walk.node("loss, mul, the result, data -7.0").wait_for()
    notebook.menu("Settings", "Save Widget State Automatically")
    notebook.is_saved_with('"time": 4')
    page.reload()
    walk.is_at(4)
    walk.node("loss, mul, the result, data -7.0").wait_for()

    notebook.stop_kernels()
    page.goto("about:blank")
    notebook.open()
    walk.is_at(4)
    walk.button("Step forward").click()
    walk.node("b, leaf, data -3.0, grad 7.0").wait_for()


def test_a_cell_that_runs_again_leaves_nothing_behind(page: Any, notebook: Notebook) -> None:
    notebook.write(SMALL)
    notebook.open()
    page.evaluate("window.walks = []")
    for _ in range(3):
        notebook.run(2)
        Walk(page).button("Step forward").click()
        Walk(page).is_at(1)
        page.evaluate("walks.push(new WeakRef(document.querySelector('.gradwalk .walk')))")
    assert page.locator(".gradwalk").count() == 1
    chromium = page.context.new_cdp_session(page)
    chromium.send("HeapProfiler.enable")
    for _ in range(20):
        chromium.send("HeapProfiler.collectGarbage")
        left = page.evaluate("walks.filter(walk => walk.deref()).length")
        if left == 1:
            break
    assert left == 1, "a listener or an observer still has a walk that is gone"


MANY = """from gradwalk import Tensor, Value, explore
x = Value(0.5)
for step in range(500):
    x = x * 0.9 + step
w = Tensor([[1.0, -2.0], [3.0, 4.0]], requires_grad=True)
error = ((w @ Tensor([3.0, 4.0])) ** 2).mean()"""


def test_a_thousand_nodes_and_arrays_in_a_narrow_cell(
    page: Any, notebook: Notebook, screenshot: Any
) -> None:
    notebook.write(MANY, "explore(x)", "explore(error)")
    page.set_viewport_size({"width": 760, "height": 800})
    notebook.open()
    notebook.run(4)
    many, arrays = Walk(page), Walk(page, 1)
    many.button("Go to the end").click()
    many.root.get_by_text(re.compile(r"[12],\d\d\d nodes in \d+ boxes")).wait_for(
        state="attached"
    )  # hidden here
    page.keyboard.press("ArrowLeft")
    arrays.button("Go to the end").click()
    arrays.node("w, array, data 6.0, grad").click()
    arrays.root.get_by_text("float64").first.wait_for()
    for walk in (many, arrays):
        assert walk.root.evaluate("e => e.scrollWidth <= e.clientWidth && e.clientWidth < 500")
    screenshot("notebook-narrow")


def test_a_walk_in_notebook_7(page: Any, jupyter: Server) -> None:
    needs("notebook")
    notebook = Notebook(page, jupyter, "seven", "notebooks")
    notebook.write(SMALL)
    notebook.open()
    notebook.run(2)
    walk = Walk(page)
    walk.button("Step forward").click()
    page.keyboard.press("End")
    walk.node("a, leaf, data 2.0, grad 10.0").wait_for()
    page.keyboard.press("d")
    page.keyboard.press("d")
    page.keyboard.press("Home")
    walk.is_at(0)
    notebook.stop_kernels()


# --- marimo ---------------------------------------------------------------------------------------

MARIMO = """import marimo
app = marimo.App()
@app.cell
def _():
    {setup}
    return
@app.cell
def _():
    {small}
    return a, b, c, gradwalk, loss
@app.cell
def _(gradwalk, loss):
    runs = [gradwalk.explore(loss, title="once more")]
    runs[0]
    return
if __name__ == "__main__":
    app.run()
"""


@pytest.fixture
def marimo(tmp_path: Path, static: Path) -> Iterator[Server]:
    """marimo, dark, with nobody's settings; it runs the notebook when that is opened."""
    needs("marimo")
    words = ("CONFIG", "CACHE", "STATE", "DATA")
    env = {f"XDG_{word}_HOME": str(tmp_path / word) for word in words}
    env |= {"HOME": str(tmp_path), "MARIMO_SKIP_UPDATE_CHECK": "1"}
    settings = '[display]\ntheme = "dark"\n[runtime]\nauto_instantiate = true\n'
    written(tmp_path / "CONFIG" / "marimo" / "marimo.toml", settings)
    lines = {"setup": SETUP.format(str(static)), "small": SMALL}
    source = MARIMO.format(**{name: text.replace("\n", "\n    ") for name, text in lines.items()})
    written(tmp_path / "walk.py", source)
    server = Server(free_port(), tmp_path, "")
    command = ["marimo", "edit", str(tmp_path / "walk.py"), "--headless", "--host", "127.0.0.1"]
    command += ["--port", str(server.port), "--token-password", TOKEN]
    with running(command, env, "URL:"):
        yield server


def test_a_walk_in_marimo(marimo: Server, page: Any, screenshot: Any) -> None:
    page.goto(marimo.url("", access_token=TOKEN))
    walk, other = Walk(page), Walk(page, 1)
    walk.node("a, leaf, data 2.0").wait_for(timeout=60_000)  # its own start takes long
    assert walk.paper == "dark", "as marimo is, whatever the system prefers"
    walk.button("Step forward").click()
    cells = page.locator(".cm-content").all_inner_texts()
    for key, step in (("ArrowRight", 2), ("ArrowLeft", 1), ("End", 5), ("Home", 0), ("End", 5)):
        page.keyboard.press(key)
        walk.is_at(step)
    for key in COMMANDS:
        page.keyboard.press(key)
    assert page.locator(".cm-content").all_inner_texts() == cells
    walk.is_at(5)
    walk.node("a, leaf, data 2.0, grad 10.0").click()
    screenshot("notebook-marimo")

    walk.root.get_by_role("tab", name="Values").click()
    field = walk.root.get_by_role("textbox", name="Value of c")
    field.fill("7")
    field.press("Enter")
    walk.node("loss, mul, the result, data -7.0").wait_for()
    other.is_at(0)
    other.node("c, leaf, data 10.0").wait_for()
    walk.button("Keyboard help").click()
    box = page.get_by_role("dialog", name="Keyboard").bounding_box()
    assert box["x"] > 100, "in the middle of the window"
    page.keyboard.press("Escape")
