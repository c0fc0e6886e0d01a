"""The backward pass through Tensors: checks and storage around the pure pass of `engine`."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from itertools import chain
from sys import getrefcount
from typing import Any
from weakref import WeakSet

import numpy as np

from ...causes.cuts import cut_of, frozen
from ...causes.shared_graphs import freed_graph
from ...core.array_primitive import OutputGradients
from ...core.backend import arrays
from ...core.carrier import is_tensor
from ...core.expect import describe
from ...core.places import user_frames
from ...engine.forward import forward_pass
from ...engine.node import assign, inputs_of, pass_lock
from ...engine.observing import notify_backward, observers
from ...engine.recording import recording
from ...engine.reverse import OutputSum, consumer_counts, reverse_steps
from ...engine.value import enable_grad, engine, swapped
from ...errors import FreedGraphError, NotANumberError, OptionError, SizeError
from ...libraries import LibraryArray
from ...libraries.held import CONVERSION
from ...ops.array.structural_zero import StructuralZero
from .convert import ValueSource, array_like, as_array, copied, ones_of, zeros_of
from .fast import compiled
from .node import CONSTANT_NODE, Node, contributions, jvp, lift_residuals, vjp

__all__ = ["backward", "explained", "gradients", "leaves", "show_gradients", "tangent"]


def backward(root: object, gradient: Any, retain_graph: bool) -> None:
    """Store the gradients of a backward pass from ``root``; free the graph unless retained."""
    if not isinstance(retain_graph, bool):
        raise OptionError(
            where="backward(retain_graph=...)",
            expected="True or False",
            got=describe(retain_graph),
            fix="Pass the gradient first: backward(gradient, retain_graph=True).",
        )
    node, seed = _root(root), _seed(root, gradient)

    def finish(found: list[tuple[Any, Any]]) -> tuple[list[Any], Any]:
        totals, values = _totals(found)
        result: Any = root._data  # type: ignore[attr-defined]
        kinds = kinds_of([result, *totals])
        if kinds or explained:
            pairs = [(leaf, total) for (leaf, _), total in zip(found, totals, strict=True)]
            _explain(kinds, node, seed, pairs, result)
        return totals, values

    with pass_lock, np.errstate(all="ignore"):
        try:
            sweep = leaf_gradients_in_python if type(seed) is LibraryArray else leaf_gradients
            sweep(node, seed, not retain_graph, finish)
        except FreedGraphError:
            raise freed_graph(node) from None
        except OptionError as error:
            if error.where is not CONVERSION:
                raise
            # compiled code makes NumPy's arrays only; nothing has been stored before the error
            leaf_gradients_in_python(node, seed, not retain_graph, finish)


def _explain(kinds: int, node: Any, seed: Any, found: list[tuple[Any, Any]], result: Any) -> None:
    """Store with leaves why their gradients are not finite, or 0, before the graph is freed."""
    if kinds & NOT_FINITE:
        origin = arrays().remember(node, seed, found, result, bool(observers))
        notify_backward("backward", origin)
        return
    _forget(found)
    silent = [leaf for leaf, total in found if _is_new(leaf, total)] if kinds & ZEROS else ()
    if silent:
        arrays().remember_zeros(node, seed, silent, result)


NOT_FINITE, ZEROS = 1, 2
"""Bits of `kinds_of`: an array has an element that is not finite; an array has zeros only."""


def kinds_of(arrays: list[Any]) -> int:
    """Return what is among arrays, which takes a microsecond for a small network.

    Arrays of other libraries count as finite: to look would wait for the device.
    """
    if LibraryArray in map(type, arrays):
        return 0
    found: int | None = None if compiled is None else compiled.kinds(arrays)
    if found is not None:
        return found
    return (not all(map(_is_finite, arrays))) * NOT_FINITE | any(map(_is_zero, arrays)) * ZEROS


def _is_finite(x: Any) -> bool:
    array = np.asarray(x)
    return array.dtype.kind not in "fc" or bool(np.isfinite(array).all())


def _is_zero(x: Any) -> bool:
    """Return whether an array has elements, all of them 0."""
    return getattr(x, "size", 0) > 0 and not np.any(x)


explained: WeakSet[Node] = WeakSet()
"""The leaves that know what made a gradient non-finite, or 0. Almost always there are none."""


def _forget(found: Iterable[tuple[Any, Any]]) -> None:
    """Forget what made gradients non-finite, or 0: those of this pass are not."""
    if explained:
        for leaf, total in found:
            if leaf in explained and not (leaf.origin.kind == "zero" and _is_zero(total)):
                explained.discard(leaf)
                leaf.origin = None


def _is_new(leaf: Any, total: Any) -> bool:
    """Return whether nothing is known yet of a gradient of zeros."""
    return _is_zero(total) and type(leaf) is Node and leaf.origin is None


NUMBERS = 2
"""A value of ``release``: free only residuals, so that the graph can still be traversed."""

MANY = 2**20  # as in native/tensor/reverse.h
"""Elements from which on residuals are freed before a backward pass has succeeded."""


def _totals(found: list[tuple[Any, Any]]) -> tuple[list[Any], Any]:
    """Return the new gradient of each leaf, and a Value to continue from, or ``None``.

    The leaves that stand for Values get ``None``. The Value returned has all of these as operands,
    so that one pass of the scalar engine is enough.
    """
    values: list[Any] = []
    seeds: list[float] = []
    totals: list[Any] = []
    for leaf, contribution in found:
        if type(leaf) is not ValueSource:
            totals.append(_accumulated(leaf, contribution))
            continue
        totals.append(None)
        if contribution is not None:
            values += leaf.values
            seeds += np.ravel(contribution).tolist()
    if not values:
        return totals, None
    with enable_grad():
        return totals, engine.weighted_sum(seeds, values, 0.0)


def leaf_gradients_in_python(
    root: object, seed: object, release: int, finish: Callable[[Any], Any] | None = None
) -> list[tuple[Node, Any]]:
    """Return the leaves with their gradients.

    ``release`` is True to free the nodes, `NUMBERS` to free residuals on the way, and False to
    keep both. Several roots, with as many seeds, are given as tuples. The gradient of a leaf is
    ``None`` if masks block every path to it.

    With ``finish``, which is `_totals`, leaves and inner nodes store their gradients, and the graph
    is freed at the end. All of it happens in one step, or nothing if an error or an interrupt comes
    first. Only the residuals of huge arrays are freed on the way, because their memory is needed.
    """
    roots, seeds = (root, seed) if type(root) is tuple else ((root,), (seed,))
    # several results share ancestors, whose rules run once if one pass starts from all results
    start: Any = OutputSum(roots)
    leaves: list[tuple[Node, Any]] = []
    changes: list[tuple[Any, str, Any]] = []

    def contribution(node: Any, t: Any) -> Any:
        return seeds if node is start else contributions(node, t, node.saved)

    pending = consumer_counts(start)
    stored = _held(pending) if finish and release else set(pending)
    for node, gradient in reverse_steps(start, start, pending, contribution):
        if node is start:  # the sum of the roots is not part of the graph
            continue
        plain = gradient.data if type(gradient) is StructuralZero else gradient
        if not node._inputs:
            leaves.append((node, plain))
            continue
        if finish and gradient is not None and node in stored:
            plain = None if isinstance(plain, OutputGradients) else as_array(plain)
            changes.append((node, "grad", plain))
        if release == NUMBERS or (release and getattr(plain, "size", 0) >= MANY):
            node.saved = None
        if finish and release:
            changes += [(node, "_inputs", None), (node, "saved", None)]
        del plain, gradient  # not needed while the next one is computed
    if finish:
        totals, values = finish(leaves)
        pairs = zip(leaves, totals, strict=True)
        changes += [(leaf, "grad", total) for (leaf, _), total in pairs if total is not None]
        assign(changes, *[] if values is None else [partial(values._run_backward, 1.0, True)])
    return leaves


def _held(graph: Iterable[Any]) -> set[Any]:
    """Return the nodes that Tensors hold: those with more references than the graph itself has."""
    nodes = list(graph)
    counts = list(map(getrefcount, nodes))
    parts = [part for n in nodes for part in (n._inputs, getattr(n, "saved", None)) if part]
    inside = Counter(map(id, chain.from_iterable(parts)))  # arrays, too: a third of the time
    held = [n for n, count in zip(nodes, counts, strict=True) if count > ALONE + inside[id(n)]]
    return set(held)


ALONE = next(map(getrefcount, [object()])) + 1
"""The reference count of a node in a list and in a dictionary."""

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


def _accumulated(leaf: Node, gradient: Any) -> Any:
    """Return the gradient of a leaf with what one more pass has found."""
    if gradient is None:  # masks block every path: a gradient of 0.0, not a missing one
        gradient = zeros_of(leaf)
    if leaf.grad is not None:
        return as_array(leaf.grad + gradient)  # NumPy returns scalars for 0-d arrays
    return copied(gradient)  # because a rule may return an array that a node stores


def _root(root: Any) -> Any:
    if root._node is None:
        raise _without_graph(root)
    return root._node


def _without_graph(root: Any) -> OptionError:
    """Return the error for a result without a graph. It says where the graph was cut."""
    got, fix = repr(root), "Write Tensor(data, requires_grad=True) for what to differentiate by."
    cut = cut_of(lambda x: x is root)
    if recording.paused:
        got = f"{got}, computed inside no_grad(), which is still on"
        fix = "Compute the result and call backward() outside no_grad()."
    elif (module := frozen(user_frames()))[0]:
        name, count = module
        got = f"{got}; no parameter of {name} requires a gradient: all {count} are frozen"
        fix = f"Write `{name}.requires_grad_()`, or that of the layers to train."
    elif cut is not None:
        got = f"{got}, whose graph was probably cut by {cut.told}"
        fix = f"{cut.fix}."
    expected = "a result that depends on a Tensor with requires_grad=True"
    return OptionError(where="backward()", expected=expected, got=got, fix=fix)


def _seed(root: Any, gradient: Any) -> Any:
    if gradient is None:
        if root._data.size != 1:
            raise SizeError(
                where="backward()",
                expected="one number, or a gradient to start from",
                got=f"a Tensor of shape {root.shape}",
                fix="Reduce it first, y.sum().backward(), or pass the gradient: y.backward(g).",
            )
        return ones_of(root)  # (1, 1) is one number, too
    expected = "a gradient of shape {}, as the result has"
    fix = "Pass a gradient with the shape of the result."
    return array_like(gradient, root._data, "backward(gradient)", expected, fix)


def show_gradients(y: Any, seed: Any, found: Iterable[tuple[Any, Any]]) -> None:
    """Show observers what made one of the gradients ``found`` of ``y`` non-finite."""
    pairs = [(node, t) for node, t in found if type(node) is Node and not node._inputs]
    if kinds_of([t for _, t in pairs if t is not None]) & NOT_FINITE:
        notify_backward("backward", arrays().remember(y._node, seed, pairs, y._data, True))


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
    root = _root(y)
    if root._primitive is None and any(
        root in leaves(w._node) for w in wrt if w is not y and w._node is not None
    ):
        raise swapped(y)
    start = _seed(y, seed)

    # rules applied to Tensors record themselves, and so the gradient has a graph of its own
    def lift(node: Node, t: Any) -> list[Any]:
        return contributions(node, t, lift_residuals(kind, node))

    with pass_lock, np.errstate(all="ignore"):
        rule: Any = lift if create_graph else vjp
        given: Any = kind._of(start) if create_graph else start
        steps = reverse_steps(root, given, consumer_counts(root), rule)
        found = {
            node: g.data if type(g) is StructuralZero else g for node, g in steps if g is not None
        }
    if observers and not create_graph:
        show_gradients(y, start, found.items())
    # an explicit list of Tensors: those without a path to y have the gradient 0, not None
    zeros = (np.zeros_like(w._data) for w in wrt)
    pairs = zip(wrt, zeros, strict=True)
    results = [found.get(w._node, kind._of(z) if create_graph else z) for w, z in pairs]
    # copies, because a rule may return an array that a node stores
    return results if create_graph else [copied(g) for g in results]


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
        found = np.zeros_like(y._data)
    found = found.data if type(found) is StructuralZero else found
    linked = create_graph and isinstance(found, kind)
    return found if linked else kind._of(copied(found)) if create_graph else copied(found)


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
    v = array_like(getattr(v, "_data", v), x._data, "tangent(y, {x: v})")
    return kind._of(v) if create_graph else v
