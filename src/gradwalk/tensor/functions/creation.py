"""Creation of Tensors: zeros, ones, ranges, and arrays with the shape of another."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...core.expect import at_least, settled
from ...engine.scalar import Scalar
from ...errors import NotANumberError, OptionError
from ...ops.array.structure import astype, broadcast_to
from ..graph.convert import dtype_of, to_array
from ..graph.placed import at_place, place_of
from ..graph.tensor import Tensor
from ..graph.types import DTypeLike, Shape
from . import shapes
from .arguments import operand, shape_of
from .diagonals import diagonal_index
from .types import ArrayLike

__all__ = ["arange", "empty_like", "eye", "full", "full_like", "linspace", "ones_like"]
__all__ += ["zeros_like"]
METHODS: tuple[str, ...] = ()


# --- shared by all functions ----------------------------------------------------------------------


def leaf(array: object, requires_grad: bool, label: str, device: object = None) -> Tensor:
    """Return the Tensor of an array that has no other reference."""
    made = Tensor._of(array)
    if device is not None:
        made = at_place(made, device, "device")
    made.label = label
    made.requires_grad = requires_grad
    return made


def plain(x: object, where: str) -> np.ndarray[Any, Any]:
    """Return the array of an argument to which no gradient can flow."""
    return x._detached(where) if isinstance(x, Tensor) else to_array(x, where=where)


def _number(x: object, where: str) -> Any:
    """Return one number. A number of Python stays one, because it adapts to other dtypes."""
    x = settled(x)
    if type(x) in (int, float):
        return x
    array = plain(x, where)
    if array.ndim:
        raise NotANumberError(
            where=where,
            expected="one number",
            got=f"an array of shape {array.shape}",
            fix="Take one of its numbers: x[0].item().",
        )
    return array[()]  # a scalar, with its dtype


def _kind(dtype: Any, where: str, default: Any = np.float64) -> Any:
    return dtype_of(default if dtype is None else dtype, f"{where}(dtype)")


# --- constants ------------------------------------------------------------------------------------


def full(
    shape: Shape,
    fill_value: ArrayLike,
    dtype: DTypeLike | None = None,
    requires_grad: bool = False,
    label: str = "",
    device: str | None = None,
) -> Tensor:
    """Return an array in which every element is one number.

    The gradient of the result flows to ``fill_value`` if it is traced.

    Parameters
    ----------
    shape
        The lengths of the axes; an integer is the length of one axis.
    fill_value : (), or any shape that broadcasts to the result
        The number.
    dtype
        The dtype of the result; ``None`` keeps that of ``fill_value``.
    requires_grad
        Whether the Tensor is a leaf that collects gradients.
    label
        The name of the Tensor in pictures of graphs and in messages.
    device
        Where the array lies, such as "cpu" or "torch:cuda" (see `to_device`); ``None`` is NumPy's
        memory.

    Returns
    -------
    the given shape
        A new Tensor.

    Raises
    ------
    OptionError
        If the shape is not made of non-negative integers, ``dtype`` is not the name of a dtype that
        Tensors have, or ``device`` is not known.
    SizeError
        If ``fill_value`` does not broadcast to the shape.

    Examples
    --------
    >>> full(2, 7), full(2, 0.5)
    (Tensor([7, 7]), Tensor([0.5, 0.5]))
    """
    if getattr(fill_value, "requires_grad", isinstance(fill_value, Scalar)):
        number = broadcast_to(operand(fill_value, "full"), shape=shape_of(shape, "full"))
        made = astype(number, dtype=_kind(dtype, "full", number.dtype))
        return made if device is None else at_place(made, device, "full(device)")
    fill = plain(fill_value, "full(fill_value)")
    kind = _kind(dtype, "full", fill.dtype)
    # a copy, because a broadcast view has one element in memory and is read-only
    return leaf(np.array(shapes.broadcast_to(fill, shape), kind), requires_grad, label, device)


def eye(
    n_rows: int,
    n_cols: int | None = None,
    dtype: DTypeLike | None = None,
    *,
    k: int = 0,
    requires_grad: bool = False,
    label: str = "",
    device: str | None = None,
) -> Tensor:
    """Return ones on a diagonal and zeros elsewhere.

    Parameters
    ----------
    n_rows
        The number of rows.
    n_cols
        The number of columns; ``None`` is that of the rows.
    dtype
        The dtype of the result; float64 if ``None``.
    k
        The index of the diagonal: 0 is the main one, positive ones lie above it.
    requires_grad
        Whether the Tensor is a leaf that collects gradients.
    label
        The name of the Tensor in pictures of graphs and in messages.
    device
        Where the array lies, such as "cpu" or "torch:cuda" (see `to_device`); ``None`` is NumPy's
        memory.

    Returns
    -------
    (n_rows, n_cols)
        A new Tensor.

    Raises
    ------
    OptionError
        If a number of rows or columns is not a non-negative integer, ``k`` is not an integer,
        ``dtype`` is not the name of a dtype that Tensors have, or ``device`` is not known.

    Examples
    --------
    >>> eye(2)
    Tensor([[1., 0.],
            [0., 1.]])
    """
    rows, columns = shape_of((n_rows, n_rows if n_cols is None else n_cols), "eye")
    array = np.eye(rows, columns, k=diagonal_index(k, "eye"), dtype=_kind(dtype, "eye"))
    return leaf(array, requires_grad, label, device)


# --- ranges ---------------------------------------------------------------------------------------


def arange(
    start: float,
    stop: float | None = None,
    step: float = 1,
    dtype: DTypeLike | None = None,
    requires_grad: bool = False,
    label: str = "",
    device: str | None = None,
) -> Tensor:
    """Return evenly spaced numbers at a given distance.

        yᵢ = start + i · step

    Parameters
    ----------
    start
        The first number; with no ``stop``, the end, and 0 is the first number.
    stop
        The end, which is not included.
    step
        The distance between neighbours, not 0; negative ones count down.
    dtype
        The dtype of the result; ``None`` is int64 for integers, else float64.
    requires_grad
        Whether the Tensor is a leaf that collects gradients.
    label
        The name of the Tensor in pictures of graphs and in messages.
    device
        Where the array lies, such as "cpu" or "torch:cuda" (see `to_device`); ``None`` is NumPy's
        memory.

    Returns
    -------
    (n,)
        A new Tensor.

    Raises
    ------
    OptionError
        If a number is not finite, ``step`` is 0, ``dtype`` is not the name of a dtype that Tensors
        have, or ``device`` is not known.
    NotANumberError
        If a bound is not one number.

    See Also
    --------
    linspace

    Examples
    --------
    >>> arange(3), arange(1.0, 2.0, 0.5)
    (Tensor([0, 1, 2]), Tensor([1. , 1.5]))
    """
    if stop is None:
        start, stop = 0, start  # as Python's range
    bounds = [_number(x, "arange") for x in (start, stop, step)]
    if bounds[2] == 0 or not np.all(np.isfinite(bounds)):
        raise OptionError(
            where="arange",
            expected="finite numbers, and a step that is not 0",
            got=f"start={start!r}, stop={stop!r}, step={step!r}",
            fix="Write full(n, x) for n times the same number.",
        )
    array = np.arange(*bounds, dtype=None if dtype is None else _kind(dtype, "arange"))
    return leaf(array, requires_grad, label, device)


def linspace(
    start: float,
    stop: float,
    num: int = 50,
    dtype: DTypeLike | None = None,
    *,
    endpoint: bool = True,
    requires_grad: bool = False,
    label: str = "",
    device: str | None = None,
) -> Tensor:
    """Return a given number of evenly spaced numbers between two ends.

        yᵢ = start + i (stop - start) / (num - 1)

    Parameters
    ----------
    start
        The first number.
    stop
        The last number, or the end that is not included.
    num
        How many numbers to return.
    dtype
        The dtype of the result; float64 if ``None``.
    endpoint
        Whether ``stop`` is the last number. Otherwise the distance is (stop - start) / num.
    requires_grad
        Whether the Tensor is a leaf that collects gradients.
    label
        The name of the Tensor in pictures of graphs and in messages.
    device
        Where the array lies, such as "cpu" or "torch:cuda" (see `to_device`); ``None`` is NumPy's
        memory.

    Returns
    -------
    (num,)
        A new Tensor.

    Raises
    ------
    OptionError
        If ``num`` is not a non-negative integer, ``dtype`` is not the name of a dtype that Tensors
        have, or ``device`` is not known.
    NotANumberError
        If an end is not one number.

    See Also
    --------
    arange

    Examples
    --------
    >>> linspace(0, 1, 3)
    Tensor([0. , 0.5, 1. ])
    """
    ends = _number(start, "linspace"), _number(stop, "linspace")
    at_least("linspace(num)", num, 0, "Pass how many numbers to make: linspace(0, 1, 5).")
    kind = _kind(dtype, "linspace")
    array = np.linspace(*ends, num=num, endpoint=endpoint, dtype=kind)
    return leaf(array, requires_grad, label, device)


# --- the like of another --------------------------------------------------------------------------


def zeros_like(
    x: ArrayLike,
    dtype: DTypeLike | None = None,
    requires_grad: bool = False,
    label: str = "",
    device: str | None = None,
) -> Tensor:
    """Return zeros in the shape and dtype of ``x``.

    Parameters
    ----------
    x : any shape
        The array whose shape and dtype are taken.
    dtype
        The dtype of the result; ``None`` keeps that of ``x``.
    requires_grad
        Whether the Tensor is a leaf that collects gradients.
    label
        The name of the Tensor in pictures of graphs and in messages.
    device
        Where the array lies, such as "cpu" or "torch:cuda" (see `to_device`); ``None`` is NumPy's
        memory.

    Returns
    -------
    the shape of x
        A new Tensor.

    Raises
    ------
    OptionError
        If ``dtype`` is not the name of a dtype that Tensors have, or ``device`` is not known.

    Examples
    --------
    >>> zeros_like(Tensor([1.0, 2.0]))
    Tensor([0., 0.])
    """
    return full_like(x, 0, dtype, requires_grad=requires_grad, label=label, device=device)


def ones_like(
    x: ArrayLike,
    dtype: DTypeLike | None = None,
    requires_grad: bool = False,
    label: str = "",
    device: str | None = None,
) -> Tensor:
    """Return ones in the shape and dtype of ``x``.

    Parameters
    ----------
    x : any shape
        The array whose shape and dtype are taken.
    dtype
        The dtype of the result; ``None`` keeps that of ``x``.
    requires_grad
        Whether the Tensor is a leaf that collects gradients.
    label
        The name of the Tensor in pictures of graphs and in messages.
    device
        Where the array lies, such as "cpu" or "torch:cuda" (see `to_device`); ``None`` is NumPy's
        memory.

    Returns
    -------
    the shape of x
        A new Tensor.

    Raises
    ------
    OptionError
        If ``dtype`` is not the name of a dtype that Tensors have, or ``device`` is not known.

    Examples
    --------
    >>> ones_like(Tensor([3, 4]))
    Tensor([1, 1])
    """
    return full_like(x, 1, dtype, requires_grad=requires_grad, label=label, device=device)


def empty_like(
    x: ArrayLike,
    dtype: DTypeLike | None = None,
    requires_grad: bool = False,
    label: str = "",
    device: str | None = None,
) -> Tensor:
    """Return a Tensor with unspecified elements in the shape and dtype of ``x``.

    In fact the elements are zeros.

    Parameters
    ----------
    x : any shape
        The array whose shape and dtype are taken.
    dtype
        The dtype of the result; ``None`` keeps that of ``x``.
    requires_grad
        Whether the Tensor is a leaf that collects gradients.
    label
        The name of the Tensor in pictures of graphs and in messages.
    device
        Where the array lies, such as "cpu" or "torch:cuda" (see `to_device`); ``None`` is NumPy's
        memory.

    Returns
    -------
    the shape of x
        A new Tensor.

    Raises
    ------
    OptionError
        If ``dtype`` is not the name of a dtype that Tensors have, or ``device`` is not known.

    Examples
    --------
    >>> empty_like(Tensor([1.0, 2.0])).shape
    (2,)
    """
    return full_like(x, 0, dtype, requires_grad=requires_grad, label=label, device=device)


def full_like(
    x: ArrayLike,
    fill_value: ArrayLike,
    dtype: DTypeLike | None = None,
    requires_grad: bool = False,
    label: str = "",
    device: str | None = None,
) -> Tensor:
    """Return one number everywhere, in the shape and dtype of ``x``.

    Parameters
    ----------
    x : any shape
        The array whose shape and dtype are taken.
    fill_value : (), or any shape that broadcasts to that of x
        The number.
    dtype
        The dtype of the result; ``None`` keeps that of ``x``.
    requires_grad
        Whether the Tensor is a leaf that collects gradients.
    label
        The name of the Tensor in pictures of graphs and in messages.
    device
        Where the array lies, such as "cpu" or "torch:cuda" (see `to_device`); ``None`` is NumPy's
        memory.

    Returns
    -------
    the shape of x
        A new Tensor.

    Raises
    ------
    OptionError
        If ``dtype`` is not the name of a dtype that Tensors have, or ``device`` is not known.
    SizeError
        If ``fill_value`` does not broadcast to the shape.

    Examples
    --------
    >>> full_like(Tensor([1.0, 2.0]), 7)
    Tensor([7., 7.])
    """
    like = operand(x, "full_like")
    kind = _kind(dtype, "full_like", like.dtype)
    marks: Any = {"requires_grad": requires_grad, "label": label}
    marks["device"] = place_of(like) if device is None else device
    return full(like.shape, fill_value, kind, **marks)
