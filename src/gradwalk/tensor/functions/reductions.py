"""Reductions along axes: sums, products, extrema, conditions and norms."""

from __future__ import annotations

import builtins
from math import inf
from typing import Any, cast

from ...core.expect import describe, settled
from ...errors import OptionError
from ...ops.arithmetic import abs
from ...ops.array import length, order
from ...ops.array import reduction as primitives
from ...ops.array.structure import reshape
from ..graph.tensor import Tensor
from ..graph.types import Axes, DTypeLike
from .arguments import axis_of
from .dtypes import astype
from .reducing import array_of, axes_or_all, demand_numbers, floating, in_dtype, short
from .scans import cummax, cummin, cumprod, cumsum, cumulative_prod, cumulative_sum, logcumsumexp
from .types import ArrayLike, unary_function

__all__ = ["all", "any", "count_nonzero", "cummax", "cummin", "cumprod", "cumsum"]
__all__ += ["cumulative_prod", "logcumsumexp"]
__all__ += ["cumulative_sum", "log_softmax", "logsumexp", "max", "mean", "min", "norm", "prod"]
__all__ += ["softmax", "std", "sum", "var"]


_softmax, _log_softmax = short(primitives.softmax), short(primitives.log_softmax)
_logsumexp = short(primitives.logsumexp)


@unary_function
def softmax(x: ArrayLike, axis: Axes = -1) -> Tensor:
    """Return weights proportional to the exponentials along an axis; they add up to 1.

        yᵢ = exp(xᵢ) / Σⱼ exp(xⱼ),   x̄ = y (ȳ - Σⱼ ȳⱼ yⱼ)

    Parameters
    ----------
    x : any shape
        The scores; integers become floats. A score of -inf has the weight 0 and the derivative 0;
        if all are -inf, all weights are NaN.
    axis
        The axis, or the axes, along which the weights add up to 1; all if ``None``.

    Returns
    -------
    the shape of x
        The weights.

    Raises
    ------
    SizeError
        If ``x`` has no such axis.

    Examples
    --------
    >>> softmax([[0.0, 0.0], [1000.0, -1000.0]])
    Tensor([[0.5, 0.5],
            [1. , 0. ]])
    """
    x = floating(array_of(x, "softmax"))
    return _softmax(x, axis=_own_axes(axis, x.ndim, "softmax"))


@unary_function
def log_softmax(x: ArrayLike, axis: Axes = -1) -> Tensor:
    """Return logarithms of `softmax` along an axis, precise where the weights are near 0 or 1.

        yᵢ = xᵢ - ln Σⱼ exp(xⱼ),   x̄ = ȳ - exp(y) Σⱼ ȳⱼ

    Parameters
    ----------
    x : any shape
        The scores; integers become floats. A score of -inf stays -inf; if all are -inf, the result
        is NaN.
    axis
        The axis, or the axes, along which the exponentials of the result add up to 1; all if
        ``None``.

    Returns
    -------
    the shape of x
        The logarithms of the weights.

    Raises
    ------
    SizeError
        If ``x`` has no such axis, or an axis is named twice.

    Examples
    --------
    >>> log_softmax([1000.0, -1000.0])
    Tensor([    0., -2000.])
    """
    x = floating(array_of(x, "log_softmax"))
    return _log_softmax(x, axis=_own_axes(axis, x.ndim, "log_softmax"))


def _own_axes(axis: Any, ndim: int, where: str) -> Any:
    """Return the axes of a `softmax`; a single number has none."""
    if ndim and axis is not None:
        return axes_or_all(axis, ndim, where)
    return (axis_of(-1 if axis is None else axis, 0, where),) if not ndim else None


@unary_function
def logsumexp(x: ArrayLike, axis: Axes = None, *, keepdims: bool = False) -> Tensor:
    """Return the logarithm of the sum of exponentials, without overflow.

        y = ln Σᵢ exp(xᵢ),   x̄ = ȳ softmax(x)

    Parameters
    ----------
    x : any shape
        The exponents; integers become floats.
    axis
        The axis, or the axes, along which the exponentials are added; all axes if ``None``.
    keepdims
        Whether the reduced axes stay, with length 1.

    Returns
    -------
    the shape of x without the reduced axes
        The logarithms; -inf where there are no elements.

    Raises
    ------
    SizeError
        If ``x`` has no such axis, or an axis is named twice.

    Examples
    --------
    >>> logsumexp([[1000.0, 1000.0], [0.0, 0.0]], axis=1)
    Tensor([1.00069315e+03, 6.93147181e-01])
    """
    x = floating(array_of(x, "logsumexp"))
    axes = axes_or_all(axis, x.ndim, "logsumexp")
    return _logsumexp(x, axis=axes, keepdims=bool(keepdims))


