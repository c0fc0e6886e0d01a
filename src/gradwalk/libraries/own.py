"""Whole operations that a library has itself: one kernel instead of a composition of many.

`OWN` is the table. A line is the operation of a primitive, or the rules of one, in a library. What
is not there stays the composition of the rules that every library runs. A function that returns
``None`` leaves the call to it, too. Where PyTorch has NaN for an infinite number and gradwalk a
limit, numbers are cut to the largest finite ones before.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from importlib import import_module
from math import pi
from typing import Any, TypeAlias

import numpy as np

from ..ops import TABLE
from ..ops.activation import sigmoid
from ..ops.array import (
    convolution,
    losses,
    normalization,
    pooling,
    product,
    recurrence,
    reduction,
    structure,
)
from ..ops.array.structural_zero import StructuralZero
from ..ops.array.windows import Shape, Windows
from .array import OWN, OWN_RULES, LibraryArray
from .constants import is_traced
from .functions import like, on_place
from .held import Operand, Raw

__all__: list[str] = []

Axes: TypeAlias = tuple[int, ...]


@cache
def _torch() -> Any:
    return import_module("torch")


@cache
def _aten() -> Any:
    return _torch().ops.aten


def _is_float(*xs: Operand) -> bool:
    """Return whether all operands are arrays of one precision that kernels compute in."""
    first = None
    for x in xs:
        if type(x) is not LibraryArray:
            return False
        if first is None:
            first = x.dtype
        elif x.dtype is not first and x.dtype != first:
            return False
    return first is not None and first.kind == "f" and first.itemsize >= 4


def _rule(primitive: Any, position: int) -> Callable[..., Any]:
    """Return the rule of the table."""
    return primitive.rules[position]  # type: ignore[no-any-return]


def _finite(x: LibraryArray) -> Raw:
    """Return x with the largest number in place of inf; NaN and -inf stay."""
    return x.raw.clamp(max=_bounds(x.dtype)[1])


@cache
def _bounds(dtype: np.dtype[Any]) -> tuple[float, float]:
    facts = np.finfo(dtype)
    return float(facts.min), float(facts.max)


# --- shares ---------------------------------------------------------------------------------------


def _softmax(x: LibraryArray, axis: Axes) -> LibraryArray | None:
    if axis is None or len(axis) != 1 or not _is_float(x):
        return None
    return like(x, _aten()._softmax(_finite(x), axis[0], False))


def _softmax_rule(t: Operand, y: Operand, x: Operand, axis: Axes) -> Any:
    if axis is None or len(axis) != 1 or not _is_float(t, y):
        return _rule(reduction.softmax, 0)(t, y, x, axis)
    return like(t, _aten()._softmax_backward_data(t.raw, y.raw, axis[0], y.raw.dtype))


def _log_softmax(x: LibraryArray, axis: Axes) -> LibraryArray | None:
    if axis is None or len(axis) != 1 or not _is_float(x):
        return None
    y = _aten()._log_softmax(_finite(x), axis[0], False)
    return like(x, _torch().threshold(y, _bounds(x.dtype)[0] / 4, -np.inf))


def _log_softmax_rule(t: Operand, y: Operand, x: Operand, axis: Axes) -> Any:
    if axis is None or len(axis) != 1 or not _is_float(t, y):
        return _rule(reduction.log_softmax, 0)(t, y, x, axis)
    return like(t, _aten()._log_softmax_backward_data(t.raw, y.raw, axis[0], y.raw.dtype))


# --- surprise at a class --------------------------------------------------------------------------
#
# Neither cancels where the class outweighs the others: with their shares p and the sum r of those
# of other classes the surprise is ln(1 + e^(ln r - ln p)), and its slope at the class -r.


def _class_surprise(
    x: LibraryArray, target: LibraryArray, ignore: int | None, memo: list[Any]
) -> LibraryArray | None:
    if not _is_float(x) or type(target) is not LibraryArray or not x.shape[1]:
        return None
    parts = _shares(x, target, ignore)
    _, rest, own, ignored, _ = parts
    y = _aten().softplus((rest.log() - own).squeeze(1), 1, 50)
    memo[:] = [(x.raw, target.raw, parts)]
    return like(x, y if ignored is None else y.masked_fill(ignored, 0.0))


def _shares(x: LibraryArray, target: LibraryArray, ignore: int | None) -> tuple[Raw, ...]:
    """Return shares with 0 at the class, their sum, ln p there, what is ignored, and classes."""
    aten, place = _aten(), target.raw
    ignored = None if ignore is None else place == ignore
    place = place if ignored is None else place.masked_fill(ignored, 0)
    place = place.long().unsqueeze(1)
    e = aten._log_softmax(_finite(x), 1, False)
    own = e.gather(1, place)
    own = _torch().threshold(own, _bounds(x.dtype)[0] / 4, -np.inf)
    e = e.exp_().scatter_(1, place, 0.0)
    return e, e.sum(1, keepdim=True), own, ignored, place


def _class_slope(
    x: LibraryArray, t: LibraryArray, target: LibraryArray, ignore: int | None, memo: list[Any]
) -> LibraryArray | None:
    if type(target) is not LibraryArray or not _is_float(x, t) or not x.shape[1]:
        return None
    parts = None
    if memo and memo[0][0] is x.raw and memo[0][1] is target.raw:
        *_, parts = memo.pop()
    e, rest, _, ignored, place = parts or _shares(x, target, ignore)
    t_raw = (t.raw if ignored is None else t.raw.masked_fill(ignored, 0.0)).unsqueeze(1)
    return like(x, e.mul_(t_raw).scatter_(1, place, -(rest * t_raw)))


# --- gelu -----------------------------------------------------------------------------------------


def _gelu(form: str) -> Callable[..., Any]:
    def call(x: LibraryArray) -> LibraryArray | None:
        return (
            like(x, _aten().gelu(x.raw.clamp(min=-40.0), approximate=form))
            if _is_float(x)
            else None
        )

    return call


def _gelu_slope(form: str, name: str) -> Callable[..., Any]:
    def call(t: Operand, x: Operand) -> LibraryArray | None:
        if not _is_float(x, t) or t.shape != x.shape:
            return None
        return like(x, _aten().gelu_backward(t.raw, x.raw.clamp(-40.0, 40.0), approximate=form))

    return call


# --- other activations ----------------------------------------------------------------------------
#
# Slopes that 1 - y would cancel are of the tail: σ'(x) = s (1 - s) with s = σ(-|x|).


def _each(name: str, *options: Any, **limits: float) -> Callable[..., Any]:
    """Return a function of each number by PyTorch's, of numbers cut to limits."""

    def call(x: Operand) -> LibraryArray | None:
        if not _is_float(x):
            return None
        raw = x.raw.clamp(**limits) if limits else x.raw
        return like(x, getattr(_aten(), name)(raw, *options))

    return call


