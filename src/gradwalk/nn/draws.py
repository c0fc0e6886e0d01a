"""What modules of Tensors start from: seeds, dtypes, sizes, and parameters drawn from them."""

from __future__ import annotations

import operator
from random import Random
from typing import Any

import numpy as np

from ..core.expect import describe
from ..core.seeds import repeatable
from ..errors import OptionError
from ..tensor.graph.tensor import Tensor

__all__ = ["chance", "drawn", "float_dtype", "generator_of", "parameter", "size"]


@repeatable
def generator_of(seed: Any) -> np.random.Generator:
    """The generator that ``seed`` stands for: an int, a generator to draw on from, or ``None``.

    >>> generator_of(1).random() == generator_of(1).random()
    True
    """
    if isinstance(seed, Random):
        seed = seed.getrandbits(128)
    try:
        return np.random.default_rng(seed)
    except (TypeError, ValueError):
        raise OptionError(
            where="seed",
            expected="a whole number from 0 on, a numpy.random.Generator or None",
            got=describe(seed),
            fix="Equal ints give equal draws; None gives new ones each time.",
        ) from None


def float_dtype(dtype: Any, where: str) -> Any:
    """The dtype of parameters; ``None`` asks for float64.

    >>> float_dtype("float32", "here")
    dtype('float32')
    """
    try:
        found = np.dtype(np.float64 if dtype is None else dtype)
    except TypeError:
        found = np.dtype(object)
    if found.kind == "f" and found.itemsize <= 8:
        return found
    raise OptionError(
        where=where,
        expected="float64, float32 or float16",
        got=describe(dtype),
        fix="Leave it out for float64.",
    )


def size(n: Any, where: str, least: int = 1) -> int:
    """A whole number of features, heads or layers."""
    try:
        count = operator.index(n)
    except TypeError:
        count = least - 1
    if count >= least:
        return count
    raise OptionError(
        where=where,
        expected=f"a whole number from {least} on",
        got=describe(n),
        fix="Sizes count features, as in Linear(784, 10).",
    )


def chance(p: Any, where: str) -> float:
    """A probability."""
    if isinstance(p, (int, float)) and 0.0 <= p <= 1.0:
        return float(p)
    raise OptionError(
        where=where,
        expected="a probability from 0 to 1",
        got=describe(p),
        fix="0.0 drops nothing, 0.1 one number in ten.",
    )


def parameter(array: Any, dtype: Any) -> Tensor:
    """A leaf to be trained."""
    return Tensor(array, dtype=dtype, requires_grad=True)


def drawn(rng: np.random.Generator, bound: float, shape: tuple[int, ...], dtype: Any) -> Tensor:
    """A leaf to be trained, drawn evenly from -bound to bound."""
    return parameter(rng.uniform(-bound, bound, shape), dtype)
