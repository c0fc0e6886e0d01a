"""Gradients with their tangents, and what chains do with them."""

from __future__ import annotations

from typing import Any, cast

import numpy as np

from ...ops.array.structural_zero import StructuralZero, elements_of
from ..graph.node import Node
from .chains import Chain, Lazy, compute

__all__ = ["Pair", "add_tangents", "jvp_contribution", "vjp_contribution", "mask_of"]


class Pair:
    """A gradient and its tangent, ``None`` for 0; neither is a contribution where it is ``mask``.

    ``own`` says whether its arrays are sums made for it, into which more may be added.
    """

    __slots__ = ("dt", "mask", "own", "t")

    dt: Any
    mask: Any
    own: bool
    t: Any

    def __init__(self, t: Any, dt: Any, mask: Any = None, own: bool = False) -> None:
        self.t, self.dt, self.mask, self.own = t, dt, mask, own

    def __add__(self, other: Pair) -> Pair:
        # a sum has no contribution only where neither part has one
        both = self.mask is not None and other.mask is not None
        mask = _combine(self.mask, other.mask, Chain.all_masked, np.logical_and) if both else None
        t, own = _sum(self.t, other.t, self.own)
        dt, own_too = _sum(self.dt, other.dt, self.own)
        return Pair(t, dt, mask, own and own_too)

    def compute(self) -> Pair:
        """Return the pair with arrays instead of pending results."""
        mask = compute(self.mask)
        mask = None if mask is None or not mask.any() else mask
        return Pair(compute(self.t), compute(self.dt), mask)

    @property
    def gradient(self) -> Any:
        """The gradient in the form of an ordinary backward pass."""
        return self.t if self.mask is None else StructuralZero(self.t, self.mask)


def _sum(a: Any, b: Any, own: bool) -> tuple[Any, bool]:
    """Return a + b, in place if ``a`` is an own array; and whether the result has no other
    reference.
    """
    if a is None or b is None:
        # `b` may be a residual that a rule returned unchanged: never add into it
        return (b, b is None) if a is None else (a, own)
    if own and type(a) is type(b) is np.ndarray:
        a += b
        return a, True
    return _combine(a, b, Chain.add, np.add), True


def _combine(a: Any, b: Any, later: Any, now: Any) -> Any:
    for x in (a, b):
        if type(x) is Lazy:  # adding now would run the chain, and write its result to memory
            return later(x.chain, a, b)
    return now(a, b)


def jvp_contribution(chain: Chain, node: Node, index: int, kind: Any, t: Any) -> Any:
    """Return the contribution of the tangent of one operand to the tangent of a node."""
    if kind[0] == "pass":  # the rule of add: nothing to compute
        return t
    numbers, mask = (t.data, t.mask) if type(t) is StructuralZero else (t, None)
    contribution, pass_if = chain.contribution(node._primitive, index, (numbers, *node.saved))
    if mask is not None:
        contribution = chain.fill_zeros(contribution, mask)
        pass_if = mask if pass_if is None else chain.any_masked(pass_if, mask)
    return contribution if pass_if is None else StructuralZero(contribution, cast(Any, pass_if))


def add_tangents(chain: Chain, a: Any, b: Any) -> Any:
    """Return the sum of two tangents, masked where both are."""
    total = chain.add(elements_of(a), elements_of(b))
    if type(a) is not StructuralZero or type(b) is not StructuralZero:
        return total
    return StructuralZero(total, chain.all_masked(a.mask, b.mask))  # type: ignore[arg-type]


def vjp_contribution(
    chain: Chain, node: Node, index: int, kind: Any, pair: Pair, tangents: tuple[Any, ...]
) -> Pair:
    """Return the contribution to one operand, and its tangent."""
    if kind[0] == "pass":
        return Pair(pair.t, pair.dt, pair.mask)
    at, pass_if, tangent = (pair.t, *node.saved), None, None
    # the tangent of what a rule does not read does not move its contribution
    read = [m if kind[1] >> i & 1 else None for i, m in enumerate((pair.dt, *tangents))]
    if kind[0] == "mask":
        contribution, pass_if = chain.contribution(node._primitive, index, at)
        # linear in t and flat in the arguments: the tangent is the same rule on ṫ
        if pair.dt is not None:
            tangent = chain.contribution(node._primitive, index, (pair.dt, *node.saved))[0]
    elif any(m is not None for m in read):
        contribution, tangent = chain.pair(node._primitive, index, at, read)
    else:
        contribution = chain.contribution(node._primitive, index, at)[0]
    if pair.mask is None:
        return Pair(contribution, tangent, pass_if)
    # a rule makes NaN of a structural zero times infinity, so the zeros are filled in once more
    masked = None if tangent is None else chain.fill_zeros(tangent, pair.mask)
    mask = pair.mask if pass_if is None else chain.any_masked(pass_if, pair.mask)
    return Pair(chain.fill_zeros(contribution, pair.mask), masked, mask)


def mask_of(t: Any) -> Any:
    """Return the mask of a gradient or a tangent; ``None`` if it has none."""
    return t.mask if type(t) is StructuralZero else None
