"""Gradients of an adopted program beside those of JAX, and the equations that differ."""

from __future__ import annotations

from collections.abc import Sequence
from math import isfinite
from typing import Any

import numpy as np

from ...engine.node import ancestors
from ...engine.reverse import consumer_counts, reverse_steps
from ...ops.array.structural_zero import elements_of
from ...tensor import Tensor
from ...tensor.graph.backward import leaf_gradients
from ...tensor.graph.node import vjp
from ..agreement import Agreement, gap
from ..dialects import densify
from ..values import Operand, array_of, is_live
from .calling import eps_of, inexact, vjp_by_jax, vjp_of
from .reading import Evaluated, Reader

__all__ = ["differing"]


def differing(
    root: Any, seed: Any, tape: Sequence[Evaluated], agreement: Agreement
) -> tuple[frozenset[int], float]:
    """Return the equations whose contributions are others than those of JAX.

    The second result is the largest gradient in the graph.
    """
    with np.errstate(all="ignore"):
        steps = reverse_steps(root, seed, consumer_counts(root), vjp)
        found = {node: elements_of(t) for node, t in steps if t is not None}
        nodes = {*ancestors(root)}
        used = [a for a in tape if any(is_live(y) and y._node in nodes for y in a.ys)]
        sizes = [float(np.abs(t).max(initial=0.0)) for t in found.values() if hasattr(t, "shape")]
        wrong = frozenset(a.index for a in used if _differs(a, found, agreement))
        return wrong, max([x for x in sizes if isfinite(x)], default=0.0)


def _differs(applied: Evaluated, cotangents: dict[Any, Any], agreement: Agreement) -> bool:
    eqn = applied.eqn
    floats = [i for i, y in enumerate(applied.ys) if is_live(y) and inexact(eqn.outvars[i].aval)]
    live = [i for i, x in enumerate(applied.xs) if is_live(x)]
    ts = [_cotangent(applied.ys[i], cotangents) for i in floats]
    run, args = vjp_of(eqn, applied.xs, live, floats)
    try:
        theirs = vjp_by_jax(run, args, ts)
    except Exception:  # JAX has no derivative of it: nothing to compare with
        return False
    ours = _contributions(applied, live, floats, ts)
    eps = max(eps_of(eqn.invars[i].aval) for i in live)
    pairs = zip(ours, theirs, strict=True)
    return any(agreement.is_more(gap(a, array_of(b)), eps) for a, b in pairs)


def _cotangent(y: Operand, cotangents: dict[Any, Any]) -> Any:
    found = cotangents.get(y._node)
    return np.zeros(y.shape, y.dtype) if found is None else np.asarray(found)


def _contributions(
    applied: Evaluated, live: Sequence[int], floats: Sequence[int], ts: Sequence[Any]
) -> list[Any]:
    """Return the contributions of one equation, evaluated once more on leaves of its own."""
    from ..adoption import Adoption

    xs = list(applied.xs)
    leaves = [Tensor(xs[i]._data, requires_grad=True) for i in live]
    for i, leaf in zip(live, leaves, strict=True):
        xs[i] = leaf
    reader = Reader(Adoption("jax"), frozenset())
    ys = reader.apply(applied.eqn, xs, applied.place)
    total: dict[Any, Any] = {}
    for i, t in zip(floats, ts, strict=True):
        if not is_live(ys[i]):
            continue
        densify(ys[i]._node, "jax")
        for node, found in leaf_gradients(ys[i]._node, t.astype(ys[i].dtype), False):
            if found is not None:
                total[node] = total[node] + found if node in total else np.asarray(found)
    zeros = [np.zeros(leaf.shape, leaf.dtype) for leaf in leaves]
    return [total.get(x._node, z) for x, z in zip(leaves, zeros, strict=True)]
