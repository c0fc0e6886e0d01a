"""Which executor runs a program on arrays: the fast one, or the specification."""

from __future__ import annotations

from collections.abc import Sequence

from ... import native
from ..recording.entries import Entry
from ..recording.recorder import Recorder
from .array_executor import ArrayProgram, PythonArrayExecutor
from .plan import PlannedExecutor

__all__ = ["executor_of"]


def executor_of(
    inputs: Sequence[Entry], recorder: Recorder, outputs: Sequence[Entry]
) -> PythonArrayExecutor:
    """Return what runs the recorded program, without what neither results nor guards need."""
    kind = PythonArrayExecutor if native.engine is None else PlannedExecutor
    return kind(ArrayProgram(inputs, recorder, outputs))
