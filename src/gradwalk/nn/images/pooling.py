"""Pooling layers for signals and images."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, TypeAlias

from ...tensor.functions import pooling
from ...tensor.functions.arguments import operand
from ...tensor.functions.windows import whole_numbers
from ..modules.module import Module

if TYPE_CHECKING:
    from ...tensor import Tensor
    from ...tensor.functions.types import ArrayLike

__all__ = ["AdaptiveAvgPool1d", "AdaptiveAvgPool2d", "AvgPool1d", "AvgPool2d"]
__all__ += ["MaxPool1d", "MaxPool2d", "Sizes"]

Sizes: TypeAlias = int | Sequence[int]
"""A number for all axes, or one number for each axis."""


def expect_sizes(layer: Module, **given: Sizes | None) -> None:
    """Raise `OptionError` for an option of a layer that is not an integer or several of them."""
    for name, sizes in given.items():
        if sizes is not None:
            count = max(1, len(sizes)) if isinstance(sizes, (list, tuple)) else 1
            whole_numbers(sizes, count, f"{type(layer).__name__}({name})", 0)


class _MaxPool(Module):
    """The base of maxima over any number of axes."""

    kernel_size: Sizes
    stride: Sizes
    ceil_mode: bool
    dilation: Sizes
    padding: Sizes

    def __init__(
        self,
        kernel_size: Sizes,
        stride: Sizes | None = None,
        padding: Sizes = 0,
        dilation: Sizes = 1,
        *,
        ceil_mode: bool = False,
    ) -> None:
        expect_sizes(self, kernel_size=kernel_size, stride=stride, padding=padding)
        expect_sizes(self, dilation=dilation)
        self.kernel_size, self.stride = kernel_size, kernel_size if stride is None else stride
        self.padding, self.dilation, self.ceil_mode = padding, dilation, ceil_mode

    def _pool(self, pool: Callable[..., Any], x: Tensor | ArrayLike) -> Tensor:
        options = (self.kernel_size, self.stride, self.padding, self.dilation, self.ceil_mode)
        y: Tensor = pool(x, *options)
        return y

    def extra_repr(self) -> str:
        """Return the options."""
        return (
            f"kernel_size={self.kernel_size}, stride={self.stride}, padding={self.padding}, "
            f"dilation={self.dilation}, ceil_mode={self.ceil_mode}"
        )


class MaxPool1d(_MaxPool):
    """Largest number of each window of signals.

    Parameters
    ----------
    kernel_size
        The size of a window, >= 1; a tuple is one number for each axis.
    stride
        Step between windows, >= 1; ``None`` is ``kernel_size``, so that windows do not overlap.
    padding
        How many places are added on both sides of each axis, from 0 to half of ``kernel_size``;
        they are never the largest.
    dilation
        Step between the elements of a window, >= 1.
    ceil_mode
        Whether a last window that reaches beyond the end counts: the output size is rounded up,
        not down.

    Raises
    ------
    OptionError
        If a size is no integer in its range. In the call, if ``padding`` is more than half of
        the kernel.
    SizeError
        If x has other axes, or is smaller than a window (in the call).

    Shape
    -----
    x : (batch, channels, length), or without batch
    y : (batch, channels, out_length)
        With out_length = (length + 2 padding - dilation (kernel_size - 1) - 1) // stride + 1.

    See Also
    --------
    gradwalk.max_pool1d, AdaptiveMaxPool1d

    Examples
    --------
    >>> MaxPool1d(2)
    MaxPool1d(kernel_size=2, stride=2, padding=0, dilation=1, ceil_mode=False)
    """

    def forward(self, x: Tensor | ArrayLike) -> Tensor:
        """Return the largest number of each window of x."""
        return self._pool(pooling.max_pool1d, x)


class MaxPool2d(_MaxPool):
    """Largest number of each window of images.

    Parameters
    ----------
    kernel_size
        The size of a window, >= 1; a tuple is one number for each axis.
    stride
        Step between windows, >= 1; ``None`` is ``kernel_size``, so that windows do not overlap.
    padding
        How many places are added on both sides of each axis, from 0 to half of ``kernel_size``;
        they are never the largest.
    dilation
        Step between the elements of a window, >= 1; a pair is one number for each axis.
    ceil_mode
        Whether a last window that reaches beyond the end counts: the output size is rounded up,
        not down.

    Raises
    ------
    OptionError
        If a size is no integer in its range. In the call, if ``padding`` is more than half of
        the kernel.
    SizeError
        If x has other axes, or is smaller than a window (in the call).

    Shape
    -----
    x : (batch, channels, height, width), or without batch
    y : (batch, channels, out_height, out_width)
        With out_height = (height + 2 padding - dilation (kernel_size - 1) - 1) // stride + 1.

    See Also
    --------
    gradwalk.max_pool2d, AdaptiveMaxPool2d

    Examples
    --------
    >>> from gradwalk import Tensor
    >>> MaxPool2d(2)(Tensor([[[[1.0, 4.0], [3.0, 2.0]]]])).item()
    4.0
    """

    def forward(self, x: Tensor | ArrayLike) -> Tensor:
        """Return the largest number of each window of x."""
        return self._pool(pooling.max_pool2d, x)


class _AvgPool(Module):
    """The base of means over any number of axes."""

    kernel_size: Sizes
    stride: Sizes
    ceil_mode: bool
    padding: Sizes

    def __init__(
        self,
        kernel_size: Sizes,
        stride: Sizes | None = None,
        padding: Sizes = 0,
        ceil_mode: bool = False,
        count_include_pad: bool = True,
    ) -> None:
        expect_sizes(self, kernel_size=kernel_size, stride=stride, padding=padding)
        self.kernel_size, self.stride = kernel_size, kernel_size if stride is None else stride
        self.padding, self.ceil_mode = padding, ceil_mode
        self.count_include_pad = count_include_pad

    def _pool(self, pool: Callable[..., Any], x: Tensor | ArrayLike) -> Tensor:
        options = (self.kernel_size, self.stride, self.padding, self.ceil_mode)
        y: Tensor = pool(x, *options, self.count_include_pad)
        return y

    def extra_repr(self) -> str:
        """Return the sizes."""
        return f"kernel_size={self.kernel_size}, stride={self.stride}, padding={self.padding}"


class AvgPool1d(_AvgPool):
    """Mean of each window of signals.

    Parameters
    ----------
    kernel_size
        The size of a window, >= 1; a tuple is one number for each axis.
    stride
        Step between windows, >= 1; ``None`` is ``kernel_size``, so that windows do not overlap.
    padding
        How many places are added on both sides of each axis, from 0 to half of ``kernel_size``.
    ceil_mode
        Whether a last window that reaches beyond the end counts: the output size is rounded up,
        not down.
    count_include_pad
        Whether the zeros of the padding count in the means.

    Raises
    ------
    OptionError
        If a size is no integer in its range. In the call, if ``padding`` is more than half of
        the kernel.
    SizeError
        If x has other axes, or is smaller than a window (in the call).

    Shape
    -----
    x : (batch, channels, length), or without batch
    y : (batch, channels, out_length)
        With out_length = (length + 2 padding - kernel_size) // stride + 1.

    See Also
    --------
    gradwalk.avg_pool1d, AdaptiveAvgPool1d

    Examples
    --------
    >>> AvgPool1d(2)
    AvgPool1d(kernel_size=(2,), stride=(2,), padding=(0,))
    """

    def extra_repr(self) -> str:
        """Return the sizes, each as a tuple."""
        names = ("kernel_size", "stride", "padding")
        sizes = {name: whole_numbers(getattr(self, name), 1, name, 0) for name in names}
        return ", ".join(f"{name}={size}" for name, size in sizes.items())

    def forward(self, x: Tensor | ArrayLike) -> Tensor:
        """Return the mean of each window of x."""
        return self._pool(pooling.avg_pool1d, x)


class AvgPool2d(_AvgPool):
    """Mean of each window of images.

    Parameters
    ----------
    kernel_size
        The size of a window, >= 1; a tuple is one number for each axis.
    stride
        Step between windows, >= 1; ``None`` is ``kernel_size``, so that windows do not overlap.
    padding
        How many places are added on both sides of each axis, from 0 to half of ``kernel_size``.
    ceil_mode
        Whether a last window that reaches beyond the end counts: the output size is rounded up,
        not down.
    count_include_pad
        Whether the zeros of the padding count in the means.

    Raises
    ------
    OptionError
        If a size is no integer in its range. In the call, if ``padding`` is more than half of
        the kernel.
    SizeError
        If x has other axes, or is smaller than a window (in the call).

    Shape
    -----
    x : (batch, channels, height, width), or without batch
    y : (batch, channels, out_height, out_width)
        With out_height = (height + 2 padding - kernel_size) // stride + 1.

    See Also
    --------
    gradwalk.avg_pool2d, AdaptiveAvgPool2d

    Examples
    --------
    >>> from gradwalk import Tensor
    >>> AvgPool2d(2)(Tensor([[[[1.0, 4.0], [3.0, 2.0]]]])).item()
    2.5
    """

    def forward(self, x: Tensor | ArrayLike) -> Tensor:
        """Return the mean of each window of x."""
        return self._pool(pooling.avg_pool2d, x)


class AdaptiveAvgPool1d(Module):
    """Mean of each of some nearly equal parts of signals.

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
    gradwalk.adaptive_avg_pool1d, AvgPool1d

    Examples
    --------
    >>> AdaptiveAvgPool1d(4)
    AdaptiveAvgPool1d(output_size=4)
    """

    def __init__(self, output_size: int | Sequence[int | None] | None) -> None:
        self.output_size = output_size

    def forward(self, x: Tensor | ArrayLike) -> Tensor:
        """Return the mean of each part of x."""
        size: Any = self.output_size
        y: Tensor = pooling.adaptive_avg_pool1d(operand(x, "x"), size)
        return y

    def extra_repr(self) -> str:
        """Return the size."""
        return f"output_size={self.output_size}"


class AdaptiveAvgPool2d(AdaptiveAvgPool1d):
    """Mean of each of some nearly equal parts of images.

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
    gradwalk.adaptive_avg_pool2d, AvgPool2d

    Examples
    --------
    >>> from gradwalk import Tensor
    >>> AdaptiveAvgPool2d(1)(Tensor([[[[1.0, 4.0], [3.0, 2.0]]]])).item()
    2.5
    """

    def forward(self, x: Tensor | ArrayLike) -> Tensor:
        """Return the mean of each part of x."""
        size: Any = self.output_size
        y: Tensor = pooling.adaptive_avg_pool2d(operand(x, "x"), size)
        return y
