"""Functions that multiply: matrices, vectors and tensors."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from string import ascii_letters
from typing import Any

from ...core.expect import describe, index_of
from ...errors import SizeError, UsageError
from ...ops.array import product as primitives
from ...ops.array.contraction import explicit, letters_of
from ...ops.array.indexing import index
from ...ops.array.structure import reshape
from ..graph.tensor import Tensor
from ..graph.types import DTypeLike
from ..graph.views import link
from .arguments import axes_of, axis_of, operand
from .diagonals import diagonal
from .reductions import sum as total
from .types import ArrayLike, Operand, binary_function, unary_function

__all__ = ["cross", "dot", "einsum", "inner", "kron", "matmul", "outer", "tensordot", "vecdot"]
METHODS = ("dot", "matmul", "trace")


@binary_function
def matmul(a: ArrayLike, b: ArrayLike) -> Tensor:
    """Multiply matrices; leading axes are broadcast, and a vector counts as a row or a column.

        yᵢⱼ = Σₖ aᵢₖ bₖⱼ

    Shapes (..., n, k) and (..., k, m) give (..., n, m); `SizeError` if they do not fit.

    >>> from gradwalk import Tensor
    >>> a, b = Tensor([[1.0, 2.0], [3.0, 4.0]], requires_grad=True), Tensor([5.0, 6.0])
    >>> y = matmul(a, b)  # the same as a @ b
    >>> y.backward([1.0, 0.0])
    >>> y.tolist(), a.grad.tolist()
    ([17.0, 39.0], [[5.0, 6.0], [0.0, 0.0]])
    """
    return primitives.matmul(operand(a, "matmul"), operand(b, "matmul"))


@binary_function
def dot(a: ArrayLike, b: ArrayLike) -> Tensor:
    """Sum over the last axis of a and the one before the last of b (of a vector its only axis).

        y = Σᵢ aᵢ bᵢ for two vectors, a @ b for matrices, a * b if either is a single number

    >>> dot([1.0, 2.0], [3.0, 4.0]).item()
    11.0
    """
    a, b = operand(a, "dot"), operand(b, "dot")
    if not (a.ndim and b.ndim):
        return a * b  # NumPy's rule for single numbers
    if a.ndim <= 2 and b.ndim <= 2:
        return primitives.matmul(a, b)
    # for more axes NumPy's dot pairs all the others, where matmul would broadcast them
    return tensordot(a, b, ((-1,), (-min(b.ndim, 2),)))


@binary_function
def inner(a: ArrayLike, b: ArrayLike) -> Tensor:
    """Sum over the last axes of both.

        y = Σₖ a[..., k] b[..., k], for each pair of the other axes

    >>> inner([[1.0, 2.0], [3.0, 4.0]], [5.0, 6.0]).tolist()
    [17.0, 39.0]
    """
    a, b = operand(a, "inner"), operand(b, "inner")
    return tensordot(a, b, ((-1,), (-1,))) if a.ndim and b.ndim else a * b


@binary_function
def vecdot(a: ArrayLike, b: ArrayLike, axis: int = -1) -> Tensor:
    """Return dot products along an axis, the other axes broadcast.

        y = Σᵢ aᵢ bᵢ

    ``axis`` is counted from the back, as the operands may have different numbers of axes.

    >>> vecdot([[1.0, 2.0], [3.0, 4.0]], [5.0, 6.0]).tolist()
    [17.0, 39.0]
    """
    a, b = operand(a, "vecdot"), operand(b, "vecdot")
    shorter = min(a.ndim, b.ndim)
    back = axis_of(axis, shorter, "vecdot") - shorter
    if a.shape[back] != b.shape[back]:
        raise _unequal("vecdot(a, b)", a, b)
    names = ascii_letters[: max(a.ndim, b.ndim)]
    result = names[: len(names) + back] + names[len(names) + back + 1 :]
    # letters from the back, as shapes are broadcast
    equation = f"{names[-a.ndim :]},{names[-b.ndim :]}->{result}"
    return primitives.einsum(a, b, equation=equation, optimize=None)


@binary_function
def outer(a: ArrayLike, b: ArrayLike) -> Tensor:
    """Multiply every element of a by every element of b.

        yᵢⱼ = aᵢ bⱼ

    >>> outer([1.0, 2.0], [3.0, 4.0]).tolist()
    [[3.0, 4.0], [6.0, 8.0]]
    """
    a, b = operand(a, "outer"), operand(b, "outer")
    return reshape(a, shape=(a.size, 1)) * reshape(b, shape=(1, b.size))


@binary_function
def kron(a: ArrayLike, b: ArrayLike) -> Tensor:
    """Return the Kronecker product: every element of a times the whole of b.

        y[i p + k, j q + l] = a[i, j] b[k, l] for b of shape (p, q); alike for other ndims

    >>> kron([[1.0, 2.0]], [[1.0], [10.0]]).tolist()
    [[1.0, 2.0], [10.0, 20.0]]
    """
    a, b = operand(a, "kron"), operand(b, "kron")
    ndim = max(a.ndim, b.ndim)
    outside = (1,) * (ndim - a.ndim) + a.shape
    inside = (1,) * (ndim - b.ndim) + b.shape
    # axes of a and b alternate, so that broadcasting forms all products
    spread = reshape(a, shape=tuple(n for o in outside for n in (o, 1)))
    tiles = reshape(b, shape=tuple(n for i in inside for n in (1, i)))
    shape = tuple(o * i for o, i in zip(outside, inside, strict=True))
    return reshape(spread * tiles, shape=shape)


@binary_function
def tensordot(
    a: ArrayLike, b: ArrayLike, axes: int | Sequence[int] | Sequence[Sequence[int]] = 2
) -> Tensor:
    """Sum over pairs of axes: the last ``axes`` of a and the first of b, or the named ones.

        y = Σₖ a[..., k] b[k, ...]

    >>> tensordot([[1.0, 2.0], [3.0, 4.0]], [[5.0, 6.0], [7.0, 8.0]], axes=((0,), (1,))).tolist()
    [[23.0, 31.0], [34.0, 46.0]]
    """
    a, b = operand(a, "tensordot"), operand(b, "tensordot")
    ours, theirs = _pairs(a, b, axes)
    if [a.shape[i] for i in ours] != [b.shape[i] for i in theirs]:
        raise _unequal(f"tensordot(a, b, axes={axes})", a, b)
    first = ascii_letters[: a.ndim]
    second = list(ascii_letters[a.ndim : a.ndim + b.ndim])
    for i, j in zip(ours, theirs, strict=True):
        second[j] = first[i]  # a letter of both operands is summed over
    result = [s for s in first if s not in second] + [s for s in second if s not in first]
    equation = f"{first},{''.join(second)}->{''.join(result)}"
    return primitives.einsum(a, b, equation=equation, optimize=None)


def _pairs(a: Any, b: Operand, axes: Any) -> tuple[Sequence[int], Sequence[int]]:
    """Return the axes of both operands that are summed over together."""
    if isinstance(axes, Iterable):
        both = list(axes)
        if len(both) != 2:
            raise _unequal(f"tensordot(a, b, axes={axes})", a, b)
        ours, theirs = both
        pairs = axes_of(ours, a.ndim, "tensordot"), axes_of(theirs, b.ndim, "tensordot")
        if len(pairs[0]) != len(pairs[1]):
            raise _unequal(f"tensordot(a, b, axes={axes})", a, b)
        return pairs
    count = index_of(axes)
    if count is None or not 0 <= count <= min(a.ndim, b.ndim):
        raise _unequal(f"tensordot(a, b, axes={axes})", a, b)
    return range(a.ndim - count, a.ndim), range(count)


def _unequal(where: str, a: Any, b: Operand) -> SizeError:
    return SizeError(
        where=where,
        expected="axes of equal lengths to sum over",
        got=f"shapes {a.shape} and {b.shape}",
        fix="Name the pairs: tensordot(a, b, axes=((i, ...), (j, ...))).",
    )


def einsum(
    *operands: str | ArrayLike | Sequence[object],
    optimize: bool | str | Sequence[object] | None = None,
) -> Tensor:
    """Sum products by Einstein's convention: ``einsum("ij,jk->ik", a, b)``.

    Any equation that NumPy takes: without an arrow (letters that occur once, in the order of the
    alphabet), with an ellipsis, with letters repeated within an operand (diagonals), or as lists
    of axes, ``einsum(a, [0, 1], b, [1, 2], [0, 2])``. ``optimize`` is NumPy's; ``None`` plans the
    order where the sum is long enough for that to pay.

    >>> from gradwalk import Tensor
    >>> a = Tensor([[1.0, 2.0], [3.0, 4.0]], requires_grad=True)
    >>> y = einsum("ii", a)
    >>> y.backward()
    >>> y.item(), a.grad.tolist()
    (5.0, [[1.0, 0.0], [0.0, 1.0]])
    """
    equation, args = _spell(operands)
    factors = [operand(a, "einsum") for a in args]
    full = explicit(equation, tuple(a.ndim for a in factors))
    if len(factors) > 1:
        return primitives.einsum(*factors, equation=full, optimize=optimize)
    options = {"equation": full, "optimize": optimize}
    y = primitives.einsum1(*factors, **options)
    inputs, _, kept = full.partition("->")
    # NumPy makes a view if nothing is summed
    return y if set(inputs) - set(kept) else link(y, factors[0], primitives.einsum1, options)


def _spell(operands: tuple[Any, ...]) -> tuple[str, Sequence[Any]]:
    """Return the equation in letters, and its operands."""
    if operands and isinstance(operands[0], str):
        return operands[0], operands[1:]
    if len(operands) < 2 or hasattr(operands[1], "shape"):
        raise UsageError(
            where="einsum(operands)",
            expected="an equation, and the arrays after it",
            got=describe(operands[0]) if operands else "nothing",
            fix='Write einsum("ij,jk->ik", a, b).',
        )
    count = len(operands) // 2
    equation = ",".join(letters_of(labels) for labels in operands[1 : 2 * count : 2])
    if len(operands) % 2:  # the last list has the axes of the result
        equation += f"->{letters_of(operands[-1])}"
    return equation, operands[: 2 * count : 2]


@unary_function
def trace(
    x: ArrayLike, offset: int = 0, axis1: int = 0, axis2: int = 1, dtype: DTypeLike | None = None
) -> Tensor:
    """Sum the diagonal of two axes, in ``dtype``; ``offset`` > 0 is above the main diagonal.

        y = Σᵢ xᵢᵢ

    >>> trace([[1.0, 2.0], [3.0, 4.0]]).item()
    5.0
    """
    return total(diagonal(operand(x, "trace"), offset, axis1, axis2), axis=-1, dtype=dtype)


@binary_function
def cross(a: ArrayLike, b: ArrayLike, axis: int | None = -1) -> Tensor:
    """Return the cross product of vectors of three elements along an axis, other axes broadcast.

        y = a × b = (a₁b₂ - a₂b₁, a₂b₀ - a₀b₂, a₀b₁ - a₁b₀)

    ``None`` is the last axis, as in NumPy.

    >>> cross([1.0, 0.0, 0.0], [0.0, 1.0, 0.0]).tolist()
    [0.0, 0.0, 1.0]
    """
    a, b = operand(a, "cross"), operand(b, "cross")
    axis = -1 if axis is None else axis
    for x in (a, b):
        if x.ndim == 0 or x.shape[axis_of(axis, x.ndim, "cross")] != 3:
            raise SizeError(
                where="cross(a, b)",
                expected="three numbers along the axis",
                got=f"shapes {a.shape} and {b.shape}",
                fix="Name the axis: cross(a, b, axis=0).",
            )
    # from the back, where broadcast operands have the same axes
    key = axis_of(axis, min(a.ndim, b.ndim), "cross") - min(a.ndim, b.ndim)
    return _rotate(a, 1, key) * _rotate(b, 2, key) - _rotate(a, 2, key) * _rotate(b, 1, key)


def _rotate(x: Tensor, by: int, axis: int) -> Tensor:
    """Rotate the three elements along an axis."""
    key = (..., [by % 3, (by + 1) % 3, (by + 2) % 3], *[slice(None)] * (-axis - 1))
    return index(x, key)