def _method(name: str) -> Callable[..., Any]:
    """Return a function by the method of PyTorch's arrays that is called so."""

    def call(x: Operand) -> LibraryArray | None:
        return like(x, getattr(x.raw, name)()) if _is_float(x) else None

    return call


def _sigmoid_slope(t: Operand, x: Operand) -> LibraryArray | None:
    if not _is_float(x, t) or t.shape != x.shape:
        return None
    return like(x, _of_sigmoid(t.raw, x.raw))


def _of_sigmoid(t: Raw, x: Raw) -> Raw:
    """t σ'(x)"""
    return _aten().sigmoid_backward(t, x.copysign(-1.0).sigmoid_())


def _of_tanh(t: Raw, x: Raw) -> Raw:
    """t (1 - tanh² x)"""
    return _aten().sigmoid_backward(t, (x * -2.0).copysign_(-1.0).sigmoid_()).mul_(4.0)


def _tanh_slope(t: Operand, x: Operand) -> LibraryArray | None:
    if not _is_float(x, t) or t.shape != x.shape:
        return None
    return like(x, _of_tanh(t.raw, x.raw))


def _silu_slope(t: Operand, x: Operand) -> LibraryArray | None:
    if not _is_float(x, t) or t.shape != x.shape:
        return None
    return like(x, _aten().silu_backward(t.raw, x.raw.clamp(-2000.0, 2000.0)))


