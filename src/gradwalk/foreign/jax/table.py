"""The table of JAX: for each of its primitives a function of gradwalk.

A function gets the parameters of the equation and its operands: Tensors for floating ones, arrays
for all others. ``NotImplemented`` leaves the equation to JAX.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from itertools import pairwise
from typing import Any, Final

import numpy as np

from ... import special
from ...ops import TABLE
from ...ops.array.conventions import STEPS, stop_gradient
from ...ops.array.order import choose
from ...ops.array.scan import cumulative_prod, cumulative_sum
from ...ops.array.structure import astype
from ...tensor import functions as gw
from ...tensor.functions import linalg
from ..moves import gathered
from ..values import Operand, is_live, numbers, tensor
from . import library as jax
from .windows import convolution, pooled, spread

__all__ = ["COMPARED", "CUSTOM", "FLAT", "MOVED", "RULES", "WHOLE"]

Params = Mapping[str, Any]
Rule = Callable[..., Any]

SAME: Final = """add sub mul div neg sin cos tan asin acos atan atan2 sinh cosh tanh asinh acosh
atanh exp exp2 expm1 log log1p sqrt cbrt pow square abs erf erfc lgamma digamma"""
"""Operations on single numbers with one name in both tables."""

RENAMED: Final = {"max": "maximum", "min": "minimum", "logistic": "sigmoid", "add_any": "add"}

FLAT: Final = frozenset(
    """is_finite argmax argmin eq ne lt le gt ge nextafter
    and or not xor bitcast_convert_type""".split()  # noqa: SIM905  (as SAME is written)
)
"""Operations through which no gradient flows: JAX's results are constants."""

COMPARED: Final = {
    "eq": "equal", "ne": "not_equal", "lt": "less", "le": "less_equal", "gt": "greater",
    "ge": "greater_equal",
}  # fmt: skip
"""Those of them that jump: `kinks` examines them."""


# --- single numbers -------------------------------------------------------------------------------


def _named(name: str, _: Params, *xs: Operand) -> Operand:
    return TABLE[name](*xs)


def _integer_pow(p: Params, x: Operand) -> Operand:
    return TABLE["square"](x) if p["y"] == 2 else TABLE["pow"](x, float(p["y"]))


def _power(_: Params, x: Operand, y: Operand) -> Operand:
    return TABLE["pow"](x, tensor(y, x.dtype))


def _rsqrt(_: Params, x: Operand) -> Operand:
    return TABLE["pow"](x, -0.5)


def _polygamma(_: Params, order: Operand, x: Operand) -> Operand:
    """JAX has no derivative by the order, which it passes as an array."""
    orders = np.unique(numbers(order))
    if is_live(order) or len(orders) != 1:
        return NotImplemented
    return special.polygamma(int(orders[0]), x)


def _remainder(_: Params, x: Operand, y: Operand) -> Operand:
    """x - y trunc(x / y): the quotient is a constant between its jumps."""
    with np.errstate(all="ignore"):
        whole = np.trunc(numbers(x) / numbers(y))
    return TABLE["sub"](x, TABLE["mul"](y, whole))


def _converted(p: Params, x: Operand) -> Operand:
    kind = np.dtype(p["new_dtype"])  # one that NumPy does not have is stored in float32
    return x if kind == x.dtype else astype(x, dtype=kind if kind.kind == "f" else np.float32)


def _step(name: str, _: Params, x: Operand) -> Operand:
    return STEPS[name](x)


def _clamp(_: Params, low: Operand, x: Operand, high: Operand) -> Operand:
    """JAX has slope 0 on both bounds."""
    a, b, c = numbers(low), numbers(x), numbers(high)
    found = tensor(np.clip(b, a, c).astype(b.dtype))  # on a bound: a constant
    found = TABLE["where"]((b > c) & (a < c), high, found) if is_live(high) else found
    found = TABLE["where"]((b < a) & (a < c), low, found) if is_live(low) else found
    return TABLE["where"]((b > a) & (b < c), x, found)


def _select(_: Params, which: Operand, *cases: Operand) -> Operand:
    found = cases[0]
    for i, x in enumerate(cases[1:], 1):
        found = TABLE["where"](np.asarray(which) == i, x, found)
    return found


# --- shapes ---------------------------------------------------------------------------------------


def _as_it_is(_: Params, *xs: Operand) -> Operand:
    return xs[0] if len(xs) == 1 else list(xs)


