"""Forward mode: `jvp` and `linearize`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from ..engine.value import enable_grad
from ..levels.jvp import JVPLevel
from ..levels.vjp import VJPLevel
from .arguments import Inputs, inputs_of, outputs_of, seeds_like
from .gradients import expect_function, parted
from .results import dense, lowered, outside

__all__ = ["jvp", "linearize"]


def jvp(
    f: Callable[..., Any],
    primals: Sequence[Any],
    tangents: Sequence[Any],
    *,
    argnums: Any = None,
    has_aux: bool = False,
) -> tuple[Any, ...]:
    """The result of ``f`` and its tangent when the arguments move: forward mode.

        (x, ẋ) ↦ (f(x), ∂f/∂x · ẋ)

    ``primals`` is the tuple of all arguments, ``tangents`` one tangent for each, or for each that
    ``argnums`` names (for an int the tangent itself), in the same structure and shapes. Nothing is
    recorded: memory does not grow with the length of the program. ``has_aux``: ``f`` returns
    ``(result, aux)``, and aux comes third.

    >>> from gradwalk import jvp
    >>> jvp(lambda x, y: x * y, (2.0, 3.0), (1.0, 10.0))
    (6.0, 23.0)
    """
    expect_function(f, "jvp")
    inputs, args = _inputs(f, primals, argnums, "jvp")
    moving = _tangents(tangents, inputs, args, "jvp(tangents)")
    with JVPLevel("jvp") as duals, enable_grad():
        pairs = zip(inputs.primals, moving, strict=True)
        result = inputs.call([duals.box(x, t) for x, t in pairs])
    y, aux = parted(result, "jvp") if has_aux else (result, None)
    ys, tree = outputs_of(y, "jvp")
    moved = tree.build(dense([duals.tangent(y) for y in ys], ys))
    value, aux = lowered((y, aux), duals)
    value, moved, aux = outside((value, moved, aux), inputs.leaves)
    return (value, moved, aux) if has_aux else (value, moved)


def linearize(
    f: Callable[..., Any], *primals: Any, argnums: Any = None, **options: Any
) -> tuple[Any, Callable[..., Any]]:
    """The result of ``f``, and its derivative there as a linear function of tangents.

        y = f(x),   ẋ ↦ ∂f/∂x · ẋ

    ``f`` runs once; every call of the linear function walks the record forward, which is cheaper
    than `jvp` once there are several. It takes one tangent per argument (per argument that
    ``argnums`` names).

    >>> from gradwalk import linearize
    >>> y, forward = linearize(lambda x: x**3, 2.0)
    >>> y, forward(1.0), forward(10.0)
    (8.0, 12.0, 120.0)
    """
    expect_function(f, "linearize")
    wanted = tuple(range(len(primals))) if argnums is None else argnums
    inputs = inputs_of(f, primals, options, wanted, "linearize")
    with VJPLevel("linearize") as tape, enable_grad():
        leaves = [tape.leaf(x) for x in inputs.primals]
        steps = [leaf._payload for leaf in leaves]
        y = inputs.call(leaves)
    ys, tree = outputs_of(y, "linearize")
    del leaves

    def forward(*tangents: Any) -> Any:
        args = tangents[0] if inputs.single and len(tangents) == 1 else tangents
        moving = dict(zip(steps, _seeds(args, inputs, "linearize: forward(tangents)"), strict=True))
        found = dense(tape.tangents(ys, moving), ys)
        return outside(tree.build(found), inputs.leaves)

    return outside(lowered(y, tape), inputs.leaves), forward


def _inputs(f: Callable[..., Any], primals: Any, argnums: Any, where: str) -> tuple[Inputs, Any]:
    args = tuple(primals) if isinstance(primals, (tuple, list)) else (primals,)
    wanted = tuple(range(len(args))) if argnums is None else argnums
    return inputs_of(f, args, {}, wanted, where), args


def _tangents(tangents: Any, inputs: Inputs, args: Any, where: str) -> list[Any]:
    if not isinstance(tangents, (tuple, list)) and not inputs.single:
        tangents = (tangents,)
    return _seeds(tangents, inputs, where)


def _seeds(tangents: Any, inputs: Inputs, where: str) -> list[Any]:
    if inputs.single:
        tangents = (tangents,)
    elif isinstance(tangents, list):
        tangents = tuple(tangents)
    return seeds_like(tangents, inputs.primals, inputs.tree, where)
