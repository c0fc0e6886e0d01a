"""The page in a real browser: the time to a first graph, the cost of a step, the frame rate.

Needs Playwright and Chromium, the one on PATH if there is one. Every measurement prints one line of
JSON: ``python -m benchmarks.page paint``.
"""

from __future__ import annotations

import argparse
import json
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from typing import Any

import gradwalk as gw
from gradwalk.nn import MLP, mse

FLAGS = ["--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking"]

# The time from the start of the navigation to the first frame in which nodes are painted.
PAINTED = """
window.painted = new Promise((resolve) => {
  const look = () =>
    document.querySelector("svg .node")
      ? requestAnimationFrame(() => setTimeout(() => resolve(performance.now())))
      : setTimeout(look, 2);
  look();
});
"""

# After the next frame: the transformation of the picture.
PAINT = """
new Promise((done) => requestAnimationFrame(() => setTimeout(() =>
  done(document.querySelector("svg .scene").parentNode.style.transform))))
"""


@contextmanager
def browser() -> Iterator[Any]:
    """Run Chromium without a window."""
    from playwright.sync_api import sync_playwright

    names = ("chromium", "chromium-browser", "google-chrome")
    path = next(filter(None, map(shutil.which, names)), None)
    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=path, args=FLAGS)
        yield chromium
        chromium.close()


def loss(examples: int, hidden: list[int]) -> Any:
    """Return the loss of a small network on a few examples."""
    model = MLP(2, [*hidden, 1], seed=0)
    inputs = [[0.1 * i, 0.5 - 0.2 * i] for i in range(examples)]
    return mse([model(x) for x in inputs], [float(i % 2) for i in range(examples)])


