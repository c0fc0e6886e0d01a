"""`Dropout`: random numbers are set to 0, so that a network cannot rely on any single one."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ..tensor.functions.arguments import operand
from ..tensor.graph.placed import beside
from .initial import ArraySeed, chance, generator_of
from .modules.module import Module

if TYPE_CHECKING:
    from ..tensor import Tensor
    from ..tensor.functions.types import ArrayLike

__all__ = ["Dropout", "dropout"]


def dropout(
    x: Tensor | ArrayLike, p: float = 0.5, training: bool = True, *, seed: ArraySeed = None
) -> Tensor:
    """Return x with a random fraction ``p`` of its numbers set to 0, the others divided by 1 - p.

    The expected mean does not change. ``seed`` is an int, a numpy Generator to draw from, or
    ``None`` for fresh entropy. Return x itself without ``training``.

    >>> from gradwalk import Tensor
    >>> sorted(set(dropout(Tensor([3.0] * 100), 0.25, seed=0).tolist()))
    [0.0, 4.0]
    """
    p = chance(p, "dropout(p)")
    y: Tensor = operand(x, "dropout")
    if not training or p == 0.0:
        return y
    mask = generator_of(seed).random(y.shape, np.float32) >= p
    dtype = y.dtype if y.dtype.kind == "f" else np.float64
    factors = mask * np.asarray(0.0 if p == 1.0 else 1.0 / (1.0 - p), dtype)
    scaled: Tensor = y * beside(factors, y)
    return scaled


class Dropout(Module):
    """In training, set a random fraction ``p`` of all numbers to 0 and divide the rest by 1 - p.

    After `eval` it returns its input. Equal seeds give equal sequences of draws; ``seed`` is an
    int, a numpy Generator or ``None``. ``inplace`` has no effect; PyTorch programs pass it.
    Srivastava and others, Dropout (2014).

    >>> from gradwalk import Tensor
    >>> layer = Dropout(0.5, seed=0)
    >>> sorted(set(layer(Tensor([1.0] * 100)).tolist())), layer.eval()(Tensor([1.0])).tolist()
    ([0.0, 2.0], [1.0])
    """

    inplace: bool
    p: float

    def __init__(self, p: float = 0.5, inplace: bool = False, *, seed: ArraySeed = None) -> None:
        self.p, self.inplace = chance(p, "Dropout(p)"), inplace
        self.generator: np.random.Generator = generator_of(seed)

    def forward(self, x: Tensor | ArrayLike) -> Tensor:
        """Return `dropout` of x in training, and x itself otherwise."""
        return dropout(x, self.p, self.training, seed=self.generator)

    def extra_repr(self) -> str:
        """Return the options."""
        return f"p={self.p}, inplace={self.inplace}"
