"""Where the elements of arrays come from: primitives applied to arrays of `Sources`.

A primitive that adds, multiplies and moves elements does the same with sets of inputs, so its own
implementation tells where they go. For other primitives a rule tells it: the rule is the transpose
of the derivative, and a level of its own traces which elements its cotangents reach. If neither
works, everything is assumed to depend on everything, except along axes that the primitive treats
member by member.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ...core.primitive import Primitive
from ...engine.value import enable_grad
from ...levels.level import Level, unwrap
from ...ops.array.structural_zero import StructuralZero
from ...tensor.graph.node import CONSTANT_NODE, Node, contributions
from ...tensor.tracing.tracers import leaf_node
from .array_sets import Array, Sets, as_sets, indices_of, nowhere, own_sources, unite
from .sources import NOWHERE, Sources

__all__ = ["own_sources", "trace_sources"]

OBJECTIONS = (TypeError, ValueError, AttributeError)
"""What an operation raises that does more with numbers than to add, multiply and move them."""


def trace_sources(
    level: Level,
    primitive: Primitive,
    raws: Sequence[Any],
    y: Any,
    sources: Sequence[Any],
    options: dict[str, Any],
) -> Any:
    """Return the tracer, or the tracers, of a result that is an array."""
    y = tuple(map(_array, y)) if type(y) is tuple else _array(y)
    sets = [
        as_sets(s) if s is not None and _has_rule(primitive, i) else None
        for i, s in enumerate(sources)
    ]
    if primitive.kind == "pointwise":
        return level.box(y, unite(sets, y.shape))
    args = [_array(a) for a in raws]
    results = y if type(y) is tuple else (y,)
    # from the sharpest answer to the coarsest: sources may be too many, never too few
    found = _forward(level, primitive, args, sets, options, results)
    if found is None:
        found = _by_rules(level, primitive, args, y, sets, options)
    if found is None:
        found = _in_blocks(primitive, args, results, sets, options)
    boxes = tuple([_box(level, part, s) for part, s in zip(results, found, strict=True)])
    return boxes if type(y) is tuple else boxes[0]


def _box(level: Level, y: Any, sets: Any) -> Any:
    """Return a tracer of a floating result. Integers, such as indices, have no derivative."""
    return level.box(y, sets) if y.dtype.kind == "f" else y


def _has_rule(primitive: Any, place: int) -> bool:
    return (primitive.kind != "pointwise" and primitive.variadic) or primitive.rules[
        place
    ] is not None


def _array(x: Any) -> Array:
    return x if hasattr(x, "ndim") and not isinstance(x, np.generic) else np.asarray(x)


# --- the operation itself -------------------------------------------------------------------------


def _forward(
    level: Level,
    primitive: Primitive,
    args: Sequence[Array],
    sets: Sequence[Any],
    options: dict[str, Any],
    results: Sequence[Any],
) -> tuple[Any, ...] | None:
    """Apply the primitive to sets instead of numbers. Return ``None`` if it cannot take them."""
    operands = [
        _constant(level, primitive, i, a) if s is None else s
        for i, (a, s) in enumerate(zip(args, sets, strict=True))
    ]
    try:
        found = primitive.forward(*operands, **{k: _option(k, v) for k, v in options.items()})
        found = tuple(map(_as_sources, _results(found)))
    except OBJECTIONS:
        return None
    # NumPy may treat objects in a way of their own, so only results of the right shape count
    fits = [s.shape == y.shape for s, y in zip(found, results, strict=True)]
    return found if all(fits) else None


def _constant(level: Any, primitive: Primitive, place: int, arg: Any) -> Any:
    """Return what replaces an argument that no input reaches."""
    if not _has_rule(primitive, place):
        return np.asarray(unwrap(arg))
    if primitive.kind == "linear":  # it adds and moves sets, which numbers are not
        return nowhere(arg.shape)
    # a zero factor cuts the dependence only if it is a constant, not a zero at this point
    return np.asarray(unwrap(arg)) if level.zeros else np.ones(arg.shape)


def _option(name: str, option: object) -> Any:
    """Return an option for sets: no precision, and copies of lists that a primitive fills."""
    if name == "dtype":
        return object
    return list(option) if isinstance(option, list) else option


def _as_sources(found: object) -> Sets:
    """Return an array of sets, with empty sets for numbers that the primitive filled in."""
    found = np.asarray(found, object)
    if set(map(type, found.reshape(-1).tolist())) <= {Sources}:
        return found
    return np.asarray(_each_source(found), object)


def _source(x: object) -> Sources:
    if type(x) is np.ndarray:  # x[1] = v, where v is an array without axes
        x = x[()]
    if type(x) is Sources:
        return x
    if isinstance(x, (int, float, np.generic)):
        return NOWHERE
    raise TypeError(f"a set of inputs became {x!r}")


_each_source = np.frompyfunc(_source, 1, 1)


# --- the rules, transposed ------------------------------------------------------------------------


def _by_rules(
    level: Any,
    primitive: Any,
    args: Sequence[Array],
    y: Any,
    sets: Sequence[Any],
    options: dict[str, Any],
) -> tuple[Any, ...] | None:
    """Return the sets by the rules: which results send a cotangent to which number."""
    if primitive in level.trying:  # a rule that uses its own primitive tells nothing new
        return None
    results = y if type(y) is tuple else (y,)
    node = _node(primitive, args, y, sets, options)
    with level.inner(primitive) as inner, enable_grad():
        starts = np.cumsum([0, *[r.size for r in results]])
        seeds = [
            inner.leaf(np.ones(r.shape, r.dtype), int(i))
            for r, i in zip(results, starts[:-1], strict=True)
        ]
        try:
            given = contributions(node, tuple(seeds) if type(y) is tuple else seeds[0], (y, *args))
        except OBJECTIONS:
            return None
        reached = [inner.sources(g.data if type(g) is StructuralZero else g) for g in given]
    flat = _transpose(reached, sets, int(starts[-1]))
    parts = zip(np.split(flat, starts[1:-1]), results, strict=True)
    return tuple([part.reshape(r.shape) for part, r in parts])


def _node(
    primitive: Primitive, args: Sequence[Any], y: Any, sets: Any, options: dict[str, Any]
) -> Node:
    pairs = zip(args, sets, strict=True)
    inputs = tuple([CONSTANT_NODE if s is None else leaf_node(a) for a, s in pairs])
    several = type(y) is tuple
    node = Node(primitive, inputs, None if several else y.shape, None if several else y.dtype)
    node.options = options
    return node


def _transpose(reached: Sequence[Any], sets: Sequence[Any], size: int) -> Sets:
    """Return the sets of the results, from the results that each argument's element reaches."""
    together: dict[Any, Sources] = {}  # many numbers get to the same results
    for ends, begins in zip(reached, sets, strict=True):
        if ends is not None and begins is not None:
            for end, begin in zip(ends.flat, begins.flat, strict=True):
                together[end.of] = together.get(end.of, NOWHERE) + begin
    found = [NOWHERE] * size
    for of, begin in together.items():
        for place in indices_of(of):
            found[place] = found[place] + begin
    flat = np.empty(size, object)
    flat[:] = found
    return flat


