"""THE TABLE of PyTorch's operations: the name in ATen, and what computes it here.

It is data, and needs no PyTorch. A function gets the operands in the order of ATen's schema, and
returns the result, a list of results with ``None`` for those that nothing differentiates, or
`NotImplemented` for options that it does not have. What is not in the table is opaque.
"""

from __future__ import annotations

from collections.abc import Callable
from math import inf, log, pi, prod
from typing import Any, Final, TypeAlias

import numpy as np

from ... import special
from ...ops import TABLE
from ...ops.array.order import choose
from ...tensor import Tensor
from ...tensor import functions as f
from ...tensor.functions import linalg
from ...tensor.functions.segments import add_at
from ..values import numbers
from .words import words

__all__ = ["FUNCTIONS", "GIVEN", "MOVES", "NO_GRADIENT", "SAME"]

Operand: TypeAlias = Any
"""A Tensor, or an array, a number or an option without a gradient."""
Results: TypeAlias = Any
"""A Tensor, a list of results, or `NotImplemented`."""
Function = Callable[..., Any]
CONSTANT = np.zeros(())
"""Stands for a result through which no gradient flows."""
POWERS: dict[float, str] = {2: "square", 0.5: "sqrt", -1: "reciprocal"}
"""Exponents that have an operation of their own: their domain is another one."""
Axes = int | tuple[int, ...] | None


def _plain_number(x: Operand) -> Results:
    """Return a bool or an integer of the program as a float."""
    return float(x) if isinstance(x, (int, bool)) else x


def _pointwise(name: str) -> Function:
    primitive: Any = TABLE[name]
    return lambda *args, **options: primitive(*map(_plain_number, args))


# --- numbers --------------------------------------------------------------------------------------

SAME_NAMES = words(
    """neg sin cos tan asin acos atan sinh cosh tanh asinh acosh atanh exp exp2 expm1 log log1p
    log2 log10 sqrt abs square reciprocal erf erfc lgamma digamma floor ceil round sign sigmoid
    relu sinc logaddexp atan2 hypot maximum minimum silu"""
)
OTHER_NAMES = {
    "special_expm1": "expm1", "log_sigmoid_forward": "log_sigmoid", "absolute": "abs",
    "sgn": "sign", "arctan2": "atan2",
}  # fmt: skip


def _add(a: Operand, b: Operand, *, alpha: Operand = 1) -> Results:
    b = _plain_number(b)
    return TABLE["add"](_plain_number(a), b if alpha == 1 else TABLE["mul"](b, float(alpha)))


def _sub(a: Operand, b: Operand, *, alpha: Operand = 1) -> Results:
    b = _plain_number(b)
    return TABLE["sub"](_plain_number(a), b if alpha == 1 else TABLE["mul"](b, float(alpha)))


def _rsub(a: Operand, b: Operand, alpha: Operand = 1) -> Results:
    return _sub(b, a, alpha=alpha)


def _div(a: Operand, b: Operand, *, rounding_mode: str | None = None) -> Results:
    y = TABLE["div"](_plain_number(a), _plain_number(b))
    if rounding_mode is None:
        return y
    return (np.floor if rounding_mode == "floor" else np.trunc)(numbers(y))


def _pow(a: Operand, b: Operand) -> Results:
    if isinstance(b, (int, float)) and b in POWERS:
        return TABLE[POWERS[b]](a)
    return TABLE["pow"](_plain_number(a), _plain_number(b))


def _where(condition: Operand, a: Operand, b: Operand) -> Results:
    return TABLE["where"](numbers(condition), _plain_number(a), _plain_number(b))


def _masked_fill(x: Operand, mask: Operand, value: Operand) -> Results:
    return TABLE["where"](numbers(mask), _plain_number(value), x)


def _clamp(x: Operand, low: Operand = None, high: Operand = None) -> Results:
    low, high = _plain_number(low), _plain_number(high)
    return TABLE["clip"](x, -inf if low is None else low, inf if high is None else high)


def _elu(x: Operand, alpha: Operand = 1, scale: Operand = 1, input_scale: Operand = 1) -> Results:
    if input_scale != 1:
        return NotImplemented
    y = TABLE["elu"](x, float(alpha))
    return y if scale == 1 else TABLE["mul"](y, float(scale))


def _celu(x: Operand, alpha: Operand = 1.0) -> Results:
    a = float(alpha)
    return TABLE["mul"](TABLE["elu"](TABLE["div"](x, a), 1.0), a)


def _softplus(x: Operand, beta: Operand = 1, threshold: Operand = 20) -> Results:
    b = float(beta)
    y = TABLE["softplus"](x) if b == 1.0 else TABLE["softplus"](x * b) * (1.0 / b)
    linear = numbers(x) * b > threshold
    return TABLE["where"](linear, x, y) if linear.any() else y


def _lerp(a: Operand, b: Operand, weight: Operand) -> Results:
    return a + _plain_number(weight) * (b - a)


