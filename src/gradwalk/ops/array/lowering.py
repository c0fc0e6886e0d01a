"""Every primitive on arrays as operations on their elements: the one table of these formulas.

An array of elements is a NumPy array of objects: floats, and carriers of any one kind, such as
Values, numbers of 50 digits, or nodes of a page. Formulas are made of primitives of numbers, which
the elements apply, so they have no derivative of their own and are decided by no number. Moves of
elements are NumPy's. Sums are chains, in the order of the elements. ``None`` is a zero that nothing
is added to and nothing multiplied by, such as the padding of an image.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from itertools import accumulate, chain
from math import inf, prod
from typing import Any, TypeAlias

import numpy as np

from ...core.carrier import Carrier
from ...core.numeric import Array
from ...core.primitive import Primitive
from ...errors import OptionError
from .. import TABLE, composite
from ..activation import sigmoid, softplus
from . import TABLE as ARRAY_TABLE
from .contraction import lengths_of
from .conventions import original
from .multi_output import PART
from .reduction import kept_shape
from .windows import Windows, first, last, padded

__all__ = ["Elements", "each", "elements", "holds_places", "in_order", "lowered"]

Elements = np.ndarray[Any, Any]
Number: TypeAlias = Carrier | float | None
Axes = int | tuple[int, ...] | None
Shape = tuple[int, ...]

PLACES = {"pick": 1, "drop": 1, "overwrite": 2, "window_pick": 1, "window_put": 1}
PLACES |= {"class_surprise": 1, "class_slope": 2}
"""Primitives with an operand that says where numbers are. It stays an array of integers."""

PART_OF_IT = "Leave this operation out, or pass a part of the computation that does without it."


def lowered(
    primitive: Primitive,
    args: Sequence[Any],
    options: Mapping[str, Any],
    *,
    where: str,
    fix: str = PART_OF_IT,
    answers: bool = False,
) -> Any:
    """Return the result of a primitive as an array of elements, or a tuple of several.

    Of ``answers``, an array of bools, operations on bits are those of logic.

    Raise `OptionError`, which names the function ``where``, for one without a finite formula, such
    as an eigenvalue, and for one that is not in the table of arrays.
    """
    if primitive is PART:
        return args[0][options["index"]]
    primitive = original(primitive)
    if answers:
        primitive = OF_ANSWERS.get(primitive.name, primitive)
    if type(primitive) is Primitive:
        return each(primitive, *map(elements, args))
    formula = FORMULAS.get(primitive.name)
    if formula is None or primitive is not ARRAY_TABLE.get(primitive.name):
        raise _refused(primitive, "computed as a whole", where, fix)
    known = {name: option for name, option in options.items() if name != "memo"}
    operands = [a if holds_places(primitive, i) else elements(a) for i, a in enumerate(args)]
    places = [a for i, a in enumerate(operands) if holds_places(primitive, i) and a is not None]
    made = formula not in CHOICES and any(a.dtype == object for a in places)
    if made or any(a is None for a in operands):
        raise _refused(primitive, "computed at places that are results themselves", where, fix)
    with np.errstate(all="ignore"):
        y = formula(*operands, **known)
    return tuple(map(_filled, y)) if isinstance(y, tuple) else _filled(y)


def holds_places(primitive: Primitive, position: int) -> bool:
    """Return whether an operand says where numbers are, as that of `pick`, and is no number."""
    return PLACES.get(primitive.name) == position and primitive.kind != "pointwise"


def _refused(primitive: Primitive, what: str, where: str, fix: str) -> OptionError:
    return OptionError(
        where=where,
        expected="operations that consist of operations on single numbers",
        got=f"{primitive.name} ({primitive.summary or 'a primitive of your own'}), which is {what}",
        fix=fix,
    )


# --- elements and arrays of them ------------------------------------------------------------------


def elements(x: Any) -> Any:
    """Return an operand as an array of elements; numbers are floats, and no result is ``None``."""
    if x is None:
        return None
    if isinstance(x, np.ndarray) and x.dtype == object:
        return x
    return _boxed(x) if isinstance(x, Carrier) else np.asarray(x, float).astype(object)


def _boxed(x: Elements | Number) -> Elements:
    """Return an array; NumPy takes a single object out of one without axes."""
    if isinstance(x, np.ndarray):
        return x
    y = np.empty((), object)
    y[()] = x
    return y


def _filled(x: Any) -> Any:
    """Return a result with floats for zeros that are ``None`` or NumPy's own."""
    return None if x is None else _at_each(_element, x)


def _element(x: Any) -> Carrier | float:
    return x if isinstance(x, Carrier) else 0.0 if x is None else float(x)


def _array(numbers: Iterable[Number], shape: Shape) -> Elements:
    y = np.empty(prod(shape), object)
    y[:] = [*numbers]
    return y.reshape(shape)