def _relu_rule(t: Operand, y: Operand, x: Operand) -> Any:
    if not _is_float(t, y) or t.shape != y.shape:
        return _rule(TABLE["relu"], 0)(t, y, x)
    return StructuralZero(like(t, _aten().threshold_backward(t.raw, y.raw, 0.0)), lambda: y <= 0.0)


def _by_slope(name: str) -> Callable[..., Any]:
    """Return the rule of an activation by the line of its slope in the table."""
    primitive = TABLE[name]

    def rule(t: Operand, y: Operand, x: Operand) -> Any:
        return LibraryArray._apply(primitive, (t, x))

    return rule


# --- normalisation --------------------------------------------------------------------------------


def _layer(
    x: Operand, w: Operand, b: Operand, axis: Axes, eps: float, memo: list[Any]
) -> LibraryArray | None:
    if not _is_float(x, w, b):
        return None
    y, mean, r = _aten().native_layer_norm(x.raw, w.shape, w.raw, b.raw, eps)
    memo[:] = [mean, r]
    return like(x, y)


def _layer_rule(position: int) -> Callable[..., Any]:
    def rule(
        t: Operand,
        y: Operand,
        x: Operand,
        w: Operand,
        b: Operand,
        axis: Axes,
        eps: float,
        memo: list[Any],
    ) -> Any:
        if not (type(x) is type(w) is LibraryArray and _is_float(t, x, w)):
            return _rule(normalization.layer, position)(t, y, x, w, b, axis, eps, memo)
        found = _layer_shares(t.raw, x.raw, w.raw, eps, memo)
        return like(x, found[position])

    return rule


def _layer_shares(t: Raw, x: Raw, w: Raw, eps: float, memo: list[Any]) -> tuple[Raw, ...]:
    """Return the contributions to x, weight and bias, which one kernel computes together."""
    if len(memo) == 3:
        of, shares = memo.pop()
        if of is t:
            memo.append((of, shares))
            return shares  # type: ignore[no-any-return]
    shape = list(w.shape)
    if len(memo) != 2 or type(memo[0]) is LibraryArray:  # of the composition
        memo[:] = _aten().native_layer_norm(x, shape, w, w, eps)[1:]
    mean, r = memo
    shares = _aten().native_layer_norm_backward(t, x, shape, mean, r, w, w, [True, True, True])
    memo.append((t, shares))
    return shares  # type: ignore[no-any-return]


def _by_channel(x: LibraryArray, axis: Axes) -> bool:
    """Return whether statistics are of channels, which are axis 1."""
    return x.ndim > 1 and axis == (0, *range(2, x.ndim)) and all(x.shape)


def _standardize(x: Operand, axis: Axes, eps: float) -> tuple[LibraryArray, ...] | None:
    if not _is_float(x) or not all(x.shape):
        return None
    aten = _aten()
    variance, mean = aten.var_mean(x.raw, axis, correction=0, keepdim=True)
    if _by_channel(x, axis):
        known = (mean.flatten(), variance.flatten())
        y = aten.native_batch_norm(x.raw, None, None, *known, False, 0.0, eps)[0]
    else:
        y = (x.raw - mean).mul_((variance + eps).rsqrt_())
    return like(x, y), like(x, mean), like(x, variance)


def _standardize_rule(t: Operand, y: Operand, x: Operand, axis: Axes, eps: float) -> Any:
    """Return the contribution to x; statistics that nothing was computed of have zeros of NumPy."""
    (t, *of_statistics), (z, _, variance) = t, y
    if any(type(part) is LibraryArray for part in of_statistics):
        given: Any = (t, *of_statistics)
        return normalization.standardized(given, y, axis, eps)
    operands = (on_place(t, z.place), 0.0, 0.0, z, variance)
    how = {"axis": axis, "eps": eps, "centred": True}
    return LibraryArray._apply(normalization.back, operands, how)


