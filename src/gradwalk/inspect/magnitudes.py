"""Magnitudes of parameters and gradients: floats, and arrays of NumPy, gradwalk or PyTorch."""

from __future__ import annotations

from collections.abc import Iterable
from math import hypot, inf, isnan, nan, sqrt
from typing import TYPE_CHECKING, Any

from ..engine.value import Value

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Array = NDArray[Any]

__all__ = ["largest", "norm", "norms_of_rows", "numbers_of"]


def numbers_of(x: Any) -> Any:
    """Return a float, an array of NumPy, or ``None``, whatever library ``x`` is of."""
    if x is None:
        return None
    if isinstance(x, Value):
        return float(x.data)
    if hasattr(x, "detach") and hasattr(x, "numpy"):  # a Tensor, here or of PyTorch
        x = x.detach()
        for step in ("resolve_conj", "cpu"):
            x = getattr(x, step, lambda x=x: x)()
        if str(getattr(x, "dtype", "")).endswith("bfloat16"):
            x = x.float()
        x = x.numpy()
    if hasattr(x, "ravel"):
        import numpy as np

        return np.asarray(x)
    return float(x)


def largest(parts: Iterable[Any]) -> float:
    """Return the largest magnitude among floats and arrays; NaN if there is one."""
    found = 0.0
    for x in parts:
        size = abs(x) if isinstance(x, float) else float(abs(x).max(initial=0.0))
        if isnan(size):
            return nan
        found = max(found, size)
    return found


def norm(parts: list[Any]) -> float:
    """Return the Euclidean norm of all numbers in floats and arrays, without overflow."""
    top = largest(parts)
    if not top or not top < inf:
        return top
    total = 0.0
    for x in parts:
        if isinstance(x, float):
            total += (x / top) ** 2
        else:
            flat = (x.ravel() / top).astype(float, copy=False)
            total += float(flat @ flat)
    return top * sqrt(total)


def norms_of_rows(parts: list[Any]) -> list[float]:
    """Return the norms of the rows of arrays of equal lengths, taken together."""
    import numpy as np

    rows = [np.asarray(x, float).reshape(len(x), -1) for x in parts]
    top = largest(rows)
    if not top or not top < inf:
        return [top] * len(rows[0])
    found = [np.sqrt(np.einsum("ij,ij->i", x / top, x / top)) for x in rows]
    return [top * hypot(*sizes) for sizes in zip(*(x.tolist() for x in found), strict=True)]
