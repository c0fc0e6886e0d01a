"""Build the manual as a web site: ``make docs``, or ``python docs/build.py [FOLDER]``.

The pages are the Markdown files of ``docs/manual`` and of the root, the page of the table (made
from its rows, with MathML for the formulas), and the reference that pdoc makes from the docstrings.
Nothing is fetched: the site works from the disk. A link that leads nowhere ends the build.
"""

from __future__ import annotations

import os
import re
import shutil
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))  # run as a script, this finds only its own folder
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

PRIMITIVES = MANUAL / "rows.md"  # there is no such file: the page is made from the table
REFERENCE = ("Reference", "api/gradwalk.html")
ROOMS = ("transforms", "optimize", "nn", "optim", "data", "inspect", "check", "errors")
FUNCTIONS_NOT_MODULES = r"!gradwalk\.inspect\.(draw|tree)"  # pages of functions, by their names

TRANSFORMS = (
    *("grad", "value_and_grad", "vjp", "jvp", "linearize", "jacobian", "sparse_jacobian"),
    *("hessian", "sparse_hessian", "hvp", "vhp", "gradient_and_hessian_diagonal", "divergence"),
    *("laplacian", "taylor", "vmap", "checkpoint", "scan", "while_loop", "stop_gradient"),
    *("custom_rule", "implicit_function", "fixed_point", "minimize", "curve_fit", "check_grads"),
)
"""Pages in a folder of their own, which the navigation shows to those who are there."""

PAGES = {
    MANUAL / "start.md": "Getting started",
    MANUAL / "values.md": "Values and gradients",
    MANUAL / "tensors.md": "Tensors",
    MANUAL / "transforms.md": "Transforms",
    **{MANUAL / "transforms" / f"{name}.md": name for name in TRANSFORMS},
    PRIMITIVES: "The table",
    MANUAL / "own-rows.md": "Rows of your own",
    MANUAL / "nn.md": "nn",
    MANUAL / "optim.md": "optim",
    MANUAL / "data.md": "data",
    MANUAL / "studio.md": "The studio",
    MANUAL / "inspect.md": "inspect",
    MANUAL / "check.md": "check",
    MANUAL / "command-line.md": "Command line",
    ROOT / "ARCHITECTURE.md": "Architecture",
    ROOT / "CONTRIBUTING.md": "Contributing",
    ROOT / "CHANGELOG.md": "Changes",
}
"""Source of a page -> its name in the navigation."""


def address(source: Path) -> str:
    """Where a page or a picture is in the site."""
    if source.is_relative_to(PICTURES):
        return f"pictures/{source.relative_to(PICTURES).as_posix()}"
    return "index.html" if source.stem == "start" else f"{source.stem.lower()}.html"


def targets() -> dict[Path, str]:
    """Everything that a page may link to, and its address."""
    return {source: address(source) for source in (*PAGES, *PICTURES.rglob("*.*"))}


def linked(html: str, source: Path, known: dict[Path, str]) -> str:
    """The page with its links turned from files of the repository to addresses of the site."""

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
    """One page in HTML."""
    text = rows.page() if source == PRIMITIVES else source.read_text("utf-8")
    formulas: list[str] = []
    if source == PRIMITIVES or of_transforms(
        source
    ):  # Markdown must not see formulas, with bars in them
        text = re.sub(r"\$([^$\n]+)\$", lambda m: _put_aside(m[1], formulas), text)
    text = text.replace("```python\n>>>", "```pycon\n>>>")  # output is no Python to be coloured
    html = linked(str(markdown2.markdown(text, extras=EXTRAS)), source, known)
    html = re.sub(r"FORMULA(\d+)\.", lambda m: convert(formulas[int(m[1])]), html)
    return TEMPLATE.format(title=PAGES[source], nav=navigation(source), content=html, code=_code())


def _put_aside(formula: str, formulas: list[str]) -> str:
    formulas.append(formula)
    return f"FORMULA{len(formulas) - 1}."


def _code() -> str:
    """The colours of code, for light and for dark screens."""
    light, dark = (
        HtmlFormatter(style=style, nobackground=True).get_style_defs(".codehilite")
        for style in ("default", "github-dark")
    )
    return f"{light}\n@media (prefers-color-scheme: dark) {{\n{dark}\n}}"


def of_transforms(source: Path) -> bool:
    """Whether a page is that of a transform."""
    return source.parent.name == "transforms"


def navigation(here: Path) -> str:
    """Links to all pages; to those of transforms from one of them only."""
    inside = of_transforms(here) or here.stem == "transforms"
    links = [
        f'<a class="{"here " * (source == here)}{"sub" * of_transforms(source)}" '
        f'href="{address(source)}">{name}</a>'
        for source, name in PAGES.items()
        if inside or not of_transforms(source)
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
