"""`replay` of a loss that is a Tensor: its graph again, as a program on arrays."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import count
from typing import Any

import numpy as np

from ..core.backend import arrays
from ..core.carrier import is_tensor
from ..core.expect import describe
from ..core.primitive import Primitive
from ..errors import FreedGraphError, OptionError, SizeError
from .machine.executor import executor_of
from .program import Program, apply_plainly, evaluate, number_of
from .pullback import gradients_on
from .recording.array_readings import constants_in, guard_readings
from .recording.readings import stale
from .recording.recorder import Recorder
from .run import Run, run_of

__all__ = ["TensorProgram"]


class TensorProgram:
    """Loss and gradients of a graph of Tensors, for the numbers that its leaves have now."""

    loss: Any
    leaves: list[Any]
    _gradients: list[Any]

    def __init__(self, loss: Any) -> None:
        _expect_loss(loss)
        run = run_of(loss)
        self.loss, self.leaves, self._program = loss, _leaves(run), run.program
        _expect_constants(run.program)
        numbers = [leaf._data for leaf in self.leaves]
        with Recorder() as recorder, run.quiet():
            inputs = [recorder.input(x) for x in numbers]
            env, gradients = gradients_on(run.program, inputs, numbers)
            _guard_readings(recorder, run.program, env)
            outputs = [recorder.arrays.output(y) for y in (env[run.root], *gradients)]
            outside = recorder.sources()  # what functions that are bodies close over
            self._outside = [x for x, _ in outside]
            atoms = [*[x._payload for x in inputs], *[atom for _, atom in outside]]
            self._executor = executor_of(recorder.program(atoms, outputs))
        run.release()  # as backward() does: leaves may be written into from now on
        self._layout = [(x.shape, x.dtype) for x in numbers]
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
        return [*numbers, *map(number_of, self._outside)]

    def graph(self) -> Any:
        """Return the loss again as a Tensor with a graph, computed from the leaves."""
        with np.errstate(all="ignore"):
            k = count()

            def apply(primitive: Primitive, args: list[Any], params: Mapping[str, Any]) -> object:
                y, line = apply_plainly(primitive, args, params), self._program.line(next(k))
                for x in y if type(y) is tuple else (y,):
                    if is_tensor(x) and x._node is not None:
                        x._node.line = line
                return y

            return evaluate(self._program, self.leaves, apply)[self._program.outputs[0]]

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


def _leaves(run: Run) -> list[Any]:
    """Return the Tensors of the leaves."""
    kind, found = arrays().Tensor, run.handles()
    for i, tensor in enumerate(found):
        if type(tensor) is not kind:
            raise FreedGraphError(
                where="replay(loss)",
                expected="leaves that the program still has",
                got=f"a graph with a leaf of shape {run.nodes[i].shape} that it has not",
                fix="Keep the parameters in a list; use Tensors rather than Values in arrays.",
            )
    return found


def _expect_constants(program: Program) -> None:
    """Raise `FreedGraphError` for a constant array that the program has dropped."""
    for equation in program:
        if any(a < 0 and program.consts[~a] is None for a in equation.operands):
            op = equation.primitive.name
            raise FreedGraphError(
                where="replay(loss)",
                expected="the arrays that the loss was computed from",
                got=f"an operation ({op}) on one that the program has dropped",
                fix="Keep a reference to it, or record the step with gradwalk.compile.",
            )


def _guard_readings(recorder: Recorder, program: Program, env: Sequence[Any]) -> None:
    """Make a guard of every result that a constant of the graph was read from.

    ``env`` has the tracer of each variable.
    """
    results: list[tuple[Any, list[Any]]] = [(x, []) for x in env[: program.inputs]]
    constants: list[Any] = []
    for equation in program:
        fixed = tuple([program.consts[~a] for a in equation.operands if a < 0])
        constants += constants_in((fixed, dict(equation.params)))
        given = [env[a]._primal for a in equation.operands if a >= 0]
        results += [(env[y], [*given, *constants_in(fixed)]) for y in equation.results]
    unique = {id(x): x for x in constants}
    guard_readings(recorder, results, list(unique.values()))
