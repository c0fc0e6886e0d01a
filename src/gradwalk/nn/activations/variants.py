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

    >>> from gradwalk import Tensor
    >>> ReLU6()(Tensor([-1.0, 0.0, 2.0])).round(3).tolist()
    [0.0, 0.0, 2.0]
    """

    function: ClassVar[Callable[..., Any]] = staticmethod(relu6)


class Hardsigmoid(_InPlace):
    """The activation relu6(x + 3) / 6.

    >>> from gradwalk import Tensor
    >>> Hardsigmoid()(Tensor([-1.0, 0.0, 2.0])).round(3).tolist()
    [0.333, 0.5, 0.833]
    """

    function: ClassVar[Callable[..., Any]] = staticmethod(hardsigmoid)


class Hardswish(_InPlace):
    """The activation x relu6(x + 3) / 6.

    >>> from gradwalk import Tensor
    >>> Hardswish()(Tensor([-1.0, 0.0, 2.0])).round(3).tolist()
    [-0.333, 0.0, 1.667]
    """

    function: ClassVar[Callable[..., Any]] = staticmethod(hardswish)


class Mish(_InPlace):
    """The activation x tanh(ln(1 + e^x)).

    >>> from gradwalk import Tensor
    >>> Mish()(Tensor([-1.0, 0.0, 2.0])).round(3).tolist()
    [-0.303, 0.0, 1.944]
    """

    function: ClassVar[Callable[..., Any]] = staticmethod(mish)


class Softsign(_Activation):
    """The activation x / (1 + |x|).

    >>> from gradwalk import Tensor
    >>> Softsign()(Tensor([-1.0, 0.0, 2.0])).round(3).tolist()
    [-0.5, 0.0, 0.667]
    """

    function: ClassVar[Callable[..., Any]] = staticmethod(softsign)


class GLU(_Activation):
    """a σ(b), where a and b are the halves of x along the axis ``dim``.

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
        self.weight: Tensor = parameter(
            np.full(count, as_float(init, "PReLU(init)")), float_dtype(dtype, "PReLU(dtype)")
        )

    def forward(self, input: Tensor | ArrayLike) -> Tensor:
        """Return x, its negative numbers times the weight."""
        return prelu(input, self.weight)

    def extra_repr(self) -> str:
        """Return how many slopes are learned."""
        return f"num_parameters={self.weight.size}"
