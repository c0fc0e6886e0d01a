"""Activations as modules, with PyTorch's names and options."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, ClassVar

from ...core.expect import describe
from ...engine.functions import (
    elu,
    gelu,
    hardtanh,
    leaky_relu,
    log_sigmoid,
    relu,
    selu,
    sigmoid,
    silu,
    tanh,
)
from ...errors import OptionError
from ...tensor import Tensor
from .. import functional
from ..modules.module import Module

if TYPE_CHECKING:
    from ...tensor.functions.types import ArrayLike

__all__ = ["ELU", "GELU", "Hardtanh", "LeakyReLU", "LogSigmoid", "LogSoftmax", "ReLU", "SELU"]
__all__ += ["SiLU", "Sigmoid", "Softmax", "Softplus", "Tanh"]


class _Activation(Module):
    """A function, and the attributes that it takes as options after x."""

    function: ClassVar[Callable[..., Any]]
    options: ClassVar[tuple[str, ...]] = ()

    def forward(self, x: Tensor | ArrayLike) -> Tensor:
        """Return the function of ``x``, number by number."""
        y: Tensor = type(self).function(x, *[getattr(self, name) for name in self.options])
        return y

    def extra_repr(self) -> str:
        """Return the options."""
        return ", ".join(f"{name}={getattr(self, name)!r}" for name in self.options)


class _InPlace(_Activation):
    """An activation with PyTorch's option ``inplace``, which has no effect: it copies x anyway."""

    def __init__(self, inplace: bool = False) -> None:
        self.inplace = inplace

    def extra_repr(self) -> str:
        """Return the options."""
        return ", ".join(filter(None, [super().extra_repr(), "inplace=True" * self.inplace]))


class ReLU(_InPlace):
    """max(x, 0), with the derivative 0 at 0.

    Parameters
    ----------
    inplace
        Has no effect: programs written for PyTorch pass it, and the input is never changed.

    Shape
    -----
    x, y : any shape

    See Also
    --------
    LeakyReLU, gradwalk.relu

    Examples
    --------
    >>> from gradwalk import Tensor
    >>> ReLU()(Tensor([-1.0, 2.0])).tolist()
    [0.0, 2.0]
    """

    function: ClassVar[Callable[..., Any]] = staticmethod(relu)


class Tanh(_Activation):
    """The activation tanh(x).

    Shape
    -----
    x, y : any shape

    See Also
    --------
    Hardtanh, gradwalk.tanh

    Examples
    --------
    >>> from gradwalk import Tensor
    >>> Tanh()(Tensor([-1.0, 0.0, 2.0])).round(3).tolist()
    [-0.762, 0.0, 0.964]
    """

    function: ClassVar[Callable[..., Any]] = staticmethod(tanh)


class Sigmoid(_Activation):
    """The activation 1 / (1 + e^-x).

    Shape
    -----
    x, y : any shape

    See Also
    --------
    LogSigmoid, gradwalk.sigmoid

    Examples
    --------
    >>> from gradwalk import Tensor
    >>> Sigmoid()(Tensor([-1.0, 0.0, 2.0])).round(3).tolist()
    [0.269, 0.5, 0.881]
    """

    function: ClassVar[Callable[..., Any]] = staticmethod(sigmoid)


class LogSigmoid(_Activation):
    """The activation -ln(1 + e^-x).

    Shape
    -----
    x, y : any shape

    See Also
    --------
    Sigmoid, gradwalk.log_sigmoid

    Examples
    --------
    >>> from gradwalk import Tensor
    >>> LogSigmoid()(Tensor([-1.0, 0.0, 2.0])).round(3).tolist()
    [-1.313, -0.693, -0.127]
    """

    function: ClassVar[Callable[..., Any]] = staticmethod(log_sigmoid)


