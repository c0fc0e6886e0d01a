"""Losses as modules, with PyTorch's names and options."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, ClassVar

from ...core.expect import describe
from ...errors import OptionError
from ...tensor.graph.tensor import Tensor
from .. import functional
from ..modules.module import Module

if TYPE_CHECKING:
    from ...tensor.functions.types import ArrayLike

__all__ = ["BCELoss", "BCEWithLogitsLoss", "CrossEntropyLoss", "HuberLoss", "KLDivLoss"]
__all__ += ["L1Loss", "MSELoss", "NLLLoss", "SmoothL1Loss"]


class _Loss(Module):
    """A function of `functional`, and the attributes that it takes as options."""

    function: ClassVar[Callable[..., Tensor]]
    options: ClassVar[tuple[str, ...]] = ()
    known: ClassVar[tuple[str, ...]] = ("mean", "sum", "none")

    def __init__(self, reduction: str = "mean") -> None:
        if reduction not in self.known:
            raise OptionError(
                where=f"{type(self).__name__}(reduction=...)",
                expected=f"one of {', '.join(self.known)}",
                got=describe(reduction),
                fix="Leave it out for the mean.",
            )
        self.reduction = reduction

    def forward(self, input: Tensor | ArrayLike, target: Tensor | ArrayLike) -> Tensor:
        """Return the loss of ``input``, compared with ``target``."""
        options = {name: getattr(self, name) for name in self.options}
        return type(self).function(input, target, reduction=self.reduction, **options)

    def _register_weight(self, name: str, weight: Tensor | ArrayLike | None) -> None:
        data: Any = weight
        tensor = data if data is None or isinstance(data, Tensor) else Tensor(data)
        self.register_buffer(name, tensor)


class MSELoss(_Loss):
    """Mean squared error.

    >>> from gradwalk import Tensor
    >>> MSELoss()(Tensor([1.0, 2.0]), Tensor([0.0, 4.0])).item()
    2.5
    """

    function: ClassVar[Callable[..., Tensor]] = staticmethod(functional.mse_loss)


class L1Loss(_Loss):
    """Mean absolute error.

    >>> from gradwalk import Tensor
    >>> L1Loss()(Tensor([1.0, 2.0]), Tensor([0.0, 4.0])).item()
    1.5
    """

    function: ClassVar[Callable[..., Tensor]] = staticmethod(functional.l1_loss)


class HuberLoss(_Loss):
    """Squared for errors up to ``delta``, linear beyond.

    >>> from gradwalk import Tensor
    >>> HuberLoss(delta=2.0)(Tensor([1.0, 2.0]), Tensor([0.0, 5.0])).item()
    2.25
    """

    function: ClassVar[Callable[..., Tensor]] = staticmethod(functional.huber_loss)
    options: ClassVar[tuple[str, ...]] = ("delta",)

    def __init__(self, reduction: str = "mean", delta: float = 1.0) -> None:
        super().__init__(reduction)
        self.delta = delta


class SmoothL1Loss(_Loss):
    """`HuberLoss` divided by ``beta``.

    >>> from gradwalk import Tensor
    >>> SmoothL1Loss(beta=2.0)(Tensor([1.0, 2.0]), Tensor([0.0, 5.0])).item()
    1.125
    """

    function: ClassVar[Callable[..., Tensor]] = staticmethod(functional.smooth_l1_loss)
    options: ClassVar[tuple[str, ...]] = ("beta",)

    def __init__(self, reduction: str = "mean", beta: float = 1.0) -> None:
        super().__init__(reduction)
        self.beta = beta


class BCELoss(_Loss):
    """Cross-entropy of labels and probabilities; ``weight`` multiplies the terms.

    >>> from gradwalk import Tensor
    >>> round(BCELoss()(Tensor([0.9, 0.2]), Tensor([1.0, 0.0])).item(), 4)
    0.1643
    """

    function: ClassVar[Callable[..., Tensor]] = staticmethod(functional.binary_cross_entropy)
    options: ClassVar[tuple[str, ...]] = ("weight",)
    weight: Tensor | None

    def __init__(self, weight: Tensor | ArrayLike | None = None, reduction: str = "mean") -> None:
        super().__init__(reduction)
        self._register_weight("weight", weight)


class BCEWithLogitsLoss(_Loss):
    """Cross-entropy of labels and logits; ``pos_weight`` multiplies the terms of label 1.

    >>> from gradwalk import Tensor
    >>> round(BCEWithLogitsLoss()(Tensor([2.0, -1.0]), Tensor([1.0, 0.0])).item(), 4)
    0.2201
    """

    function: ClassVar[Callable[..., Tensor]] = staticmethod(
        functional.binary_cross_entropy_with_logits
    )
    options: ClassVar[tuple[str, ...]] = ("weight", "pos_weight")
    weight: Tensor | None
    pos_weight: Tensor | None

    def __init__(
        self,
        weight: Tensor | ArrayLike | None = None,
        reduction: str = "mean",
        pos_weight: Tensor | ArrayLike | None = None,
    ) -> None:
        super().__init__(reduction)
        self._register_weight("weight", weight)
        self._register_weight("pos_weight", pos_weight)


class CrossEntropyLoss(_Loss):
    """Cross-entropy of classes and logits: (N, C) or (N, C, …), the classes on axis 1.

    Targets are indices of classes, (N) or (N, …), or probabilities with the shape of the logits.
    ``weight`` has a number for each class, targets ``ignore_index`` do not count, and
    ``label_smoothing`` is the part of each target that is spread over all classes. The weighted
    mean divides by the sum of the weights of the targets.

    >>> from gradwalk import Tensor
    >>> loss = CrossEntropyLoss()(Tensor([[2.0, 0.0, 0.0], [0.0, 3.0, 0.0]]), Tensor([0, 1]))
    >>> round(loss.item(), 4)
    0.1672
    """

    function: ClassVar[Callable[..., Tensor]] = staticmethod(functional.cross_entropy)
    options: ClassVar[tuple[str, ...]] = ("weight", "ignore_index", "label_smoothing")
    weight: Tensor | None
    ignore_index: int
    label_smoothing: float

    def __init__(
        self,
        weight: Tensor | ArrayLike | None = None,
        ignore_index: int = -100,
        reduction: str = "mean",
        label_smoothing: float = 0.0,
    ) -> None:
        super().__init__(reduction)
        self._register_weight("weight", weight)
        self.ignore_index, self.label_smoothing = ignore_index, label_smoothing


class NLLLoss(_Loss):
    """Negative log-likelihood of classes, given the logarithms of their probabilities.

    >>> from gradwalk import Tensor
    >>> NLLLoss()(Tensor([[-0.5, -1.0], [-2.0, -0.25]]), Tensor([0, 1])).item()
    0.375
    """

    function: ClassVar[Callable[..., Tensor]] = staticmethod(functional.nll_loss)
    options: ClassVar[tuple[str, ...]] = ("weight", "ignore_index")
    weight: Tensor | None

    def __init__(
        self,
        weight: Tensor | ArrayLike | None = None,
        ignore_index: int = -100,
        reduction: str = "mean",
    ) -> None:
        super().__init__(reduction)
        self._register_weight("weight", weight)
        self.ignore_index = ignore_index


class KLDivLoss(_Loss):
    """Kullback-Leibler divergence t (ln t - x); ``log_target``: the targets are logarithms too.

    ``reduction="batchmean"`` is its definition: the sum, divided by the length of the first axis.

    >>> from gradwalk import Tensor
    >>> loss = KLDivLoss(reduction="batchmean")
    >>> round(loss(Tensor([[-0.5, -1.0]]), Tensor([[0.5, 0.5]])).item(), 4)
    0.0569
    """

    function: ClassVar[Callable[..., Tensor]] = staticmethod(functional.kl_div)
    options: ClassVar[tuple[str, ...]] = ("log_target",)
    known: ClassVar[tuple[str, ...]] = (*_Loss.known, "batchmean")

    def __init__(self, reduction: str = "mean", log_target: bool = False) -> None:
        super().__init__(reduction)
        self.log_target = log_target
