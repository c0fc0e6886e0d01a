"""What every backward pass needs: a lock, at forks and exits too, and changes in one step."""

from __future__ import annotations

import atexit
import os
import threading
from collections.abc import Callable, Sequence
from contextlib import suppress
from operator import methodcaller
from typing import Any, Final

from .. import native

__all__ = ["assign", "pass_lock"]

pass_lock: Final = threading.RLock()
"""Held by every pass: two passes may share leaves, so the second one waits."""


def _at_exit() -> None:
    """Do not wait for daemon threads, which are stopped anywhere. All other threads have ended."""
    if not pass_lock.acquire(timeout=1.0):  # a pass that may never end
        pass_lock._at_fork_reinit()  # type: ignore[attr-defined]
        pass_lock.acquire()


def _after_fork() -> None:
    """Forget the pass of a thread that the child does not have."""
    if not pass_lock._is_owned():  # type: ignore[attr-defined]
        pass_lock._at_fork_reinit()  # type: ignore[attr-defined]
        if native.engine is not None:
            native.engine.forget_pass()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork)
with suppress(RuntimeError):  # which says that the interpreter is exiting already
    # what is registered last runs first: before the callbacks of programs, which may start passes
    threading._register_atexit(atexit.register, _at_exit)  # type: ignore[attr-defined]


def assign(changes: Sequence[tuple[Any, str, Any]], *calls: Callable[[], object]) -> list[None]:
    """Call functions, then set attributes, in one step: the list is made in C.

    No signal and no other thread comes between the assignments. If a call fails, nothing is set.
    """
    targets, names, values = zip(*changes, strict=True) if changes else ((), (), ())
    return [*map(_call, calls), *map(setattr, targets, names, values)]


_call = methodcaller("__call__")  # also a function of C
