"""`Linear` and `Embedding`: layers that are one product with a weight."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, SupportsIndex, TypeVar

import numpy as np

from ..core.expect import describe, index_of
from ..engine.functions import where
from ..errors import DataError, OptionError, SizeError
from ..levels.vmap import varies
from ..libraries import LibraryArray
from ..libraries.constants import extent
from ..ops.array.indexing import index
from ..ops.array.product import affine, matmul, mT
from ..tensor.functions.arguments import operand
from ..tensor.functions.indexing import take
from ..tensor.graph.convert import to_array
from ..tensor.graph.fast import quick
from ..tensor.graph.placed import place_of
from ..tensor.graph.tensor import Tensor
from .initial import ArraySeed, draw_parameter, float_dtype, generator_of, parameter, size
from .modules.module import Module

if TYPE_CHECKING:
    from numpy.typing import DTypeLike

    from ..tensor.functions.types import ArrayLike

__all__ = ["Embedding", "Identity", "Linear", "embedding", "linear", "row_of"]

_affine = quick(affine, Tensor)


def linear(
    x: Tensor | ArrayLike, weight: Tensor | ArrayLike, bias: Tensor | ArrayLike | None = None
) -> Tensor:
    """Return x Wᵀ + b, over the last axis of x (PyTorch's ``nn.functional.linear``).

    Parameters
    ----------
    x : (..., in_features)
        The inputs, one in each row of the last axis.
    weight : (out_features, in_features)
        The matrix W, a row for each output.
    bias : (out_features,), optional
        The vector b, added to each output.

    Returns
    -------
    (..., out_features)
        The outputs.

    Raises
    ------
    SizeError
        If the last axis of ``x`` is not as long as a row of ``weight``, or ``bias`` has another
        length.
    NotANumberError
        If an argument holds something other than numbers.

    See Also
    --------
    gradwalk.nn.Linear, gradwalk.matmul

    Examples
    --------
    >>> linear([[1.0, 2.0]], [[3.0, 4.0], [5.0, 6.0]], [0.5, 0.0])
    Tensor([[11.5, 17. ]])
    """
    if type(x) is not Tensor:
        x = operand(x, "linear")
    y: Tensor
    try:
        if type(weight) is Tensor and type(bias) is Tensor and type(x) is Tensor:
            y = _affine(x, weight, bias)
            return y
        weight = operand(weight, "linear(weight)")
        y = matmul(x, mT(weight)) if bias is None else affine(x, weight, operand(bias, "linear"))
        return y
    except (ValueError, IndexError) as error:  # of a weight without axes
        if isinstance(error, OptionError):  # of two places, or of a program
            raise
        raise _misfit(x, weight, bias) from error


def _misfit(*given: Tensor | ArrayLike | None) -> SizeError:
    shapes = [operand(x, "linear").shape for x in given if x is not None]
    if len(shapes[1]) == 2 and shapes[0][-1:] != shapes[1][1:]:
        features = shapes[1][1]
        return SizeError(
            where="linear(x)",
            expected=f"a last axis of {features} features, as weight {shapes[1]} has",
            got=f"shape {shapes[0]}",
            fix=f"Reshape x so that its last axis is {features} long, or use another in_features.",
        )
    return SizeError(
        where="linear",
        expected="x (..., in), weight (out, in) and bias (out,)",
        got=f"shapes {', '.join(map(str, shapes))}",
        fix="Reshape x so that its last axis is as long as a row of the weight.",
    )


class Linear(Module):
    """An affine map of the last axis.

        y = x Wᵀ + b

    Both parameters start evenly from -r to r with r = 1 / √in_features, as PyTorch's do.

    Parameters
    ----------
    in_features, out_features
        The lengths of the last axis of x and of y, >= 1.
    bias
        Whether b is added to the product; if not, ``layer.bias`` is ``None``.
    seed
        Draws the initial parameters: an int gives equal ones each time, a generator is drawn
        from, and ``None`` takes fresh entropy.
    dtype
        The floating dtype of the parameters, of 64 bits at most; float64 if ``None`` (PyTorch's
        default is float32).

    Raises
    ------
    OptionError
        If a size is no positive integer, ``seed`` is no seed, or ``dtype`` no floating dtype.
    SizeError
        If the last axis of x has another length than ``in_features`` (in the call).

    Shape
    -----
    x : (..., in_features)
    y : (..., out_features)
    weight : (out_features, in_features)
    bias : (out_features,)

    See Also
    --------
    gradwalk.nn.functional.linear, Embedding, MLP

    Examples
    --------
    >>> from gradwalk import Tensor
    >>> layer = Linear(2, 1, seed=0)
    >>> _ = layer.load_state_dict({"weight": [[2.0, 3.0]], "bias": [1.0]})
    >>> layer(Tensor([[1.0, 1.0], [0.0, 2.0]])).tolist()
    [[6.0], [7.0]]
    """

    weight: Tensor
    bias: Tensor | None

    def __init__(
        self,
        in_features: int,
        out_features: int,
        bias: bool = True,
        *,
        seed: ArraySeed = None,
        dtype: DTypeLike | None = None,
    ) -> None:
        self.in_features: int = size(in_features, "Linear(in_features)")
        self.out_features: int = size(out_features, "Linear(out_features)")
        dtype, rng = float_dtype(dtype, "Linear(dtype)"), generator_of(seed)
        bound = self.in_features**-0.5
        self.weight = draw_parameter(rng, bound, (self.out_features, self.in_features), dtype)
        self.bias = draw_parameter(rng, bound, (self.out_features,), dtype) if bias else None

    def forward(self, x: Tensor | ArrayLike) -> Tensor:
        """Return x Wᵀ + b."""
        return linear(x, self.weight, self.bias)

    def extra_repr(self) -> str:
        """Return the sizes."""
        bias = self.bias is not None
        return f"in_features={self.in_features}, out_features={self.out_features}, bias={bias}"


class Embedding(Module):
    """A table of vectors, looked up by number.

        y[...] = weight[x[...]]

    The rows start from the normal distribution N(0, 1).

    Parameters
    ----------
    num_embeddings
        How many rows the table has, >= 1: x holds integers from 0 to num_embeddings - 1.
    embedding_dim
        The length of each vector, >= 1.
    padding_idx
        The row that fills up short sequences: it starts at 0 and gets no gradient. Negative
        numbers count from the end; ``None`` trains all rows.
    seed
        Draws the initial parameters: an int gives equal ones each time, a generator is drawn
        from, and ``None`` takes fresh entropy.
    dtype
        The floating dtype of the parameters, of 64 bits at most; float64 if ``None`` (PyTorch's
        default is float32).

    Raises
    ------
    OptionError
        If a size is no positive integer, ``padding_idx`` no row, ``seed`` is no seed, or
        ``dtype`` no floating dtype.
    DataError
        If x holds something other than indices of rows (in the call).

    Shape
    -----
    x : any shape, integers
    y : (..., embedding_dim)
    weight : (num_embeddings, embedding_dim)

    See Also
    --------
    gradwalk.nn.functional.embedding, EmbeddingBag

    Examples
    --------
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
        seed: ArraySeed = None,
        dtype: DTypeLike | None = None,
    ) -> None:
        self.num_embeddings: int = size(num_embeddings, "Embedding(num_embeddings)")
        self.embedding_dim: int = size(embedding_dim, "Embedding(embedding_dim)")
        self.padding_idx: int | None = row_of(padding_idx, self.num_embeddings, "Embedding")
        shape = (self.num_embeddings, self.embedding_dim)
        start = generator_of(seed).normal(0.0, 1.0, shape)
        if self.padding_idx is not None:
            start[self.padding_idx] = 0.0
        self.weight: Tensor = parameter(start, float_dtype(dtype, "Embedding(dtype)"))

    def forward(self, x: Tensor | ArrayLike) -> Tensor:
        """Return the vectors of the integers in x."""
        return embedding(x, self.weight, self.padding_idx)

    def extra_repr(self) -> str:
        """Return the sizes."""
        padding = "" if self.padding_idx is None else f", padding_idx={self.padding_idx}"
        return f"{self.num_embeddings}, {self.embedding_dim}{padding}"


