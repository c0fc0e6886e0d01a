"""Buttons "Try it" in pages of the site: examples of Values run in the reader's browser.

An example gets a button if it works there. So each is run here: in an interpreter that sees nothing
but the standard library and the archive of the page. Its output must be that of the manual, twice.
An example that needs the ones before it on its page is run after them.
"""

from __future__ import annotations

import base64
import doctest
import hashlib
import html
import json
import re
import signal
import subprocess
import sys
import zipfile
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

__all__ = ["HEAD", "Example", "marked", "read", "sealed", "setup", "wrapping"]

HOME, MANUAL = "index", "docs/manual/"
"""The pages with buttons: the first page of the site, and the manual."""

LANGUAGES = ("python", "pycon")
HEAD = """
<meta name="gradwalk-python" content="{size}">
<link rel="stylesheet" href="{studio}/try-it.css">
<script type="module" src="{studio}/try-it.js"></script>
"""
"""Of a page with buttons: how many megabytes the first run loads, and the cells."""

MARK = '<meta name="gradwalk-python"'

POLICY = (
    "default-src 'none'; script-src 'self' 'wasm-unsafe-eval' {hashes}; worker-src 'self' blob:; "
    "connect-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; font-src 'self'; "
    "frame-src 'self'; base-uri 'none'; form-action 'self'"
)
"""What a page with buttons may load: this site only. The theme has scripts in its pages.

The worker of the cells starts from a blob, and inherits this policy.
"""

SECONDS = 5
"""Seconds after which an example is too slow for a page."""

SCRIPT = re.compile(r"<script(?![^>]*\ssrc=)[^>]*>(.*?)</script>", re.DOTALL)
FLAGS = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE


@dataclass(frozen=True)
class Example:
    """An example of a page.

    ``code`` has no prompts, ``output`` and ``error`` are what the manual shows of it.
    ``works`` is whether it runs in a page, ``after`` whether it needs the examples before it,
    and ``shows`` whether anything is to be seen of it.
    """

    code: str
    output: str | None = None
    error: str = ""
    works: bool = False
    after: bool = False
    shows: bool = False


# --- examples -------------------------------------------------------------------------------------


def read(text: str) -> Example | None:
    """Return a block of a page as an example, or ``None`` if it is none that could run."""
    if not text.lstrip().startswith(">>>"):
        return Example(text) if re.search(r"^\s*(from|import) gradwalk\b", text, re.M) else None
    try:
        statements = doctest.DocTestParser().get_examples(text)
    except ValueError:
        return None
    if any(statement.options.get(doctest.SKIP) for statement in statements):
        return None
    if any(statement.exc_msg for statement in statements[:-1]):
        return None  # a run ends at the first error
    prompts = (line.lstrip() for line in text.splitlines())
    code = [line[4:] for line in prompts if line[:4].rstrip() in (">>>", "...")]
    error = statements[-1].exc_msg or ""
    shown = [statement.want for statement in statements if not statement.exc_msg]
    return Example("\n".join(code) + "\n", "".join(shown), re.sub(r"^[\w.]+\.", "", error))


def marked(examples: list[Example], archive: Path) -> list[Example]:
    """Return the examples of a page, with what works in an interpreter that sees the archive."""
    job = json.dumps({"archive": str(archive), "examples": [asdict(one) for one in examples]})
    ran = subprocess.run(
        [sys.executable, "-I", "-S", __file__],
        input=job,
        capture_output=True,
        text=True,
        check=True,
        timeout=600,
    )
    return [Example(**one) for one in json.loads(ran.stdout.splitlines()[-1])]


def _tried(examples: list[Example]) -> list[Example]:
    """Run all examples of a page. This is called in the interpreter of `marked`."""
    found: list[Example] = []
    for example in examples:
        before = [one.code for one in found if one.works]
        alone = _outcome(example, [])
        later = alone if alone is not None or not before else _outcome(example, before)
        works = later is not None
        after = works and alone is None
        found.append(replace(example, works=works, after=after, shows=bool(later)))
    return found


