"""`Dropout`: numbers left out by chance, so that no one number can be relied upon."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..tensor.functions.arguments import operand
from .draws import chance, generator_of
from .module import Module

__all__ = ["Dropout", "dropout"]


def dropout(x: Any, p: float = 0.5, training: bool = True, *, seed: Any = None) -> Any:
    """x with a share ``p`` of its numbers replaced by 0, the others divided by 1 - p.

    The mean stays what it was. ``seed`` is an int, a numpy Generator to draw on from, or ``None``
    for fresh entropy. Without ``training`` x comes back as it is.

    >>> from gradwalk import Tensor
    >>> sorted(set(dropout(Tensor([3.0] * 100), 0.25, seed=0).tolist()))
    [0.0, 4.0]
    """
    p = chance(p, "dropout(p)")
    x = operand(x, "dropout")
    if not training or p == 0.0:
        return x
    keeps = generator_of(seed).random(x.shape, np.float32) >= p
    dtype = x.dtype if x.dtype.kind == "f" else np.float64
    return x * (keeps * np.asarray(0.0 if p == 1.0 else 1.0 / (1.0 - p), dtype))


class Dropout(Module):
    """While it trains, replaces a share ``p`` of all numbers by 0 and divides the others by 1 - p.

    After `eval` it hands numbers on as they are. Equal seeds give equal draws, one after the other;
    ``seed`` is an int, a numpy Generator or ``None``. ``inplace`` is taken as in PyTorch and
    changes nothing. Srivastava and others, Dropout (2014).

    >>> from gradwalk import Tensor
    >>> layer = Dropout(0.5, seed=0)
    >>> sorted(set(layer(Tensor([1.0] * 100)).tolist())), layer.eval()(Tensor([1.0])).tolist()
    ([0.0, 2.0], [1.0])
    """

    def __init__(self, p: float = 0.5, inplace: bool = False, *, seed: Any = None) -> None:
        self.p, self.inplace = chance(p, "Dropout(p)"), inplace
        self.generator = generator_of(seed)

    def forward(self, x: Any) -> Any:
        """x, with numbers left out while training."""
        return dropout(x, self.p, self.training, seed=self.generator)

    def extra_repr(self) -> str:
        """The share."""
        return f"p={self.p}, inplace={self.inplace}"
