"""Norms of vectors and matrices."""

from __future__ import annotations

from math import inf
from typing import Any

from ...core.expect import describe, nearest
from ...errors import OptionError, SizeError
from ...ops.arithmetic import abs as absolute
from ...ops.array import length, reduction
from ...ops.array import linalg as primitives
from ...ops.array.structure import permute_dims, reshape
from ..graph.tensor import Tensor
from ..graph.types import Axes
from . import reductions
from .arguments import axes_of, operand
from .types import ArrayLike, unary_function

__all__ = ["matrix_norm", "norm", "vector_norm"]


@unary_function
def vector_norm(
    x: ArrayLike, axis: Axes = None, keepdims: bool = False, ord: float | str = 2
) -> Tensor:
    """Return the length of vectors along one or more axes, by default of all elements.

        y = (Σᵢ |xᵢ|^ord)^(1/ord)

    ``ord`` may be any number: inf and -inf are the largest and smallest absolute value, 0 counts
    the elements that are not 0. The derivative at 0 is 0.

    >>> from gradwalk import Tensor
    >>> x = Tensor([3.0, 4.0], requires_grad=True)
    >>> y = vector_norm(x)
    >>> y.backward()
    >>> y.item(), x.grad.round(12).tolist()
    (5.0, [0.6, 0.8])
    """
    lengths: Any = reductions.norm  # raises the error for a string
    return lengths(x, ord, axis, keepdims=keepdims)


@unary_function
def matrix_norm(x: ArrayLike, keepdims: bool = False, ord: float | str = "fro") -> Tensor:
    """Return the norm of the matrices in the last two axes.

    ``ord``: "fro", the square root of the sum of squares; "nuc", the sum of the singular values;
    2 and -2, the largest and the smallest of them; 1 and -1, the largest and the smallest sum of
    absolute values in a column; inf and -inf, those in a row.

    >>> x = [[3.0, 0.0], [0.0, -4.0]]
    >>> matrix_norm(x).item(), matrix_norm(x, ord=2).item()
    (5.0, 4.0)
    """
    x = operand(x, "matrix_norm")
    if x.ndim < 2:
        raise SizeError(
            where="matrix_norm(x)",
            expected="a matrix, or a stack of them",
            got=f"shape {x.shape}",
            fix="Use linalg.vector_norm for vectors.",
        )
    if ord == "fro":
        axes = (x.ndim - 2, x.ndim - 1)
        return length.norm(x, axis=axes, keepdims=bool(keepdims), ord=2.0)
    known = isinstance(ord, (str, int, float))
    if known and ord in ("nuc", 2, -2):
        return _spectral(x, ord, keepdims)
    if not known or ord not in (1, -1, inf, -inf):
        raise _unknown("matrix_norm", ord, "'fro', 'nuc', 1, -1, 2, -2, inf or -inf")
    axes = (x.ndim - 2, x.ndim - 1)
    # the axis is kept, so that the second reduction finds both where they were
    sums = reduction.sum(absolute(x), axis=axes[:1] if abs(ord) == 1 else axes[1:], keepdims=True)
    return (reduction.max if ord > 0 else reduction.min)(sums, axis=axes, keepdims=bool(keepdims))


def _spectral(x: Tensor, ord: Any, keepdims: bool) -> Tensor:
    s = primitives.svdvals(x)  # descending: the first is the largest, the last the smallest
    y = s.sum(axis=-1) if ord == "nuc" else s[..., 0] if ord == 2 else s[..., -1]
    return reshape(y, shape=(*y.shape, 1, 1)) if keepdims else y


@unary_function
def norm(
    x: ArrayLike, ord: float | str | None = None, axis: Axes = None, keepdims: bool = False
) -> Tensor:
    """Return the norm of vectors (one axis, `vector_norm`) or matrices (two axes, `matrix_norm`).

    Without ``ord``: the square root of the sum of squares, over all axes if none are named.

    >>> norm([[3.0, 0.0], [0.0, 4.0]]).item(), norm([3.0, -4.0], ord=1).item()
    (5.0, 7.0)
    """
    x = operand(x, "norm")
    if ord is None:
        return vector_norm(x, axis, keepdims)
    axes = axes_of(axis, x.ndim, "norm")
    if len(axes) == 1:
        if isinstance(ord, str):
            raise OptionError(
                where="norm(ord=...)",
                expected="a number for vectors: 'fro' and 'nuc' are norms of matrices",
                got=describe(ord),
                fix="Leave it out for the length of vectors, or pass an array with two axes.",
            )
        return vector_norm(x, axes, keepdims, ord)
    if len(axes) != 2:
        raise SizeError(
            where="norm(axis=...)",
            expected="one axis for vectors, or two for matrices",
            got=describe(axis),
            fix="Leave out ord, or use vector_norm, for any number of axes.",
        )
    # `matrix_norm` reads the last two axes, in this order: rows, then columns
    rest = tuple(i for i in range(x.ndim) if i not in axes)
    y = matrix_norm(permute_dims(x, axes=(*rest, *axes)), ord=ord)
    shape = tuple(1 if i in axes else n for i, n in enumerate(x.shape))
    return reshape(y, shape=shape) if keepdims else y


def _unknown(where: str, ord: Any, expected: str) -> OptionError:
    return OptionError(
        where=f"{where}(ord=...)",
        expected=expected,
        got=describe(ord),
        fix=nearest(ord, ("fro", "nuc"), "ord={!r}")
        or "Leave it out for the square root of the sum of squares.",
    )