def _rounded(_: Params, x: Operand) -> Operand:
    return astype(x, dtype=x.dtype)


def _reshape(p: Params, x: Operand) -> Operand:
    return gw.reshape(x, tuple(p["new_sizes"]))


def _squeeze(p: Params, x: Operand) -> Operand:
    gone = {d % x.ndim for d in p["dimensions"]}
    return gw.reshape(x, tuple([n for i, n in enumerate(x.shape) if i not in gone]))


def _broadcast(p: Params, x: Operand) -> Operand:
    sizes = [1] * len(p["shape"])
    for d, n in zip(p["broadcast_dimensions"], x.shape, strict=True):
        sizes[d] = n
    return gw.broadcast_to(gw.reshape(x, tuple(sizes)), tuple(p["shape"]))


def _slice(p: Params, x: Operand) -> Operand:
    steps = p["strides"] or (1,) * x.ndim
    bounds = zip(p["start_indices"], p["limit_indices"], steps, strict=True)
    return x[tuple([slice(*bound) for bound in bounds])]


def _split(p: Params, x: Operand) -> list[Any]:
    ends = np.cumsum([0, *p["sizes"]]).tolist()
    front = (slice(None),) * p["axis"]
    return [x[(*front, slice(a, b))] for a, b in pairwise(ends)]


def _concatenate(p: Params, *xs: Operand) -> Operand:
    return gw.concatenate(list(xs), axis=p["dimension"])


def _stack(p: Params, *xs: Operand) -> Operand:
    return gw.stack(list(xs), axis=p["axis"])


def _unstack(p: Params, x: Operand) -> list[Any]:
    front = (slice(None),) * p["axis"]
    return [x[(*front, i)] for i in range(x.shape[p["axis"]])]


def _tile(p: Params, x: Operand) -> Operand:
    return gw.tile(x, tuple(p["reps"]))


def _pad(p: Params, x: Operand, value: Operand) -> Operand:
    bounds = [(low, high) for low, high, _ in p["padding_config"]]
    steps = [within + 1 for _, _, within in p["padding_config"]]

    def run(q: Operand, rest: Operand) -> Operand:
        found = spread(q, bounds, steps)
        return np.where(found < 0, rest, found)

    return gathered(run, [x, value])


# --- indices --------------------------------------------------------------------------------------

MOVED: Final = frozenset(("gather", "scatter", "dynamic_slice", "dynamic_update_slice"))
"""Operations of JAX that move elements by other operands: JAX runs them on positions."""


def _scatter_add(p: Params, x: Operand, index: Operand, updates: Operand) -> Operand:
    """Add ``updates`` where JAX would: a gather of the positions says where that is."""
    d = p["dimension_numbers"]
    batching = getattr(d, "operand_batching_dims", ())
    found = jax.lax.GatherDimensionNumbers(
        offset_dims=d.update_window_dims,
        collapsed_slice_dims=d.inserted_window_dims,
        start_index_map=d.scatter_dims_to_operand_dims,
        operand_batching_dims=batching,
        start_indices_batching_dims=getattr(d, "scatter_indices_batching_dims", ()),
    )
    rest = iter([updates.shape[i] for i in d.update_window_dims])
    none = {*d.inserted_window_dims, *batching}
    sizes = tuple([1 if i in none else next(rest) for i in range(x.ndim)])
    size = int(np.prod(x.shape))
    mode = p["mode"]
    if mode is not None and "CLIP" not in str(mode):
        mode = jax.lax.GatherScatterMode.FILL_OR_DROP
    places = np.asarray(
        jax.lax.gather(
            jax.numpy.arange(size, dtype="int32").reshape(x.shape), jax.numpy.asarray(index),
            found, sizes, mode=mode, fill_value=-1,
        )
    ).ravel()  # fmt: skip
    here = np.flatnonzero(places >= 0)
    row, flat = gw.reshape(tensor(updates), (-1,)), gw.reshape(tensor(x), (-1,))
    row = row if len(here) == len(places) else row[here]
    return gw.reshape(gw.add_at(flat, places[here], row), x.shape)


def _scatter_sub(p: Params, x: Operand, index: Operand, updates: Operand) -> Operand:
    return _scatter_add(p, x, index, TABLE["neg"](updates))