def _addcmul(x: Operand, a: Operand, b: Operand, *, value: Operand = 1) -> Results:
    return x + (a * b if value == 1 else a * b * float(value))


def _addcdiv(x: Operand, a: Operand, b: Operand, *, value: Operand = 1) -> Results:
    return x + (a / b if value == 1 else a / b * float(value))


def _remainder(x: Operand, d: Operand) -> Results:
    return TABLE["mod"](_plain_number(x), _plain_number(d))


def _fmod(x: Operand, d: Operand) -> Results:
    turns = np.trunc(np.true_divide(numbers(x), numbers(d)))
    return x - turns * _plain_number(d)


def _less_turns(rounding: Function) -> Function:
    return lambda x: x - rounding(numbers(x))


def _threshold(x: Operand, threshold: Operand, value: Operand) -> Results:
    return TABLE["where"](numbers(x) > threshold, x, float(value))


def _hardshrink(x: Operand, size: Operand = 0.5) -> Results:
    return TABLE["where"](np.abs(numbers(x)) > size, x, 0.0)


def _softshrink(x: Operand, size: Operand = 0.5) -> Results:
    a, s = numbers(x), float(size)
    return TABLE["where"](a > s, x - s, TABLE["where"](a < -s, x + s, 0.0))


def _hardsigmoid(x: Operand) -> Results:
    return TABLE["hardtanh"]((x + 3.0) * (1.0 / 6.0), 0.0, 1.0)


def _hardswish(x: Operand) -> Results:
    return x * _hardsigmoid(x)


def _mish(x: Operand) -> Results:
    return x * TABLE["tanh"](TABLE["softplus"](x))


def _glu(x: Operand, dim: int = -1) -> Results:
    a, b = f.split(x, 2, axis=dim)
    return a * TABLE["sigmoid"](b)


def _prelu(x: Operand, weight: Operand) -> Results:
    return TABLE["where"](numbers(x) > 0.0, x, weight * x)


def _copysign(x: Operand, sign: Operand) -> Results:
    flips = np.copysign(1.0, numbers(sign)) * np.sign(numbers(x))
    return x * flips.astype(numbers(x).dtype)


def _logit(x: Operand, eps: Operand = None) -> Results:
    return f.logit(x if eps is None else TABLE["clip"](x, float(eps), 1.0 - float(eps)))


def _xlogy(x: Operand, y: Operand) -> Results:
    return special.xlogy(_plain_number(x), _plain_number(y))


def _logaddexp2(a: Operand, b: Operand) -> Results:
    return TABLE["logaddexp"](a * log(2.0), b * log(2.0)) * (1.0 / log(2.0))


def _ldexp(x: Operand, n: Operand) -> Results:
    return x * TABLE["exp2"](n)


def _polygamma(n: Operand, x: Operand) -> Results:
    return TABLE["polygamma"](float(n), x)


def _lower_tail(chooses: str) -> Function:
    """Return fmax or fmin, which ignore a NaN."""

    def run(a: Operand, b: Operand) -> Results:
        x, y = numbers(a), numbers(b)
        if np.isnan(x).any() or np.isnan(y).any():
            return NotImplemented
        return TABLE[chooses](a, b)

    return run


def _nan_to_num(
    x: Operand, nan: Operand = None, high: Operand = None, low: Operand = None
) -> Results:
    a = numbers(x)
    if np.isfinite(a).all():
        return TABLE["where"](np.isfinite(a), x, 0.0)
    return NotImplemented


def _mvlgamma(x: Operand, p: int) -> Results:
    total = p * (p - 1) / 4.0 * log(pi)
    return sum((TABLE["lgamma"](x - 0.5 * j) for j in range(p)), total)


# --- losses ---------------------------------------------------------------------------------------


def _reduced(x: Operand, how: int) -> Results:
    return f.mean(x) if how == 1 else f.sum(x) if how == 2 else x


def _mse_loss(x: Operand, y: Operand, how: int = 1) -> Results:
    return _reduced(TABLE["square"](x - y), how)


def _huber_loss(x: Operand, y: Operand, how: int = 1, delta: Operand = 1.0) -> Results:
    d, s = TABLE["abs"](x - y), float(delta)
    return _reduced(TABLE["where"](numbers(d) < s, 0.5 * d * d, s * (d - 0.5 * s)), how)


def _smooth_l1_loss(x: Operand, y: Operand, how: int = 1, beta: Operand = 1.0) -> Results:
    d, s = TABLE["abs"](x - y), float(beta)
    if s == 0.0:
        return _reduced(d, how)
    return _reduced(TABLE["where"](numbers(d) < s, 0.5 * d * d / s, d - 0.5 * s), how)


def _bce_with_logits(
    x: Operand, y: Operand, w: Operand = None, pos: Operand = None, how: int = 1
) -> Results:
    if pos is None:
        loss = (1.0 - y) * x + TABLE["softplus"](-x)
    else:
        loss = (1.0 - y) * x + (1.0 + (pos - 1.0) * y) * TABLE["softplus"](-x)
    return _reduced(loss if w is None else loss * w, how)


