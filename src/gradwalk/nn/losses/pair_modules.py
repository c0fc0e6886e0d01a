"""Losses of pairs, triples, likelihoods and sequences as modules, with PyTorch's names."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, ClassVar

from ...tensor.graph.tensor import Tensor
from ..modules.module import Module
from . import ctc
from . import pairs as further_losses
from .modules import _Loss

if TYPE_CHECKING:
    from ...tensor.functions.types import ArrayLike

__all__ = ["CTCLoss", "CosineEmbeddingLoss", "CosineSimilarity", "GaussianNLLLoss"]
__all__ += ["HingeEmbeddingLoss", "MarginRankingLoss", "MultiMarginLoss", "PairwiseDistance"]
__all__ += ["PoissonNLLLoss", "SoftMarginLoss", "TripletMarginLoss"]


class _Of(_Loss):
    """A loss of any number of arrays."""

    def _of(self, *inputs: Tensor | ArrayLike) -> Tensor:
        options = {name: getattr(self, name) for name in self.options}
        return type(self).function(*inputs, reduction=self.reduction, **options)


class _OfPair(_Of):
    """A loss of two arrays and a target, with a margin."""

    options: ClassVar[tuple[str, ...]] = ("margin",)
    margin: float

    def __init__(self, margin: float = 0.0, reduction: str = "mean") -> None:
        super().__init__(reduction)
        self.margin = margin

    def forward(  # type: ignore[override]
        self,
        input1: Tensor | ArrayLike,
        input2: Tensor | ArrayLike,
        target: Tensor | ArrayLike,
    ) -> Tensor:
        """Return the loss of two inputs, which ``target`` compares."""
        return self._of(input1, input2, target)


class CosineEmbeddingLoss(_OfPair):
    """Mean of 1 - cos for vectors with target 1, and of max(0, cos - margin) for target -1.

    Parameters
    ----------
    margin
        The cosine up to which vectors with target -1 cost nothing, from -1 to 1.
    reduction
        What the call returns: "mean" or "sum" of the terms, or "none" for all of them.

    Raises
    ------
    OptionError
        If ``reduction`` has another name.
    SizeError
        If the shapes do not fit each other (in the call).

    Shape
    -----
    input1, input2 : (batch, features) or (features,)
    target : (batch,) or ()
    loss : (), or (batch,) with reduction="none"

    See Also
    --------
    CosineSimilarity, gradwalk.nn.functional.cosine_embedding_loss

    Examples
    --------
    >>> from gradwalk import Tensor
    >>> a, b = Tensor([[1.0, 0.0]]), Tensor([[0.0, 1.0]])
    >>> CosineEmbeddingLoss()(a, b, Tensor([1.0])).item()
    1.0
    """

    function: ClassVar[Callable[..., Tensor]] = staticmethod(further_losses.cosine_embedding_loss)


class MarginRankingLoss(_OfPair):
    """Mean of max(0, margin - t (x₁ - x₂)): which of two numbers is to be larger.

    Parameters
    ----------
    margin
        By how much x₁ is to be larger (target 1) or smaller (target -1).
    reduction
        What the call returns: "mean" or "sum" of the terms, or "none" for all of them.

    Raises
    ------
    OptionError
        If ``reduction`` has another name.
    SizeError
        If the shapes do not fit each other (in the call).

    Shape
    -----
    input1, input2 : any shape, equal
    target : a shape broadcast to the inputs
    loss : (), or the shape of the inputs with reduction="none"

    See Also
    --------
    HingeEmbeddingLoss, gradwalk.nn.functional.margin_ranking_loss

    Examples
    --------
    >>> from gradwalk import Tensor
    >>> MarginRankingLoss()(Tensor([1.0]), Tensor([3.0]), Tensor([1.0])).item()
    2.0
    """

    function: ClassVar[Callable[..., Tensor]] = staticmethod(further_losses.margin_ranking_loss)


class TripletMarginLoss(_Of):
    """Mean of max(0, d(a, p) - d(a, n) + margin) of anchors, positives and negatives.

    Parameters
    ----------
    margin
        By how much the positive is to be nearer to the anchor than the negative.
    p
        The power of the norm d, (Σ |xᵢ|ᵖ)^(1/p).
    eps
        Added to each difference, so that the norm has a derivative where the vectors are equal.
    swap
        Whether the distance to the negative is the smaller of those from anchor and positive.
    reduction
        What the call returns: "mean" or "sum" of the terms, or "none" for all of them.

    Raises
    ------
    OptionError
        If ``reduction`` has another name.
    SizeError
        If the shapes do not fit each other (in the call).

    Shape
    -----
    anchor, positive, negative : (batch, features) or (features,)
    loss : (), or (batch,) with reduction="none"

    See Also
    --------
    PairwiseDistance, gradwalk.nn.functional.triplet_margin_loss

    References
    ----------
    Balntas and others, Learning local feature descriptors with triplets and shallow convolutional
    neural networks (2016).

    Examples
    --------
    >>> from gradwalk import Tensor
    >>> a, p, n = Tensor([[0.0]]), Tensor([[2.0]]), Tensor([[1.0]])
    >>> round(TripletMarginLoss()(a, p, n).item(), 4)
    2.0
    """

    function: ClassVar[Callable[..., Tensor]] = staticmethod(further_losses.triplet_margin_loss)
    options: ClassVar[tuple[str, ...]] = ("margin", "p", "eps", "swap")
    margin: float
    p: float
    eps: float
    swap: bool

    def __init__(
        self,
        margin: float = 1.0,
        p: float = 2.0,
        eps: float = 1e-6,
        swap: bool = False,
        reduction: str = "mean",
    ) -> None:
        super().__init__(reduction)
        self.margin, self.p, self.eps, self.swap = margin, p, eps, swap

    def forward(  # type: ignore[override]
        self,
        anchor: Tensor | ArrayLike,
        positive: Tensor | ArrayLike,
        negative: Tensor | ArrayLike,
    ) -> Tensor:
        """Return the loss of triples."""
        return self._of(anchor, positive, negative)


class HingeEmbeddingLoss(_Of):
    """Mean of x for targets 1, and of max(0, margin - x) for targets -1.

    Parameters
    ----------
    margin
        The distance x from which on pairs with target -1 cost nothing.
    reduction
        What the call returns: "mean" or "sum" of the terms, or "none" for all of them.

    Raises
    ------
    OptionError
        If ``reduction`` has another name.
    SizeError
        If input and target have different shapes (in the call).

    Shape
    -----
    input, target : any shape, equal
    loss : (), or that shape with reduction="none"

    See Also
    --------
    CosineEmbeddingLoss, gradwalk.nn.functional.hinge_embedding_loss

    Examples
    --------
    >>> from gradwalk import Tensor
    >>> HingeEmbeddingLoss()(Tensor([0.5, 0.25]), Tensor([1.0, -1.0])).item()
    0.625
    """

    function: ClassVar[Callable[..., Tensor]] = staticmethod(further_losses.hinge_embedding_loss)
    options: ClassVar[tuple[str, ...]] = ("margin",)
    margin: float

    def __init__(self, margin: float = 1.0, reduction: str = "mean") -> None:
        super().__init__(reduction)
        self.margin = margin


class SoftMarginLoss(_Loss):
    """Mean of ln(1 + e^(-t x)) for labels t, 1 and -1, and scores x.

    Parameters
    ----------
    reduction
        What the call returns: "mean" or "sum" of the terms, or "none" for all of them.

    Raises
    ------
    OptionError
        If ``reduction`` has another name.
    SizeError
        If input and target have different shapes (in the call).

    Shape
    -----
    input, target : any shape, equal
    loss : (), or that shape with reduction="none"

    See Also
    --------
    BCEWithLogitsLoss, gradwalk.nn.functional.soft_margin_loss

    Examples
    --------
    >>> from gradwalk import Tensor
    >>> round(SoftMarginLoss()(Tensor([2.0, -1.0]), Tensor([1.0, -1.0])).item(), 4)
    0.2201
    """

    function: ClassVar[Callable[..., Tensor]] = staticmethod(further_losses.soft_margin_loss)


class MultiMarginLoss(_Loss):
    """Mean of Σ max(0, margin - xₜ + xᵢ)ᵖ over the other classes, divided by the number of classes.

    Parameters
    ----------
    p
        The power of the terms, 1 or 2.
    margin
        By how much the score of the class is to be larger than the others.
    weight : (classes,)
        A factor for each class, which applies to the rows whose target it is. ``None`` is 1. It
        is a buffer, saved with the module.
    reduction
        What the call returns: "mean" or "sum" of the terms, or "none" for all of them.

    Raises
    ------
    OptionError
        If ``reduction`` has another name, or ``weight`` requires a gradient.
    DataError
        If a target is no index of a class (in the call).
    SizeError
        If the shapes do not fit each other (in the call).

    Shape
    -----
    input : (batch, classes) or (classes,)
    target : (batch,) or (), integers
    loss : (), or (batch,) with reduction="none"

    See Also
    --------
    CrossEntropyLoss, gradwalk.nn.functional.multi_margin_loss

    Examples
    --------
    >>> from gradwalk import Tensor
    >>> MultiMarginLoss()(Tensor([[0.5, 1.0]]), Tensor([0])).item()
    0.75
    """

    function: ClassVar[Callable[..., Tensor]] = staticmethod(further_losses.multi_margin_loss)
    options: ClassVar[tuple[str, ...]] = ("p", "margin", "weight")
    p: int
    margin: float
    weight: Tensor | None

    def __init__(
        self,
        p: int = 1,
        margin: float = 1.0,
        weight: Tensor | ArrayLike | None = None,
        reduction: str = "mean",
    ) -> None:
        super().__init__(reduction)
        self.p, self.margin = p, margin
        self._register_weight("weight", weight)


class PoissonNLLLoss(_Loss):
    """Mean negative log-likelihood of counts t, given the logarithms x of their means.

        e^x - t x, or x - t ln(x + eps) without ``log_input``

    Parameters
    ----------
    log_input
        Whether the input holds logarithms, instead of the means themselves.
    full
        Whether Stirling's term t ln t - t + ln(2 π t) / 2 is added for targets above 1.
    eps
        Keeps ln 0 away; for means only.
    reduction
        What the call returns: "mean" or "sum" of the terms, or "none" for all of them.

    Raises
    ------
    OptionError
        If ``reduction`` has another name.
    SizeError
        If input and target have different shapes (in the call).

    Shape
    -----
    input, target : any shape, equal
    loss : (), or that shape with reduction="none"

    See Also
    --------
    GaussianNLLLoss, gradwalk.nn.functional.poisson_nll_loss

    Examples
    --------
    >>> from gradwalk import Tensor
    >>> PoissonNLLLoss()(Tensor([0.0]), Tensor([3.0])).item()
    1.0
    """

    function: ClassVar[Callable[..., Tensor]] = staticmethod(further_losses.poisson_nll_loss)
    options: ClassVar[tuple[str, ...]] = ("log_input", "full", "eps")
    log_input: bool
    full: bool
    eps: float

    def __init__(
        self,
        log_input: bool = True,
        full: bool = False,
        eps: float = 1e-8,
        reduction: str = "mean",
    ) -> None:
        super().__init__(reduction)
        self.log_input, self.full, self.eps = log_input, full, eps


class GaussianNLLLoss(_Of):
    """Mean negative log-likelihood of normal distributions with means x and variances σ².

        (ln σ² + (x - t)² / σ²) / 2

    The call is ``loss(input, target, var)``.

    Parameters
    ----------
    full
        Whether the constant ln(2 π) / 2 is added.
    eps
        The smallest variance; smaller ones count as ``eps``, and have no gradient.
    reduction
        What the call returns: "mean" or "sum" of the terms, or "none" for all of them.

    Raises
    ------
    OptionError
        If ``reduction`` has another name.
    SizeError
        If the shapes do not fit each other (in the call).

    Shape
    -----
    input, target : any shape, equal
    var : a shape broadcast to the input, or its shape without the last axis
    loss : (), or the shape of input with reduction="none"

    See Also
    --------
    PoissonNLLLoss, gradwalk.nn.functional.gaussian_nll_loss

    Examples
    --------
    >>> from gradwalk import Tensor
    >>> GaussianNLLLoss()(Tensor([1.0]), Tensor([3.0]), Tensor([1.0])).item()
    2.0
    """

    function: ClassVar[Callable[..., Tensor]] = staticmethod(further_losses.gaussian_nll_loss)
    options: ClassVar[tuple[str, ...]] = ("full", "eps")
    full: bool
    eps: float

    def __init__(self, *, full: bool = False, eps: float = 1e-6, reduction: str = "mean") -> None:
        super().__init__(reduction)
        self.full, self.eps = full, eps

    def forward(  # type: ignore[override]
        self,
        input: Tensor | ArrayLike,
        target: Tensor | ArrayLike,
        var: Tensor | ArrayLike,
    ) -> Tensor:
        """Return the loss of means ``input`` and variances ``var``."""
        return self._of(input, target, var)


class CTCLoss(_Of):
    """-ln P(target | input), summed over all alignments of labels and steps.

    The call is ``loss(log_probs, targets, input_lengths, target_lengths)``.

    Parameters
    ----------
    blank
        The class that stands for no label, >= 0.
    reduction
        What the call returns: "sum" of the losses, "mean" of the losses after each is divided
        by its number of labels, or "none" for all.
    zero_infinity
        Whether the infinite losses of labels that cannot be aligned become 0.

    Raises
    ------
    OptionError
        If ``reduction`` has another name, or ``blank`` is no integer >= 0 (in the call).
    SizeError
        If the shapes do not fit each other (in the call).
    DataError
        If a label, or ``blank``, is no class (in the call).

    Shape
    -----
    log_probs : (steps, batch, classes), or (steps, classes)
    targets : (batch, labels), or (labels of all,)
    input_lengths, target_lengths : (batch,) or ()
    loss : (), or (batch,) with reduction="none"

    See Also
    --------
    gradwalk.nn.functional.ctc_loss

    References
    ----------
    Graves, Fernández, Gomez and Schmidhuber, Connectionist temporal classification (2006).

    Examples
    --------
    >>> import numpy as np
    >>> from gradwalk import Tensor
    >>> loss = CTCLoss()
    >>> round(loss(Tensor(np.log(np.full((2, 1, 2), 0.5))), [[1]], [2], [1]).item(), 4)
    0.2877
    """

    function: ClassVar[Callable[..., Tensor]] = staticmethod(ctc.ctc_loss)
    options: ClassVar[tuple[str, ...]] = ("blank", "zero_infinity")
    blank: int
    zero_infinity: bool

    def __init__(
        self, blank: int = 0, reduction: str = "mean", zero_infinity: bool = False
    ) -> None:
        super().__init__(reduction)
        self.blank, self.zero_infinity = blank, zero_infinity

    def forward(  # type: ignore[override]
        self,
        log_probs: Tensor | ArrayLike,
        targets: Tensor | ArrayLike,
        input_lengths: Tensor | ArrayLike,
        target_lengths: Tensor | ArrayLike,
    ) -> Tensor:
        """Return the loss of sequences of logarithms of probabilities."""
        return self._of(log_probs, targets, input_lengths, target_lengths)


# --- distances ------------------------------------------------------------------------------------


class CosineSimilarity(Module):
    """The cosine of the angle between vectors along an axis.

    Parameters
    ----------
    dim
        The axis of the vectors; negative ones count from the end.
    eps
        The smallest length that divides.

    Raises
    ------
    SizeError
        If the shapes do not fit each other, or have no such axis (in the call).

    Shape
    -----
    x1, x2 : any shape, broadcast to each other
    y : the shape of x1 without the axis dim

    See Also
    --------
    PairwiseDistance, gradwalk.nn.functional.cosine_similarity

    Examples
    --------
    >>> from gradwalk import Tensor
    >>> CosineSimilarity()(Tensor([[3.0, 4.0]]), Tensor([[4.0, 3.0]])).round(4).tolist()
    [0.96]
    """

    dim: int
    eps: float

    def __init__(self, dim: int = 1, eps: float = 1e-8) -> None:
        self.dim, self.eps = dim, eps

    def forward(self, x1: Tensor | ArrayLike, x2: Tensor | ArrayLike) -> Tensor:
        """Return the cosines."""
        return further_losses.cosine_similarity(x1, x2, self.dim, self.eps)


class PairwiseDistance(Module):
    """The p-norm of differences along the last axis.

    Parameters
    ----------
    p
        The power of the norm (Σ |dᵢ|ᵖ)^(1/p); ``math.inf`` takes the largest |dᵢ|.
    eps
        Added to each difference, so that the norm has a derivative where the vectors are equal.
    keepdim
        Whether the result keeps the last axis, of length 1.

    Raises
    ------
    SizeError
        If the shapes do not fit each other (in the call).

    Shape
    -----
    x1, x2 : (..., features)
    y : (...), with ``keepdim`` (..., 1)

    See Also
    --------
    CosineSimilarity, gradwalk.nn.functional.pairwise_distance

    Examples
    --------
    >>> from gradwalk import Tensor
    >>> PairwiseDistance()(Tensor([[3.0, 0.0]]), Tensor([[0.0, 4.0]])).round(4).tolist()
    [5.0]
    """

    p: float
    eps: float
    keepdim: bool

    def __init__(self, p: float = 2.0, eps: float = 1e-6, keepdim: bool = False) -> None:
        self.p, self.eps, self.keepdim = p, eps, keepdim

    def forward(self, x1: Tensor | ArrayLike, x2: Tensor | ArrayLike) -> Tensor:
        """Return the distances."""
        return further_losses.pairwise_distance(x1, x2, self.p, self.eps, self.keepdim)