def _back(
    t: Operand,
    shift: Operand,
    slope: Operand,
    y: Operand,
    variance: Operand,
    axis: Axes,
    eps: float,
    centred: bool,
) -> LibraryArray | None:
    plain = type(shift) is type(slope) is float and shift == slope == 0.0
    if not plain or not centred or not _is_float(t, y, variance) or not _by_channel(y, axis):
        return None
    scale = (variance.raw.flatten() + eps).rsqrt_()
    centre, width = scale.new_zeros(scale.shape), scale.new_ones(scale.shape)
    parts = (t.raw, y.raw, scale, None, None, centre, width, True, eps, [True, False, False])
    return like(t, _aten().native_batch_norm_backward(*parts)[0])


# --- sums and rearrangements ----------------------------------------------------------------------
#
# The functions for every library reach these through two or three calls of theirs: 3 to 6 µs more.


def _sum(name: str) -> Callable[..., Any]:
    def call(x: Operand, axis: Axes | None, keepdims: bool) -> LibraryArray | None:
        if not _is_float(x) or axis == ():
            return None
        if axis is None and not keepdims:
            return like(x, getattr(x.raw, name)())
        return like(
            x, getattr(x.raw, name)(tuple(range(x.ndim)) if axis is None else axis, keepdims)
        )

    return call


def _shaped(name: str) -> Callable[..., Any]:
    """Return a function of an array and a shape, or an order of axes, by PyTorch's method."""

    def call(x: Operand, **options: Axes) -> LibraryArray | None:
        if type(x) is not LibraryArray:
            return None
        (shape,) = options.values()
        return like(x, getattr(x.raw, name)(shape))

    return call


def _split(x: LibraryArray, axis: int, bounds: Axes) -> tuple[LibraryArray, ...]:
    return tuple([like(x, raw) for raw in x.raw.tensor_split(bounds[1:-1], axis)])


def _unstack(x: LibraryArray, axis: int) -> tuple[LibraryArray, ...]:
    return tuple([like(x, raw) for raw in x.raw.unbind(axis)])


def _joined(name: str) -> Callable[..., Any]:
    def call(*args: Operand, axis: int, **_: Any) -> LibraryArray | None:
        if not _is_float(*args):
            return None
        return like(args[0], getattr(_torch(), name)([x.raw for x in args], axis))

    return call


# --- products -------------------------------------------------------------------------------------


def _affine(x: Operand, w: Operand, b: Operand) -> LibraryArray | None:
    if not _is_float(x, w, b) or x.ndim < 2 or b.ndim != 1:
        return None
    if x.ndim == 2:
        return like(x, _torch().addmm(b.raw, x.raw, w.raw.t()))
    rows = x.raw.reshape(-1, x.shape[-1])
    y = _torch().addmm(b.raw, rows, w.raw.t())
    return like(x, y.reshape(*x.shape[:-1], y.shape[-1]))


def _affine_rule(position: int) -> Callable[..., Any]:
    """Return a rule of PyTorch's own steps: each of the table's takes as long as its kernel."""

    def rule(t: Operand, y: Operand, x: Operand, w: Operand, b: Operand) -> Any:
        other = (w, x, t)[position]
        if not _is_float(t, other) or t.ndim < 2:
            return _rule(product.affine, position)(t, y, x, w, b)
        if position == 0:
            return like(t, t.raw.matmul(w.raw))
        flat = t.ndim == 2
        rows = t.raw if flat else t.raw.reshape(-1, t.raw.shape[-1])
        if position == 1:
            return like(t, rows.t().mm(x.raw if flat else x.raw.reshape(-1, x.raw.shape[-1])))
        return like(t, rows.sum(0)) if b.shape == (rows.shape[1],) else t

    return rule


def _matmul(a: Operand, b: Operand) -> LibraryArray | None:
    """Return a product of matrices, or of stacks of them; vectors need no help."""
    if not _is_float(a, b):
        return None
    if b.ndim == 2 and a.ndim >= 2 and a.raw.shape[-1] == b.raw.shape[0]:
        return like(a, a.raw.matmul(b.raw))
    if a.ndim < 3 or a.ndim != b.ndim:
        return None
    if a.shape[:-2] != b.shape[:-2] or a.shape[-1] != b.shape[-2]:
        return None
    y = _aten().bmm(_stack(a), _stack(b))
    return like(a, y.view(*a.shape[:-1], b.shape[-1]))


