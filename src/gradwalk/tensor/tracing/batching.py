"""Batching rules of primitives: written once per kind of primitive and per meaning of an option.

A rule gets the arguments of the function, including tracers of the batch. It calls the primitive
one level down, on arrays with the examples along the first axis. If one call is not enough, the
rule uses other primitives.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import pairwise
from types import ModuleType
from typing import Any

import numpy as np

from ...core.array_primitive import ArrayPrimitive
from ...core.primitive import Primitive
from ...errors import SizeError
from ...levels.vmap import VmapLevel
from ...ops.array import (
    attention,
    facts,
    indexing,
    linalg,
    losses,
    matrix_functions,
    normalization,
    order,
    places,
    reduction,
    scan,
    structure,
)
from ...ops.array import product as products
from ...ops.array.structure import reshape
from ..functions.types import Operand
from ..graph.tensor import Tensor
from . import batched_images as images
from .batched_arguments import align, full, move_axis, rank_of, repeat_for_batch, unshare
from .batched_products import affine, each, einsum, matmul, one_by_one, searchsorted

__all__ = ["apply_batched", "move_axis", "repeat_for_batch", "unshare"]

Options = dict[str, Any]
Rule = Callable[[VmapLevel, Any, Sequence[Any], Options], Any]


def apply_batched(
    batch: VmapLevel, primitive: Primitive, args: Sequence[Any], options: Options
) -> Any:
    """Return the results of a primitive for all examples, as tracers."""
    rule: Callable[..., Any] = RULES.get(
        primitive, each if primitive.kind == "pointwise" else one_by_one
    )
    try:
        y = rule(batch, primitive, args, options)
    except SizeError:  # say it again, with the shapes that the function sees
        primitive(*[Tensor._of(np.zeros(a.shape)) if batch.owns(a) else a for a in args], **options)
        raise
    return tuple(map(batch.boxed, y)) if type(y) is tuple else batch.boxed(y)


# --- axes -----------------------------------------------------------------------------------------


def behind(axis: int | tuple[int, ...] | None, ndim: int) -> Any:
    """Return axes of one example, counted from the front, as axes of the batch; ``None`` is all."""
    if axis is None:
        return tuple(range(1, ndim + 1))
    return tuple([a + 1 for a in axis]) if isinstance(axis, tuple) else axis + 1


def along(
    batch: VmapLevel, primitive: ArrayPrimitive, args: Sequence[Any], options: Options
) -> Operand:
    """Apply a primitive that acts along an ``axis``, or several."""
    ndim = rank_of(*args)
    axis = behind(options["axis"], ndim)
    return primitive(*[align(batch, a, ndim) for a in args], **{**options, "axis": axis})


def all_full(
    batch: VmapLevel, primitive: ArrayPrimitive, args: Sequence[Any], options: Options
) -> Operand:
    """Apply a primitive that writes into the shape of an argument; otherwise like `each`."""
    ndim = rank_of(*args)
    return along(batch, primitive, [batch.box(full(batch, a, ndim), None) for a in args], options)


def attend(batch: VmapLevel, primitive: Any, args: Sequence[Any], options: Options) -> Operand:
    """Apply attention, or its gradient, to operands that all have an axis of the examples."""
    ndim = rank_of(*args)
    rows = [a if type(a) is float else full(batch, a, ndim) for a in args]
    return primitive(*rows, **{**options, "memo": []})


def extreme_place(
    batch: VmapLevel, primitive: ArrayPrimitive, args: Sequence[Any], options: Options
) -> Operand:
    """Return the index among all elements of an example, without an axis."""
    (x,) = args
    if options["axis"] is not None:
        return along(batch, primitive, args, options)
    # without an axis, NumPy would search all examples at once
    y = primitive(reshape(x, shape=(x.size,)), axis=0, keepdims=False)
    return reshape(y, shape=(1,) * x.ndim) if options["keepdims"] else y


def join_rule(
    batch: VmapLevel, primitive: ArrayPrimitive, args: Sequence[Any], options: Options
) -> Operand:
    """Apply a primitive that joins arrays."""
    return primitive(*[full(batch, a) for a in args], **{**options, "axis": options["axis"] + 1})


def permute_rule(
    batch: VmapLevel, primitive: ArrayPrimitive, args: Sequence[Any], options: Options
) -> Operand:
    """Permute the axes of one example; the axis of the examples stays in front."""
    return primitive(args[0]._primal, axes=(0, *behind(options["axes"], 0)))  # axes ≥ 0 by now


# --- shapes ---------------------------------------------------------------------------------------


def reshape_rule(
    batch: VmapLevel, primitive: ArrayPrimitive, args: Sequence[Any], options: Options
) -> Operand:
    """Reshape each example."""
    return primitive(args[0]._primal, shape=(batch.size, *options["shape"]))


def broadcast_rule(
    batch: VmapLevel, primitive: ArrayPrimitive, args: Sequence[Any], options: Options
) -> Operand:
    """Broadcast each example; new axes come after the axis of the examples."""
    shape = options["shape"]
    return primitive(align(batch, args[0], len(shape)), shape=(batch.size, *shape))


def sum_rule(
    batch: VmapLevel, primitive: ArrayPrimitive, args: Sequence[Any], options: Options
) -> Operand:
    """Sum each example. Axes to remove are first summed to length 1, after the examples."""
    (x,), shape = args, options["shape"]
    lead = (1,) * (x.ndim - len(shape))
    y = primitive(x._primal, shape=(batch.size, *lead, *shape))
    return reshape(y, shape=(batch.size, *shape)) if lead else y


# --- keys and places ------------------------------------------------------------------------------


def key_behind(key: object, size: int) -> tuple[Any, ...]:
    """Return the key that takes from every example what ``key`` takes from one.

    If NumPy puts the axes of index arrays in front, for a slice stands between them, the examples
    are named by an index array too, which then comes first.
    """
    parts = key if type(key) is tuple else (key,)
    advanced = [
        i for i, p in enumerate(parts) if isinstance(p, (np.ndarray, list, int, np.integer))
    ]
    arrays = [np.asarray(parts[i]) for i in advanced]
    apart = any(b - a > 1 for a, b in pairwise(advanced))
    if not apart or not any(a.ndim or a.dtype == bool for a in arrays):
        return (slice(None), *parts)
    # a mask of any rank acts as index arrays of one axis
    ndim = max([1 if a.dtype == bool else a.ndim for a in arrays])
    return (np.arange(size).reshape(-1, *(1,) * ndim), *parts)


def take_rule(
    batch: VmapLevel, primitive: ArrayPrimitive, args: Sequence[Any], options: Options
) -> Operand:
    """Take the same part of every example."""
    return primitive(args[0]._primal, key=key_behind(options["key"], batch.size))


def scatter_rule(
    batch: VmapLevel, primitive: ArrayPrimitive, args: Sequence[Any], options: Options
) -> Operand:
    """Scatter to the same indices in every example."""
    key, shape = key_behind(options["key"], batch.size), (batch.size, *options["shape"])
    return primitive(args[0]._primal, key=key, shape=shape)


def update_rule(
    batch: VmapLevel, primitive: ArrayPrimitive, args: Sequence[Any], options: Options
) -> Operand:
    """Update the same indices of every example."""
    (x, v), key = args, options["key"]
    if batch.owns(v):
        # the part's ndim, from a view of one bool: no memory, whatever the shape of x
        v = align(batch, v, np.broadcast_to(False, x.shape)[key].ndim)
    return primitive(full(batch, x), v, key=key_behind(key, batch.size))


def choose_rule(
    batch: VmapLevel, primitive: Primitive, args: Sequence[Any], options: Options
) -> Operand:
    """Choose the same indices along an axis, for all examples."""
    shifted = {"places": options["places"][None], "axis": options["axis"] + 1}
    if "shape" in options:
        shifted["shape"] = (batch.size, *options["shape"])
    return primitive(args[0]._primal, **shifted)


# --- normalisation and losses ---------------------------------------------------------------------


def layer(batch: VmapLevel, primitive: Any, args: Sequence[Any], options: Options) -> Operand:
    """Normalise in one call if all examples share scale and shift."""
    x, weight, bias = args
    # the kernel of `layer` takes one weight per feature, the same for all rows
    if not batch.owns(weight) and not batch.owns(bias):
        return along(batch, primitive, args, options)
    how = {"axis": options["axis"], "eps": options["eps"]}
    return normalization.standardize(x, **how)[0] * weight + bias


def surprise(
    batch: VmapLevel, primitive: ArrayPrimitive, args: Sequence[Any], options: Options
) -> Operand:
    """Compute the loss of all rows of all examples at once."""
    again = {
        # the same targets for every example, because options cannot vary
        name: None if options[name] is None else np.tile(options[name], batch.size)
        for name in ("target", "ignored")
    }
    rows = [full(batch, a) for a in args]
    flat = [reshape(a, shape=(a.shape[0] * a.shape[1], *a.shape[2:])) for a in rows]
    y = primitive(*flat, **again, memo=options["memo"])
    return reshape(y, shape=(*rows[0].shape[:2], *y.shape[1:]))


# --- the table ------------------------------------------------------------------------------------


def _rows(module: ModuleType) -> list[Any]:
    return [
        primitive for primitive in vars(module).values() if isinstance(primitive, ArrayPrimitive)
    ]


_GROUPS: list[tuple[Rule, list[Any]]] = [
    (each, [*_rows(facts), *_rows(linalg), *_rows(matrix_functions)]),
    (each, [*_rows(places), structure.astype]),
    (attend, _rows(attention)),
    (each, [losses.logit_surprise, losses.logit_slope, normalization.scale_shift]),
    (along, [*_rows(reduction), *_rows(scan), normalization.standardize, normalization.rescale]),
    (along, [structure.flip, structure.roll, structure.split, structure.unstack]),
    (along, [order.argsort, order.all, order.any, order.count]),
    (all_full, [normalization.back, reduction.peaks, scan.recurrence]),
    (extreme_place, [order.argmax, order.argmin]),
    (searchsorted, [order.searchsorted]),
    (choose_rule, [order.choose, order.put]),
    (join_rule, [structure.concat, structure.stack]),
    (permute_rule, [structure.permute_dims]),
    (reshape_rule, [structure.reshape]),
    (broadcast_rule, [structure.broadcast_to]),
    (sum_rule, [structure.sum_to]),
    (take_rule, [indexing.take]),
    (scatter_rule, [indexing.scatter]),
    (update_rule, [indexing.update]),
    (matmul, [products.matmul]),
    (affine, [products.affine]),
    (einsum, [products.einsum, products.einsum1]),
    (layer, [normalization.layer]),
    (surprise, [losses.surprise, losses.surprise_slope]),
]
# later groups win: `peaks` is a reduction too, and gets the rule `all_full`
RULES: dict[Any, Rule] = {
    primitive: rule for rule, group in _GROUPS for primitive in group
} | images.RULES
