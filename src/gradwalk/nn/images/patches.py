"""Patches of images as columns, and channels as pixels."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from ...errors import SizeError
from ...ops.array.structure import permute_dims, reshape
from ...ops.array.windows import Windows
from ...tensor import pad, take
from ...tensor.functions import varying
from ...tensor.functions.arguments import operand
from ...tensor.functions.windows import expect_room, whole_numbers, with_batch, without_batch
from ..modules.module import Module
from .pooling import expect_sizes

if TYPE_CHECKING:
    from ...tensor import Tensor
    from ...tensor.functions.types import ArrayLike

__all__ = ["Fold", "PixelShuffle", "PixelUnshuffle", "Unfold", "fold", "pixel_shuffle"]
__all__ += ["pixel_unshuffle", "unfold"]

Sizes = int | Sequence[int]
# --- patches --------------------------------------------------------------------------------------


def _patches(
    where: str, size: tuple[int, ...], kernel: Any, dilation: Any, padding: Any, stride: Any
) -> tuple[Any, tuple[int, ...], tuple[int, ...]]:
    """Return the places of each patch in the padded image, its size, and the padding."""
    given = ((kernel, "kernel_size", 1), (stride, "stride", 1), (dilation, "dilation", 1))
    k, s, d = (whole_numbers(v, 2, f"{where}({name})", least) for v, name, least in given)
    pads = whole_numbers(padding, 2, f"{where}(padding)", 0)
    padded = tuple(n + 2 * p for n, p in zip(size, pads, strict=True))
    how = Windows(k, s, ((0, 0),) * 2, d)
    expect_room(where, np.empty((0, 0, *padded)), how)
    lengths = how.lengths(padded)
    lines = [np.arange(k[i])[:, None] * d[i] + np.arange(lengths[i]) * s[i] for i in range(2)]
    flat = lines[0][:, None, :, None] * padded[1] + lines[1][None, :, None, :]
    return flat.reshape(prod(k), prod(lengths)), padded, pads


def unfold(
    input: Tensor | ArrayLike,
    kernel_size: Sizes,
    dilation: Sizes = 1,
    padding: Sizes = 0,
    stride: Sizes = 1,
) -> Tensor:
    """Return the patches of images as columns.

    Parameters
    ----------
    input : (batch, channels, height, width), or without batch
        The images.
    kernel_size
        Height and width of a patch, >= 1; one number for both.
    dilation, stride
        Steps between the elements of a patch and between patches, >= 1.
    padding
        Zeros on both sides of each axis of the images, >= 0.

    Returns
    -------
    (batch, channels · kernel_height · kernel_width, patches)
        A column for each patch, in the order of rows.

    Raises
    ------
    OptionError
        If a size is no integer in its range.
    SizeError
        If ``input`` has other axes, or is smaller than a patch.

    See Also
    --------
    fold, gradwalk.nn.Unfold

    Examples
    --------
    >>> unfold([[[[1.0, 2.0], [3.0, 4.0]]]], (1, 2)).tolist()
    [[[1.0, 3.0], [2.0, 4.0]]]
    """
    x, single = with_batch(operand(input, "unfold"), 2, "unfold")
    places, _, (p, q) = _patches("unfold", x.shape[2:], kernel_size, dilation, padding, stride)
    x = pad(x, ((0, 0), (0, 0), (p, p), (q, q)))
    flat = reshape(x, shape=(*x.shape[:2], prod(x.shape[2:])))
    y: Any = take(flat, places, axis=-1)
    y = reshape(y, shape=(y.shape[0], y.shape[1] * y.shape[2], y.shape[3]))
    columns: Any = without_batch(y, single)
    return columns  # type: ignore[no-any-return]


def fold(
    input: Tensor | ArrayLike,
    output_size: Sizes,
    kernel_size: Sizes,
    dilation: Sizes = 1,
    padding: Sizes = 0,
    stride: Sizes = 1,
) -> Tensor:
    """Return images that are sums of patches, each added at its place: the transpose of `unfold`.

    Parameters
    ----------
    input : (batch, channels · kernel_height · kernel_width, patches), or without batch
        A column for each patch.
    output_size
        Height and width of the images without padding, >= 1; one number for both.
    kernel_size
        Height and width of a patch, >= 1; one number for both.
    dilation, stride
        Steps between the elements of a patch and between patches, >= 1.
    padding
        Zeros on both sides of each axis of the images, >= 0.

    Returns
    -------
    (batch, channels, height, width)
        The images.

    Raises
    ------
    OptionError
        If a size is no integer in its range.
    SizeError
        If ``input`` has not a column for each patch, or a patch is larger than the images.

    See Also
    --------
    unfold, gradwalk.nn.Fold

    Examples
    --------
    >>> fold([[[1.0, 3.0], [2.0, 4.0]]], 2, (1, 2)).tolist()
    [[[[1.0, 2.0], [3.0, 4.0]]]]
    """
    x: Any = operand(input, "fold")
    single = x.ndim == 2
    x = reshape(x, shape=(1, *x.shape)) if single else x
    size = whole_numbers(output_size, 2, "fold(output_size)", 1)
    places, padded, pads = _patches("fold", size, kernel_size, dilation, padding, stride)
    if x.ndim != 3 or x.shape[1] % len(places) or x.shape[2] != places.shape[1]:
        raise SizeError(
            where="fold(input)",
            expected=f"(N, C · {len(places)}, {places.shape[1]}), a column for each patch",
            got=f"shape {x.shape}",
            fix="Pass the options of the unfold that made the patches.",
        )
    channels = x.shape[1] // len(places)
    x = reshape(x, shape=(x.shape[0], channels, *places.shape))
    y: Any = varying.add(x, (slice(None), slice(None), places), (*x.shape[:2], prod(padded)))
    y = reshape(y, shape=(*y.shape[:2], *padded))
    inner = [slice(p, p + n) for p, n in zip(pads, size, strict=True)]
    y = y[(slice(None), slice(None), *inner)]
    image: Tensor = y[0] if single else y
    return image


class Unfold(Module):
    """Patches of images as columns.

    Parameters
    ----------
    kernel_size
        Height and width of a patch, >= 1; one number for both.
    dilation, stride
        Steps between the elements of a patch and between patches, >= 1.
    padding
        Zeros on both sides of each axis of the images, >= 0.

    Raises
    ------
    OptionError
        If a size is no integer in its range.
    SizeError
        If the images have other axes, or are smaller than a patch (in the call).

    Shape
    -----
    input : (batch, channels, height, width), or without batch
    y : (batch, channels · kernel_height · kernel_width, patches)

    See Also
    --------
    gradwalk.nn.functional.unfold, Fold

    Examples
    --------
    >>> Unfold(2)
    Unfold(kernel_size=2, dilation=1, padding=0, stride=1)
    """

    names: ClassVar[tuple[str, ...]] = ("kernel_size", "dilation", "padding", "stride")
    kernel_size: Sizes
    dilation: Sizes
    padding: Sizes
    stride: Sizes

    def __init__(
        self, kernel_size: Sizes, dilation: Sizes = 1, padding: Sizes = 0, stride: Sizes = 1
    ) -> None:
        expect_sizes(self, kernel_size=kernel_size, dilation=dilation)
        expect_sizes(self, padding=padding, stride=stride)
        self.kernel_size, self.dilation = kernel_size, dilation
        self.padding, self.stride = padding, stride

    def forward(self, input: Tensor | ArrayLike) -> Tensor:
        """Return the patches."""
        return unfold(input, self.kernel_size, self.dilation, self.padding, self.stride)

    def extra_repr(self) -> str:
        """Return the options."""
        return ", ".join(f"{name}={getattr(self, name)}" for name in type(self).names)


class Fold(Unfold):
    """Images that are sums of patches, each added at its place.

    Parameters
    ----------
    output_size
        Height and width of the images without padding, >= 1; one number for both.
    kernel_size
        Height and width of a patch, >= 1; one number for both.
    dilation, stride
        Steps between the elements of a patch and between patches, >= 1.
    padding
        Zeros on both sides of each axis of the images, >= 0.

    Raises
    ------
    OptionError
        If a size is no integer in its range.
    SizeError
        If the input has not a column for each patch (in the call).

    Shape
    -----
    input : (batch, channels · kernel_height · kernel_width, patches), or without batch
    y : (batch, channels, height, width)

    See Also
    --------
    gradwalk.nn.functional.fold, Unfold

    Examples
    --------
    >>> Fold(4, 2)
    Fold(output_size=4, kernel_size=2, dilation=1, padding=0, stride=1)
    """

    names: ClassVar[tuple[str, ...]] = ("output_size", *Unfold.names)
    output_size: Sizes

    def __init__(
        self,
        output_size: Sizes,
        kernel_size: Sizes,
        dilation: Sizes = 1,
        padding: Sizes = 0,
        stride: Sizes = 1,
    ) -> None:
        expect_sizes(self, output_size=output_size)
        super().__init__(kernel_size, dilation, padding, stride)
        self.output_size = output_size

    def forward(self, input: Tensor | ArrayLike) -> Tensor:
        """Return the images."""
        options = (self.kernel_size, self.dilation, self.padding, self.stride)
        return fold(input, self.output_size, *options)


# --- channels as pixels ---------------------------------------------------------------------------


def pixel_shuffle(input: Tensor | ArrayLike, upscale_factor: int) -> Tensor:
    """Return larger images of fewer channels: r² channels become the pixels of a square.

    Parameters
    ----------
    input : (..., channels · r², height, width)
        The images.
    upscale_factor
        The side r of a square, >= 1.

    Returns
    -------
    (..., channels, height · r, width · r)
        The larger images.

    Raises
    ------
    OptionError
        If ``upscale_factor`` is no positive integer.
    SizeError
        If ``input`` has fewer than three axes, or r² does not divide its channels.

    See Also
    --------
    pixel_unshuffle, gradwalk.nn.PixelShuffle

    References
    ----------
    Shi and others, Real-time single image and video super-resolution using an efficient sub-pixel
    convolutional neural network (2016).

    Examples
    --------
    >>> pixel_shuffle([[[1.0]], [[2.0]], [[3.0]], [[4.0]]], 2).tolist()
    [[[1.0, 2.0], [3.0, 4.0]]]
    """
    x: Any = operand(input, "pixel_shuffle")
    (r,) = whole_numbers(upscale_factor, 1, "pixel_shuffle(upscale_factor)", 1)
    if x.ndim < 3 or x.shape[-3] % (r * r):
        raise _no_squares("pixel_shuffle", f"(…, C · {r * r}, H, W)", x)
    *lead, c, h, w = x.shape
    k = len(lead)
    x = reshape(x, shape=(*lead, c // (r * r), r, r, h, w))
    x = permute_dims(x, axes=(*range(k + 1), k + 3, k + 1, k + 4, k + 2))
    y: Tensor = reshape(x, shape=(*lead, c // (r * r), h * r, w * r))
    return y


def pixel_unshuffle(input: Tensor | ArrayLike, downscale_factor: int) -> Tensor:
    """Return smaller images of more channels: the inverse of `pixel_shuffle`.

    Parameters
    ----------
    input : (..., channels, height · r, width · r)
        The images.
    downscale_factor
        The side r of a square, >= 1.

    Returns
    -------
    (..., channels · r², height, width)
        The smaller images.

    Raises
    ------
    OptionError
        If ``downscale_factor`` is no positive integer.
    SizeError
        If ``input`` has fewer than three axes, or r does not divide its height and width.

    See Also
    --------
    pixel_shuffle, gradwalk.nn.PixelUnshuffle

    Examples
    --------
    >>> pixel_unshuffle([[[1.0, 2.0], [3.0, 4.0]]], 2).tolist()
    [[[1.0]], [[2.0]], [[3.0]], [[4.0]]]
    """
    x: Any = operand(input, "pixel_unshuffle")
    (r,) = whole_numbers(downscale_factor, 1, "pixel_unshuffle(downscale_factor)", 1)
    if x.ndim < 3 or x.shape[-1] % r or x.shape[-2] % r:
        raise _no_squares("pixel_unshuffle", f"(…, C, H · {r}, W · {r})", x)
    *lead, c, h, w = x.shape
    k = len(lead)
    x = reshape(x, shape=(*lead, c, h // r, r, w // r, r))
    x = permute_dims(x, axes=(*range(k + 1), k + 2, k + 4, k + 1, k + 3))
    y: Tensor = reshape(x, shape=(*lead, c * r * r, h // r, w // r))
    return y


def _no_squares(where: str, expected: str, x: Any) -> SizeError:
    return SizeError(
        where=f"{where}(input)",
        expected=expected,
        got=f"shape {x.shape}",
        fix="Choose a factor that divides the axes.",
    )


class PixelShuffle(Module):
    """Channels as pixels: larger images of fewer channels.

    Parameters
    ----------
    upscale_factor
        The side r of the square of pixels that r² channels become, >= 1.

    Raises
    ------
    OptionError
        If ``upscale_factor`` is no positive integer (in the call).
    SizeError
        If r² does not divide the channels (in the call).

    Shape
    -----
    input : (..., channels · r², height, width)
    y : (..., channels, height · r, width · r)

    See Also
    --------
    gradwalk.nn.functional.pixel_shuffle, PixelUnshuffle

    References
    ----------
    Shi and others, Real-time single image and video super-resolution using an efficient sub-pixel
    convolutional neural network (2016).

    Examples
    --------
    >>> PixelShuffle(2)
    PixelShuffle(upscale_factor=2)
    """

    upscale_factor: int

    def __init__(self, upscale_factor: int) -> None:
        self.upscale_factor = upscale_factor

    def forward(self, input: Tensor | ArrayLike) -> Tensor:
        """Return the larger images."""
        return pixel_shuffle(input, self.upscale_factor)

    def extra_repr(self) -> str:
        """Return the factor."""
        return f"upscale_factor={self.upscale_factor}"


class PixelUnshuffle(Module):
    """Pixels as channels: smaller images of more channels.

    Parameters
    ----------
    downscale_factor
        The side r of the square of pixels that become r² channels, >= 1.

    Raises
    ------
    OptionError
        If ``downscale_factor`` is no positive integer (in the call).
    SizeError
        If r does not divide height and width (in the call).

    Shape
    -----
    input : (..., channels, height · r, width · r)
    y : (..., channels · r², height, width)

    See Also
    --------
    gradwalk.nn.functional.pixel_unshuffle, PixelShuffle

    Examples
    --------
    >>> PixelUnshuffle(2)
    PixelUnshuffle(downscale_factor=2)
    """

    downscale_factor: int

    def __init__(self, downscale_factor: int) -> None:
        self.downscale_factor = downscale_factor

    def forward(self, input: Tensor | ArrayLike) -> Tensor:
        """Return the smaller images."""
        return pixel_unshuffle(input, self.downscale_factor)

    def extra_repr(self) -> str:
        """Return the factor."""
        return f"downscale_factor={self.downscale_factor}"
