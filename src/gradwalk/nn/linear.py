"""`Linear` and `Embedding`: layers that are one product with a weight."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..core.expect import describe
from ..engine.functions import where
from ..errors import DataError, OptionError, SizeError
from ..levels.vmap import varies
from ..ops.array.indexing import index
from ..ops.array.product import affine, matmul, mT
from ..tensor.functions.arguments import operand
from ..tensor.functions.indexing import take
from ..tensor.graph.fast import operation
from ..tensor.graph.tensor import Tensor
from .draws import drawn, float_dtype, generator_of, parameter, size
from .module import Module

__all__ = ["Embedding", "Identity", "Linear", "linear", "look_up"]

_affine = operation(affine, Tensor)


def linear(x: Any, weight: Any, bias: Any = None) -> Any:
    """x Wᵀ + b, over the last axis of x (PyTorch's ``nn.functional.linear``).

    >>> linear([[1.0, 2.0]], [[3.0, 4.0], [5.0, 6.0]], [0.5, 0.0])
    Tensor([[11.5, 17. ]])
    """
    if type(x) is not Tensor:
        x = operand(x, "linear")
    try:
        if type(weight) is Tensor and type(bias) is Tensor and type(x) is Tensor:
            return _affine(x, weight, bias)
        weight = operand(weight, "linear(weight)")
        if bias is None:
            return matmul(x, mT(weight))
        return affine(x, weight, operand(bias, "linear(bias)"))
    except ValueError as error:
        raise _misfit(x, weight, bias) from error


def _misfit(x: Any, weight: Any, bias: Any) -> SizeError:
    shapes = [x.shape, weight.shape, *([] if bias is None else [operand(bias, "linear").shape])]
    return SizeError(
        where="linear",
        expected="x (..., in), weight (out, in) and bias (out,)",
        got=f"shapes {', '.join(map(str, shapes))}",
        fix="The last axis of x holds as many numbers as the weight has columns.",
    )


class Linear(Module):
    """An affine map of the last axis.

        y = x Wᵀ + b

    ``weight`` has the shape (out_features, in_features), ``bias`` (out_features,) or is ``None``;
    x is (..., in_features), y (..., out_features). Both start evenly from -r to r with
    r = 1 / √in_features, as PyTorch's; ``seed`` is an int, a numpy Generator or ``None``. The
    ``dtype`` is float64 unless given (PyTorch's is float32), as NumPy's users expect.

    >>> from gradwalk import Tensor
    >>> layer = Linear(2, 1, seed=0)
    >>> _ = layer.load_state_dict({"weight": [[2.0, 3.0]], "bias": [1.0]})
    >>> layer(Tensor([[1.0, 1.0], [0.0, 2.0]])).tolist()
    [[6.0], [7.0]]
    """

    def __init__(
        self,
        in_features: int,
        out_features: int,
        bias: bool = True,
        *,
        seed: Any = None,
        dtype: Any = None,
    ) -> None:
        self.in_features = size(in_features, "Linear(in_features)")
        self.out_features = size(out_features, "Linear(out_features)")
        dtype, rng = float_dtype(dtype, "Linear(dtype)"), generator_of(seed)
        bound = self.in_features**-0.5
        self.weight = drawn(rng, bound, (self.out_features, self.in_features), dtype)
        self.bias = drawn(rng, bound, (self.out_features,), dtype) if bias else None

    def forward(self, x: Any) -> Any:
        """x Wᵀ + b"""
        return linear(x, self.weight, self.bias)

    def extra_repr(self) -> str:
        """The sizes."""
        bias = self.bias is not None
        return f"in_features={self.in_features}, out_features={self.out_features}, bias={bias}"


class Embedding(Module):
    """A table of vectors, looked up by number.

        y[...] = weight[x[...]]

    ``weight`` has the shape (num_embeddings, embedding_dim) and starts from the normal
    distribution N(0, 1); the row ``padding_idx`` starts at 0 and gets no gradient. x holds whole
    numbers from 0 to num_embeddings - 1, in any shape. ``dtype`` is float64 unless given.

    >>> from gradwalk import Tensor
    >>> table = Embedding(10, 3, seed=0)
    >>> table(Tensor([[1, 2], [3, 3]])).shape
    (2, 2, 3)
    """

    def __init__(
        self,
        num_embeddings: int,
        embedding_dim: int,
        padding_idx: int | None = None,
        *,
        seed: Any = None,
        dtype: Any = None,
    ) -> None:
        self.num_embeddings = size(num_embeddings, "Embedding(num_embeddings)")
        self.embedding_dim = size(embedding_dim, "Embedding(embedding_dim)")
        self.padding_idx = _row_of(padding_idx, self.num_embeddings)
        shape = (self.num_embeddings, self.embedding_dim)
        start = generator_of(seed).normal(0.0, 1.0, shape)
        if self.padding_idx is not None:
            start[self.padding_idx] = 0.0
        self.weight = parameter(start, float_dtype(dtype, "Embedding(dtype)"))

    def forward(self, x: Any) -> Any:
        """The vectors of the numbers in x."""
        return look_up(x, self.weight, self.padding_idx)

    def extra_repr(self) -> str:
        """The sizes."""
        padding = "" if self.padding_idx is None else f", padding_idx={self.padding_idx}"
        return f"{self.num_embeddings}, {self.embedding_dim}{padding}"


def _row_of(padding_idx: Any, rows: int) -> int | None:
    """The row that ``padding_idx`` names, counted from the front."""
    if padding_idx is None:
        return None
    if hasattr(padding_idx, "__index__") and -rows <= padding_idx.__index__() < rows:
        return int(padding_idx.__index__() % rows)
    raise OptionError(
        where="Embedding(padding_idx)",
        expected=f"a row from {-rows} to {rows - 1}, or None",
        got=describe(padding_idx),
        fix="The row of the number that fills up short sequences.",
    )


def look_up(input: Any, weight: Any, padding_idx: int | None = None) -> Any:
    """The rows of ``weight`` with the numbers in ``input`` (PyTorch's ``functional.embedding``).

    No gradient goes to the row ``padding_idx``. A number that has no row is a `DataError`.
    """
    table = operand(weight, "embedding(weight)")
    if varies(input):
        found = take(table, input, axis=0)
        return found if padding_idx is None else _unpadded(found, input, padding_idx, table)
    ids = input._data if isinstance(input, Tensor) else np.array(input)
    if ids.dtype.kind not in "iu" or (ids.size and _beyond(ids, table.shape[0])):
        raise DataError(
            where="embedding",
            expected=f"whole numbers from 0 to {table.shape[0] - 1}",
            got=describe(ids),
            fix="Each number names a row of the weight; num_embeddings says how many there are.",
        )
    found = index(table, (ids,))
    return found if padding_idx is None else _unpadded(found, ids, padding_idx, table)


def _unpadded(found: Any, ids: Any, padding_idx: int, table: Any) -> Any:
    """The rows that were found, without a gradient for that of the padding."""
    padded = (ids == padding_idx % table.shape[0])[..., None]
    if varies(found):
        return where(padded, found.detach(), found)
    return where(padded, found._data if isinstance(found, Tensor) else found, found)


def _beyond(ids: Any, rows: int) -> bool:
    """Whether a number is negative, hence large without its sign, or too large."""
    return bool(ids.astype(np.int64, copy=False).view(np.uint64).max() >= rows)


class Identity(Module):
    """Gives back what it gets; its arguments mean nothing, as PyTorch's.

    >>> Identity()(2.0)
    2.0
    """

    def __init__(self, *args: Any, **named: Any) -> None:
        pass

    def forward(self, x: Any) -> Any:
        """x"""
        return x
