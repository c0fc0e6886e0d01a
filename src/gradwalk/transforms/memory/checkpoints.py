"""`checkpoint`: memory in exchange for running a function twice."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import wraps
from typing import Any

from ...core.calls import expect_function
from ...core.pytree import PyTree, flatten
from ...core.seeds import Draws
from ...engine.node import recording
from ...engine.value import enable_grad
from ...levels.level import Level, Reopened, running
from ..arguments import primal_of
from ..results import to_caller
from ..signatures import P, R
from .multi_output import apply_operation
from .multi_output_primitives import MultiOutput
from .segments import (
    JVPReplay,
    Rerun,
    ResultForm,
    Segment,
    VJPReplay,
    floor_of,
    has_derivative,
    touch,
)

__all__ = ["checkpoint"]


def checkpoint(f: Callable[P, R]) -> Callable[P, R]:
    """Return ``f`` with its intermediate results recomputed in the backward pass instead of stored.

        y = f(x),   x̄ = ȳ · ∂f/∂x, with f run once more

    Arguments and results are numbers and arrays in any containers. What f uses besides (Values,
    Tensors, traced values) gets its gradient as ever, but what is computed from such things alone
    is kept. f meets traced values, as in `grad`, and has to do the same thing both times: random
    numbers by a ``seed``, be it a generator or ``None``, are the same ones again, while those of
    `random` or NumPy themselves are not, and statistics that a layer keeps are updated twice.
    Results of another structure or shape the second time are an `OptionError`; numbers are not
    compared, and other numbers have other derivatives. In forward mode, under `vmap` and inside of
    `no_grad` there is nothing to keep, and f is simply called. Griewank, Achieving logarithmic
    growth (1992).

    >>> from gradwalk import Value, checkpoint, sin
    >>> x = Value(2.0)
    >>> y = checkpoint(lambda x: sin(x) * sin(x))(x)
    >>> y.op, y.operands == (x,)
    ('checkpoint', True)
    >>> y.backward()
    >>> round(x.grad, 6)  # sin 2x
    -0.756802
    """
    expect_function(f, "checkpoint")

    @wraps(f, updated=())
    def checkpointed(*args: P.args, **options: P.kwargs) -> R:
        values, structure = flatten((args, options))
        touch([x for x in values if has_derivative(x)], running.open)
        floor = floor_of(running.open)  # nothing is stored where no tape or graph records
        if floor is None or recording.paused or not any(map(has_derivative, values)):
            return f(*args, **options)
        return Checkpoint(f, structure, values, floor).run([x for x in values if has_derivative(x)])  # type: ignore[no-any-return]

    return checkpointed


class Checkpoint(MultiOutput):
    """One call of a checkpointed function."""

    form: ResultForm

    name = "checkpoint"

    f: Callable[..., Any]
    floor: int
    structure: PyTree
    made: ResultForm
    results: list[int]
    known: dict[Any, int]
    ys: list[Any]
    levels: tuple[Level, ...]

    def __init__(
        self, f: Callable[..., Any], structure: PyTree, values: list[Any], floor: int
    ) -> None:
        self.f, self.structure, self.floor = f, structure, floor
        self.places: list[int] = [i for i, x in enumerate(values) if has_derivative(x)]
        self.constants: list[Any] = [None if has_derivative(x) else x for x in values]
        self.levels = running.open
        self.draws: Draws = Draws()

    def run(self, given: list[Any]) -> Any:
        """Return the result of ``f``, recorded as one node."""
        arguments = [*map(primal_of, given)]
        with Segment(self.floor, self.levels) as segment, self.draws.recording():
            values, structure = flatten(self._call([*map(segment.leaf, arguments)]))
        self.form = ResultForm.of(values, structure)
        # results that depend on no carrier stay constants
        self.results = [i for i, y in enumerate(values) if segment.owns(y) and y._payload]
        results = [y._primal if segment.owns(y) else y for y in values]
        self.ys = [results[i] for i in self.results]
        # in the order of use, by which the second run finds what replaces each of them
        self.known = {key: i for i, key in enumerate(segment.found)}
        # what f used besides its arguments is an input too, and gets its gradient
        found = apply_operation(self, [*arguments, *[x for x, _ in segment.found.values()]])
        for i, y in zip(self.results, found, strict=True):
            results[i] = y
        self.ys = []  # the node outlives this call, and must not keep results alive
        return structure.unflatten(to_caller(results, given))

    def _call(self, inputs: Sequence[Any]) -> Any:
        values = list(self.constants)
        for place, x in zip(self.places, inputs, strict=True):
            values[place] = x
        args, options = self.structure.unflatten(values)
        return self.f(*args, **options)

    def forward(self, inputs: Sequence[Any]) -> list[Any]:
        """Return the results, which are known already."""
        return self.ys

    def _rerun(self, level: Rerun, inputs: Sequence[Any]) -> list[Any]:
        """Return the results of another run, with tracers of ``level`` as inputs."""
        count = len(self.places)
        level.again(self.floor, self.known, inputs[count:])
        with self.draws.replaying():
            values, structure = flatten(self._call(inputs[:count]))
        level.ended = True  # what is used from here on is no part of f
        self.form.expect(ResultForm.of(values, structure))
        return [values[i] for i in self.results]

    def pull(self, cotangents: Sequence[Any], inputs: Sequence[Any]) -> list[Any]:
        """Return the cotangents of the inputs, after another run on a tape."""
        with Reopened(self.levels), VJPReplay(self.name) as tape, enable_grad():
            leaves = [tape.leaf(x) for x in inputs]
            steps = [leaf._payload for leaf in leaves]
            ys = self._rerun(tape, leaves)
        # results without a gradient start no pass
        pairs = [(y, t) for y, t in zip(ys, cotangents, strict=True) if t is not None]
        del leaves, ys  # tracers would keep residuals that the pass frees on its way
        found = tape.gradients([y for y, _ in pairs], [t for _, t in pairs], release=True)
        return [found.get(step) for step in steps]

    def push(self, tangents: Sequence[Any], inputs: Sequence[Any]) -> list[Any]:
        """Return the tangents of the results, after another run in forward mode."""
        with Reopened(self.levels), JVPReplay(self.name) as duals, enable_grad():
            pairs = zip(inputs, tangents, strict=True)
            ys = self._rerun(duals, [duals.box(x, t) for x, t in pairs])
        return [duals.tangent(y) for y in ys]