def _sort(p: Params, *xs: Operand) -> list[Any]:
    axis, shape = p["dimension"], xs[0].shape
    place = jax.lax.broadcasted_iota("int32", shape, axis)
    given = [jax.numpy.asarray(numbers(x)) for x in xs]
    *out, places = jax.lax.sort_p.bind(*given, place, **p)
    places = np.asarray(places)
    pairs = zip(xs, out, strict=True)
    return [choose(x, places=places, axis=axis) if is_live(x) else np.asarray(y) for x, y in pairs]


def _top_k(p: Params, x: Operand) -> list[Any]:
    axis = p.get("axis", x.ndim - 1) % x.ndim
    _, places = jax.lax.top_k_p.bind(jax.numpy.asarray(numbers(x)), **p)
    return [choose(x, places=np.asarray(places), axis=axis), np.asarray(places)]


# --- reductions -----------------------------------------------------------------------------------


def _reduced(f: Rule, p: Params, x: Operand) -> Operand:
    return f(x, axis=tuple(p["axes"])) if p["axes"] else astype(x, dtype=x.dtype)


def _running(f: Rule, p: Params, x: Operand) -> Operand:
    return f(x, axis=p["axis"], reverse=p["reverse"])


def _running_extreme(largest: bool, p: Params, x: Operand) -> Operand:
    """Choose the numbers that are the extreme so far; ties are left to JAX."""
    axis, y = p["axis"], numbers(x)
    signed = np.flip(y, axis) if p["reverse"] else y
    signed = np.moveaxis(signed if largest else -signed, axis, -1)
    if np.isnan(signed).any():
        return NotImplemented
    top = np.maximum.accumulate(signed, -1)
    if (signed[..., 1:] == top[..., :-1]).any():
        return NotImplemented
    order = np.broadcast_to(np.arange(y.shape[axis]), signed.shape)
    places = np.moveaxis(np.maximum.accumulate(np.where(signed == top, order, 0), -1), -1, axis)
    if p["reverse"]:
        places = y.shape[axis] - 1 - np.flip(places, axis)
    index = [np.arange(n).reshape((-1,) + (1,) * (y.ndim - 1 - i)) for i, n in enumerate(y.shape)]
    index[axis] = places
    flat = np.ravel_multi_index(tuple(np.broadcast_arrays(*index)), y.shape) if y.size else places
    return gw.take(gw.reshape(x, (-1,)), flat)


def _running_logsumexp(p: Params, x: Operand) -> Operand:
    if p["reverse"]:
        x = gw.flip(x, axis=p["axis"])
        return gw.flip(gw.logcumsumexp(x, axis=p["axis"]), axis=p["axis"])
    return gw.logcumsumexp(x, axis=p["axis"])


def _dot(p: Params, a: Operand, b: Operand) -> Operand:
    (ca, cb), (ba, bb) = p["dimension_numbers"]
    if not ba and len(ca) == 1 and ca[0] == a.ndim - 1 and cb[0] == 0 and b.ndim <= 2:
        return gw.matmul(a, b)
    letters = iter("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ")
    left, right = [""] * a.ndim, [""] * b.ndim
    for i, j in [*zip(ca, cb, strict=True), *zip(ba, bb, strict=True)]:
        left[i] = right[j] = next(letters)
    left = [letter or next(letters) for letter in left]
    right = [letter or next(letters) for letter in right]
    out = [left[i] for i in ba]
    out += [x for i, x in enumerate(left) if i not in (*ca, *ba)]
    out += [x for i, x in enumerate(right) if i not in (*cb, *bb)]
    return gw.einsum(f"{''.join(left)},{''.join(right)}->{''.join(out)}", a, b)


# --- linear algebra -------------------------------------------------------------------------------


def _cholesky(p: Params, x: Operand) -> Operand:
    if p.get("symmetrize_input", False):
        x = TABLE["mul"](TABLE["add"](x, gw.matrix_transpose(x)), 0.5)
    return linalg.cholesky(x)


def _triangular_solve(p: Params, a: Operand, b: Operand) -> Operand:
    if p["conjugate_a"]:
        return NotImplemented
    turned, lower = gw.matrix_transpose, p["lower"]
    if p["unit_diagonal"]:
        eye = np.eye(a.shape[-1], dtype=bool)
        a = TABLE["where"](np.broadcast_to(eye, a.shape), 1.0, a)
    if p["transpose_a"]:
        a, lower = turned(a), not lower
    if p["left_side"]:
        return linalg.solve_triangular(a, b, lower=lower)
    return turned(linalg.solve_triangular(turned(a), turned(b), lower=not lower))


