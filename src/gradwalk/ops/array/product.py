"""THE TABLE of arrays, part 3: products. Linear in each factor."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...arrayrow import ArrayRow, general, multilinear
from .structure import permute_dims, reshape


def mT(x: Any) -> Any:  # noqa: N802  (the array API's name)
    """The last two axes exchanged."""
    axes = tuple(range(x.ndim))
    return permute_dims(x, axes=(*axes[:-2], axes[-1], axes[-2]))


def _linear(x: Any, weight: Any, bias: Any) -> Any:
    y = np.matmul(x, weight.T)
    y += bias  # in place: the memory of a second array of this size is spared
    return y


def _rows(x: Any) -> Any:
    """All axes but the last as one."""
    return x if x.ndim == 2 else reshape(x, shape=(-1, x.shape[-1]))


matmul: ArrayRow

# fmt: off
matmul = multilinear("matmul", lambda t, y, a, b: matmul(t, mT(b)),
                     lambda t, y, a, b: matmul(mT(a), t),
                     forward=np.matmul, tex=r"a \, b",
                     summary="Matrix product of the last two axes, the others broadcast")
affine = general("affine", lambda t, y, x, w, b: matmul(t, w),
                 lambda t, y, x, w, b: matmul(mT(_rows(t)), _rows(x)),
                 lambda t, y, x, w, b: t,
                 forward=_linear, params="x weight bias", tex=r"x W^{T} + b",
                 summary="Matrix product with a transposed weight, plus a bias")
