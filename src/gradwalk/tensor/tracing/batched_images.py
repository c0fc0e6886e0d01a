"""Batching rules of primitives on images: convolution, pooling and channels.

Images are a stack already. If only the images differ between the examples, their stacks are joined
end to end. If kernels differ as well, the examples become groups of channels.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ...core.array_primitive import ArrayPrimitive
from ...core.primitive import Primitive
from ...levels.vmap import VmapLevel
from ...ops.array import convolution as primitives
from ...ops.array import pooling
from ...ops.array.reduction import sum
from ...ops.array.structure import broadcast_to, permute_dims, reshape
from ..functions.types import Operand
from .batched_arguments import full

__all__ = ["RULES"]


def stack_rule(batch: Any, primitive: Any, args: Sequence[Any], options: dict[str, Any]) -> Any:
    """Return the images of all examples in one stack."""
    number = args[0].shape[0]

    def apart(y: Operand) -> Operand:
        return reshape(y, shape=(batch.size, number, *y.shape[1:]))

    y = primitive(*[_behind_each_other(full(batch, a)) for a in args], **options)
    return tuple(map(apart, y)) if type(y) is tuple else apart(y)


def _behind_each_other(a: Any) -> Any:
    return reshape(a, shape=(a.shape[0] * a.shape[1], *a.shape[2:]))


def _side_by_side(a: Any) -> Any:
    """Return the channels of all examples as channels of one image."""
    # images in front, because a group is a run of neighbouring channels: those of one example
    a = permute_dims(a, axes=(1, 0, *range(2, a.ndim)))
    return reshape(a, shape=(a.shape[0], a.shape[1] * a.shape[2], *a.shape[3:]))


def _group(batch: Any, options: dict[str, Any]) -> dict[str, Any]:
    how = options["how"]
    return {**options, "how": how._replace(groups=how.groups * batch.size)}


def conv_rule(batch: Any, primitive: Any, args: Sequence[Any], options: dict[str, Any]) -> Operand:
    """Convolve images with kernels. If each example has its own kernels, examples become groups."""
    x, weight = args
    if not batch.owns(weight):  # more images for the same kernels
        return stack_rule(batch, lambda x, **how: primitive(x, weight, **how), [x], options)
    # one call with groups instead of a call per example: each group has its own kernels
    images, kernels = _side_by_side(full(batch, x)), _behind_each_other(full(batch, weight))
    y = primitive(images, kernels, **_group(batch, options))
    y = reshape(y, shape=(y.shape[0], batch.size, y.shape[1] // batch.size, *y.shape[2:]))
    return permute_dims(y, axes=(1, 0, *range(2, y.ndim)))


def kernel_rule(
    batch: Any, primitive: Primitive, args: Sequence[Any], options: dict[str, Any]
) -> Operand:
    """Return the gradient of kernels from pairs of images, with examples as groups."""
    y = primitive(*[_side_by_side(full(batch, a)) for a in args], **_group(batch, options))
    return reshape(y, shape=(batch.size, y.shape[0] // batch.size, *y.shape[1:]))


def bias_rule(batch: Any, primitive: Any, args: Sequence[Any], options: dict[str, Any]) -> Operand:
    """Convolve with a bias, in one call if all examples share kernels and biases."""
    x, weight, bias = args
    # the primitive with a bias takes kernels and biases that all examples share
    if batch.owns(weight) or batch.owns(bias):
        y = primitives.conv(x, weight, **options)
        return y + reshape(bias, shape=(-1, *(1,) * (y.ndim - 2)))
    return stack_rule(batch, lambda x, **how: primitive(x, weight, bias, **how), [x], options)


def channel_sum_rule(
    batch: Any, primitive: Primitive, args: Sequence[Any], options: dict[str, Any]
) -> Operand:
    """Sum over all axes but the channels, as an ordinary sum."""
    (x,) = args
    return sum(x, axis=(0, *range(2, x.ndim)), keepdims=False)  # which has a batching rule already


def channel_spread_rule(
    batch: VmapLevel, primitive: ArrayPrimitive, args: Sequence[Any], options: dict[str, Any]
) -> Operand:
    """Repeat a number per channel, as an ordinary broadcast."""
    (x,), shape = args, options["shape"]
    return broadcast_to(reshape(x, shape=(x.size, *(1,) * (len(shape) - 2))), shape=shape)


_WINDOWS = [pooling.max_pool, pooling.window_pick, pooling.window_put]
_WINDOWS += [pooling.window_sum, pooling.window_spread]

RULES: dict[Any, Any] = dict.fromkeys(_WINDOWS, stack_rule) | {
    primitives.conv: conv_rule,
    primitives.conv_input: conv_rule,
    primitives.conv_weight: kernel_rule,
    primitives.conv_bias: bias_rule,
    primitives.channel_sum: channel_sum_rule,
    primitives.channel_spread: channel_spread_rule,
}
