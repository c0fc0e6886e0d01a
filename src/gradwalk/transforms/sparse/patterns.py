"""Where numbers come from: a level that carries, with every number, the set of its inputs.

The tracers of `Patterns` hold the plain number, so that a program goes the way that it goes at
these inputs, and `Sources`: which inputs the number depends on. A set may hold too many; it never
holds too few. With arrays it is an array of sets, see `array_patterns`.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from importlib import import_module
from typing import Any, NoReturn

from ...engine.node import recording
from ...levels.level import Level, ScalarTracer, Tracer
from ...levels.vjp import is_arraylike

__all__ = ["NOWHERE", "Patterns", "Sources"]

FEW = 48  # members up to which a set is a frozenset; beyond, bits take less memory


class Sources:
    """A set of inputs, which does arithmetic as the numbers do that depend on them.

    Whatever is computed of two numbers depends on what either of them depends on; but a number
    times a constant zero depends on nothing. ``of`` is a frozenset of places, or if there are many
    an int whose bits they are. Sets cannot be compared: whoever chooses by size is told so.
    """

    __slots__ = ("of",)

    def __init__(self, of: Any) -> None:
        self.of = of

    def __add__(self, other: Any) -> Sources:
        if type(other) is not Sources or other is self or not other.of:
            return self
        a, b = self.of, other.of
        if type(a) is frozenset and type(b) is frozenset:
            if b <= a:
                return self
            both = a | b
            return Sources(both if len(both) <= FEW else _bits(both))
        return Sources(_bits(a) | _bits(b)) if a else other

    __sub__ = __rsub__ = __radd__ = __rtruediv__ = __pow__ = __rpow__ = __add__

    def __mul__(self, other: Any) -> Sources:
        if type(other) is Sources:
            return self + other
        return self if other != 0.0 else NOWHERE

    __rmul__ = __mul__
    __truediv__ = __add__

    def __neg__(self) -> Sources:
        return self

    __pos__ = __abs__ = __neg__

    def conjugate(self) -> Sources:
        """Products of vectors ask for it, of real numbers too."""
        return self

    def _refuse(self, other: Any = None) -> NoReturn:
        raise TypeError("a set of inputs has no size to compare by")

    __lt__ = __le__ = __gt__ = __ge__ = __eq__ = __ne__ = __bool__ = _refuse
    __hash__ = None  # type: ignore[assignment]


def _bits(of: Any) -> int:
    if type(of) is int:
        return of
    bits = bytearray(max(of, default=0) // 8 + 1)
    for place in of:
        bits[place >> 3] |= 1 << (place & 7)
    return int.from_bytes(bits, "little")


NOWHERE = Sources(frozenset())
"""The sources of a constant."""


@cache
def arrays() -> Any:
    """The same for arrays, which needs NumPy."""
    return import_module(".array_patterns", __package__)


class Patterns(Level):
    """A run that finds out what depends on what. The extra of a tracer are its `Sources`.

    ``zeros``   whether a number that no input reaches is a constant, so that a zero among the
                factors of a product means something
    ``trying``  the rows whose rules are being looked at, further out
    """

    def __init__(
        self, mode: str = "sparsity", zeros: bool = True, trying: tuple[Any, ...] = ()
    ) -> None:
        self.mode, self.zeros, self.trying = mode, zeros, trying

    def leaf(self, primal: Any, start: int) -> Any:
        """A tracer of an input, whose numbers are those from place ``start`` on."""
        if is_arraylike(primal):
            return self.box(primal, arrays().numbered(primal.shape, start))
        return self.box(primal, Sources(frozenset((start,))))

    def apply(self, row: Any, args: Sequence[Any], options: dict[str, Any]) -> Any:
        """The result of the row one level down, with what it depends on."""
        raws, sources = [], []
        for a in args:
            own = isinstance(a, Tracer) and a._level is self
            raws.append(a._primal if own else a)
            sources.append(a._extra if own else None)
        y = row(*raws, **options)
        if recording.paused:
            return y
        if type(y) is not float and (type(y) is tuple or is_arraylike(y)):
            if row.differentiable:
                return arrays().moved(self, row, raws, y, sources, options)
            return y
        found = None
        for rule, source in zip(row.rules, sources, strict=True):
            if rule is not None and source is not None:
                found = source if found is None else found + source
        return y if found is None else ScalarTracer(self, y, found)

    def sources(self, y: Any) -> Any:
        """What ``y`` depends on: a set, or an array of sets; ``None`` for a constant."""
        return y._extra if self.owns(y) else None