def _outcome(example: Example, before: list[str]) -> str | None:
    """Return what an example shows; ``None`` if this is not what the manual shows."""
    from cell import run_cell  # type: ignore[import-not-found]  # of the archive

    shown: list[str] = []
    for _ in range(2):  # the page runs it in the same interpreter again and again
        shown, error = [], None
        signal.alarm(SECONDS)
        try:
            error = run_cell(example.code, before, shown.append)
        finally:
            signal.alarm(0)
        if (error is None) != (not example.error):
            return None
        same = doctest.OutputChecker().check_output
        if error and not same(example.error, error["message"] + "\n", FLAGS):
            return None
        if example.output is not None and not same(example.output, "".join(shown), FLAGS):
            return None
    return "".join(shown) or example.error


def _too_slow(*_: Any) -> None:
    raise TimeoutError("too slow for a page")


def _child() -> None:
    job = json.loads(sys.stdin.read())
    sys.path.insert(0, job["archive"])
    signal.signal(signal.SIGALRM, _too_slow)
    told = sys.stdout
    found = _tried([Example(**one) for one in job["examples"]])
    print(json.dumps([asdict(one) for one in found]), file=told)


# --- pages ----------------------------------------------------------------------------------------


def setup(app: Any) -> None:
    """Add the buttons to the pages that Sphinx makes. Without Pyodide there are none."""
    from docs import site_python

    if site_python.available():
        app.connect("builder-inited", _prepare)
        app.connect("doctree-read", _mark)
        app.connect("html-page-context", _head)
        app.connect("build-finished", _seal)


def _archive(app: Any) -> Path:
    return Path(app.doctreedir) / "values.zip"


def _prepare(app: Any) -> None:
    """Write the archive of the pages, and unpack it, so that it is compiled once."""
    from docs import site_python

    archive = _archive(app)
    archive.parent.mkdir(parents=True, exist_ok=True)
    site_python.archive_of_values(archive)
    zipfile.ZipFile(archive).extractall(archive.with_suffix(""))


def _mark(app: Any, tree: Any) -> None:
    """Wrap each example of a page that works in it. The wrapping has the code, without prompts."""
    from docutils import nodes

    if not _has_buttons(app.env.docname):
        return
    blocks = [block for block in tree.findall(nodes.literal_block) if _language(block) in LANGUAGES]
    found = [(block, one) for block in blocks if (one := read(block.astext())) is not None]
    examples = [one for _, one in found]
    done = marked(examples, _archive(app).with_suffix("")) if examples else []
    for (block, _), example in zip(found, done, strict=True):
        if example.works:
            start, end = (nodes.raw("", part, format="html") for part in wrapping(example))
            block.replace_self([start, block, end])


def wrapping(example: Example) -> tuple[str, str]:
    """Return what is before and after an example in a page, for the script of the cells."""
    names = [name for name in ("after", "shows") if getattr(example, name)]
    marks = "".join(f" data-{name}" for name in names)
    return f'<div class="try-it" data-code="{html.escape(example.code)}"{marks}>', "</div>"


def _has_buttons(page: str) -> bool:
    return page == HOME or page.startswith(MANUAL)


def _language(block: Any) -> str:
    return str(block.get("language", ""))


def _head(app: Any, page: str, template: str, context: dict[str, Any], tree: Any) -> None:
    from docs import site_python

    if _has_buttons(page) and " data-shows>" in context.get("body", ""):
        size, studio = site_python.size(_archive(app)), context["pathto"]("studio", 1)
        context["metatags"] = context.get("metatags", "") + HEAD.format(size=size, studio=studio)


def _seal(app: Any, failed: Exception | None) -> None:
    site = Path(app.outdir)
    for path in (site / f"{HOME}.html", *(site / MANUAL).rglob("*.html")):
        page = path.read_text("utf-8")
        if MARK in page:
            path.write_text(sealed(page), "utf-8")


def sealed(page: str) -> str:
    """Return a page with its policy, which names the scripts in the page by hashes."""
    found = {_hash(script) for script in SCRIPT.findall(page)}
    policy = POLICY.format(hashes=" ".join(sorted(found)))
    meta = f'<meta http-equiv="Content-Security-Policy" content="{policy}">\n'
    return page.replace(MARK, meta + MARK, 1)


def _hash(script: str) -> str:
    digest = hashlib.sha256(script.encode()).digest()
    return f"'sha256-{base64.b64encode(digest).decode()}'"


if __name__ == "__main__":
    _child()
