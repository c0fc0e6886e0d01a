"""The console of all commands, and the report of errors in one line with exit code 2."""

from __future__ import annotations

import re
import shlex
import sys
from collections.abc import Sequence
from typing import Any, NoReturn

import typer
from rich.console import Console
from typer.core import TyperGroup

from ..errors import ExpressionError, GradwalkError

__all__ = ["INTERRUPTED", "MISTAKE", "Commands", "console", "spelled"]

MISTAKE = 2
"""Exit code of an invalid call."""

INTERRUPTED = 130
"""Exit code after Ctrl-C, by convention 128 plus the number of the signal."""


def console() -> Console:
    """Return a console on the current standard output, without markup in texts."""
    return Console(markup=False, highlight=False)


ARGUMENT = re.compile(
    r"(?<![-\w'])(\w+\()?(delimiter|encoding|ignore|loss|lr|missing|target)="
    r"(?:\.\.\.|(['\"])(.*?)\3|([-+.\w]*\w))(?(1)\))"
)
"""An argument of Python in a message, such as ``missing='drop'`` or ``read_csv(target=...)``."""


class Commands(TyperGroup):
    """A group of commands that reports errors in one line on standard error.

    This covers usage errors of typer, gradwalk's own errors, and errors of the file system. All
    other exceptions are defects and keep their traceback.
    """

    def main(self, args: Sequence[str] | None = None, *rest: Any, **options: Any) -> NoReturn:
        """Run a command and exit with its code."""
        if "-h" in (words := [*(sys.argv[1:] if args is None else args)]):
            args = _with_help(words)
        options["standalone_mode"] = False  # otherwise typer prints its errors itself
        try:
            code = super().main(args, *rest, **options)
        except typer.Abort:  # older releases of typer raise this for Ctrl-C
            sys.exit(INTERRUPTED)
        except GradwalkError as error:
            message = str(error).partition("\n\n")[0]  # without the excerpt of a formula
            _complain(message if isinstance(error, ExpressionError) else spelled(message))
        except OSError as error:
            _complain(f"{error.filename or 'file'}: {error.strerror or error}")
        except Exception as error:
            if not hasattr(error, "format_message"):  # usage errors of typer and click have it
                raise
            command = getattr(getattr(error, "ctx", None), "command_path", "gradwalk")
            _complain(f"{_sentence(error.format_message())} See {command} --help.")
        sys.exit(code if isinstance(code, int) else 0)


def spelled(message: str) -> str:
    """Return a message with options of the command line for arguments of Python.

    >>> spelled("Pass missing='drop', or encoding='latin-1'.")
    'Pass --missing drop, or --encoding latin-1.'
    """

    def option(found: re.Match[str]) -> str:
        value = found[4] if found[3] else found[5]
        return f"--{found[2]}" + (f" {shlex.quote(value)}" if value is not None else "")

    return ARGUMENT.sub(option, message)


def _with_help(words: list[str]) -> list[str]:
    """Return the words with --help for -h, which would begin a formula."""
    end = words.index("--") if "--" in words else len(words)
    return ["--help" if word == "-h" else word for word in words[:end]] + words[end:]


def _sentence(text: str) -> str:
    line = " ".join(text.split())
    return line if line.endswith((".", "?", "!")) else f"{line}."


def _complain(message: str) -> NoReturn:
    """Print the message, in red if possible, and exit."""
    Console(stderr=True, markup=False, highlight=False, soft_wrap=True).print(
        f"gradwalk: {message}", style="red"
    )
    sys.exit(MISTAKE)