def _bce(x: Operand, y: Operand, w: Operand = None, how: int = 1) -> Results:
    a = numbers(x)
    if ((a <= 0.0) | (a >= 1.0)).any():
        return NotImplemented  # PyTorch bounds the logarithms, and its rule differs there
    loss = -(y * TABLE["log"](x) + (1.0 - y) * TABLE["log1p"](-x))
    return _reduced(loss if w is None else loss * w, how)


def _soft_margin_loss(x: Operand, y: Operand, how: int = 1) -> Results:
    return _reduced(TABLE["softplus"](-y * x), how)


def _nll_loss(x: Operand, target: Operand, weight: Operand, how: int, ignored: int) -> Results:
    target = numbers(target)
    keep = target != ignored
    safe = np.where(keep, target, 0)
    if x.ndim == 1:
        picked = x[int(safe)]
    else:
        picked = f.squeeze(f.take_along_axis(x, np.expand_dims(safe, 1), axis=1), axis=1)
    w = keep.astype(x.dtype) if weight is None else weight[safe] * keep.astype(x.dtype)
    loss = -picked if weight is None and keep.all() else TABLE["where"](keep, -picked, 0.0) * w
    if how == 0:
        return [loss, None]
    total = f.sum(loss)
    return [total / f.sum(w) if how == 1 else total, None]


# --- softmax and norms ----------------------------------------------------------------------------


def _with_an_axis(run: Function) -> Function:
    """Return a function along an axis that takes single numbers too, as PyTorch's do."""

    def along(x: Operand, dim: Operand = 0, *others: Operand, **options: Operand) -> Results:
        if x.ndim:
            return run(x, axis=dim)
        return f.reshape(run(f.reshape(x, (1,)), axis=0), ())

    return along


def _softmax_backward(t: Operand, y: Operand, dim: int, dtype: Operand) -> Results:
    return y * (t - f.sum(t * y, axis=dim, keepdims=True))


def _logsumexp(x: Operand, dim: Operand, keep: bool = False) -> Results:
    return f.logsumexp(x, axis=_axes(x, dim), keepdims=keep) if x.ndim else x


def _normalized(x: Operand, axes: tuple[int, ...], eps: float) -> tuple[Any, Any, Any]:
    m = f.mean(x, axis=axes, keepdims=True)
    v = f.var(x, axis=axes, correction=0, keepdims=True)
    s = TABLE["sqrt"](v + float(eps))
    return (x - m) / s, m, 1.0 / s


def _layer_norm(x: Operand, shape: Operand, w: Operand, b: Operand, eps: float) -> Results:
    y, m, s = _normalized(x, tuple(range(-len(shape), 0)), eps)
    y = y if w is None else y * w
    return [y if b is None else y + b, m, s]


def _rms_norm(x: Operand, shape: Operand, w: Operand = None, eps: Operand = None) -> Results:
    eps = float(np.finfo(x.dtype).eps if eps is None else eps)
    axes = tuple(range(-len(shape), 0))
    s = 1.0 / TABLE["sqrt"](f.mean(TABLE["square"](x), axis=axes, keepdims=True) + eps)
    return [x * s if w is None else x * s * w, s]


def _group_norm(
    x: Operand, w: Operand, b: Operand, n: int, c: int, size: int, groups: int, eps: float
) -> Results:
    y, m, s = _normalized(f.reshape(x, (n, groups, -1)), (-1,), eps)
    y, shape = f.reshape(y, x.shape), (1, c) + (1,) * (x.ndim - 2)
    y = y if w is None else y * f.reshape(w, shape)
    y = y if b is None else y + f.reshape(b, shape)
    return [y, f.reshape(m, (n, groups)), f.reshape(s, (n, groups))]


def _batch_norm(
    x: Operand,
    w: Operand,
    b: Operand,
    mean: Operand,
    var: Operand,
    training: bool,
    momentum: float,
    eps: float,
) -> Results:
    axes, shape = (0, *range(2, x.ndim)), (1, -1) + (1,) * (x.ndim - 2)
    if training:
        y, m, s = _normalized(x, axes, eps)
        m, s = f.reshape(m, (-1,)), f.reshape(s, (-1,))
    else:
        deviation = np.sqrt(numbers(var) + float(eps)).astype(x.dtype)
        y, m, s = (x - np.reshape(numbers(mean), shape)) / np.reshape(deviation, shape), None, None
    y = y if w is None else y * f.reshape(w, shape)
    return [y if b is None else y + f.reshape(b, shape), m, s]


def _batch_norm_alone(
    x: Operand, w: Operand, b: Operand, training: bool, m: float, eps: float
) -> Results:
    return _batch_norm(x, w, b, None, None, training, m, eps) if training else NotImplemented


def _batch_norm_updating(
    x: Operand, w: Operand, b: Operand, m: Operand, v: Operand, momentum: Operand, eps: Operand
) -> Results:
    return [*_batch_norm(x, w, b, m, v, True, momentum, eps), None]


