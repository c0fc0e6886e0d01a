"""THE TABLE of arrays: kernels that slide over the last axes.

Arrays are batch × channels × space, with any number of spatial axes. In memory the channels of a
result come last: then every row of a matrix in a product is contiguous, and the bias, pooling and
activations that follow work on whole channels at once. One matrix product per block of images
applies the kernel to all windows. With 64 images of 16 channels, 32
kernels of 3×3, float32, one thread and one machine, in milliseconds:

    side  blocks of columns  all columns at once  a product per tap
       8               0.65                 0.65               1.06
      28                8.4                 12.0               13.7

The columns are not kept for the gradient: they are nine times the image, and copying them takes a
quarter of the time of the product.
"""

from __future__ import annotations

from collections.abc import Iterator
from math import prod
from typing import Final

import numpy as np
from numpy.lib.stride_tricks import as_strided

from ...core.array_primitive import ArrayPrimitive, general, linear, multilinear
from ...core.numeric import Array
from .windows import Shape, Windows, first, inner, last, padded, padded_size

BLOCK = 2**21  # bytes of columns at a time: what stays in the cache until BLAS has read it
RUN = 16  # numbers in a row below which copying window by window is slower than tap by tap


# --- a kernel on all windows ----------------------------------------------------------------------


def _columns(x: Array, how: Windows) -> Array:
    """Return a matrix with a row for every window of the padded x: the numbers under the kernel."""
    unpadded = how._replace(padding=((0, 0),) * len(how.kernel))
    lengths, channels = unpadded.lengths(x.shape[1:-1]), x.shape[-1]
    steps = [s * n for s, n in zip(how.stride, x.strides[1:-1], strict=True)]
    gaps = [d * n for d, n in zip(how.dilation, x.strides[1:-1], strict=True)]
    shape = (len(x), *lengths, *how.kernel, channels)
    view = as_strided(x, shape, (x.strides[0], *steps, *gaps, x.strides[-1]), writeable=False)
    rows, columns = len(x) * prod(lengths), prod(how.kernel) * channels
    if how.kernel[-1] * channels >= RUN:
        return view.reshape(rows, columns)
    middle = 1 + len(lengths)
    axes = (*range(middle, view.ndim), *range(middle))
    return view.transpose(axes).reshape(columns, rows).T


