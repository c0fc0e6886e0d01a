"""THE TABLE of arrays, part 3: products. Linear in each factor."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import Any, Final

import numpy as np

from ...core.array_primitive import A, ArrayPrimitive, general, linear, multilinear
from ...core.numeric import Array, NumericArray
from ...errors import SizeError
from .contraction import contract, transposed
from .structure import permute_dims, reshape


def mT(x: A) -> A:  # noqa: N802  (the array API's name)
    """Return the last two axes exchanged."""
    if isinstance(x, np.ndarray):  # a sixth of the time that the primitive takes to find out
        return x.mT
    axes = tuple(range(x.ndim))
    return permute_dims(x, axes=(*axes[:-2], axes[-1], axes[-2]))


def row(x: A) -> A:
    """Return a vector as a matrix of one row."""
    return reshape(x, shape=(*x.shape[:-1], 1, x.shape[-1]))


def column(x: A) -> A:
    """Return a vector as a matrix of one column."""
    return reshape(x, shape=(*x.shape, 1))


def _linear(x: Array, weight: Array, bias: Array) -> Any:
    y = _matmul(x, weight.T)
    y += bias  # in place: the memory of a second array of this size is spared
    return y


def _rows(x: NumericArray) -> NumericArray:
    """Return all axes but the last as one."""
    return x if x.ndim == 2 else reshape(x, shape=(prod(x.shape[:-1]), x.shape[-1]))


# --- matrices -------------------------------------------------------------------------------------


def _product(a: Array, b: Array) -> Any:
    """numpy.matmul; a stack times one matrix as one product of all rows, up to 6 times as fast."""
    if b.ndim != 2 or a.ndim < 3 or not a.size:
        return np.matmul(a, b)
    return np.matmul(a.reshape(-1, a.shape[-1]), b).reshape(*a.shape[:-1], b.shape[-1])


def _matmul(a: Array, b: Array) -> Any:
    try:
        return _product(a, b)
    except (ValueError, AttributeError) as error:  # a plain number has no ndim
        raise _mismatch(np.shape(a), np.shape(b)) from error


# C calls NumPy itself unless `a` is a stack: 0.7 µs for two vectors, and 1.0 by these functions
_matmul.float64_kernel = np.matmul  # type: ignore[attr-defined]
_matmul.kernel_axes = 2  # type: ignore[attr-defined]


def _mismatch(a: tuple[int, ...], b: tuple[int, ...]) -> SizeError:
    if not a or not b:
        fix = "Write a * b: a single number is not a matrix."
    elif a[-1] != b[-2:][0]:
        turned = len(b) > 1 and a[-1] == b[-1]
        axis = "the last axis but one" if len(b) > 1 else "the last axis"
        fix = (
            f"{'Write a @ b.mT' if turned else 'Reshape one of them'}: the last axis of a must be "
        )
        fix += f"as long as {axis} of b."
    else:
        fix = "Reshape one of them: the axes before the last two must be equal, or 1."
    return SizeError(
        where="matmul(a, b)",
        expected="shapes (..., n, k) and (..., k, m)",
        got=f"{a} and {b}",
        fix=fix,
    )


def _left(t: NumericArray, ndim: int, b: NumericArray) -> NumericArray:
    """Return the contribution to ``a``, of ``ndim`` axes, if one of the factors is a vector."""
    if b.ndim == 1:
        return t * b if ndim == 1 else matmul(column(t), row(b))
    return matmul(row(t), mT(b))


def _right(t: NumericArray, a: NumericArray, ndim: int) -> NumericArray:
    """Return the contribution to ``b``, of ``ndim`` axes, unless both are stacks of matrices."""
    if a.ndim == 1:
        return t * a if ndim == 1 else matmul(column(a), row(t))
    if ndim == 1:  # all rows of a at once, instead of a product for each member of the stack
        return matmul(reshape(t, shape=(t.size,)), _rows(a))
    return matmul(mT(_rows(a)), _rows(t))


# fmt: off
matmul: ArrayPrimitive = multilinear("matmul",
    lambda t, y, a, b: matmul(t, mT(b)) if a.ndim > 1 < b.ndim else _left(t, a.ndim, b),
    lambda t, y, a, b: matmul(mT(a), t) if a.ndim == 2 <= b.ndim or a.ndim >= 2 < b.ndim
      else _right(t, a, b.ndim), forward=_matmul, tex=r"a \, b",
    summary="Matrix product of the last two axes, the others broadcast")
affine: Final = general("affine", lambda t, y, x, w, b: matmul(t, w),
    lambda t, y, x, w, b: matmul(mT(_rows(t)), _rows(x)),
    lambda t, y, x, w, b: t, forward=_linear, params="x weight bias", tex=r"x W^{T} + b",
    summary="Matrix product with a transposed weight, plus a bias")
# fmt: on


# --- Einstein's sums ------------------------------------------------------------------------------


def _contribution(
    t: Any, shapes: Any, others: Any, index: int, equation: str, optimize: Any
) -> Any:
    """Return the contribution to one operand: the Einstein sum of ``t`` and the other operands."""
    turned, eyes, spread = transposed(equation, shapes, index)
    ones = [np.broadcast_to(np.ones((), t.dtype), spread)] if spread is not None else []
    factors = [t, *others, *[np.eye(n, dtype=t.dtype) for n in eyes], *ones]
    hint = True if isinstance(optimize, list) else optimize  # a path fits its own sum only
    if len(factors) == 1:
        return einsum1(t, equation=turned, optimize=hint)
    return einsum(*factors, equation=turned, optimize=hint)


def _others(t: NumericArray, args: Sequence[Any], index: int, equation: str, optimize: Any) -> Any:
    others = [*args[:index], *args[index + 1 :]]
    shapes = tuple(tuple(a.shape) for a in args)
    return _contribution(t, shapes, others, index, equation, optimize)


# fmt: off
einsum: Final = multilinear("einsum",
    lambda t, y, *args, index, equation, optimize: _others(t, args, index, equation, optimize),
    forward=contract, variadic=True, params="operands", tex=r"\sum a \, b",
    summary="Sum of products by Einstein's convention")
einsum1: Final = linear("einsum1",
    lambda t, y, x, equation, optimize: _contribution(t, (x.shape,), (), 0, equation, optimize),
    forward=contract, tex=r"\sum x",
    summary="Sums, diagonals and transposes of one array by Einstein's convention")
