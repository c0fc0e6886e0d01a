"""Functions of Tensors under PyTorch's names, with its arguments.

>>> from gradwalk import Tensor
>>> import gradwalk.nn.functional as F
>>> F.softmax(Tensor([[0.0, 0.0]]), dim=-1).tolist()
[[0.5, 0.5]]
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ..core.calls import explain_room
from ..core.carrier import Carrier
from ..core.expect import as_float, describe
from ..engine import functions as _f
from ..engine.functions import elu, gelu, hardtanh, leaky_relu, relu, selu, sigmoid, silu, tanh
from ..engine.functions import log_sigmoid as logsigmoid
from ..errors import DataError
from ..levels.vmap import varies
from ..tensor import log_softmax as _log_softmax
from ..tensor import softmax as _softmax
from ..tensor.functions.arguments import operand
from ..tensor.functions.convolution import (
    conv1d,
    conv2d,
    conv3d,
    conv_transpose1d,
    conv_transpose2d,
    conv_transpose3d,
)
from ..tensor.functions.normalization import batch_norm, layer_norm, rms_norm
from ..tensor.functions.pooling import (
    adaptive_avg_pool1d,
    adaptive_avg_pool2d,
    avg_pool1d,
    avg_pool2d,
    max_pool1d,
    max_pool2d,
)
from ..tensor.graph.tensor import Tensor
from .activations.functions import glu, hardsigmoid, hardswish, mish, prelu, relu6, softsign
from .attention.scaled_dot_product import scaled_dot_product_attention
from .bags import embedding_bag
from .dropout import dropout
from .group_norms import group_norm, instance_norm
from .images.adaptive import adaptive_max_pool1d, adaptive_max_pool2d
from .images.interpolation import interpolate
from .images.patches import fold, pixel_shuffle, pixel_unshuffle, unfold
from .initial import size
from .linear import embedding, linear
from .losses import functions as losses
from .losses.ctc import ctc_loss
from .losses.pairs import (
    cosine_embedding_loss,
    cosine_similarity,
    gaussian_nll_loss,
    hinge_embedding_loss,
    margin_ranking_loss,
    multi_margin_loss,
    pairwise_distance,
    poisson_nll_loss,
    soft_margin_loss,
    triplet_margin_loss,
)

if TYPE_CHECKING:
    from ..tensor.functions.types import ArrayLike

__all__ = ["adaptive_avg_pool1d", "adaptive_avg_pool2d", "avg_pool1d", "avg_pool2d"]
__all__ += ["batch_norm", "binary_cross_entropy", "binary_cross_entropy_with_logits", "conv1d"]
__all__ += ["conv2d", "cross_entropy", "dropout", "elu", "embedding", "gelu", "hardtanh"]
__all__ += ["huber_loss", "kl_div", "l1_loss", "layer_norm", "leaky_relu", "linear"]
__all__ += ["log_softmax", "logsigmoid", "max_pool1d", "max_pool2d", "mse_loss", "nll_loss"]
__all__ += ["normalize", "one_hot", "relu", "rms_norm", "scaled_dot_product_attention", "selu"]
__all__ += ["sigmoid", "silu", "smooth_l1_loss", "softmax", "softplus", "tanh"]
__all__ += ["adaptive_max_pool1d", "adaptive_max_pool2d", "conv3d", "conv_transpose1d"]
__all__ += ["conv_transpose2d", "conv_transpose3d", "cosine_embedding_loss", "cosine_similarity"]
__all__ += ["ctc_loss", "embedding_bag", "fold", "gaussian_nll_loss", "glu", "group_norm"]
__all__ += ["hardsigmoid", "hardswish", "hinge_embedding_loss", "instance_norm", "interpolate"]
__all__ += ["margin_ranking_loss", "mish", "multi_margin_loss", "pairwise_distance"]
__all__ += ["pixel_shuffle", "pixel_unshuffle", "poisson_nll_loss", "prelu", "relu6"]
__all__ += ["soft_margin_loss", "softsign", "triplet_margin_loss", "unfold"]


def softmax(input: Tensor | ArrayLike, dim: int = -1) -> Tensor:
    """Return e^x, divided by its sum along an axis.

    Parameters
    ----------
    input : any shape
        The scores x.
    dim
        The axis along which the results add up to 1; negative ones count from the end.

    Returns
    -------
    the shape of input
        The weights.

    Raises
    ------
    SizeError
        If ``input`` has no such axis.
    NotANumberError
        If ``input`` holds something other than numbers.

    See Also
    --------
    log_softmax, gradwalk.softmax

    Examples
    --------
    >>> softmax([0.0, 0.0]).tolist()
    [0.5, 0.5]
    """
    y: Tensor = _softmax(operand(input, "softmax"), axis=dim)
    return y


def log_softmax(input: Tensor | ArrayLike, dim: int = -1) -> Tensor:
    """Return the logarithm of the softmax along an axis.

    Parameters
    ----------
    input : any shape
        The scores x.
    dim
        The axis along which the exponentials of the results add up to 1.

    Returns
    -------
    the shape of input
        The logarithms of the weights.

    Raises
    ------
    SizeError
        If ``input`` has no such axis.
    NotANumberError
        If ``input`` holds something other than numbers.

    See Also
    --------
    softmax, nll_loss, gradwalk.log_softmax

    Examples
    --------
    >>> log_softmax([0.0, 0.0]).round(4).tolist()
    [-0.6931, -0.6931]
    """
    y: Tensor = _log_softmax(operand(input, "log_softmax"), axis=dim)
    return y


def softplus(input: Tensor | ArrayLike, beta: float = 1.0, threshold: float = 20.0) -> Tensor:
    """Return ln(1 + e^(β x)) / β, a smooth maximum of x and 0.

    Parameters
    ----------
    input : any shape
        The x of the formula.
    beta : (), or broadcast to the input
        The β of the formula: the larger, the sharper the bend at 0.
    threshold : (), or broadcast to the input
        Where β x is larger, the result is x itself.

    Returns
    -------
    the shape of input
        The results, number by number.

    Raises
    ------
    NotANumberError
        If ``input`` holds something other than numbers.

    See Also
    --------
    relu, gradwalk.nn.Softplus

    Examples
    --------
    >>> softplus([0.0, 50.0], threshold=20.0).tolist()
    [0.6931471805599453, 50.0]
    """
    x, most = operand(input, "softplus"), operand(threshold, "softplus(threshold)")
    sharp: Any = beta if type(beta) in (int, float) else operand(beta, "softplus(beta)")
    plain = not isinstance(beta, Carrier) and beta == 1
    smooth = _f.softplus(x) if plain else _f.softplus(x * sharp) / sharp
    y: Tensor = _f.where(x * sharp > most, x, smooth)
    return y


def normalize(
    input: Tensor | ArrayLike, p: float = 2.0, dim: int = 1, eps: float = 1e-12
) -> Tensor:
    """Return x divided by its norm along an axis.

    Parameters
    ----------
    input : any shape
        The vectors x, along one axis.
    p
        The power of the norm (Σ |xᵢ|ᵖ)^(1/p); ``math.inf`` takes the largest |xᵢ|.
    dim
        The axis of the vectors; negative ones count from the end.
    eps
        The smallest divisor, so that the zero vector stays zero.

    Returns
    -------
    the shape of input
        The vectors of length 1.

    Raises
    ------
    SizeError
        If ``input`` has no such axis.
    OptionError
        If ``p`` is no number.
    NotANumberError
        If ``eps`` is no number.

    See Also
    --------
    cosine_similarity, gradwalk.linalg.vector_norm

    Examples
    --------
    >>> normalize([[3.0, 4.0]]).tolist()
    [[0.6, 0.8]]
    """
    from ..tensor.functions import linalg

    x = operand(input, "normalize")
    eps = as_float(eps, "normalize(eps)")
    norm = linalg.vector_norm(x, axis=dim, keepdims=True, ord=p)
    y: Tensor = x / _f.maximum(norm, eps)
    return y


def one_hot(input: Tensor | ArrayLike, num_classes: int = -1) -> Tensor:
    """Return integers as rows of zeros with a one at the index of the integer.

    Parameters
    ----------
    input : any shape, integers
        The classes, counted from 0.
    num_classes
        The length of a row, >= 1; -1 makes the rows as long as the largest integer needs.

    Returns
    -------
    (..., num_classes)
        Integers 0 and 1, in a row along a new last axis for each class.

    Raises
    ------
    DataError
        If ``input`` holds something other than integers from 0 to num_classes - 1.
    OptionError
        If ``num_classes`` is neither positive nor -1.

    See Also
    --------
    embedding, cross_entropy

    Examples
    --------
    >>> one_hot([0, 2]).tolist()
    [[1, 0, 0], [0, 0, 1]]
    """
    x = operand(input, "one_hot")
    if varies(x) and num_classes != -1:
        hot: Tensor = (x[..., None] == np.arange(num_classes)).astype(np.int64)
        return hot
    numbers = x._data if isinstance(x, Tensor) else x
    whole = numbers.dtype.kind in "iu"
    counted = num_classes == -1 and numbers.size and whole
    most = max(int(numbers.max()) + 1, 1) if counted else num_classes
    classes = size(most, "one_hot(num_classes)") if whole or num_classes != -1 else 1
    if not whole or ((numbers < 0) | (numbers >= classes)).any():
        raise DataError(
            where="one_hot",
            expected=f"integers between 0 and {classes - 1}",
            got=describe(numbers),
            fix="Count classes from 0, or pass a larger num_classes.",
        )
    return Tensor._of((numbers[..., None] == np.arange(classes)).astype(np.int64))


# --- losses, with options in PyTorch's order ------------------------------------------------------


def _as_tensor(input: Tensor | ArrayLike, where: str) -> Tensor:
    """Return ``input`` as a Tensor: losses of plain lists would be floats."""
    x = operand(input, where)
    return Tensor._of(x) if isinstance(x, np.ndarray) else x


def mse_loss(
    input: Tensor | ArrayLike, target: Tensor | ArrayLike, reduction: str = "mean"
) -> Tensor:
    """Return (x - t)², reduced.

    Parameters
    ----------
    input : any shape
        The predictions x.
    target : the shape of input
        The targets t.
    reduction
        "mean" or "sum" of the terms, or "none" for all of them.

    Returns
    -------
    ()
        The mean or the sum, or all terms in the shape of ``input``.

    Raises
    ------
    SizeError
        If the shapes differ.
    OptionError
        If ``reduction`` has another name.

    See Also
    --------
    l1_loss, huber_loss, gradwalk.nn.MSELoss

    Examples
    --------
    >>> mse_loss([1.0, 2.0], [0.0, 4.0]).item()
    2.5
    """
    return losses.mse(_as_tensor(input, "mse"), target, reduction)


def l1_loss(
    input: Tensor | ArrayLike, target: Tensor | ArrayLike, reduction: str = "mean"
) -> Tensor:
    """Return |x - t|, reduced.

    Parameters
    ----------
    input : any shape
        The predictions x.
    target : the shape of input
        The targets t.
    reduction
        "mean" or "sum" of the terms, or "none" for all of them.

    Returns
    -------
    ()
        The mean or the sum, or all terms in the shape of ``input``.

    Raises
    ------
    SizeError
        If the shapes differ.
    OptionError
        If ``reduction`` has another name.

    See Also
    --------
    mse_loss, smooth_l1_loss, gradwalk.nn.L1Loss

    Examples
    --------
    >>> l1_loss([1.0, 2.0], [0.0, 4.0]).item()
    1.5
    """
    return losses.mae(_as_tensor(input, "mae"), target, reduction)


def huber_loss(
    input: Tensor | ArrayLike,
    target: Tensor | ArrayLike,
    reduction: str = "mean",
    delta: float = 1.0,
) -> Tensor:
    """Return d²/2 for |d| ≤ delta, and delta (|d| - delta/2) beyond, with d = x - t, reduced.

    Parameters
    ----------
    input : any shape
        The predictions x.
    target : the shape of input
        The targets t.
    reduction
        "mean" or "sum" of the terms, or "none" for all of them.
    delta
        The error at which the loss becomes linear, > 0.

    Returns
    -------
    ()
        The mean or the sum, or all terms in the shape of ``input``.

    Raises
    ------
    SizeError
        If the shapes differ.
    OptionError
        If ``delta`` is not positive, or ``reduction`` has another name.

    See Also
    --------
    smooth_l1_loss, gradwalk.nn.HuberLoss

    Examples
    --------
    >>> huber_loss([1.0, 2.0], [0.5, 5.0], reduction="none").tolist()
    [0.125, 2.5]
    """
    return losses.huber(_as_tensor(input, "huber"), target, delta, reduction)


def smooth_l1_loss(
    input: Tensor | ArrayLike,
    target: Tensor | ArrayLike,
    reduction: str = "mean",
    beta: float = 1.0,
) -> Tensor:
    """Return d²/(2 beta) for |d| < beta, and |d| - beta/2 beyond, with d = x - t, reduced.

    Parameters
    ----------
    input : any shape
        The predictions x.
    target : the shape of input
        The targets t.
    reduction
        "mean" or "sum" of the terms, or "none" for all of them.
    beta
        The error at which the loss becomes linear, >= 0; with 0 the loss is |d|.

    Returns
    -------
    ()
        The mean or the sum, or all terms in the shape of ``input``.

    Raises
    ------
    SizeError
        If the shapes differ.
    OptionError
        If ``beta`` is negative, or ``reduction`` has another name.

    See Also
    --------
    huber_loss, gradwalk.nn.SmoothL1Loss

    Examples
    --------
    >>> smooth_l1_loss([1.0, 2.0], [0.5, 5.0], reduction="none", beta=2.0).tolist()
    [0.0625, 2.0]
    """
    return losses.smooth_l1(_as_tensor(input, "smooth_l1"), target, beta, reduction)


def binary_cross_entropy(
    input: Tensor | ArrayLike,
    target: Tensor | ArrayLike,
    weight: Tensor | ArrayLike | None = None,
    reduction: str = "mean",
) -> Tensor:
    """Return -(t ln x + (1 - t) ln(1 - x)), each logarithm at least -100, reduced.

    Parameters
    ----------
    input : any shape
        The predicted probabilities x of label 1, from 0 to 1.
    target : the shape of input
        The labels t, or probabilities from 0 to 1.
    weight : a shape broadcast to the input, optional
        A factor for each term.
    reduction
        "mean" or "sum" of the terms, or "none" for all of them.

    Returns
    -------
    ()
        The mean or the sum, or all terms in the shape of ``input``.

    Raises
    ------
    DataError
        If a number of ``input`` or ``target`` is not between 0 and 1.
    SizeError
        If the shapes differ.
    OptionError
        If ``reduction`` has another name.

    See Also
    --------
    binary_cross_entropy_with_logits, gradwalk.nn.BCELoss

    Examples
    --------
    >>> round(binary_cross_entropy([0.9, 0.2], [1.0, 0.0]).item(), 4)
    0.1643
    """
    x = _as_tensor(input, "binary_cross_entropy")
    return losses.binary_cross_entropy(x, target, reduction, weight=weight)


def binary_cross_entropy_with_logits(
    input: Tensor | ArrayLike,
    target: Tensor | ArrayLike,
    weight: Tensor | ArrayLike | None = None,
    reduction: str = "mean",
    pos_weight: Tensor | ArrayLike | None = None,
) -> Tensor:
    """Return w t ln(1 + e^-x) + (1 - t) ln(1 + e^x), reduced.

    Parameters
    ----------
    input : any shape
        The logits x.
    target : the shape of input
        The labels t, or probabilities from 0 to 1; they are not checked.
    weight : a shape broadcast to the input, optional
        A factor for each term.
    reduction
        "mean" or "sum" of the terms, or "none" for all of them.
    pos_weight : a shape broadcast to the input, optional
        The w of the formula: a factor for the terms of label 1.

    Returns
    -------
    ()
        The mean or the sum, or all terms in the shape of ``input``.

    Raises
    ------
    SizeError
        If the shapes differ.
    OptionError
        If ``reduction`` has another name.

    See Also
    --------
    binary_cross_entropy, gradwalk.nn.BCEWithLogitsLoss

    Examples
    --------
    >>> round(binary_cross_entropy_with_logits([2.0, -1.0], [1.0, 0.0]).item(), 4)
    0.2201
    """
    x = _as_tensor(input, "binary_cross_entropy_with_logits")
    return losses.binary_cross_entropy_with_logits(
        x, target, reduction, weight=weight, pos_weight=pos_weight
    )


def cross_entropy(
    input: Tensor | ArrayLike,
    target: Tensor | ArrayLike,
    weight: Tensor | ArrayLike | None = None,
    ignore_index: int = -100,
    reduction: str = "mean",
    label_smoothing: float = 0.0,
) -> Tensor:
    """Return -ln softmax(x)ₜ, reduced, for indices of classes or probabilities of all classes.

    Parameters
    ----------
    input : (batch, classes), (batch, classes, ...) or (classes,)
        The logits x.
    target : (batch,), (batch, ...) or (), integers; or the shape of input
        The index t of the class of each row, or the probabilities of all classes.
    weight : (classes,), optional
        A factor for the terms of each class; for indices, the mean is divided by the sum of the
        weights of the targets.
    ignore_index
        The target that does not count, in the mean neither.
    reduction
        "mean" or "sum" of the terms, or "none" for one term for each row.
    label_smoothing
        The part of each target that is spread evenly over all classes, from 0 to 1.

    Returns
    -------
    ()
        The mean or the sum, or all terms in the shape of the classes.

    Raises
    ------
    DataError
        If a target is no index of a class.
    SizeError
        If the shapes do not fit, or there is not a weight for each class.
    NotANumberError
        If there is one float as the target of a row.
    OptionError
        If ``label_smoothing`` is not between 0 and 1, or ``reduction`` has another name.

    See Also
    --------
    nll_loss, log_softmax, gradwalk.nn.CrossEntropyLoss

    Examples
    --------
    >>> round(cross_entropy([[2.0, 0.0], [0.0, 3.0]], [0, 1]).item(), 4)
    0.0878
    """
    return losses.cross_entropy(
        _as_tensor(input, "cross_entropy"),
        target,
        reduction,
        weight=weight,
        ignore_index=ignore_index,
        label_smoothing=label_smoothing,
    )


def nll_loss(
    input: Tensor | ArrayLike,
    target: Tensor | ArrayLike,
    weight: Tensor | ArrayLike | None = None,
    ignore_index: int = -100,
    reduction: str = "mean",
) -> Tensor:
    """Return -xₜ, reduced, where x holds logarithms of probabilities.

    Parameters
    ----------
    input : (batch, classes), (batch, classes, ...) or (classes,)
        The logarithms x, as `log_softmax` returns them.
    target : (batch,), (batch, ...) or (), integers
        The index t of the class of each row.
    weight : (classes,), optional
        A factor for the terms of each class; for indices, the mean is divided by the sum of the
        weights of the targets.
    ignore_index
        The target that does not count, in the mean neither.
    reduction
        "mean" or "sum" of the terms, or "none" for one term for each row.

    Returns
    -------
    ()
        The mean or the sum, or all terms in the shape of ``target``.

    Raises
    ------
    DataError
        If a target is no index of a class.
    SizeError
        If the shapes do not fit, or there is not a weight for each class.
    OptionError
        If ``reduction`` has another name.

    See Also
    --------
    cross_entropy, log_softmax, gradwalk.nn.NLLLoss

    Examples
    --------
    >>> nll_loss([[-0.5, -1.0], [-2.0, -0.25]], [0, 1]).item()
    0.375
    """
    x = _as_tensor(input, "nll")
    return losses.nll(x, target, reduction, weight=weight, ignore_index=ignore_index)


def kl_div(
    input: Tensor | ArrayLike,
    target: Tensor | ArrayLike,
    reduction: str = "mean",
    log_target: bool = False,
) -> Tensor:
    """Return t (ln t - x), reduced, where x holds logarithms.

    Parameters
    ----------
    input : any shape
        The logarithms x of the predicted probabilities.
    target : the shape of input
        The probabilities t.
    reduction
        "mean" or "sum" of the terms, or "none" for all of them. "batchmean" is the definition
        of the divergence: the sum, divided by the length of axis 0.
    log_target
        Whether ``target`` holds logarithms, too.

    Returns
    -------
    ()
        The mean or the sum, or all terms in the shape of ``input``.

    Raises
    ------
    SizeError
        If the shapes differ.
    OptionError
        If ``reduction`` has another name.

    See Also
    --------
    cross_entropy, gradwalk.nn.KLDivLoss

    Examples
    --------
    >>> round(kl_div([-0.5, -1.0], [0.5, 0.5], reduction="sum").item(), 4)
    0.0569
    """
    return losses.kl_div(_as_tensor(input, "kl_div"), target, reduction, log_target=log_target)


explain_room(globals())
