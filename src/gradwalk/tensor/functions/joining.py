"""Functions that join, cut and repeat: concat and split, stack and unstack, pad, roll, tile."""

from __future__ import annotations

import operator
from collections.abc import Iterable, Iterator, Sequence
from itertools import accumulate
from typing import Any, TypeAlias, cast, overload

import numpy as np

from ...core.array_primitive import ArrayPrimitive
from ...core.carrier import Carrier
from ...core.expect import describe, index_of
from ...engine.node import CONSTANT, recording
from ...engine.node import Node as ScalarNode
from ...engine.value import Value
from ...errors import GradwalkError, OptionError, SizeError
from ...ops.array import indexing as index_rows
from ...ops.array import structure as primitives
from ..graph.convert import ValueSource, to_array
from ..graph.fast import quick
from ..graph.tensor import Tensor
from ..graph.types import Array, Axis
from ..graph.views import link_parts, view
from .arguments import axis_of, operand
from .shapes import flatten, moveaxis
from .types import ArrayLike, Operand

__all__ = ["concat", "concatenate", "split", "stack", "unstack"]
METHODS: tuple[str, ...] = ()

Members: TypeAlias = Tensor | Sequence["ArrayLike | Members"]
"""Arrays of one shape, or nested lists in which Tensors and Values may be."""

# --- joining and splitting ------------------------------------------------------------------------


@overload
def concat(  # type: ignore[overload-overlap]  # a sequence of arrays is one of things like arrays
    arrays: Array | Sequence[Array], axis: Axis = 0
) -> Array: ...
@overload
def concat(arrays: Tensor | Sequence[ArrayLike], axis: Axis = 0) -> Tensor: ...
def concat(arrays: Tensor | Array | Sequence[ArrayLike], axis: Axis = 0) -> Tensor | Array:
    """Join arrays end to end along one axis.

    Parameters
    ----------
    arrays : any shape
        A list of arrays whose shapes agree except for ``axis``.
    axis
        The axis along which the arrays are joined; ``None`` flattens them first.

    Returns
    -------
    the shape of the arrays, with their lengths along axis added up
        The joined array.

    Raises
    ------
    OptionError
        If ``arrays`` is not a list of at least one array.
    SizeError
        If the shapes differ along another axis, or the arrays have no such axis.

    See Also
    --------
    stack, block

    Examples
    --------
    >>> from gradwalk import Tensor
    >>> concat([Tensor([1.0, 2.0]), [3.0]])
    Tensor([1., 2., 3.])
    """
    xs = [x if type(x) is Tensor else operand(x, "concat") for x in members(arrays, "concat")]
    if axis is None:
        xs, axis = [flatten(x) for x in xs], 0
    shapes = [x.shape for x in xs]
    place = (
        0
        if type(axis) is int and axis == 0 and shapes[0]
        else axis_of(axis, len(shapes[0]), "concat")
    )
    if len({(len(s), s[:place], s[place + 1 :]) for s in shapes}) > 1:
        raise SizeError(
            where="concat(arrays)",
            expected=f"the same shape except for axis {place}",
            got=", ".join(map(str, shapes)),
            fix="Reshape or broadcast them first.",
        )
    # an option, because the rule cuts the gradient without keeping the arguments
    bounds = (0, *accumulate([s[place] for s in shapes]))
    return _apply(primitives.concat, xs)(*xs, axis=place, bounds=bounds)


def _apply(primitive: ArrayPrimitive, xs: Sequence[Any]) -> Any:
    """Return the primitive as it is applied to ``xs``: at once if a Tensor is the first of them."""
    return quick(primitive, Tensor) if type(xs[0]) is Tensor else primitive


concatenate = concat


def members(arrays: Any, where: str) -> list[Any]:
    """Return the arrays of a list. Raise `SizeError` if it is empty."""
    usual = type(arrays) is list or isinstance(arrays, (Iterable, Tensor))
    found = list(arrays) if usual else []
    if not found:
        raise OptionError(
            where=f"{where}(arrays)",
            expected="a list of one or more arrays",
            got=describe(arrays),
            fix=f"Write {where}([a, b]).",
        )
    return found


@overload
def stack(  # type: ignore[overload-overlap]  # a sequence of arrays is one of things like arrays
    arrays: Array | Sequence[Array], axis: int = 0
) -> Array: ...
@overload
def stack(arrays: Members, axis: int = 0) -> Tensor: ...
def stack(arrays: Members | Array, axis: int = 0) -> Tensor | Array:
    """Join arrays of one shape side by side, along a new axis of the result.

    The gradient of the result reaches Tensors and Values alike.

    Parameters
    ----------
    arrays : any shape
        A list of Tensors, arrays, numbers, Values, and lists of these, all of one shape.
    axis
        The position of the new axis in the result.

    Returns
    -------
    the shape of the arrays, with a new axis as long as the list
        The joined array.

    Raises
    ------
    OptionError
        If ``arrays`` is not a list of at least one array.
    SizeError
        If the shapes differ, or the result has no such axis.

    See Also
    --------
    concat, unstack

    Examples
    --------
    >>> from gradwalk import Value
    >>> a, b = Value(2.0), Value(3.0)
    >>> (stack([a, b]) ** 2).sum().backward()
    >>> a.grad, b.grad
    (4.0, 6.0)
    """
    given = members(arrays, "stack")
    alike = {*map(type, given)} == {Tensor}
    if not alike and _values_alone(given):  # one leaf for all Values, not a node for each
        values = _of_values(given)
        return values if axis == 0 else moveaxis(values, 0, axis)
    xs = given if alike else [_member(x) for x in given]
    if len({x.shape for x in xs}) > 1:
        raise SizeError(
            where="stack(arrays)",
            expected="arrays of one shape",
            got=", ".join(str(x.shape) for x in xs),
            fix="Use concat for arrays of different lengths.",
        )
    return _apply(primitives.stack, xs)(*xs, axis=axis_of(axis, xs[0].ndim + 1, "stack"))


