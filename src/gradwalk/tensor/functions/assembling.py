"""Arrays put together: from numbers, rows and blocks, and with rows put in or left out."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ...core.calls import expect_function
from ...core.carrier import Carrier
from ...core.expect import describe
from ...errors import OptionError, SizeError
from ...ops.arithmetic import where
from ...ops.array.structure import broadcast_to, reshape
from ..graph.tensor import Tensor
from ..graph.types import Axis, DTypeLike
from .arguments import axis_of, operand
from .creation import plain
from .dtypes import astype
from .exchange import asarray
from .indexing import take
from .joining import Members, concat, stack
from .shapes import flatten, moveaxis
from .types import ArrayLike

__all__ = ["apply_along_axis", "array", "block", "c_", "delete", "insert", "piecewise", "r_"]
METHODS: tuple[str, ...] = ()


def array(data: Members | ArrayLike, dtype: DTypeLike | None = None) -> Tensor:
    """Return a Tensor of numbers, arrays, and nested lists of them; gradients flow to the members.

    Parameters
    ----------
    data : any shape
        A number, an array, or nested lists. Members may be traced: Values, Tensors, and the
        arguments of a transform.
    dtype
        The dtype of the result; ``None`` keeps that of the members.

    Returns
    -------
    the shape of data
        A new Tensor.

    Raises
    ------
    NotANumberError
        If a member is neither a number nor an array, or lists of numbers have different lengths.
    SizeError
        If members that are traced have different shapes.
    OptionError
        If ``dtype`` is not the name of a dtype that Tensors have.

    See Also
    --------
    asarray, stack

    Examples
    --------
    >>> from gradwalk import grad
    >>> grad(lambda x: array([x, 2.0 * x, 1.0]).sum())(3.0)
    3.0
    """
    given: Any = data
    if isinstance(given, (list, tuple)) and any(isinstance(x, Carrier) for x in _members(given)):
        made: Any = stack(given)
    else:
        made = asarray(given, copy=None if isinstance(given, Carrier) else True)
    return made if dtype is None else astype(made, dtype, copy=False)


def _members(data: Any) -> list[Any]:
    """Return what is in nested lists."""
    rest, found = [data], []
    while rest:
        x = rest.pop()
        rest.extend(x) if isinstance(x, (list, tuple)) else found.append(x)
    return found


class _Joiner:
    """What ``r_[...]`` and ``c_[...]`` are."""

    def __init__(self, name: str, columns: bool) -> None:
        self._name, self._columns = name, columns

    def __getitem__(self, parts: Any) -> Tensor:
        """Return the parts, joined; a slice is a range, with a complex step a linspace."""
        given = parts if isinstance(parts, tuple) else (parts,)
        found = [self._part(x) for x in given]
        axes = {x.ndim for x in found}
        return concat(found, axis=-1 if self._columns or len(axes) > 1 else 0)

    def _part(self, x: Any) -> Any:
        if isinstance(x, str):
            raise OptionError(
                where=f"{self._name}[...]",
                expected="numbers, arrays and slices",
                got=describe(x),
                fix="Use gradwalk.concat(arrays, axis) for another axis.",
            )
        part: Any = np.r_[x] if isinstance(x, slice) else operand(x, self._name)
        part = part if part.ndim else reshape(part, shape=(1,))
        return reshape(part, shape=(-1, 1)) if self._columns and part.ndim == 1 else part

    def __repr__(self) -> str:
        return f"gradwalk.{self._name}"


r_: _Joiner = _Joiner("r_", columns=False)
"""``r_[a, 1.0, 0:3]``: numbers, rows and ranges joined into one row, with their gradients."""

c_: _Joiner = _Joiner("c_", columns=True)
"""``c_[a, b]``: rows side by side as columns."""


def block(arrays: Members | ArrayLike) -> Tensor:
    """Join nested lists of blocks to one array.

    The innermost lists are joined along the last axis, the lists around them along the axis before
    it, and so on.

    Parameters
    ----------
    arrays : any shape
        One block, or lists of equal depth whose members fit beside each other.

    Returns
    -------
    the shape of the joined blocks
        The array.

    Raises
    ------
    SizeError
        If a list is empty, the depths differ, or the blocks do not fit.

    See Also
    --------
    concat, stack

    Examples
    --------
    >>> block([[np.eye(1), np.zeros((1, 2))]]).tolist()
    [[1.0, 0.0, 0.0]]
    """
    given: Any = arrays
    depth = _depth(given)
    return _joined(given, depth, max([depth, *(np.ndim(_data(x)) for x in _members(given))]))


def _data(x: Any) -> Any:
    return np.empty(x.shape, bool) if hasattr(x, "shape") else 0.0


def _depth(x: Any) -> int:
    depth = 0
    while isinstance(x, list):
        if not x:
            raise SizeError(
                where="block(arrays)",
                expected="blocks in every list",
                got="an empty list",
                fix="Leave empty lists out.",
            )
        x, depth = x[0], depth + 1
    return depth


def _joined(x: Tensor, depth: int, axes: int) -> Tensor:
    if depth and isinstance(x, list):
        return concat([_joined(part, depth - 1, axes) for part in x], axis=-depth)
    if depth or isinstance(x, (list, tuple)):
        raise SizeError(
            where="block(arrays)",
            expected="lists of equal depth",
            got=describe(x),
            fix="Put each block into as many lists as the others: [[a, b], [c, d]].",
        )
    part: Any = operand(x, "block")
    return reshape(part, shape=(*(1,) * (axes - part.ndim), *part.shape))


# --- rows put in and left out ---------------------------------------------------------------------


def _in_line(x: Any, axis: Axis, where: str) -> tuple[Any, int]:
    """Return the array and the axis; without an axis the flat array."""
    x = operand(x, where)
    return (flatten(x), 0) if axis is None else (x, axis_of(axis, x.ndim, where))


def insert(
    x: ArrayLike, obj: int | slice | ArrayLike, values: ArrayLike, axis: Axis = None
) -> Tensor:
    """Return x with ``values`` inserted before some places along an axis, by NumPy's rules.

    Gradients flow to ``x`` and to ``values``.

    Parameters
    ----------
    x : any shape
        The elements.
    obj : () or (k,)
        The places in ``x`` before which to insert: an integer, several, or a slice.
    values : any shape that broadcasts to the inserted part
        The elements to insert; they take the dtype of ``x``.
    axis
        The axis along which the places count; ``None`` flattens ``x``.

    Returns
    -------
    the shape of x, longer along axis
        The new array.

    Raises
    ------
    SizeError
        If ``x`` has no such axis, or ``values`` does not broadcast.
    OptionError
        If a place is out of bounds, or is not an integer.

    Examples
    --------
    >>> insert([1.0, 2.0, 3.0], 1, [8.0, 9.0]).tolist()
    [1.0, 8.0, 9.0, 2.0, 3.0]
    """
    x, place = _in_line(x, axis, "insert")
    v: Any = operand(values, "insert(values)")
    v = v if v.dtype == x.dtype else astype(v, x.dtype)  # NumPy's rule
    n, where_ = x.shape[place], obj if isinstance(obj, slice) else plain(obj, "insert(obj)")
    v = reshape(v, shape=(*(1,) * (x.ndim - v.ndim), *v.shape))
    alone = not isinstance(where_, slice) and where_.ndim == 0
    if alone:  # NumPy's rule for one place: the first axis of the values is the one inserted along
        v = moveaxis(v, 0, place)
    places = np.arange(n)[where_] if isinstance(where_, slice) else where_
    count = v.shape[place] if places.size == 1 else places.size
    order = _checked(np.insert, np.arange(n), where_, np.arange(n, n + count))
    try:
        v = broadcast_to(v, shape=(*x.shape[:place], count, *x.shape[place + 1 :]))
    except ValueError as error:
        raise SizeError(
            where="insert(values)",
            expected=f"{count} along axis {place} of an array of shape {x.shape}",
            got=f"shape {v.shape}",
            fix="Pass one value, or one for each place.",
        ) from error
    return take(concat([x, v], axis=place), order, axis=place)


def delete(x: ArrayLike, obj: int | slice | ArrayLike, axis: Axis = None) -> Tensor:
    """Return x without the elements at some places along an axis.

    Parameters
    ----------
    x : any shape
        The elements.
    obj : () or (k,)
        The places to leave out: an integer, several, or a slice.
    axis
        The axis along which the places count; ``None`` flattens ``x``.

    Returns
    -------
    the shape of x, shorter along axis
        The new array.

    Raises
    ------
    SizeError
        If ``x`` has no such axis.
    OptionError
        If a place is out of bounds, or is not an integer.

    Examples
    --------
    >>> delete([1.0, 2.0, 3.0], 1).tolist()
    [1.0, 3.0]
    """
    x, place = _in_line(x, axis, "delete")
    where_ = obj if isinstance(obj, slice) else plain(obj, "delete(obj)")
    return take(x, _checked(np.delete, np.arange(x.shape[place]), where_), axis=place)


def _checked(f: Callable[..., Any], *args: Any) -> Any:
    """Return a row of indices, as NumPy changes it."""
    try:
        return f(*args)
    except (IndexError, ValueError, TypeError) as error:
        raise OptionError(
            where=f"{f.__name__}(obj)",
            expected=f"places in an axis of length {len(args[0])}",
            got=describe(args[1]),
            fix="Pass an integer, a slice, or a list of integers.",
        ) from error


# --- functions of parts ---------------------------------------------------------------------------


def piecewise(
    x: ArrayLike,
    condlist: Sequence[ArrayLike] | ArrayLike,
    funclist: Sequence[Callable[..., object] | ArrayLike],
    *args: object,
    **options: object,
) -> Tensor:
    """Evaluate a function of its own, or a number, where each condition holds.

        y = fₖ(x) where condition k holds; of several the last one counts

    Each function gets the whole ``x``, and no gradient where its condition does not hold.

    Parameters
    ----------
    x : any shape
        The argument of the functions.
    condlist : (conditions, ...)
        The conditions, arrays of bools that broadcast to ``x``.
    funclist : (conditions,) or (conditions + 1,)
        A function or a number for each condition. One more is for where no condition holds; without
        it y is 0 there.
    *args, **options
        Further arguments of every function.

    Returns
    -------
    the shape of x
        The values.

    Raises
    ------
    OptionError
        If ``funclist`` is not a list, or does not fit the number of conditions.

    See Also
    --------
    where

    Examples
    --------
    >>> piecewise(np.array([-2.0, 3.0]), [np.array([True, False])], [lambda x: -x, lambda x: x])
    array([2., 3.])
    """
    x = operand(x, "piecewise")
    conditions: Any = condlist if isinstance(condlist, (list, tuple)) else [condlist]
    if conditions and not np.ndim(_data(conditions[0])) and x.ndim:
        conditions = [condlist]
    if not isinstance(funclist, (list, tuple)):
        raise OptionError(
            where="piecewise(funclist)",
            expected="a list of functions and numbers",
            got=describe(funclist),
            fix="Write piecewise(x, [x < 0.0], [f, g]).",
        )
    functions = [*funclist]
    rest: Any = functions.pop() if len(functions) == len(conditions) + 1 else 0.0
    if len(functions) != len(conditions):
        raise OptionError(
            where="piecewise(funclist)",
            expected=f"{len(conditions)} functions, or one more",
            got=f"{len(functions)}",
            fix="Pass a function for each condition.",
        )

    def value(f: Any) -> Any:
        return f(x, *args, **options) if callable(f) else f

    y: Any = value(rest) * (x == x)
    for condition, f in zip(conditions, functions, strict=True):
        y = where(operand(condition, "piecewise(condlist)"), value(f), y)
    return y


def apply_along_axis(
    func1d: Callable[..., Any], axis: int, x: ArrayLike, *args: object, **options: object
) -> Tensor:
    """Apply a function of one row to every row along an axis.

    The function is called once for each row. `vmap` calls it once for all rows.

    Parameters
    ----------
    func1d
        A function of a row, of shape (n,), that returns a number or an array of the same shape for
        each row.
    axis
        The axis along which the rows run.
    x : any shape
        The rows.
    *args, **options
        Further arguments of ``func1d``.

    Returns
    -------
    the shape of x, with that of a result instead of axis
        The results.

    Raises
    ------
    SizeError
        If ``x`` has no such axis or no rows, or the results have different shapes.
    OptionError
        If ``func1d`` cannot be called.

    See Also
    --------
    vmap

    Examples
    --------
    >>> apply_along_axis(lambda row: row[-1] - row[0], 1, [[1.0, 4.0], [2.0, 8.0]]).tolist()
    [3.0, 6.0]
    """
    expect_function(func1d, "apply_along_axis")
    x = operand(x, "apply_along_axis")
    place = axis_of(axis, x.ndim, "apply_along_axis")
    lines: Any = moveaxis(x, place, -1)
    others, flat = lines.shape[:-1], reshape(lines, shape=(-1, lines.shape[-1]))
    if not flat.shape[0]:
        raise SizeError(
            where="apply_along_axis(x)",
            expected="one row or more",
            got=f"shape {x.shape}",
            fix="Leave empty arrays out: the length of a result is not known.",
        )
    y: Any = stack([func1d(row, *args, **options) for row in flat])
    inner = y.ndim - 1
    y = reshape(y, shape=(*others, *y.shape[1:]))
    front = [*range(len(others), len(others) + inner)]
    return moveaxis(y, front, [*range(place, place + inner)])
