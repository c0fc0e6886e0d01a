"""More activations as modules, with PyTorch's names and options."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from ..tensor import Tensor
from .activation_modules import _Activation, _InPlace
from .further_functions import glu, hardsigmoid, hardswish, mish, prelu, relu6, softsign
from .initial import float_dtype, parameter, size
from .module import Module

if TYPE_CHECKING:
    from numpy.typing import DTypeLike

    from ..tensor.functions.types import ArrayLike

__all__ = ["GLU", "Hardsigmoid", "Hardswish", "Mish", "PReLU", "ReLU6", "Softsign"]


class ReLU6(_InPlace):
    """x, limited to the range from 0 to 6."""

    function: ClassVar[Callable[..., Any]] = staticmethod(relu6)


class Hardsigmoid(_InPlace):
    """relu6(x + 3) / 6"""

    function: ClassVar[Callable[..., Any]] = staticmethod(hardsigmoid)


class Hardswish(_InPlace):
    """x relu6(x + 3) / 6"""

    function: ClassVar[Callable[..., Any]] = staticmethod(hardswish)


class Mish(_InPlace):
    """x tanh(ln(1 + e^x))"""

    function: ClassVar[Callable[..., Any]] = staticmethod(mish)


class Softsign(_Activation):
    """x / (1 + |x|)"""

    function: ClassVar[Callable[..., Any]] = staticmethod(softsign)


class GLU(_Activation):
    """a σ(b), where a and b are the halves of x along the axis ``dim``."""

    function: ClassVar[Callable[..., Any]] = staticmethod(glu)
    options: ClassVar[tuple[str, ...]] = ("dim",)

    dim: int

    def __init__(self, dim: int = -1) -> None:
        self.dim = dim


class PReLU(Module):
    """x for x > 0 and w x otherwise; w is learned, one number or one for each channel, axis 1.

    He and others, Delving deep into rectifiers (2015). ``dtype`` is float64 unless given.

    >>> from gradwalk import Tensor
    >>> PReLU()(Tensor([-2.0, 3.0])).tolist()
    [-0.5, 3.0]
    """

    def __init__(
        self, num_parameters: int = 1, init: float = 0.25, *, dtype: DTypeLike | None = None
    ) -> None:
        count = size(num_parameters, "PReLU(num_parameters)")
        self.weight: Tensor = parameter(np.full(count, init), float_dtype(dtype, "PReLU(dtype)"))

    def forward(self, input: Tensor | ArrayLike) -> Tensor:
        """Return x, its negative numbers times the weight."""
        return prelu(input, self.weight)

    def extra_repr(self) -> str:
        """Return how many slopes are learned."""
        return f"num_parameters={self.weight.size}"