def on(name: str, *args: Number) -> Carrier | float:
    """Apply a primitive of numbers."""
    return _element(TABLE[name](*args))


def each(f: Callable[..., Any] | str, *arrays: Any) -> Elements:
    """Apply a function of numbers, or the primitive of a name, to elements of broadcast arrays."""
    operation = TABLE[f] if isinstance(f, str) else f
    return _at_each(lambda *args: _element(operation(*args)), *arrays)


def _at_each(f: Callable[..., Any], *arrays: Any) -> Elements:
    """Return the results of a function of elements of broadcast arrays."""
    return _boxed(np.frompyfunc(f, len(arrays), 1)(*map(_boxed, arrays)))


def _either(condition: Number, a: Number, b: Number) -> Number:
    """Return ``a`` where the condition holds; one that is known needs no operation."""
    return (a if condition else b) if type(condition) is float else on("where", condition, a, b)


def _if(condition: Number, a: Number) -> Number:
    """Return ``a`` where the condition holds, and else a zero: none, if that is known."""
    return _either(condition, a, None if type(condition) is float else 0.0)


def _added(a: Any, b: Any) -> Number:
    return b if a is None else a if b is None else a + b  # type: ignore[no-any-return]


def _times(a: Elements, b: Elements) -> Elements:
    return _at_each(lambda x, y: None if x is None or y is None else x * y, a, b)


def _chain(name: str, xs: Sequence[Number]) -> Number:
    total = xs[0]
    for x in xs[1:]:
        total = on(name, total, x)
    return total


def _total(xs: Iterable[Number]) -> Number:
    """Return the sum, ``None`` of nothing."""
    total = None
    for x in xs:
        total = _added(total, x)
    return total


# --- along axes -----------------------------------------------------------------------------------


def _axes(x: Elements, axis: Axes) -> Shape:
    return tuple(range(x.ndim)) if axis is None else axis if isinstance(axis, tuple) else (axis,)


def _rows(x: Elements, axes: Shape) -> tuple[Shape, list[list[Any]]]:
    """Return the order of axes in which rows come one after the other, and the rows."""
    left = tuple(i for i in range(x.ndim) if i not in axes)
    turned, rows = x.transpose(*left, *axes), prod(x.shape[i] for i in left)
    return (*left, *axes), turned.reshape(rows, prod(x.shape[i] for i in axes)).tolist()


def _reduced(
    f: Callable[[list[Number]], Number],
    x: Elements,
    axis: Axes,
    keepdims: object,
    of_none: Number = None,
) -> Elements:
    """Apply ``f`` to the list of elements along ``axis``, for each index of the other axes."""
    axes = _axes(x, axis)
    rows = [f(row) if row else of_none for row in _rows(x, axes)[1]]
    y = _array(rows, kept_shape(x.shape, axes))
    return y if keepdims else y.reshape([n for i, n in enumerate(x.shape) if i not in axes])


def _mapped(f: Callable[[list[Number]], Iterable[Number]], x: Elements, axis: Axes) -> Elements:
    """Apply ``f`` to the elements along ``axis``, where it returns as many as it takes."""
    order, rows = _rows(x, _axes(x, axis))
    return _turned_back([f(row) for row in rows if row], x.shape, order)


def _turned_back(rows: Iterable[Iterable[Number]], shape: Shape, order: Shape) -> Elements:
    y = _array(chain.from_iterable(rows), tuple(shape[i] for i in order))
    return y.transpose(np.argsort(order)) if order else y


def _sum(x: Elements, axis: Axes, keepdims: object = False) -> Elements:
    return _reduced(_total, x, axis, keepdims)


def _count(x: Elements, axis: Axes) -> float:
    return float(prod(x.shape[i] for i in _axes(x, axis)))


def _mean(x: Elements, axis: Axes, keepdims: object = True) -> Elements:
    return each("div", _filled(_sum(x, axis, keepdims)), _count(x, axis))


def _spare(x: Elements, axis: Axes, correction: float) -> float:
    return max(_count(x, axis) - correction, 0.0)


def _var(x: Elements, axis: Axes, keepdims: object, correction: float) -> Elements:
    squares = each("square", each("sub", x, _mean(x, axis)))
    return each("div", _filled(_sum(squares, axis, keepdims)), _spare(x, axis, correction))


def _std(x: Elements, axis: Axes, keepdims: object, correction: float) -> Elements:
    """Compute the deviation as a length, whose derivative at 0 is 0, unlike a square root's."""
    d = each("sub", x, _mean(x, axis))
    return each("div", _norm(d, axis, keepdims, 2.0), _spare(x, axis, correction) ** 0.5)


def _norm(x: Elements, axis: Axes, keepdims: object, ord: float) -> Elements:
    return _reduced(partial(_length, ord=ord), x, axis, keepdims)


