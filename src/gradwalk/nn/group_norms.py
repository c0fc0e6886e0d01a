"""Normalisation over groups of channels, and over each channel of each example."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from ..core.expect import as_float
from ..errors import OptionError, SizeError
from ..ops.array.structure import reshape
from ..tensor.functions.arguments import operand
from ..tensor.functions.normalization import layer_norm
from ..tensor.graph.tensor import Tensor
from .initial import float_dtype, parameter, size
from .modules.module import Module
from .normalization import BatchNorm2d

if TYPE_CHECKING:
    from numpy.typing import DTypeLike

    from ..tensor.functions.types import ArrayLike

__all__ = ["BatchNorm3d", "GroupNorm", "InstanceNorm1d", "InstanceNorm2d", "InstanceNorm3d"]
__all__ += ["group_norm", "instance_norm"]


def group_norm(
    input: Tensor | ArrayLike,
    num_groups: int,
    weight: Tensor | ArrayLike | None = None,
    bias: Tensor | ArrayLike | None = None,
    eps: float = 1e-5,
) -> Tensor:
    """Return x with mean 0 and variance 1 over each group of channels of each example.

        y = w (x - x̄) / √(σ² + ε) + b

    Parameters
    ----------
    input : (batch, channels, ...)
        The x of the formula.
    num_groups
        Into how many groups the channels are split, >= 1; a divisor of their number.
    weight, bias : (channels,), optional
        The w and b of the formula.
    eps
        Added to the variances before the root: the ε of the formula.

    Returns
    -------
    (batch, channels, ...)
        The normalised numbers, in the shape of ``input``.

    Raises
    ------
    OptionError
        If ``num_groups`` is no positive integer.
    SizeError
        If ``input`` has fewer than two axes, its channels cannot be split, or ``weight`` or
        ``bias`` has another length.
    NotANumberError
        If ``eps`` is no number.

    See Also
    --------
    instance_norm, layer_norm, gradwalk.nn.GroupNorm

    References
    ----------
    Wu and He, Group normalization (2018).

    Examples
    --------
    >>> group_norm([[[1.0], [3.0]]], 1, eps=0.0).tolist()
    [[[-1.0], [1.0]]]
    """
    x: Any = operand(input, "group_norm")
    groups, eps = size(num_groups, "group_norm(num_groups)"), as_float(eps, "group_norm(eps)")
    if x.ndim < 2 or x.shape[1] % groups:
        raise SizeError(
            where="group_norm(input)",
            expected=f"(N, C, …) with C divisible by {groups}",
            got=f"shape {x.shape}",
            fix="Put channels on axis 1, or choose another number of groups.",
        )
    length = int(np.prod(x.shape[1:])) // groups
    y: Any = reshape(x, shape=(x.shape[0], groups, length))
    y = reshape(layer_norm(y, length, None, None, eps), shape=x.shape)
    for given, name in ((weight, "weight"), (bias, "bias")):
        if given is not None:
            part = reshape(operand(given, f"group_norm({name})"), shape=(-1, *(1,) * (x.ndim - 2)))
            y = y * part if name == "weight" else y + part
    return y  # type: ignore[no-any-return]


def instance_norm(
    input: Tensor | ArrayLike,
    weight: Tensor | ArrayLike | None = None,
    bias: Tensor | ArrayLike | None = None,
    eps: float = 1e-5,
) -> Tensor:
    """Return x with mean 0 and variance 1 over each channel of each example: a group for each.

        y = w (x - x̄) / √(σ² + ε) + b

    Parameters
    ----------
    input : (batch, channels, ...)
        The x of the formula.
    weight, bias : (channels,), optional
        The w and b of the formula.
    eps
        Added to the variances before the root: the ε of the formula.

    Returns
    -------
    (batch, channels, ...)
        The normalised numbers, in the shape of ``input``.

    Raises
    ------
    SizeError
        If ``input`` has fewer than two axes, or ``weight`` or ``bias`` has another length.
    NotANumberError
        If ``eps`` is no number.

    See Also
    --------
    group_norm, gradwalk.nn.InstanceNorm2d

    References
    ----------
    Ulyanov, Vedaldi and Lempitsky, Instance normalization: the missing ingredient for fast
    stylization (2016).

    Examples
    --------
    >>> instance_norm([[[1.0, 3.0]]], eps=0.0).tolist()
    [[[-1.0, 1.0]]]
    """
    x: Any = operand(input, "instance_norm")
    return group_norm(x, x.shape[1] if x.ndim > 1 else 1, weight, bias, eps)


class GroupNorm(Module):
    """Groups of channels of each example with mean 0 and variance 1, then scaled and shifted.

        y = w (x - x̄) / √(σ² + ε) + b

    w starts at 1 and b at 0.

    Parameters
    ----------
    num_groups
        Into how many groups the channels are split: 1 for all together, ``num_channels`` for
        each alone.
    num_channels
        The number of channels of x, axis 1; a multiple of ``num_groups``.
    eps
        Added to the variances before the root: the ε of the formula, >= 0.
    affine
        Whether there are w and b; if not, ``layer.weight`` and ``layer.bias`` are ``None``.
    bias
        Whether there is b beside w.
    dtype
        The floating dtype of the parameters, of 64 bits at most; float64 if ``None`` (PyTorch's
        default is float32).

    Raises
    ------
    OptionError
        If a number is no positive integer, ``num_groups`` no divisor of ``num_channels``, or
        ``dtype`` no floating dtype.
    NotANumberError
        If ``eps`` is no number.
    SizeError
        If x has another number of channels (in the call).

    Shape
    -----
    input, y : (batch, num_channels, ...)
    weight, bias : (num_channels,)

    See Also
    --------
    gradwalk.nn.functional.group_norm, LayerNorm, InstanceNorm2d

    References
    ----------
    Wu and He, Group normalization (2018).

    Examples
    --------
    >>> GroupNorm(2, 4)
    GroupNorm(2, 4, eps=1e-05, affine=True, bias=True)
    """

    affine: bool
    eps: float

    def __init__(
        self,
        num_groups: int,
        num_channels: int,
        eps: float = 1e-5,
        affine: bool = True,
        *,
        bias: bool = True,
        dtype: DTypeLike | None = None,
    ) -> None:
        self.num_groups: int = size(num_groups, "GroupNorm(num_groups)")
        self.num_channels: int = size(num_channels, "GroupNorm(num_channels)")
        if self.num_channels % self.num_groups:
            raise OptionError(
                where="GroupNorm(num_groups)",
                expected=f"a divisor of {self.num_channels} channels",
                got=str(self.num_groups),
                fix="Pass 1 for all channels together, num_channels for each alone.",
            )
        self.eps, self.affine = as_float(eps, "GroupNorm(eps)"), affine
        kind = float_dtype(dtype, "GroupNorm(dtype)")
        shape = (self.num_channels,)
        self.weight: Tensor | None = parameter(np.ones(shape), kind) if affine else None
        self.bias: Tensor | None = parameter(np.zeros(shape), kind) if affine and bias else None

    def forward(self, input: Tensor | ArrayLike) -> Tensor:
        """Return x, normalised over groups of channels."""
        return group_norm(input, self.num_groups, self.weight, self.bias, self.eps)

    def extra_repr(self) -> str:
        """Return the options."""
        text = f"{self.num_groups}, {self.num_channels}, eps={self.eps}, affine={self.affine}"
        return f"{text}, bias={self.bias is not None}"


class BatchNorm3d(BatchNorm2d):
    """Batch normalisation of volumes.

        y = w (x - x̄) / √(σ² + ε) + b

    In training, x̄ and σ² are computed from the batch; after `eval` the running statistics replace
    them, as in `BatchNorm2d`.

    Parameters
    ----------
    num_features
        The number of channels of x, axis 1, >= 1.
    eps
        Added to the variances before the root: the ε of the formula, >= 0.
    momentum
        The part of the way that running statistics move towards the statistics of each batch;
        ``None`` makes them the means over all batches.
    affine
        Whether there are w and b; if not, ``layer.weight`` and ``layer.bias`` are ``None``.
    track_running_stats
        Whether running statistics are kept and used after `eval`; if not, the statistics of the
        batch are used there, too.
    bias
        Whether there is b beside w.
    dtype
        The floating dtype of the parameters, of 64 bits at most; float64 if ``None`` (PyTorch's
        default is float32).

    Raises
    ------
    OptionError
        If ``num_features`` is no positive integer, or ``dtype`` no floating dtype.
    NotANumberError
        If ``eps`` or ``momentum`` is no number.
    SizeError
        If x has other axes or channels, or, in training, a single number for each channel (in
        the call).

    Shape
    -----
    x, y : (batch, num_features, depth, height, width)
    weight, bias : (num_features,)
    running_mean, running_var : (num_features,)

    See Also
    --------
    gradwalk.batch_norm, BatchNorm2d

    Examples
    --------
    >>> BatchNorm3d(2).num_features
    2
    """

    shapes: ClassVar[dict[int, str]] = {5: "(batch, channels, depth, height, width)"}


class InstanceNorm2d(BatchNorm2d):
    """Each channel of each image with mean 0 and variance 1.

        y = w (x - x̄) / √(σ² + ε) + b

    Parameters
    ----------
    num_features
        The number of channels of x, >= 1.
    eps
        Added to the variances before the root: the ε of the formula, >= 0.
    momentum
        The part of the way that running statistics move towards the statistics of each batch;
        ``None`` makes them the means over all batches.
    affine
        Whether there are w and b; by default there are none.
    track_running_stats
        Whether running statistics are kept and used after `eval`; by default each example is
        normalised by its own.
    bias
        Whether there is b beside w, with ``affine``.
    dtype
        The floating dtype of the parameters, of 64 bits at most; float64 if ``None`` (PyTorch's
        default is float32).

    Raises
    ------
    OptionError
        If ``num_features`` is no positive integer, or ``dtype`` no floating dtype.
    NotANumberError
        If ``eps`` or ``momentum`` is no number.
    SizeError
        If x has other axes or channels (in the call).

    Shape
    -----
    x, y : (batch, num_features, height, width), or without batch
    weight, bias : (num_features,)

    See Also
    --------
    gradwalk.nn.functional.instance_norm, BatchNorm2d, GroupNorm

    References
    ----------
    Ulyanov, Vedaldi and Lempitsky, Instance normalization: the missing ingredient for fast
    stylization (2016).

    Examples
    --------
    >>> InstanceNorm2d(3).num_parameters()
    0
    """

    def __init__(
        self,
        num_features: int,
        eps: float = 1e-5,
        momentum: float | None = 0.1,
        affine: bool = False,
        track_running_stats: bool = False,
        *,
        bias: bool = True,
        dtype: DTypeLike | None = None,
    ) -> None:
        options = (eps, momentum, affine, track_running_stats)
        super().__init__(num_features, *options, bias=bias, dtype=dtype)

    def forward(self, x: Tensor | ArrayLike) -> Tensor:
        """Return each channel of each example with mean 0 and variance 1."""
        given: Any = operand(x, type(self).__name__)
        (axes,) = self.shapes
        single = given.ndim == axes - 1
        image = reshape(given, shape=(1, *given.shape)) if single else given
        if image.ndim != axes or image.shape[1] != self.num_features:
            raise SizeError(
                where=type(self).__name__,
                expected=f"{self.shapes[axes]} with {self.num_features} channels",
                got=f"shape {given.shape}",
                fix="Put channels on axis 1.",
            )
        if not self.training and self.track_running_stats:
            y = super().forward(image)
        else:
            y = instance_norm(image, self.weight, self.bias, self.eps)
            if self.track_running_stats:
                self._track(image)
        return y[0] if single else y

    def _track(self, image: Any) -> None:
        """Move the running statistics towards the mean of those of the examples."""
        numbers = image.detach()
        step = self._count() if self.momentum is None else self.momentum
        space = tuple(range(2, numbers.ndim))
        found = (numbers.mean(space).mean(0), numbers.var(space, correction=1).mean(0))
        for running, now in zip((self.running_mean, self.running_var), found, strict=True):
            assert running is not None
            running.data = (1.0 - step) * running.data + step * now.data


class InstanceNorm1d(InstanceNorm2d):
    """Each channel of each signal with mean 0 and variance 1.

        y = w (x - x̄) / √(σ² + ε) + b

    Parameters
    ----------
    num_features
        The number of channels of x, >= 1.
    eps
        Added to the variances before the root: the ε of the formula, >= 0.
    momentum
        The part of the way that running statistics move towards the statistics of each batch;
        ``None`` makes them the means over all batches.
    affine
        Whether there are w and b; by default there are none.
    track_running_stats
        Whether running statistics are kept and used after `eval`; by default each example is
        normalised by its own.
    bias
        Whether there is b beside w, with ``affine``.
    dtype
        The floating dtype of the parameters, of 64 bits at most; float64 if ``None`` (PyTorch's
        default is float32).

    Raises
    ------
    OptionError
        If ``num_features`` is no positive integer, or ``dtype`` no floating dtype.
    NotANumberError
        If ``eps`` or ``momentum`` is no number.
    SizeError
        If x has other axes or channels (in the call).

    Shape
    -----
    x, y : (batch, num_features, length), or without batch
    weight, bias : (num_features,)

    See Also
    --------
    gradwalk.nn.functional.instance_norm, InstanceNorm2d

    Examples
    --------
    >>> InstanceNorm1d(3).num_parameters()
    0
    """

    shapes: ClassVar[dict[int, str]] = {3: "(batch, channels, length)"}


class InstanceNorm3d(InstanceNorm2d):
    """Each channel of each volume with mean 0 and variance 1.

        y = w (x - x̄) / √(σ² + ε) + b

    Parameters
    ----------
    num_features
        The number of channels of x, >= 1.
    eps
        Added to the variances before the root: the ε of the formula, >= 0.
    momentum
        The part of the way that running statistics move towards the statistics of each batch;
        ``None`` makes them the means over all batches.
    affine
        Whether there are w and b; by default there are none.
    track_running_stats
        Whether running statistics are kept and used after `eval`; by default each example is
        normalised by its own.
    bias
        Whether there is b beside w, with ``affine``.
    dtype
        The floating dtype of the parameters, of 64 bits at most; float64 if ``None`` (PyTorch's
        default is float32).

    Raises
    ------
    OptionError
        If ``num_features`` is no positive integer, or ``dtype`` no floating dtype.
    NotANumberError
        If ``eps`` or ``momentum`` is no number.
    SizeError
        If x has other axes or channels (in the call).

    Shape
    -----
    x, y : (batch, num_features, depth, height, width), or without batch
    weight, bias : (num_features,)

    See Also
    --------
    gradwalk.nn.functional.instance_norm, InstanceNorm2d

    Examples
    --------
    >>> InstanceNorm3d(3).num_parameters()
    0
    """

    shapes: ClassVar[dict[int, str]] = {5: "(batch, channels, depth, height, width)"}
