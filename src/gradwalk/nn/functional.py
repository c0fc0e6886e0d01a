"""Functions of Tensors under PyTorch's names, with its arguments.

>>> from gradwalk import Tensor
>>> import gradwalk.nn.functional as F
>>> F.softmax(Tensor([[0.0, 0.0]]), dim=-1).tolist()
[[0.5, 0.5]]
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..core.expect import describe
from ..engine import functions as _f
from ..engine.functions import elu, gelu, hardtanh, leaky_relu, relu, selu, sigmoid, silu, tanh
from ..engine.functions import log_sigmoid as logsigmoid
from ..errors import DataError
from ..levels.vmap import varies
from ..tensor import log_softmax as _log_softmax
from ..tensor import softmax as _softmax
from ..tensor.functions.arguments import operand
from ..tensor.functions.convolution import conv1d, conv2d
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
from . import tensor_losses as _losses
from .attending import scaled_dot_product_attention
from .draws import size
from .dropout import dropout
from .linear import linear
from .linear import look_up as embedding

__all__ = ["adaptive_avg_pool1d", "adaptive_avg_pool2d", "avg_pool1d", "avg_pool2d"]
__all__ += ["batch_norm", "binary_cross_entropy", "binary_cross_entropy_with_logits", "conv1d"]
__all__ += ["conv2d", "cross_entropy", "dropout", "elu", "embedding", "gelu", "hardtanh"]
__all__ += ["huber_loss", "kl_div", "l1_loss", "layer_norm", "leaky_relu", "linear"]
__all__ += ["log_softmax", "logsigmoid", "max_pool1d", "max_pool2d", "mse_loss", "nll_loss"]
__all__ += ["normalize", "one_hot", "relu", "rms_norm", "scaled_dot_product_attention", "selu"]
__all__ += ["sigmoid", "silu", "smooth_l1_loss", "softmax", "softplus", "tanh"]


def softmax(input: Any, dim: int = -1) -> Any:
    """Shares along the axis ``dim`` that are proportional to e^x."""
    return _softmax(operand(input, "softmax"), axis=dim)


def log_softmax(input: Any, dim: int = -1) -> Any:
    """Logarithms of the softmax along the axis ``dim``."""
    return _log_softmax(operand(input, "log_softmax"), axis=dim)


def softplus(input: Any, beta: float = 1.0, threshold: float = 20.0) -> Any:
    """ln(1 + e^(β x)) / β, and x itself where β x > ``threshold``.

    >>> softplus([0.0, 50.0], threshold=20.0).tolist()
    [0.6931471805599453, 50.0]
    """
    x = operand(input, "softplus")
    smooth = _f.softplus(x) if beta == 1 else _f.softplus(x * beta) / beta
    return _f.where(x * beta > threshold, x, smooth)


def normalize(input: Any, p: float = 2.0, dim: int = 1, eps: float = 1e-12) -> Any:
    """x divided by its p-norm along the axis ``dim``, or by ``eps`` where that is smaller.

    >>> normalize([[3.0, 4.0]]).tolist()
    [[0.6, 0.8]]
    """
    from ..tensor.functions import linalg

    x = operand(input, "normalize")
    norm = linalg.vector_norm(x, axis=dim, keepdims=True, ord=p)
    return x / _f.maximum(norm, eps)


def one_hot(input: Any, num_classes: int = -1) -> Tensor:
    """Whole numbers as rows of zeros with a one in the place of the number.

    ``num_classes=-1`` makes as many places as the largest number needs.

    >>> one_hot([0, 2]).tolist()
    [[1, 0, 0], [0, 0, 1]]
    """
    found = operand(input, "one_hot")
    if varies(found) and num_classes != -1:
        hot: Tensor = (found[..., None] == np.arange(num_classes)).astype(np.int64)
        return hot
    numbers = found._data if isinstance(found, Tensor) else found
    most = int(numbers.max()) + 1 if num_classes == -1 and numbers.size else num_classes
    classes = size(most, "one_hot(num_classes)")
    if numbers.dtype.kind not in "iu" or ((numbers < 0) | (numbers >= classes)).any():
        raise DataError(
            where="one_hot",
            expected=f"whole numbers from 0 to {classes - 1}",
            got=describe(numbers),
            fix="Count classes from 0; num_classes says how many there are.",
        )
    return Tensor._of((numbers[..., None] == np.arange(classes)).astype(np.int64))


# --- losses, whose options stand in PyTorch's order -----------------------------------------------


def mse_loss(input: Any, target: Any, reduction: str = "mean") -> Any:
    """(x - t)²"""
    return _losses.mse(input, target, reduction)


def l1_loss(input: Any, target: Any, reduction: str = "mean") -> Any:
    """|x - t|"""
    return _losses.mae(input, target, reduction)


def huber_loss(input: Any, target: Any, reduction: str = "mean", delta: float = 1.0) -> Any:
    """d²/2 for |d| ≤ delta, and delta (|d| - delta/2) beyond, with d = x - t."""
    return _losses.huber(input, target, delta, reduction)


def smooth_l1_loss(input: Any, target: Any, reduction: str = "mean", beta: float = 1.0) -> Any:
    """d²/(2 beta) for |d| < beta, and |d| - beta/2 beyond, with d = x - t."""
    return _losses.smooth_l1(input, target, beta, reduction)


def binary_cross_entropy(
    input: Any, target: Any, weight: Any = None, reduction: str = "mean"
) -> Any:
    """-(t ln x + (1 - t) ln(1 - x)), each logarithm no less than -100."""
    return _losses.binary_cross_entropy(input, target, reduction, weight=weight)


def binary_cross_entropy_with_logits(
    input: Any,
    target: Any,
    weight: Any = None,
    reduction: str = "mean",
    pos_weight: Any = None,
) -> Any:
    """w t ln(1 + e^-x) + (1 - t) ln(1 + e^x), with w = ``pos_weight``."""
    return _losses.binary_cross_entropy_with_logits(
        input, target, reduction, weight=weight, pos_weight=pos_weight
    )


def cross_entropy(
    input: Any,
    target: Any,
    weight: Any = None,
    ignore_index: int = -100,
    reduction: str = "mean",
    label_smoothing: float = 0.0,
) -> Any:
    """-ln softmax(x)ₜ, for numbers of classes or shares of all of them."""
    return _losses.cross_entropy(
        input,
        target,
        reduction,
        weight=weight,
        ignore_index=ignore_index,
        label_smoothing=label_smoothing,
    )


def nll_loss(
    input: Any,
    target: Any,
    weight: Any = None,
    ignore_index: int = -100,
    reduction: str = "mean",
) -> Any:
    """-xₜ, the logarithms of probabilities being given."""
    return _losses.nll(input, target, reduction, weight=weight, ignore_index=ignore_index)


def kl_div(input: Any, target: Any, reduction: str = "mean", log_target: bool = False) -> Any:
    """t (ln t - x), the input being logarithms."""
    return _losses.kl_div(input, target, reduction, log_target=log_target)
