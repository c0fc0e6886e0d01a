"""Tutorials are notebooks, which run from their first cell to their last, and are on the site."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
TUTORIALS = sorted((ROOT / "docs" / "tutorials").glob("*.md"))
NEXT = "## What to try next"

by_page = pytest.mark.parametrize("page", TUTORIALS, ids=lambda path: path.stem)


@by_page
@pytest.mark.prove
def test_a_tutorial_runs(page: Path, tmp_path: Path) -> None:
    jupytext, nbclient = pytest.importorskip("jupytext"), pytest.importorskip("nbclient")
    notebook = jupytext.read(page)
    folder = {"metadata": {"path": str(tmp_path)}}
    nbclient.NotebookClient(
        notebook, timeout=300, kernel_name="python3", resources=folder
    ).execute()
    outputs = [o for cell in notebook.cells if cell.cell_type == "code" for o in cell.outputs]
    assert any(
        "image/png" in o.get("data", {}) or "text/html" in o.get("data", {}) for o in outputs
    )
    assert not [o for o in outputs if o.output_type == "error"]


@by_page
def test_a_tutorial_builds_something_and_ends_with_more(page: Path) -> None:
    text = page.read_text("utf-8")
    assert text.startswith("---\njupytext:\n")
    assert text.count("```{code-cell} ipython3\n") >= 5
    assert text.count(f"\n{NEXT}\n") == 1
    assert len(re.findall(r"^\* ", text.partition(NEXT)[2], re.MULTILINE)) >= 3


def test_there_are_tutorials() -> None:
    assert TUTORIALS
