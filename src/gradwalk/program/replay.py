"""`replay`: the forward and the backward pass of a graph again, at the machine's speed."""

from __future__ import annotations

from collections.abc import Sequence
from importlib import import_module
from typing import Any, Protocol

from .. import native
from ..core.carrier import TensorLike, is_tensor
from ..core.expect import describe
from ..engine.node import pass_lock
from ..engine.value import Value
from ..errors import NotANumberError
from .machine.executor import PythonExecutor
from .program import backward_order, evaluate, reverse
from .recording.listing import Instruction, listing
from .recording.readings import Reading, expect_unchanged, readings_of
from .run import run_of

__all__ = ["GraphProgram", "Replay", "replay"]


class Program(Protocol):
    """What `Replay` runs: of the native engine, or a `GraphProgram`."""

    def run(self) -> None:
        """Compute everything again, and write the results."""

    def compute(self) -> None:
        """Compute everything again, and write the numbers of the watched nodes only."""

    def write_gradients(self) -> None:
        """Write the gradients that were computed last into the leaves."""

    def instructions(self) -> Sequence[Instruction]:
        """Return the instructions in their order."""


def replay(loss: Value | TensorLike | float) -> Replay:  # sum(values) has the type of 0, too
    """Return a function that computes ``loss`` and its gradients again.

    The program that computed ``loss`` is not run again: its operations are, with the numbers that
    the leaves have now. A call leaves in ``loss.data`` and in the ``grad`` of every leaf what the
    program would, after ``zero_grad()`` and ``loss.backward()``: the same bits. Inner nodes keep
    their numbers. The graph may be freed afterwards; that of a Tensor is freed at once, as by
    ``backward()``.

    A graph does not show everything. A number that was read from it (``x.data``, ``float(x)``,
    ``stop_gradient(x)``) is a constant there. Where the constant has all digits of a node's number,
    a call raises `StaleReplayError` as soon as that number is another one. A branch (``if x > 0``)
    stays as it was taken, and a number computed from one that was read (``2.0 * x.data``) as it
    was: no graph has a trace of them. `compile` records the function itself, and knows them.

    The native engine writes the graph and its reverse pass down once, in about two training steps.
    Operations of one kind that do not depend on each other become the lanes of one instruction.

    Parameters
    ----------
    loss
        The result of a computation, with its graph.

    Returns
    -------
    a Replay
        Its calls take no arguments, and return the number of ``loss``.

    Raises
    ------
    NotANumberError
        If ``loss`` is no Value and no Tensor.
    FreedGraphError
        If its graph was freed, or if an array or a leaf that it needs is gone.
    StaleReplayError
        For ``where(x > 0.0, a, b)`` of Values, and by a call if a number that was read has changed.
    SizeError
        By a call, if a leaf has another shape.

    See Also
    --------
    compile, program_of

    Examples
    --------
    >>> from gradwalk import Value, replay
    >>> w = Value(3.0)
    >>> loss = (w - 1.0) ** 2
    >>> step = replay(loss)
    >>> for _ in range(20):
    ...     last = step()
    ...     w.data -= 0.25 * w.grad
    >>> round(w.data, 4), last < 1e-10
    (1.0, True)
    """
    if not isinstance(loss, Value) and not is_tensor(loss):
        raise NotANumberError(
            where="replay(loss)",
            expected="a Value or a Tensor that a program has computed",
            got=describe(loss),
            fix="Pass the loss itself, not loss.data.",
        )
    if not isinstance(loss, Value):
        return Replay(loss)
    with pass_lock:
        found = readings_of(loss)
    return Replay(loss, readings=found)


class Replay:
    """The recorded program of a loss. Calling it computes the loss and its gradients again.

    It writes ``data`` of other nodes that the loss depends on, too.
    """

    __slots__ = ("_program", "_readings", "loss")

    loss: Any
    _readings: Sequence[Reading]

    def __init__(
        self, loss: Any, others: Sequence[Value] = (), readings: Sequence[Reading] = ()
    ) -> None:
        self.loss, self._readings = loss, readings
        inner = [node for node, _ in readings if node.operands and node is not loss]
        with pass_lock:
            self._program: Any = _program((loss, *others, *inner))

    def __call__(self) -> float:
        """Compute ``loss`` and the gradients of its leaves again, and return ``loss.data``."""
        if self._readings:
            self.forward()
            self.backward()
        else:
            with pass_lock:
                self._program.run()
        return self.loss.item() if is_tensor(self.loss) else self.loss.data  # type: ignore[no-any-return]

    def forward(self) -> None:
        """Compute the loss and the gradients again, but do not write the gradients yet."""
        with pass_lock:
            self._program.compute()
            expect_unchanged(self._readings)

    def backward(self) -> None:
        """Write the gradients that `forward` has computed."""
        with pass_lock:
            self._program.write_gradients()

    def graph(self) -> Any:
        """Return the loss with a graph of the numbers of now, for `gradwalk.inspect.why`."""
        return self._program.graph() if is_tensor(self.loss) else self.loss

    @property
    def program(self) -> str:
        """The listing: one line per instruction, with its lanes and its operands."""
        if is_tensor(self.loss):
            return self._program.listing()  # type: ignore[no-any-return]
        return listing(self._program.instructions())

    def __repr__(self) -> str:
        head, *_ = self.program.partition("\n")
        return f"<replay of {head}>"


def _program(nodes: tuple[Any, ...]) -> Any:
    """Return the program of the native engine, which knows the rules of the table only."""
    if is_tensor(nodes[0]):
        return import_module(".array_replay", __package__).TensorProgram(nodes[0])
    program: Program | None = native.engine and native.engine.replay(1.0, nodes)
    return program or GraphProgram(*nodes)


def _number(x: Any) -> float:
    return x if type(x) is float else float(x.data)


class GraphProgram:
    """The program in Python: the specification, and what runs custom rules."""

    def __init__(self, root: Value, *others: Value) -> None:
        run = run_of(root)
        self.program, self.leaves = run.program, run.handles()
        self.watched = [(node, run.where[node]) for node in (root, *others)]
        self.order = backward_order(run.program, [run.root])
        self.gradients: dict[int, float] = {}

    def run(self) -> None:
        """Compute everything again, and write the results."""
        self.compute()
        self.write_gradients()

    def compute(self) -> None:
        """Compute everything again, and write the numbers of the watched nodes only."""
        program, operands = self.program, []

        def apply(primitive: Any, args: list[float], params: object) -> Any:
            operands.append(args)
            again = getattr(primitive, "again", None)  # of an operation with a body
            return primitive.evaluate(*args) if again is None else [*map(_number, again(*args))]

        env = evaluate(program, [leaf.data for leaf in self.leaves], apply)

        def pull(k: int, t: Any) -> Any:
            primitive: Any = program.primitive(k)
            if type(t) is dict:
                return primitive.joint_contributions(t, operands[k])
            return primitive.contributions(t, env[program.results(k)[0]], operands[k])

        self.gradients = {}
        seeds = {program.outputs[0]: 1.0}
        for _ in reverse(program, seeds, pull, self.gradients, self.order):
            pass
        for node, atom in self.watched:
            node.data = env[atom]

    def write_gradients(self) -> None:
        """Write the gradients that were computed last into the leaves."""
        for i, leaf in enumerate(self.leaves):
            leaf.grad = 0.0 + self.gradients.get(i, 0.0)  # as backward() adds to 0.0

    def instructions(self) -> list[Instruction]:
        """Return one instruction of one lane per operation of the forward pass."""
        return PythonExecutor(self.program).instructions()
