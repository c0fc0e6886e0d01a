"""Seeds, dtypes, sizes and initial parameters of modules of Tensors."""

from __future__ import annotations

from random import Random
from typing import TYPE_CHECKING, Any, SupportsIndex

import numpy as np

from ..core.expect import at_least, describe
from ..core.seeds import repeatable
from ..errors import OptionError
from ..tensor.graph.tensor import Tensor

if TYPE_CHECKING:
    from numpy.typing import DTypeLike

    from ..tensor.graph.types import Data

__all__ = ["ArraySeed", "chance", "draw_parameter", "float_dtype", "generator_of", "parameter"]
__all__ += ["size"]

ArraySeed = SupportsIndex | Random | np.random.Generator | None
"""A `core.seeds.Seed`, or a generator of NumPy."""


@repeatable
def generator_of(seed: ArraySeed) -> np.random.Generator:
    """Return the generator for ``seed``: an int, a generator to draw from, or ``None``.

    >>> generator_of(1).random() == generator_of(1).random()
    True
    """
    if isinstance(seed, Random):
        seed = seed.getrandbits(128)
    try:
        return np.random.default_rng(seed)  # type: ignore[arg-type]
    except (TypeError, ValueError):
        raise OptionError(
            where="seed",
            expected="a non-negative integer, a numpy.random.Generator or None",
            got=describe(seed),
            fix="Pass seed=0 for equal draws each time, or None for new ones.",
        ) from None


def _advice(dtype: object) -> str:
    device = isinstance(dtype, str) and dtype.partition(":")[0] in ("cuda", "cpu", "mps", "gpu")
    if device:
        return 'Write model.to("torch:cuda") to move a module: the dtype is "float64" or "float32".'
    return 'Write "float64", the default, or "float32" for single precision.'


def float_dtype(dtype: DTypeLike | None, where: str) -> np.dtype[np.floating]:
    """Return the dtype of parameters, float64 for ``None``.

    >>> float_dtype("float32", "here")
    dtype('float32')
    """
    try:
        kind: np.dtype[Any] = np.dtype(np.float64 if dtype is None else dtype)
    except TypeError:
        kind = np.dtype(object)
    if kind.kind == "f" and kind.itemsize <= 8:
        return kind
    raise OptionError(
        where=where,
        expected="float64, float32 or float16",
        got=describe(dtype),
        fix=_advice(dtype),
    )


def size(n: SupportsIndex, where: str, least: int = 1) -> int:
    """Return ``n``, a number of features, heads or layers, as an int."""
    return at_least(where, n, least, "Pass numbers of features, as in Linear(784, 10).")


def chance(p: float, where: str) -> float:
    """Return the probability ``p`` as a float."""
    if isinstance(p, (int, float)) and 0.0 <= p <= 1.0:
        return float(p)
    raise OptionError(
        where=where,
        expected="a probability between 0 and 1",
        got=describe(p),
        fix="Pass 0.1 to drop one number in ten.",
    )


def parameter(array: Tensor | Data, dtype: DTypeLike) -> Tensor:
    """Return a Tensor of ``array`` that requires a gradient."""
    return Tensor(array, dtype=dtype, requires_grad=True)


def draw_parameter(
    rng: np.random.Generator, bound: float, shape: tuple[int, ...], dtype: DTypeLike
) -> Tensor:
    """Return a Tensor that requires a gradient, drawn evenly from -bound to bound."""
    return parameter(rng.uniform(-bound, bound, shape), dtype)
