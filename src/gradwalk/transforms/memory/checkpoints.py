"""`checkpoint`: memory in exchange for running a function twice."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import wraps
from math import isqrt
from typing import Any, overload

from ...core.calls import expect_function
from ...core.functions import Lambda, Transformed, Untyped
from ...core.pytree import PyTree, flatten
from ...core.seeds import Draws
from ...engine.node import recording
from ...engine.value import Value, enable_grad
from ...levels.jvp import JVPLevel
from ...levels.level import Level, Reopened, ScalarTracer, running, unwrap
from ...levels.vjp import VJPLevel
from ..arguments import primal_of
from ..results import to_caller
from ..signatures import P, R, X
from .multi_output import apply_operation
from .multi_output_primitives import MultiOutput
from .segments import (
    JVPReplay,
    Observer,
    ResultForm,
    Segment,
    VJPReplay,
    floor_of,
    has_derivative,
    touch,
)

__all__ = ["checkpoint", "checkpoint_chain", "checkpoint_of_numbers", "root_of"]


@overload
def checkpoint(f: Lambda) -> Untyped: ...
@overload
def checkpoint(f: Callable[P, R]) -> Transformed[P, R]: ...
def checkpoint(f: Callable[..., Any]) -> Callable[..., Any]:
    """Return ``f`` with its intermediate results recomputed in the backward pass instead of stored.

        y = f(x),   x̄ = ȳ · ∂f/∂x, with f run once more

    What ``f`` uses besides its arguments (Values, Tensors, traced values) gets its gradient as
    ever, but what is computed from such things alone is kept. In forward mode, under `vmap` and
    inside of `no_grad` there is nothing to keep, and ``f`` is simply called.

    Parameters
    ----------
    f
        A function of numbers and arrays, in any containers, which returns such. It meets traced
        values, as in `grad`, and has to do the same thing both times: random numbers by a ``seed``,
        be it a generator or ``None``, are the same ones again, while those of `random` or NumPy
        themselves are not, and statistics that a layer keeps are updated twice.

    Returns
    -------
    a function of the arguments of f
        It returns what ``f`` returns.

    Raises
    ------
    OptionError
        If ``f`` is no function. By the backward pass, if the results have another structure or
        shape the second time; numbers are not compared, and other numbers have other derivatives.

    See Also
    --------
    checkpoint_chain, scan

    References
    ----------
    Griewank, Achieving logarithmic growth of temporal and spatial complexity in reverse automatic
    differentiation (1992).

    Examples
    --------
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
    return _checkpointed(f, Calls())


def checkpoint_of_numbers(f: Callable[P, R]) -> Callable[P, R]:
    """Do what `checkpoint` does, faster if ``f`` uses numbers alone, and nothing else is traced."""
    calls = Calls()
    calls.of_numbers = True
    return _checkpointed(f, calls)


class Calls:
    """What is known of all calls of a function."""

    of_numbers = False  # whether they may need nothing but a native tape


def _checkpointed(f: Callable[P, R], calls: Calls) -> Callable[P, R]:
    @wraps(f, updated=())
    def checkpointed(*args: P.args, **options: P.kwargs) -> R:
        values, structure = flatten((args, options))
        touch([x for x in values if has_derivative(x)], running.open)
        floor = floor_of(running.open)  # nothing is stored where no tape or graph records
        if floor is None or recording.paused or not any(map(has_derivative, values)):
            return f(*args, **options)
        operation = Checkpoint(f, structure, values, floor, calls)
        return operation.run([x for x in values if has_derivative(x)])  # type: ignore[no-any-return]

    return checkpointed


TRACED = frozenset((Value, ScalarTracer))


def count(xs: Sequence[Any], kind: type) -> int:
    """Return how many of ``xs`` are of exactly this type."""
    return [*map(type, xs)].count(kind)


