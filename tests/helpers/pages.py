"""The pages of the project as text: their code, the names in their sentences, the sentences."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

__all__ = ["MANUAL", "ROOT", "blocks", "fences", "sentences", "spans", "without_code"]

ROOT = Path(__file__).resolve().parents[2]
MANUAL = sorted(page for page in (ROOT / "docs/manual").rglob("*.md") if page.name != "rows.md")
"""The pages that people write; the page of the table is printed."""

FENCE = re.compile(r"^```(\w*)[^\n]*\n(.*?)^```$", re.DOTALL | re.MULTILINE)
PRINTED = re.compile(r"<!-- (\w+):begin -->.*?<!-- \1:end -->", re.DOTALL)
"""A table that a script prints, from a table of the library or from measurements."""
TABLE = re.compile(r"^[|#][^\n]*$", re.MULTILINE)
"""A line of a table, or a heading."""


def fences(text: str) -> list[tuple[str, str]]:
    """Return the languages and the contents of the blocks of code."""
    return [(match[1], match[2]) for match in FENCE.finditer(text)]


def blocks(page: Path, language: str) -> list[str]:
    """Return the blocks of code of a page in one language."""
    return [code for name, code in fences(page.read_text("utf-8")) if name == language]


def spans(page: Path) -> list[str]:
    """Return the code within the sentences and tables of a page."""
    return re.findall(r"`([^`\n]+)`", FENCE.sub("", page.read_text("utf-8")))


def without_code(text: str) -> str:
    """Return a page without blocks of code, and with words in place of code, formulas and links."""
    text = PRINTED.sub("\n", FENCE.sub("\n", text))
    text = re.sub(r"`[^`\n]*`", "CODE", text)
    text = re.sub(r"\$[^$\n]*\$", "FORMULA", text)
    text = re.sub(r"!?\[([^\]]*)\]\([^)]*\)", r"\1", text)
    return re.sub(r"<[^>]*>", "", text)


def sentences(text: str) -> Iterator[str]:
    """Yield the sentences of a page. A colon or a semicolon ends one, too."""
    text = re.sub(r"\n(?=\s*[*-] )", "\n\n", TABLE.sub("\n", without_code(text)))
    for paragraph in re.split(r"\n\s*\n", text):
        yield from filter(None, re.split(r"(?<=[.!?:;])[*)]*\s+", " ".join(paragraph.split())))
