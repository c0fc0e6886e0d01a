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
    """1 - cos for targets 1, max(0, cos - margin) for targets -1.

    >>> from gradwalk import Tensor
    >>> a, b = Tensor([[1.0, 0.0]]), Tensor([[0.0, 1.0]])
    >>> CosineEmbeddingLoss()(a, b, Tensor([1.0])).item()
    1.0
    """

    function: ClassVar[Callable[..., Tensor]] = staticmethod(further_losses.cosine_embedding_loss)


class MarginRankingLoss(_OfPair):
    """max(0, margin - t (x₁ - x₂)): which of two numbers is to be larger.

    >>> from gradwalk import Tensor
    >>> MarginRankingLoss()(Tensor([1.0]), Tensor([3.0]), Tensor([1.0])).item()
    2.0
    """

    function: ClassVar[Callable[..., Tensor]] = staticmethod(further_losses.margin_ranking_loss)


class TripletMarginLoss(_Of):
    """max(0, d(a, p) - d(a, n) + margin) of anchors, positives and negatives.

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
    """x for targets 1, max(0, margin - x) for targets -1.

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
    """ln(1 + e^(-t x)) for targets 1 and -1.

    >>> from gradwalk import Tensor
    >>> round(SoftMarginLoss()(Tensor([2.0, -1.0]), Tensor([1.0, -1.0])).item(), 4)
    0.2201
    """

    function: ClassVar[Callable[..., Tensor]] = staticmethod(further_losses.soft_margin_loss)


class MultiMarginLoss(_Loss):
    """Σ max(0, margin - xₜ + xᵢ)ᵖ over the other classes, divided by the number of classes.

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
    """Negative log-likelihood of counts, given the logarithms of their means.

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
    """Negative log-likelihood of normal distributions with means and variances.

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
    """-ln P(target | input), summed over all alignments of labels and steps."""

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
    """The cosine of the angle between vectors along the axis ``dim``.

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
