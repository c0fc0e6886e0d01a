"""Losses of pairs and triples, of counts and variances."""

from __future__ import annotations

from math import log as _ln
from math import pi
from typing import TYPE_CHECKING, Any

import numpy as np

from ...core.expect import describe
from ...engine.functions import clip, exp, log, maximum, relu, softplus, sqrt, where
from ...errors import DataError, SizeError
from ...levels.vmap import varies
from ...tensor import mean, sum, take_along_axis
from ...tensor.functions import linalg
from ...tensor.functions.arguments import operand
from .arrays import numbers, pair, reduce
from .values import scalar

if TYPE_CHECKING:
    from ...tensor import Tensor
    from ...tensor.functions.types import ArrayLike

__all__ = ["cosine_embedding_loss", "cosine_similarity", "gaussian_nll_loss"]
__all__ += ["hinge_embedding_loss", "margin_ranking_loss", "multi_margin_loss"]
__all__ += ["pairwise_distance", "poisson_nll_loss", "soft_margin_loss", "triplet_margin_loss"]

# --- distances ------------------------------------------------------------------------------------


def cosine_similarity(
    x1: Tensor | ArrayLike, x2: Tensor | ArrayLike, dim: int = 1, eps: float = 1e-8
) -> Tensor:
    """Return the cosine of the angle between vectors along an axis.

        y = x₁·x₂ / (max(|x₁|, ε) max(|x₂|, ε))

    Parameters
    ----------
    x1, x2 : any shape, broadcast to each other
        The vectors.
    dim
        The axis of the vectors; negative ones count from the end.
    eps
        The smallest length that divides: the ε of the formula.

    Returns
    -------
    the shape of x1 without the axis dim
        The cosines, from -1 to 1.

    Raises
    ------
    SizeError
        If the shapes do not fit each other, or have no such axis.
    NotANumberError
        If ``eps`` is no number.

    See Also
    --------
    pairwise_distance, normalize, gradwalk.nn.CosineSimilarity

    Examples
    --------
    >>> cosine_similarity([[3.0, 4.0]], [[4.0, 3.0]]).tolist()
    [0.96]
    """
    eps = scalar("cosine_similarity(eps)", eps)
    a: Any = operand(x1, "cosine_similarity")
    b: Any = operand(x2, "cosine_similarity")
    lengths = [maximum(linalg.vector_norm(x, axis=dim), eps) for x in (a, b)]
    y: Tensor = sum(a * b, axis=dim) / (lengths[0] * lengths[1])
    return y


def pairwise_distance(
    x1: Tensor | ArrayLike,
    x2: Tensor | ArrayLike,
    p: float = 2.0,
    eps: float = 1e-6,
    keepdim: bool = False,
) -> Tensor:
    """Return the p-norm of x₁ - x₂ + ε along the last axis.

    Parameters
    ----------
    x1, x2 : (..., features), broadcast to each other
        The vectors.
    p
        The power of the norm (Σ |dᵢ|ᵖ)^(1/p), with d = x₁ - x₂ + ε; ``math.inf`` takes the
        largest |dᵢ|.
    eps
        The ε that is added to each difference, so that the norm has a derivative where the
        vectors are equal.
    keepdim
        Whether the result keeps the last axis, of length 1.

    Returns
    -------
    (...), with ``keepdim`` (..., 1)
        The distances.

    Raises
    ------
    SizeError
        If the shapes do not fit each other.
    OptionError
        If ``p`` is no number.
    NotANumberError
        If ``eps`` is no number.

    See Also
    --------
    cosine_similarity, triplet_margin_loss, gradwalk.nn.PairwiseDistance

    Examples
    --------
    >>> pairwise_distance([[3.0, 4.0]], [[0.0, 0.0]], eps=0.0).tolist()
    [5.0]
    """
    eps = scalar("pairwise_distance(eps)", eps)
    a: Any = operand(x1, "pairwise_distance")
    difference = a - operand(x2, "pairwise_distance") + eps
    y: Tensor = linalg.vector_norm(difference, axis=-1, keepdims=keepdim, ord=p)
    return y


