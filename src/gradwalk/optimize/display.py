"""The progress line of a search, on standard error."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

__all__ = ["described", "showing"]

Show = Callable[[int, float, float], None]
PAUSE = 0.1
"""Seconds between two updates of the line: writing must not cost more than the steps."""


def described(step: int, value: float, norm: float) -> str:
    """Return a text for a step.

    >>> described(12, 0.25, 0.001)
    'step 12   f 0.25   |gradient| 1.0e-03'
    """
    return f"step {step}   f {value:.6g}   |gradient| {norm:.1e}"


@contextmanager
def showing(wanted: bool | None) -> Iterator[Show]:
    """Yield a function to call after each step; by default it writes to terminals only."""
    terminal = sys.stderr.isatty()
    if wanted is False or (wanted is None and not terminal):
        yield lambda step, value, norm: None
    elif terminal:
        yield from _in_place()
    else:
        yield _now_and_then


def _in_place() -> Iterator[Show]:
    """Yield a function that overwrites one line, and leave the last state visible."""
    last, drawn = "", -PAUSE

    def show(step: int, value: float, norm: float) -> None:
        nonlocal last, drawn
        last = described(step, value, norm)
        if time.monotonic() - drawn >= PAUSE:
            drawn = time.monotonic()
            _write(f"\r\x1b[K{last}")

    try:
        yield show
    finally:
        _write(f"\r\x1b[K{last}\n" if last else "")


def _now_and_then(step: int, value: float, norm: float) -> None:
    """Write a line after the steps 0, 1, 2, 5, 10, 20, 50, and so on."""
    if str(step).rstrip("0") in ("", "1", "2", "5"):
        _write(f"{described(step, value, norm)}\n")


def _write(text: str) -> None:
    sys.stderr.write(text)
    sys.stderr.flush()
