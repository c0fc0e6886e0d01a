"""Batching rules of primitives that broadcast, and of products; and the last resort."""

from __future__ import annotations

from collections.abc import Sequence
from string import ascii_letters
from typing import Any

from ...core.array_primitive import ArrayPrimitive
from ...errors import SizeError
from ...levels.vmap import VmapLevel
from ...ops.array import indexing, structure
from ...ops.array import product as products
from ...ops.array.structure import reshape
from ..functions.types import Operand
from .batched_arguments import align, rank_of

__all__ = ["affine", "each", "einsum", "matmul", "one_by_one", "searchsorted"]

Options = dict[str, Any]


def each(
    batch: VmapLevel, primitive: ArrayPrimitive, args: Sequence[Any], options: Options
) -> Operand:
    """Apply a primitive that broadcasts: a pointwise one, or one on the last axes of stacks."""
    ndim = rank_of(*args)
    return primitive(*[align(batch, a, ndim) for a in args], **options)


def matmul(batch: VmapLevel, primitive: Any, args: Sequence[Any], options: Options) -> Any:
    """Multiply matrices; vectors become matrices of one row or column meanwhile."""
    a, b = args
    _expect_axes(a, b)
    if not batch.owns(b) and b.ndim <= 2:  # every row of a at once
        return primitive(a._primal, b)
    if not batch.owns(a) and a.ndim == b.ndim == 1:
        return primitive(b._primal, a)  # a · b = b · a: the examples of b are the rows of a matrix
    if not batch.owns(a) and b.ndim == 1 and a.ndim == 2:
        return primitive(b._primal, products.mT(a))  # a b = b aᵀ: one product for all examples
    rows = reshape(a, shape=(1, *a.shape)) if a.ndim == 1 else a
    columns = products.column(b) if b.ndim == 1 else b
    y = batch.boxed(each(batch, primitive, (rows, columns), options))
    # axes of length 1 that only made matrices of vectors go again
    kept = [n for n, x in zip(y.shape[-2:], (a, b), strict=True) if x.ndim > 1]
    return reshape(y, shape=(*y.shape[:-2], *kept)) if len(kept) < 2 else y


def _expect_axes(*args: Any) -> None:
    """Raise `SizeError` for a number per example, which must not be taken for a vector."""
    if not all(rank_of(a) for a in args):
        raise SizeError(
            where="matmul(a, b)",
            expected="vectors, matrices, or stacks of them",
            got=" and ".join(str(tuple(a.shape)) for a in args),
            fix="Write a * b: a single number is not a matrix.",
        )


def affine(
    batch: VmapLevel, primitive: ArrayPrimitive, args: Sequence[Any], options: Options
) -> Operand:
    """Multiply all rows in one product if all examples share the weights."""
    x, weight, bias = args
    _expect_axes(x)
    if batch.owns(weight) or batch.owns(bias):
        return products.matmul(x, products.mT(weight)) + bias
    return primitive(x._primal, weight, bias)


def einsum(
    batch: VmapLevel, primitive: ArrayPrimitive, args: Sequence[Any], options: Options
) -> Operand:
    """Add a letter for the axis of the examples."""
    inputs, result = options["equation"].split("->")
    unused = [letter for letter in ascii_letters if letter not in options["equation"]]
    if not unused:
        return one_by_one(batch, primitive, args, options)
    pairs = zip(inputs.split(","), args, strict=True)
    # operands that all examples share lack the letter, so they are not repeated in memory
    letters = [unused[0] + part if batch.owns(a) else part for part, a in pairs]
    equation = f"{','.join(letters)}->{unused[0]}{result}"
    return primitive(*batch.primals(args), **{**options, "equation": equation})


def searchsorted(
    batch: VmapLevel, primitive: Any, args: Sequence[Any], options: Options
) -> Operand:
    """Search example by example: NumPy searches one row at a time, for values of any shape."""
    if batch.owns(args[0]):
        return one_by_one(batch, primitive, args, options)
    return primitive(*batch.primals(args), **options)


def one_by_one(
    batch: VmapLevel, primitive: ArrayPrimitive, args: Sequence[Any], options: Options
) -> Any:
    """Apply a primitive once per example, if there is no batching rule for it.

    These are custom primitives (except pointwise ones), `searchsorted` in
    numbers that differ from example to example, and sums with all letters of the alphabet.
    """
    if not batch.size:
        raise SizeError(
            where=f"{batch.mode}: {primitive.name}",
            expected="at least one example, because this operation is applied to each of them",
            got="none",
            fix="Skip empty batches.",
        )
    found = [
        primitive(
            *[indexing.take(a._primal, key=(i,)) if batch.owns(a) else a for a in args], **options
        )
        for i in range(batch.size)
    ]
    if type(found[0]) is tuple:
        return tuple([structure.stack(*parts, axis=0) for parts in zip(*found, strict=True)])
    return structure.stack(*found, axis=0)
