"""Programs as users write them: type checkers accept them, know every type, and they run.

The programs are the other files in this folder. Each asserts types with ``typing.assert_type``.
"""

from __future__ import annotations

import ast
import json
import os
import re
import runpy
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from . import pages
from .conftest import PROGRAMS

ROOT = Path(__file__).parents[2]
SOURCE = ROOT / "src"
COMPLETE = 0.99  # of the public symbols have a type that is known in all its parts
UNKNOWN = re.compile(r"\b(Any|Unknown)\b")
# What only the run of a program knows of an array, in NumPy's words: shape, dtype and precision.
OF_ARRAYS = re.compile(
    r" \| Any$|"  # what may be None, or a list
    r"numpy\.ndarray\[Any, numpy\.dtype\[Any\]\]|numpy\.(dtype|floating)\[Any\]"
    r"|(?<=numpy\.ndarray\[)tuple\[Any, \.\.\.\]"
)
BY_NAME = pytest.mark.parametrize("path", PROGRAMS, ids=lambda path: path.stem)


def checked(*command: str) -> subprocess.CompletedProcess[str]:
    environment = os.environ | {"MYPYPATH": str(SOURCE), "PYTHONPATH": str(SOURCE)}
    return subprocess.run(
        [sys.executable, "-m", *command],
        cwd=ROOT,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )


def pyright(*options: str) -> dict[str, Any]:
    if shutil.which("node") is None:
        pytest.skip("NOT TESTED: types, by pyright, which needs Node")
    done = checked("pyright", "--pythonpath", sys.executable, "--outputjson", *options)
    found: dict[str, Any] = json.loads(done.stdout)
    return found


class Reveal(ast.NodeTransformer):
    """Turns ``assert_type(x, T)`` into ``reveal_type(x)``."""

    def visit_Call(self, node: ast.Call) -> ast.AST:
        if ast.unparse(node.func) == "assert_type":
            return ast.Call(ast.Name("reveal_type"), node.args[:1], [])
        return self.generic_visit(node)


def revealing(path: Path) -> str:
    return ast.unparse(Reveal().visit(ast.parse(path.read_text("utf-8"))))


@pytest.fixture
def revealed(tmp_path: Path) -> list[Path]:
    """Copies of the programs in which what was asserted is revealed."""
    copies = [tmp_path / path.name for path in PROGRAMS]
    for path, copy in zip(PROGRAMS, copies, strict=True):
        copy.write_text(revealing(path), "utf-8")
    return copies


@pytest.mark.types
def test_mypy_accepts_the_programs() -> None:
    paths = [str(path) for path in PROGRAMS]
    done = checked("mypy", "--strict", "--no-error-summary", *paths)
    assert (done.stdout, done.returncode) == ("", 0)


@pytest.mark.types
def test_mypy_knows_what_it_reveals(revealed: list[Path]) -> None:
    done = checked("mypy", "--no-error-summary", *map(str, revealed))
    types = re.findall(r'Revealed type is "(.*)"', done.stdout)
    asserted = sum(path.read_text("utf-8").count("assert_type(") for path in PROGRAMS)
    assert len(types) >= asserted > 0
    assert [text for text in types if UNKNOWN.search(OF_ARRAYS.sub("", text))] == []


@pytest.mark.types
def test_pyright_accepts_the_programs() -> None:
    expect_no_message(ROOT / "pyproject.toml", len(PROGRAMS))  # not one of a folder above


def expect_no_message(project: Path, files: int) -> None:
    found = pyright("--project", str(project))
    told = [f"{d['file']}:{d['range']['start']['line'] + 1}: {d['message']}"
            for d in found["generalDiagnostics"]]  # fmt: skip
    assert found["summary"]["filesAnalyzed"] == files
    assert told == []


@pytest.mark.types
def test_mypy_accepts_the_code_of_the_manual(tmp_path: Path) -> None:
    paths = map(str, pages.write(tmp_path))
    done = checked("mypy", "--strict", "--no-error-summary", *paths)
    assert (done.stdout, done.returncode) == ("", 0)


@pytest.mark.types
def test_pyright_accepts_the_code_of_the_manual(tmp_path: Path) -> None:
    expect_no_message(tmp_path, len(pages.write(tmp_path)))


@pytest.mark.parametrize("page", pages.PAGES, ids=lambda path: path.stem)
def test_the_program_of_a_page_has_all_its_statements(page: Path) -> None:
    shown = [e.source for e in pages.examples(page) if e.exc_msg is None]
    assert len(ast.parse(pages.program(page)).body) == len(shown)


def test_a_name_that_a_page_binds_again_is_another_one(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text(
        "```python\n>>> x = f(1, x=2)\n>>> for y in x:\n...     x += y\n>>> x, y = str(x), y\n"
        ">>> fail(x)\nTraceback (most recent call last):\nE: no\n>>> x.y\n'a'\n```\n",
        "utf-8",
    )
    _, *lines = pages.program(page).splitlines()
    assert lines == ["x = f(1, x=2)", "for y in x:", "    x += y", "x_2, y_2 = str(x), y", "x_2.y"]


@pytest.mark.types
def test_the_public_types_are_complete() -> None:
    found = pyright("--verifytypes", "gradwalk", "--ignoreexternal")["typeCompleteness"]
    incomplete = [s["name"] for s in found["symbols"] if s["isExported"] and not s["isTypeKnown"]]
    assert found["completenessScore"] >= COMPLETE, "\n".join(incomplete)


@BY_NAME
@pytest.mark.silent("the program ends without an error")
def test_a_program_runs(path: Path) -> None:
    runpy.run_path(str(path), run_name="__main__")
