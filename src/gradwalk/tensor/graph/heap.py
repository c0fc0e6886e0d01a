"""Memory that a training step frees is kept for the next one.

By default, glibc returns freed arrays of more than 128 KB to the system, which clears every page
again for the next step: a quarter of the time of a step of a small Transformer.
"""

from __future__ import annotations

import numpy as np

__all__ = ["LARGEST", "keep_freed_memory"]

LARGEST = 32 * 2**20 - 2**16
"""Bytes of the largest array whose memory glibc then keeps; it keeps 64 MB in total."""


def keep_freed_memory() -> None:
    """Make the C library keep freed arrays of up to 32 MB, as if one had been used before.

    glibc raises its thresholds to the size of a freed array (mallopt(3), M_MMAP_THRESHOLD). No page
    of this array is touched. There is no effect with other C libraries, or if the environment sets
    MALLOC_TRIM_THRESHOLD_ or a similar variable.

    >>> keep_freed_memory()
    """
    np.empty(LARGEST, np.uint8)  # freed at once, which is all that matters
