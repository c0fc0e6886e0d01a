"""Graphs of Tensors as programs, with the arrays that there are.

A node stores its residuals only. Other arrays are found in Tensors that the program still holds, or
computed again from those.
"""

from __future__ import annotations

import gc
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from typing import Any

import numpy as np

from ...core.array_primitive import OutputGradients
from ...core.carrier import Carrier, is_tensor
from ...core.leaked import Leaked
from ...engine.node import ancestors
from ...engine.reverse import OutputSum
from ...errors import OptionError
from ...levels.level import Tracer
from ...libraries import LibraryArray
from ...ops.array.evaluation import function_of
from ...ops.array.multi_output import PART
from ...program.builder import Builder
from ...program.program import number_of
from ...program.run import Run
from .convert import ValueSource
from .node import CONSTANT_NODE, Node, constant_of, contributions

__all__ = ["ArrayRun", "handles_of", "run_of_nodes", "run_of_tensors"]

Array = np.ndarray[Any, Any]
KNOWN: tuple[type, ...] = (np.ndarray, np.generic, LibraryArray, float, int)


def handles_of(nodes: Sequence[Any]) -> dict[Any, Any]:
    """Return the Tensors that belong to ``nodes``, as far as they still exist."""
    wanted = {node for node in nodes if node is not None}
    if not wanted:
        return {}
    # not gc.get_referrers, which compares each object with each node: 4 s for 20,000 nodes
    found = [x for x in gc.get_objects() if issubclass(type(x), Carrier) and type(x)._is_tensor]
    tensors = [x for x in found if not isinstance(x, (Tracer, Leaked))]
    return {x._node: x for x in tensors if x._node in wanted}


class ArrayRun(Run):
    """A run of a program on arrays. ``makers`` has the node of each equation."""

    def __init__(self, program: Any, env: list[Any], where: Any, makers: list[Node]) -> None:
        super().__init__(program, env, where)
        self.makers: list[Node] = makers

    def shape(self, atom: int) -> tuple[int, ...]:
        """Return the shape of a variable or a constant, even if its numbers are gone."""
        node = self.nodes[atom] if atom >= 0 else None
        return np.shape(self.number(atom)) if node is None else node.shape

    def evaluated(self, k: int, args: Sequence[Any]) -> Any:
        """Return what the operation of equation k makes of other operands."""
        y = _function(self.program.primitive(k))(*args, **self.program.params.get(k, {}))
        return tuple(y) if type(y) is list else y

    def pull(self, k: int, t: Any) -> Sequence[Any]:
        """Return the contributions of a cotangent of equation k, by the residuals of its node."""
        node = self.makers[k]
        if node.shape is None:  # an operation with several results, or with one of several
            t = OutputGradients(t if isinstance(t, dict) else {0: t})
        return contributions(node, t, node.saved)

    def seed(self) -> Array:
        """Return the cotangent 1 of every element of the result."""
        y = self.number(self.root)
        return np.ones(np.shape(y), y.dtype)

    def quiet(self) -> AbstractContextManager[object]:
        """Return a context without warnings of NumPy."""
        return np.errstate(all="ignore")

    def pull_of(self, k: int, t: Any, y: Any, args: Sequence[Any]) -> Sequence[Any]:
        """Return the contributions that other numbers of equation k would give."""
        return contributions(self.makers[k], t, (y, *args))

    def handles(self) -> list[Any]:
        """Return the Tensors that the inputs are; ``None`` for one that is gone."""
        nodes = self.nodes[: self.program.inputs]
        found = handles_of(nodes)
        return [n if type(n) is ValueSource else found.get(n) for n in nodes]

    def again(self) -> object:
        """Return the result for the arrays that the leaves have now; ``None`` without a leaf."""
        for i, tensor in enumerate(self.handles()):
            if tensor is not None:
                self.env[i] = number_of(tensor)
        self.env[self.program.inputs :] = [None] * (self.program.variables - self.program.inputs)
        self.fill()
        return self.number(self.root)

    def release(self) -> None:
        """Free the graph, as a backward pass does."""
        for node in (*self.where, *self.makers):
            node.release()

    def fill(self) -> None:
        """Compute what is missing of numbers that are there."""
        program, env, consts = self.program, self.env, self.program.consts
        first, atoms, outs = program.first, program.atoms.tolist(), program.outs
        start = program.inputs
        with self.quiet():
            for k in range(len(program)):
                results = range(start + k, start + k + 1) if outs is None else program.results(k)
                if all(env[a] is not None for a in results):
                    continue
                args = [env[a] if a >= 0 else consts[~a] for a in atoms[first[k] : first[k + 1]]]
                if any(a is None for a in args):
                    continue
                y = self.evaluated(k, args)
                for a, x in zip(results, y if type(y) is tuple else (y,), strict=True):
                    if env[a] is None:
                        env[a] = x if type(x) is LibraryArray else np.asarray(x)