class Checkpoint(MultiOutput):
    """One call of a checkpointed function."""

    form: ResultForm

    name = "checkpoint"
    drawn = False  # whether a first run has drawn its random numbers
    light = False  # whether a native tape is enough, which knows nothing of what f uses besides

    f: Callable[..., Any]
    floor: int
    structure: PyTree
    made: ResultForm
    results: list[int]
    known: dict[Any, int]
    ys: list[Any]
    levels: tuple[Level, ...]

    def __init__(
        self,
        f: Callable[..., Any],
        structure: PyTree,
        values: list[Any],
        floor: int,
        calls: Calls,
    ) -> None:
        self.calls = calls
        self.f, self.structure, self.floor = f, structure, floor
        self.places: list[int] = [i for i, x in enumerate(values) if has_derivative(x)]
        self.constants: list[Any] = [None if has_derivative(x) else x for x in values]
        self.levels = running.open
        self.draws: Draws = Draws()

    def run(self, given: list[Any]) -> Any:
        """Return the result of ``f``, recorded as one node."""
        arguments = [*map(primal_of, given)]
        level, values, structure, used = self._on_numbers(arguments) or self._traced(arguments)
        self.form = ResultForm.of(values, structure)
        # results that depend on no carrier stay constants
        owned = [level.owns(y) and (self.light or y._payload) for y in values]
        self.results = [i for i, depends in enumerate(owned) if depends]
        results = [y._primal if level.owns(y) else y for y in values]
        self.ys = [results[i] for i in self.results]
        del values  # of numbers, they keep the whole tape
        found = apply_operation(self, used)
        for i, y in zip(self.results, found, strict=True):
            results[i] = y
        self.ys = []  # the node outlives this call, and must not keep results alive
        return structure.unflatten(to_caller(results, given))

    def _on_numbers(self, arguments: list[Any]) -> tuple[Any, ...] | None:
        """Run f on a native tape; return ``None`` if that is not enough.

        An operation takes 0.05 µs on it, 3.6 in a segment. It serves as long as f uses nothing else
        that is traced: otherwise a segment has to find out what that is, from then on.
        """
        if not self.calls.of_numbers or any(isinstance(x, Observer) for x in running.open):
            return None  # an observer wants to hear what f uses
        traced = [i for i, x in enumerate(arguments) if type(x) in TRACED]
        if self.floor or not traced or len(traced) + count(arguments, float) < len(arguments):
            return None
        numbers = [unwrap(arguments[i]) for i in traced]
        if count(numbers, float) < len(numbers):
            return None
        places, constants = self.places, self.constants
        self.places = [places[i] for i in traced]
        self.constants = constants[:]
        for place, x in zip(places, arguments, strict=True):
            self.constants[place] = x
        try:
            with VJPLevel(self.name) as tape, self.draws.recording():
                values, structure = flatten(self._call([*map(tape.leaf, numbers)]))
        except Exception:  # a method of traced numbers that floats do not have, or a mistake
            self.draws, found = Draws(), [None]
        else:
            self.drawn, found = True, [y._primal if tape.owns(y) else y for y in values]
        if count(found, float) + count(found, int) == len(found):
            self.light, self.known = True, {}
            return tape, values, structure, [arguments[i] for i in traced]
        self.places, self.constants, self.calls.of_numbers = places, constants, False
        return None

    def _traced(self, arguments: list[Any]) -> tuple[Any, ...]:
        """Run f on numbers, and find out what it uses besides its arguments."""
        # a run that came before has drawn what this one draws
        draws = self.draws.replaying() if self.drawn else self.draws.recording()
        with Segment(self.floor, self.levels) as segment, draws:
            values, structure = flatten(self._call([*map(segment.leaf, arguments)]))
        # in the order of use, by which the second run finds what replaces each of them
        self.known = {key: i for i, key in enumerate(segment.found)}
        # what f used besides its arguments is an input too, and gets its gradient
        outside = [x for x, _ in segment.found.values()]
        return segment, values, structure, [*arguments, *outside]

    def _call(self, inputs: Sequence[Any]) -> Any:
        values = list(self.constants)
        for place, x in zip(self.places, inputs, strict=True):
            values[place] = x
        args, options = self.structure.unflatten(values)
        return self.f(*args, **options)

    def forward(self, inputs: Sequence[Any]) -> list[Any]:
        """Return the results, which are known already."""
        return self.ys

    def again(self, inputs: Sequence[Any]) -> list[Any]:
        """Return the results of another run."""
        tape = (VJPLevel if self.light else VJPReplay)(self.name)
        with Reopened(self.levels), tape, enable_grad():
            ys = self._rerun(tape, [*map(tape.leaf, inputs)])
        return [y._primal if tape.owns(y) else y for y in ys]

    def _rerun(self, level: Any, inputs: Sequence[Any]) -> list[Any]:
        """Return the results of another run, with tracers of ``level`` as inputs."""
        count = len(self.places)
        if not self.light:
            level.again(self.floor, self.known, inputs[count:])
        with self.draws.replaying():
            values, structure = flatten(self._call(inputs[:count]))
        level.ended = True  # what is used from here on is no part of f
        self.form.expect(ResultForm.of(values, structure))
        return [values[i] for i in self.results]

    def vjp(self, cotangents: Sequence[Any], inputs: Sequence[Any]) -> list[Any]:
        """Return the cotangents of the inputs, after another run on a tape."""
        tape = (VJPLevel if self.light else VJPReplay)(self.name)
        with Reopened(self.levels), tape, enable_grad():
            leaves = [tape.leaf(x) for x in inputs]
            steps = [leaf._payload for leaf in leaves]
            ys = self._rerun(tape, leaves)
        # results without a gradient start no pass
        pairs = [(y, t) for y, t in zip(ys, cotangents, strict=True) if t is not None]
        del leaves, ys  # tracers would keep residuals that the pass frees on its way
        found = tape.gradients([y for y, _ in pairs], [t for _, t in pairs], release=True)
        return [found.get(step) for step in steps]

    def jvp(self, tangents: Sequence[Any], inputs: Sequence[Any]) -> list[Any]:
        """Return the tangents of the results, after another run in forward mode."""
        duals = (JVPLevel if self.light else JVPReplay)(self.name)
        with Reopened(self.levels), duals, enable_grad():
            pairs = zip(inputs, tangents, strict=True)
            ys = self._rerun(duals, [duals.box(x, t) for x, t in pairs])
        return [duals.tangent(y) for y in ys]


