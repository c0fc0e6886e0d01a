"""Where numbers come from: a level that carries, with every number, the set of its inputs.

The tracers of `Patterns` hold the plain number, so that a program goes the way that it goes at
these inputs, and `Sources`: which inputs the number depends on. A set may hold too many; it never
holds too few. With arrays it is an array of sets, see `array_patterns`.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from importlib import import_module
from typing import Any

from ...core.primitive import Primitive
from ...engine.node import recording
from ...levels.level import Level, ScalarTracer, Tracer
from ...levels.vjp import is_arraylike
from .sources import Sources

__all__ = ["Patterns"]


@cache
def arrays() -> Any:
    """Return the module that does this for arrays, which needs NumPy."""
    return import_module(".array_patterns", __package__)


class Patterns(Level):
    """A run that finds out what depends on what. The payload of a tracer is its `Sources`.

    ``zeros``   whether a number that no input reaches is a constant, so that a zero among the
                factors of a product means something
    ``trying``  the primitives whose rules are being traced, further out
    """

    mode: str
    trying: tuple[Any, ...]
    zeros: bool

    def __init__(
        self, mode: str = "sparsity", zeros: bool = True, trying: tuple[Any, ...] = ()
    ) -> None:
        self.mode, self.zeros, self.trying = mode, zeros, trying

    def inner(self, primitive: object) -> Patterns:
        """Return the level that traces which results the cotangents of a rule reach."""
        # a zero among the numbers that a rule reads is one of this point, not of the function
        return Patterns(self.mode, zeros=False, trying=(*self.trying, primitive))

    def leaf(self, primal: Any, start: int) -> Any:
        """Return a tracer of an input, whose elements have the indices from ``start``."""
        if is_arraylike(primal):
            return self.box(primal, arrays().own_sources(primal.shape, start))
        return self.box(primal, Sources(frozenset((start,))))

    def apply(self, primitive: Primitive, args: Sequence[Any], options: dict[str, Any]) -> Any:
        """Evaluate the primitive one level down, and return what the result depends on with it."""
        raws, sources = [], []
        for a in args:
            own = isinstance(a, Tracer) and a._level is self
            raws.append(a._primal if own else a)
            sources.append(a._payload if own else None)
        y = primitive(*raws, **options)
        if recording.paused:  # constant from here on
            return y
        if type(y) is not float and (type(y) is tuple or is_arraylike(y)):
            if primitive.differentiable:
                return arrays().trace_sources(self, primitive, raws, y, sources, options)
            return y
        found = None
        for rule, source in zip(primitive.rules, sources, strict=True):
            if rule is not None and source is not None:
                found = source if found is None else found + source
        return y if found is None else ScalarTracer(self, y, found)

    def sources(self, y: Any) -> Any:
        """Return what ``y`` depends on: a set, or an array of sets; ``None`` for a constant."""
        return y._payload if self.owns(y) else None
