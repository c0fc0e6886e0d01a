"""The largest number of nearly equal parts of signals and images."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from ...tensor import max as largest
from ...tensor import moveaxis, take
from ...tensor.functions.arguments import operand
from ...tensor.functions.windows import whole_numbers, with_batch, without_batch
from .pooling import AdaptiveAvgPool1d

if TYPE_CHECKING:
    from ...tensor import Tensor
    from ...tensor.functions.types import ArrayLike

__all__ = ["AdaptiveMaxPool1d", "AdaptiveMaxPool2d", "adaptive_max_pool1d", "adaptive_max_pool2d"]

Sizes = int | Sequence[int | None] | None


def adaptive_max_pool1d(input: Tensor | ArrayLike, output_size: Sizes) -> Tensor:
    """Return the largest number of each of some nearly equal parts of signals.

    `gradwalk.adaptive_avg_pool1d` has the same parts.

    Parameters
    ----------
    input : (batch, channels, length), or without batch
        The signals.
    output_size
        How many parts there are, >= 1; ``None`` keeps the length.

    Returns
    -------
    (batch, channels, output_size)
        The maxima.

    Raises
    ------
    OptionError
        If ``output_size`` is no positive integer.
    SizeError
        If ``input`` has other axes.

    See Also
    --------
    gradwalk.nn.AdaptiveMaxPool1d, gradwalk.max_pool1d

    Examples
    --------
    >>> adaptive_max_pool1d([[[1.0, 3.0, 2.0]]], 2).tolist()
    [[[3.0, 3.0]]]
    """
    y: Tensor = _adaptive("adaptive_max_pool1d", 1, input, output_size)
    return y


def adaptive_max_pool2d(input: Tensor | ArrayLike, output_size: Sizes) -> Tensor:
    """Return the largest number of each of some nearly equal parts of images.

    `gradwalk.adaptive_avg_pool2d` has the same parts.

    Parameters
    ----------
    input : (batch, channels, height, width), or without batch
        The images.
    output_size
        How many parts there are along height and width, >= 1; ``None`` keeps a length, and a
        pair is one entry for each axis.

    Returns
    -------
    (batch, channels, out_height, out_width)
        The maxima.

    Raises
    ------
    OptionError
        If ``output_size`` holds no positive integers, or not one or two.
    SizeError
        If ``input`` has other axes.

    See Also
    --------
    gradwalk.nn.AdaptiveMaxPool2d, gradwalk.max_pool2d

    Examples
    --------
    >>> adaptive_max_pool2d([[[[1.0, 3.0], [4.0, 2.0]]]], 1).tolist()
    [[[[4.0]]]]
    """
    y: Tensor = _adaptive("adaptive_max_pool2d", 2, input, output_size)
    return y


def _adaptive(where: str, axes: int, given: object, output_size: Any) -> Any:
    x, single = with_batch(operand(given, where), axes, where)
    members = list(output_size) if isinstance(output_size, Iterable) else [output_size] * axes
    if len(members) == axes:
        pairs = zip(members, x.shape[2:], strict=True)
        members = [n if member is None else member for member, n in pairs]
    parts = whole_numbers(members, axes, f"{where}(output_size)", 1)
    for axis, count in enumerate(parts, 2):
        n, part = x.shape[axis], np.arange(count)
        low, high = part * n // count, -(-(part + 1) * n // count)
        places = low[:, None] + np.arange((high - low).max(initial=1))
        # short parts name their last number twice: it is the same number
        x = take(moveaxis(x, axis, -1), np.minimum(places, high[:, None] - 1), axis=-1)
        x = moveaxis(largest(x, axis=-1), -1, axis)
    return without_batch(x, single)


class AdaptiveMaxPool1d(AdaptiveAvgPool1d):
    """Largest number of each of some nearly equal parts of signals.

    Parameters
    ----------
    output_size
        How many parts there are, >= 1; ``None`` keeps the length.

    Raises
    ------
    OptionError
        If ``output_size`` is no positive integer (in the call).
    SizeError
        If x has other axes (in the call).

    Shape
    -----
    x : (batch, channels, length), or without batch
    y : (batch, channels, output_size)

    See Also
    --------
    gradwalk.nn.functional.adaptive_max_pool1d, MaxPool1d

    Examples
    --------
    >>> AdaptiveMaxPool1d(4)
    AdaptiveMaxPool1d(output_size=4)
    """

    def forward(self, x: Tensor | ArrayLike) -> Tensor:
        """Return the largest number of each part of x."""
        return adaptive_max_pool1d(x, self.output_size)


class AdaptiveMaxPool2d(AdaptiveAvgPool1d):
    """Largest number of each of some nearly equal parts of images.

    Parameters
    ----------
    output_size
        How many parts there are along height and width, >= 1; ``None`` keeps a length, and a
        pair is one entry for each axis.

    Raises
    ------
    OptionError
        If ``output_size`` holds no positive integers, or not one or two (in the call).
    SizeError
        If x has other axes (in the call).

    Shape
    -----
    x : (batch, channels, height, width), or without batch
    y : (batch, channels, out_height, out_width)

    See Also
    --------
    gradwalk.nn.functional.adaptive_max_pool2d, MaxPool2d

    Examples
    --------
    >>> from gradwalk import Tensor
    >>> AdaptiveMaxPool2d(1)(Tensor([[[[1.0, 4.0], [3.0, 2.0]]]])).item()
    4.0
    """

    def forward(self, x: Tensor | ArrayLike) -> Tensor:
        """Return the largest number of each part of x."""
        return adaptive_max_pool2d(x, self.output_size)
