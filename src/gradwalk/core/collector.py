"""Python's collector of cycles, paused while a graph is searched."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager

__all__ = ["without_collector"]


@contextmanager
def without_collector() -> Iterator[None]:
    """Run without the collector, which would examine all nodes again for each new list of them.

    A search makes a million small objects and no cycle of them. With the collector it takes a third
    to a half longer. Outside it is as it was, even if a search of another thread ends first.
    """
    active = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if active:
            gc.enable()