def _attention(
    q: Operand,
    k: Operand,
    v: Operand,
    dropout: float = 0.0,
    causal: bool = False,
    *,
    attn_mask: Operand = None,
    scale: Operand = None,
) -> Results:
    if dropout:
        return NotImplemented
    s = f.matmul(q, f.swapaxes(k, -1, -2)) * float(q.shape[-1] ** -0.5 if scale is None else scale)
    if causal:
        s = TABLE["where"](np.tril(np.ones(s.shape[-2:], bool)), s, -inf)
    if attn_mask is not None:
        s = s + attn_mask
    return [f.matmul(f.softmax(s, axis=-1), v), f.logsumexp(s, axis=-1)]


# --- products -------------------------------------------------------------------------------------


def _matmul(a: Operand, b: Operand) -> Results:
    return f.matmul(a, b)


def _addmm(c: Operand, a: Operand, b: Operand, *, beta: Operand = 1, alpha: Operand = 1) -> Results:
    y = f.matmul(a, b)
    y = y if alpha == 1 else y * float(alpha)
    return y if beta == 0 else y + (c if beta == 1 else c * float(beta))


def _addbmm(
    c: Operand, a: Operand, b: Operand, *, beta: Operand = 1, alpha: Operand = 1
) -> Results:
    y = f.sum(f.matmul(a, b), axis=0)
    y = y if alpha == 1 else y * float(alpha)
    return y if beta == 0 else y + (c if beta == 1 else c * float(beta))


def _addr(c: Operand, a: Operand, b: Operand, *, beta: Operand = 1, alpha: Operand = 1) -> Results:
    y = f.outer(a, b)
    y = y if alpha == 1 else y * float(alpha)
    return y if beta == 0 else y + (c if beta == 1 else c * float(beta))


def _linear(x: Operand, w: Operand, b: Operand = None) -> Results:
    y = f.matmul(x, f.swapaxes(w, -1, -2))
    return y if b is None else y + b


def _convolution(
    x: Operand,
    w: Operand,
    b: Operand,
    stride: Operand,
    padding: Operand,
    dilation: Operand,
    transposed: bool,
    output_padding: Operand,
    groups: int,
) -> Results:
    n = x.ndim - 3
    stride, padding, dilation = tuple(stride), tuple(padding), tuple(dilation)
    if n not in (0, 1, 2):
        return NotImplemented
    if transposed:
        run = (f.conv_transpose1d, f.conv_transpose2d, f.conv_transpose3d)[n]
        return run(x, w, b, stride, padding, tuple(output_padding), groups, dilation)
    return (f.conv1d, f.conv2d, f.conv3d)[n](x, w, b, stride, padding, dilation, groups)


def _trilinear(
    a: Operand,
    b: Operand,
    c: Operand,
    expand1: Operand,
    expand2: Operand,
    expand3: Operand,
    summed: Operand,
    unroll: int = 1,
) -> Results:
    a, b, c = (
        f.expand_dims(x, tuple(sorted(e))) if e else x
        for x, e in ((a, expand1), (b, expand2), (c, expand3))
    )
    y = a * b * c
    return f.sum(y, axis=tuple(summed)) if summed else y


def _cross(a: Operand, b: Operand, *, dim: int = -1) -> Results:
    return f.cross(a, b, axis=dim)


# --- reductions -----------------------------------------------------------------------------------


def _axes(x: Operand, dim: Operand) -> Axes:
    if not x.ndim or dim is None or (isinstance(dim, (list, tuple)) and not dim):
        return None
    return tuple(dim) if isinstance(dim, (list, tuple)) else int(dim)


def _sum(x: Operand, dim: Operand = None, keep: bool = False, *, dtype: Operand = None) -> Results:
    return f.sum(x, axis=_axes(x, dim), keepdims=keep)


def _mean(x: Operand, dim: Operand = None, keep: bool = False, *, dtype: Operand = None) -> Results:
    return f.mean(x, axis=_axes(x, dim), keepdims=keep)


def _correction(correction: Operand) -> float:
    return float(1 if correction is None else correction)


def _var(
    x: Operand, dim: Operand = None, *, correction: Operand = 1, keepdim: bool = False
) -> Results:
    return f.var(x, axis=_axes(x, dim), correction=_correction(correction), keepdims=keepdim)


def _std(
    x: Operand, dim: Operand = None, *, correction: Operand = 1, keepdim: bool = False
) -> Results:
    return f.std(x, axis=_axes(x, dim), correction=_correction(correction), keepdims=keepdim)


def _with_mean(run: Function) -> Function:
    def both(
        x: Operand, dim: Operand = None, *, correction: Operand = 1, keepdim: bool = False
    ) -> Results:
        y = run(x, dim, correction=correction, keepdim=keepdim)
        return [y, f.mean(x, axis=_axes(x, dim), keepdims=keepdim)]

    return both


