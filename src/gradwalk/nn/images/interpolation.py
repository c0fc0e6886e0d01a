"""Signals and images of another size, by interpolation."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from math import floor
from typing import TYPE_CHECKING, Any

import numpy as np

from ...core.expect import describe
from ...errors import OptionError
from ...ops.array.product import matmul
from ...tensor import moveaxis
from ...tensor.functions.arguments import operand
from ...tensor.functions.windows import whole_numbers
from ..modules.module import Module

if TYPE_CHECKING:
    from ...tensor import Tensor
    from ...tensor.functions.types import ArrayLike

__all__ = ["Upsample", "interpolate"]

Sizes = int | Sequence[int]
MODES = {"nearest": 0, "nearest-exact": 0, "linear": 1, "bilinear": 2, "trilinear": 3, "bicubic": 2}
MODES |= {"area": 0}
"""The modes, and for how many axes of space; 0: for any."""


def interpolate(
    input: Tensor | ArrayLike,
    size: Sizes | None = None,
    scale_factor: float | Sequence[float] | None = None,
    mode: str = "nearest",
    align_corners: bool | None = None,
) -> Tensor:
    """Return signals, images or volumes of another size, by interpolation.

    Parameters
    ----------
    input : (batch, channels, length), (batch, channels, height, width) or with more axes of space
        The numbers; integers become floats.
    size
        The new length of each axis of space, >= 1: one for all axes, or one for each.
    scale_factor
        New lengths as multiples of the old ones, rounded down, > 0: one for all axes, or one
        for each. Exactly one of ``size`` and ``scale_factor`` is given.
    mode
        "nearest", "nearest-exact" or "area" (means of parts) for any number of axes; "linear"
        for one axis of space, "bilinear" or "bicubic" (Keys with a = -0.75) for two,
        "trilinear" for three.
    align_corners
        Whether the first and last numbers keep their places, in the linear and cubic modes.
        ``None`` means false.

    Returns
    -------
    (batch, channels, ...)
        The numbers in the new size.

    Raises
    ------
    OptionError
        If ``mode`` does not fit the axes, both or neither of ``size`` and ``scale_factor`` are
        given, or nothing would be left of an axis.

    See Also
    --------
    gradwalk.nn.Upsample, adaptive_avg_pool2d

    References
    ----------
    Keys, Cubic convolution interpolation for digital image processing (1981).

    Examples
    --------
    >>> interpolate([[[1.0, 3.0]]], scale_factor=2.0).tolist()
    [[[1.0, 1.0, 3.0, 3.0]]]
    """
    x: Any = operand(input, "interpolate")
    axes = x.ndim - 2
    if not isinstance(mode, str) or mode not in MODES or MODES[mode] not in (0, axes) or axes < 1:
        raise OptionError(
            where="interpolate(mode=...)",
            expected=f"one of {', '.join(MODES)} for (batch, channels) and as many axes of space",
            got=f"{describe(mode)} for shape {x.shape}",
            fix='Use "linear" for signals, "bilinear" for images.',
        )
    for axis, (n, scale) in enumerate(_lengths(x.shape[2:], size, scale_factor), 2):
        weights = _weights(x.shape[axis], n, scale, mode, bool(align_corners))
        kind = x.dtype if x.dtype.kind == "f" else np.float64
        moved = matmul(moveaxis(x, axis, -1), weights.T.astype(kind))
        x = moveaxis(moved, -1, axis)
    y: Tensor = x
    return y


def _lengths(shape: tuple[int, ...], size: Any, factor: Any) -> list[tuple[int, float]]:
    """Return the new length of each axis, and how many old numbers one new one stands for."""
    if (size is None) == (factor is None):
        raise OptionError(
            where="interpolate",
            expected="either size or scale_factor",
            got="both" if size is not None else "neither",
            fix="Write interpolate(x, scale_factor=2).",
        )
    if size is not None:
        sizes = whole_numbers(size, len(shape), "interpolate(size)", 1)
        return [(m, n / m) for m, n in zip(sizes, shape, strict=True)]
    factors = list(factor) if isinstance(factor, Iterable) else [factor] * len(shape)
    known = all(isinstance(f, (int, float)) and 0.0 < f < float("inf") for f in factors)
    fits = known and len(factors) == len(shape)
    if not fits or any(n * f < 1 for n, f in zip(shape, factors, strict=True)):
        raise OptionError(
            where="interpolate(scale_factor)",
            expected=f"a positive number, or {len(shape)} of them, that leave something",
            got=describe(factor),
            fix="Write scale_factor=2.0 for twice the size.",
        )
    return [(floor(n * f), 1.0 / f) for n, f in zip(shape, factors, strict=True)]


def _weights(n: int, m: int, scale: float, mode: str, corners: bool) -> Any:
    """Return the matrix that makes m numbers of n."""
    places = np.arange(m)
    if mode == "area":
        low, high = places * n // m, -(-(places + 1) * n // m)
        inside = (np.arange(n) >= low[:, None]) & (np.arange(n) < high[:, None])
        return inside / inside.sum(axis=1, keepdims=True)
    if mode.startswith("nearest"):
        exact = 0.5 if mode == "nearest-exact" else 0.0
        return _hot(np.floor((places + exact) * scale), 1.0, n)
    if corners:
        source = places * ((n - 1) / (m - 1) if m > 1 else 0.0)
    else:
        source = (places + 0.5) * scale - 0.5
        source = source if mode == "bicubic" else np.maximum(source, 0.0)
    low = np.floor(source)
    w = source - low
    if mode != "bicubic":
        return _hot(low, 1.0 - w, n) + _hot(low + 1, w, n)
    parts = ((-1, _far(w + 1.0)), (0, _near(w)), (1, _near(1.0 - w)), (2, _far(2.0 - w)))
    return sum(_hot(low + k, weight, n) for k, weight in parts)


def _near(t: Any) -> Any:
    """Return the weight of a number at a distance up to 1."""
    return ((1.25 * t - 2.25) * t) * t + 1.0


def _far(t: Any) -> Any:
    """Return the weight of a number at a distance from 1 to 2."""
    return ((-0.75 * t + 3.75) * t - 6.0) * t + 3.0


def _hot(places: Any, weights: Any, n: int) -> Any:
    """Return rows with a weight at a place, which the ends stop."""
    return (np.clip(places, 0, n - 1)[:, None] == np.arange(n)) * np.reshape(weights, (-1, 1))


class Upsample(Module):
    """Signals, images or volumes of another size, by interpolation.

    Parameters
    ----------
    size
        The new length of each axis of space, >= 1: one for all axes, or one for each.
    scale_factor
        New lengths as multiples of the old ones, > 0: one for all axes, or one for each.
        Exactly one of ``size`` and ``scale_factor`` is given.
    mode
        "nearest", "nearest-exact" or "area" for any number of axes; "linear" for one axis of
        space, "bilinear" or "bicubic" for two, "trilinear" for three.
    align_corners
        Whether the first and last numbers keep their places, in the linear and cubic modes.
        ``None`` means false.

    Raises
    ------
    OptionError
        If ``mode`` does not fit the axes of x, or both or neither of ``size`` and
        ``scale_factor`` are given (in the call).

    Shape
    -----
    x : (batch, channels, ...)
    y : (batch, channels, ...)

    See Also
    --------
    gradwalk.nn.functional.interpolate, ConvTranspose2d

    Examples
    --------
    >>> from gradwalk import Tensor
    >>> Upsample(scale_factor=2)(Tensor([[[1.0, 3.0]]])).tolist()
    [[[1.0, 1.0, 3.0, 3.0]]]
    """

    size: Sizes | None
    scale_factor: float | Sequence[float] | None
    align_corners: bool | None
    mode: str

    def __init__(
        self,
        size: Sizes | None = None,
        scale_factor: float | Sequence[float] | None = None,
        mode: str = "nearest",
        align_corners: bool | None = None,
    ) -> None:
        self.size, self.scale_factor = size, scale_factor
        self.mode, self.align_corners = mode, align_corners

    def forward(self, input: Tensor | ArrayLike) -> Tensor:
        """Return the signals or images in the other size."""
        return interpolate(input, self.size, self.scale_factor, self.mode, self.align_corners)

    def extra_repr(self) -> str:
        """Return the options."""
        factor = self.scale_factor
        if factor is None:
            return f"size={self.size}, mode={self.mode!r}"
        shown = tuple(map(float, factor)) if isinstance(factor, Iterable) else float(factor)
        return f"scale_factor={shown}, mode={self.mode!r}"
