"""Functions that repeat and mirror: flip, roll, repeat, tile and pad."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from ...core.carrier import Carrier
from ...core.expect import describe
from ...errors import OptionError, SizeError
from ...ops.array import indexing as index_rows
from ...ops.array import structure as primitives
from ..graph.tensor import Tensor
from ..graph.types import Array, Axes, Axis, Shape
from ..graph.views import view
from .arguments import axes_of, axis_of, operand, shape_of
from .creation import plain
from .joining import shape_like
from .shapes import flatten
from .types import ArrayLike, unary_function

__all__ = ["flip", "meshgrid", "pad", "repeat", "roll", "tile"]
METHODS = ("repeat",)

# --- order and repetition -------------------------------------------------------------------------


@unary_function
def flip(x: ArrayLike, axis: Axes = None) -> Tensor:
    """Reverse the order of the elements along some axes.

        yᵢ = xₙ₋₁₋ᵢ

    Parameters
    ----------
    x : any shape
        The elements.
    axis
        The axis, or the axes, along which the elements are reversed; all axes if ``None``.

    Returns
    -------
    the shape of x
        A view of ``x``.

    Raises
    ------
    SizeError
        If ``x`` has no such axis, or an axis is named twice.

    Examples
    --------
    >>> flip([1.0, 2.0, 3.0]).tolist()
    [3.0, 2.0, 1.0]
    """
    x = operand(x, "flip")
    return view(primitives.flip, x, axis=axes_of(axis, x.ndim, "flip"))


@unary_function
def roll(x: ArrayLike, shift: int | Sequence[int], axis: Axes = None) -> Tensor:
    """Shift elements along some axes; those that leave at the end enter at the front.

        yᵢ = xᵢ₋ₛ, indices modulo the length

    Parameters
    ----------
    x : any shape
        The elements.
    shift
        By how many places s the elements move; one number for all axes, or one for each. Negative
        ones move towards the front.
    axis
        The axis, or the axes, along which the elements move; ``None`` rolls ``x`` as if it were
        flat.

    Returns
    -------
    the shape of x
        The shifted elements.

    Raises
    ------
    SizeError
        If ``x`` has no such axis, or there is another number of shifts than of axes.
    OptionError
        If a shift is not an integer.

    Examples
    --------
    >>> roll(np.arange(4.0), 1).tolist()
    [3.0, 0.0, 1.0, 2.0]
    """
    x = operand(x, "roll")
    if axis is None:
        flat = primitives.roll(flatten(x), shift=shape_like([shift], "roll(shift)"), axis=(0,))
        return primitives.reshape(flat, shape=x.shape)
    axes = [axis_of(a, x.ndim, "roll") for a in (axis if isinstance(axis, Iterable) else [axis])]
    steps = shape_like(shift if isinstance(shift, Iterable) else [shift], "roll(shift)")
    # NumPy's rule: one shift serves all axes
    steps = steps * len(axes) if len(steps) == 1 else steps
    if len(steps) != len(axes):
        raise SizeError(
            where="roll(shift, axis)",
            expected="one shift, or one for each axis",
            got=f"{describe(shift)} and {describe(axis)}",
            fix="Write roll(x, (1, -1), axis=(0, 1)) to shift along both axes.",
        )
    return primitives.roll(x, shift=steps, axis=tuple(axes))


@unary_function
def repeat(x: ArrayLike, repeats: int | ArrayLike, axis: Axis = None) -> Tensor:
    """Repeat each element, or each part along an axis.

    Parameters
    ----------
    x : any shape
        The elements.
    repeats : () or (n,)
        How often: a non-negative integer for all elements, or one for each of the n elements along
        the axis.
    axis
        The axis along which the parts are repeated; ``None`` flattens ``x``.

    Returns
    -------
    the shape of x, longer along axis, or (m,) without an axis
        The repeated elements.

    Raises
    ------
    SizeError
        If ``x`` has no such axis.
    OptionError
        If ``repeats`` is not a non-negative integer, or not one for each element.

    See Also
    --------
    tile, broadcast_to

    Examples
    --------
    >>> repeat(np.array([1.0, 2.0]), 2).tolist(), repeat(np.array([1.0, 2.0]), [1, 2]).tolist()
    ([1.0, 1.0, 2.0, 2.0], [1.0, 2.0, 2.0])
    """
    x = operand(x, "repeat")
    x, place = (flatten(x), 0) if axis is None else (x, axis_of(axis, x.ndim, "repeat"))
    length, given = x.shape[place], plain(repeats, "repeat(repeats)")
    if given.dtype.kind not in "iu" or given.size not in (1, length) or np.any(given < 0):
        raise OptionError(
            where="repeat(repeats)",
            expected=f"a non-negative integer, or {length} of them",
            got=describe(repeats),
            fix="Pass one number for all elements, or one for each element along the axis.",
        )
    # counts that differ need an index, whose gradient is added element by element
    if given.size != 1 or length == 1 or given.ndim:
        ids = np.repeat(np.arange(length), given)
        return index_rows.take(x, key=(*[slice(None)] * place, ids))
    return _each_in_a_row(x, int(given), place)


def _each_in_a_row(x: Tensor, count: int, axis: int) -> Tensor:
    """Repeat by broadcasting: its gradient is a sum, faster than the gradient of an index."""
    before, after = x.shape[: axis + 1], x.shape[axis + 1 :]
    y = primitives.reshape(x, shape=(*before, 1, *after))
    y = primitives.broadcast_to(y, shape=(*before, count, *after))
    return primitives.reshape(y, shape=(*before[:-1], before[-1] * count, *after))


@unary_function
def tile(x: ArrayLike, repetitions: Shape) -> Tensor:
    """Repeat the whole of x along each axis.

    Parameters
    ----------
    x : any shape
        The elements.
    repetitions
        How often, for each axis; new axes are added in front if there are more numbers than axes,
        and missing numbers in front count as 1.

    Returns
    -------
    the shape whose lengths are those of x times the repetitions
        The repeated array.

    Raises
    ------
    OptionError
        If a number of repetitions is not a non-negative integer.

    See Also
    --------
    repeat, broadcast_to

    Examples
    --------
    >>> tile(np.array([1.0, 2.0]), (2, 2)).tolist()
    [[1.0, 2.0, 1.0, 2.0], [1.0, 2.0, 1.0, 2.0]]
    """
    x, counts = operand(x, "tile"), shape_of(repetitions, "tile")
    ndim = max(x.ndim, len(counts))
    # NumPy's rule: the shorter of shape and repetitions gets ones in front
    counts = (*[1] * (ndim - len(counts)), *counts)
    shape = (*[1] * (ndim - x.ndim), *x.shape)
    pairs = list(zip(counts, shape, strict=True))
    # by broadcasting, as in `_each_in_a_row`: the gradient is a sum
    y = primitives.reshape(x, shape=tuple(m for _, n in pairs for m in (1, n)))
    y = primitives.broadcast_to(y, shape=tuple(m for pair in pairs for m in pair))
    return primitives.reshape(y, shape=tuple(count * n for count, n in pairs))


def meshgrid(*arrays: ArrayLike, indexing: str = "xy") -> list[Tensor]:
    """Return each of several vectors, repeated over the grid that they span together.

    Parameters
    ----------
    *arrays : (n,)
        The vectors; other arrays are flattened.
    indexing
        The order of the axes: "ij" is that of the vectors, "xy" exchanges the first two.

    Returns
    -------
    (lengths of all vectors)
        A list with an array for each vector.

    Raises
    ------
    OptionError
        If ``indexing`` is neither "xy" nor "ij".

    Examples
    --------
    >>> meshgrid([0, 1], [0, 1, 2])[0]
    Tensor([[0, 1],
            [0, 1],
            [0, 1]])
    """
    if indexing not in ("xy", "ij"):
        raise OptionError(
            where="meshgrid(indexing=...)",
            expected='"xy" or "ij"',
            got=describe(indexing),
            fix='Write indexing="ij" for axes in the order of the arguments.',
        )
    vectors = [operand(a, "meshgrid") for a in arrays]
    order = list(range(len(vectors)))
    if indexing == "xy" and len(order) > 1:
        order[:2] = [1, 0]
    shape = tuple(vectors[i].size for i in order)
    # each vector along its own axis, so that broadcasting repeats it over the others
    lines = [tuple(-1 if at == i else 1 for at in order) for i in range(len(vectors))]
    pairs = zip(vectors, lines, strict=True)
    return [
        primitives.broadcast_to(primitives.reshape(v, shape=line), shape=shape) for v, line in pairs
    ]


# --- around the edges -----------------------------------------------------------------------------

PAD_MODES = {"constant": "constant", "edge": "edge", "replicate": "edge", "reflect": "reflect"}
PAD_MODES |= {"symmetric": "symmetric", "wrap": "wrap", "circular": "wrap"}


@unary_function
def pad(
    x: ArrayLike,
    pad_width: int | Sequence[int] | Sequence[Sequence[int]],
    mode: str = "constant",
    value: float = 0.0,
) -> Tensor:
    """Add a margin to x.

    Parameters
    ----------
    x : any shape
        The elements.
    pad_width
        The widths of the margin, >= 0: an integer for all sides, (before, after) for all axes, or a
        list with one such pair for each axis.
    mode
        How the margin is filled: "constant" with ``value``; "edge" or "replicate" with the elements
        at the edge; "reflect" and "symmetric" with mirrored elements, without and with the one at
        the edge; "wrap" or "circular" with the elements from the other end.
    value
        The number for ``mode="constant"``.

    Returns
    -------
    the shape of x, longer by the widths
        The new array.

    Raises
    ------
    OptionError
        If ``mode`` is not known, or ``value`` is not one number.
    SizeError
        If ``pad_width`` does not fit the axes or is negative, or there is nothing to repeat along
        an axis.

    Examples
    --------
    >>> pad(np.array([1.0, 2.0, 3.0]), (2, 1), mode="reflect").tolist()
    [3.0, 2.0, 1.0, 2.0, 3.0, 2.0]
    """
    x = operand(x, "pad")
    widths = _widths(pad_width, x.ndim)
    if PAD_MODES.get(mode) is None:
        raise OptionError(
            where="pad(mode)",
            expected=f"one of {', '.join(PAD_MODES)}",
            got=describe(mode),
            fix='Leave it out for "constant".',
        )
    if np.ndim(value):
        raise OptionError(
            where="pad(value)",
            expected="one number, for all sides",
            got=describe(value),
            fix="Pad one side after the other for different numbers.",
        )
    if mode == "constant":
        return _margin(x, widths, value)
    for axis, width in enumerate(widths):
        if width != (0, 0):
            # the margin by an index: the gradients of repeated elements are summed by its rule
            ids = _mirror(x.shape[axis], width, mode)
            x = index_rows.take(x, key=(*[slice(None)] * axis, ids))
    # without a margin a copy, as NumPy's: writing into it must not reach x
    return x if any(map(any, widths)) else primitives.astype(x, dtype=x.dtype)


def _widths(pad_width: Any, ndim: int) -> tuple[tuple[int, int], ...]:
    try:
        pairs: Array = np.broadcast_to(np.asarray(pad_width), (ndim, 2))
    except ValueError:
        pairs = np.empty(0)
    if pairs.dtype.kind in "iu" and (pairs.size or not ndim) and not np.any(pairs < 0):
        return tuple((int(before), int(after)) for before, after in pairs)
    raise SizeError(
        where="pad(pad_width)",
        expected=f"a non-negative integer, a pair of them, or {ndim} pairs",
        got=describe(pad_width),
        fix="Write pad(x, ((0, 0), (1, 1))) to add a column on both sides of a matrix.",
    )


def _mirror(length: int, width: tuple[int, int], mode: str) -> Any:
    if not length:
        raise SizeError(
            where=f"pad(mode={mode!r})",
            expected="an axis with elements to repeat",
            got="an axis of length 0",
            fix='Use mode="constant" for an empty axis.',
        )
    return np.pad(np.arange(length), width, PAD_MODES[mode])  # type: ignore[call-overload]


def _margin(x: Tensor, widths: Any, value: float) -> Any:
    shape = tuple(n + before + after for n, (before, after) in zip(x.shape, widths, strict=True))
    inside = tuple(slice(b, b + n) for n, (b, _) in zip(x.shape, widths, strict=True))
    if not isinstance(value, Carrier) and value == 0:  # linear, and its gradient is a slice
        return index_rows.scatter(x, key=inside, shape=shape)
    return index_rows.update(np.full(shape, value, x.dtype), x, key=inside)
