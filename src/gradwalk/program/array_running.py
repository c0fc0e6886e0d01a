"""Which executor runs a program on arrays: the fast one, or the specification."""

from __future__ import annotations

from collections.abc import Sequence

from .. import native
from .array_executor import ArrayProgram, PythonArrayExecutor
from .array_plan import PlannedExecutor
from .entries import Entry
from .recorder import Recorder

__all__ = ["executor_of"]


def executor_of(
    inputs: Sequence[Entry], recorder: Recorder, outputs: Sequence[Entry]
) -> PythonArrayExecutor:
    """Return what runs the recorded program, without what neither results nor guards need."""
    kind = PythonArrayExecutor if native.engine is None else PlannedExecutor
    return kind(ArrayProgram(inputs, recorder, outputs))
