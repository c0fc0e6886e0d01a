"""The studio as plain files: the built page, the lessons, and the keys to their questions."""

from __future__ import annotations

import json
import shutil
from dataclasses import asdict
from pathlib import Path

from gradwalk.studio.assets import STATIC, TYPES
from gradwalk.studio.lessons import lessons
from gradwalk.studio.lessons.answers import key

__all__ = ["write"]

MARK = '<meta name="gradwalk-site" content="plain files">\n'
"""Tells the page that no server computes for it."""


def write(folder: Path, static: Path = STATIC) -> None:
    """Write the studio into a folder; any server of files can serve it."""
    folder.mkdir(parents=True)
    for path in static.iterdir():
        if path.suffix in TYPES and path.name != "studio.html":
            shutil.copy(path, folder)
    page = (static / "studio.html").read_text("utf-8")
    (folder / "index.html").write_text(page.replace("<head>", f"<head>\n    {MARK}"), "utf-8")
    keys = {
        lesson.number: {name: asdict(key(question)) for name, question in lesson.questions.items()}
        for lesson in lessons()
    }
    text = {"lessons": [lesson.page() for lesson in lessons()], "keys": keys}
    (folder / "lessons.json").write_text(json.dumps(text, allow_nan=False), "utf-8")