def _prod(x: Operand, dim: Operand = None, keep: bool = False, **options: Operand) -> Results:
    return f.prod(x, axis=_axes(x, dim), keepdims=keep)


def _amax(x: Operand, dim: Operand = (), keep: bool = False) -> Results:
    return f.max(x, axis=_axes(x, dim), keepdims=keep)


def _amin(x: Operand, dim: Operand = (), keep: bool = False) -> Results:
    return f.min(x, axis=_axes(x, dim), keepdims=keep)


def _aminmax(x: Operand, *, dim: Operand = None, keepdim: bool = False) -> Results:
    return [_amin(x, dim, keepdim), _amax(x, dim, keepdim)]


def _norm(
    x: Operand, order: Operand = 2, dim: Operand = None, keep: bool = False, **options: Operand
) -> Results:
    p = float(2 if order is None else order)
    if p == 0.0 or not x.ndim:
        return NotImplemented
    axes = _axes(x, dim)
    axes = tuple(range(x.ndim)) if axes is None else axes
    if isinstance(axes, tuple) and len(axes) > 1 and p != 2.0:
        if abs(p) == inf:
            return (f.max if p > 0 else f.min)(TABLE["abs"](x), axis=axes, keepdims=keep)
        if p == 1.0:
            return f.sum(TABLE["abs"](x), axis=axes, keepdims=keep)
        return f.sum(TABLE["abs"](x) ** p, axis=axes, keepdims=keep) ** (1.0 / p)
    return f.norm(x, ord=p, axis=axes, keepdims=keep)


def _dist(a: Operand, b: Operand, p: Operand = 2) -> Results:
    return _norm(f.reshape(a - b, (-1,)), p)


def _cdist(a: Operand, b: Operand, p: Operand, mode: Operand) -> Results:
    if p not in (1.0, 2.0):
        return NotImplemented
    difference = f.expand_dims(a, -2) - f.expand_dims(b, -3)
    return f.norm(difference, ord=float(p), axis=-1)


def _nansum(
    x: Operand, dim: Operand = None, keep: bool = False, *, dtype: Operand = None
) -> Results:
    return f.nansum(x, axis=_axes(x, dim), keepdims=keep)


# --- matrices -------------------------------------------------------------------------------------


def _cholesky_ex(x: Operand, *, upper: bool = False, check_errors: bool = False) -> Results:
    return [linalg.cholesky(x, upper), None]


def _solve_ex(a: Operand, b: Operand, *, left: bool = True, check_errors: bool = False) -> Results:
    if not left:
        return NotImplemented
    return [linalg.solve(a, b), None, None, None]


def _solve_triangular(
    a: Operand, b: Operand, *, upper: bool, left: bool = True, unitriangular: bool = False
) -> Results:
    if not left:
        return NotImplemented
    return linalg.solve_triangular(a, b, lower=not upper, unit_diagonal=unitriangular)


def _triangular_solve(
    b: Operand, a: Operand, upper: bool = True, transpose: bool = False, unitriangular: bool = False
) -> Results:
    if transpose:
        return NotImplemented
    return [linalg.solve_triangular(a, b, lower=not upper, unit_diagonal=unitriangular), None]


def _inv_ex(x: Operand, *, check_errors: bool = False) -> Results:
    return [linalg.inv(x), None]


def _det(x: Operand) -> Results:
    return [linalg.det(x), None, None]


def _slogdet(x: Operand) -> Results:
    sign, logarithm = linalg.slogdet(x)
    return [numbers(sign), logarithm, CONSTANT, CONSTANT]


def _eigh(a: Operand, uplo: str = "L", vectors: bool = True) -> Results:
    if not vectors:
        return [linalg.eigvalsh(a), CONSTANT]
    return [*linalg.eigh(a)]


def _svd(
    a: Operand, full: bool = False, vectors: bool = True, *, driver: Operand = None
) -> Results:
    if not vectors:
        return [CONSTANT, linalg.svdvals(a), CONSTANT]
    return [*linalg.svd(a, full_matrices=full)]


def _qr(a: Operand, mode: str = "reduced") -> Results:
    return [*linalg.qr(a)] if mode == "reduced" else NotImplemented


def _pinv(
    a: Operand, *, atol: Operand = None, rtol: Operand = None, hermitian: bool = False
) -> Results:
    return linalg.pinv(a)


def _lu_free_inverse(b: Operand, upper: bool = False) -> Results:
    product = f.matmul(f.matrix_transpose(b), b) if upper else f.matmul(b, f.matrix_transpose(b))
    return linalg.inv(product)


# --- places ---------------------------------------------------------------------------------------


def _chosen(
    given: Operand,
    x: Operand,
    k: Operand = None,
    dim: Operand = -1,
    *others: Operand,
    **options: Operand,
) -> Results:
    """topk and kthvalue: the places that PyTorch has chosen."""
    return _along(given, x, options.get("dim", dim))


def _chosen_along(
    given: Operand, x: Operand, dim: Operand = -1, *others: Operand, **options: Operand
) -> Results:
    return _along(given, x, options.get("dim", dim))