def _length(xs: list[Number], ord: float) -> Number:
    if ord == 2.0 and len(xs) > 1:
        return _chain("hypot", xs)
    sizes = [on("abs", x) for x in xs]
    if len(sizes) < 2:
        return _total(sizes)
    raised = _power if ord < 1.0 else partial(on, "pow")
    return _power(_total([raised(size, ord) for size in sizes]), 1.0 / ord)


def _power(x: Number, p: float) -> Number:
    """Return x to the power p, without a derivative at 0."""
    zero = on("equal", x, 0.0)
    return _either(zero, 0.0 if p > 0.0 else inf, on("pow", _either(zero, 1.0, x), p))


def _shared(name: str, xs: list[Number]) -> Number:
    """Return the mean of the extreme elements, so that ties get equal contributions."""
    peak = _chain(name, xs)
    if len(xs) < 3:
        return peak
    there = [on("equal", x, peak) for x in xs]
    chosen = [on("where", c, x, 0.0) for c, x in zip(there, xs, strict=True)]
    return on("div", _total(chosen), _total(there))


def _peaks(x: Elements, y: Elements, axis: Axes) -> tuple[Elements, Elements]:
    there = each("equal", x, y)
    return there, _sum(there, axis, True)


def _running(name: str, x: Elements, axis: int, reverse: bool) -> Elements:
    turned = np.flip(x, axis) if reverse else x
    y = _mapped(partial(accumulate, func=partial(on, name)), turned, axis)
    return np.flip(y, axis) if reverse else y


def _recurrence(a: Elements, b: Elements, axis: int, reverse: bool) -> Elements:
    a, b = (np.moveaxis(x, axis, 0) for x in np.broadcast_arrays(a, b))
    s: dict[int, Elements] = {}
    before = 0
    for k in reversed(range(len(b))) if reverse else range(len(b)):
        s[k] = each("add", b[k], each("mul", a[k], s[before])) if s else _boxed(b[k])
        before = k
    return np.stack([s[k] for k in range(len(b))], axis) if s else b


# --- exponentials ---------------------------------------------------------------------------------


def _softmax(x: Elements, axis: Axes) -> Elements:
    return _mapped(composite.softmax, x, axis)


def _surprise(x: Elements, target: Array, ignored: Array | None) -> Elements:
    skipped = [False] * len(x) if ignored is None else ignored
    rows = zip(x.tolist(), target, skipped, strict=True)
    found = [0.0 if skip else on("neg", composite.log_softmax_at(xs, int(c)))
             for xs, c, skip in rows]  # fmt: skip
    return _array(found, (len(x),))


def _surprise_slope(x: Elements, t: Elements, target: Array, ignored: Array | None) -> Elements:
    """t (softmax(x) - 1) at the class, and t softmax(x) elsewhere."""
    y = _softmax(x, 1)
    for i, c in enumerate(target):
        rest = _total([p for k, p in enumerate(y[i]) if k != c])
        y[i, c] = None if rest is None else on("neg", rest)
    y = _times(y, t[:, None])
    if ignored is not None:
        y[ignored] = None
    return y


def _logit_surprise(x: Any, label: Any, weight: Any) -> Number:
    return weight * label * softplus(-x) + (1.0 - label) * softplus(x)  # type: ignore[no-any-return]


def _logit_slope(x: Any, label: Any, weight: Any, t: Any) -> Number:
    return t * ((1.0 - label) * sigmoid(x) - weight * label * sigmoid(-x))  # type: ignore[no-any-return]


# --- normalisation --------------------------------------------------------------------------------


def _over_root(x: Elements, variance: Elements, eps: float) -> Elements:
    return each("div", x, each("sqrt", each("add", variance, float(eps))))


def _scaled(x: Any, w: Any, b: Any) -> Number:
    return x * w + b  # type: ignore[no-any-return]


def _standardize(x: Elements, axis: Axes, eps: float) -> tuple[Elements, ...]:
    mean = _mean(x, axis)
    d = each("sub", x, mean)
    variance = _mean(each("square", d), axis)
    return _over_root(d, variance, eps), mean, variance


def _rescale(x: Elements, axis: Axes, eps: float) -> tuple[Elements, ...]:
    square = _mean(each("square", x), axis)
    return _over_root(x, square, eps), square


def _back(t: Elements, *parts: Elements, axis: Axes, eps: float, centred: bool) -> Elements:
    shift, slope, y, variance = parts
    along = each("sub", slope, _mean(each("mul", t, y), axis))
    z = each("add", each("mul", y, along), t)
    if centred:
        z = each("add", z, each("sub", shift, _mean(t, axis)))
    return _over_root(z, variance, eps)


# --- products -------------------------------------------------------------------------------------


