"""NumPy's warnings of overflows and poles point to the line of the user's program.

NumPy names the innermost Python function, which is one of ours where an operation is evaluated in
Python. So during the call its warnings are sent to a `_Log`, which knows the user's line. Only
kinds of errors that NumPy would warn of are changed: ``np.errstate`` of the user stays in force.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from importlib import import_module
from os import sep
from pathlib import Path
from typing import Any

import numpy as np

from ...core.places import user_frames, warn_at

__all__ = ["STATE", "at_user_line", "relocated"]

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


_last: tuple[Any, Any] = (None, None)


def at_user_line(f: Callable[..., Any]) -> Callable[..., Any]:
    """Return ``f`` with NumPy's warnings at the user's line, for operations called from Python."""
    if STATE is None:
        return f

    def run(*args: Any, **options: Any) -> Any:
        global _last
        now = STATE.get()
        if _last[0] is not now:
            _last = now, relocated(now)
        if _last[1] is None:
            return f(*args, **options)
        token = STATE.set(_last[1])
        try:
            return f(*args, **options)
        finally:
            STATE.reset(token)

    return run
