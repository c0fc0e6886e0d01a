"""Forward mode through the nodes of Tensors.

No primitive has a second rule for forward mode. The Jacobian of a pointwise primitive is diagonal,
so its rules are VJP and JVP at once. A linear primitive is its own JVP, and a product is linear in
one factor at a time. For any other primitive the VJP is transposed.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ...core.carrier import is_tensor
from ...core.primitive import Primitive
from ...engine.node import CONSTANT
from ...engine.value import enable_grad
from ...levels.level import Tracer
from ...levels.vjp import VJPLevel
from ...levels.vmap import varies
from ...ops.array.evaluation import rules_of
from ...ops.array.multi_output import PART
from ...ops.array.structural_zero import StructuralZero, elements_of, masked_again, untouched
from ...ops.array.structure import astype, broadcast_to
from .node import Node, contributions

__all__ = ["pointwise", "jvp"]

Tangents = Sequence[Any]


def jvp(node: Node, tangents: Tangents, saved: tuple[Any, ...]) -> Any:
    """Return the tangent of ``node``, on arrays or on the Tensors in ``saved``; ``None`` is 0."""
    primitive: Any = node._primitive
    if primitive is PART:
        return tangents[0][node.options["index"]]  # the tuple is the tangent of the joint node
    if hasattr(primitive, "joint_push"):
        return primitive.joint_push(node, tangents, saved)
    if primitive.kind == "pointwise":
        return pointwise(primitive, node, tangents, saved)
    # masks block every tangent: no rule needs to be evaluated
    if all(type(t) is StructuralZero and _all(t.mask) for t in tangents if t is not None):
        return None
    calls = _calls(node, tangents, saved)
    if calls is None:
        return _transpose_vjp(node, [elements_of(t) for t in tangents], saved)
    return _apply_calls(node, calls, tangents)


def _all(shut: Any) -> bool:
    """Return whether a condition holds for all elements, in all examples of a batch."""
    return not varies(shut) and bool(shut.all())


def _fit(t: Any, node: Node) -> Any:
    """Return a tangent in the shape and precision of the result."""
    if type(t) is StructuralZero:
        return StructuralZero(_fit(t.data, node), np.broadcast_to(t.mask, node.shape))
    if not hasattr(t, "shape"):
        t = broadcast_to(t, shape=()) if isinstance(t, Tracer) else np.asarray(t)
    if t.shape != node.shape:
        t = broadcast_to(t, shape=node.shape)
    return t if t.dtype == node.dtype else astype(t, dtype=node.dtype)


# --- pointwise: the rules are their own transposes ------------------------------------------------


def pointwise(primitive: Primitive, like: Any, tangents: Tangents, saved: tuple[Any, ...]) -> Any:
    """Return the tangent of a result in the shape and precision of ``like``."""
    total: Any = None
    for rule, t in zip(rules_of(primitive), tangents, strict=True):
        if rule is None or t is None:
            continue
        t = _fit(t, like)
        takes = type(t) is not StructuralZero or hasattr(rule, "takes_masks")
        contribution = rule(t if takes else t.data, *saved)
        if contribution is None:  # one condition for all elements has blocked it
            continue
        contribution = contribution if takes else masked_again(contribution, t.mask)
        contribution = _fit(contribution, like)
        total = contribution if total is None else _sum(total, contribution, (*tangents, *saved))
    return total


def _sum(total: Any, contribution: Any, others: tuple[Any, ...]) -> Any:
    """Return ``total`` plus a contribution, in place if ``total`` has no other reference."""
    a, b = _plain(total), _plain(contribution)
    # a view lies in the memory of another array; numbers without axes save nothing
    if a is None or b is None or a.base is not None or not a.shape:
        return total + contribution
    # a rule may return one of its arguments unchanged, which must not be overwritten
    if any(getattr(x, "_data", x) is a for x in others if not isinstance(x, Tracer)):
        return total + contribution
    np.add(a, b, out=a)
    return total


def _plain(x: Any) -> Any:
    """Return the array in a Tensor without a gradient; ``None`` for anything else."""
    constant = type(x) is not np.ndarray and is_tensor(x) and not isinstance(x, Tracer)
    if constant and x._node is None:
        x = x._data
    return x if type(x) is np.ndarray else None  # arrays of other libraries may be read-only


# --- linear and multilinear: the primitive itself -------------------------------------------------


def _calls(node: Node, tangents: Tangents, saved: tuple[Any, ...]) -> list[list[Any]] | None:
    """Return the arguments of each application of the primitive, ``...`` in place of tangents."""
    primitive: Any = node._primitive
    args = saved[1:]
    # no rule for the indices of `pick`: neither a tangent nor a zero can stand for them
    if primitive.kind == "general" or None in primitive.rules or primitive.outputs > 1:
        return None
    if primitive.kind == "linear":
        # linear in all arguments together: concat(x, c) ↦ concat(ẋ, 0), one call
        operands = zip(tangents, node._inputs, strict=True)
        calls = [[_zeros(parent) if t is None else ... for t, parent in operands]]
    else:
        # linear in each argument: the product rule, one call for each factor with a tangent
        with_tangent = [i for i, t in enumerate(tangents) if t is not None]
        calls = [[... if k == i else a for k, a in enumerate(args)] for i in with_tangent]
    # a node in place of an array: the argument was not saved, so only the transpose is left
    unknown = any(isinstance(a, Node) for call in calls for a in call)
    return None if unknown else calls


def _zeros(parent: Node) -> Any:
    """Return the zero tangent of an argument of a linear primitive."""
    # constants share a node, which has no shape: `_calls` then resorts to the transpose
    return parent if parent._primitive is CONSTANT else np.zeros(parent.shape, parent.dtype)


def _apply_calls(node: Node, calls: list[list[Any]], tangents: Tangents) -> Any:
    primitive: Any = node._primitive
    total: Any = None
    for call in calls:
        here = [i for i, a in enumerate(call) if a is ...]
        t = _fit(primitive(*_fill(call, elements_of, tangents), **node.options), node)
        if all(type(tangents[i]) is StructuralZero for i in here):  # else no element is masked
            reached = primitive(*_fill(call, _nan_unmasked, tangents), **node.options)
            t = StructuralZero(t, untouched(reached))
        total = t if total is None else total + t
    return total


def _fill(call: list[Any], make: Callable[[Any], Any], tangents: Tangents) -> list[Any]:
    return [make(t) if a is ... else a for a, t in zip(call, tangents, strict=True)]


def _nan_unmasked(t: Any) -> np.ndarray[Any, Any]:
    """Find unmasked elements by a NaN, which spreads like any number and never cancels."""
    return np.where(t.mask, 0.0, np.nan)


# --- general: the VJP transposed ------------------------------------------------------------------


def _transpose_vjp(node: Node, tangents: Tangents, saved: tuple[Any, ...]) -> Any:
    """Return J v by transposing twice: the rule u ↦ Jᵀ u is linear, so its own VJP is v ↦ J v."""
    y = saved[0]
    results = y if type(y) is tuple else (node,)
    # any u would do, since the map is linear; inside no_grad this tape must record all the same
    with VJPLevel("the transpose of a VJP") as tape, enable_grad():
        u = tuple(tape.leaf(np.zeros(r.shape, r.dtype)) for r in results)
        given = contributions(node, u if type(y) is tuple else u[0], saved)
        skipped = [
            contribution is None or t is None
            for contribution, t in zip(given, tangents, strict=True)
        ]
        found = tape.gradients(
            [
                None if skip else elements_of(contribution)
                for contribution, skip in zip(given, skipped, strict=True)
            ],
            tangents,
        )
    # a u that `found` lacks reached no contribution, so that result has the tangent 0
    tangents = [elements_of(found.get(c._payload, np.zeros(c.shape, c.dtype))) for c in u]
    return tangents if type(y) is tuple else _fit(tangents[0], node)
