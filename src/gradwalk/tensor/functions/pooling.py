"""Pooling of batch × channels × one or two axes of space, as in PyTorch."""

from __future__ import annotations

from collections.abc import Iterable
from math import prod
from typing import Any

import numpy as np

from ...errors import OptionError
from ...ops.array import pooling as primitives
from ...ops.array.product import matmul
from ...ops.array.windows import Windows
from ..graph.tensor import Tensor
from ..graph.types import DTypeLike, Shape
from .arguments import operand
from .types import ArrayLike, Operand, unary_function
from .windows import expect_room, whole_numbers, with_batch, without_batch

__all__ = ["adaptive_avg_pool1d", "adaptive_avg_pool2d", "avg_pool1d", "avg_pool2d"]
__all__ += ["max_pool1d", "max_pool2d"]
METHODS: tuple[str, ...] = ()


@unary_function
def max_pool1d(
    input: ArrayLike,
    kernel_size: Shape,
    stride: Shape | None = None,
    padding: Shape = 0,
    dilation: Shape = 1,
    ceil_mode: bool = False,
) -> Tensor:
    """Return the maximum of each window of signals.

        yᵢ = maxₖ xₛᵢ₊ₖ

    The whole gradient goes to the first of the largest elements. NaN counts as the largest.

    Parameters
    ----------
    input : (batch, channels, length), or without batch
        The signals.
    kernel_size
        The length of a window, >= 1.
    stride
        The step between windows, >= 1; ``None`` is the length of the window.
    padding
        Elements added at both ends, at most half a window; they are never the largest.
    dilation
        The step between the elements of a window, >= 1.
    ceil_mode
        Whether windows that are only partly filled at the end count, too.

    Returns
    -------
    (batch, channels, out_length)
        The maxima; out_length = (length + 2 padding - dilation (kernel_size - 1) - 1) // stride +
        1, rounded up instead of down with ``ceil_mode``.

    Raises
    ------
    SizeError
        If ``input`` has another number of axes, or not even one window fits.
    OptionError
        If an option is not an integer in its range.

    See Also
    --------
    gradwalk.nn.MaxPool1d

    Examples
    --------
    >>> from gradwalk import Tensor
    >>> max_pool1d(Tensor([[[1.0, 3.0, 2.0, 0.0]]]), 2).tolist()
    [[[3.0, 2.0]]]
    """
    return _max_pool("max_pool1d", 1, input, kernel_size, stride, padding, dilation, ceil_mode)


@unary_function
def max_pool2d(
    input: ArrayLike,
    kernel_size: Shape,
    stride: Shape | None = None,
    padding: Shape = 0,
    dilation: Shape = 1,
    ceil_mode: bool = False,
) -> Tensor:
    """Return the maximum of each window of images.

        yᵢⱼ = maxₖₗ xₛᵢ₊ₖ,ₛⱼ₊ₗ

    The whole gradient goes to the first of the largest elements. NaN counts as the largest.

    Parameters
    ----------
    input : (batch, channels, height, width), or without batch
        The images.
    kernel_size
        The size of a window, >= 1; a pair has one number for each axis.
    stride
        The step between windows, >= 1, or a pair; ``None`` is the size of the window.
    padding
        Elements added on both sides of each axis, at most half a window, or a pair; they are never
        the largest.
    dilation
        The step between the elements of a window, >= 1, or a pair.
    ceil_mode
        Whether windows that are only partly filled at the end count, too.

    Returns
    -------
    (batch, channels, out_height, out_width)
        The maxima; out_height = (height + 2 padding - dilation (kernel_size - 1) - 1) // stride +
        1, rounded up instead of down with ``ceil_mode``, and out_width likewise.

    Raises
    ------
    SizeError
        If ``input`` has another number of axes, or not even one window fits.
    OptionError
        If an option is not an integer in its range, or a pair of them.

    See Also
    --------
    gradwalk.nn.MaxPool2d

    Examples
    --------
    >>> from gradwalk import Tensor
    >>> x = Tensor([[[[1.0, 4.0], [4.0, 2.0]]]], requires_grad=True)
    >>> max_pool2d(x, 2).sum().backward()
    >>> x.grad.tolist()
    [[[[0.0, 1.0], [0.0, 0.0]]]]
    """
    return _max_pool("max_pool2d", 2, input, kernel_size, stride, padding, dilation, ceil_mode)


