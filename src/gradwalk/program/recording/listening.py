"""Numbers of Values that a function reads, which closes over them: questions of its program."""

from __future__ import annotations

import sys
from os import sep
from types import FrameType
from typing import Any

from ... import native
from ...core.places import HOME
from ...engine.observing import INTERCEPTORS, SWITCHES, readers
from ...levels.level import Level
from ...levels.programs import recorder
from .conditions import Reading

__all__ = ["listen"]

MEANT = {f"{HOME}engine{sep}scalar.py", f"{HOME}ops{sep}composite.py"}
"""Where numbers are read for what is computed: comparisons, texts of a format, compositions."""

PURE = f"{HOME}engine{sep}pure.py"


def listen() -> None:
    """Get to know of the numbers of Values that are read, while there is a recorder."""
    readers[:] = [_read] if any(isinstance(x, Level) for x in INTERCEPTORS) else []
    for switch in SWITCHES:
        switch(bool(readers))
    if native.engine is not None:
        native.engine.read_by(_read if readers else None)


def _read(value: Any, number: float) -> Any:
    """Return what stands for the number of a Value that a function reads.

    The package itself reads numbers to compute with them, and knows what these are.
    """
    program = recorder()
    frame: FrameType | None = sys._getframe(1)
    if frame is not None and frame.f_code.co_filename == PURE:  # the property of a Value
        frame = frame.f_back
    code = (frame or sys._getframe(1)).f_code
    name = code.co_filename
    inner = name.startswith(HOME) and name not in MEANT and code.co_name != "__repr__"
    if program is None or inner:
        return number
    return Reading.of(program.tracer_of(value))
