"""Memory that a training step gives back is there for the next one.

The usual C library of Linux hands freed arrays of more than 128 KB back to the system, which clears
every page anew for the next step: a quarter of the time of a step of a small Transformer.
"""

from __future__ import annotations

import numpy as np

__all__ = ["LARGEST", "keep_freed_memory"]

LARGEST = 32 * 2**20 - 2**16
"""Bytes of the largest array whose memory the C library learns to keep; in all it keeps 64 MB."""


def keep_freed_memory() -> None:
    """Make the C library keep freed arrays of up to 32 MB, as if one had been used before.

    glibc raises its thresholds to the size of what it sees freed (mallopt(3), M_MMAP_THRESHOLD); no
    page of this array is touched. Elsewhere nothing happens, nor where MALLOC_TRIM_THRESHOLD_ or
    its like are set in the environment: then these hold.

    >>> keep_freed_memory()
    """
    np.empty(LARGEST, np.uint8)