def cosine_embedding_loss(
    input1: Tensor | ArrayLike,
    input2: Tensor | ArrayLike,
    target: Tensor | ArrayLike,
    margin: float = 0.0,
    reduction: str = "mean",
) -> Tensor:
    """Return 1 - cos for targets 1 and max(0, cos - margin) for targets -1, reduced.

    Parameters
    ----------
    input1, input2 : (batch, features) or (features,)
        The vectors whose cosine counts.
    target : (batch,) or ()
        1 for vectors that are to be alike, -1 for others.
    margin
        The cosine up to which vectors with target -1 cost nothing, from -1 to 1.
    reduction
        "mean" or "sum" of the terms, or "none" for all of them.

    Returns
    -------
    ()
        The mean or the sum, or all terms (batch,).

    Raises
    ------
    SizeError
        If the shapes do not fit each other.
    OptionError
        If ``reduction`` has another name.
    NotANumberError
        If ``margin`` is no number.

    See Also
    --------
    cosine_similarity, gradwalk.nn.CosineEmbeddingLoss

    Examples
    --------
    >>> cosine_embedding_loss([[1.0, 0.0]], [[0.0, 1.0]], [1]).item()
    1.0
    """
    margin = scalar("cosine_embedding_loss(margin)", margin)
    a, b = pair("cosine_embedding_loss", input1, input2)
    t = operand(target, "cosine_embedding_loss(target)")
    squares = [sum(x * x, axis=-1) + 1e-12 for x in (a, b)]
    cosine: Any = sum(a * b, axis=-1) / sqrt(squares[0] * squares[1])
    terms = where(t > 0, 1.0 - cosine, relu(cosine - margin))
    return reduce("cosine_embedding_loss", terms, reduction)


def triplet_margin_loss(
    anchor: Tensor | ArrayLike,
    positive: Tensor | ArrayLike,
    negative: Tensor | ArrayLike,
    margin: float = 1.0,
    p: float = 2.0,
    eps: float = 1e-6,
    swap: bool = False,
    reduction: str = "mean",
) -> Tensor:
    """Return max(0, d(a, p) - d(a, n) + margin), reduced, where d is `pairwise_distance`.

    Parameters
    ----------
    anchor, positive, negative : (batch, features) or (features,)
        The vectors a, p and n: p is to be nearer to a than n is.
    margin
        By how much the positive is to be nearer.
    p
        The power of the norm, as in `pairwise_distance`.
    eps
        The ε that is added to each difference, as in `pairwise_distance`.
    swap
        Whether the distance to the negative is the smaller of those from anchor and positive.
    reduction
        "mean" or "sum" of the terms, or "none" for all of them.

    Returns
    -------
    ()
        The mean or the sum, or all terms (batch,).

    Raises
    ------
    SizeError
        If the shapes do not fit each other.
    OptionError
        If ``reduction`` has another name, or ``p`` is no number.
    NotANumberError
        If ``margin`` or ``eps`` is no number.

    See Also
    --------
    pairwise_distance, gradwalk.nn.TripletMarginLoss

    References
    ----------
    Balntas and others, Learning local feature descriptors with triplets and shallow convolutional
    neural networks (2016).

    Examples
    --------
    >>> triplet_margin_loss([[0.0]], [[1.0]], [[3.0]], eps=0.0).item()
    0.0
    """
    margin = scalar("triplet_margin_loss(margin)", margin)
    near: Any = pairwise_distance(anchor, positive, p, eps)
    far: Any = pairwise_distance(anchor, negative, p, eps)
    if swap:
        other: Any = pairwise_distance(positive, negative, p, eps)
        far = where(other < far, other, far)
    return reduce("triplet_margin_loss", relu(near - far + margin), reduction)


def margin_ranking_loss(
    input1: Tensor | ArrayLike,
    input2: Tensor | ArrayLike,
    target: Tensor | ArrayLike,
    margin: float = 0.0,
    reduction: str = "mean",
) -> Tensor:
    """Return max(0, margin - t (x₁ - x₂)), reduced.

    Parameters
    ----------
    input1, input2 : any shape, equal
        The numbers x₁ and x₂.
    target : a shape broadcast to the inputs
        1 where x₁ is to be larger, -1 where it is to be smaller.
    margin
        By how much it is to be larger or smaller.
    reduction
        "mean" or "sum" of the terms, or "none" for all of them.

    Returns
    -------
    ()
        The mean or the sum, or all terms in the shape of the inputs.

    Raises
    ------
    SizeError
        If the shapes do not fit each other.
    OptionError
        If ``reduction`` has another name.
    NotANumberError
        If ``margin`` is no number.

    See Also
    --------
    hinge_embedding_loss, gradwalk.nn.MarginRankingLoss

    Examples
    --------
    >>> margin_ranking_loss([1.0], [2.0], [1]).item()
    1.0
    """
    margin = scalar("margin_ranking_loss(margin)", margin)
    a, b = pair("margin_ranking_loss", input1, input2)
    t: Any = operand(target, "margin_ranking_loss(target)")
    return reduce("margin_ranking_loss", relu(margin - t * (a - b)), reduction)