def row_of(padding_idx: SupportsIndex | None, rows: int, where_: str) -> int | None:
    """Return the index ``padding_idx``, counted from the front."""
    if padding_idx is None:
        return None
    if index_of(padding_idx) is not None and -rows <= padding_idx.__index__() < rows:
        return int(padding_idx.__index__() % rows)
    raise OptionError(
        where=f"{where_}(padding_idx)",
        expected=f"the index of a row, between {-rows} and {rows - 1}, or None",
        got=describe(padding_idx),
        fix="Pass the integer that fills up short sequences.",
    )


def embedding(
    input: Tensor | ArrayLike, weight: Tensor | ArrayLike, padding_idx: int | None = None
) -> Tensor:
    """Return the rows of a table at some indices (PyTorch's ``functional.embedding``).

    Parameters
    ----------
    input : any shape, integers
        The indices, from 0 to rows - 1.
    weight : (rows, features)
        The table.
    padding_idx
        The row that gets no gradient, from -rows to rows - 1; ``None``: all rows get theirs.

    Returns
    -------
    (..., features)
        A row of ``weight`` for each index, along a new last axis.

    Raises
    ------
    DataError
        If ``input`` holds something other than indices of rows.
    OptionError
        If ``padding_idx`` is no row of ``weight``.
    SizeError
        If ``weight`` is no matrix.

    See Also
    --------
    gradwalk.nn.Embedding, one_hot

    Examples
    --------
    >>> embedding([1, 0, 1], Tensor([[0.0, 1.0], [2.0, 3.0]])).tolist()
    [[2.0, 3.0], [0.0, 1.0], [2.0, 3.0]]
    """
    table = operand(weight, "embedding(weight)")
    if table.ndim != 2:
        raise SizeError(
            where="embedding(weight)",
            expected="a matrix with one row for each index",
            got=f"shape {table.shape}",
            fix="Pass embedding(indices, weight), as in PyTorch.",
        )
    padding_idx = row_of(padding_idx, table.shape[0], "embedding")
    rows: Tensor
    if varies(input):
        rows = take(table, input, axis=0)
        return rows if padding_idx is None else _unpadded(rows, input, padding_idx)
    ids: Any = input._data if isinstance(input, Tensor) else to_array(input, where="embedding")
    if ids.dtype.kind not in "iu" or (ids.size and _beyond(ids, table.shape[0])):
        raise DataError(
            where="embedding",
            expected=f"integers between 0 and {table.shape[0] - 1}",
            got=describe(ids),
            fix="Pass indices of rows of the weight, or make num_embeddings larger."
            if ids.dtype.kind in "iu"
            else "Write x.astype(int): rows are looked up by integers.",
        )
    if type(ids) is LibraryArray and place_of(table) is None:
        ids = ids.numpy()
    rows = (
        table[Tensor._of(ids)] if type(ids) is LibraryArray else index(table, (ids,))
    )  # else no copy
    return rows if padding_idx is None else _unpadded(rows, ids, padding_idx)


