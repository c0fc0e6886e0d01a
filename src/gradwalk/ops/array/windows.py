"""Windows that slide over the last axes of an array, and how arrays lie in memory for them."""

from __future__ import annotations

from functools import lru_cache
from itertools import product
from typing import Any, NamedTuple

import numpy as np

from ...core.numeric import Array

__all__ = ["Windows", "first", "inner", "last", "padded", "padded_size"]

Shape = tuple[int, ...]


class Windows(NamedTuple):
    """Kernel size, stride, padding and dilation: one number or pair for each spatial axis."""

    kernel: Shape
    stride: Shape
    padding: tuple[tuple[int, int], ...]
    dilation: Shape
    groups: int = 1

    @property
    def spans(self) -> Shape:
        """How much room the kernel takes, gaps included."""
        return tuple(d * (k - 1) + 1 for k, d in zip(self.kernel, self.dilation, strict=True))

    @lru_cache(256)  # noqa: B019  (a tuple of numbers: it holds nothing alive)
    def lengths(self, size: Shape) -> Shape:
        """How many windows there are along each axis."""
        axes = zip(size, self.padding, self.spans, self.stride, strict=True)
        return tuple((n + sum(pad) - span) // s + 1 for n, pad, span, s in axes)

    @lru_cache(256)  # noqa: B019  (a tuple of numbers: it holds nothing alive)
    def taps(self, size: Shape) -> list[tuple[slice, ...]]:
        """For each number of the kernel: what it meets in a padded array with channels last."""
        lengths, places = self.lengths(size), []
        for tap in product(*map(range, self.kernel)):
            axes = zip(tap, self.dilation, self.stride, lengths, strict=True)
            places.append(tuple([slice(i * d, i * d + (n - 1) * s + 1, s) for i, d, s, n in axes]))
        return [(slice(None), *place) for place in places]

    @property
    def overlap(self) -> bool:
        """Return whether windows overlap."""
        return any(s < span for s, span in zip(self.stride, self.spans, strict=True))

    def swept(self) -> Windows | None:
        """Return the windows of the convolution that leads back to the input, if one does."""
        pads = zip(self.padding, self.spans, strict=True)
        padding = tuple((span - 1 - left, span - 1 - right) for (left, right), span in pads)
        if max(self.stride) > 1 or min(map(min, padding)) < 0:
            return None
        return self._replace(padding=padding)


# --- arrays with the channels last ----------------------------------------------------------------


def last(x: Array) -> Array:
    """Move the channels behind the spatial axes."""
    return x.transpose(0, *range(2, x.ndim), 1)


def first(x: Array) -> Array:
    """Move the channels in front of the spatial axes."""
    return x.transpose(0, x.ndim - 1, *range(1, x.ndim - 1))


def padded(x: Array, how: Windows, fill: Any = 0) -> Array:
    """x, contiguous, with the padding around it."""
    if not any(map(any, how.padding)):
        return np.ascontiguousarray(x)
    y = np.full((len(x), *padded_size(x.shape[1:-1], how), x.shape[-1]), fill, x.dtype)
    inner(y, x.shape[1:-1], how)[...] = x
    return y


def inner(x: Array, size: Shape, how: Windows) -> Array:
    """Return a view of x without its padding."""
    axes = zip(size, how.padding, strict=True)
    return x[:, *[slice(left, left + n) for n, (left, _) in axes]]


def padded_size(size: Shape, how: Windows) -> Shape:
    """Return x with padding on its spatial axes."""
    return tuple(n + sum(pad) for n, pad in zip(size, how.padding, strict=True))
