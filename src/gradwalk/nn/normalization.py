"""Layers that normalise: they keep numbers in a range in which networks train well."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, ClassVar, SupportsIndex

import numpy as np

from ..core.expect import as_float, describe
from ..errors import SizeError
from ..levels.programs import recorder
from ..tensor.functions.arguments import shape_of
from ..tensor.functions.normalization import batch_norm, layer_norm, rms_norm
from ..tensor.graph.tensor import Tensor
from .initial import float_dtype, parameter, size
from .modules.module import Module

if TYPE_CHECKING:
    from numpy.typing import DTypeLike

    from ..tensor.functions.types import ArrayLike

__all__ = ["BatchNorm1d", "BatchNorm2d", "LayerNorm", "RMSNorm"]


class _BatchNorm(Module):
    """The base of normalisations over the batch."""

    shapes: ClassVar[dict[int, str]] = {}
    momentum: float | None
    affine: bool
    track_running_stats: bool

    def __init__(
        self,
        num_features: int,
        eps: float = 1e-5,
        momentum: float | None = 0.1,
        affine: bool = True,
        track_running_stats: bool = True,
        *,
        bias: bool = True,
        dtype: DTypeLike | None = None,
    ) -> None:
        name = type(self).__name__
        self.num_features: int = size(num_features, f"{name}(num_features)")
        self.eps: float = as_float(eps, f"{name}(eps)")
        self.momentum = None if momentum is None else as_float(momentum, f"{name}(momentum)")
        self.affine, self.track_running_stats = affine, track_running_stats
        kind, shape = float_dtype(dtype, f"{name}(dtype)"), (self.num_features,)
        self.weight: Tensor | None = parameter(np.ones(shape), kind) if affine else None
        self.bias: Tensor | None = parameter(np.zeros(shape), kind) if affine and bias else None
        tracked = track_running_stats
        self.register_buffer("running_mean", Tensor(np.zeros(shape), kind) if tracked else None)
        self.register_buffer("running_var", Tensor(np.ones(shape), kind) if tracked else None)
        self.register_buffer("num_batches_tracked", Tensor(0) if tracked else None)

    running_mean: Tensor | None
    running_var: Tensor | None
    num_batches_tracked: Tensor | None

    def forward(self, x: Tensor | ArrayLike) -> Tensor:
        """Return x with mean 0 and variance 1 in every channel, scaled and shifted."""
        data: Any = x
        shape = tuple(data.shape) if hasattr(data, "shape") else np.shape(data)
        if len(shape) not in self.shapes:
            raise SizeError(
                where=type(self).__name__,
                expected=" or ".join(self.shapes.values()),
                got=f"shape {shape}" if hasattr(x, "shape") else describe(x),
                fix="Insert the missing axes: channels are axis 1.",
            )
        if shape[1] != self.num_features:
            raise SizeError(
                where=type(self).__name__,
                expected=f"{self.num_features} channels on axis 1",
                got=f"shape {shape}",
                fix=f"Write {type(self).__name__}({shape[1]}), or pass one with as many channels.",
            )
        training = self.training or not self.track_running_stats
        running = (self.running_mean, self.running_var)
        momentum = self._count() if self.training and self.track_running_stats else 0.0
        y: Tensor = batch_norm(x, *running, self.weight, self.bias, training, momentum, self.eps)
        return y

    def _count(self) -> Any:
        """Count one more batch. Return its weight in the running statistics."""
        assert self.num_batches_tracked is not None
        program = recorder()
        if program is not None and program.captures(self.num_batches_tracked):
            count = program.tracer_of(self.num_batches_tracked) + 1
            program.updates.assign(self.num_batches_tracked, count)
            return 1.0 / count if self.momentum is None else self.momentum
        self.num_batches_tracked.data = self.num_batches_tracked.data + 1
        if self.momentum is None:  # the mean of all batches so far
            return 1.0 / float(self.num_batches_tracked.data)
        return self.momentum

    def extra_repr(self) -> str:
        """Return the options."""
        return (
            f"{self.num_features}, eps={self.eps}, momentum={self.momentum}, affine={self.affine}, "
            f"bias={self.bias is not None}, track_running_stats={self.track_running_stats}"
        )


class BatchNorm1d(_BatchNorm):
    """Batch normalisation of rows of features or of signals.

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
    x, y : (batch, num_features) or (batch, num_features, length)
    weight, bias : (num_features,)
    running_mean, running_var : (num_features,)

    See Also
    --------
    gradwalk.batch_norm, LayerNorm, InstanceNorm1d

    Examples
    --------
    >>> from gradwalk import Tensor
    >>> layer = BatchNorm1d(1, eps=0.0)
    >>> layer(Tensor([[1.0], [3.0]])).tolist(), layer.running_mean.tolist()
    ([[-1.0], [1.0]], [0.2])
    """

    shapes: ClassVar[dict[int, str]] = {2: "(batch, channels)", 3: "(batch, channels, length)"}


class BatchNorm2d(_BatchNorm):
    """Batch normalisation of images.

        y = w (x - x̄) / √(σ² + ε) + b

    In training, x̄ and σ² are computed from the batch, for each channel, and ``running_mean`` and
    ``running_var`` move towards them. After `eval` the running statistics replace x̄ and σ². w
    starts at 1 and b at 0.

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
    x, y : (batch, num_features, height, width)
    weight, bias : (num_features,)
    running_mean, running_var : (num_features,)

    See Also
    --------
    gradwalk.batch_norm, GroupNorm, InstanceNorm2d

    References
    ----------
    Ioffe and Szegedy, Batch normalization: accelerating deep network training by reducing internal
    covariate shift (2015).

    Examples
    --------
    >>> sorted(BatchNorm2d(3).state_dict())
    ['bias', 'num_batches_tracked', 'running_mean', 'running_var', 'weight']
    """

    shapes: ClassVar[dict[int, str]] = {4: "(batch, channels, height, width)"}


# --- over the features ----------------------------------------------------------------------------


class LayerNorm(Module):
    """Each example with mean 0 and variance 1 over its last axes, then scaled and shifted.

        y = w (x - x̄) / √(σ² + ε) + b

    w starts at 1 and b at 0.

    Parameters
    ----------
    normalized_shape
        The shape of the last axes, over which each example is normalised, or the length of the
        last one.
    eps
        Added to the variances before the root: the ε of the formula, >= 0.
    elementwise_affine
        Whether there are w and b; if not, ``layer.weight`` and ``layer.bias`` are ``None``.
    bias
        Whether there is b beside w.
    dtype
        The floating dtype of the parameters, of 64 bits at most; float64 if ``None`` (PyTorch's
        default is float32).

    Raises
    ------
    OptionError
        If ``normalized_shape`` is no shape, or ``dtype`` no floating dtype.
    NotANumberError
        If ``eps`` is no number.
    SizeError
        If the last axes of x have another shape (in the call).

    Shape
    -----
    x, y : (..., *normalized_shape)
    weight, bias : the shape normalized_shape

    See Also
    --------
    gradwalk.layer_norm, RMSNorm, GroupNorm

    References
    ----------
    Ba, Kiros and Hinton, Layer normalization (2016).

    Examples
    --------
    >>> from gradwalk import Tensor
    >>> LayerNorm(2, eps=0.0)(Tensor([[1.0, 3.0]])).tolist()
    [[-1.0, 1.0]]
    """

    normalized_shape: tuple[int, ...]
    elementwise_affine: bool
    eps: float
    bias: Tensor | None

    def __init__(
        self,
        normalized_shape: SupportsIndex | Sequence[SupportsIndex],
        eps: float = 1e-5,
        elementwise_affine: bool = True,
        bias: bool = True,
        *,
        dtype: DTypeLike | None = None,
    ) -> None:
        self.normalized_shape = shape_of(normalized_shape, "LayerNorm(normalized_shape)")
        self.eps, self.elementwise_affine = as_float(eps, "LayerNorm(eps)"), elementwise_affine
        kind, shape = float_dtype(dtype, "LayerNorm(dtype)"), self.normalized_shape
        self.weight: Tensor | None = parameter(np.ones(shape), kind) if elementwise_affine else None
        self.bias = parameter(np.zeros(shape), kind) if elementwise_affine and bias else None

    def forward(self, x: Tensor | ArrayLike) -> Tensor:
        """Return x, normalised over its last axes."""
        y: Tensor = layer_norm(x, self.normalized_shape, self.weight, self.bias, self.eps)
        return y

    def extra_repr(self) -> str:
        """Return the options."""
        options = f"eps={self.eps}, elementwise_affine={self.elementwise_affine}"
        return f"{self.normalized_shape}, {options}, bias={self.bias is not None}"


class RMSNorm(Module):
    """Each example with mean square 1 over its last axes, then scaled.

        y = w x / √(mean(x²) + ε)

    w starts at 1.

    Parameters
    ----------
    normalized_shape
        The shape of the last axes, over which each example is normalised, or the length of the
        last one.
    eps
        Added to the mean squares before the root: the ε of the formula. ``None`` is the
        distance from 1 to the next number of the dtype of x.
    elementwise_affine
        Whether there is w; if not, ``layer.weight`` is ``None``.
    dtype
        The floating dtype of the parameters, of 64 bits at most; float64 if ``None`` (PyTorch's
        default is float32).

    Raises
    ------
    OptionError
        If ``normalized_shape`` is no shape, or ``dtype`` no floating dtype.
    NotANumberError
        If ``eps`` is no number.
    SizeError
        If the last axes of x have another shape (in the call).

    Shape
    -----
    x, y : (..., *normalized_shape)
    weight : the shape normalized_shape

    See Also
    --------
    gradwalk.rms_norm, LayerNorm

    References
    ----------
    Zhang and Sennrich, Root mean square layer normalization (2019).

    Examples
    --------
    >>> from gradwalk import Tensor
    >>> RMSNorm(2)(Tensor([[3.0, 3.0]])).tolist()
    [[1.0, 1.0]]
    """

    normalized_shape: tuple[int, ...]
    elementwise_affine: bool
    eps: float | None

    def __init__(
        self,
        normalized_shape: SupportsIndex | Sequence[SupportsIndex],
        eps: float | None = None,
        elementwise_affine: bool = True,
        *,
        dtype: DTypeLike | None = None,
    ) -> None:
        self.normalized_shape = shape_of(normalized_shape, "RMSNorm(normalized_shape)")
        self.eps = None if eps is None else as_float(eps, "RMSNorm(eps)")
        self.elementwise_affine = elementwise_affine
        ones = np.ones(self.normalized_shape)
        kind = float_dtype(dtype, "RMSNorm(dtype)")
        self.weight: Tensor | None = parameter(ones, kind) if elementwise_affine else None

    def forward(self, x: Tensor | ArrayLike) -> Tensor:
        """Return x, normalised over its last axes."""
        y: Tensor = rms_norm(x, self.normalized_shape, self.weight, self.eps)
        return y

    def extra_repr(self) -> str:
        """Return the options."""
        options = f"eps={self.eps}, elementwise_affine={self.elementwise_affine}"
        return f"{self.normalized_shape}, {options}"
