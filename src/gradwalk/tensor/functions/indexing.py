"""Functions that take parts of an array, and put parts into a new one."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from ...core.array_primitive import ArrayPrimitive
from ...core.expect import describe, index_of, settled
from ...errors import NotANumberError, OptionError, SizeError
from ...levels.vmap import varies
from ...ops.array import indexing as primitives
from ...ops.array import structure
from ..graph.convert import dtype_of
from ..graph.placed import beside
from ..graph.tensor import Tensor
from ..graph.types import Axis, DTypeLike
from ..graph.views import view
from . import varying
from .arguments import axis_of, operand
from .joining import unstack
from .keys import bad_key, key_of, whole_numbers
from .types import ArrayLike, unary_function

if TYPE_CHECKING:
    from ..graph.interface import Key

__all__ = ["embedding", "gather", "nonzero", "one_hot", "put_along_axis", "scatter", "scatter_add"]
__all__ += ["take", "take_along_axis"]
METHODS = ("gather", "nonzero", "scatter", "scatter_add", "take")

# --- brackets -------------------------------------------------------------------------------------


def index(x: Tensor, key: Key) -> Tensor:
    """Return ``x[key]`` for every key that NumPy accepts, including Tensors of integers or bools.

        y = xₖ,   x̄ = Σₖ ȳₖ eₖ

    The key is copied, so that later changes of an index array do not change the gradient.

    >>> x = Tensor([1.0, 2.0, 3.0], requires_grad=True)
    >>> index(x, [0, 0, 2]).sum().backward()
    >>> x.grad
    array([2., 0., 1.])
    """
    parts = key_of(key, "t[key]", x)
    if type(key) is int or type(key) is slice:  # nothing in it can vary
        return _taken(x, parts, "t[key]", view)
    copied = parts is not key and _names_elements(key)
    return _take(x, parts, "t[key]", ArrayPrimitive.__call__ if copied else view)


def _names_elements(key: object) -> bool:
    """Return whether an array is among the parts of a key. NumPy copies what it names."""
    return any(
        isinstance(part, (np.ndarray, Tensor)) for part in (key if type(key) is tuple else (key,))
    )


def _take(x: Tensor, key: tuple[Any, ...], where: str, apply: Any = ArrayPrimitive.__call__) -> Any:
    if varying.holds(key):
        return varying.take(x, key)
    return _taken(x, key, where, apply)


def _taken(x: Tensor, key: tuple[Any, ...], where: str, apply: Any) -> Tensor:
    try:
        return apply(primitives.take, x, key=key)
    except IndexError as error:
        raise bad_key(key, x.shape, where) from error


def each(x: Tensor) -> Iterator[Tensor]:
    """Return an iterator over the parts of x along its first axis, whose gradients are joined in
    one step.
    """
    if not x.ndim:
        raise NotANumberError(
            where="iteration over a Tensor without axes",
            expected="a Tensor with axes",
            got=repr(x),
            fix="Write t.item() for its number.",
        )
    return iter(unstack(x))


HOOKS: dict[str, Any] = {"__getitem__": index, "__iter__": each}
"""What is attached to `Tensor`, besides `METHODS`."""


# --- along an axis --------------------------------------------------------------------------------


@unary_function
def take(x: ArrayLike, indices: ArrayLike, axis: Axis = None) -> Tensor:
    """Return the parts of x at some indices along an axis.

    Parameters
    ----------
    x : any shape
        The elements.
    indices : any shape
        Integers; negative ones count from the back.
    axis
        The axis along which the indices count; ``None`` takes the flat array.

    Returns
    -------
    the shape of x, with that of indices instead of axis
        The parts.

    Raises
    ------
    SizeError
        If ``x`` has no such axis.
    KeyRangeError
        If an index is out of bounds, or is not an integer.

    See Also
    --------
    take_along_axis, gather

    Examples
    --------
    >>> take(np.array([[1.0, 2.0], [3.0, 4.0]]), [1, 0], axis=1).tolist()
    [[2.0, 1.0], [4.0, 3.0]]
    """
    x = operand(x, "take")
    if axis is None:
        x, axis = structure.reshape(x, shape=(x.size,)), 0
    place = axis_of(axis, x.ndim, "take")
    key = (*[slice(None)] * place, whole_numbers(settled(indices), "take(indices)", x))
    return _take(x, key, "take(indices)")


@unary_function
def embedding(weight: ArrayLike, ids: ArrayLike) -> Tensor:
    """Return the rows of a table at the indices in ``ids``.

        y[…, :] = weight[ids[…], :]

    PyTorch's order of the arguments is accepted, too: the array of integers is ``ids``.

    Parameters
    ----------
    weight : (rows, ...)
        The table, one row for each id.
    ids : any shape
        Integers; negative ones count from the last row.

    Returns
    -------
    the shape of ids, followed by that of a row
        The rows.

    Raises
    ------
    KeyRangeError
        If an id is out of bounds, or is not an integer.

    See Also
    --------
    gradwalk.nn.Embedding

    Examples
    --------
    >>> embedding(np.array([[0.0, 1.0], [2.0, 3.0]]), [[1, 0]]).tolist()
    [[[2.0, 3.0], [0.0, 1.0]]]
    """
    table, ids = (ids, weight) if _whole(weight) and not _whole(ids) else (weight, ids)
    return take(operand(table, "embedding"), ids, axis=0)


def _whole(x: object) -> bool:
    return operand(x, "embedding").dtype.kind in "iu"


@unary_function
def take_along_axis(x: ArrayLike, indices: ArrayLike, axis: int = -1) -> Tensor:
    """Return elements of each line along an axis, at indices of its own.

        y[i, k] = x[i, indices[i, k]]

    Parameters
    ----------
    x : any shape
        The elements.
    indices : like x, of any length along axis; other lengths may be 1
        Integers; negative ones count from the back.
    axis
        The axis along which the indices count.

    Returns
    -------
    the shape of indices, broadcast against the other axes of x
        The elements.

    Raises
    ------
    SizeError
        If ``x`` has no such axis, or ``indices`` has another number of axes than ``x``.
    KeyRangeError
        If an index is out of bounds or not an integer, or the other axes do not broadcast.

    See Also
    --------
    argsort, put_along_axis, gather

    Examples
    --------
    >>> take_along_axis(np.array([[1.0, 2.0], [3.0, 4.0]]), [[1], [0]]).tolist()
    [[2.0], [3.0]]
    """
    x = operand(x, "take_along_axis")
    ids = whole_numbers(indices, "take_along_axis(indices)", x)
    place = _axis_of_grid(x, ids, axis, "take_along_axis")
    return _take(x, _grid(x.shape, ids, place), "take_along_axis(indices)")


def put_along_axis(x: ArrayLike, indices: ArrayLike, values: ArrayLike, axis: int = -1) -> Tensor:
    """Return a copy of x with ``values`` at the indices that `take_along_axis` would read.

        y[i, indices[i, k]] = values[i, k], elsewhere y = x  (axis 1)

    Unlike NumPy's function it leaves ``x`` unchanged.

    Parameters
    ----------
    x : any shape
        The elements.
    indices : like x, of any length along axis; other lengths may be 1
        Integers; negative ones count from the back.
    values : any shape that broadcasts to that of the places
        The elements to put there.
    axis
        The axis along which the indices count.

    Returns
    -------
    the shape of x
        The new array.

    Raises
    ------
    SizeError
        If ``x`` has no such axis, ``indices`` has another number of axes than ``x``, or ``values``
        does not broadcast.
    KeyRangeError
        If an index is out of bounds or not an integer, or the other axes do not broadcast.

    Examples
    --------
    >>> put_along_axis(np.zeros((2, 2)), [[1], [0]], 5.0).tolist()
    [[0.0, 5.0], [5.0, 0.0]]
    """
    x = operand(x, "put_along_axis")
    ids = whole_numbers(indices, "put_along_axis(indices)", x)
    place = _axis_of_grid(x, ids, axis, "put_along_axis")
    key = _grid(x.shape, ids, place)
    there = _take(x, key, "put_along_axis(indices)")  # for its shape, and for its error
    return _put(x, spread(values, there.shape, "put_along_axis"), key)


def spread(values: object, shape: tuple[int, ...], where: str) -> Any:
    """Return ``values`` repeated to the shape of the places of a key."""
    v = operand(values, f"{where}(values)")
    try:
        return structure.broadcast_to(v, shape=shape)
    except ValueError as error:
        raise SizeError(
            where=f"{where}(values)",
            expected=f"numbers for the places of the key, shape {shape}",
            got=f"shape {v.shape}",
            fix="Pass one number, or one for each place.",
        ) from error


def _put(x: Tensor, values: Tensor, key: Any) -> Any:
    return (
        varying.put(x, values, key) if varying.holds(key) else primitives.update(x, values, key=key)
    )


def _axis_of_grid(x: Any, ids: Any, axis: Any, where: str) -> int:
    if ids.ndim != x.ndim:
        raise SizeError(
            where=f"{where}(indices)",
            expected=f"{x.ndim} axes, as x has",
            got=f"shape {ids.shape}",
            fix="Use take(x, indices, axis) to take the same indices everywhere.",
        )
    return axis_of(axis, x.ndim, where)


def _grid(shape: tuple[int, ...], ids: Any, axis: int) -> tuple[Any, ...]:
    """Return the key of ``ids`` along one axis, and of every index along the others."""
    # an open grid: it broadcasts against `ids`, so no index array has the shape of x
    lines: list[Any] = list(np.ix_(*map(np.arange, shape)))
    lines[axis] = ids
    return tuple(lines)


# --- PyTorch's way --------------------------------------------------------------------------------


@unary_function
def gather(x: ArrayLike, axis: int, indices: ArrayLike) -> Tensor:
    """Return an element of x for each index, as PyTorch does.

        y[i, k] = x[i, indices[i, k]]  (axis 1)

    Parameters
    ----------
    x : any shape
        The elements.
    axis
        The axis along which the indices count.
    indices : (...), with as many axes as x, none longer except axis
        Integers; negative ones count from the back. Lines of ``x`` beyond the last of ``indices``
        are not read.

    Returns
    -------
    the shape of indices
        The elements.

    Raises
    ------
    SizeError
        If ``x`` has no such axis, or ``indices`` has another number of axes than ``x``, or is
        longer along another axis.
    KeyRangeError
        If an index is out of bounds, or is not an integer.

    See Also
    --------
    take_along_axis, scatter

    Examples
    --------
    >>> gather(np.array([[1.0, 2.0], [3.0, 4.0]]), 1, [[1], [0]]).tolist()
    [[2.0], [3.0]]
    """
    x = operand(x, "gather")
    ids = whole_numbers(indices, "gather(indices)", x)
    place = _axis_of_grid(x, ids, axis, "gather")
    return _take(x, _corner(x.shape, ids, place, "gather"), "gather(indices)")


def scatter(x: ArrayLike, axis: int, indices: ArrayLike, values: ArrayLike) -> Tensor:
    """Return a copy of x with ``values`` at the indices where `gather` would read.

        y[i, indices[i, k]] = values[i, k], elsewhere y = x  (axis 1)

    Of several values for one place the last one stays, and only that one gets a gradient.

    Parameters
    ----------
    x : any shape
        The elements.
    axis
        The axis along which the indices count.
    indices : (...), with as many axes as x, none longer except axis
        Integers; negative ones count from the back.
    values : (), or at least as long as indices along every axis
        The elements to put there. Values beyond the last index are not used.

    Returns
    -------
    the shape of x
        The new array.

    Raises
    ------
    SizeError
        If ``x`` has no such axis, or ``indices`` or ``values`` has another number of axes or does
        not fit.
    KeyRangeError
        If an index is out of bounds, or is not an integer.

    See Also
    --------
    scatter_add, put_along_axis

    Examples
    --------
    >>> scatter(np.zeros((2, 2)), 1, [[1], [0]], 5.0).tolist()
    [[0.0, 5.0], [5.0, 0.0]]
    """
    return _put(*_to_scatter(x, axis, indices, values, "scatter"))


def scatter_add(x: ArrayLike, axis: int, indices: ArrayLike, values: ArrayLike) -> Tensor:
    """Return a copy of x with ``values`` added at the indices where `gather` would read.

        y[i, indices[i, k]] += values[i, k], starting from x  (axis 1)

    Parameters
    ----------
    x : any shape
        The elements.
    axis
        The axis along which the indices count.
    indices : (...), with as many axes as x, none longer except axis
        Integers; negative ones count from the back. All values of a repeated index are added.
    values : (), or at least as long as indices along every axis
        The numbers to add. Values beyond the last index are not used.

    Returns
    -------
    the shape of x
        The new array.

    Raises
    ------
    SizeError
        If ``x`` has no such axis, or ``indices`` or ``values`` has another number of axes or does
        not fit.
    KeyRangeError
        If an index is out of bounds, or is not an integer.

    See Also
    --------
    add_at, segment_sum

    Examples
    --------
    >>> scatter_add([1.0, 2.0], 0, [1, 1], [10.0, 20.0]).tolist()
    [1.0, 32.0]
    """
    x, values, key = _to_scatter(x, axis, indices, values, "scatter_add")
    # one gradient per index that is added: a number is repeated before, and its gradient a sum
    spread = structure.broadcast_to(values, shape=np.broadcast_shapes(*[k.shape for k in key]))
    if varying.holds(key):
        return x + varying.add(spread, key, x.shape)
    return x + primitives.scatter(spread, key=key, shape=x.shape)


def _to_scatter(x: Any, axis: Any, indices: Any, values: Any, name: str) -> tuple[Any, Any, Any]:
    x, values = operand(x, name), operand(values, f"{name}(values)")
    ids = whole_numbers(indices, f"{name}(indices)", x)
    key = _corner(x.shape, ids, _axis_of_grid(x, ids, axis, name), name)
    _take(x, key, f"{name}(indices)")  # for its error, which names axis and length
    if not values.ndim:
        return x, values, key
    if values.ndim != ids.ndim or any(n < m for n, m in zip(values.shape, ids.shape, strict=True)):
        raise SizeError(
            where=f"{name}(values)",
            expected=f"a number, or an array as large as the indices, {ids.shape}",
            got=f"shape {values.shape}",
            fix="Write broadcast_to(values, indices.shape) to repeat them.",
        )
    if values.shape != ids.shape:  # PyTorch's rule: surplus values are not used
        values = primitives.take(values, key=tuple(map(slice, ids.shape)))
    return x, values, key


def _corner(shape: tuple[int, ...], ids: Any, axis: int, name: str) -> tuple[Any, ...]:
    """Return the key of ``ids`` along one axis, and of the first indices along the others."""
    others = [i for i in range(ids.ndim) if i != axis]
    if any(ids.shape[i] > shape[i] for i in others):
        raise SizeError(
            where=f"{name}(indices)",
            expected=f"indices no larger than x, {shape}, except along axis {axis}",
            got=f"shape {ids.shape}",
            fix="Use take_along_axis to read, which broadcasts x against the indices.",
        )
    return _grid(ids.shape, ids, axis)


# --- without a derivative -------------------------------------------------------------------------


def nonzero(x: ArrayLike) -> tuple[Tensor, ...]:
    """Return where x is not zero.

    It has no derivative.

    Parameters
    ----------
    x : any shape except ()
        The elements.

    Returns
    -------
    (count,)
        The indices of the elements that are not 0, row by row: an array for each axis, in a tuple.

    Raises
    ------
    SizeError
        If ``x`` has no axis.

    Examples
    --------
    >>> nonzero(np.array([0.0, 3.0, 0.0, 4.0]))
    (array([1, 3]),)
    """
    x = operand(x, "nonzero")
    if not x.ndim:
        raise SizeError(
            where="nonzero",
            expected="an array with at least one axis",
            got="shape ()",
            fix="Write bool(x) to test one number.",
        )
    if not isinstance(x, Tensor):
        return np.nonzero(x)  # arrays, for an array
    return tuple(Tensor._of(places) for places in np.nonzero(x._data))


@unary_function
def one_hot(
    ids: ArrayLike, num_classes: int | None = None, dtype: DTypeLike = np.float64
) -> Tensor:
    """Return a row of zeros with a single one for each id, at the index that the id names.

        y[…, k] = 1 if k = ids[…] else 0

    Parameters
    ----------
    ids : any shape
        Classes: integers >= 0 and < ``num_classes``.
    num_classes
        The length of the rows; ``None`` takes the largest id plus 1.
    dtype
        The dtype of the result.

    Returns
    -------
    the shape of ids, followed by num_classes
        The rows.

    Raises
    ------
    OptionError
        If an id is negative or too large, ``num_classes`` is not an integer, or ``dtype`` is not
        the name of a dtype that Tensors have.
    KeyRangeError
        If the ids are not integers.

    Examples
    --------
    >>> one_hot(np.array([0, 2])).tolist()
    [[1.0, 0.0, 0.0], [0.0, 0.0, 1.0]]
    """
    places: Any = whole_numbers(ids, "one_hot(ids)")
    kind = dtype_of(dtype, "one_hot(dtype)")
    if varies(places) and num_classes is not None:  # the ids are not known here, nor checked
        return (places[..., None] == np.arange(num_classes)).astype(kind)
    length = int(places.max(initial=-1)) + 1 if num_classes is None else num_classes
    if index_of(length) is None or np.any((places < 0) | (places >= length)):
        raise OptionError(
            where="one_hot(ids, num_classes)",
            expected=f"classes >= 0 and < num_classes, which is {describe(length)}",
            got=describe(ids),
            fix="Pass an integer larger than every id as num_classes.",
        )
    y = (places[..., None] == np.arange(length)).astype(kind)
    return beside(Tensor._of(y), ids) if isinstance(ids, Tensor) else y