def _function(primitive: Any) -> Callable[..., Any]:
    """Return an operation on arrays."""
    return getattr(primitive, "again", None) or function_of(primitive)


def run_of_tensors(tensors: Sequence[Any], whole: bool = True) -> Run:
    """Return the run of the graphs of Tensors, ``whole`` as `run_of` has it."""
    for t in tensors:
        if not is_tensor(t) or t._node is None:
            raise OptionError(
                where="program_of(result)",
                expected="a Tensor that takes part in gradients",
                got=repr(t),
                fix="Write Tensor(data, requires_grad=True) before the computation.",
            )
    return run_of_nodes([t._node for t in tensors], {t._node: t._data for t in tensors}, whole)


def run_of_nodes(roots: Sequence[Node], given: Mapping[Node, Any], whole: bool = True) -> ArrayRun:
    """Return the run of the graphs of nodes, of which ``given`` has some arrays."""
    root: Any = roots[0] if len(roots) == 1 else OutputSum(tuple(roots))
    walk: list[Any] = ancestors(root, whole=whole)
    order = [node for node in walk if type(node) is not OutputSum]
    builder, makers = Builder(), list[Node]()
    where: dict[Any, int] = dict.fromkeys(order, 0)  # in the order of the walk
    counts = _counts(order)
    for node in order:
        if _is_input(node):
            where[node] = builder.input(name=node.label)
    for node in order:
        if _is_input(node):
            continue
        if node._primitive is PART:
            where[node] = where[node._inputs[0]] + node.options["index"]
        else:
            where[node] = _add(builder, node, where, counts.get(node, 1))
            makers.append(node)
        if node.label:
            builder.names[where[node]] = node.label
    program = builder.program([where[x] for x in roots])
    env = _numbers(order, where, program.variables, given)
    for node in order:
        if node.shape is None:  # it is known by its results
            del where[node]
    run = ArrayRun(program, env, where, makers)
    run.fill()
    return run


def _is_input(node: Any) -> bool:
    """Return whether a node is a leaf, or was freed, or is a part of what was."""
    return not node._inputs or (node._primitive is PART and node._inputs[0]._inputs is None)


def _counts(order: Sequence[Any]) -> dict[Any, int]:
    """Return how many results the operations with several results have."""
    found: dict[Any, int] = {}
    for node in order:
        if node._primitive is PART and not _is_input(node):
            (joint,) = node._inputs
            found[joint] = max(found.get(joint, 1), node.options["index"] + 1)
        elif node._inputs and node.shape is None:
            kept = node.saved[0] if node.saved else None
            count = len(kept) if type(kept) is tuple else getattr(node._primitive, "count", 1)
            found[node] = max(found.get(node, 1), count)
    return found


def _add(builder: Builder, node: Node, where: Mapping[Any, int], count: int) -> int:
    operands = []
    for i, operand in enumerate(node._inputs):
        if operand is not CONSTANT_NODE:
            operands.append(where[operand])
            continue
        x: Any = constant_of(node, i)
        known = type(x) is float
        operands.append(builder.constant(x) if known else builder.constant_once(id(x), x))
    assert node._primitive is not None
    return builder.add(node._primitive, operands, node.options, count, node.line)


def _numbers(
    order: Sequence[Any], where: Mapping[Any, int], size: int, given: Mapping[Node, Any]
) -> list[Any]:
    """Return the arrays of nodes that are there: residuals, and those of living Tensors."""
    env: list[Any] = [None] * size
    for node, x in given.items():
        env[where[node]] = x
    for node in order:
        if type(node) is ValueSource:
            env[where[node]] = node.data
        for operand, kept in zip(node._inputs or (), (node.saved or ())[1:], strict=False):
            if operand is not CONSTANT_NODE and isinstance(kept, KNOWN):
                env[where[operand]] = kept
        result = node.saved[0] if node.saved and node._inputs else None
        for i, x in enumerate(result if type(result) is tuple else (result,)):
            if x is not None:
                env[where[node] + i] = x
    missing = [n for n in order if env[where[n]] is None and n.shape is not None]
    for node, tensor in handles_of(missing).items():
        env[where[node]] = tensor._data
    return env
