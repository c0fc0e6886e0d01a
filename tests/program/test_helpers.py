"""What exported files bring along is what the engine and the page compute."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import gradwalk
from gradwalk.program.source.helpers import C_HELPERS, JS_HELPERS

ROOT = Path(__file__).parents[2]
NATIVE = Path(gradwalk.__file__).parent / "native" / "ieee.h"
TYPES = [": readonly [readonly number[], readonly number[]]", ": readonly number[]"]
TYPES += [": [bigint, number]", ": number", ": bigint", " as const"]
PAGE = ROOT / "web" / "src" / "engine" / "ieee.ts"


def squeezed(text: str) -> str:
    """Return a program without its comments and its layout."""
    text = re.sub(r"/\*.*?\*/|(?<!:)//[^\n]*", "", text, flags=re.DOTALL)
    return re.sub(r"\s+", "", text)


def parts(text: str, start: str) -> dict[str, str]:
    """Return the definitions of a file by their names."""
    found = re.split(rf"^(?={start})", text, flags=re.MULTILINE)[1:]
    return {re.findall(r"\w+(?= ?[(=:])", part)[0]: squeezed(part) for part in found}


def test_c_is_that_of_the_engine() -> None:
    engine = NATIVE.read_text().replace("static inline", "static")
    assert parts(C_HELPERS, "static") == parts(engine, "static")


@pytest.mark.skipif(not PAGE.exists(), reason="THE PAGE'S SOURCE IS NOT HERE: not compared")
def test_javascript_is_that_of_the_page() -> None:
    start = r"(?:function|const) "
    page = re.sub(r"^export ", "", PAGE.read_text(), flags=re.MULTILINE)
    for kind in TYPES:
        page = page.replace(kind, "")
    ours, theirs = parts(JS_HELPERS, start), parts(page, start)
    assert ours.keys() <= theirs.keys()
    for name, text in ours.items():
        assert text == theirs[name], name
