"""The product of a Hessian and a vector, forward over reverse.

The function is recorded as for a gradient. Then a forward pass computes the tangent, along the
vector, of all elements that a rule reads. A reverse pass propagates a gradient and its tangent:

    (t, ṫ) ↦ (rule(t, y, x), the rule's tangent along (ṫ, ẏ, ẋ))

Rules of + - * / and those that only mask are added to a `Chain`, which computes all of them in few
passes over memory. For any other rule a `JVPLevel` computes both, as it does for `jvp`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from ...engine.forward import forward_pass
from ...engine.node import ancestors
from ...engine.reverse import consumer_counts, reverse_steps
from ...levels.jvp import JVPLevel
from ...levels.level import Tracer
from ...ops.array.multi_output import PART, OutputGradients
from ...ops.array.structural_zero import StructuralZero, elements_of
from ..graph.node import Node, contributions, uses_mask
from ..graph.tangents import jvp
from ..graph.tensor import Tensor
from .chains import Chain, compute, jvp_kinds, vjp_kinds
from .dual_arrays import (
    Pair,
    add_tangents,
    jvp_contribution,
    mask_of,
    vjp_contribution,
)

__all__ = ["hessian_vector_product"]


def hessian_vector_product(
    root: Node, leaves: Sequence[Node], along: Sequence[Any], release: bool
) -> dict[Node, Any]:
    """Return the tangent of the gradient of ``root`` for each leaf, for tangents of the leaves.

    The nodes forget what they have saved on the way, if they are to ``release`` it.
    """
    with JVPLevel("hvp") as duals:
        passes = _Passes(duals, leaves)
        passes.run_forward(root, dict(zip(leaves, along, strict=True)))
        return passes.run_backward(root, release)


class _Passes:
    """The state of both passes: the tangents of all operands that rules read."""

    def __init__(self, duals: JVPLevel, leaves: Sequence[Node]) -> None:
        self.duals, self.leaves = duals, set(leaves)
        self.chains: dict[tuple[int, ...], Chain] = {}
        self.tangents: dict[Node, tuple[Any, ...]] = {}
        self.used: set[Node] = set()

    def run_forward(self, root: Node, along: Mapping[Node, Any]) -> None:
        """Compute the tangents of all nodes from those of the leaves."""
        self.used = _nodes_used(root)
        forward_pass(root, along, self._tangent)

    def run_backward(self, root: Node, release: bool) -> dict[Node, Any]:
        """Return the tangent of the gradient that arrives at each leaf."""
        found: dict[Node, Any] = {}
        seed = Pair(np.ones(root.shape, root.dtype), None)  # constant: no tangent
        for node, pair in reverse_steps(root, seed, consumer_counts(root), self._vjp):
            if not node._inputs:
                found[node] = pair and pair.dt  # the gradient itself is not asked for
            elif release:
                node.saved = None
        # chains run here, once for all leaves: what nothing refers to any more is never written
        return {leaf: compute(found.pop(leaf)) for leaf in list(found)}

    def _chain(self, shape: tuple[int, ...]) -> Chain:
        found = self.chains.get(shape)
        if found is None:
            found = self.chains[shape] = Chain(shape)
        return found

    # --- forward ----------------------------------------------------------------------------------

    def _tangent(self, node: Node, arriving: Sequence[Any]) -> Any:
        """Return the tangent of a node if it is used; store the tangents that its rules need."""
        # the tangent of the loss, for one, is read by no rule
        tangent = self._jvp(node, arriving) if node in self.used else None
        saved = zip(node.saved, (tangent, *arriving), strict=True)
        self.tangents[node] = tuple([t if _is_number(s) else None for s, t in saved])
        return tangent

    def _jvp(self, node: Node, arriving: Sequence[Any]) -> Any:
        if node._inputs[0] in self.leaves:  # the copy of an input
            return arriving[0]
        kinds = jvp_kinds(node, arriving)
        if kinds is None:
            return jvp(node, [compute(t) for t in arriving], node.saved)
        chain, total = self._chain(node.shape), None
        for index, (kind, t) in enumerate(zip(kinds, arriving, strict=True)):
            if kind:
                contribution = jvp_contribution(chain, node, index, kind, t)
                total = contribution if total is None else add_tangents(chain, total, contribution)
        return total

    # --- backward ---------------------------------------------------------------------------------

    def _vjp(self, node: Node, gradient: Any) -> list[Any]:
        """Return the contributions of a gradient, with their tangents."""
        if node._inputs[0] in self.leaves:  # the copy of an input
            return [gradient]
        # popped, so that tangents are freed as the pass proceeds
        tangents = self.tangents.pop(node, None) or (None,) * len(node.saved)
        if type(gradient) is Pair:
            kinds = vjp_kinds(node) if gradient.t.shape == node.shape else None
            if kinds:
                return self._vjp_by_chain(node, gradient, tangents, kinds)
            gradient = gradient.compute()
            if node._primitive is PART:
                return [OutputGradients({node.options["index"]: self._box_pair(gradient)})]
            if node._primitive.kind == "linear" or not any(m is not None for m in tangents):  # type: ignore[union-attr]
                return self._plain(node, gradient)
        return self._vjp_by_duals(node, gradient, tuple(map(_compute, tangents)))

    def _vjp_by_chain(
        self, node: Node, pair: Pair, tangents: tuple[Any, ...], kinds: tuple[Any, ...]
    ) -> list[Any]:
        chain = self._chain(node.shape)
        return [
            kind
            and self._for_operand(
                vjp_contribution(chain, node, index, kind, pair, tangents), parent
            )
            for index, (kind, parent) in enumerate(zip(kinds, node._inputs, strict=True))
        ]

    def _for_operand(self, pair: Pair, parent: Node) -> Any:
        """Return a contribution as its operand needs it: the copy of an input needs only the
        tangent.
        """
        if self._is_end(parent):
            return None if pair.dt is None else Pair(None, pair.dt)
        if pair.mask is not None and not uses_mask(parent):
            pair.mask = None
        return None if pair.t is None else pair

    def _is_end(self, parent: Node) -> bool:
        return bool(parent._inputs) and parent._inputs[0] in self.leaves

    def _plain(self, node: Node, pair: Pair) -> list[Any]:
        """Return the contributions if t alone has a tangent: a rule is linear in t."""
        tangents: list[Any] = [None] * len(node._inputs)
        if all(map(self._is_end, node._inputs)):
            given = tangents  # their tangents are not used
        else:
            given = contributions(node, pair.gradient, node.saved)
        if pair.dt is not None:
            masked = pair.mask is not None and node._primitive.kind == "pointwise"  # type: ignore[union-attr]
            tangents = contributions(
                node, StructuralZero(pair.dt, pair.mask) if masked else pair.dt, node.saved
            )
        pairs = zip(given, tangents, node._inputs, strict=True)
        return [self._both(t, dt, parent) for t, dt, parent in pairs]

    def _both(self, t: Any, dt: Any, parent: Node) -> Any:
        if type(t) is not OutputGradients and type(dt) is not OutputGradients:
            return self._for_operand(Pair(elements_of(t), elements_of(dt), mask_of(t)), parent)
        t = dt if t is None else t
        tangents = {i: None if dt is None else elements_of(dt[i]) for i in t}
        return OutputGradients(
            {i: self._box_pair(Pair(elements_of(t[i]), tangents[i], mask_of(t[i]))) for i in t}
        )

    # --- any other rule: on duals -----------------------------------------------------------------

    def _vjp_by_duals(self, node: Node, gradient: Any, tangents: tuple[Any, ...]) -> list[Any]:
        lifted = tuple(map(self._box, node.saved, tangents))
        gradient = self._box_pair(gradient) if type(gradient) is Pair else gradient
        given = contributions(node, gradient, lifted)
        pairs = zip(given, node._inputs, strict=True)
        return [s if type(s) is OutputGradients else self._unbox(s, parent) for s, parent in pairs]

    def _box_pair(self, pair: Pair) -> Any:
        t = self._box(pair.t, pair.dt)
        return t if pair.mask is None else StructuralZero(t, pair.mask)

    def _box(self, x: object, dx: Any) -> Any:
        """Return a dual of Tensors. Without a tangent, or for a number, return the argument
        unchanged.
        """
        if type(x) is tuple:
            return tuple(map(self._box, x, dx or [None] * len(x)))
        if not isinstance(x, (np.ndarray, np.generic)):
            return x
        primal = Tensor._of(x)
        return primal if dx is None else self.duals.box(primal, _as_tensor(dx))

    def _unbox(self, contribution: Any, parent: Node) -> Any:
        if contribution is None:
            return None
        data, mask = (
            (contribution.data, contribution.mask)
            if type(contribution) is StructuralZero
            else (contribution, None)
        )
        is_dual = isinstance(data, Tracer)  # else nothing that the rule read has a tangent
        t, dt = (data._primal, elements_of(data._payload)) if is_dual else (data, None)
        return self._for_operand(Pair(_array(t), _array(dt), mask), parent)


def _nodes_used(root: Node) -> set[Node]:
    """Return the nodes whose tangents are used: by a rule, or by the tangent of a consumer."""
    used: set[Node] = set()
    for node in reversed(ancestors(root)):  # consumers first
        saved = node.saved or (None,) * (len(node._inputs) + 1)
        if _is_number(saved[0]):  # a rule of this node reads its result
            used.add(node)
        passes_on = node in used
        for operand, number in zip(node._inputs, saved[1:], strict=True):
            if passes_on or _is_number(number):
                used.add(operand)
    return used


def _is_number(saved: Any) -> bool:
    return isinstance(saved, (np.ndarray, np.generic, tuple))


def _compute(t: Any) -> Any:
    return tuple(map(compute, t)) if type(t) is tuple else compute(t)


def _as_tensor(t: Any) -> Any:
    """Return a tangent as a Tensor."""
    return (
        StructuralZero(Tensor._of(t.data), t.mask)
        if type(t) is StructuralZero
        else Tensor._of(np.asarray(t))
    )


def _array(x: object) -> Any:
    x = getattr(x, "_data", x)
    return x if x is None else np.asarray(x)
