"""Normalisation: of each example over its features, or of each channel over the batch."""

from __future__ import annotations

from math import prod
from typing import Any

import numpy as np

from ...errors import OptionError, SizeError
from ...levels.programs import recorder
from ...ops.array import normalization as primitives
from ...ops.array.facts import plain
from ...ops.array.structure import astype, reshape
from ...ops.exponential import sqrt
from ..graph.tensor import Tensor
from ..graph.types import Shape
from .arguments import operand, shape_of
from .types import ArrayLike, Operand

__all__ = ["batch_norm", "layer_norm", "rms_norm"]
METHODS: tuple[str, ...] = ()


def layer_norm(
    input: ArrayLike,
    normalized_shape: Shape,
    weight: ArrayLike | None = None,
    bias: ArrayLike | None = None,
    eps: float = 1e-5,
) -> Tensor:
    """Normalise each example to mean 0 and variance 1 over its last axes, then scale and shift.

        y = w (x - x̄) / √(σ² + ε) + b

    Parameters
    ----------
    input : (..., *normalized_shape)
        The examples.
    normalized_shape
        The lengths of the last axes, over which mean x̄ and variance σ² are taken; an integer is
        the length of the last axis.
    weight, bias : (*normalized_shape)
        The factor w and the term b; ``None`` leaves them out.
    eps
        The term ε that keeps the square root away from 0.

    Returns
    -------
    the shape of input
        The normalised examples.

    Raises
    ------
    SizeError
        If the last axes of ``input``, or ``weight`` or ``bias``, do not have the normalised shape.
    OptionError
        If ``input`` is not of a floating dtype, or ``normalized_shape`` is not a shape.

    See Also
    --------
    gradwalk.nn.LayerNorm

    References
    ----------
    Ba, Kiros and Hinton, Layer normalization (2016).

    Examples
    --------
    >>> from gradwalk import Tensor
    >>> layer_norm(Tensor([[1.0, 3.0]]), 2, eps=0.0).tolist()
    [[-1.0, 1.0]]
    """
    x, axis, dtype = _of_features("layer_norm", input, normalized_shape, weight, bias)
    if weight is not None and bias is not None:
        w, b = operand(weight, "layer_norm(weight)"), operand(bias, "layer_norm(bias)")
        if w.dtype == b.dtype == dtype and x.size:  # the fused primitive has one dtype
            # `memo` passes mean and deviation to the rule, which would have to compute them again
            return primitives.layer(x, w, b, axis=axis, eps=float(eps), memo=[])
    y, *_ = primitives.standardize(
        x, axis=axis, eps=float(eps)
    )  # mean and variance are for `batch_norm`
    return _scale(y, weight, bias)


def rms_norm(
    input: ArrayLike,
    normalized_shape: Shape,
    weight: ArrayLike | None = None,
    eps: float | None = None,
) -> Tensor:
    """Normalise each example to mean square 1 over its last axes, then scale.

        y = w x / √(mean(x²) + ε)

    Parameters
    ----------
    input : (..., *normalized_shape)
        The examples.
    normalized_shape
        The lengths of the last axes, over which the mean square is taken; an integer is the length
        of the last axis.
    weight : (*normalized_shape)
        The factor w; ``None`` leaves it out.
    eps
        The term ε that keeps the square root away from 0; ``None`` is the distance from 1 to the
        next number of the dtype.

    Returns
    -------
    the shape of input
        The normalised examples.

    Raises
    ------
    SizeError
        If the last axes of ``input``, or ``weight``, do not have the normalised shape.
    OptionError
        If ``input`` is not of a floating dtype, or ``normalized_shape`` is not a shape.

    See Also
    --------
    gradwalk.nn.RMSNorm

    References
    ----------
    Zhang and Sennrich, Root mean square layer normalization (2019).

    Examples
    --------
    >>> from gradwalk import Tensor
    >>> rms_norm(Tensor([[3.0, 3.0]]), 2).tolist()
    [[1.0, 1.0]]
    """
    x, axis, dtype = _of_features("rms_norm", input, normalized_shape, weight, None)
    tiny = float(np.finfo(dtype).eps) if eps is None else float(eps)
    y, _ = primitives.rescale(x, axis=axis, eps=tiny)
    return _scale(y, weight, None)


def _of_features(where: str, x: Any, shape: Any, weight: Any, bias: Any) -> tuple[Any, Any, Any]:
    """Check all shapes, and return the input, its last axes and its dtype."""
    x, shape = _floating(x, where), shape_of(shape, f"{where}(normalized_shape)")
    if not shape or x.shape[-len(shape) :] != shape:
        raise SizeError(
            where=f"{where}(input)",
            expected=f"an array whose last axes are normalized_shape {shape}",
            got=f"shape {x.shape}",
            fix="Pass the lengths of the axes to normalise over, the last ones of input.",
        )
    for name, given in (("weight", weight), ("bias", bias)):
        _check_shape(f"{where}({name})", given, shape)
    return x, tuple(range(x.ndim - len(shape), x.ndim)), x.dtype


def _check_shape(where: str, given: Operand, shape: tuple[int, ...]) -> None:
    if given is not None and operand(given, where).shape != shape:
        raise SizeError(
            where=where,
            expected=f"shape {shape}",
            got=f"shape {np.shape(given)}",
            fix="Pass None to leave it out.",
        )


def _floating(x: object, where: str) -> Tensor:
    x = operand(x, where)
    if x.dtype.kind == "f":
        return x
    raise OptionError(
        where=f"{where}(input)",
        expected="a floating dtype",
        got=f"dtype {x.dtype}",
        fix="Convert it first: x.astype(float).",
    )


