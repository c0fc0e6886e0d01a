"""A Tensor as the target of an initialiser."""

from __future__ import annotations

import math
from statistics import NormalDist
from typing import TYPE_CHECKING

import numpy as np

from ..errors import OptionError, SizeError
from ..tensor.graph.tensor import Tensor
from .initial import ArraySeed, generator_of

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["TensorWeights"]


class TensorWeights:
    """A Tensor whose array the methods replace; the Tensor stays the same leaf."""

    def __init__(self, tensor: Tensor) -> None:
        self._tensor = tensor

    def fans(self) -> tuple[int, int]:
        """Return how many numbers each output is computed from, and each input goes to."""
        rows, columns = self._matrix("xavier and he")
        if self._tensor.size:
            return columns, rows * (columns // self._tensor.shape[1])
        raise self._no_matrix("xavier and he")

    def uniform(self, low: float, high: float, seed: ArraySeed) -> None:
        """Draw every number evenly from ``low`` to ``high``."""
        self._set(generator_of(seed).uniform(low, high, self._tensor.shape))

    def normal(self, mean: float, std: float, seed: ArraySeed) -> None:
        """Draw every number from N(mean, std²)."""
        self._set(generator_of(seed).normal(mean, std, self._tensor.shape))

    def fill(self, number: float) -> None:
        """Set every number to ``number``."""
        self._set(np.full(self._tensor.shape, number))

    def truncated_normal(
        self, mean: float, std: float, a: float, b: float, seed: ArraySeed
    ) -> None:
        """Draw from N(mean, std²) between a and b, by the inverse of its distribution."""
        if not (a < b and std > 0.0):
            raise OptionError(
                where="nn.init.trunc_normal_",
                expected="a < b and a positive std",
                got=f"a={a}, b={b}, std={std}",
                fix="Pass a and b as bounds of the numbers, not as multiples of std.",
            )
        normal = NormalDist(mean, std)
        low, high = normal.cdf(a), normal.cdf(b)
        drawn = generator_of(seed).uniform(low, high, self._tensor.size)
        levels = np.clip(drawn, 1e-300, 1.0 - 2.0**-53)  # the quantiles of 0 and 1 are infinite
        numbers = np.array([normal.inv_cdf(level) for level in levels.tolist()])
        self._set(np.clip(numbers, a, b).reshape(self._tensor.shape))

    def eye(self) -> None:
        """Set ones on the diagonal and zeros elsewhere."""
        self._set(np.eye(*self._matrix("eye_", exactly=True)))

    def orthogonal(self, gain: float, seed: ArraySeed) -> None:
        """Draw orthonormal rows or columns, whichever are fewer, times ``gain``."""
        rows, columns = self._matrix("orthogonal_")
        tall = generator_of(seed).normal(size=(max(rows, columns), min(rows, columns)))
        q, r = np.linalg.qr(tall)
        # Signs of the diagonal of r are arbitrary; without this the draw would not be uniform.
        q *= np.where(np.diag(r) < 0.0, -1.0, 1.0)
        self._set(gain * (q if rows >= columns else q.T).reshape(self._tensor.shape))

    def _matrix(self, name: str, exactly: bool = False) -> tuple[int, int]:
        """Return the number of outputs, and of all numbers that each output is computed from."""
        shape = self._tensor.shape
        if len(shape) < 2 or (exactly and len(shape) != 2):
            raise self._no_matrix(name)
        return shape[0], math.prod(shape[1:])

    def _no_matrix(self, name: str) -> SizeError:
        return SizeError(
            where=f"nn.init.{name}",
            expected="a Tensor (out, in), of a convolution (out, in, *kernel)",
            got=f"shape {self._tensor.shape}",
            fix="Use zeros_ or uniform_ for a bias.",
        )

    def _set(self, array: NDArray[np.floating]) -> None:
        self._tensor.data = array
