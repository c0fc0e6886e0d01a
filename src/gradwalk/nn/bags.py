"""Sums, means and maxima of the vectors of several integers: `EmbeddingBag`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ..core.expect import describe
from ..engine.functions import where
from ..errors import OptionError, SizeError
from ..tensor import segment_max, segment_sum
from ..tensor.functions.arguments import operand
from ..tensor.functions.creation import plain
from .initial import ArraySeed
from .linear import Embedding, embedding, row_of

if TYPE_CHECKING:
    from numpy.typing import DTypeLike

    from ..tensor import Tensor
    from ..tensor.functions.types import ArrayLike

__all__ = ["EmbeddingBag", "embedding_bag"]

MODES = ("sum", "mean", "max")


def embedding_bag(
    input: Tensor | ArrayLike,
    weight: Tensor | ArrayLike,
    offsets: Tensor | ArrayLike | None = None,
    mode: str = "mean",
    per_sample_weights: Tensor | ArrayLike | None = None,
    padding_idx: int | None = None,
) -> Tensor:
    """Return the sum, the mean or the largest of the rows of a table in each bag of indices.

    The result of an empty bag is 0.

    Parameters
    ----------
    input : (bags, length), or (indices,) with ``offsets``
        Indices of rows: a bag in each row, or all bags behind each other.
    weight : (rows, features)
        The table.
    offsets : (bags,), optional
        Where each bag starts in ``input`` of one axis: 0 first, then ascending.
    mode
        "sum", "mean" or "max" over the rows of a bag.
    per_sample_weights : the shape of input, optional
        A factor for each row; for "sum" only.
    padding_idx
        An index that does not count, and whose row gets no gradient; ``None``: all count.

    Returns
    -------
    (bags, features)
        A row for each bag.

    Raises
    ------
    OptionError
        If ``mode`` has another name, ``per_sample_weights`` are given without "sum", or
        ``padding_idx`` is no row of ``weight``.
    SizeError
        If ``input`` and ``offsets`` do not describe bags, or ``weight`` is no matrix.
    DataError
        If ``input`` holds something other than indices of rows.

    See Also
    --------
    embedding, gradwalk.nn.EmbeddingBag

    Examples
    --------
    >>> embedding_bag([[0, 1]], [[1.0], [3.0]]).tolist()
    [[2.0]]
    """
    ids = plain(input, "embedding_bag(input)")
    if mode not in MODES or (per_sample_weights is not None and mode != "sum"):
        raise OptionError(
            where="embedding_bag(mode=...)",
            expected='"sum", "mean" or "max"; per_sample_weights need "sum"',
            got=describe(mode),
            fix='Write mode="sum".',
        )
    bags, count = _bags(ids, offsets)
    flat = ids.reshape(-1)
    rows: Any = embedding(flat, weight)
    if per_sample_weights is not None:
        w: Any = operand(per_sample_weights, "embedding_bag(per_sample_weights)")
        rows = rows * w.reshape(-1, 1)
    if padding_idx is not None:
        table = operand(weight, "embedding_bag(weight)")
        counted = flat != row_of(padding_idx, table.shape[0], "embedding_bag")
        rows, bags = rows[np.flatnonzero(counted)], bags[counted]
    members = np.bincount(bags, minlength=count)[:, None]
    if mode == "max":
        most: Tensor = where(members > 0, segment_max(rows, bags, count), 0.0)
        return most
    total: Any = segment_sum(rows, bags, count)
    y: Tensor = total if mode == "sum" else total / np.maximum(members, 1).astype(total.dtype)
    return y


def _bags(ids: Any, offsets: Any) -> tuple[Any, int]:
    """Return the bag of each integer, and how many bags there are."""
    if ids.ndim == 2 and offsets is None:
        return np.repeat(np.arange(len(ids)), ids.shape[1]), len(ids)
    starts = None if offsets is None else plain(offsets, "embedding_bag(offsets)")
    if ids.ndim != 1 or starts is None or starts.ndim != 1 or not _ascending(starts, len(ids)):
        raise SizeError(
            where="embedding_bag(input)",
            expected="(N, L), or one row of integers and offsets that start at 0 and ascend",
            got=f"shape {ids.shape}, offsets {describe(offsets)}",
            fix="Pass input[None] for one bag.",
        )
    return np.searchsorted(starts, np.arange(len(ids)), side="right") - 1, len(starts)


def _ascending(starts: Any, count: int) -> bool:
    if starts.dtype.kind not in "iu" or not starts.size or starts[0] != 0:
        return False
    return bool((np.diff(starts) >= 0).all() and starts[-1] <= count)


class EmbeddingBag(Embedding):
    """The mean, the sum or the largest of the vectors of several integers.

    The rows of the table start like the rows of `Embedding`. The call takes the indices and,
    optionally, ``offsets`` and ``per_sample_weights``; see `gradwalk.nn.functional.embedding_bag`.

    Parameters
    ----------
    num_embeddings
        How many rows the table has, >= 1: the input holds integers from 0 to num_embeddings -
        1.
    embedding_dim
        The length of each vector, >= 1.
    mode
        "sum", "mean" or "max" over the vectors of a bag.
    padding_idx
        The row that fills up short bags: it does not count, starts at 0 and gets no gradient.
        ``None``: all rows count.
    seed
        Draws the initial parameters: an int gives equal ones each time, a generator is drawn
        from, and ``None`` takes fresh entropy.
    dtype
        The floating dtype of the parameters, of 64 bits at most; float64 if ``None`` (PyTorch's
        default is float32).

    Raises
    ------
    OptionError
        If a size is no positive integer, ``mode`` has another name, ``padding_idx`` is no row,
        ``seed`` is no seed, or ``dtype`` no floating dtype.
    DataError
        If the input holds something other than indices of rows (in the call).
    SizeError
        If input and ``offsets`` do not describe bags (in the call).

    Shape
    -----
    input : (bags, length), or (indices,) with ``offsets``, integers
    offsets : (bags,)
    y : (bags, embedding_dim)
    weight : (num_embeddings, embedding_dim)

    See Also
    --------
    gradwalk.nn.functional.embedding_bag, Embedding

    Examples
    --------
    >>> from gradwalk import Tensor
    >>> EmbeddingBag(10, 3, seed=0)(Tensor([[1, 2], [3, 3]])).shape
    (2, 3)
    """

    mode: str

    def __init__(
        self,
        num_embeddings: int,
        embedding_dim: int,
        mode: str = "mean",
        padding_idx: int | None = None,
        *,
        seed: ArraySeed = None,
        dtype: DTypeLike | None = None,
    ) -> None:
        super().__init__(num_embeddings, embedding_dim, padding_idx, seed=seed, dtype=dtype)
        if mode not in MODES:
            raise OptionError(
                where="EmbeddingBag(mode=...)",
                expected='"sum", "mean" or "max"',
                got=describe(mode),
                fix="Leave it out for the mean.",
            )
        self.mode = mode

    def forward(
        self,
        input: Tensor | ArrayLike,
        offsets: Tensor | ArrayLike | None = None,
        per_sample_weights: Tensor | ArrayLike | None = None,
    ) -> Tensor:
        """Return a vector for each bag."""
        options = (offsets, self.mode, per_sample_weights, self.padding_idx)
        return embedding_bag(input, self.weight, *options)

    def extra_repr(self) -> str:
        """Return the sizes and the mode."""
        padding = "" if self.padding_idx is None else f", padding_idx={self.padding_idx}"
        return f"{self.num_embeddings}, {self.embedding_dim}, mode={self.mode!r}{padding}"