def _unpadded(rows: Tensor, ids: Tensor | ArrayLike, padding_idx: int) -> Tensor:
    """Return ``rows`` and block the gradient of padding: constants replace its rows."""
    indices: Any = ids
    padded = np.equal(indices, padding_idx)[..., None]
    unpadded: Tensor = where(padded, rows.detach() if varies(rows) else _plain(rows), rows)
    return unpadded


def _plain(rows: Any) -> Any:
    return rows._data if isinstance(rows, Tensor) else rows


def _beyond(ids: Any, rows: int) -> bool:
    """Return whether an index is negative or too large. Unsigned, negative ones are large too.

    Of indices on a device that is not asked: it would have to be waited for.
    """
    if type(ids) is LibraryArray:
        span = extent(ids)
        return span is not None and not 0 <= span[0] <= span[1] < rows
    return bool(ids.astype(np.int64, copy=False).view(np.uint64).max() >= rows)


T = TypeVar("T")


class Identity(Module):
    """A module that returns its input.

    Parameters
    ----------
    *args, **named
        Ignored, so that `Identity` can replace any other module, as in PyTorch.

    Shape
    -----
    x, y : any shape

    Examples
    --------
    >>> Identity()(2.0)
    2.0
    """

    def __init__(self, *args: object, **named: object) -> None:
        pass

    def forward(self, x: T) -> T:
        """Return x."""
        return x
