"""Losses of pairs and triples, of counts and variances."""

from __future__ import annotations

from math import log as _ln
from math import pi
from typing import TYPE_CHECKING, Any

import numpy as np

from ...engine.functions import clip, exp, log, maximum, relu, softplus, sqrt, where
from ...tensor import mean, sum, take_along_axis
from ...tensor.functions import linalg
from ...tensor.functions.arguments import operand
from .arrays import pair, reduce
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
    """Return the cosine of the angle between vectors along the axis ``dim``.

        y = x₁·x₂ / (max(|x₁|, ε) max(|x₂|, ε))

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
    """Return max(0, d(a, p) - d(a, n) + margin) with distances as in `pairwise_distance`, reduced.

    With ``swap`` the distance to the negative is the smaller of those from anchor and positive.
    Balntas and others, Learning local feature descriptors with triplets (2016).

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
    """Return max(0, margin - t (x₁ - x₂)), reduced: t = 1 wants x₁ to be larger, t = -1 smaller.

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
    """Return Σ max(0, margin - xₜ + xᵢ)ᵖ over the classes i ≠ t, divided by how many there are.

    ``input`` is (N, C) or (C,), ``target`` has an index for each row; ``weight`` is one of each
    class, that of the target counts.

    >>> multi_margin_loss([[0.5, 0.25]], [0]).item()
    0.375
    """
    margin, p = scalar("multi_margin_loss(margin)", margin), scalar("multi_margin_loss(p)", p)
    x: Any = operand(input, "multi_margin_loss")
    t: Any = operand(target, "multi_margin_loss(target)")
    there = take_along_axis(x, t[..., None], -1)
    terms: Any = relu(margin - there + x) ** p
    if weight is not None:
        terms = terms * operand(weight, "multi_margin_loss(weight)")[t][..., None]
    others = t[..., None] != np.arange(x.shape[-1])
    return reduce("multi_margin_loss", mean(where(others, terms, 0.0), axis=-1), reduction)


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

    ``full`` adds Stirling's term t ln t - t + ln(2 π t) / 2 for targets above 1.

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

    ``var`` is σ², at least ``eps``; ``full`` adds the constant ln(2 π) / 2.

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
