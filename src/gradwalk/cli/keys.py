"""Single key presses from a terminal, without waiting for the end of a line."""

from __future__ import annotations

import os
import select
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib import import_module

__all__ = ["END_OF_INPUT", "Reader", "single_keys"]

END_OF_INPUT = "end of input"

Reader = Callable[[float], str]
"""A function that waits for at most so many seconds, and returns the key, ``""`` if there is none.
"""

SEQUENCES = {
    "[C": "right", "OC": "right", "[D": "left", "OD": "left", "[B": "right", "[A": "left",
    "[H": "home", "OH": "home", "[1~": "home", "[7~": "home",
    "[F": "end", "OF": "end", "[4~": "end", "[8~": "end",
}  # fmt: skip
"""The codes after an escape, as xterm, VT220 and rxvt send them."""

WINDOWS = {"M": "right", "K": "left", "P": "right", "H": "left", "G": "home", "O": "end"}
AFTER_ESCAPE = 0.05  # seconds; the rest of a sequence comes sooner than a person types


@contextmanager
def single_keys() -> Iterator[Reader]:
    """Read keys one at a time without echo. The terminal is restored when the block ends."""
    if sys.platform == "win32":  # pragma: no cover
        yield _read_console
        return
    termios, tty = import_module("termios"), import_module("tty")
    terminal = sys.stdin.fileno()
    before = termios.tcgetattr(terminal)
    try:
        tty.setcbreak(terminal, termios.TCSADRAIN)  # keys typed ahead are kept
        yield lambda seconds: _read(terminal, seconds)
    finally:
        termios.tcsetattr(terminal, termios.TCSADRAIN, before)


def _read(terminal: int, seconds: float) -> str:
    key = _byte(terminal, seconds)
    if key != "\x1b":
        return key
    sequence = ""
    while byte := _byte(terminal, AFTER_ESCAPE):
        sequence += byte
        if sequence not in ("[", "O") and (byte.isalpha() or byte in "~\x1b"):
            break
    return SEQUENCES.get(sequence, "escape")


def _byte(terminal: int, seconds: float) -> str:
    if not select.select([terminal], [], [], seconds)[0]:
        return ""
    return os.read(terminal, 1).decode("latin-1") or END_OF_INPUT


def _read_console(seconds: float) -> str:  # pragma: no cover (Windows)
    console = import_module("msvcrt")
    end = time.monotonic() + seconds
    while not console.kbhit():
        if time.monotonic() > end:
            return ""
        time.sleep(0.01)
    key = str(console.getwch())
    return WINDOWS.get(console.getwch(), "escape") if key in "\x00\xe0" else key