def _chosen_stable(
    given: Operand, x: Operand, *, stable: Operand, dim: Operand = -1, descending: Operand = False
) -> Results:
    return _along(given, x, dim)


def _along(given: Operand, x: Operand, axis: Operand) -> Results:
    places = given[1]
    if not x.ndim:
        return NotImplemented
    whole = places if places.ndim == x.ndim else np.expand_dims(places, axis)
    y = choose(x, places=whole, axis=axis % x.ndim)
    return [y if places.ndim == x.ndim else f.squeeze(y, axis=axis), None]


def _max_pool(given: Operand, x: Operand, *others: Operand, **options: Operand) -> Results:
    """Return the largest numbers by the places in the flat image that PyTorch has chosen."""
    places = given[1]
    axes = 2 if x.ndim - places.ndim == 0 and len(others[0]) == 2 else len(others[0])
    flat = f.reshape(x, (*x.shape[:-axes], -1))
    y = f.take_along_axis(flat, places.reshape(*places.shape[:-axes], -1), axis=-1)
    return [f.reshape(y, places.shape), None]


def _dropout(given: Operand, x: Operand, p: float, train: Operand) -> Results:
    if not train:
        return [x, None]
    mask = given[1].astype(x.dtype)
    return [x * mask * (1.0 / (1.0 - p) if p < 1.0 else 0.0), None]


def _given_alone(given: Operand, *args: Operand, **options: Operand) -> Results:
    """Return the result as a constant: nothing in it depends on a number with a gradient."""
    return [given[0]]


def _running(given: Operand, x: Operand, dim: int) -> Results:
    """Return the running maximum or minimum by the places that PyTorch has chosen."""
    return [f.take_along_axis(x, given[1], axis=dim), None] if x.ndim else [x, None]


def _rrelu(given: Operand, x: Operand, *others: Operand, **options: Operand) -> Results:
    """Return x times the random slopes of this run."""
    a = numbers(x)
    return x * np.where(a < 0.0, given[0] / np.where(a < 0.0, a, 1.0), 1.0)


def _median(given: Operand, x: Operand) -> Results:
    """All of the smallest kind: the number that PyTorch has taken."""
    (y,) = given
    place = np.flatnonzero(np.ravel(numbers(x)) == y)
    if not len(place):
        return NotImplemented
    flat = f.reshape(x, (-1,))
    return (
        f.reshape(choose(flat, places=place[:1], axis=0), ()) if len(place) == 1 else NotImplemented
    )


# --- pieces of images -----------------------------------------------------------------------------


def _avg_pool(run: Function) -> Function:
    def pooled(
        x: Operand, size: Operand, stride: Operand = (), padding: Operand = 0, ceil: bool = False,
        count_padding: bool = True, divisor: Operand = None,
    ) -> Results:  # fmt: skip
        if ceil or divisor is not None or (np.any(padding) and not count_padding):
            return NotImplemented
        alone = x.ndim == 3
        x = f.expand_dims(x, 0) if alone else x
        y = run(
            x,
            tuple(size),
            tuple(stride) or None,
            tuple(padding) if isinstance(padding, (list, tuple)) else padding,
        )
        return f.squeeze(y, axis=0) if alone else y

    return pooled


def _adaptive_avg_pool2d(x: Operand, size: Operand) -> Results:
    alone = x.ndim == 3
    x = f.expand_dims(x, 0) if alone else x
    y = f.adaptive_avg_pool2d(x, tuple(size))
    return f.squeeze(y, axis=0) if alone else y


def _index_put(x: Operand, indices: Operand, values: Operand, accumulate: bool = False) -> Results:
    if not accumulate:
        return NotImplemented
    index = tuple([slice(None) if i is None else numbers(i) for i in indices])
    places = np.arange(prod(x.shape)).reshape(x.shape)[index]
    return _added(x, places, f.broadcast_to(values, places.shape))


def _embedding(weight: Operand, indices: Operand, *others: Operand) -> Results:
    if len(others) and isinstance(others[0], int) and others[0] >= 0:
        # the row of padding gets no gradient
        keep = np.expand_dims(numbers(indices) != others[0], -1)
        y = f.take(weight, numbers(indices), axis=0)
        return TABLE["where"](keep, y, numbers(y))
    return f.take(weight, numbers(indices), axis=0)


def _index_add(
    x: Operand, dim: int, index: Operand, source: Operand, *, alpha: Operand = 1
) -> Results:
    dim, index = dim % max(x.ndim, 1), numbers(index)
    if not x.ndim:
        return NotImplemented
    places = np.take(np.arange(prod(x.shape)).reshape(x.shape), index, axis=dim)
    return _added(x, places, source if alpha == 1 else source * float(alpha))