class SiLU(_InPlace):
    """x / (1 + e^-x), also called swish.

    Parameters
    ----------
    inplace
        Has no effect: programs written for PyTorch pass it, and the input is never changed.

    Shape
    -----
    x, y : any shape

    See Also
    --------
    Hardswish, gradwalk.silu

    Examples
    --------
    >>> from gradwalk import Tensor
    >>> SiLU()(Tensor([-1.0, 0.0, 2.0])).round(3).tolist()
    [-0.269, 0.0, 1.762]
    """

    function: ClassVar[Callable[..., Any]] = staticmethod(silu)


class SELU(_InPlace):
    """The self-normalising elu: λ x for x > 0, λ α (e^x - 1) otherwise.

    λ = 1.0507… and α = 1.6733… keep mean 0 and variance 1 through many layers.

    Parameters
    ----------
    inplace
        Has no effect: programs written for PyTorch pass it, and the input is never changed.

    Shape
    -----
    x, y : any shape

    See Also
    --------
    ELU, gradwalk.selu

    References
    ----------
    Klambauer and others, Self-normalizing neural networks (2017).

    Examples
    --------
    >>> from gradwalk import Tensor
    >>> SELU()(Tensor([-1.0, 0.0, 2.0])).round(3).tolist()
    [-1.111, 0.0, 2.101]
    """

    function: ClassVar[Callable[..., Any]] = staticmethod(selu)


class LeakyReLU(_InPlace):
    """x for x > 0, ``negative_slope`` times x otherwise.

    Parameters
    ----------
    negative_slope
        The derivative left of 0.
    inplace
        Has no effect: programs written for PyTorch pass it, and the input is never changed.

    Shape
    -----
    x, y : any shape

    See Also
    --------
    PReLU, gradwalk.leaky_relu

    Examples
    --------
    >>> from gradwalk import Tensor
    >>> LeakyReLU()(Tensor([-1.0, 0.0, 2.0])).round(3).tolist()
    [-0.01, 0.0, 2.0]
    """

    function: ClassVar[Callable[..., Any]] = staticmethod(leaky_relu)
    options: ClassVar[tuple[str, ...]] = ("negative_slope",)

    def __init__(self, negative_slope: float = 0.01, inplace: bool = False) -> None:
        super().__init__(inplace)
        self.negative_slope = negative_slope


class ELU(_InPlace):
    """x for x > 0, ``alpha`` (e^x - 1) otherwise.

    Parameters
    ----------
    alpha
        The negative of the limit for x → -∞.
    inplace
        Has no effect: programs written for PyTorch pass it, and the input is never changed.

    Shape
    -----
    x, y : any shape

    See Also
    --------
    SELU, gradwalk.elu

    References
    ----------
    Clevert, Unterthiner and Hochreiter, Fast and accurate deep network learning by exponential
    linear units (2015).

    Examples
    --------
    >>> from gradwalk import Tensor
    >>> ELU()(Tensor([-1.0, 0.0, 2.0])).round(3).tolist()
    [-0.632, 0.0, 2.0]
    """

    function: ClassVar[Callable[..., Any]] = staticmethod(elu)
    options: ClassVar[tuple[str, ...]] = ("alpha",)

    def __init__(self, alpha: float = 1.0, inplace: bool = False) -> None:
        super().__init__(inplace)
        self.alpha = alpha


class GELU(_Activation):
    """x Φ(x), with the normal distribution function Φ.

    Parameters
    ----------
    approximate
        "none" for Φ itself, or "tanh" for its approximation by a tanh.

    Raises
    ------
    OptionError
        If ``approximate`` has another name.

    Shape
    -----
    x, y : any shape

    See Also
    --------
    SiLU, gradwalk.gelu

    References
    ----------
    Hendrycks and Gimpel, Gaussian error linear units (2016).

    Examples
    --------
    >>> from gradwalk import Tensor
    >>> GELU()(Tensor([-1.0, 0.0, 2.0])).round(3).tolist()
    [-0.159, 0.0, 1.954]
    """

    function: ClassVar[Callable[..., Any]] = staticmethod(gelu)
    options: ClassVar[tuple[str, ...]] = ("approximate",)

    def __init__(self, approximate: str = "none") -> None:
        if approximate not in ("none", "tanh"):
            raise OptionError(
                where="GELU(approximate=...)",
                expected='"none" or "tanh"',
                got=describe(approximate),
                fix="Leave it out for the exact function.",
            )
        self.approximate = approximate


