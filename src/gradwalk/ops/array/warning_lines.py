"""NumPy's warnings of overflows and poles point to the line of the user's program.

NumPy names the innermost Python function, which is one of ours where an operation is evaluated in
Python. So during the call its warnings are sent to a `_Log`, which knows the user's line. Only
kinds of errors that NumPy would warn of are changed: ``np.errstate`` of the user stays in force.
"""

from __future__ import annotations

from contextlib import suppress
from importlib import import_module
from os import sep
from pathlib import Path
from typing import Any

import numpy as np

from ...core.places import user_frames, warn_at

__all__ = ["SILENT", "STATE", "at_user_line", "relocated", "reset_state", "set_state", "state_of"]

_NUMPY = f"{Path(np.__file__).resolve().parent}{sep}"
_PREFIX = "Warning: "

STATE: Any = None
"""NumPy's context variable for the state of its errors, or ``None``."""
with suppress(ImportError):  # private names: without them, warnings point to our lines
    _umath: Any = import_module("numpy._core.umath")
    STATE = getattr(_umath, "_extobj_contextvar", None)


class _Log:
    """What NumPy sends its messages to."""

    def write(self, message: str) -> None:
        """Warn of an error of floating-point numbers, at the line of the program."""
        frames = user_frames()
        frame = next((f for f in frames if not f.f_code.co_filename.startswith(_NUMPY)), None)
        warn_at(frame, message.strip().removeprefix(_PREFIX), RuntimeWarning)


_LOG = _Log()


def relocated(state: object) -> Any:
    """Return NumPy's ``state`` of errors with warnings at the user's line, or ``None``.

    ``state`` is what `STATE` has now. ``None`` means that nothing has to change.
    """
    modes = np.geterr()
    warned = {kind: "log" for kind, mode in modes.items() if mode == "warn"}
    if not warned or {"call", "log"} & set(modes.values()):  # these have a function of the user's
        return None
    return _umath._make_extobj(**warned, call=_LOG)


class _AtUserLine(dict[Any, Any]):
    """What `relocated` returned for the state that was asked for last."""

    def __missing__(self, state: Any) -> Any:
        found = relocated(state)
        self.clear()
        self[state] = found
        return found


at_user_line: Any = _AtUserLine({None: None})
"""What to set in place of NumPy's state during a call, or ``None``: written out where it is used,
because a call of Python would take as long as a small operation."""

state_of: Any = (lambda: None) if STATE is None else STATE.get
set_state, reset_state = (STATE and STATE.set), (STATE and STATE.reset)

with np.errstate(all="ignore"):
    SILENT: Any = state_of()
"""NumPy's state in which it warns of nothing."""
