"""Layers for signals and images: convolution, pooling, and the way out of them."""

from __future__ import annotations

from math import prod
from typing import Any

from ..core.expect import describe
from ..errors import OptionError, SizeError
from ..ops.array.structure import reshape
from ..ops.array.windows import Windows
from ..tensor.functions import convolution, pooling
from ..tensor.functions.arguments import axis_of, operand
from ..tensor.functions.windows import whole_numbers
from .draws import drawn, float_dtype, generator_of, size
from .module import Module

__all__ = ["AdaptiveAvgPool1d", "AdaptiveAvgPool2d", "AvgPool1d", "AvgPool2d"]
__all__ += ["Conv1d", "Conv2d", "Flatten", "MaxPool1d", "MaxPool2d"]


class _Conv(Module):
    """What convolutions over any number of axes have in common."""

    axes = 0

    def __init__(
        self,
        in_channels: int,
        out_channels: int,
        kernel_size: Any,
        stride: Any = 1,
        padding: Any = 0,
        dilation: Any = 1,
        groups: int = 1,
        bias: bool = True,
        *,
        seed: Any = None,
        dtype: Any = None,
    ) -> None:
        name = type(self).__name__
        self.in_channels = size(in_channels, f"{name}(in_channels)")
        self.out_channels = size(out_channels, f"{name}(out_channels)")
        self.groups = _groups(name, groups, self.in_channels, self.out_channels)
        self.kernel_size = whole_numbers(kernel_size, self.axes, f"{name}(kernel_size)", 1)
        self.stride = whole_numbers(stride, self.axes, f"{name}(stride)", 1)
        self.dilation = whole_numbers(dilation, self.axes, f"{name}(dilation)", 1)
        self.padding = _padding(name, padding, self.kernel_size, self.stride)
        rng, kind = generator_of(seed), float_dtype(dtype, f"{name}(dtype)")
        fan_in = self.in_channels // self.groups * prod(self.kernel_size)
        shape = (self.out_channels, self.in_channels // self.groups, *self.kernel_size)
        self.weight = drawn(rng, fan_in**-0.5, shape, kind)
        self.bias = drawn(rng, fan_in**-0.5, shape[:1], kind) if bias else None

    def forward(self, x: Any) -> Any:
        """The correlation of x with the weight, plus the bias."""
        apply = convolution.conv1d if self.axes == 1 else convolution.conv2d
        options = (self.stride, self.padding, self.dilation, self.groups)
        return apply(x, self.weight, self.bias, *options)

    def extra_repr(self) -> str:
        """The sizes, and the options that differ from their defaults."""
        text = f"{self.in_channels}, {self.out_channels}, kernel_size={self.kernel_size}"
        text += f", stride={self.stride}"
        defaults = {"padding": (0,) * self.axes, "dilation": (1,) * self.axes, "groups": 1}
        changed = [name for name, usual in defaults.items() if getattr(self, name) != usual]
        text += "".join(f", {name}={getattr(self, name)}" for name in changed)
        return text if self.bias is not None else f"{text}, bias=False"


def _padding(name: str, padding: Any, kernel: tuple[int, ...], stride: tuple[int, ...]) -> Any:
    """A number for each axis, or the name of one that fits."""
    none = tuple((0, 0) for _ in kernel)
    found = convolution.paddings(name, padding, Windows(kernel, stride, none, stride))
    return padding if isinstance(padding, str) else tuple(left for left, _ in found)


def _groups(name: str, groups: Any, in_channels: int, out_channels: int) -> int:
    count = size(groups, f"{name}(groups)")
    if in_channels % count or out_channels % count:
        raise OptionError(
            where=f"{name}(groups)",
            expected=f"a divisor of both {in_channels} and {out_channels} channels",
            got=describe(groups),
            fix="1 lets every kernel see all channels.",
        )
    return count


class Conv1d(_Conv):
    """Correlation of signals (batch, in_channels, length) with kernels; see `Conv2d`.

        yₙₒᵢ = bₒ + Σ꜀ₖ wₒ꜀ₖ xₙ꜀,ₛᵢ₊ₖ

    >>> from gradwalk import Tensor
    >>> Conv1d(2, 4, 3, seed=0)(Tensor([[[1.0, 2.0, 3.0, 4.0], [0.0, 1.0, 0.0, 1.0]]])).shape
    (1, 4, 2)
    """

    axes = 1


class Conv2d(_Conv):
    """Correlation of images (batch, in_channels, height, width) with kernels.

        yₙₒᵢⱼ = bₒ + Σ꜀ₖₗ wₒ꜀ₖₗ xₙ꜀,ₛᵢ₊ₖ,ₛⱼ₊ₗ

    ``weight`` has the shape (out_channels, in_channels / groups, height, width), ``bias``
    (out_channels,) or is ``None``; both start evenly from -r to r, where 1 / r² counts the numbers
    under a kernel, as PyTorch's. Options as in `gradwalk.conv2d`; ``dtype`` is float64 unless
    given; ``seed`` is an int, a numpy Generator or ``None``.

    >>> Conv2d(1, 16, 3, padding=1)
    Conv2d(1, 16, kernel_size=(3, 3), stride=(1, 1), padding=(1, 1))
    """

    axes = 2


# --- pooling --------------------------------------------------------------------------------------


class _MaxPool(Module):
    """What largest numbers over any number of axes have in common."""

    def __init__(
        self,
        kernel_size: Any,
        stride: Any = None,
        padding: Any = 0,
        dilation: Any = 1,
        *,
        ceil_mode: bool = False,
    ) -> None:
        self.kernel_size, self.stride = kernel_size, kernel_size if stride is None else stride
        self.padding, self.dilation, self.ceil_mode = padding, dilation, ceil_mode

    def _options(self) -> tuple[Any, ...]:
        return self.kernel_size, self.stride, self.padding, self.dilation, self.ceil_mode

    def extra_repr(self) -> str:
        """The options."""
        return (
            f"kernel_size={self.kernel_size}, stride={self.stride}, padding={self.padding}, "
            f"dilation={self.dilation}, ceil_mode={self.ceil_mode}"
        )


class MaxPool1d(_MaxPool):
    """Largest number of each window of signals (batch, channels, length).

    Options as in `gradwalk.max_pool1d`.

    >>> MaxPool1d(2)
    MaxPool1d(kernel_size=2, stride=2, padding=0, dilation=1, ceil_mode=False)
    """

    def forward(self, x: Any) -> Any:
        """The largest number of each window of x."""
        return pooling.max_pool1d(x, *self._options())


class MaxPool2d(_MaxPool):
    """Largest number of each window of images (batch, channels, height, width).

    Options as in `gradwalk.max_pool2d`.

    >>> from gradwalk import Tensor
    >>> MaxPool2d(2)(Tensor([[[[1.0, 4.0], [3.0, 2.0]]]])).item()
    4.0
    """

    def forward(self, x: Any) -> Any:
        """The largest number of each window of x."""
        return pooling.max_pool2d(x, *self._options())


class _AvgPool(Module):
    """What means over any number of axes have in common."""

    def __init__(
        self,
        kernel_size: Any,
        stride: Any = None,
        padding: Any = 0,
        ceil_mode: bool = False,
        count_include_pad: bool = True,
    ) -> None:
        self.kernel_size, self.stride = kernel_size, kernel_size if stride is None else stride
        self.padding, self.ceil_mode = padding, ceil_mode
        self.count_include_pad = count_include_pad

    def _options(self) -> tuple[Any, ...]:
        return self.kernel_size, self.stride, self.padding, self.ceil_mode, self.count_include_pad

    def extra_repr(self) -> str:
        """The sizes."""
        return f"kernel_size={self.kernel_size}, stride={self.stride}, padding={self.padding}"


class AvgPool1d(_AvgPool):
    """Mean of each window of signals (batch, channels, length).

    Options as in `gradwalk.avg_pool1d`.

    >>> AvgPool1d(2)
    AvgPool1d(kernel_size=(2,), stride=(2,), padding=(0,))
    """

    def extra_repr(self) -> str:
        """The sizes, each as a tuple."""
        names = ("kernel_size", "stride", "padding")
        sizes = {name: whole_numbers(getattr(self, name), 1, name, 0) for name in names}
        return ", ".join(f"{name}={size}" for name, size in sizes.items())

    def forward(self, x: Any) -> Any:
        """The mean of each window of x."""
        return pooling.avg_pool1d(x, *self._options())


class AvgPool2d(_AvgPool):
    """Mean of each window of images (batch, channels, height, width).

    Options as in `gradwalk.avg_pool2d`.

    >>> from gradwalk import Tensor
    >>> AvgPool2d(2)(Tensor([[[[1.0, 4.0], [3.0, 2.0]]]])).item()
    2.5
    """

    def forward(self, x: Any) -> Any:
        """The mean of each window of x."""
        return pooling.avg_pool2d(x, *self._options())


class AdaptiveAvgPool1d(Module):
    """Mean of ``output_size`` parts of signals; see `gradwalk.adaptive_avg_pool1d`.

    >>> AdaptiveAvgPool1d(4)
    AdaptiveAvgPool1d(output_size=4)
    """

    def __init__(self, output_size: Any) -> None:
        self.output_size = output_size

    def forward(self, x: Any) -> Any:
        """The mean of each part of x."""
        return pooling.adaptive_avg_pool1d(x, self.output_size)

    def extra_repr(self) -> str:
        """The size."""
        return f"output_size={self.output_size}"


class AdaptiveAvgPool2d(AdaptiveAvgPool1d):
    """Mean of ``output_size`` parts of images; see `gradwalk.adaptive_avg_pool2d`.

    >>> from gradwalk import Tensor
    >>> AdaptiveAvgPool2d(1)(Tensor([[[[1.0, 4.0], [3.0, 2.0]]]])).item()
    2.5
    """

    def forward(self, x: Any) -> Any:
        """The mean of each part of x."""
        return pooling.adaptive_avg_pool2d(x, self.output_size)


class Flatten(Module):
    """The axes from ``start_dim`` to ``end_dim`` as one.

    >>> from gradwalk import Tensor
    >>> Flatten()(Tensor([[[1.0, 2.0], [3.0, 4.0]]])).tolist()
    [[1.0, 2.0, 3.0, 4.0]]
    """

    def __init__(self, start_dim: int = 1, end_dim: int = -1) -> None:
        self.start_dim, self.end_dim = start_dim, end_dim

    def forward(self, x: Any) -> Any:
        """x with fewer axes."""
        x = operand(x, "Flatten")
        start = axis_of(self.start_dim, x.ndim, "Flatten(start_dim)")
        end = axis_of(self.end_dim, x.ndim, "Flatten(end_dim)")
        if end < start:
            raise SizeError(
                where="Flatten(start_dim, end_dim)",
                expected="an axis and one that is not before it",
                got=f"{self.start_dim} and {self.end_dim} for shape {x.shape}",
                fix="Flatten(0) makes one axis of all.",
            )
        length = prod(x.shape[start : end + 1])
        return reshape(x, shape=(*x.shape[:start], length, *x.shape[end + 1 :]))

    def extra_repr(self) -> str:
        """The axes."""
        return f"start_dim={self.start_dim}, end_dim={self.end_dim}"
