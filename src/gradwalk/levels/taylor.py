"""Truncated power series as a level: a tracer is the start of a Taylor series.

    x(h) = x₀ + x₁ h + x₂ h² + …

Sums, products and quotients of series are what they are for polynomials. Every other row follows
from its rules: fed the slope of its argument, a rule gives the slope of its result,

    y' = rule(x', y, x)   and so   k yₖ = [rule(x', y, x)]ₖ₋₁

with the rule evaluated on series, of which only the coefficients below k are needed. They are
computed in order when somebody asks for them, so that a rule may be written in its own result and
in rows whose rules lead further and further. Source: Griewank and Walther, Evaluating Derivatives
(2008), chapter 13; coefficients on demand: van der Hoeven, Relax, but don't be too lazy (2002).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

from ..core.backend import arrays
from ..engine.forward import tangent_of
from ..engine.node import recording
from ..ops.arithmetic import add, div, mul, neg, sub, where
from .level import Level
from .vjp import is_arraylike

__all__ = ["POLYNOMIAL", "TaylorLevel", "Solution", "Stream"]

Following = Callable[[int], Any]


class Stream:
    """The coefficients of a series, each computed when it is asked for; ``None`` for nothing."""

    __slots__ = ("following", "known")

    def __init__(self, start: Any, following: Following | None = None) -> None:
        self.known, self.following = [start], following

    def __getitem__(self, k: int) -> Any:
        known = self.known
        while len(known) <= k:
            known.append(None if self.following is None else self.following(len(known)))
        return known[k]


class Solution(Stream):
    """The solution of y' = slope, where the slope may be written in y itself."""

    __slots__ = ("_slope", "slope_of")

    def __init__(self, start: Any) -> None:
        super().__init__(start, self._next)
        self.slope_of: Callable[[], Stream] | None = None
        self._slope: Stream | None = None

    def _next(self, k: int) -> Any:
        if self._slope is None and self.slope_of is not None:
            self._slope = self.slope_of()
        c = None if self._slope is None else self._slope[k - 1]
        return c if c is None or k == 1 else c / float(k)

    def advance(self) -> None:
        """Compute one more coefficient, if any beyond the first has been asked for."""
        if self._slope is not None:
            self[len(self.known)]

    def forget(self) -> None:
        """Let go of the slope, which depends on the solution: a cycle."""
        self.slope_of = self._slope = None


