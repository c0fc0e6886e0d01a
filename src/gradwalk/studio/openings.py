"""Primitives on whole arrays as graphs of single elements.

Most primitives only move, add and multiply. Their own forward, run on an array of elements, builds
the graph. For primitives that inspect numbers, or have a convention at a kink, this module writes
the forward with pointwise primitives and the compositions of `ops.composite`. It has no derivative.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from math import inf, prod
from typing import Any

import numpy as np

from ..core.primitive import Primitive
from ..errors import OptionError
from ..ops import TABLE, composite
from ..ops.array import TABLE as ARRAY_TABLE
from ..ops.array.multi_output import PART
from ..ops.array.order import ranked
from ..ops.array.reduction import kept_shape
from ..ops.array.windows import first, last, padded
from .elementwise import Array, Element, apply, array_of, composed, each

__all__ = ["opened", "says_where"]

Axes = tuple[int, ...] | None
KNOWN = frozenset(ARRAY_TABLE.values())


def opened(primitive: Any, args: Sequence[Any], options: Mapping[str, Any]) -> Any:
    """Apply a primitive to arrays of elements. The result is an array of elements, or several."""
    if type(primitive) is Primitive:
        return each(primitive, *args)
    if primitive is PART:
        return args[0][options["index"]]
    if primitive not in KNOWN:
        raise refused(primitive, "computed by a function of its own")
    if "memo" in options:  # the recorded memo belongs to the recorded pass
        options = {**options, "memo": []}
    try:
        y = OPENINGS.get(primitive.name, primitive.forward)(*args, **options)
    except (TypeError, ValueError, AttributeError) as error:
        raise refused(primitive, "computed by NumPy as a whole") from error
    return tuple(map(_numbers, y)) if type(y) is tuple else _numbers(y)


def says_where(primitive: Any, position: int) -> bool:
    """Return whether an argument contains indices, as for `pick`, instead of numbers."""
    return (
        primitive.kind != "pointwise"
        and not primitive.variadic
        and primitive.rules[position] is None
    )


def refused(primitive: Primitive, what: str) -> OptionError:
    """Return the error for a primitive that does not consist of operations on numbers."""
    return OptionError(
        where="explore(tensor, elements=True)",
        expected="operations that consist of operations on single numbers",
        got=f"{primitive.name} ({primitive.summary or 'a primitive of your own'}), which is {what}",
        fix="Explore whole arrays with elements=False, or leave this operation out.",
    )


def _numbers(x: object) -> Any:
    """Return the result of a forward with NumPy's own zeros as floats."""
    if x is None:
        return None
    return array_of(np.frompyfunc(lambda n: n if type(n) is Element else float(n), 1, 1)(x))


# --- many numbers become one ----------------------------------------------------------------------


def _reduced(f: Callable[[list[Any]], Any], x: Array, axis: Axes, keepdims: bool) -> Array:
    """Apply ``f`` to the list of elements along ``axis``, for each index of the other axes."""
    axes = tuple(range(x.ndim)) if axis is None else axis
    left = [i for i in range(x.ndim) if i not in axes]
    shape = tuple(x.shape[i] for i in left)
    rows = x.transpose(*left, *axes).reshape(prod(shape), -1)
    y = _array([f([*primitive]) for primitive in rows], shape)
    return y.reshape(kept_shape(x.shape, axis)) if keepdims else y


def _array(numbers: Sequence[Any], shape: tuple[int, ...]) -> Array:
    y = np.empty(len(numbers), object)
    y[:] = numbers
    return y.reshape(shape)


def _each_row(f: Callable[[list[Any]], list[Any]], x: Array, axis: Axes) -> Array:
    """Apply ``f`` to the elements along ``axis``, where it returns as many as it takes."""
    axes = tuple(range(x.ndim)) if axis is None else axis
    turned = np.moveaxis(x, axes, range(x.ndim - len(axes), x.ndim))
    count = prod(x.shape[i] for i in axes)
    rows = turned.reshape(-1, count) if count else ()
    y = _array([n for primitive in rows for n in f([*primitive])], turned.shape)
    return np.moveaxis(y, range(x.ndim - len(axes), x.ndim), axes)


def _mean(x: Array, axis: Axes, keepdims: Any) -> Any:
    total = np.add.reduce(x, axis=axis, keepdims=keepdims)
    return each(TABLE["div"], total, float(_count(x, axis)))


def _count(x: Array, axis: Axes) -> int:
    return prod(x.shape if axis is None else [x.shape[i] for i in axis])


def _spare(x: Array, axis: Axes, correction: float) -> float:
    return max(_count(x, axis) - correction, 0.0)


def _var(x: Array, axis: Axes, keepdims: Any, correction: float) -> Any:
    d = x - _mean(x, axis, keepdims=True)
    squares = each(TABLE["square"], d)
    total = np.add.reduce(squares, axis=axis, keepdims=keepdims)
    return each(TABLE["div"], total, _spare(x, axis, correction))


def _std(x: Array, axis: Axes, keepdims: Any, correction: float) -> Any:
    """Compute the deviation as a norm, whose derivative at 0 is 0, unlike a square root's."""
    d = x - _mean(x, axis, keepdims=True)
    return each(TABLE["div"], _norm(d, axis, keepdims, 2.0), _spare(x, axis, correction) ** 0.5)


