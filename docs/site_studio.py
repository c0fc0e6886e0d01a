"""The studio as plain files: the built page, lessons with their keys, and recorded runs."""

from __future__ import annotations

import json
import shutil
from dataclasses import asdict
from pathlib import Path
from typing import Any

from docs import site_python
from gradwalk.studio.assets import STATIC, TYPES
from gradwalk.studio.lessons import courses, lessons
from gradwalk.studio.lessons.answers import key
from gradwalk.studio.training.configuration import Configuration
from gradwalk.studio.training.frames import Watch, frame
from gradwalk.studio.training.session import Session

__all__ = ["write"]

MARK = '<meta name="gradwalk-site" content="plain files">\n'
"""Tells the page that no server computes for it."""

PYTHON = '<meta name="gradwalk-python" content="{size}">\n'
"""Tells the page that Python can run in it, and how many megabytes it loads for that."""

POLICY = (
    "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; worker-src 'self' blob:; "
    "connect-src 'self'; style-src 'self'; img-src 'self' data: blob:; font-src 'self'; "
    "base-uri 'none'; form-action 'none'"
)
"""What the page may load: this site only.

The worker of the workshop starts from a blob, because such a worker inherits the policy of the
page. A worker from a file has the policy of its own response, and servers of files send none.
"""

SEAL = f'<meta http-equiv="Content-Security-Policy" content="{POLICY}">\n'

RECORDED = ("xor", "moons", "circles", "spirals")
UPDATES = 1500


def steps() -> list[int]:
    """Return the updates after which a recorded run is kept: all at first, then fewer and fewer."""
    kept = list(range(31))
    while kept[-1] < UPDATES:
        kept.append(min(UPDATES, kept[-1] * 11 // 10 + 1))
    return kept


def recorded(data: str) -> dict[str, Any]:
    """Train on a data set with the usual settings, and return what the training page shows of it.

    What grows from frame to frame, the losses and the norms of gradients, is there once.
    """
    session = Session("", Configuration(data=data))
    run, frames = session.run, []
    hello = session.hello(True)
    hello["choices"] = {
        "data": RECORDED,
        "activations": [run.configuration.activation],
        "losses": [run.configuration.loss],
        "optimizers": [run.configuration.optimizer],
    }
    norms: list[tuple[float, ...]] = []
    for step in steps():
        while run.steps < step:
            run.step()
            norms.append(run.samples[-1][1])
        made = frame(run, Watch(gradients=True, resolution=40))
        for layer in made["layers"]:
            del layer["norms"]
        del made["points"]
        frames.append(made)
    losses = list(run.curve.losses)
    return {
        "hello": hello,
        "points": run.points,
        "losses": losses,
        "norms": norms,
        "frames": frames,
    }


def write(folder: Path, static: Path = STATIC) -> None:
    """Write the studio into a folder; any server of files can serve it."""
    folder.mkdir(parents=True)
    for path in static.iterdir():
        if path.suffix in TYPES and path.name != "studio.html":
            shutil.copy(path, folder)
    marks = [SEAL, MARK]
    if site_python.available():
        marks.append(PYTHON.format(size=site_python.write(folder / "pyodide")))
    else:
        print("The site has no Python for its workshop and its examples: `make test-pyodide` has.")
    page = (static / "studio.html").read_text("utf-8")
    head = "<head>\n    " + "    ".join(marks)
    (folder / "index.html").write_text(page.replace("<head>\n", head), "utf-8")
    keys = {
        lesson.id: {name: asdict(key(question)) for name, question in lesson.questions.items()}
        for lesson in lessons()
    }
    text = {"courses": [course.page() for course in courses()], "keys": keys}
    for data in RECORDED:
        (folder / f"training-{data}.json").write_text(json.dumps(recorded(data)), "utf-8")
    (folder / "lessons.json").write_text(json.dumps(text, allow_nan=False), "utf-8")