# --- chains ---------------------------------------------------------------------------------------


@overload
def checkpoint_chain(functions: Iterable[Callable[[X], X]], x: X) -> X: ...
# functions whose results are of another type than their arguments
@overload
def checkpoint_chain(functions: Iterable[Callable[[Any], Any]], x: Any) -> Any: ...
def checkpoint_chain(functions: Iterable[Callable[[Any], Any]], x: object) -> Any:
    """Apply functions one after the other, in about √n checkpointed segments.

        y = fₙ(… f₂(f₁(x)))

    Of n functions the backward pass keeps the arguments of √n segments, and runs one of them at a
    time again: memory grows as √n, not as n, for one more run of each function.

    Parameters
    ----------
    functions
        The functions, the first to be applied first. Each takes what the one before returns, in any
        containers. Without any, ``x`` itself is the result.
    x
        The argument of the first function.

    Returns
    -------
    what the last function returns
        The result.

    Raises
    ------
    OptionError
        If one of them is no function.

    See Also
    --------
    checkpoint

    References
    ----------
    Chen and others, Training deep nets with sublinear memory cost (2016).

    Examples
    --------
    >>> from gradwalk import Value, checkpoint_chain, sin
    >>> x = Value(1.0)
    >>> y = checkpoint_chain([sin] * 9, x)
    >>> y.operands[0].operands[0].operands == (x,)
    True
    """
    steps = list(functions) if isinstance(functions, Iterable) else [functions]
    for f in steps:
        expect_function(f, "checkpoint_chain")
    size = root_of(len(steps))
    for start in range(0, len(steps), size):
        x = _chain(steps[start : start + size])(x)
    return x


def _chain(steps: Sequence[Callable[..., Any]]) -> Callable[..., Any]:
    @checkpoint
    def segment(x: object) -> Any:
        for step in steps:
            x = step(x)
        return x

    return segment


def root_of(n: int) -> int:
    """Return the length of the segments of n steps."""
    return isqrt(max(n - 1, 0)) + 1
