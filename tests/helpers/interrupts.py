"""Interrupts at every place where Python could raise one, one place after the other."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from types import FrameType
from typing import Any

import gradwalk

HOME = str(Path(gradwalk.__file__).parent)


class Interrupt(KeyboardInterrupt):
    """As if Ctrl-C had been pressed."""


def at_every_call(task: Callable[[], object]) -> Iterator[int]:
    """Run a task again and again, interrupted one place later each time, until it ends.

    The places are where CPython looks for signals: where a function of gradwalk begins, and where
    a function in C, which one of these has called, returns.
    """
    return _until_it_ends(task, _interrupted_at_call)


def at_every_opcode(task: Callable[[], object]) -> Iterator[int]:
    """Run a task likewise, interrupted before each opcode of gradwalk and of the task itself."""
    return _until_it_ends(task, _interrupted_at_opcode)


def _until_it_ends(task: Callable[[], object], interrupted: Any) -> Iterator[int]:
    at = 0
    while interrupted(task, at):
        yield at
        at += 1
    yield at


def _interrupted_at_call(task: Callable[[], object], at: int) -> bool:
    seen = -1

    def profile(frame: FrameType, event: str, argument: Any) -> None:
        nonlocal seen
        if event in ("call", "c_return") and frame.f_code.co_filename.startswith(HOME):
            seen += 1
            if seen == at:
                raise Interrupt

    _run_with(task, sys.setprofile, sys.getprofile(), profile)
    return seen >= at


def _interrupted_at_opcode(task: Callable[[], object], at: int) -> bool:
    seen = -1

    def trace(frame: FrameType, event: str, argument: Any) -> Any:
        nonlocal seen
        code = frame.f_code
        frame.f_trace_opcodes = code.co_filename.startswith(HOME) or code is task.__code__  # type: ignore[attr-defined]
        if event == "opcode" and frame.f_trace_opcodes:
            seen += 1
            if seen == at:
                raise Interrupt
        return trace

    _run_with(task, sys.settrace, sys.gettrace(), trace)
    return seen >= at


def _run_with(task: Callable[[], object], install: Any, before: Any, hook: Any) -> None:
    install(hook)
    try:
        task()
    except Interrupt:  # unless it came where exceptions are ignored
        pass
    finally:
        install(before)
