"""Graphs of Tensors as programs, with the arrays that there are.

A node stores its residuals only. Other arrays are found in Tensors that the program still holds, or
computed again from those.
"""

from __future__ import annotations

import gc
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from types import NoneType
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
from ...program.program import NO_PARAMS, number_of
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
    found = gc.get_objects()
    kinds = {kind for kind in {*map(type, found)} if _holds_nodes(kind)}
    return {x._node: x for x in found if type(x) in kinds and x._node in wanted}


def _holds_nodes(kind: type) -> bool:
    """Return whether objects of a type are Tensors that belong to a graph."""
    tensors = issubclass(kind, Carrier) and kind._is_tensor
    return tensors and not issubclass(kind, (Tracer, Leaked))


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
        op, params, start = program.op, program.params, program.inputs
        functions = [*map(_function, program.table)]
        with self.quiet():
            for k in range(len(program)):
                if outs is None:
                    if env[start + k] is not None:
                        continue
                elif all(env[a] is not None for a in program.results(k)):
                    continue
                args = [env[a] if a >= 0 else consts[~a] for a in atoms[first[k] : first[k + 1]]]
                if NoneType in map(type, args):
                    continue
                y = functions[op[k]](*args, **params.get(k, NO_PARAMS))
                if type(y) is np.ndarray and outs is None:
                    env[start + k] = y
                else:
                    self._put(k, y)

    def _put(self, k: int, y: Any) -> None:
        """Store the numbers of equation k that are missing."""
        found = y if type(y) in (tuple, list) else (y,)
        for a, x in zip(self.program.results(k), found, strict=True):
            if self.env[a] is None:
                self.env[a] = x if type(x) is LibraryArray else np.asarray(x)


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
    where: dict[Any, int] = dict.fromkeys(order, 0)  # in the order of the walk
    builder, env = Builder(), list[Any]()
    for node in order:
        if _is_input(node):
            where[node] = builder.input(name=node.label)
            env.append(node.data if type(node) is ValueSource else None)
    makers = _equations(builder, order, where, env)
    program = builder.program([where[x] for x in roots])
    for node, x in given.items():
        if env[where[node]] is None:
            env[where[node]] = x
    missing = [n for n, a in where.items() if env[a] is None and n.shape is not None]
    for node, tensor in handles_of(missing).items():
        env[where[node]] = tensor._data
    if makers and any(node.shape is None for node in order):
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
    if not any(node.shape is None for node in order):
        return found
    for node in order:
        if node._primitive is PART and not _is_input(node):
            (joint,) = node._inputs
            found[joint] = max(found.get(joint, 1), node.options["index"] + 1)
        elif node._inputs and node.shape is None:
            kept = node.saved[0] if node.saved else None
            count = len(kept) if type(kept) is tuple else getattr(node._primitive, "count", 1)
            found[node] = max(found.get(node, 1), count)
    return found


def _equations(
    builder: Builder, order: Sequence[Any], where: dict[Any, int], env: list[Any]
) -> list[Node]:
    """Write an equation for each node and return the nodes; residuals are added to ``env``."""
    makers, lines, counts = list[Node](), list[Any](), _counts(order)
    append, params = builder.append, builder.params
    for node in order:
        inputs, primitive = node._inputs, node._primitive
        if not inputs or (primitive is PART and inputs[0]._inputs is None):
            continue
        if primitive is PART:
            where[node] = where[inputs[0]] + node.options["index"]
        else:
            operands = [
                where[x] if x is not CONSTANT_NODE else _constant(builder, node, i)
                for i, x in enumerate(inputs)
            ]
            if node.options:
                params[len(makers)] = node.options
            count = counts.get(node, 1) if counts else 1
            saved = node.saved or (None,)
            for a, kept in zip(operands, saved[1:], strict=False):
                if a >= 0 and (type(kept) is np.ndarray or isinstance(kept, KNOWN)):
                    env[a] = kept
            where[node] = append(primitive, operands, count)
            several = count > 1 or type(saved[0]) is tuple
            env += _results(saved[0], count) if several else (saved[0],)
            makers.append(node)
            lines.append(node.line)
        if node.label:
            builder.names[where[node]] = node.label
    builder.locate(lines)
    return makers


def _constant(builder: Builder, node: Node, position: int) -> int:
    x: Any = constant_of(node, position)
    return builder.constant(x) if type(x) is float else builder.constant_once(id(x), x)


def _results(kept: Any, count: int) -> list[Any]:
    """Return what a node with several results keeps of them."""
    found = [*kept] if type(kept) is tuple else [kept]
    return [*found, *[None] * (count - len(found))]