@unary_function
def avg_pool1d(
    input: ArrayLike,
    kernel_size: Shape,
    stride: Shape | None = None,
    padding: Shape = 0,
    ceil_mode: bool = False,
    count_include_pad: bool = True,
) -> Tensor:
    """Return the mean of each window of signals.

        yᵢ = Σₖ xₛᵢ₊ₖ / n

    Parameters
    ----------
    input : (batch, channels, length), or without batch
        The signals.
    kernel_size
        The length n of a window, >= 1.
    stride
        The step between windows, >= 1; ``None`` is the length of the window.
    padding
        Zeros added at both ends, at most half a window.
    ceil_mode
        Whether windows that are only partly filled at the end count, too.
    count_include_pad
        Whether the zeros of the padding count as elements. Places that ``ceil_mode`` adds beyond
        the padding never do.

    Returns
    -------
    (batch, channels, out_length)
        The means; out_length = (length + 2 padding - kernel_size) // stride + 1, rounded up instead
        of down with ``ceil_mode``.

    Raises
    ------
    SizeError
        If ``input`` has another number of axes, or not even one window fits.
    OptionError
        If an option is not an integer in its range.

    See Also
    --------
    gradwalk.nn.AvgPool1d

    Examples
    --------
    >>> from gradwalk import Tensor
    >>> avg_pool1d(Tensor([[[1.0, 3.0, 2.0, 0.0]]]), 2).tolist()
    [[[2.0, 1.0]]]
    """
    options = (stride, padding, 1, ceil_mode)
    return _avg_pool("avg_pool1d", 1, input, kernel_size, options, count_include_pad)


@unary_function
def avg_pool2d(
    input: ArrayLike,
    kernel_size: Shape,
    stride: Shape | None = None,
    padding: Shape = 0,
    ceil_mode: bool = False,
    count_include_pad: bool = True,
) -> Tensor:
    """Return the mean of each window of images.

        yᵢⱼ = Σₖₗ xₛᵢ₊ₖ,ₛⱼ₊ₗ / n

    Parameters
    ----------
    input : (batch, channels, height, width), or without batch
        The images.
    kernel_size
        The size of a window of n elements, >= 1; a pair has one number for each axis.
    stride
        The step between windows, >= 1, or a pair; ``None`` is the size of the window.
    padding
        Zeros added on both sides of each axis, at most half a window, or a pair.
    ceil_mode
        Whether windows that are only partly filled at the end count, too.
    count_include_pad
        Whether the zeros of the padding count as elements. Places that ``ceil_mode`` adds beyond
        the padding never do.

    Returns
    -------
    (batch, channels, out_height, out_width)
        The means; out_height = (height + 2 padding - kernel_size) // stride + 1, rounded up instead
        of down with ``ceil_mode``, and out_width likewise.

    Raises
    ------
    SizeError
        If ``input`` has another number of axes, or not even one window fits.
    OptionError
        If an option is not an integer in its range, or a pair of them.

    See Also
    --------
    gradwalk.nn.AvgPool2d

    Examples
    --------
    >>> from gradwalk import Tensor
    >>> avg_pool2d(Tensor([[[[1.0, 3.0], [4.0, 2.0]]]]), 2).tolist()
    [[[[2.5]]]]
    """
    options = (stride, padding, 1, ceil_mode)
    return _avg_pool("avg_pool2d", 2, input, kernel_size, options, count_include_pad)


def _max_pool(where: str, axes: int, x: object, kernel: Any, *options: Any) -> Any:
    x, single = with_batch(operand(x, where), axes, where)
    y, _ = primitives.max_pool(x, how=_windows(where, x, kernel, *options))
    return without_batch(y, single)


def _avg_pool(
    where: str, axes: int, x: object, kernel: Any, options: tuple[Any, ...], with_padding: bool
) -> Any:
    x, single = with_batch(operand(x, where), axes, where)
    how = _windows(where, x, kernel, *options)
    count = _counts(x.shape[2:], how, whole_numbers(options[1], axes, where, 0), with_padding)
    # in the dtype of x: int64 counts would turn float32 into float64
    numbers = np.asarray(count, x.dtype) if x.dtype.kind == "f" else count
    whole = prod(how.kernel)
    # full windows are divided by one number, without an array of counts
    divisor = float(whole) if np.all(count == whole) else numbers
    return without_batch(primitives.window_sum(x, how=how) / divisor, single)


def _windows(
    where: str,
    x: Operand,
    kernel: Shape,
    stride: Shape,
    padding: Shape,
    dilation: Shape,
    ceil_mode: bool,
) -> Windows:
    """Return the windows of a pooling; ``ceil_mode`` adds padding until the last one is full."""
    axes = x.ndim - 2
    sizes = whole_numbers(kernel, axes, f"{where}(kernel_size)", 1)
    steps = sizes if stride is None else whole_numbers(stride, axes, f"{where}(stride)", 1)
    pads = whole_numbers(padding, axes, f"{where}(padding)", 0)
    gaps = whole_numbers(dilation, axes, f"{where}(dilation)", 1)
    # PyTorch's limit, too: a window of padding alone has no maximum
    if any(2 * pad > size for pad, size in zip(pads, sizes, strict=True)):
        raise OptionError(
            where=f"{where}(padding)",
            expected=f"at most half of the kernel size {sizes}",
            got=f"{pads}",
            fix="Reduce the padding: each window needs at least one element of the input.",
        )
    how = Windows(sizes, steps, tuple((n, n) for n in pads), gaps)
    return expect_room(where, x, _extend_to_end(x.shape[2:], how) if ceil_mode else how)


