"""Tangents and cotangents to start from: Tensors like a given array."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...core.numeric import NumericArray
from ...engine.scalar import Scalar
from ...ops.array.structure import astype
from ..functions.types import Operand
from ..graph.placed import beside
from ..graph.tensor import Tensor
from .tracers import array_of

__all__ = ["filled_like", "seed_like"]


def filled_like(x: Operand, number: float) -> Operand:
    """Return a Tensor of one number in the shape and precision of an array of any kind."""
    return beside(Tensor._of(np.full(x.shape, number, x.dtype)), x)


def seed_like(seed: Any, y: Any) -> NumericArray:
    """Return a seed as an array in the precision of the result."""
    if not isinstance(seed, (Scalar, Tensor)):
        return Tensor(seed, dtype=y.dtype)
    seed = array_of(seed)
    return seed if seed.dtype == y.dtype else astype(seed, dtype=y.dtype)
