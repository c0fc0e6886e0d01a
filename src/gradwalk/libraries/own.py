"""Whole operations that a library has itself: one kernel instead of a composition of many.

`OWN` is the table. A line is the operation of a primitive, or the rules of one, in a library. What
is not there stays the composition of the rules that every library runs. A function that returns
``None`` leaves the call to it, too. Where PyTorch has NaN for an infinite number and gradwalk a
limit, numbers are cut to the largest finite ones before.
"""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from math import pi
from typing import Any, TypeAlias

import numpy as np

from ..ops import TABLE
from ..ops.activation import sigmoid
from ..ops.array import convolution, losses, normalization, pooling, product, reduction
from ..ops.array.structural_zero import StructuralZero
from ..ops.array.windows import Shape, Windows
from .array import OWN, OWN_RULES, LibraryArray
from .constants import is_traced
from .functions import like, on_place
from .held import Operand, Raw

__all__: list[str] = []

Axes: TypeAlias = tuple[int, ...]


def _aten() -> Any:
    return import_module("torch").ops.aten


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
    return x.raw.clamp(max=float(np.finfo(x.dtype).max))


# --- shares ---------------------------------------------------------------------------------------


def _softmax(x: LibraryArray, axis: Axes) -> LibraryArray | None:
    if len(axis) != 1 or not _is_float(x):
        return None
    return like(x, _aten()._softmax(_finite(x), axis[0], False))


def _softmax_rule(t: Operand, y: Operand, x: Operand, axis: Axes) -> Any:
    if len(axis) != 1 or not _is_float(t, y):
        return _rule(reduction.softmax, 0)(t, y, x, axis)
    return like(t, _aten()._softmax_backward_data(t.raw, y.raw, axis[0], y.raw.dtype))


def _log_softmax(x: LibraryArray, axis: Axes) -> LibraryArray | None:
    if len(axis) != 1 or not _is_float(x):
        return None
    y = _aten()._log_softmax(_finite(x), axis[0], False)
    least = float(np.finfo(x.dtype).min) / 4
    return like(x, _aten().threshold(y, least, -np.inf))


def _log_softmax_rule(t: Operand, y: Operand, x: Operand, axis: Axes) -> Any:
    if len(axis) != 1 or not _is_float(t, y):
        return _rule(reduction.log_softmax, 0)(t, y, x, axis)
    return like(t, _aten()._log_softmax_backward_data(t.raw, y.raw, axis[0], y.raw.dtype))


# --- surprise at a class --------------------------------------------------------------------------
#
# Neither cancels where the class outweighs the others: with their shares p and the sum r of those
# of other classes the surprise is ln(1 + e^(ln r - ln p)), and its slope at the class -r.


def _class_surprise(
    x: LibraryArray, target: LibraryArray, ignore: int, memo: list[Any]
) -> LibraryArray | None:
    if not _is_float(x) or type(target) is not LibraryArray or not x.shape[1]:
        return None
    parts = _shares(x, target, ignore)
    _, rest, own, ignored, _ = parts
    y = _aten().softplus((rest.log() - own).squeeze(1), 1, 50)
    memo[:] = [(x.raw, target.raw, parts)]
    return like(x, y.masked_fill(ignored, 0.0))


def _shares(x: LibraryArray, target: LibraryArray, ignore: int) -> tuple[Raw, ...]:
    """Return shares with 0 at the class, their sum, ln p there, what is ignored, and classes."""
    aten = _aten()
    ignored = target.raw == ignore
    place = target.raw.masked_fill(ignored, 0).long().unsqueeze(1)
    e = aten._log_softmax(_finite(x), 1, False)
    own = e.gather(1, place)
    own = aten.threshold(own, float(np.finfo(x.dtype).min) / 4, -np.inf)
    e = e.exp_().scatter_(1, place, 0.0)
    return e, e.sum(1, keepdim=True), own, ignored, place


def _class_slope(
    x: LibraryArray, t: LibraryArray, target: LibraryArray, ignore: int, memo: list[Any]
) -> LibraryArray | None:
    if type(target) is not LibraryArray or not _is_float(x, t) or not x.shape[1]:
        return None
    parts = None
    if memo and memo[0][0] is x.raw and memo[0][1] is target.raw:
        *_, parts = memo.pop()
    e, rest, _, ignored, place = parts or _shares(x, target, ignore)
    t_raw = t.raw.masked_fill(ignored, 0.0).unsqueeze(1)
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


def _sigmoid_slope(t: Operand, x: Operand) -> LibraryArray | None:
    if not _is_float(x, t) or t.shape != x.shape:
        return None
    return like(x, _aten().sigmoid_backward(t.raw, x.raw.copysign(-1.0).sigmoid_()))


def _tanh_slope(t: Operand, x: Operand) -> LibraryArray | None:
    if not _is_float(x, t) or t.shape != x.shape:
        return None
    small = (x.raw * -2.0).copysign_(-1.0).sigmoid_()
    return like(x, _aten().sigmoid_backward(t.raw, small).mul_(4.0))


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


# --- products -------------------------------------------------------------------------------------


def _affine(x: Operand, w: Operand, b: Operand) -> LibraryArray | None:
    if not _is_float(x, w, b) or x.ndim < 2 or b.ndim != 1:
        return None
    rows = x.raw.reshape(-1, x.shape[-1])
    y = _aten().addmm(b.raw, rows, w.raw.t())
    return like(x, y.reshape(*x.shape[:-1], y.shape[-1]))


def _affine_rule(position: int) -> Callable[..., Any]:
    """Return a rule of PyTorch's own steps: each of the table's takes as long as its kernel."""

    def rule(t: Operand, y: Operand, x: Operand, w: Operand, b: Operand) -> Any:
        other = (w, x, t)[position]
        if not _is_float(t, other) or t.ndim < 2:
            return _rule(product.affine, position)(t, y, x, w, b)
        if position == 0:
            return like(t, t.raw.matmul(w.raw))
        rows = t.raw.reshape(-1, t.raw.shape[-1])
        if position == 1:
            return like(t, rows.t().mm(x.raw.reshape(-1, x.raw.shape[-1])))
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
    ("torch", TABLE["relu"]): _each("relu"),
    ("torch", TABLE["sigmoid"]): _each("sigmoid"),
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
    ("jax", reduction.softmax): _softmax_of_jax,
    ("jax", TABLE["gelu"]): _gelu_of_jax,
    ("jax", TABLE["gelu_slope"]): _gelu_slope_of_jax,
    ("jax", normalization.standardize): _standardize_of_jax,
    ("jax", normalization.layer): _layer_of_jax,
    ("torch", product.matmul): _matmul,
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