def _stack(x: LibraryArray) -> Raw:
    """Return x as one stack of matrices; its copy, if that takes one, serves the rules, too."""
    raw, shape, steps = x.raw, x.raw.shape, x.raw.stride()
    if any(steps[i] != steps[i + 1] * shape[i + 1] for i in range(x.ndim - 3)):
        raw = raw.contiguous()
        if type(raw) is type(x.raw) and not is_traced(raw):
            x.raw = raw  # the same numbers, in another order in memory
    return raw.view(-1, *shape[-2:])


# --- recurrences ----------------------------------------------------------------------------------


def _lstm(
    x: Operand, h: Operand, c: Operand, w: Operand, memo: list[Any]
) -> tuple[LibraryArray, LibraryArray] | None:
    if not _is_float(x, h, c, w) or h.ndim != 2:
        return None
    torch, raw_h, raw_c, turned = _torch(), h.raw, c.raw, w.raw.t()
    states, width = [], raw_h.shape[1]
    parts: tuple[Raw, ...] = ()
    for row in (x.raw,) if x.ndim == 2 else x.raw.unbind(0):
        z = torch.addmm(row, raw_h, turned)
        i, f, _, o = z.sigmoid().chunk(4, 1)
        new = z.narrow(1, 2 * width, width).tanh()
        raw_c = torch.addcmul(f * raw_c, i, new)
        turn = raw_c.tanh()
        raw_h, parts = o * turn, (z, i, f, o, new, turn)
        states.append((raw_h, raw_c))
    if x.ndim == 2:
        memo[:] = [(raw_h, parts)]
        return like(x, raw_h), like(x, raw_c)
    hs, cs = zip(*states, strict=True)
    return like(x, torch.stack(hs)), like(x, torch.stack(cs))


def _lstm_rule(index: int) -> Callable[..., Any]:
    """Return a rule of all steps together; that of the table takes 4 times as long for 8 rows."""

    def rule(
        t: Operand, y: Operand, x: Operand, h: Operand, c: Operand, w: Operand, memo: list[Any]
    ) -> Any:
        if not _is_float(*t, x, h, c, w) or h.ndim != 2:
            return _rule(recurrence.lstm, index)(t, y, x, h, c, w, memo=memo)
        if not memo or memo[0][0] is not t:
            known = memo[0][1] if memo and memo[0][0] is y[0].raw else None
            memo[:] = [(t, _lstm_shares(known, *[a.raw for a in (*t, *y, x, h, c, w)]))]
        found = memo[0][1][index]
        if index == 3:
            memo.clear()
        return like(x, found)

    return rule


def _lstm_shares(
    known: Any, t_h: Raw, t_c: Raw, hs: Raw, cs: Raw, x: Raw, h: Raw, c: Raw, w: Raw
) -> tuple[Raw, ...]:
    """Return the contributions to all operands; all slopes are known before the first step back.

    ``known`` is what a single step has left. That of many would have to be joined, which takes as
    long as to compute it again.
    """
    cat, single, width = _torch().cat, x.ndim == 2, w.shape[1]
    if not single:
        h, c = cat([h[None], hs[:-1]]), cat([c[None], cs[:-1]])
    if known is None:
        z = h.matmul(w.t()).add_(x)
        known = (z, *[a for k, a in enumerate(z.sigmoid().chunk(4, -1)) if k != 2],
                 z.narrow(-1, 2 * width, width).tanh(), cs.tanh())  # fmt: skip
    z, given, keep, out, new, turn = known
    i, f, g, o = z.chunk(4, -1)
    # tanh' x = 4 σ'(2 x): one kernel has all slopes
    factors = cat([new, c, given * 4.0, turn, out * 4.0], -1)
    slopes = _of_sigmoid(factors, cat([i, f, g + g, o, cs + cs], -1)).split([4 * width, width], -1)
    parts = [[a] if single else a for a in (t_h, t_c, *slopes, keep)]
    to_h: Any = None
    to_c: Any = None
    found: list[Any] = []
    for t_h, t_c, slope, out, keep in reversed([*zip(*parts, strict=True)]):
        t_h = t_h if to_h is None else t_h + to_h
        t_c = t_c.addcmul(t_h, out) if to_c is None else to_c.add_(t_c).addcmul_(t_h, out)
        found.append(cat([t_c, t_c, t_c, t_h], 1).mul_(slope))
        to_h, to_c = found[-1].matmul(w), t_c * keep
    z = found[0] if single else _torch().stack(found[::-1])
    return z, to_h, to_c, z.reshape(-1, 4 * width).t().mm(h.reshape(-1, width))