class Softplus(_Activation):
    """ln(1 + e^(β x)) / β, a smooth maximum of x and 0.

    Parameters
    ----------
    beta
        The β of the formula: the larger, the sharper the bend at 0.
    threshold
        Where β x is larger, the result is x itself.

    Shape
    -----
    x, y : any shape

    See Also
    --------
    ReLU, gradwalk.nn.functional.softplus

    Examples
    --------
    >>> from gradwalk import Tensor
    >>> Softplus()(Tensor([-1.0, 0.0, 2.0])).round(3).tolist()
    [0.313, 0.693, 2.127]
    """

    function: ClassVar[Callable[..., Any]] = staticmethod(functional.softplus)
    options: ClassVar[tuple[str, ...]] = ("beta", "threshold")

    beta: float
    threshold: float

    def __init__(self, beta: float = 1.0, threshold: float = 20.0) -> None:
        self.beta, self.threshold = beta, threshold


class Hardtanh(_InPlace):
    """x, clipped to the range from ``min_val`` to ``max_val``.

    Parameters
    ----------
    min_val, max_val
        The limits of the result.
    inplace
        Has no effect: programs written for PyTorch pass it, and the input is never changed.

    Shape
    -----
    x, y : any shape

    See Also
    --------
    ReLU6, gradwalk.hardtanh

    Examples
    --------
    >>> from gradwalk import Tensor
    >>> Hardtanh()(Tensor([-1.0, 0.0, 2.0])).round(3).tolist()
    [-1.0, 0.0, 1.0]
    """

    function: ClassVar[Callable[..., Any]] = staticmethod(hardtanh)
    options: ClassVar[tuple[str, ...]] = ("min_val", "max_val")

    max_val: float
    min_val: float

    def __init__(self, min_val: float = -1.0, max_val: float = 1.0, inplace: bool = False) -> None:
        super().__init__(inplace)
        self.min_val, self.max_val = min_val, max_val


class Softmax(_Activation):
    """e^x divided by its sum along an axis.

    Parameters
    ----------
    dim
        The axis along which the results add up to 1; negative ones count from the end.

    Raises
    ------
    SizeError
        If x has no such axis (in the call).

    Shape
    -----
    x, y : any shape

    See Also
    --------
    LogSoftmax, gradwalk.nn.functional.softmax

    Examples
    --------
    >>> from gradwalk import Tensor
    >>> Softmax(dim=-1)(Tensor([[0.0, 0.0]])).tolist()
    [[0.5, 0.5]]
    """

    function: ClassVar[Callable[..., Any]] = staticmethod(functional.softmax)
    options: ClassVar[tuple[str, ...]] = ("dim",)

    def __init__(self, dim: int) -> None:
        self.dim = dim


class LogSoftmax(_Activation):
    """Logarithms of the softmax along an axis.

    Parameters
    ----------
    dim
        The axis along which the exponentials of the results add up to 1.

    Raises
    ------
    SizeError
        If x has no such axis (in the call).

    Shape
    -----
    x, y : any shape

    See Also
    --------
    Softmax, NLLLoss, gradwalk.nn.functional.log_softmax

    Examples
    --------
    >>> from gradwalk import Tensor
    >>> LogSoftmax(dim=-1)(Tensor([-1.0, 0.0, 2.0])).round(3).tolist()
    [-3.17, -2.17, -0.17]
    """

    function: ClassVar[Callable[..., Any]] = staticmethod(functional.log_softmax)
    options: ClassVar[tuple[str, ...]] = ("dim",)

    def __init__(self, dim: int) -> None:
        self.dim = dim
