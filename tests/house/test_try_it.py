"""Examples of the manual that run in a page: a button exists only where one works."""

from __future__ import annotations

import base64
import doctest
import hashlib
import json
import math
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[2]
FENCE = re.compile(r"^```(?:python|pycon)\n(.*?)^```", re.DOTALL | re.MULTILINE)
NUMBER = re.compile(r"\d+\.\d+(?:e[-+]\d+)?")
ELLIPSIS = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE
PYODIDE = ROOT / "tests" / "pyodide"


@pytest.fixture(scope="module")
def archive(tmp_path_factory: pytest.TempPathFactory) -> Path:
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(ROOT))
        from docs import site_python

        target = tmp_path_factory.mktemp("archive") / "values.zip"
        site_python.archive_of_values(target)
    return target


@pytest.fixture
def try_it(monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.syspath_prepend(str(ROOT))
    from docs import try_it

    return try_it


@pytest.mark.parametrize(
    ("block", "code", "output", "error"),
    [
        (">>> 1 + 1\n2\n", "1 + 1\n", "2\n", ""),
        (">>> # why\n>>> def f():\n...     return 1\n...\n>>> f()\n1\n", None, "1\n", ""),
        (
            ">>> 1 / 0\nTraceback (most recent call last):\na.b.Error: no\n",
            "1 / 0\n",
            "",
            "Error: no\n",
        ),
        ("from gradwalk import Value\n", "from gradwalk import Value\n", None, ""),
        ("import numpy\n", "", None, ""),
        ("$ gradwalk\n", "", None, ""),
        (">>> 1 + 1  # doctest: +SKIP\n3\n", "", None, ""),
        (">>> 1 / 0\nTraceback (most recent call last):\nE: no\n>>> 1\n1\n", "", None, ""),
    ],
)
def test_a_block_is_read_without_its_prompts(
    try_it: Any, block: str, code: str | None, output: str | None, error: str
) -> None:
    found = try_it.read(block)
    if code == "":
        assert found is None
    else:
        wanted = "# why\ndef f():\n    return 1\n\nf()\n" if code is None else code
        assert (found.code, found.output, found.error) == (wanted, output, error)


TRACEBACK = "Traceback (most recent call last):"
TABLE = {
    ">>> from gradwalk import Value\n>>> x = Value(3.0)\n": "works",
    ">>> (x * x).data\n9.0\n": "works after shows",
    ">>> from gradwalk import Value\n>>> Value(2.0).data\n2.0\n": "works shows",
    ">>> print('a'); 3\na\n3\n": "works shows",
    ">>> 1 + 1\n3\n": "",
    ">>> unknown\n1\n": "",
    ">>> import numpy\n": "",
    ">>> from gradwalk import Tensor\n>>> Tensor([1.0]).shape\n(1,)\n": "",
    "from gradwalk import Value\nprint(Value(2.0).data)\n": "works shows",
    "from gradwalk import Value\nValue(2.0) / 'a'\n": "",
    f">>> 1 / 0\n{TRACEBACK}\nZeroDivisionError: division by zero\n": "works shows",
    f">>> 1 / 0\n{TRACEBACK}\nValueError: another one\n": "",
    f">>> 1 / 1\n{TRACEBACK}\nZeroDivisionError: division by zero\n": "",
    ">>> import math; math.calls = getattr(math, 'calls', 0) + 1; math.calls\n1\n": "",
}
"""Blocks of one page, and what is found of each."""


def test_an_example_works_if_it_shows_twice_what_the_manual_shows(
    try_it: Any, archive: Path
) -> None:
    examples = [try_it.read(block) for block in TABLE]
    found = try_it.marked(examples, archive)
    told = [
        " ".join(name for name in ("works", "after", "shows") if getattr(one, name))
        for one in found
    ]
    assert dict(zip(TABLE, told, strict=True)) == TABLE


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch) -> Any:
    """Run a cell; return what it prints, and the line and message of its error."""
    monkeypatch.setenv("GRADWALK_PURE", os.environ.get("GRADWALK_PURE", "1"))  # and back again
    monkeypatch.syspath_prepend(str(ROOT))
    from docs.cell import run_cell

    def run(code: str, *before: str) -> tuple[str, int | None, str]:
        printed: list[str] = []
        error = run_cell(code, before, printed.append)
        return "".join(printed), error and error["line"], error["message"] if error else ""

    return run


