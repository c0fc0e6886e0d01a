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
    """Mean of the squared errors (x - t)².

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
    L1Loss, HuberLoss, gradwalk.nn.functional.mse_loss

    Examples
    --------
    >>> from gradwalk import Tensor
    >>> MSELoss()(Tensor([1.0, 2.0]), Tensor([0.0, 4.0])).item()
    2.5
    """

    function: ClassVar[Callable[..., Tensor]] = staticmethod(functional.mse_loss)


class L1Loss(_Loss):
    """Mean of the absolute errors |x - t|.

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
    MSELoss, SmoothL1Loss, gradwalk.nn.functional.l1_loss

    Examples
    --------
    >>> from gradwalk import Tensor
    >>> L1Loss()(Tensor([1.0, 2.0]), Tensor([0.0, 4.0])).item()
    1.5
    """

    function: ClassVar[Callable[..., Tensor]] = staticmethod(functional.l1_loss)


class HuberLoss(_Loss):
    """Mean of a loss that is quadratic for small errors d = x - t and linear for large ones.

        d²/2 for |d| ≤ delta, and delta (|d| - delta/2) beyond

    Parameters
    ----------
    reduction
        What the call returns: "mean" or "sum" of the terms, or "none" for all of them.
    delta
        The error at which the loss becomes linear, > 0.

    Raises
    ------
    OptionError
        If ``reduction`` has another name, or ``delta`` is not positive (in the call).
    SizeError
        If input and target have different shapes (in the call).

    Shape
    -----
    input, target : any shape, equal
    loss : (), or that shape with reduction="none"

    See Also
    --------
    SmoothL1Loss, gradwalk.nn.functional.huber_loss

    Examples
    --------
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
    """Mean of the loss of `HuberLoss`, divided by ``beta``.

        d²/(2 beta) for |d| < beta, and |d| - beta/2 beyond

    Parameters
    ----------
    reduction
        What the call returns: "mean" or "sum" of the terms, or "none" for all of them.
    beta
        The error at which the loss becomes linear, >= 0; with 0 the loss is |d|.

    Raises
    ------
    OptionError
        If ``reduction`` has another name, or ``beta`` is negative (in the call).
    SizeError
        If input and target have different shapes (in the call).

    Shape
    -----
    input, target : any shape, equal
    loss : (), or that shape with reduction="none"

    See Also
    --------
    HuberLoss, gradwalk.nn.functional.smooth_l1_loss

    Examples
    --------
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
    """Mean cross-entropy of labels t and probabilities x of label 1.

        -(t ln x + (1 - t) ln(1 - x))

    Parameters
    ----------
    weight : a shape broadcast to the input, as of one example
        A factor for each term; ``None`` is 1. It is a buffer, saved with the module.
    reduction
        What the call returns: "mean" or "sum" of the terms, or "none" for all of them.

    Raises
    ------
    OptionError
        If ``reduction`` has another name, or ``weight`` requires a gradient.
    DataError
        If a number of input or target is not between 0 and 1 (in the call).
    SizeError
        If input and target have different shapes (in the call).

    Shape
    -----
    input, target : any shape, equal
    loss : (), or that shape with reduction="none"

    See Also
    --------
    BCEWithLogitsLoss, gradwalk.nn.functional.binary_cross_entropy

    Examples
    --------
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
    """Mean cross-entropy of labels t and logits x.

        w t ln(1 + e^-x) + (1 - t) ln(1 + e^x)

    Parameters
    ----------
    weight : a shape broadcast to the input, as of one example
        A factor for each term; ``None`` is 1. It is a buffer, saved with the module.
    reduction
        What the call returns: "mean" or "sum" of the terms, or "none" for all of them.
    pos_weight : a shape broadcast to the input, as of one example
        The w of the formula, a factor for the terms of label 1; ``None`` is 1. It is a buffer,
        too.

    Raises
    ------
    OptionError
        If ``reduction`` has another name, or a weight requires a gradient.
    SizeError
        If input and target have different shapes (in the call).

    Shape
    -----
    input, target : any shape, equal
    loss : (), or that shape with reduction="none"

    See Also
    --------
    BCELoss, gradwalk.nn.functional.binary_cross_entropy_with_logits

    Examples
    --------
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
    """Mean cross-entropy -ln softmax(x)ₜ of classes t and logits x.

    Parameters
    ----------
    weight : (classes,)
        A factor for the terms of each class; for indices, the mean is divided by the sum of the
        weights of the targets. ``None`` is 1. It is a buffer, saved with the module.
    ignore_index
        The target that does not count, in the mean neither.
    reduction
        What the call returns: "mean" or "sum" of the terms, or "none" for all of them.
    label_smoothing
        The part of each target that is spread evenly over all classes, from 0 to 1.

    Raises
    ------
    OptionError
        If ``reduction`` has another name, ``weight`` requires a gradient, or
        ``label_smoothing`` is not between 0 and 1 (in the call).
    DataError
        If a target is no index of a class (in the call).
    SizeError
        If the shapes do not fit, or there is not a weight for each class (in the call).

    Shape
    -----
    input : (batch, classes), (batch, classes, ...) or (classes,)
    target : (batch,), (batch, ...) or (), integers; or probabilities in the shape of input
    loss : (), or the shape of the classes with reduction="none"

    See Also
    --------
    NLLLoss, gradwalk.nn.functional.cross_entropy

    Examples
    --------
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
    """Mean negative log-likelihood -xₜ of classes t, given the logarithms x of their probabilities.

    Parameters
    ----------
    weight : (classes,)
        A factor for the terms of each class; for indices, the mean is divided by the sum of the
        weights of the targets. ``None`` is 1. It is a buffer, saved with the module.
    ignore_index
        The target that does not count, in the mean neither.
    reduction
        What the call returns: "mean" or "sum" of the terms, or "none" for all of them.

    Raises
    ------
    OptionError
        If ``reduction`` has another name, or ``weight`` requires a gradient.
    DataError
        If a target is no index of a class (in the call).
    SizeError
        If the shapes do not fit, or there is not a weight for each class (in the call).

    Shape
    -----
    input : (batch, classes), (batch, classes, ...) or (classes,)
    target : (batch,), (batch, ...) or (), integers
    loss : (), or the shape of target with reduction="none"

    See Also
    --------
    CrossEntropyLoss, LogSoftmax, gradwalk.nn.functional.nll_loss

    Examples
    --------
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
    """Kullback-Leibler divergence of probabilities t from predicted ones with the logarithms x.

        t (ln t - x)

    Parameters
    ----------
    reduction
        What the call returns: "sum" or "mean" of the terms, or "none" for all of them.
        "batchmean" is the definition of the divergence: the sum, divided by the length of axis
        0.
    log_target
        Whether the targets are logarithms, too.

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
    CrossEntropyLoss, gradwalk.nn.functional.kl_div

    Examples
    --------
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
