"""Retake the pictures of the studio: ``python docs/screenshots.py``.

The script starts a studio of its own and visits it with Chromium, as a user would. Graphs, seeds
and numbers of steps are fixed, so the content of a picture is the same every time. Its pixels may
differ, because letters are drawn with the fonts of the machine. ``GRADWALK_STATIC`` names a folder
with another build of the page.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from unittest.mock import patch

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))  # a script finds only its folder

from gradwalk import Value, explore
from gradwalk.data import xor
from gradwalk.nn import MLP, mse
from gradwalk.studio import assets

__all__ = ["FOLDER", "LARGEST", "SCREENS", "Screen"]

FOLDER = Path(__file__).resolve().parent / "pictures"
STATIC = Path(os.environ.get("GRADWALK_STATIC") or assets.STATIC)

LARGEST = 150_000
"""The most bytes of a picture, because all pictures are distributed with the source."""

WIDTH = 1280
COLOURS = 128
FLAGS = ("--no-sandbox", "--disable-gpu", "--disable-quic", "--hide-scrollbars")

FORMULA = "y = (a * b + c) * (a + d)"
NUMBERS = ("a=2", "b=3", "c=4", "d=5")
"""The example of README."""

UPDATES = 150

STUDIO = """
import sys
from pathlib import Path
from gradwalk.studio import assets
assets.STATIC = Path(sys.argv.pop(1))
from gradwalk.__main__ import main
main()
"""
"""The command ``gradwalk``, with its page in the folder that the first argument names."""


# --- contents -------------------------------------------------------------------------------------


def walk(page: Any) -> None:
    """Show README's graph at its last step, and where the gradient of a comes from."""
    press(page, "Go to the end")
    node(page, "a,").click()
    page.get_by_text("Where its gradient comes from").wait_for()


def neuron(page: Any) -> None:
    """Show a neuron in the middle of its backward pass, and the local derivative of its tanh."""
    page.get_by_role("combobox", name="Graph").select_option("neuron")
    press(page, "Go to the end")
    for _ in range(4):
        press(page, "Step back")
    node(page, "out,").click()
    page.get_by_text("local derivative").click()
    page.get_by_role("article", name="Edge from n to out").wait_for()


def values(page: Any) -> None:
    """Show README's graph with another c, compared with the graph before."""
    page.get_by_role("tab", name="Values").click()
    page.get_by_label("Value of c").fill("-8")
    page.keyboard.press("Enter")
    page.get_by_role("checkbox", name="Compare runs").check()
    press(page, "Go to the end")


def misconception(page: Any) -> None:
    """Show = instead of +=, at the first difference."""
    press(page, "Go to the first difference")
    page.get_by_text("The runs differ here.").wait_for()
    page.evaluate("scrollTo(0, 0)")


def training(page: Any) -> None:
    """Show two moons after `UPDATES` single updates."""
    page.get_by_label("Points", exact=True).select_option("moons")
    for count in range(1, UPDATES + 1):
        page.keyboard.press("ArrowRight")
        if count % 10 == 0:
            page.wait_for_function(SHOWN, arg=str(count))


SHOWN = """text => [...document.querySelectorAll("output")]
  .some((o) => o.getAttribute("aria-label") === "Update" && o.textContent === text)"""


def lesson(page: Any) -> None:
    """Show the diamond of the third lesson, and a question with its typical wrong answer."""
    press(page, "Go to the end")
    question = page.get_by_role("region", name="Question").nth(1)
    question.get_by_role("textbox").fill("9")
    question.get_by_role("button", name="Check").click()
    question.get_by_text("Not yet.").wait_for()
    question.evaluate("element => element.scrollIntoView({ block: 'end' })")
    page.evaluate("scrollBy(0, 24)")


ENGINE = """class Value:
    def __init__(self, data, operands=()):
        self.data = data
        self.grad = 0.0
        self.operands = operands
        self.propagate = lambda: None

    def __add__(self, other):
        out = Value(self.data + other.data, (self, other))

        def propagate():
            self.grad = out.grad
            other.grad = out.grad

        out.propagate = propagate
        return out

    def backward(self):
        order = []

        def visit(node):
            if node not in order:
                for operand in node.operands:
                    visit(operand)
                order.append(node)

        visit(self)
        self.grad = 1.0
        for node in reversed(order):
            node.propagate()
"""
"""A learner's engine whose second contribution replaces the first."""