def hinge_embedding_loss(
    input: Tensor | ArrayLike,
    target: Tensor | ArrayLike,
    margin: float = 1.0,
    reduction: str = "mean",
) -> Tensor:
    """Return x for targets 1 and max(0, margin - x) for targets -1, reduced.

    Parameters
    ----------
    input : any shape
        The distances x.
    target : the shape of input
        1 for pairs that are to be near, -1 for others.
    margin
        The distance from which on pairs with target -1 cost nothing.
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
    NotANumberError
        If ``margin`` is no number.

    See Also
    --------
    margin_ranking_loss, gradwalk.nn.HingeEmbeddingLoss

    Examples
    --------
    >>> hinge_embedding_loss([0.25, 0.25], [1, -1]).item()
    0.5
    """
    margin = scalar("hinge_embedding_loss(margin)", margin)
    x, t = pair("hinge_embedding_loss", input, target)
    return reduce("hinge_embedding_loss", where(t > 0, x, relu(margin - x)), reduction)


def soft_margin_loss(
    input: Tensor | ArrayLike, target: Tensor | ArrayLike, reduction: str = "mean"
) -> Tensor:
    """Return ln(1 + e^(-t x)), reduced, for targets 1 and -1.

    Parameters
    ----------
    input : any shape
        The scores x.
    target : the shape of input
        The labels t, 1 and -1.
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
    binary_cross_entropy_with_logits, gradwalk.nn.SoftMarginLoss

    Examples
    --------
    >>> round(soft_margin_loss([0.0], [1]).item(), 6)
    0.693147
    """
    x, t = pair("soft_margin_loss", input, target)
    return reduce("soft_margin_loss", softplus(-t * x), reduction)


def multi_margin_loss(
    input: Tensor | ArrayLike,
    target: Tensor | ArrayLike,
    p: int = 1,
    margin: float = 1.0,
    weight: Tensor | ArrayLike | None = None,
    reduction: str = "mean",
) -> Tensor:
    """Return Σ max(0, margin - xₜ + xᵢ)ᵖ over the classes i ≠ t, divided by how many classes there
    are.

    Parameters
    ----------
    input : (batch, classes) or (classes,)
        The scores x.
    target : (batch,) or (), integers
        The index t of the class of each row.
    p
        The power of the terms, 1 or 2.
    margin
        By how much the score of the class is to be larger than the others.
    weight : (classes,), optional
        A factor for each class, which applies to the rows whose target it is.
    reduction
        "mean" or "sum" of the terms, or "none" for all of them.

    Returns
    -------
    ()
        The mean or the sum over the rows, or all terms (batch,).

    Raises
    ------
    DataError
        If a target is no index of a class.
    SizeError
        If the shapes do not fit each other.
    OptionError
        If ``reduction`` has another name.
    NotANumberError
        If ``margin`` or ``p`` is no number.

    See Also
    --------
    cross_entropy, gradwalk.nn.MultiMarginLoss

    Examples
    --------
    >>> multi_margin_loss([[0.5, 0.25]], [0]).item()
    0.375
    """
    margin, p = scalar("multi_margin_loss(margin)", margin), scalar("multi_margin_loss(p)", p)
    x: Any = operand(input, "multi_margin_loss")
    t: Any = operand(target, "multi_margin_loss(target)")
    w: Any = None if weight is None else operand(weight, "multi_margin_loss(weight)")
    _expect_classes(x, t, w)
    there = take_along_axis(x, t[..., None], -1)
    terms: Any = relu(margin - there + x) ** p
    if w is not None:
        terms = terms * w[t][..., None]
    others = t[..., None] != np.arange(x.shape[-1])
    return reduce("multi_margin_loss", mean(where(others, terms, 0.0), axis=-1), reduction)