def _scatter_add(x: Operand, dim: int, index: Operand, source: Operand) -> Results:
    index = numbers(index)
    if not x.ndim:
        return NotImplemented
    grid = [*np.ogrid[tuple(map(slice, index.shape))]]
    grid[dim % x.ndim] = index
    places = np.arange(prod(x.shape)).reshape(x.shape)[tuple(grid)]
    return _added(x, places, source[tuple(map(slice, index.shape))])


def _added(x: Operand, places: Operand, source: Operand) -> Results:
    base = f.reshape(x if hasattr(x, "_node") else Tensor(x), (-1,))
    return f.reshape(add_at(base, np.ravel(places), f.reshape(source, (-1,))), x.shape)


# --- the table ------------------------------------------------------------------------------------

FUNCTIONS: Final[dict[str, Function]] = {
    **{name: _pointwise(name) for name in SAME_NAMES},
    **{name: _pointwise(other) for name, other in OTHER_NAMES.items()},
    # numbers
    "add": _add, "sub": _sub, "rsub": _rsub, "mul": _pointwise("mul"), "pow": _pow, "div": _div,
    "true_divide": _div, "rsqrt": lambda x: 1.0 / TABLE["sqrt"](x), "where": _where,
    "masked_fill": _masked_fill, "clamp": _clamp, "clamp_min": _clamp,
    "clamp_max": lambda x, high: _clamp(x, None, high), "remainder": _remainder, "fmod": _fmod,
    "frac": _less_turns(np.trunc), "trunc": lambda x: x - (x - np.trunc(numbers(x))),
    "lerp": _lerp, "addcmul": _addcmul, "addcdiv": _addcdiv, "copysign": _copysign,
    "deg2rad": lambda x: x * (pi / 180.0), "rad2deg": lambda x: x * (180.0 / pi),
    "fmax": _lower_tail("maximum"), "fmin": _lower_tail("minimum"), "nan_to_num": _nan_to_num,
    "ldexp": _ldexp, "logaddexp2": _logaddexp2, "logit": _logit, "xlogy": _xlogy,
    "special_xlog1py": lambda x, y: special.xlog1py(_plain_number(x), _plain_number(y)),
    "polygamma": _polygamma, "mvlgamma": _mvlgamma, "erfinv": special.erfinv,
    "special_entr": special.entr, "special_ndtri": special.ndtri,
    "special_log_ndtr": special.log_ndtr, "special_erfcx": special.erfcx, "i0": special.i0,
    "special_i0e": special.i0e, "special_i1": special.i1, "special_i1e": special.i1e,
    # activations
    "hardtanh": lambda x, low=-1, high=1: TABLE["hardtanh"](x, float(low), float(high)),
    "leaky_relu": lambda x, slope=0.01: TABLE["leaky_relu"](x, float(slope)),
    "elu": _elu, "celu": _celu, "softplus": _softplus, "threshold": _threshold,
    "gelu": lambda x, *, approximate="none": f.gelu(x, approximate) if hasattr(f, "gelu")
    else TABLE["gelu" if approximate == "none" else "gelu_tanh"](x),
    "hardshrink": _hardshrink, "softshrink": _softshrink, "hardsigmoid": _hardsigmoid,
    "hardswish": _hardswish, "mish": _mish, "_prelu_kernel": _prelu,
    "tanh_backward": lambda t, y: t * (1.0 - y * y),
    "sigmoid_backward": lambda t, y: t * (1.0 - y) * y,
    "threshold_backward": lambda t, x, bound: TABLE["where"](numbers(x) > bound, t, 0.0),
    # losses
    "mse_loss": _mse_loss, "huber_loss": _huber_loss, "smooth_l1_loss": _smooth_l1_loss,
    "binary_cross_entropy_with_logits": _bce_with_logits, "binary_cross_entropy": _bce,
    "soft_margin_loss": _soft_margin_loss, "nll_loss_forward": _nll_loss,
    "nll_loss2d_forward": _nll_loss,
    # softmax and norms
    "_softmax": _with_an_axis(f.softmax), "_safe_softmax": _with_an_axis(f.softmax),
    "_softmax_backward_data": _softmax_backward,
    "_log_softmax": _with_an_axis(f.log_softmax), "logsumexp": _logsumexp,
    "native_layer_norm": _layer_norm,
    "_fused_rms_norm": _rms_norm, "native_group_norm": _group_norm,
    "native_batch_norm": _batch_norm, "_native_batch_norm_legit": _batch_norm,
    "_native_batch_norm_legit.no_stats": _batch_norm_alone,
    "_batch_norm_with_update": _batch_norm_updating,
    "_scaled_dot_product_flash_attention_for_cpu": _attention,
    # products
    "mm": _matmul, "bmm": _matmul, "matmul": _matmul, "mv": _matmul, "dot": _matmul,
    "vdot": _matmul, "addmm": _addmm, "baddbmm": _addmm, "addmv": _addmm, "addbmm": _addbmm,
    "addr": _addr, "linear": _linear, "convolution": _convolution, "_trilinear": _trilinear,
    "linalg_cross": _cross,
    # reductions
    "sum": _sum, "mean": _mean, "var": _var, "std": _std, "var_mean": _with_mean(_var),
    "std_mean": _with_mean(_std), "prod": _prod, "amax": _amax, "amin": _amin,
    "aminmax": _aminmax, "max": _amax, "min": _amin, "nansum": _nansum,
    "cumsum": _with_an_axis(f.cumsum), "cumprod": _with_an_axis(f.cumprod),
    "logcumsumexp": _with_an_axis(f.logcumsumexp), "linalg_vector_norm": _norm, "norm": _norm,
    "dist": _dist, "_cdist_forward": _cdist, "trace": linalg.trace,
    # matrices
    "linalg_cholesky_ex": _cholesky_ex,
    "cholesky": lambda x, upper=False: linalg.cholesky(x, upper),
    "cholesky_solve": lambda b, a, upper=False: linalg.cholesky_solve(b, a, upper),
    "_linalg_solve_ex": _solve_ex, "linalg_solve_triangular": _solve_triangular,
    "triangular_solve": _triangular_solve, "linalg_inv_ex": _inv_ex, "_linalg_det": _det,
    "_linalg_slogdet": _slogdet, "_linalg_eigh": _eigh, "_linalg_svd": _svd,
    "linalg_qr": _qr,
    "cholesky_inverse": _lu_free_inverse, "linalg_pinv": _pinv, "linalg_matrix_exp": linalg.expm,
    # places and images
    "embedding": _embedding, "index_add": _index_add, "index_put": _index_put,
    "native_dropout_backward": lambda t, mask, scale: t * (numbers(mask) * float(scale)),
     "scatter_add": _scatter_add,
    "glu": _glu, "avg_pool2d": _avg_pool(f.avg_pool2d),
    "_adaptive_avg_pool2d": _adaptive_avg_pool2d,
}  # fmt: skip
"""Name in ATen, or name and overload: the function of its operands."""

