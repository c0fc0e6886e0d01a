"""What a user hears of a graph that was cut: the gradients of Values would stay 0 silently."""

from __future__ import annotations

from typing import Any

from ..core.places import name_in_program, warn_user
from ..errors import CutGraphWarning
from .cuts import cut_of

__all__ = ["flows", "reachable", "warn_of_a_cut"]


TO_LEAVES = (".data", "detach", "item", "no_grad")
"""What makes a leaf of a Value, and nothing else."""


def flows(node: Any, position: int) -> bool:
    """Return whether the primitive of ``node`` has a rule for an operand."""
    primitive = node._primitive
    if not primitive.differentiable or not primitive.rules:
        return False
    return getattr(primitive, "variadic", False) or primitive.rules[position] is not None


def reachable(root: Any) -> tuple[list[Any], list[Any]]:
    """Return the leaves to which gradients can flow from ``root``, and what stands in the way.

    The second list has the nodes with a primitive that has no derivative by one of its operands.
    """
    pending, seen = [root], {root}
    leaves, cuts = [], []
    for node in pending:  # grows during the loop
        if not node._inputs:
            leaves.append(node)
            continue
        operands = [o for o in enumerate(node._inputs) if type(o[1]) is not float]
        kept = [o for i, o in operands if flows(node, i)]
        if len(kept) < len(operands):
            cuts.append(node)
        fresh = [o for o in dict.fromkeys(kept) if o not in seen]
        seen.update(fresh)
        pending += fresh
    return leaves, cuts


def warn_of_a_cut(root: Any, paused: bool) -> None:
    """Warn if a graph of Values was cut, so that no gradient can reach a leaf.

    Masks are no cut: where relu blocks a gradient, another number lets it pass. ``paused`` is
    whether nothing is recorded now.
    """
    if root._inputs is None:  # freed by the pass
        return
    cuts: list[Any] = []
    if root._primitive is not None:
        leaves, cuts = reachable(root)
        if any(leaf._primitive is None for leaf in leaves):
            return
    cut = cut_of(lambda x: x is root)
    name = root.label or name_in_program(lambda x: x is root) or "the result"
    got, fix = f"{name} = {root.data:.6g}", ""
    if root._primitive is None and paused:
        got += ", computed inside no_grad(), which is still on"
        fix = "Compute the result and call backward() outside no_grad()."
    elif cut is not None and (cuts or cut.what in TO_LEAVES):
        got, fix = f"{got}, whose graph was probably cut by {cut.told}", f"{cut.fix}."
    elif cuts:
        names = ", ".join(dict.fromkeys(node.op for node in cuts))
        got = f"{got}, whose graph was cut by {names}, without a derivative"
        fix = "Use a smooth operation instead."
    else:
        return
    warn_user(
        CutGraphWarning(
            where="backward()",
            expected="a result that depends on a Value",
            got=f"{got}; every gradient is 0",
            fix=fix,
        )
    )