def _matmul(a: Elements, b: Elements) -> Elements:
    left, right = a if a.ndim > 1 else a[None], b if b.ndim > 1 else b[:, None]
    lead = np.broadcast_shapes(left.shape[:-2], right.shape[:-2])
    columns = right.swapaxes(-1, -2)
    pairs = [np.broadcast_to(x, (*lead, *x.shape[-2:])).reshape(-1, *x.shape[-2:])
             for x in (left, columns)]  # fmt: skip
    # each sum next to its products, so that code on numbers keeps few of them at a time
    dots = [_dot(row, column) for rows, others in zip(*pairs, strict=True)
            for row in rows.tolist() for column in others.tolist()]  # fmt: skip
    y = _array(dots, (*lead, left.shape[-2], right.shape[-1]))
    y = y if b.ndim > 1 else y[..., 0]
    return y if a.ndim > 1 else y[..., 0] if b.ndim == 1 else y[..., 0, :]


def _dot(xs: Sequence[Any], ys: Sequence[Any]) -> Number:
    total: Number = None
    for x, y in zip(xs, ys, strict=True):
        if x is not None and y is not None:
            total = _added(total, x * y)
    return total


def _affine(x: Elements, w: Elements, b: Elements) -> Elements:
    return each("add", _filled(_matmul(x, w.T)), b)


def _attended(q: Elements, k: Elements, mask: Elements, causal: bool, scale: float) -> Elements:
    """Return the weights of attention; those of later keys are no numbers at all."""
    scores = each("add", each("mul", _matmul(q, k.swapaxes(-1, -2)), scale), mask)
    p = np.full(scores.shape, None, object)
    for place in np.ndindex(*scores.shape[:-1]):
        seen = place[-1] + 1 if causal else None
        row = scores[place][:seen].tolist()
        p[place][:seen] = list(composite.softmax(row))
    return p


def _attention(
    q: Elements, k: Elements, v: Elements, mask: Elements, causal: bool, scale: float
) -> Elements:
    return _filled(_matmul(_attended(q, k, mask, causal, scale), v))  # type: ignore[no-any-return]


def _attention_back(t: Elements, *parts: Elements, causal: bool, scale: float) -> Any:
    q, k, v, mask = parts
    p = _attended(q, k, mask, causal, scale)
    filled = _filled(p)
    x = each("mul", filled, _matmul(t, v.swapaxes(-1, -2)))
    slope = each("sub", x, each("mul", filled, _sum(x, (x.ndim - 1,), True)))
    slope = each("mul", slope, scale)
    shares = _matmul(slope, k), _matmul(slope.swapaxes(-1, -2), q), _matmul(p.swapaxes(-1, -2), t)
    return tuple(map(_filled, shares))


def _lstm(x: Elements, h: Elements, c: Elements, w: Elements) -> tuple[Elements, Elements]:
    states = []
    for row in (x,) if x.ndim == h.ndim else x:
        z = each("add", row, _matmul(h, w.T))
        i, f, g, o = np.split(z, 4, axis=-1)
        kept, new = (each("mul", each("sigmoid", a), b) for a, b in ((f, c), (i, each("tanh", g))))
        c = each("add", kept, new)
        h = each("mul", each("sigmoid", o), each("tanh", c))
        states.append((h, c))
    hs, cs = zip(*states, strict=True)
    return (h, c) if x.ndim == h.ndim else (np.stack(hs), np.stack(cs))


def _einsum(*args: Elements, equation: str, optimize: object) -> Elements:
    """Every operand with all letters as its axes, multiplied, and summed over those that go."""
    inputs, result = equation.split("->")
    operands = inputs.split(",")
    known = lengths_of(operands, [a.shape for a in args])
    letters = [*result, *(letter for letter in known if letter not in result)]
    axes = np.ogrid[tuple(slice(known[a]) for a in letters)] if letters else ()
    grid = dict(zip(letters, axes, strict=True))
    terms: Any = None
    for names, x in zip(operands, args, strict=True):
        key = tuple(grid[a] if n > 1 else grid[a] * 0 for a, n in zip(names, x.shape, strict=True))
        terms = _boxed(x[key]) if terms is None else _times(terms, x[key])
    terms = np.broadcast_to(terms, tuple(known[a] for a in letters))
    return _sum(terms, tuple(range(len(result), len(letters))))


# --- windows --------------------------------------------------------------------------------------


def _taps(x: Any, how: Windows, fill: Any = None) -> list[Any]:
    """For each number of the kernel: what lies under it, window by window, with channels last."""
    places = how.taps(x.shape[2:])
    x = padded(last(x), how, fill)
    return [x[place] for place in places]


def _larger(a: Number, b: Number) -> Number:
    """Return whether b is larger. Padding is never larger."""
    return float(a is None) if a is None or b is None else on("less", a, b)