@pytest.mark.parametrize(
    ("code", "printed", "line", "message"),
    [
        ("1 + 1\n'a'\nNone\nx = 3", "2\n'a'\n", None, ""),
        ("print('b')\nimport sys\nprint('c', file=sys.stderr)", "b\nc\n", None, ""),
        ("for n in range(2):\n    n\nif n:\n    print(n)", "0\n1\n1\n", None, ""),
        ("print(1)\n\n1 / 0\nprint(2)", "1\n", 3, "ZeroDivisionError: division by zero"),
        ("def f():\n    return {}['a']\n\nf()", "", 2, "KeyError: 'a'"),
        ("print(1)\nx = (1", "", 2, "SyntaxError: '(' was never closed"),
        ("exec('y = )')", "", 1, "SyntaxError: unmatched ')'"),
        ("import json\njson.loads('[')", "", 2, "JSONDecodeError: Expecting value"),
        ("raise SystemExit", "", 1, "SystemExit"),
        ("raise KeyboardInterrupt('no')", "", 1, "KeyboardInterrupt: no"),
        ("import numpy.absent", "", 1, "This needs NumPy, which is not in this page."),
        ("import absent", "", 1, "ModuleNotFoundError: No module named 'absent'"),
        ("from gradwalk import Value\nValue(2.0).data", "2.0\n", None, ""),
        ("__name__", "'__main__'\n", None, ""),
    ],
)
def test_a_cell_shows_what_the_prompt_shows_or_its_error_with_the_line(
    run: Any, code: str, printed: str, line: int | None, message: str
) -> None:
    told = run(code)
    assert told[1] == line
    assert told[2].startswith(message)
    assert bool(told[2]) == bool(message)
    assert told[0] == printed


def test_the_cells_before_run_silently_and_their_errors_do_not_matter(run: Any) -> None:
    before = "x = 2\nprint('unheard')\nx / 0\ny = 3", "z = x * y"
    assert run("x, y, z", *before) == ("(2, 3, 6)\n", None, "")
    assert run("x", "x = 1", "x = ") == ("1\n", None, "")
    assert run("x")[2] == "NameError: name 'x' is not defined"


def test_a_cell_that_prints_without_end_is_cut(run: Any) -> None:
    printed, _, _ = run("for n in range(10**5):\n    print('word')")
    assert printed.startswith("word\nword\n")
    assert printed.endswith("\n… and more, which is not shown.\n")
    assert len(printed) < 20_100


def test_the_archive_of_the_workshop_does_not_grow_with_that_of_values(
    try_it: Any, archive: Path, tmp_path: Path
) -> None:
    from docs import site_python

    site_python.archive(tmp_path / "gradwalk.zip")
    workshop, values = (path.stat().st_size for path in (tmp_path / "gradwalk.zip", archive))
    assert workshop < 250_000
    assert 300_000 < values < 800_000


def test_the_policy_of_a_page_names_its_scripts(try_it: Any) -> None:
    head = try_it.HEAD.format(size="14.1", studio="../studio")
    page = try_it.sealed(f"<head>{head}</head><script>a()</script><script src='b.js'></script>")
    policy = re.search(r'Content-Security-Policy" content="([^"]*)"', page)[1]
    rules = dict(part.strip().split(" ", 1) for part in policy.split(";"))
    assert rules["default-src"] == "'none'"
    assert rules["connect-src"] == "'self'"
    assert rules["script-src"].split() == [
        "'self'",
        "'wasm-unsafe-eval'",
        f"'sha256-{base64.b64encode(hashlib.sha256(b'a()').digest()).decode()}'",
    ]
    assert page.index("Content-Security-Policy") < page.index("<script")


