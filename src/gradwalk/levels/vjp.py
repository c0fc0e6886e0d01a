"""Reverse mode as a level: operations on tracers are recorded on a tape.

The reverse pass over a tape is the one of `engine.reverse`, as for graphs of Values and Tensors.
The residuals, and the cotangents that the pass computes, are primals: numbers one level down, which
the enclosing transform may be tracing itself.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import repeat
from typing import Any, ClassVar

from .. import native
from ..core.backend import Options, arrays
from ..core.carrier import is_tensor
from ..core.expect import is_array
from ..core.places import Line, line_of_caller
from ..core.primitive import Primitive
from ..engine.forward import forward_pass, tangent_of
from ..engine.node import CONSTANT, recording
from ..engine.observing import INTERCEPTORS, inside_rules, notify_traced, observers
from ..engine.reverse import cotangents_of
from ..engine.scalar import Scalar
from .level import Level, ScalarTracer, or_zero

__all__ = ["CONSTANT_STEP", "Step", "VJPLevel", "instantiate_zeros", "is_arraylike", "shown_vjp"]


class NumberStep:
    """One application of a primitive to numbers, or a leaf (which has no primitive).

    It has the attributes of every `engine.node.GraphNode`. ``saved`` has the result and the
    arguments, as the node of an array has. C has the steps of the primitives of the table.
    """

    __slots__ = ()
    shape: tuple[int, ...] = ()
    ndim = 0
    label = ""
    shown: ClassVar[bool] = True
    """Whether observers see what its rules compute. If not, they see the parts of its rule."""

    _primitive: Any
    saved: Any

    @property
    def dtype(self) -> Any:
        """The dtype of scalars among arrays: float64."""
        return arrays().FLOAT64

    def vjp(self, t: Any) -> Iterable[Any]:
        """Return the contributions of a cotangent to the operands."""
        y, *args = self.saved
        t = _unwrap_zeros(t)  # what a program leaves absent stays absent on the way
        # one at a time, as the native engine computes and adds them
        return repeat(None, len(args)) if t is None else _contributions(self._primitive, t, y, args)

    def jvp(self, tangents: Sequence[Any]) -> Any:
        """Return the tangent of the result, for the tangents of the operands."""
        y, *args = self.saved
        return tangent_of(self._primitive, y, args, tangents)


class Step(NumberStep):
    """A step that Python has recorded."""

    __slots__ = ("_inputs", "_primitive", "line", "saved")

    def __init__(self, primitive: Any, inputs: tuple[Any, ...], saved: Any) -> None:
        self._primitive, self._inputs, self.saved = primitive, inputs, saved
        self.line: Line | None = line_of_caller() if observers else None

    def release(self) -> None:
        """Free operands and residuals."""
        self._inputs = self.saved = None  # type: ignore[assignment]


CONSTANT_STEP = Step(CONSTANT, (), (None,))
"""The step of every argument that is not on the tape."""


def is_arraylike(x: object) -> bool:
    """Return whether ``x`` is an array, a Tensor, or a tracer of one."""
    if type(x) is float or isinstance(x, Scalar):
        return False
    return is_tensor(x) or is_array(x) or hasattr(x, "dtype")


class VJPLevel(Level):
    """A run of reverse mode. The payload of a tracer is its step on the tape."""

    def __init__(self, mode: str = "reverse mode") -> None:
        self.mode = mode

    def leaf(self, primal: Any) -> Any:
        """Return a tracer of an input."""
        if is_arraylike(primal):
            return self.box(primal, arrays().leaf_node(primal))
        return self.box(primal, None if native.engine else Step(None, (), (primal,)))

    def apply(self, primitive: Primitive, args: Sequence[Any], options: Options) -> Any:
        """Return the result of the primitive one level down, with a new step on the tape."""
        # one level down, where an enclosing transform traces or records the primals in turn
        raws = self.primals(args)
        y = primitive(*raws, **options)
        if not primitive.differentiable or recording.paused:
            return y
        if type(y) is tuple or is_arraylike(y):
            return arrays().record_on_tape(self, primitive, args, raws, y, options)
        # tracers of other levels are constants on this tape, so perturbations cannot mix
        inputs = tuple([a._payload if self.owns(a) else CONSTANT_STEP for a in args])
        return self.box(y, Step(primitive, inputs, (y, *raws)))

    def apply_to_numbers(self, primitive: Primitive, args: Sequence[Any]) -> Any:
        """Return what `apply` returns, in two thirds of the time."""
        raws = [a if type(a) is float else a._primal for a in args]
        y = primitive(*raws)
        if not primitive.differentiable or recording.paused:
            return y
        if type(y) is not float and not isinstance(y, Scalar):
            return arrays().record_on_tape(self, primitive, args, raws, y, {})
        inputs = tuple([CONSTANT_STEP if type(a) is float else a._payload for a in args])
        return ScalarTracer(self, y, Step(primitive, inputs, (y, *raws)))

    def step_of(self, y: Any) -> Any:
        """Return the step that computed ``y``. ``None`` means that it depends on no input."""
        return y._payload if self.owns(y) else None

    def gradients(
        self, outputs: Sequence[Any], cotangents: Sequence[Any], release: bool = False
    ) -> dict[Any, Any]:
        """Return the gradient of Σ cotangent · output for each leaf that it reaches.

        With ``release``, the pass frees the tape, which cannot be used again.
        """
        numbers: dict[Any, Any] | None = None
        if native.engine and not observers:  # which see each rule in Python
            numbers = native.engine.tape_gradients(self, list(outputs), list(cotangents), release)
        if numbers is not None:
            return {s: or_zero(t) for s, t in numbers.items()} if INTERCEPTORS else numbers
        steps = [self.step_of(y) for y in outputs]
        found = cotangents_of(steps, cotangents, shown_vjp, _release if release else None)
        return {step: instantiate_zeros(t) for step, t in found.items()}

    def tangents(self, outputs: Sequence[Any], given: Sequence[dict[Any, Any]]) -> list[list[Any]]:
        """Return the tangents of several results, for each of several tangents of the leaves."""
        found: list[list[Any]] | None = None
        if native.engine and not observers:
            found = native.engine.tape_tangents(self, list(outputs), list(given))
        return [self._tangents(outputs, one) for one in given] if found is None else found

    def _tangents(self, outputs: Sequence[Any], given: dict[Any, Any]) -> list[Any]:
        """Return the tangents of several results, by one forward pass."""
        steps = [self.step_of(y) for y in outputs]
        # one end for all results, so that each step is visited once
        end = Step(None, tuple([step for step in steps if step is not None]), (None,))
        jvp = lambda step, t: t if step is end else _shown_jvp(step, t)  # noqa: E731
        arrived = forward_pass(end, given, jvp)
        found = iter(arrived or [None] * len(end._inputs))
        return [None if step is None else instantiate_zeros(next(found)) for step in steps]


def instantiate_zeros(t: Any) -> Any:
    """Return a derivative with zeros for its structural zeros; ``None`` if it has nothing else."""
    return or_zero(t) if isinstance(t, ScalarTracer) else _unwrap_zeros(t)


def _unwrap_zeros(t: Any) -> Any:
    """Return the number in a derivative that arrays computed, if the one wanted is a number."""
    if t is None or type(t) is float or isinstance(t, Scalar):
        return t
    return arrays().instantiate_zeros(t)


def _release(step: Any) -> None:
    step.release()


def _contributions(primitive: Primitive, t: Any, y: Any, args: Sequence[Any]) -> Iterator[Any]:
    for rule in primitive.rules:
        yield rule and primitive.contribution(rule, t, y, args)


def shown_vjp(step: Any, t: Any) -> Iterable[Any]:
    """Return the contributions to the operands of a step, after observers have seen them."""
    if not (observers and step.shown):
        return step.vjp(t)  # type: ignore[no-any-return]
    with inside_rules():
        found = [*step.vjp(t)]
    _show("backward", step, [t], found)
    return found


def _shown_jvp(step: Any, tangents: Sequence[Any]) -> Any:
    """Return the tangent of a step, for the tangents of its operands, after observers saw it."""
    if not (observers and step.shown):
        return step.jvp(tangents)
    with inside_rules():
        found = step.jvp(tangents)
    _show("tangent", step, tangents, [found])
    return found


def _show(kind: str, step: Any, given: Sequence[Any], found: Sequence[Any]) -> None:
    """Show observers what the rules of a step, of numbers or of arrays, have made."""
    y, *args = step.saved
    line = getattr(step, "line", None)
    notify_traced("rules", kind, step._primitive, y, args, given, found, line)


if native.engine:
    native.engine.step_type(NumberStep, VJPLevel, CONSTANT_STEP)