def _max_pool(x: Elements, how: Windows) -> tuple[Elements, Elements]:
    """Return the first of the largest elements of every window, and which of them it is."""
    best, *others = _taps(x, how)
    index = np.zeros(best.shape).astype(object)
    for k, x in enumerate(others, 1):
        here = _at_each(_larger, best, x)
        best, index = _at_each(_either, here, x, best), _at_each(_either, here, float(k), index)
    return first(best), first(index)


def _window_pick(x: Elements, index: Any, how: Windows) -> Elements:
    if index.dtype != object:
        return ARRAY_TABLE["window_pick"].forward(x, index, how)  # type: ignore[no-any-return]
    y, *others = _taps(x, how, 0.0)
    for k, x in enumerate(others, 1):
        y = _at_each(_either, each("equal", last(index), float(k)), x, y)
    return first(y)


def _window_put(t: Elements, index: Any, how: Windows, size: Shape) -> Elements:
    chosen = [each("equal", last(index), float(k)) for k in range(prod(how.kernel))]
    taken = [_at_each(_if, here, last(t)) for here in chosen]
    shape = (*t.shape[:2], *size)
    return _scattered(np.stack(taken), np.stack(_taps(_numbered(shape), how, -1)), shape)


def _window_sum(x: Elements, how: Windows) -> Elements:
    total, *others = _taps(x, how)
    for x in others:
        total = _at_each(_added, total, x)
    return first(total)


def _numbered(shape: Shape) -> Array:
    return np.arange(prod(shape)).reshape(shape)


def _window_spread(t: Elements, how: Windows, size: Shape) -> Elements:
    shape = (*t.shape[:2], *size)
    places = np.stack(_taps(_numbered(shape), how, -1))
    return _scattered(np.broadcast_to(last(t), places.shape), places, shape)


def _scattered(x: Elements, places: Array, shape: Shape) -> Elements:
    """Return zeros with x added at places in the flat array; -1 is none."""
    y: Elements = np.full(prod(shape), None, object)
    for place, n in zip(places.reshape(-1).tolist(), x.reshape(-1), strict=True):
        if place >= 0:
            y[place] = _added(y[place], n)
    return y.reshape(shape)


def _groups(x: Any, how: Windows, axis: int = 0) -> list[Any]:
    return np.split(x, how.groups, axis)


def _columns(x: Any, how: Windows, fill: Any = None) -> list[Any]:
    """For each group: the numbers under the kernel along the last axis, for every window."""
    return [np.concatenate(_taps(part, how, fill), axis=-1) for part in _groups(x, how, 1)]


def _kernels(w: Elements, how: Windows) -> list[Elements]:
    """For each group: a matrix with a kernel in each column, in the order of `_columns`."""
    order = (*range(2, w.ndim), 1, 0)
    return [k.transpose(order).reshape(prod(k.shape[1:]), len(k)) for k in _groups(w, how)]


def _conv(x: Elements, w: Elements, how: Windows) -> Elements:
    pairs = zip(_columns(x, how), _kernels(w, how), strict=True)
    return first(np.concatenate([_matmul(c, k) for c, k in pairs], axis=-1))


def _conv_bias(x: Elements, w: Elements, b: Elements, how: Windows) -> Elements:
    return first(each("add", last(_filled(_conv(x, w, how))), b))


def _conv_weight(x: Elements, t: Elements, how: Windows) -> Elements:
    found = []
    for columns, part in zip(_columns(x, how), _groups(t, how, 1), strict=True):
        rows = last(part).reshape(-1, part.shape[1])
        y = _matmul(columns.reshape(len(rows), columns.shape[-1]).T, rows)
        y = y.reshape(*how.kernel, -1, rows.shape[1])
        found.append(y.transpose(-1, -2, *range(len(how.kernel))))
    return np.concatenate(found)


def _conv_input(t: Elements, w: Elements, how: Windows, size: Shape) -> Elements:
    shape = (len(t), w.shape[1] * how.groups, *size)
    places = _columns(_numbered(shape), how, -1)
    pairs = zip(_groups(t, how, 1), _kernels(w, how), strict=True)
    parts = [_matmul(last(part), kernels.T) for part, kernels in pairs]
    return _scattered(np.concatenate(parts, -1), np.concatenate(places, -1), shape)


# --- places and order -----------------------------------------------------------------------------


def _put_back(move: Callable[[Array], Array], x: Elements, shape: Shape) -> Elements:
    """Return zeros of a shape with x added where a move takes numbers from: its transpose."""
    places = np.asarray(move(_numbered(shape)))
    return _scattered(np.broadcast_to(x, places.shape), places, shape)


