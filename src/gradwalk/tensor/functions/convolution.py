"""Convolution of batch × channels × one or two axes of space, as in PyTorch."""

from __future__ import annotations

from typing import Any

from ...errors import OptionError, SizeError
from ...ops.array import convolution as primitives
from ...ops.array.structure import reshape
from ...ops.array.windows import Windows
from ..graph.tensor import Tensor
from ..graph.types import Shape
from .arguments import operand
from .repeating import pad as pad_with_zeros
from .types import ArrayLike, binary_function
from .windows import AXES, expect_room, whole_numbers, with_batch, without_batch

__all__ = ["conv1d", "conv2d", "conv3d", "conv_transpose1d", "conv_transpose2d"]
__all__ += ["conv_transpose3d"]
METHODS: tuple[str, ...] = ()


@binary_function
def conv1d(
    input: ArrayLike,
    weight: ArrayLike,
    bias: ArrayLike | None = None,
    stride: Shape = 1,
    padding: Shape | str = 0,
    dilation: Shape = 1,
    groups: int = 1,
) -> Tensor:
    """Correlate signals with kernels.

        yₙₒᵢ = bₒ + Σ꜀ₖ wₒ꜀ₖ xₙ꜀,ₛᵢ₊ₖ

    Parameters
    ----------
    input : (batch, in_channels, length), or without batch
        The signals.
    weight : (out_channels, in_channels / groups, kernel_length)
        The kernels.
    bias : (out_channels,)
        Added to every output channel; ``None`` adds nothing.
    stride
        The step between windows, >= 1.
    padding
        Zeros on both ends, >= 0; "valid" is none, and "same", for stride 1, as many as keep the
        length.
    dilation
        The step between the elements of a window, >= 1.
    groups
        Into how many independent groups the channels are divided; it must divide the channels of
        both sides.

    Returns
    -------
    (batch, out_channels, out_length)
        The correlations; out_length = (length + 2 padding - dilation (kernel_length - 1) - 1) //
        stride + 1.

    Raises
    ------
    SizeError
        If the shapes do not fit, ``groups`` does not divide the channels, or not even one window
        fits.
    OptionError
        If ``stride``, ``padding``, ``dilation`` or ``groups`` is not an integer in its range, or
        ``padding`` is "same" with a stride.

    See Also
    --------
    conv_transpose1d, gradwalk.nn.Conv1d

    Examples
    --------
    >>> from gradwalk import Tensor
    >>> conv1d(Tensor([[[1.0, 2.0, 4.0]]]), Tensor([[[-1.0, 1.0]]])).tolist()
    [[[1.0, 2.0]]]
    """
    return _conv("conv1d", 1, input, weight, bias, (stride, padding, dilation, groups))


@binary_function
def conv2d(
    input: ArrayLike,
    weight: ArrayLike,
    bias: ArrayLike | None = None,
    stride: Shape = 1,
    padding: Shape | str = 0,
    dilation: Shape = 1,
    groups: int = 1,
) -> Tensor:
    """Correlate images with kernels.

        yₙₒᵢⱼ = bₒ + Σ꜀ₖₗ wₒ꜀ₖₗ xₙ꜀,ₛᵢ₊ₖ,ₛⱼ₊ₗ

    Parameters
    ----------
    input : (batch, in_channels, height, width), or without batch
        The images.
    weight : (out_channels, in_channels / groups, kernel_height, kernel_width)
        The kernels.
    bias : (out_channels,)
        Added to every output channel; ``None`` adds nothing.
    stride
        The step between windows, >= 1; a pair has one number for each axis.
    padding
        Zeros on both sides of each axis, >= 0, or a pair; "valid" is none, and "same", for stride
        1, as many as keep the size.
    dilation
        The step between the elements of a window, >= 1, or a pair.
    groups
        Into how many independent groups the channels are divided; it must divide the channels of
        both sides.

    Returns
    -------
    (batch, out_channels, out_height, out_width)
        The correlations; out_height = (height + 2 padding - dilation (kernel_height - 1) - 1) //
        stride + 1, and out_width likewise.

    Raises
    ------
    SizeError
        If the shapes do not fit, ``groups`` does not divide the channels, or not even one window
        fits.
    OptionError
        If ``stride``, ``padding``, ``dilation`` or ``groups`` is not an integer in its range or a
        pair of them, or ``padding`` is "same" with a stride.

    See Also
    --------
    conv_transpose2d, gradwalk.nn.Conv2d

    Examples
    --------
    >>> from gradwalk import Tensor
    >>> x = Tensor([[[[1.0, 2.0], [3.0, 4.0]]]], requires_grad=True)
    >>> y = conv2d(x, Tensor([[[[1.0, 10.0]]]]))
    >>> y.tolist()
    [[[[21.0], [43.0]]]]
    >>> y.sum().backward()
    >>> x.grad.tolist()
    [[[[1.0, 10.0], [1.0, 10.0]]]]
    """
    return _conv("conv2d", 2, input, weight, bias, (stride, padding, dilation, groups))


