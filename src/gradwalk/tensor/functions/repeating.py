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
    """Reverse the order of the elements along some axes, by default all.

    yᵢ = xₙ₋₁₋ᵢ

    >>> flip([1.0, 2.0, 3.0]).tolist()
    [3.0, 2.0, 1.0]
    """
    x = operand(x, "flip")
    return view(primitives.flip, x, axis=axes_of(axis, x.ndim, "flip"))


@unary_function
def roll(x: ArrayLike, shift: int | Sequence[int], axis: Axes = None) -> Tensor:
    """Shift elements by ``shift`` along some axes; those that leave at the end enter at the front.

        yᵢ = xᵢ₋ₛ, indices modulo the length

    Without ``axis`` x is rolled as if it were flat.

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
    """Repeat each element (or part along ``axis``) so many times; flat without ``axis``.

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
    """Repeat the whole of x so many times along each axis; new axes are added in front.

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

    ``indexing="ij"`` gives the axes in the order of the vectors; "xy" exchanges the first two.

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
    """Add a margin to x: ``pad_width`` is an integer, (before, after), or one such pair per axis.

    ``mode`` is NumPy's (or PyTorch's) name for how the margin is filled: "constant" (``value``),
    "edge" ("replicate"), "reflect", "symmetric" or "wrap" ("circular").

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