METHODS = (
    *("all", "any", "cumprod", "cumsum", "log_softmax", "logsumexp", "max", "mean", "min"),
    *("norm", "prod", "softmax", "std", "sum", "var"),
)


# methods of every training step: `short` spares them the general way of `Tensor._record`
_sum, _mean, _var, _std = map(
    short, (primitives.sum, primitives.mean, primitives.var, primitives.std)
)
_max, _min, _norm = map(short, (primitives.max, primitives.min, length.norm))


# --- sums and products ----------------------------------------------------------------------------


@unary_function
def sum(
    x: ArrayLike, axis: Axes = None, *, dtype: DTypeLike | None = None, keepdims: bool = False
) -> Tensor:
    """Sum over one axis, several, or all.

        y = Σᵢ xᵢ,   x̄ᵢ = ȳ

    Parameters
    ----------
    x : any shape
        The terms.
    axis
        The axis, or the axes, along which the elements are added; all axes if ``None``.
    dtype
        The dtype of the terms and of the result, as in NumPy: int8 wraps around at 128. By default
        floats keep their dtype, and integers and bools are added as 64-bit integers.
    keepdims
        Whether the reduced axes stay, with length 1.

    Returns
    -------
    the shape of x without the reduced axes
        The sums; 0 where there are no elements.

    Raises
    ------
    SizeError
        If ``x`` has no such axis, or an axis is named twice.
    OptionError
        If ``dtype`` is not the name of a dtype that Tensors have.

    Examples
    --------
    >>> from gradwalk import Tensor
    >>> x = Tensor([[1.0, 2.0], [3.0, 4.0]], requires_grad=True)
    >>> y = sum(x)
    >>> y.backward()
    >>> y.item(), x.grad.tolist()
    (10.0, [[1.0, 1.0], [1.0, 1.0]])
    """
    if type(x) is Tensor and axis is None and dtype is None:  # 0.25 µs less
        return _sum(x, axis=None, keepdims=bool(keepdims))
    x = array_of(x, "sum", dtype)
    y = _sum(x, axis=axes_or_all(axis, x.ndim, "sum"), keepdims=bool(keepdims))
    return y if dtype is None else in_dtype(y, dtype)