# --- everything -----------------------------------------------------------------------------------


def _in_blocks(
    primitive: object,
    args: Sequence[Array],
    results: Sequence[Any],
    sets: Sequence[Any],
    options: dict[str, Any],
) -> tuple[Any, ...]:
    """Return sets where all results of a block depend on all its arguments."""
    depth = _count_stacked_axes(primitive, args, results, sets, options)
    total: Any = NOWHERE
    for s in sets:
        if s is not None:
            total = np.add.reduce(s.reshape(*s.shape[:depth], -1), axis=-1, initial=NOWHERE) + total
    shape = results[0].shape[:depth]
    total = as_sets(total).reshape(shape)
    return tuple([_spread(total, r.shape) for r in results])


def _spread(total: Any, shape: tuple[int, ...]) -> Sets:
    lengths = (*total.shape, *(1,) * (len(shape) - total.ndim))
    return np.broadcast_to(total.reshape(lengths), shape)


def _count_stacked_axes(
    primitive: object,
    args: Sequence[Array],
    results: Sequence[Any],
    sets: Sequence[Any],
    options: object,
) -> int:
    """Return how many leading axes the primitive treats member by member.

    Asked of numbers drawn at random, at both ends of an axis. What no input reaches may belong to
    all members together.
    """
    # at random, because zeros and ties would hide what meets; seeded, so that all runs agree
    draw = np.random.default_rng(0).standard_normal
    drawn = [draw(a.shape) if a.dtype.kind == "f" else unwrap(a) for a in args]
    for apart in ([True] * len(args), [s is not None for s in sets]):
        shapes = [a.shape for a, moves in zip(args, apart, strict=True) if moves]
        shapes += [y.shape for y in results]
        depth = 0
        while _alike(shapes, depth + 1) and _acts_alone(
            primitive, drawn, apart, options, depth + 1
        ):
            depth += 1
        if depth:
            return depth
    return 0


def _alike(shapes: Sequence[tuple[int, ...]], depth: int) -> bool:
    return all(len(s) >= depth and s[:depth] == shapes[0][:depth] for s in shapes)


def _acts_alone(
    primitive: Any, args: Sequence[Array], apart: Sequence[bool], options: Any, depth: int
) -> bool:
    """Return whether the first and the last member give the same alone as among all."""
    try:
        together = _results(primitive.forward(*args, **options))
        for key in ((0,) * depth, (-1,) * depth):
            pairs = zip(args, apart, strict=True)
            alone = _results(
                primitive.forward(*[a[key] if moves else a for a, moves in pairs], **options)
            )
            # not to the bit: BLAS adds in another order for another shape
            if not all(np.allclose(a[key], b) for a, b in zip(together, alone, strict=True)):
                return False
    except (*OBJECTIONS, IndexError, ArithmeticError):
        return False
    return True


def _results(y: object) -> tuple[Any, ...]:
    return y if type(y) is tuple else (y,)
