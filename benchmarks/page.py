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
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from typing import Any

import gradwalk as gw
from gradwalk.nn import MLP, mse

FLAGS = ["--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking"]
NODES = 1_000

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


def paint(steps: int) -> dict[str, Any]:
    """Measure the seconds until an open browser has painted the graph of an offline file."""
    return _painted(NODES, steps)


def _painted(least: int, steps: int) -> dict[str, Any]:
    with walk(least, 8, 4) as (file, nodes), browser() as chromium:
        seconds = []
        for _ in range(steps + 1):
            page = chromium.new_page(viewport={"width": 1280, "height": 800})
            page.add_init_script(PAINTED)
            page.goto(file.as_uri())
            seconds.append(page.evaluate("window.painted") / 1e3)
            page.close()
    return {"total": median(seconds[1:]), "nodes": nodes}


def step(steps: int) -> dict[str, Any]:
    """Measure the milliseconds that a step takes on the main thread, with layout and painting."""
    return _stepped(NODES, steps, lambda page: None)


def pan(steps: int) -> dict[str, Any]:
    """Measure `step` unfolded and zoomed in, where each step moves the picture to its node."""
    return _stepped(NODES, steps, _zoomed)


def far(steps: int) -> dict[str, Any]:
    """Measure `step` unfolded, with the whole graph in the frame."""
    return _stepped(NODES, steps, _unfolded)


def pan_5000(steps: int) -> dict[str, Any]:
    """Measure `pan` with five thousand nodes."""
    return _stepped(5 * NODES, steps, _zoomed)


def far_5000(steps: int) -> dict[str, Any]:
    """Measure `far` with five thousand nodes."""
    return _stepped(5 * NODES, steps, _unfolded)


def paint_20000(steps: int) -> dict[str, Any]:
    """Measure `paint` with twenty thousand nodes."""
    return _painted(20 * NODES, steps)


def paint_200000(steps: int) -> dict[str, Any]:
    """Measure `paint` with nearly two hundred thousand nodes, the most that a document may have."""
    return _painted(199 * NODES, steps)


def step_20000(steps: int) -> dict[str, Any]:
    """Measure `step` with twenty thousand nodes."""
    return _stepped(20 * NODES, steps, lambda page: None)


def step_200000(steps: int) -> dict[str, Any]:
    """Measure `step` with nearly two hundred thousand nodes."""
    return _stepped(199 * NODES, steps, lambda page: None)


def pan_20000(steps: int) -> dict[str, Any]:
    """Measure `pan` with twenty thousand nodes."""
    return _stepped(20 * NODES, steps, _zoomed)


def far_20000(steps: int) -> dict[str, Any]:
    """Measure `far` with twenty thousand nodes."""
    return _stepped(20 * NODES, steps, _unfolded)


def _stepped(least: int, steps: int, prepare: Callable[[Any], None]) -> dict[str, Any]:
    """Measure ten times ``steps`` steps in the middle of each half of a walk."""
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


WORKS: dict[str, Callable[[int], dict[str, Any]]] = {
    f.__name__: f
    for f in (
        *(paint, paint_20000, paint_200000, step, step_20000, step_200000),
        *(pan, far, pan_5000, far_5000, pan_20000, far_20000, frames, offline),
    )
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
