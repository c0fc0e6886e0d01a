"""Python for the workshop of the site: Pyodide with its licence, and the judge as one archive."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

__all__ = ["PYODIDE", "available", "write"]

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

gradwalk.zip is a part of gradwalk, under its own licence.
"""

TRACE = """
import json, sys
from gradwalk.workshop.inside import check_here
from gradwalk.workshop import skeleton
check_here(skeleton())
check_here(ENGINE)
files = (getattr(module, "__file__", None) for name, module in sys.modules.items()
         if name.partition(".")[0] == "gradwalk")
print(json.dumps([file for file in files if file and file.endswith(".py")]))
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
    """Write Python into a new folder, and return its size in megabytes, such as ``"13.6"``."""
    folder.mkdir()
    for name in FILES:
        shutil.copy(PYODIDE / name, folder)
    version = json.loads((PYODIDE / "package.json").read_text("utf-8"))["version"]
    (folder / "LICENSE.txt").write_text(LICENCE.format(version=version), "utf-8")
    archive(folder / "gradwalk.zip")
    loaded = sum(path.stat().st_size for path in folder.iterdir() if path.suffix != ".txt")
    return f"{loaded / 1e6:.1f}"


def archive(target: Path) -> None:
    """Write the modules that the workshop needs, which are found by running it."""
    package = sorted((SOURCE / "gradwalk" / "workshop").glob("*.py"))
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as zipped:
        for path in sorted({*traced(), *package}):
            # a fixed date, so that the same source gives the same archive
            entry = zipfile.ZipInfo(path.relative_to(SOURCE).as_posix(), (2020, 1, 1, 0, 0, 0))
            entry.compress_type = zipfile.ZIP_DEFLATED
            zipped.writestr(entry, path.read_bytes())


def traced() -> list[Path]:
    """Return the files of gradwalk that a run of the workshop has imported."""
    code = TRACE.replace("ENGINE", repr(ENGINE))
    surroundings = {**os.environ, "GRADWALK_PURE": "1", "PYTHONPATH": str(SOURCE)}
    ran = subprocess.run(
        [sys.executable, "-c", code], env=surroundings, check=True, capture_output=True, text=True
    )
    return [Path(name) for name in json.loads(ran.stdout.splitlines()[-1])]