GIVEN: Final[dict[str, Function]] = {
    "max.dim": _chosen_along, "min.dim": _chosen_along, "sort": _chosen_along,
    "sort.stable": _chosen_stable, "topk": _chosen, "kthvalue": _chosen,
    "median.dim": _chosen_along, "nanmedian.dim": _chosen_along, "mode": _chosen_along,
    "median": _median, "nanmedian": _median,
    "max_pool2d_with_indices": _max_pool, "max_pool3d_with_indices": _max_pool,
    "adaptive_max_pool2d": _max_pool, "adaptive_max_pool3d": _max_pool,
    "fractional_max_pool2d": _max_pool, "fractional_max_pool3d": _max_pool,
    "cummax": _running, "cummin": _running, "normal": _given_alone, "zero": _given_alone,
    "angle": _given_alone, "native_dropout": _dropout, "rrelu_with_noise": _rrelu,
}  # fmt: skip
"""Operations of which PyTorch tells what it has chosen: ``function(results, *operands)``."""

MOVES: Final[frozenset[str]] = words(
    """view reshape _unsafe_view _reshape_alias view_copy expand expand_copy permute permute_copy
    transpose transpose_copy t t_copy unsqueeze unsqueeze_copy squeeze squeeze_copy select
    select_copy slice slice_copy split split_copy split_with_sizes split_with_sizes_copy
    unsafe_split unsafe_split_with_sizes unbind unbind_copy chunk narrow narrow_copy diagonal
    diagonal_copy unfold unfold_copy flip roll rot90 repeat cat stack
    gather index index_select take masked_select tril triu diag_embed constant_pad_nd
    reflection_pad1d reflection_pad2d reflection_pad3d replication_pad1d replication_pad2d
    replication_pad3d pixel_shuffle pixel_unshuffle channel_shuffle im2col block_diag
    upsample_nearest1d upsample_nearest2d upsample_nearest3d _upsample_nearest_exact1d
    _upsample_nearest_exact2d _upsample_nearest_exact3d index_copy index_fill scatter
    select_scatter slice_scatter diagonal_scatter masked_scatter put
    index_put movedim swapaxes max_unpool2d max_unpool3d _unsafe_index _unsafe_masked_index zero
    fill repeat_interleave resize_as alias alias_copy"""
)
"""Operations that only move elements, or leave some out."""

SAME: Final[frozenset[str]] = words(
    """clone contiguous lift_fresh alias alias_copy detach_copy positive _to_copy to _conj
    _conj_physical conj_physical"""
)
"""Operations whose results are the operands, up to their precision."""

NO_GRADIENT: Final[frozenset[str]] = words(
    """eq ne lt le gt ge isnan isinf isfinite argmax argmin argsort signbit isclose nonzero
    searchsorted bucketize count_nonzero any all logical_and logical_or logical_not logical_xor
    equal heaviside histc bincount floor_divide empty_like zeros_like ones_like full_like
    rand_like randn_like new_empty new_zeros new_ones new_full new_empty_strided bernoulli
    normal multinomial detach"""
)
"""Operations through which no gradient flows: their results are constants."""
