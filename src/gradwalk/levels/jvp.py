"""Forward mode as a level: a tracer is a primal with its tangent.

    (y, ẏ) = (f(x), f'(x) ẋ)

The rules are those of the reverse pass: for a tangent, a pointwise rule returns a tangent. Nothing
is recorded, so the memory does not grow with the length of a program.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from .. import native
from ..core.backend import Options, arrays
from ..core.primitive import Primitive
from ..engine.forward import tangent_of
from ..engine.node import recording
from ..engine.scalar import Scalar
from .level import Level, ScalarTracer
from .vjp import instantiate_zeros, is_arraylike

__all__ = ["JVPLevel"]


class JVPLevel(Level):
    """A run of forward mode. The payload of a tracer is its tangent."""

    def __init__(self, mode: str = "forward mode") -> None:
        self.mode = mode

    def apply(self, primitive: Primitive, args: Sequence[Any], options: Options) -> Any:
        """Return the result of the primitive one level down, with its tangent."""
        # tracers of other levels stay what they are: constants here, so perturbations cannot mix
        raws = self.primals(args)
        tangents = [a._payload if self.owns(a) else None for a in args]
        y = primitive(*raws, **options)
        if not primitive.differentiable or recording.paused:
            return y
        if type(y) is tuple or is_arraylike(y):
            return arrays().trace_jvp(self, primitive, raws, y, tangents, options)
        t = tangent_of(primitive, y, raws, tangents)
        return y if t is None else self.box(y, t)

    def apply_to_numbers(self, primitive: Primitive, args: Sequence[Any]) -> Any:
        """Return what `apply` returns, in two thirds of the time."""
        raws = [a if type(a) is float else a._primal for a in args]
        y = primitive(*raws)
        if not primitive.differentiable or recording.paused:
            return y
        tangents = [None if type(a) is float else a._payload for a in args]
        if type(y) is not float and not isinstance(y, Scalar):
            return arrays().trace_jvp(self, primitive, raws, y, tangents, {})
        t = tangent_of(primitive, y, raws, tangents)
        return y if t is None else ScalarTracer(self, y, t)

    def derivatives_of(self, tracer: Any) -> list[Any]:
        """Return the tangent."""
        return [tracer._payload]

    def tangent(self, y: Any) -> Any:
        """Return the tangent of ``y``. ``None`` means that no tangent reaches it."""
        return instantiate_zeros(y._payload) if self.owns(y) else None


if native.engine:
    native.engine.forward_type(JVPLevel)