@binary_function
def conv3d(
    input: ArrayLike,
    weight: ArrayLike,
    bias: ArrayLike | None = None,
    stride: Shape = 1,
    padding: Shape | str = 0,
    dilation: Shape = 1,
    groups: int = 1,
) -> Tensor:
    """Correlate volumes with kernels.

    Parameters
    ----------
    input : (batch, in_channels, depth, height, width), or without batch
        The volumes.
    weight : (out_channels, in_channels / groups, kernel_depth, kernel_height, kernel_width)
        The kernels.
    bias : (out_channels,)
        Added to every output channel; ``None`` adds nothing.
    stride
        The step between windows, >= 1; a triple has one number for each axis.
    padding
        Zeros on both sides of each axis, >= 0, or a triple; "valid" is none, and "same", for stride
        1, as many as keep the size.
    dilation
        The step between the elements of a window, >= 1, or a triple.
    groups
        Into how many independent groups the channels are divided; it must divide the channels of
        both sides.

    Returns
    -------
    (batch, out_channels, out_depth, out_height, out_width)
        The correlations; the lengths follow from those of the input as in `conv2d`.

    Raises
    ------
    SizeError
        If the shapes do not fit, ``groups`` does not divide the channels, or not even one window
        fits.
    OptionError
        If ``stride``, ``padding``, ``dilation`` or ``groups`` is not an integer in its range or a
        triple of them, or ``padding`` is "same" with a stride.

    See Also
    --------
    conv_transpose3d, gradwalk.nn.Conv3d

    Examples
    --------
    >>> import numpy as np
    >>> conv3d(np.ones((1, 1, 2, 2, 2)), np.ones((1, 1, 2, 2, 2))).tolist()
    [[[[[8.0]]]]]
    """
    return _conv("conv3d", 3, input, weight, bias, (stride, padding, dilation, groups))


def _conv(where: str, axes: int, x: object, w: Any, b: Any, options: tuple[Any, ...]) -> Any:
    x, single = with_batch(operand(x, where), axes, where)
    w = operand(w, where)
    how = _kernels(where, x, w, *options)
    if b is None:
        return without_batch(primitives.conv(x, w, how=how), single)
    b = operand(b, where)
    if b.shape != w.shape[:1]:
        raise SizeError(
            where=f"{where}(bias)",
            expected=f"shape {w.shape[:1]}, one number for each kernel of weight",
            got=f"shape {b.shape}",
            fix="Pass bias=None for a convolution without a bias.",
        )
    return without_batch(primitives.conv_bias(x, w, b, how=how), single)