# --- windows --------------------------------------------------------------------------------------


def _even(how: Windows) -> list[int] | None:
    """Return the padding of each axis, or ``None`` if it differs between the ends."""
    return None if any(a != b for a, b in how.padding) else [a for a, _ in how.padding]


def _convolution(x: Operand, w: Operand, b: Operand, how: Windows) -> LibraryArray | None:
    pads, bias = _even(how), None if b is None else b.raw
    if pads is None or not _is_float(x, w) or not all(x.shape):
        return None
    steps, axes = (list(how.stride), pads, list(how.dilation)), len(pads)
    y = _aten().convolution(x.raw, w.raw, bias, *steps, False, [0] * axes, how.groups)
    return like(x, y)


def _turned_back(
    t: Operand, x: Operand, w: Operand, how: Windows, of_x: bool
) -> LibraryArray | None:
    """Return the contribution to x or to the weight; of the other argument the shape is read."""
    pads = _even(how)
    if pads is None or not all(type(a) is not LibraryArray or _is_float(t, a) for a in (x, w)):
        return None
    steps, axes = (list(how.stride), pads, list(how.dilation)), len(pads)
    raws = [a.raw if type(a) is LibraryArray else t.raw.new_empty(a) for a in (x, w)]
    found = _aten().convolution_backward(
        t.raw, *raws, None, *steps, False, [0] * axes, how.groups, [of_x, not of_x, False]
    )
    return like(t, found[0 if of_x else 1])


def _conv_input(t: Operand, w: Operand, how: Windows, size: Shape) -> LibraryArray | None:
    if not _is_float(t, w) or not all(t.shape):
        return None
    return _turned_back(t, (t.shape[0], w.shape[1] * how.groups, *size), w, how, True)


