"""`replay` of a loss that is a Tensor: its graph again, as a program on arrays."""

from __future__ import annotations

import gc
from collections.abc import Hashable, Iterator, Sequence
from typing import Any

import numpy as np

from ..core.backend import arrays
from ..core.carrier import is_tensor
from ..core.expect import describe
from ..engine.node import ancestors, inputs_of
from ..errors import FreedGraphError, OptionError, SizeError
from ..levels.vjp import VJPLevel
from .machine.executor import executor_of
from .recording.array_readings import constants_in, guard_readings
from .recording.programs import program_of_entries
from .recording.readings import stale
from .recording.recorder import Recorder

__all__ = ["TensorProgram"]


class TensorProgram:
    """Loss and gradients of a graph of Tensors, for the numbers that its leaves have now."""

    loss: Any
    leaves: list[Any]
    _gradients: list[Any]

    def __init__(self, loss: Any) -> None:
        _expect_loss(loss)
        nodes = list(ancestors(loss._node))
        self.loss, self.leaves = loss, _handles([n for n in nodes if not inputs_of(n)])
        with Recorder() as recorder:
            inputs = [recorder.input(leaf._data) for leaf in self.leaves]
            value, gradients = _differentiated(recorder, nodes, self.leaves, inputs)
            outputs = [recorder.arrays.output(y) for y in (value, *gradients)]
            program = program_of_entries([x._payload for x in inputs], recorder, outputs)
            self._executor = executor_of(program)
        own = {node: node for node in nodes}
        self._recipe = [(n, list(_operands(n, own)), n.options, n.line) for n in nodes if n._inputs]
        for node in nodes:  # as backward() does: leaves may be written into from now on
            node.release()
        self._layout = [(leaf._data.shape, leaf._data.dtype) for leaf in self.leaves]
        self._gradients = []

    def run(self) -> None:
        """Compute everything again, then write the results into root and leaves."""
        self.compute()
        self.write_gradients()

    def compute(self) -> None:
        """Compute everything again, and write the loss into the root."""
        found = self._executor.call(self._numbers())
        if type(found) is not list:
            raise stale("a constant, a mask or a key that was read from an array which has changed")
        self.loss._data, *self._gradients = found

    def write_gradients(self) -> None:
        """Write the gradients that were computed last into the leaves."""
        for leaf, gradient in zip(self.leaves, self._gradients, strict=True):
            leaf._node.grad = gradient

    def _numbers(self) -> list[Any]:
        numbers = [leaf._data for leaf in self.leaves]
        for leaf, x, (shape, dtype) in zip(self.leaves, numbers, self._layout, strict=True):
            if (x.shape, x.dtype) != (shape, dtype):
                raise SizeError(
                    where="a replay",
                    expected=f"leaves as they were: here of shape {shape} and dtype {dtype}",
                    got=describe(leaf),
                    fix="Compute the loss again, and call gradwalk.replay(loss) on that.",
                )
        return numbers

    def graph(self) -> Any:
        """Return the loss again as a Tensor with a graph, computed from the leaves."""
        known: dict[Any, Any] = {leaf._node: leaf for leaf in self.leaves}
        result: Any = self.loss
        with np.errstate(all="ignore"):
            for node, operands, options, line in self._recipe:
                args = [known.get(o, o) if isinstance(o, Hashable) else o for o in operands]
                if node._primitive.name == "part":
                    result = args[0][options["index"]]
                else:
                    result = node._primitive(*args, **options)
                known[node] = result
                if is_tensor(result) and result._node is not None:
                    result._node.line = line
        return result

    def listing(self) -> str:
        """Return one line per operation."""
        listing: str = self._executor.listing()
        return listing