def _kernels(
    where: str, x: Any, w: Any, stride: Shape, pad: Any, dilation: Shape, groups: Any
) -> Any:
    """Check all shapes, and return the windows of a convolution."""
    axes, count = x.ndim - 2, whole_numbers(groups, 1, f"{where}(groups)", 1)[0]
    expected = f"(out, {x.shape[1]} / groups, {AXES[axes]}) for the input {x.shape}"
    channels = w.shape[1] * count if w.ndim == x.ndim else x.shape[1]
    if channels != x.shape[1] and not w.shape[0] % count:
        raise SizeError(
            where=f"{where}(input)",
            expected=f"{channels} channels on axis 1, for weight {w.shape} with groups={count}",
            got=f"shape {x.shape}",
            fix=f"Pass an input (batch, {channels}, {AXES[axes]}), or a weight for"
            f" {x.shape[1]} channels (in_channels={x.shape[1]} of a layer).",
        )
    if w.ndim != x.ndim or w.shape[1] * count != x.shape[1] or w.shape[0] % count:
        raise SizeError(
            where=f"{where}(weight)",
            expected=f"shape {expected}, groups={count} dividing both numbers of channels",
            got=f"shape {w.shape}",
            fix="Put input channels on axis 1 of input, output channels on axis 0 of weight.",
        )
    gaps = whole_numbers(dilation, axes, f"{where}(dilation)", 1)
    steps = whole_numbers(stride, axes, f"{where}(stride)", 1)
    # without padding at first, because "same" depends on the spans of the windows
    how = Windows(w.shape[2:], steps, ((0, 0),) * axes, gaps, count)
    return expect_room(where, x, how._replace(padding=paddings(where, pad, how)))