def _pick(x: Elements, places: Array) -> Elements:
    """Return numbers by their places, each by n - 1 choices if places are results themselves."""
    if places.dtype != object:
        return ARRAY_TABLE["pick"].forward(x, places)  # type: ignore[no-any-return]
    lead = np.broadcast_shapes(x.shape[:-1], places.shape[:-1])
    x, places = (np.broadcast_to(a, (*lead, a.shape[-1])) for a in (x, places))
    y = np.broadcast_to(x[..., :1], places.shape)
    for k in range(1, x.shape[-1]):
        y = _at_each(_either, each("equal", places, float(k)), x[..., k, None], y)
    return y


def _drop(x: Elements, places: Any, size: int) -> Elements:
    """Return zeros with x added at its places; each is a sum of choices if these are results."""
    lead = np.broadcast_shapes(x.shape[:-1], places.shape[:-1])
    if places.dtype != object:
        return _put_back(lambda n: _pick(n, places), x, (*lead, size))
    chosen = [_at_each(_if, each("equal", places, float(k)), x) for k in range(size)]
    parts = [_sum(x, x.ndim - 1) for x in chosen]
    return np.stack(parts, -1) if parts else np.full((*lead, 0), 0.0, object)


def _update(x: Elements, v: Elements, key: Any) -> Elements:
    y, places = x.copy(), np.asarray(_numbered(x.shape)[key])
    v = v.reshape(v.shape[max(v.ndim - places.ndim, 0) :])
    y.reshape(-1)[places.reshape(-1)] = np.broadcast_to(v, places.shape).reshape(-1)
    return y


def in_order(x: Elements, axis: int, descending: bool) -> tuple[Elements, Elements]:
    """Return the elements in order along an axis, and the place of each; ties stay as they are.

    Neighbours are swapped or not by `where`, so no order is decided for good: 5 n (n - 1) / 2
    operations on n elements.
    """
    order, rows = _rows(x, (axis,))
    found = [_sorted(row, descending) for row in rows]
    ordered, places = ([both[i] for both in found] for i in (0, 1))
    return _turned_back(ordered, x.shape, order), _turned_back(places, x.shape, order)


def _sorted(xs: list[Number], descending: bool) -> tuple[list[Number], list[Number]]:
    places: list[Number] = [float(i) for i in range(len(xs))]
    for end in range(len(xs) - 1, 0, -1):
        for i in range(end):
            a, b = xs[i : i + 2]
            swap = on("less", a, b) if descending else on("less", b, a)
            for row in (xs, places):
                a, b = row[i : i + 2]
                row[i : i + 2] = on("where", swap, b, a), on("where", swap, a, b)
    return xs, places


def _place_of(name: str, xs: list[Number]) -> Number:
    """Return where the first of the extreme elements is."""
    best, found = xs[0], _element(0.0)
    for k, x in enumerate(xs[1:], 1):
        better = on(name, best, x)
        best, found = on("where", better, x, best), on("where", better, float(k), found)
    return found


def _searched(a: Elements, v: Elements, side: str, sorter: object) -> Elements:
    before = each("less" if side == "left" else "less_equal", a, v[..., None])
    return _sum(before, before.ndim - 1)


def _whether(name: str, x: Elements, axis: Axes, keepdims: object) -> Elements:
    none = float(name == "logical_and")
    return _reduced(partial(_chain, name), _is_not(x, 0.0), axis, keepdims, none)


def _is_not(a: Elements | float, b: Elements | float) -> Elements:
    return each("not_equal", a, b)


def _isclose(
    a: Elements, b: Elements, rtol: float = 1e-5, atol: float = 1e-8, equal_nan: bool = False
) -> Elements:
    most = each("add", atol, each("mul", rtol, each("abs", b)))
    near = each("less_equal", each("abs", each("sub", a, b)), most)
    near = each("logical_or", each("equal", a, b), each("logical_and", near, _finite(b)))
    both = each("logical_and", _is_not(a, a), _is_not(b, b))
    return each("logical_or", near, both) if equal_nan else near


def _finite(x: Elements) -> Elements:
    return each("less", each("abs", x), inf)


def _plain(x: Elements, dtype: Any) -> Elements:
    """Return the numbers alone, through which no derivative passes."""
    y = each(lambda n: getattr(n, "data", n) if isinstance(n, Carrier) else n, x)
    kind = np.dtype(dtype).kind
    return y if kind == "f" else _is_not(y, 0.0) if kind == "b" else _trunc(y)


def _trunc(x: Elements) -> Elements:
    return each("where", each("less", x, 0.0), each("ceil", x), each("floor", x))


def _decimals(x: Elements, decimals: int) -> Elements:
    scale = 10.0 ** abs(decimals)
    up, down = ("mul", "div") if decimals >= 0 else ("div", "mul")
    return each(down, each("round", each(up, x, scale)), scale)


# --- matrices -------------------------------------------------------------------------------------


