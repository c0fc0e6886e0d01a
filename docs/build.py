"""Build the site: ``make docs``, or ``python docs/build.py [FOLDER]``.

The pages are the Markdown files of ``docs/manual`` and of the root, the page of the table, and the
reference. Sphinx makes the site from a copy of them. A warning, a broken link and a missing public
name end the build. Nothing is fetched, neither by the build nor by the site.
"""

from __future__ import annotations

import os
import re
import shutil
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))  # a script finds only its own folder
os.environ["GRADWALK_PURE"] = "1"  # functions of the Python engine have signatures to show

import jupytext  # noqa: E402
from sphinx.cmd.build import build_main  # noqa: E402

from docs import reference, rows, site_studio  # noqa: E402
from gradwalk import Value, explore  # noqa: E402
from gradwalk.studio.explore import Exploration  # noqa: E402

SOURCES = ("ARCHITECTURE.md", "CONTRIBUTING.md", "CHANGELOG.md", "SECURITY.md", "LICENSE")
SOURCES += ("docs/manual", "docs/decisions", "docs/pictures", "docs/tutorials")
TRANSFORMS = "\n```{toctree}\n:hidden:\n:glob:\n\ntransforms/*\n```\n"
"""Ends the overview of the transforms: their pages are below it in the navigation."""

NOTEBOOK = '\n<p><a href="{}.ipynb" download>Download this page as a notebook</a></p>\n'
"""Ends a tutorial. The site has the notebook beside the page."""

PICTURE = re.compile(r"!\[The walk: [^\]]*\]\(\S+\)")
WALK = (
    '<iframe class="walk" src="walk.html" title="The walk through y, one step at a time"></iframe>'
)
"""Of the picture of the walk in README, the site makes a walk."""

STUDIO = '\n<p><a href="../../studio/index.html">Open the studio of this site.</a></p>\n'
"""Ends the page of the studio. The site has one of its own, without a server."""


def copied(folder: Path) -> None:
    """Copy what Sphinx reads to the folder, and write the pages that are made from the library."""
    shutil.rmtree(folder, ignore_errors=True)
    for name in SOURCES:
        source, target = ROOT / name, folder / name
        target.parent.mkdir(parents=True, exist_ok=True)
        (shutil.copytree if source.is_dir() else shutil.copy)(source, target)
    (folder / "index.md").write_text(home(), "utf-8")
    for page in folder.rglob("*.md"):  # do not colour output as Python
        page.write_text(page.read_text("utf-8").replace("```python\n>>>", "```pycon\n>>>"), "utf-8")
    with (folder / "docs" / "manual" / "transforms.md").open("a", encoding="utf-8") as overview:
        overview.write(TRANSFORMS)
    with (folder / "docs" / "manual" / "studio.md").open("a", encoding="utf-8") as page:
        page.write(STUDIO)
    for page in (folder / "docs" / "tutorials").iterdir():
        with page.open("a", encoding="utf-8") as tutorial:
            tutorial.write(NOTEBOOK.format(page.stem))
    # A bar in a formula would end the cell of the table.
    table = re.sub(r"\$[^$\n]+\$", lambda m: m[0].replace("|", r"\vert "), rows.page())
    (folder / "docs" / "manual" / "rows.md").write_text(table, "utf-8")
    reference.write(folder / "docs" / "reference")


def home() -> str:
    """Return the first page of the site: README with a walk instead of its picture, and a menu."""
    readme, pictures = PICTURE.subn(WALK, (ROOT / "README.md").read_text("utf-8"))
    if pictures != 1:
        raise SystemExit(f"README has {pictures} pictures of the walk instead of one.")
    return readme + (ROOT / "docs" / "index.md").read_text("utf-8")


def walk() -> Exploration:
    """Return the walk through the example of README."""
    a, b, c, d = Value(2.0), Value(3.0), Value(4.0), Value(5.0)
    y = (a * b + c) * (a + d)
    y.backward()
    return explore(y)


def main() -> None:
    """Write the whole site."""
    site = Path(sys.argv[1]) if sys.argv[1:] else ROOT / "site"
    shutil.rmtree(site, ignore_errors=True)
    pages = ROOT / "build" / "pages" if not sys.argv[1:] else site.with_name(f"{site.name}-pages")
    copied(pages)
    options = ["-q", "-W", "--keep-going", "-j", "auto", "-c", str(ROOT / "docs")]
    failed = build_main([*options, "-d", str(pages / "_read"), str(pages), str(site)])
    shutil.rmtree(site.parent / "jupyter_execute", ignore_errors=True)  # pictures, which it copied
    if failed:
        raise SystemExit("The site has warnings.")
    if lost := reference.missing(site):
        raise SystemExit(f"The reference lacks {len(lost)} names: {', '.join(lost)}")
    site_studio.write(site / "studio")
    for page in (ROOT / "docs" / "tutorials").iterdir():
        jupytext.write(jupytext.read(page), site / "docs" / "tutorials" / f"{page.stem}.ipynb")
    walk().save(site / "walk.html")
    print(f"written: {site / 'index.html'}")


if __name__ == "__main__":
    main()