def _expect_loss(loss: Any) -> None:
    if loss._node is None:
        raise OptionError(
            where="replay(loss)",
            expected="a result that depends on a Tensor with requires_grad=True",
            got=describe(loss),
            fix="Write Tensor(data, requires_grad=True) for what to differentiate by.",
        )
    if loss.size != 1:
        raise SizeError(
            where="replay(loss)",
            expected="one number",
            got=f"a Tensor of shape {loss.shape}",
            fix="Reduce it first: replay(y.sum()).",
        )


def _handles(nodes: Sequence[Any]) -> list[Any]:
    """Return the Tensors of leaves, which do not know them: the garbage collector does."""
    kind, wanted, found = arrays().Tensor, set(nodes), dict[Any, Any]()
    for thing in gc.get_objects():
        if type(thing) is kind and getattr(thing, "_node", None) in wanted:
            found.setdefault(thing._node, thing)
    missing = [node for node in nodes if node not in found]
    if missing:
        raise FreedGraphError(
            where="replay(loss)",
            expected="leaves that the program still has",
            got=f"a graph with a leaf of shape {missing[0].shape} that it has not",
            fix="Keep the parameters in a list; use Tensors rather than Values in arrays.",
        )
    return [found[node] for node in nodes]


def _differentiated(
    recorder: Recorder, nodes: Sequence[Any], leaves: Sequence[Any], inputs: Sequence[Any]
) -> tuple[Any, list[Any]]:
    """Return the value of the last node, and its gradient for each leaf."""
    with VJPLevel("replay") as tape:
        known: dict[Any, Any] = {
            leaf._node: tape.leaf(x) for leaf, x in zip(leaves, inputs, strict=True)
        }
        starts = list(known.values())
        with np.errstate(all="ignore"):
            for node in nodes:
                if node not in known:
                    known[node] = _computed(node, known)
            _guard_readings(recorder, nodes, known)
            y = known[nodes[-1]]
            seed = np.ones(y.shape, y.dtype)
            found = tape.gradients([y], [seed], release=True)
    gradients = [found.get(start._payload) for start in starts]
    zeros = [np.zeros(x.shape, x.dtype) for x in inputs]
    pairs = zip(gradients, zeros, strict=True)
    return y._primal, [zero if t is None else t for t, zero in pairs]


def _guard_readings(recorder: Recorder, nodes: Sequence[Any], known: dict[Any, Any]) -> None:
    """Make a guard of every result that a constant of the graph was read from."""
    results, constants = [], list[Any]()
    for node in nodes:
        fixed = tuple(_fixed(node, known))
        constants += constants_in((fixed, node.options))
        if type(known[node]) is not tuple:
            tracers = [known[x] for x in inputs_of(node) if x in known]
            arrays_of = [x._primal._primal for x in tracers if type(x) is not tuple]
            results.append((known[node]._primal, [*arrays_of, *constants_in(fixed)]))
    unique = {id(x): x for x in constants}
    guard_readings(recorder, results, list(unique.values()))


def _fixed(node: Any, known: dict[Any, Any]) -> Iterator[Any]:
    """Yield the constant operands of a node."""
    for position, operand in enumerate(inputs_of(node)):
        if operand not in known:
            yield arrays().constant_of(node, position)


def _computed(node: Any, known: dict[Any, Any]) -> Any:
    """Return the result of a node on what its operands are now."""
    operands = list(_operands(node, known))
    if node._primitive.name == "part":
        return operands[0][node.options["index"]]
    return node._primitive(*operands, **node.options)


def _operands(node: Any, known: dict[Any, Any]) -> Iterator[Any]:
    for position, operand in enumerate(inputs_of(node)):
        yield known[operand] if operand in known else _constant(node, position)


def _constant(node: Any, position: int) -> Any:
    kept = arrays().constant_of(node, position)
    if kept is None:
        raise FreedGraphError(
            where="replay(loss)",
            expected="the arrays that the loss was computed from",
            got=f"an operation ({node.op}) on one that the program has dropped",
            fix="Keep a reference to it, or record the step with gradwalk.compile.",
        )
    return kept