def _stacked(f: Callable[..., Any], *args: Elements) -> Any:
    """Apply ``f`` to each matrix of a stack. Its results are matrices, or single elements."""
    lead = np.broadcast_shapes(*[x.shape[:-2] for x in args])
    stacks = [np.broadcast_to(x, (*lead, *x.shape[-2:])).reshape(-1, *x.shape[-2:]) for x in args]
    found = [f(*matrices) for matrices in zip(*stacks, strict=True)]

    def joined(parts: Sequence[Any]) -> Elements:
        boxes = [*map(_boxed, parts)]
        return np.stack(boxes).reshape((*lead, *boxes[0].shape))

    several = isinstance(found[0], tuple)
    return tuple(map(joined, zip(*found, strict=True))) if several else joined(found)


def _det(x: Elements) -> Number:
    """Return the determinant by n - 1 products and no division, so by no choice of a pivot.

    So it has its derivatives at singular matrices too. R. Bird, A simple division-free algorithm
    for computing determinants (2011).
    """
    n, y = len(x), x
    for _ in range(n - 1):
        factor: Elements = np.full((n, n), None, object)
        below = None
        for i in range(n - 2, -1, -1):
            corner = y[i + 1, i + 1]
            below = on("neg", corner) if below is None else on("sub", below, corner)
            factor[i, i], factor[i, i + 1 :] = below, y[i, i + 1 :]
        y = _filled(_matmul(factor, x))
    return 1.0 if n == 0 else y[0, 0] if n % 2 else on("neg", y[0, 0])


def _slogdet(x: Elements) -> tuple[Number, Number]:
    found = _det(x)
    return on("sign", found), on("log", on("abs", found))


def _cofactor(x: Elements) -> Elements:
    y = np.empty(x.shape, object)
    for i, j in np.ndindex(x.shape):
        minor = _det(np.delete(np.delete(x, i, 0), j, 1))
        y[i, j] = on("neg", minor) if (i + j) % 2 else minor
    return y


def _eliminated(x: Elements, beside: Elements) -> tuple[Elements, Elements]:
    """Return L and U of x in one matrix, and the rows of a matrix beside it as they are then.

    The first of the largest pivots comes up by `where`, unless it is known, so that it is decided
    for the numbers that the elements have then.
    """
    rows, m = np.concatenate([x, beside], 1), x.shape[1]
    for j in range(min(x.shape)):
        sizes = [on("abs", pivot) for pivot in rows[j:, j]]
        largest, passed = _chain("maximum", sizes), _element(0.0)
        top = old = rows[j].copy()
        for i, size in enumerate(sizes, j):
            found = on("equal", size, largest)
            here, passed = on("less", passed, found), on("maximum", passed, found)
            top, rows[i] = (
                _at_each(_either, here, rows[i], top),
                _at_each(_either, here, old, rows[i]),
            )
        rows[j] = top
        divisor = _either(on("equal", top[j], 0.0), 1.0, top[j])
        for i in range(j + 1, len(rows)):
            rows[i, j] = on("div", rows[i, j], divisor)
            taken = each("mul", rows[i, j], rows[j, j + 1 : m])
            rows[i, j + 1 : m] = each("sub", rows[i, j + 1 : m], taken)
    return rows[:, :m], rows[:, m:]


def _lu(x: Elements) -> tuple[Elements, ...]:
    n, k = len(x), min(x.shape)
    found, turned = _eliminated(x, _eye(n))
    return turned.T, np.where(np.tri(n, k, -1, bool), found[:, :k], _eye(n)[:, :k]), \
        np.where(np.tri(k, x.shape[1], -1, bool), 0.0, found[:k])  # fmt: skip


def _eye(n: int) -> Elements:
    return np.eye(n).astype(object)


def _solve(a: Elements, b: Elements) -> Elements:
    n = len(a)
    factors, y = _eliminated(a, b)
    for i in range(n):
        for k in range(i):
            y[i] = each("sub", y[i], each("mul", factors[i, k], y[k]))
    for i in reversed(range(n)):
        for k in range(i + 1, n):
            y[i] = each("sub", y[i], each("mul", factors[i, k], y[k]))
        y[i] = each("div", y[i], factors[i, i])
    return y


def _cholesky(x: Elements) -> Elements:
    """Half of the slope goes to either triangle where they are equal; the lower one is read."""
    y: Elements = np.full(x.shape, 0.0, object)
    for i in range(len(x)):
        for j in range(i + 1):
            known = _total([on("mul", a, b) for a, b in zip(y[i, :j], y[j, :j], strict=True)])
            n = x[i, j]
            if i > j:
                half = on("div", on("add", n, x[j, i]), 2.0)
                n = _either(on("equal", n, x[j, i]), half, n)
            n = n if known is None else on("sub", n, known)
            y[i, j] = on("sqrt", n) if i == j else on("div", n, y[j, j])
    return y


