"""More activations as modules, with PyTorch's names and options."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from ...core.expect import as_float
from ...tensor import Tensor
from ..initial import float_dtype, parameter, size
from ..modules.module import Module
from .functions import glu, hardsigmoid, hardswish, mish, prelu, relu6, softsign
from .modules import _Activation, _InPlace

if TYPE_CHECKING:
    from numpy.typing import DTypeLike

    from ...tensor.functions.types import ArrayLike

__all__ = ["GLU", "Hardsigmoid", "Hardswish", "Mish", "PReLU", "ReLU6", "Softsign"]


class ReLU6(_InPlace):
    """x, limited to the range from 0 to 6.

    Parameters
    ----------
    inplace
        Has no effect: programs written for PyTorch pass it, and the input is never changed.

    Shape
    -----
    x, y : any shape

    See Also
    --------
    Hardtanh, gradwalk.nn.functional.relu6

    Examples
    --------
    >>> from gradwalk import Tensor
    >>> ReLU6()(Tensor([-1.0, 0.0, 2.0])).round(3).tolist()
    [0.0, 0.0, 2.0]
    """

    function: ClassVar[Callable[..., Any]] = staticmethod(relu6)


class Hardsigmoid(_InPlace):
    """The activation relu6(x + 3) / 6.

    Parameters
    ----------
    inplace
        Has no effect: programs written for PyTorch pass it, and the input is never changed.

    Shape
    -----
    x, y : any shape

    See Also
    --------
    Sigmoid, gradwalk.nn.functional.hardsigmoid

    Examples
    --------
    >>> from gradwalk import Tensor
    >>> Hardsigmoid()(Tensor([-1.0, 0.0, 2.0])).round(3).tolist()
    [0.333, 0.5, 0.833]
    """

    function: ClassVar[Callable[..., Any]] = staticmethod(hardsigmoid)


class Hardswish(_InPlace):
    """The activation x relu6(x + 3) / 6.

    Parameters
    ----------
    inplace
        Has no effect: programs written for PyTorch pass it, and the input is never changed.

    Shape
    -----
    x, y : any shape

    See Also
    --------
    SiLU, gradwalk.nn.functional.hardswish

    References
    ----------
    Howard and others, Searching for MobileNetV3 (2019).

    Examples
    --------
    >>> from gradwalk import Tensor
    >>> Hardswish()(Tensor([-1.0, 0.0, 2.0])).round(3).tolist()
    [-0.333, 0.0, 1.667]
    """

    function: ClassVar[Callable[..., Any]] = staticmethod(hardswish)


class Mish(_InPlace):
    """The activation x tanh(ln(1 + e^x)).

    Parameters
    ----------
    inplace
        Has no effect: programs written for PyTorch pass it, and the input is never changed.

    Shape
    -----
    x, y : any shape

    See Also
    --------
    SiLU, gradwalk.nn.functional.mish

    References
    ----------
    Misra, Mish: a self regularized non-monotonic activation function (2019).

    Examples
    --------
    >>> from gradwalk import Tensor
    >>> Mish()(Tensor([-1.0, 0.0, 2.0])).round(3).tolist()
    [-0.303, 0.0, 1.944]
    """

    function: ClassVar[Callable[..., Any]] = staticmethod(mish)


class Softsign(_Activation):
    """The activation x / (1 + |x|).

    Shape
    -----
    x, y : any shape

    See Also
    --------
    Tanh, gradwalk.nn.functional.softsign

    Examples
    --------
    >>> from gradwalk import Tensor
    >>> Softsign()(Tensor([-1.0, 0.0, 2.0])).round(3).tolist()
    [-0.5, 0.0, 0.667]
    """

    function: ClassVar[Callable[..., Any]] = staticmethod(softsign)


class GLU(_Activation):
    """a σ(b), where a and b are the halves of x along an axis.

    Parameters
    ----------
    dim
        The axis that is halved; its length must be even.

    Raises
    ------
    SizeError
        If x has no such axis, or its length is odd (in the call).

    Shape
    -----
    x : (..., length, ...)
    y : (..., length / 2, ...)

    See Also
    --------
    gradwalk.nn.functional.glu

    References
    ----------
    Dauphin and others, Language modeling with gated convolutional networks (2017).

    Examples
    --------
    >>> from gradwalk import Tensor
    >>> GLU()(Tensor([-1.0, 0.0, 2.0, 1.0])).round(3).tolist()
    [-0.881, 0.0]
    """

    function: ClassVar[Callable[..., Any]] = staticmethod(glu)
    options: ClassVar[tuple[str, ...]] = ("dim",)

    dim: int

    def __init__(self, dim: int = -1) -> None:
        self.dim = dim


class PReLU(Module):
    """x for x > 0 and w x otherwise, with a w that is trained.

    Parameters
    ----------
    num_parameters
        1 for the same w everywhere, or the number of channels (axis 1 of x) for a w for each.
    init
        The number with which w starts.
    dtype
        The floating dtype of the parameters, of 64 bits at most; float64 if ``None`` (PyTorch's
        default is float32).

    Raises
    ------
    OptionError
        If ``num_parameters`` is no positive integer, or ``dtype`` no floating dtype.
    NotANumberError
        If ``init`` is no number.
    SizeError
        If x has another number of channels (in the call).

    Shape
    -----
    input, y : any shape
    weight : (num_parameters,)

    See Also
    --------
    LeakyReLU, gradwalk.nn.functional.prelu

    References
    ----------
    He, Zhang, Ren and Sun, Delving deep into rectifiers (2015).

    Examples
    --------
    >>> from gradwalk import Tensor
    >>> PReLU()(Tensor([-2.0, 3.0])).tolist()
    [-0.5, 3.0]
    """

    def __init__(
        self, num_parameters: int = 1, init: float = 0.25, *, dtype: DTypeLike | None = None
    ) -> None:
        count = size(num_parameters, "PReLU(num_parameters)")
        self.weight: Tensor = parameter(
            np.full(count, as_float(init, "PReLU(init)")), float_dtype(dtype, "PReLU(dtype)")
        )

    def forward(self, input: Tensor | ArrayLike) -> Tensor:
        """Return x, its negative numbers times the weight."""
        return prelu(input, self.weight)

    def extra_repr(self) -> str:
        """Return how many slopes are learned."""
        return f"num_parameters={self.weight.size}"