def _expect_classes(x: Any, t: Any, w: Any) -> None:
    """Raise an error unless t holds a class for each row of x, and w a weight for each class."""
    weighted = w is None or w.shape == x.shape[-1:]
    if x.ndim not in (1, 2) or t.shape != x.shape[:-1] or not weighted:
        raise SizeError(
            where="multi_margin_loss",
            expected="an input (N, C) or (C,), a target (N,) or (), and a weight (C,)",
            got=f"shapes {', '.join(str(a.shape) for a in (x, t, w) if a is not None)}",
            fix="Pass one class for each row of the input, and one weight for each class.",
        )
    if varies(t):
        return
    classes = numbers(t)
    if classes.dtype.kind not in "iu" or ((classes < 0) | (classes >= x.shape[-1])).any():
        raise DataError(
            where="multi_margin_loss(target)",
            expected=f"numbers of classes, 0 to {x.shape[-1] - 1}",
            got=describe(classes),
            fix="Count classes from 0, as integers.",
        )


# --- likelihoods ----------------------------------------------------------------------------------


def poisson_nll_loss(
    input: Tensor | ArrayLike,
    target: Tensor | ArrayLike,
    log_input: bool = True,
    full: bool = False,
    eps: float = 1e-8,
    reduction: str = "mean",
) -> Tensor:
    """Return the negative log-likelihood of counts: e^x - t x, or x - t ln(x + ε), reduced.

    Parameters
    ----------
    input : any shape
        The logarithms x of the expected counts, or the counts x themselves without
        ``log_input``.
    target : the shape of input
        The counts t, >= 0.
    log_input
        Whether ``input`` holds logarithms.
    full
        Whether Stirling's term t ln t - t + ln(2 π t) / 2 is added for targets above 1.
    eps
        The ε of the formula, which keeps ln 0 away; for counts only.
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
    NotANumberError
        If ``eps`` is no number.

    See Also
    --------
    gaussian_nll_loss, gradwalk.nn.PoissonNLLLoss

    Examples
    --------
    >>> poisson_nll_loss([0.0], [2.0]).item()
    1.0
    """
    eps = scalar("poisson_nll_loss(eps)", eps)
    x, t = pair("poisson_nll_loss", input, target)
    terms = exp(x) - t * x if log_input else x - t * log(x + eps)
    if full:
        s = where(t > 1.0, t, 1.0)
        terms = terms + where(t > 1.0, s * log(s) - s + 0.5 * log(2.0 * pi * s), 0.0)
    return reduce("poisson_nll_loss", terms, reduction)


def gaussian_nll_loss(
    input: Tensor | ArrayLike,
    target: Tensor | ArrayLike,
    var: Tensor | ArrayLike,
    full: bool = False,
    eps: float = 1e-6,
    reduction: str = "mean",
) -> Tensor:
    """Return the negative log-likelihood of a normal distribution, up to a constant, reduced.

        (ln σ² + (x - t)² / σ²) / 2

    Parameters
    ----------
    input : any shape
        The means x.
    target : the shape of input
        The numbers t that were seen.
    var : broadcast to the input, or one number for each row of it (the shape without the last axis)
        The variances σ²; those below ``eps`` count as ``eps``, and have no gradient.
    full
        Whether the constant ln(2 π) / 2 is added.
    eps
        The smallest variance.
    reduction
        "mean" or "sum" of the terms, or "none" for all of them.

    Returns
    -------
    ()
        The mean or the sum, or all terms in the shape of ``input``.

    Raises
    ------
    SizeError
        If the shapes do not fit each other.
    OptionError
        If ``reduction`` has another name.
    NotANumberError
        If ``eps`` is no number.

    See Also
    --------
    poisson_nll_loss, gradwalk.nn.GaussianNLLLoss

    References
    ----------
    Nix and Weigend, Estimating the mean and variance of the target probability distribution (1994).

    Examples
    --------
    >>> gaussian_nll_loss([1.0], [3.0], [1.0]).item()
    2.0
    """
    eps = scalar("gaussian_nll_loss(eps)", eps)
    x, t = pair("gaussian_nll_loss", input, target)
    v: Any = operand(var, "gaussian_nll_loss(var)")
    if v.ndim == x.ndim - 1 and v.shape == x.shape[:-1]:  # one for each row
        v = v[..., None]
    v = clip(v, eps, float("inf"))
    terms: Any = 0.5 * (log(v) + (x - t) ** 2 / v) + (0.5 * _ln(2.0 * pi) if full else 0.0)
    return reduce("gaussian_nll_loss", terms, reduction)
