"""Losses as modules, with PyTorch's names and options."""

from __future__ import annotations

from typing import Any

from ..core.expect import describe
from ..errors import OptionError
from ..tensor.graph.tensor import Tensor
from . import functional
from .module import Module

__all__ = ["BCELoss", "BCEWithLogitsLoss", "CrossEntropyLoss", "HuberLoss", "KLDivLoss"]
__all__ += ["L1Loss", "MSELoss", "NLLLoss", "SmoothL1Loss"]


class _Loss(Module):
    """A loss with its reduction: "mean", "sum" or "none"."""

    known: tuple[str, ...] = ("mean", "sum", "none")

    def __init__(self, reduction: str = "mean") -> None:
        if reduction not in self.known:
            raise OptionError(
                where=f"{type(self).__name__}(reduction=...)",
                expected=f"one of {', '.join(self.known)}",
                got=describe(reduction),
                fix="Leave it out for the mean.",
            )
        self.reduction = reduction

    def _hold(self, name: str, weight: Any) -> None:
        """Keep a weight as a part of the state, if there is one."""
        tensor = weight if weight is None or isinstance(weight, Tensor) else Tensor(weight)
        self.register_buffer(name, tensor)


class MSELoss(_Loss):
    """Mean squared error.

    >>> from gradwalk import Tensor
    >>> MSELoss()(Tensor([1.0, 2.0]), Tensor([0.0, 4.0])).item()
    2.5
    """

    def forward(self, input: Any, target: Any) -> Any:
        """(x - t)²"""
        return functional.mse_loss(input, target, self.reduction)


class L1Loss(_Loss):
    """Mean absolute error."""

    def forward(self, input: Any, target: Any) -> Any:
        """|x - t|"""
        return functional.l1_loss(input, target, self.reduction)


class HuberLoss(_Loss):
    """Squared for errors up to ``delta``, linear beyond."""

    def __init__(self, reduction: str = "mean", delta: float = 1.0) -> None:
        super().__init__(reduction)
        self.delta = delta

    def forward(self, input: Any, target: Any) -> Any:
        """d²/2 for |d| ≤ delta, and delta (|d| - delta/2) beyond."""
        return functional.huber_loss(input, target, self.reduction, self.delta)


class SmoothL1Loss(_Loss):
    """`HuberLoss` divided by ``beta``."""

    def __init__(self, reduction: str = "mean", beta: float = 1.0) -> None:
        super().__init__(reduction)
        self.beta = beta

    def forward(self, input: Any, target: Any) -> Any:
        """d²/(2 beta) for |d| < beta, and |d| - beta/2 beyond."""
        return functional.smooth_l1_loss(input, target, self.reduction, self.beta)


class BCELoss(_Loss):
    """Surprise at labels, given probabilities; ``weight`` multiplies the terms."""

    weight: Any

    def __init__(self, weight: Any = None, reduction: str = "mean") -> None:
        super().__init__(reduction)
        self._hold("weight", weight)

    def forward(self, input: Any, target: Any) -> Any:
        """-(t ln x + (1 - t) ln(1 - x))"""
        return functional.binary_cross_entropy(input, target, self.weight, self.reduction)


class BCEWithLogitsLoss(_Loss):
    """Surprise at labels, given logits; ``pos_weight`` multiplies the terms of label 1."""

    weight: Any
    pos_weight: Any

    def __init__(self, weight: Any = None, reduction: str = "mean", pos_weight: Any = None) -> None:
        super().__init__(reduction)
        self._hold("weight", weight)
        self._hold("pos_weight", pos_weight)

    def forward(self, input: Any, target: Any) -> Any:
        """w t ln(1 + e^-x) + (1 - t) ln(1 + e^x)"""
        return functional.binary_cross_entropy_with_logits(
            input, target, self.weight, self.reduction, self.pos_weight
        )


class CrossEntropyLoss(_Loss):
    """Surprise at classes, given logits: (N, C) or (N, C, …), the classes on axis 1.

    Targets are numbers of classes, (N) or (N, …), or shares with the shape of the logits.
    ``weight`` has a number for each class, targets ``ignore_index`` do not count, and
    ``label_smoothing`` spreads a share of each target over all classes. The weighted mean is over
    the weights of the targets.

    >>> from gradwalk import Tensor
    >>> loss = CrossEntropyLoss()(Tensor([[2.0, 0.0, 0.0], [0.0, 3.0, 0.0]]), Tensor([0, 1]))
    >>> round(loss.item(), 4)
    0.1672
    """

    weight: Any

    def __init__(
        self,
        weight: Any = None,
        ignore_index: int = -100,
        reduction: str = "mean",
        label_smoothing: float = 0.0,
    ) -> None:
        super().__init__(reduction)
        self._hold("weight", weight)
        self.ignore_index, self.label_smoothing = ignore_index, label_smoothing

    def forward(self, input: Any, target: Any) -> Any:
        """-ln softmax(x)ₜ"""
        options = (self.weight, self.ignore_index, self.reduction, self.label_smoothing)
        return functional.cross_entropy(input, target, *options)


class NLLLoss(_Loss):
    """Surprise at classes, given the logarithms of their probabilities."""

    weight: Any

    def __init__(
        self, weight: Any = None, ignore_index: int = -100, reduction: str = "mean"
    ) -> None:
        super().__init__(reduction)
        self._hold("weight", weight)
        self.ignore_index = ignore_index

    def forward(self, input: Any, target: Any) -> Any:
        """-xₜ"""
        options = (self.weight, self.ignore_index, self.reduction)
        return functional.nll_loss(input, target, *options)


class KLDivLoss(_Loss):
    """Kullback-Leibler divergence of logarithms x from targets t (logarithms, if so said).

    ``reduction="batchmean"`` is its definition: the sum, divided by the length of the first axis.
    """

    known = (*_Loss.known, "batchmean")

    def __init__(self, reduction: str = "mean", log_target: bool = False) -> None:
        super().__init__(reduction)
        self.log_target = log_target

    def forward(self, input: Any, target: Any) -> Any:
        """t (ln t - x)"""
        return functional.kl_div(input, target, self.reduction, self.log_target)
