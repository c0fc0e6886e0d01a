"""The program that a thread is writing down, for code that meets Tensors which are not traced.

A Tensor that a compiled function closes over is an input of its program: operations on it, and
questions for its numbers, belong into the program although no tracer is among the operands.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..engine.observing import INTERCEPTORS
from .level import running

__all__ = [
    "assigns",
    "clears",
    "flags",
    "labels",
    "lifted",
    "made",
    "program_for",
    "reads",
    "recorder",
    "writes",
]


def recorder() -> Any:
    """Return the recorder that this thread is in, ``None`` if it is in none."""
    outermost = running.open[:1] if INTERCEPTORS else ()
    return outermost[0] if outermost and outermost[0] in INTERCEPTORS else None


def program_for(args: Sequence[Any]) -> Any:
    """Return the program of this thread that an operation without tracers belongs into."""
    program = recorder()
    return program if program is not None and program.takes(args) else None


def reads(tensor: Any) -> None:
    """Tell the program of this thread that the numbers of a Tensor decide what is computed."""
    if (program := recorder()) is not None:
        program.note_reading(tensor)


def writes(tensor: Any) -> None:
    """Tell the program of this thread that a Tensor gets other numbers."""
    if (program := recorder()) is not None:
        program.expect_own(tensor)


def clears(tensor: Any) -> None:
    """Tell the program of this thread that a gradient is reset, whatever it was."""
    if (program := recorder()) is not None:
        program.updates.note_gradient(tensor, clears=True)


def assigns(owner: object, name: str) -> None:
    """Tell the program of this thread that an attribute is assigned, or deleted."""
    if (program := recorder()) is not None:
        program.note_assignment(owner, name)


def labels(tensor: object, text: str) -> None:
    """Tell the program of this thread that a Tensor gets a label."""
    if (program := program_for((tensor,))) is not None:
        program.updates.note_label(tensor, text)


def flags(tensor: object) -> None:
    """Tell the program of this thread that a Tensor is about to be frozen, or trained."""
    if (program := program_for((tensor,))) is not None:
        program.updates.note_flag(tensor)


def lifted(x: Any) -> Any:
    """Return the tracer of a Tensor or a Value that a program closes over; else ``x`` itself."""
    program = recorder()
    return x if program is None or not program.captures(x) else program.tracer_of(x)


def made(tensor: Any) -> None:
    """Tell the program of this thread that it has made a Tensor, which it does not close over."""
    if (program := recorder()) is not None:
        program.arrays.made[id(tensor)] = tensor
