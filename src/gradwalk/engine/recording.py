"""Whether operations are recorded: one state for Values, Tensors and levels.

The native engine tests its state as a variable of C, so with that engine the state is its own.
"""

from __future__ import annotations

import threading

from .. import native

__all__ = ["Recording", "recording"]


class _Depth(threading.local):
    blocks = 0


class Recording:
    """The state of `no_grad`: ``paused`` and ``threads`` are read, `pause` changes them.

    ``threads`` counts the threads that are inside `no_grad`. Code that runs for every operation
    tests it before ``paused``, because thread-local storage costs 20 % of a forward pass.
    """

    __slots__ = ("_depth", "_lock", "threads")

    threads: int

    def __init__(self) -> None:
        self._depth, self._lock, self.threads = _Depth(), threading.Lock(), 0

    @property
    def paused(self) -> int:
        """How many `no_grad` blocks this thread is in."""
        return self._depth.blocks

    def pause(self, step: int) -> None:
        """Enter (+1) or leave (-1) a block in which this thread records nothing."""
        before = self._depth.blocks > 0
        self._depth.blocks += step
        with self._lock:
            self.threads += (self._depth.blocks > 0) - before


recording: Recording = Recording() if native.engine is None else native.engine.recording
"""The state of this process."""
