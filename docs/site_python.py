"""Python for the pages of the site: Pyodide, its licence, and two archives of gradwalk.

The archive of the workshop has the judge, that of the manual all that Values need.
"""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

__all__ = ["PYODIDE", "archive_of_values", "available", "size", "write"]

ROOT = Path(__file__).resolve().parent.parent
SOURCE = ROOT / "src"
PYODIDE = ROOT / "tests" / "pyodide" / "node_modules" / "pyodide"

FILES = ("pyodide.mjs", "pyodide.asm.mjs", "pyodide.asm.wasm", "python_stdlib.zip")
FILES += ("pyodide-lock.json",)
"""What a browser loads of Pyodide."""

LICENCE = """The files of this folder whose names begin with "pyodide", and python_stdlib.zip, are
Pyodide {version}, unchanged: https://github.com/pyodide/pyodide
Copyright (C) 2019-2026, Pyodide contributors and Mozilla.
They are subject to the terms of the Mozilla Public License, v. 2.0.
A copy of the licence is at https://mozilla.org/MPL/2.0/.

python_stdlib.zip and pyodide.asm.wasm contain CPython, under the PSF License Agreement:
https://docs.python.org/3/license.html

gradwalk.zip and values.zip are parts of gradwalk, under its own licence.
"""

CELL = Path(__file__).with_name("cell.py")

BEFORE = """
import json, os, sys
os.environ["GRADWALK_PURE"] = "1"
sys.path.insert(0, {source!r})
"""
"""Begins a program that is traced. It sees no other packages, so there is no NumPy."""

AFTER = """
files = (getattr(module, "__file__", None) for name, module in sys.modules.items()
         if name.partition(".")[0] == "gradwalk")
print(json.dumps([file for file in files if file and file.endswith(".py")]))
"""

TRACE = """
from gradwalk.workshop.inside import check_here
from gradwalk.workshop import skeleton
check_here(skeleton())
check_here(ENGINE)
"""

WITHOUT_NUMPY = """
from importlib import import_module
from pkgutil import iter_modules

def visit(package):
    for found in iter_modules(package.__path__, package.__name__ + "."):
        if found.name.split(".")[1] in ("__main__", "cli", "studio", "workshop"):
            continue
        try:
            module = import_module(found.name)
        except ImportError:
            continue
        if found.ispkg:
            visit(module)

import gradwalk
visit(gradwalk)
"""

ENGINE = """
class Value:
    def __init__(self, data):
        self.data, self.grad = data, 0.0
    def __add__(self, other):
        return Value(self.data + other.data)
    def __mul__(self, other):
        return Value(self.data + other.data)
"""
"""A wrong engine: judging it imports what the judge imports late."""


def available() -> bool:
    """Return whether Pyodide is installed and the package has a workshop."""
    judge = SOURCE / "gradwalk" / "workshop" / "inside.py"
    return (PYODIDE / "pyodide.asm.wasm").is_file() and judge.is_file()


def write(folder: Path) -> str:
    """Write Python into a new folder, and return how much the workshop loads of it; see `size`."""
    folder.mkdir()
    for name in FILES:
        shutil.copy(PYODIDE / name, folder)
    version = json.loads((PYODIDE / "package.json").read_text("utf-8"))["version"]
    (folder / "LICENSE.txt").write_text(LICENCE.format(version=version), "utf-8")
    archive(folder / "gradwalk.zip")
    archive_of_values(folder / "values.zip")
    return size(folder / "gradwalk.zip")


def size(archive: Path) -> str:
    """Return how much a page loads for Python and an archive, in megabytes, such as ``"13.6"``."""
    loaded = [archive, *(PYODIDE / name for name in FILES)]
    return f"{sum(path.stat().st_size for path in loaded) / 1e6:.1f}"


def archive(target: Path) -> None:
    """Write the modules that the workshop needs, which are found by running it."""
    package = (SOURCE / "gradwalk" / "workshop").glob("*.py")
    ran = imported(TRACE.replace("ENGINE", repr(ENGINE)))
    _zip(target, {path: path.relative_to(SOURCE).as_posix() for path in {*ran, *package}})


def archive_of_values(target: Path) -> None:
    """Write what the cells of the manual need: all modules that can be imported without NumPy."""
    files = {path: path.relative_to(SOURCE).as_posix() for path in imported(WITHOUT_NUMPY)}
    _zip(target, {**files, CELL: CELL.name})


def _zip(target: Path, files: dict[Path, str]) -> None:
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as zipped:
        for path, name in sorted(files.items(), key=lambda item: item[1]):
            # a fixed date, so that the same source gives the same archive
            entry = zipfile.ZipInfo(name, (2020, 1, 1, 0, 0, 0))
            entry.compress_type = zipfile.ZIP_DEFLATED
            zipped.writestr(entry, path.read_bytes())


def imported(code: str) -> list[Path]:
    """Return the files of gradwalk that a program has imported on the Python engine."""
    ran = subprocess.run(
        [sys.executable, "-I", "-S", "-c", BEFORE.format(source=str(SOURCE)) + code + AFTER],
        check=True,
        capture_output=True,
        text=True,
    )
    return [Path(name) for name in json.loads(ran.stdout.splitlines()[-1])]
