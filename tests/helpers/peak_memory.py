"""What tests of memory share: arrays that are alive at once, and a long chain that makes some."""

from __future__ import annotations

import gc
import tracemalloc
from collections.abc import Callable
from typing import Any

import gradwalk as gw

__all__ = ["SIZE", "arrays_at_peak", "step"]

SIZE = 1000


def arrays_at_peak(run: Callable[[], Any]) -> float:
    """How many arrays of ``SIZE`` numbers were alive at once, in the worst moment."""
    gc.collect()
    tracemalloc.start()
    before = tracemalloc.get_traced_memory()[0]
    run()
    peak = tracemalloc.get_traced_memory()[1] - before
    tracemalloc.stop()
    return peak / (8 * SIZE)


def step(x: Any) -> Any:
    """A link of the chain, whose slope needs its result."""
    return gw.tanh(x) * 1.01