def _conv_weight(x: Operand, t: Operand, how: Windows) -> LibraryArray | None:
    if not _is_float(x, t) or not all(t.shape):
        return None
    shape = (t.shape[1], x.shape[1] // how.groups, *how.kernel)
    return _turned_back(t, x, shape, how, False)


def _pool(how: Windows, dilated: bool) -> tuple[Any, ...] | None:
    """Return the options of PyTorch's poolings of planes, or ``None`` if these do not fit."""
    pads = _even(how)
    fits = pads is not None and len(how.kernel) == 2 and (dilated or max(how.dilation) == 1)
    if pads is None or not fits or any(2 * p > k for p, k in zip(pads, how.kernel, strict=True)):
        return None
    return list(how.kernel), list(how.stride), pads


def _window_sum(x: Operand, how: Windows) -> LibraryArray | None:
    options = _pool(how, False)
    if options is None or not _is_float(x) or not all(x.shape):
        return None
    return like(x, _aten().avg_pool2d(x.raw, *options, False, True, 1))


def _window_spread(t: Operand, how: Windows, size: Shape) -> LibraryArray | None:
    options = _pool(how, False)
    if options is None or not _is_float(t) or not all(t.shape):
        return None
    x = t.raw.new_empty((*t.shape[:2], *size))
    return like(t, _aten().avg_pool2d_backward(t.raw, x, *options, False, True, 1))


def _max_pool(x: Operand, how: Windows) -> tuple[LibraryArray, LibraryArray] | None:
    """Return the largest numbers, and their places in the flat plane: of int64, as taps are not."""
    options = _pool(how, True)
    if options is None or not _is_float(x) or not all(x.shape):
        return None
    y, places = _aten().max_pool2d_with_indices(x.raw, *options, list(how.dilation), False)
    return like(x, y), like(x, places)


def _is_of_planes(index: Operand) -> bool:
    return type(index) is LibraryArray and index.dtype == np.int64


def _window_put(t: Operand, index: Operand, how: Windows, size: Shape) -> LibraryArray | None:
    options = _pool(how, True)
    if options is None or not _is_of_planes(index) or not _is_float(t):
        return None
    x, steps = t.raw.new_empty((*t.shape[:2], *size)), (*options, list(how.dilation), False)
    return like(t, _aten().max_pool2d_with_indices_backward(t.raw, x, *steps, index.raw))


def _window_pick(x: Operand, index: Operand, how: Windows) -> LibraryArray | None:
    if not _is_of_planes(index) or type(x) is not LibraryArray:
        return None
    return like(x, x.raw.flatten(2).gather(2, index.raw.flatten(2)).view(index.shape))


# --- forms whose parts XLA fuses ------------------------------------------------------------------


def _jax() -> Any:
    return import_module("jax")


def _softmax_of_jax(x: LibraryArray, axis: Axes) -> LibraryArray | None:
    if not _is_float(x):
        return None
    cut = _jax().numpy.minimum(x.raw, float(np.finfo(x.dtype).max))
    return like(x, _jax().nn.softmax(cut, axis=axis))


def _gelu_of_jax(x: LibraryArray) -> LibraryArray | None:
    if not _is_float(x):
        return None
    cut = _jax().numpy.maximum(x.raw, -40.0)
    return like(x, 0.5 * cut * _jax().lax.erfc(-cut * 0.5**0.5))


def _gelu_slope_of_jax(t: Operand, x: Operand) -> LibraryArray | None:
    if not _is_float(x, t):
        return None
    cut = _jax().numpy.clip(x.raw, -40.0, 40.0)
    density = _jax().numpy.exp(-0.5 * cut * cut) * (2.0 * pi) ** -0.5
    return like(x, t.raw * (0.5 * _jax().lax.erfc(-cut * 0.5**0.5) + cut * density))


def _erf_slope_of_jax(t: Operand, x: Operand) -> LibraryArray | None:
    """In float32 the correction of x², which splits a float64, is 0: 1.2 times as fast without."""
    if not _is_float(x, t) or x.dtype != np.float32:
        return None
    return like(x, t.raw * (2.0 * pi**-0.5 * _jax().numpy.exp(-x.raw * x.raw)))


def _tanh_slope_of_jax(t: Operand, x: Operand) -> LibraryArray | None:
    """4 t r (1 - r) with r = σ(-2 |x|): one kernel of XLA, where the table's quotient ends one."""
    if not _is_float(x, t):
        return None
    r = 1.0 / (1.0 + _jax().numpy.exp(2.0 * abs(x.raw)))
    return like(x, t.raw * (4.0 * r * (1.0 - r)))


def _standardize_of_jax(x: LibraryArray, axis: Axes, eps: float) -> tuple[LibraryArray, ...] | None:
    if not _is_float(x):
        return None
    mean = x.raw.mean(axis=axis, keepdims=True)
    y = x.raw - mean
    variance = (y * y).mean(axis=axis, keepdims=True)
    y = y / _jax().numpy.sqrt(variance + eps)
    return like(x, y), like(x, mean), like(x, variance)


def _layer_of_jax(
    x: Operand, w: Operand, b: Operand, axis: Axes, eps: float, memo: list[Any]
) -> LibraryArray | None:
    found = _standardize_of_jax(x, axis, eps) if _is_float(x, w, b) else None
    return None if found is None else like(x, found[0].raw * w.raw + b.raw)


# --- the table ------------------------------------------------------------------------------------

OWN.update({
    ("torch", reduction.softmax): _softmax,
    ("torch", reduction.log_softmax): _log_softmax,
    ("torch", losses.class_surprise): _class_surprise,
    ("torch", losses.class_slope): _class_slope,
    ("torch", TABLE["gelu"]): _gelu("none"),
    ("torch", TABLE["gelu_slope"]): _gelu_slope("none", "gelu_slope"),
    ("torch", TABLE["gelu_tanh"]): _gelu("tanh"),
    ("torch", TABLE["gelu_tanh_slope"]): _gelu_slope("tanh", "gelu_tanh_slope"),
    ("torch", TABLE["relu"]): _method("relu"),
    ("torch", TABLE["sigmoid"]): _method("sigmoid"),
    ("torch", TABLE["tanh"]): _method("tanh"),
    ("torch", TABLE["exp"]): _method("exp"),
    ("torch", TABLE["log"]): _method("log"),
    ("torch", TABLE["sqrt"]): _method("sqrt"),
    ("torch", TABLE["sigmoid_slope"]): _sigmoid_slope,
    ("torch", TABLE["tanh_slope"]): _tanh_slope,
    ("torch", TABLE["silu"]): _each("silu", min=-2000.0),
    ("torch", TABLE["silu_slope"]): _silu_slope,
    ("torch", TABLE["softplus"]): _each("softplus", 1, 50),
    ("torch", TABLE["log_sigmoid"]): _each("log_sigmoid"),
    ("torch", normalization.layer): _layer,
    ("torch", normalization.standardize): _standardize,
    ("torch", normalization.back): _back,
    ("torch", product.affine): _affine,
    ("torch", reduction.sum): _sum("sum"),
    ("torch", reduction.mean): _sum("mean"),
    ("torch", structure.reshape): _shaped("reshape"),
    ("torch", structure.permute_dims): _shaped("permute"),
    ("torch", structure.broadcast_to): _shaped("expand"),
    ("torch", structure.sum_to): _shaped("sum_to_size"),
    ("torch", structure.split): _split,
    ("torch", structure.unstack): _unstack,
    ("torch", structure.concat): _joined("cat"),
    ("torch", structure.stack): _joined("stack"),
    ("jax", reduction.softmax): _softmax_of_jax,
    ("jax", TABLE["gelu"]): _gelu_of_jax,
    ("jax", TABLE["gelu_slope"]): _gelu_slope_of_jax,
    ("jax", TABLE["erf_slope"]): _erf_slope_of_jax,
    ("jax", TABLE["tanh_slope"]): _tanh_slope_of_jax,
    ("jax", normalization.standardize): _standardize_of_jax,
    ("jax", normalization.layer): _layer_of_jax,
    ("torch", product.matmul): _matmul,
    ("torch", recurrence.lstm): _lstm,
    ("torch", convolution.conv): lambda x, w, how: _convolution(x, w, None, how),
    ("torch", convolution.conv_bias): _convolution,
    ("torch", convolution.conv_input): _conv_input,
    ("torch", convolution.conv_weight): _conv_weight,
    ("torch", pooling.max_pool): _max_pool,
    ("torch", pooling.window_pick): _window_pick,
    ("torch", pooling.window_put): _window_put,
    ("torch", pooling.window_sum): _window_sum,
    ("torch", pooling.window_spread): _window_spread,
})  # fmt: skip

OWN_RULES.update({
    ("torch", reduction.softmax): (_softmax_rule,),
    ("torch", reduction.log_softmax): (_log_softmax_rule,),
    ("torch", product.affine): (_affine_rule(0), _affine_rule(1), _affine_rule(2)),
    ("torch", recurrence.lstm): tuple([_lstm_rule(i) for i in range(4)]),
    ("torch", TABLE["gelu"]): (_by_slope("gelu_slope"),),
    ("torch", TABLE["gelu_tanh"]): (_by_slope("gelu_tanh_slope"),),
    ("torch", TABLE["relu"]): (_relu_rule,),
    ("torch", TABLE["sigmoid"]): (_by_slope("sigmoid_slope"),),
    ("torch", TABLE["tanh"]): (_by_slope("tanh_slope"),),
    ("torch", TABLE["silu"]): (_by_slope("silu_slope"),),
    ("torch", TABLE["softplus"]): (lambda t, y, x: t * sigmoid(x),),
    ("torch", TABLE["log_sigmoid"]): (lambda t, y, x: t * sigmoid(-x),),
    ("torch", normalization.standardize): (_standardize_rule,),
    ("torch", normalization.layer): (_layer_rule(0), _layer_rule(1), _layer_rule(2)),
})  # fmt: skip