def _scale(y: Tensor, weight: object, bias: Any) -> Tensor:
    weight, bias = (None if w is None else operand(w, "weight, bias") for w in (weight, bias))
    if weight is None:
        return y if bias is None else y + bias
    return y * weight if bias is None else primitives.scale_shift(y, weight, bias)


# --- over the batch -------------------------------------------------------------------------------


def batch_norm(
    input: ArrayLike,
    running_mean: ArrayLike | None = None,
    running_var: ArrayLike | None = None,
    weight: ArrayLike | None = None,
    bias: ArrayLike | None = None,
    training: bool = False,
    momentum: float = 0.1,
    eps: float = 1e-5,
) -> Tensor:
    """Normalise each channel to mean 0 and variance 1 over the batch, then scale and shift.

        y = w (x - x̄) / √(σ² + ε) + b

    Parameters
    ----------
    input : (batch, channels, ...)
        The examples, with any axes of space.
    running_mean, running_var : (channels,)
        The statistics of earlier batches. With ``training`` they are updated in place, r ← (1 - m)
        r + m s, where the variance s is divided by n - 1, as in PyTorch; without it they are used,
        and must be given.
    weight, bias : (channels,)
        The factor w and the term b; ``None`` leaves them out.
    training
        Whether mean and variance are those of the batch, else the running ones.
    momentum
        The weight m of the batch in the running statistics.
    eps
        The term ε that keeps the square root away from 0.

    Returns
    -------
    the shape of input
        The normalised examples.

    Raises
    ------
    SizeError
        If ``input`` has fewer than two axes, another argument not one number for each channel, or a
        batch to train on fewer than two numbers for each channel.
    OptionError
        If ``input`` is not of a floating dtype, or running statistics are missing.

    See Also
    --------
    gradwalk.nn.BatchNorm1d, gradwalk.nn.BatchNorm2d

    References
    ----------
    Ioffe and Szegedy, Batch normalization (2015).

    Examples
    --------
    >>> from gradwalk import Tensor
    >>> mean, var = Tensor([0.0]), Tensor([1.0])
    >>> batch_norm(Tensor([[1.0], [3.0]]), mean, var, training=True, eps=0.0).tolist()
    [[-1.0], [1.0]]
    >>> mean.tolist(), var.tolist()
    ([0.2], [1.1])
    """
    x = _of_channels(input, running_mean, running_var, weight, bias)
    weight, bias = _column(weight, x), _column(bias, x)
    if training:
        y = _by_the_batch(x, running_mean, running_var, momentum, eps)
    elif running_mean is None or running_var is None:
        raise OptionError(
            where="batch_norm",
            expected="running_mean and running_var, to use without training",
            got="None",
            fix="Pass training=True for the statistics of the batch.",
        )
    else:
        y = x - _column(running_mean, x)
        scale = sqrt(_column(running_var, x) + float(eps))
        weight = (1.0 if weight is None else weight) / scale  # saves a pass over x
    return _scale(y, weight, bias)


def _of_channels(x: object, mean: Any, var: Any, weight: object, bias: ArrayLike | None) -> Operand:
    x = _floating(x, "batch_norm")
    if x.ndim < 2:
        raise SizeError(
            where="batch_norm(input)",
            expected="(batch, channels), and any axes of space",
            got=f"shape {x.shape}",
            fix="Insert the axis that is missing: x[:, None] for a single channel.",
        )
    names = {"running_mean": mean, "running_var": var, "weight": weight, "bias": bias}
    for name, given in names.items():
        _check_shape(f"batch_norm({name})", given, (x.shape[1],))
    return x


def _column(given: Any, x: Any) -> Any:
    """Return a number for each channel, along the axis of channels."""
    if given is None:
        return None
    return reshape(operand(given, "batch_norm"), shape=(-1, *(1,) * (x.ndim - 2)))


def _by_the_batch(
    x: Any, running_mean: Any, running_var: Any, momentum: float, eps: float
) -> Tensor:
    axis = (0, *range(2, x.ndim))
    count = prod(x.shape[i] for i in axis)
    if count < 2:
        raise SizeError(
            where="batch_norm(training=True)",
            expected="at least two numbers for each channel",
            got=f"shape {x.shape}",
            fix="Train on larger batches; use eval() to predict a single example.",
        )
    y, mean, variance = primitives.standardize(x, axis=axis, eps=float(eps))
    _follow(running_mean, mean, momentum)
    # n - 1 for the running variance alone: PyTorch's rule, too
    _follow(running_var, variance, momentum * count / (count - 1), momentum)
    return y


def _follow(running: Any, statistic: Any, weight: float, forget: float | None = None) -> None:
    """Update a running statistic. A Tensor gets a new array: a graph may use the old one."""
    if running is None:
        return
    program = recorder()
    if program is not None and program.captures(running):
        now = reshape(plain(statistic, dtype=np.float64), shape=running.shape)
        kept = (1.0 - (weight if forget is None else forget)) * program.tracer_of(running)
        program.updates.assign(running, astype(kept + weight * now, dtype=running.dtype))
        return
    old = getattr(running, "_data", running)
    found: Any = getattr(statistic, "_data", statistic).ravel()
    # in double precision: a small step would be lost beside a large float32
    found = found.astype(np.float64) if isinstance(found, np.ndarray) else found
    step = weight * found
    new = (1.0 - (weight if forget is None else forget)) * old + step
    if isinstance(running, Tensor):
        running.data = new
    else:
        running[...] = new