class TaylorLevel(Level):
    """A run on truncated series. The extra of a tracer is the stream of its coefficients."""

    mode = "taylor"

    def __init__(self, order: int) -> None:
        self.order = order
        self._known: dict[Any, Any] | None = None  # inside of a rule: what has been computed
        self._solutions: list[Solution] = []

    def variable(self, primal: Any, one: Any) -> Any:
        """The tracer of x₀ + h."""
        stream = Stream(primal)
        stream.known.append(one)
        return self.box(primal, stream)

    def stream(self, x: Any) -> Stream:
        """The coefficients of an argument; those of a constant end with the first."""
        return x._payload if self.owns(x) else Stream(x)

    def coefficients(self, y: Any) -> list[Any]:
        """All coefficients of a result."""
        stream = self.stream(y)
        return [stream[k] for k in range(self.order + 1)]

    def apply(self, primitive: Any, args: Sequence[Any], options: dict[str, Any]) -> Any:
        """The result of the row with all its coefficients; inside of a rule, on demand."""
        y = primitive(*self.primals(args), **options)
        if not primitive.differentiable or recording.paused:
            return y
        if self._known is not None:
            return self._promised(primitive, args, options, y)
        self._known = {}
        try:
            found = self._promised(primitive, args, options, y)
            scalar = type(y) is not tuple and not is_arraylike(y)
            return self.forced(found) if scalar else arrays().compute_coefficients(self, found)
        finally:
            for solution in self._solutions:
                solution.forget()
            self._known, self._solutions = None, []

    # --- on demand --------------------------------------------------------------------------------

    def _promised(
        self, primitive: Any, args: Sequence[Any], options: dict[str, Any], y: Any
    ) -> Any:
        """The result as a tracer, or several, whose coefficients nobody has asked for yet.

        A rule that comes back to what was computed before finds it: sin leads to cos, cos to sin.
        """
        if type(y) is tuple or is_arraylike(y):
            return arrays().lazy_series(self, primitive, args, options, y)
        if primitive is mul and any(type(a) is float and a == 1.0 for a in args):
            return next(a for a in args if self.owns(a))
        key = (primitive, *map(id, args))
        if key not in self._known:  # type: ignore[operator]
            found = self._number(primitive, args, y)
            self._known[key] = found, args  # type: ignore[index]  # kept, so that ids stay theirs
        return self._known[key][0]  # type: ignore[index]

    def _number(self, primitive: Any, args: Sequence[Any], y: Any) -> Any:
        """The promise of one number."""
        if primitive in POLYNOMIAL:
            return self.box(y, polynomial(primitive, y, [self.stream(a) for a in args]))
        return self.solution(y, lambda z: tangent_of(primitive, z, args, self.slopes(args)))

    def solution(self, y: Any, slope_at: Callable[[Any], Any]) -> Any:
        """The tracer that begins with ``y`` and has the slope ``slope_at(itself)``."""
        (tracer,) = self.solutions((y,), lambda z: (slope_at(*z),))
        return tracer

    def solutions(
        self, ys: Sequence[Any], slopes_at: Callable[[Any], Sequence[Any]]
    ) -> tuple[Any, ...]:
        """The same for several results that have their slopes together."""
        streams = [Solution(y) for y in ys]
        tracers = tuple([self.box(*pair) for pair in zip(ys, streams, strict=True)])
        found: list[Any] = []

        def slope(i: int) -> Stream:
            if not found:
                found.extend(slopes_at(tracers))
            return self.stream(found[i])

        for i, stream in enumerate(streams):
            stream.slope_of = partial(slope, i)
        self._solutions += streams
        return tracers

    def slopes(self, args: Sequence[Any]) -> list[Any]:
        """x' of every argument that moves, ``None`` for the others."""
        return [self._slope(self.stream(a)) for a in args]

    def _slope(self, x: Stream) -> Any:
        start = x[1]
        return None if start is None else self.box(start, Stream(start, slope_of(x)))

    # --- in order ---------------------------------------------------------------------------------

    def forced(self, y: Any) -> Any:
        """``y`` with all coefficients; without any, no tracer but the number itself."""
        stream = self.stream(y)
        for k in range(1, self.order + 1):
            for solution in self._solutions[::-1]:  # the innermost first: recursion stays shallow
                solution.advance()
            stream[k]
        stream.following = None
        moving = any(c is not None for c in stream.known[1:])
        return y if moving else y._primal


# --- polynomials ----------------------------------------------------------------------------------


def slope_of(x: Stream) -> Following:
    """x'ₖ = (k + 1) xₖ₊₁"""

    def following(k: int) -> Any:
        c = x[k + 1]
        return None if c is None else c * (k + 1.0)

    return following


def crossed(a: Stream, b: Stream, k: int, first: int = 0) -> Any:
    """Σ aᵢ bₖ₋ᵢ for i from 0 to k, or only as long as k - i >= first."""
    total = None
    for i in range(k + 1 - first):
        u, v = a[i], b[k - i]
        if u is not None and v is not None:
            total = u * v if total is None else total + u * v
    return total


def plus(a: Any, b: Any) -> Any:
    """a + b, either of which may be nothing."""
    return b if a is None else a if b is None else a + b


def negative(a: Any) -> Any:
    """-a, or nothing."""
    return None if a is None else -a


def _quotient(y: Stream, a: Stream, b: Stream) -> Following:
    """From y b = a: yₖ b₀ = aₖ - Σ yᵢ bₖ₋ᵢ, where i < k."""

    def following(k: int) -> Any:
        rest = plus(a[k], negative(crossed(y, b, k, first=1)))
        return None if rest is None else div(rest, b[0])

    return following


POLYNOMIAL: dict[Any, Callable[..., Following]] = {
    neg: lambda y, a: lambda k: negative(a[k]),
    add: lambda y, a, b: lambda k: plus(a[k], b[k]),
    sub: lambda y, a, b: lambda k: plus(a[k], negative(b[k])),
    mul: lambda y, a, b: lambda k: crossed(a, b, k),
    div: _quotient,
    where: lambda y, c, a, b: (a if c[0] else b).__getitem__,
}
"""Row -> what comes after the first coefficient of its result ``y``."""


def polynomial(primitive: Any, start: Any, args: Sequence[Stream]) -> Stream:
    """The result of a row of `POLYNOMIAL`."""
    y = Stream(start)
    y.following = POLYNOMIAL[primitive](y, *args)
    return y
