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

from .conftest import PROGRAMS

ROOT = Path(__file__).parents[2]
SOURCE = ROOT / "src"
COMPLETE = 0.99  # of the public symbols have a type that is known in all its parts
UNKNOWN = re.compile(r"\b(Any|Unknown)\b")
# What only the run of a program knows of an array, in NumPy's words: shape, dtype and precision.
OF_ARRAYS = re.compile(
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
    found = pyright("--project", str(ROOT / "pyproject.toml"))  # not one of a folder above
    told = [f"{d['file']}:{d['range']['start']['line'] + 1}: {d['message']}"
            for d in found["generalDiagnostics"]]  # fmt: skip
    assert found["summary"]["filesAnalyzed"] == len(PROGRAMS)
    assert told == []


@pytest.mark.types
def test_the_public_types_are_complete() -> None:
    found = pyright("--verifytypes", "gradwalk", "--ignoreexternal")["typeCompleteness"]
    incomplete = [s["name"] for s in found["symbols"] if s["isExported"] and not s["isTypeKnown"]]
    assert found["completenessScore"] >= COMPLETE, "\n".join(incomplete)


@BY_NAME
@pytest.mark.silent("the program ends without an error")
def test_a_program_runs(path: Path) -> None:
    runpy.run_path(str(path), run_name="__main__")