def _values_alone(members: Sequence[Any]) -> bool:
    """Return whether nested lists hold Values and plain numbers, at least one Value."""
    found = False
    for x in _leaves(members):
        if isinstance(x, ScalarNode):
            found = True
        elif not isinstance(x, (int, float, np.generic)):
            return False
    return found


def _leaves(members: Sequence[Any]) -> Iterator[Any]:
    path = [iter(members)]
    while path:
        x = next(path[-1], path)  # the path itself: the end of a list
        if x is path:
            path.pop()
        elif not isinstance(x, (list, tuple)):
            yield x
        elif len(path) < _DEEPEST:
            path.append(iter(x))
        else:
            raise SizeError(
                where="stack(arrays)",
                expected=f"lists nested at most {_DEEPEST} deep",
                got="a deeper one, or a list that contains itself",
                fix="Remove the reference from the list to itself.",
            )


_DEEPEST = 64  # NumPy's arrays have no more axes


def _of_values(nested: Any) -> Operand:
    """Return one leaf for all Values; plain numbers among them are constants."""
    numbers = to_array(_numbers(nested), np.float64, "stack(arrays)")  # Values are float64
    if recording.paused:
        return Tensor._of(numbers)
    # the backward pass seeds one Value per element, so numbers become constants in between
    source = ValueSource(
        [
            x if isinstance(x, ScalarNode) else Value._make(CONSTANT, float(x), ())
            for x in _leaves(nested)
        ]
    )
    source.shape = numbers.shape
    return Tensor._of(numbers, source)


def _numbers(nested: Any) -> Any:
    if isinstance(nested, (list, tuple)):
        return [_numbers(x) for x in nested]
    return nested.data if isinstance(nested, ScalarNode) else nested


def _member(x: Operand) -> Operand:
    holds = isinstance(x, (list, tuple)) and any(isinstance(m, Carrier) for m in _leaves(x))
    return stack(x) if holds else operand(x, "stack")


def unstack(x: ArrayLike, axis: int = 0) -> tuple[Tensor, ...]:
    """Return the parts of x along an axis.

    Parameters
    ----------
    x : any shape
        The elements.
    axis
        The axis to take apart.

    Returns
    -------
    the shape of x without axis
        A tuple with a view of ``x`` for each index of the axis.

    Raises
    ------
    SizeError
        If ``x`` has no such axis.

    See Also
    --------
    stack, split

    Examples
    --------
    >>> [part.tolist() for part in unstack(np.array([[1.0, 2.0], [3.0, 4.0]]))]
    [[1.0, 2.0], [3.0, 4.0]]
    """
    x = operand(x, "unstack")
    place = axis_of(axis, x.ndim, "unstack")
    parts, front = tuple(primitives.unstack(x, axis=place)), (slice(None),) * place
    return (
        link_parts(parts, x, [(*front, i) for i in range(len(parts))])
        if x.ndim > 1
        else tuple(parts)
    )


def split(x: ArrayLike, sections: int | Sequence[int] | Array, axis: int = 0) -> list[Tensor]:
    """Split x into consecutive parts along an axis.

    Parameters
    ----------
    x : any shape
        The elements.
    sections : () or (cuts,)
        An integer is the number of equal parts; a list has the indices before which to cut.
    axis
        The axis to cut.

    Returns
    -------
    the shape of x, shorter along axis
        A list of views of ``x``, one for each part.

    Raises
    ------
    SizeError
        If ``x`` has no such axis, or its length is not divisible into so many equal parts.
    OptionError
        If an index in the list is not an integer.

    See Also
    --------
    concat, unstack

    Examples
    --------
    >>> [part.tolist() for part in split(np.arange(5.0), [2, 3])]
    [[0.0, 1.0], [2.0], [3.0, 4.0]]
    """
    x = operand(x, "split")
    place = axis_of(axis, x.ndim, "split")
    length = x.shape[place]
    listed = hasattr(sections, "__iter__")
    if listed:
        cuts = [
            slice(0, n).indices(length)[1]
            for n in shape_like(cast(Any, sections), "split(sections)")
        ]
    else:
        cuts = _equal_cuts(length, sections)
    bounds = (0, *cuts, length)
    keys = primitives.spans(place, bounds)
    if not listed or list(bounds) == sorted(bounds):
        return list(link_parts(tuple(primitives.split(x, axis=place, bounds=bounds)), x, keys))
    # NumPy's meaning: some parts overlap, some are empty
    return [view(index_rows.take, x, key=key) for key in keys]


def _equal_cuts(length: int, sections: Any) -> list[int]:
    count = sections.__index__() if index_of(sections) is not None else 0
    if count < 1 or length % count:
        raise SizeError(
            where="split(sections)",
            expected=f"a divisor of the length {length} of the axis, or a list of indices",
            got=describe(sections),
            fix="Write split(x, [2, 5]) to cut before indices 2 and 5.",
        )
    return list(range(length // count, length, length // count)) if length else [0] * (count - 1)


def shape_like(numbers: Iterable[Any], where: str) -> tuple[int, ...]:
    """Return integers of any sign as a tuple."""
    found = list(numbers)
    try:
        return tuple(map(operator.index, found))
    except GradwalkError:  # a gradient would be lost
        raise
    except TypeError:
        pass
    raise OptionError(
        where=where,
        expected="integers",
        got=describe(numbers),
        fix="Write ints, such as (1, -2).",
    )
