"""`Dropout`: random numbers are set to 0, so that a network cannot rely on any single one."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ..levels.programs import recorder
from ..ops.array.structure import astype
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
    """Return x with a random fraction of its numbers set to 0, and the others scaled up.

    The kept numbers are divided by 1 - p, so that the expected value does not change.

    Parameters
    ----------
    x : any shape
        The numbers.
    p
        The probability of each number to be set to 0, from 0 to 1.
    training
        Whether numbers are dropped; if not, ``x`` itself is returned.
    seed
        Draws the dropped numbers: an int gives the same each time, a generator is drawn from,
        and ``None`` takes fresh entropy.

    Returns
    -------
    the shape of x
        The remaining numbers.

    Raises
    ------
    OptionError
        If ``p`` is no probability, or ``seed`` neither a seed nor a generator.
    NotANumberError
        If ``x`` holds something other than numbers.

    See Also
    --------
    gradwalk.nn.Dropout

    References
    ----------
    Srivastava and others, Dropout: a simple way to prevent neural networks from overfitting (2014).

    Examples
    --------
    >>> from gradwalk import Tensor
    >>> sorted(set(dropout(Tensor([3.0] * 100), 0.25, seed=0).tolist()))
    [0.0, 4.0]
    """
    p = chance(p, "dropout(p)")
    y: Tensor = operand(x, "dropout")
    if not training or p == 0.0:
        return y
    dtype = y.dtype if y.dtype.kind == "f" else np.float64
    scale = 0.0 if p == 1.0 else 1.0 / (1.0 - p)
    program = recorder() if isinstance(seed, np.random.Generator) else None
    if program is not None:
        shape = y.shape
        mask = program.updates.drawn(seed, lambda g: g.random(shape, np.float32) >= p)
        return y * (astype(mask, dtype=dtype) * scale)  # type: ignore[no-any-return]
    mask = generator_of(seed).random(y.shape, np.float32) >= p
    factors = mask * np.asarray(scale, dtype)
    scaled: Tensor = y * beside(factors, y)
    return scaled


class Dropout(Module):
    """A module that, in training, sets random numbers to 0 and divides the rest by 1 - p.

    After `eval` it returns its input.

    Parameters
    ----------
    p
        The probability of each number to be set to 0, from 0 to 1.
    inplace
        Has no effect: programs written for PyTorch pass it, and the input is never changed.
    seed
        Draws the dropped numbers: an int gives the same sequence of draws, a generator is drawn
        from, and ``None`` takes fresh entropy.

    Raises
    ------
    OptionError
        If ``p`` is no probability, or ``seed`` neither a seed nor a generator.

    Shape
    -----
    x, y : any shape

    See Also
    --------
    gradwalk.nn.functional.dropout

    References
    ----------
    Srivastava and others, Dropout: a simple way to prevent neural networks from overfitting (2014).

    Examples
    --------
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
