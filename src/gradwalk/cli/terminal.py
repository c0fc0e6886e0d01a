"""The console of all commands, and the report of errors in one line with exit code 2."""

from __future__ import annotations

import sys
from typing import Any, NoReturn

import typer
from rich.console import Console
from typer.core import TyperGroup

from ..errors import GradwalkError

__all__ = ["INTERRUPTED", "MISTAKE", "Commands", "console"]

MISTAKE = 2
"""Exit code of an invalid call."""

INTERRUPTED = 130
"""Exit code after Ctrl-C, by convention 128 plus the number of the signal."""


def console() -> Console:
    """Return a console on the current standard output, without markup in texts."""
    return Console(markup=False, highlight=False)


class Commands(TyperGroup):
    """A group of commands that reports errors in one line on standard error.

    This covers usage errors of typer, gradwalk's own errors, and errors of the file system. All
    other exceptions are defects and keep their traceback.
    """

    def main(self, *args: Any, **options: Any) -> NoReturn:
        """Run a command and exit with its code."""
        options["standalone_mode"] = False  # otherwise typer prints its errors itself
        try:
            code = super().main(*args, **options)
        except typer.Abort:  # older releases of typer raise this for Ctrl-C
            sys.exit(INTERRUPTED)
        except GradwalkError as error:
            _complain(str(error).partition("\n\n")[0])  # without the excerpt of a formula
        except OSError as error:
            _complain(f"{error.filename or 'file'}: {error.strerror or error}")
        except Exception as error:
            if not hasattr(error, "format_message"):  # usage errors of typer and click have it
                raise
            command = getattr(getattr(error, "ctx", None), "command_path", "gradwalk")
            _complain(f"{_sentence(error.format_message())} See {command} --help.")
        sys.exit(code if isinstance(code, int) else 0)


def _sentence(text: str) -> str:
    line = " ".join(text.split())
    return line if line.endswith((".", "?", "!")) else f"{line}."


def _complain(message: str) -> NoReturn:
    """Print the message, in red if possible, and exit."""
    Console(stderr=True, markup=False, highlight=False, soft_wrap=True).print(
        f"gradwalk: {message}", style="red"
    )
    sys.exit(MISTAKE)
