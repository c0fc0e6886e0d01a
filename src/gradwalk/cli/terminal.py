"""What every command shares: the console, and mistakes told in one line with exit code 2."""

from __future__ import annotations

import sys
from typing import Any, NoReturn

import typer
from rich.console import Console
from typer.core import TyperGroup

from ..errors import GradwalkError

__all__ = ["INTERRUPTED", "MISTAKE", "Commands", "console"]

MISTAKE = 2
"""Exit code for a call that asks for something impossible."""

INTERRUPTED = 130
"""Exit code after Ctrl-C, as shells count it: 128 and the number of the signal."""


def console() -> Console:
    """A console on what standard output is now; nothing in a text is taken for markup."""
    return Console(markup=False, highlight=False)


class Commands(TyperGroup):
    """A group of commands that answers a mistake with one line on standard error.

    Every layer speaks for itself: typer's usage errors, gradwalk's own errors and those of the
    file system. Anything else is a defect and keeps its traceback.
    """

    def main(self, *args: Any, **options: Any) -> Any:
        """Run a command and exit with its code."""
        options["standalone_mode"] = False  # or typer would print its errors itself
        try:
            code = super().main(*args, **options)
        except typer.Abort:  # what older releases of typer make of Ctrl-C
            sys.exit(INTERRUPTED)
        except GradwalkError as error:
            _complain(str(error).partition("\n\n")[0])  # without the excerpt of a formula
        except OSError as error:
            _complain(f"{error.filename or 'file'}: {error.strerror or error}")
        except Exception as error:
            if not hasattr(error, "format_message"):  # the usage errors of typer and of click
                raise
            command = getattr(getattr(error, "ctx", None), "command_path", "gradwalk")
            _complain(f"{_sentence(error.format_message())} See {command} --help.")
        sys.exit(code if isinstance(code, int) else 0)


def _sentence(text: str) -> str:
    line = " ".join(text.split())
    return line if line.endswith((".", "?", "!")) else f"{line}."


def _complain(message: str) -> NoReturn:
    """Print the message, red where that is possible, and exit."""
    Console(stderr=True, markup=False, highlight=False, soft_wrap=True).print(
        f"gradwalk: {message}", style="red"
    )
    sys.exit(MISTAKE)
