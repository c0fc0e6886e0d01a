"""THE TABLE of arrays: lengths of vectors.

``ord`` is the power of the numbers that are summed, and neither 0, 1 nor infinite.
"""

from __future__ import annotations

from math import inf
from typing import Any, Final

import numpy as np

from ...core.array_primitive import general
from ...core.numeric import Array
from ...core.primitive import pass_if
from ..arithmetic import abs, equal, not_equal, sign, where
from .reduction import Axes, narrowed, raised, wide


def _norm(x: Array, axis: Axes, keepdims: Any, ord: float) -> Array:
    """Return the length, scaled by the number that outweighs the others where powers overflow."""
    x_wide = wide(x)
    peak = np.maximum.reduce(np.abs(x_wide), axis=axis, keepdims=True, initial=0.0)
    small, large = np.finfo(x_wide.dtype).tiny ** 0.25, np.finfo(x_wide.dtype).max ** 0.25
    if ord == 2.0 and ((peak < large) & (peak > small)).all():
        squares = np.add.reduce(x_wide * x_wide, axis=axis, keepdims=keepdims)
        return narrowed(np.sqrt(squares), x)
    if ord < 0.0:
        peak = np.minimum.reduce(np.abs(x_wide), axis=axis, keepdims=True, initial=inf)
    scale = np.where((peak > 0.0) & (peak < inf), peak, x_wide.dtype.type(1.0))
    with np.errstate(divide="ignore"):  # a zero to a negative power
        powers = np.abs(x_wide / scale) ** ord
        total = np.add.reduce(powers, axis=axis, keepdims=True) ** (1.0 / ord) * scale
    return narrowed(total if keepdims else total.squeeze(axis), x)


def _norm_share(t: Any, y: Any, x: Any, axis: Axes, keepdims: bool, ord: float) -> Any:
    """t sign(x) (|x| / y)^(p - 1), and nothing where x or y is 0."""
    y = raised(y, x.shape, axis, keepdims)
    t, safe = raised(t, x.shape, axis, keepdims), where(equal(y, 0.0), inf, y)
    if ord == 2.0:
        return pass_if(not_equal(y, 0.0), t * (x / safe))
    flat = equal(x, 0.0) | equal(y, 0.0)
    size = where(flat, 1.0, abs(x) / safe)
    return pass_if(equal(flat, 0.0), t * (sign(x) * size ** (ord - 1.0)))


norm: Final = general("norm", lambda t, y, x, axis, keepdims, ord:
        _norm_share(t, y, x, axis, keepdims, ord),
    forward=_norm, tex=r"\Bigl(\sum_i |x_i|^p\Bigr)^{1/p}",
    summary="Length of vectors", kinks="slope 0 at 0")  # fmt: skip
