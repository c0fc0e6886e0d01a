"""Reverse mode as a level: what is done with tracers is put on a tape, which is swept backwards.

The steps of a tape are walked by the same `reverse.walk` as the graphs of Values and Tensors. What
they have saved, and what the sweep computes, are primals: numbers one level down, which the
transform around may be tracing in its turn.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..core.backend import arrays
from ..core.carrier import is_tensor
from ..core.expect import is_array
from ..engine.forward import forward_pass, tangent_of
from ..engine.node import CONSTANT, recording
from ..engine.reverse import cotangents_of
from ..engine.scalar import Scalar
from .level import Level, ScalarTracer

__all__ = ["CONSTANT_STEP", "Step", "VJPLevel", "instantiate_zeros", "is_arraylike"]


class Step:
    """One application of a row to numbers, or a leaf (which has no row).

    Its names are those that every node has: see `trace.Node` and `tensor.node.Node`.
    """

    __slots__ = ("_inputs", "_primitive", "args", "y")
    shape: tuple[int, ...] = ()
    ndim = 0
    label = ""

    def __init__(
        self, primitive: Any, inputs: tuple[Any, ...], y: Any, args: Sequence[Any]
    ) -> None:
        self._primitive, self._inputs, self.y, self.args = primitive, inputs, y, args

    @property
    def dtype(self) -> Any:
        """Scalars among arrays are float64."""
        return arrays().FLOAT64

    def release(self) -> None:
        """Forget operands and saved numbers."""
        self._inputs, self.y, self.args = None, None, ()  # type: ignore[assignment]


CONSTANT_STEP = Step(CONSTANT, (), None, ())
"""Stands in the place of every argument that is not on the tape."""


def is_arraylike(x: Any) -> bool:
    """Whether ``x`` is an array, a Tensor, or a tracer of one."""
    if type(x) is float or isinstance(x, Scalar):
        return False
    return is_tensor(x) or is_array(x) or hasattr(x, "dtype")


class VJPLevel(Level):
    """A run of reverse mode. The extra of a tracer is its step on the tape."""

    def __init__(self, mode: str = "reverse mode") -> None:
        self.mode = mode

    def leaf(self, primal: Any) -> Any:
        """A tracer of an input."""
        if is_arraylike(primal):
            return self.box(primal, arrays().leaf_node(primal))
        return self.box(primal, Step(None, (), primal, ()))

    def apply(self, primitive: Any, args: Sequence[Any], options: dict[str, Any]) -> Any:
        """The result of the row one level down, with a step of its own on the tape."""
        raws = self.primals(args)
        y = primitive(*raws, **options)
        if not primitive.differentiable or recording.paused:
            return y
        if type(y) is tuple or is_arraylike(y):
            return arrays().record_on_tape(self, primitive, args, raws, y, options)
        inputs = tuple([a._payload if self.owns(a) else CONSTANT_STEP for a in args])
        return self.box(y, Step(primitive, inputs, y, raws))

    def apply_to_numbers(self, primitive: Any, args: Sequence[Any]) -> Any:
        """The same among numbers alone, in two thirds of the time."""
        raws = [a if type(a) is float else a._primal for a in args]
        y = primitive(*raws)
        if not primitive.differentiable or recording.paused:
            return y
        if type(y) is not float and not isinstance(y, Scalar):
            return arrays().record_on_tape(self, primitive, args, raws, y, {})
        inputs = tuple([CONSTANT_STEP if type(a) is float else a._payload for a in args])
        return ScalarTracer(self, y, Step(primitive, inputs, y, raws))

    def step_of(self, y: Any) -> Any:
        """The step that computed ``y``; ``None`` if it does not depend on an input."""
        return y._payload if self.owns(y) else None

    def gradients(
        self, outputs: Sequence[Any], cotangents: Sequence[Any], release: bool = False
    ) -> dict[Any, Any]:
        """The gradient of Σ cotangent · output for each leaf that it reaches.

        With ``release`` the tape is forgotten on the way, and cannot be swept again.
        """
        steps = [self.step_of(y) for y in outputs]
        found = cotangents_of(steps, cotangents, _pull, _released if release else None)
        return {step: instantiate_zeros(t) for step, t in found.items()}

    def tangent(self, y: Any, moving: dict[Any, Any]) -> Any:
        """The tangent of ``y`` when the leaves in ``moving`` move; ``None`` if it rests."""
        return self.tangents([y], moving)[0]

    def tangents(self, outputs: Sequence[Any], moving: dict[Any, Any]) -> list[Any]:
        """The tangents of several results, of one walk."""
        steps = [self.step_of(y) for y in outputs]
        end = Step(None, tuple([step for step in steps if step is not None]), None, ())
        arrived = forward_pass(end, moving, lambda step, t: t if step is end else _push(step, t))
        found = iter(arrived or [None] * len(end._inputs))
        return [None if step is None else instantiate_zeros(next(found)) for step in steps]


def instantiate_zeros(t: Any) -> Any:
    """A derivative as a number or an array, be some of it no contribution at all."""
    if t is None or type(t) is float or isinstance(t, Scalar):
        return t
    return arrays().instantiate_zeros(t)


def _released(step: Any) -> None:
    step.release()


def _pull(step: Any, t: Any) -> Any:
    """The shares of the operands of a step."""
    if type(step) is not Step:  # of arrays, or one that knows itself what to do
        return step.pull(t) if hasattr(step, "pull") else arrays().vjp_of_node(step, t)
    t = instantiate_zeros(t)
    return (
        [None] * len(step.args)
        if t is None
        else step._primitive.contributions(t, step.y, step.args)
    )


def _push(step: Any, tangents: Sequence[Any]) -> Any:
    """The tangent of a step from those of its operands."""
    if type(step) is not Step:
        known = hasattr(step, "push")
        return step.push(tangents) if known else arrays().jvp_of_node(step, tangents, step.saved)
    return tangent_of(step._primitive, step.y, step.args, tangents)