def _blocks(x: Array, how: Windows) -> Iterator[tuple[slice, Array]]:
    """Return the columns of some images at a time."""
    windows = how.lengths(x.shape[1:-1])
    bytes_each = prod(windows) * prod(how.kernel) * x.shape[-1] * x.itemsize
    step = max(1, BLOCK // max(1, bytes_each))
    for start in range(0, len(x), step):
        part = slice(start, start + step)
        yield part, _columns(padded(x[part], how), how)


def _groups(x: Array, groups: int, axis: int = -1) -> list[Array]:
    return [x] if groups == 1 else np.split(x, groups, axis)


def _matrix(w: Array) -> Array:
    """Return a kernel for each column, in the order of `_columns`."""
    return w.transpose(*range(2, w.ndim), 1, 0).reshape(-1, len(w))


def _convolve(x: Array, w: Array, how: Windows) -> Array:
    return _convolve_plus(x, w, None, how)


def _convolve_plus(x: Array, w: Array, b: Array | None, how: Windows) -> Array:
    lengths, each = how.lengths(x.shape[2:]), len(w) // how.groups
    dtype = np.result_type(x, w) if b is None else np.result_type(x, w, b)
    results = np.empty((how.groups, len(x), *lengths, each), dtype)
    biases = [None] * how.groups if b is None else _groups(b, how.groups)
    parts = zip(_groups(last(x), how.groups), _groups(w, how.groups, 0), biases, strict=True)
    for y, group in zip(results, parts, strict=True):
        _convolve_group(*group, how, y)
    return first(results[0] if how.groups == 1 else np.concatenate(results, axis=-1))


def _convolve_group(x: Array, w: Array, b: Array | None, how: Windows, out: Array) -> None:
    matrix, (width, each) = _matrix(w), out.shape[-2:]
    shift = None if b is None else np.tile(b, width)  # long rows are added at twice the speed
    for part, columns in _blocks(x, how):
        y = out[part]
        np.matmul(columns, matrix, out=y.reshape(-1, each))
        if shift is not None:  # in place: the memory of a second array of this size is spared
            y = y.reshape(-1, width * each)
            y += shift


def _weight(x: Array, t: Array, how: Windows) -> Array:
    """Σ over windows of what lies under the kernel times t."""
    pairs = zip(_groups(last(x), how.groups), _groups(last(t), how.groups), strict=True)
    return np.concatenate([_weight_of_group(images, part, how) for images, part in pairs])


def _weight_of_group(x: Array, t: Array, how: Windows) -> Array:
    y = np.zeros((prod(how.kernel) * x.shape[-1], t.shape[-1]), np.result_type(x, t))
    for part, columns in _blocks(x, how):
        y += columns.T @ np.ascontiguousarray(t[part]).reshape(-1, t.shape[-1])
    shaped = y.reshape(*how.kernel, x.shape[-1], t.shape[-1])
    return np.ascontiguousarray(shaped.transpose(-1, -2, *range(len(how.kernel))))


def _input(t: Array, w: Array, how: Windows, size: Shape) -> Array:
    """t, each number times its kernel, added where the window lay."""
    swept = how.swept()
    if swept is None:
        return _input_by_taps(t, w, how, size)
    return _convolve(t, _turned(w, how), swept)


def _turned(w: Array, how: Windows) -> Array:
    """Return the mirrored kernels, with input and output channels exchanged."""
    space = tuple(range(2, w.ndim))
    parts = [part.swapaxes(0, 1) for part in _groups(np.flip(w, space), how.groups, 0)]
    return parts[0] if how.groups == 1 else np.concatenate(parts)


def _input_by_taps(t: Array, w: Array, how: Windows, size: Shape) -> Array:
    """Compute the contribution for dilated windows: one product for each number of the kernel."""
    each = w.shape[1]
    space = padded_size(size, how)
    y = np.zeros((len(t), *space, each * how.groups), np.result_type(t, w))
    parts = zip(_groups(last(t), how.groups), _groups(w, how.groups, 0), strict=True)
    for group, (seeds, kernels) in enumerate(parts):
        seeds = np.ascontiguousarray(seeds)
        channels = slice(group * each, (group + 1) * each)
        taps = zip(how.taps(size), kernels.reshape(*kernels.shape[:2], -1).T, strict=True)
        for place, kernel in taps:
            y[*place, channels] += seeds @ kernel.T
    return first(inner(y, size, how))


# --- primitives -----------------------------------------------------------------------------------


def _channel_sum(x: Array) -> Array:
    """By a product with ones, if memory allows: BLAS adds along columns 15 times as fast."""
    rows = last(x)
    if not rows.flags.c_contiguous:
        return np.asarray(np.add.reduce(x, axis=(0, *range(2, x.ndim))))
    flat = rows.reshape(-1, rows.shape[-1])
    return np.asarray(np.ones(len(flat), x.dtype) @ flat)


def _at_all_places(x: Array, shape: Shape) -> Array:
    return np.broadcast_to(x.reshape(-1, *(1,) * (len(shape) - 2)), shape)


# fmt: off
# conv, conv_input and conv_weight are derivatives of one trilinear form, hence of each other.
conv: Final = multilinear("conv",
    lambda t, y, x, w, how: conv_input(t, w, how=how, size=x.shape[2:]),
    lambda t, y, x, w, how: conv_weight(x, t, how=how),
    forward=_convolve, params="x weight", tex=r"x \star w",
    summary="Correlation of x with kernels, over the axes of space")
conv_bias: Final = general("conv_bias",
    lambda t, y, x, w, b, how: conv_input(t, w, how=how, size=x.shape[2:]),
    lambda t, y, x, w, b, how: conv_weight(x, t, how=how),
    lambda t, y, x, w, b, how: channel_sum(t),
    forward=_convolve_plus, params="x weight bias", tex=r"x \star w + b",
    summary="Correlation of x with kernels, plus a bias per channel")
conv_input: ArrayPrimitive = multilinear("conv_input",
    lambda t, y, a, w, how, size: conv(t, w, how=how),
    lambda t, y, a, w, how, size: conv_weight(t, a, how=how),
    forward=_input, params="a weight", tex=r"a * w",
    summary="Transposed convolution: conv as it goes back to x")
conv_weight: ArrayPrimitive = multilinear("conv_weight",
    lambda t, y, x, a, how: conv_input(a, t, how=how, size=x.shape[2:]),
    lambda t, y, x, a, how: conv(x, t, how=how), forward=_weight, params="x a", tex=r"x \star a",
    summary="Correlation of x with a result: conv as it goes back to w")

channel_sum: ArrayPrimitive = linear(
    "channel_sum", lambda t, y, x: channel_spread(t, shape=x.shape),
    forward=_channel_sum, tex=r"\sum_{n, k} x_{n c k}",
    summary="Sum over all but the channels, axis 1")
channel_spread: ArrayPrimitive = linear("channel_spread", lambda t, y, x, shape: channel_sum(t),
    forward=_at_all_places, tex=r"x_c", summary="A number for each channel, at all its places")
