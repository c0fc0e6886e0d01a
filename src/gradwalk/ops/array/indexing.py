"""THE TABLE of arrays, part 4: parts of an array, by index."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...arrayrow import ArrayRow, linear


def _scatter(t: Any, key: Any, shape: tuple[int, ...]) -> Any:
    """Zeros of ``shape`` with ``t`` added at ``key``, repeated places as often as they occur."""
    y = np.zeros(shape, t.dtype)
    np.add.at(y, key, t)
    return y


scatter: ArrayRow  # adjoint to take

# fmt: off
take    = linear("index", lambda t, y, x, key: scatter(t, key=key, shape=x.shape),
                 forward=lambda x, key: x[key], tex=r"x_{k}", summary="Part of x by an index")
scatter = linear("scatter", lambda t, y, x, key, shape: take(t, key=key), forward=_scatter,
                 tex=r"\sum_{k} x_{k} e_{k}", summary="Zeros with x added at an index")


def index(x: Any, key: Any) -> Any:
    """x[key]"""
    return take(x, key=key)