@contextmanager
def walk(nodes: int, *hidden: int) -> Iterator[tuple[Path, int]]:
    """Write an offline file with a graph of at least so many nodes; yield it and their number."""
    one, two = (len(gw.explore(loss(n, [*hidden])).document["nodes"]) for n in (1, 2))
    examples = max(1, 1 + -(-(nodes - one) // (two - one)))
    graph = gw.explore(loss(examples, [*hidden]))
    with TemporaryDirectory() as folder:
        yield graph.save(Path(folder) / "walk.html"), len(graph.document["nodes"])


def _painted(least: int, steps: int) -> dict[str, Any]:
    """Measure the seconds until an open browser has painted the graph of an offline file."""
    with walk(least, 8, 4) as (file, nodes), browser() as chromium:
        seconds = []
        for _ in range(steps + 1):
            page = chromium.new_page(viewport={"width": 1280, "height": 800})
            page.add_init_script(PAINTED)
            page.goto(file.as_uri())
            seconds.append(page.evaluate("window.painted") / 1e3)
            page.close()
    return {"total": median(seconds[1:]), "nodes": nodes}


def _stepped(least: int, steps: int, prepare: Callable[[Any], None]) -> dict[str, Any]:
    """Measure the milliseconds that a step takes on the main thread, with layout and painting.

    These are ten times ``steps`` steps in the middle of each half of a walk.
    """
    with walk(least, 8, 4) as (file, nodes), browser() as chromium:
        page = chromium.new_page(viewport={"width": 1280, "height": 800})
        page.goto(file.as_uri())
        page.locator("svg .node").first.wait_for()
        prepare(page)
        session = page.context.new_cdp_session(page)
        session.send("Performance.enable")
        facts: dict[str, Any] = {"nodes": nodes}
        for phase, moment in (("forward", 0.01), ("backward", 0.6)):
            _jump(page, moment)
            page.evaluate(PAINT)
            before, places = _spent(session), set()
            for _ in range(10 * steps):
                page.keyboard.press("ArrowRight")
                places.add(page.evaluate(PAINT))
            for name, spent in _spent(session).items():
                facts[f"{phase}_{name}"] = (spent - before[name]) / (10 * steps)
            facts[f"{phase}_places"] = len(places)
    return {**facts, "total": max(facts["forward_ms"], facts["backward_ms"])}


def _unfolded(page: Any) -> None:
    page.get_by_role("combobox", name="Fold", exact=True).select_option("none")


def _zoomed(page: Any) -> None:
    """Unfold everything, and zoom in until numbers can be read."""
    _unfolded(page)
    for _ in range(20):
        if float(page.evaluate(PAINT).rpartition("scale(")[2].rstrip(")")) >= 0.6:
            return
        page.get_by_role("button", name="Zoom in").click()


def _jump(page: Any, moment: float) -> None:
    """Jump to a moment of the walk, and leave the field, so that the page receives the keys."""
    field = page.get_by_role("textbox", name="Jump to step")
    last = int(field.get_attribute("aria-label").split()[-1])
    field.fill(str(round(moment * last)))
    field.press("Enter")
    field.blur()


def _spent(session: Any) -> dict[str, float]:
    """Return milliseconds of the main thread: wall time of its tasks, and processor time.

    Other programs on the machine lengthen the first much more than the second.
    """
    metrics = session.send("Performance.getMetrics")["metrics"]
    known = {metric["name"]: 1e3 * metric["value"] for metric in metrics}
    return {"ms": known["TaskDuration"], "processor_ms": known["ThreadTime"]}


def frames(steps: int) -> dict[str, Any]:
    """Measure the frames per second of the training room while it learns XOR."""
    command = [sys.executable, "-m", "gradwalk", "studio", "--no-browser", "--port", "0"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as studio:
        try:
            url = _address(studio)
            with browser() as chromium:
                page = chromium.new_page(viewport={"width": 1280, "height": 800})
                shown: list[Any] = []
                page.on(
                    "websocket", lambda socket: socket.on("framesent", lambda m: shown.append(m))
                )
                page.goto(f"{url}#/training")
                page.get_by_role("button", name="Start").click()
                page.wait_for_timeout(1000)
                before = _shown(shown)
                page.wait_for_timeout(300 * steps)
                return {"total": (_shown(shown) - before) / (0.3 * steps)}
        finally:
            studio.terminate()


def _address(studio: Any) -> str:
    for line in studio.stdout:
        for word in line.split():
            if word.startswith("http"):
                return word  # type: ignore[no-any-return]
    raise RuntimeError("the studio did not print its address")


def _shown(sent: list[Any]) -> int:
    return sum('"shown"' in str(message) for message in sent)


def offline(steps: int) -> dict[str, Any]:
    """Measure the kilobytes of an offline file with a graph of 50 nodes."""
    del steps
    with walk(50, 2) as (file, nodes):
        return {"total": file.stat().st_size / 1e3, "nodes": nodes}


def _folded(page: Any) -> None:
    """Leave the graph as it opens."""


SIZES = {"": 1_000, "_2000": 2_000, "_20000": 20_000, "_200000": 199_000}
"""The least numbers of nodes; a document may have 200,000."""

VIEWS = {"step": _folded, "pan": _zoomed, "far": _unfolded}
"""How a graph is seen: folded; unfolded and zoomed in, where each step moves the picture to its
node; unfolded, with the whole graph in the frame."""

WORKS: dict[str, Callable[[int], dict[str, Any]]] = {
    "frames": frames,
    "offline": offline,
    **{f"paint{end}": partial(_painted, least) for end, least in SIZES.items()},
    **{
        f"{name}{end}": partial(_stepped, least, prepare=prepare)
        for name, prepare in VIEWS.items()
        for end, least in SIZES.items()
    },
}


def main() -> None:
    """Run one measurement and print its facts."""
    parser = argparse.ArgumentParser()
    parser.add_argument("work", choices=WORKS)
    parser.add_argument("--steps", type=int, default=10)
    options = parser.parse_args()
    print(json.dumps(WORKS[options.work](options.steps)))


if __name__ == "__main__":
    main()
