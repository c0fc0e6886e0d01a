"""Build the native engine: print its kernels from the table, then compile them.

Everything else about the package is in pyproject.toml. The extension is optional: where there is
no C compiler the package installs without it and runs on the Python engine.
"""

import os
import re
import subprocess
import sys
import sysconfig
import tomllib
from pathlib import Path

from setuptools import Extension, setup
from setuptools.command.build_ext import build_ext

SOURCE = Path(__file__).parent / "src"
NATIVE = SOURCE / "gradwalk" / "native"

# The Python engine must compute the same bits, so no contraction of a * b + c into one rounding
# and no folding of libm calls by the compiler; errno is never read, nor are the flags of traps, so
# that loops which choose between numbers may compute both.
STRICT = ["-O3", "-std=c11", "-ffp-contract=off", "-fno-math-errno", "-fno-trapping-math"]
STRICT += ["-fno-builtin"]
MSVC = ["/O2", "/std:c11", "/fp:precise"]


class BuildEngine(build_ext):
    """Compile what is printed from the table, by a process on the Python engine."""

    def build_extension(self, ext: Extension) -> None:
        """Print what the extension computes into the source tree, where the compiler finds it."""
        printed = "vector" if ext.name.endswith("_vectors") else "kernel"
        environment = {**os.environ, "PYTHONPATH": str(SOURCE), "GRADWALK_PURE": "1"}
        command = [sys.executable, "-m", f"gradwalk.program.printing.{printed}_header"]
        text = subprocess.run(
            command, env=environment, check=True, capture_output=True, text=True
        ).stdout
        header = "vector_kernels.h" if printed == "vector" else "kernels.h"
        (NATIVE / header).write_text(text, encoding="utf-8")
        ext.extra_compile_args = MSVC if self.compiler.compiler_type == "msvc" else STRICT
        super().build_extension(ext)


def extension(name: str) -> Extension:
    """Return the extension of a C module, which is optional."""
    return Extension(
        f"gradwalk.native.{name}",
        sources=[f"src/gradwalk/native/{name}.c"],
        depends=[str(path.relative_to(SOURCE.parent)) for path in NATIVE.rglob("*.h")],
        libraries=["m"] if os.name == "posix" else [],
        optional=True,
    )


if sysconfig.get_config_var("Py_GIL_DISABLED"):
    raise SystemExit(
        "gradwalk: expected a CPython with a global interpreter lock, got a free-threaded one, in"
        " which the engine is not safe. Install gradwalk into a usual build of Python, such as"
        " python3.14 instead of python3.14t."
    )

LINK = re.compile(r"(?<!\!)\[((?:[^\[\]]|`[^`]*`)*)\]\((?!\w+:|#)([^)\s]+)\)")
PICTURE = re.compile(r"!\[([^\]]*)\]\((?!\w+:)([^)\s]+)\)")


def description(readme: str, raw: str | None) -> str:
    """Return README for readers who have no files beside it, such as those of a package index.

    ``raw`` is the address of the folder of this file, as plain files: pictures and links then lead
    there. Without one, pictures and links become words that name the file.
    """
    if raw:
        base = raw.rstrip("/") + "/"
        return LINK.sub(rf"[\1]({base}\2)", PICTURE.sub(rf"![\1]({base}\2)", readme))
    named = PICTURE.sub(r"*Picture: \1 (`\2` in the source distribution).*", readme)
    return LINK.sub(lambda m: m[1] if m[1].strip("`") == m[2] else f"{m[1]} (`{m[2]}`)", named)


def files() -> str | None:
    """Return the address of the files of this version: ``Files`` among the project's URLs."""
    project = tomllib.loads((SOURCE.parent / "pyproject.toml").read_text("utf-8"))["project"]
    return project.get("urls", {}).get("Files")


setup(
    long_description=description((SOURCE.parent / "README.md").read_text("utf-8"), files()),
    long_description_content_type="text/markdown",
    ext_modules=[extension(name) for name in ("_engine", "_tensor", "_vectors")],
    cmdclass={"build_ext": BuildEngine},
)
