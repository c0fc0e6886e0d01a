"""Layers for signals and images: convolution, and `Flatten`."""

from __future__ import annotations

from math import prod
from typing import TYPE_CHECKING, Any

from ...core.expect import describe
from ...errors import OptionError, SizeError
from ...ops.array.structure import reshape
from ...ops.array.windows import Windows
from ...tensor.functions import convolution
from ...tensor.functions.arguments import axis_of, operand
from ...tensor.functions.windows import whole_numbers
from ..initial import ArraySeed, draw_parameter, float_dtype, generator_of, size
from ..modules.module import Module
from .pooling import Sizes

if TYPE_CHECKING:
    from numpy.typing import DTypeLike

    from ...tensor import Tensor
    from ...tensor.functions.types import ArrayLike

__all__ = ["Conv1d", "Conv2d", "Conv3d", "ConvTranspose1d", "ConvTranspose2d", "Flatten"]


class _Conv(Module):
    """The base of convolutions over any number of axes."""

    axes = 0

    kernel_size: tuple[int, ...]
    bias: Tensor | None

    def __init__(
        self,
        in_channels: int,
        out_channels: int,
        kernel_size: Sizes,
        stride: Sizes = 1,
        padding: Sizes | str = 0,
        dilation: Sizes = 1,
        groups: int = 1,
        bias: bool = True,
        *,
        seed: ArraySeed = None,
        dtype: DTypeLike | None = None,
    ) -> None:
        name = type(self).__name__
        self.in_channels: int = size(in_channels, f"{name}(in_channels)")
        self.out_channels: int = size(out_channels, f"{name}(out_channels)")
        self.groups: int = _groups(name, groups, self.in_channels, self.out_channels)
        self.kernel_size = whole_numbers(kernel_size, self.axes, f"{name}(kernel_size)", 1)
        self.stride: tuple[int, ...] = whole_numbers(stride, self.axes, f"{name}(stride)", 1)
        self.dilation: tuple[int, ...] = whole_numbers(dilation, self.axes, f"{name}(dilation)", 1)
        self.padding: str | tuple[int, ...] = _padding(name, padding, self.kernel_size, self.stride)
        rng, kind = generator_of(seed), float_dtype(dtype, f"{name}(dtype)")
        fan_in = self.in_channels // self.groups * prod(self.kernel_size)
        shape = (self.out_channels, self.in_channels // self.groups, *self.kernel_size)
        self.weight: Tensor = draw_parameter(rng, fan_in**-0.5, shape, kind)
        self.bias = draw_parameter(rng, fan_in**-0.5, shape[:1], kind) if bias else None

    def forward(self, x: Tensor | ArrayLike) -> Tensor:
        """Return the correlation of x with the weight, plus the bias."""
        apply: Any = (convolution.conv1d, convolution.conv2d, convolution.conv3d)[self.axes - 1]
        options = (self.stride, self.padding, self.dilation, self.groups)
        y: Tensor = apply(x, self.weight, self.bias, *options)
        return y

    def extra_repr(self) -> str:
        """Return the sizes, and the options that differ from their defaults."""
        text = f"{self.in_channels}, {self.out_channels}, kernel_size={self.kernel_size}"
        text += f", stride={self.stride}"
        none = (0,) * self.axes
        defaults: dict[str, Any] = {
            "padding": none,
            "dilation": (1,) * self.axes,
            "output_padding": none,
        }
        defaults |= {"groups": 1}
        changed = [name for name, usual in defaults.items() if getattr(self, name, usual) != usual]
        text += "".join(f", {name}={getattr(self, name)}" for name in changed)
        return text if self.bias is not None else f"{text}, bias=False"


def _padding(
    name: str, padding: Sizes | str, kernel: tuple[int, ...], stride: tuple[int, ...]
) -> str | tuple[int, ...]:
    """Return a number for each axis, or the name "valid" or "same"."""
    none = tuple((0, 0) for _ in kernel)
    pairs = convolution.paddings(name, padding, Windows(kernel, stride, none, stride))
    return padding if isinstance(padding, str) else tuple(left for left, _ in pairs)


def _groups(name: str, groups: int, in_channels: int, out_channels: int) -> int:
    count = size(groups, f"{name}(groups)")
    if in_channels % count or out_channels % count:
        raise OptionError(
            where=f"{name}(groups)",
            expected=f"a divisor of both {in_channels} and {out_channels} channels",
            got=describe(groups),
            fix="Pass groups=1 to connect every kernel to all channels.",
        )
    return count


class Conv1d(_Conv):
    """Correlation of signals with kernels.

        yₙₒᵢ = bₒ + Σ꜀ₖ wₒ꜀ₖ xₙ꜀,ₛᵢ₊ₖ

    The parameters start like the parameters of `Conv2d`.

    Parameters
    ----------
    in_channels, out_channels
        The numbers of channels of x and of y, >= 1.
    kernel_size
        The size of the kernels, >= 1; a tuple is one number for each axis.
    stride, dilation
        Steps between windows and between the elements of a kernel, >= 1; a tuple is one number
        for each axis.
    padding
        Zeros on both sides of each axis, >= 0; "valid" for none, or "same" for as many as keep
        the size at stride 1.
    groups
        Into how many parts the channels are split, each with its own kernels; a divisor of both
        numbers of channels.
    bias
        Whether a number is added to each output channel; if not, ``layer.bias`` is ``None``.
    seed
        Draws the initial parameters: an int gives equal ones each time, a generator is drawn
        from, and ``None`` takes fresh entropy.
    dtype
        The floating dtype of the parameters, of 64 bits at most; float64 if ``None`` (PyTorch's
        default is float32).

    Raises
    ------
    OptionError
        If a size or ``padding`` is no integer in its range, ``groups`` no divisor of the
        channels, ``seed`` is no seed, or ``dtype`` no floating dtype.
    SizeError
        If x has other axes or channels, or is smaller than a kernel (in the call).

    Shape
    -----
    x : (batch, in_channels, length), or without batch
    y : (batch, out_channels, out_length)
        With out_length = (length + 2 padding - dilation (kernel_size - 1) - 1) // stride + 1.
    weight : (out_channels, in_channels / groups, kernel_size)
    bias : (out_channels,)

    See Also
    --------
    gradwalk.conv1d, ConvTranspose1d, MaxPool1d

    Examples
    --------
    >>> from gradwalk import Tensor
    >>> Conv1d(2, 4, 3, seed=0)(Tensor([[[1.0, 2.0, 3.0, 4.0], [0.0, 1.0, 0.0, 1.0]]])).shape
    (1, 4, 2)
    """

    axes = 1


class Conv2d(_Conv):
    """Correlation of images with kernels.

        yₙₒᵢⱼ = bₒ + Σ꜀ₖₗ wₒ꜀ₖₗ xₙ꜀,ₛᵢ₊ₖ,ₛⱼ₊ₗ

    Both parameters start evenly from -r to r, where 1 / r² counts the numbers under a kernel, as
    PyTorch's do.

    Parameters
    ----------
    in_channels, out_channels
        The numbers of channels of x and of y, >= 1.
    kernel_size
        The size of the kernels, >= 1; a tuple is one number for each axis.
    stride, dilation
        Steps between windows and between the elements of a kernel, >= 1; a tuple is one number
        for each axis.
    padding
        Zeros on both sides of each axis, >= 0; "valid" for none, or "same" for as many as keep
        the size at stride 1.
    groups
        Into how many parts the channels are split, each with its own kernels; a divisor of both
        numbers of channels.
    bias
        Whether a number is added to each output channel; if not, ``layer.bias`` is ``None``.
    seed
        Draws the initial parameters: an int gives equal ones each time, a generator is drawn
        from, and ``None`` takes fresh entropy.
    dtype
        The floating dtype of the parameters, of 64 bits at most; float64 if ``None`` (PyTorch's
        default is float32).

    Raises
    ------
    OptionError
        If a size or ``padding`` is no integer in its range, ``groups`` no divisor of the
        channels, ``seed`` is no seed, or ``dtype`` no floating dtype.
    SizeError
        If x has other axes or channels, or is smaller than a kernel (in the call).

    Shape
    -----
    x : (batch, in_channels, height, width), or without batch
    y : (batch, out_channels, out_height, out_width)
        With out_height = (height + 2 padding - dilation (kernel_size - 1) - 1) // stride + 1.
    weight : (out_channels, in_channels / groups, kernel_height, kernel_width)
    bias : (out_channels,)

    See Also
    --------
    gradwalk.conv2d, ConvTranspose2d, MaxPool2d

    Examples
    --------
    >>> Conv2d(1, 16, 3, padding=1)
    Conv2d(1, 16, kernel_size=(3, 3), stride=(1, 1), padding=(1, 1))
    """

    axes = 2


class Conv3d(_Conv):
    """Correlation of volumes with kernels.

    The parameters start like the parameters of `Conv2d`.

    Parameters
    ----------
    in_channels, out_channels
        The numbers of channels of x and of y, >= 1.
    kernel_size
        The size of the kernels, >= 1; a tuple is one number for each axis.
    stride, dilation
        Steps between windows and between the elements of a kernel, >= 1; a tuple is one number
        for each axis.
    padding
        Zeros on both sides of each axis, >= 0; "valid" for none, or "same" for as many as keep
        the size at stride 1.
    groups
        Into how many parts the channels are split, each with its own kernels; a divisor of both
        numbers of channels.
    bias
        Whether a number is added to each output channel; if not, ``layer.bias`` is ``None``.
    seed
        Draws the initial parameters: an int gives equal ones each time, a generator is drawn
        from, and ``None`` takes fresh entropy.
    dtype
        The floating dtype of the parameters, of 64 bits at most; float64 if ``None`` (PyTorch's
        default is float32).

    Raises
    ------
    OptionError
        If a size or ``padding`` is no integer in its range, ``groups`` no divisor of the
        channels, ``seed`` is no seed, or ``dtype`` no floating dtype.
    SizeError
        If x has other axes or channels, or is smaller than a kernel (in the call).

    Shape
    -----
    x : (batch, in_channels, depth, height, width), or without batch
    y : (batch, out_channels, out_depth, out_height, out_width), with lengths as in `Conv2d`
    weight : (out_channels, in_channels / groups, kernel_depth, kernel_height, kernel_width)
    bias : (out_channels,)

    See Also
    --------
    gradwalk.conv3d, Conv2d

    Examples
    --------
    >>> Conv3d(1, 2, 3)
    Conv3d(1, 2, kernel_size=(3, 3, 3), stride=(1, 1, 1))
    """

    axes = 3


class _ConvTranspose(_Conv):
    """The base of transposed convolutions over any number of axes."""

    output_padding: tuple[int, ...]

    def __init__(
        self,
        in_channels: int,
        out_channels: int,
        kernel_size: Sizes,
        stride: Sizes = 1,
        padding: Sizes = 0,
        output_padding: Sizes = 0,
        groups: int = 1,
        bias: bool = True,
        dilation: Sizes = 1,
        *,
        seed: ArraySeed = None,
        dtype: DTypeLike | None = None,
    ) -> None:
        for name, count in (("in_channels", in_channels), ("out_channels", out_channels)):
            size(count, f"{type(self).__name__}({name})")  # the base has them the other way round
        given = {"padding": padding, "output_padding": output_padding}
        where = type(self).__name__
        cut, added = (whole_numbers(n, self.axes, f"{where}({k})", 0) for k, n in given.items())
        rng, options = generator_of(seed), (stride, cut, dilation, groups, False)
        super().__init__(out_channels, in_channels, kernel_size, *options, seed=rng, dtype=dtype)
        self.output_padding = added
        # the weight is that of the convolution the other way; its bias has the other length
        self.in_channels, self.out_channels = self.out_channels, self.in_channels
        bound = (self.out_channels // self.groups * prod(self.kernel_size)) ** -0.5
        shape, kind = (self.out_channels,), self.weight.dtype
        self.bias = draw_parameter(rng, bound, shape, kind) if bias else None

    def forward(self, x: Tensor | ArrayLike) -> Tensor:
        """Return the sum of the kernels, each times a number of x, plus the bias."""
        apply: Any = getattr(convolution, f"conv_transpose{self.axes}d")
        options = (self.stride, self.padding, self.output_padding, self.groups, self.dilation)
        y: Tensor = apply(x, self.weight, self.bias, *options)
        return y


class ConvTranspose1d(_ConvTranspose):
    """Transposed convolution of signals: the map by which `Conv1d` returns cotangents to its input.

    Parameters
    ----------
    in_channels, out_channels
        The numbers of channels of x and of y, >= 1.
    kernel_size
        The size of the kernels, >= 1; a tuple is one number for each axis.
    stride, dilation
        Steps between kernels in y and between the elements of a kernel, >= 1; a tuple is one
        number for each axis.
    padding
        Numbers that are cut off on both sides of each axis of y, >= 0.
    output_padding
        Numbers that are added at the end of each axis of y, less than the stride or the
        dilation. It chooses one of the sizes that the convolution maps to the size of x.
    groups
        Into how many parts the channels are split, each with its own kernels; a divisor of both
        numbers of channels.
    bias
        Whether a number is added to each output channel; if not, ``layer.bias`` is ``None``.
    seed
        Draws the initial parameters: an int gives equal ones each time, a generator is drawn
        from, and ``None`` takes fresh entropy.
    dtype
        The floating dtype of the parameters, of 64 bits at most; float64 if ``None`` (PyTorch's
        default is float32).

    Raises
    ------
    OptionError
        If a size is no integer in its range, ``groups`` no divisor of the channels, ``seed`` is
        no seed, or ``dtype`` no floating dtype.
    SizeError
        If x has other axes or channels (in the call).

    Shape
    -----
    x : (batch, in_channels, length), or without batch
    y : (batch, out_channels, out_length)
        With out_length = (length - 1) stride - 2 padding + dilation (kernel_size - 1) +
        output_padding + 1.
    weight : (in_channels, out_channels / groups, kernel_size)
    bias : (out_channels,)

    See Also
    --------
    gradwalk.conv_transpose1d, Conv1d

    Examples
    --------
    >>> ConvTranspose1d(2, 4, 3, stride=2)
    ConvTranspose1d(2, 4, kernel_size=(3,), stride=(2,))
    """

    axes = 1


class ConvTranspose2d(_ConvTranspose):
    """Transposed convolution of images: the map by which `Conv2d` returns cotangents to its input.

    Each number of x adds a kernel, times this number, to y.

    Parameters
    ----------
    in_channels, out_channels
        The numbers of channels of x and of y, >= 1.
    kernel_size
        The size of the kernels, >= 1; a tuple is one number for each axis.
    stride, dilation
        Steps between kernels in y and between the elements of a kernel, >= 1; a tuple is one
        number for each axis.
    padding
        Numbers that are cut off on both sides of each axis of y, >= 0.
    output_padding
        Numbers that are added at the end of each axis of y, less than the stride or the
        dilation. It chooses one of the sizes that the convolution maps to the size of x.
    groups
        Into how many parts the channels are split, each with its own kernels; a divisor of both
        numbers of channels.
    bias
        Whether a number is added to each output channel; if not, ``layer.bias`` is ``None``.
    seed
        Draws the initial parameters: an int gives equal ones each time, a generator is drawn
        from, and ``None`` takes fresh entropy.
    dtype
        The floating dtype of the parameters, of 64 bits at most; float64 if ``None`` (PyTorch's
        default is float32).

    Raises
    ------
    OptionError
        If a size is no integer in its range, ``groups`` no divisor of the channels, ``seed`` is
        no seed, or ``dtype`` no floating dtype.
    SizeError
        If x has other axes or channels (in the call).

    Shape
    -----
    x : (batch, in_channels, height, width), or without batch
    y : (batch, out_channels, out_height, out_width)
        With out_height = (height - 1) stride - 2 padding + dilation (kernel_size - 1) +
        output_padding + 1.
    weight : (in_channels, out_channels / groups, kernel_height, kernel_width)
    bias : (out_channels,)

    See Also
    --------
    gradwalk.conv_transpose2d, Conv2d, Upsample

    Examples
    --------
    >>> ConvTranspose2d(1, 16, 3, stride=2, padding=1)
    ConvTranspose2d(1, 16, kernel_size=(3, 3), stride=(2, 2), padding=(1, 1))
    """

    axes = 2


class Flatten(Module):
    """A module that makes one axis of several.

    Parameters
    ----------
    start_dim, end_dim
        The first and the last of these axes; negative ones count from the end. The defaults
        keep the batch, axis 0.

    Raises
    ------
    SizeError
        If x has no such axis, or ``end_dim`` comes before ``start_dim`` (in the call).

    Shape
    -----
    x : any shape with at least one axis
    y : the shape of x, with the product of these lengths instead of them

    See Also
    --------
    gradwalk.reshape

    Examples
    --------
    >>> from gradwalk import Tensor
    >>> Flatten()(Tensor([[[1.0, 2.0], [3.0, 4.0]]])).tolist()
    [[1.0, 2.0, 3.0, 4.0]]
    """

    end_dim: int
    start_dim: int

    def __init__(self, start_dim: int = 1, end_dim: int = -1) -> None:
        self.start_dim, self.end_dim = start_dim, end_dim

    def forward(self, x: Tensor | ArrayLike) -> Tensor:
        """Return x with the axes from ``start_dim`` to ``end_dim`` as one."""
        y: Tensor = operand(x, "Flatten")
        start = axis_of(self.start_dim, y.ndim, "Flatten(start_dim)")
        end = axis_of(self.end_dim, y.ndim, "Flatten(end_dim)")
        if end < start:
            raise SizeError(
                where="Flatten(start_dim, end_dim)",
                expected="start_dim <= end_dim",
                got=f"{self.start_dim} and {self.end_dim} for shape {y.shape}",
                fix="Use Flatten(0) to make one axis of all axes.",
            )
        length = prod(y.shape[start : end + 1])
        flat: Tensor = reshape(y, shape=(*y.shape[:start], length, *y.shape[end + 1 :]))
        return flat

    def extra_repr(self) -> str:
        """Return the axes."""
        return f"start_dim={self.start_dim}, end_dim={self.end_dim}"