def _relu(_: Params, x: Operand) -> Operand:
    return TABLE["relu"](x)


def _logaddexp(_: Params, a: Operand, b: Operand) -> Operand:
    return TABLE["logaddexp"](a, b)


def _slogdet(_: Params, x: Operand) -> list[Any]:
    sign, size = linalg.slogdet(x)
    return [sign, size]


def _eigh(p: Params, x: Operand) -> Operand:
    if not p["sort_eigenvalues"] or p["subset_by_index"] is not None:
        return NotImplemented
    w, v = linalg.eigh(x, "L" if p["lower"] else "U")
    return [v, w]


def _svd(p: Params, x: Operand) -> Operand:
    if p["subset_by_index"] is not None:
        return NotImplemented
    if not p["compute_uv"]:
        return [linalg.svdvals(x)]
    u, s, v = linalg.svd(x, full_matrices=p["full_matrices"] and x.shape[-1] != x.shape[-2])
    return [s, u, v]


def _qr(p: Params, x: Operand) -> Operand:
    full = p["full_matrices"] and x.shape[-2] > x.shape[-1]
    return NotImplemented if p.get("pivoting") or full else list(linalg.qr(x))


CUSTOM: Final[dict[str, Rule]] = {
    "relu": _relu,
    "logaddexp": _logaddexp,
    "_det": lambda _, x: linalg.det(x),
    "_slogdet_lu": _slogdet,
    "pinv": lambda _, x, *rest: linalg.pinv(x),
}
"""Functions of JAX with derivatives of their own that the table has as well."""

WHOLE: Final[dict[str, Rule]] = {"solve": lambda _, a, b: linalg.solve(a, b)}
"""Other functions of JAX that are one operation of the table."""

RULES: Final[dict[str, Rule]] = {
    **{name: partial(_named, name) for name in SAME.split()},
    **{name: partial(_named, ours) for name, ours in RENAMED.items()},
    **dict.fromkeys(("copy", "copy_p", "sharding_constraint", "optimization_barrier"), _as_it_is),
    "pow": _power,
    "integer_pow": _integer_pow,
    "rsqrt": _rsqrt,
    "rem": _remainder,
    "erf_inv": lambda _, x: gw.erfinv(x),
    "bessel_i0e": lambda _, x: special.i0e(x),
    "bessel_i1e": lambda _, x: special.i1e(x),
    "igamma": lambda _, a, x: special.gammainc(a, x),
    "igammac": lambda _, a, x: special.gammaincc(a, x),
    "polygamma": _polygamma,
    "convert_element_type": _converted,
    "reduce_precision": _rounded,
    "clamp": _clamp,
    **{name: partial(_step, name) for name in STEPS},
    "stop_gradient": lambda _, x: stop_gradient(x),
    "select_n": _select,
    "reshape": _reshape,
    "transpose": lambda p, x: gw.permute_dims(x, tuple(p["permutation"])),
    "squeeze": _squeeze,
    "broadcast_in_dim": _broadcast,
    "slice": _slice,
    "split": _split,
    "concatenate": _concatenate,
    "stack": _stack,
    "unstack": _unstack,
    "tile": _tile,
    "rev": lambda p, x: gw.flip(x, axis=tuple(p["dimensions"])),
    "pad": _pad,
    "scatter-add": _scatter_add,
    "scatter_add": _scatter_add,
    "scatter-sub": _scatter_sub,
    "sort": _sort,
    "top_k": _top_k,
    "reduce_sum": partial(_reduced, gw.sum),
    "reduce_max": partial(_reduced, gw.max),
    "reduce_min": partial(_reduced, gw.min),
    "reduce_prod": partial(_reduced, gw.prod),
    "cumsum": partial(_running, cumulative_sum),
    "cumprod": partial(_running, cumulative_prod),
    "cummax": partial(_running_extreme, True),
    "cummin": partial(_running_extreme, False),
    "cumlogsumexp": _running_logsumexp,
    "dot_general": _dot,
    "conv_general_dilated": convolution,
    "reduce_window_sum": partial(pooled, "sum"),
    "reduce_window_max": partial(pooled, "max"),
    "reduce_window_min": partial(pooled, "min"),
    "cholesky": _cholesky,
    "eigh": _eigh,
    "svd": _svd,
    "qr": _qr,
    "triangular_solve": _triangular_solve,
}