def paddings(where: str, padding: Any, how: Windows) -> tuple[tuple[int, int], ...]:
    """Return by how much each axis is padded on both sides."""
    if padding == "valid":
        return how.padding
    if isinstance(padding, str):
        if padding != "same" or max(how.stride) > 1:  # as PyTorch refuses it
            raise OptionError(
                where=f"{where}(padding)",
                expected='an integer, a tuple of integers, "valid", or "same" with stride 1',
                got=f"{padding!r} with stride {how.stride}",
                fix="Pass integers as padding if the stride is not 1.",
            )
        # an even span needs an odd number of elements: one more at the end, as in PyTorch
        return tuple(((n - 1) // 2, n // 2) for n in how.spans)
    return tuple((n, n) for n in whole_numbers(padding, len(how.kernel), f"{where}(padding)", 0))


# --- transposed convolution -----------------------------------------------------------------------


@binary_function
def conv_transpose1d(
    input: ArrayLike,
    weight: ArrayLike,
    bias: ArrayLike | None = None,
    stride: Shape = 1,
    padding: Shape = 0,
    output_padding: Shape = 0,
    groups: int = 1,
    dilation: Shape = 1,
) -> Tensor:
    """Add up a kernel for every element of signals: the gradient of `conv1d` in its input.

        yₙₒ,ₛᵢ₊ₖ = bₒ + Σ꜀ᵢₖ w꜀ₒₖ xₙ꜀ᵢ

    Parameters
    ----------
    input : (batch, in_channels, length), or without batch
        The factors of the kernels.
    weight : (in_channels, out_channels / groups, kernel_length)
        The kernels.
    bias : (out_channels,)
        Added to every output channel; ``None`` adds nothing.
    stride
        The step between the places of kernels in the result, >= 1.
    padding
        How many elements are cut off both ends of the result, >= 0.
    output_padding
        How many elements the result is longer at its end, less than ``stride`` or ``dilation``: a
        convolution with a stride gives several lengths the same result.
    groups
        Into how many independent groups the channels are divided.
    dilation
        The step between the elements of a kernel, >= 1.

    Returns
    -------
    (batch, out_channels, out_length)
        The sums; out_length = (length - 1) stride - 2 padding + dilation (kernel_length - 1) +
        output_padding + 1.

    Raises
    ------
    SizeError
        If the shapes do not fit, ``groups`` does not divide the channels, or the result has no
        elements.
    OptionError
        If an option is not an integer in its range.

    See Also
    --------
    conv1d, gradwalk.nn.ConvTranspose1d

    Examples
    --------
    >>> from gradwalk import Tensor
    >>> conv_transpose1d(Tensor([[[1.0, 2.0]]]), Tensor([[[1.0, 10.0]]])).tolist()
    [[[1.0, 12.0, 20.0]]]
    """
    options = (stride, padding, output_padding, groups, dilation)
    return _transposed("conv_transpose1d", 1, input, weight, bias, *options)


@binary_function
def conv_transpose2d(
    input: ArrayLike,
    weight: ArrayLike,
    bias: ArrayLike | None = None,
    stride: Shape = 1,
    padding: Shape = 0,
    output_padding: Shape = 0,
    groups: int = 1,
    dilation: Shape = 1,
) -> Tensor:
    """Add up a kernel for every element of images: the gradient of `conv2d` in its input.

        yₙₒ,ₛᵢ₊ₖ,ₛⱼ₊ₗ = bₒ + Σ꜀ᵢⱼₖₗ w꜀ₒₖₗ xₙ꜀ᵢⱼ

    Parameters
    ----------
    input : (batch, in_channels, height, width), or without batch
        The factors of the kernels.
    weight : (in_channels, out_channels / groups, kernel_height, kernel_width)
        The kernels.
    bias : (out_channels,)
        Added to every output channel; ``None`` adds nothing.
    stride
        The step between the places of kernels in the result, >= 1; a pair has one number for each
        axis.
    padding
        How many elements are cut off both sides of the result, >= 0, or a pair.
    output_padding
        How many elements the result is longer at its end, less than ``stride`` or ``dilation``, or
        a pair: a convolution with a stride gives several sizes the same result.
    groups
        Into how many independent groups the channels are divided.
    dilation
        The step between the elements of a kernel, >= 1, or a pair.

    Returns
    -------
    (batch, out_channels, out_height, out_width)
        The sums; out_height = (height - 1) stride - 2 padding + dilation (kernel_height - 1) +
        output_padding + 1, and out_width likewise.

    Raises
    ------
    SizeError
        If the shapes do not fit, ``groups`` does not divide the channels, or the result has no
        elements.
    OptionError
        If an option is not an integer in its range, or a pair of them.

    See Also
    --------
    conv2d, gradwalk.nn.ConvTranspose2d

    Examples
    --------
    >>> from gradwalk import Tensor
    >>> conv_transpose2d(Tensor([[[[2.0]]]]), Tensor([[[[1.0, 3.0]]]])).tolist()
    [[[[2.0, 6.0]]]]
    """
    options = (stride, padding, output_padding, groups, dilation)
    return _transposed("conv_transpose2d", 2, input, weight, bias, *options)


@binary_function
def conv_transpose3d(
    input: ArrayLike,
    weight: ArrayLike,
    bias: ArrayLike | None = None,
    stride: Shape = 1,
    padding: Shape = 0,
    output_padding: Shape = 0,
    groups: int = 1,
    dilation: Shape = 1,
) -> Tensor:
    """Add up a kernel for every element of volumes: the gradient of `conv3d` in its input.

    Parameters
    ----------
    input : (batch, in_channels, depth, height, width), or without batch
        The factors of the kernels.
    weight : (in_channels, out_channels / groups, kernel_depth, kernel_height, kernel_width)
        The kernels.
    bias : (out_channels,)
        Added to every output channel; ``None`` adds nothing.
    stride
        The step between the places of kernels in the result, >= 1; a triple has one number for each
        axis.
    padding
        How many elements are cut off both sides of the result, >= 0, or a triple.
    output_padding
        How many elements the result is longer at its end, less than ``stride`` or ``dilation``, or
        a triple: a convolution with a stride gives several sizes the same result.
    groups
        Into how many independent groups the channels are divided.
    dilation
        The step between the elements of a kernel, >= 1, or a triple.

    Returns
    -------
    (batch, out_channels, out_depth, out_height, out_width)
        The sums; the lengths follow from those of the input as in `conv_transpose2d`.

    Raises
    ------
    SizeError
        If the shapes do not fit, ``groups`` does not divide the channels, or the result has no
        elements.
    OptionError
        If an option is not an integer in its range, or a triple of them.

    See Also
    --------
    conv3d

    Examples
    --------
    >>> import numpy as np
    >>> conv_transpose3d(np.ones((1, 1, 1, 1, 1)), np.ones((1, 1, 1, 1, 2))).tolist()
    [[[[[1.0, 1.0]]]]]
    """
    options = (stride, padding, output_padding, groups, dilation)
    return _transposed("conv_transpose3d", 3, input, weight, bias, *options)


def _transposed(
    where: str,
    axes: int,
    x: object,
    w: Any,
    b: Any,
    stride: Shape,
    padding: Shape,
    output_padding: Shape,
    groups: int,
    dilation: Shape,
) -> Any:
    x, single = with_batch(operand(x, where), axes, where)
    w = operand(w, where)
    count = whole_numbers(groups, 1, f"{where}(groups)", 1)[0]
    if w.ndim != x.ndim or w.shape[0] != x.shape[1] or w.shape[0] % count:
        raise SizeError(
            where=f"{where}(weight)",
            expected=f"shape ({x.shape[1]}, out / groups, {AXES[axes]}) for the input {x.shape}, "
            f"groups={count} dividing the channels",
            got=f"shape {w.shape}",
            fix="Put input channels on axis 0 of weight, output channels on axis 1.",
        )
    steps, gaps = (
        whole_numbers(n, axes, f"{where}({name})", 1)
        for n, name in ((stride, "stride"), (dilation, "dilation"))
    )
    pads = whole_numbers(padding, axes, f"{where}(padding)", 0)
    more = whole_numbers(output_padding, axes, f"{where}(output_padding)", 0)
    if any(m >= max(s, d) for m, s, d in zip(more, steps, gaps, strict=True)):
        raise OptionError(
            where=f"{where}(output_padding)",
            expected="less than the stride or the dilation",
            got=f"{more}",
            fix="Leave it out, unless the result has to have a given size.",
        )
    # a window of the convolution fits into `more` from the stride on: so far it counts as less
    # padding, and where there is no padding left, no window reaches, and zeros follow
    less = [min(m, p) if m >= s else 0 for m, p, s in zip(more, pads, steps, strict=True)]
    zeros = [m - n if m - n >= s else 0 for m, n, s in zip(more, less, steps, strict=True)]
    ends = tuple((p, p - n) for p, n in zip(pads, less, strict=True))
    how = Windows(w.shape[2:], steps, ends, gaps, count)
    sizes = zip(x.shape[2:], steps, pads, how.spans, more, zeros, strict=True)
    size = tuple((n - 1) * s - 2 * p + span + m - z for n, s, p, span, m, z in sizes)
    if min(size) < 1:
        raise SizeError(
            where=where,
            expected="a result of one number or more",
            got=f"size {size} with padding {pads}",
            fix="Use less padding.",
        )
    y = primitives.conv_input(x, w, how=how, size=size)
    if any(zeros):
        y = pad_with_zeros(y, ((0, 0), (0, 0), *((0, z) for z in zeros)))
    if b is not None:
        b = operand(b, where)
        if b.shape != y.shape[1:2]:
            raise SizeError(
                where=f"{where}(bias)",
                expected=f"shape {y.shape[1:2]}, one number for each channel of the result",
                got=f"shape {b.shape}",
                fix="Pass bias=None for a convolution without a bias.",
            )
        y = y + reshape(b, shape=(-1, *(1,) * axes))
    return without_batch(y, single)
