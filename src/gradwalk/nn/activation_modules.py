"""Activations as modules, with PyTorch's names and options."""

from __future__ import annotations

from typing import Any

from ..core.expect import describe
from ..engine.functions import (
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
from ..errors import OptionError
from . import functional
from .module import Module

__all__ = ["ELU", "GELU", "Hardtanh", "LeakyReLU", "LogSigmoid", "LogSoftmax", "ReLU", "SELU"]
__all__ += ["SiLU", "Sigmoid", "Softmax", "Softplus", "Tanh"]


class _InPlace(Module):
    """``inplace`` is taken as in PyTorch; it changes no number, nor x, for Tensors are values."""

    def __init__(self, inplace: bool = False) -> None:
        self.inplace = inplace

    def extra_repr(self) -> str:
        """Whether it was asked for."""
        return "inplace=True" if self.inplace else ""


def _joined(*options: str) -> str:
    return ", ".join(option for option in options if option)


class ReLU(_InPlace):
    """max(x, 0), with slope 0 at 0.

    >>> from gradwalk import Tensor
    >>> ReLU()(Tensor([-1.0, 2.0])).tolist()
    [0.0, 2.0]
    """

    def forward(self, x: Any) -> Any:
        """max(x, 0)"""
        return relu(x)


class Tanh(Module):
    """tanh(x)"""

    def forward(self, x: Any) -> Any:
        """tanh(x)"""
        return tanh(x)


class Sigmoid(Module):
    """1 / (1 + e^-x)"""

    def forward(self, x: Any) -> Any:
        """1 / (1 + e^-x)"""
        return sigmoid(x)


class LogSigmoid(Module):
    """-ln(1 + e^-x)"""

    def forward(self, x: Any) -> Any:
        """-ln(1 + e^-x)"""
        return log_sigmoid(x)


class SiLU(_InPlace):
    """x / (1 + e^-x), also called swish."""

    def forward(self, x: Any) -> Any:
        """x / (1 + e^-x)"""
        return silu(x)


class SELU(_InPlace):
    """The self-normalising elu: λ x for x > 0, λ α (e^x - 1) otherwise."""

    def forward(self, x: Any) -> Any:
        """λ elu(x, α)"""
        return selu(x)


class LeakyReLU(_InPlace):
    """x for x > 0, ``negative_slope`` times x otherwise."""

    def __init__(self, negative_slope: float = 0.01, inplace: bool = False) -> None:
        super().__init__(inplace)
        self.negative_slope = negative_slope

    def forward(self, x: Any) -> Any:
        """max(x, 0) + s min(x, 0)"""
        return leaky_relu(x, self.negative_slope)

    def extra_repr(self) -> str:
        """The slope."""
        return _joined(f"negative_slope={self.negative_slope}", super().extra_repr())


class ELU(_InPlace):
    """x for x > 0, ``alpha`` (e^x - 1) otherwise."""

    def __init__(self, alpha: float = 1.0, inplace: bool = False) -> None:
        super().__init__(inplace)
        self.alpha = alpha

    def forward(self, x: Any) -> Any:
        """elu(x, alpha)"""
        return elu(x, self.alpha)

    def extra_repr(self) -> str:
        """The factor."""
        return _joined(f"alpha={self.alpha}", super().extra_repr())


class GELU(Module):
    """x Φ(x), with the normal distribution function Φ; ``approximate="tanh"`` for its tanh form."""

    def __init__(self, approximate: str = "none") -> None:
        if approximate not in ("none", "tanh"):
            raise OptionError(
                where="GELU(approximate=...)",
                expected='"none" or "tanh"',
                got=describe(approximate),
                fix="Leave it out for the exact function.",
            )
        self.approximate = approximate

    def forward(self, x: Any) -> Any:
        """x Φ(x)"""
        return gelu(x, approximate=self.approximate)

    def extra_repr(self) -> str:
        """Which form it is."""
        return f"approximate={self.approximate!r}"


class Softplus(Module):
    """ln(1 + e^(β x)) / β, a smooth maximum of x and 0; x itself where β x > ``threshold``."""

    def __init__(self, beta: float = 1.0, threshold: float = 20.0) -> None:
        self.beta, self.threshold = beta, threshold

    def forward(self, x: Any) -> Any:
        """ln(1 + e^(β x)) / β"""
        return functional.softplus(x, self.beta, self.threshold)

    def extra_repr(self) -> str:
        """Steepness, and where it becomes a line."""
        return f"beta={self.beta}, threshold={self.threshold}"


class Hardtanh(_InPlace):
    """x, held between ``min_val`` and ``max_val``."""

    def __init__(self, min_val: float = -1.0, max_val: float = 1.0, inplace: bool = False) -> None:
        super().__init__(inplace)
        self.min_val, self.max_val = min_val, max_val

    def forward(self, x: Any) -> Any:
        """min(max(x, min_val), max_val)"""
        return hardtanh(x, self.min_val, self.max_val)

    def extra_repr(self) -> str:
        """The bounds."""
        return _joined(f"min_val={self.min_val}, max_val={self.max_val}", super().extra_repr())


class Softmax(Module):
    """Shares along the axis ``dim`` that are proportional to e^x.

    >>> from gradwalk import Tensor
    >>> Softmax(dim=-1)(Tensor([[0.0, 0.0]])).tolist()
    [[0.5, 0.5]]
    """

    def __init__(self, dim: int) -> None:
        self.dim = dim

    def forward(self, x: Any) -> Any:
        """e^x / Σ e^x"""
        return functional.softmax(x, self.dim)

    def extra_repr(self) -> str:
        """The axis."""
        return f"dim={self.dim}"


class LogSoftmax(Module):
    """Logarithms of the softmax along the axis ``dim``."""

    def __init__(self, dim: int) -> None:
        self.dim = dim

    def forward(self, x: Any) -> Any:
        """x - ln Σ e^x"""
        return functional.log_softmax(x, self.dim)

    def extra_repr(self) -> str:
        """The axis."""
        return f"dim={self.dim}"
