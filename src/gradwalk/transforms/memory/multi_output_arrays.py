"""Multi-output operations among Tensors: see `multi_output`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ...core.array_primitive import OutputGradients
from ...core.places import line_of_caller
from ...engine.value import Value
from ...levels.vjp import instantiate_zeros
from ...libraries import LibraryArray
from ...tensor import Tensor
from ...tensor.graph.convert import ValueSource
from ...tensor.graph.node import CONSTANT_NODE, Node, fit_to_operand
from .multi_output_primitives import MultiOutput, MultiOutputPrimitive

__all__ = ["on_tensors"]


def on_tensors(
    op: MultiOutput, inputs: Sequence[Any], ys: Sequence[Any], run_again: Callable[..., list[Any]]
) -> list[Any]:
    """Return the results with a node for each Tensor among them."""
    nodes = tuple(map(_node_of, inputs))
    numbers = [isinstance(x, (float, Value)) for x in inputs]
    primitive = TensorsPrimitive(op, len(ys), numbers, run_again)
    joint = Node(primitive, nodes, None, None)
    # no result is kept: operations compute again what they need
    joint.saved, joint.line = (None, *map(_saved, inputs)), line_of_caller()
    places = [i for i, y in enumerate(ys) if isinstance(y, Tensor)]
    arrays: list[Any] = [y._data if isinstance(y, Tensor) else None for y in ys]
    kept = tuple([arrays[i] for i in places])
    handles = Tensor._multi_output(kept, joint)
    found = list(ys)
    for i, handle in zip(places, handles, strict=True):
        # `_multi_output` counts the Tensors alone, the operation all of its results
        handle._node.options = {"index": i}  # type: ignore[union-attr]
        found[i] = handle
    return found


def _node_of(x: object) -> Any:
    if isinstance(x, Value):
        source = ValueSource([x])
        source.shape = ()
        return source
    node = x._node if isinstance(x, Tensor) else None
    return CONSTANT_NODE if node is None else node


def _saved(x: object) -> Any:
    if isinstance(x, Tensor):
        return x._data
    return np.asarray(x.data) if isinstance(x, Value) else x


class TensorsPrimitive(MultiOutputPrimitive):
    """The primitive of a joint node among Tensors."""

    outputs = 2
    variadic = False
    __slots__ = ("numbers", "run_again")

    def __init__(
        self,
        op: MultiOutput,
        count: int,
        numbers: Sequence[bool],
        run_again: Callable[..., list[Any]],
    ) -> None:
        super().__init__(op, count, len(numbers))
        self.numbers: Sequence[bool] = numbers
        self.run_again = run_again

    def joint_vjp(self, node: Node, t: OutputGradients, saved: tuple[Any, ...]) -> list[Any]:
        """Return the cotangents of the operands: arrays or Tensors, like the incoming gradients."""
        # Tensors arrive if the reverse pass is recorded itself
        recorded = any(isinstance(x, Tensor) for x in map(instantiate_zeros, t.values()))
        given = self.op.vjp([_tensor(x) for x in self.filled(t)], self._inputs(saved))
        pairs = zip(given, node._inputs, strict=True)
        return [
            None
            if contribution is None or parent is CONSTANT_NODE
            else _fit_contribution(contribution, parent, recorded)
            for contribution, parent in pairs
        ]

    def joint_jvp(self, node: Node, tangents: Sequence[Any], saved: tuple[Any, ...]) -> Any:
        """Return the tangents of all results."""
        arriving = [_tensor(instantiate_zeros(t)) for t in tangents]
        recorded = any(isinstance(instantiate_zeros(t), Tensor) for t in tangents)
        found = self.op.jvp(arriving, self._inputs(saved))
        return tuple([t if t is None or recorded else _saved(t) for t in found])

    def again(self, *args: Any) -> tuple[Any, ...]:
        """Return the results for these arrays and numbers; of Tensors and tracers, recorded."""
        found = self.run_again(self.op, self._inputs((None, *args)))
        recorded = any(isinstance(x, (Tensor, Value)) for x in args)
        return tuple(found if recorded else map(_saved, found))

    def _inputs(self, saved: tuple[Any, ...]) -> list[Any]:
        # the function gets a float again where it was called with one
        pairs = zip(saved[1:], self.numbers, strict=True)
        return [float(x) if n and not isinstance(x, Tensor) else _tensor(x) for x, n in pairs]


def _tensor(x: object) -> Any:
    return Tensor._of(x) if isinstance(x, (np.ndarray, np.generic, LibraryArray)) else x


def _fit_contribution(contribution: object, parent: Node, recorded: bool) -> Any:
    return fit_to_operand(contribution if recorded else _saved(contribution), parent)
