"""THE TABLE of arrays, part 2: many numbers become one."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...arrayrow import linear
from .structure import broadcast_to, reshape

Axes = tuple[int, ...]


def spread(t: Any, shape: tuple[int, ...], axis: Axes, keepdims: bool) -> Any:
    """``t``, the result of a reduction of ``shape``, at every place that was reduced."""
    if not keepdims:
        t = reshape(t, shape=tuple(1 if i in axis else n for i, n in enumerate(shape)))
    return broadcast_to(t, shape=shape)


# fmt: off
sum = linear("sum", lambda t, y, x, axis, keepdims: spread(t, x.shape, axis, keepdims),
             forward=lambda x, axis, keepdims: np.sum(x, axis=axis, keepdims=keepdims),
             tex=r"\sum_i x_i", summary="Sum over some axes")