@unary_function
def mean(
    x: ArrayLike, axis: Axes = None, *, dtype: DTypeLike | None = None, keepdims: bool = False
) -> Tensor:
    """Return the arithmetic mean over one axis, several, or all.

        y = Σᵢ xᵢ / n,   x̄ᵢ = ȳ / n

    Parameters
    ----------
    x : any shape
        The numbers to average.
    axis
        The axis, or the axes, along which the elements are averaged; all axes if ``None``.
    dtype
        The dtype of the terms and of the result. By default floats keep their dtype and integers
        give float64; with an integer dtype the mean is cut off after the decimal point, as in
        NumPy.
    keepdims
        Whether the reduced axes stay, with length 1.

    Returns
    -------
    the shape of x without the reduced axes
        The means; NaN where there are no elements.

    Raises
    ------
    SizeError
        If ``x`` has no such axis, or an axis is named twice.
    OptionError
        If ``dtype`` is not the name of a dtype that Tensors have.

    Examples
    --------
    >>> mean([[1.0, 2.0], [3.0, 4.0]], axis=0)
    Tensor([2., 3.])
    """
    x = array_of(x, "mean", dtype)
    if dtype is not None and x.dtype.kind != "f":
        total = sum(x, axis, dtype=dtype, keepdims=keepdims)
        return in_dtype(total / (x.size // builtins.max(total.size, 1)), dtype)
    return _mean(x, axis=axes_or_all(axis, x.ndim, "mean"), keepdims=bool(keepdims))


@unary_function
def prod(
    x: ArrayLike, axis: Axes = None, *, dtype: DTypeLike | None = None, keepdims: bool = False
) -> Tensor:
    """Multiply over one axis, several, or all.

        y = Πᵢ xᵢ,   x̄ᵢ = ȳ Πⱼ≠ᵢ xⱼ

    Derivatives are correct with any number of zeros, because no rule divides.

    Parameters
    ----------
    x : any shape
        The factors.
    axis
        The axis, or the axes, along which the elements are multiplied; all axes if ``None``.
    dtype
        The dtype of the factors and of the result. By default floats keep their dtype, and integers
        and bools are multiplied as 64-bit integers.
    keepdims
        Whether the reduced axes stay, with length 1.

    Returns
    -------
    the shape of x without the reduced axes
        The products; 1 where there are no elements.

    Raises
    ------
    SizeError
        If ``x`` has no such axis, or an axis is named twice.
    OptionError
        If ``dtype`` is not the name of a dtype that Tensors have.

    Examples
    --------
    >>> from gradwalk import Tensor
    >>> x = Tensor([2.0, 0.0, 5.0], requires_grad=True)
    >>> prod(x).backward()
    >>> x.grad
    array([ 0., 10.,  0.])
    """
    x = array_of(x, "prod", dtype)
    axes = axes_or_all(axis, x.ndim, "prod")
    kept = primitives.kept_shape(x.shape, axes)
    # flat, because the primitive multiplies along one axis
    if axes is None:
        x, axes = reshape(x, shape=(x.size,)), (0,)
    if len(axes) == 1:
        y = in_dtype(primitives.prod(x, axis=axes, keepdims=bool(keepdims)), dtype)
        return reshape(y, shape=kept) if keepdims else y
    for i in axes:  # the axes stay until the end, so that the others keep their positions
        x = primitives.prod(x, axis=(i,), keepdims=True)
    left = tuple(n for i, n in enumerate(kept) if i not in axes)
    return in_dtype(reshape(x, shape=kept if keepdims else left), dtype)


@unary_function
def var(
    x: ArrayLike,
    axis: Axes = None,
    *,
    correction: float | None = None,
    ddof: float | None = None,
    keepdims: bool = False,
) -> Tensor:
    """Return the mean squared deviation from the mean.

        y = Σᵢ (xᵢ - x̄)² / (n - c)

    Parameters
    ----------
    x : any shape
        The numbers; integers become floats.
    axis
        The axis, or the axes, along which the deviations are taken; all axes if ``None``.
    correction
        The number c that is subtracted from the count n of elements: 0 if ``None``, 1 for the
        estimate from a sample. With n <= c the result is infinite or NaN.
    ddof
        NumPy's name of ``correction``.
    keepdims
        Whether the reduced axes stay, with length 1.

    Returns
    -------
    the shape of x without the reduced axes
        The variances.

    Raises
    ------
    SizeError
        If ``x`` has no such axis, or an axis is named twice.
    OptionError
        If both ``correction`` and ``ddof`` are given, or either is not a number.

    Examples
    --------
    >>> var([1.0, 2.0, 3.0]).item(), var([1.0, 2.0, 3.0], correction=1).item()
    (0.6666666666666666, 1.0)
    """
    x = floating(array_of(x, "var"))
    c = _correction(correction, ddof, "var")
    return _var(x, axis=axes_or_all(axis, x.ndim, "var"), keepdims=bool(keepdims), correction=c)


@unary_function
def std(
    x: ArrayLike,
    axis: Axes = None,
    *,
    correction: float | None = None,
    ddof: float | None = None,
    keepdims: bool = False,
) -> Tensor:
    """Return the standard deviation, the square root of `var`.

        y = √(Σᵢ (xᵢ - x̄)² / (n - c))

    The derivative is 0 where all elements are equal.

    Parameters
    ----------
    x : any shape
        The numbers; integers become floats.
    axis
        The axis, or the axes, along which the deviations are taken; all axes if ``None``.
    correction
        The number c that is subtracted from the count n of elements: 0 if ``None``, 1 for the
        estimate from a sample. With n <= c the result is infinite or NaN.
    ddof
        NumPy's name of ``correction``.
    keepdims
        Whether the reduced axes stay, with length 1.

    Returns
    -------
    the shape of x without the reduced axes
        The standard deviations.

    Raises
    ------
    SizeError
        If ``x`` has no such axis, or an axis is named twice.
    OptionError
        If both ``correction`` and ``ddof`` are given, or either is not a number.

    Examples
    --------
    >>> std([1.0, 2.0, 3.0], correction=1).item()
    1.0
    """
    x = floating(array_of(x, "std"))
    c = _correction(correction, ddof, "std")
    return _std(x, axis=axes_or_all(axis, x.ndim, "std"), keepdims=bool(keepdims), correction=c)


def _correction(correction: Any, ddof: Any, where: str) -> float:
    """Return the number that is subtracted from the count, by either of its names."""
    given = [settled(c) for c in (correction, ddof) if c is not None]
    if len(given) < 2 and builtins.all(isinstance(c, (int, float)) for c in given):
        return float(given[0]) if given else 0.0
    raise OptionError(
        where=f"{where}(correction=..., ddof=...)",
        expected="one number, under one of its names",
        got=f"correction={describe(correction)}, ddof={describe(ddof)}",
        fix="Write correction=1 for the estimate from a sample; ddof is NumPy's name for it.",
    )


# --- the largest and the smallest -----------------------------------------------------------------


@unary_function
def max(x: ArrayLike, axis: Axes = None, *, keepdims: bool = False) -> Tensor:
    """Return the largest element over one axis, several, or all.

        y = maxᵢ xᵢ,   x̄ᵢ = ȳ / m  at each of the m places with xᵢ = y

    Parameters
    ----------
    x : any shape
        The numbers to choose from.
    axis
        The axis, or the axes, along which the largest element is chosen; all axes if ``None``.
    keepdims
        Whether the reduced axes stay, with length 1.

    Returns
    -------
    the shape of x without the reduced axes
        The largest elements; NaN where there is a NaN.

    Raises
    ------
    SizeError
        If ``x`` has no such axis, an axis is named twice, or there are no elements along them.

    See Also
    --------
    argmax, maximum

    Examples
    --------
    >>> from gradwalk import Tensor
    >>> x = Tensor([3.0, 1.0, 3.0], requires_grad=True)
    >>> max(x).backward()
    >>> x.grad
    array([0.5, 0. , 0.5])
    """
    x, axes = _something(x, axis, "max")
    return _max(x, axis=axes, keepdims=bool(keepdims))


@unary_function
def min(x: ArrayLike, axis: Axes = None, *, keepdims: bool = False) -> Tensor:
    """Return the smallest element over one axis, several, or all.

        y = minᵢ xᵢ,   x̄ᵢ = ȳ / m  at each of the m places with xᵢ = y

    Parameters
    ----------
    x : any shape
        The numbers to choose from.
    axis
        The axis, or the axes, along which the smallest element is chosen; all axes if ``None``.
    keepdims
        Whether the reduced axes stay, with length 1.

    Returns
    -------
    the shape of x without the reduced axes
        The smallest elements; NaN where there is a NaN.

    Raises
    ------
    SizeError
        If ``x`` has no such axis, an axis is named twice, or there are no elements along them.

    See Also
    --------
    argmin, minimum

    Examples
    --------
    >>> min([[3.0, 1.0], [2.0, 5.0]], axis=1)
    Tensor([1., 2.])
    """
    x, axes = _something(x, axis, "min")
    return _min(x, axis=axes, keepdims=bool(keepdims))


def _something(x: Any, axis: Any, where: str) -> tuple[Any, Any]:
    """Return the array and its axes. Raise `SizeError` if there are no elements along them."""
    x = array_of(x, where)
    axes = axes_or_all(axis, x.ndim, where)
    demand_numbers(x, axes, where)
    return x, axes


# --- conditions -----------------------------------------------------------------------------------


@unary_function
def all(x: ArrayLike, axis: Axes = None, *, keepdims: bool = False) -> Tensor:
    """Return whether no element along the axes is 0.

    It has no derivative.

    Parameters
    ----------
    x : any shape
        The conditions; a number counts as true unless it is 0.
    axis
        The axis, or the axes, along which the conditions are combined; all axes if ``None``.
    keepdims
        Whether the reduced axes stay, with length 1.

    Returns
    -------
    the shape of x without the reduced axes
        Bools; True where there are no elements.

    Raises
    ------
    SizeError
        If ``x`` has no such axis, or an axis is named twice.

    Examples
    --------
    >>> all([[1, 2], [0, 3]], axis=1)
    Tensor([ True, False])
    """
    x = array_of(x, "all")
    return order.all(x, axis=axes_or_all(axis, x.ndim, "all"), keepdims=bool(keepdims))


@unary_function
def any(x: ArrayLike, axis: Axes = None, *, keepdims: bool = False) -> Tensor:
    """Return whether an element along the axes is not 0.

    It has no derivative.

    Parameters
    ----------
    x : any shape
        The conditions; a number counts as true unless it is 0.
    axis
        The axis, or the axes, along which the conditions are combined; all axes if ``None``.
    keepdims
        Whether the reduced axes stay, with length 1.

    Returns
    -------
    the shape of x without the reduced axes
        Bools; False where there are no elements.

    Raises
    ------
    SizeError
        If ``x`` has no such axis, or an axis is named twice.

    Examples
    --------
    >>> any([[0, 0], [0, 3]], axis=1)
    Tensor([False,  True])
    """
    x = array_of(x, "any")
    return order.any(x, axis=axes_or_all(axis, x.ndim, "any"), keepdims=bool(keepdims))


@unary_function
def count_nonzero(x: ArrayLike, axis: Axes = None, *, keepdims: bool = False) -> Tensor:
    """Count the elements along the axes that are not 0. It has no derivative.

    Parameters
    ----------
    x : any shape
        The elements to count; NaN is not 0.
    axis
        The axis, or the axes, along which the elements are counted; all axes if ``None``.
    keepdims
        Whether the reduced axes stay, with length 1.

    Returns
    -------
    the shape of x without the reduced axes
        The counts, as integers.

    Raises
    ------
    SizeError
        If ``x`` has no such axis, or an axis is named twice.

    Examples
    --------
    >>> count_nonzero([[0, 1], [2, 3]], axis=1)
    Tensor([1, 2])
    """
    x = array_of(x, "count_nonzero")
    axes = axes_or_all(axis, x.ndim, "count_nonzero")
    return order.count(x, axis=axes, keepdims=bool(keepdims))


# --- norms ----------------------------------------------------------------------------------------


@unary_function
def norm(x: ArrayLike, ord: float = 2, axis: Axes = None, *, keepdims: bool = False) -> Tensor:
    """Return the length of vectors along the given axes; by default all elements are one vector.

        y = (Σᵢ |xᵢ|ᵖ)^(1/p),   x̄ᵢ = ȳ sign(xᵢ) (|xᵢ| / y)^(p - 1)

    The derivative at 0 is 0.

    Parameters
    ----------
    x : any shape
        The vectors; integers become floats.
    ord
        The exponent p: 2, 1, or any other number; inf and -inf are the largest and the smallest
        |xᵢ|, and 0 counts the elements that are not 0.
    axis
        The axis, or the axes, along which one vector runs; all axes if ``None``.
    keepdims
        Whether the reduced axes stay, with length 1.

    Returns
    -------
    the shape of x without the reduced axes
        The lengths.

    Raises
    ------
    OptionError
        If ``ord`` is not a number.
    SizeError
        If ``x`` has no such axis, or an axis is named twice.

    See Also
    --------
    gradwalk.linalg.norm, gradwalk.linalg.matrix_norm

    Examples
    --------
    >>> from gradwalk import Tensor
    >>> x = Tensor([3.0, -4.0], requires_grad=True)
    >>> y = norm(x)
    >>> y.backward()
    >>> y.item(), x.grad.tolist()
    (5.0, [0.6, -0.8])
    """
    if isinstance(ord, str) or not isinstance(ord, (int, float)):
        raise OptionError(
            where="norm(ord)",
            expected="a number: 2, 1, inf, -inf or another power",
            got=describe(ord),
            fix='Use gradwalk.linalg.norm for the matrix norms "fro" and "nuc".',
        )
    x = cast(Any, floating(array_of(x, "norm")))
    axes = axes_or_all(axis, x.ndim, "norm")
    # these have primitives with conventions of their own at ties, and need no powers
    if ord == 0:
        return astype(count_nonzero(x, axes, keepdims=keepdims), x.dtype)
    if ord == inf:
        return max(abs(x), axes, keepdims=keepdims)
    if ord == -inf:
        return min(abs(x), axes, keepdims=keepdims)
    if ord == 1:
        return _sum(abs(x), axis=axes, keepdims=bool(keepdims))
    return _norm(x, axis=axes, keepdims=bool(keepdims), ord=float(ord))
