"""A page of the manual with cells, as the site has them, made without Sphinx."""

from __future__ import annotations

import html
import re
from pathlib import Path

import pytest

__all__ = ["write"]

ROOT = Path(__file__).parents[2]
FENCE = re.compile(r"```python\n(.*?)```", re.DOTALL)

PAGE = """<!doctype html>
<html lang="en">
<head><title>Values</title><link rel="icon" href="data:,">
<meta name="viewport" content="width=device-width">
{head}</head>
<body><script>document.body.dataset.theme = "auto"</script>
<main><h1>Values</h1>{parts}</main></body>
</html>
"""


def write(folder: Path, static: Path, patch: pytest.MonkeyPatch) -> None:
    """Write ``values.html`` with the examples of Values, and the studio of the site beside it.

    The root of the repository must be importable. Without Pyodide, the test is skipped.
    """
    from docs import site_python, site_studio, try_it

    if not site_python.available():
        pytest.skip("Pyodide is not installed: make test-pyodide installs it")
    patch.setattr(site_studio, "RECORDED", ())
    site_studio.write(folder / "studio", static)
    archive = folder / "studio" / "pyodide" / "values.zip"
    blocks = FENCE.findall((ROOT / "docs" / "manual" / "values.md").read_text("utf-8"))
    examples = try_it.marked([one for one in map(try_it.read, blocks) if one], archive)
    parts = []
    for block, example in zip(blocks, examples, strict=True):
        assert example.works, "all examples of this page are of Values"
        before, after = try_it.wrapping(example)
        parts.append(f"{before}<div><pre>{html.escape(block)}</pre></div>{after}")
    head = try_it.HEAD.format(size=site_python.size(archive), studio="studio")
    page = try_it.sealed(PAGE.format(head=head, parts="".join(parts)))
    (folder / "values.html").write_text(page, "utf-8")