# --- the table ------------------------------------------------------------------------------------

MOVES = [
    *("broadcast_to", "channel_spread", "choose", "concat", "flip", "index", "overwrite"),
    *("permute_dims", "put", "reshape", "roll", "shift", "split", "stack", "unstack"),
]
"""Primitives that only move elements, and fill in zeros: their own functions do that to objects."""

# fmt: off
FORMULAS: dict[str, Callable[..., Any]] = {
    **{name: ARRAY_TABLE[name].forward for name in MOVES},
    "astype": lambda x, dtype: x, "to_place": lambda x, place, back: x,  # in float64, or better
    "update": _update, "pick": _pick,
    "scatter": lambda x, key, shape: _put_back(lambda n: n[key], x, shape),
    "drop": _drop,
    "sum_to": lambda x, shape: _put_back(
        lambda n: np.broadcast_to(n, x.shape), x, shape),
    "argsort": lambda x, axis, descending: in_order(x, axis, descending)[1],
    # many numbers become one
    "sum": _sum, "mean": _mean, "var": _var, "std": _std, "norm": _norm,
    "channel_sum": lambda x: _sum(x, (0, *range(2, x.ndim))),
    "prod": partial(_reduced, partial(_chain, "mul"), of_none=1.0),
    "max": partial(_reduced, partial(_shared, "maximum")),
    "min": partial(_reduced, partial(_shared, "minimum")), "peaks": _peaks,
    "argmax": partial(_reduced, partial(_place_of, "less")),
    "argmin": partial(_reduced, partial(_place_of, "greater")),
    "all": partial(_whether, "logical_and"), "any": partial(_whether, "logical_or"),
    "count_nonzero": lambda x, axis, keepdims: _sum(_is_not(x, 0.0), axis, keepdims),
    "searchsorted": _searched,
    "cumulative_sum": partial(_running, "add"), "cumulative_prod": partial(_running, "mul"),
    "recurrence": _recurrence,
    # exponentials and losses
    "softmax": partial(_mapped, composite.softmax),
    "log_softmax": partial(_mapped, composite.log_softmax),
    "logsumexp": partial(_reduced, composite.logsumexp, of_none=-inf),
    "surprise": _surprise, "surprise_slope": _surprise_slope,
    "class_surprise": lambda x, target, ignore: _surprise(x, target, target == ignore),
    "class_slope": lambda x, t, target, ignore: _surprise_slope(
        x, t, np.where(target == ignore, 0, target), target == ignore),
    "logit_surprise": partial(each, _logit_surprise), "logit_slope": partial(each, _logit_slope),
    # normalisation
    "standardize": _standardize, "rescale": _rescale, "standardize_back": _back,
    "scale_shift": partial(each, _scaled),
    "layer": lambda x, w, b, axis, eps: each(_scaled, _standardize(x, axis, eps)[0], w, b),
    # products and windows
    "matmul": _matmul, "affine": _affine, "einsum": _einsum, "einsum1": _einsum,
    "lstm": _lstm, "attention": _attention, "attention_back": _attention_back,
    "conv": _conv, "conv_bias": _conv_bias, "conv_input": _conv_input, "conv_weight": _conv_weight,
    "max_pool": _max_pool, "window_sum": _window_sum, "window_spread": _window_spread,
    "window_pick": _window_pick, "window_put": _window_put,
    # matrices
    "det": partial(_stacked, _det), "cofactor": partial(_stacked, _cofactor),
    "slogdet": partial(_stacked, _slogdet), "solve": partial(_stacked, _solve),
    "inv": partial(_stacked, lambda x: _solve(x, _eye(len(x)))),
    "lu": partial(_stacked, _lu), "cholesky": partial(_stacked, _cholesky),
    # facts
    "isnan": lambda x: _is_not(x, x), "isinf": lambda x: each("equal", each("abs", x), inf),
    "isfinite": _finite, "isclose": _isclose, "logical_not": lambda x: each("equal", x, 0.0),
    "logical_xor": lambda a, b: _is_not(_is_not(a, 0.0), _is_not(b, 0.0)),
    "plain": _plain, "trunc": _trunc, "decimals": _decimals,
}
# fmt: on
"""What is not here has no finite formula (`eigh`, `svd`), or none of real numbers (bits)."""

OF_ANSWERS: dict[str, Primitive] = {
    "bitwise_and": TABLE["logical_and"], "bitwise_or": TABLE["logical_or"],
    "bitwise_xor": TABLE["not_equal"], "bitwise_invert": ARRAY_TABLE["logical_not"],
}  # fmt: skip

CHOICES = (_pick, _drop, _window_pick, _window_put)
"""Those whose places may be results themselves: each is a choice among all places there are."""
