"""The backward pass through Tensors: checks and storage around the pure pass of `engine`."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from ...core.carrier import is_tensor
from ...core.expect import describe
from ...engine.forward import forward_pass
from ...engine.node import inputs_of, pass_lock
from ...engine.reverse import OutputSum, consumer_counts, reverse_steps
from ...engine.value import engine
from ...errors import NotANumberError, OptionError, SizeError
from ...ops.array.multi_output import OutputGradients
from ...ops.array.structural_zero import StructuralZero
from .convert import ValueSource, to_array
from .fast import compiled
from .node import CONSTANT_NODE, Node, contributions, lift_residuals, vjp
from .tangents import jvp

__all__ = ["backward", "gradients", "leaves", "tangent"]


def backward(root: object, gradient: Any, retain_graph: bool) -> None:
    """Store the gradients of a backward pass from ``root``; free the graph unless it is
    retained.
    """
    if not isinstance(retain_graph, bool):
        raise OptionError(
            where="backward(retain_graph=...)",
            expected="True or False",
            got=describe(retain_graph),
            fix="Pass the gradient first: backward(gradient, retain_graph=True).",
        )
    node = _root(root)
    seed = _seed(root, gradient)
    # Values are collected: of one pass each, inner Values would store only the last gradient
    values: list[Any] = []
    seeds: list[float] = []
    # rules compute 0 / 0 at masked elements, as for where(x > 0, log(x), 0.0): nothing to warn of
    with pass_lock, np.errstate(all="ignore"):
        for leaf, contribution in leaf_gradients(node, seed, not retain_graph):
            if type(leaf) is ValueSource and contribution is not None:
                values += leaf.values
                seeds += np.ravel(contribution).tolist()
            elif type(leaf) is not ValueSource:
                _accumulate(leaf, contribution)
    if values:  # one pass of the scalar engine for all Values together
        engine.weighted_sum(seeds, values, 0.0).backward(retain_graph=True)  # Values' default


NUMBERS = 2
"""A value of ``release``: free only residuals, so that the graph can still be traversed."""


def leaf_gradients_in_python(
    root: object, seed: object, release: int, store: bool = True
) -> list[tuple[Node, Any]]:
    """Return the leaves with their gradients, and free the graph on the way.

    Inner nodes store their gradients if ``store``. ``release`` is True to free a node as a whole,
    `NUMBERS` to free its residuals only, and False to keep both.

    Several roots, with as many seeds, are given as tuples. The gradient of a leaf is ``None`` if
    masks block every path to it.
    """
    roots, seeds = (root, seed) if type(root) is tuple else ((root,), (seed,))
    # several results share ancestors, whose rules run once if one pass starts from all results
    start: Any = OutputSum(roots)
    leaves = []

    def contribution(node: Any, t: Any) -> Any:
        return seeds if node is start else vjp(node, t)

    # the seed of `start` only has to be something: `contribution` returns the seeds instead
    for node, gradient in reverse_steps(start, start, consumer_counts(start), contribution):
        if node is start:  # the sum of the roots is not part of the graph
            continue
        plain = gradient.data if type(gradient) is StructuralZero else gradient
        if node._inputs:
            if store and gradient is not None:
                # the gradients of a multi-output node are stored by the nodes of its outputs
                node.grad = None if isinstance(plain, OutputGradients) else np.asarray(plain)
            if release == NUMBERS:  # the caller still has to find what leaked
                node.saved = None
            elif release:
                node.release()
        else:
            leaves.append((node, plain))
    return leaves


leaf_gradients: Callable[..., list[tuple[Node, Any]]] = (
    leaf_gradients_in_python if compiled is None else compiled.sweep
)


def leaves_in_python(root: Node) -> list[Node]:
    """Return the leaves that ``root`` was computed from, level by level."""
    nodes = [root]
    found = {root, CONSTANT_NODE}  # the shared node of constants is not a leaf of the user
    for node in nodes:  # the list grows during the loop, one level after the other
        for operand in inputs_of(node):
            if operand not in found:
                found.add(operand)
                nodes.append(operand)
    return [node for node in nodes if node._primitive is None]


leaves: Callable[[Node], list[Node]] = leaves_in_python if compiled is None else compiled.leaves


def _accumulate(leaf: Node, gradient: Any) -> None:
    if gradient is None:  # masks block every path: a gradient of 0.0, not a missing one
        gradient = np.zeros(leaf.shape, leaf.dtype)
    if leaf.grad is not None:
        leaf.grad = np.asarray(leaf.grad + gradient)  # NumPy returns scalars for 0-d arrays
    else:  # a copy, because a rule may return an array that a node stores
        leaf.grad = np.array(gradient)


def _root(root: Any) -> Any:
    if root._node is None:
        raise OptionError(
            where="backward()",
            expected="a result that depends on a Tensor with requires_grad=True",
            got=repr(root),
            fix="Write Tensor(data, requires_grad=True) for what to differentiate by.",
        )
    return root._node


def _seed(root: Any, gradient: Any) -> Any:
    if gradient is None:
        if root.size != 1:
            raise SizeError(
                where="backward()",
                expected="one number, or a gradient to start from",
                got=f"a Tensor of shape {root.shape}",
                fix="Reduce it first, y.sum().backward(), or pass the gradient: y.backward(g).",
            )
        return np.ones(root.shape, root.dtype)  # (1, 1) is one number, too
    seed = to_array(gradient, root.dtype, "backward(gradient)")
    if seed.shape != root.shape:
        raise SizeError(
            where="backward(gradient)",
            expected=f"a gradient of shape {root.shape}, as the result has",
            got=f"shape {seed.shape}",
            fix="Pass a gradient with the shape of the result.",
        )
    return seed


def tensors_of(wrt: object) -> list[Any]:
    """Return ``wrt`` as a list of Tensors that take part in gradients."""
    members = list(wrt) if isinstance(wrt, Iterable) else [wrt]
    for member in members:
        if not is_tensor(member):
            raise NotANumberError(
                where="gradients(wrt=...)",
                expected="Tensors, because y is a Tensor",
                got=describe(member),
                fix="Use y.backward(), which propagates to Values too.",
            )
    return members


def gradients(y: Any, wrt: list[Any], seed: object, create_graph: bool) -> list[Any]:
    """Return the gradient for each of ``wrt``, as arrays or as Tensors, without storing any."""
    kind = type(y)
    root, start = _root(y), _seed(y, seed)

    # rules applied to Tensors record themselves, and so the gradient has a graph of its own
    def lift(node: Node, t: Any) -> list[Any]:
        return contributions(node, t, lift_residuals(kind, node))

    with pass_lock, np.errstate(all="ignore"):
        steps = (
            reverse_steps(root, kind._of(start), consumer_counts(root), lift)
            if create_graph
            else reverse_steps(root, start, consumer_counts(root), vjp)
        )
        found = {
            node: g.data if type(g) is StructuralZero else g for node, g in steps if g is not None
        }
    # an explicit list of Tensors: those without a path to y have the gradient 0, not None
    zeros = (np.zeros(w.shape, w.dtype) for w in wrt)
    results = [
        found.get(w._node, kind._of(z) if create_graph else z)
        for w, z in zip(wrt, zeros, strict=True)
    ]
    # copies, because a rule may return an array that a node stores
    return results if create_graph else [np.array(g) for g in results]


def tangent(y: Any, given: Mapping[Any, Any], create_graph: bool = False) -> Any:
    """Return the tangent of ``y`` for the given tangents of Tensors: J v."""
    kind = type(y)
    directions = {
        x._node: _direction(kind, x, v, create_graph)
        for x, v in given.items()
        if x._node is not None  # nothing depends on a constant
    }

    def pass_on(node: Node, tangents: Sequence[Any]) -> Any:
        saved = lift_residuals(kind, node) if create_graph else node.saved
        return jvp(node, tangents, saved)

    with pass_lock, np.errstate(all="ignore"):
        found = None if y._node is None else forward_pass(y._node, directions, pass_on)
    if found is None:  # y does not depend on any of them
        found = np.zeros(y.shape, y.dtype)
    found = found.data if type(found) is StructuralZero else found
    if create_graph:
        return found if isinstance(found, kind) else kind._of(np.array(found))
    return np.array(found)


def _direction(kind: Any, x: Any, v: Any, create_graph: bool) -> Any:
    """Return the tangent of one Tensor as an array, or as a Tensor if it is recorded."""
    if v.shape != x.shape if hasattr(v, "shape") else np.shape(v) != x.shape:
        raise SizeError(
            where="tangent(y, {x: v})",
            expected=f"v of shape {x.shape}, as x has",
            got=f"shape {np.shape(v)}",
            fix="Pass a tangent with the shape of its Tensor.",
        )
    if create_graph and isinstance(v, kind):  # v may have a graph of its own, which continues
        return v
    v = to_array(getattr(v, "_data", v), x.dtype, "tangent(y, {x: v})")
    return kind._of(v) if create_graph else v