def chapter(page: Any) -> None:
    """Show the editor of the fourth chapter, and what it finds in `ENGINE`."""
    cell = page.get_by_role("region", name="Your engine", exact=True)
    cell.get_by_role("textbox", name="Your engine, in Python").fill(ENGINE)
    press(page, "Run")
    cell.get_by_role("region", name="Two walks").wait_for()
    cell.evaluate("element => element.scrollIntoView({ block: 'start' })")


def folded(page: Any) -> None:
    """Show the loss of a network, which is folded automatically."""
    page.locator("svg.picture").get_by_role("button").first.wait_for()
    press(page, "Go to the end")


def network(folder: Path) -> str:
    """Write the offline file of a loss, and return its address."""
    points = xor(seed=0)
    model = MLP(2, [4, 1], activation="tanh", seed=0)
    loss: Value = mse([model(x) for x in points.inputs], points.targets)
    loss.label = "loss"
    with patch.object(assets, "STATIC", STATIC):
        file = explore(loss, names=False, title="The loss of a network").save(folder / "walk.html")
    return file.as_uri()


@dataclass(frozen=True)
class Screen:
    """A picture: the actions before it is taken, the place in the studio, its height and theme."""

    show: Callable[[Any], None]
    place: str = ""
    height: int = 800
    theme: str = "light"


SCREENS = {
    "studio-walk.png": Screen(walk),
    "studio-dark.png": Screen(neuron, theme="dark"),
    "studio-values.png": Screen(values),
    "studio-offline.png": Screen(folded, "file:"),
    "studio-misconceptions.png": Screen(misconception, "#/misconceptions/assign", height=1020),
    "studio-training.png": Screen(training, "#/training"),
    "studio-lesson.png": Screen(lesson, "#/lessons/3", height=960),
    "studio-chapter.png": Screen(chapter, "#/lessons/build-4", height=860),
}
"""File name -> its picture."""


# --- screenshots ----------------------------------------------------------------------------------


def press(page: Any, name: str) -> None:
    """Press the first button of this name."""
    page.get_by_role("button", name=name, exact=True).first.click()


def node(page: Any, name: str) -> Any:
    """Return the node of the picture whose accessible name starts with ``name``."""
    return page.locator("svg.picture").get_by_role("button", name=re.compile(f"^{name}"))


@contextmanager
def studio() -> Iterator[str]:
    """Run a studio, and yield its address, which contains the token."""
    arguments = ["studio", "--port", "0", "--no-browser", FORMULA, *NUMBERS]
    command = [sys.executable, "-c", STUDIO, str(STATIC), *arguments]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as server:
        assert server.stdout is not None
        url = re.search(r"http://\S+", server.stdout.readline())
        if url is None:
            raise SystemExit("The studio did not start. The reason is printed above.")
        try:
            yield url[0]
        finally:
            server.terminate()


@contextmanager
def chromium() -> Iterator[Any]:
    """Yield a browser: the machine's own, or Playwright's."""
    from playwright.sync_api import sync_playwright

    names = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
    path = next(filter(None, map(shutil.which, names)), None)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=list(FLAGS))
        yield browser
        browser.close()


def take(browser: Any, screen: Screen, url: str, path: Path) -> None:
    """Take one picture in a window of its own, without hover effects and animations."""
    from PIL import Image

    size = {"width": WIDTH, "height": screen.height}
    options = {"color_scheme": screen.theme, "reduced_motion": "reduce"}
    with browser.new_context(viewport=size, **options) as context:
        page = context.new_page()
        page.goto(url)
        screen.show(page)
        page.mouse.move(0, 0)
        page.evaluate("document.activeElement?.blur()")
        page.wait_for_timeout(500)
        taken = page.screenshot(animations="disabled", caret="hide")
    few = Image.open(BytesIO(taken)).convert("RGB").quantize(COLOURS, dither=Image.Dither.NONE)
    few.save(path, optimize=True)


def main() -> None:
    """Take all pictures, or those that the command line names."""
    wanted = sys.argv[1:] or list(SCREENS)
    with studio() as url, chromium() as browser, TemporaryDirectory() as folder:
        for name in wanted:
            screen = SCREENS[name]
            place = network(Path(folder)) if screen.place == "file:" else url + screen.place
            take(browser, screen, place, FOLDER / name)
            print(f"{name}: {(FOLDER / name).stat().st_size / 1000:.0f} kB")


if __name__ == "__main__":
    main()
