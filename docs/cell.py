"""Run a cell of a manual page in the reader's browser: examples of Values, without NumPy.

This file is in the archive that the page loads. It imports nothing of the site.
"""

from __future__ import annotations

import ast
import io
import linecache
import os
import sys
from collections.abc import Callable, Sequence
from contextlib import redirect_stderr, redirect_stdout, suppress
from typing import Any

__all__ = ["run_cell"]

os.environ["GRADWALK_PURE"] = "1"  # a page has no compiled engine: no warning is due
NAME = "<cell>"
MOST = 20_000
"""Characters of output that are shown."""


class _Output(io.TextIOBase):
    """A stream that passes on the beginning of what is written to it."""

    def __init__(self, write: Callable[[str], object]) -> None:
        self.passed_on, self.left = write, MOST

    def writable(self) -> bool:
        """Return ``True``."""
        return True

    def write(self, text: str) -> int:
        """Pass on ``text``, up to the limit."""
        if text and self.left:
            kept = text[: self.left]
            self.left -= len(kept)
            self.passed_on(kept if self.left else f"{kept}\n… and more, which is not shown.\n")
        return len(text)


def run_cell(
    code: str, before: Sequence[str] = (), write: Callable[[str], object] = lambda text: None
) -> dict[str, Any] | None:
    """Run the earlier cells of a page silently, then a cell. Return its error, or ``None``.

    ``write`` is called with what the cell prints, and, as at Python's prompt, with the value of
    each expression that is a statement. The error has the keys ``line`` and ``message``.
    """
    scope: dict[str, Any] = {"__name__": "__main__", "__builtins__": __builtins__}
    unheard = _Output(lambda text: None)
    for earlier in before:
        with redirect_stdout(unheard), redirect_stderr(unheard):
            _run(earlier, scope, suppressed=True)
    output = _Output(write)
    with redirect_stdout(output), redirect_stderr(output):
        return _run(code, scope)


def _run(code: str, scope: dict[str, Any], *, suppressed: bool = False) -> dict[str, Any] | None:
    """Run the statements of a text one after another, as at Python's prompt."""
    linecache.cache[NAME] = (len(code), None, code.splitlines(keepends=True), NAME)
    try:
        for statement in ast.parse(code, NAME).body:
            with suppress(Exception if suppressed else ()):
                exec(compile(ast.Interactive([statement]), NAME, "single"), scope)
    except SyntaxError as error:
        line = error.lineno if error.filename == NAME else _line(error)
        return {"line": line, "message": f"{type(error).__name__}: {error.msg}"}
    except BaseException as error:  # also SystemExit and KeyboardInterrupt, in a page
        return {"line": _line(error), "message": _words(error)}
    return None


def _line(error: BaseException) -> int | None:
    """Return the last line of the cell that was running when the error was raised."""
    line, trace = None, error.__traceback__
    while trace is not None:
        if trace.tb_frame.f_code.co_filename == NAME:
            line = trace.tb_lineno
        trace = trace.tb_next
    return line


def _words(error: BaseException) -> str:
    if isinstance(error, ModuleNotFoundError) and _absent(error.name or ""):
        return "This needs NumPy, which is not in this page. It runs where gradwalk is installed."
    return f"{type(error).__name__}: {error}".removesuffix(": ")


def _absent(module: str) -> bool:
    return module.partition(".")[0] in ("numpy", "gradwalk") and module not in sys.modules
