"""Initialisers of Tensors: the functions of `init` on arrays."""

from __future__ import annotations

import math
from statistics import NormalDist
from typing import Any

import numpy as np

from ..errors import OptionError, SizeError
from ..tensor.graph.tensor import Tensor
from .draws import generator_of
from .gains import calculate_gain, known

__all__ = ["constant_", "eye_", "he_normal_", "he_uniform_", "normal_", "ones_", "orthogonal_"]
__all__ += ["trunc_normal_", "uniform_", "xavier_normal_", "xavier_uniform_", "zeros_"]


def uniform_(tensor: Tensor, a: float = 0.0, b: float = 1.0, seed: Any = None) -> Tensor:
    """Draw every number evenly from a to b."""
    return _set(tensor, generator_of(seed).uniform(a, b, tensor.shape))


def normal_(tensor: Tensor, mean: float = 0.0, std: float = 1.0, seed: Any = None) -> Tensor:
    """Draw every number from the normal distribution N(mean, std²)."""
    return _set(tensor, generator_of(seed).normal(mean, std, tensor.shape))


def trunc_normal_(
    tensor: Tensor,
    mean: float = 0.0,
    std: float = 1.0,
    a: float = -2.0,
    b: float = 2.0,
    seed: Any = None,
) -> Tensor:
    """Draw from N(mean, std²) what lies from a to b, by the inverse of its distribution."""
    if not (a < b and std > 0.0):
        raise OptionError(
            where="nn.init.trunc_normal_",
            expected="a < b and a positive std",
            got=f"a={a}, b={b}, std={std}",
            fix="a and b are bounds of the numbers, not multiples of std.",
        )
    normal = NormalDist(mean, std)
    low, high = normal.cdf(a), normal.cdf(b)
    shares = generator_of(seed).uniform(low, high, tensor.size)
    inside = np.clip(shares, 1e-300, 1.0 - 2.0**-53)  # the quantiles of 0 and 1 are infinite
    numbers = np.array([normal.inv_cdf(share) for share in inside.tolist()])
    return _set(tensor, np.clip(numbers, a, b).reshape(tensor.shape))


def constant_(tensor: Tensor, val: float) -> Tensor:
    """Set every number to ``val``."""
    return _set(tensor, np.full(tensor.shape, val))


def zeros_(tensor: Tensor, seed: Any = None) -> Tensor:
    """Set every number to zero."""
    return constant_(tensor, 0.0)


def ones_(tensor: Tensor, seed: Any = None) -> Tensor:
    """Set every number to one."""
    return constant_(tensor, 1.0)


def eye_(tensor: Tensor) -> Tensor:
    """Ones on the diagonal, zeros elsewhere."""
    return _set(tensor, np.eye(*_matrix("eye_", tensor, exactly=True)))


def orthogonal_(tensor: Tensor, gain: float = 1.0, seed: Any = None) -> Tensor:
    """Orthonormal rows or columns, whichever are fewer, times gain."""
    rows, columns = _matrix("orthogonal_", tensor)
    tall = generator_of(seed).normal(size=(max(rows, columns), min(rows, columns)))
    q, r = np.linalg.qr(tall)
    q *= np.where(np.diag(r) < 0.0, -1.0, 1.0)  # else the draw would not be even
    return _set(tensor, gain * (q if rows >= columns else q.T).reshape(tensor.shape))


# --- by the fans of the layer ---------------------------------------------------------------------


def xavier_uniform_(tensor: Tensor, gain: float = 1.0, seed: Any = None) -> Tensor:
    """w ~ U(-r, r),  r = gain √(6 / (fan_in + fan_out))"""
    bound = gain * math.sqrt(6.0 / sum(_fans(tensor)))
    return uniform_(tensor, -bound, bound, seed)


def xavier_normal_(tensor: Tensor, gain: float = 1.0, seed: Any = None) -> Tensor:
    """w ~ N(0, s²),  s = gain √(2 / (fan_in + fan_out))"""
    return normal_(tensor, 0.0, gain * math.sqrt(2.0 / sum(_fans(tensor))), seed)


def he_uniform_(
    tensor: Tensor,
    a: float = 0.0,
    mode: str = "fan_in",
    nonlinearity: str = "leaky_relu",
    seed: Any = None,
) -> Tensor:
    """w ~ U(-r, r),  r = gain √(3 / fan)"""
    bound = math.sqrt(3.0) * _he_std(tensor, a, mode, nonlinearity)
    return uniform_(tensor, -bound, bound, seed)


def he_normal_(
    tensor: Tensor,
    a: float = 0.0,
    mode: str = "fan_in",
    nonlinearity: str = "leaky_relu",
    seed: Any = None,
) -> Tensor:
    """w ~ N(0, s²),  s = gain / √fan"""
    return normal_(tensor, 0.0, _he_std(tensor, a, mode, nonlinearity), seed)


def _he_std(tensor: Tensor, a: float, mode: str, nonlinearity: str) -> float:
    fan_in, fan_out = _fans(tensor)
    modes = {"fan_in": fan_in, "fan_out": fan_out}
    fan = modes[known("nn.init(mode=...)", mode, modes)]
    return calculate_gain(nonlinearity, a) / math.sqrt(fan)


def _fans(tensor: Tensor) -> tuple[int, int]:
    """How many numbers each output comes from, and each input goes to."""
    rows, columns = _matrix("xavier and he", tensor)
    if tensor.size:
        return columns, rows * (columns // tensor.shape[1])
    raise _no_matrix("xavier and he", tensor)


def _matrix(name: str, tensor: Tensor, exactly: bool = False) -> tuple[int, int]:
    """The shape of the Tensor as a matrix: outputs, and all that each of them sees."""
    if tensor.ndim < 2 or (exactly and tensor.ndim != 2):
        raise _no_matrix(name, tensor)
    return tensor.shape[0], math.prod(tensor.shape[1:])


def _no_matrix(name: str, tensor: Tensor) -> SizeError:
    return SizeError(
        where=f"nn.init.{name}",
        expected="a Tensor (out, in), of a convolution (out, in, *kernel)",
        got=f"shape {tensor.shape}",
        fix="Biases start at 0, or from uniform_.",
    )


def _set(tensor: Tensor, array: Any) -> Tensor:
    tensor.data = array
    return tensor