def _norm(x: Array, axis: Axes, keepdims: bool, ord: float) -> Array:
    return _reduced(lambda xs: _length(xs, ord), x, axis, keepdims)


def _length(xs: list[Any], ord: float) -> Any:
    if not xs:
        return 0.0
    if ord == 2.0 and len(xs) > 1:
        return _chain("hypot", xs)
    sizes = [apply(TABLE["abs"], x) for x in xs]
    if ord == 1.0 or len(xs) == 1:
        return _chain("add", sizes)
    total = _chain("add", [apply(TABLE["pow"], size, ord) for size in sizes])
    return apply(TABLE["pow"], total, 1.0 / ord)


def _chain(name: str, xs: Sequence[Any]) -> Any:
    total = xs[0]
    for x in xs[1:]:
        total = apply(TABLE[name], total, x)
    return total


def _extreme(name: str) -> Callable[..., Array]:
    def extreme(x: Array, axis: Axes, keepdims: bool) -> Array:
        return _reduced(lambda xs: _shared(name, xs), x, axis, keepdims)

    return extreme


def _shared(name: str, xs: list[Any]) -> Any:
    """Return the mean of the extreme elements, so that ties get equal contributions."""
    peak = _chain(name, xs)
    if len(xs) < 3:
        return peak
    there = [apply(TABLE["equal"], x, peak) for x in xs]
    chosen = [apply(TABLE["where"], c, x, 0.0) for c, x in zip(there, xs, strict=True)]
    return apply(TABLE["div"], _chain("add", chosen), _chain("add", there))


# --- exponentials ---------------------------------------------------------------------------------


def _softmax(x: Array, axis: Axes) -> Array:
    return _each_row(lambda xs: composed(composite.softmax, xs), x, axis)


def _log_softmax(x: Array, axis: Axes) -> Array:
    return _each_row(lambda xs: composed(composite.log_softmax, xs), x, axis)


def _logsumexp(x: Array, axis: Axes, keepdims: bool) -> Array:
    return _reduced(lambda xs: composed(_log_of_sum, xs, 2)[0], x, axis, keepdims)


def _log_of_sum(xs: list[Any]) -> list[Any]:
    return [composite.logsumexp(xs)]


def _surprise(x: Array, target: Any, ignored: Any, memo: dict[int, Any]) -> Array:
    found = [-_log_at(primitive, c) for primitive, c in zip(x, target, strict=True)]
    y = _array(found, (len(found),))
    if ignored is not None:
        y[ignored] = 0.0
    return y


def _log_at(primitive: Any, c: Any) -> Any:
    return composed(lambda xs: [composite.log_softmax_at(xs, int(c))], [*primitive], 2)[0]


def _logit_surprise(x: object, label: Any, weight: Any) -> Any:
    """w t ln(1 + e⁻ˣ) + (1 - t) ln(1 + eˣ)"""
    softplus = TABLE["softplus"]
    one, zero = each(softplus, each(TABLE["neg"], x)), each(softplus, x)
    return weight * label * one + (1.0 - label) * zero


# --- windows and order ----------------------------------------------------------------------------


def _max_pool(x: Array, how: Any) -> tuple[Any, None]:
    """Return the first of the largest elements of every window."""
    places = how.taps(x.shape[2:])
    x = padded(last(x), how, -inf)
    best = x[places[0]]
    for place in places[1:]:
        best = np.frompyfunc(_larger, 2, 1)(best, x[place])
    return first(best), None


def _larger(a: Any, b: Any) -> Any:
    """Return b if it is larger, else a. Padding is never larger."""
    if type(b) is float or type(a) is float:
        return a if type(b) is float else b
    return apply(TABLE["where"], apply(TABLE["less"], a, b), b, a)


def _choose(x: Array, places: Any, axis: int) -> Array:
    """Return the first elements in sorted order, with ties in their original order."""
    numbers = np.frompyfunc(_data, 1, 1)(x).astype(float)
    front = (*[slice(None)] * axis, slice(places.shape[axis]))
    for descending in (False, True):
        if np.array_equal(ranked(numbers, axis, descending)[front], places):
            return _each_row(partial(_sorted, descending=descending), x, (axis,))[front]
    raise ValueError("neither the smallest nor the largest numbers")


def _data(x: Any) -> float:
    return float(x.value.data) if type(x) is Element else float(x)


def _sorted(xs: list[Any], *, descending: bool) -> list[Any]:
    """Sort by swapping neighbours, with 3 n (n - 1) / 2 nodes."""
    less, where = TABLE["less"], TABLE["where"]
    for end in range(len(xs) - 1, 0, -1):
        for i in range(end):
            a, b = xs[i], xs[i + 1]
            swap = apply(less, a, b) if descending else apply(less, b, a)
            xs[i], xs[i + 1] = apply(where, swap, b, a), apply(where, swap, a, b)
    return xs


OPENINGS: dict[str, Callable[..., Any]] = {
    "astype": lambda x, dtype: x,  # the page computes in float64
    "mean": _mean,
    "var": _var,
    "std": _std,
    "norm": _norm,
    "max": _extreme("maximum"),
    "min": _extreme("minimum"),
    "softmax": _softmax,
    "log_softmax": _log_softmax,
    "logsumexp": _logsumexp,
    "surprise": _surprise,
    "logit_surprise": _logit_surprise,
    "max_pool": _max_pool,
    "choose": _choose,
}
"""Primitives whose own forward does not run on elements. Others that fail are refused."""
