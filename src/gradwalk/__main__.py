"""The command ``gradwalk``, also as ``python -m gradwalk``."""

from __future__ import annotations

import io
import sys

NEEDED = ("typer", "rich")
"""What the command line needs besides gradwalk itself: the extra ``cli``."""


def main() -> None:
    """Run the command line, or say what it lacks; the exit code is 2 for a mistake in the call."""
    for stream in (sys.stdout, sys.stderr):  # a terminal that lacks a character is no reason to die
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")
    try:
        from .cli import app
    except ModuleNotFoundError as error:
        if error.name not in NEEDED:
            raise
        print(
            f"gradwalk: the command line needs {error.name}: pip install 'gradwalk[cli]'",
            file=sys.stderr,
        )
        sys.exit(2)
    app(prog_name="gradwalk")


if __name__ == "__main__":
    main()