def _extend_to_end(size: tuple[int, ...], how: Windows) -> Windows:
    """Extend windows to the very end, but start none beyond the elements and the padding before."""
    padding = []
    for n, (pad, _), span, step in zip(size, how.padding, how.spans, how.stride, strict=True):
        # a ceiling in integers, because a quotient of floats may round the wrong way
        last = -(-(n + 2 * pad - span) // step) * step
        last -= step if last >= n + pad else 0  # it would only see the padding at the end
        padding.append((pad, max(pad, last + span - n - pad)))
    return how._replace(padding=tuple(padding))


def _counts(
    size: tuple[int, ...], how: Windows, pads: tuple[int, ...], with_padding: bool
) -> Operand:
    """Return how many elements each window averages over."""
    counts: Any = np.ones((), int)
    axes = zip(size, pads, how.kernel, how.stride, how.lengths(size), strict=True)
    for n, pad, span, step, length in axes:
        start = np.arange(length) * step - pad
        # elements that ceil_mode adds beyond the padding never count
        low, high = (-pad, n + pad) if with_padding else (0, n)
        inside = np.minimum(start + span, high) - np.maximum(start, low)
        counts = counts[..., None] * inside  # windows are boxes: counts of the axes multiply
    return counts


@unary_function
def adaptive_avg_pool1d(input: ArrayLike, output_size: Shape) -> Tensor:
    """Return the means of nearly equal parts of signals.

    Part i of n elements runs from ⌊i n / parts⌋ to ⌈(i + 1) n / parts⌉.

    Parameters
    ----------
    input : (batch, channels, length), or without batch
        The signals.
    output_size
        How many parts to average, >= 1; ``None`` keeps the length.

    Returns
    -------
    (batch, channels, output_size)
        The means.

    Raises
    ------
    SizeError
        If ``input`` has another number of axes.
    OptionError
        If ``output_size`` is not a positive integer.

    See Also
    --------
    gradwalk.nn.AdaptiveAvgPool1d

    Examples
    --------
    >>> from gradwalk import Tensor
    >>> adaptive_avg_pool1d(Tensor([[[1.0, 3.0, 2.0]]]), 2).tolist()
    [[[2.0, 2.5]]]
    """
    return _adaptive("adaptive_avg_pool1d", 1, input, output_size)


@unary_function
def adaptive_avg_pool2d(input: ArrayLike, output_size: Shape) -> Tensor:
    """Return the means of nearly equal parts of images along each axis.

    Part i of n elements runs from ⌊i n / parts⌋ to ⌈(i + 1) n / parts⌉.

    Parameters
    ----------
    input : (batch, channels, height, width), or without batch
        The images.
    output_size
        How many parts to average along each axis, >= 1, or a pair; ``None`` keeps the length of its
        axis.

    Returns
    -------
    (batch, channels, output_size, output_size)
        The means.

    Raises
    ------
    SizeError
        If ``input`` has another number of axes.
    OptionError
        If ``output_size`` is not a positive integer, or a pair of them.

    See Also
    --------
    gradwalk.nn.AdaptiveAvgPool2d

    Examples
    --------
    >>> from gradwalk import Tensor
    >>> adaptive_avg_pool2d(Tensor([[[[1.0, 3.0], [4.0, 2.0]]]]), 1).tolist()
    [[[[2.5]]]]
    """
    return _adaptive("adaptive_avg_pool2d", 2, input, output_size)


def _adaptive(where: str, axes: int, x: object, output_size: Any) -> Any:
    x, single = with_batch(operand(x, where), axes, where)
    members = list(output_size) if isinstance(output_size, Iterable) else [output_size] * axes
    if len(members) == axes:
        pairs = zip(members, x.shape[2:], strict=True)
        members = [n if member is None else member for member, n in pairs]
    parts = whole_numbers(members, axes, f"{where}(output_size)", 1)
    dtype = x.dtype if x.dtype.kind == "f" else np.float64
    weights = [_averages(n, k, dtype) for n, k in zip(x.shape[2:], parts, strict=True)]
    # averaging is linear: one product per axis computes all parts, with their gradients
    if axes == 2:
        x = matmul(weights[0], x)
    return without_batch(matmul(x, weights[-1].T), single)


def _averages(size: int, parts: int, dtype: DTypeLike | None) -> Operand:
    """Return the matrix that averages ``size`` elements part by part."""
    place, part = np.arange(size), np.arange(parts)[:, None]
    inside = (place >= part * size // parts) & (place < -(-(part + 1) * size // parts))
    return (inside / inside.sum(axis=1, keepdims=True)).astype(dtype)