BUILD = """
import sys
sys.path.insert(0, {root!r})
from docs import site_python
from sphinx.cmd.build import build_main
site_python.available, site_python.size = lambda: True, lambda archive: "14.1"
sys.exit(build_main(["-q", "-c", {root!r} + "/docs", "pages", "site"]))
"""

PAGE = """# A page

```pycon
>>> from gradwalk import Value
>>> Value(2.0).data
2.0
```

```pycon
>>> import numpy
>>> numpy.ones(1)
array([1.])
```
"""


def test_a_page_of_sphinx_has_a_button_where_an_example_works(try_it: Any, tmp_path: Path) -> None:
    pytest.importorskip("sphinx")
    for name, text in {
        "index": f"{PAGE}\n```{{toctree}}\ndocs/manual/values\ndocs/decisions/other\n```\n",
        "docs/manual/values": PAGE,
        "docs/decisions/other": PAGE,
    }.items():
        target = tmp_path / "pages" / f"{name}.md"
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text, "utf-8")
    command = [sys.executable, "-c", BUILD.format(root=str(ROOT))]
    subprocess.run(command, cwd=tmp_path, check=True, capture_output=True)
    site = tmp_path / "site"
    for name, above in {"index": "", "docs/manual/values": "../../"}.items():
        page = (site / f"{name}.html").read_text("utf-8")
        assert re.findall(r'class="try-it" data-code="([^"]*)" data-shows>', page) == [
            "from gradwalk import Value\nValue(2.0).data\n"
        ]
        assert f'src="{above}studio/try-it.js"' in page
        policy = re.search(r'Content-Security-Policy" content="([^"]*)"', page)[1]
        assert len(re.findall(r"'sha256-[^']{44}'", policy)) == len(
            set(try_it.SCRIPT.findall(page))
        )
    other = (site / "docs" / "decisions" / "other.html").read_text("utf-8")
    assert "try-it" not in other
    assert "Content-Security-Policy" not in other


@pytest.mark.prove
def test_every_marked_example_of_the_manual_runs_in_pyodide(try_it: Any, archive: Path) -> None:
    """What works in this interpreter works in the one of the page, with the same output."""
    if not (PYODIDE / "node_modules" / "pyodide").is_dir() or shutil.which("node") is None:
        pytest.skip("Pyodide is not installed: make test-pyodide installs it")
    examples, wanted = [], []
    for page in sorted((ROOT / "docs" / "manual").rglob("*.md")):
        blocks = map(try_it.read, FENCE.findall(page.read_text("utf-8")))
        before: list[str] = []
        for one in try_it.marked([block for block in blocks if block], archive):
            if one.works:
                examples.append({"code": one.code, "before": before[:] if one.after else []})
                wanted.append((page.name, one))
                before.append(one.code)
    assert len(examples) >= 70
    ran = subprocess.run(
        ["node", "cells.mjs"],
        input=json.dumps({"archive": str(archive), "examples": examples}),
        cwd=PYODIDE,
        capture_output=True,
        text=True,
        check=True,
    )
    wrong = []
    for answer, (name, one) in zip(json.loads(ran.stdout), wanted, strict=True):
        error = answer["error"]["message"] + "\n" if answer["error"] else ""
        if not alike(one.error, error) or not alike(one.output, answer["printed"]):
            wrong.append((name, one, answer))
    assert not wrong


def alike(want: str | None, got: str) -> bool:
    """Compare outputs; the mathematical library of a page may round the last digit differently."""
    if want is None or doctest.OutputChecker().check_output(want, got, ELLIPSIS):
        return True
    pairs = zip(NUMBER.findall(want), NUMBER.findall(got), strict=False)
    same = all(math.isclose(float(a), float(b), rel_tol=5e-16) for a, b in pairs)
    return same and NUMBER.sub("0", want).split() == NUMBER.sub("0", got).split()
