"""Build the manual as a web site: ``make docs``, or ``python docs/build.py [FOLDER]``.

The pages are the Markdown files of ``docs/manual`` and of the root, the page of the table
(generated from its primitives, with MathML for the formulas), and the reference that pdoc generates
from the docstrings. Nothing is fetched: the site works from the disk. A broken link ends the build.
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

import markdown2  # noqa: E402
import pdoc.render  # noqa: E402
from latex2mathml.converter import convert  # noqa: E402
from pygments.formatters import HtmlFormatter  # noqa: E402

from docs import rows  # noqa: E402

MANUAL = ROOT / "docs" / "manual"
PICTURES = ROOT / "docs" / "pictures"
TEMPLATE = (ROOT / "docs" / "page.html").read_text("utf-8")
EXTRAS = ["fenced-code-blocks", "header-ids", "tables"]

PRIMITIVES = MANUAL / "rows.md"  # not a file: the page is generated from the table
REFERENCE = ("Reference", "api/gradwalk.html")
ROOMS = ("transforms", "optimize", "nn", "optim", "data", "inspect", "check", "errors")
FUNCTIONS_NOT_MODULES = r"!gradwalk\.inspect\.(draw|tree)"  # pages of functions, by their names

TRANSFORMS = (
    *("grad", "value_and_grad", "vjp", "jvp", "linearize", "jacobian", "sparse_jacobian"),
    *("hessian", "sparse_hessian", "hvp", "vhp", "gradient_and_hessian_diagonal", "divergence"),
    *("laplacian", "taylor", "vmap", "checkpoint", "scan", "while_loop", "stop_gradient"),
    *("custom_rule", "implicit_function", "fixed_point", "minimize", "curve_fit", "check_grads"),
)
"""Pages in a folder of their own, in the order of the navigation."""

DECISIONS = sorted((ROOT / "docs" / "decisions").glob("*.md"))
OVERVIEWS = {"transforms": MANUAL / "transforms.md", "decisions": ROOT / "ARCHITECTURE.md"}
"""Folder -> the page that links to its pages. Only these pages list them in the navigation."""

PAGES = {
    MANUAL / "start.md": "Getting started",
    MANUAL / "values.md": "Values and gradients",
    MANUAL / "tensors.md": "Tensors",
    MANUAL / "coming-from-pytorch.md": "Coming from PyTorch",
    MANUAL / "transforms.md": "Transforms",
    **{MANUAL / "transforms" / f"{name}.md": name for name in TRANSFORMS},
    MANUAL / "compile.md": "Compile and replay",
    MANUAL / "export.md": "Export",
    PRIMITIVES: "The table",
    MANUAL / "own-rows.md": "Custom operations",
    MANUAL / "statistics.md": "special and stats",
    MANUAL / "nn.md": "nn",
    MANUAL / "optim.md": "optim",
    MANUAL / "data.md": "data",
    MANUAL / "sklearn.md": "scikit-learn",
    MANUAL / "ode.md": "Differential equations",
    MANUAL / "studio.md": "The studio",
    MANUAL / "inspect.md": "inspect",
    MANUAL / "check.md": "check",
    MANUAL / "command-line.md": "Command line",
    MANUAL / "arrays.md": "Arrays of other libraries",
    MANUAL / "parallel.md": "Many processes, many machines",
    MANUAL / "gradbench.md": "GradBench",
    ROOT / "ARCHITECTURE.md": "Architecture",
    **{path: path.stem.replace("-", " ") for path in DECISIONS},
    ROOT / "CONTRIBUTING.md": "Contributing",
    ROOT / "CHANGELOG.md": "Changes",
}
"""Source of a page -> its name in the navigation."""


def address(source: Path) -> str:
    """Return the address of a page or a picture in the site."""
    if source.is_relative_to(PICTURES):
        return f"pictures/{source.relative_to(PICTURES).as_posix()}"
    if source in DECISIONS:  # other pages have the same stems
        return f"decision-{source.stem}.html"
    return "index.html" if source.stem == "start" else f"{source.stem.lower()}.html"


def targets() -> dict[Path, str]:
    """Return all files that a page may link to, and their addresses."""
    return {source: address(source) for source in (*PAGES, *PICTURES.rglob("*.*"))}


def linked(html: str, source: Path, known: dict[Path, str]) -> str:
    """Replace links to files of the repository by addresses of the site."""

    def turn(match: re.Match[str]) -> str:
        attribute, link, anchor = match.groups()
        if not link or re.match(r"[a-z]+:", link):
            return match[0]
        target = (source.parent / link).resolve()
        if target not in known:
            raise SystemExit(f"{source.relative_to(ROOT)}: the link {link} leads to no page.")
        return f'{attribute}="{known[target]}{anchor}"'

    return re.sub(r'\b(href|src)="([^"#]*)(#?[^"]*)"', turn, html)


def page(source: Path, known: dict[Path, str]) -> str:
    """Return one page in HTML."""
    text = rows.page() if source == PRIMITIVES else source.read_text("utf-8")
    formulas: list[str] = []
    if source == PRIMITIVES or overview_of(source):  # Markdown would read bars in formulas
        text = re.sub(r"\$([^$\n]+)\$", lambda m: _placeholder(m[1], formulas), text)
    text = text.replace("```python\n>>>", "```pycon\n>>>")  # do not colour output as Python
    html = linked(str(markdown2.markdown(text, extras=EXTRAS)), source, known)
    html = re.sub(r"FORMULA(\d+)\.", lambda m: convert(formulas[int(m[1])]), html)
    return TEMPLATE.format(title=PAGES[source], nav=navigation(source), content=html, code=_code())


def _placeholder(formula: str, formulas: list[str]) -> str:
    """Append the formula to ``formulas``, and return the text that stands for it."""
    formulas.append(formula)
    return f"FORMULA{len(formulas) - 1}."


def _code() -> str:
    """Return the colours of code, for light and for dark screens."""
    light, dark = (
        HtmlFormatter(style=style, nobackground=True).get_style_defs(".codehilite")
        for style in ("default", "github-dark")
    )
    return f"{light}\n@media (prefers-color-scheme: dark) {{\n{dark}\n}}"


def overview_of(source: Path) -> Path | None:
    """Return the page that links to the pages of this folder; ``None`` for top-level pages."""
    return OVERVIEWS.get(source.parent.name)


def navigation(here: Path) -> str:
    """Return links to all top-level pages, and to the pages of the overview that is shown."""
    shown = overview_of(here) or here
    links = [
        f'<a class="{"here " * (source == here)}{"sub" * bool(overview_of(source))}" '
        f'href="{address(source)}">{name}</a>'
        for source, name in PAGES.items()
        if overview_of(source) in (None, shown)
    ]
    name, target = REFERENCE
    return "\n".join([*links, f'<a href="{target}">{name}</a>'])


def main() -> None:
    """Write the whole site."""
    site = Path(sys.argv[1]) if sys.argv[1:] else ROOT / "site"
    shutil.rmtree(site, ignore_errors=True)
    shutil.copytree(PICTURES, site / "pictures")
    known = targets()
    for source in PAGES:
        (site / address(source)).write_text(page(source, known), "utf-8")
    pdoc.render.configure(docformat="markdown", show_source=False)
    modules = ["gradwalk", *(f"gradwalk.{room}" for room in ROOMS), FUNCTIONS_NOT_MODULES]
    pdoc.pdoc(*modules, output_directory=site / "api")
    print(f"written: {site / 'index.html'}")


if __name__ == "__main__":
    main()
