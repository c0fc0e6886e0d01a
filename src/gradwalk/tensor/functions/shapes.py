"""Functions that rearrange: the same numbers in another shape or order."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import numpy as np

from ...core.array_primitive import ArrayPrimitive
from ...core.expect import describe, index_of
from ...errors import SizeError
from ...ops.array import structure as primitives
from ..graph.tensor import Tensor
from ..graph.types import Axes, Shape
from ..graph.views import is_contiguous, link, view
from .arguments import axes_of, axis_of, operand, shape_of
from .types import ArrayLike, Operand, unary_function

__all__ = ["atleast_1d", "atleast_2d", "broadcast_arrays", "broadcast_to", "expand_dims"]
__all__ += ["flatten", "matrix_transpose", "moveaxis", "permute_dims", "ravel", "reshape"]
__all__ += ["squeeze", "swapaxes", "transpose"]
METHODS = ("flatten", "ravel", "reshape", "squeeze", "swapaxes", "transpose")

# --- another shape --------------------------------------------------------------------------------


@unary_function
def reshape(x: ArrayLike, *shape: Shape) -> Tensor:
    """Return the elements in the same order in another shape.

        y[i'] = x[i], i and i' being the same place counted row by row

    Parameters
    ----------
    x : any shape
        The elements, read row by row.
    *shape
        The lengths of the axes, one by one or as a tuple. One of them may be -1: it takes the
        length that the others leave.

    Returns
    -------
    the given shape
        The elements; a view of ``x`` where NumPy makes one.

    Raises
    ------
    SizeError
        If the shape has another number of elements, or more than one -1.
    OptionError
        If a length is not an integer, or negative and not -1.

    Examples
    --------
    >>> from gradwalk import Tensor
    >>> reshape(Tensor([1.0, 2.0, 3.0, 4.0]), (2, -1))
    Tensor([[1., 2.],
            [3., 4.]])
    """
    x = operand(x, "reshape")
    wanted = shape[0] if len(shape) == 1 else shape
    lengths: tuple[Any, ...] = tuple(wanted) if isinstance(wanted, Iterable) else (wanted,)
    # the usual case needs no conversion
    plain = {*map(type, lengths)} == {int} and min(lengths) >= 0
    fixed = lengths if plain else _complete(x, lengths)
    if math.prod(fixed) != x.size:
        raise _unfit(x, lengths)
    return view(primitives.reshape, x, shape=fixed)


def _complete(x: Any, lengths: Sequence[Any]) -> tuple[int, ...]:
    """Replace a length of -1 in a shape by the length that the others leave."""
    given = [n.__index__() if index_of(n) is not None else n for n in lengths]
    rest = given.index(-1) if -1 in given else None
    if rest is None:
        return shape_of(given, "reshape")
    given[rest] = 1  # neutral in the product below
    if -1 in given:
        raise _unfit(x, lengths)
    known = shape_of(given, "reshape")
    product = math.prod(known)
    if not product or x.size % product:  # a 0 beside -1 leaves the length open
        raise _unfit(x, lengths)
    return (*known[:rest], x.size // product, *known[rest + 1 :])


def _unfit(x: Operand, lengths: Sequence[Any]) -> SizeError:
    return SizeError(
        where="reshape(shape)",
        expected=f"a shape for {x.size} elements, with at most one -1",
        got=f"{tuple(lengths)} for an array of shape {x.shape}",
        fix=f"Choose lengths whose product is {x.size}, or write -1 for one of them.",
    )


@unary_function
def flatten(x: ArrayLike, start_dim: int = 0, end_dim: int = -1) -> Tensor:
    """Return a copy with several consecutive axes joined into one, row by row.

    Parameters
    ----------
    x : any shape
        The elements.
    start_dim, end_dim
        The first and the last axis to join; by default all axes.

    Returns
    -------
    the shape of x, with one axis for those from start_dim to end_dim
        The elements.

    Raises
    ------
    SizeError
        If ``x`` has no such axes, or ``start_dim`` comes after ``end_dim``.

    See Also
    --------
    ravel, reshape

    Examples
    --------
    >>> flatten(np.ones((2, 3, 4)), 1).shape
    (2, 12)
    """
    x = operand(x, "flatten")
    if start_dim == 0 and end_dim == -1:
        return primitives.reshape(x, shape=(math.prod(x.shape),))
    first, last = (axis_of(axis, x.ndim, "flatten") for axis in (start_dim, end_dim))
    if first > last:
        raise SizeError(
            where="flatten(start_dim, end_dim)",
            expected="a first axis that is not behind the last",
            got=f"{describe(start_dim)} and {describe(end_dim)} for shape {x.shape}",
            fix="Pass the first axis first: flatten(x, 1, 2).",
        )
    inner = math.prod(x.shape[first : last + 1])
    return primitives.reshape(x, shape=(*x.shape[:first], inner, *x.shape[last + 1 :]))


@unary_function
def ravel(x: ArrayLike) -> Tensor:
    """Return all elements in one axis, row by row.

    Parameters
    ----------
    x : any shape
        The elements.

    Returns
    -------
    (size of x,)
        The elements; a view of ``x`` if these lie row by row in memory.

    See Also
    --------
    flatten

    Examples
    --------
    >>> ravel(np.array([[1.0, 2.0], [3.0, 4.0]])).tolist()
    [1.0, 2.0, 3.0, 4.0]
    """
    x = operand(x, "ravel")
    make = view if is_contiguous(x) else ArrayPrimitive.__call__
    return make(primitives.reshape, x, shape=(x.size,))


@unary_function
def squeeze(x: ArrayLike, axis: Axes = None) -> Tensor:
    """Remove axes of length 1.

    Parameters
    ----------
    x : any shape
        The elements.
    axis
        The axis, or the axes, to remove; all axes of length 1 if ``None``.

    Returns
    -------
    the shape of x without these axes
        A view of ``x``.

    Raises
    ------
    SizeError
        If ``x`` has no such axis, or one of them is not of length 1.

    Examples
    --------
    >>> squeeze(np.ones((1, 3, 1))).shape, squeeze(np.ones((1, 3, 1)), axis=0).shape
    ((3,), (3, 1))
    """
    x = operand(x, "squeeze")
    every = tuple(i for i, n in enumerate(x.shape) if n == 1)
    axes = every if axis is None else axes_of(axis, x.ndim, "squeeze")
    for i in axes:
        if x.shape[i] != 1:
            raise SizeError(
                where="squeeze(axis)",
                expected=f"axis {i} of length 1",
                got=f"length {x.shape[i]}, in shape {x.shape}",
                fix="Write x[..., 0] to take one index of a longer axis.",
            )
    return view(
        primitives.reshape, x, shape=tuple(n for i, n in enumerate(x.shape) if i not in axes)
    )


@unary_function
def expand_dims(x: ArrayLike, axis: int | Sequence[int] = 0) -> Tensor:
    """Add axes of length 1.

    Parameters
    ----------
    x : any shape
        The elements.
    axis
        The position, or the positions, of the new axes in the result.

    Returns
    -------
    the shape of x with the new axes
        A view of ``x``.

    Raises
    ------
    SizeError
        If the result has no such axis, or an axis is named twice.

    Examples
    --------
    >>> expand_dims(np.ones(3), axis=-1).shape
    (3, 1)
    """
    x = operand(x, "expand_dims")
    axis = list(axis) if isinstance(axis, Iterable) else [axis]
    ndim = x.ndim + len(axis)
    new = axes_of(axis, ndim, "expand_dims")
    old = iter(x.shape)
    return view(
        primitives.reshape, x, shape=tuple(1 if i in new else next(old) for i in range(ndim))
    )


@unary_function
def broadcast_to(x: ArrayLike, shape: Shape) -> Tensor:
    """Repeat x to a shape, along new axes in front and along axes of length 1.

    Parameters
    ----------
    x : any shape
        The elements.
    shape
        The lengths of the result; from the right each must equal that of ``x``, which may also be
        1.

    Returns
    -------
    the given shape
        The repeated elements, a view of ``x`` as in NumPy.

    Raises
    ------
    SizeError
        If ``x`` does not broadcast to the shape.
    OptionError
        If a length is not a non-negative integer.

    Examples
    --------
    >>> broadcast_to(np.array([1.0, 2.0]), (2, 2)).tolist()
    [[1.0, 2.0], [1.0, 2.0]]
    """
    x, wanted = operand(x, "broadcast_to"), shape_of(shape, "broadcast_to")
    lead = len(wanted) - x.ndim
    fits = lead >= 0 and all(n in (1, m) for n, m in zip(x.shape, wanted[lead:], strict=True))
    if not fits:
        raise SizeError(
            where="broadcast_to(shape)",
            expected=f"a shape that {x.shape} broadcasts to",
            got=str(wanted),
            fix="Reshape x: lengths agree from the right or are 1, such as (3, 1) for (2, 3, 4).",
        )
    return link(
        primitives.broadcast_to(x, shape=wanted), x, primitives.broadcast_to, {"shape": wanted}
    )


def broadcast_arrays(*arrays: ArrayLike) -> tuple[Tensor, ...]:
    """Repeat all arrays to their common shape.

    Parameters
    ----------
    *arrays : any shape
        The arrays; from the right their lengths agree, or are 1.

    Returns
    -------
    the shape that all arrays broadcast to
        The repeated arrays, in a tuple.

    Raises
    ------
    SizeError
        If the shapes do not broadcast together.

    Examples
    --------
    >>> [x.shape for x in broadcast_arrays(np.ones((2, 1)), np.ones(3))]
    [(2, 3), (2, 3)]
    """
    xs = [operand(x, "broadcast_arrays") for x in arrays]
    try:
        shape = np.broadcast_shapes(*[x.shape for x in xs])
    except ValueError as error:
        raise SizeError(
            where="broadcast_arrays",
            expected="shapes that agree from the right, or are 1 there",
            got=", ".join(str(x.shape) for x in xs),
            fix="Reshape one of them, or add an axis: x[:, None].",
        ) from error
    return tuple(broadcast_to(x, shape) for x in xs)


@unary_function
def atleast_1d(x: ArrayLike) -> Tensor:
    """Return x with at least one axis: a single number becomes a vector.

    Parameters
    ----------
    x : any shape
        The elements.

    Returns
    -------
    the shape of x, or (1,)
        A view of ``x``.

    Examples
    --------
    >>> atleast_1d(np.array(3.0)).tolist()
    [3.0]
    """
    x = operand(x, "atleast_1d")
    return view(primitives.reshape, x, shape=x.shape or (1,))


@unary_function
def atleast_2d(x: ArrayLike) -> Tensor:
    """Return x with at least two axes: a vector becomes a row.

    Parameters
    ----------
    x : any shape
        The elements.

    Returns
    -------
    the shape of x, (1, n) for a vector, (1, 1) for a number
        A view of ``x``.

    Examples
    --------
    >>> atleast_2d(np.array([1.0, 2.0])).tolist()
    [[1.0, 2.0]]
    """
    x = operand(x, "atleast_2d")
    return view(primitives.reshape, x, shape=(1,) * (2 - x.ndim) + x.shape)


# --- another order of the axes --------------------------------------------------------------------


@unary_function
def permute_dims(x: ArrayLike, axes: Sequence[int]) -> Tensor:
    """Return the axes in another order.

    Parameters
    ----------
    x : any shape
        The elements.
    axes
        All axes in their new order: axis i of the result is axis ``axes[i]`` of ``x``.

    Returns
    -------
    the shape of x in the order of axes
        A view of ``x``.

    Raises
    ------
    SizeError
        If ``axes`` does not name every axis once.

    Examples
    --------
    >>> permute_dims(np.ones((2, 3, 4)), (2, 0, 1)).shape
    (4, 2, 3)
    """
    x = operand(x, "permute_dims")
    order = axes_of(axes, x.ndim, "permute_dims")
    if len(order) != x.ndim:
        raise SizeError(
            where="transpose(axes), or permute_dims(axes)",
            expected=f"all {x.ndim} axes in their new order",
            got=describe(axes),
            fix=f"Write swapaxes(x, {order[0]}, {order[1]}) to exchange two axes."
            if len(order) == 2
            else "Use moveaxis to move one axis and keep the order of the others.",
        )
    return view(primitives.permute_dims, x, axes=order)


@unary_function
def transpose(x: ArrayLike, *axes: Shape) -> Tensor:
    """Return the axes in another order, reversed by default.

        yⱼᵢ = xᵢⱼ

    Parameters
    ----------
    x : any shape
        The elements.
    *axes
        All axes in their new order, one by one or as a tuple; none reverses them. Two numbers
        exchange these axes, as in PyTorch, if ``x`` has more than two.

    Returns
    -------
    the shape of x in the new order
        A view of ``x``.

    Raises
    ------
    SizeError
        If the axes are not named once each.

    Examples
    --------
    >>> transpose(np.array([[1.0, 2.0, 3.0]])).tolist()
    [[1.0], [2.0], [3.0]]
    """
    x = operand(x, "transpose")
    # NumPy's three ways: x.transpose(), x.transpose(1, 0) and x.transpose((1, 0))
    order: Any = axes[0] if len(axes) == 1 else axes or None
    if order is None:
        return view(primitives.permute_dims, x, axes=tuple(range(x.ndim))[::-1])
    return swapaxes(x, *order) if len(axes) == 2 < x.ndim else permute_dims(x, order)


@unary_function
def matrix_transpose(x: ArrayLike) -> Tensor:
    """Exchange the last two axes.

    Parameters
    ----------
    x : (..., n, m)
        The matrices.

    Returns
    -------
    (..., m, n)
        A view of ``x``.

    Raises
    ------
    SizeError
        If ``x`` has fewer than two axes.

    Examples
    --------
    >>> matrix_transpose(np.ones((4, 2, 3))).shape
    (4, 3, 2)
    """
    x = operand(x, "matrix_transpose")
    if x.ndim < 2:
        raise SizeError(
            where="matrix_transpose",
            expected="a matrix, or a stack of them",
            got=f"shape {x.shape}",
            fix="Write x[:, None] for a column.",
        )
    return swapaxes(x, -1, -2)


@unary_function
def swapaxes(x: ArrayLike, axis1: int, axis2: int) -> Tensor:
    """Exchange two axes.

    Parameters
    ----------
    x : any shape
        The elements.
    axis1, axis2
        The axes to exchange.

    Returns
    -------
    the shape of x with both axes exchanged
        A view of ``x``.

    Raises
    ------
    SizeError
        If ``x`` has no such axes.

    Examples
    --------
    >>> swapaxes(np.ones((2, 3, 4)), 0, 2).shape
    (4, 3, 2)
    """
    x = operand(x, "swapaxes")
    order = list(range(x.ndim))
    i, j = (axis_of(axis, x.ndim, "swapaxes") for axis in (axis1, axis2))
    order[i], order[j] = order[j], order[i]
    return view(primitives.permute_dims, x, axes=tuple(order))


@unary_function
def moveaxis(x: ArrayLike, source: int | Sequence[int], destination: int | Sequence[int]) -> Tensor:
    """Move axes to other positions; the others keep their order.

    Parameters
    ----------
    x : any shape
        The elements.
    source
        The axis, or the axes, to move.
    destination
        Their positions in the result, one for each of ``source``.

    Returns
    -------
    the shape of x in the new order
        A view of ``x``.

    Raises
    ------
    SizeError
        If ``x`` has no such axis, or there are more sources than destinations or fewer.

    Examples
    --------
    >>> moveaxis(np.ones((2, 3, 4)), 0, -1).shape
    (3, 4, 2)
    """
    x = operand(x, "moveaxis")
    old, new = (axes_of(axis, x.ndim, "moveaxis") for axis in (source, destination))
    if len(old) != len(new):
        raise SizeError(
            where="moveaxis(source, destination)",
            expected="as many destinations as sources",
            got=f"{describe(source)} and {describe(destination)}",
            fix="Write moveaxis(x, (0, 1), (-2, -1)) to move two axes.",
        )
    order = [i for i in range(x.ndim) if i not in old]
    # in ascending order, so that later insertions do not shift earlier ones
    for place, axis in sorted(zip(new, old, strict=True)):
        order.insert(place, axis)
    return view(primitives.permute_dims, x, axes=tuple(order))


class Flat:
    """The elements of x row by row, as ``x.flat``: reading copies them, writing reaches x."""

    def __init__(self, x: Tensor) -> None:
        self._x = x

    def __len__(self) -> int:
        return self._x.size

    def __iter__(self) -> Iterator[Tensor]:
        return iter(flatten(self._x))

    def __getitem__(self, key: Any) -> Tensor:
        return flatten(self._x)[key]

    def __setitem__(self, key: Any, value: Any) -> None:
        shape = {"shape": (self._x.size,)}
        link(primitives.reshape(self._x, **shape), self._x, primitives.reshape, shape)[key] = value


def write_flat(x: Tensor, value: ArrayLike) -> None:
    """Write into all elements of x, row by row."""
    Flat(x)[...] = value


HOOKS: dict[str, Any] = {
    "T": property(transpose, doc="All axes in reverse order."),
    "mT": property(matrix_transpose, doc="The last two axes exchanged."),
    "flat": property(Flat, write_flat),
}
"""What is attached to `Tensor`, besides `METHODS`."""
